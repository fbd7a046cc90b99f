//! Into methods that get the object and back from them; lambdas that capture it.

use super::calls::CAPTURES;
use super::explore::Tracker;
use super::fact::{Colour, Fact, Link, Path, Phase, Root};
use super::machine::Event;
use super::method::Prepared;
use super::slots::{Moves, Slot};
use super::states::{Calling, Exit, States};
use super::values::Value;
use crate::class::{Constant, Invoke, Member};
use crate::program::MethodId;
use crate::throws::passing;
use std::borrow::Cow;
use std::rc::Rc;

impl<'p> Tracker<'p> {
    /// Goes into a method that gets the object.
    pub(super) fn follow(
        &mut self,
        component: usize,
        node: u32,
        moves: &Moves,
        fact: &Fact,
        target: MethodId,
        captured: Option<Link>,
    ) {
        let mut binding: Vec<Path> = Vec::new();
        for path in &fact.paths {
            match path.root {
                Root::Slot(slot) if slot >= moves.popped => {
                    if captured.is_none() {
                        binding.push(path.at(Root::Parameter(slot - moves.popped)));
                    } else if captured.is_some() && path.first() == captured {
                        let (_, _, parameter) =
                            self.captures[(path.first().map_or(0, |link| link.0) - CAPTURES) as usize];
                        binding.push(path.tail().at(Root::Parameter(parameter)));
                    }
                }
                Root::Static => binding.push(*path),
                _ => {}
            }
        }
        binding.sort_unstable();
        binding.dedup();
        let known = self.shared.get(&(target, binding.clone())).copied();
        let callee = known.unwrap_or_else(|| self.component_of(target, binding));
        let mut after = fact.clone();
        after.assign(&moves.assigned, moves.top);
        let calls = &mut self.states[component].nodes[node as usize].calls;
        let call = calls.len();
        let is_given = captured.is_some();
        calls.push(Calling { callee, after: Rc::new(after), is_given, returns: Vec::new() });
        self.states[component].calls(callee);
        self.states[callee].callers.push((component, node, call));
        self.waiting.push(callee);
        let exits = self.states[callee].exits.clone();
        for (exit, at) in exits {
            self.come_back(component, node, call, at, &exit);
        }
    }

    /// A new component for a method that gets the object through these paths.
    pub(super) fn component_of(&mut self, target: MethodId, binding: Vec<Path>) -> usize {
        let callee = self.states.len();
        self.states.push(States::new(target, None));
        let mut start = Fact { phase: Phase::Tracked, ..Fact::default() };
        for &path in &binding {
            start.add(path);
            if let Root::Parameter(parameter) = path.root {
                start.add(path.at(Root::Slot(parameter)));
            }
        }
        self.shared.insert((target, binding), callee);
        self.state(callee, 0, start);
        callee
    }

    /// A component was left through an exit: goes on in the caller.
    pub(super) fn come_back(&mut self, caller: usize, node: u32, call: usize, exit_node: u32, exit: &Exit) {
        let Some(prepared) = self.prepare(self.states[caller].method) else { return };
        let state = &self.states[caller].nodes[node as usize];
        let number = state.number;
        let mut fact = (*state.calls[call].after).clone();
        let is_given = state.calls[call].is_given;
        let Some(depth) = prepared.body.depth(number) else { return };
        let owner = self.program.owner(prepared.method);
        let moves = super::slots::moves(
            self.program,
            owner,
            &prepared.body,
            &prepared.body.instructions[number],
            depth,
        );
        let mut events = Vec::new();
        if !is_given {
            let before = self.states[caller].nodes[node as usize].fact.clone();
            events.extend(self.overwritten_by(caller, (&prepared, number), &moves, &before, exit, &mut fact));
        }
        for path in &exit.paths {
            match path.root {
                Root::Returned if moves.assigned.len() == 1 => fact.add(path.at(Root::Slot(moves.popped))),
                // parameters of a function are not those of the method that it is given to
                Root::Parameter(_) if is_given => {}
                Root::Parameter(parameter) => {
                    let slot = moves.popped + parameter;
                    let before = &self.states[caller].nodes[node as usize].fact;
                    // what holds it now may have no name here, as in `this.owner.add(it)`
                    let was_there = before.paths.binary_search(&path.at(Root::Slot(slot))).is_ok();
                    let new =
                        Self::add_aliases(&prepared, number, slot, &moves, *path, &mut fact) || !was_there;
                    let direct = path.is_direct() && path.colour == Colour::Object;
                    let holder = prepared.values.before(number).get(usize::from(slot));
                    let holder = holder.map(|&id| prepared.values.value(id));
                    let is_handed =
                        self.states[caller].site.is_none() && matches!(holder, Some(Value::Parameter(_)));
                    if new && direct && !is_handed && !Self::is_fresh(&prepared, number, slot) {
                        events.push(Event::Owned);
                    }
                }
                Root::Static => fact.add(*path),
                _ => {}
            }
        }
        if exit.thrown.is_none() && !is_given {
            let before = self.states[caller].nodes[node as usize].fact.clone();
            if let Some(path) = self.child_of(&prepared, number, &moves, &before) {
                fact.add(path);
            }
        }
        let saved = std::mem::take(&mut self.leads);
        match exit.thrown {
            None => self.go(caller, number, events, number + 1, fact),
            Some(thrown) => {
                let method = prepared.method;
                for &thrown in
                    &*passing(self.program, method, &prepared.body, number, Cow::Owned(vec![thrown]))
                {
                    self.throw(caller, &prepared, number, thrown, &fact);
                }
            }
        }
        let leads = std::mem::replace(&mut self.leads, saved);
        self.states[caller].nodes[node as usize].calls[call].returns.push((exit_node, leads));
    }

    /// Adds a path at everything that holds the value of an argument; whether it is new there.
    pub(super) fn add_aliases(
        prepared: &Prepared<'p>,
        number: usize,
        slot: Slot,
        moves: &Moves,
        path: Path,
        fact: &mut Fact,
    ) -> bool {
        let mut new = false;
        for root in Self::aliases(prepared, number, slot) {
            if matches!(root, Root::Slot(slot) if slot >= moves.popped) {
                continue;
            }
            let path = path.at(root);
            if fact.paths.binary_search(&path).is_err() {
                new = true;
                fact.add(path);
            }
        }
        new
    }

    /// `invokedynamic`: a lambda that captures the object holds it; a string does not.
    pub(super) fn make_lambda(
        &mut self,
        component: usize,
        prepared: &Rc<Prepared<'p>>,
        number: usize,
        moves: &Moves,
        constant: u16,
        fact: Fact,
    ) {
        let class = self.program.class(self.program.owner(prepared.method));
        let Constant::InvokeDynamic(dynamic) = class.pool.get(constant) else { return };
        let bootstrap = class.pool.bootstrap(dynamic.bootstrap);
        let factory = bootstrap.and_then(|bootstrap| match class.pool.get(bootstrap.handle) {
            Constant::Handle(_, reference) => class.pool.member(reference),
            _ => None,
        });
        let factory = factory.map_or("", |member| &self.program.names[member.name]);
        let implementation = bootstrap.and_then(|bootstrap| {
            match bootstrap.arguments.get(1).map(|&argument| class.pool.get(argument)) {
                Some(Constant::Handle(kind, reference)) => Some((kind, class.pool.member(reference)?)),
                _ => None,
            }
        });
        let slots = Self::arguments(prepared, number, moves);
        let captured: Vec<Path> =
            slots.flat_map(|slot| fact.from(Root::Slot(slot)).collect::<Vec<_>>()).collect();
        let mut after = fact;
        after.assign(&moves.assigned, moves.top);
        let mut events = Vec::new();
        if after.phase == Phase::Tracked && !captured.is_empty() {
            match implementation {
                Some((kind, implementation)) if matches!(factory, "metafactory" | "altMetafactory") => {
                    self.states[component].has_lambdas = true;
                    for path in captured {
                        let Root::Slot(slot) = path.root else { continue };
                        let invoke = if kind == 6 { Invoke::Static } else { Invoke::Virtual };
                        let link = self.capture(implementation, invoke, slot - moves.popped);
                        match path.through(link) {
                            Some(path) => after.add(path.at(Root::Slot(moves.popped))),
                            None => events.push(Event::Escaped),
                        }
                    }
                }
                _ if factory.starts_with("makeConcat") => {}
                _ => events.push(Event::Escaped),
            }
        }
        self.go(component, number, events, number + 1, after);
    }

    pub(super) fn capture(&mut self, implementation: Member, invoke: Invoke, slot: Slot) -> Link {
        let entry = (implementation, invoke, slot);
        let place = self.captures.iter().position(|known| *known == entry).unwrap_or_else(|| {
            self.captures.push(entry);
            self.captures.len() - 1
        });
        Link(CAPTURES + place as u32)
    }
}
