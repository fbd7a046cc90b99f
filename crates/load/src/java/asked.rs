//! The labels of a Java program that questions are about.

use super::JavaOptions;
use crate::Request;
use crate::model::Origin;
use loris_check::UnknownAtoms;
use loris_java::extract::{Choice, Pattern, is_pattern};
use std::path::PathBuf;

/// Words that are labels without quotes.
const BARE: [&str; 5] = ["exceptional", "monitorenter", "monitorexit", "deprecated", "unresolved"];

/// Whether a name may be a label of a Java program, or a pattern of labels.
pub(crate) fn may_be_label(name: &str) -> bool {
    name.contains(' ') || BARE.contains(&name) || is_pattern(name)
}

/// The labels that questions are about: all that is in quotes.
fn asked_labels<'t>(texts: impl Iterator<Item = &'t str>) -> Choice {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        let mut rest = text;
        while let Some(start) = rest.find('"') {
            let (name, length) = quoted(&rest[start + 1..]);
            found.push(name);
            rest = &rest[start + 1 + length..];
        }
        found.extend(BARE.iter().filter(|word| text.contains(**word)).map(|&word| word.to_owned()));
    }
    found.sort_unstable();
    found.dedup();
    Choice::Matching(found.iter().map(|name| Pattern::new(name)).collect())
}

/// A text up to its closing quote, without the backslashes before quotes, and its length in bytes.
fn quoted(text: &str) -> (String, usize) {
    let (mut name, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return (name, at + 1),
            _ => {
                name.push(c);
                escaped = false;
            }
        }
    }
    (name, text.len())
}

/// The origin of a Java program with the labels that a request asks for.
pub(crate) fn asked(paths: &[PathBuf], origin: &Origin, request: &Request<'_>) -> Origin {
    let mut origin = origin.clone();
    origin.java.also = paths[1..].to_vec();
    origin.java.suggest = request.unknown_atoms != Some(UnknownAtoms::False);
    let mut texts: Vec<String> = request.formulas.to_vec();
    for path in request.files.iter().chain(request.automata).chain(&origin.with) {
        // what cannot be read is reported when it is read for itself
        match std::fs::read_to_string(path) {
            Ok(text) if path.is_file() => texts.push(text),
            _ => {
                origin.java.labels = Choice::All;
                return origin;
            }
        }
    }
    origin.java.labels = asked_labels(texts.iter().map(String::as_str));
    origin
}

/// The origin of a Java program with the labels that a search for a path needs. Nodes are named after
/// the first of the instructions that they stand for, so that a search that names nodes needs those
/// of `loris extract`.
pub(crate) fn sought(origin: &Origin, to: Option<&str>, from: Option<&str>) -> Origin {
    let labels = match to.filter(|to| may_be_label(to)) {
        None => Choice::Most,
        Some(to) if from.is_none() => Choice::Matching(vec![Pattern::new(to)]),
        Some(to) => Choice::Matching(vec![Pattern::new(to), Pattern::new("*")]),
    };
    Origin { java: JavaOptions { labels, suggest: true, ..origin.java.clone() }, ..origin.clone() }
}

#[cfg(test)]
mod tests {
    use super::asked_labels;
    use loris_java::extract::{Choice, Pattern};

    #[test]
    fn labels_are_found_in_questions() {
        let text = r#"A G ("call a.b" -> E F ("x \"y\" \\z" & !exceptional)) "open"#;
        let expected = ["call a.b", "exceptional", "open", "x \"y\" \\z"].map(Pattern::new);
        assert_eq!(asked_labels([text].into_iter()), Choice::Matching(expected.to_vec()));
    }
}
