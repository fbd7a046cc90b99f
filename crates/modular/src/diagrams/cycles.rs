//! Which events can happen for ever, judged process by process.

use loris_base::{Budget, Exhausted};
use loris_solvers::mdd::Event;
use rustc_hash::FxHashMap;

/// What is left of events on cycles of states whose processes have certain values: on a cycle, every
/// process moves along a cycle of its own. Steps of a process that are on none are dropped, with them
/// events that cannot happen without them, until nothing changes. `values` lists the values of each
/// process in ascending order.
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

/// The strongly connected component of each state that has steps, by Tarjan's algorithm.
fn components(mut steps: Vec<(u32, u32)>) -> FxHashMap<u32, u32> {
    steps.sort_unstable();
    steps.dedup();
    let mut group_of: FxHashMap<u32, u32> = FxHashMap::default();
    let mut lowest: FxHashMap<u32, u32> = FxHashMap::default();
    let mut waiting: Vec<u32> = Vec::new();
    let mut groups = 0;
    for start in 0..steps.len() {
        let root = steps[start].0;
        if lowest.contains_key(&root) {
            continue;
        }
        // states on the path, their number, and the next step to look at
        let mut path: Vec<(u32, u32, usize)> = Vec::new();
        let enter =
            |state: u32, path: &mut Vec<_>, waiting: &mut Vec<u32>, lowest: &mut FxHashMap<u32, u32>| {
                let number = lowest.len() as u32;
                lowest.insert(state, number);
                waiting.push(state);
                path.push((state, number, steps.partition_point(|step| step.0 < state)));
            };
        enter(root, &mut path, &mut waiting, &mut lowest);
        while let Some((state, number, next)) = path.pop() {
            if next < steps.len() && steps[next].0 == state {
                path.push((state, number, next + 1));
                let to = steps[next].1;
                match lowest.get(&to).copied() {
                    None => enter(to, &mut path, &mut waiting, &mut lowest),
                    Some(low) if !group_of.contains_key(&to) => lower(&mut lowest, state, low),
                    Some(_) => {}
                }
                continue;
            }
            let low = lowest[&state];
            if low == number {
                while let Some(member) = waiting.pop() {
                    group_of.insert(member, groups);
                    if member == state {
                        break;
                    }
                }
                groups += 1;
            }
            if let Some(&(parent, ..)) = path.last() {
                lower(&mut lowest, parent, low);
            }
        }
    }
    group_of
}

fn lower(lowest: &mut FxHashMap<u32, u32>, state: u32, low: u32) {
    if let Some(own) = lowest.get_mut(&state) {
        *own = low.min(*own);
    }
}

#[cfg(test)]
mod tests {
    use super::{components, on_cycles};
    use loris_base::{Budget, Rng};
    use loris_solvers::mdd::Event;

    #[test]
    fn components_are_mutual_reachability() {
        for seed in 0..500 {
            let mut rng = Rng::new(seed);
            let size = 1 + rng.below(7);
            let steps: Vec<(u32, u32)> =
                (0..rng.below(12)).map(|_| (rng.below(size) as u32, rng.below(size) as u32)).collect();
            let groups = components(steps.clone());
            let mut reach = vec![vec![false; size]; size];
            (0..size).for_each(|state| reach[state][state] = true);
            for _ in 0..size {
                for &(from, to) in &steps {
                    for row in &mut reach {
                        row[to as usize] |= row[from as usize];
                    }
                }
            }
            for &(a, b) in &steps {
                let mutual = reach[b as usize][a as usize];
                assert_eq!(groups[&a] == groups[&b], mutual, "{a} and {b} in {steps:?}");
            }
        }
    }

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
