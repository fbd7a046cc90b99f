//! Strategies on random components: all are confirmed by replay, and changed ones are not taken for
//! more than they show.

#[path = "../../modular/tests/common/mod.rs"]
mod common;

use common::{Shape, cases, describe, formula, naive, system};
use loris_base::{Budget, Rng, Truth};
use loris_evidence::{Certificate, Results};
use loris_json::json_quoted;
use loris_load::ParallelModel;
use loris_load::replay::{ComponentSubject, Unverified};
use loris_logic::mu::{DeadEnds, parse};
use loris_lts::Kind;
use loris_modular::{GlobalState, Question, System, winning_strategy};
use std::sync::Arc;

/// Whether replay confirms a strategy for a verdict.
fn confirmed(
    (subject, system): (&ComponentSubject, &System),
    text: &str,
    holds: bool,
    strategy: &Certificate<GlobalState>,
) -> Result<(), Unverified> {
    let mut json = String::new();
    strategy.write_json_with(system, &mut json).expect("a string takes everything");
    let word = if holds { "holds" } else { "fails" };
    let text = json_quoted(text);
    let json = format!(
        "{{\"property\": {text}, \"logic\": \"mu\", \"verdict\": \"{word}\", \"evidence\": {json}, \
         \"dead_ends\": \"maximal\"}}"
    );
    let budget = &mut Budget::unlimited();
    let results = Results::read(&json, budget).expect("results are read");
    let found = results
        .evidence_by_values(|stated, values| subject.state(stated, values), budget)
        .expect("evidence is read");
    subject.verify(&results.stated[0], &found[0], budget).map(|_| ())
}

#[test]
fn strategies_are_confirmed_and_forged_ones_refused() {
    let mut rng = Rng::new(7);
    let (mut shown, mut refused) = (0, 0);
    for case in 0..cases(400) {
        let kind = if rng.chance(0.5) { Kind::Kripke } else { Kind::Lts };
        let partial = rng.chance(0.3);
        let parts = 1 + rng.below(3);
        let system = Arc::new(system(&mut rng, Shape { kind, parts, states: 4, partial }));
        let size = 2 + rng.below(12);
        // as it is read: without constants
        let formula = formula(&mut rng, &system, size).to_string();
        let formula = parse(&formula).expect("printed formulas are well-formed");
        let question = Question::new(&system, &formula, false).expect("names are known");
        let expected = naive(&question);
        let text = formula.to_string();
        let shows = match expected {
            Truth::True => formula.to_string(),
            Truth::False => formula.negated().to_string(),
            Truth::Unknown => continue,
        };
        let strategy = winning_strategy(&question, &shows, &mut Budget::unlimited()).expect("no limit");
        let strategy = strategy.expect("small games have small strategies");
        let model = ParallelModel { system: Arc::clone(&system), dead_ends: DeadEnds::Maximal };
        let subject = (&ComponentSubject::new(model), &*system);
        let holds = expected == Truth::True;
        let certificate = Certificate::Strategy(strategy.clone());
        let found = confirmed(subject, &text, holds, &certificate);
        assert_eq!(found, Ok(()), "case {case}: {text}\n{strategy:?}\n{}", describe(&system));
        shown += 1;
        // the same strategy is none for the other verdict
        let mut other = strategy.clone();
        other.shows = if holds { formula.negated().to_string() } else { text.clone() };
        let found = confirmed(subject, &text, !holds, &Certificate::Strategy(other));
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
            refused += usize::from(confirmed(subject, &text, holds, &Certificate::Strategy(forged)).is_err());
        }
    }
    assert!(shown > 100 && refused > 20, "{shown} shown, {refused} refused");
}
