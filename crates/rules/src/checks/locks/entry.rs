//! Which locks are held whenever a private method is entered: those that each call of it holds, or
//! that are held whenever its caller is entered. Calls by constructors, and by what only these call,
//! do not count, as no other thread has the object yet.
//!
//! The greatest fixpoint over the calls of private methods; linear in these for each round, of which
//! there are as many as calls are deep.

use super::actions::Lock;
use loris_java::MethodId;
use std::collections::{BTreeMap, BTreeSet};

/// A call of a private method, and what its caller holds there.
pub(super) struct PrivateCall {
    /// `None`: from anywhere, by a method handle
    pub(super) caller: Option<MethodId>,
    pub(super) callee: MethodId,
    /// the instruction
    pub(super) number: usize,
    pub(super) held: Vec<Lock>,
}

/// The locks that are held whenever a method is entered, for private methods that something calls.
pub(super) fn held_at_entry(
    calls: &[&PrivateCall],
    is_constructor: impl Fn(MethodId) -> bool,
) -> BTreeMap<MethodId, BTreeSet<Lock>> {
    let mut by_callee: BTreeMap<MethodId, Vec<&PrivateCall>> = BTreeMap::new();
    for &call in calls {
        by_callee.entry(call.callee).or_default().push(call);
    }
    // what only constructors reach
    let mut early: BTreeSet<MethodId> = BTreeSet::new();
    loop {
        let is_early = |method: Option<MethodId>| {
            method.is_some_and(|method| is_constructor(method) || early.contains(&method))
        };
        let found: Vec<MethodId> = by_callee
            .iter()
            .filter(|&(callee, calls)| !early.contains(callee) && calls.iter().all(|it| is_early(it.caller)))
            .map(|(&callee, _)| callee)
            .collect();
        if found.is_empty() {
            break;
        }
        early.extend(found);
    }
    let counted = |call: &&&PrivateCall| {
        call.caller.is_none_or(|caller| !is_constructor(caller) && !early.contains(&caller))
    };
    // no entry: all locks there are
    let mut held: BTreeMap<MethodId, BTreeSet<Lock>> = BTreeMap::new();
    loop {
        let mut is_changed = false;
        for (&callee, calls) in by_callee.iter().filter(|(callee, _)| !early.contains(callee)) {
            let at_calls = calls.iter().filter(counted).filter_map(|call| {
                let mut at_call: BTreeSet<Lock> = call.held.iter().copied().collect();
                if let Some(caller) = call.caller.filter(|caller| by_callee.contains_key(caller)) {
                    at_call.extend(held.get(&caller)?);
                }
                Some(at_call)
            });
            let Some(at_all) = at_calls.reduce(|one, other| &one & &other) else { continue };
            is_changed |= held.get(&callee) != Some(&at_all);
            held.insert(callee, at_all);
        }
        if !is_changed {
            return held;
        }
    }
}
