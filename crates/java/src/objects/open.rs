//! Where the object comes into being, and by which names it is known there.

use super::explore::Tracker;
use super::fact::{Colour, Fact, Path, Phase, Root};
use super::fields::field_link;
use super::machine::{Event, Site, SiteKind};
use super::method::Prepared;
use super::slots::{Moves, Slot, moves};
use super::values::{Value, ValueId};
use crate::class::{Invoke, Member, Op};
use crate::program::Program;
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
        let if_thrown = site.kind == SiteKind::ReceiverIfThrown;
        let receiver = (invoke != Invoke::Static).then_some(moves.popped);
        let is_next = receiver.is_some_and(|slot| Self::is_next(self.program, prepared, number, slot));
        let placed = matches!(site.kind, SiteKind::Placed(_));
        let mut roots = Vec::new();
        if placed {
            roots = self.placed_paths(&site, prepared, number, moves);
        }
        // without a name it cannot be followed
        let is_next = is_next || placed && roots.is_empty();
        if if_thrown || is_next || Self::in_loop(prepared, number) {
            self.pass_by(component, prepared, number, moves, member, Vec::new(), fact, &[]);
            if is_next {
                return;
            }
        } else {
            for &thrown in &*self.thrown_at(prepared, number) {
                self.throw(component, prepared, number, thrown, fact);
            }
        }
        let mut opened = fact.clone();
        opened.phase = Phase::Tracked;
        let object = match site.kind {
            SiteKind::Argument(slot) => moves.popped + Slot::from(receiver.is_some()) + Slot::from(slot),
            _ => moves.popped,
        };
        match site.kind {
            SiteKind::New | SiteKind::Result | SiteKind::Placed(_) => {}
            SiteKind::Child => {
                for value in self.parents(prepared, number, object) {
                    let names = Self::names_of(prepared, number, value).into_iter();
                    roots.extend(names.map(|path| path.coloured(Colour::Parent)));
                }
            }
            SiteKind::Receiver
            | SiteKind::ReceiverIfTrue
            | SiteKind::ReceiverIfFalse
            | SiteKind::ReceiverIfThrown
            | SiteKind::Made
            | SiteKind::Entry
            | SiteKind::Argument(_)
            | SiteKind::Parameter(_) => {
                roots = Self::expressions(prepared, number, object);
            }
        }
        for path in roots {
            opened.add(path);
        }
        if if_thrown {
            for &thrown in &*self.thrown_at(prepared, number) {
                self.throw_after(component, prepared, number, thrown, &opened, &[Event::Opened]);
            }
            return;
        }
        opened.assign(&moves.assigned, moves.top);
        match site.kind {
            SiteKind::Result | SiteKind::Child => opened.add(Path::slot(moves.popped, Colour::Object)),
            SiteKind::ReceiverIfTrue | SiteKind::ReceiverIfFalse => {
                let is_false = site.kind == SiteKind::ReceiverIfFalse;
                if let Some(value) = prepared.values.find(Value::Made(number as u16, moves.popped)) {
                    opened.set_flag(value, Some(is_false));
                }
            }
            _ => {}
        }
        let mut events = vec![Event::Opened];
        match site.kind {
            SiteKind::Placed(placed) => events.extend(placed.owned.then_some(Event::Owned)),
            _ if Self::is_fresh(prepared, number, object) => events.push(Event::Fresh),
            _ => {}
        }
        self.go(component, number, events, number + 1, opened);
    }

    /// Whether the method of a site calls a method with one of these names on what the object of
    /// the site comes from: the receiver of the call, and that of the one which made this.
    pub fn is_asked(&mut self, site: &Site, names: &[String]) -> bool {
        let Some(prepared) = self.prepare(site.method) else { return false };
        let owner = self.program.owner(site.method);
        let pool = &self.program.class(owner).pool;
        let receiver = |number: usize| {
            let instruction = prepared.body.instructions.get(number)?;
            let Op::Invoke(invoke, constant) = instruction.op else { return None };
            let member = pool.member(constant).filter(|_| invoke != Invoke::Static)?;
            let depth = prepared.body.depth(number)?;
            let slot = moves(self.program, owner, &prepared.body, instruction, depth).popped;
            Some((prepared.values.before(number).get(usize::from(slot)).copied()?, member))
        };
        let maker = |&value: &ValueId| match prepared.values.value(value) {
            Value::Made(made, _) => receiver(usize::from(made)).map(|(value, _)| value),
            // a part of something else, as the lock for readers
            Value::Field(whole, _) => Some(whole),
            _ => None,
        };
        let of = receiver(site.number).map(|(value, _)| value);
        let origins: Vec<ValueId> = std::iter::successors(of, maker).take(LINE).collect();
        (0..prepared.body.instructions.len()).filter_map(receiver).any(|(value, member)| {
            let name = &self.program.names[member.name];
            origins.contains(&value) && names.iter().any(|known| known == name)
        })
    }

    /// Whether a value is one of many: an element of an array or of a collection, in a loop. The
    /// next round has another one, and another loop may come to it again.
    fn is_next(program: &Program, prepared: &Prepared<'p>, number: usize, slot: Slot) -> bool {
        let value = prepared.values.before(number).get(usize::from(slot)).copied();
        let Some(Value::Made(made, _)) = value.map(|value| prepared.values.value(value)) else {
            return false;
        };
        let made = prepared.body.instructions.get(usize::from(made)).map(|made| made.op);
        let is_element = match made {
            Some(Op::ArrayGet(_)) => true,
            Some(Op::Invoke(Invoke::Interface, constant)) => {
                let pool = &program.class(program.owner(prepared.method)).pool;
                pool.member(constant).is_some_and(|member| &program.names[member.name] == "next")
            }
            _ => false,
        };
        is_element && Self::in_loop(prepared, number)
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
        for &thrown in &*self.thrown_at(prepared, number) {
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
            Some(&value) => {
                let mut paths = Self::names_of(prepared, number, value);
                if let Some(same) = prepared.same_as(number, value) {
                    paths.extend(Self::names_of(prepared, number, same));
                }
                paths
            }
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
            let slot = moves(self.program, owner, &prepared.body, &instruction, depth).popped;
            let first = prepared.body.code.max_locals;
            let value = prepared.values.before(number).get(usize::from(slot)).copied();
            let names = value.map(|value| Self::names_of(prepared, number, value));
            for path in names.into_iter().flatten() {
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

    /// Starts at the entry of a method with what it gets in a slot.
    pub(super) fn start_with_parameter(&mut self, component: usize, slot: Slot) {
        let path = Path::slot(slot, Colour::Object);
        let mut fact = Fact { phase: Phase::Tracked, ..Fact::default() };
        fact.add(path);
        fact.add(path.at(Root::Parameter(slot)));
        self.entry(component, fact);
    }
}
