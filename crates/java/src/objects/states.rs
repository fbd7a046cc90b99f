//! The states of components.

use super::fact::{Fact, Path};
use super::machine::{Event, Site};
use crate::class::Member;
use crate::program::MethodId;
use loris_base::Symbol;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The states of a component.
pub(super) struct States {
    pub(super) method: MethodId,
    pub(super) site: Option<Site>,
    pub(super) index: FxHashMap<(usize, Rc<Fact>), u32>,
    /// nodes for events, by instruction, events and the node that follows
    pub(super) marks: FxHashMap<(usize, Vec<Event>, u32), u32>,
    pub(super) nodes: Vec<State>,
    pub(super) exits: Vec<(Exit, u32)>,
    /// in the component of a site: the names that the object has whenever the method returns
    pub(super) held: Option<Vec<Path>>,
    /// calls of this component that wait for exits: component and node
    pub(super) callers: Vec<(usize, u32, usize)>,
    /// components that are called
    pub(super) callees: Vec<usize>,
    /// methods without code that the object was passed to
    pub(super) assumed: Vec<Member>,
    /// whether all calls were followed
    pub(super) is_complete: bool,
    /// whether lambdas that capture the object are made
    pub(super) has_lambdas: bool,
}

/// A state, or an event between states.
pub(super) struct State {
    pub(super) number: usize,
    pub(super) events: Vec<Event>,
    pub(super) next: Vec<u32>,
    pub(super) calls: Vec<Calling>,
    pub(super) is_exit: bool,
    pub(super) fact: Rc<Fact>,
}

/// A call of a component from a state.
#[derive(Clone)]
pub(super) struct Calling {
    pub(super) callee: usize,
    /// the fact of the caller after the call, before what the callee did is known
    pub(super) after: Rc<Fact>,
    /// whether it is a function that was given to the method that is called
    pub(super) is_given: bool,
    /// for each exit of the callee, the nodes it goes on at
    pub(super) returns: Vec<(u32, Vec<u32>)>,
}

/// How a component is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exit {
    pub(super) thrown: Option<Symbol>,
    /// paths from parameters and from what is returned
    pub(super) paths: Vec<Path>,
}

/// Where a step goes.
pub(super) enum Target {
    State(usize, Fact),
    Exit(Exit),
    Stop,
}

impl States {
    pub(super) fn new(method: MethodId, site: Option<Site>) -> Self {
        Self {
            method,
            site,
            index: FxHashMap::default(),
            marks: FxHashMap::default(),
            nodes: Vec::new(),
            exits: Vec::new(),
            held: None,
            callers: Vec::new(),
            callees: Vec::new(),
            assumed: Vec::new(),
            is_complete: true,
            has_lambdas: false,
        }
    }

    /// The node of events before a node, and whether it is new.
    pub(super) fn mark(&mut self, number: usize, events: Vec<Event>, before: u32) -> (u32, bool) {
        let fresh = self.nodes.len() as u32;
        let mark = *self.marks.entry((number, events.clone(), before)).or_insert(fresh);
        if mark == fresh {
            self.nodes.push(State::new(number, events, Rc::new(Fact::default())));
        }
        (mark, mark == fresh)
    }

    /// Adds a component that is called.
    pub(super) fn calls(&mut self, callee: usize) {
        if !self.callees.contains(&callee) {
            self.callees.push(callee);
        }
    }

    /// Adds a method without code that the object is passed to.
    pub(super) fn assumes(&mut self, member: Member) {
        if !self.assumed.contains(&member) {
            self.assumed.push(member);
        }
    }

    pub(super) fn forget(&mut self) {
        *self = Self::new(self.method, None);
    }
}

impl State {
    pub(super) fn new(number: usize, events: Vec<Event>, fact: Rc<Fact>) -> Self {
        Self { number, events, next: Vec::new(), calls: Vec::new(), is_exit: false, fact }
    }
}
