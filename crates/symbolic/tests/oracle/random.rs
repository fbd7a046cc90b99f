//! Random systems and queries.

use super::Oracle;
use loris_base::Rng;
use loris_circuit::{Lit, StateVar, TransitionSystem};
use loris_logic::{Core, CtlCore, RandomCtl};

/// Which systems to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Steps may be constrained.
    pub(crate) constraints: bool,
    /// Paths may be restricted to fair ones.
    pub(crate) fairness: bool,
    /// Runs may end: there may be reachable states without a step.
    pub(crate) dead_ends: bool,
}

/// A random gate over a pool of literals.
fn gate(system: &mut TransitionSystem, pool: &[Lit], rng: &mut Rng) -> Lit {
    let mut draw = || pool[rng.below(pool.len())].negated_if(rng.chance(0.5));
    let (a, b, c) = (draw(), draw(), draw());
    match rng.below(4) {
        0 => system.aig.xor(a, b),
        1 => system.aig.choose(a, b, c),
        _ => system.aig.and(a, b),
    }
}

/// A system of one to five state variables and up to three choices, with three observed functions.
pub(crate) fn random_system(rng: &mut Rng, shape: Shape) -> TransitionSystem {
    let mut system = TransitionSystem::default();
    let states: Vec<Lit> = (0..=rng.below(5)).map(|_| system.aig.variable()).collect();
    let choices: Vec<Lit> = (0..rng.below(4)).map(|_| system.aig.variable()).collect();
    let mut pool = states.clone();
    for _ in 0..rng.below(6) {
        let made = gate(&mut system, &pool, rng);
        pool.push(made);
    }
    let mut steps = pool.clone();
    steps.extend(&choices);
    for _ in 0..rng.below(10) {
        let made = gate(&mut system, &steps, rng);
        steps.push(made);
    }
    let any = |rng: &mut Rng, pool: &[Lit]| pool[rng.below(pool.len())].negated_if(rng.chance(0.5));
    system.observed = (0..3).map(|_| any(rng, &pool)).collect();
    let free = rng.chance(0.3);
    for &now in &states {
        // sometimes a choice is the next value as such, as for relations
        let next = if free && !choices.is_empty() && rng.chance(0.5) {
            choices[rng.below(choices.len())]
        } else if rng.chance(0.05) {
            Lit::constant(rng.chance(0.5))
        } else {
            any(rng, &steps)
        };
        system.states.push(StateVar { now, next });
    }
    system.choices = choices;
    for &now in &states {
        if rng.chance(0.6) {
            system.init.push(now.negated_if(rng.chance(0.7)));
        }
    }
    if rng.chance(0.2) {
        let lit = any(rng, &pool);
        system.init.push(lit);
    }
    if shape.fairness && rng.chance(0.6) {
        system.justice = (0..rng.below(3)).map(|_| any(rng, &pool)).collect();
        system.compassion = (0..rng.below(3)).map(|_| (any(rng, &pool), any(rng, &pool))).collect();
    }
    if shape.constraints && rng.chance(0.4) {
        system.constraints = (0..=rng.below(2)).map(|_| any(rng, &steps)).collect();
        while !shape.dead_ends && !Oracle::new(&system).is_total() {
            system.constraints.pop();
        }
    }
    system
}

/// A random formula with a function of states for each of its atoms.
pub(crate) fn random_query(rng: &mut Rng, system: &TransitionSystem) -> (CtlCore, Vec<Lit>) {
    let random = RandomCtl::new(rng.below(4) as u32);
    let core = Core::new(&random.generate(rng)).expect("CTL");
    let core = if rng.chance(0.5) { core } else { core.negated() };
    let atoms = core.atoms().iter().map(|_| {
        let lit = system.observed[rng.below(system.observed.len())];
        lit.negated_if(rng.chance(0.2))
    });
    let atoms = atoms.collect();
    (core, atoms)
}
