//! Models, and questions about them.

use crate::answer::Answers;
use crate::error::{Problem, settle};
use crate::{CheckOptions, Error, ReadOptions};
use loris_load::{Format, Words};
use loris_session::{Loaded, Request, Setting};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A model that is read once and asked many times, from any thread.
#[derive(Debug)]
pub struct Model {
    pub(crate) loaded: Loaded,
    warnings: Vec<Problem>,
}

impl Model {
    /// Reads a model from a file, in the format that its extension or its content suggests.
    /// [`ReadOptions`] reads in other ways.
    ///
    /// # Errors
    /// The model is wrong. All its problems are listed, each with its place.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        ReadOptions::new().load(path)
    }

    /// Reads a model from memory. The name is for messages.
    ///
    /// # Errors
    /// The model is wrong.
    pub fn from_bytes(
        name: impl AsRef<Path>,
        bytes: impl AsRef<[u8]>,
        format: Format,
    ) -> Result<Self, Error> {
        ReadOptions::new().format(format).from_bytes(name, bytes)
    }

    fn read(paths: &[PathBuf], options: &ReadOptions, bytes: Option<&[u8]>) -> Result<Self, Error> {
        let mut reading = options.limits.reading(Words::default());
        if let (Some(bytes), [path]) = (bytes, paths) {
            reading.provide(path.clone(), bytes);
        }
        #[allow(unused_mut)]
        let mut origin = options.origin.clone();
        #[cfg(feature = "java")]
        {
            origin.java.also = paths.iter().skip(1).cloned().collect();
        }
        let loaded = Loaded::read(paths, options.format, origin, &mut reading);
        let warnings = settle(reading)?;
        let loaded = loaded.ok_or_else(Error::unread)?;
        if bytes.is_some() && loaded.format().kind().is_program() {
            return Err(Error::Refused("a Java program is read from files, not from memory".to_owned()));
        }
        Ok(Self { loaded, warnings })
    }

    /// The format of its files.
    pub fn format(&self) -> Format {
        self.loaded.format()
    }

    /// Remarks on its files.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// Checks formulas of CTL. The answers are in the order of the formulas.
    ///
    /// # Errors
    /// A formula is wrong, or no engine is for it.
    pub fn check<I>(&self, properties: I) -> Result<Answers, Error>
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.check_with(properties, &CheckOptions::new())
    }

    /// Checks formulas. The answers are in the order of the formulas.
    ///
    /// # Errors
    /// A formula is wrong, or no engine is for it.
    pub fn check_with<I>(&self, properties: I, options: &CheckOptions) -> Result<Answers, Error>
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let formulas: Vec<String> = properties.into_iter().map(Into::into).collect();
        if formulas.is_empty() {
            return Ok(Answers::default());
        }
        self.ask(&formulas, &[], options)
    }

    /// Checks the formulas of files, one per line.
    ///
    /// # Errors
    /// A file or a formula is wrong, or no engine is for it.
    pub fn check_files<I>(&self, files: I, options: &CheckOptions) -> Result<Answers, Error>
    where
        I: IntoIterator,
        I::Item: Into<PathBuf>,
    {
        let files: Vec<PathBuf> = files.into_iter().map(Into::into).collect();
        if files.is_empty() {
            return Ok(Answers::default());
        }
        self.ask(&[], &files, options)
    }

    /// Checks the properties that the model carries, as `SPEC` of SMV.
    ///
    /// # Errors
    /// It carries none, or no engine is for one of them.
    pub fn check_carried(&self, options: &CheckOptions) -> Result<Answers, Error> {
        self.ask(&[], &[], options)
    }

    fn ask(&self, formulas: &[String], files: &[PathBuf], options: &CheckOptions) -> Result<Answers, Error> {
        let start = Instant::now();
        let CheckOptions { logic, unknown_atoms, evidence, limits, .. } = options;
        let mut options = options.options(!formulas.is_empty() || !files.is_empty())?;
        let mut reading = limits.reading(Words::default());
        let asked = options.clone();
        let request =
            Request { formulas, files, logic: *logic, unknown_atoms: *unknown_atoms, ..Request::new(&asked) };
        let origin = self.loaded.origin_of_call();
        let inquiry = self.loaded.inquire(&origin, &request, &mut reading);
        let read = start.elapsed();
        let warnings = settle(reading)?;
        let inquiry = inquiry.ok_or_else(Error::unread)?;
        let size = match (&inquiry.model, self.loaded.model()) {
            (Some(_), None) => inquiry.bytes(),
            (_, made) => made.as_ref().map_or(0, loris_check::Model::bytes),
        };
        options.memory = limits.left(size);
        options.shared_memory = limits.left_for_all(size);
        let setting = Setting::new(self.loaded.paths(), self.format(), &origin).asking(&options);
        let setting = setting.exploring(&origin, inquiry.stopped.is_some());
        let answers = inquiry.answers(&setting, &options, read, |_, _, _, _| ());
        let answers = answers.map_err(|error| Error::Internal(error.to_string()))?;
        Answers::new(&answers, start.elapsed(), *evidence, warnings)
    }
}

impl ReadOptions {
    /// Reads a model from a file.
    ///
    /// # Errors
    /// The model is wrong, or a limit was reached.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Model, Error> {
        self.load_all([path])
    }

    /// Reads a model from several files: processes that run in parallel, or the parts of a Java
    /// program.
    ///
    /// # Errors
    /// The model is wrong, or a limit was reached.
    pub fn load_all(&self, paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Model, Error> {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        Model::read(&paths, self, None)
    }

    /// Reads a model from memory. The name is for messages; the format is recognised as if it were
    /// the name of a file.
    ///
    /// # Errors
    /// The model is wrong, or a limit was reached.
    pub fn from_bytes(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<Model, Error> {
        Model::read(&[name.as_ref().to_owned()], self, Some(bytes.as_ref()))
    }
}
