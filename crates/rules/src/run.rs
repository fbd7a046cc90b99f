//! Decides rules on a program.

use crate::{Context, Finding, Rule, RuleBody, checks, objects, questions, sort};
use loris_base::{Budget, Exhausted};

/// What rules found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// All findings, sorted.
    pub findings: Vec<Finding>,
    /// How many resources went where they cannot be followed: they are reported under `strict` only.
    pub escaped: usize,
    /// Rules that were not decided, in the order they were given; what was found until then counts.
    pub undecided: Vec<Undecided>,
}

/// A rule that was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The identifier of the rule.
    pub rule: String,
    /// Why, in words.
    pub reason: String,
}

/// Decides rules on a program. A limit that is reached leaves the rules that were not decided until
/// then undecided.
pub fn run(context: &Context<'_>, rules: &[Rule], budget: &mut Budget) -> Outcome {
    let mut outcome = Outcome::default();
    let (mut checked, mut about_objects, mut asked) = (Vec::new(), Vec::new(), Vec::new());
    for rule in rules {
        match &rule.body {
            RuleBody::Check(check) => checked.push((rule, *check)),
            RuleBody::Object(object) => about_objects.push((rule, &**object)),
            RuleBody::Question(question) => asked.push((rule, question)),
        }
    }
    let (findings, undecided) = checks::run(context, &checked, budget);
    outcome.findings.extend(findings);
    for (number, why) in undecided {
        outcome.take(Err(why), std::iter::once(checked[number].0));
    }
    let found = objects::run(context, &about_objects, budget);
    outcome.findings.extend(found.findings);
    outcome.escaped = found.escaped;
    if let Some(why) = found.stopped {
        outcome.take(Err(why), about_objects.iter().map(|(rule, _)| *rule));
    }
    let found = questions::run(context, &asked, budget).map(|(findings, undecided)| {
        outcome.undecided.extend(undecided);
        findings
    });
    outcome.take(found, asked.iter().map(|(rule, _)| *rule));
    sort(&mut outcome.findings);
    count(&mut outcome.findings);
    outcome
}

impl Outcome {
    fn take<'r>(&mut self, found: Result<Vec<Finding>, Exhausted>, rules: impl Iterator<Item = &'r Rule>) {
        match found {
            Ok(findings) => self.findings.extend(findings),
            Err(why) => {
                let reason = why.to_string();
                let undecided = rules.map(|rule| Undecided { rule: rule.id.clone(), reason: reason.clone() });
                self.undecided.extend(undecided);
            }
        }
    }
}

/// Makes the ordinals of findings of a rule in a method distinct.
fn count(findings: &mut [Finding]) {
    let mut taken = std::collections::BTreeSet::new();
    for finding in findings {
        while !taken.insert(finding.fingerprint()) {
            finding.ordinal += 1;
        }
    }
}
