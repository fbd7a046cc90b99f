//! Prose that is wider than 100 columns: in Markdown, and in comments of Rust sources.

use super::Problems;
use super::rust::Kind;
use super::tree::{File, Tree, prose};

const WIDTH: usize = 100;

pub(super) fn check(tree: &Tree, problems: &mut Problems) {
    for file in &tree.files {
        if file.is(".md") {
            for (line, text) in prose(&file.text) {
                // a heading cannot be wrapped
                if !text.starts_with('#') && is_wide(text) {
                    problems.add(&file.path, line, wide(text));
                }
            }
        } else {
            comments(file, problems);
        }
    }
}

fn comments(file: &File, problems: &mut Problems) {
    let lines: Vec<&str> = file.text.lines().collect();
    let (mut fence, mut last) = (false, 0);
    for piece in file.pieces.iter().filter(|piece| piece.kind == Kind::Comment) {
        // examples in documentation are code
        fence &= piece.line == last + 1;
        last = piece.line;
        let opens = piece.text.trim_start().starts_with("```");
        fence ^= opens;
        let text = lines.get(piece.line - 1).copied().unwrap_or_default();
        if !fence && !opens && !piece.text.trim_start().starts_with('|') && is_wide(text) {
            problems.add(&file.path, piece.line, wide(text));
        }
    }
}

fn wide(text: &str) -> String {
    format!("prose of {} columns, of at most {WIDTH}", text.chars().count())
}

/// Whether a line is too wide for another reason than an address in it.
fn is_wide(line: &str) -> bool {
    let mut width = line.chars().count();
    if width <= WIDTH {
        return false;
    }
    for (at, _) in line.match_indices("](") {
        width -= line[at + 1..].split_inclusive(')').next().map_or(0, |target| target.chars().count());
    }
    for word in line.split_whitespace().filter(|word| !word.contains("](")) {
        if word.contains("://") {
            width -= word.chars().count();
        }
    }
    width > WIDTH
}
