//! Temporal operators of one level: which go into lanes together, and which are decided alone.
//!
//! `EU` and `EG` share lanes, `EX` has its own; as many words for each state as there are lanes
//! for, or memory. Where there is none, or a few lanes only, each is decided by itself, and so is
//! `EG` over fair paths.

use super::Schedule;
use crate::dag::{Gate, Lit};
use crate::lanes::{self, Fixpoints};
use crate::{fair, single};
use loris_base::{BitSet, Budget, Exhausted, Search};

impl Schedule<'_> {
    /// Decides temporal operators whose operands have values.
    pub(super) fn temporal(&mut self, nodes: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        let all_paths = self.fairness.is_trivial();
        let is_ex = |node: &u32| matches!(self.dag.gates[*node as usize], Gate::Ex(_));
        let is_alone = |node: &u32| !all_paths && matches!(self.dag.gates[*node as usize], Gate::Eg(_));
        let (next, others): (Vec<u32>, Vec<u32>) = nodes.iter().partition(|node| is_ex(node));
        let (alone, mut fixpoints): (Vec<u32>, Vec<u32>) = others.iter().partition(|node| is_alone(node));
        // of one kind together: they take about the same number of rounds
        fixpoints.sort_by_key(|&node| matches!(self.dag.gates[node as usize], Gate::Eu(..)));
        self.single(&alone, budget)?;
        self.batches(&next, self.limits.alone / 2, budget)?;
        self.batches(&fixpoints, self.limits.alone, budget)
    }

    fn batches(&mut self, mut nodes: &[u32], alone: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        while nodes.len() > alone {
            let fits = |words: usize| {
                let bytes = lanes::bytes(self.states, words);
                bytes <= self.limits.rows.max(lanes::bytes(self.states, 1))
                    && budget.clone().charge(bytes.saturating_sub(self.rows)).is_ok()
            };
            let wanted = nodes.len().div_ceil(64);
            let Some(words) = [4, 2, 1].into_iter().find(|&words| words < 2 * wanted && fits(words)) else {
                break;
            };
            let (batch, later) = nodes.split_at(nodes.len().min(64 * words));
            nodes = later;
            match words {
                4 => self.batch::<4>(batch, budget)?,
                2 => self.batch::<2>(batch, budget)?,
                _ => self.batch::<1>(batch, budget)?,
            }
        }
        self.single(nodes, budget)
    }

    fn batch<const W: usize>(&mut self, nodes: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        let mut out = Vec::with_capacity(nodes.len());
        for _ in nodes {
            out.push(self.column(budget)?);
        }
        let more = lanes::bytes(self.states, W).saturating_sub(self.rows);
        (self.rows, self.held) = (self.rows + more, self.held + more);
        budget.charge(more)?;
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut lanes = Fixpoints::default();
        for &node in nodes {
            let (along, start, shrinks) = match self.dag.gates[node as usize] {
                Gate::Eu(a, b) => (a, b, false),
                Gate::Ex(a) | Gate::Eg(a) => (Lit::FALSE, a, true),
                _ => unreachable!("only temporal operators have lanes"),
            };
            lanes.along.push(self.value(along));
            lanes.start.push(self.value(start));
            lanes.shrinks.push(shrinks);
        }
        if matches!(self.dag.gates[nodes[0] as usize], Gate::Ex(_)) {
            lanes::next::<W>(self.kripke, &lanes.start, &mut out, &mut scratch, budget)?;
        } else {
            lanes::fixpoints::<W>(self.kripke, &lanes, &mut out, &mut scratch, budget)?;
        }
        self.scratch = scratch;
        nodes.iter().zip(out).for_each(|(&node, column)| self.decided(node as usize, column));
        Ok(())
    }

    /// Decides one after the other.
    fn single(&mut self, nodes: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        for &node in nodes {
            let mut column = self.column(budget)?;
            match self.dag.gates[node as usize] {
                Gate::Ex(a) => {
                    let set = self.plain(a, budget)?;
                    single::next(self.kripke, &set, &mut column, budget)?;
                    self.spare.push(set);
                }
                Gate::Eg(a) => {
                    self.value(a).copy_into(&mut column, self.states);
                    if self.fairness.is_trivial() {
                        single::always(self.kripke, &mut column, budget)?;
                    } else {
                        self.fair_always(&mut column, budget)?;
                    }
                }
                Gate::Eu(a, b) => {
                    self.value(b).copy_into(&mut column, self.states);
                    let along = if a == Lit::TRUE { None } else { Some(self.plain(a, budget)?) };
                    single::until(self.kripke, along.as_ref(), &mut column, budget)?;
                    self.spare.extend(along);
                }
                _ => unreachable!("only temporal operators are decided here"),
            }
            self.decided(node as usize, column);
        }
        Ok(())
    }

    pub(super) fn fair_always(&mut self, column: &mut BitSet, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut search = match self.search.take() {
            Some(search) => search,
            None => Search::within(self.states, Search::<u32>::CLOSED, budget)?,
        };
        fair::always(self.kripke, self.fairness, column, &mut search, budget)?;
        self.search = Some(search);
        Ok(())
    }
}
