//! Automata that run beside a machine: N1 and N2 of CONT are computed on the product.
//!
//! The edges of an automaton are its *stages*: a run is at a stage in each of its states, the guard
//! decides whether it may go on from there, and to which stages. A stage is *marked* if its edge
//! leads to a state that accepts. The product of an instance graph with stages has the cell (v, q)
//! at v · stages + q.

use loris_base::{Budget, Csr, Exhausted};
use loris_logic::automaton::{Buchi, Guard};
use loris_recursive::building_blocks::Instances;
use loris_recursive::building_blocks::Lanes;
use loris_rsm::Rsm;
use rustc_hash::FxHashMap;

/// An automaton by its stages, with guards over the operands of a formula.
pub(super) struct Stages {
    along: Vec<Guard>,
    pub(super) next: Csr,
    pub(super) initial: Vec<u32>,
    pub(super) marked: Vec<bool>,
}

impl Stages {
    /// The stages of an automaton, given the edges of each state and which states accept. Edges
    /// with the same guard to the same state are one stage.
    pub(super) fn new(edges: &[Vec<(Guard, u32)>], initial: &[u32], accepts: impl Fn(u32) -> bool) -> Self {
        let mut numbers: FxHashMap<(&Guard, u32), u32> = FxHashMap::default();
        let mut leads = Vec::new();
        let mut of_state: Vec<Vec<u32>> = Vec::with_capacity(edges.len());
        for row in edges {
            let mut own = Vec::with_capacity(row.len());
            for (guard, to) in row {
                own.push(*numbers.entry((guard, *to)).or_insert_with(|| {
                    leads.push((guard, *to));
                    leads.len() as u32 - 1
                }));
            }
            own.sort_unstable();
            own.dedup();
            of_state.push(own);
        }
        let mut next = Csr::default();
        for &(guard, to) in &leads {
            let row: &[u32] = if *guard == Guard::False { &[] } else { &of_state[to as usize] };
            next.push_row(row.iter().copied());
        }
        let mut initial: Vec<u32> =
            initial.iter().flat_map(|&state| of_state[state as usize].clone()).collect();
        initial.sort_unstable();
        initial.dedup();
        let marked = leads.iter().map(|&(_, to)| accepts(to)).collect();
        Self { along: leads.iter().map(|&(guard, _)| guard.clone()).collect(), next, initial, marked }
    }

    /// The stages of a Büchi automaton.
    pub(super) fn of_buchi(buchi: &Buchi) -> Self {
        let row = |state: u32| buchi.edges(state).iter().map(|edge| (edge.guard.clone(), edge.to)).collect();
        let edges: Vec<Vec<(Guard, u32)>> = (0..buchi.states() as u32).map(row).collect();
        Self::new(&edges, buchi.initial(), |state| buchi.is_accepting(state))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.along.len()
    }

    /// Whether no run starts: then none is accepted.
    pub(super) fn is_empty(&self) -> bool {
        self.initial.is_empty()
    }

    /// Where a run may go on: per cell of a graph and stage, given the operands at every cell.
    pub(super) fn along(
        &self,
        operands: &[Vec<Lanes>],
        cells: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        budget.charge(8 * cells * self.len())?;
        let mut all = Vec::with_capacity(cells * self.len());
        for cell in 0..cells {
            budget.spend(self.len())?;
            let letter: Vec<Lanes> = operands.iter().map(|values| values[cell]).collect();
            let mut operand = |k: u32| letter[k as usize];
            all.extend(self.along.iter().map(|guard| guard.lanes(1, &mut operand)));
        }
        Ok(all)
    }

    /// Whether a run over a finite word ends at a stage: the obvious way.
    #[cfg(test)]
    pub(super) fn ends(&self, word: &[Vec<bool>], stage: u32) -> bool {
        let mut now = self.initial.clone();
        for letter in word {
            let takes = |stage: &&u32| self.along[**stage as usize].holds(&mut |k| letter[k as usize]);
            let next = now.iter().filter(takes).flat_map(|&stage| self.next.row(stage as usize));
            now = next.copied().collect();
            now.sort_unstable();
            now.dedup();
        }
        now.contains(&stage)
    }

    /// Stages with whether a marked one was met since the first, that one included: 2 · stage, plus
    /// one if so.
    pub(super) fn remembering(&self) -> Csr {
        let mut next = Csr::default();
        for stage in 0..self.len() {
            for met in [false, true] {
                let after = self.next.row(stage).iter();
                next.push_row(after.map(|&after| 2 * after + u32::from(met || self.marked[after as usize])));
            }
        }
        next
    }
}

/// The machine of a graph with copies of its vertices, and edges wherever `next` has some.
pub(super) fn product(graph: &Instances<'_>, next: &Csr, budget: &mut Budget) -> Result<Rsm, Exhausted> {
    let (rsm, copies) = (graph.rsm, next.rows());
    let edges = rsm.edge_count().saturating_mul(next.len());
    let cells = graph.cell_count().max(rsm.vertex_count()).saturating_mul(copies);
    if edges.max(cells) >= (u32::MAX - 1) as usize {
        return Err(Exhausted::Memory);
    }
    // the graph gets copies, too
    budget.charge(Instances::bytes_of(graph.len(), graph.box_count()))?;
    rsm.times(copies, next, budget)
}
