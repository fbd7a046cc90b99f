//! Strategies on random processes: all are confirmed by replay, and changed ones are not taken for
//! more than they show.

mod common;

use common::{Shape, cases, describe, formula, naive, system};
use loris_base::{Budget, Rng, Truth};
use loris_evidence::{Certificate, Results, Strategy, Unreplayed, global_state, replay_strategy};
use loris_json::json_quoted;
use loris_logic::mu::parse;
use loris_lts::{GlobalState, ProcessKind, System};
use loris_modular::{SystemQuestion, winning_strategy};

/// Whether replay confirms a strategy for a verdict.
fn confirmed(
    system: &System,
    text: &str,
    holds: bool,
    strategy: Strategy<GlobalState>,
) -> Result<(), Unreplayed> {
    let strategy = Certificate::Strategy(strategy);
    let mut json = String::new();
    strategy.write_json_with(system, &mut json).expect("a string takes everything");
    let word = if holds { "holds" } else { "fails" };
    let quoted = json_quoted(text);
    let json = format!(
        "{{\"property\": {quoted}, \"logic\": \"mu\", \"verdict\": \"{word}\", \"evidence\": {json}, \
         \"dead_ends\": \"maximal\"}}"
    );
    let budget = &mut Budget::unlimited();
    let results = Results::read(&json, budget).expect("results are read");
    let found = results
        .evidence_by_values(|_, values| global_state(system, values), budget)
        .expect("evidence is read");
    let Certificate::Strategy(strategy) = &found[0] else { panic!("a strategy was written") };
    let formula = parse(text).expect("printed formulas are well-formed");
    replay_strategy(system, &formula, holds, strategy, budget).map(|_| ())
}

#[test]
fn strategies_are_confirmed_and_forged_ones_refused() {
    let mut rng = Rng::new(7);
    let (mut shown, mut refused) = (0, 0);
    for case in 0..cases(400) {
        let kind = if rng.chance(0.5) { ProcessKind::Kripke } else { ProcessKind::Lts };
        let partial = rng.chance(0.3);
        let processes = 1 + rng.below(3);
        let system = system(&mut rng, Shape { kind, processes, states: 4, partial });
        let size = 2 + rng.below(12);
        // as it is read: without constants
        let formula = formula(&mut rng, &system, size).to_string();
        let formula = parse(&formula).expect("printed formulas are well-formed");
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        let text = formula.to_string();
        let shows = match expected {
            Truth::True => formula.to_string(),
            Truth::False => formula.negated().to_string(),
            Truth::Unknown => continue,
        };
        let strategy = winning_strategy(&question, &shows, &mut Budget::unlimited()).expect("no limit");
        let strategy = strategy.expect("small games have small strategies");
        let holds = expected == Truth::True;
        let found = confirmed(&system, &text, holds, strategy.clone());
        assert_eq!(found, Ok(()), "case {case}: {text}\n{strategy:?}\n{}", describe(&system));
        shown += 1;
        // the same strategy is none for the other verdict
        let mut other = strategy.clone();
        other.shows = if holds { formula.negated().to_string() } else { text.clone() };
        let found = confirmed(&system, &text, !holds, other);
        assert!(found.is_err(), "case {case}: {text}\n{}", describe(&system));
        // whatever is changed, what is confirmed still holds
        if !strategy.moves.is_empty() {
            let mut forged = strategy.clone();
            let place = rng.below(forged.moves.len());
            match rng.below(3) {
                0 => {
                    forged.moves.remove(place);
                }
                1 => forged.moves[place].next = rng.below(forged.formulas.len()),
                _ => forged.moves[place].to = forged.moves[rng.below(forged.moves.len())].from.clone(),
            }
            refused += usize::from(confirmed(&system, &text, holds, forged).is_err());
        }
    }
    assert!(shown > 100 && refused > 20, "{shown} shown, {refused} refused");
}
