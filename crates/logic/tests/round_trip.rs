//! Whatever is printed reads back as the same formula, and no text makes the parser panic.

use loris_base::Idx;
use loris_logic::{Core, Formula, FormulaBuilder, FormulaId, Node, mu, parse, parse_properties};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

const ATOMS: [&str; 7] = ["p", "q", "a.b", "U", "true", "x = \"1\"", "\\"];

/// Runs a program of a stack machine: every string of bytes is a formula of CTL*.
fn formula(program: &[u8]) -> Formula {
    let mut build = FormulaBuilder::default();
    let mut stack = vec![build.atom("p")];
    for &op in program {
        let top = stack.pop().expect("the stack is never empty");
        let below = stack.last().copied();
        let binary: Option<fn(_, _) -> Node> = match op % 24 {
            0 => Some(Node::And),
            1 => Some(Node::Or),
            2 => Some(Node::Implies),
            3 => Some(Node::Iff),
            4 | 5 => Some(Node::U),
            6 => Some(Node::W),
            7 => Some(Node::R),
            _ => None,
        };
        let unary: Option<fn(_) -> Node> = match op % 24 {
            8 => Some(Node::Not),
            9 | 10 => Some(Node::E),
            11 | 12 => Some(Node::A),
            13 => Some(Node::X),
            14 => Some(Node::F),
            15 => Some(Node::G),
            _ => None,
        };
        match (binary, unary, below) {
            (Some(node), _, Some(left)) => {
                stack.pop();
                stack.push(build.add(node(left, top)));
            }
            (_, Some(node), _) => stack.push(build.add(node(top))),
            _ => {
                stack.push(top);
                stack.push(match op % 9 {
                    7 => build.add(Node::True),
                    8 => build.add(Node::False),
                    atom => build.atom(ATOMS[usize::from(atom)]),
                });
            }
        }
    }
    let root = stack.into_iter().reduce(|a, b| build.add(Node::U(a, b))).expect("the stack is never empty");
    build.finish(root)
}

/// Whether a formula without temporal operators holds where `p`, `q` and `r` are bits of a number.
fn valuation(formula: &Formula, state: usize) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for (_, node) in formula.nodes() {
        let of = |id: FormulaId| values[id.index()];
        let value = match node {
            Node::Atom(atom) => {
                let bit = ["p", "q", "r"].iter().position(|&name| name == &formula.atoms()[atom]);
                state >> bit.expect("a known atom") & 1 == 1
            }
            Node::Not(a) => !of(a),
            Node::And(a, b) => of(a) && of(b),
            Node::Or(a, b) => of(a) || of(b),
            Node::Iff(a, b) => of(a) == of(b),
            node => panic!("not expected here: {node:?}"),
        };
        values.push(value);
    }
    values[formula.root().index()]
}

/// Pieces that make formulas, nearly.
const PIECES: [&str; 39] = [
    "p", "q", "E", "A", "X", "F", "G", "U", "W", "R", "AG", "EF", "EU", "(", ")", "[", "]", "!", "~", "&",
    "&&", "|", "->", "-->", "<->", "=", "-", "\"", "\"a\"", "\\", "/\\", "#", "\n", "true", "∃", "é", "^",
    " xor ", "xnor",
];

/// Failures are kept beside this file and tried first from then on.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 2000,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn printed_formulas_read_back(program in prop::collection::vec(any::<u8>(), 0..60)) {
        let formula = formula(&program);
        let printed = formula.to_string();
        let read = parse(&printed);
        prop_assert_eq!(read.as_ref(), Ok(&formula), "{}", printed);
        prop_assert_eq!(read.expect("just compared").to_string(), printed);
    }

    /// Operators on the level of `|` and above, as they are written, against their truth tables.
    #[test]
    fn exclusive_or_is_what_differs(
        first in 0..6usize,
        rest in prop::collection::vec((0..7usize, 0..6usize), 0..12),
        temporal in any::<bool>(),
    ) {
        const INFIX: [&str; 7] = ["&", "|", "xor", "^", "XOR", "xnor", "Xnor"];
        let atom = |i: usize| format!("{}{}", if i > 2 { "!" } else { "" }, ["p", "q", "r"][i % 3]);
        let holds = |i: usize, state: usize| (state >> (i % 3) & 1 == 1) != (i > 2);
        let text = rest.iter().fold(atom(first), |text, &(op, i)| format!("{text} {} {}", INFIX[op], atom(i)));
        let formula = parse(&text).expect("well-formed");
        let read = parse(&formula.to_string());
        prop_assert_eq!(read.as_ref(), Ok(&formula), "{}", text);
        for state in 0..8 {
            // conjunctions first, the others from left to right
            let (mut value, mut join, mut last) = (false, 1, holds(first, state));
            let joined = |value: bool, join: usize, last: bool| match join {
                1 => value | last,
                2..=4 => value != last,
                _ => value == last,
            };
            for &(op, i) in &rest {
                if op == 0 {
                    last &= holds(i, state);
                } else {
                    (value, join, last) = (joined(value, join, last), op, holds(i, state));
                }
            }
            prop_assert_eq!(valuation(&formula, state), joined(value, join, last), "{} in {}", text, state);
        }
        // the same in brackets, as arguments of other operators, and in the mu-calculus
        let desugared = formula.to_string();
        let around = |text: &str| if temporal { format!("A G (E F ({text}) -> p)") } else { format!("!({text}) & p") };
        prop_assert_eq!(parse(&around(&text)), parse(&around(&desugared)));
        let text = text.replace("Xnor", "xnor");
        let read = |text: &str| mu::parse(&around(text)).expect("well-formed").to_string();
        prop_assert_eq!(read(&text), read(&desugared));
    }

    #[test]
    fn normal_forms_are_normal(program in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(ctl) = Core::new(&formula(&program)) {
            prop_assert_eq!(ctl.negated().negated(), ctl.clone());
            let again = Core::new(&parse(&ctl.print(ctl.root())).expect("canonical")).expect("CTL");
            prop_assert_eq!(again, ctl);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(
        pieces in prop::collection::vec((0..PIECES.len(), any::<bool>()), 0..40),
        text in any::<String>(),
    ) {
        let joined: String =
            pieces.iter().flat_map(|&(i, blank)| [PIECES[i], if blank { " " } else { "" }]).collect();
        for text in [joined, text] {
            if let Err(problems) = parse(&text) {
                for problem in problems.sorted() {
                    let at = usize::try_from(problem.offset.expect("located")).expect("small");
                    prop_assert!(text.is_char_boundary(at), "{:?} {:?}", text, problem);
                    prop_assert!(text.is_char_boundary(at + problem.length as usize), "{:?} {:?}", text, problem);
                }
            }
            let (lines, problems) = parse_properties(&text);
            prop_assert!(lines.len() + problems.len() <= text.split('\n').count());
        }
    }
}
