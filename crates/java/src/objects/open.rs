//! Where the object comes into being, and by which names it is known there.

use super::explore::Tracker;
use super::fact::{Colour, Fact, Path, Phase, Root};
use super::fields::field_link;
use super::machine::{Event, SiteKind};
use super::method::Prepared;
use super::slots::{Moves, Slot};
use super::values::{Value, ValueId};
use crate::class::{Invoke, Member, Op};
use std::rc::Rc;

/// The longest line from a child to what it comes from: results, statements and connections.
const LINE: usize = 4;

impl<'p> Tracker<'p> {
    /// The site is a call: the object is there when it returns.
    pub(super) fn open(
        &mut self,
        component: usize,
        prepared: &Rc<Prepared<'p>>,
        number: usize,
        moves: &Moves,
        member: &Member,
        invoke: Invoke,
        fact: &Fact,
    ) {
        let Some(site) = self.states[component].site else { return };
        if Self::in_loop(prepared, number) {
            self.pass_by(component, prepared, number, moves, member, Vec::new(), fact, &[]);
        } else {
            for thrown in self.exceptions.at(prepared.method, &prepared.body, number) {
                self.throw(component, prepared, number, thrown, fact);
            }
        }
        let mut opened = fact.clone();
        opened.phase = Phase::Tracked;
        let receiver = Slot::from(invoke != Invoke::Static);
        let object = match site.kind {
            SiteKind::Argument(slot) => moves.popped + receiver + Slot::from(slot),
            _ => moves.popped,
        };
        let mut roots = Vec::new();
        match site.kind {
            SiteKind::New | SiteKind::Result => {}
            SiteKind::Child => {
                for value in self.parents(prepared, number, object) {
                    let names = Self::names_of(prepared, number, value).into_iter();
                    roots.extend(names.map(|path| path.coloured(Colour::Parent)));
                }
            }
            SiteKind::Receiver
            | SiteKind::ReceiverIfTrue
            | SiteKind::Made
            | SiteKind::Entry
            | SiteKind::Argument(_) => {
                roots = Self::expressions(prepared, number, object);
            }
        }
        for path in roots {
            opened.add(path);
        }
        opened.assign(&moves.assigned, moves.top);
        match site.kind {
            SiteKind::Result | SiteKind::Child => opened.add(Path::slot(moves.popped, Colour::Object)),
            SiteKind::ReceiverIfTrue => {
                if let Some(value) = prepared.values.find(Value::Made(number as u16, moves.popped)) {
                    opened.set_flag(value, Some(false));
                }
            }
            _ => {}
        }
        let mut events = vec![Event::Opened];
        if Self::is_fresh(prepared, number, object) {
            events.push(Event::Fresh);
        }
        self.go(component, number, events, number + 1, opened);
    }

    /// The value of a slot, which a child is made of, and what that is a child of in turn: closing
    /// any of them closes the child.
    fn parents(&self, prepared: &Prepared<'p>, number: usize, slot: Slot) -> Vec<ValueId> {
        let class = self.program.class(self.program.owner(prepared.method));
        let at = |number: usize, slot: Slot| prepared.values.before(number).get(usize::from(slot)).copied();
        let parent = |&child: &ValueId| {
            let Value::Made(made, receiver) = prepared.values.value(child) else { return None };
            let Op::Invoke(invoke, constant) = prepared.body.instructions.get(usize::from(made))?.op else {
                return None;
            };
            let member = class.pool.member(constant).filter(|_| invoke != Invoke::Static)?;
            // the result is where the receiver was
            let parent = at(usize::from(made), receiver)?;
            self.known.is_child(self.program, &member).then_some(parent)
        };
        std::iter::successors(at(number, slot), parent).take(LINE).collect()
    }

    /// The constructor of the object: it is there when it returns, and never was if it throws.
    pub(super) fn construct(
        &mut self,
        component: usize,
        prepared: &Rc<Prepared<'p>>,
        number: usize,
        moves: &Moves,
        fact: &Fact,
    ) {
        let mut nothing = fact.clone();
        nothing.phase = Phase::Before;
        nothing.paths.clear();
        for thrown in self.exceptions.at(prepared.method, &prepared.body, number) {
            self.throw(component, prepared, number, thrown, &nothing);
        }
        let mut opened = fact.clone();
        opened.phase = Phase::Tracked;
        opened.assign(&moves.assigned, moves.top);
        self.go(component, number, vec![Event::Opened, Event::Fresh], number + 1, opened);
    }

    /// All ways to name the value of a slot before an instruction: slots with the same value, and
    /// fields of slots and of parameters.
    pub(super) fn expressions(prepared: &Prepared<'p>, number: usize, slot: Slot) -> Vec<Path> {
        match prepared.values.before(number).get(usize::from(slot)) {
            Some(&value) => Self::names_of(prepared, number, value),
            None => Vec::new(),
        }
    }

    pub(super) fn names_of(prepared: &Prepared<'p>, number: usize, value: ValueId) -> Vec<Path> {
        let object = Path::slot(0, Colour::Object);
        let slots = prepared.values.before(number).iter().enumerate();
        let same = slots.filter(|&(_, &other)| other == value);
        let mut paths: Vec<Path> = same.map(|(slot, _)| object.at(Root::Slot(slot as Slot))).collect();
        match prepared.values.value(value) {
            Value::Parameter(parameter) => {
                paths.push(object.at(Root::Parameter(parameter)));
                // parameters keep their slots in almost all methods
                if prepared.is_kept(parameter) {
                    paths.push(object.at(Root::Slot(parameter)));
                }
            }
            Value::Field(base, field) => {
                let bases = Self::names_of(prepared, number, base);
                paths.extend(bases.into_iter().filter_map(|path| path.and(field_link(field))));
            }
            Value::Static(_, field) => {
                paths.extend(object.through(field_link(field)).map(|path| path.at(Root::Static)));
            }
            _ => {}
        }
        paths
    }

    /// Starts at the entry of a method with the object that a call in it is made on, if it is there
    /// already: a parameter, a static field, or a field of these.
    pub(super) fn start_at_entry(&mut self, component: usize, prepared: &Rc<Prepared<'p>>, number: usize) {
        let mut fact = Fact { phase: Phase::Tracked, ..Fact::default() };
        let owner = self.program.owner(prepared.method);
        if let Some(depth) = prepared.body.depth(number) {
            let instruction = prepared.body.instructions[number];
            let slot = super::slots::moves(self.program, owner, &prepared.body, &instruction, depth).popped;
            let first = prepared.body.code.max_locals;
            for path in Self::expressions(prepared, number, slot) {
                let there = match path.root {
                    Root::Slot(slot) => slot < first && prepared.is_parameter(slot),
                    _ => true,
                };
                if there {
                    fact.add(path);
                }
            }
        }
        if fact.paths.is_empty() {
            self.stop(component, 0);
            return;
        }
        // the event before the first instruction
        self.entry(component, fact);
    }
}
