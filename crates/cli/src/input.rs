//! Models and properties from files, pipes and the command line, and what is wrong with them.
//!
//! A regular file is read in one stream and opened again only to show its problems. What cannot be
//! opened again is kept while it is read, so that no more of it is held than the reader asked for.

use crate::output::{Refused, without_number};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use loris_base::{Diagnostic, Diagnostics};
use loris_evidence::AtExit;
use loris_report::write_problems;
use loris_rsm::{DeadEnds, EmptyCalls, ReadError, Rsm, Semantics, read_rsm_json};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// How a model is read where its format leaves it open.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Readings {
    /// What a node means that is no exit and has no successor: the model is wrong, or a run stays
    /// there for ever [default: error; for `info`: loop]
    #[arg(long, value_name = "READING", value_parser = words(&DEAD_ENDS))]
    pub(crate) dead_ends: Option<DeadEnds>,
    /// How a call of a procedure whose entry is its exit goes on; `stuck` only reproduces a
    /// published reading [default: pass]
    #[arg(long, value_name = "READING", value_parser = words(&EMPTY_CALLS))]
    pub(crate) empty_calls: Option<EmptyCalls>,
}

/// Words for what an exit does when the stack is empty.
pub(crate) const AT_EXIT: [(&str, AtExit); 3] =
    [("loop", AtExit::Loop), ("sink", AtExit::Sink), ("stop", AtExit::Stop)];
const DEAD_ENDS: [(&str, DeadEnds); 2] = [("error", DeadEnds::Error), ("loop", DeadEnds::Loop)];
const EMPTY_CALLS: [(&str, EmptyCalls); 2] = [("pass", EmptyCalls::Pass), ("stuck", EmptyCalls::Stuck)];

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
        fn find<T: Copy>(table: &[(&str, T)], word: Option<&str>) -> Option<T> {
            table.iter().find(|(known, _)| Some(*known) == word).map(|(_, value)| *value)
        }
        Self { dead_ends: find(&DEAD_ENDS, dead_ends), empty_calls: find(&EMPTY_CALLS, empty_calls) }
    }
}

/// A parser of flags for a table of words.
pub(crate) fn words<T: Copy + Send + Sync + 'static>(
    table: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(table.iter().map(|(word, _)| *word)).map(move |given| {
        let found = table.iter().find(|(word, _)| *word == given);
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
        Err(ReadError::Io(error)) => (None, unreadable(&error)),
        Err(ReadError::Invalid(errors)) => (None, errors),
    };
    problems.add(Input { name, content }, found);
    rsm
}

/// Reads a text file or, for `-`, standard input. What is not UTF-8 is a problem with a place.
pub(crate) fn text(path: &Path, problems: &mut Problems) -> Option<(Input, String)> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read = open(path).and_then(|mut source| source.read_to_end(&mut bytes));
    if let Err(error) = read {
        problems.add(Input { name, content: Content::Bytes(bytes) }, unreadable(&error));
        return None;
    }
    match std::str::from_utf8(&bytes).map(str::to_owned) {
        Ok(text) => Some((Input { name, content: Content::Bytes(bytes) }, text)),
        Err(error) => {
            let place = error.valid_up_to() as u64;
            let problem = Diagnostic::error(place, error.error_len().unwrap_or(1), "this is not UTF-8");
            problems.add(Input { name, content: Content::Bytes(bytes) }, problem.into());
            None
        }
    }
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(path)?))
}

fn unreadable(error: &io::Error) -> Diagnostics {
    Diagnostic::global(format!("cannot be read: {}", without_number(error))).into()
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
