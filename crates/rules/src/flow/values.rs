//! Where the values on the stack and in local variables come from: parameters, constants, fields of
//! other values, calls. Two values with the same number are the same, as far as fields keep their
//! values in between. A forward analysis; where paths meet with different values, a new one stands
//! for both. Each position changes at most twice, so the cost is linear in instructions × slots.

use super::Flow;
use loris_base::{Names, Symbol};
use loris_java::class::{Body, Class, Member, Op, StackOp};
use rustc_hash::FxHashMap;

/// A number of a value.
pub(crate) type ValueId = u32;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// What the local variable in this slot holds at the start: a parameter, or the receiver.
    Initial(u16),
    /// Some number that is known.
    Int(i32),
    /// `null`.
    Null,
    /// The constant with this number.
    Constant(u16),
    /// The static field.
    Static(Member),
    /// The field of another value.
    Field(ValueId, Member),
    /// A new object made by the instruction.
    New(u32, Symbol),
    /// Anything else that the instruction pushes: position among what it pushes.
    Result(u32, u16),
    /// Paths meet at the instruction with different values in this position.
    Meet(u32, u16),
}

/// Values at each instruction.
pub(crate) struct Values {
    table: Vec<Value>,
    numbers: FxHashMap<Value, ValueId>,
    /// Locals, then the stack, before each instruction that is reached.
    states: Vec<Option<Box<[ValueId]>>>,
    locals: usize,
}

/// The most positions that are looked at, in all instructions together.
const LARGEST: usize = 8_000_000;

impl Values {
    /// The values of a method; `None` if the method is too large to be looked at.
    pub(crate) fn new(class: &Class, names: &Names, body: &Body<'_>, flow: &Flow) -> Option<Self> {
        let locals = usize::from(body.code.max_locals);
        let width = locals + usize::from(body.code.max_stack);
        if flow.len() * width > LARGEST {
            return None;
        }
        let mut values =
            Self { table: Vec::new(), numbers: FxHashMap::default(), states: vec![None; flow.len()], locals };
        let start: Vec<ValueId> =
            (0..locals).map(|slot| values.number(Value::Initial(slot as u16))).collect();
        values.states[0] = Some(start.into());
        let mut work = vec![0];
        let mut queued = vec![false; flow.len()];
        while let Some(number) = work.pop() {
            queued[number] = false;
            let Some(before) = values.states[number].clone() else { continue };
            let after = values.after(class, names, body, number, &before);
            for next in flow.next(number) {
                if values.arrive(flow, next, &after) && !std::mem::replace(&mut queued[next], true) {
                    work.push(next);
                }
            }
            for next in flow.handlers(number) {
                let mut state = before[..locals].to_vec();
                state.push(values.number(Value::Result(next as u32, u16::MAX)));
                if values.arrive(flow, next, &state) && !std::mem::replace(&mut queued[next], true) {
                    work.push(next);
                }
            }
        }
        Some(values)
    }

    /// How many of this many positions are looked at.
    pub(crate) fn most_positions(positions: usize) -> usize {
        positions.min(LARGEST)
    }

    fn number(&mut self, value: Value) -> ValueId {
        *self.numbers.entry(value).or_insert_with(|| {
            self.table.push(value);
            self.table.len() as ValueId - 1
        })
    }

    /// The value with a number.
    pub(crate) fn value(&self, id: ValueId) -> Value {
        self.table[id as usize]
    }

    /// The number of a value, if it occurs.
    pub(crate) fn find(&self, value: Value) -> Option<ValueId> {
        self.numbers.get(&value).copied()
    }

    /// The value in a slot before an instruction.
    pub(crate) fn local(&self, number: usize, slot: u16) -> Option<ValueId> {
        self.states[number].as_ref().map(|state| state[usize::from(slot)])
    }

    /// The value this many slots below the top of the stack before an instruction.
    pub(crate) fn stack(&self, number: usize, below: usize) -> Option<ValueId> {
        let state = self.states[number].as_ref()?;
        let at = state.len().checked_sub(below + 1)?;
        (at >= self.locals).then(|| state[at])
    }

    fn arrive(&mut self, flow: &Flow, number: usize, state: &[ValueId]) -> bool {
        let Some(mut known) = self.states[number].take() else {
            self.states[number] = Some(state.into());
            return true;
        };
        let mut changed = false;
        if known.len() == state.len() {
            for (position, (known, &new)) in known.iter_mut().zip(state).enumerate() {
                if *known == new {
                    continue;
                }
                let meet = Value::Meet(number as u32, position as u16);
                let value = if flow.is_join(number) { self.number(meet) } else { new };
                changed |= *known != value;
                *known = value;
            }
        }
        self.states[number] = Some(known);
        changed
    }

    /// Locals and stack after an instruction.
    fn after(
        &mut self,
        class: &Class,
        names: &Names,
        body: &Body<'_>,
        number: usize,
        before: &[ValueId],
    ) -> Vec<ValueId> {
        let mut state = before.to_vec();
        let op = body.instructions[number].op;
        match op {
            Op::Get(kind, slot) => {
                let value = state[usize::from(slot)];
                state.push(value);
                if kind.width() == 2 {
                    state.push(value);
                }
                return state;
            }
            Op::Set(kind, slot) => {
                let slot = usize::from(slot);
                let value = state.pop().unwrap_or_default();
                state[slot] = value;
                if kind.width() == 2 {
                    state.pop();
                    state[slot + 1] = value;
                }
                return state;
            }
            Op::Increment(slot) => {
                state[usize::from(slot)] = self.number(Value::Result(number as u32, 0));
                return state;
            }
            Op::Stack(stack) => {
                shuffle(&mut state, stack);
                return state;
            }
            _ => {}
        }
        let base = state.last().copied();
        let effect = class.effect(op, names);
        state.truncate(state.len().saturating_sub(effect.pops));
        for pushed in 0..effect.pushes {
            let value = match op {
                Op::Int(constant) => Value::Int(constant),
                Op::Null => Value::Null,
                Op::Load(constant, _) => Value::Constant(constant),
                Op::New(constant) => match class.pool.class(constant) {
                    Some(name) => Value::New(number as u32, name),
                    None => Value::Result(number as u32, 0),
                },
                // a cast changes no value
                Op::CheckCast(_) => {
                    state.push(base.unwrap_or_default());
                    continue;
                }
                Op::GetStatic(field) => match class.pool.member(field) {
                    Some(member) => Value::Static(member),
                    None => Value::Result(number as u32, pushed as u16),
                },
                Op::GetField(field) => match (class.pool.member(field), base) {
                    (Some(member), Some(base)) => Value::Field(base, member),
                    _ => Value::Result(number as u32, pushed as u16),
                },
                _ => Value::Result(number as u32, 0),
            };
            let value = self.number(value);
            state.push(value);
        }
        state
    }
}

fn shuffle(state: &mut Vec<ValueId>, op: StackOp) {
    let length = state.len();
    match op {
        StackOp::Pop(count) => state.truncate(length.saturating_sub(usize::from(count))),
        StackOp::Swap => {
            if length >= 2 {
                state.swap(length - 1, length - 2);
            }
        }
        StackOp::Dup { count, below } => {
            let (count, below) = (usize::from(count), usize::from(below));
            let Some(from) = length.checked_sub(count) else { return };
            let Some(to) = from.checked_sub(below) else { return };
            let copy = state[from..].to_vec();
            state.splice(to..to, copy);
        }
    }
}
