//! A reduced system has the same runs as the whole, as far as observed functions go.

use loris_base::Rng;
use loris_circuit::{Lit, RunStep, StateVar, SystemRun, TransitionSystem};

/// A random system with constants, equal variables and variables that nothing asks for.
fn random(rng: &mut Rng) -> TransitionSystem {
    let mut system = TransitionSystem::default();
    let states: Vec<Lit> = (0..=rng.below(6)).map(|_| system.aig.variable()).collect();
    system.choices = (0..rng.below(3)).map(|_| system.aig.variable()).collect();
    let mut lits: Vec<Lit> = states.iter().chain(&system.choices).copied().chain([Lit::FALSE]).collect();
    let mut of_states: Vec<Lit> = states.clone();
    for _ in 0..rng.below(8) {
        let mut pick = |from: &[Lit]| from[rng.below(from.len())].negated_if(rng.chance(0.5));
        let (a, b, c, d) = (pick(&lits), pick(&lits), pick(&of_states), pick(&of_states));
        lits.push(system.aig.and(a, b));
        of_states.push(system.aig.and(c, d));
    }
    let mut previous = lits[0];
    for &now in &states {
        // one in three has the same next value as another
        let next =
            if rng.chance(0.3) { previous } else { lits[rng.below(lits.len())].negated_if(rng.chance(0.5)) };
        previous = next;
        system.states.push(StateVar { now, next });
        if rng.chance(0.8) {
            system.init.push(now.negated_if(rng.chance(0.7)));
        }
    }
    if rng.chance(0.2) {
        system.init.push(of_states[rng.below(of_states.len())]);
    }
    if rng.chance(0.3) {
        system.constraints.push(lits[rng.below(lits.len())].negated_if(rng.chance(0.5)));
    }
    system.observed =
        (0..2).map(|_| of_states[rng.below(of_states.len())].negated_if(rng.chance(0.5))).collect();
    system
}

fn bits(mut number: usize, count: usize) -> Vec<bool> {
    let mut bits = Vec::with_capacity(count);
    for _ in 0..count {
        bits.push(number & 1 == 1);
        number >>= 1;
    }
    bits
}

/// What can be observed along all runs of this many steps.
fn words(system: &TransitionSystem, steps: usize) -> Vec<Vec<Vec<bool>>> {
    let look =
        |state: &[bool]| system.observed.iter().map(|&lit| system.holds(lit, state, &[])).collect::<Vec<_>>();
    let all = (0..1usize << system.states.len()).map(|at| bits(at, system.states.len()));
    let mut runs: Vec<(Vec<bool>, Vec<Vec<bool>>)> = all
        .filter(|state| system.is_initial(state))
        .map(|state| (state.clone(), vec![look(&state)]))
        .collect();
    for _ in 0..steps {
        let mut longer = Vec::new();
        for (state, word) in runs {
            for at in 0..1usize << system.choices.len() {
                let choice = bits(at, system.choices.len());
                if system.allows(&state, &choice) {
                    let to = system.step(&state, &choice);
                    let mut word = word.clone();
                    word.push(look(&to));
                    longer.push((to, word));
                }
            }
        }
        longer.sort();
        longer.dedup();
        runs = longer;
    }
    let mut words: Vec<_> = runs.into_iter().map(|(_, word)| word).collect();
    words.sort();
    words.dedup();
    words
}

#[test]
fn reduced_systems_show_the_same_words_and_their_runs_extend() {
    let mut rng = Rng::new(3);
    let mut smaller = 0;
    for _ in 0..2000 {
        let whole = random(&mut rng);
        let cone = whole.reduced();
        smaller += usize::from(cone.system.states.len() < whole.states.len());
        assert_eq!(words(&whole, 3), words(&cone.system, 3), "{whole:?}");
        // a random run of the reduced system
        let all = (0..1usize << cone.system.states.len()).map(|at| bits(at, cone.system.states.len()));
        let Some(mut state) = all.into_iter().find(|state| cone.system.is_initial(state)) else { continue };
        let mut trace = SystemRun { steps: Vec::new(), back_to: None };
        for _ in 0..4 {
            let choice = bits(rng.below(4), cone.system.choices.len());
            trace.steps.push(RunStep { state: state.clone(), choice: choice.clone() });
            if !cone.system.allows(&state, &choice) {
                break;
            }
            state = cone.system.step(&state, &choice);
        }
        let extended = cone.extend(&whole, &trace);
        // initial conditions beyond resets may concern what was dropped only if they are kept: then
        // it is a run
        assert!(whole.is_run(&extended, true), "{whole:?}");
        for (at, step) in trace.steps.iter().enumerate() {
            for (&seen, &of_whole) in cone.system.observed.iter().zip(&whole.observed) {
                let (small, large) = (&step.state, &extended.steps[at].state);
                assert_eq!(cone.system.holds(seen, small, &[]), whole.holds(of_whole, large, &[]));
            }
        }
    }
    assert!(smaller > 500, "{smaller}");
}
