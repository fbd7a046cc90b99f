//! HOA and Aldébaran files: what is written reads back as the same language, what is wrong is
//! refused where it stands, and no text makes the readers panic.

use loris_base::{Budget, Diagnostics, Rng};
use loris_logic::automaton::{Guard, parse_hoa, translate, write_hoa};
use loris_logic::{RandomLtl, ltl, parse};

type Lasso = (Vec<Vec<bool>>, Vec<Vec<bool>>);

fn lasso(rng: &mut Rng, atoms: usize) -> Lasso {
    let mut letters =
        |count: usize| (0..count).map(|_| (0..atoms).map(|_| rng.chance(0.5)).collect()).collect::<Vec<_>>();
    (letters(3), letters(3))
}

#[test]
fn what_is_written_reads_back() {
    let mut rng = Rng::new(3);
    for i in 0..300 {
        let formula = RandomLtl::new(1 + i % 7).generate(&mut rng);
        let (ltl, names) = ltl(&formula).expect("LTL");
        let buchi = translate(&ltl, &mut Budget::unlimited()).expect("no limit");
        let text = write_hoa(&buchi, Some(&formula.to_string()), &names);
        let hoa = parse_hoa(&text).unwrap_or_else(|problems| panic!("{text}{problems:?}"));
        assert_eq!(hoa.name, Some(formula.to_string()));
        assert_eq!(hoa.propositions.len(), buchi.atoms());
        assert_eq!(hoa.buchi, buchi, "{text}");
        assert_eq!(hoa.to_string(), text);
    }
}

/// The automaton of a body over `p` and `q` accepts the words of a formula.
fn check(acceptance: &str, body: &str, formula: &str, states: usize) {
    let text = format!(
        "HOA: v1 Start: 0 AP: 2 \"p\" \"q\" Alias: @a 0 & !1 Acceptance: {acceptance} --BODY-- {body} --END--"
    );
    let hoa = parse_hoa(&text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    assert_eq!(hoa.buchi.states(), states, "{text}");
    assert_eq!(hoa.origin.len(), states);
    let (ltl, names) = ltl(&parse(formula).expect(formula)).expect(formula);
    let mut rng = Rng::new(9);
    for _ in 0..300 {
        let (prefix, cycle) = lasso(&mut rng, 2);
        let word = |letters: &[Vec<bool>]| -> Vec<Vec<bool>> {
            let column = |letter: &Vec<bool>| {
                names.iter().map(|name| letter[usize::from(name == "q")]).collect::<Vec<bool>>()
            };
            letters.iter().map(column).collect()
        };
        let holds = ltl.holds_on_lasso(&word(&prefix), &word(&cycle));
        assert_eq!(hoa.buchi.accepts_lasso(&prefix, &cycle), holds, "{text} on {prefix:?} {cycle:?}");
    }
}

#[test]
fn automata_by_hand() {
    // acceptance on states, on edges, generalized both ways, in any order and with brackets
    check("1 Inf(0)", "State: 0 [0] 1 [!0] 0 State: 1 {0} [0] 1 [!0] 0", "G F p", 2);
    check("1 Inf(0)", "State: 0 [0] 0 {0} [!0] 0", "G F p", 2);
    check(
        "2 Inf(0)&Inf(1)",
        "State: 0 [0&1] 0 {0 1} [0&!1] 0 {0} [!0&1] 0 {1} [!0&!1] 0",
        "G F p & G F q",
        3,
    );
    check("2 (Inf(1)) & (Inf(0))", "State: 0 {0} [0] 1 [t] 0 State: 1 {1} [t] 0", "G F p", 4);
    check("3 Inf(0)&Inf(2)", "State: 0 [0] 0 {0 1} [1] 0 {2} [t] 0", "G F p & G F q", 3);
    // everything and nothing
    check("0 t", "State: 0 [0] 0", "G p", 1);
    check("1 t", "State: 0 {0} [0] 1 State: 1 [1] 1", "p & X G q", 2);
    check("0 f", "State: 0 [0] 0", "false", 1);
    check("1 f & Inf(0)", "State: 0 {0} [0] 0", "false", 1);
    // labels: aliases, on states, by place
    check("0 t", "State: 0 [@a | !@a & 1] 0", "G (p | q)", 1);
    check("0 t", "State: [0] 0 1 State: [1] 1 1", "p & X G q", 2);
    check("0 t", "State: 0 1 0 0 1 State: 1 1 1 1 1", "(p & !q | !p & q) W (p <-> q)", 2);
    check("0 t", "/* a /* nested */ comment */ State: 0 \"a \\\"name\\\"\" [!(0 | 1)] 0", "G !(p | q)", 1);
}

#[test]
fn names_origins_and_the_raw_graph() {
    let text = "HOA: v1 States: 3 Start: 0 Start: 1 AP: 1 \"p\" Acceptance: 1 Inf(0) tool: \"x\" \"1\" \
                properties: trans-acc owner: me 1 \"s\" t --BODY-- \
                State: 0 \"first\" [0] 1 {0} [!0] 0 State: 1 [t] 0 {0} --END--";
    let hoa = parse_hoa(text).expect("well-formed");
    assert_eq!(hoa.state_names, ["first", "1", "2"]);
    assert_eq!(hoa.graph.initial, [0, 1]);
    assert_eq!(hoa.graph.accepting_states, [false, true, false]);
    assert_eq!(hoa.graph.edges[1][0].guard, Guard::True);
    assert!(hoa.graph.edges[2].is_empty());
    assert!(hoa.origin.iter().all(|&state| state < 2));
    assert!(hoa.to_string().contains("\"first\""));
}

/// Where the first problem is, by the text that stands there, and what it says.
fn refused(text: &str, at: &str, message: &str) {
    let problems = parse_hoa(text).expect_err(text);
    let problem = problems.sorted()[0];
    let offset = usize::try_from(problem.offset.expect("located")).expect("small");
    assert!(text[offset..].starts_with(at), "{text}: {problem:?}");
    assert!(problem.message.contains(message), "{problem:?}");
}

#[test]
fn problems_are_located() {
    let whole = |header: &str, body: &str| {
        format!("HOA: v1 States: 2 Start: 0 AP: 1 \"p\" {header} --BODY-- {body} --END--")
    };
    let buchi = |body: &str| whole("Acceptance: 1 Inf(0)", body);
    refused("", "", "expected `HOA: v1`");
    refused("HOA: v2 --BODY-- --END--", "v2", "version");
    refused(&whole("Acceptance: 1 Fin(0)", ""), "Fin", "`Fin` is not supported");
    refused(&whole("Acceptance: 2 Inf(0) | Inf(1)", ""), "|", "`|`");
    refused(&whole("Acceptance: 1 Inf(!0)", ""), "!0", "expected a number of a set");
    refused(&whole("Acceptance: 1 Inf(1)", ""), "1)", "no set 1");
    refused(&whole("Acceptance: 1 (Inf(0)", ""), "--BODY", "`&` or `)`");
    refused(&whole("Acceptance: 1 Inf(0) Start: 0 & 1", ""), "&", "alternating");
    refused(&whole("Acceptance: 1 Inf(0) Controllable: 0", ""), "Controllable", "not known");
    refused(&whole("Acceptance: 1 Inf(0) States: 2", ""), "States: 2 --BODY", "second time");
    refused(&whole("Acceptance: 1 Inf(0) Start: 7", ""), "7", "no state 7");
    refused(&whole("Acceptance: 1 Inf(0) Alias: @a @b", ""), "@b", "no alias");
    refused("HOA: v1 AP: 2 \"p\" Acceptance: 0 t --BODY-- --END--", "2", "2 propositions are announced");
    refused("HOA: v1 Acceptance: 0 t", "", "the file ends");
    refused("HOA: v1 Acceptance: 0 t --BODY--", "", "the file ends");
    refused("HOA: v1 Acceptance: 0 t --BODY-- --ABORT--", "--ABORT", "--END--");
    refused("HOA: v1 Acceptance: 0 t --BODY-- --END-- HOA: v1", "HOA: v1", "the end of the file");
    refused("HOA: v1 name: \"x", "\"x", "not closed");
    refused("HOA: v1 /* x", "/*", "not closed");
    refused("HOA: v1 ; x", ";", "no place");
    refused("HOA: v1 States: 99999999999999999999999", "9999", "too large");
    refused(&buchi("State: 0 [1] 0"), "1] 0", "no proposition 1");
    refused(&buchi("State: 0 [0 0"), "0 --END", "expected `&`, `|` or `]`");
    refused(&buchi("State: 0 [0] 0 {1}"), "1}", "no set 1");
    refused(&buchi("State: 0 [0] 5"), "5", "no state 5");
    refused(&buchi("State: 0 [0] 0&1"), "&", "alternating");
    refused(&buchi("State: 0 0 1 1"), "0 0 1 1", "an edge for each letter, 2, not 3");
    refused(&buchi("State: 0 [0] 0 1"), "1 --END", "either all edges");
    refused(&buchi("State: [0] 0 [0] 1"), "[0] 1", "the state has a label");
    refused(&buchi("State: 0 State: 0"), "0 --END", "second time");
    refused(&buchi(&format!("State: 0 [{}0{}] 0", "(".repeat(5000), ")".repeat(5000))), "(", "nest");
    refused(&buchi(&format!("State: 0 [{}0] 0", "!".repeat(5000))), "!", "nest");
}

#[test]
fn all_problems_at_once_and_none_that_explodes() {
    let text = "HOA: v1 States: 2 Start: 9 AP: 1 \"p\" Acceptance: 1 Fin(0) --BODY-- State: 0 [7] 0 \
                State: 1 [0] 4 --END--";
    assert_eq!(parse_hoa(text).expect_err("four problems").len(), 4);
    // each alias is twice the one before
    let aliases: Vec<String> = (1..60).map(|i| format!("Alias: @a{i} @a{0} & @a{0}", i - 1)).collect();
    let text = format!(
        "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 0 t Alias: @a0 0 {} --BODY-- State: 0 [@a59] 0 --END--",
        aliases.join(" ")
    );
    let problems = parse_hoa(&text).expect_err("too large");
    assert!(problems.sorted()[0].message.contains("operators"), "{problems:?}");
}

fn within(problems: &Diagnostics, text: &str) {
    for problem in problems.sorted() {
        let at = problem.offset.map_or(0, |at| usize::try_from(at).expect("small"));
        assert!(text.is_char_boundary(at), "{text:?}: {problem:?}");
    }
}

/// Where fuzzing starts: good and bad files, the bad ones with this many problems.
#[test]
fn the_corpus() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hoa_corpus");
    let mut found = Vec::new();
    for entry in folder.read_dir().expect("the corpus is there") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let problems = parse_hoa(&text).err();
        if let Some(problems) = &problems {
            within(problems, &text);
        }
        found.push((name, problems.map_or(0, |problems| problems.len())));
    }
    found.sort();
    let bad: Vec<_> = found.iter().filter(|(_, problems)| *problems > 0).collect();
    let bad: Vec<(&str, usize)> = bad.iter().map(|(name, problems)| (&**name, *problems)).collect();
    let expected = [("alternating.hoa", 2), ("many_problems.hoa", 9), ("rabin.hoa", 1)];
    assert_eq!(bad, expected);
    assert_eq!(found.len(), 7);
}

#[test]
fn mutated_files_are_read_or_refused() {
    const PIECES: [&str; 30] = [
        "HOA:",
        "v1",
        "States:",
        "Start:",
        "AP:",
        "Alias:",
        "@a",
        "Acceptance:",
        "Inf(0)",
        "Fin",
        "t",
        "f",
        "0",
        "1",
        "2",
        "99999999",
        "\"",
        "\"p\"",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "&",
        "|",
        "!",
        "--BODY--",
        "State:",
        "é",
    ];
    let seed = "HOA: v1 States: 2 Start: 0 AP: 2 \"p\" \"q\" Alias: @a 0 & !1 Acceptance: 2 Inf(0) & Inf(1) \
                name: \"x\" --BODY-- State: 0 [0 | @a] 1 {0} [t] 0 State: 1 \"n\" {1} 0 1 0 1 --END--";
    let mut rng = Rng::new(77);
    let mut good = 0;
    for _ in 0..20_000 {
        let mut words: Vec<&str> = seed.split(' ').collect();
        for _ in 0..=rng.below(3) {
            let i = rng.below(words.len());
            match rng.below(3) {
                0 => _ = words.remove(i),
                1 => words[i] = PIECES[rng.below(PIECES.len())],
                _ => words.insert(i, PIECES[rng.below(PIECES.len())]),
            }
        }
        let mut text = words.join(" ");
        if rng.chance(0.2) {
            let cut = text.floor_char_boundary(rng.below(text.len() + 1));
            text.truncate(cut);
        }
        match parse_hoa(&text) {
            Ok(hoa) => {
                good += 1;
                let again = parse_hoa(&hoa.to_string()).expect("what is written can be read");
                assert_eq!(again.buchi, hoa.buchi, "{text}");
            }
            Err(problems) => within(&problems, &text),
        }
    }
    assert!(good > 100, "{good} files were good");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 0 t\n--BODY--\nState: 0 [t] 0\n--END--\n";
    assert_eq!(parse_hoa(&format!("\u{feff}{hoa}")), parse_hoa(hoa));
    // places count from the beginning of the file
    let problems = parse_hoa("\u{feff}HAO: v1").expect_err("no HOA");
    assert_eq!(problems.sorted()[0].offset, Some(3));
}
