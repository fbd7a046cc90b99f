//! Texts from files, pipes and the command line, and their problems.
//!
//! A regular file is read in one stream and opened again only to show its problems. What cannot be
//! opened again is kept while it is read, so that no more of it is held than the reader asked for.

use crate::Words;
use crate::format::{Content as Recognised, Format, PeerFormat, recognised};
use crate::source::{Bounded, Keeping, Sources, decoded, exhausted, read_all};
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, lines, nearest};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An input whose problems can be shown. A copy shares its text.
#[derive(Clone, Debug)]
pub struct Input {
    name: Arc<str>,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    File(Arc<Path>),
    Provided(Arc<[u8]>),
    Bytes(Arc<Vec<u8>>),
    Text(Arc<String>),
}

impl Input {
    /// Text from the command line, under the name of its flag.
    pub fn text(name: &str, text: &str) -> Self {
        Self { name: name.into(), content: Content::Bytes(Arc::new(text.as_bytes().to_vec())) }
    }

    /// A file that was read, to show more of its problems.
    pub(crate) fn file(path: &Path) -> Self {
        Self { name: path.display().to_string().into(), content: Content::File(path.into()) }
    }

    /// Something that has no text, or none to show.
    pub fn named(name: &str) -> Self {
        Self::text(name, "")
    }

    /// The lines of these offsets, counted from 1, if it can still be read.
    pub fn lines(&self, offsets: &[u64]) -> io::Result<Vec<u64>> {
        lines(&mut self.open()?, offsets)
    }

    /// Its bytes once more, if it can still be read.
    pub fn open(&self) -> io::Result<Box<dyn Rereadable + '_>> {
        Ok(match &self.content {
            Content::File(path) => Box::new(File::open(path)?),
            Content::Provided(bytes) => Box::new(Cursor::new(&**bytes)),
            Content::Bytes(bytes) => Box::new(Cursor::new(&***bytes)),
            Content::Text(text) => Box::new(Cursor::new(text.as_bytes())),
        })
    }

    /// Whether both are one input.
    fn is_same(&self, other: &Self) -> bool {
        self.name == other.name
            && match (&self.content, &other.content) {
                (Content::File(one), Content::File(other)) => one == other,
                (Content::Provided(one), Content::Provided(other)) => Arc::ptr_eq(one, other),
                (Content::Bytes(one), Content::Bytes(other)) => Arc::ptr_eq(one, other),
                (Content::Text(one), Content::Text(other)) => Arc::ptr_eq(one, other),
                _ => false,
            }
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Bytes that can be read again and again.
pub trait Rereadable: Read + Seek {}

impl<T: Read + Seek> Rereadable for T {}

/// Why reading ended before its end, and at which input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The input that was being read.
    pub input: Option<String>,
    /// The limit that was reached.
    pub why: Exhausted,
}

/// The reading of all inputs of a call: its budget, and the problems that it finds.
pub struct Reading {
    /// The budget of reading.
    pub budget: Budget,
    /// The words of the caller for problems.
    pub words: Words,
    /// with the number of the property that they are about, from 1; 0 is the model and all else
    found: Vec<(usize, Input, Diagnostics)>,
    /// the number of the property that is read now
    place: usize,
    stopped: Option<Stopped>,
    sources: Sources,
}

impl Reading {
    /// Nothing is read yet. Problems are described in these words.
    pub fn new(budget: Budget, words: Words) -> Self {
        Self { budget, words, found: Vec::new(), place: 0, stopped: None, sources: Sources::default() }
    }

    /// Lets bytes stand for the content of a file, as an editor holds one that is not saved yet.
    ///
    /// ```
    /// use loris_load::{Reading, Words};
    /// let mut reading = Reading::new(loris_base::Budget::unlimited(), Words::default());
    /// reading.provide("no such folder/m.smv".into(), b"MODULE main".as_slice());
    /// let text = reading.text("no such folder/m.smv".as_ref()).expect("it is provided");
    /// assert_eq!(*text.content, "MODULE main");
    /// ```
    pub fn provide(&mut self, path: PathBuf, bytes: impl Into<Arc<[u8]>>) {
        self.sources.provide(path, bytes.into());
    }

    /// The problems so far, input by input, with properties in the order they were asked.
    pub fn found(&self) -> Vec<(Input, Diagnostics)> {
        let mut ordered: Vec<&(usize, Input, Diagnostics)> = self.found.iter().collect();
        ordered.sort_by_key(|(place, ..)| *place);
        let mut merged: Vec<(Input, Diagnostics)> = Vec::new();
        for (place, input, problems) in ordered {
            // properties of one file have their problems listed together, and cut off together
            match merged.last_mut().filter(|(last, _)| *place > 0 && last.is_same(input)) {
                Some((_, all)) => all.append(problems),
                None => merged.push((input.clone(), problems.clone())),
            }
        }
        merged
    }

    /// Records that the budget ended before this input was read, or before a model was made of it.
    pub fn stop(&mut self, input: &Input, why: Exhausted) {
        self.stopped.get_or_insert_with(|| Stopped { input: Some(input.name.to_string()), why });
    }

    /// The limit that ended the reading early, for callers that have something to report
    /// nevertheless.
    pub fn take_stopped(&mut self) -> Option<Stopped> {
        self.stopped.take()
    }

    /// The limit that ended the reading early.
    pub fn stopped(&self) -> Option<Exhausted> {
        self.stopped.as_ref().map(|stopped| stopped.why)
    }

    /// Whether anything found so far is an error.
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|(.., problems)| problems.has_errors())
    }

    /// Adds problems of an input, if there are any.
    pub fn add(&mut self, input: Input, problems: Diagnostics) {
        if !problems.is_empty() {
            self.found.push((self.place, input, problems.phrased(self.words.remedy)));
        }
    }

    /// Adds the problems that another reading of the same inputs found.
    pub fn take_over(&mut self, other: Reading) {
        self.found.extend(other.found);
    }

    /// Attributes problems added from now on to the property in this place, counted from 0, or to
    /// none.
    pub fn turn_to(&mut self, place: Option<usize>) {
        self.place = place.map_or(0, |place| place + 1);
    }

    /// The format of a model: as it was given, or by its extension, or by its content.
    pub fn format(&mut self, path: &Path, given: Option<Format>) -> Option<Format> {
        if let Some(format) = given.or_else(|| Format::of(path)) {
            return Some(format);
        }
        let problem = match self.sources.head(path).map(|head| recognised(&head)) {
            Ok(Recognised::Model(format)) => return Some(format),
            Err(error) => unreadable(path, &error),
            Ok(Recognised::Empty) => Diagnostic::global("the file is empty").into(),
            // a transition system is a process, if it is not given as a peer
            Ok(Recognised::Peer(PeerFormat::Aut)) => return Some(Format::Aut),
            Ok(Recognised::Peer(PeerFormat::Hoa)) => {
                let problem = Diagnostic::global("this is not a model, but an automaton");
                problem.help(self.words.no_model).into()
            }
            Ok(Recognised::Unknown) => {
                let problem = Diagnostic::global("it does not look like a model in any format that is known");
                problem.help((self.words.which_format)(&Format::names())).into()
            }
        };
        self.add(Input::named(&path.display().to_string()), problem);
        None
    }

    /// The format of a peer: by its extension, or by its content.
    pub(crate) fn peer_format(path: &Path, content: &str) -> Result<PeerFormat, Diagnostic> {
        let by_content = || match recognised(content.as_bytes()) {
            Recognised::Peer(format) => Some(format),
            _ => None,
        };
        PeerFormat::of(path).or_else(by_content).ok_or_else(|| {
            let problem = Diagnostic::global("this is neither an automaton nor a transition system");
            problem.help("an automaton in HOA starts with `HOA: v1`, a transition system (.aut) with `des`")
        })
    }

    /// Reads an input as a stream. Problems go to the caller, with the text to show them in.
    pub(crate) fn stream<T>(
        &mut self,
        path: &Path,
        read: impl FnOnce(Box<dyn Read + '_>, &mut Budget) -> T,
    ) -> (io::Result<T>, Input) {
        let name = path.display().to_string();
        let budget = self.budget.clone();
        let is_file = self.sources.is_file(path);
        let source = self.sources.open(path);
        if is_file {
            let bounded = |source| Box::new(Bounded { source, budget: &budget });
            let done = source.map(|source| read(bounded(source), &mut self.budget));
            return (done, Input { name: name.into(), content: Content::File(path.into()) });
        }
        if let Some(bytes) = self.sources.provided(path) {
            let input = Input { name: name.into(), content: Content::Provided(Arc::clone(bytes)) };
            let done =
                source.map(|source| read(Box::new(Bounded { source, budget: &budget }), &mut self.budget));
            return (done, input);
        }
        let mut kept = Vec::new();
        let done = source.map(|source| {
            let source = Bounded { source, budget: &budget };
            read(Box::new(Keeping { source, kept: &mut kept, budget: budget.clone() }), &mut self.budget)
        });
        (done, Input { name: name.into(), content: Content::Bytes(Arc::new(kept)) })
    }

    /// Reads all bytes of a file or, for `-`, of standard input.
    pub fn bytes(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let size = if self.sources.is_file(path) { path.metadata().map_or(0, |data| data.len()) } else { 0 };
        let source = self.sources.open(path)?;
        read_all(source, size, &mut self.budget)
    }

    /// Reads a text file or, for `-`, standard input.
    pub fn text(&mut self, path: &Path) -> Option<Text> {
        let name = path.display().to_string();
        let is_file = self.sources.is_file(path);
        let size = if is_file { path.metadata().map_or(0, |data| data.len()) } else { 0 };
        let source = self.sources.open(path);
        let read = source.and_then(|source| read_all(source, size, &mut self.budget));
        match read {
            Ok(bytes) => {
                let (content, found) = decoded(bytes);
                let content = Arc::new(content);
                let shown =
                    if is_file { Content::File(path.into()) } else { Content::Text(Arc::clone(&content)) };
                let input = Input { name: name.into(), content: shown };
                Some(Text { input, content, problems: found })
            }
            Err(error) => {
                let input = Input::named(&name);
                match exhausted(&error) {
                    Some(why) => self.stop(&input, why),
                    None => self.add(input, unreadable(path, &error)),
                }
                None
            }
        }
    }
}

/// A text file that was read.
pub struct Text {
    /// To show problems in it.
    pub input: Input,
    /// The text, with blanks for lines that are not UTF-8.
    pub content: Arc<String>,
    /// Those lines.
    pub problems: Diagnostics,
}

/// The problem of a file that cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Diagnostics {
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

/// The message of the operating system without its number, which means nothing to users.
pub fn without_number(error: &io::Error) -> String {
    error.to_string().split(" (os error").next().unwrap_or_default().to_owned()
}
