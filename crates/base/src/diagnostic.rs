//! Problems in inputs, as plain data: a message, a place and a suggestion.

use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is taken, with a remark.
    Warning,
}

/// A remedy on the caller's side: to ask in another way, or to read the model in another way. The
/// crates that make problems say what remedies there are, each a constant; only the caller's front
/// end knows the flag or argument for it, finds the remedy by comparing, and puts it into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy(
    /// What sets it apart, in words that name no flag.
    pub &'static str,
);

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// One problem, at a byte offset of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Byte offset in the input, if the problem has a place.
    pub offset: Option<u64>,
    /// How many bytes the caret underlines. 0 is whatever starts there: the whole of a string in
    /// quotes, else one character.
    pub length: u32,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// How to fix it in the input, where that is known.
    pub help: Option<String>,
    /// The remedy on the caller's side, where one is known.
    pub remedy: Option<Remedy>,
    /// The construct of the input that is understood but not supported, if that is the problem.
    pub unsupported: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(offset: u64, length: usize, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            offset: Some(offset),
            length: u32::try_from(length).unwrap_or(u32::MAX),
            message: message.into(),
            help: None,
            remedy: None,
            unsupported: None,
        }
    }

    /// An error of the input as a whole.
    pub fn global(message: impl Into<String>) -> Self {
        Self { offset: None, ..Self::error(0, 0, message) }
    }

    /// Adds a suggestion how to fix it in the input.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a remedy on the caller's side.
    #[must_use]
    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedy = Some(remedy);
        self
    }

    /// All suggestions, with the remedy in the words of a front end.
    pub fn advice(&self, words: impl Fn(Remedy) -> String) -> Option<String> {
        let remedy = self.remedy.map(words);
        match (&self.help, remedy) {
            (Some(help), Some(remedy)) => Some(format!("{help}; {remedy}")),
            (help, remedy) => help.clone().or(remedy),
        }
    }

    /// Marks the problem as the use of something that is understood but not supported.
    #[must_use]
    pub fn not_supported(mut self, what: impl Into<String>) -> Self {
        self.unsupported = Some(what.into());
        self
    }
}

/// All problems of one input, kept to a bounded number so that a bad file cannot fill the memory.
///
/// ```
/// use loris_base::{Diagnostic, Diagnostics};
/// let mut problems = Diagnostics::default();
/// problems.push(Diagnostic::error(7, 1, "no such node"));
/// assert_eq!(problems.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    dropped: usize,
}

/// More problems than anyone reads.
const KEPT: usize = 100;

impl Diagnostics {
    /// Adds a problem; past the first hundred only their number is kept.
    pub fn push(&mut self, problem: Diagnostic) {
        if self.list.len() < KEPT {
            self.list.push(problem);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds all problems of a list.
    pub fn append(&mut self, others: &Diagnostics) {
        others.list.iter().for_each(|problem| self.push(problem.clone()));
        self.dropped += others.dropped;
    }

    /// Puts all remedies into the words of a front end.
    #[must_use]
    pub fn phrased(mut self, words: impl Fn(Remedy) -> String) -> Self {
        for problem in &mut self.list {
            problem.help = problem.advice(&words);
            problem.remedy = None;
        }
        self
    }

    /// Puts one remedy in the place of another.
    #[must_use]
    pub fn instead_of(mut self, remedy: Remedy, other: Remedy) -> Self {
        for problem in self.list.iter_mut().filter(|problem| problem.remedy == Some(remedy)) {
            problem.remedy = Some(other);
        }
        self
    }

    /// The problems kept, ordered by place.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut list: Vec<&Diagnostic> = self.list.iter().collect();
        list.sort_by_key(|problem| problem.offset);
        list
    }

    /// How many problems were found.
    pub fn len(&self) -> usize {
        self.list.len() + self.dropped
    }

    /// How many were found but not kept.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// The first construct in the order of the input that is not supported, if nothing else is
    /// wrong.
    ///
    /// ```
    /// use loris_base::{Diagnostic, Diagnostics};
    /// let mut problems: Diagnostics = Diagnostic::error(7, 1, "no `H` here").not_supported("`H`").into();
    /// assert_eq!(problems.unsupported(), Some("`H`"));
    /// problems.push(Diagnostic::error(3, 1, "no such name"));
    /// assert_eq!(problems.unsupported(), None);
    /// ```
    pub fn unsupported(&self) -> Option<&str> {
        let mut found = None;
        for problem in self.sorted().into_iter().filter(|problem| problem.severity == Severity::Error) {
            let what = problem.unsupported.as_deref()?;
            found = found.or(Some(what));
        }
        found.filter(|_| self.dropped == 0)
    }

    /// `Ok(value)` if nothing is wrong.
    pub fn into_result<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.has_errors() { Err(self) } else { Ok(value) }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(problem: Diagnostic) -> Self {
        Self { list: vec![problem], dropped: 0 }
    }
}
