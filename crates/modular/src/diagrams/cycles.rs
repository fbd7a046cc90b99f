//! Which events can happen for ever, judged process by process.

use loris_base::{Budget, Csr, Exhausted, strong_components};
use loris_solvers::mdd::Event;
use rustc_hash::FxHashMap;

/// What is left of events on cycles of states whose processes have certain values: on a cycle,
/// every process moves along a cycle of its own. Steps of a process that are on none are dropped,
/// with them events that cannot happen without them, until nothing changes. `values` lists the
/// values of each process in ascending order.
pub(super) fn on_cycles(
    mut events: Vec<Event>,
    values: &[Vec<u32>],
    budget: &mut Budget,
) -> Result<Vec<Event>, Exhausted> {
    retain(&mut events, |process, (from, to)| {
        let values = &values[process as usize];
        values.binary_search(&from).is_ok() && values.binary_search(&to).is_ok()
    });
    loop {
        let size: usize = events.iter().flat_map(|event| &event.locals).map(|(_, pairs)| pairs.len()).sum();
        budget.spend(4 * size + 1)?;
        let mut steps: Vec<Vec<(u32, u32)>> = vec![Vec::new(); values.len()];
        for (process, pairs) in events.iter().flat_map(|event| &event.locals) {
            steps[*process as usize].extend_from_slice(pairs);
        }
        let groups: Vec<FxHashMap<u32, u32>> = steps.into_iter().map(components).collect();
        retain(&mut events, |process, (from, to)| {
            let groups = &groups[process as usize];
            groups.get(&from) == groups.get(&to)
        });
        let left: usize = events.iter().flat_map(|event| &event.locals).map(|(_, pairs)| pairs.len()).sum();
        if left == size {
            return Ok(events);
        }
    }
}

/// Drops steps of processes, and events in which a process has none left.
fn retain(events: &mut Vec<Event>, keeps: impl Fn(u32, (u32, u32)) -> bool) {
    for event in &mut *events {
        for (process, pairs) in &mut event.locals {
            pairs.retain(|&pair| keeps(*process, pair));
        }
    }
    events.retain(|event| event.locals.iter().all(|(_, pairs)| !pairs.is_empty()));
}

/// The strongly connected component of each state that has steps.
fn components(mut steps: Vec<(u32, u32)>) -> FxHashMap<u32, u32> {
    steps.sort_unstable();
    steps.dedup();
    let mut states: Vec<u32> = steps.iter().flat_map(|&(from, to)| [from, to]).collect();
    states.sort_unstable();
    states.dedup();
    let place = |state: u32| states.partition_point(|&other| other < state) as u32;
    let graph = Csr::from_pairs(states.len(), steps.iter().map(|&(from, to)| (place(from), place(to))));
    strong_components(&graph).pairs().map(|(group, node)| (states[node as usize], group)).collect()
}

#[cfg(test)]
mod tests {
    use super::on_cycles;
    use loris_base::Budget;
    use loris_solvers::mdd::Event;

    type Local<'a> = (u32, &'a [(u32, u32)]);

    /// What is left of events, by the number of pairs on each process.
    fn check(events: &[&[Local<'_>]], values: &[&[u32]], expected: &[&[usize]]) {
        let events = events.iter().map(|locals| Event {
            locals: locals.iter().map(|(process, pairs)| (*process, pairs.to_vec())).collect(),
        });
        let values: Vec<Vec<u32>> = values.iter().map(|values| values.to_vec()).collect();
        let left = on_cycles(events.collect(), &values, &mut Budget::unlimited()).unwrap();
        let counts: Vec<Vec<usize>> =
            left.iter().map(|event| event.locals.iter().map(|(_, pairs)| pairs.len()).collect()).collect();
        assert_eq!(counts, expected);
    }

    #[test]
    fn events_on_cycles_stay() {
        let all: &[u32] = &[0, 1, 2];
        // a counter that stops
        check(&[&[(0, &[(0, 1), (1, 2)])]], &[all], &[]);
        // one that goes on, with a way out
        check(&[&[(0, &[(0, 1), (1, 0), (1, 2)])]], &[all], &[&[2]]);
        // not without the value 1
        check(&[&[(0, &[(0, 1), (1, 0), (1, 2)])]], &[&[0, 2]], &[]);
        // a loop that needs another process, which stops
        check(&[&[(0, &[(0, 1)])], &[(0, &[(1, 0)]), (1, &[(0, 1)])]], &[all, all], &[]);
    }
}
