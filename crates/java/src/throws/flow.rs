//! What the `throw` instructions of a method throw: where their values come from.
//!
//! A flow analysis of the verifier's kind over references. A value is a set of sources, numbered;
//! states are kept where paths meet only.

use super::types::Types;
use crate::class::{Body, Class, Constant, Descriptor, Op, StackOp, ValueKind};
use crate::program::Program;
use loris_base::Symbol;
use rustc_hash::FxHashMap;

/// Where a value that is thrown comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Source {
    /// A value of a type, by its number.
    Type(u32),
    /// What was caught by the handler with this first instruction.
    Caught(u16),
}

/// A value may come from this many places; from more it is any exception.
const MOST: usize = 16;

/// Slots of all kept states together.
const LARGEST: usize = 1 << 24;

/// The empty set of sources: null, and everything that is not a reference.
const NOTHING: u16 = 0;

/// Any exception.
const ANY: u16 = 1;

struct Flow<'a, 'c> {
    program: &'a Program,
    class: &'a Class,
    body: &'a Body<'c>,
    types: &'a mut Types,
    sets: Vec<Vec<Source>>,
    numbers: FxHashMap<Vec<Source>, u16>,
    /// The values before each instruction where paths meet: locals, then the stack.
    states: FxHashMap<usize, Vec<u16>>,
    is_kept: Vec<bool>,
    work: Vec<usize>,
}

/// The sources of every `throw` instruction that a path leads to, by its number.
pub(super) fn sources(
    program: &Program,
    class: &Class,
    descriptor: Symbol,
    is_static: bool,
    body: &Body<'_>,
    types: &mut Types,
) -> Vec<(usize, Vec<Source>)> {
    let Some(throwable) = program.names.find("java/lang/Throwable") else { return Vec::new() };
    let any = vec![Source::Type(types.number(throwable))];
    let locals = usize::from(body.code.max_locals);
    let mut is_kept = vec![false; body.instructions.len()];
    for (number, instruction) in body.instructions.iter().enumerate() {
        for target in body.branches(instruction) {
            if let Some(target) = body.number(target) {
                is_kept[target] = true;
            }
        }
        if number == 0 {
            is_kept[0] = true;
        }
    }
    for handler in &body.code.handlers {
        if let Some(target) = body.number(u32::from(handler.target)) {
            is_kept[target] = true;
        }
    }
    let throws = |number: usize| body.instructions[number].op == Op::Throw && body.depth(number).is_some();
    let kept = is_kept.iter().filter(|kept| **kept).count();
    if kept * (locals + usize::from(body.code.max_stack)) > LARGEST {
        let all = (0..body.instructions.len()).filter(|&number| throws(number));
        return all.map(|number| (number, any.clone())).collect();
    }
    let sets = vec![Vec::new(), any];
    let numbers = sets.iter().cloned().zip([NOTHING, ANY]).collect();
    let mut flow = Flow {
        program,
        class,
        body,
        types,
        sets,
        numbers,
        states: FxHashMap::default(),
        is_kept,
        work: vec![0],
    };
    let mut first = vec![NOTHING; locals];
    let mut slot = usize::from(!is_static);
    if let Some(parameters) = Descriptor::of(&program.names[descriptor]) {
        for parameter in parameters.parameters {
            if let Some(place) = first.get_mut(slot) {
                *place = flow.of_descriptor(parameter);
            }
            slot += crate::class::width_of(parameter);
        }
    }
    flow.states.insert(0, first);
    let mut found: FxHashMap<usize, u16> = FxHashMap::default();
    while let Some(start) = flow.work.pop() {
        flow.block(start, &mut found);
    }
    let mut found: Vec<(usize, Vec<Source>)> =
        found.into_iter().map(|(number, set)| (number, flow.sets[usize::from(set)].clone())).collect();
    found.sort_unstable();
    found
}

impl Flow<'_, '_> {
    /// Walks from a place where paths meet to the next ones.
    fn block(&mut self, start: usize, found: &mut FxHashMap<usize, u16>) {
        let body = self.body;
        let locals = usize::from(body.code.max_locals);
        let mut state = self.states[&start].clone();
        let mut number = start;
        loop {
            let Some(instruction) = body.instructions.get(number) else { return };
            let may_throw = matches!(instruction.op, Op::Invoke(..) | Op::InvokeDynamic(_) | Op::Throw)
                || !super::implicit::names(instruction.op).is_empty();
            if may_throw {
                for handler in &body.code.handlers {
                    if handler.covers(instruction.at)
                        && let Some(target) = body.number(u32::from(handler.target))
                    {
                        let mut caught = state[..locals].to_vec();
                        caught.push(self.set(vec![Source::Caught(target as u16)]));
                        self.meet(target, &caught);
                    }
                }
            }
            if instruction.op == Op::Throw {
                let thrown = state.pop().unwrap_or(ANY);
                let known = found.get(&number).copied().unwrap_or(NOTHING);
                found.insert(number, self.join(known, thrown));
                return;
            }
            self.step(instruction.op, &mut state, locals);
            for target in body.branches(instruction) {
                if let Some(target) = body.number(target) {
                    self.meet(target, &state);
                }
            }
            if !Body::falls_through(instruction.op) {
                return;
            }
            number += 1;
            if self.is_kept.get(number) == Some(&true) {
                self.meet(number, &state);
                return;
            }
        }
    }

    /// Joins the values on a path to an instruction with those that are known.
    fn meet(&mut self, number: usize, state: &[u16]) {
        let Some(mut known) = self.states.remove(&number) else {
            self.states.insert(number, state.to_vec());
            self.work.push(number);
            return;
        };
        let mut grows = false;
        for (known, &value) in known.iter_mut().zip(state) {
            let joined = self.join(*known, value);
            grows |= joined != *known;
            *known = joined;
        }
        self.states.insert(number, known);
        if grows {
            self.work.push(number);
        }
    }

    fn join(&mut self, one: u16, other: u16) -> u16 {
        if one == other || other == NOTHING {
            return one;
        }
        if one == NOTHING {
            return other;
        }
        let mut all = self.sets[usize::from(one)].clone();
        all.extend(&self.sets[usize::from(other)]);
        all.sort_unstable();
        all.dedup();
        if all.len() > MOST { ANY } else { self.set(all) }
    }

    fn set(&mut self, sources: Vec<Source>) -> u16 {
        if let Some(&number) = self.numbers.get(&sources) {
            return number;
        }
        let Ok(number) = u16::try_from(self.sets.len()) else { return ANY };
        self.sets.push(sources.clone());
        self.numbers.insert(sources, number);
        number
    }

    /// A value of a class; only exceptions are of interest.
    fn of_name(&mut self, name: Symbol) -> u16 {
        if !self.types.is_throwable(self.program, name) {
            return NOTHING;
        }
        let number = self.types.number(name);
        self.set(vec![Source::Type(number)])
    }

    fn of_descriptor(&mut self, descriptor: &str) -> u16 {
        let name = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
        let Some(name) = name else { return NOTHING };
        self.program.names.find(name).map_or(ANY, |name| self.of_name(name))
    }

    fn push(state: &mut Vec<u16>, value: u16, width: usize) {
        state.push(value);
        state.extend((1..width).map(|_| NOTHING));
    }

    fn step(&mut self, op: Op, state: &mut Vec<u16>, locals: usize) {
        let top = state.len();
        match op {
            Op::Get(kind, slot) => {
                let value = if kind == ValueKind::Reference { state[usize::from(slot)] } else { NOTHING };
                Self::push(state, value, kind.width());
            }
            Op::Set(kind, slot) => {
                let value = state[top - kind.width()];
                state.truncate(top - kind.width());
                state[usize::from(slot)] = if kind == ValueKind::Reference { value } else { NOTHING };
            }
            Op::Stack(StackOp::Pop(count)) => state.truncate(top - usize::from(count)),
            Op::Stack(StackOp::Dup { count, below }) => {
                let (count, below) = (usize::from(count), usize::from(below));
                let copied = state[top - count..].to_vec();
                let place = top - count - below;
                state.splice(place..place, copied);
            }
            Op::Stack(StackOp::Swap) => state.swap(top - 1, top - 2),
            _ => {
                let Ok(effect) = crate::class::effect_of(self.class, &self.program.names, op) else { return };
                state.truncate((top - effect.pops.min(top)).max(locals));
                if effect.pushes > 0 {
                    let value = self.made(op);
                    Self::push(state, value, effect.pushes);
                }
            }
        }
    }

    /// The value that an instruction pushes.
    fn made(&mut self, op: Op) -> u16 {
        let program = self.program;
        let member = |number| self.class.pool.member(number);
        let descriptor = match op {
            Op::New(number) | Op::CheckCast(number) => {
                return self.class.pool.class(number).map_or(ANY, |name| self.of_name(name));
            }
            Op::ArrayGet(ValueKind::Reference) => return ANY,
            Op::GetStatic(number) | Op::GetField(number) => member(number).map(|field| field.descriptor),
            Op::Invoke(_, number) => member(number).map(|method| method.descriptor),
            Op::InvokeDynamic(number) => match self.class.pool.get(number) {
                Constant::InvokeDynamic(dynamic) => Some(dynamic.descriptor),
                _ => None,
            },
            _ => return NOTHING,
        };
        let Some(descriptor) = descriptor else { return ANY };
        let text = &program.names[descriptor];
        let result = text.rfind(')').map_or(text, |end| &text[end + 1..]);
        self.of_descriptor(result)
    }
}
