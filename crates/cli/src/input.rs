//! Models and properties from files, pipes and the command line, and what is wrong with them.
//!
//! A regular file is read in one stream and opened again only to show its problems. What cannot be
//! opened again is kept while it is read, so that no more of it is held than the reader asked for.

use crate::output::{Refused, without_number};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use loris_base::{Diagnostic, Diagnostics, nearest};
use loris_evidence::AtExit;
use loris_report::write_problems;
use loris_rsm::{DeadEnds, EmptyCalls, ReadError, Rsm, Semantics, read_rsm_json};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// How a model is read where its format leaves it open.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Readings {
    /// What a node without a successor means that is no exit [default: error; for `info`: loop]
    #[arg(long, value_name = "READING", value_parser = words(&DEAD_ENDS), help_heading = "Semantics")]
    pub(crate) dead_ends: Option<DeadEnds>,
    /// How a call of a procedure goes on whose entry is its exit [default: pass]
    #[arg(long, value_name = "READING", value_parser = words(&EMPTY_CALLS), help_heading = "Semantics")]
    pub(crate) empty_calls: Option<EmptyCalls>,
}

/// A word of the command line, what it stands for, and what the help says of it: nothing, if that is
/// not there yet.
pub(crate) type Word<T> = (&'static str, T, &'static str);

/// Words for what an exit does when the stack is empty.
pub(crate) const AT_EXIT: [Word<AtExit>; 3] = [
    ("loop", AtExit::Loop, "The run stays there for ever, and the exit keeps its labels"),
    ("sink", AtExit::Sink, "The run moves to a state without labels, which loops"),
    ("stop", AtExit::Stop, ""),
];
const DEAD_ENDS: [Word<DeadEnds>; 2] = [
    ("error", DeadEnds::Error, "The model is wrong, and such nodes are named"),
    ("loop", DeadEnds::Loop, "A run stays there for ever"),
];
const EMPTY_CALLS: [Word<EmptyCalls>; 2] = [
    ("pass", EmptyCalls::Pass, "After one state inside, the run goes on after the call"),
    ("stuck", EmptyCalls::Stuck, "Never; this only reproduces figures published for another tool"),
];

impl Readings {
    /// The semantics, with `default` for what was not said.
    pub(crate) fn semantics(self, default: Semantics) -> Semantics {
        Semantics {
            dead_ends: self.dead_ends.unwrap_or(default.dead_ends),
            empty_calls: self.empty_calls.unwrap_or(default.empty_calls),
        }
    }

    /// Readings by their words, as a JSON document gives them.
    pub(crate) fn by_words(dead_ends: Option<&str>, empty_calls: Option<&str>) -> Self {
        fn find<T: Copy>(table: &[Word<T>], word: Option<&str>) -> Option<T> {
            table.iter().find(|(known, ..)| Some(*known) == word).map(|(_, value, _)| *value)
        }
        Self { dead_ends: find(&DEAD_ENDS, dead_ends), empty_calls: find(&EMPTY_CALLS, empty_calls) }
    }
}

/// A parser of flags for a table of words.
pub(crate) fn words<T: Copy + Send + Sync + 'static>(
    table: &'static [Word<T>],
) -> impl TypedValueParser<Value = T> {
    let known = table.iter().map(|&(word, _, help)| match help {
        "" => PossibleValue::new(word).hide(true),
        help => PossibleValue::new(word).help(help),
    });
    PossibleValuesParser::new(known).map(move |given| {
        let found = table.iter().find(|(word, ..)| *word == given);
        found.expect("the parser lets only words of the table pass").1
    })
}

/// An input whose problems can be shown.
pub(crate) struct Input {
    name: String,
    content: Content,
}

enum Content {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Input {
    /// Text from the command line, under the name of its flag.
    pub(crate) fn text(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), content: Content::Bytes(text.as_bytes().to_vec()) }
    }
}

/// All problems of all inputs of a call.
#[derive(Default)]
pub(crate) struct Problems {
    found: Vec<(Input, Diagnostics)>,
}

impl Problems {
    pub(crate) fn add(&mut self, input: Input, problems: Diagnostics) {
        if !problems.is_empty() {
            self.found.push((input, problems));
        }
    }

    /// Shows them on standard error; an error if one of them is.
    pub(crate) fn settle(self, quiet: bool) -> anyhow::Result<()> {
        let mut out = io::BufWriter::new(anstream::stderr().lock());
        let mut refused = false;
        for (input, problems) in &self.found {
            refused |= problems.has_errors();
            if quiet && !problems.has_errors() {
                continue;
            }
            match &input.content {
                Content::File(path) => show(&mut out, input, File::open(path).ok(), problems),
                Content::Bytes(bytes) => show(&mut out, input, Some(Cursor::new(bytes)), problems),
            }?;
        }
        out.flush()?;
        if refused { Err(Refused.into()) } else { Ok(()) }
    }
}

fn show(
    out: &mut impl Write,
    input: &Input,
    mut source: Option<impl Read + Seek>,
    problems: &Diagnostics,
) -> io::Result<()> {
    write_problems(out, &input.name, source.as_mut(), problems)
}

/// Reads a model, or tells why not.
pub(crate) fn model(path: &Path, semantics: Semantics, problems: &mut Problems) -> Option<Rsm> {
    let name = path.display().to_string();
    let regular = path != Path::new("-") && path.is_file();
    let (read, content) = if regular {
        let read = File::open(path).map_err(ReadError::Io).and_then(|file| read_rsm_json(file, &semantics));
        (read, Content::File(path.to_owned()))
    } else {
        let mut kept = Vec::new();
        let read = open(path)
            .map_err(ReadError::Io)
            .and_then(|source| read_rsm_json(Keeping { source, kept: &mut kept }, &semantics));
        (read, Content::Bytes(kept))
    };
    let (rsm, found) = match read {
        Ok((rsm, remarks)) => (Some(rsm), remarks),
        Err(ReadError::Io(error)) => (None, unreadable(path, &error)),
        Err(ReadError::Invalid(errors)) => (None, errors),
    };
    problems.add(Input { name, content }, found);
    rsm
}

/// A text file that was read.
pub(crate) struct Text {
    pub(crate) input: Input,
    /// what it says, blanks for lines that are not UTF-8
    pub(crate) content: String,
    /// those lines
    pub(crate) problems: Diagnostics,
}

/// Reads a text file or, for `-`, standard input.
pub(crate) fn text(path: &Path, problems: &mut Problems) -> Option<Text> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read = open(path).and_then(|mut source| source.read_to_end(&mut bytes));
    if let Err(error) = read {
        problems.add(Input { name, content: Content::Bytes(bytes) }, unreadable(path, &error));
        return None;
    }
    let (content, problems) = decoded(&bytes);
    Some(Text { input: Input { name, content: Content::Bytes(bytes) }, content, problems })
}

/// Bytes as text, line by line; what is not UTF-8 is a problem with a place.
fn decoded(bytes: &[u8]) -> (String, Diagnostics) {
    let mut problems = Diagnostics::default();
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_owned(), problems);
    }
    let mut text = String::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(error) => {
                let place = text.len() + error.valid_up_to();
                let length = error.error_len().unwrap_or(1);
                problems.push(Diagnostic::error(place as u64, length, "this is not UTF-8"));
                // a line of the same length, so that all places stay where they are
                let ended = line.ends_with(b"\n");
                text.extend(std::iter::repeat_n(' ', line.len() - usize::from(ended)));
                text.extend(ended.then_some('\n'));
            }
        }
    }
    (text, problems)
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(path)?))
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostics {
    let problem = Diagnostic::global(format!("cannot be read: {}", without_number(error)));
    let near = (error.kind() == io::ErrorKind::NotFound).then(|| file_meant(path)).flatten();
    match near {
        Some(near) => problem.help(format!("did you mean \"{near}\"?")).into(),
        None => problem.into(),
    }
}

/// The file beside a missing one whose name is nearest to it.
fn file_meant(path: &Path) -> Option<String> {
    let folder = path.parent()?;
    let listed = if folder == Path::new("") { Path::new(".") } else { folder };
    let names =
        std::fs::read_dir(listed).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    // sorted, so that the answer does not depend on the file system
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(folder.join(near).display().to_string())
}

/// Keeps what is read through it.
struct Keeping<'a> {
    source: Box<dyn Read>,
    kept: &'a mut Vec<u8>,
}

impl Read for Keeping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.kept.extend_from_slice(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    fn check(bytes: &[u8], text: &str, places: &[u64]) {
        let (found, problems) = decoded(bytes);
        let offsets: Vec<_> = problems.sorted().iter().filter_map(|problem| problem.offset).collect();
        assert_eq!((found.as_str(), offsets.as_slice()), (text, places));
        assert_eq!(found.len(), bytes.len());
    }

    #[test]
    fn lines_that_are_not_utf8_are_blank_and_located() {
        check("a\nä".as_bytes(), "a\nä", &[]);
        check(b"a\n\xff\nb", "a\n \nb", &[2]);
        check(b"\xc3\xa4\xff\r\np\0\nx \xc3", "    \np\0\n   ", &[2, 10]);
    }
}
