//! Where a formula is true without leaving an instance, whatever its context, and the cells that
//! runs pass on their way out.

use super::evaluation::Evaluation;
use super::recurring::{self, recurring};
use super::stays;
use super::track::{Stage, Stays, Track};
use crate::instances::Instances;
use crate::operand::Lanes;
use crate::summaries::{Along, Summaries};
use loris_base::{Budget, Csr, Exhausted};
use loris_logic::automaton::Guard;
use loris_rsm::Rsm;

/// The cells that runs pass on their way out of an instance.
pub(super) enum Passing<'p> {
    Nothing(Summaries),
    Everything(&'p Summaries),
    Cells(Vec<Lanes>, Summaries),
}

impl Passing<'_> {
    pub(super) fn view(&self) -> (Along<'_>, &Summaries) {
        match self {
            Passing::Nothing(summaries) => (Along::Nothing, summaries),
            Passing::Everything(summaries) => (Along::Everything, summaries),
            Passing::Cells(along, summaries) => (Along::Cells(along), summaries),
        }
    }
}

impl<'p> Evaluation<'p, '_> {
    /// Where a formula is true without leaving an instance, given its operands at every cell; and
    /// the cells that runs pass on their way out.
    pub(super) fn without_context(
        &self,
        level: usize,
        graph: &Instances<'_>,
        mut values: Vec<Vec<Lanes>>,
        budget: &mut Budget,
    ) -> Result<(Vec<Lanes>, Passing<'p>), Exhausted> {
        let (node, existential) = &self.existentials[level];
        let found = match &existential.track {
            None => (stays::next(graph, &values[0], budget)?, Passing::Nothing(Summaries::trivial())),
            Some(_) if existential.is_future(self.formula, *node) => {
                let summaries = self.exits(budget)?;
                let goal = values.pop().expect("an until has a goal");
                let stays = if self.is_plain && self.atoms.active.count_ones() > 1 {
                    self.condensed(budget)?.reaching(goal, budget)?
                } else {
                    stays::until(graph, Along::Everything, goal, summaries, budget)?
                };
                (stays, Passing::Everything(summaries))
            }
            Some(track) => {
                let along = self.staged(track, &mut values, |stage| &stage.along, budget)?;
                let summaries = Summaries::new(graph, &along, self.atoms.active, budget)?;
                let goal = if track.stages.iter().any(|stage| stage.goal != Guard::False) {
                    self.staged(track, &mut values, |stage| &stage.goal, budget)?
                } else {
                    Vec::new()
                };
                let stays = self.stays(track, graph, &along, goal, &summaries, budget)?;
                (stays, Passing::Cells(along, summaries))
            }
        };
        budget.release(8 * self.graph.cell_count() * values.len());
        Ok(found)
    }

    /// The machine with stages, if there is more than one.
    pub(super) fn product(
        &self,
        next: Option<&Csr>,
        copies: usize,
        budget: &mut Budget,
    ) -> Result<Option<Rsm>, Exhausted> {
        let Some(next) = next.filter(|_| copies > 1) else { return Ok(None) };
        let rsm = self.prepared.rsm();
        let edges = rsm.edge_count().saturating_mul(next.pairs().count());
        let cells = self.graph.cell_count().saturating_mul(copies);
        if edges.max(cells) >= u32::MAX as usize {
            return Err(Exhausted::Memory);
        }
        budget.charge(Instances::bytes_of(self.graph.len(), self.graph.box_count()))?;
        Ok(Some(rsm.times(copies, next, budget)?))
    }

    /// A guard of each stage, at every cell with stages. The operands of a formula with one stage
    /// are taken as they are.
    pub(super) fn staged(
        &self,
        track: &Track,
        values: &mut [Vec<Lanes>],
        guard: impl Fn(&Stage) -> &Guard,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        if let ([stage], true) = (&track.stages[..], track.len() == 1)
            && let Guard::Atom(operand) = guard(stage)
        {
            return Ok(std::mem::take(&mut values[*operand as usize]));
        }
        let cells = self.graph.cell_count();
        budget.charge(8 * cells * track.len())?;
        let mut all = Vec::with_capacity(cells * track.len());
        // an operand that was taken is not mentioned by another guard
        let at = |cell: usize| values.iter().map(move |values| values.get(cell).copied().unwrap_or(0));
        let mut here = Vec::with_capacity(values.len());
        for cell in 0..cells {
            budget.spend(track.len())?;
            here.clear();
            here.extend(at(cell));
            let mut operand = |k: u32| here[k as usize];
            all.extend(track.stages.iter().map(|stage| guard(stage).lanes(self.atoms.active, &mut operand)));
        }
        Ok(all)
    }

    /// Where the formula is true without leaving the instance.
    pub(super) fn stays(
        &self,
        track: &Track,
        graph: &Instances<'_>,
        along: &[Lanes],
        mut goal: Vec<Lanes>,
        summaries: &Summaries,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let copies = track.len();
        if track.stages.iter().any(|stage| stage.stays == Stays::Anyhow) {
            let alive = if copies == 1 {
                stays::globally(graph, along, summaries, budget)?
            } else {
                budget.charge(8 * along.len())?;
                budget.spend(along.len())?;
                let may = |cell: usize| track.stages[cell % copies].stays == Stays::Anyhow;
                let along: Vec<Lanes> = along
                    .iter()
                    .enumerate()
                    .map(|(cell, &lanes)| if may(cell) { lanes } else { 0 })
                    .collect();
                stays::globally(graph, &along, summaries, budget)?
            };
            if copies == 1 && track.stages[0].goal == Guard::False {
                return Ok(alive);
            }
            budget.charge(8 * (along.len() - goal.len()))?;
            goal.resize(along.len(), 0);
            goal.iter_mut().zip(alive).for_each(|(goal, alive)| *goal |= alive);
        }
        budget.charge(8 * (along.len() - goal.len()))?;
        goal.resize(along.len(), 0);
        if track.is_mixed() {
            let product = self.product(Some(&track.marked()), 2 * copies, budget)?;
            let product = product.expect("there are at least two copies");
            let remembering = self.graph.times(&product, 2 * copies);
            budget.charge(16 * along.len())?;
            budget.spend(along.len())?;
            let twice: Vec<Lanes> = along.iter().flat_map(|&lanes| [lanes, lanes]).collect();
            let marked = &Summaries::new(&remembering, &twice, self.atoms.active, budget)?;
            let staged = recurring::Staged { track, graph, along, remembering: &remembering, marked };
            recurring(&staged, self.atoms.active, &mut goal, budget)?;
        }
        stays::until(graph, Along::Cells(along), goal, summaries, budget)
    }
}
