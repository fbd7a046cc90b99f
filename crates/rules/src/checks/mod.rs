//! Checks that are built in: each decides one rule from the bytecode.

mod dead_store;
mod endless_loop;
mod generated;
mod locks;
mod method;
mod monitors;
mod recursion;
mod unused;

use crate::context::ProgramContext;
use loris_base::{Budget, Exhausted};
use loris_findings::{Finding, RuleInfo};
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
    /// A lock is released that nothing acquires.
    LockNeverAcquired,
    /// Two locks are acquired in both orders.
    LockOrder,
    /// A field is used without the lock that an annotation names.
    GuardedField,
}

impl Check {
    /// All checks.
    pub const ALL: [Check; 10] = [
        Check::DeadStore,
        Check::InfiniteRecursion,
        Check::InfiniteLoop,
        Check::WaitNotify,
        Check::NakedNotify,
        Check::UnusedField,
        Check::UnusedMethod,
        Check::LockNeverAcquired,
        Check::LockOrder,
        Check::GuardedField,
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
            Check::LockNeverAcquired => "lock-never-acquired",
            Check::LockOrder => "lock-order",
            Check::GuardedField => "guarded-field",
        }
    }

    /// Whether it looks at each method by itself, at first at least.
    fn looks_at_methods(self) -> bool {
        !matches!(
            self,
            Check::UnusedField
                | Check::UnusedMethod
                | Check::LockNeverAcquired
                | Check::LockOrder
                | Check::GuardedField
        )
    }

    /// The check with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }
}

/// Bytes of code that are looked at between two looks at the budget.
const ROUND: usize = 1 << 20;

/// What checks found.
#[derive(Debug, Default)]
pub struct Checked {
    /// The findings, those of checks that a limit ended included.
    pub findings: Vec<Finding>,
    /// Checks, by their places in the list, that did not look at a method, and why.
    pub left: Vec<(usize, MethodId, Exhausted)>,
    /// Checks that are not decided for the whole program, and why.
    pub stopped: Vec<(usize, Exhausted)>,
}

/// Runs checks, each for the rule that names it.
pub fn run(context: &ProgramContext<'_>, checks: &[(&RuleInfo, Check)], budget: &mut Budget) -> Checked {
    let mut done = Checked::default();
    if checks.is_empty() {
        return done;
    }
    let (mut calls, mut left, held) = (FxHashMap::default(), Vec::new(), budget.used());
    match look_at_methods(context, checks, (&mut done.findings, &mut calls, &mut left), budget) {
        Ok(bounds) => {
            let mut whole = Whole { context, calls, bounds, uses: None, locks: None };
            for (number, (rule, check)) in checks.iter().enumerate() {
                if check.looks_at_methods() {
                    done.left.extend(left.iter().map(|&(method, why)| (number, method, why)));
                }
                // whether a recursion ends is known only if all methods are
                if *check == Check::InfiniteRecursion && !left.is_empty() {
                    continue;
                }
                let decided = whole.decide(rule, *check, &mut done.findings, budget);
                done.stopped.extend(decided.err().map(|why| (number, why)));
            }
        }
        Err(why) => done.stopped.extend((0..checks.len()).map(|number| (number, why))),
    }
    budget.release(budget.used().saturating_sub(held));
    done.findings = generated::doubted(context.program, done.findings);
    // compilers copy code, as that of `finally`
    let mut seen = FxHashSet::default();
    done.findings.retain(|finding| finding.line().is_none() || seen.insert(place(finding)));
    done
}

/// Methods that were not looked at, and why.
type Left = Vec<(MethodId, Exhausted)>;

/// Looks at each method by itself; the calls of each are for checks of the whole program.
fn look_at_methods(
    context: &ProgramContext<'_>,
    checks: &[(&RuleInfo, Check)],
    (findings, calls, left): (&mut Vec<Finding>, &mut FxHashMap<MethodId, recursion::Calls>, &mut Left),
    budget: &mut Budget,
) -> Result<Bounds, Exhausted> {
    let program = context.program;
    let bounds = Bounds::new(context, budget)?;
    let methods: Vec<_> = context
        .reported()
        .flat_map(|class| program.methods_of(class))
        .filter(|&method| program.method(method).code.is_some() && bounds.has_method(method))
        .collect();
    if !checks.iter().any(|(_, check)| check.looks_at_methods()) {
        return Ok(bounds);
    }
    let mut shared =
        Shared { unread: dead_store::Unread::default(), callers: monitors::Callers::new(context, budget) };
    if checks.iter().any(|(_, check)| *check == Check::DeadStore) {
        let look = |code: &Code<'_>| dead_store::unread(code);
        // nothing is known of parameters of methods that are left
        for_methods(context, &methods, budget, &look, |method, slots| {
            // what uses them may be behind a switch that is off
            if slots != 0 && !unused::has_switch_off(program, program.owner(method)) {
                shared.unread.insert(program.method(method).name, method, slots);
            }
        });
    }
    *left = for_methods(
        context,
        &methods,
        budget,
        &|code: &Code<'_>| look(code, checks, &shared),
        |method, found| {
            findings.extend(found.findings);
            calls.extend(found.calls.map(|calls| (method, calls)));
        },
    );
    Ok(bounds)
}

/// What checks of the whole program look at.
struct Whole<'p> {
    context: &'p ProgramContext<'p>,
    calls: FxHashMap<MethodId, recursion::Calls>,
    bounds: Bounds,
    /// Found when it is asked for.
    uses: Option<unused::Uses<'p>>,
    /// The same.
    locks: Option<locks::Locks>,
}

impl Whole<'_> {
    /// Decides what one method does not decide.
    fn decide(
        &mut self,
        rule: &RuleInfo,
        check: Check,
        findings: &mut Vec<Finding>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let Self { context, calls, bounds, uses, locks } = self;
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
            Check::LockNeverAcquired | Check::LockOrder => {
                let known = match locks.take() {
                    Some(known) => known,
                    None => locks::Locks::new(context, budget)?,
                };
                let locks = locks.insert(known);
                if check == Check::LockOrder {
                    locks.orders(context, rule, bounds, findings);
                    locks.crossed(context, rule, bounds, findings, budget)?;
                } else {
                    locks.never_acquired(context, rule, bounds, findings);
                }
                Ok(())
            }
            Check::GuardedField => locks::unguarded(context, rule, bounds, findings, budget),
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
    fn new(context: &ProgramContext<'_>, budget: &mut Budget) -> Result<Self, Exhausted> {
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
    let (class, method, descriptor) = finding.method();
    let field = finding.declaration.as_ref().and_then(|it| it.field.clone());
    let method = format!("{class}.{method}{descriptor}");
    (finding.rule.clone(), method, finding.line(), field, finding.message.clone())
}

/// Looks at methods, several at a time, in rounds. Returns those that a limit kept it from.
fn for_methods<'p, T: Send>(
    context: &'p ProgramContext<'p>,
    methods: &[MethodId],
    budget: &mut Budget,
    look: &(dyn Fn(&Code<'p>) -> T + Sync),
    mut take: impl FnMut(MethodId, T),
) -> Left {
    let program = context.program;
    context.expect("methods", methods.len());
    let (mut rest, mut left) = (methods, Left::new());
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
        if let Err(why) = budget.spend(size).and_then(|()| budget.look()) {
            left.extend(round.iter().chain(rest).map(|&method| (method, why)));
            return left;
        }
        let watch = &*budget;
        let one = |&method: &MethodId, part: &mut Budget| {
            let code = program.method(method).code.as_ref();
            part.look().and_then(|()| part.charge(code.map_or(0, Code::size)))?;
            let body = program.body(method).ok().flatten();
            let found = body.map(|body| look(&Code::new(context, method, body)));
            // a look that a limit cut short is none
            part.look()?;
            Ok(found)
        };
        // methods that are too large together are looked at one after the other
        let together = watch.part().charge(largest * rayon::current_num_threads()).is_ok();
        let results: Vec<Result<Option<T>, Exhausted>> = if together {
            round.par_iter().map(|method| one(method, &mut watch.part())).collect()
        } else {
            round.iter().map(|method| one(method, &mut watch.part())).collect()
        };
        context.advance(round.len());
        for (&method, result) in round.iter().zip(results) {
            match result {
                Ok(found) => found.into_iter().for_each(|found| take(method, found)),
                Err(why) => left.push((method, why)),
            }
        }
    }
    left
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

fn look(code: &Code<'_>, checks: &[(&RuleInfo, Check)], shared: &Shared<'_>) -> Found {
    let mut found = Found::default();
    for (rule, check) in checks {
        match check {
            Check::DeadStore => dead_store::check(code, rule, &shared.unread, &mut found.findings),
            Check::InfiniteLoop => endless_loop::check(code, rule, &mut found.findings),
            Check::WaitNotify => monitors::check(code, rule, &shared.callers, &mut found.findings),
            Check::NakedNotify => monitors::unchanged(code, rule, &mut found.findings),
            Check::UnusedField
            | Check::UnusedMethod
            | Check::LockNeverAcquired
            | Check::LockOrder
            | Check::GuardedField => {}
            Check::InfiniteRecursion => {
                found.calls = recursion::calls(code);
                recursion::unchanged(code, rule, &mut found.findings);
            }
        }
    }
    found
}
