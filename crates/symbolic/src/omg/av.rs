//! `A [p V q]`: on all paths, `q` up to and including where `p` holds, if it ever does.
//!
//! States are examined from the first one on until one violates `q`, or until the abstract states
//! of those examined are closed under steps: then all of them satisfy the formula. A step that
//! leaves them leads to a state to examine next, if the examined state has it as well, or else is a
//! reason to split the abstract state.

use super::Omg;
use super::abstraction::Region;
use super::formulas::Formula;
use crate::pdr::Memory;
use loris_base::Exhausted;
use loris_solvers::sat::SatLit;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Where a state was reached from: a node and a choice; none for the first.
type From = Option<(usize, Vec<bool>)>;

/// The states of a goal that were examined, as a tree.
struct Unwinding {
    nodes: Vec<(usize, From)>,
    seen: FxHashSet<usize>,
    /// nodes whose successors are to be examined, those of the least depth first, with what
    /// excludes the successors that were
    open: VecDeque<(usize, SatLit)>,
}

/// How much work a search for reachability may take for each round before it.
const SEARCH_STEPS: u64 = 40_000;

impl Omg {
    /// Decides `A [p V q]` in a state, and labels abstract states with the answer (`HandleAV`).
    pub(super) fn decide_av(
        &mut self,
        state: usize,
        formula: Formula,
        p: Formula,
        q: Formula,
    ) -> Result<bool, Exhausted> {
        let mut search = Memory::default();
        let holds = self.decide_av_within(state, (formula, p, q), &mut search);
        search.release(&mut self.relation);
        holds
    }

    fn decide_av_within(
        &mut self,
        state: usize,
        (formula, p, q): (Formula, Formula, Formula),
        search: &mut Memory,
    ) -> Result<bool, Exhausted> {
        let mut unwinding =
            Unwinding { nodes: Vec::new(), seen: FxHashSet::default(), open: VecDeque::new() };
        let mut next = Some((state, None));
        let (mut rounds, mut patience) = (0, self.options.patience);
        loop {
            if let Some((state, from)) = next.take()
                && let Some(refuted) = self.examine(&mut unwinding, state, from, (formula, p, q))?
            {
                self.strengthen_refutation(&unwinding, refuted, formula)?;
                return Ok(false);
            }
            match self.close(&unwinding, formula, p)? {
                Closing::Closed(leaves) => {
                    for leaf in leaves {
                        self.label(leaf, formula, true, None);
                    }
                    return Ok(true);
                }
                Closing::Urgent(state, from) => next = Some((state, Some(from))),
                Closing::Split => next = self.pop(&mut unwinding, formula)?,
            }
            rounds += 1;
            if rounds >= patience && self.options.reachability {
                if let Some(holds) = self.reach(state, (formula, p, q), search, SEARCH_STEPS * rounds)? {
                    return Ok(holds);
                }
                patience = 2 * rounds;
            }
        }
    }

    /// Examines a state: the node if it violates the formula.
    fn examine(
        &mut self,
        unwinding: &mut Unwinding,
        state: usize,
        from: From,
        (formula, p, q): (Formula, Formula, Formula),
    ) -> Result<Option<usize>, Exhausted> {
        self.budget.spend(1)?;
        self.examined += 1;
        let node = unwinding.nodes.len();
        unwinding.nodes.push((state, from));
        unwinding.seen.insert(state);
        self.classify(state)?;
        match self.known(state, formula)? {
            Some(true) => return Ok(None),
            Some(false) => return Ok(Some(node)),
            None => {}
        }
        if !self.holds(state, q)? {
            let leaf = self.leaf(state);
            self.label(leaf, formula, false, None);
            return Ok(Some(node));
        }
        if self.holds(state, p)? {
            let leaf = self.leaf(state);
            self.label(leaf, formula, true, None);
            return Ok(None);
        }
        let refuted = self.labelled(formula, false).next;
        if refuted != self.relation.sat.constant(false)
            && let Some(choice) = self.choice_to(state, &[refuted])?
        {
            let next = self.successor(state, &choice)?;
            unwinding.nodes.push((next, Some((node, choice))));
            return Ok(Some(node + 1));
        }
        let active = self.relation.sat.variable();
        unwinding.open.push_back((node, active));
        Ok(None)
    }

    /// The next successor of an open node, if there is one that was not examined.
    fn pop(
        &mut self,
        unwinding: &mut Unwinding,
        formula: Formula,
    ) -> Result<Option<(usize, From)>, Exhausted> {
        let proved = self.labelled(formula, true).next;
        while let Some((node, active)) = unwinding.open.pop_front() {
            let state = unwinding.nodes[node].0;
            let Some(choice) = self.choice_to(state, &[!proved, active])? else { continue };
            let next = self.successor(state, &choice)?;
            let values = &self.states[next].values;
            let mut clause: Vec<SatLit> = values
                .iter()
                .enumerate()
                .map(|(at, &value)| !self.relation.after((at as u32, value)))
                .collect();
            clause.push(!active);
            self.relation.sat.clause(&clause);
            unwinding.open.push_back((node, active));
            if !(self.options.trimming && unwinding.seen.contains(&next)) {
                return Ok(Some((next, Some((node, choice)))));
            }
        }
        Ok(None)
    }

    /// Whether the abstract states of the examined states are closed under steps (`IndAV`); else
    /// what to do about it.
    fn close(&mut self, unwinding: &Unwinding, formula: Formula, p: Formula) -> Result<Closing, Exhausted> {
        let proved = self.labelled(formula, true);
        let mut leaves: Vec<Region> = Vec::new();
        let mut of: rustc_hash::FxHashMap<Region, usize> = rustc_hash::FxHashMap::default();
        for (node, &(state, _)) in unwinding.nodes.iter().enumerate() {
            let leaf = self.leaf(state);
            let is_proved = self.abstraction.label(leaf, formula.index()).is_some_and(|label| label.value);
            if !is_proved && of.insert(leaf, node).is_none() {
                leaves.push(leaf);
            }
        }
        debug_assert!(
            leaves.iter().all(|&leaf| self.abstraction.label(leaf, p.index()).is_some() || p.index() == 0)
        );
        self.budget.spend(leaves.len())?;
        if leaves.is_empty() {
            return Ok(Closing::Closed(leaves));
        }
        let now: Vec<SatLit> = leaves.iter().map(|&leaf| self.abstraction.member(leaf).now).collect();
        let mut next: Vec<SatLit> = leaves.iter().map(|&leaf| self.abstraction.member(leaf).next).collect();
        next.push(proved.next);
        let within = self.relation.any(&now);
        let inside = self.relation.any(&next);
        let assumed = [within, self.relation.step, !inside];
        if !self.relation.solve(&assumed, &mut self.budget)? {
            return Ok(Closing::Closed(leaves));
        }
        let values = self.relation.state();
        let leaving = self.intern(values);
        let leaf = self.leaf(leaving);
        let node = of[&leaf];
        let state = unwinding.nodes[node].0;
        if let Some(choice) = self.choice_to(state, &[!inside])? {
            let next = self.successor(state, &choice)?;
            return Ok(Closing::Urgent(next, (node, choice)));
        }
        self.split_lacks(state, !inside)?;
        Ok(Closing::Split)
    }

    /// Labels the states on the way to a node that violates the formula (`StrengthenTrace`).
    fn strengthen_refutation(
        &mut self,
        unwinding: &Unwinding,
        refuted: usize,
        formula: Formula,
    ) -> Result<(), Exhausted> {
        let mut node = refuted;
        self.known(unwinding.nodes[node].0, formula)?;
        while let Some((before, choice)) = &unwinding.nodes[node].1 {
            self.refuted_by_step(unwinding.nodes[*before].0, choice, unwinding.nodes[node].0, formula)?;
            node = *before;
        }
        Ok(())
    }

    /// Labels a state that has a step to one that violates the formula.
    pub(super) fn refuted_by_step(
        &mut self,
        state: usize,
        choice: &[bool],
        next: usize,
        formula: Formula,
    ) -> Result<(), Exhausted> {
        let leaf = self.leaf(next);
        let to = self.abstraction.member(leaf).next;
        let part = self.split_has(state, choice, to)?;
        self.label(part, formula, false, Some(to));
        Ok(())
    }
}

enum Closing {
    Closed(Vec<Region>),
    Urgent(usize, (usize, Vec<bool>)),
    Split,
}
