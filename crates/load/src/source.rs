//! The bytes of inputs: opened once, looked at to recognise their format, and read within a budget.

use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much is read at a time, and looked at to recognise a format.
const CHUNK: usize = 1 << 16;

/// Inputs that were opened. What cannot be opened twice is kept from the first look to the reading.
#[derive(Default)]
pub(crate) struct Sources {
    peeked: Option<(PathBuf, Vec<u8>, Box<dyn Read + Send>)>,
    /// bytes that stand for the content of files
    provided: Vec<(PathBuf, Arc<[u8]>)>,
}

impl Sources {
    /// Lets bytes stand for the content of a file.
    pub(crate) fn provide(&mut self, path: PathBuf, bytes: Arc<[u8]>) {
        self.provided.retain(|(known, _)| *known != path);
        self.provided.push((path, bytes));
    }

    /// Whether an input can be opened again, with the same content, without this collection.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        is_file(path) && self.provided(path).is_none()
    }

    /// The bytes that stand for the content of a file.
    pub(crate) fn provided(&self, path: &Path) -> Option<&Arc<[u8]>> {
        self.provided.iter().find(|(known, _)| known == path).map(|(_, bytes)| bytes)
    }

    /// The first bytes of an input, which stay there to be read.
    pub(crate) fn head(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let mut source = self.open(path)?;
        let mut head = Vec::new();
        source.by_ref().take(CHUNK as u64).read_to_end(&mut head)?;
        if !self.is_file(path) {
            self.peeked = Some((path.to_owned(), head.clone(), source));
        }
        Ok(head)
    }

    /// Opens an input; `-` is standard input.
    pub(crate) fn open(&mut self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        if let Some((_, head, rest)) = self.peeked.take_if(|(peeked, ..)| peeked == path) {
            return Ok(Box::new(Cursor::new(head).chain(rest)));
        }
        if let Some(bytes) = self.provided(path) {
            return Ok(Box::new(Cursor::new(Arc::clone(bytes))));
        }
        if path == Path::new("-") {
            return Ok(Box::new(io::stdin()));
        }
        Ok(Box::new(File::open(path)?))
    }
}

/// Whether an input is a file and no pipe.
fn is_file(path: &Path) -> bool {
    path != Path::new("-") && path.is_file()
}

/// The limit that ended the reading, if that is the reason for an error.
pub fn exhausted(error: &io::Error) -> Option<Exhausted> {
    error.get_ref()?.downcast_ref().copied()
}

/// A source that ends with its budget.
pub(crate) struct Bounded<'a, R> {
    pub(crate) source: R,
    pub(crate) budget: &'a Budget,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.budget.look().map_err(io::Error::other)?;
        self.source.read(buffer)
    }
}

/// Keeps the bytes that are read through it.
pub(crate) struct Keeping<'a, R> {
    pub(crate) source: R,
    pub(crate) kept: &'a mut Vec<u8>,
    pub(crate) budget: Budget,
}

impl<R: Read> Read for Keeping<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        append(self.kept, &buffer[..count], 0, &mut self.budget)?;
        Ok(count)
    }
}

/// Reads to the end, into memory that is charged before it is taken. The size is a guess. What fits
/// into one chunk is read in any case, so that the properties are known even under a limit of
/// nothing.
pub(crate) fn read_all(mut source: impl Read, size: u64, budget: &mut Budget) -> io::Result<Vec<u8>> {
    let mut chunk = vec![0; CHUNK];
    let mut bytes = Vec::new();
    let expected = usize::try_from(size).unwrap_or(0);
    loop {
        if bytes.len() >= CHUNK {
            budget.look().map_err(io::Error::other)?;
        }
        match source.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(count) => append(&mut bytes, &chunk[..count], expected, budget)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Adds bytes, with room for as many as are expected in all.
fn append(bytes: &mut Vec<u8>, more: &[u8], expected: usize, budget: &mut Budget) -> io::Result<()> {
    if bytes.capacity() - bytes.len() < more.len() {
        let wanted = expected.saturating_sub(bytes.len());
        let room = if wanted >= more.len() { wanted } else { bytes.len().max(more.len()) };
        budget.charge(room.saturating_sub(CHUNK)).map_err(io::Error::other)?;
        bytes.try_reserve_exact(room).map_err(|_| io::Error::other(Exhausted::Memory))?;
    }
    bytes.extend_from_slice(more);
    Ok(())
}

/// Bytes as text, line by line; bytes that are not UTF-8 are a problem with a place, and become
/// blanks, so that all places stay where they are. So does a byte-order mark, which is not a
/// problem.
pub(crate) fn decoded(mut bytes: Vec<u8>) -> (String, Diagnostics) {
    let mut problems = Diagnostics::default();
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let problem = Diagnostic::error(0, 1, "this text is in UTF-16");
        problems.push(problem.help("save it as UTF-8"));
        return (String::new(), problems);
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes[..3].fill(b' ');
    }
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
                let ended = line.ends_with(b"\n");
                text.extend(std::iter::repeat_n(' ', line.len() - usize::from(ended)));
                text.extend(ended.then_some('\n'));
            }
        }
    }
    (text, problems)
}

#[cfg(test)]
mod tests {
    use super::{Budget, Exhausted, decoded, exhausted, read_all};

    fn check(bytes: &[u8], text: &str, places: &[u64]) {
        let (found, problems) = decoded(bytes.to_vec());
        let offsets: Vec<_> = problems.sorted().iter().filter_map(|problem| problem.offset).collect();
        assert_eq!((found.as_str(), offsets.as_slice()), (text, places));
    }

    #[test]
    fn lines_that_are_not_utf8_are_blank_and_located() {
        check("a\nä".as_bytes(), "a\nä", &[]);
        check(b"a\n\xff\nb", "a\n \nb", &[2]);
        check(b"\xc3\xa4\xff\r\np\0\nx \xc3", "    \np\0\n   ", &[2, 10]);
        check("\u{feff}a".as_bytes(), "   a", &[]);
        check(b"\xff\xfea\0b\0", "", &[0]);
    }

    #[test]
    fn what_is_read_is_charged() {
        let long = vec![7; 10 << 20];
        let read = |size, mut budget: Budget| read_all(&*long, size, &mut budget);
        for size in [0, 1 << 20, 10 << 20, 11 << 20] {
            assert_eq!(read(size, Budget::new(None, Some(16 << 20))).ok(), Some(long.clone()));
            let error = read(size, Budget::new(None, Some(5 << 20))).expect_err("too long");
            assert_eq!(exhausted(&error), Some(Exhausted::Memory));
            let error = read(size, Budget::new(Some(std::time::Duration::ZERO), None)).expect_err("late");
            assert_eq!(exhausted(&error), Some(Exhausted::Time));
        }
        assert_eq!(read_all(&b"p"[..], 0, &mut Budget::new(None, Some(0))).ok(), Some(b"p".to_vec()));
    }
}
