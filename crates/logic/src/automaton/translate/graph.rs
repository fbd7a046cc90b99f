//! A Büchi automaton while it is made: arcs carry cubes.

use super::sets::{Set, bytes, joined};
use crate::automaton::buchi::{Buchi, Edge};
use crate::automaton::guard::Guard;
use loris_base::{Budget, Exhausted, strong_components_within};

/// Bytes of a state in the lists of components.
pub(super) const COMPONENT: usize = 24;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Arc {
    pub(super) to: u32,
    pub(super) cube: Set,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) initial: Vec<u32>,
    pub(super) accepting: Vec<bool>,
    pub(super) arcs: Vec<Vec<Arc>>,
}

impl Graph {
    pub(super) fn len(&self) -> usize {
        self.arcs.len()
    }

    /// The graph without states that no word or no accepting run needs, in order of a search from
    /// the initial states; rows are sorted, with as few cubes to a state as are easily found.
    ///
    /// Acceptance counts only inside a component: a state on no cycle is `transient`, accepting or
    /// not as is asked; where every cycle passes an accepting state, all states may as well be
    /// accepting.
    ///
    /// The caller has declared a second graph of this size ([`Graph::bytes`]).
    pub(super) fn trimmed(&self, transient: bool, budget: &mut Budget) -> Result<Graph, Exhausted> {
        // components, twice; marks and places
        let budget = &mut budget.holding((2 * COMPONENT + 16) * self.len())?;
        let edge = |state: u32, done: usize| self.arcs[state as usize].get(done).map(|arc| arc.to);
        let components = strong_components_within(self.len(), edge, budget)?;
        let (component, count) = (components.row_of_each(self.len()), components.rows());
        let (mut cyclic, mut accepts) = (vec![false; count], vec![false; count]);
        for state in 0..self.len() {
            let here = component[state];
            accepts[here as usize] |= self.accepting[state];
            cyclic[here as usize] |= self.successors(state as u32).any(|to| component[to as usize] == here);
        }
        // components are numbered from the last: successors are settled first
        let mut live: Vec<bool> = (0..count).map(|c| cyclic[c] && accepts[c]).collect();
        for (_, state) in components.pairs() {
            let leads = self.successors(state).any(|to| live[component[to as usize] as usize]);
            live[component[state as usize] as usize] |= leads;
        }
        let avoiding = |state: u32, done: usize| {
            let to = edge(state, done)?;
            let counts = !self.accepting[state as usize] && !self.accepting[to as usize];
            Some(if counts { to } else { state })
        };
        let loops = strong_components_within(self.len(), avoiding, budget)?;
        let rest = loops.row_of_each(self.len());
        let mut weak = vec![true; count];
        for state in 0..self.len() {
            let avoids = !self.accepting[state]
                && (loops.row(rest[state] as usize).len() > 1
                    || self.successors(state as u32).any(|to| to as usize == state));
            weak[component[state] as usize] &= !avoids;
        }
        let accepting = |state: u32| {
            let c = component[state as usize] as usize;
            if cyclic[c] { accepts[c] && (weak[c] || self.accepting[state as usize]) } else { transient }
        };
        let trimmed = self.restricted(|state| live[component[state as usize] as usize], accepting, budget)?;
        Ok(trimmed)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let row = |row: &Vec<Arc>| {
            let arcs = row.iter().map(|arc| size_of::<Arc>() + bytes(&arc.cube)).sum::<usize>();
            1 + size_of::<Vec<Arc>>() + arcs
        };
        self.arcs.iter().map(row).sum()
    }

    /// Bytes of the automaton with these arcs.
    pub(super) fn finished_bytes(&self) -> usize {
        // a literal is an operand in a list, perhaps with another one of its own
        let literal = 2 * size_of::<Guard>() + 16;
        let row = |row: &Vec<Arc>| {
            let arcs = row.iter().map(|arc| 2 * size_of::<Edge>() + 16 + literal * arc.cube.len());
            1 + size_of::<Vec<Edge>>() + arcs.sum::<usize>()
        };
        self.arcs.iter().map(row).sum()
    }

    fn successors(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        self.arcs[state as usize].iter().map(|arc| arc.to)
    }

    /// The part that is reachable through states to keep.
    fn restricted(
        &self,
        keep: impl Fn(u32) -> bool,
        accepting: impl Fn(u32) -> bool,
        budget: &mut Budget,
    ) -> Result<Graph, Exhausted> {
        let mut order: Vec<u32> = Vec::new();
        let mut place = vec![u32::MAX; self.len()];
        let mut visit = |state: u32, order: &mut Vec<u32>| {
            if keep(state) && place[state as usize] == u32::MAX {
                place[state as usize] = order.len() as u32;
                order.push(state);
            }
        };
        self.initial.iter().for_each(|&state| visit(state, &mut order));
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            self.successors(state).for_each(|to| visit(to, &mut order));
            next += 1;
        }
        let target = |state: u32| place[state as usize];
        let row = |&state: &u32| {
            let arcs = self.arcs[state as usize].iter().filter(|arc| target(arc.to) != u32::MAX);
            tidy(arcs.map(|arc| Arc { to: target(arc.to), cube: arc.cube.clone() }).collect(), budget)
        };
        let mut initial: Vec<u32> =
            self.initial.iter().map(|&state| target(state)).filter(|&state| state != u32::MAX).collect();
        initial.sort_unstable();
        initial.dedup();
        Ok(Graph {
            initial,
            accepting: order.iter().map(|&state| accepting(state)).collect(),
            arcs: order.iter().map(row).collect::<Result<_, _>>()?,
        })
    }

    /// The automaton over this many atoms, with one edge to a state.
    pub(super) fn finish(self, atoms: usize) -> Buchi {
        let edges = |row: Vec<Arc>| {
            let mut edges: Vec<Edge> = Vec::new();
            for same in row.chunk_by(|a, b| a.to == b.to) {
                let guards: Vec<Guard> = same.iter().map(|arc| guard(&arc.cube)).collect();
                edges.push(Edge { guard: one_or(guards, Guard::Or), to: same[0].to });
            }
            edges
        };
        Buchi {
            atoms,
            initial: self.initial,
            accepting: self.accepting,
            edges: std::sync::Arc::new(self.arcs.into_iter().map(edges).collect()),
        }
    }
}

/// A row sorted by target, its cubes joined.
pub(super) fn tidy(mut row: Vec<Arc>, budget: &mut Budget) -> Result<Vec<Arc>, Exhausted> {
    row.sort_unstable();
    let mut tidied = Vec::with_capacity(row.len());
    for same in row.chunk_by(|a, b| a.to == b.to) {
        let cubes = joined(same.iter().map(|arc| arc.cube.clone()).collect(), budget)?;
        tidied.extend(cubes.into_iter().map(|cube| Arc { to: same[0].to, cube }));
    }
    Ok(tidied)
}

fn guard(cube: &[u32]) -> Guard {
    let literal = |&literal: &u32| match Guard::Atom(literal / 2) {
        atom if literal % 2 == 0 => atom,
        atom => Guard::Not(Box::new(atom)),
    };
    match cube {
        [] => Guard::True,
        cube => one_or(cube.iter().map(literal).collect(), Guard::And),
    }
}

fn one_or(mut guards: Vec<Guard>, join: fn(Vec<Guard>) -> Guard) -> Guard {
    match guards.pop() {
        Some(guard) if guards.is_empty() => guard,
        last => {
            guards.extend(last);
            join(guards)
        }
    }
}
