//! Locks of the whole program: those that are released and never acquired, and pairs that are
//! acquired in both orders.
//!
//! One pass over all code collects for each method what it does to locks that have a name: final
//! fields of `this`, static ones, `this` itself and classes. The locks held at an instruction are
//! those acquired on the way and not released; the first path to it stands for all. A call of a
//! method that is certain acquires what that method acquires. Linear in the code, times the locks
//! held at once.

mod actions;
mod crossed;
mod entry;
mod guarded;
mod held;

pub(super) use guarded::unguarded;

use super::Bounds;
use crate::context::ProgramContext;
use actions::{Actions, Lock, What, of_class};
use entry::{PrivateCall, held_at_entry};
use loris_base::{Budget, Exhausted};
use loris_findings::{Finding, RuleInfo};
use loris_java::{ClassId, ClassOrigin, MethodId};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Classes that are looked at between two looks at the budget.
const ROUND: usize = 512;

/// Calls are followed this deep for the locks that they acquire.
const DEPTH: usize = 3;

/// Where a lock is acquired, and what is held there.
type Place = (MethodId, u16, Vec<Lock>);

/// What all methods do to locks.
pub(super) struct Locks(BTreeMap<MethodId, Actions>);

impl Locks {
    pub(super) fn new(context: &ProgramContext<'_>, budget: &mut Budget) -> Result<Self, Exhausted> {
        let program = context.program;
        let classes: Vec<ClassId> =
            program.classes().filter(|&class| program.origin(class) != ClassOrigin::Platform).collect();
        let mut all = BTreeMap::new();
        for round in classes.chunks(ROUND) {
            budget.spend(round.iter().map(|&class| program.class(class).size() / 8).sum())?;
            let found: Vec<Vec<(MethodId, Actions)>> =
                round.par_iter().map(|&class| of_class(context, class)).collect();
            all.extend(found.into_iter().flatten());
        }
        Ok(Self(all))
    }

    /// Reports locks that are released and never acquired.
    pub(super) fn never_acquired(
        &self,
        context: &ProgramContext<'_>,
        rule: &RuleInfo,
        bounds: &Bounds,
        findings: &mut Vec<Finding>,
    ) {
        let acquired: FxHashSet<Lock> =
            self.0.values().flat_map(|actions| &actions.acquired).copied().collect();
        for (&method, actions) in &self.0 {
            if !is_judged(context, bounds, method) {
                continue;
            }
            for (ordinal, &(lock, at)) in actions.released.iter().enumerate() {
                if acquired.contains(&lock) {
                    continue;
                }
                let message = format!("{} is released here, and nothing acquires it", name(context, lock));
                findings.push(context.finding(rule, method, at, message).numbered(ordinal as u32));
            }
        }
    }

    /// Reports pairs of locks that are acquired in both orders, once for each pair.
    pub(super) fn orders(
        &self,
        context: &ProgramContext<'_>,
        rule: &RuleInfo,
        bounds: &Bounds,
        findings: &mut Vec<Finding>,
    ) {
        let mut pairs: BTreeMap<(Lock, Lock), Vec<Place>> = BTreeMap::new();
        let program = context.program;
        let calls: Vec<&PrivateCall> = self.0.values().flat_map(|actions| &actions.calls).collect();
        let at_entry =
            held_at_entry(&calls, |method| &program.names[program.method(method).name] == "<init>");
        let nothing = BTreeSet::new();
        for (&method, actions) in &self.0 {
            let before = at_entry.get(&method).unwrap_or(&nothing);
            for step in actions.steps.iter().filter(|step| !step.held.is_empty()) {
                let acquired = match step.what {
                    What::Acquire(lock) => vec![lock],
                    What::Call(callee) => self.acquired_by(callee),
                };
                let held: Vec<Lock> = step.held.iter().chain(before).copied().collect();
                for lock in acquired.into_iter().filter(|lock| !held.contains(lock)) {
                    for &first in &step.held {
                        let known = pairs.entry((first, lock)).or_default();
                        known.push((method, step.at, held.clone()));
                    }
                }
            }
        }
        let mut ordinals: BTreeMap<MethodId, u32> = BTreeMap::new();
        for (&(first, second), places) in pairs.iter().filter(|((first, second), _)| first < second) {
            let Some(others) = pairs.get(&(second, first)) else { continue };
            // a lock that is held around both keeps them apart
            let apart = |one: &[Lock], other: &[Lock]| {
                one.iter().any(|lock| ![first, second].contains(lock) && other.contains(lock))
            };
            let both = places.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
            let mut meet = both.filter(|(one, other)| !apart(&one.2, &other.2));
            let found = meet.find_map(|(one, other)| {
                let (early, late) = if one.0 < other.0 { (one, other) } else { (other, one) };
                is_judged(context, bounds, late.0).then_some((early, late, late.0 == one.0))
            });
            let Some((early, late, is_first)) = found else { continue };
            let (held, taken) = if is_first { (first, second) } else { (second, first) };
            let other = program.method(early.0);
            let message = format!(
                "{} is acquired while {} is held, and {}.{}() acquires them the other way round",
                name(context, taken),
                name(context, held),
                program.class_name(program.owner(early.0)),
                &program.names[other.name],
            );
            let ordinal = ordinals.entry(late.0).or_default();
            findings.push(context.finding(rule, late.0, late.1, message).numbered(*ordinal));
            *ordinal += 1;
        }
    }

    /// Reports methods that hold their object and acquire the monitor of another one, where callers
    /// hand over the same two objects both ways.
    pub(super) fn crossed(
        &self,
        context: &ProgramContext<'_>,
        rule: &RuleInfo,
        bounds: &Bounds,
        findings: &mut Vec<Finding>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let program = context.program;
        let named = |method: MethodId| {
            let name = &program.names[program.method(method).name];
            format!("{}.{name}()", program.class_name(program.owner(method)))
        };
        for (method, crossing, [one, other]) in crossed::crossed(context, &self.0, budget)? {
            if !is_judged(context, bounds, method) {
                continue;
            }
            let calls = if one == other {
                format!("{} calls the method", named(one))
            } else {
                format!("{} and {} call the method", named(one), named(other))
            };
            let message = format!(
                "the monitor of an argument is acquired while that of this {} is held, and {calls} with the \
                 same two objects both ways",
                program.class_name(program.owner(method)),
            );
            // behind those of pairs of locks
            let ordinal =
                findings.iter().filter(|it| it.rule == rule.id && is_of(program, it, method)).count();
            let finding = context.finding(rule, method, crossing.at, message);
            findings.push(finding.numbered(ordinal as u32));
        }
        Ok(())
    }

    /// The locks that a method acquires, itself or by what it calls.
    fn acquired_by(&self, method: MethodId) -> Vec<Lock> {
        let (mut locks, mut met) = (Vec::new(), vec![(method, 0)]);
        let mut done = 0;
        while let Some(&(method, depth)) = met.get(done) {
            done += 1;
            for step in self.0.get(&method).into_iter().flat_map(|actions| &actions.steps) {
                match step.what {
                    What::Acquire(lock) if !locks.contains(&lock) => locks.push(lock),
                    What::Call(callee) if depth < DEPTH && !met.iter().any(|it| it.0 == callee) => {
                        met.push((callee, depth + 1));
                    }
                    _ => {}
                }
            }
        }
        locks
    }
}

fn is_judged(context: &ProgramContext<'_>, bounds: &Bounds, method: MethodId) -> bool {
    context.is_reported(context.program.owner(method)) && bounds.has_method(method)
}

/// Whether a finding is in a method.
fn is_of(program: &loris_java::Program, finding: &Finding, method: MethodId) -> bool {
    let (class, name, descriptor) = finding.method();
    let declared = program.method(method);
    class == program.class_name(program.owner(method))
        && name == &program.names[declared.name]
        && descriptor == &program.names[declared.descriptor]
}

/// A lock as people call it.
fn name(context: &ProgramContext<'_>, lock: Lock) -> String {
    let program = context.program;
    match lock {
        Lock::Field(_, field) => format!("the lock in `{}`", &program.names[field]),
        Lock::This(class) => format!("the monitor of this {}", program.class_name(class)),
        Lock::Class(class) => format!("the monitor of the class {}", &program.names[class].replace('/', ".")),
    }
}
