//! Classes that generators of parsers make. What is never used in them is in the generator's
//! templates, and nobody edits the class.

use loris_findings::{Confidence, Finding};
use loris_java::{ClassId, Program};

/// Ancestors of what ANTLR makes.
const PARSERS: [&str; 2] = ["antlr/", "org/antlr/"];

/// Beginnings of methods of what `JavaCC` makes.
const AUTOMATA: [&str; 3] = ["jjMoveNfa_", "jjMoveStringLiteralDfa", "jj_consume_token"];

/// Bounds the confidence of a finding in a class that a generator made.
pub(super) fn doubted(program: &Program, finding: Finding) -> Finding {
    let class = program.class_named(finding.method().0);
    if class.is_some_and(|class| is_generated(program, class)) {
        return finding.at_most(Confidence::Possible, "the class is made by a generator of parsers");
    }
    finding
}

fn is_generated(program: &Program, id: ClassId) -> bool {
    let (class, names) = (program.class(id), &program.names);
    let simple = names[class.name].rsplit('/').next().unwrap_or_default();
    // the tree builder of JJTree, and the reader that `JavaCC` makes beside each scanner
    let is_part = simple.starts_with("JJT") && simple.ends_with("State") || simple.ends_with("CharStream");
    let has = |prefixes: &[&str], name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let is_automaton = || class.methods.iter().any(|method| has(&AUTOMATA, &names[method.name]));
    is_part || class.superclass.is_some_and(|parent| has(&PARSERS, &names[parent])) || is_automaton()
}
