//! Decides rules on a program.

use crate::{Context, Finding, Rule, RuleBody, checks, objects, questions, sort};
use loris_base::{Budget, Exhausted};
use loris_java::MethodId;
use std::collections::BTreeSet;

/// What rules found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// All findings, sorted.
    pub findings: Vec<Finding>,
    /// How many resources went where they cannot be followed: they are reported under `strict`
    /// only.
    pub escaped: usize,
    /// Rules that were not decided, in the order they were given; what was found until then counts.
    pub undecided: Vec<Undecided>,
    /// Labels in properties that no node has; the rules are among those that were not decided.
    pub unknown: Vec<UnknownLabel>,
}

/// A rule that was not decided, or not everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The identifier of the rule.
    pub rule: String,
    /// Why, in words.
    pub reason: String,
    /// The first of the methods that it is not decided for; none if that is the whole program.
    pub methods: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

/// Methods that are named for each rule that is not decided.
const NAMED: usize = 5;

impl Undecided {
    /// A rule that was not decided for the whole program.
    pub(crate) fn whole(rule: &Rule, reason: impl Into<String>) -> Self {
        Self { rule: rule.id.clone(), reason: reason.into(), methods: Vec::new(), more: 0 }
    }

    /// A rule that was not decided for some methods, for one reason.
    fn of(context: &Context<'_>, rule: &Rule, why: Exhausted, mut methods: Vec<MethodId>) -> Self {
        let program = context.program;
        methods.sort_unstable();
        methods.dedup();
        let name = |&method: &MethodId| {
            let class = program.class_name(program.owner(method));
            format!("{class}.{}", &program.names[program.method(method).name])
        };
        Self {
            rule: rule.id.clone(),
            reason: why.to_string(),
            methods: methods.iter().take(NAMED).map(name).collect(),
            more: methods.len().saturating_sub(NAMED),
        }
    }

    /// Why, and where, in words.
    ///
    /// ```
    /// use loris_rules::Undecided;
    /// let methods = vec!["a.B.m".to_owned(), "a.B.n".to_owned()];
    /// let undecided = Undecided { rule: "leak".into(), reason: "timeout".into(), methods, more: 7 };
    /// assert_eq!(undecided.text(), "timeout, in a.B.m, a.B.n and 7 more methods");
    /// ```
    pub fn text(&self) -> String {
        let Self { reason, methods, more, .. } = self;
        let methods = methods.join(", ");
        match more {
            _ if methods.is_empty() => reason.clone(),
            0 => format!("{reason}, in {methods}"),
            1 => format!("{reason}, in {methods} and one more method"),
            more => format!("{reason}, in {methods} and {more} more methods"),
        }
    }
}

/// A label in a property that no node of the program has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLabel {
    /// The identifier of the rule.
    pub rule: String,
    /// The label.
    pub label: String,
    /// Where it starts and ends in the text of the property.
    pub span: (u32, u32),
    /// The label of the program that is most like it.
    pub nearest: Option<String>,
}

/// Decides rules on a program. A limit that is reached leaves the rules that were not decided until
/// then undecided. What is found for a rule does not depend on the other rules.
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
    let found = checks::run(context, &checked, budget);
    outcome.findings.extend(found.findings);
    outcome.leave(context, &checked, &found.left, &found.stopped);
    // what was held for them is gone, but for what they found
    let findings: usize = outcome.findings.iter().map(Finding::bytes).sum();
    let held = budget.used();
    // where they leave too little, that is seen soon
    let _ = budget.charge(findings);
    let found = objects::run(context, &about_objects, budget);
    outcome.findings.extend(found.findings);
    outcome.escaped = found.escaped;
    let stopped: Vec<(usize, Exhausted)> =
        (0..about_objects.len()).filter_map(|number| Some((number, found.stopped?))).collect();
    outcome.leave(context, &about_objects, &found.left, &stopped);
    if let Some(why) = found.callers_left {
        let reason = format!("{why} before callers were looked at of all methods that return their objects");
        let follow = about_objects.iter().filter(|(_, object)| object.follows_callers());
        outcome.undecided.extend(follow.map(|(rule, _)| Undecided::whole(rule, reason.clone())));
    }
    budget.release(budget.used() - held);
    let found = questions::run(context, &asked, budget);
    outcome.findings.extend(found.findings);
    outcome.undecided.extend(found.undecided);
    outcome.unknown = found.unknown;
    let place = |id: &str| rules.iter().position(|rule| rule.id == id);
    outcome.undecided.sort_by_key(|undecided| place(&undecided.rule));
    sort(&mut outcome.findings);
    count(&mut outcome.findings);
    outcome
}

impl Outcome {
    /// Adds rules that were not decided for some methods, or for the whole program.
    fn leave<T>(
        &mut self,
        context: &Context<'_>,
        rules: &[(&Rule, T)],
        left: &[(usize, MethodId, Exhausted)],
        stopped: &[(usize, Exhausted)],
    ) {
        // there may be very many, and time is over
        let mut by_rule: Vec<Vec<(Exhausted, Vec<MethodId>)>> = rules.iter().map(|_| Vec::new()).collect();
        for &(rule, method, why) in left {
            match by_rule[rule].iter_mut().find(|(known, _)| *known == why) {
                Some((_, methods)) => methods.push(method),
                None => by_rule[rule].push((why, vec![method])),
            }
        }
        let whole = stopped.iter().filter(|(rule, _)| by_rule[*rule].is_empty());
        self.undecided.extend(whole.map(|(rule, why)| Undecided::whole(rules[*rule].0, why.to_string())));
        for ((rule, _), reasons) in rules.iter().zip(by_rule) {
            let of = reasons.into_iter().map(|(why, methods)| Undecided::of(context, rule, why, methods));
            self.undecided.extend(of);
        }
    }
}

/// Makes the ordinals of findings of a rule in a method distinct.
fn count(findings: &mut [Finding]) {
    let mut taken = BTreeSet::new();
    for finding in findings {
        while !taken.insert(finding.fingerprint()) {
            finding.ordinal += 1;
        }
    }
}
