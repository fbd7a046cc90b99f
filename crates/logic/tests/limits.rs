//! Automata within budgets: translated from formulas and read from files. Whatever the limit, the
//! work ends with what ran out, and with less of it than the whole takes.
#![allow(clippy::unwrap_used, missing_docs)]

use loris_base::{Budget, Exhausted, Stopped};
use loris_logic::automaton::{parse_hoa_within, translate};
use loris_logic::{ltl, parse};
use std::fmt::Write;

/// Does a piece of work without limits, then with parts of the memory and of the time it took.
/// Returns the most bytes it held, and those that are left.
fn check<T>(what: &str, work: impl Fn(&mut Budget) -> Result<T, Stopped>) -> (usize, usize) {
    let mut budget = Budget::unlimited();
    assert!(work(&mut budget).is_ok(), "{what}");
    let (peak, spent) = (budget.peak(), budget.spent());
    assert!(peak > 0 && spent > 0, "{what}: {peak} bytes, {spent} steps");
    let exhausted = |budget: &mut Budget| match work(budget) {
        Err(Stopped::Exhausted(exhausted)) => Some(exhausted),
        Err(Stopped::Wrong(problems)) => panic!("{problems:?}"),
        Ok(_) => None,
    };
    for part in 0..8 {
        let found = exhausted(&mut Budget::new(None, Some(peak / 8 * part)));
        assert_eq!(found, Some(Exhausted::Memory), "{what}: {part}/8 of {peak} bytes");
        // time is looked at every few thousand steps
        let steps = (spent / 8 * part as u64).saturating_sub(5000);
        if steps > 0 {
            let found = exhausted(&mut Budget::steps(steps));
            assert_eq!(found, Some(Exhausted::Time), "{what}: {steps} of {spent} steps");
        }
    }
    (peak, budget.used())
}

#[test]
fn translations() {
    let many = |count: usize, term: &dyn Fn(usize) -> String, join: &str| {
        (0..count).map(term).collect::<Vec<_>>().join(join)
    };
    for text in [
        many(5, &|i| format!("(p{i} U q{i})"), " & "),
        many(4, &|i| format!("(G F p{i} -> G F q{i})"), " & "),
        format!("G ({})", many(5, &|i| format!("(p{i} -> F q{i})"), " & ")),
        format!("!({})", many(3, &|i| format!("(p{i} U (q{i} R (p{i} U q)))"), " & ")),
        format!("F !(p <-> {}p)", "X ".repeat(7)),
    ] {
        let (formula, _) = ltl(&parse(&text).unwrap()).unwrap();
        let work = |budget: &mut Budget| Ok(translate(&formula, budget)?);
        let (_, left) = check(&text, work);
        // only the automaton stays
        assert_eq!(left, work(&mut Budget::unlimited()).unwrap().bytes(), "{text}");
    }
}

/// An automaton of this many states and acceptance sets, each on one edge in this many.
fn hoa(states: usize, sets: usize) -> String {
    let all: Vec<String> = (0..sets).map(|set| format!("Inf({set})")).collect();
    let mut text = format!(
        "HOA: v1\nStates: {states}\nStart: 0\nAP: 2 \"p\" \"q\"\nAcceptance: {sets} {}\n--BODY--\n",
        all.join("&")
    );
    for state in 0..states {
        let (next, set) = ((state + 1) % states, state % sets);
        writeln!(text, "State: {state}\n[0 & !1] {next} {{{set}}}\n[!0 | 1] {state}").unwrap();
    }
    text + "--END--\n"
}

#[test]
fn hoa_files() {
    for sets in [1, 5] {
        let text = hoa(3000, sets);
        let (peak, _) = check("a file", |budget| parse_hoa_within(&text, budget));
        let hoa = parse_hoa_within(&text, &mut Budget::unlimited()).unwrap();
        assert!(peak > 2 * hoa.buchi.bytes().min(hoa.graph.edges.len() * 100), "{peak} bytes");
    }
}
