//! Which locks are held whenever a private method is entered: those that each call of it holds, or
//! that are held whenever its caller is entered. Calls by constructors, and by what only these
//! call, do not count, as no other thread has the object yet.
//!
//! The greatest fixpoint over the calls of private methods; linear in these for each round, of
//! which there are as many as calls are deep.

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

#[cfg(test)]
mod tests {
    use super::{Lock, PrivateCall, held_at_entry};
    use loris_base::{Idx, Rng};
    use loris_java::{ClassId, MethodId};
    use std::collections::{BTreeMap, BTreeSet};

    /// What is held on each way from the last method of one to others; ways that meet a method
    /// twice hold no less.
    fn ways(
        calls: &[PrivateCall],
        way: &mut Vec<MethodId>,
        held: &BTreeSet<Lock>,
        found: &mut Vec<(MethodId, BTreeSet<Lock>)>,
    ) {
        let last = way.last().copied();
        for call in calls.iter().filter(|call| call.caller == last) {
            if way.contains(&call.callee) {
                continue;
            }
            let held: BTreeSet<Lock> = held.iter().chain(&call.held).copied().collect();
            way.push(call.callee);
            found.push((call.callee, held.clone()));
            ways(calls, way, &held, found);
            way.pop();
        }
    }

    /// Methods 0 to 3 are private, 4 and 5 are not, and 6 is a constructor.
    #[test]
    fn what_is_held_at_entry_is_what_all_ways_hold() {
        let mut rng = Rng::new(8);
        let mut sizes = BTreeSet::new();
        for _ in 0..loris_testing::cases(3000) {
            let mut calls = Vec::new();
            for number in 0..rng.below(10) {
                let lock = |number| Lock::This(ClassId::new(number));
                let held = (0..3).filter(|_| rng.below(2) == 0).map(lock).collect();
                let caller = rng.below(8);
                let caller = (caller < 7).then(|| MethodId::new(caller));
                calls.push(PrivateCall { caller, callee: MethodId::new(rng.below(4)), number, held });
            }
            let quick = held_at_entry(&calls.iter().collect::<Vec<_>>(), |method| method.index() == 6);
            let mut found = Vec::new();
            for root in [4, 5] {
                ways(&calls, &mut vec![MethodId::new(root)], &BTreeSet::new(), &mut found);
            }
            ways(&calls, &mut Vec::new(), &BTreeSet::new(), &mut found);
            // who is called by nobody may be called by reflection, with nothing
            for method in (0..4).map(MethodId::new) {
                if !calls.iter().any(|call| call.callee == method) {
                    ways(&calls, &mut vec![method], &BTreeSet::new(), &mut found);
                }
            }
            let mut slow: BTreeMap<MethodId, BTreeSet<Lock>> = BTreeMap::new();
            for (method, held) in found {
                let known = slow.entry(method).or_insert_with(|| held.clone());
                *known = &*known & &held;
            }
            assert_eq!(
                quick,
                slow,
                "{:?}",
                calls.iter().map(|it| (it.caller, it.callee)).collect::<Vec<_>>()
            );
            sizes.extend(slow.values().map(BTreeSet::len));
        }
        assert_eq!(sizes.len(), 4, "{sizes:?}");
    }
}
