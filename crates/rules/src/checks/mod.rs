//! Checks that are built in: each decides one rule from the bytecode.

mod dead_store;
mod endless_loop;
mod method;
mod monitors;
mod recursion;
mod unused;

use crate::{Context, Finding, Rule};
use loris_base::{Budget, Exhausted};
use loris_java::calls::{CallGraph, CallOptions, Entries};
use loris_java::{ClassId, MethodId};
use method::Code;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A check that is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// A value is stored in a local variable and never used.
    DeadStore,
    /// A method calls itself on every path.
    InfiniteRecursion,
    /// A loop never ends.
    InfiniteLoop,
    /// `wait` and `notify` are called as they must not be.
    WaitNotify,
    /// A notification before which nothing is changed.
    NakedNotify,
    /// A field is never read.
    UnusedField,
    /// A method is never called.
    UnusedMethod,
}

impl Check {
    /// All checks.
    pub const ALL: [Check; 7] = [
        Check::DeadStore,
        Check::InfiniteRecursion,
        Check::InfiniteLoop,
        Check::WaitNotify,
        Check::NakedNotify,
        Check::UnusedField,
        Check::UnusedMethod,
    ];

    /// Its name in rules files.
    pub fn name(self) -> &'static str {
        match self {
            Check::DeadStore => "dead-store",
            Check::InfiniteRecursion => "infinite-recursion",
            Check::InfiniteLoop => "infinite-loop",
            Check::WaitNotify => "wait-notify",
            Check::NakedNotify => "notify-without-change",
            Check::UnusedField => "unused-field",
            Check::UnusedMethod => "unused-method",
        }
    }

    /// The check with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }
}

/// Bytes of code that are looked at between two looks at the budget.
const ROUND: usize = 1 << 20;

/// Runs checks, each for the rule that names it.
///
/// # Errors
/// A limit was reached.
pub fn run(
    context: &Context<'_>,
    checks: &[(&Rule, Check)],
    budget: &mut Budget,
) -> Result<Vec<Finding>, Exhausted> {
    let mut findings = Vec::new();
    if checks.is_empty() {
        return Ok(findings);
    }
    let mut calls = FxHashMap::default();
    let bounds = Bounds::new(context, budget)?;
    let methods: Vec<_> = context
        .reported()
        .flat_map(|class| context.program.methods_of(class))
        .filter(|&method| context.program.method(method).code.is_some() && bounds.has_method(method))
        .collect();
    let has = |wanted: Check| checks.iter().any(|(_, check)| *check == wanted);
    let mut shared =
        Shared { unread: dead_store::Unread::default(), callers: monitors::Callers::new(context) };
    if has(Check::DeadStore) {
        let found = for_methods(context, &methods, budget, &|code: &Code<'_>| dead_store::unread(code))?;
        for (method, slots) in found.into_iter().filter(|(_, slots)| *slots != 0) {
            shared.unread.insert(context.program.method(method).name, method, slots);
        }
    }
    let looked = for_methods(context, &methods, budget, &|code: &Code<'_>| look(code, checks, &shared))?;
    for (method, found) in looked {
        findings.extend(found.findings);
        calls.extend(found.calls.map(|calls| (method, calls)));
    }
    let needs_uses = has(Check::UnusedField) || has(Check::UnusedMethod);
    let uses = needs_uses.then(|| unused::Uses::new(context, budget)).transpose()?;
    for (rule, check) in checks {
        match (check, &uses) {
            (Check::InfiniteRecursion, _) => {
                recursion::endless(context, rule, &calls, &mut findings, budget)?;
            }
            (Check::UnusedField, Some(uses)) => {
                unused::fields(context, rule, (uses, &bounds), &mut findings, budget)?;
            }
            (Check::UnusedMethod, Some(uses)) => {
                unused::methods(context, rule, (uses, &bounds), &mut findings);
            }
            _ => {}
        }
    }
    // compilers copy code, as that of `finally`
    let mut seen = FxHashSet::default();
    findings.retain(|finding| finding.line.is_none() || seen.insert(place(finding)));
    Ok(findings)
}

/// What is judged: all methods, or those that given entries reach.
struct Bounds {
    graph: Option<CallGraph>,
    classes: FxHashSet<ClassId>,
}

impl Bounds {
    fn new(context: &Context<'_>, budget: &mut Budget) -> Result<Self, Exhausted> {
        let program = context.program;
        let Some(entries) = context.entries() else {
            return Ok(Self { graph: None, classes: FxHashSet::default() });
        };
        let options = CallOptions { entries: Entries::Methods(entries), ..CallOptions::default() };
        let graph = CallGraph::new(program, &options, budget)?;
        let classes = graph.reachable().iter().map(|&method| program.owner(method)).collect();
        Ok(Self { graph: Some(graph), classes })
    }

    fn has_method(&self, method: MethodId) -> bool {
        self.graph.as_ref().is_none_or(|graph| graph.is_reachable(method))
    }

    /// Whether a class is judged: some of its methods are.
    fn has_class(&self, class: ClassId) -> bool {
        self.graph.is_none() || self.classes.contains(&class)
    }
}

/// What makes two findings the same for a reader.
fn place(finding: &Finding) -> (String, String, Option<u32>, Option<String>, String) {
    let method = format!("{}.{}{}", finding.class, finding.method, finding.descriptor);
    (finding.rule.clone(), method, finding.line, finding.field.clone(), finding.message.clone())
}

/// Looks at methods, several at a time, in rounds between which the budget may end the work.
fn for_methods<'p, T: Send>(
    context: &'p Context<'p>,
    methods: &[MethodId],
    budget: &mut Budget,
    look: &(dyn Fn(&Code<'p>) -> T + Sync),
) -> Result<Vec<(MethodId, T)>, Exhausted> {
    let program = context.program;
    context.expect("methods", methods.len());
    let mut found = Vec::new();
    let mut rest = methods;
    while !rest.is_empty() {
        let (mut count, mut size, mut largest) = (0, 0, 0);
        for code in rest.iter().map_while(|&method| program.method(method).code.as_ref()) {
            count += 1;
            size += code.len();
            largest = largest.max(Code::size(code));
            if size > ROUND {
                break;
            }
        }
        let (round, after) = rest.split_at(count.max(1));
        rest = after;
        budget.spend(size)?;
        let held = largest * rayon::current_num_threads();
        budget.charge(held)?;
        let results: Vec<Option<(MethodId, T)>> = round
            .par_iter()
            .map(|&method| {
                let body = program.body(method).ok().flatten()?;
                Some((method, look(&Code::new(context, method, body))))
            })
            .collect();
        budget.release(held);
        context.advance(round.len());
        found.extend(results.into_iter().flatten());
    }
    Ok(found)
}

/// What is known of other methods.
struct Shared<'p> {
    unread: dead_store::Unread,
    callers: monitors::Callers<'p>,
}

/// What a look at one method yields.
#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    calls: Option<recursion::Calls>,
}

fn look(code: &Code<'_>, checks: &[(&Rule, Check)], shared: &Shared<'_>) -> Found {
    let mut found = Found::default();
    for (rule, check) in checks {
        match check {
            Check::DeadStore => dead_store::check(code, rule, &shared.unread, &mut found.findings),
            Check::InfiniteLoop => endless_loop::check(code, rule, &mut found.findings),
            Check::WaitNotify => monitors::check(code, rule, &shared.callers, &mut found.findings),
            Check::NakedNotify => monitors::unchanged(code, rule, &mut found.findings),
            Check::UnusedField | Check::UnusedMethod => {}
            Check::InfiniteRecursion => {
                found.calls = recursion::calls(code);
                recursion::unchanged(code, rule, &mut found.findings);
            }
        }
    }
    found
}
