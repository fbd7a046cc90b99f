//! Formulas of the mu-calculus: whatever is printed is read again as the same formula, and no text
//! makes the parser panic.

use loris_logic::mu::{DeadEnds, Reading, Syntax, parse, parse_with};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// Well-formed formulas, to be mutated.
const SEEDS: [&str; 15] = [
    "nu X. (mu Y. (p & <>X) | <>Y)",
    "mu X. <a>tt | [b, c]X & !q",
    "A F (p & E [<a>tt U [true*.b]ff])",
    "[true*]<true*.\"send(1, 2)\">tt",
    "AG EF \"x = 1\" -> EX !p <-> A [p W q]",
    "<!{a, b}>nu X2. []X2",
    "[(a + b)*.c+.nil](p || ~q)",
    "nu X. mu X. (X & p) | <a && !b>X",
    "nu X. [a|b]X && <tau>true % comment\n",
    "mu Z. <@p q>Z || [\\r]Z & (q => done)",
    "A G (not p.q' or \"\\\"\\\\\" and E G z@1)",
    "!(mu X. !(nu Y. !X & []Y))",
    "nu Z. Z & mu Z2. <send>Z2 | \"Z\" & AF Z",
    "[{}]ff & <i>tt | [a.b.c]X1",
    "nu X. (p xor <a>q ^ \"xor\") & (xor xnor p | q) & []X",
];

/// What mutations insert.
const PIECES: [&str; 47] = [
    "mu X. ", "nu X. ", "mu Z. ", "X", "Z", "p", "q", "E ", "A ", "F ", "G ", " U ", " W ", " R ", "AG ",
    "EF ", "(", ")", "[", "]", "<", ">", "{", "}", "!", "~", " & ", "&&", "|", "||", "->", "<->", "=>", "*",
    "+", ".", ",", "\"", "\"a b\"", "\\", "tt", "nil", "%", "é", "^", " xor ", " xnor ",
];

#[derive(Clone, Debug)]
enum Change {
    Insert(prop::sample::Index, usize),
    Remove(prop::sample::Index, usize),
    Copy(prop::sample::Index, prop::sample::Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), 0..PIECES.len()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (index(), 1..4usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (index(), index(), 1..12usize).prop_map(|(at, from, length)| Change::Copy(at, from, length)),
    ]
}

fn mutated(seed: &str, changes: &[Change]) -> String {
    let mut text: Vec<char> = seed.chars().collect();
    for change in changes {
        let size = text.len() + 1;
        match change {
            Change::Insert(at, piece) => {
                let at = at.index(size);
                text.splice(at..at, PIECES[*piece].chars());
            }
            Change::Remove(at, length) => {
                let at = at.index(size);
                text.drain(at..(at + length).min(size - 1));
            }
            Change::Copy(at, from, length) => {
                let (at, from) = (at.index(size), from.index(size));
                let copied: Vec<char> = text[from..(from + length).min(size - 1)].to_vec();
                text.splice(at..at, copied);
            }
        }
    }
    text.into_iter().collect()
}

/// A text without digits: a fixpoint that is shared is printed twice with one variable, and read
/// with two.
fn unnumbered(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Reads a text in all syntaxes and readings; how many of them take it.
fn read_in_all_ways(text: &str) -> Result<usize, TestCaseError> {
    let mut taken = 0;
    for syntax in [Syntax::Native, Syntax::Mcf, Syntax::Pdmu] {
        for dead_ends in [DeadEnds::Maximal, DeadEnds::Loop, DeadEnds::Stop] {
            match parse_with(text, &Reading { syntax, dead_ends, ..Reading::default() }) {
                Ok(formula) => {
                    taken += 1;
                    let printed = formula.to_string();
                    let again = parse(&printed).map(|formula| formula.to_string());
                    prop_assert!(again.is_ok(), "{:?} in {:?}: {} {:?}", text, syntax, printed, again);
                    let again = again.unwrap_or_default();
                    prop_assert_eq!(unnumbered(&again), unnumbered(&printed), "{:?} in {:?}", text, syntax);
                    let third = parse(&again).map(|formula| formula.to_string());
                    prop_assert_eq!(third, Ok(again), "{:?} in {:?}", text, syntax);
                    let twice = formula.negated().negated().to_string();
                    prop_assert_eq!(twice, printed, "{:?} negated twice", text);
                }
                Err(problems) => {
                    prop_assert!(problems.has_errors());
                    for problem in problems.sorted() {
                        let at = usize::try_from(problem.offset.expect("located")).expect("small");
                        let end = at + problem.length as usize;
                        prop_assert!(text.is_char_boundary(at), "{:?} {:?}", text, problem);
                        prop_assert!(text.is_char_boundary(end), "{:?} {:?}", text, problem);
                    }
                }
            }
        }
    }
    Ok(taken)
}

/// Failures are kept beside this file and tried first from then on.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 2500,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

#[test]
fn seeds_are_well_formed() {
    for seed in SEEDS {
        assert!(read_in_all_ways(seed).is_ok_and(|taken| taken > 0), "{seed}");
    }
}

#[test]
fn negations_around_temporal_operators() {
    for (text, expected) in
        [("!(nu X. A F X)", "mu X. nu Z. X & (<>Z | []ff)"), ("mu X. !A G !X", "mu X. mu Z. X | <>Z")]
    {
        let reading = Reading { dead_ends: DeadEnds::Loop, ..Reading::default() };
        assert_eq!(parse_with(text, &reading).expect("X is positive").to_string(), expected);
    }
}

/// Neither nesting nor length makes the formula, or the stack, grow out of proportion.
#[test]
fn regular_expressions_are_translated_in_linear_space() {
    let many = |piece: &str| piece.repeat(100_000);
    for actions in [
        format!("a{}", "+".repeat(60)),
        format!("{}a{}", "(".repeat(50), "+.b)+".repeat(50)),
        format!("a{}", many("*+")),
        format!("a{}", many(".a")),
        format!("a{}", many(" + a")),
        format!("a{}", many(", a")),
    ] {
        for (open, close) in [('<', '>'), ('[', ']')] {
            let formula = parse(&format!("{open}{actions}{close}p")).expect("well-formed");
            assert!(formula.len() <= 2 * actions.len(), "{}", formula.len());
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn mutated_formulas_are_read_back_or_refused(
        seed in 0..SEEDS.len(),
        changes in prop::collection::vec(change(), 0..6),
    ) {
        read_in_all_ways(&mutated(SEEDS[seed], &changes))?;
    }

    #[test]
    fn any_text_is_read_back_or_refused(
        pieces in prop::collection::vec(0..PIECES.len(), 0..30),
        text in any::<String>(),
    ) {
        let joined: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        read_in_all_ways(&joined)?;
        read_in_all_ways(&text)?;
    }
}
