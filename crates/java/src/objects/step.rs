//! One instruction after the other, from a state to the next states.

use super::explore::Tracker;
use super::fact::{Colour, Fact, Path, Phase, Root};
use super::machine::{Event, SiteKind};
use super::method::Prepared;
use super::slots::{Moves, Slot, moves};
use super::states::State;
use super::values::{Value, ValueId};
use crate::class::{Comparison, Op, ValueKind};
use loris_base::{Budget, Exhausted};
use std::rc::Rc;

impl<'p> Tracker<'p> {
    /// Executes instructions from a state on, to the next states.
    pub(super) fn walk(&mut self, component: usize, node: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let method = self.states[component].method;
        let Some(prepared) = self.prepare(method) else { return Ok(()) };
        let State { number, fact, .. } = &self.states[component].nodes[node as usize];
        let (mut number, mut fact) = (*number, (**fact).clone());
        let start = number;
        loop {
            budget.spend(1)?;
            if number != start
                && (prepared.leaders[number] || self.is_event(component, &prepared, number, &fact))
            {
                let next = self.state(component, number, fact);
                self.lead(next);
                return Ok(());
            }
            match self.step(component, node, &prepared, number, fact) {
                Some(after) => fact = after,
                None => return Ok(()),
            }
            number += 1;
            if prepared.leaders.get(number).is_some_and(|&leader| leader) {
                Self::enter(&prepared, number - 1, number, &mut fact);
            }
        }
    }

    /// Whether something of interest may happen at an instruction, so that it has a state.
    pub(super) fn is_event(
        &self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        fact: &Fact,
    ) -> bool {
        let site = self.states[component].site.as_ref().is_some_and(|site| site.number == number);
        site || match prepared.body.instructions[number].op {
            Op::Invoke(..) | Op::InvokeDynamic(_) => {
                fact.phase == Phase::Tracked || !self.thrown_at(prepared, number).is_empty()
            }
            Op::Throw | Op::Return(_) => true,
            Op::PutField(_) | Op::PutStatic(_) | Op::ArraySet(_) => fact.phase == Phase::Tracked,
            _ => false,
        }
    }

    /// Updates the flags of φ values on the way into a block.
    pub(super) fn enter(prepared: &Prepared<'p>, from: usize, block: usize, fact: &mut Fact) {
        let Some(slots) = prepared.values.after(from) else { return };
        Self::merge_flags(prepared, slots, block, fact);
    }

    pub(super) fn merge_flags(prepared: &Prepared<'p>, slots: &[ValueId], block: usize, fact: &mut Fact) {
        let known: Vec<(ValueId, Option<bool>)> = prepared
            .merged(block)
            .filter(|&(slot, value)| slots.get(slot) != Some(&value))
            .map(|(slot, value)| (value, slots.get(slot).and_then(|&from| known_zero(prepared, fact, from))))
            .collect();
        let renewed: Vec<ValueId> = prepared
            .merged_roots(block)
            .filter(|&(slot, value)| slots.get(slot) != Some(&value))
            .map(|(_, value)| value)
            .collect();
        for value in renewed {
            prepared.renew(value, fact);
        }
        for (value, zero) in known {
            fact.set_flag(value, zero);
        }
    }

    /// Executes an instruction. The fact after it, if it only goes on to the next instruction.
    pub(super) fn step(
        &mut self,
        component: usize,
        node: u32,
        prepared: &Rc<Prepared<'p>>,
        number: usize,
        mut fact: Fact,
    ) -> Option<Fact> {
        let instruction = prepared.body.instructions[number];
        let depth = prepared.body.depth(number)?;
        let program = self.program;
        let moves = moves(program, program.owner(prepared.method), &prepared.body, &instruction, depth);
        // a value that is made anew is another one
        let made: Vec<ValueId> = moves
            .assigned
            .iter()
            .filter_map(|&(to, _)| prepared.values.find(Value::Made(number as u16, to)))
            .collect();
        for value in made {
            fact.set_flag(value, None);
            prepared.renew(value, &mut fact);
        }
        match instruction.op {
            Op::If(comparison, target) => {
                self.branch(component, prepared, number, &moves, comparison, target, fact);
                None
            }
            Op::Goto(_) | Op::Switch => {
                fact.assign(&moves.assigned, moves.top);
                for target in prepared.body.targets(&instruction) {
                    if let Some(target) = prepared.body.number(target) {
                        let mut fact = fact.clone();
                        Self::enter(prepared, number, target, &mut fact);
                        self.go(component, number, Vec::new(), target, fact);
                    }
                }
                None
            }
            Op::Return(kind) => {
                self.leave_normally(component, number, kind.is_some().then_some(moves.popped), &fact);
                None
            }
            Op::Throw => {
                for &thrown in &*self.thrown_at(prepared, number) {
                    self.throw(component, prepared, number, thrown, &fact);
                }
                if self.leads.is_empty() {
                    let stop = self.stop(component, number);
                    self.lead(stop);
                }
                None
            }
            Op::New(_) if self.is_site(component, number, &fact, SiteKind::New) => {
                if Self::in_loop(prepared, number) {
                    let mut skipped = fact.clone();
                    skipped.assign(&moves.assigned, moves.top);
                    self.go(component, number, Vec::new(), number + 1, skipped);
                }
                fact.assign(&moves.assigned, moves.top);
                fact.phase = Phase::Constructing;
                fact.add(Path::slot(moves.popped, Colour::Object));
                self.go(component, number, Vec::new(), number + 1, fact);
                None
            }
            Op::Invoke(..) if self.fails(component, prepared, number, &moves, &fact) => None,
            Op::Invoke(..) | Op::InvokeDynamic(_) => {
                self.call(component, node, prepared, number, &moves, fact);
                None
            }
            Op::GetField(_) | Op::GetStatic(_) => {
                self.read(prepared, number, &moves, &mut fact);
                self.unless_lost(component, number, fact)
            }
            Op::PutField(_) => {
                self.write(component, prepared, number, &moves, fact);
                None
            }
            Op::ArraySet(_) => self.write_element(component, prepared, number, &moves, fact),
            Op::ArrayGet(ValueKind::Reference) if fact.from(Root::Slot(moves.popped)).next().is_some() => {
                match self.element(prepared, number, moves.popped) {
                    Some(link) => Self::read_link(link, Root::Slot(moves.popped), &moves, &mut fact),
                    None => fact.assign(&moves.assigned, moves.top),
                }
                self.unless_lost(component, number, fact)
            }
            Op::PutStatic(_) => {
                let escapes = fact.phase == Phase::Tracked && fact.reaches(moves.popped);
                self.keep_in_static(prepared, number, &moves, &mut fact);
                if escapes {
                    self.go(component, number, vec![Event::Escaped], number + 1, fact);
                    return None;
                }
                self.unless_lost(component, number, fact)
            }
            Op::InstanceOf(_) => {
                let is_object = fact.holds(moves.popped, Colour::Object);
                fact.assign(&moves.assigned, moves.top);
                // asked of an object that is followed, it is the question whether it can be closed
                if is_object
                    && let Some(value) = prepared.values.find(Value::Made(number as u16, moves.popped))
                {
                    fact.set_flag(value, Some(false));
                }
                self.unless_lost(component, number, fact)
            }
            _ => {
                fact.assign(&moves.assigned, moves.top);
                self.unless_lost(component, number, fact)
            }
        }
    }

    pub(super) fn branch(
        &mut self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        comparison: Comparison,
        target: u32,
        mut fact: Fact,
    ) {
        let condition = prepared.values.condition_of(number);
        let value = prepared.values.before(number).get(usize::from(moves.popped)).copied();
        // what is the object, or leads to it, is not null
        let object = fact.from(Root::Slot(moves.popped)).next().is_some();
        let known = match comparison {
            // the object is not null, whichever side it is on
            Comparison::References(_) => {
                let slots = prepared.values.before(number);
                let null = |slot: Slot| {
                    slots.get(usize::from(slot)).is_some_and(|&id| prepared.values.value(id) == Value::Null)
                };
                let held = |slot| fact.from(Root::Slot(slot)).next().is_some();
                let (left, right) = (moves.popped, moves.popped + 1);
                // a name of the object and a name of something else
                let told_apart = fact.phase == Phase::Tracked
                    && fact.holds(left, Colour::Object) != fact.holds(right, Colour::Object);
                (told_apart || (null(left) && held(right)) || (held(left) && null(right))).then_some(false)
            }
            _ if condition.is_some() => None,
            Comparison::Null(_) if object => Some(false),
            _ => value.and_then(|value| known_zero(prepared, &fact, value)),
        };
        fact.assign(&moves.assigned, moves.top);
        // whether a branch is taken when the value is zero, and when it is not
        let (zero, other) = match comparison {
            Comparison::Zero(0) | Comparison::Null(true) | Comparison::References(true) => {
                (Some(true), Some(false))
            }
            Comparison::Zero(1) | Comparison::Null(false) | Comparison::References(false) => {
                (Some(false), Some(true))
            }
            _ => (None, None),
        };
        let (known, zero, other, value) = match condition {
            // of two references, one may be known not to be null
            Some(tested) if known.is_none() => {
                let known = known_zero(prepared, &fact, tested.value);
                (known, Some(!tested.taken_if), Some(tested.taken_if), Some(tested.value))
            }
            Some(_) => (known, zero, other, None),
            None => (known, zero, other, value),
        };
        let tracked = value.filter(|value| prepared.flags.binary_search(value).is_ok());
        for taken in [true, false] {
            let is_zero = if zero == Some(taken) {
                Some(true)
            } else if other == Some(taken) {
                Some(false)
            } else {
                None
            };
            if let (Some(known), Some(is_zero)) = (known, is_zero)
                && known != is_zero
            {
                continue;
            }
            let next = if taken { prepared.body.number(target) } else { Some(number + 1) };
            let Some(next) = next else { continue };
            let mut fact = fact.clone();
            if let Some(value) = value {
                // flags that are not remembered serve one test
                let remembered = tracked.and(is_zero.or_else(|| fact.flag(value)));
                fact.set_flag(value, remembered);
            }
            Self::enter(prepared, number, next, &mut fact);
            self.go(component, number, Vec::new(), next, fact);
        }
    }

    pub(super) fn is_site(&self, component: usize, number: usize, fact: &Fact, kind: SiteKind) -> bool {
        let site = self.states[component].site;
        fact.phase == Phase::Before && site.is_some_and(|site| site.number == number && site.kind == kind)
    }

    /// Whether an instruction can be executed more than once in a call of the method.
    pub(super) fn in_loop(prepared: &Prepared<'p>, number: usize) -> bool {
        // a backward branch from behind it to before it; a handler before it
        let at = u32::from(prepared.body.instructions[number].at);
        let backward = prepared.body.instructions[number..]
            .iter()
            .any(|instruction| prepared.body.targets(instruction).iter().any(|&target| target <= at));
        backward || prepared.body.code.handlers.iter().any(|handler| u32::from(handler.target) <= at)
    }
}

/// Whether a value is known to be zero or null, or not to be.
pub(super) fn known_zero(prepared: &Prepared<'_>, fact: &Fact, value: ValueId) -> Option<bool> {
    match prepared.values.value(value) {
        Value::Int(number) => Some(number == 0),
        Value::Null => Some(true),
        Value::Made(made, _) if prepared.is_made_by_new(made) => Some(false),
        _ => fact.flag(value),
    }
}
