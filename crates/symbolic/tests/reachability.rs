//! `pdr` and `bmc` against the explicit oracle, on random systems; limits; invariants re-checked.

mod oracle;

use loris_base::{Budget, Exhausted, Rng};
use loris_circuit::Lit;
use loris_logic::{Core, parse};
use loris_symbolic::{Paused, Query, SystemOutcome, bmc, pdr};
use oracle::{Oracle, Shape, random_system};

/// A random boolean combination of atoms and steps, never negating a step.
fn goal(rng: &mut Rng, depth: u32) -> String {
    match rng.below(if depth == 0 { 2 } else { 5 }) {
        0 => format!("p{}", rng.below(3)),
        1 => format!("!p{}", rng.below(3)),
        2 => format!("E X ({})", goal(rng, depth - 1)),
        3 => format!("({} & {})", goal(rng, depth - 1), goal(rng, depth - 1)),
        _ => format!("({} | {})", goal(rng, depth - 1), goal(rng, depth - 1)),
    }
}

#[test]
fn both_engines_agree_with_the_oracle() {
    let cases: u64 = loris_testing::cases(3000);
    let (mut decided, mut invariants) = (0u64, 0u64);
    for case in 0..cases {
        let mut rng = Rng::new(case);
        let system = random_system(&mut rng, Shape { constraints: true, fairness: false, dead_ends: false });
        let goal = goal(&mut rng, 3);
        let text = match rng.below(4) {
            0 => goal,
            1 => format!("!({goal})"),
            2 => format!("E F ({goal})"),
            _ => format!("!E F ({goal})"),
        };
        let core = Core::new(&parse(&text).expect("well-formed")).expect("CTL");
        let atoms: Vec<Lit> = core.atoms().iter().map(|_| system.observed[rng.below(3)]).collect();
        let query = Query { core: &core, atoms: &atoms };
        let oracle = Oracle::new(&system);
        let by_pdr = pdr::check(&system, &query, &mut Budget::unlimited()).expect("no limit");
        // where there is nothing to find, it may not see that
        let by_bmc = bmc::check(&system, &query, &mut Budget::steps(1_000_000));
        let by_bmc = by_bmc.unwrap_or_else(|_| {
            let Some(SystemOutcome { witness: None, .. }) = &by_pdr else { panic!("there is a run to find") };
            None
        });
        let lengths = [&by_pdr, &by_bmc]
            .map(|outcome| outcome.as_ref()?.witness.as_ref().map(|witness| witness.trace.steps.len()));
        assert!(lengths[0].is_none() || lengths[0] >= lengths[1], "bmc finds a shortest run");
        for mut outcome in [by_pdr, by_bmc].into_iter().flatten() {
            if outcome.witness.is_none() {
                let invariant = pdr::invariant(&system, &query, &mut Budget::unlimited());
                outcome.invariant = invariant.expect("no limit");
            }
            oracle.check(&system, &core, &atoms, &outcome);
            decided += 1;
            invariants += u64::from(outcome.invariant.is_some());
        }
        let few = Budget::steps(rng.below(2000) as u64);
        if let Ok(Some(outcome)) = pdr::check(&system, &query, &mut few.clone()) {
            oracle.check(&system, &core, &atoms, &outcome);
        }
    }
    assert!(decided > cases && invariants > cases / 20, "{decided} {invariants}");
}

/// An engine that goes on where a limit ended its last turn, which may be within any query.
#[test]
fn turns_do_not_change_answers() {
    let cases: u64 = loris_testing::cases(1500);
    let (mut in_turns, mut most) = (0u64, 0);
    for case in 0..cases {
        let mut rng = Rng::new(case);
        let system = random_system(&mut rng, Shape { constraints: true, fairness: false, dead_ends: false });
        let negation = if rng.chance(0.5) { "" } else { "!" };
        let text = format!("{negation}E F ({})", goal(&mut rng, 2));
        let core = Core::new(&parse(&text).expect("well-formed")).expect("CTL");
        let atoms: Vec<Lit> = core.atoms().iter().map(|_| system.observed[rng.below(3)]).collect();
        let query = Query { core: &core, atoms: &atoms };
        let oracle = Oracle::new(&system);
        let mut check = |outcome: Result<Option<SystemOutcome>, Exhausted>, turns: u64| {
            if let Ok(Some(outcome)) = outcome {
                oracle.check(&system, &core, &atoms, &outcome);
                in_turns += u64::from(turns > 1);
                most = most.max(turns);
            }
        };
        // limits are looked at every 4096 steps: the first look is to come soon, within any query;
        // turns grow, since a turn that does not end with a clause was for nothing
        let mut turn = |turns: u64| {
            let mut budget = Budget::steps(0);
            let steps = rng.below(8 * turns as usize + 200);
            budget.spend(4095_usize.saturating_sub(steps)).expect("no look yet");
            budget
        };
        let (mut paused, mut turns) = (Paused::default(), 1);
        let outcome = loop {
            match pdr::resume(&system, &query, &mut paused, &mut turn(turns)) {
                Err(Exhausted::Time) if turns < 1000 => turns += 1,
                found => break found,
            }
        };
        assert!(outcome.is_ok(), "each turn gets on");
        check(outcome, turns);
        let (mut paused, mut turns) = (Paused::default(), 1);
        let outcome = loop {
            match bmc::resume(&system, &query, &mut paused, &mut turn(turns)) {
                // where there is nothing to find, it may not see that
                Err(Exhausted::Time) if turns < 200 => turns += 1,
                found => break found,
            }
        };
        check(outcome, turns);
    }
    assert!(in_turns > cases / 4 && most > 5, "{in_turns} {most}");
}
