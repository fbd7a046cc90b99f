//! Where results and messages go: standard output that may be closed early, files that appear
//! whole or not at all.

use crate::control::Control;
use crate::errors::{Stopped, about, unprintable, unwritable};
use crate::terminal::Escaping;
use anstream::{AutoStream, ColorChoice};
use loris_base::Interrupt;
use loris_load::exhausted;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};

/// Standard output, buffered. When whoever reads it has gone (`| head`), the rest is dropped: that
/// is not an error, and the exit status still gives the verdict.
pub(crate) struct Output {
    inner: BufWriter<Sink>,
    closed: bool,
}

/// What happens to text on its way out.
enum Sink {
    /// colours are left out where they do not belong; all other text is without control characters
    Text(AutoStream<StdoutLock<'static>>),
    /// nothing
    Document(StdoutLock<'static>),
    /// control characters become escapes
    Shown(Escaping<StdoutLock<'static>>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Text(out) => out.write(bytes),
            Sink::Document(out) => out.write(bytes),
            Sink::Shown(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Text(out) => out.flush(),
            Sink::Document(out) => out.flush(),
            Sink::Shown(out) => out.flush(),
        }
    }
}

impl Output {
    fn new(sink: Sink) -> Self {
        Self { inner: BufWriter::new(sink), closed: false }
    }

    /// For text with colours, in which names are [`visible`](loris_base::visible).
    pub(crate) fn text() -> Self {
        Self::new(Sink::Text(AutoStream::auto(io::stdout().lock())))
    }

    /// For documents, whose bytes go out as they are, unless it is to a terminal.
    pub(crate) fn document() -> Self {
        let out = io::stdout();
        let is_shown = out.is_terminal();
        let out = out.lock();
        Self::new(if is_shown { Sink::Shown(Escaping::new(out)) } else { Sink::Document(out) })
    }

    /// Whether text goes out with its colours.
    pub(crate) fn has_colours() -> bool {
        AutoStream::choice(&io::stdout()) != ColorChoice::Never
    }

    /// Text without asking what standard output is.
    pub(crate) fn text_as(plain: bool) -> Self {
        let choice = if plain { ColorChoice::Never } else { ColorChoice::Always };
        Self::new(Sink::Text(AutoStream::new(io::stdout().lock(), choice)))
    }

    fn unless_closed<T>(
        &mut self,
        gone: T,
        act: impl FnOnce(&mut BufWriter<Sink>) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.closed {
            return Ok(gone);
        }
        match act(&mut self.inner) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(gone)
            }
            done => done,
        }
    }
}

impl Output {
    /// Writes all there is to write.
    pub(crate) fn put(mut self, text: &[u8]) -> anyhow::Result<()> {
        self.write_all(text).and_then(|()| self.flush()).map_err(|error| unprintable(&error))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), BufWriter::flush)
    }
}

/// A file that gets its name when it is complete.
pub(crate) struct NewFile {
    target: PathBuf,
    /// where it is written, if not in place
    draft: Option<PathBuf>,
    file: BufWriter<File>,
    control: Control,
}

impl NewFile {
    /// Starts a file next to the place it is meant for. Devices and pipes are written in place.
    pub(crate) fn create(path: &Path, control: &Control) -> anyhow::Result<Self> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let failed = |error| unwritable(path, &error);
        if target.exists() && !target.is_file() {
            let file = File::options().write(true).open(&target).map_err(failed)?;
            let file = BufWriter::new(file);
            return Ok(Self { target, draft: None, file, control: control.clone() });
        }
        let name = target.file_name().ok_or_else(|| about(path, "this is not a name for a file"))?;
        let mut name = name.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let draft = target.with_file_name(name);
        let file = BufWriter::new(File::create_new(&draft).map_err(failed)?);
        control.add_draft(&draft);
        Ok(Self { target, draft: Some(draft), file, control: control.clone() })
    }

    /// Writes all there is to write, and gives the file its name.
    pub(crate) fn put(mut self, text: &[u8]) -> anyhow::Result<()> {
        self.write_all(text).map_err(|error| unwritable(&self.target, &error))?;
        self.finish()
    }

    /// Gives the file its name.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.file.flush().map_err(|error| unwritable(&self.target, &error))?;
        if let Some(draft) = &self.draft {
            fs::rename(draft, &self.target).map_err(|error| unwritable(&self.target, &error))?;
            self.control.forget_draft(draft);
        }
        self.draft = None;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(draft) = &self.draft {
            // nothing more can be done about a draft that cannot be removed
            let _ = fs::remove_file(draft);
            self.control.forget_draft(draft);
        }
    }
}

/// Writes into a file, or to standard output for `-`, until it is interrupted.
pub(crate) fn write_to(
    path: &Path,
    control: &Control,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let interrupt = control.interrupt();
    let failed = |error: io::Error| match exhausted(&error) {
        Some(why) => Stopped { input: None, why }.into(),
        // the model has no place in the format
        None if path == Path::new("-") && error.get_ref().is_some() => error.into(),
        None if path == Path::new("-") => unprintable(&error),
        None => unwritable(path, &error),
    };
    if path == Path::new("-") {
        let mut out = Output::document();
        write(&mut Interruptible { out: &mut out, interrupt }).map_err(failed)?;
        return out.flush().map_err(|error| unprintable(&error));
    }
    let mut file = NewFile::create(path, control)?;
    write(&mut Interruptible { out: &mut file, interrupt }).map_err(failed)?;
    file.finish()
}

/// Fails when it is interrupted.
struct Interruptible<'a, W> {
    out: W,
    interrupt: &'a Interrupt,
}

impl<W: Write> Write for Interruptible<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.interrupt.raised() {
            Some(why) => Err(io::Error::other(why)),
            None => self.out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
