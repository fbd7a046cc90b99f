//! `E [p V q]`: on some path, `q` up to and including where `p` holds, if it ever does.
//!
//! A path is extended, depth first, by steps to states that are not known to violate the formula.
//! It ends where a state has `p` and `q`, where it meets what is proved, or where it closes an
//! abstract lasso: abstract states with `q` each of whose states has a successor among them. A
//! state none of whose steps leads on violates the formula, with its part of the abstract state.

use super::Omg;
use super::abstraction::{Cubes, Region};
use super::facts::Targets;
use super::formulas::Formula;
use loris_base::Exhausted;
use loris_solvers::sat::SatLit;
use rustc_hash::FxHashSet;

/// A state of the path, with the choice that led to it.
struct OnPath {
    state: usize,
    choice: Vec<bool>,
    is_examined: bool,
}

impl Omg {
    /// Decides `E [p V q]` in a state, and labels abstract states with the answer (`HandleEV`).
    pub(super) fn decide_ev(
        &mut self,
        state: usize,
        formula: Formula,
        p: Formula,
        q: Formula,
    ) -> Result<bool, Exhausted> {
        let mut path = vec![OnPath { state, choice: Vec::new(), is_examined: false }];
        while let Some(last) = path.last() {
            self.budget.spend(1)?;
            let state = last.state;
            match self.known(state, formula)? {
                Some(true) => {
                    self.strengthen_witness(&path, formula)?;
                    return Ok(true);
                }
                Some(false) => {
                    path.pop();
                    continue;
                }
                None => {}
            }
            if !last.is_examined {
                self.examined += 1;
                self.classify(state)?;
                let value = if !self.holds(state, q)? {
                    Some(false)
                } else if self.holds(state, p)? {
                    Some(true)
                } else {
                    None
                };
                if let Some(value) = value {
                    let leaf = self.leaf(state);
                    self.label(leaf, formula, value, None);
                    continue;
                }
                path.last_mut().expect("not empty").is_examined = true;
                if self.close_lasso(&mut path, formula)? {
                    continue;
                }
            }
            let refuted = self.labelled(formula, false).next;
            if let Some(choice) = self.choice_to(state, &[!refuted])? {
                let next = self.successor(state, &choice)?;
                self.budget.charge(choice.len() + size_of::<OnPath>())?;
                path.push(OnPath { state: next, choice, is_examined: false });
            } else {
                let part = self.split_lacks(state, !refuted)?;
                self.label(part, formula, false, None);
            }
        }
        Ok(false)
    }

    /// If the path comes back to an abstract state: labels the lasso, or splits until there is none
    /// (`IndEV`). Then the path is cut to end in a labelled state.
    fn close_lasso(&mut self, path: &mut Vec<OnPath>, formula: Formula) -> Result<bool, Exhausted> {
        let last = path.len() - 1;
        let end = path[last].state;
        loop {
            self.budget.spend(last + 1)?;
            let leaf = self.leaf(end);
            let mut from = None;
            for (at, on_path) in path[..last].iter().enumerate() {
                let state = on_path.state;
                if self.leaf(state) == leaf {
                    from = Some(at);
                }
            }
            let Some(from) = from else { return Ok(false) };
            let mut lasso: Vec<Region> = Vec::new();
            for on_path in &path[from..last] {
                let state = on_path.state;
                lasso.push(self.leaf(state));
            }
            lasso.sort_unstable();
            lasso.dedup();
            let within: FxHashSet<Region> = lasso.iter().copied().collect();
            let targets = self.targets(&lasso);
            let inside = self.into(&targets);
            let mut is_closed = true;
            for &leaf in &lasso {
                if self.options.facts && self.facts.is_must(leaf, &within, &self.abstraction) {
                    continue;
                }
                let into = self.possible(leaf, &targets, inside);
                match self.must(leaf, into)? {
                    Ok(()) => {
                        if self.options.facts {
                            self.facts.record_must(leaf, Targets::new(targets.clone()));
                        }
                    }
                    Err(cube) => {
                        let part = self.split_by(leaf, Cubes::one(cube))?;
                        if self.options.facts {
                            self.facts.record_no_step(part, Targets::new(targets.clone()));
                        }
                        is_closed = false;
                        break;
                    }
                }
            }
            if is_closed {
                for leaf in lasso {
                    self.label(leaf, formula, true, Some(inside));
                }
                path.truncate(from + 1);
                return Ok(true);
            }
        }
    }

    /// The states after a step into one of the regions.
    fn into(&mut self, regions: &[Region]) -> SatLit {
        let next: Vec<SatLit> = regions.iter().map(|&region| self.abstraction.member(region).next).collect();
        self.relation.any(&next)
    }

    /// The same without the regions that no step from the leaf leads to, as far as that is known.
    fn possible(&mut self, leaf: Region, regions: &[Region], inside: SatLit) -> SatLit {
        if !self.options.facts {
            return inside;
        }
        let is_possible = |&to: &Region| !self.facts.is_no_step(leaf, to, &self.abstraction);
        let possible: Vec<Region> = regions.iter().copied().filter(is_possible).collect();
        if possible.len() == regions.len() { inside } else { self.into(&possible) }
    }

    /// Labels the states on a path whose last state is labelled (`StrengthenTrace`).
    fn strengthen_witness(&mut self, path: &[OnPath], formula: Formula) -> Result<(), Exhausted> {
        for pair in path.windows(2).rev() {
            let leaf = self.leaf(pair[1].state);
            let to = self.abstraction.member(leaf).next;
            let part = self.split_has(pair[0].state, &pair[1].choice, to)?;
            self.label(part, formula, true, Some(to));
            if self.options.facts {
                self.facts.record_must(part, Targets::new(vec![leaf]));
            }
        }
        Ok(())
    }
}
