//! The last of several steps of one kind: `out[at++] = x` for each field of a record,
//! `first = print(out, x, first)`, or `else comma = true` after each element of a list. The last
//! step is dead, and people keep it, since the next element may come.

use super::constants::constant;
use super::live::Live;
use super::variables::Variables;
use crate::checks::method::Code;
use loris_java::class::Op;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// What a store does to its variable.
#[derive(PartialEq, Eq)]
enum Step {
    /// Computes the value from the one before.
    Onwards,
    /// Computes it by a call of this method.
    Call(Op),
    /// Stores a constant.
    Constant(Op),
}

/// A value is computed by at most this many instructions.
const LONG: usize = 12;

/// This many stores of a variable are compared.
const MOST: usize = 64;

/// The stores of a method by their slots, found when somebody asks.
#[derive(Default)]
pub(super) struct Series {
    stores: OnceCell<FxHashMap<u16, Vec<usize>>>,
}

impl Series {
    /// Whether a dead store does what an earlier store into the variable does whose value is used.
    pub(super) fn is_last(
        &self,
        code: &Code<'_>,
        live: &Live,
        variables: &Variables<'_>,
        number: usize,
        slot: u16,
    ) -> bool {
        let Some(step) = step(code, number, slot) else { return false };
        let stores = self.stores.get_or_init(|| stores(code));
        let name = |at: usize| variables.at(code, at, slot).map(|variable| variable.name);
        let same = |&at: &usize| {
            code.is_reached(at)
                && name(at) == name(number)
                && live.after(code, at, slot)
                && self::step(code, at, slot).is_some_and(|other| other == step)
        };
        let all = stores.get(&slot).map_or(&[][..], Vec::as_slice);
        let before = all.partition_point(|&at| at < number);
        all[..before].iter().rev().take(MOST).any(same)
    }
}

fn stores(code: &Code<'_>) -> FxHashMap<u16, Vec<usize>> {
    let mut found: FxHashMap<u16, Vec<usize>> = FxHashMap::default();
    for number in 0..code.len() {
        if let Op::Set(_, slot) | Op::Increment(slot) = code.op(number) {
            found.entry(slot).or_default().push(number);
        }
    }
    found
}

fn step(code: &Code<'_>, number: usize, slot: u16) -> Option<Step> {
    match code.op(number) {
        Op::Increment(_) => Some(Step::Onwards),
        Op::Set(..) if constant(code, number).is_some() => Some(Step::Constant(code.op(number - 1))),
        Op::Set(..) => {
            let mut before = (number.saturating_sub(LONG)..number).rev();
            let by = code.op(before.next()?);
            let own = before.map(|at| code.op(at)).take_while(|op| !matches!(op, Op::Set(..)));
            let mut own = own.filter(|op| matches!(op, Op::Get(_, other) if *other == slot));
            let step = match by {
                Op::Compute { .. } => Step::Onwards,
                Op::Invoke(..) => Step::Call(by),
                _ => return None,
            };
            own.next().is_some().then_some(step)
        }
        _ => None,
    }
}
