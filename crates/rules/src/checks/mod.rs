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

/// Runs checks, each for the rule that names it. Findings of a check that a limit ended are kept.
///
/// The second list has the checks that were not decided, by their places in the list, and why.
pub fn run(
    context: &Context<'_>,
    checks: &[(&Rule, Check)],
    budget: &mut Budget,
) -> (Vec<Finding>, Vec<(usize, Exhausted)>) {
    let (mut findings, mut undecided) = (Vec::new(), Vec::new());
    if checks.is_empty() {
        return (findings, undecided);
    }
    let mut calls = FxHashMap::default();
    match look_at_methods(context, checks, &mut findings, &mut calls, budget) {
        Ok(bounds) => {
            let mut whole = Whole { context, calls, bounds, uses: None };
            for (number, (rule, check)) in checks.iter().enumerate() {
                let decided = whole.decide(rule, *check, &mut findings, budget);
                undecided.extend(decided.err().map(|why| (number, why)));
            }
        }
        Err(why) => undecided.extend((0..checks.len()).map(|number| (number, why))),
    }
    // compilers copy code, as that of `finally`
    let mut seen = FxHashSet::default();
    findings.retain(|finding| finding.line.is_none() || seen.insert(place(finding)));
    (findings, undecided)
}

/// Looks at each method by itself; the calls of each are for checks of the whole program.
fn look_at_methods(
    context: &Context<'_>,
    checks: &[(&Rule, Check)],
    findings: &mut Vec<Finding>,
    calls: &mut FxHashMap<MethodId, recursion::Calls>,
    budget: &mut Budget,
) -> Result<Bounds, Exhausted> {
    let program = context.program;
    let bounds = Bounds::new(context, budget)?;
    let methods: Vec<_> = context
        .reported()
        .flat_map(|class| program.methods_of(class))
        .filter(|&method| program.method(method).code.is_some() && bounds.has_method(method))
        .collect();
    let mut shared =
        Shared { unread: dead_store::Unread::default(), callers: monitors::Callers::new(context) };
    if checks.iter().any(|(_, check)| *check == Check::DeadStore) {
        let look = |code: &Code<'_>| dead_store::unread(code);
        for_methods(context, &methods, budget, &look, |method, slots| {
            if slots != 0 {
                shared.unread.insert(program.method(method).name, method, slots);
            }
        })?;
    }
    for_methods(
        context,
        &methods,
        budget,
        &|code: &Code<'_>| look(code, checks, &shared),
        |method, found| {
            findings.extend(found.findings);
            calls.extend(found.calls.map(|calls| (method, calls)));
        },
    )?;
    Ok(bounds)
}

/// What checks of the whole program look at.
struct Whole<'p> {
    context: &'p Context<'p>,
    calls: FxHashMap<MethodId, recursion::Calls>,
    bounds: Bounds,
    /// Found when it is asked for.
    uses: Option<unused::Uses<'p>>,
}

impl Whole<'_> {
    /// Decides what one method does not decide.
    fn decide(
        &mut self,
        rule: &Rule,
        check: Check,
        findings: &mut Vec<Finding>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let Self { context, calls, bounds, uses } = self;
        match check {
            Check::InfiniteRecursion => recursion::endless(context, rule, calls, findings, budget),
            Check::UnusedField | Check::UnusedMethod => {
                let known = match uses.take() {
                    Some(known) => known,
                    None => unused::Uses::new(context, budget)?,
                };
                let uses = uses.insert(known);
                if check == Check::UnusedField {
                    return unused::fields(context, rule, (uses, bounds), findings, budget);
                }
                unused::methods(context, rule, (uses, bounds), findings);
                Ok(())
            }
            Check::DeadStore | Check::InfiniteLoop | Check::WaitNotify | Check::NakedNotify => Ok(()),
        }
    }
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
    mut take: impl FnMut(MethodId, T),
) -> Result<(), Exhausted> {
    let program = context.program;
    context.expect("methods", methods.len());
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
        budget.charge(held).inspect_err(|_| budget.release(held))?;
        let results: Vec<Option<(MethodId, T)>> = round
            .par_iter()
            .map(|&method| {
                let body = program.body(method).ok().flatten()?;
                Some((method, look(&Code::new(context, method, body))))
            })
            .collect();
        budget.release(held);
        context.advance(round.len());
        results.into_iter().flatten().for_each(|(method, found)| take(method, found));
    }
    Ok(())
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
