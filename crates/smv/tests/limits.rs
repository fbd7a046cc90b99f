//! States within budgets: whatever the limit, the work ends with what ran out and with less of it
//! than the whole takes; and what is held and done is accounted for, wherever most of it is.

#![allow(clippy::unwrap_used)]

use loris_base::{Budget, Exhausted};
use loris_smv::generate::{Guards, Spelling};
use loris_smv::{Built, Labels, Limits, Stopped, build, read_smv, read_smv_within};
use std::fmt::Write;

fn built(text: &str, budget: &mut Budget) -> Result<Built, Exhausted> {
    let (smv, _) = read_smv(text).unwrap_or_else(|problems| panic!("{text}\n{:?}", problems.sorted()));
    let properties: Vec<_> = smv.program().properties.iter().collect();
    let limits = Limits::default();
    match build(smv.program(), &properties, Labels::All, &limits, budget) {
        Ok(built) => {
            assert_eq!(limits.explored.states(), built.rsm.node_count() + built.rsm.box_count(), "{text}");
            Ok(built)
        }
        Err(Stopped::Exhausted(why)) => Err(why),
        Err(Stopped::Wrong(problems)) => panic!("{text}\n{:?}", problems.sorted()),
    }
}

/// Builds a model without limits, then with parts of the memory and of the steps that took.
#[track_caller]
fn check(text: &str) {
    let mut budget = Budget::unlimited();
    let whole = built(text, &mut budget).unwrap();
    let (states, edges) = (whole.rsm.node_count(), whole.rsm.edge_count());
    let (peak, spent) = (budget.peak(), budget.spent());
    // in the end, both directions of the edges with their places, and four bytes or more a state
    let held = 8 * edges + 12 * states;
    assert!(states > 1000 && edges > 1000, "{text}: {states} states, {edges} edges");
    assert!(peak >= held && budget.used() >= held, "{text}: {peak} bytes accounted, {held} held");
    assert!(spent >= (states + edges) as u64, "{text}: {spent} steps for {states} states, {edges} edges");
    for part in 0..8 {
        let bytes = peak / 8 * part;
        let found = built(text, &mut Budget::new(None, Some(bytes))).err();
        assert_eq!(found, Some(Exhausted::Memory), "{text}: {bytes} of {peak} bytes");
        // time is looked at every few thousand steps
        let steps = (spent / 8 * part as u64).saturating_sub(5000);
        if steps > 0 {
            let found = built(text, &mut Budget::steps(steps)).err();
            assert_eq!(found, Some(Exhausted::Time), "{text}: {steps} of {spent} steps");
        }
    }
}

fn booleans(count: usize) -> String {
    (0..count).fold(String::from("MODULE main VAR "), |text, i| text + &format!("b{i} : boolean; "))
}

/// A model whose states differ in what is asked costs little more than without a look at that.
#[test]
fn nothing_is_lost_where_nothing_is_merged() {
    let (smv, _) = read_smv("MODULE main FROZENVAR a : 1..300; b : 1..300; SPEC AG a + b > 1").unwrap();
    let properties: Vec<_> = smv.program().properties.iter().collect();
    let spent = |merge: Option<usize>| {
        let limits = Limits { merge, ..Limits::default() };
        let mut budget = Budget::unlimited();
        let built = build(smv.program(), &properties, Labels::Needed, &limits, &mut budget).unwrap();
        assert_eq!((built.rsm.node_count(), built.is_merged), (90_000, false));
        (budget.spent(), budget.peak())
    };
    let (plain, merging) = (spent(None), spent(Some(256)));
    assert!(merging.0 < plain.0 + plain.0 / 4 && merging.1 < plain.1 + plain.1 / 4, "{plain:?}, {merging:?}");
}

/// States with the same successors are explored once, and those that nothing asked tells apart are
/// kept once.
#[test]
fn dense_models_take_little() {
    let five = "MODULE main VAR a : 0..7; b : 0..7; c : 0..7; d : 0..7; e : 0..7;
                SPEC AG EF (a = 3 & b = 2) LTLSPEC G F a + b + c + d + e = 35";
    let inputs = format!(
        "{} x : 0..63; ASSIGN init(x) := 0; next(x) := case b0 & b1 : (x + 1) mod 64; b2 : x; TRUE : 0; esac;
         SPEC AG EF x = 63",
        booleans(12)
    );
    let free = format!("{} SPEC AG EF (b0 & b1 & b2 & b3 & b4 & b5 & b6 & b7 & b8 & b9)", booleans(16));
    let guarded = format!("{} TRANS b0 -> next(b1) = b2 SPEC EG b3", booleans(14));
    for (text, most) in [(five, 4), (&*inputs, 64 * 16), (&*free, 2), (&*guarded, 16)] {
        let (smv, _) = read_smv(text).unwrap();
        let properties: Vec<_> = smv.program().properties.iter().collect();
        let limits = Limits { merge: Some(256), ..Limits::default() };
        let mut budget = Budget::new(None, Some(100 << 20));
        let built = build(smv.program(), &properties, Labels::Needed, &limits, &mut budget).unwrap();
        assert!(built.is_merged && built.rsm.node_count() <= most, "{text}: {}", built.rsm.node_count());
        assert!(budget.spent() < 1 << 25, "{text}: {} steps", budget.spent());
        let (peak, spent) = (budget.peak(), budget.spent());
        for part in 0..4 {
            let build = |mut budget| {
                let made = build(smv.program(), &properties, Labels::Needed, &limits, &mut budget);
                made.err().map(|stopped| format!("{stopped:?}"))
            };
            let out_of = |what: Exhausted| Some(format!("{:?}", Stopped::Exhausted(what)));
            assert_eq!(build(Budget::new(None, Some(peak / 4 * part))), out_of(Exhausted::Memory), "{text}");
            let steps = (spent / 4 * part as u64).saturating_sub(5000);
            assert_eq!(build(Budget::steps(steps)), out_of(Exhausted::Time), "{text}: {steps} of {spent}");
        }
    }
}

#[test]
fn many_initial_states() {
    let frozen = booleans(14).replace("VAR", "FROZENVAR");
    check(&frozen);
    check(&format!("{frozen} INVAR b0 | b1"));
    check(&format!("{frozen} INIT (b0 -> b1) & (b1 | b2)"));
}

#[test]
fn many_successors() {
    check(&booleans(10));
    check(&format!("{} TRANS next(b0) != b0 | b1", booleans(10)));
    check("MODULE main VAR x : 0..2000; y : boolean; ASSIGN init(x) := 0; next(x) := 0..(x + 1) mod 2001;");
    check(
        "MODULE main VAR x : 0..40; y : 0..40; IVAR i : 0..5; j : 0..5; ASSIGN next(x) := (x + i) mod 41; next(y) := (y + j) mod 41;",
    );
}

#[test]
fn many_labels() {
    let mut text =
        String::from("MODULE main VAR x : 0..63; y : 0..63; ASSIGN next(x) := x; next(y) := y; DEFINE ");
    for i in 0..40 {
        write!(text, "p{i} := x * y mod 41 = {i}; q{i} := x = {i} | y > {i}; r{i} := !p{i} & q{i};").unwrap();
    }
    let mut budget = Budget::unlimited();
    let rsm = built(&text, &mut budget).unwrap().rsm;
    // each label but those with few states is a set of bits; two of three are evaluated state by
    // state
    assert!(budget.peak() > 80 * rsm.node_count() / 8 + 12 * rsm.node_count(), "{}", budget.peak());
    assert!(budget.spent() > 40 * rsm.node_count() as u64, "{}", budget.spent());
    check(&text);
}

#[test]
fn many_calls() {
    check(
        "MODULE main VAR x : 0..3000; c : boolean; DEFINE even := x mod 2 = 0 & !c; CALL sub := c & x != EXIT;
         ASSIGN init(x) := 0; init(c) := FALSE;
         next(x) := case c : (x + 1) mod 3001; TRUE : x; esac; next(c) := !c;
         MODULE sub VAR y : 0..2000; ASSIGN init(y) := 0; next(y) := case y = 2000 : EXIT; TRUE : y + 1; esac;",
    );
}

/// Reads a text within parts of the memory and of the steps that takes without limits.
#[track_caller]
fn check_reading(text: &str) {
    let mut budget = Budget::unlimited();
    assert!(read_smv_within(text, &mut budget).is_ok());
    let (peak, spent) = (budget.peak(), budget.spent());
    assert!(peak > 1 << 20 && spent > 100_000, "{peak} bytes, {spent} steps");
    let found = |mut budget: Budget| match read_smv_within(text, &mut budget) {
        Err(Stopped::Exhausted(why)) => Some(why),
        _ => None,
    };
    for part in 1..8 {
        assert_eq!(found(Budget::new(None, Some(peak / 8 * part))), Some(Exhausted::Memory), "{part}");
        let steps = (spent / 8 * part as u64).saturating_sub(10_000);
        assert_eq!(found(Budget::steps(steps)), Some(Exhausted::Time), "{part}: {steps} of {spent}");
    }
}

#[test]
fn reading() {
    let mut long = String::from("MODULE main VAR x : 0..3; DEFINE d0 := x = 1;");
    for i in 1..20_000 {
        write!(long, "d{i} := d{} & x != {} | d{};", i - 1, i % 4, i / 2).unwrap();
    }
    check_reading(&long);
    let mut deep = String::from("MODULE m0(a) VAR y : boolean; DEFINE ");
    (0..50).for_each(|i| write!(deep, "e{i} := a & y & a != {};", ["TRUE", "FALSE"][i % 2]).unwrap());
    for depth in 1..10 {
        let inner = depth - 1;
        write!(deep, "MODULE m{depth}(a) VAR l : m{inner}(a); r : m{inner}(a);").unwrap();
    }
    check_reading(&format!("{deep} MODULE main VAR x : boolean; t : m9(x);"));
}

/// Guarded steps cost what they say: states by guards by variables, however they are spelled.
#[test]
fn guards_do_not_multiply() {
    for spelling in [Spelling::Assign, Spelling::Or, Spelling::Implies, Spelling::Case] {
        let steps = |variables: usize| {
            let mut text = Vec::new();
            Guards { variables, spelling }.write(&mut text).unwrap();
            let mut budget = Budget::steps(100_000_000);
            let whole = built(std::str::from_utf8(&text).unwrap(), &mut budget).unwrap();
            assert_eq!(whole.rsm.node_count(), 2 * variables, "{spelling:?}");
            budget.spent()
        };
        // 120 guards are more than operators may be nested
        let (small, large) = (steps(30), steps(120));
        assert!(large <= 80 * small, "{spelling:?}: {large} steps, {small} for a quarter of the guards");
    }
}

/// A `case` that jumps by the value of a variable runs one branch, so that its length does not
/// count. Where every branch has to be tried, each does.
#[test]
fn branches_count_that_are_run() {
    let states = 4000;
    let module = |guard: fn(usize) -> String| {
        let mut text = format!("MODULE main VAR s : 0..{states}; ASSIGN init(s) := 0; next(s) := case ");
        for state in 0..states {
            write!(text, "{} : {}; ", guard(state), state + 1).unwrap();
        }
        text + "TRUE : 0; esac; SPEC AG s >= 0"
    };
    let spent = |text: &str| {
        let mut budget = Budget::unlimited();
        assert_eq!(built(text, &mut budget).unwrap().rsm.node_count(), states + 1);
        budget.spent()
    };
    let jumps = spent(&module(|state| format!("s = {state}")));
    let tried = spent(&module(|state| format!("s <= {state}")));
    assert!(jumps < 100 * states as u64, "{jumps} steps for {states} states");
    assert!(tried > 100 * states as u64, "{tried} steps for {states} states");
}
