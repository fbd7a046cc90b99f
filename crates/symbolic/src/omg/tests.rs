//! Facts, splits and the must test against all states of small random systems.

use super::abstraction::{Abstraction, Cubes, Region};
use super::facts::{Facts, Targets};
use super::{Omg, OmgOptions, Splitting};
use crate::relation::Cube;
use loris_base::Rng;
use loris_circuit::{Lit, StateVar, TransitionSystem};
use rustc_hash::FxHashSet;

const VARIABLES: usize = 4;
const CHOICES: usize = 2;

fn random_system(rng: &mut Rng) -> TransitionSystem {
    let mut system = TransitionSystem::default();
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

fn random_cube(rng: &mut Rng) -> Cube {
    let at = (0..VARIABLES as u32).filter(|_| rng.chance(0.4)).collect::<Vec<_>>();
    at.into_iter().map(|at| (at, rng.chance(0.5))).collect()
}

/// A system with the regions of all its states and their successors.
struct Checked {
    omg: Omg,
    states: Vec<Vec<bool>>,
    successors: Vec<Vec<usize>>,
}

impl Checked {
    fn new(system: &TransitionSystem, options: OmgOptions) -> Self {
        let bits = |number: usize, count| (0..count).map(|at| number >> at & 1 == 1).collect::<Vec<bool>>();
        let states: Vec<Vec<bool>> = (0..1 << VARIABLES).map(|state| bits(state, VARIABLES)).collect();
        let number =
            |state: &[bool]| state.iter().rev().fold(0, |number, &bit| 2 * number + usize::from(bit));
        let successors = states.iter().map(|state| {
            (0..1 << CHOICES).map(|choice| number(&system.step(state, &bits(choice, CHOICES)))).collect()
        });
        let successors = successors.collect();
        Self { omg: Omg::new(system, options), states, successors }
    }

    fn leaf(&self, state: usize) -> Region {
        let omg = &self.omg;
        let values = &self.states[state];
        omg.abstraction.leaf(Abstraction::ALL, values, &omg.system, |lit| omg.knowledge.holds(lit, values))
    }

    fn is_in(&self, state: usize, regions: &[Region]) -> bool {
        self.omg.abstraction.ancestors(self.leaf(state)).any(|region| regions.contains(&region))
    }

    /// For each state of a region, which of its successors are in a set.
    fn steps(&self, of: Region, to: &[Region]) -> Vec<Vec<bool>> {
        let states = (0..self.states.len()).filter(|&state| self.is_in(state, &[of]));
        let into = |state: usize| self.successors[state].iter().map(|&next| self.is_in(next, to)).collect();
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
        let mut checked = Checked::new(&random_system(&mut rng), OmgOptions::default());
        let mut facts = Facts::default();
        for _ in 0..10 {
            let leaves = checked.leaves();
            let leaf = leaves[rng.below(leaves.len())];
            checked.omg.split_by(leaf, Cubes::one(random_cube(&mut rng))).expect("no limit");
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
            for (kind, facts) in facts.all().into_iter().enumerate() {
                let is_true = [Checked::closed, Checked::must, Checked::no_step][kind];
                for (of, targets) in facts {
                    assert!(is_true(&checked, of, &targets.regions));
                }
            }
        }
    }
    assert!(closures > 100 && musts > 100 && no_steps > 100, "{closures} {musts} {no_steps}");
}

#[test]
fn splits_and_the_must_test_are_exact_where_they_claim_to_be() {
    let (mut musts, mut violated, mut has, mut lacks) = (0, 0, 0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let splitting = if rng.chance(0.5) { Splitting::Exact } else { Splitting::Cubes };
        let options = OmgOptions { splitting, ..OmgOptions::default() };
        let mut checked = Checked::new(&random_system(&mut rng), options);
        for _ in 0..4 {
            let leaves = checked.leaves();
            let leaf = leaves[rng.below(leaves.len())];
            checked.omg.split_by(leaf, Cubes::one(random_cube(&mut rng))).expect("no limit");
        }
        let (leaves, targets) = (checked.leaves(), checked.some_leaves(&mut rng));
        let leaf = leaves[rng.below(leaves.len())];
        let next: Vec<_> = targets.iter().map(|&to| checked.omg.abstraction.member(to).next).collect();
        let into = checked.omg.relation.any(&next);
        let found = checked.omg.must(leaf, into).expect("no limit");
        assert_eq!(found.is_ok(), checked.must(leaf, &targets));
        musts += u64::from(found.is_ok());
        if let Err(cube) = found {
            let part = checked.omg.split_by(leaf, Cubes::one(cube)).expect("no limit");
            assert!(checked.no_step(part, &targets));
            violated += 1;
        }
        // around a state, the part that has the steps of the state
        let state = rng.below(checked.states.len());
        let values = checked.states[state].clone();
        let number = checked.omg.intern(values);
        if let Some(choice) = checked.omg.choice_to(number, &[into]).expect("no limit") {
            let part = checked.omg.split_has(number, &choice, into).expect("no limit");
            assert!(checked.must(part, &targets) && checked.is_in(state, &[part]));
            has += 1;
        } else {
            let part = checked.omg.split_lacks(number, into).expect("no limit");
            assert!(checked.no_step(part, &targets) && checked.is_in(state, &[part]));
            lacks += 1;
        }
        if splitting == Splitting::Exact {
            // no abstract state of the state's class has both kinds of states
            let leaf = checked.leaf(state);
            assert!(checked.must(leaf, &targets) || checked.no_step(leaf, &targets));
        }
    }
    assert!(musts > 20 && violated > 20 && has > 20 && lacks > 20, "{musts} {violated} {has} {lacks}");
}
