//! Decides rules on a program.

use crate::context::ProgramContext;
use crate::questions::UnknownLabel;
use crate::rule::{Rule, RuleBody, shipped_rules};
use crate::{checks, objects, questions};
use loris_base::{Budget, Exhausted};
use loris_findings::{Finding, RuleInfo, Undecided, sort};
use loris_java::MethodId;
use std::collections::BTreeSet;

/// What rules found.
#[derive(Debug, Default)]
pub struct Judgement {
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

/// Why a rule is not decided for an object with too many states.
const MANY_STATES: &str = "an object there has too many states to be followed";

/// Methods that are named for each rule that is not decided.
const NAMED: usize = 5;

/// A rule that was not decided for some methods, for one reason.
fn undecided(
    context: &ProgramContext<'_>,
    rule: &RuleInfo,
    why: Exhausted,
    mut methods: Vec<MethodId>,
) -> Undecided {
    let program = context.program;
    methods.sort_unstable();
    methods.dedup();
    let name = |&method: &MethodId| {
        let class = program.class_name(program.owner(method));
        format!("{class}.{}", &program.names[program.method(method).name])
    };
    Undecided {
        rule: rule.id.clone(),
        reason: match why {
            Exhausted::States => MANY_STATES.to_owned(),
            why => why.to_string(),
        },
        methods: methods.iter().take(NAMED).map(name).collect(),
        more: methods.len().saturating_sub(NAMED),
    }
}

/// Decides rules on a program. A limit that is reached leaves the rules that were not decided until
/// then undecided. What is found for a rule does not depend on the other rules. Rules that are not
/// asked for are known, as others may name them under `unless`; those that are shipped are known
/// anyway.
pub fn run(context: &ProgramContext<'_>, rules: &[Rule], known: &[Rule], budget: &mut Budget) -> Judgement {
    let mut judgement = Judgement::default();
    let (mut checked, mut about_objects, mut asked) = (Vec::new(), Vec::new(), Vec::new());
    for rule in rules {
        match &rule.body {
            RuleBody::Check(check) => checked.push((&rule.info, *check)),
            RuleBody::Object(object) => about_objects.push((&rule.info, &**object)),
            RuleBody::Question(question) => asked.push((&rule.info, &**question)),
        }
    }
    let found = checks::run(context, &checked, budget);
    judgement.findings.extend(found.findings);
    judgement.leave(context, &checked, &found.left, &found.stopped);
    // what was held for them is gone, but for what they found
    let findings: usize = judgement.findings.iter().map(Finding::bytes).sum();
    let held = budget.used();
    // where they leave too little, that is seen soon
    let _ = budget.charge(findings);
    let shipped = if about_objects.is_empty() { Vec::new() } else { shipped_rules() };
    let others: Vec<objects::Named<'_>> =
        known.iter().chain(&shipped).filter_map(Rule::about_objects).collect();
    let found = objects::run(context, &about_objects, &others, budget);
    judgement.findings.extend(found.findings);
    judgement.escaped = found.escaped;
    let stopped: Vec<(usize, Exhausted)> =
        (0..about_objects.len()).filter_map(|number| Some((number, found.stopped?))).collect();
    judgement.leave(context, &about_objects, &found.left, &stopped);
    if let Some(why) = found.callers_left {
        let reason = format!("{why} before callers were looked at of all methods that return their objects");
        let follow = about_objects.iter().filter(|(_, object)| object.follows_callers());
        judgement.undecided.extend(follow.map(|(rule, _)| Undecided::whole(&*rule.id, reason.clone())));
    }
    budget.release(budget.used() - held);
    let found = questions::run(context, &asked, budget);
    judgement.findings.extend(found.findings);
    judgement.undecided.extend(found.undecided);
    judgement.unknown = found.unknown;
    let place = |id: &str| rules.iter().position(|rule| rule.info.id == id);
    judgement.undecided.sort_by_key(|undecided| place(&undecided.rule));
    sort(&mut judgement.findings);
    count(&mut judgement.findings);
    judgement
}

impl Judgement {
    /// Whether a limit, or a name that may be wrong, kept something from being decided: the next
    /// time more may be. Objects with too many states have as many each time.
    pub(crate) fn is_limited(&self) -> bool {
        self.undecided.iter().any(|undecided| undecided.reason != MANY_STATES)
    }

    /// Adds rules that were not decided for some methods, or for the whole program.
    fn leave<T>(
        &mut self,
        context: &ProgramContext<'_>,
        rules: &[(&RuleInfo, T)],
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
        self.undecided
            .extend(whole.map(|(rule, why)| Undecided::whole(&*rules[*rule].0.id, why.to_string())));
        for ((rule, _), reasons) in rules.iter().zip(by_rule) {
            let of = reasons.into_iter().map(|(why, methods)| undecided(context, rule, why, methods));
            self.undecided.extend(of);
        }
    }
}

/// Makes the ordinals of findings of a rule in a method distinct.
fn count(findings: &mut [Finding]) {
    let mut taken = BTreeSet::new();
    for finding in findings {
        while !taken.insert(finding.fingerprint()) {
            finding.declaration.iter_mut().for_each(|it| it.ordinal += 1);
        }
    }
}
