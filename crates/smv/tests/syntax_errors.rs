//! What is said about files that are not models: every `tests/errors/syntax_*.smv` has its `.err`
//! beside it, which `LORIS_BLESS=1` writes anew.

use loris_base::{Diagnostics, Names};
use loris_smv::syntax::ast::Exprs;
use loris_smv::syntax::{parse_file, parse_property};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

fn render(text: &str, problems: &Diagnostics) -> String {
    let mut out = String::new();
    for problem in problems.sorted() {
        if let Some(offset) = problem.offset {
            let before = &text[..offset as usize];
            let line = before.matches('\n').count() + 1;
            let column = before[before.rfind('\n').map_or(0, |at| at + 1)..].chars().count() + 1;
            let end = offset as usize + problem.length as usize;
            assert!(text.is_char_boundary(end), "the caret ends inside a character: {problem:?}");
            assert!(!text[offset as usize..end].contains('\n'), "the caret leaves its line: {problem:?}");
            write!(out, "{line}:{column}: ").expect("a string");
        }
        assert!(!problem.message.ends_with('.'), "{problem:?}");
        writeln!(out, "error: {}", problem.message).expect("a string");
        if let Some(help) = &problem.help {
            writeln!(out, "help: {help}").expect("a string");
        }
    }
    out
}

fn models() -> Vec<PathBuf> {
    let mut list: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder is there")
        .map(|entry| entry.expect("it is readable").path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            name.starts_with("syntax_") && path.extension().is_some_and(|extension| extension == "smv")
        })
        .collect();
    list.sort();
    assert!(!list.is_empty());
    list
}

#[test]
fn golden() {
    loris_testing::golden(models().iter().map(|path| {
        let text = fs::read_to_string(path).expect("it is text");
        (path.with_extension("err"), render(&text, &parse_file(&text).1))
    }));
}

/// Every message in the sources of the parser is told by some golden file, as far as it is fixed.
#[test]
fn every_message_has_a_golden_file() {
    let said: String = models()
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).expect("it is text");
            render(&text, &parse_file(&text).1)
        })
        .collect();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/syntax");
    let mut files = vec![sources.join("lexer.rs"), sources.join("tokens.rs")];
    let parser = fs::read_dir(sources.join("parser")).expect("it is there");
    files.extend(parser.map(|entry| entry.expect("it is readable").path()));
    let mut missing = Vec::new();
    for file in files {
        let source = fs::read_to_string(file).expect("it is text");
        for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
            // only sentences: strings with blanks in them
            for text in line
                .replace("'\"'", "")
                .split('"')
                .skip(1)
                .step_by(2)
                .filter(|text| text.trim().contains(' '))
            {
                let part = text.split(['{', '}']).max_by_key(|part| part.len()).unwrap_or("");
                if !said.contains(part) && !part.starts_with("every pending") && !INVARIANTS.contains(&part) {
                    missing.push(text.to_owned());
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// What is never said to users, or only about properties on a command line, or about names that are
/// too long for a golden file (they are in the tests of the command line).
const INVARIANTS: &[&str] = &[
    "this name is longer than 1 MiB",
    "a complete expression is one operand",
    "a frame is open",
    "a string takes everything",
    "a sequence has a part",
    "as many as were pushed",
    "the whole was copied",
    "`forall` over that many values",
    "frames are closed, not applied",
    "the end of the property",
    "expected an expression, found ",
    "the property is empty",
    "a property that is given has no comments",
    "remove it; `-->` is an implication",
];

/// The one problem of a property.
fn check(text: &str, expected: &str) {
    let problems = parse_property(text, &mut Names::default(), &mut Exprs::default()).expect_err(text);
    assert_eq!(render(text, &problems), expected, "{text}");
}

#[test]
fn properties() {
    check("", "1:1: error: the property is empty\n");
    check("& a", "1:1: error: expected an expression, found `&`\n");
    check("a b", "1:3: error: expected an operator or the end of the property, found `b`\n");
    check("a; b", "1:4: error: expected an operator or the end of the property, found `b`\n");
    check("AG (a", "1:4: error: this `(` is not closed\nhelp: add a `)`\n");
    check("a)", "1:2: error: this `)` closes nothing\nhelp: remove it, or open a bracket before it\n");
    check("a & %", "1:5: error: unexpected character `%`\nhelp: the remainder is written `mod`\n");
    let no_comments =
        "error: a property that is given has no comments\nhelp: remove it; `-->` is an implication\n";
    check("a -- b", &format!("1:3: {no_comments}"));
    check("a & -- b", &format!("1:5: {no_comments}"));
    check("a VAR", "1:3: error: expected an operator or the end of the property, found `VAR`\n");
}

#[test]
fn many_problems_are_counted() {
    let text = format!("MODULE main DEFINE {}", "x := ; ".repeat(500));
    let (_, problems) = parse_file(&text);
    assert_eq!((problems.len(), problems.sorted().len()), (500, 100));
}
