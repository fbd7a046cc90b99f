//! Each rule once, by its result, and all of them by what the formulas mean.

use super::rewrite;
use crate::{RandomLtl, ltl, parse};
use loris_base::{Budget, Rng};

fn check(input: &str, expected: &str) {
    let (formula, names) = ltl(&parse(input).expect(input)).expect(input);
    let rewritten = rewrite(&formula, &mut Budget::unlimited()).expect("no limit");
    assert_eq!(rewritten.print(&names), expected, "{input}");
}

#[test]
fn next() {
    check("X true", "true");
    check("X false", "false");
    check("X G F a", "G (F a)");
    check("X a & X b", "X (a & b)");
    check("X a | X b", "X (a | b)");
}

#[test]
fn until() {
    check("F F a", "F a");
    check("F G F a", "G (F a)");
    check("a U F b", "F b");
    check("a U (a | b)", "a | b");
    check("(X a) U (X b)", "X (a U b)");
    check("F X a", "X (F a)");
    check("F (a U b)", "F b");
    check("a U (a U b)", "a U b");
    check("(a & c) U (a U b)", "a U b");
    check("(a U b) U b", "a U b");
    check("!a U a", "F a");
    check("a U (b & G F c)", "(G (F c)) & (a U b)");
}

#[test]
fn release() {
    check("G G a", "G a");
    check("G F G a", "F (G a)");
    check("a R G b", "G b");
    check("(a | b) R a", "a");
    check("(X a) R (X b)", "X (a R b)");
    check("G X a", "X (G a)");
    check("G (a R b)", "G b");
    check("a R (a R b)", "a R b");
    check("(a | c) R (a R b)", "a R b");
    check("(a R b) R b", "a R b");
    check("!a R a", "G a");
    check("a R (b | F G c)", "(F (G c)) | (a R b)");
}

#[test]
fn conjunctions_and_disjunctions() {
    check("a & X b & !a", "false");
    check("a | X b | !a", "true");
    check("G a & G b", "G (a & b)");
    check("F a | F b", "F (a | b)");
    check("(c R a) & (c R b)", "c R (a & b)");
    check("(c U a) | (c U b)", "c U (a | b)");
    check("(a U c) & (b U c)", "(a & b) U c");
    check("(a R c) | (b R c)", "(a | b) R c");
    check("F G a & F G b", "F (G (a & b))");
    check("G F a | G F b", "G (F (a | b))");
    check("G F X a & G F a", "G (F a)");
}

#[test]
fn implications() {
    check("a & (a | X b)", "a");
    check("a | (a & X b)", "a");
    check("G a & F a", "G a");
    check("G a & X X a", "G a");
    check("F a | X F a", "F a");
    check("F a | (b U a)", "F a");
    check("G a | (b R a)", "b R a");
    check("(a & b) U c | a U c", "a U c");
    check("G a & a U b & F b", "(G a) & (a U b)");
}

#[test]
fn rewritten_formulas_mean_the_same() {
    let mut rng = Rng::new(5);
    let mut smaller = 0;
    for i in 0..6000 {
        let mut random = RandomLtl { temporal: 0.8, ..RandomLtl::new(2 + i % 10) };
        random.atoms.truncate(1 + i as usize % 2);
        let formula = random.generate(&mut rng);
        let (formula, names) = ltl(&formula).expect("LTL");
        let rewritten = rewrite(&formula, &mut Budget::unlimited()).expect("no limit");
        smaller += usize::from(rewritten != formula);
        for _ in 0..6 {
            let mut letters = |count: usize| -> Vec<Vec<bool>> {
                (0..count).map(|_| vec![rng.chance(0.5), rng.chance(0.5)]).collect()
            };
            let (prefix, cycle) = (letters(2), letters(3));
            assert_eq!(
                rewritten.holds_on_lasso(&prefix, &cycle),
                formula.holds_on_lasso(&prefix, &cycle),
                "{} became {}",
                formula.print(&names),
                rewritten.print(&names)
            );
        }
    }
    assert!(smaller > 3000, "{smaller} formulas were rewritten");
}
