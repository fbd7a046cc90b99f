//! Value numbering: which slots of a method hold the same value at an instruction.
//!
//! A forward analysis of the verifier's kind. Slots with equal numbers hold equal values on every
//! path; a number is that of a parameter, of the instruction that made the value, of a constant, of
//! a field of a value that the method does not assign, or of a slot at a merge of paths (φ). At a
//! merge a slot's number changes to its φ at most once, so the analysis ends after at most two
//! rounds per block and slot.

use super::model::Known;
use super::slots::{Moves, Slot, moves};
use crate::class::{Body, Constant, Instruction, Invoke, Op};
use crate::program::{MethodId, Program};
use loris_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of a value of a method.
pub(crate) type ValueId = u32;

/// A value, by where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// No value: the slot is not in use.
    Nothing,
    /// The parameter whose first slot this is.
    Parameter(Slot),
    /// An `int`.
    Int(i32),
    /// `null`.
    Null,
    /// The result of an instruction: the slot of it.
    Made(u16, Slot),
    /// The value of a slot at a block where paths merge.
    Merged(u16, Slot),
    /// A field of a value.
    Field(ValueId, Symbol),
    /// A static field.
    Static(Symbol, Symbol),
}

/// The values of a method at the start of its blocks.
#[derive(Debug, Default)]
pub(crate) struct Values {
    all: Vec<Value>,
    ids: FxHashMap<Value, ValueId>,
    /// For each block, the values of its slots; `None` if no path leads there.
    starts: FxHashMap<usize, Box<[ValueId]>>,
    /// Fields that the method assigns, which are not the same at every read.
    assigned: FxHashSet<Symbol>,
    /// The values of slots before each instruction; `None` if no path leads there.
    before: Vec<Option<Box<[ValueId]>>>,
    /// The values of slots after the last instruction of each block.
    after: FxHashMap<usize, Box<[ValueId]>>,
    /// Values that a branch compares with zero or null, and how often.
    pub(crate) tested: FxHashMap<ValueId, u32>,
}

impl Values {
    pub(crate) fn of(
        program: &Program,
        known: &Known<'_>,
        method: MethodId,
        body: &Body<'_>,
        leaders: &[bool],
    ) -> Self {
        let class = program.class(program.owner(method));
        let mut values = Self::default();
        let nothing = values.id(Value::Nothing);
        for instruction in &body.instructions {
            if let Op::PutField(field) | Op::PutStatic(field) = instruction.op
                && let Some(member) = class.pool.member(field)
            {
                values.assigned.insert(member.name);
            }
        }
        let width = usize::from(body.code.max_locals) + usize::from(body.code.max_stack);
        let mut entry = vec![nothing; width].into_boxed_slice();
        for (slot, value) in entry.iter_mut().enumerate().take(usize::from(body.code.max_locals)) {
            *value = values.id(Value::Parameter(slot as Slot));
        }
        values.starts.insert(0, entry);
        let mut work = vec![0];
        while let Some(start) = work.pop() {
            values.block(program, known, method, body, leaders, start, &mut work);
        }
        values.record(program, known, method, body, leaders);
        values
    }

    /// The number of a value.
    pub(crate) fn id(&mut self, value: Value) -> ValueId {
        *self.ids.entry(value).or_insert_with(|| {
            self.all.push(value);
            self.all.len() as u32 - 1
        })
    }

    pub(crate) fn find(&self, value: Value) -> Option<ValueId> {
        self.ids.get(&value).copied()
    }

    pub(crate) fn value(&self, id: ValueId) -> Value {
        self.all[id as usize]
    }

    pub(crate) fn value_ref(&self, id: ValueId) -> &Value {
        &self.all[id as usize]
    }

    /// The values of all slots before an instruction.
    pub(crate) fn before(&self, number: usize) -> &[ValueId] {
        self.before[number].as_deref().unwrap_or_default()
    }

    /// The values of all slots after the last instruction of a block.
    pub(crate) fn after(&self, number: usize) -> Option<&[ValueId]> {
        self.after.get(&number).map(|slots| &**slots)
    }

    fn block(
        &mut self,
        program: &Program,
        known: &Known<'_>,
        method: MethodId,
        body: &Body<'_>,
        leaders: &[bool],
        start: usize,
        work: &mut Vec<usize>,
    ) {
        let mut slots = self.starts[&start].clone();
        let mut number = start;
        let mut handled = true;
        loop {
            let instruction = body.instructions[number];
            if handled {
                for handler in body.code.handlers.iter().filter(|handler| handler.covers(instruction.at)) {
                    if let Some(target) = body.number(u32::from(handler.target)) {
                        self.enter_handler(body, target, &slots, work);
                    }
                }
            }
            // handlers see locals only
            handled = matches!(instruction.op, Op::Set(..) | Op::Increment(_));
            let after = self.step(program, known, method, body, number, &mut slots);
            let next = after.then(|| number + 1);
            for target in body.targets(&instruction) {
                if let Some(target) = body.number(target) {
                    self.enter(target, &slots, work);
                }
            }
            match next {
                Some(next) if leaders[next] => {
                    self.enter(next, &slots, work);
                    return;
                }
                Some(next) => {
                    number = next;
                    // the local that was set is seen from here on
                }
                None => return,
            }
        }
    }

    fn enter(&mut self, target: usize, slots: &[ValueId], work: &mut Vec<usize>) {
        let Some(mut known) = self.starts.remove(&target) else {
            self.starts.insert(target, slots.into());
            work.push(target);
            return;
        };
        let mut changed = false;
        for (slot, (old, &new)) in known.iter_mut().zip(slots).enumerate() {
            if *old != new {
                let merged = self.id(Value::Merged(target as u16, slot as Slot));
                changed |= *old != merged;
                *old = merged;
            }
        }
        self.starts.insert(target, known);
        if changed {
            work.push(target);
        }
    }

    fn enter_handler(&mut self, body: &Body<'_>, target: usize, slots: &[ValueId], work: &mut Vec<usize>) {
        let locals = usize::from(body.code.max_locals);
        let nothing = self.id(Value::Nothing);
        let mut entry: Vec<ValueId> = slots.to_vec();
        entry[locals..].fill(nothing);
        if let Some(exception) = entry.get_mut(locals) {
            *exception = self.id(Value::Made(target as u16, Slot::MAX));
        }
        self.enter(target, &entry, work);
    }

    /// Executes an instruction on the values of slots; whether it goes on to the next.
    fn step(
        &mut self,
        program: &Program,
        known: &Known<'_>,
        method: MethodId,
        body: &Body<'_>,
        number: usize,
        slots: &mut [ValueId],
    ) -> bool {
        let instruction = body.instructions[number];
        let Some(depth) = body.depth(number) else { return false };
        let class = program.owner(method);
        let moves = moves(program, class, body, &instruction, depth);
        let made = self.made(program, known, method, &instruction, &moves, slots);
        let nothing = self.id(Value::Nothing);
        let sources: Vec<ValueId> = moves
            .assigned
            .iter()
            .map(|&(to, from)| match from {
                Some(from) => slots[usize::from(from)],
                None => made.unwrap_or_else(|| self.id(Value::Made(number as u16, to))),
            })
            .collect();
        for (&(to, _), value) in moves.assigned.iter().zip(sources) {
            slots[usize::from(to)] = value;
        }
        slots[usize::from(moves.top)..].fill(nothing);
        Body::falls_through(instruction.op)
    }

    /// The value an instruction pushes, if it is known to be the same as others.
    fn made(
        &mut self,
        program: &Program,
        known: &Known<'_>,
        method: MethodId,
        instruction: &Instruction,
        moves: &Moves,
        slots: &[ValueId],
    ) -> Option<ValueId> {
        let class = program.class(program.owner(method));
        match instruction.op {
            Op::Null => Some(self.id(Value::Null)),
            Op::Int(value) => Some(self.id(Value::Int(value))),
            Op::Load(number, _) => match class.pool.get(number) {
                Constant::Integer(value) => Some(self.id(Value::Int(value))),
                _ => None,
            },
            Op::GetField(number) => {
                let member = class.pool.member(number)?;
                let base = slots[usize::from(moves.popped)];
                let stable = !self.assigned.contains(&member.name) && moves.assigned.len() == 1;
                stable.then(|| self.id(Value::Field(base, member.name)))
            }
            Op::Invoke(Invoke::Virtual | Invoke::Interface, number) => {
                let member = class.pool.member(number)?;
                let base = slots[usize::from(moves.popped)];
                let same = moves.assigned.len() == 1 && known.is_accessor(program, &member);
                same.then(|| self.id(Value::Field(base, member.name)))
            }
            Op::GetStatic(number) => {
                let member = class.pool.member(number)?;
                let stable = !self.assigned.contains(&member.name) && moves.assigned.len() == 1;
                stable.then(|| self.id(Value::Static(member.owner, member.name)))
            }
            _ => None,
        }
    }

    /// Keeps the values at every instruction, and counts which ones branches test.
    fn record(
        &mut self,
        program: &Program,
        known: &Known<'_>,
        method: MethodId,
        body: &Body<'_>,
        leaders: &[bool],
    ) {
        self.before = vec![None; body.instructions.len()];
        let mut blocks: Vec<usize> = self.starts.keys().copied().collect();
        blocks.sort_unstable();
        for start in blocks {
            let mut slots = self.starts[&start].clone();
            let mut number = start;
            loop {
                self.before[number] = Some(slots.clone());
                let instruction = body.instructions[number];
                if let (Op::If(comparison, _), Some(depth)) = (instruction.op, body.depth(number))
                    && comparison.is_unary()
                {
                    let top = usize::from(body.code.max_locals) + depth - 1;
                    *self.tested.entry(slots[top]).or_default() += 1;
                }
                let on = self.step(program, known, method, body, number, &mut slots);
                if !on || leaders.get(number + 1).is_none_or(|&leader| leader) || is_branch(instruction.op) {
                    self.after.insert(number, slots.clone());
                }
                if !on || leaders.get(number + 1).is_none_or(|&leader| leader) {
                    break;
                }
                number += 1;
            }
        }
    }
}

fn is_branch(op: Op) -> bool {
    matches!(op, Op::If(..) | Op::Goto(_) | Op::Switch)
}
