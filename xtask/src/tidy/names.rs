//! Names that mislead: files that are not named after what they hold, and public types of several
//! crates with the same name.

use super::rust::Kind;
use super::tree::{File, Tree, line_of};
use super::{Exceptions, Problems};
use std::collections::{BTreeMap, BTreeSet};

/// Names of files that tell nothing about their content.
const FILES: [&str; 6] = ["words.rs", "util.rs", "utils.rs", "misc.rs", "helpers.rs", "rest.rs"];

/// Public types of several crates, and why they share the name.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("Answer", "what an engine for parallel processes decided, and what the session makes of it"),
    ("Cause", "why a game is undecided; why a value of SMV is missing"),
    ("Context", "of a report, and of the rules: a program and its machine"),
    ("Detail", "of a refinement, and of a report"),
    ("Direction", "of a search in a machine, and in a transition system"),
    ("Edge", "of an automaton, and of a composition"),
    ("Fairness", "the same idea at three levels: formulas, structures, replay"),
    ("Gate", "of a circuit, and of a proposition that is replayed"),
    ("Graph", "the trait of base, and the graph of a process"),
    ("Input", "of a Java program, and of a call"),
    ("Kind", "the kind of a format, of a component and of a vertex"),
    ("Loaded", "a Java program and a model, both as read"),
    ("Machine", "a machine to be checked, and one to be replayed"),
    ("Names", "the table of names, and the names of a model that messages suggest"),
    ("Options", "of a check, and of the rules"),
    ("Origin", "of a class, and of a property"),
    ("Outcome", "of an engine on machines, on transition systems, of rules, and in a report"),
    ("Part", "of a circuit, of a composition, of a machine: each is a part of its whole"),
    ("Path", "a path of evidence, and a path formula"),
    ("Place", "in a text, in a machine, in a Java program, where a model was found"),
    ("Portfolio", "several engines in turns, on processes and on transition systems"),
    ("Property", "as engines take it, and as reports show it"),
    ("Question", "as it is asked, and as the engines for processes take it"),
    ("Reached", "what a search found: by replay, by an engine, in a report"),
    ("Round", "of a search in replay, and of a refinement"),
    ("Rule", "of synchronisation, of a pushdown system, of a check of Java, and of SARIF"),
    ("Settings", "of the engines, and of the editor"),
    ("Source", "of a property, and of a text"),
    ("Step", "of a circuit, of evidence, of a process, of a finding"),
    ("Stopped", "why reading ended, at two levels"),
    ("System", "a transition system of bits, and a system of processes"),
    ("Target", "of a search: in replay, in a call, in a transition system"),
    ("Trace", "of a circuit, and of a report"),
    ("Undecided", "a rule, and a property of a transition system"),
    ("Unfit", "why an engine does not take a model, at two levels"),
    ("Word", "over actions, and of a pushdown rule"),
];

pub(super) fn check(tree: &Tree, problems: &mut Problems) {
    for file in &tree.files {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        if FILES.contains(&name) {
            problems.add(&file.path, 1, "a file is named after its technique or its type");
        }
    }
    let mut exported: BTreeMap<String, Vec<(&File, &str)>> = BTreeMap::new();
    // the library that people embed wraps what the crates below have, under the names they know
    for package in tree.packages.iter().filter(|package| package.folder != "loris") {
        let Some(root) = tree.file(&format!("crates/{}/src/lib.rs", package.folder)) else { continue };
        for name in types(tree, &package.folder, root) {
            exported.entry(name).or_default().push((root, &package.folder));
        }
    }
    let mut exceptions = Exceptions::new("xtask/src/tidy/names.rs", EXCEPTIONS);
    for (name, places) in exported {
        let [first, others @ ..] = &places[..] else { continue };
        if !others.is_empty() && !exceptions.allow(&name) {
            let crates: Vec<&str> = others.iter().map(|(_, package)| *package).collect();
            let line = line_of(&first.0.text, &name);
            let what = format!("the type {name} is also exported by {}", crates.join(", "));
            problems.add(&first.0.path, line, what);
        }
    }
    exceptions.finish(problems);
}

/// The names of types that a crate declares and exports at its root.
fn types(tree: &Tree, package: &str, root: &File) -> BTreeSet<String> {
    let lib = code(root);
    let exports = lib.match_indices("pub use ").flat_map(|(at, _)| {
        let tree = lib[at..].split(';').next().unwrap_or_default();
        tree.split(|c: char| !c.is_alphanumeric() && c != '_')
    });
    let exports: BTreeSet<&str> = exports.chain(declarations(&lib)).collect();
    let sources = tree.sources(package).filter(|file| !file.is_test()).map(code);
    let declared: Vec<String> = sources.collect();
    let declared = declared.iter().flat_map(|code| declarations(code));
    declared.filter(|name| exports.contains(name)).map(str::to_owned).collect()
}

/// The code of a file without comments and literals.
pub(super) fn code(file: &File) -> String {
    file.pieces.iter().filter(|piece| piece.kind == Kind::Code).map(|piece| piece.text.as_str()).collect()
}

fn declarations(code: &str) -> impl Iterator<Item = &str> {
    let kinds = ["\npub struct ", "\npub enum ", "\npub trait "];
    kinds.into_iter().flat_map(move |kind| {
        code.match_indices(kind).map(move |(at, _)| {
            let rest = &code[at + kind.len()..];
            &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())]
        })
    })
}
