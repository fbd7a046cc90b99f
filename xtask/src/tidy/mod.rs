//! Checks of what neither the compiler nor a test sees: the layering of crates and modules, unused
//! dependencies, the prose of comments, messages and pages, and links.
//!
//! One file per check. Each gets the whole [`Tree`] and reports `file:line: problem`. Exceptions
//! are lists beside the check, each with its reason; an exception that is not needed is a problem,
//! too.

mod arrows;
mod columns;
mod cycles;
mod effects;
mod flags;
mod links;
mod names;
mod phrases;
mod rust;
mod tree;
mod unused;

use anyhow::bail;
use std::fmt;
use tree::Tree;

/// Something that is wrong at a place of the repository.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    file: String,
    line: usize,
    what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// The problems that checks have found.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, file: &str, line: usize, what: impl Into<String>) {
        self.0.push(Problem { file: file.to_owned(), line, what: what.into() });
    }
}

/// Exceptions to a check: what is excepted, and why. Those that were not needed are reported.
struct Exceptions {
    file: &'static str,
    rows: &'static [(&'static str, &'static str)],
    needed: Vec<bool>,
}

impl Exceptions {
    /// The exceptions that this file of the tool lists.
    fn new(file: &'static str, rows: &'static [(&'static str, &'static str)]) -> Self {
        Self { file, rows, needed: vec![false; rows.len()] }
    }

    fn allow(&mut self, what: &str) -> bool {
        let place = self.rows.iter().position(|(excepted, _)| *excepted == what);
        if let Some(place) = place {
            self.needed[place] = true;
        }
        place.is_some()
    }

    fn finish(self, problems: &mut Problems) {
        for ((what, _), needed) in self.rows.iter().zip(self.needed) {
            if !needed {
                problems.add(self.file, 1, format!("the exception \"{what}\" is not needed any more"));
            }
        }
    }
}

/// Runs all checks; with `--bless` writes the generated parts of pages first.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let mut tree = Tree::read()?;
    match arguments {
        [] => {}
        [option] if option == "--bless" => {
            arrows::bless(&tree)?;
            tree = Tree::read()?;
        }
        _ => bail!("tidy takes one option, --bless"),
    }
    let mut problems = Problems::default();
    arrows::check(&tree, &mut problems)?;
    let checks = [
        unused::check,
        effects::check,
        columns::check,
        flags::check,
        phrases::check,
        cycles::check,
        names::check,
        links::check,
    ];
    for check in checks {
        check(&tree, &mut problems);
    }
    let Problems(mut problems) = problems;
    problems.sort();
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        1 => bail!("one problem"),
        count => bail!("{count} problems"),
    }
}
