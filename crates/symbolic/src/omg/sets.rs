//! Set-based unwinding (SOMG): a node of the unwinding is a set of states, as a decision diagram,
//! and its child is the set of their successors.
//!
//! The states of a node are decided by abstract states: one state of each that meets the set is
//! decided, and its label answers for all. So a set falls into the states that satisfy a formula
//! and those that do not. States that violate `q` of `A [p V q]` are traced back to the first set,
//! one run of them is strengthened; proofs close as they do for states. The thesis has no set-based
//! version of `E [p V q]`: its paths are paths of states.

use super::Omg;
use super::abstraction::{Predicate, Region};
use super::av::Closing;
use super::formulas::Formula;
use super::reach::Search;
use super::state_sets::Sets;
use crate::diagrams::Images;
use loris_base::{Budget, Exhausted};
use loris_solvers::bdd::Bdd;
use loris_solvers::sat::SatLit;

/// The states of a set that satisfy a formula, and those that do not.
pub(super) struct Decided {
    pub(super) yes: Bdd,
    pub(super) no: Bdd,
}

/// The sets of a goal, each with its part that has `q` and not `p`, whose successors come next.
#[derive(Default)]
struct Layers {
    developed: Vec<Bdd>,
    seen: Option<Bdd>,
}

/// How many splits a proof may take before the next set of states is looked at.
const SPLITS_IN_A_ROW: usize = 8;

impl Omg {
    /// The decision diagrams, which are made when first asked for.
    fn sets(&mut self) -> Result<&mut Sets, Exhausted> {
        if self.diagrams.is_none() {
            self.diagrams = Some(Box::new(Sets::new(&self.system, &mut self.budget)?));
        }
        Ok(self.diagrams.as_mut().expect("made just now"))
    }

    /// The diagrams and the budget for their operations.
    fn images(&mut self) -> Result<(&mut Images, &mut Budget), Exhausted> {
        self.sets()?;
        let sets = self.diagrams.as_mut().expect("made just now");
        Ok((&mut sets.images, &mut self.budget))
    }

    fn both(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, Exhausted> {
        let (images, budget) = self.images()?;
        images.store.and(a, b, budget)
    }

    /// What a split distinguishes, as a set.
    fn set_of(&mut self, predicate: &Predicate) -> Result<Bdd, Exhausted> {
        self.sets()?;
        let images = &mut self.diagrams.as_mut().expect("made just now").images;
        let budget = &mut self.budget;
        match predicate {
            Predicate::Function(lit) => {
                let states = self.system.states.iter().map(|state| state.now);
                images.function(&self.system.aig, states, *lit, budget)
            }
            Predicate::Known(lit) => {
                let (graph, states) = self.knowledge.graph();
                images.function(graph, states.iter().copied(), *lit, budget)
            }
            Predicate::Cubes(set) => {
                let mut any = images.store.constant(false);
                for cube in &set.cubes {
                    let cube = images.cube(cube, budget)?;
                    any = images.store.or(&any, &cube, budget)?;
                }
                Ok(any.negated_if(set.complement))
            }
        }
    }

    /// The states of a region.
    fn region_set(&mut self, region: Region) -> Result<Bdd, Exhausted> {
        let path: Vec<Region> = self.abstraction.ancestors(region).collect();
        let mut set = self.images()?.0.store.constant(true);
        for region in path.into_iter().rev() {
            let at = region.0 as usize;
            let known = &mut self.sets()?.regions;
            known.resize(known.len().max(at + 1), None);
            if let Some(known) = &known[at] {
                set = known.clone();
                continue;
            }
            if let Some((predicate, holds)) = self.abstraction.part(region) {
                let within = self.set_of(&predicate)?.negated_if(!holds);
                set = self.both(&set, &within)?;
            }
            self.sets()?.regions[at] = Some(set.clone());
        }
        Ok(set)
    }

    /// A state of a set with the part of the set in its abstract state, and the rest.
    fn peel(&mut self, set: &Bdd, state: usize) -> Result<(Bdd, Bdd), Exhausted> {
        let leaf = self.leaf(state);
        let region = self.region_set(leaf)?;
        Ok((self.both(set, &region)?, self.both(set, &!&region)?))
    }

    fn pick(&mut self, set: &Bdd) -> Result<Option<usize>, Exhausted> {
        self.budget.spend(1)?;
        let picked = self.images()?.0.pick(set);
        Ok(picked.map(|values| self.intern(values)))
    }

    /// Decides a formula for all states of a set, or up to the first abstract state without it.
    fn decide_set(&mut self, set: &Bdd, formula: Formula, all: bool) -> Result<Decided, Exhausted> {
        let none = self.images()?.0.store.constant(false);
        let (mut yes, mut no, mut rest) = (none.clone(), none, set.clone());
        while let Some(state) = self.pick(&rest)? {
            let holds = self.holds(state, formula)?;
            let (part, others) = self.peel(&rest, state)?;
            let (images, budget) = self.images()?;
            let decided = if holds { &mut yes } else { &mut no };
            *decided = images.store.or(decided, &part, budget)?;
            if !holds && !all {
                break;
            }
            rest = others;
        }
        if all && cfg!(debug_assertions) {
            let (images, budget) = self.images()?;
            let both = images.store.or(&yes, &no, budget)?;
            assert!(both == *set && images.store.and(&yes, &no, budget)?.is_false(), "a partition");
        }
        Ok(Decided { yes, no })
    }

    /// An initial state that violates a formula, if there is one.
    pub(super) fn refuted_initial(&mut self, formula: Formula) -> Result<Option<usize>, Exhausted> {
        let system = self.system.clone();
        let (images, budget) = self.images()?;
        let mut initial = images.store.constant(true);
        for set in images.sets(&system, &system.init, budget)? {
            initial = images.store.and(&initial, &set, budget)?;
        }
        let Decided { no, .. } = self.decide_set(&initial, formula, false)?;
        self.pick(&no)
    }

    /// Decides `EX of` in a state by the set of its successors.
    pub(super) fn decide_ex_by_sets(
        &mut self,
        state: usize,
        formula: Formula,
        of: Formula,
    ) -> Result<bool, Exhausted> {
        let next = self.successors(state)?;
        let Decided { no, .. } = self.decide_set(&next, !of, false)?;
        if !no.is_false() {
            let yes = self.labelled(of, true).next;
            let choice = self.choice_to(state, &[yes])?.expect("a successor is labelled");
            let part = self.split_has(state, &choice, yes)?;
            self.label(part, formula, true, Some(yes));
            return Ok(true);
        }
        let no = self.labelled(of, false).next;
        let part = self.split_lacks(state, !no)?;
        self.label(part, formula, false, None);
        Ok(false)
    }

    fn successors(&mut self, state: usize) -> Result<Bdd, Exhausted> {
        let values = self.states[state].values.clone();
        let (images, budget) = self.images()?;
        let set = images.state(&values, budget)?;
        images.after(&set, budget)
    }

    /// Decides `A [p V q]` in a state by sets.
    pub(super) fn decide_av_by_sets(
        &mut self,
        state: usize,
        (formula, p, q): (Formula, Formula, Formula),
        search: &mut Search,
    ) -> Result<bool, Exhausted> {
        let values = self.states[state].values.clone();
        let (images, budget) = self.images()?;
        let mut set = images.state(&values, budget)?;
        let mut layers = Layers::default();
        let (mut rounds, mut patience) = (0, self.options.patience);
        loop {
            if let Some(refuted) = self.examine_set(&set, &mut layers, (formula, p, q))? {
                self.strengthen_by_sets(&layers, refuted, formula)?;
                return Ok(false);
            }
            let next = self.next_set(&mut layers)?;
            let mut splits = 0;
            loop {
                let nodes = self.representatives(&layers)?;
                match self.close(&nodes, formula, p)? {
                    Closing::Closed(leaves) => {
                        for leaf in leaves {
                            self.label(leaf, formula, true, None);
                        }
                        return Ok(true);
                    }
                    Closing::Urgent(..) => break,
                    Closing::Split => splits += 1,
                }
                if splits == SPLITS_IN_A_ROW && !next.is_false() {
                    break;
                }
            }
            rounds += 1;
            if rounds >= patience && self.options.reachability {
                if let Some(holds) = self.reach(state, (formula, p, q), search, rounds)? {
                    return Ok(holds);
                }
                patience = 2 * rounds;
            }
            set = next;
        }
    }

    /// Examines a set: a state of it that violates the formula, or none; then the part whose
    /// successors matter is added to the layers.
    fn examine_set(
        &mut self,
        set: &Bdd,
        layers: &mut Layers,
        (formula, p, q): (Formula, Formula, Formula),
    ) -> Result<Option<usize>, Exhausted> {
        self.examined += 1;
        let Decided { yes, no } = self.decide_set(set, q, true)?;
        if let Some(state) = self.pick(&no)? {
            let leaf = self.leaf(state);
            self.label(leaf, formula, false, None);
            return Ok(Some(state));
        }
        let Decided { yes: mut ends, no: mut rest } = self.decide_set(&yes, p, true)?;
        while let Some(state) = self.pick(&ends)? {
            let leaf = self.leaf(state);
            self.label(leaf, formula, true, None);
            ends = self.peel(&ends, state)?.1;
        }
        let mut developed = self.images()?.0.store.constant(false);
        while let Some(state) = self.pick(&rest)? {
            let known = self.known(state, formula)?;
            if known == Some(false) {
                return Ok(Some(state));
            }
            let (part, others) = self.peel(&rest, state)?;
            if known.is_none() {
                let (images, budget) = self.images()?;
                developed = images.store.or(&developed, &part, budget)?;
            }
            rest = others;
        }
        layers.developed.push(developed);
        let seen = layers.seen.take().unwrap_or_else(|| set.clone());
        let (images, budget) = self.images()?;
        layers.seen = Some(images.store.or(&seen, set, budget)?);
        Ok(None)
    }

    /// The successors of the last set; without those that were examined, if that is asked for.
    fn next_set(&mut self, layers: &mut Layers) -> Result<Bdd, Exhausted> {
        let is_trimmed = self.options.trimming;
        let (images, budget) = self.images()?;
        let next = match layers.developed.last() {
            Some(last) => images.after(last, budget)?,
            None => images.store.constant(false),
        };
        match &layers.seen {
            // without trimming, sets repeat when they come back to one that was seen
            Some(seen) if is_trimmed => images.store.and(&next, &!seen, budget),
            _ => Ok(next),
        }
    }

    /// A state for each abstract state that meets a developed set.
    fn representatives(&mut self, layers: &Layers) -> Result<Vec<usize>, Exhausted> {
        let mut found = Vec::new();
        for set in &layers.developed {
            let mut rest = set.clone();
            while let Some(state) = self.pick(&rest)? {
                found.push(state);
                rest = self.peel(&rest, state)?.1;
            }
        }
        Ok(found)
    }

    /// Labels a run from the first set to a state that violates the formula.
    fn strengthen_by_sets(
        &mut self,
        layers: &Layers,
        refuted: usize,
        formula: Formula,
    ) -> Result<(), Exhausted> {
        let mut next = refuted;
        for set in layers.developed.iter().rev() {
            let values = self.states[next].values.clone();
            let (images, budget) = self.images()?;
            let target = images.state(&values, budget)?;
            let before = images.before(&target, budget)?;
            let within = images.store.and(set, &before, budget)?;
            let state = self.pick(&within)?.expect("a set is the successors of the one before");
            let after: Vec<SatLit> = values
                .iter()
                .enumerate()
                .map(|(at, &value)| self.relation.after((at as u32, value)))
                .collect();
            let choice = self.choice_to(state, &after)?.expect("it is a successor");
            self.refuted_by_step(state, &choice, next, formula)?;
            next = state;
        }
        Ok(())
    }
}
