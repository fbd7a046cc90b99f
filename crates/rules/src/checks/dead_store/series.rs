//! The last of several steps of one kind: `out[at++] = x` for each field of a record, or
//! `else comma = true` after each element of a list. The last step is dead, and people keep it,
//! since the next element may come.

use super::constants::constant;
use super::live::Live;
use super::variables::Variables;
use crate::checks::method::Code;
use loris_java::class::Op;

/// What a store does to its variable.
#[derive(PartialEq, Eq)]
enum Step {
    /// Computes the value from the one before.
    Onwards,
    /// Stores a constant.
    Constant(Op),
}

/// A value is computed by at most this many instructions.
const LONG: usize = 12;

/// This many stores of a variable are compared.
const MOST: usize = 64;

/// Whether a dead store does what another store into the variable does whose value is used. Linear
/// in the code before the store.
pub(super) fn is_last(
    code: &Code<'_>,
    live: &Live,
    variables: &Variables<'_>,
    number: usize,
    slot: u16,
) -> bool {
    let Some(step) = step(code, number, slot) else { return false };
    let name = |at: usize| variables.at(code, at, slot).map(|variable| variable.name);
    let stores = |&at: &usize| match code.op(at) {
        Op::Set(_, other) | Op::Increment(other) => other == slot,
        _ => false,
    };
    let same = |at: usize| {
        code.is_reached(at)
            && name(at) == name(number)
            && live.after(code, at, slot)
            && self::step(code, at, slot).is_some_and(|other| other == step)
    };
    (0..number).rev().filter(stores).take(MOST).any(same)
}

fn step(code: &Code<'_>, number: usize, slot: u16) -> Option<Step> {
    match code.op(number) {
        Op::Increment(_) => Some(Step::Onwards),
        Op::Set(..) if constant(code, number).is_some() => Some(Step::Constant(code.op(number - 1))),
        Op::Set(..) => {
            let mut before = (number.saturating_sub(LONG)..number).rev();
            let is_computed = matches!(code.op(before.next()?), Op::Compute { .. });
            let own = before.map(|at| code.op(at)).take_while(|op| !matches!(op, Op::Set(..)));
            let mut own = own.filter(|op| matches!(op, Op::Get(_, other) if *other == slot));
            (is_computed && own.next().is_some()).then_some(Step::Onwards)
        }
        _ => None,
    }
}
