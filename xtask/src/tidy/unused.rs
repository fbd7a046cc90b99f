//! Dependencies that nothing in the package names.

use super::rust::Kind;
use super::tree::{File, Tree, line_of};
use super::{Exceptions, Problems};

/// `crate: dependency`, and why it is there although no source names it.
const EXCEPTIONS: &[(&str, &str)] = &[];

pub(super) fn check(tree: &Tree, problems: &mut Problems) {
    let mut exceptions = Exceptions::new("xtask/src/tidy/unused.rs", EXCEPTIONS);
    for package in &tree.packages {
        for (section, tests_too) in
            [("dependencies", false), ("dev-dependencies", true), ("build-dependencies", true)]
        {
            let Some(table) = package.manifest.get(section).and_then(|table| table.as_table()) else {
                continue;
            };
            for name in table.keys() {
                let root = name.replace('-', "_");
                let mut files = tree
                    .files
                    .iter()
                    .filter(|file| file.package() == Some(&package.folder) && (tests_too || !file.is_test()));
                if files.any(|file| names(file, &root))
                    || exceptions.allow(&format!("{}: {name}", package.folder))
                {
                    continue;
                }
                let line = line_of(&package.text, &format!("\n{name}")) + 1;
                let place = if tests_too { "" } else { " outside of tests" };
                problems.add(&package.path, line, format!("{name} is not used{place}"));
            }
        }
    }
    exceptions.finish(problems);
}

/// Whether the code of a file, or an example in its documentation, names a crate.
fn names(file: &File, root: &str) -> bool {
    let pieces = file.pieces.iter().filter(|piece| piece.kind != Kind::Text);
    let mut found = pieces.flat_map(|piece| piece.text.match_indices(root).map(move |(at, _)| (piece, at)));
    found.any(|(piece, at)| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let after = piece.text[at + root.len()..].chars().next();
        let before = piece.text[..at].chars().next_back();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}
