//! Classes that generators make: of parsers, of scanners, of readers of XML, of stemmers. What is
//! never used in them is in the generator's templates, and nobody edits the class.

use loris_findings::{Confidence, Finding};
use loris_java::{ClassId, Program};

/// Ancestors of what ANTLR and Snowball make.
const PARSERS: [&str; 3] = ["antlr/", "org/antlr/", "org/tartarus/snowball/SnowballProgram"];

/// Beginnings of fields of what `JFlex` makes.
const TABLES: [&str; 2] = ["ZZ_CMAP", "ZZ_LEXSTATE"];

/// Ends of the names of what Modello makes.
const READERS: [&str; 3] = ["Xpp3Reader", "Xpp3ReaderEx", "Xpp3Writer"];

/// Beginnings of methods of what `JavaCC` makes.
const AUTOMATA: [&str; 3] = ["jjMoveNfa_", "jjMoveStringLiteralDfa", "jj_consume_token"];

/// Bounds the confidence of a finding in a class that a generator made.
pub(super) fn doubted(program: &Program, finding: Finding) -> Finding {
    let class = program.class_named(finding.method().0);
    if class.is_some_and(|class| is_generated(program, class)) {
        return finding.at_most(Confidence::Possible, "the class is made by a generator");
    }
    finding
}

fn is_generated(program: &Program, id: ClassId) -> bool {
    let (class, names) = (program.class(id), &program.names);
    let simple = names[class.name].rsplit('/').next().unwrap_or_default();
    // the tree builder of JJTree, and the reader that `JavaCC` makes beside each scanner
    let is_part = simple.starts_with("JJT") && simple.ends_with("State") || simple.ends_with("CharStream");
    let has = |prefixes: &[&str], name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let is_reader = READERS.iter().any(|end| simple.ends_with(end));
    let is_scanner = || class.fields.iter().any(|field| has(&TABLES, &names[field.name]));
    let is_automaton = || class.methods.iter().any(|method| has(&AUTOMATA, &names[method.name]));
    let is_named = is_part || is_reader;
    is_named
        || class.superclass.is_some_and(|parent| has(&PARSERS, &names[parent]))
        || is_automaton()
        || is_scanner()
}
