//! Phrases that a reader has to read twice, in comments, messages and pages, with what to write
//! instead.

use super::Problems;
use super::rust::Kind;
use super::tree::{File, Tree};

/// A phrase: its words, words after which or before which it is good English, and what to write
/// instead.
struct Phrase {
    words: &'static str,
    after: &'static str,
    before: &'static str,
    /// a word that makes it good English where it follows soon
    soon: &'static str,
    instead: &'static str,
}

const COMPARED: &str = "longer more less larger greater smaller fewer better worse wider shorter \
    deeper higher lower later earlier easier harder faster slower other further different";

const fn phrase(words: &'static str, instead: &'static str) -> Phrase {
    Phrase { words, after: "", before: "", soon: "", instead }
}

const fn unless(
    words: &'static str,
    after: &'static str,
    before: &'static str,
    instead: &'static str,
) -> Phrase {
    Phrase { words, after, before, soon: "", instead }
}

const PHRASES: &[Phrase] = &[
    unless("is no", "there where here", COMPARED, "is not a, cannot be used as a"),
    unless("are no", "there where here", COMPARED, "are not"),
    unless("was no", "there where here", COMPARED, "was not a"),
    unless("were no", "there where here", COMPARED, "were not"),
    unless("be no", "can may could would will must should there", COMPARED, "not be a"),
    phrase("knows no", "does not support, does not depend on"),
    phrase("know no", "do not support, do not depend on"),
    Phrase { soon: "that", ..phrase("so many", "this many, on N threads, at least N") },
    unless("goes along", "", "predecessors", "is composed with, comes with"),
    phrase("go along", "are composed with, come with"),
    phrase("not asked of", "cannot be checked against"),
    phrase("are asked of all", "are about all"),
    phrase("see the module.", "a sentence"),
    phrase("mends", "fixes"),
    phrase("a line a property", "a line per property"),
    phrase("what it costs", "name the thing: memory limits, time"),
];

/// How many words are soon.
const SOON: usize = 6;

/// A word of a text and its line.
type Word<'t> = (&'t str, usize);

pub(super) fn check(tree: &Tree, problems: &mut Problems) {
    for file in tree.files.iter().filter(|file| !file.path.ends_with("tidy/phrases.rs")) {
        for region in regions(file) {
            find(&file.path, &region, problems);
        }
    }
}

/// The texts of a file that are read as such: comments in a row, literals, pages.
fn regions(file: &File) -> Vec<Vec<Word<'_>>> {
    if !file.is(".rs") {
        return vec![words(&file.text, 1)];
    }
    let mut regions: Vec<Vec<Word<'_>>> = Vec::new();
    let mut joins = false;
    for piece in &file.pieces {
        match piece.kind {
            Kind::Comment => {
                let found = words(&piece.text, piece.line);
                match regions.last_mut().filter(|_| joins && !found.is_empty()) {
                    Some(region) => region.extend(found),
                    None => regions.push(found),
                }
                joins = true;
            }
            Kind::Text => {
                regions.push(words(&piece.text, piece.line));
                joins = false;
            }
            Kind::Code => joins &= piece.text.trim().is_empty(),
        }
    }
    regions
}

/// The words of a text. A mark before a word is not part of it; a mark after it is.
fn words(text: &str, line: usize) -> Vec<Word<'_>> {
    let lines = text.split('\n').enumerate();
    let words = lines.flat_map(|(number, text)| {
        // an escape in a literal is a space
        text.split([' ', '\t']).flat_map(|word| word.split("\\n")).map(move |word| (word, line + number))
    });
    let words =
        words.map(|(word, line)| (word.trim_start_matches(['`', '"', '(', '*', '\\', '/', '#']), line));
    words.filter(|(word, _)| !word.is_empty()).collect()
}

fn find(path: &str, region: &[Word<'_>], problems: &mut Problems) {
    let is_among = |list: &str, word: Option<&Word<'_>>| {
        let Some((word, _)) = word else { return false };
        // a word of a message, without the code around it
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let word = word.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        list.split_whitespace().any(|other| other.eq_ignore_ascii_case(word))
    };
    for phrase in PHRASES {
        let length = phrase.words.split(' ').count();
        for at in 0..(region.len() + 1).saturating_sub(length) {
            let found = &region[at..at + length];
            let is_last = |place: usize| place + 1 == length;
            let is_it = found.iter().zip(phrase.words.split(' ')).enumerate().all(
                |(place, ((word, _), expected))| {
                    let word = if is_last(place) && !expected.ends_with('.') {
                        word.trim_end_matches(['.', ',', ';', ':', ')', '`', '"'])
                    } else {
                        word
                    };
                    word.eq_ignore_ascii_case(expected)
                },
            );
            let before = at.checked_sub(1).and_then(|at| region.get(at));
            let next = region.get(at + length);
            let is_soon = region.iter().skip(at + length).take(SOON).any(|(word, _)| *word == phrase.soon);
            if is_it && !is_soon && !is_among(phrase.after, before) && !is_among(phrase.before, next) {
                let what = format!("\"{}\": better {}", phrase.words, phrase.instead);
                problems.add(path, found[0].1, what);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{find, words};
    use crate::tidy::Problems;

    #[test]
    fn phrases_are_found() {
        let check = |text: &str, expected: &[usize]| {
            let mut problems = Problems::default();
            find("", &words(text, 1), &mut problems);
            let lines: Vec<usize> = problems.0.iter().map(|problem| problem.line).collect();
            assert_eq!(lines, expected, "{text}");
        };
        check("a circuit is no machine", &[1]);
        check("a circuit is\nno machine, and there is no more, where is no machine", &[1]);
        check("it is no longer there, and is no\nlonger", &[]);
        check("there is no such thing", &[]);
        check("it knows no formula. See the module.", &[1, 1]);
        check("that is, no state", &[]);
        check("so many states that it ends; with so many\nthreads", &[1]);
    }
}
