//! What is known about steps between abstract states.
//!
//! Facts are about nodes of the tree of splits: a fact about a node is true for all its parts, and
//! a node as a target is the union of its parts. So no split changes a fact, and none is lost by
//! one.

use super::abstraction::{Abstraction, Region};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of states: regions, and for a formula all states that are labelled true.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    pub(super) regions: Vec<Region>,
    pub(super) proved: Option<usize>,
}

impl Targets {
    pub(super) fn new(regions: Vec<Region>) -> Self {
        Self { regions, proved: None }
    }
}

/// The facts of a property.
#[derive(Default)]
pub(super) struct Facts {
    /// every successor of every state lies in the set
    closures: FxHashMap<Region, Vec<Targets>>,
    /// no state has a successor in the set
    no_steps: FxHashMap<Region, Vec<Targets>>,
    /// every state has a successor in the set
    musts: FxHashMap<Region, Vec<Targets>>,
}

/// This many facts of a kind are kept for a region: the newest.
const MOST: usize = 8;

fn record(facts: &mut FxHashMap<Region, Vec<Targets>>, of: Region, targets: Targets) {
    let facts = facts.entry(of).or_default();
    if facts.len() == MOST {
        facts.remove(0);
    }
    facts.push(targets);
}

/// The facts about a region and about those that contain it.
fn about<'f>(
    facts: &'f FxHashMap<Region, Vec<Targets>>,
    of: Region,
    tree: &'f Abstraction,
) -> impl Iterator<Item = &'f Targets> {
    tree.ancestors(of).filter_map(|region| facts.get(&region)).flatten()
}

#[cfg(test)]
impl Facts {
    /// All closures, steps that must be there and steps that are not, in this order.
    pub(super) fn all(&self) -> [Vec<(Region, &Targets)>; 3] {
        [&self.closures, &self.musts, &self.no_steps]
            .map(|facts| facts.iter().flat_map(|(&of, all)| all.iter().map(move |one| (of, one))).collect())
    }
}

impl Facts {
    pub(super) fn record_closure(&mut self, of: Region, targets: Targets) {
        record(&mut self.closures, of, targets);
    }

    pub(super) fn record_no_step(&mut self, of: Region, targets: Targets) {
        record(&mut self.no_steps, of, targets);
    }

    pub(super) fn record_must(&mut self, of: Region, targets: Targets) {
        record(&mut self.musts, of, targets);
    }

    /// Whether it is known that all steps from a leaf lead to these leaves, or to states labelled
    /// with the formula.
    pub(super) fn is_closed(
        &self,
        leaf: Region,
        within: &FxHashSet<Region>,
        formula: Option<usize>,
        tree: &Abstraction,
    ) -> bool {
        about(&self.closures, leaf, tree).any(|targets| {
            (targets.proved.is_none() || targets.proved == formula)
                && tree.is_covered(&targets.regions, within, formula)
        })
    }

    /// Whether it is known that all states of a leaf have a step to these leaves.
    pub(super) fn is_must(&self, leaf: Region, within: &FxHashSet<Region>, tree: &Abstraction) -> bool {
        let mut facts = about(&self.musts, leaf, tree);
        facts.any(|targets| targets.proved.is_none() && tree.is_covered(&targets.regions, within, None))
    }

    /// Whether it is known that no state of a leaf has a step to a region.
    pub(super) fn is_no_step(&self, leaf: Region, to: Region, tree: &Abstraction) -> bool {
        about(&self.no_steps, leaf, tree)
            .any(|targets| tree.ancestors(to).any(|region| targets.regions.contains(&region)))
    }
}
