//! The summary engine: CTL on recursive state machines without guessing, up to 64 properties at
//! once.
//!
//! Decides a formula, bottom-up over its existential subformulas ψ (`docs/summary.md`). Once the
//! operands of ψ are known on an [instance graph](crate::instances), two fixpoints determine all
//! that is known about ψ without any context: [`Summaries`](crate::summaries::Summaries), the exits
//! that a run can leave through along the operand after it entered, and [`stays`], ψ true without
//! leaving. Then
//!
//! > ψ at a cell under a stack = `stays`, or ψ at the caller's return port of some exit that a run
//! > from the cell gets to along the operand.
//!
//! So contexts are computed, not guessed, and flow top-down from the initial instance, whose exits
//! are known ([`bottom`]). A context is a word of lanes per exit; instances are split ([`split`])
//! by the contexts that occur, and only as far as an enclosing formula *asks* for values that
//! depend on them.
//!
//! Invariant: after the step for ψ, the value of ψ is right at every cell where an operand of a
//! later formula depends on it. Linear in the machine for each subformula and each context that
//! occurs; there can be 2^exits contexts per component, which is the price of the problem
//! (EXPTIME-complete). Its oracle is the unfolding in `tests/`, its rival on CTL is the
//! three-valued engine.

mod apart;
mod at_start;
mod bottom;
mod context_free;
mod decide;
mod decided;
mod evaluation;
mod existential;
mod look;
mod mode;
mod recurring;
mod relevant;
mod split;
mod stays;
mod step;
mod track;
mod without_context;

pub(crate) use apart::verdicts;
pub(crate) use decide::decide;
pub(crate) use decided::Decided;
pub(crate) use mode::{Growth, Mode, Rival, Stopped};
