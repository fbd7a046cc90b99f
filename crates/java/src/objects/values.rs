//! Value numbering: which slots of a method hold the same value at an instruction.
//!
//! A forward analysis of the verifier's kind. Slots with equal numbers hold equal values on every
//! path; a number is that of a parameter, of the instruction that made the value, of a constant,
//! of a field of a value that the method does not assign, of what is computed from values, or of a
//! slot at a merge of paths (φ). At a merge a slot's number changes to its φ at most once, so the
//! analysis ends after at most two rounds per block and slot.

use super::model::Known;
use super::slots::{Moves, Slot, moves};
use crate::class::{Body, Comparison, Constant, Instruction, Invoke, Member, Op};
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
    /// A constant that is not an `int`, by its number.
    Constant(u16),
    /// What depends on one or two values only.
    Computed(Operation, ValueId, ValueId),
}

/// How a value is computed from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// By the instruction with this code.
    Instruction(u8),
    /// By a method that always gives the same result for the same arguments.
    Call(Member),
    /// The values are the same.
    Same,
    /// The first is less than the second.
    Less,
}

/// The condition of a branch: a value that is not 0 if and only if it is true.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested {
    pub(crate) value: ValueId,
    /// Whether the branch is taken if the condition is true, or if it is false.
    pub(crate) taken_if: bool,
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
    /// Values that a branch compares with zero or null, and conditions; how often.
    pub(crate) tested: FxHashMap<ValueId, u32>,
    /// The conditions of branches that compare otherwise.
    conditions: FxHashMap<usize, Tested>,
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
        // in the order of the code, so that most blocks are entered from all sides before they are
        // looked at; otherwise φ values would stand where paths do not merge
        while let Some(first) = (0..work.len()).min_by_key(|&place| work[place]) {
            let start = work.swap_remove(first);
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
        let made = self.made(program, known, (method, body), &instruction, &moves, slots);
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
        (method, body): (MethodId, &Body<'_>),
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
                _ => Some(self.id(Value::Constant(number))),
            },
            Op::Number(_) => {
                let code = class.instructions(body.code)[usize::from(instruction.at)];
                let nothing = self.id(Value::Nothing);
                Some(self.id(Value::Computed(Operation::Instruction(code), nothing, nothing)))
            }
            Op::Compute { pops, pushes: 1, .. } if pops != 3 => {
                let code = class.instructions(body.code)[usize::from(instruction.at)];
                // of two operands the second is behind the first
                let second = usize::from(if pops > 2 { pops / 2 } else { 1 });
                let first = usize::from(moves.popped);
                let (left, nothing) = (slots[first], self.id(Value::Nothing));
                let right = if pops > 1 { slots[first + second] } else { nothing };
                Some(self.id(Value::Computed(Operation::Instruction(code), left, right)))
            }
            // the same array has the same length
            Op::ArrayLength => {
                let code = class.instructions(body.code)[usize::from(instruction.at)];
                let (array, nothing) = (slots[usize::from(moves.popped)], self.id(Value::Nothing));
                Some(self.id(Value::Computed(Operation::Instruction(code), array, nothing)))
            }
            Op::GetField(number) => {
                let member = class.pool.member(number)?;
                let base = slots[usize::from(moves.popped)];
                let stable = !self.assigned.contains(&member.name) && moves.assigned.len() == 1;
                stable.then(|| self.id(Value::Field(base, member.name)))
            }
            Op::Invoke(invoke, number) => {
                let member = class.pool.member(number)?;
                if moves.assigned.len() != 1 {
                    return None;
                }
                let first = usize::from(moves.popped);
                let arguments = usize::from(body.code.max_locals)
                    + body.depth(body.number(instruction.at.into())?)?
                    - first;
                if invoke != Invoke::Static {
                    if known.is_accessor(program, &member) {
                        return Some(self.id(Value::Field(slots[first], member.name)));
                    }
                    let field = known.getter(program, &member).filter(|name| !self.assigned.contains(name));
                    if let Some(field) = field {
                        return Some(self.id(Value::Field(slots[first], field)));
                    }
                }
                let fields = || {
                    let fields = known.only_reads(program, &member)?;
                    Some(!fields.iter().any(|field| self.assigned.contains(field)))
                };
                if arguments > 2 || !(known.is_pure(program, &member) || fields() == Some(true)) {
                    return None;
                }
                if arguments == 0 {
                    let nothing = self.id(Value::Nothing);
                    return Some(self.id(Value::Computed(Operation::Call(member), nothing, nothing)));
                }
                let right = if arguments == 2 { slots[first + 1] } else { self.id(Value::Nothing) };
                Some(self.id(Value::Computed(Operation::Call(member), slots[first], right)))
            }
            Op::GetStatic(number) => {
                let member = class.pool.member(number)?;
                let stable = !self.assigned.contains(&member.name) && moves.assigned.len() == 1;
                stable.then(|| self.id(Value::Static(member.owner, member.name)))
            }
            _ => None,
        }
    }

    /// The condition of a branch on the last of some slots, unless one value is asked whether it is
    /// zero or null.
    fn condition(&mut self, comparison: Comparison, slots: &[ValueId]) -> Option<Tested> {
        let (number, is_unary) = match comparison {
            Comparison::Zero(0 | 1) | Comparison::Null(_) => return None,
            Comparison::Zero(number) => (number, true),
            Comparison::Ints(number) => (number, false),
            Comparison::References(same) => (u8::from(!same), false),
        };
        let operation = [Operation::Same, Operation::Less, Operation::Less][usize::from(number / 2).min(2)];
        let last = *slots.last()?;
        let (mut left, mut right) = if is_unary {
            (last, self.id(Value::Int(0)))
        } else {
            (slots[slots.len().checked_sub(2)?], last)
        };
        // `a > b` is `b < a`, and `a == b` is `b == a`
        if number > 3 || (operation == Operation::Same && right < left) {
            std::mem::swap(&mut left, &mut right);
        }
        let value = self.id(Value::Computed(operation, left, right));
        Some(Tested { value, taken_if: number % 2 == 0 })
    }

    /// The condition of the branch at an instruction, unless it asks whether one value is zero or
    /// null.
    pub(crate) fn condition_of(&self, number: usize) -> Option<Tested> {
        self.conditions.get(&number).copied()
    }

    /// Adds the values that are made anew from time to time which a value depends on.
    pub(crate) fn roots(&self, value: ValueId, roots: &mut Vec<ValueId>) {
        match self.value(value) {
            Value::Made(..) | Value::Merged(..) => roots.push(value),
            Value::Field(base, _) => self.roots(base, roots),
            Value::Computed(_, left, right) => {
                self.roots(left, roots);
                self.roots(right, roots);
            }
            _ => {}
        }
    }

    /// Whether a value is the same at every place of a run of the method: no method but a
    /// constructor or a setter assigns one of these fields.
    pub(crate) fn is_stable(
        &self,
        program: &Program,
        known: &Known<'_>,
        value: ValueId,
        changing: &FxHashSet<Symbol>,
    ) -> bool {
        let is_stable = |value| self.is_stable(program, known, value, changing);
        match self.value(value) {
            Value::Field(base, field) => !changing.contains(&field) && is_stable(base),
            Value::Static(_, field) => !changing.contains(&field),
            Value::Computed(operation, left, right) => {
                let reads = match operation {
                    Operation::Call(member) => known.only_reads(program, &member),
                    _ => None,
                };
                let mut fields = reads.iter().flat_map(|fields| fields.iter());
                fields.all(|field| !changing.contains(field)) && is_stable(left) && is_stable(right)
            }
            _ => true,
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
                if let (Op::If(comparison, _), Some(depth)) = (instruction.op, body.depth(number)) {
                    let top = usize::from(body.code.max_locals) + depth - 1;
                    let tested = match self.condition(comparison, &slots[..=top]) {
                        Some(condition) => {
                            self.conditions.insert(number, condition);
                            condition.value
                        }
                        None => slots[top],
                    };
                    *self.tested.entry(tested).or_default() += 1;
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
