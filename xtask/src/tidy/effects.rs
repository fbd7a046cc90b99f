//! Crates that read files or clocks although they are too low in the table of crates for that.

use super::Problems;
use super::arrows;
use super::rust::Kind;
use super::tree::Tree;

/// What code does, by words in it; the lowest crate that may; and others that may.
const EFFECTS: &[(&str, &[&str], &str, &[&str])] = &[
    ("files", &["std::fs", "fs::", "File::open", "File::create"], "load", &[]),
    // budgets look at the clock
    ("clocks", &["Instant", "SystemTime"], "check", &["base"]),
    ("the terminal", &["std::io::stdout", "std::io::stderr", "eprint", "print!", "println!"], "cli", &[]),
];

pub(super) fn check(tree: &Tree, problems: &mut Problems) {
    for (what, words, lowest, others) in EFFECTS {
        let lower: Vec<&str> = arrows::crates().take_while(|name| name != lowest).collect();
        for file in tree.files.iter().filter(|file| !file.is_test()) {
            let Some(package) = file.package().filter(|name| lower.contains(name) && !others.contains(name))
            else {
                continue;
            };
            for piece in file.pieces.iter().filter(|piece| piece.kind == Kind::Code) {
                for (number, line) in piece.text.lines().enumerate() {
                    if words.iter().any(|word| names(line, word)) {
                        let what =
                            format!("{package} uses {what}, which is for {lowest} and the crates after it");
                        problems.add(&file.path, piece.line + number, what);
                    }
                }
            }
        }
    }
}

/// Whether a word stands in code, not as a part of a longer one.
fn names(code: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let after = &code[at + word.len()..];
        !code[..at].chars().next_back().is_some_and(is_word)
            && (!word.ends_with(is_word) || !after.starts_with(is_word) || word == "eprint")
    })
}
