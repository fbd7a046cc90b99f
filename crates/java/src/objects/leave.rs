//! Where steps lead: on, to handlers and out of the method; and when the object is lost.

use super::explore::Tracker;
use super::fact::{Colour, Fact, Path, Phase, Root};
use super::machine::{Event, SiteKind};
use super::method::Prepared;
use super::slots::{Slot, moves};
use super::states::{Exit, Target};
use loris_base::{Symbol, Truth};

impl<'p> Tracker<'p> {
    /// The fact, unless the site's method has no reference to the object any more.
    pub(super) fn unless_lost(&mut self, component: usize, number: usize, fact: Fact) -> Option<Fact> {
        if !self.is_lost(component, &fact) {
            return Some(fact);
        }
        let events = if self.can_be_lost(component) { vec![Event::Lost] } else { Vec::new() };
        let lost = self.target(component, number, events, Target::Stop);
        self.lead(lost);
        None
    }

    pub(super) fn is_lost(&self, component: usize, fact: &Fact) -> bool {
        fact.phase == Phase::Tracked
            && self.states[component].site.is_some()
            // closing its parent closes it, too
            && fact.paths.is_empty()
    }

    /// Whether it can be said that an object without references is lost: it is one that the method
    /// made or was given, not one that is found elsewhere.
    pub(super) fn can_be_lost(&self, component: usize) -> bool {
        let Some(site) = self.states[component].site else { return false };
        match site.kind {
            SiteKind::New | SiteKind::Result | SiteKind::Child | SiteKind::Made | SiteKind::Parameter(_) => {
                true
            }
            SiteKind::Entry | SiteKind::Placed(_) => false,
            SiteKind::Receiver
            | SiteKind::ReceiverIfTrue
            | SiteKind::ReceiverIfFalse
            | SiteKind::ReceiverIfThrown
            | SiteKind::Argument(_) => {
                let prepared = self.prepared.get(&site.method).and_then(|prepared| prepared.as_ref());
                let slot = |prepared: &Prepared<'p>| {
                    let instruction = prepared.body.instructions[site.number];
                    let depth = prepared.body.depth(site.number)?;
                    let owner = self.program.owner(site.method);
                    Some(moves(self.program, owner, &prepared.body, &instruction, depth).popped)
                };
                prepared.is_some_and(|prepared| {
                    slot(prepared).is_some_and(|slot| Self::is_fresh(prepared, site.number, slot))
                })
            }
        }
    }

    /// Goes on at an instruction after some events.
    pub(super) fn go(
        &mut self,
        component: usize,
        from: usize,
        mut events: Vec<Event>,
        number: usize,
        fact: Fact,
    ) {
        let target = if self.is_lost(component, &fact) && !ends_tracking(&events) {
            if self.can_be_lost(component) {
                events.push(Event::Lost);
            }
            Target::Stop
        } else if self.states[component].site.is_some()
            && events.contains(&Event::Escaped)
            && !has_object(&fact)
        {
            Target::Stop
        } else {
            Target::State(number, fact)
        };
        let next = self.target(component, from, events, target);
        self.lead(next);
    }

    pub(super) fn leave_normally(
        &mut self,
        component: usize,
        number: usize,
        returned: Option<Slot>,
        fact: &Fact,
    ) {
        let mut events = Vec::new();
        let returns = returned.is_some_and(|slot| fact.reaches(slot));
        if self.states[component].site.is_some() && fact.phase == Phase::Tracked {
            events.push(if returns { Event::Returned } else { Event::Left });
            if returned.is_some_and(|slot| fact.holds(slot, Colour::Object)) {
                events.push(Event::Handed);
            }
        }
        let exit = Exit { thrown: None, paths: exit_paths(fact, returned) };
        let next = self.target(component, number, events, Target::Exit(exit));
        self.lead(next);
    }

    /// An exception of a type is thrown at an instruction: goes to the handlers that may catch it,
    /// and leaves the method if none certainly does.
    pub(super) fn throw(
        &mut self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        thrown: Symbol,
        fact: &Fact,
    ) {
        self.throw_after(component, prepared, number, thrown, fact, &[]);
    }

    /// The same, when something has happened just before.
    pub(super) fn throw_after(
        &mut self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        thrown: Symbol,
        fact: &Fact,
        before: &[Event],
    ) {
        let happened = || [before, &[Event::Thrown]].concat();
        let at = prepared.body.instructions[number].at;
        let mut leaves = true;
        let handlers: Vec<_> =
            prepared.body.code.handlers.iter().filter(|handler| handler.covers(at)).copied().collect();
        for handler in handlers {
            let caught = handler.caught.map_or(Truth::True, |caught| self.program.catches(caught, thrown));
            if caught != Truth::False
                && let Some(target) = prepared.body.number(u32::from(handler.target))
            {
                let mut fact = fact.clone();
                let first = prepared.body.code.max_locals;
                fact.assign(&[(first, None)], first + 1);
                Self::merge_flags(prepared, prepared.values.before(number), target, &mut fact);
                self.go(component, number, happened(), target, fact);
            }
            if caught == Truth::True {
                leaves = false;
                break;
            }
        }
        if leaves {
            let mut events = happened();
            if self.states[component].site.is_some() && fact.phase == Phase::Tracked {
                events.push(Event::Left);
            }
            let exit = Exit { thrown: Some(thrown), paths: exit_paths(fact, None) };
            let next = self.target(component, number, events, Target::Exit(exit));
            self.lead(next);
        }
    }
}

pub(super) fn has_object(fact: &Fact) -> bool {
    fact.paths.iter().any(|path| path.colour == Colour::Object)
}

/// Whether the events say already where the object is now.
pub(super) fn ends_tracking(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Escaped | Event::Owned | Event::Left | Event::Returned))
}

/// What a caller learns about the object: paths from parameters and from what is returned.
pub(super) fn exit_paths(fact: &Fact, returned: Option<Slot>) -> Vec<Path> {
    let mut paths: Vec<Path> =
        fact.paths.iter().filter(|path| !matches!(path.root, Root::Slot(_))).copied().collect();
    if let Some(slot) = returned {
        paths.extend(fact.from(Root::Slot(slot)).map(|path| path.at(Root::Returned)));
    }
    paths.sort_unstable();
    paths
}
