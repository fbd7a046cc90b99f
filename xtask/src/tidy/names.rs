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
    ("Edge", "of an automaton, and of a composition"),
    ("Fairness", "the same idea at three levels: formulas, structures, replay"),
    ("Gate", "of a circuit, and of a proposition that is replayed"),
    ("Graph", "the trait of base, and the graph of a process"),
    ("Path", "a path of evidence, and a path formula"),
    ("Portfolio", "several engines in turns, on processes and on transition systems"),
    ("Property", "as engines take it, and as reports show it"),
    ("Stopped", "why reading ended, at two levels"),
    ("Undecided", "a rule, and a property of a transition system"),
    ("Unfit", "why an engine does not take a model, at two levels"),
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
