//! Texts from files, pipes and the command line, and what is wrong with them.
//!
//! A regular file is read in one stream and opened again only to show its problems. What cannot be
//! opened again is kept while it is read, so that no more of it is held than the reader asked for.

use crate::control::Stopped;
use crate::output::{Refused, about, without_number};
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
}

impl Problems {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { found: Vec::new(), stopped: None, budget }
    }

    /// The budget ended before this input was read or what it says was made.
    pub(crate) fn stop(&mut self, input: &Input, why: Exhausted) {
        self.stopped.get_or_insert_with(|| Stopped { input: Some(input.name.clone()), why });
    }

    /// What ended the reading early, for those who have something to report nevertheless.
    pub(crate) fn take_stopped(&mut self) -> Option<Stopped> {
        self.stopped.take()
    }

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

/// Reads an input as it streams by. What is wrong goes to who asked, with what to show it by.
pub(crate) fn stream<T>(
    path: &Path,
    budget: &Budget,
    read: impl FnOnce(Box<dyn Read + '_>) -> T,
) -> (io::Result<T>, Input) {
    let name = path.display().to_string();
    if path != Path::new("-") && path.is_file() {
        let done = File::open(path).map(|file| read(Box::new(Bounded { source: file, budget })));
        return (done, Input { name, content: Content::File(path.to_owned()) });
    }
    let mut kept = Vec::new();
    let done = open(path)
        .map(|source| read(Box::new(Keeping { source: Bounded { source, budget }, kept: &mut kept })));
    (done, Input { name, content: Content::Bytes(Arc::new(kept)) })
}

/// Why a budget ended the reading, if an error says that it did.
pub(crate) fn exhausted(error: &io::Error) -> Option<Exhausted> {
    error.get_ref()?.downcast_ref().copied()
}

/// A source that ends with its budget.
struct Bounded<'a, R> {
    source: R,
    budget: &'a Budget,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.budget.look().map_err(io::Error::other)?;
        self.source.read(buffer)
    }
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
    let is_file = path != Path::new("-") && path.is_file();
    let size = path.metadata().map_or(0, |data| data.len());
    let read = open(path).and_then(|source| read_all(source, size, &mut problems.budget));
    match read {
        Ok(bytes) => {
            let (content, found) = decoded(bytes);
            let content = Arc::new(content);
            let shown =
                if is_file { Content::File(path.to_owned()) } else { Content::Text(Arc::clone(&content)) };
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

/// Reads to the end, into memory that is charged before it is taken. The size is a guess. What fits
/// into one chunk is read in any case, so that even a limit of nothing tells which properties are asked.
fn read_all(mut source: impl Read, size: u64, budget: &mut Budget) -> io::Result<Vec<u8>> {
    const CHUNK: usize = 1 << 16;
    let mut chunk = vec![0; CHUNK];
    let mut bytes = Vec::new();
    let mut expected = usize::try_from(size).unwrap_or(0);
    loop {
        if bytes.len() >= CHUNK {
            budget.look().map_err(io::Error::other)?;
        }
        let count = match source.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.capacity() - bytes.len() < count {
            let more = expected.max(bytes.len()).max(count);
            budget.charge(more.saturating_sub(CHUNK)).map_err(io::Error::other)?;
            bytes.try_reserve_exact(more).map_err(|_| io::Error::other(Exhausted::Memory))?;
            expected = 0;
        }
        bytes.extend_from_slice(&chunk[..count]);
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

/// Bytes as text, line by line; what is not UTF-8 is a problem with a place.
fn decoded(bytes: Vec<u8>) -> (String, Diagnostics) {
    let mut problems = Diagnostics::default();
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, problems),
        Err(error) => error.into_bytes(),
    };
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

/// Keeps what is read through it.
struct Keeping<'a, R> {
    source: R,
    kept: &'a mut Vec<u8>,
}

impl<R: Read> Read for Keeping<'_, R> {
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
        let (found, problems) = decoded(bytes.to_vec());
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
