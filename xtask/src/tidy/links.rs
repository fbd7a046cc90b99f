//! Links between pages, and paths of sources that pages and comments mention.

use super::Problems;
use super::rust::Kind;
use super::tree::{File, Tree, prose};

/// Where paths of sources start, if they are written from the root.
const ROOTS: [&str; 7] = ["crates/", "docs/", "examples/", "xtask/", "web/", "fuzz/", ".ci/"];

pub(super) fn check(tree: &Tree, problems: &mut Problems) {
    for file in &tree.files {
        if file.is(".md") {
            for (line, text) in prose(&file.text) {
                links(tree, file, line, text, problems);
            }
            // tables, too
            for (number, text) in file.text.lines().enumerate().filter(|(_, text)| text.starts_with('|')) {
                links(tree, file, number + 1, text, problems);
                mentions(tree, file, number + 1, text, problems);
            }
            // the past is not rewritten
            if file.path != "CHANGELOG.md" {
                for (line, text) in prose(&file.text) {
                    mentions(tree, file, line, text, problems);
                }
            }
        } else {
            for piece in file.pieces.iter().filter(|piece| piece.kind == Kind::Comment) {
                mentions(tree, file, piece.line, &piece.text, problems);
            }
        }
    }
}

fn links(tree: &Tree, file: &File, line: usize, text: &str, problems: &mut Problems) {
    for (at, _) in text.match_indices("](") {
        let Some(target) = text[at + 2..].split(')').next() else { continue };
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = if path.is_empty() { file.path.clone() } else { resolve(&file.path, path) };
        if !tree.paths.contains(&path) && !tree.root.join(&path).exists() {
            problems.add(&file.path, line, format!("there is no file {target}"));
        } else if !anchor.is_empty()
            && let Some(page) = tree.file(&path).filter(|page| page.is(".md"))
            && !anchors(&page.text).iter().any(|heading| heading == anchor)
        {
            problems.add(&file.path, line, format!("there is no heading for {target}"));
        }
    }
}

/// A path relative to a file, from the root.
fn resolve(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The anchors of the headings of a page, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).into_iter().filter(|(_, line)| line.starts_with('#'));
    let mut found: Vec<String> = Vec::new();
    for (_, line) in headings {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let count = found.iter().filter(|other| **other == anchor).count();
        found.push(if count == 0 { anchor } else { format!("{anchor}-{count}") });
    }
    found
}

/// Checks paths such as `crates/base/src/lib.rs`, `base/src/lib.rs` and `docs/engines.md`.
fn mentions(tree: &Tree, file: &File, line: usize, text: &str, problems: &mut Problems) {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "/._-*".contains(c);
    for word in text.split(|c: char| !is_path(c)) {
        let path = word.trim_end_matches(['.', '-', '/']);
        let segments: Vec<&str> = path.split('/').collect();
        let is_of_crate = segments.len() > 2
            && matches!(segments[1], "src" | "tests")
            && tree.packages.iter().any(|package| package.folder == segments[0] && segments[0] != "xtask");
        let path = if is_of_crate { format!("crates/{path}") } else { path.to_owned() };
        // names of folders alone, and patterns, are not checked further
        if segments.len() < 2 || path.contains('*') || !ROOTS.iter().any(|root| path.starts_with(root)) {
            continue;
        }
        let own = resolve(&file.path, &path);
        // examples in the documentation of a package run in its folder
        let of_package = file.path.split_once("/src/").map(|(package, _)| format!("{package}/{path}"));
        let exists = [Some(&path), Some(&own), of_package.as_ref()]
            .into_iter()
            .flatten()
            .any(|path| tree.paths.contains(path));
        if !exists && !tree.root.join(&path).exists() {
            problems.add(&file.path, line, format!("there is no {path}"));
        }
    }
}
