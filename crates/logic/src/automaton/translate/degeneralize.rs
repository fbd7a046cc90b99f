//! From many promises on transitions to one set of accepting states.
//!
//! The usual counter: a state carries how many promises, in some order, were seen kept since it was
//! full last; full is accepting. A run stays in one strongly connected component in the end, so
//! each component counts only the promises made in it, from the step that enters it on: none where
//! a promise is made by all transitions inside, for nothing is accepted there.
//!
//! At most one more copy of each state than there are promises in its component.

use super::generalized::{Generalized, Transition};
use super::graph::{Arc, COMPONENT, Graph};
use super::sets::{Set, bytes, contains, union};
use crate::ltl::LtlId;
use loris_base::{Budget, Exhausted, strong_components_within};
use rustc_hash::FxHashMap;

pub(super) fn degeneralize(automaton: &Generalized, budget: &mut Budget) -> Result<Graph, Exhausted> {
    let rows = &automaton.rows;
    let edges: usize = rows.iter().map(Vec::len).sum();
    // components; and per component, its edges
    let budget = &mut budget.holding(COMPONENT * rows.len() + size_of::<&Transition>() * 2 * edges)?;
    let edge = |state: u32, done: usize| rows[state as usize].get(done).map(|edge| edge.to);
    let components = strong_components_within(rows.len(), edge, budget)?;
    let component = components.row_of_each(rows.len());
    let counters = counters(rows, &component, components.rows(), budget)?;

    let mut graph = Graph::default();
    let mut copies: FxHashMap<(u32, usize), u32> = FxHashMap::default();
    let mut work: Vec<(u32, usize)> = Vec::new();
    let mut copy = |state: u32, level: usize, graph: &mut Graph, work: &mut Vec<(u32, usize)>| {
        *copies.entry((state, level)).or_insert_with(|| {
            let full = counters[component[state as usize] as usize].as_ref().map(|all| all.len() == level);
            work.push((state, level));
            graph.accepting.push(full.unwrap_or(false));
            graph.arcs.push(Vec::new());
            graph.arcs.len() as u32 - 1
        })
    };
    graph.initial = vec![copy(automaton.initial, 0, &mut graph, &mut work)];
    let (mut done, mut listed) = (0, 0);
    while let Some(&(state, level)) = work.get(done) {
        for edge in &rows[state as usize] {
            budget.spend(1)?;
            budget.charge(2 * size_of::<Arc>() + bytes(&edge.cube))?;
            let inside = component[state as usize] == component[edge.to as usize];
            let level = match &counters[component[edge.to as usize] as usize] {
                Some(all) => advanced(all, if inside { level } else { 0 }, edge),
                None => 0,
            };
            let to = copy(edge.to, level, &mut graph, &mut work);
            graph.arcs[done].push(Arc { cube: edge.cube.clone(), to });
        }
        done += 1;
        budget.grow(&mut listed, COPY * graph.len())?;
    }
    Ok(graph)
}

/// Bytes of a copy of a state: its row, and its places in lists and in a table that is at least
/// half full.
const COPY: usize = size_of::<Vec<Arc>>() + 1 + size_of::<(u32, usize)>() + 2 * 25;

/// The sets each component counts; none, if no run that stays in it is accepting.
fn counters(
    rows: &[Vec<Transition>],
    component: &[u32],
    count: usize,
    budget: &mut Budget,
) -> Result<Vec<Option<Set<LtlId>>>, Exhausted> {
    let mut inside: Vec<Vec<&Transition>> = vec![Vec::new(); count];
    for (state, row) in rows.iter().enumerate() {
        let here = component[state];
        inside[here as usize].extend(row.iter().filter(|edge| component[edge.to as usize] == here));
    }
    let counter = |edges: Vec<&Transition>| {
        budget.spend(1 + 4 * edges.len())?;
        let mut made = Set::<LtlId>::default();
        for edge in edges.iter().filter(|edge| !edge.promises.is_empty()) {
            made = union(&made, &edge.promises);
        }
        let kept = |promise: &LtlId| edges.iter().any(|edge| !contains(&edge.promises, *promise));
        Ok((!edges.is_empty() && made.iter().all(kept)).then_some(made))
    };
    inside.into_iter().map(counter).collect()
}

/// The counter after a transition: past all promises in a row that it keeps.
fn advanced(all: &Set<LtlId>, level: usize, edge: &Transition) -> usize {
    let from = if level == all.len() { 0 } else { level };
    let kept = all[from..].iter().take_while(|&&promise| !contains(&edge.promises, promise));
    from + kept.count()
}
