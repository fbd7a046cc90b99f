//! Problems are located, say what was expected, and help where the slip is known.

use loris_logic::{Core, parse, parse_properties};
use std::fmt::Write;
use std::path::Path;

/// The one problem of a text: offset, message, and a part of the help (empty: there is none).
fn check(input: &str, offset: u64, message: &str, help: &str) {
    let problems = parse(input).expect_err(input);
    let problem = problems.sorted()[0].clone();
    assert_eq!((problem.offset, problem.message.as_str()), (Some(offset), message), "{input}");
    let given = problem.help.unwrap_or_default();
    assert!(given.contains(help) && given.is_empty() == help.is_empty(), "{input}: {given}");
}

#[test]
fn operands_are_missing() {
    check("", 0, "the formula is empty", "");
    check("   ", 0, "the formula is empty", "");
    check("p &", 3, "expected a formula after `&`, found the end of the formula", "");
    check("p &  ", 3, "expected a formula after `&`, found the end of the formula", "");
    check("& p", 0, "expected a formula, found `&`", "");
    check("p &&& q", 4, "expected a formula after `&&`, found `&`", "one `&` or `&&` is enough");
    check("p & | q", 4, "expected a formula after `&`, found `|`", "missing between");
    check("p & ()", 5, "expected a formula after `(`, found `)`", "between the brackets");
    check("A G", 3, "expected a formula after `G`, found the end of the formula", "quote it: \"G\"");
    check("F & p", 2, "expected a formula after `F`, found `&`", "quote it: \"F\"");
    check("(AG)", 3, "expected a formula after `AG`, found `)`", "quote it: \"AG\"");
    check("p & U", 4, "expected a formula after `&`, found `U`", "quote it: \"U\"");
}

#[test]
fn operators_are_missing() {
    check("p q", 2, "expected an operator or the end of the formula, found `q`", "quote");
    check("(p E F q)", 3, "expected an operator or `)`, found `E`", "");
    check("p xor", 5, "expected a formula after `xor`, found the end of the formula", "");
    check("p xor ^ q", 6, "expected a formula after `xor`, found `^`", "one `xor` or `^` is enough");
    check("xor p", 4, "expected an operator or the end of the formula, found `p`", "put an operator");
    check("g (p)", 2, "expected an operator or the end of the formula, found `(`", "is written `G`");
    check("EU(p, q)", 2, "expected an operator or the end of the formula, found `(`", "`E [ p U q ]`");
    check("p != q", 2, "expected an operator or the end of the formula, found `!`", "`p xor q`");
}

#[test]
fn what_is_read_can_be_printed_and_read() {
    let deep = |levels: usize| format!("{}p{}", "p ^ (".repeat(levels), ")".repeat(levels));
    let formula = parse(&deep(2000)).expect("not too deep");
    assert_eq!(parse(&formula.to_string()).as_ref(), Ok(&formula));
    check(&deep(2100), 2, "formula is nested more than 4096 levels deep", "");
    let alternating = |levels: usize| format!("p{}", " xor p | p".repeat(levels));
    let formula = parse(&alternating(4000)).expect("not too deep");
    assert_eq!(parse(&formula.to_string()).as_ref(), Ok(&formula));
    check(&alternating(4200), 2, "formula is nested more than 4096 levels deep", "");
}

#[test]
fn brackets() {
    check("A G (p & [q | r]", 4, "this `(` is not closed", "add a `)`");
    check("p)", 1, "this `)` closes nothing", "remove it");
    check("(p & q]", 6, "`]` does not close the `(` at column 1", "write `)`");
}

#[test]
fn characters() {
    check("x = 1", 2, "unexpected character `=`", "<->");
    check("a-b", 1, "unexpected character `-`", "\"a-b\"");
    check("p > q", 2, "unexpected character `>`", "`->`");
    check("{p}", 0, "unexpected character `{`", "`( )`");
    check("größe ☃", 8, "unexpected character `☃`", "");
    check("p # why", 2, "unexpected character `#`", "property files");
    check("p & \"q", 4, "this quoted atom is not closed", "add");
    check("\"a\\n\"", 2, "a quoted atom has no escape `\\n`", "backslash");
    check("p \u{0}", 2, "unexpected character `\\0`", "");
}

/// The problems of a well-formed formula that is not CTL: offset, length and message of each.
fn check_fragment(input: &str, expected: &[(u64, u32, &str)]) {
    let problems = Core::new(&parse(input).expect(input)).expect_err(input);
    let found: Vec<_> = problems
        .sorted()
        .into_iter()
        .map(|problem| (problem.offset.expect("located"), problem.length, problem.message.as_str()))
        .collect();
    assert_eq!(found, expected, "{input}");
}

#[test]
fn outside_of_ctl() {
    let bare = "`G p` is not directly under a quantifier, as CTL demands";
    check_fragment("G p", &[(0, 3, bare)]);
    check_fragment("q -> !G p", &[(6, 3, bare)]);
    check_fragment("E F G p", &[(4, 3, bare)]);
    check_fragment("A [ q U (q | G p) ]", &[(13, 3, bare)]);
    check_fragment(
        "E (F p & G q)",
        &[(
            3,
            9,
            "`F p & G q`, a boolean combination of path formulas under one quantifier, is CTL*, not CTL",
        )],
    );
    check_fragment("E X G p & A X G p", &[(4, 3, bare), (14, 3, bare)]);
    let help = |input: &str| {
        let problems = Core::new(&parse(input).expect(input)).expect_err(input);
        problems.sorted()[0].advice(|remedy| remedy.to_string()).expect(input)
    };
    assert_eq!(help("p U q"), "write `A [ p U q ]` or `E [ p U q ]`; as it is, the formula is one of ltl");
    assert_eq!(help("p -> E F G p"), "write `A G p` or `E G p`; as it is, the formula is one of ctl*");
    assert_eq!(help("E F q & G p"), "write `A G p` or `E G p`");
}

/// Every file of the corpus is a bad property file; `corpus.expected` says what is reported.
/// Set `LORIS_BLESS` to write it anew.
#[test]
fn corpus_of_bad_inputs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files: Vec<_> = std::fs::read_dir(folder.join("corpus"))
        .expect("the corpus is part of the crate")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    let mut found = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("the corpus is UTF-8");
        let (lines, mut problems) = parse_properties(&text);
        for line in &lines {
            if let Err(more) = line.ctl() {
                more.sorted().into_iter().for_each(|problem| problems.push(problem.clone()));
            }
        }
        assert!(problems.has_errors(), "{} is good", file.display());
        writeln!(found, "{}", file.file_name().expect("a file").display()).expect("strings grow");
        for problem in problems.sorted() {
            let offset = usize::try_from(problem.offset.expect("located")).expect("small");
            assert!(text.is_char_boundary(offset) && offset <= text.len(), "{}", file.display());
            let help = problem.advice(|remedy| remedy.to_string()).unwrap_or_else(|| "-".to_owned());
            writeln!(found, "  {offset}+{}: {}\n    {help}", problem.length, problem.message)
                .expect("strings grow");
        }
    }
    loris_testing::golden([(folder.join("corpus.expected"), found)]);
}
