//! The kinds of evidence: paths, which show that something can happen, invariants, which show that
//! something never does, and strategies, which win the game of a formula.

use crate::call_strategy::{CallStrategy, FORMULA, render_call_strategy, write_call_strategy};
use crate::formulas::shortened;
use crate::invariant::Invariant;
use crate::names::StateNames;
use crate::strategy::Strategy;
use crate::{Evidence, State};
use loris_base::visible;
use loris_json::json_quoted;
use std::fmt::{self, Write};

/// Evidence of any kind, for a verdict about a model with these states.
///
/// In JSON, paths are as they are in [`Evidence`]; every other kind has a key `kind`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Certificate<S = State> {
    /// Paths and lassos.
    Paths(Evidence<S>),
    /// A set of states that no run leaves.
    Invariant(Invariant),
    /// A winning strategy.
    Strategy(Strategy<S>),
    /// A winning strategy on a machine with calls.
    CallStrategy(CallStrategy<S>),
}

/// The value of `kind` in JSON for paths, where it may be left out.
pub(crate) const PATHS: &str = "paths";
/// The value of `kind` in JSON for an invariant.
pub(crate) const INVARIANT: &str = "invariant";
/// The value of `kind` in JSON for a strategy.
pub(crate) const STRATEGY: &str = "strategy";

/// More clauses of an invariant are counted in text, but not listed.
const LISTED: usize = 20;

impl<S: Clone> Certificate<S> {
    /// The formula that it shows, or one of the other texts that a path can show; empty if there is
    /// none.
    pub fn shows(&self) -> &str {
        match self {
            Certificate::Paths(evidence) => evidence.paths.iter().next().map_or("", |path| &path.shows),
            Certificate::Invariant(invariant) => &invariant.shows,
            Certificate::Strategy(strategy) => &strategy.shows,
            Certificate::CallStrategy(strategy) => &strategy.shows,
        }
    }

    /// Writes it on one line, as JSON.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_json_with(
        &self,
        names: &(impl StateNames<S> + ?Sized),
        out: &mut impl Write,
    ) -> fmt::Result {
        match self {
            Certificate::Paths(evidence) => evidence.write_json_with(names, out),
            Certificate::Invariant(Invariant { shows, clauses }) => {
                let shows = json_quoted(shows);
                write!(out, "{{\"kind\":\"{INVARIANT}\",\"shows\":{shows},\"clauses\":[")?;
                for (i, clause) in clauses.iter().enumerate() {
                    write!(out, "{}{}", if i > 0 { "," } else { "" }, json_quoted(clause))?;
                }
                out.write_str("]}")
            }
            Certificate::Strategy(Strategy { shows, formulas, moves }) => {
                let shows = json_quoted(shows);
                write!(out, "{{\"kind\":\"{STRATEGY}\",\"shows\":{shows},\"formulas\":[")?;
                for (i, formula) in formulas.iter().enumerate() {
                    write!(out, "{}{}", if i > 0 { "," } else { "" }, json_quoted(formula))?;
                }
                out.write_str("],\"moves\":[")?;
                for (i, step) in moves.iter().enumerate() {
                    out.write_str(if i > 0 { ",{\"from\":" } else { "{\"from\":" })?;
                    write_values(names, &step.from, out)?;
                    write!(out, ",\"formula\":{},\"to\":", step.formula)?;
                    write_values(names, &step.to, out)?;
                    write!(out, ",\"next\":{}}}", step.next)?;
                }
                out.write_str("]}")
            }
            Certificate::CallStrategy(strategy) => write_call_strategy(strategy, names, out),
        }
    }

    /// Renders it as text; of a path longer than `most` states the middle is left out.
    pub fn render_with(&self, names: &(impl StateNames<S> + ?Sized), most: usize) -> String {
        match self {
            Certificate::Paths(evidence) => evidence.render_with(names, most),
            Certificate::Invariant(Invariant { shows, clauses }) => {
                let line = |text: &str| visible(&shortened(text, FORMULA)).into_owned();
                let mut out = format!("shows {}, by the invariant\n", line(shows));
                for clause in clauses.iter().take(LISTED) {
                    out.extend(["  ", &line(clause), "\n"]);
                }
                if clauses.len() > LISTED {
                    // writing to a string does not fail
                    let _ = writeln!(out, "  ... {} clauses ...", clauses.len() - LISTED);
                }
                out
            }
            Certificate::Strategy(Strategy { shows, formulas, moves }) => {
                let line = |text: &str| visible(&shortened(text, FORMULA)).into_owned();
                let at = |state: &S, formula: usize| {
                    let formula = formulas.get(formula).map_or("", String::as_str);
                    format!("{} |- {}", visible(&names.name(state)), line(formula))
                };
                let (count, s) = (moves.len(), if moves.len() == 1 { "" } else { "s" });
                let mut out = format!("shows {}, by a strategy of {count} move{s}\n", line(shows));
                for step in moves.iter().take(most) {
                    let (from, to) = (at(&step.from, step.formula), at(&step.to, step.next));
                    // writing to a string does not fail
                    let _ = writeln!(out, "  {from}\n    -> {to}");
                }
                if moves.len() > most {
                    let _ = writeln!(out, "  ... {} moves ...", moves.len() - most);
                }
                out
            }
            Certificate::CallStrategy(strategy) => render_call_strategy(strategy, names, most),
        }
    }
}

/// A state by the values of its variables.
fn write_values<S>(names: &(impl StateNames<S> + ?Sized), state: &S, out: &mut impl Write) -> fmt::Result {
    out.write_str("{\"values\":{")?;
    for (i, (name, value)) in names.values(state).iter().enumerate() {
        write!(out, "{}{}:{}", if i > 0 { "," } else { "" }, json_quoted(name), json_quoted(value))?;
    }
    out.write_str("}}")
}

impl<S> From<Evidence<S>> for Certificate<S> {
    fn from(evidence: Evidence<S>) -> Self {
        Certificate::Paths(evidence)
    }
}

impl<S> From<Invariant> for Certificate<S> {
    fn from(invariant: Invariant) -> Self {
        Certificate::Invariant(invariant)
    }
}
