//! Suggestions for misspelt atoms, up to a readable number.

use loris_base::{Diagnostic, nearest, nearest_match};
use loris_rsm::Rsm;
use std::cell::Cell;

/// How many suggestions a call may still make. Each takes a walk over all labels, so that a file of
/// thousands of properties about another model would be busy with them for minutes.
#[derive(Clone, Debug)]
pub struct Suggestions {
    /// shown where no label is near
    otherwise: Option<&'static str>,
    left: Cell<usize>,
    /// pairs of letters to be compared, at worst
    letters: Cell<usize>,
}

/// At most this many suggestions are made.
const MOST: usize = 20;

/// These are compared in a fraction of a second.
const LETTERS: usize = 1 << 27;

/// Letters of a name that are compared.
const LONGEST: usize = 256;

impl Default for Suggestions {
    fn default() -> Self {
        Self { otherwise: None, left: Cell::new(MOST), letters: Cell::new(LETTERS) }
    }
}

impl Suggestions {
    /// Where no label is near, this text is shown instead.
    pub fn or(otherwise: &'static str) -> Self {
        Self { otherwise: Some(otherwise), ..Self::default() }
    }

    /// The problem of a name that is not a label, and what may have been meant.
    pub(crate) fn unlabelled(
        &self,
        rsm: &Rsm,
        name: &str,
        at: impl FnOnce(String) -> Diagnostic,
    ) -> Diagnostic {
        let problem = at(format!("no node is labelled \"{name}\""));
        self.explain(problem, name, || rsm.labels())
    }

    /// The problem of a name that is not among the known ones, with what may have been meant.
    pub(crate) fn explain<N: Iterator<Item: AsRef<str>>>(
        &self,
        problem: Diagnostic,
        name: &str,
        known: impl Fn() -> N,
    ) -> Diagnostic {
        match (self.near(name, known), self.otherwise) {
            (Some(near), _) => problem.help(format!("did you mean \"{near}\"?")),
            (None, Some(otherwise)) => problem.help(otherwise),
            (None, None) => problem,
        }
    }

    /// The name that was meant by one that is not known, if one is near enough and suggestions are
    /// left.
    fn near<N: Iterator<Item: AsRef<str>>>(&self, name: &str, known: impl Fn() -> N) -> Option<String> {
        if self.left.get() == 0 || self.letters.get() == 0 {
            return None;
        }
        self.left.set(self.left.get() - 1);
        let letters: usize = known().map(|known| known.as_ref().len().min(LONGEST)).sum();
        self.letters.set(self.letters.get().saturating_sub(letters.saturating_mul(name.len().min(LONGEST))));
        let known: Vec<N::Item> = known().collect();
        nearest_label(name, || known.iter().map(AsRef::as_ref)).map(str::to_owned)
    }
}

/// The label nearest to a name, which may be a pattern of labels.
pub(crate) fn nearest_label<'a, I: Iterator<Item = &'a str>>(
    name: &str,
    labels: impl Fn() -> I,
) -> Option<&'a str> {
    nearest(name, labels()).or_else(|| {
        // patterns that match something are labels themselves, and no help
        let is_pattern = |name: &str| name.contains(['*', '?']);
        is_pattern(name).then(|| nearest_match(name, labels().filter(|label| !is_pattern(label)))).flatten()
    })
}
