//! Texts from files, pipes and the command line, and what is wrong with them.
//!
//! A regular file is read in one stream and opened again only to show its problems. What cannot be
//! opened again is kept while it is read, so that no more of it is held than the reader asked for.

use crate::control::Stopped;
use crate::format::{Content as Recognised, Format, PeerFormat, recognised};
use crate::output::{Refused, about, without_number};
use crate::source::{Bounded, Keeping, Sources, decoded, exhausted, is_file, read_all};
use anyhow::bail;
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, nearest};
use loris_report::{lines, write_problems};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An input whose problems can be shown.
#[derive(Clone)]
pub(crate) struct Input {
    name: String,
    content: Content,
}

#[derive(Clone)]
enum Content {
    File(PathBuf),
    Bytes(Arc<Vec<u8>>),
    Text(Arc<String>),
}

impl Input {
    /// Text from the command line, under the name of its flag.
    pub(crate) fn text(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), content: Content::Bytes(Arc::new(text.as_bytes().to_vec())) }
    }

    /// Something that has no text, or none to show.
    pub(crate) fn named(name: &str) -> Self {
        Self::text(name, "")
    }

    /// The lines of these offsets, counted from 1, if it can still be read.
    pub(crate) fn lines(&self, offsets: &[u64]) -> io::Result<Vec<u64>> {
        match &self.content {
            Content::File(path) => lines(&mut File::open(path)?, offsets),
            Content::Bytes(bytes) => lines(&mut Cursor::new(&**bytes), offsets),
            Content::Text(text) => lines(&mut Cursor::new(text.as_bytes()), offsets),
        }
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// The reading of all inputs of a call: its budget, and the problems that it finds.
pub(crate) struct Problems {
    found: Vec<(Input, Diagnostics)>,
    /// what ended it early, and where
    stopped: Option<Stopped>,
    pub(crate) budget: Budget,
    sources: Sources,
}

impl Problems {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { found: Vec::new(), stopped: None, budget, sources: Sources::default() }
    }

    /// The budget ended before this input was read or what it says was made.
    pub(crate) fn stop(&mut self, input: &Input, why: Exhausted) {
        self.stopped.get_or_insert_with(|| Stopped { input: Some(input.name.clone()), why });
    }

    /// What ended the reading early, for those who have something to report nevertheless.
    pub(crate) fn take_stopped(&mut self) -> Option<Stopped> {
        self.stopped.take()
    }

    /// Whether anything found so far is an error.
    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(|(_, problems)| problems.has_errors())
    }

    pub(crate) fn add(&mut self, input: Input, problems: Diagnostics) {
        if !problems.is_empty() {
            self.found.push((input, problems));
        }
    }

    /// The format of a model: as it was given, or by its extension, or by its content.
    pub(crate) fn format(&mut self, path: &Path, given: Option<Format>) -> Option<Format> {
        if let Some(format) = given.or_else(|| Format::of(path)) {
            return Some(format);
        }
        let problem = match self.sources.head(path).map(|head| recognised(&head)) {
            Ok(Recognised::Model(format)) => return Some(format),
            Err(error) => unreadable(path, &error),
            Ok(Recognised::Empty) => Diagnostic::global("the file is empty").into(),
            Ok(Recognised::Peer(_)) => {
                let problem = Diagnostic::global("this is no model, but an automaton or a transition system");
                problem.help("give it with --with FILE or --automaton FILE, beside a model").into()
            }
            Ok(Recognised::Unknown) => {
                let problem = Diagnostic::global("it does not look like a model in any format that is known");
                problem.help("say which it is: --model-format rsm, pds, pdmu or smv").into()
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

    /// Reads an input as it streams by. What is wrong goes to who asked, with what to show it by.
    pub(crate) fn stream<T>(
        &mut self,
        path: &Path,
        read: impl FnOnce(Box<dyn Read + '_>, &mut Budget) -> T,
    ) -> (io::Result<T>, Input) {
        let name = path.display().to_string();
        let budget = self.budget.clone();
        let source = self.sources.open(path);
        if is_file(path) {
            let bounded = |source| Box::new(Bounded { source, budget: &budget });
            let done = source.map(|source| read(bounded(source), &mut self.budget));
            return (done, Input { name, content: Content::File(path.to_owned()) });
        }
        let mut kept = Vec::new();
        let done = source.map(|source| {
            let source = Bounded { source, budget: &budget };
            read(Box::new(Keeping { source, kept: &mut kept, budget: budget.clone() }), &mut self.budget)
        });
        (done, Input { name, content: Content::Bytes(Arc::new(kept)) })
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
                Content::Bytes(bytes) => show(&mut out, input, Some(Cursor::new(&**bytes)), problems),
                Content::Text(text) => show(&mut out, input, Some(Cursor::new(text.as_bytes())), problems),
            }?;
        }
        out.flush()?;
        match self.stopped {
            _ if refused => Err(Refused.into()),
            Some(stopped) => Err(stopped.into()),
            None => Ok(()),
        }
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

/// A text file that was read.
pub(crate) struct Text {
    pub(crate) input: Input,
    /// what it says, blanks for lines that are not UTF-8
    pub(crate) content: Arc<String>,
    /// those lines
    pub(crate) problems: Diagnostics,
}

/// Reads a text file or, for `-`, standard input.
pub(crate) fn text(path: &Path, problems: &mut Problems) -> Option<Text> {
    let name = path.display().to_string();
    let size = if is_file(path) { path.metadata().map_or(0, |data| data.len()) } else { 0 };
    let source = problems.sources.open(path);
    let read = source.and_then(|source| read_all(source, size, &mut problems.budget));
    match read {
        Ok(bytes) => {
            let (content, found) = decoded(bytes);
            let content = Arc::new(content);
            let shown = if is_file(path) {
                Content::File(path.to_owned())
            } else {
                Content::Text(Arc::clone(&content))
            };
            Some(Text { input: Input { name, content: shown }, content, problems: found })
        }
        Err(error) => {
            let input = Input::named(&name);
            match exhausted(&error) {
                Some(why) => problems.stop(&input, why),
                None => problems.add(input, unreadable(path, &error)),
            }
            None
        }
    }
}

/// Refuses a call in which standard input would be read twice.
pub(crate) fn only_one_from_stdin<'a>(inputs: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    if inputs.filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("only one input can come from standard input");
    }
    Ok(())
}

/// Refuses to write evidence over what was given to read.
pub(crate) fn spare<'a>(target: &Path, mut inputs: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    let Ok(same) = target.canonicalize() else { return Ok(()) };
    if inputs.any(|input| input.canonicalize().is_ok_and(|input| input == same && input.is_file())) {
        return Err(about(target, "this is an input of this call, and is not written over"));
    }
    Ok(())
}

/// What is wrong with a file that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Diagnostics {
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
