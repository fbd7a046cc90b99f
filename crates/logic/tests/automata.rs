//! Automata accept the words that satisfy the formula, and are as small as promised.

use loris_base::{Budget, Exhausted, Rng};
use loris_logic::automaton::{Buchi, translate};
use loris_logic::{Ltl, RandomLtl, ltl, negated_ltl, parse};

fn read(text: &str) -> Ltl {
    ltl(&parse(text).expect(text)).expect(text).0
}

fn automaton(ltl: &Ltl) -> Buchi {
    translate(ltl, &mut Budget::unlimited()).expect("no limit")
}

fn letters(rng: &mut Rng, atoms: usize, count: usize) -> Vec<Vec<bool>> {
    (0..count).map(|_| (0..atoms).map(|_| rng.chance(0.5)).collect()).collect()
}

/// A prefix and a cycle, both short.
fn lasso(rng: &mut Rng, atoms: usize) -> (Vec<Vec<bool>>, Vec<Vec<bool>>) {
    let (prefix, cycle) = (rng.below(4), 1 + rng.below(4));
    (letters(rng, atoms, prefix), letters(rng, atoms, cycle))
}

#[test]
fn random_formulas_on_random_words() {
    const WORDS: usize = 10;
    let cases = loris_testing::cases(2000);
    let mut rng = Rng::new(41);
    let (mut states, mut accepted) = (0, 0);
    for i in 0..cases {
        // few atoms and mostly temporal operators make the rules for formulas apply
        let mut random = RandomLtl { temporal: [0.6, 0.9][i % 2], ..RandomLtl::new(1 + (i % 11) as u32) };
        random.atoms.truncate(1 + i % 3);
        let formula = random.generate(&mut rng);
        let (yes, names) = ltl(&formula).expect("LTL");
        let (no, other_names) = negated_ltl(&formula).expect("LTL");
        let (accepts, rejects) = (automaton(&yes), automaton(&no));
        states += accepts.states() + rejects.states();
        for _ in 0..WORDS {
            let (prefix, cycle) = lasso(&mut rng, 3);
            // the same word, as each of the two numbers its atoms
            let word = |names: &[String]| {
                let renamed = |letter: &Vec<bool>| {
                    let column = |name: &String| letter[usize::from(name.as_bytes()[0] - b'a')];
                    names.iter().map(column).collect::<Vec<bool>>()
                };
                let prefix: Vec<_> = prefix.iter().map(renamed).collect();
                (prefix, cycle.iter().map(renamed).collect::<Vec<_>>())
            };
            let (prefix_yes, cycle_yes) = word(&names);
            let (prefix_no, cycle_no) = word(&other_names);
            let expected = yes.holds_on_lasso(&prefix_yes, &cycle_yes);
            accepted += usize::from(expected);
            assert_eq!(no.holds_on_lasso(&prefix_no, &cycle_no), !expected, "{formula}");
            assert_eq!(
                accepts.accepts_lasso(&prefix_yes, &cycle_yes),
                expected,
                "{formula} on {prefix:?} {cycle:?}"
            );
            assert_eq!(
                rejects.accepts_lasso(&prefix_no, &cycle_no),
                !expected,
                "!({formula}) on {prefix:?} {cycle:?}"
            );
        }
    }
    eprintln!("{:.2} states on average, {accepted} words accepted", states as f64 / (2 * cases) as f64);
    assert!(accepted > cases && accepted < (WORDS - 1) * cases, "both answers come often");
}

#[test]
fn patterns_are_small() {
    let check = |text: &str, most: usize| {
        let buchi = automaton(&read(text));
        eprintln!("{text}: {} states, {} initial", buchi.states(), buchi.initial().len());
        assert!(buchi.states() <= most, "{text}: {} states\n{buchi:?}", buchi.states());
    };
    check("true", 1);
    check("false", 0);
    check("a & X !a & X a", 0);
    check("a", 2);
    check("G a", 1);
    check("F a", 2);
    check("a U b", 2);
    check("!a W b", 2);
    check("G F a", 2);
    check("F G a", 2);
    check("G (a -> F b)", 2);
    check("F (a & G !b)", 2);
    check("G (a -> X b)", 2);
    check("G F a & G F b", 3);
    check("X X a", 4);
    check("F a | G b", 3);
    check("G F a -> G F b", 4);
    check("G (a -> (b U c))", 2);
    check("G a | F G b", 3);
    check("!(G (a -> F b))", 2);
    check("!(G F a -> G (b -> F c))", 4);
    check("F a & F b", 4);
    check("G (a -> X X b)", 4);
    check("a U (b U c)", 3);
    check("F (a & X F b)", 3);
}

#[test]
fn many_recurring_letters_on_random_words() {
    let mut rng = Rng::new(29);
    let mut accepted = 0;
    for case in 0..200 {
        let rest = RandomLtl { temporal: 0.7, ..RandomLtl::new(case % 4) }.generate(&mut rng);
        let mut text = format!("({rest})");
        for _ in 0..4 + rng.below(3) {
            let shapes = ["a", "!b", "c", "(a | b)", "(b & !c)", "(a <-> c)"];
            text = format!("{text} & G F {}", shapes[rng.below(shapes.len())]);
        }
        let formula = read(&text);
        let buchi = automaton(&formula);
        for _ in 0..20 {
            let prefix = rng.below(3);
            let letters = letters(&mut rng, 3, 8);
            let (prefix, cycle) = letters.split_at(prefix);
            let expected = formula.holds_on_lasso(prefix, cycle);
            assert_eq!(buchi.accepts_lasso(prefix, cycle), expected, "{text}");
            accepted += usize::from(expected);
        }
    }
    assert!(accepted > 300, "{accepted}");
    // a state for each conjunct, not for each set of them
    let implication = |count: usize| {
        let often = (0..count).map(|i| format!("G F p{i}")).collect::<Vec<_>>().join(" & ");
        automaton(&read(&format!("!({often} -> G F q)"))).states()
    };
    assert_eq!([8, 15, 30].map(implication), [10, 17, 32]);
}

#[test]
fn universal_states_are_kept() {
    for text in ["F a", "a U b", "X X a", "F (a & X F b)", "true", "F a | G b"] {
        let buchi = automaton(&read(text));
        assert!((0..buchi.states() as u32).any(|state| buchi.is_universal(state)), "{text}");
    }
}

/// The automaton of a formula, which takes no more steps than this.
fn within(ltl: &Ltl, steps: u64) -> Buchi {
    let mut budget = Budget::steps(steps);
    let found = translate(ltl, &mut budget);
    eprintln!("{} steps", budget.spent());
    found.expect("few steps")
}

#[test]
fn large_formulas() {
    let fair = |count: usize| (0..count).map(|i| format!("G F p{i}")).collect::<Vec<_>>().join(" & ");
    assert_eq!(within(&read(&fair(8)), 1_000_000).states(), 9);
    let strong =
        |count: usize| (0..count).map(|i| format!("(G F p{i} -> G F q{i})")).collect::<Vec<_>>().join(" & ");
    let buchi = within(&read(&format!("!({} -> G (r -> F s))", strong(2))), 1_000_000);
    eprintln!("strong fairness: {} states", buchi.states());
    let many = (0..100).map(|i| format!("p{i}")).collect::<Vec<_>>().join(" | ");
    assert_eq!(within(&read(&format!("G F ({many})")), 1_000_000).states(), 2);
    let many = (0..100).map(|i| format!("p{i}")).collect::<Vec<_>>().join(" & ");
    assert_eq!(within(&read(&format!("F G ({many})")), 1_000_000).states(), 2);
}

#[test]
fn typical_formulas_are_fast() {
    let mut rng = Rng::new(8);
    let mut slow = Vec::new();
    for i in 0..200 {
        let formula = RandomLtl { temporal: 0.75, ..RandomLtl::new(20) }.generate(&mut rng);
        let mut budget = Budget::steps(50_000_000);
        let found = translate(&ltl(&formula).expect("LTL").0, &mut budget);
        let steps = budget.spent();
        if found.is_err() || steps > 10_000_000 {
            eprintln!("{i}: {formula}: {steps} steps, {:?}", found.map(|buchi| buchi.states()));
            slow.push(steps);
        }
    }
    assert!(slow.len() <= 4, "{slow:?}");
}

#[test]
fn limits_are_kept() {
    let text = (0..12).map(|i| format!("(p{i} U X (q{i} R X r{i}))")).collect::<Vec<_>>().join(" & ");
    let ltl = read(&text);
    let mut budget = Budget::steps(1_000_000);
    assert_eq!(translate(&ltl, &mut budget), Err(Exhausted::Time));
    assert!(budget.spent() < 1_100_000, "{} steps", budget.spent());
    assert_eq!(translate(&ltl, &mut Budget::new(None, Some(100_000))), Err(Exhausted::Memory));
}

#[test]
fn deep_formulas_do_not_exhaust_the_stack() {
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let test = || {
        for open in ["X ", "F ", "G ", "F G ", "a U ", "!"] {
            let buchi = automaton(&read(&format!("{}p", open.repeat(2000))));
            assert!(buchi.states() > 0);
        }
    };
    thread.spawn(test).expect("threads are there").join().expect("the test passes");
}
