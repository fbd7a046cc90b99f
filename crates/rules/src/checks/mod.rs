//! Checks that are built in: each decides one rule from the bytecode.

mod dead_store;
mod endless_loop;
mod method;
mod monitors;
mod recursion;
mod unused;

use crate::{Context, Finding, Rule};
use loris_base::{Budget, Exhausted};
use loris_java::MethodId;
use method::Code;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

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

/// Methods that a thread looks at between two looks at the budget.
const ROUND: usize = 4096;

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
    let mut calls = FxHashMap::default();
    let methods: Vec<_> = context
        .reported()
        .flat_map(|class| context.program.methods_of(class))
        .filter(|&method| context.program.method(method).code.is_some())
        .collect();
    for round in methods.chunks(ROUND) {
        let sizes = round.iter().filter_map(|&method| context.program.method(method).code.as_ref());
        budget.spend(sizes.map(loris_java::class::Code::len).sum())?;
        let found: Vec<Found> = round.par_iter().map(|&method| look(context, checks, method)).collect();
        for found in found {
            findings.extend(found.findings);
            calls.extend(found.calls);
        }
    }
    let counts_uses = |check: Check| matches!(check, Check::UnusedField | Check::UnusedMethod);
    let needs_uses = checks.iter().any(|(_, check)| counts_uses(*check));
    let uses = needs_uses.then(|| unused::Uses::new(context, budget)).transpose()?;
    for (rule, check) in checks {
        match (check, &uses) {
            (Check::InfiniteRecursion, _) => recursion::endless(context, rule, &calls, &mut findings),
            (Check::UnusedField, Some(uses)) => unused::fields(context, rule, uses, &mut findings, budget)?,
            (Check::UnusedMethod, Some(uses)) => unused::methods(context, rule, uses, &mut findings),
            _ => {}
        }
    }
    Ok(findings)
}

/// What a look at one method yields.
#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    calls: Option<(MethodId, recursion::Calls)>,
}

fn look(context: &Context<'_>, checks: &[(&Rule, Check)], method: MethodId) -> Found {
    let mut found = Found::default();
    let Ok(Some(body)) = context.program.body(method) else { return found };
    let code = Code::new(context, method, body);
    for (rule, check) in checks {
        match check {
            Check::DeadStore => dead_store::check(&code, rule, &mut found.findings),
            Check::InfiniteLoop => endless_loop::check(&code, rule, &mut found.findings),
            Check::WaitNotify => monitors::check(&code, rule, &mut found.findings),
            Check::NakedNotify => monitors::unchanged(&code, rule, &mut found.findings),
            Check::UnusedField | Check::UnusedMethod => {}
            Check::InfiniteRecursion => {
                found.calls = recursion::calls(&code).map(|calls| (method, calls));
                recursion::unchanged(&code, rule, &mut found.findings);
            }
        }
    }
    found
}
