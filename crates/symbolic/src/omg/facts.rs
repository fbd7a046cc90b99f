//! What is known about steps between abstract states.
//!
//! Facts are about nodes of the tree of splits: a fact about a node is true for all its parts, and a
//! node as a target is the union of its parts. So no split changes a fact, and none is lost by one.

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

/// So many facts of a kind are kept for a region: the newest.
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

#[cfg(test)]
mod tests {
    use super::super::abstraction::Cubes;
    use super::super::{Omg, OmgOptions};
    use super::{Facts, Region, Targets};
    use loris_base::Rng;
    use loris_circuit::{Lit, StateVar, System};
    use rustc_hash::FxHashSet;

    const VARIABLES: usize = 4;
    const CHOICES: usize = 2;

    fn random_system(rng: &mut Rng) -> System {
        let mut system = System::default();
        let now: Vec<Lit> = (0..VARIABLES).map(|_| system.aig.variable()).collect();
        system.choices = (0..CHOICES).map(|_| system.aig.variable()).collect();
        let mut pool: Vec<Lit> = now.iter().chain(&system.choices).copied().collect();
        for _ in 0..12 {
            let mut any = || pool[rng.below(pool.len())].negated_if(rng.chance(0.5));
            let (a, b) = (any(), any());
            let gate = system.aig.and(a, b);
            pool.push(gate);
        }
        for now in now {
            let next = pool[rng.below(pool.len())].negated_if(rng.chance(0.5));
            system.states.push(StateVar { now, next });
        }
        system
    }

    /// A system with the regions of all its states and their successors.
    struct Checked {
        omg: Omg,
        states: Vec<Vec<bool>>,
        successors: Vec<Vec<usize>>,
    }

    impl Checked {
        fn new(system: &System) -> Self {
            let bits =
                |number: usize, count| (0..count).map(|at| number >> at & 1 == 1).collect::<Vec<bool>>();
            let states: Vec<Vec<bool>> = (0..1 << VARIABLES).map(|state| bits(state, VARIABLES)).collect();
            let number =
                |state: &[bool]| state.iter().rev().fold(0, |number, &bit| 2 * number + usize::from(bit));
            let successors = states.iter().map(|state| {
                (0..1 << CHOICES).map(|choice| number(&system.step(state, &bits(choice, CHOICES)))).collect()
            });
            let successors = successors.collect();
            Self { omg: Omg::new(system, OmgOptions::default()), states, successors }
        }

        fn leaf(&self, state: usize) -> Region {
            let omg = &self.omg;
            omg.abstraction.leaf(super::Abstraction::ALL, &self.states[state], &omg.system, &omg.knowledge)
        }

        fn is_in(&self, state: usize, regions: &[Region]) -> bool {
            self.omg.abstraction.ancestors(self.leaf(state)).any(|region| regions.contains(&region))
        }

        /// For each state of a region, which of its successors are in a set.
        fn steps(&self, of: Region, to: &[Region]) -> Vec<Vec<bool>> {
            let states = (0..self.states.len()).filter(|&state| self.is_in(state, &[of]));
            let into =
                |state: usize| self.successors[state].iter().map(|&next| self.is_in(next, to)).collect();
            states.map(into).collect()
        }

        fn closed(&self, of: Region, to: &[Region]) -> bool {
            self.steps(of, to).iter().flatten().all(|&within| within)
        }

        fn must(&self, of: Region, to: &[Region]) -> bool {
            self.steps(of, to).iter().all(|steps| steps.contains(&true))
        }

        fn no_step(&self, of: Region, to: &[Region]) -> bool {
            !self.steps(of, to).iter().flatten().any(|&within| within)
        }

        fn leaves(&self) -> Vec<Region> {
            self.omg.abstraction.leaves().map(|(leaf, _)| leaf).collect()
        }

        fn some_leaves(&self, rng: &mut Rng) -> Vec<Region> {
            self.leaves().into_iter().filter(|_| rng.chance(0.5)).collect()
        }
    }

    #[test]
    fn facts_stay_true_when_regions_are_split() {
        let (mut closures, mut musts, mut no_steps) = (0, 0, 0);
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let mut checked = Checked::new(&random_system(&mut rng));
            let mut facts = Facts::default();
            for _ in 0..10 {
                let leaves = checked.leaves();
                let leaf = leaves[rng.below(leaves.len())];
                let cube = (0..VARIABLES as u32).filter(|_| rng.chance(0.4));
                let cube: Vec<(u32, bool)> = cube.map(|at| (at, seed >> at & 1 == 1)).collect();
                checked.omg.split_by(leaf, Cubes::one(cube)).expect("no limit");
                // what is true now is recorded
                for leaf in checked.leaves() {
                    let targets = checked.some_leaves(&mut rng);
                    let unified = checked.omg.abstraction.unified(&targets);
                    assert!(
                        (0..checked.states.len())
                            .all(|state| checked.is_in(state, &unified) == checked.is_in(state, &targets))
                    );
                    let to = Targets::new(unified);
                    if checked.closed(leaf, &targets) {
                        facts.record_closure(leaf, to);
                    } else if checked.no_step(leaf, &targets) {
                        facts.record_no_step(leaf, to);
                    } else if checked.must(leaf, &targets) {
                        facts.record_must(leaf, to);
                    }
                }
                // what is known is true
                for leaf in checked.leaves() {
                    let targets = checked.some_leaves(&mut rng);
                    let within: FxHashSet<Region> = targets.iter().copied().collect();
                    let tree = &checked.omg.abstraction;
                    if facts.is_closed(leaf, &within, None, tree) {
                        assert!(checked.closed(leaf, &targets));
                        closures += 1;
                    }
                    if facts.is_must(leaf, &within, tree) {
                        assert!(checked.must(leaf, &targets));
                        musts += 1;
                    }
                    for &to in targets.iter().filter(|&&to| facts.is_no_step(leaf, to, tree)) {
                        assert!(checked.no_step(leaf, &[to]));
                        no_steps += 1;
                    }
                }
                for (kind, facts) in [&facts.closures, &facts.musts, &facts.no_steps].into_iter().enumerate()
                {
                    for (&of, targets) in
                        facts.iter().flat_map(|(of, all)| all.iter().map(move |one| (of, one)))
                    {
                        let is_true = [Checked::closed, Checked::must, Checked::no_step][kind];
                        assert!(is_true(&checked, of, &targets.regions));
                    }
                }
            }
        }
        assert!(closures > 100 && musts > 100 && no_steps > 100, "{closures} {musts} {no_steps}");
    }
}
