//! A method prepared for following objects through it: checked instructions, blocks, values, and
//! the flags worth remembering.

use super::fact::Fact;
use super::machine::{Exceptions, Thrown};
use super::model::Known;
use super::slots::moves;
use super::values::{Value, ValueId, Values};
use crate::class::{Body, Comparison, Descriptor, Invoke, Op, ValueKind};
use crate::program::{MethodId, Program};
use loris_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// A method with what exploring it needs.
pub(crate) struct Prepared<'p> {
    pub(crate) method: MethodId,
    pub(crate) body: Body<'p>,
    /// How many slots the parameters take, the receiver included.
    parameters: u16,
    /// Whether an instruction starts a block.
    pub(crate) leaders: Vec<bool>,
    pub(crate) values: Values,
    /// Values whose being zero or not is remembered along a path. Sorted.
    pub(crate) flags: Vec<ValueId>,
    /// For each block, its φ values among the flags with their slots.
    merged: Vec<(usize, usize, ValueId)>,
    /// Flags that depend on values which are made anew from time to time, with these.
    roots: Vec<(ValueId, ValueId)>,
    /// For each instruction the flags, by their places, that a path from there on may look at.
    live: Vec<u8>,
    /// What instructions throw, as far as it was asked for.
    thrown: RefCell<FxHashMap<usize, Rc<[Thrown]>>>,
}

/// The most flags that are remembered in one method: paths multiply by two with each. There is a
/// bit for each in [`Prepared::live`].
const FLAGS: usize = 8;

/// Values are looked for before this many merges of paths.
const MERGES: usize = 3;
/// And before this many blocks in all.
const BLOCKS: usize = 16;

impl<'p> Prepared<'p> {
    /// Prepares a method; `None` if it has no code, or code that is wrong.
    pub(crate) fn new(
        program: &'p Program,
        known: &Known<'_>,
        changing: &FxHashSet<Symbol>,
        method: MethodId,
    ) -> Option<Self> {
        let body = program.body(method).ok()??;
        let mut leaders = vec![false; body.instructions.len()];
        leaders[0] = true;
        for (number, instruction) in body.instructions.iter().enumerate() {
            for target in body.targets(instruction) {
                if let Some(target) = body.number(target) {
                    leaders[target] = true;
                }
            }
            if matches!(instruction.op, Op::If(..)) && number + 1 < leaders.len() {
                leaders[number + 1] = true;
            }
        }
        for handler in &body.code.handlers {
            for place in [handler.start, handler.target, handler.end] {
                if let Some(number) = body.number(u32::from(place)) {
                    leaders[number] = true;
                }
            }
        }
        let values = Values::of(program, known, method, &body, &leaders);
        let called = called(program, method, &body, &values);
        let mut counted: Vec<(u32, ValueId)> = values
            .tested
            .iter()
            .filter(|&(&value, &count)| match values.value(value) {
                // a call on it is a test, too: it fails on null
                Value::Parameter(_) | Value::Made(..) => count > 1 || called.contains(&value),
                // often set to a constant on one of the paths
                Value::Merged(..) => true,
                Value::Field(..) | Value::Static(..) | Value::Computed(..) => {
                    count > 1 && values.is_stable(program, known, value, changing)
                }
                _ => false,
            })
            .map(|(&value, &count)| (count, value))
            .collect();
        counted.sort_unstable_by_key(|&(count, value)| (std::cmp::Reverse(count), value));
        counted.truncate(FLAGS);
        let mut flags: Vec<ValueId> = counted.into_iter().map(|(_, value)| value).collect();
        flags.sort_unstable();
        let merged = flags.iter().filter_map(|&value| match values.value(value) {
            Value::Merged(block, slot) => Some((usize::from(block), usize::from(slot), value)),
            _ => None,
        });
        let merged: Vec<_> = merged.collect();
        let mut roots = Vec::new();
        for &flag in &flags {
            let mut of = Vec::new();
            values.roots(flag, &mut of);
            roots.extend(of.into_iter().filter(|&root| root != flag).map(|root| (root, flag)));
        }
        let receiver = |number| receiver(program, method, &body, &values, number);
        let live = live(&body, &values, &flags, &merged, &receiver);
        let declared = program.method(method);
        let slots = Descriptor::of(&program.names[declared.descriptor]).map_or(0, |it| it.slots());
        let parameters = slots as u16 + u16::from(!declared.flags.is_static());
        let thrown = RefCell::default();
        Some(Self { method, body, parameters, leaders, values, flags, merged, roots, live, thrown })
    }

    /// What an instruction throws; each is asked for once.
    pub(crate) fn thrown_at(&self, exceptions: &dyn Exceptions, number: usize) -> Rc<[Thrown]> {
        let mut thrown = self.thrown.borrow_mut();
        let at = || exceptions.at(self.method, &self.body, number).into();
        thrown.entry(number).or_insert_with(at).clone()
    }

    /// The φ values among the flags at the start of a block, with their slots.
    pub(crate) fn merged(&self, block: usize) -> impl Iterator<Item = (usize, ValueId)> + '_ {
        self.merged.iter().filter(move |entry| entry.0 == block).map(|&(_, slot, value)| (slot, value))
    }

    /// A value is made anew: what depends on it is not known any more.
    pub(crate) fn renew(&self, value: ValueId, fact: &mut Fact) {
        for &(_, flag) in self.roots.iter().filter(|(root, _)| *root == value) {
            fact.set_flag(flag, None);
        }
    }

    /// The φ values at the start of a block that flags depend on, with their slots.
    pub(crate) fn merged_roots(&self, block: usize) -> impl Iterator<Item = (usize, ValueId)> + '_ {
        self.roots.iter().filter_map(move |&(root, _)| match self.values.value(root) {
            Value::Merged(at, slot) if usize::from(at) == block => Some((usize::from(slot), root)),
            _ => None,
        })
    }

    /// Forgets the flags of a fact that no path from an instruction on looks at, so that paths that
    /// differ in these only are one.
    pub(crate) fn forget_dead(&self, number: usize, fact: &mut Fact) {
        fact.flags.retain(|(value, _)| match self.flags.binary_search(value) {
            Ok(place) => self.live[number] >> place & 1 == 1,
            // one that is not remembered serves the next test
            Err(_) => true,
        });
    }

    /// Whether a parameter keeps its slot: nothing is stored there.
    pub(crate) fn is_kept(&self, slot: u16) -> bool {
        let stores = |op: Op| matches!(op, Op::Set(_, to) | Op::Increment(to) if to == slot);
        !self.body.instructions.iter().any(|instruction| stores(instruction.op))
    }

    /// Whether a value of a field is returned on some path.
    pub(crate) fn may_return_kept(&self) -> bool {
        self.may_return(|value| matches!(value, Value::Field(..) | Value::Static(..)))
    }

    /// Whether null is returned on some path.
    pub(crate) fn may_return_null(&self) -> bool {
        self.may_return(|value| value == Value::Null)
    }

    /// Whether a value of a kind is returned on some path.
    fn may_return(&self, kind: impl Fn(Value) -> bool) -> bool {
        let locals = usize::from(self.body.code.max_locals);
        self.body.instructions.iter().enumerate().any(|(number, instruction)| {
            let depth =
                self.body.depth(number).filter(|_| instruction.op == Op::Return(Some(ValueKind::Reference)));
            let value = depth.and_then(|depth| self.values.before(number).get(locals + depth - 1));
            value.is_some_and(|&value| self.may_be(value, &kind, MERGES))
        })
    }

    /// Whether a value may be one of a kind, this many merges of paths before.
    fn may_be(&self, value: ValueId, kind: &impl Fn(Value) -> bool, merges: usize) -> bool {
        match self.values.value(value) {
            value if kind(value) => true,
            Value::Merged(block, slot) if merges > 0 => {
                let from = self.merged_from(value, usize::from(block), usize::from(slot));
                from.into_iter().any(|from| self.may_be(from, kind, merges - 1))
            }
            _ => false,
        }
    }

    /// The other values that one at a merge of paths may be.
    fn merged_from(&self, value: ValueId, block: usize, slot: usize) -> Vec<ValueId> {
        let leads = |number: usize| {
            let instruction = &self.body.instructions[number];
            let jumps = self.body.targets(instruction).iter().any(|&it| self.body.number(it) == Some(block));
            jumps || (number + 1 == block && Body::falls_through(instruction.op))
        };
        let all = 0..self.body.instructions.len();
        let ends = all.filter(|&number| self.values.after(number).is_some() && leads(number));
        let from = ends.filter_map(|number| self.values.after(number)?.get(slot).copied());
        from.filter(|&from| from != value).collect()
    }

    /// Whether an instruction is a `new`, so that what it makes is not null.
    pub(crate) fn is_made_by_new(&self, number: u16) -> bool {
        let made = self.body.instructions.get(usize::from(number));
        made.is_some_and(|made| matches!(made.op, Op::New(_)))
    }

    /// Whether a value is an object that the method has made, on all paths.
    pub(crate) fn is_new(&self, value: ValueId) -> bool {
        self.is_new_before(value, MERGES, BLOCKS)
    }

    fn is_new_before(&self, value: ValueId, merges: usize, blocks: usize) -> bool {
        match self.values.value(value) {
            Value::Made(made, _) => self.is_made_by_new(made),
            Value::Merged(block, slot) if blocks > 0 => {
                let block = usize::from(block);
                // what a handler merges comes from places that are not looked at
                let is_target = |target: u16| self.body.number(u32::from(target)) == Some(block);
                if self.body.code.handlers.iter().any(|handler| is_target(handler.target)) {
                    return false;
                }
                let from = self.merged_from(value, block, usize::from(slot));
                // a block behind one other only passes on what is merged there
                let left = if from.len() > 1 { merges.checked_sub(1) } else { Some(merges) };
                let is_new = |from: ValueId, left| self.is_new_before(from, left, blocks - 1);
                !from.is_empty() && left.is_some_and(|left| from.into_iter().all(|from| is_new(from, left)))
            }
            _ => false,
        }
    }

    /// What a value is compared with, if an instruction is reached only where they are the same.
    pub(crate) fn same_as(&self, number: usize, value: ValueId) -> Option<ValueId> {
        let start = (0..=number).rev().find(|&number| self.leaders[number])?;
        let mut before = self.body.instructions.iter().enumerate().filter(|(number, instruction)| {
            let jumps = self.body.targets(instruction).iter().any(|&it| self.body.number(it) == Some(start));
            jumps || (number + 1 == start && Body::falls_through(instruction.op))
        });
        let (branch, instruction) = before.next().filter(|_| before.next().is_none())?;
        let Op::If(Comparison::References(same), target) = instruction.op else { return None };
        let jumps = self.body.number(target) == Some(start);
        let slots = self.values.before(branch);
        let top = usize::from(self.body.code.max_locals) + self.body.depth(branch)?;
        let (left, right) = (*slots.get(top.checked_sub(2)?)?, *slots.get(top.checked_sub(1)?)?);
        match (jumps == same, left == value, right == value) {
            (true, true, _) => Some(right),
            (true, _, true) => Some(left),
            _ => None,
        }
    }

    /// Whether a slot has a value when the method is called.
    pub(crate) fn is_parameter(&self, slot: u16) -> bool {
        slot < self.parameters
    }

    /// The line of an instruction.
    pub(crate) fn line(&self, number: usize) -> Option<u16> {
        self.body.code.line(self.body.instructions[number].at)
    }
}

/// The value that a call is made on, if it is made on one.
fn receiver(
    program: &Program,
    method: MethodId,
    body: &Body<'_>,
    values: &Values,
    number: usize,
) -> Option<ValueId> {
    let instruction = &body.instructions[number];
    if !matches!(instruction.op, Op::Invoke(Invoke::Virtual | Invoke::Interface, _)) {
        return None;
    }
    let moves = moves(program, program.owner(method), body, instruction, body.depth(number)?);
    values.before(number).get(usize::from(moves.popped)).copied()
}

/// The values that calls are made on.
fn called(program: &Program, method: MethodId, body: &Body<'_>, values: &Values) -> FxHashSet<ValueId> {
    if values.tested.is_empty() {
        return FxHashSet::default();
    }
    let numbers = 0..body.instructions.len();
    numbers.filter_map(|number| receiver(program, method, body, values, number)).collect()
}

/// For each instruction the flags that are live before it: a set of places, as bits. Backwards over
/// the instructions until nothing changes; linear in these for each nesting of loops.
fn live(
    body: &Body<'_>,
    values: &Values,
    flags: &[ValueId],
    merged: &[(usize, usize, ValueId)],
    receiver: &dyn Fn(usize) -> Option<ValueId>,
) -> Vec<u8> {
    let bit = |value: ValueId| flags.binary_search(&value).map_or(0, |place| 1_u8 << place);
    // what is looked at before a jump, for what is looked at behind it
    let before_jump = |live: &[u8], to: usize, slots: &[ValueId]| {
        merged.iter().filter(|(block, slot, value)| *block == to && slots.get(*slot) != Some(value)).fold(
            live[to],
            |mask, &(_, slot, value)| match live[to] & bit(value) {
                0 => mask,
                known => (mask & !known) | slots.get(slot).map_or(0, |&from| bit(from)),
            },
        )
    };
    let mut live = vec![0; body.instructions.len()];
    let mut is_changed = !flags.is_empty();
    while std::mem::take(&mut is_changed) {
        for (number, instruction) in body.instructions.iter().enumerate().rev() {
            let Some(depth) = body.depth(number) else { continue };
            let (before, after) = (values.before(number), values.after(number).unwrap_or_default());
            let mut mask = 0;
            let next = (Body::falls_through(instruction.op) && number + 1 < live.len()).then_some(number + 1);
            let targets = body.targets(instruction).into_iter().filter_map(|target| body.number(target));
            for to in targets.chain(next) {
                mask |= before_jump(&live, to, after);
            }
            for (place, &value) in flags.iter().enumerate() {
                if matches!(values.value(value), Value::Made(made, _) if usize::from(made) == number) {
                    mask &= !(1 << place);
                }
            }
            let handlers = body.code.handlers.iter().filter(|handler| handler.covers(instruction.at));
            for to in handlers.filter_map(|handler| body.number(u32::from(handler.target))) {
                mask |= before_jump(&live, to, before);
            }
            if let Op::If(..) = instruction.op {
                let top = usize::from(body.code.max_locals) + depth - 1;
                let condition = values.condition_of(number).map(|tested| tested.value);
                mask |= condition.or(before.get(top).copied()).map_or(0, bit);
            }
            mask |= receiver(number).map_or(0, bit);
            is_changed |= live[number] != mask;
            live[number] = mask;
        }
    }
    live
}
