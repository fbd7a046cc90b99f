//! Classes that generators make: of parsers, of scanners, of readers of XML, of messages. What is
//! never used in them is in the generator's templates, and nobody edits the class.

use loris_findings::{Confidence, Finding};
use loris_java::{ClassId, Program};
use rustc_hash::FxHashMap;

/// Ancestors of what ANTLR, Snowball and Protocol Buffers make.
const PARSERS: [&str; 4] =
    ["antlr/", "org/antlr/", "org/tartarus/snowball/SnowballProgram", "com/google/protobuf/Generated"];

/// Beginnings of fields of what `JFlex`, `SableCC`, `BYacc/J`, SWIG and Protocol Buffers make.
const TABLES: [&str; 7] =
    ["ZZ_CMAP", "ZZ_LEXSTATE", "gotoTable", "yytable", "swigCPtr", "swigValue", "internal_static_"];

/// Ends of the names of what Modello makes.
const READERS: [&str; 3] = ["Xpp3Reader", "Xpp3ReaderEx", "Xpp3Writer"];

/// Beginnings of methods of what `JavaCC` and CUP make.
const AUTOMATA: [&str; 4] = ["jjMoveNfa_", "jjMoveStringLiteralDfa", "jj_consume_token", "CUP$"];

/// Bounds the confidence of findings in classes that a generator made. Looks at each class once.
pub(super) fn doubted(program: &Program, findings: Vec<Finding>) -> Vec<Finding> {
    let mut known: FxHashMap<ClassId, bool> = FxHashMap::default();
    let mut is_made = |finding: &Finding| {
        let class = program.class_named(finding.class());
        class.is_some_and(|class| *known.entry(class).or_insert_with(|| is_generated(program, class)))
    };
    let doubt = |finding: Finding| {
        if is_made(&finding) {
            finding.at_most(Confidence::Possible, "the class is made by a generator")
        } else {
            finding
        }
    };
    findings.into_iter().map(doubt).collect()
}

fn is_generated(program: &Program, id: ClassId) -> bool {
    let (class, names) = (program.class(id), &program.names);
    let simple = names[class.name].rsplit('/').next().unwrap_or_default();
    // the tree builder of JJTree, and the reader that `JavaCC` makes beside each scanner
    let is_part = simple.starts_with("JJT") && simple.ends_with("State") || simple.ends_with("CharStream");
    let has = |prefixes: &[&str], name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let is_reader = READERS.iter().any(|end| simple.ends_with(end));
    let is_parser = || class.superclass.is_some_and(|parent| has(&PARSERS, &names[parent]));
    let has_tables = || class.fields.iter().any(|field| has(&TABLES, &names[field.name]));
    let is_automaton = || class.methods.iter().any(|method| has(&AUTOMATA, &names[method.name]));
    is_part || is_reader || is_parser() || is_automaton() || has_tables()
}
