//! Flags of the program that libraries name in messages: only the program knows its flags.

use super::rust::Kind;
use super::tree::Tree;
use super::{Exceptions, Problems};

/// Crates whose users write flags.
const PROGRAMS: [&str; 2] = ["cli", "xtask"];

/// `crate: --flag`, and why it may be named there.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("logic: --gba", "a flag of autfilt, the tool that rewrites automata"),
    ("lsp: --unknown-atoms", "editors have no setting for it, the program has"),
    ("python: --list-rules", "only the program lists rules"),
    ("report: --format", "the page is read where there is no program to ask"),
];

pub(super) fn check(tree: &Tree, problems: &mut Problems) {
    let mut exceptions = Exceptions::new("xtask/src/tidy/flags.rs", EXCEPTIONS);
    for file in tree.files.iter().filter(|file| !file.is_test()) {
        let Some(package) = file.package().filter(|package| !PROGRAMS.contains(package)) else { continue };
        for piece in file.pieces.iter().filter(|piece| piece.kind == Kind::Text) {
            for flag in flags(&piece.text) {
                if !exceptions.allow(&format!("{package}: {flag}")) {
                    problems.add(&file.path, piece.line, format!("a library names the flag {flag}"));
                }
            }
        }
    }
    exceptions.finish(problems);
}

/// The flags in a text.
fn flags(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("--").filter_map(|(at, _)| {
        let starts = text[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "`\"'(".contains(c));
        let rest = &text[at + 2..];
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
        (starts && end > 1).then(|| &text[at..at + 2 + end])
    })
}
