//! Strategies on machines with calls: evidence for verdicts of the mu-calculus.
//!
//! The game of a formula on a machine has infinitely many positions, as stacks are unbounded. A
//! strategy that wins it is given frame by frame (Walukiewicz): at a call it claims how the callee
//! may be left, at which exits, with which modality still to be met there, and with which largest
//! priority passed on the way. Within the callee it has to keep this claim; after the call it has
//! to win from each of these returns.

use crate::Path;
use crate::formulas::shortened;
use crate::names::StateNames;
use loris_base::visible;
use loris_json::json_quoted;
use std::fmt::{self, Write};

/// The value of `kind` in JSON for a strategy on a machine with calls.
pub(crate) const CALL_STRATEGY: &str = "call_strategy";
/// Longer formulas are cut in text.
pub(crate) const FORMULA: usize = 300;

/// A strategy that wins the game of a formula on a machine with calls.
///
/// A place is a state with at most one box on its stack: a node of a component, or a node that is
/// entered by a call from a box, or left by a return to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallStrategy<S> {
    /// The formula that it wins.
    pub shows: String,
    /// The initial states in which it does.
    pub start: Vec<S>,
    /// The subformulas that moves are about.
    pub formulas: Vec<String>,
    /// How callees may be left: claims, each a list of returns.
    pub claims: Vec<Vec<ClaimedReturn<S>>>,
    /// The moves of the winner.
    pub moves: Vec<CallMove<S>>,
}

/// A way in which a callee may be left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedReturn<S> {
    /// The exit.
    pub exit: S,
    /// The number of the modality that is to be met there.
    pub formula: usize,
    /// The largest priority passed since the call, of those that matter to the modality.
    pub priority: u32,
}

/// A move of the winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallMove<S> {
    /// The place.
    pub at: S,
    /// The number of the subformula there.
    pub formula: usize,
    /// The largest priority passed in this frame.
    pub priority: u32,
    /// The number of the claim that the frame has to keep; none with an empty stack below.
    pub within: Option<usize>,
    /// Where the winner goes.
    pub to: CallStep<S>,
}

/// Where the winner goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallStep<S> {
    /// To a place, with the number of the subformula there.
    Go(S, usize),
    /// Into the callee, with the claim of this number.
    Claim(usize),
}

/// Writes a strategy on one line, as JSON.
pub(crate) fn write_call_strategy<S: Clone>(
    strategy: &CallStrategy<S>,
    names: &(impl StateNames<S> + ?Sized),
    out: &mut impl Write,
) -> fmt::Result {
    let CallStrategy { shows, start, formulas, claims, moves } = strategy;
    write!(out, "{{\"kind\":\"{CALL_STRATEGY}\",\"shows\":{},\"start\":[", json_quoted(shows))?;
    for (i, place) in start.iter().enumerate() {
        out.write_str(if i > 0 { "," } else { "" })?;
        write_place(names, place, out)?;
    }
    out.write_str("],\"formulas\":[")?;
    for (i, formula) in formulas.iter().enumerate() {
        write!(out, "{}{}", if i > 0 { "," } else { "" }, json_quoted(formula))?;
    }
    out.write_str("],\"claims\":[")?;
    for (i, claim) in claims.iter().enumerate() {
        out.write_str(if i > 0 { ",[" } else { "[" })?;
        for (i, ClaimedReturn { exit, formula, priority }) in claim.iter().enumerate() {
            out.write_str(if i > 0 { ",{\"exit\":" } else { "{\"exit\":" })?;
            write_place(names, exit, out)?;
            write!(out, ",\"formula\":{formula},\"priority\":{priority}}}")?;
        }
        out.write_char(']')?;
    }
    out.write_str("],\"moves\":[")?;
    for (i, CallMove { at, formula, priority, within, to }) in moves.iter().enumerate() {
        out.write_str(if i > 0 { ",{\"at\":" } else { "{\"at\":" })?;
        write_place(names, at, out)?;
        write!(out, ",\"formula\":{formula},\"priority\":{priority}")?;
        if let Some(within) = within {
            write!(out, ",\"within\":{within}")?;
        }
        match to {
            CallStep::Claim(claim) => write!(out, ",\"claim\":{claim}}}")?,
            CallStep::Go(to, next) => {
                out.write_str(",\"to\":")?;
                write_place(names, to, out)?;
                write!(out, ",\"next\":{next}}}")?;
            }
        }
    }
    out.write_str("]}")
}

/// The component in which a place lies, if JSON has to name it, and the state.
fn write_place<S: Clone>(
    names: &(impl StateNames<S> + ?Sized),
    place: &S,
    out: &mut impl Write,
) -> fmt::Result {
    let path = Path { shows: String::new(), states: vec![place.clone()], repeats: None, because: Vec::new() };
    out.write_char('{')?;
    if let Some(component) = names.component(&path) {
        write!(out, "\"component\":{},", json_quoted(component))?;
    }
    out.write_str("\"state\":")?;
    let mut state = String::new();
    names.write_json(place, &mut state)?;
    write!(out, "{state}}}")
}

/// Renders a strategy as text; at most this many moves.
pub(crate) fn render_call_strategy<S: Clone>(
    strategy: &CallStrategy<S>,
    names: &(impl StateNames<S> + ?Sized),
    most: usize,
) -> String {
    let CallStrategy { shows, formulas, claims, moves, .. } = strategy;
    let line = |text: &str| visible(&shortened(text, FORMULA)).into_owned();
    let formula = |number: usize| line(formulas.get(number).map_or("", String::as_str));
    let at = |state: &S, number: usize| format!("{} |- {}", visible(&names.name(state)), formula(number));
    let (count, s) = (moves.len(), if moves.len() == 1 { "" } else { "s" });
    let mut out = format!("shows {}, by a strategy of {count} move{s}\n", line(shows));
    // writing to a string does not fail
    for step in moves.iter().take(most) {
        let _ = writeln!(out, "  {}", at(&step.at, step.formula));
        match &step.to {
            CallStep::Go(to, next) => {
                let _ = writeln!(out, "    -> {}", at(to, *next));
            }
            CallStep::Claim(claim) => {
                let returns = claims.get(*claim).map_or(&[][..], Vec::as_slice);
                let returns: Vec<String> = returns.iter().map(|back| at(&back.exit, back.formula)).collect();
                let how = if returns.is_empty() {
                    "never comes back".to_owned()
                } else {
                    format!("comes back by {}", returns.join(", or by "))
                };
                let _ = writeln!(out, "    calls, and {how}");
            }
        }
    }
    if moves.len() > most {
        let _ = writeln!(out, "  ... {} moves ...", moves.len() - most);
    }
    out
}
