//! Problems of one text, each reported once.

use crate::ir::Span;
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Severity, nearest};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;

/// The problems so far. A module that is instantiated twice has its problems reported once.
pub(super) struct Problems<'a> {
    /// The text that spans are offsets in.
    text: &'a str,
    list: Diagnostics,
    reported: FxHashSet<(Option<u64>, String)>,
    /// Where a number first stood for a truth value.
    number_as_truth: Option<Span>,
    /// The budget of reading.
    meter: Rc<RefCell<Meter>>,
}

/// A budget, until it runs out. From then on nothing is resolved any more, and no problem counts.
struct Meter {
    budget: Budget,
    /// bytes of expressions that are declared
    exprs: usize,
    stopped: Option<Exhausted>,
}

/// Past this many problems there are no suggestions.
const ENOUGH: usize = 100;

impl<'a> Problems<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self::within(text, Budget::unlimited())
    }

    /// Problems of a text that is read within a budget.
    pub(super) fn within(text: &'a str, budget: Budget) -> Self {
        let meter = Rc::new(RefCell::new(Meter { budget, exprs: 0, stopped: None }));
        let (list, reported) = (Diagnostics::default(), FxHashSet::default());
        Self { text, list, reported, number_as_truth: None, meter }
    }

    /// Collects the problems of one property apart from the others.
    pub(super) fn apart(&self) -> Self {
        Self { meter: Rc::clone(&self.meter), ..Self::new(self.text) }
    }

    /// Counts steps of work, and bytes that are about to be held for good; false if there is no
    /// room or time for more.
    pub(super) fn goes_on(&self, steps: usize, bytes: usize) -> bool {
        let mut meter = self.meter.borrow_mut();
        let spent = meter.budget.spend(steps).and_then(|()| meter.budget.charge(bytes));
        meter.stopped = meter.stopped.or(spent.err());
        meter.stopped.is_none()
    }

    /// Counts a step of work, and the bytes of all expressions.
    pub(super) fn goes_on_with(&self, exprs: usize) -> bool {
        let more = exprs.saturating_sub(self.meter.borrow().exprs);
        self.meter.borrow_mut().exprs += more;
        self.goes_on(1, more)
    }

    /// The budget, and why it ended the work if it did.
    pub(super) fn spent(&self) -> (Budget, Option<Exhausted>) {
        let meter = self.meter.borrow();
        (meter.budget.clone(), meter.stopped)
    }

    /// Adds problems that were collected [apart](Self::apart). If all errors among them are about
    /// something that is not supported, returns its name instead, and adds the warnings only.
    pub(super) fn join(&mut self, apart: &Self) -> Option<String> {
        if let Some(span) = apart.number_as_truth {
            self.number_as_truth(span);
        }
        let unsupported = apart.list.unsupported().map(str::to_owned);
        for problem in apart.list.sorted() {
            if unsupported.is_none() || problem.severity == Severity::Warning {
                self.push(problem.clone());
            }
        }
        unsupported
    }

    /// Adds problems that were collected [apart](Self::apart) as warnings, with the reason why they
    /// are not errors.
    pub(super) fn join_as_warnings(&mut self, apart: &Self, help: &str) {
        for problem in apart.list.sorted() {
            let warning =
                Diagnostic { severity: Severity::Warning, help: Some(help.to_owned()), ..problem.clone() };
            self.push(warning);
        }
    }

    /// Things (in the plural) that are understood but not supported.
    pub(super) fn unsupported(&mut self, span: Span, what: &str) {
        self.push(at(span, format!("{what} are not supported")).not_supported(what));
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(at(span, message));
    }

    pub(super) fn error_help(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(at(span, message).help(help));
    }

    /// A second declaration of a name.
    pub(super) fn declared_twice(&mut self, name: &str, span: Span, first: Span) {
        let place = self.place(first);
        self.error_help(span, format!("`{name}` is declared twice"), format!("the first is at {place}"));
    }

    /// An error of the file as a whole.
    pub(super) fn global(&mut self, message: &str, help: &str) {
        self.push(Diagnostic::global(message).help(help));
    }

    /// An unknown name, with the nearest known one.
    pub(super) fn unknown<'n>(&mut self, span: Span, message: String, known: impl Iterator<Item = &'n str>) {
        let name = self.source(span);
        let name = name.rsplit('.').next().unwrap_or(name);
        let meant = if self.list.len() < ENOUGH { nearest(name, known) } else { None };
        let problem = at(span, message);
        self.push(match meant {
            Some(meant) => problem.help(format!("did you mean `{meant}`?")),
            None => problem,
        });
    }

    pub(super) fn warning(&mut self, span: Span, message: impl Into<String>, help: Option<String>) {
        let mut problem = at(span, message);
        problem.severity = Severity::Warning;
        problem.help = help;
        self.push(problem);
    }

    /// Remembers that `0` or `1` stands where a truth value is needed.
    pub(super) fn number_as_truth(&mut self, span: Span) {
        if self.number_as_truth.is_none_or(|first| span < first) {
            self.number_as_truth = Some(span);
        }
    }

    fn push(&mut self, problem: Diagnostic) {
        if self.list.len() > ENOUGH || self.reported.insert((problem.offset, problem.message.clone())) {
            self.list.push(problem);
        }
    }

    /// Whether something is wrong.
    pub(super) fn has_errors(&self) -> bool {
        self.list.has_errors()
    }

    /// The text there.
    pub(super) fn source(&self, (start, end): Span) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// `line 3, column 5`.
    pub(super) fn place(&self, (start, _): Span) -> String {
        let before = self.text.get(..start as usize).unwrap_or(self.text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
        format!("line {line}, column {column}")
    }

    pub(super) fn finish(mut self) -> Diagnostics {
        if let Some(span) = self.number_as_truth {
            let help = "write TRUE instead of 1 and FALSE instead of 0".to_owned();
            self.warning(
                span,
                "a number where a truth value is needed, here and perhaps elsewhere",
                Some(help),
            );
        }
        self.list
    }
}

fn at((start, end): Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(u64::from(start), end.saturating_sub(start) as usize, message)
}

/// `a` → `b` → `a`, shortened in the middle.
pub(super) fn cycle<'n>(
    names: impl ExactSizeIterator<Item = &'n str> + DoubleEndedIterator + Clone,
) -> String {
    const SHOWN: usize = 8;
    let first = names.clone().next().unwrap_or("");
    let hidden = names.len() > SHOWN;
    let mut parts: Vec<String> = names.take(SHOWN).map(|name| format!("`{name}`")).collect();
    if hidden {
        parts.push("…".to_owned());
    }
    parts.push(format!("`{first}`"));
    parts.join(" → ")
}
