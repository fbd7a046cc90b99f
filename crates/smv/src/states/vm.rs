//! Runs the code of expressions.
//!
//! A variable that has left is `EXIT`, which `=`, `!=` and `in` compare like any other value. Every
//! other operator asks for more than that, and has no answer: its result is [`UNKNOWN`], and so is
//! that of an operator over it, unless another operand decides (Kleene's logic). Only at the end
//! does that matter: an equation without a value is a fault, a condition without one does not hold.

use super::code::{Code, Entry, NONE, Op};
use crate::ir::{Binary, EXIT, ExprId, LIMIT};
use loris_base::{Budget, Exhausted};

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// a variable that has left is used as if it had a value
    Exit,
    /// no branch of this `case` applies
    NoBranch(ExprId),
    /// an index outside of the array
    Index(ExprId, i64),
    DivisionByZero,
    Overflow,
    /// a set has more values than there is room or time for
    Exhausted(Exhausted),
}

/// The value of an expression without an answer, since a variable has left. No number is that
/// large.
const UNKNOWN: i64 = i64::MAX;

/// The most values of a set.
const VALUES: u64 = 1 << 28;

/// The working memory of evaluation: stacks, and the values of blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Machine {
    stack: Vec<i64>,
    returns: Vec<u32>,
    /// where sets within sets start
    marks: Vec<usize>,
    /// for each block, its value and when that was found
    kept: Vec<(u64, i64)>,
    now: u64,
    /// operations since they were last counted
    ran: usize,
}

/// Operations for a step of a budget.
const OPERATIONS_PER_STEP: usize = 8;

impl Machine {
    pub(super) fn new(code: &Code) -> Self {
        Self { kept: vec![(0, 0); code.blocks.len()], now: 1, ..Self::default() }
    }

    /// Values have changed.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.now += 1;
    }

    /// The steps of work since this was last asked. A `case` that jumps by the value of a variable
    /// runs one branch of many, so that the length of the code would be far from the truth.
    #[inline]
    pub(super) fn work(&mut self) -> usize {
        let steps = self.ran / OPERATIONS_PER_STEP;
        self.ran %= OPERATIONS_PER_STEP;
        steps
    }

    /// The value of an expression; `slots` are the values of variables.
    #[inline]
    pub(super) fn value(
        &mut self,
        code: &Code,
        entry: Entry,
        slots: &[i64],
        budget: &mut Budget,
    ) -> Result<i64, Fault> {
        let mut none = Vec::new();
        self.run(code, entry, slots, &mut none, budget)?;
        Ok(self.stack.pop().unwrap_or_default())
    }

    /// Whether a condition is true.
    #[inline]
    pub(super) fn truth(
        &mut self,
        code: &Code,
        entry: Entry,
        slots: &[i64],
        budget: &mut Budget,
    ) -> Result<bool, Fault> {
        match self.value(code, entry, slots, budget)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Fault::Exit),
        }
    }

    /// Adds the values of an expression to a set.
    #[inline]
    pub(super) fn set(
        &mut self,
        code: &Code,
        entry: Entry,
        slots: &[i64],
        set: &mut Vec<i64>,
        budget: &mut Budget,
    ) -> Result<(), Fault> {
        let start = set.len();
        self.run(code, entry, slots, set, budget)?;
        if code.exits && set[start..].contains(&UNKNOWN) {
            return Err(Fault::Exit);
        }
        Ok(())
    }

    fn run(
        &mut self,
        code: &Code,
        entry: Entry,
        slots: &[i64],
        set: &mut Vec<i64>,
        budget: &mut Budget,
    ) -> Result<(), Fault> {
        let result = self.steps(code, entry, slots, set, budget);
        if result.is_err() {
            self.stack.clear();
            self.returns.clear();
            self.marks.clear();
        }
        result
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each operation")]
    fn steps(
        &mut self,
        code: &Code,
        entry: Entry,
        slots: &[i64],
        set: &mut Vec<i64>,
        budget: &mut Budget,
    ) -> Result<(), Fault> {
        let mut at = entry as usize;
        let stack = &mut self.stack;
        macro_rules! pop {
            () => {
                stack.pop().unwrap_or_default()
            };
        }
        macro_rules! truth {
            ($value:expr) => {
                match $value {
                    0 => false,
                    1 => true,
                    _ => return Err(Fault::Exit),
                }
            };
        }
        loop {
            let op = &code.ops[at];
            at += 1;
            self.ran += 1;
            match *op {
                Op::Push(value) => stack.push(value),
                Op::Load(slot) => stack.push(slots[slot as usize]),
                Op::SlotIs(slot, value) => stack.push(i64::from(slots[slot as usize] == value)),
                Op::Not => {
                    let value = pop!();
                    stack.push(if value == 0 || value == 1 { 1 - value } else { UNKNOWN });
                }
                Op::Binary(op) => {
                    let b = pop!();
                    let a = pop!();
                    stack.push(binary(op, a, b)?);
                }
                Op::Wrapping { op, signed, width } => {
                    let (b, a) = (pop!(), pop!());
                    let result = match op {
                        _ if is_absent(a) || is_absent(b) => UNKNOWN,
                        Binary::Plus => wrap(a.wrapping_add(b), signed, width),
                        Binary::Minus => wrap(a.wrapping_sub(b), signed, width),
                        Binary::ShiftLeft => wrap(shifted_left(a, b), signed, width),
                        _ => wrap(a.wrapping_mul(b), signed, width),
                    };
                    stack.push(result);
                }
                Op::AndThen(target) => {
                    if truth!(stack.last().copied().unwrap_or_default()) {
                        stack.pop();
                    } else {
                        at = target as usize;
                    }
                }
                Op::OrElse(target) => {
                    if truth!(stack.last().copied().unwrap_or_default()) {
                        at = target as usize;
                    } else {
                        stack.pop();
                    }
                }
                Op::FalseEnds(target) => {
                    if stack.last() == Some(&0) {
                        at = target as usize;
                    }
                }
                Op::TrueEnds(target) => {
                    if stack.last() == Some(&1) {
                        at = target as usize;
                    }
                }
                Op::Both => {
                    let (b, a) = (pop!(), pop!());
                    stack.push(match (a, b) {
                        (0, _) | (_, 0) => 0,
                        (1, 1) => 1,
                        _ => UNKNOWN,
                    });
                }
                Op::Either => {
                    let (b, a) = (pop!(), pop!());
                    stack.push(match (a, b) {
                        (1, _) | (_, 1) => 1,
                        (0, 0) => 0,
                        _ => UNKNOWN,
                    });
                }
                Op::Guard { next, end, set: is_set } => match pop!() {
                    1 => {}
                    0 => at = next as usize,
                    _ => {
                        if is_set {
                            set.push(UNKNOWN);
                        } else {
                            stack.push(UNKNOWN);
                        }
                        at = end as usize;
                    }
                },
                Op::Unless(target) => {
                    if !truth!(pop!()) {
                        at = target as usize;
                    }
                }
                Op::Jump(target) => at = target as usize,
                Op::Tally => {
                    let (one, sum) = (pop!(), pop!());
                    let is_known = (one == 0 || one == 1) && sum != UNKNOWN;
                    stack.push(if is_known { sum + one } else { UNKNOWN });
                }
                Op::Wrap { signed, width } => {
                    let value = pop!();
                    stack.push(if is_absent(value) { UNKNOWN } else { wrap(value, signed, width) });
                }
                Op::Switch(slot, jumps) => {
                    let target = code.jumps[jumps as usize].get(slots[slot as usize]);
                    if target != NONE {
                        at = target as usize;
                    }
                }
                Op::Select(jumps) => {
                    let (index, jumps) = (pop!(), &code.jumps[jumps as usize]);
                    match jumps.get(index) {
                        _ if is_absent(index) => {
                            stack.push(UNKNOWN);
                            at = jumps.end as usize;
                        }
                        NONE => return Err(Fault::Index(jumps.of, index)),
                        target => at = target as usize,
                    }
                }
                Op::NoBranch(of) => return Err(Fault::NoBranch(of)),
                Op::Emit => {
                    budget.reserve(set, 1).map_err(Fault::Exhausted)?;
                    set.push(pop!());
                }
                Op::EmitRange => {
                    let (high, low) = (pop!(), pop!());
                    if is_absent(low) || is_absent(high) {
                        set.push(UNKNOWN);
                    } else if !self.marks.is_empty() {
                        // within `Open` and `Close` nothing else matters than whether the value
                        // below is in it
                        set.extend(stack.last().filter(|value| (low..=high).contains(value)));
                    } else if high > low && high.abs_diff(low) >= VALUES {
                        return Err(Fault::Exhausted(Exhausted::States));
                    } else {
                        emit(low, high, set, budget).map_err(Fault::Exhausted)?;
                    }
                }
                Op::Open => self.marks.push(set.len()),
                Op::Close => {
                    let (value, start) = (pop!(), self.marks.pop().unwrap_or_default());
                    let found = set[start..].contains(&value);
                    let is_known = value != UNKNOWN && (found || !set[start..].contains(&UNKNOWN));
                    set.truncate(start);
                    stack.push(if is_known { i64::from(found) } else { UNKNOWN });
                }
                Op::InSet(number) => {
                    let value = pop!();
                    let found = code.sets[number as usize].binary_search(&value).is_ok();
                    stack.push(if value == UNKNOWN { UNKNOWN } else { i64::from(found) });
                }
                Op::Call(block) => match self.kept[block as usize] {
                    (when, value) if when == self.now => stack.push(value),
                    _ => {
                        self.returns.push(at as u32);
                        at = code.blocks[block as usize] as usize;
                    }
                },
                Op::Return(block) => {
                    self.kept[block as usize] = (self.now, stack.last().copied().unwrap_or_default());
                    at = self.returns.pop().unwrap_or_default() as usize;
                }
                Op::End => return Ok(()),
            }
        }
    }
}

/// Adds all numbers from one to another to a set.
fn emit(low: i64, high: i64, set: &mut Vec<i64>, budget: &mut Budget) -> Result<(), Exhausted> {
    const CHUNK: i64 = 1 << 16;
    let mut next = low;
    while next <= high {
        let last = high.min(next + CHUNK - 1);
        let more = (last - next).unsigned_abs() as usize + 1;
        budget.reserve(set, more)?;
        budget.spend(more)?;
        set.extend(next..=last);
        next = last + 1;
    }
    Ok(())
}

/// Whether there is nothing to compute with.
#[inline]
fn is_absent(value: i64) -> bool {
    value == EXIT || value == UNKNOWN
}

/// Shifts further than there are bits leave none.
fn shifted_left(value: i64, by: i64) -> i64 {
    match u32::try_from(by) {
        Ok(by @ 0..=63) => value.wrapping_shl(by),
        _ => 0,
    }
}

/// The low bits of a number.
pub(crate) fn wrap(value: i64, signed: bool, width: u32) -> i64 {
    let unused = 64 - width;
    let shifted = value.cast_unsigned() << unused;
    if signed { shifted.cast_signed() >> unused } else { (shifted >> unused).cast_signed() }
}

#[inline]
pub(super) fn binary(op: Binary, a: i64, b: i64) -> Result<i64, Fault> {
    let is_unknown = match op {
        Binary::Equal | Binary::Unequal => a == UNKNOWN || b == UNKNOWN,
        _ => is_absent(a) || is_absent(b),
    };
    if is_unknown {
        return Ok(UNKNOWN);
    }
    let limited =
        |value: i64| if (-LIMIT..LIMIT).contains(&value) { Ok(value) } else { Err(Fault::Overflow) };
    match op {
        Binary::Equal | Binary::Same => Ok(i64::from(a == b)),
        Binary::Unequal | Binary::Differ => Ok(i64::from(a != b)),
        Binary::Less => Ok(i64::from(a < b)),
        Binary::AtMost => Ok(i64::from(a <= b)),
        Binary::Plus => limited(a + b),
        Binary::Minus => limited(a - b),
        Binary::Times => a.checked_mul(b).map_or(Err(Fault::Overflow), limited),
        Binary::Divide | Binary::Modulo if b == 0 => Err(Fault::DivisionByZero),
        Binary::Divide => Ok(a / b),
        Binary::Modulo => Ok(a % b),
        Binary::BitAnd => Ok(a & b),
        Binary::BitOr => Ok(a | b),
        Binary::BitXor => Ok(a ^ b),
        Binary::ShiftLeft => Ok(shifted_left(a, b)),
        Binary::ShiftRight => Ok(a >> u32::try_from(b).unwrap_or(63).min(63)),
        Binary::Min => Ok(a.min(b)),
        Binary::Max => Ok(a.max(b)),
    }
}
