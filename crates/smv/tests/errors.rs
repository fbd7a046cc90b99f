//! Problems that can be found without looking at states, `errors/static_*.smv`, and those that only
//! states show, `errors/states_*.smv`, one file each, with `.err` beside it.
//!
//! `LORIS_BLESS=1 cargo test -p loris-smv --test errors` writes the latter anew.

#![allow(clippy::unwrap_used)] // helpers of tests

use loris_base::{Budget, Diagnostics, Rng, Severity};
use loris_smv::{Labels, Limits, Stopped, build, read_smv};
use std::fmt::Write;
use std::path::Path;

fn render(text: &str, problems: &Diagnostics) -> String {
    let mut out = String::new();
    for problem in problems.sorted() {
        if let Some(offset) = problem.offset {
            let before = &text[..usize::try_from(offset).unwrap()];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            write!(out, "{line}:{column}: ").unwrap();
        }
        let severity = if problem.severity == Severity::Error { "error" } else { "warning" };
        writeln!(out, "{severity}: {}", problem.message).unwrap();
        if let Some(help) = problem.advice(|remedy| remedy.to_string()) {
            writeln!(out, "help: {help}").unwrap();
        }
    }
    out
}

/// Compares what is wrong with files of this kind to what is expected.
fn check(kind: &str, problems_of: impl Fn(&str) -> Diagnostics) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(kind) && path.extension().is_some_and(|extension| extension == "smv")
    });
    files.sort();
    assert!(!files.is_empty());
    loris_testing::golden(files.iter().map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        let problems = problems_of(&text);
        assert!(!problems.is_empty(), "{}: nothing is wrong", path.display());
        (path.with_extension("err"), render(&text, &problems))
    }));
}

#[test]
fn static_problems() {
    check("static_", |text| match read_smv(text) {
        Ok((_, warnings)) => warnings,
        Err(problems) => problems,
    });
}

#[test]
fn problems_that_states_show() {
    check("states_", |text| {
        let (smv, _) = read_smv(text).unwrap_or_else(|problems| panic!("{}", render(text, &problems)));
        let properties: Vec<_> = smv.program().properties.iter().collect();
        let made =
            build(smv.program(), &properties, Labels::All, &Limits::default(), &mut Budget::unlimited());
        match made {
            Err(Stopped::Wrong(problems)) => problems,
            Err(stopped) => panic!("{stopped:?}"),
            Ok(built) => built.remarks,
        }
    });
}

/// Names and numbers of a text, which can be exchanged so that it can still be read.
fn operands(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut list = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices() {
        match (c.is_ascii_alphanumeric() || c == '_', start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                if text[from..i].bytes().any(|c| c.is_ascii_lowercase() || c.is_ascii_digit()) {
                    list.push(from..i);
                }
                start = None;
            }
            _ => {}
        }
    }
    list
}

fn read_anything(text: &str) {
    if let Ok((mut smv, _)) = read_smv(text) {
        for property in ["AG (x = 1 -> EF b)", "A [ n + 1 < 2 U s = a ]", "G F (w = 0ub2_01 | d)"] {
            let _ = smv.property(property);
        }
    }
}

/// Words taken out, doubled, exchanged, or put in from elsewhere: whatever comes out, nothing
/// panics.
#[test]
fn mangled_files() {
    let cases = loris_testing::cases(3000);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "smv"));
    files.retain(|path| !path.ends_with("static_many_instances.smv"));
    files.sort();
    let mut texts: Vec<String> = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    texts.retain(|text| operands(text).len() > 1);
    let words: Vec<Vec<&str>> =
        texts.iter().map(|text| text.split_inclusive([' ', '\n', '(', ')', ';', ',']).collect()).collect();
    let mut rng = Rng::new(7);
    for _ in 0..cases {
        let mut file = words[rng.below(words.len())].clone();
        let other = &words[rng.below(words.len())];
        for _ in 0..=rng.below(6) {
            let (i, j) = (rng.below(file.len()), rng.below(file.len()));
            match rng.below(4) {
                0 if file.len() > 1 => drop(file.remove(i)),
                1 => file.insert(i, file[j]),
                2 => file.swap(i, j),
                _ => file[i] = other[rng.below(other.len())],
            }
        }
        read_anything(&file.concat());

        let mut text = texts[rng.below(texts.len())].clone();
        for _ in 0..=rng.below(6) {
            let names = operands(&text);
            if names.is_empty() {
                break;
            }
            let (from, to) = (names[rng.below(names.len())].clone(), names[rng.below(names.len())].clone());
            let word = text[from].to_owned();
            text.replace_range(to, &word);
        }
        read_anything(&text);
    }
}
