//! Smaller Büchi automata for the same words.
//!
//! A state is *simulated* by another that can answer each of its steps, letter by letter, by a step
//! to a state that simulates the one reached, and that is accepting whenever it is (direct
//! simulation). States that simulate each other are merged, and a step is dropped if others of the
//! same state read its letters and lead to states that simulate its target: each run then has a
//! counterpart that accepts as often (Bustan and Grumberg, TOCL 2003). The graph is trimmed before
//! each round; rounds end when nothing gets smaller. Cubic in the states, so large graphs only have
//! their bisimilar states merged.

use super::graph::{Arc, Graph, tidy};
use super::sets::is_covered;
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// Whether the simulation, which compares all arcs with each other, is worth its time.
fn is_small(graph: &Graph) -> bool {
    graph.len() <= 1000 && size(graph).1 <= 4000
}

fn size(graph: &Graph) -> (usize, usize) {
    (graph.len(), graph.arcs.iter().map(Vec::len).sum())
}

pub(super) fn reduce(graph: &Graph, budget: &mut Budget) -> Result<Graph, Exhausted> {
    // the best so far, trimmed, its quotient and a table of rows, none of them larger than the
    // graph
    let budget = &mut budget.holding(4 * graph.bytes())?;
    let mut best = graph.trimmed(false, budget)?;
    loop {
        let before = size(&best);
        // either choice for states on no cycle may be the one that makes them equal to others
        for transient in [true, false] {
            best = round(&best.trimmed(transient, budget)?, budget)?.trimmed(false, budget)?;
        }
        if is_small(&best) {
            best = split_initial(&best).trimmed(false, budget)?;
        }
        if size(&best) >= before {
            return Ok(best);
        }
    }
}

fn round(graph: &Graph, budget: &mut Budget) -> Result<Graph, Exhausted> {
    let graph = bisimulation_quotient(graph, budget)?;
    if !is_small(&graph) {
        return Ok(graph);
    }
    let simulated = simulation(&graph, budget)?;
    let states = graph.len();
    let by = |a: u32, b: u32| simulated[a as usize * states + b as usize];
    // of states that simulate each other the first one stands for all
    let class = |state: u32| (0..=state).find(|&other| by(state, other) && by(other, state)).unwrap_or(state);
    let classes: Vec<u32> = (0..states as u32).map(class).collect();
    let mut merged = graph.clone();
    for row in &mut merged.arcs {
        for arc in row.iter_mut() {
            arc.to = classes[arc.to as usize];
        }
        let mut kept = tidy(std::mem::take(row), budget)?;
        let mut i = 0;
        while i < kept.len() {
            budget.spend(kept.len())?;
            let arc = kept.remove(i);
            let better = kept.iter().filter(|other| by(arc.to, other.to)).map(|other| &other.cube);
            if !is_covered(&arc.cube, &better) {
                kept.insert(i, arc);
                i += 1;
            }
        }
        *row = kept;
    }
    merged.initial.iter_mut().for_each(|state| *state = classes[*state as usize]);
    let mut initial: Vec<u32> = Vec::new();
    for &state in &merged.initial {
        if !initial.iter().any(|&other| by(state, other)) {
            initial.retain(|&other| !by(other, state));
            initial.push(state);
        }
    }
    merged.initial = initial;
    budget.release(states * states);
    Ok(merged)
}

/// Which states are simulated by which: bit `a * states + b` is set if b simulates a.
///
/// Invariant: whatever is simulated is marked. A pair is looked at again until nothing changes.
fn simulation(graph: &Graph, budget: &mut Budget) -> Result<Vec<bool>, Exhausted> {
    let states = graph.len();
    budget.charge(states * states)?;
    let mut simulated: Vec<bool> = (0..states * states)
        .map(|pair| !graph.accepting[pair / states] || graph.accepting[pair % states])
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for a in 0..states {
            for b in (0..states).filter(|&b| b != a) {
                if !simulated[a * states + b] {
                    continue;
                }
                budget.spend(1 + graph.arcs[a].len() * graph.arcs[b].len())?;
                let answered = |arc: &Arc| {
                    let answers = graph.arcs[b]
                        .iter()
                        .filter(|other| simulated[arc.to as usize * states + other.to as usize]);
                    is_covered(&arc.cube, &answers.map(|other| &other.cube))
                };
                if !graph.arcs[a].iter().all(answered) {
                    simulated[a * states + b] = false;
                    changed = true;
                }
            }
        }
    }
    Ok(simulated)
}

/// The graph with bisimilar states merged: the coarsest partition that rows respect.
fn bisimulation_quotient(graph: &Graph, budget: &mut Budget) -> Result<Graph, Exhausted> {
    let renamed = |row: &[Arc], class: &[u32], budget: &mut Budget| {
        let renamed = |arc: &Arc| Arc { to: class[arc.to as usize], cube: arc.cube.clone() };
        tidy(row.iter().map(renamed).collect(), budget)
    };
    let mut class: Vec<u32> = vec![0; graph.len()];
    let mut classes = 1;
    loop {
        let mut found: FxHashMap<(bool, Vec<Arc>), u32> = FxHashMap::default();
        let mut finer = Vec::with_capacity(class.len());
        for (row, &accepting) in graph.arcs.iter().zip(&graph.accepting) {
            budget.spend(1 + row.len())?;
            let next = found.len() as u32;
            let row = renamed(row, &class, budget)?;
            finer.push(*found.entry((accepting, row)).or_insert(next));
        }
        let count = found.len();
        class = finer;
        if count <= classes {
            break;
        }
        classes = count;
    }
    let initial = graph.initial.iter().map(|&state| class[state as usize]).collect();
    let mut quotient = Graph { initial, ..Graph::default() };
    for (state, row) in graph.arcs.iter().enumerate() {
        // classes are numbered as they are met
        if class[state] as usize == quotient.len() {
            quotient.arcs.push(renamed(row, &class, budget)?);
            quotient.accepting.push(graph.accepting[state]);
        }
    }
    Ok(quotient)
}

/// An initial state that nothing leads to is not needed if its steps are those of some other states
/// together: these are initial instead. One at a time, for such a state may be among the others.
fn split_initial(graph: &Graph) -> Graph {
    let mut split = graph.clone();
    for &state in &graph.initial {
        if graph.arcs.iter().flatten().any(|arc| arc.to == state) {
            continue;
        }
        let mut missing = graph.arcs[state as usize].clone();
        let part = |&other: &u32| {
            let row = &graph.arcs[other as usize];
            other != state && row.iter().all(|arc| graph.arcs[state as usize].contains(arc))
        };
        let mut parts: Vec<u32> = (0..graph.len() as u32).filter(part).collect();
        // those with many steps first, so that few are taken
        parts.sort_by_key(|&other| std::cmp::Reverse(graph.arcs[other as usize].len()));
        parts.retain(|&other| {
            let before = missing.len();
            missing.retain(|arc| !graph.arcs[other as usize].contains(arc));
            missing.len() < before
        });
        if missing.is_empty() {
            split.initial.retain(|&other| other != state);
            split.initial.extend(parts);
            return split;
        }
    }
    split
}
