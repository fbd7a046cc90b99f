//! Rules over Java programs.

use crate::Error;
use crate::error::settle;
use crate::limits::limits;
use loris_findings::Report;
use loris_load::Words;
use loris_rules::{JavaRequest, Refused, judge};
use loris_session::CallLimits;
use std::path::PathBuf;

/// What is asked about a Java program.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct JavaOptions {
    request: JavaRequest,
    limits: CallLimits,
}

impl JavaOptions {
    /// The rules that are on by default, for all methods.
    pub fn new() -> Self {
        Self::default()
    }

    /// Jars and folders whose code is read but not reported on.
    #[must_use]
    pub fn library(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.request.library = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Folders and archives with sources.
    #[must_use]
    pub fn sources(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.request.sources = paths.into_iter().map(Into::into).collect();
        self
    }

    /// The rules to decide, by their identifiers.
    #[must_use]
    pub fn rules(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.request.rules = names.into_iter().map(Into::into).collect();
        self
    }

    /// Files with rules of one's own.
    #[must_use]
    pub fn rules_files(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.request.rules_files = paths.into_iter().map(Into::into).collect();
        self
    }

    /// The configuration file (`loris.toml`).
    #[must_use]
    pub fn configuration(mut self, path: impl Into<PathBuf>) -> Self {
        self.request.configuration = Some(path.into());
        self
    }

    /// A file of findings that are known.
    #[must_use]
    pub fn baseline(mut self, path: impl Into<PathBuf>) -> Self {
        self.request.baseline = Some(path.into());
        self
    }

    /// The methods where runs start: only what they reach is judged.
    #[must_use]
    pub fn entries(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.request.options.entries = names.into_iter().map(Into::into).collect();
        self
    }

    /// Reports also what only may be a defect: findings of any confidence, and objects that escape
    /// to unknown code.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.request.options.strict = strict;
        self
    }

    /// Counts exceptions that any instruction may throw.
    #[must_use]
    pub fn runtime_exceptions(mut self, count: bool) -> Self {
        self.request.options.runtime_exceptions = count;
        self
    }

    limits!("The time for all of it.", "The bytes that all of it may hold.");
}

/// Decides the rules that are on by default on a Java program: jars, class files, and folders with
/// these.
///
/// ```
/// let report = loris::java(["examples/Notes.class"])?;
/// assert_eq!(report.findings[0].rule, "leak");
/// # Ok::<(), loris::Error>(())
/// ```
///
/// # Errors
/// Files cannot be read, or a limit was reached.
pub fn java(program: impl IntoIterator<Item = impl Into<PathBuf>>) -> Result<Report, Error> {
    java_with(program, &JavaOptions::new())
}

/// Decides rules on a Java program.
///
/// # Errors
/// Files cannot be read, the options are wrong, or a limit was reached.
pub fn java_with(
    program: impl IntoIterator<Item = impl Into<PathBuf>>,
    options: &JavaOptions,
) -> Result<Report, Error> {
    let program = program.into_iter().map(Into::into).collect();
    let request = JavaRequest { program, ..options.request.clone() };
    let mut reading = options.limits.reading(Words::default());
    let judged = judge(request, options.limits.jobs(), &mut reading);
    settle(reading)?;
    let mut judged = judged.map_err(|why| match why {
        Refused::Wrong(what) => Error::Refused(what),
        Refused::Stopped(limit) => Error::Limit { limit, input: None },
        Refused::Problems => Error::Internal(why.to_string()),
    })?;
    judged.locate();
    Ok(judged.report)
}
