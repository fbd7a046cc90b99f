//! `A [p V q]`: on all paths, `q` up to and including where `p` holds, if it ever does.
//!
//! States are examined from the first one on until one violates `q`, or until the abstract states
//! of those examined are closed under steps: then all of them satisfy the formula. A step that
//! leaves them leads to a state to examine next, if the examined state has it as well, or else is a
//! reason to split the abstract state.

use super::abstraction::Region;
use super::facts::Targets;
use super::formulas::Formula;
use super::reach::Search;
use super::{Omg, Splitting, Unwinding};
use loris_base::Exhausted;
use loris_solvers::sat::SatLit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Where a state was reached from: a node and a choice; none for the first.
type From = Option<(usize, Vec<bool>)>;

/// The states of a goal that were examined, as a tree.
struct Tree {
    nodes: Vec<(usize, From)>,
    seen: FxHashSet<usize>,
    /// nodes whose successors are to be examined, those of the least depth first, with what
    /// excludes the successors that were
    open: VecDeque<(usize, SatLit)>,
}

impl Omg {
    /// Decides `A [p V q]` in a state, and labels abstract states with the answer (`HandleAV`).
    pub(super) fn decide_av(
        &mut self,
        state: usize,
        formula: Formula,
        p: Formula,
        q: Formula,
    ) -> Result<bool, Exhausted> {
        let mut search = Search::default();
        let holds = match self.options.unwinding {
            Unwinding::States => self.decide_av_by_states(state, (formula, p, q), &mut search),
            Unwinding::Sets => self.decide_av_by_sets(state, (formula, p, q), &mut search),
        };
        search.release(&mut self.relation);
        holds
    }

    fn decide_av_by_states(
        &mut self,
        state: usize,
        operators: (Formula, Formula, Formula),
        search: &mut Search,
    ) -> Result<bool, Exhausted> {
        let mut unwinding = Tree { nodes: Vec::new(), seen: FxHashSet::default(), open: VecDeque::new() };
        let holds = self.unwind(state, operators, &mut unwinding, search);
        for (_, active) in unwinding.open {
            self.relation.sat.release(!active);
        }
        holds
    }

    fn unwind(
        &mut self,
        state: usize,
        (formula, p, q): (Formula, Formula, Formula),
        unwinding: &mut Tree,
        search: &mut Search,
    ) -> Result<bool, Exhausted> {
        let mut next = Some((state, None));
        let (mut rounds, mut patience) = (0, self.options.patience);
        loop {
            if let Some((state, from)) = next.take()
                && let Some(refuted) = self.examine(unwinding, state, from, (formula, p, q))?
            {
                self.strengthen_refutation(unwinding, refuted, formula)?;
                return Ok(false);
            }
            let states: Vec<usize> = unwinding.nodes.iter().map(|&(state, _)| state).collect();
            match self.close(&states, formula, p)? {
                Closing::Closed(leaves) => {
                    for leaf in leaves {
                        self.label(leaf, formula, true, None);
                    }
                    return Ok(true);
                }
                Closing::Urgent(state, from) => next = Some((state, Some(from))),
                Closing::Split => next = self.pop(unwinding, formula)?,
            }
            rounds += 1;
            if rounds >= patience && self.options.reachability {
                if let Some(holds) = self.reach(state, (formula, p, q), search, rounds)? {
                    return Ok(holds);
                }
                patience = 2 * rounds;
            }
        }
    }

    /// Examines a state: the node if it violates the formula.
    fn examine(
        &mut self,
        unwinding: &mut Tree,
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
    fn pop(&mut self, unwinding: &mut Tree, formula: Formula) -> Result<Option<(usize, From)>, Exhausted> {
        let proved = self.labelled(formula, true).next;
        while let Some((node, active)) = unwinding.open.pop_front() {
            let state = unwinding.nodes[node].0;
            let Some(choice) = self.choice_to(state, &[!proved, active])? else {
                self.relation.sat.release(!active);
                continue;
            };
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
    pub(super) fn close(
        &mut self,
        states: &[usize],
        formula: Formula,
        p: Formula,
    ) -> Result<Closing, Exhausted> {
        let proved = self.labelled(formula, true);
        let mut leaves: Vec<Region> = Vec::new();
        let mut of: FxHashMap<Region, usize> = FxHashMap::default();
        for (node, &state) in states.iter().enumerate() {
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
        let within: FxHashSet<Region> = leaves.iter().copied().collect();
        let open: Vec<Region> =
            leaves.iter().copied().filter(|&leaf| !self.is_closed(leaf, &within, formula)).collect();
        if open.is_empty() {
            return Ok(Closing::Closed(leaves));
        }
        let targets = self.targets(&leaves);
        let now: Vec<SatLit> = open.iter().map(|&leaf| self.abstraction.member(leaf).now).collect();
        let mut next: Vec<SatLit> =
            targets.iter().map(|&region| self.abstraction.member(region).next).collect();
        next.push(proved.next);
        let from = self.relation.one_of(&now);
        // an exact split needs both directions: what is not outside is inside
        let is_exact = self.options.splitting == Splitting::Exact;
        let outside = if is_exact { !self.relation.any(&next) } else { self.relation.none_of(&next) };
        let closed = Targets { regions: targets, proved: Some(formula.index()) };
        let found = self.leaving(states, &of, (from, outside), open, closed)?;
        self.relation.sat.release(!from);
        if !is_exact {
            self.relation.sat.release(!outside);
        }
        Ok(found.unwrap_or(Closing::Closed(leaves)))
    }

    /// A step outside, taken if the examined state has it, else reason to split; `None` if there is
    /// no such step.
    fn leaving(
        &mut self,
        states: &[usize],
        of: &FxHashMap<Region, usize>,
        (from, outside): (SatLit, SatLit),
        open: Vec<Region>,
        closed: Targets,
    ) -> Result<Option<Closing>, Exhausted> {
        if !self.relation.solve(&[from, self.relation.step, outside], &mut self.budget)? {
            if self.options.facts {
                for leaf in open {
                    self.facts.record_closure(leaf, closed.clone());
                }
            }
            return Ok(None);
        }
        let values = self.relation.state();
        let leaving = self.intern(values);
        let leaf = self.leaf(leaving);
        let node = of[&leaf];
        let state = states[node];
        if let Some(choice) = self.choice_to(state, &[outside])? {
            let next = self.successor(state, &choice)?;
            return Ok(Some(Closing::Urgent(next, (node, choice))));
        }
        let part = self.split_lacks(state, outside)?;
        if self.options.facts {
            self.facts.record_closure(part, closed);
        }
        Ok(Some(Closing::Split))
    }

    fn is_closed(&self, leaf: Region, within: &FxHashSet<Region>, formula: Formula) -> bool {
        let formula = Some(formula.index());
        self.options.facts && self.facts.is_closed(leaf, within, formula, &self.abstraction)
    }

    /// Leaves as a target: with regions in place of their parts, if that is asked for.
    pub(super) fn targets(&self, leaves: &[Region]) -> Vec<Region> {
        if self.options.unification { self.abstraction.unified(leaves) } else { leaves.to_vec() }
    }

    /// Labels the states on the way to a node that violates the formula (`StrengthenTrace`).
    fn strengthen_refutation(
        &mut self,
        unwinding: &Tree,
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
        if self.options.facts {
            self.facts.record_must(part, Targets::new(vec![leaf]));
        }
        Ok(())
    }
}

/// What became of an attempt to close a proof.
pub(super) enum Closing {
    /// No step leaves these abstract states and those that are proved.
    Closed(Vec<Region>),
    /// A step of an examined state, by its number, and its choice leads outside.
    Urgent(usize, (usize, Vec<bool>)),
    /// An abstract state was split.
    Split,
}
