//! Runs the code of expressions.

use super::code::{Code, Entry, NONE, Op};
use crate::ir::{Binary, EXIT, ExprId, LIMIT};

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
    /// a set has more values than anybody waits for
    TooMany,
}

/// The most values of a set.
const VALUES: u64 = 1 << 28;

/// What evaluation needs besides code and values: stacks, and the values of blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Machine {
    stack: Vec<i64>,
    returns: Vec<u32>,
    /// where sets within sets start
    marks: Vec<usize>,
    /// for each block, its value and when that was found
    kept: Vec<(u64, i64)>,
    now: u64,
}

impl Machine {
    pub(super) fn new(code: &Code) -> Self {
        Self { kept: vec![(0, 0); code.blocks.len()], now: 1, ..Self::default() }
    }

    /// Values have changed.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.now += 1;
    }

    /// The value of an expression; `slots` are the values of variables.
    #[inline]
    pub(super) fn value(&mut self, code: &Code, entry: Entry, slots: &[i64]) -> Result<i64, Fault> {
        let mut none = Vec::new();
        self.run(code, entry, slots, &mut none)?;
        Ok(self.stack.pop().unwrap_or_default())
    }

    /// Whether a condition is true.
    #[inline]
    pub(super) fn truth(&mut self, code: &Code, entry: Entry, slots: &[i64]) -> Result<bool, Fault> {
        match self.value(code, entry, slots)? {
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
    ) -> Result<(), Fault> {
        self.run(code, entry, slots, set)
    }

    fn run(&mut self, code: &Code, entry: Entry, slots: &[i64], set: &mut Vec<i64>) -> Result<(), Fault> {
        let result = self.steps(code, entry, slots, set);
        if result.is_err() {
            self.stack.clear();
            self.returns.clear();
            self.marks.clear();
        }
        result
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each operation")]
    fn steps(&mut self, code: &Code, entry: Entry, slots: &[i64], set: &mut Vec<i64>) -> Result<(), Fault> {
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
            match *op {
                Op::Push(value) => stack.push(value),
                Op::Load(slot) => stack.push(slots[slot as usize]),
                Op::SlotIs(slot, value) => stack.push(i64::from(slots[slot as usize] == value)),
                Op::Not => {
                    let value = truth!(pop!());
                    stack.push(i64::from(!value));
                }
                Op::Binary(op) => {
                    let b = pop!();
                    let a = pop!();
                    stack.push(binary(op, a, b)?);
                }
                Op::Wrapping(op) => {
                    let (b, a) = (number(pop!())?, number(pop!())?);
                    stack.push(match op {
                        Binary::Plus => a.wrapping_add(b),
                        Binary::Minus => a.wrapping_sub(b),
                        _ => a.wrapping_mul(b),
                    });
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
                Op::Unless(target) => {
                    if !truth!(pop!()) {
                        at = target as usize;
                    }
                }
                Op::Jump(target) => at = target as usize,
                Op::Tally => {
                    let one = truth!(pop!());
                    let sum = pop!();
                    stack.push(sum + i64::from(one));
                }
                Op::Wrap { signed, width } => {
                    let value = number(pop!())?;
                    stack.push(wrap(value, signed, width));
                }
                Op::Switch(slot, jumps) => {
                    let target = code.jumps[jumps as usize].get(slots[slot as usize]);
                    if target != NONE {
                        at = target as usize;
                    }
                }
                Op::Select(jumps) => {
                    let (index, jumps) = (number(pop!())?, &code.jumps[jumps as usize]);
                    match jumps.get(index) {
                        NONE => return Err(Fault::Index(jumps.of, index)),
                        target => at = target as usize,
                    }
                }
                Op::NoBranch(of) => return Err(Fault::NoBranch(of)),
                Op::Emit => set.push(pop!()),
                Op::EmitRange => {
                    let (high, low) = (number(pop!())?, number(pop!())?);
                    if !self.marks.is_empty() {
                        // within `Open` and `Close` nothing else matters than whether the value below is in it
                        set.extend(stack.last().filter(|value| (low..=high).contains(value)));
                    } else if high > low && high.abs_diff(low) >= VALUES {
                        return Err(Fault::TooMany);
                    } else {
                        set.extend(low..=high);
                    }
                }
                Op::Open => self.marks.push(set.len()),
                Op::Close => {
                    let (value, start) = (pop!(), self.marks.pop().unwrap_or_default());
                    let found = set[start..].contains(&value);
                    set.truncate(start);
                    stack.push(i64::from(found));
                }
                Op::InSet(number) => {
                    let value = pop!();
                    stack.push(i64::from(code.sets[number as usize].binary_search(&value).is_ok()));
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

/// A value that is used as a number.
#[inline]
fn number(value: i64) -> Result<i64, Fault> {
    if value == EXIT { Err(Fault::Exit) } else { Ok(value) }
}

/// The low bits of a number.
fn wrap(value: i64, signed: bool, width: u32) -> i64 {
    let unused = 64 - width;
    let shifted = value.cast_unsigned() << unused;
    if signed { shifted.cast_signed() >> unused } else { (shifted >> unused).cast_signed() }
}

#[inline]
fn binary(op: Binary, a: i64, b: i64) -> Result<i64, Fault> {
    match op {
        Binary::Equal => return Ok(i64::from(a == b)),
        Binary::Unequal => return Ok(i64::from(a != b)),
        _ => {}
    }
    let (a, b) = (number(a)?, number(b)?);
    let limited =
        |value: i64| if (-LIMIT..LIMIT).contains(&value) { Ok(value) } else { Err(Fault::Overflow) };
    match op {
        Binary::Equal | Binary::Unequal => unreachable!("answered above"),
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
        Binary::ShiftLeft => match u32::try_from(b) {
            Ok(b @ 0..=62) => Ok(a.wrapping_shl(b)),
            _ => Ok(0),
        },
        Binary::ShiftRight => Ok(a >> u32::try_from(b).unwrap_or(63).min(63)),
        Binary::Min => Ok(a.min(b)),
        Binary::Max => Ok(a.max(b)),
    }
}
