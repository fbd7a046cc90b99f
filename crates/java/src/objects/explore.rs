//! Follows an object through the program: explores the states of the methods that hold it.
//!
//! A component is a method together with the access paths through which its caller hands over the
//! object; it does not depend on the site, so components are shared by all sites. Within a
//! component the states are pairs of an instruction and a [`Fact`]. Calls that the object takes no
//! part in are steps; the others call a component, and go on for each of its exits, when it is
//! found (tabulation, as in the reachability analysis of rsm-analysis). Linear in the states, of
//! which there are at most `instructions × facts` per component; facts are few because access paths
//! and flags are bounded.

use super::fact::{Colour, Fact, Link, Path, Phase, Root};
use super::machine::{Dispatch, Event, Exceptions, Site, SiteKind};
use super::method::Prepared;
use super::model::{Known, Model};
use super::slots::{Moves, Slot, moves};
use super::values::{Value, ValueId};
use crate::class::{Comparison, Invoke, Member, Op};
use crate::program::{MethodId, Program};
use loris_base::{Budget, Exhausted, Idx, Symbol};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The most components of one machine.
pub(super) const COMPONENTS: usize = 100;
/// Components are kept for later machines until there are so many states.
const KEPT: usize = 400_000;
/// The most states of one machine.
const STATES: usize = 10_000;
/// The most methods with code that one call is followed into.
pub(super) const TARGETS: usize = 8;

/// Behind marks of runs that stay where they are, and of those that leave the component of a site.
const STAYS: u32 = u32::MAX;
const LEAVES: u32 = u32::MAX - 1;

/// Follows objects through a program.
pub struct Tracker<'p> {
    pub(crate) program: &'p Program,
    pub(super) dispatch: &'p dyn Dispatch,
    pub(super) exceptions: &'p dyn Exceptions,
    pub(super) known: Known<'p>,
    pub(super) prepared: FxHashMap<MethodId, Option<Rc<Prepared<'p>>>>,
    pub(super) states: Vec<States>,
    pub(super) shared: FxHashMap<(MethodId, Vec<Path>), usize>,
    /// Lambdas that capture objects: the method behind each, and the slot of the captured value.
    pub(super) captures: Vec<(Member, Invoke, Slot)>,
    work: Vec<(usize, u32)>,
    /// nodes that the step at hand leads to
    pub(super) leads: Vec<u32>,
    pub(super) assumed: Vec<Member>,
    pub(super) complete: bool,
    pub(super) budget_states: usize,
    /// where the components of the machine at hand start
    pub(super) first_component: usize,
    /// components that calls wait for
    pub(super) waiting: Vec<usize>,
    /// how many states were made since the last start
    made: usize,
    /// bytes that were charged to the budget
    charged: usize,
    /// the component of the site at hand
    top: Option<usize>,
    generation: usize,
}

/// The states of a component.
pub(super) struct States {
    pub(super) method: MethodId,
    pub(super) site: Option<Site>,
    index: FxHashMap<(usize, Rc<Fact>), u32>,
    /// nodes for events, by instruction, events and the node that follows
    marks: FxHashMap<(usize, Vec<Event>, u32), u32>,
    pub(super) nodes: Vec<State>,
    pub(super) exits: Vec<(Exit, u32)>,
    /// calls of this component that wait for exits: component and node
    pub(super) callers: Vec<(usize, u32, usize)>,
}

/// A state, or an event between states.
pub(super) struct State {
    pub(super) number: usize,
    pub(super) events: Vec<Event>,
    pub(super) next: Vec<u32>,
    pub(super) calls: Vec<Calling>,
    pub(super) is_exit: bool,
    fact: Rc<Fact>,
}

/// A call of a component from a state.
#[derive(Clone)]
pub(super) struct Calling {
    pub(super) callee: usize,
    /// the fact of the caller after the call, before what the callee did is known
    pub(super) after: Rc<Fact>,
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

impl<'p> Tracker<'p> {
    /// Follows objects through a program.
    pub fn new(
        program: &'p Program,
        dispatch: &'p dyn Dispatch,
        exceptions: &'p dyn Exceptions,
        model: &'p Model,
    ) -> Self {
        Self {
            program,
            dispatch,
            exceptions,
            known: Known::new(model),
            prepared: FxHashMap::default(),
            states: Vec::new(),
            shared: FxHashMap::default(),
            captures: Vec::new(),
            work: Vec::new(),
            leads: Vec::new(),
            assumed: Vec::new(),
            complete: true,
            budget_states: 0,
            first_component: 0,
            waiting: Vec::new(),
            made: 0,
            charged: 0,
            top: None,
            generation: 0,
        }
    }

    /// Follows the objects of a site: explores the component of its method, whose number is the
    /// answer, and those it calls. `None` if the method has no code. The component of the site is
    /// there until the next one is explored; the others are shared, and stay while
    /// [`generation`](Self::generation) does.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn explore(&mut self, site: &Site, budget: &mut Budget) -> Result<Option<usize>, Exhausted> {
        self.forget_top();
        let Some(prepared) = self.prepare(site.method) else { return Ok(None) };
        if self.made > KEPT {
            self.start_again(budget);
        }
        self.assumed.clear();
        self.complete = true;
        self.budget_states = STATES;
        let top = self.states.len();
        self.first_component = top;
        self.states.push(States::new(site.method, Some(*site)));
        self.top = Some(top);
        match site.kind {
            SiteKind::Entry => self.start_at_entry(top, &prepared, site.number),
            _ => {
                self.state(top, 0, Fact::default());
            }
        }
        while let Some((component, node)) = self.work.pop() {
            budget.spend(1)?;
            self.explore_state(component, node, budget)?;
        }
        // nobody waits for exits any more
        for component in std::mem::take(&mut self.waiting) {
            self.states[component].callers.clear();
        }
        let held = self.bytes();
        budget.grow(&mut self.charged, held)?;
        Ok(Some(top))
    }

    /// The component of a site is not shared.
    fn forget_top(&mut self) {
        match self.top.take() {
            Some(top) if top + 1 == self.states.len() => {
                self.states.pop();
            }
            Some(top) => self.states[top].forget(),
            None => {}
        }
    }

    /// How often the shared components were forgotten; numbers of components mean something else
    /// afterwards.
    pub fn generation(&self) -> usize {
        self.generation
    }

    /// Forgets the components of earlier machines, which only save work.
    fn start_again(&mut self, budget: &mut Budget) {
        self.states = Vec::new();
        self.shared = FxHashMap::default();
        self.prepared = FxHashMap::default();
        self.generation += 1;
        self.made = 0;
        budget.release(self.charged);
        self.charged = 0;
    }

    /// Bytes held, roughly, to be charged to a budget.
    pub fn bytes(&self) -> usize {
        // most states are of components that are shared, and stay
        200 * self.made
    }

    pub(super) fn prepare(&mut self, method: MethodId) -> Option<Rc<Prepared<'p>>> {
        let Self { program, known, prepared, .. } = self;
        let prepared = prepared.entry(method);
        prepared.or_insert_with(|| Prepared::new(program, known, method).map(Rc::new)).clone()
    }

    pub(super) fn assumed(&self) -> (&[Member], bool) {
        (&self.assumed, self.complete)
    }

    /// The state of a component, made and put on the worklist if it is new.
    pub(super) fn state(&mut self, component: usize, number: usize, fact: Fact) -> u32 {
        let fact = Rc::new(fact);
        let states = &mut self.states[component];
        if let Some(&known) = states.index.get(&(number, fact.clone())) {
            return known;
        }
        let node = states.nodes.len() as u32;
        states.index.insert((number, fact.clone()), node);
        states.nodes.push(State::new(number, Vec::new(), fact));
        self.work.push((component, node));
        self.budget_states = self.budget_states.saturating_sub(1);
        self.made += 1;
        node
    }

    /// The node for events, then the target.
    pub(super) fn target(
        &mut self,
        component: usize,
        number: usize,
        events: Vec<Event>,
        target: Target,
    ) -> u32 {
        let node = match target {
            Target::State(number, fact) => self.state(component, number, fact),
            Target::Exit(exit) => {
                // events of an exit are its own: they are the same for equal exits of one kind
                return self.exit(component, number, events, &exit);
            }
            Target::Stop => self.stop(component, number),
        };
        if events.is_empty() {
            return node;
        }
        let (mark, is_new) = self.states[component].mark(number, events, node);
        if is_new {
            self.states[component].nodes[mark as usize].next.push(node);
        }
        mark
    }

    /// The first nodes of a component whose object is there from the start.
    pub(super) fn entry(&mut self, component: usize, fact: Fact) {
        let opened = State::new(0, vec![Event::Opened], Rc::new(Fact::default()));
        self.states[component].nodes.push(opened);
        let first = self.state(component, 0, fact);
        self.states[component].nodes[0].next.push(first);
    }

    /// A state where the run stays: nothing more is of interest.
    pub(super) fn stop(&mut self, component: usize, number: usize) -> u32 {
        let states = &mut self.states[component];
        let (node, is_new) = states.mark(number, Vec::new(), STAYS);
        if is_new {
            states.nodes[node as usize].next.push(node);
        }
        node
    }

    fn exit(&mut self, component: usize, number: usize, events: Vec<Event>, exit: &Exit) -> u32 {
        let states = &mut self.states[component];
        if states.site.is_some() {
            // nobody calls the component of a site: its exits differ by what happens, and where
            let (node, _) = states.mark(number, events, LEAVES);
            states.nodes[node as usize].is_exit = true;
            return node;
        }
        if let Some(&(_, node)) = states.exits.iter().find(|(known, _)| known == exit) {
            return node;
        }
        let node = states.nodes.len() as u32;
        let mut state = State::new(number, events, Rc::new(Fact::default()));
        state.is_exit = true;
        states.nodes.push(state);
        states.exits.push((exit.clone(), node));
        let callers = states.callers.clone();
        for (caller, from, call) in callers {
            self.come_back(caller, from, call, node, exit);
        }
        node
    }

    fn explore_state(&mut self, component: usize, node: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        debug_assert!(self.leads.is_empty(), "every step takes its leads away");
        self.walk(component, node, budget)?;
        let leads = std::mem::take(&mut self.leads);
        self.states[component].nodes[node as usize].next.extend(leads);
        Ok(())
    }

    /// Executes instructions from a state on, to the next states.
    fn walk(&mut self, component: usize, node: u32, budget: &mut Budget) -> Result<(), Exhausted> {
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

    /// Adds a node that the step at hand leads to.
    pub(super) fn lead(&mut self, to: u32) {
        if !self.leads.contains(&to) {
            self.leads.push(to);
        }
    }

    /// Whether something of interest may happen at an instruction, so that it has a state.
    fn is_event(&self, component: usize, prepared: &Prepared<'p>, number: usize, fact: &Fact) -> bool {
        let site = self.states[component].site.as_ref().is_some_and(|site| site.number == number);
        site || match prepared.body.instructions[number].op {
            Op::Invoke(..) | Op::InvokeDynamic(_) => {
                fact.phase == Phase::Tracked
                    || !self.exceptions.at(prepared.method, &prepared.body, number).is_empty()
            }
            Op::Throw | Op::Return(_) => true,
            Op::PutField(_) | Op::PutStatic(_) | Op::ArraySet(_) => fact.phase == Phase::Tracked,
            _ => false,
        }
    }

    /// Updates the flags of φ values on the way into a block.
    fn enter(prepared: &Prepared<'p>, from: usize, block: usize, fact: &mut Fact) {
        let Some(slots) = prepared.values.after(from) else { return };
        Self::merge_flags(prepared, slots, block, fact);
    }

    fn merge_flags(prepared: &Prepared<'p>, slots: &[ValueId], block: usize, fact: &mut Fact) {
        let known: Vec<(ValueId, Option<bool>)> = prepared
            .merged(block)
            .filter(|&(slot, value)| slots.get(slot) != Some(&value))
            .map(|(slot, value)| (value, slots.get(slot).and_then(|&from| known_zero(prepared, fact, from))))
            .collect();
        for (value, zero) in known {
            fact.set_flag(value, zero);
        }
    }

    /// Executes an instruction. The fact after it, if it only goes on to the next instruction.
    fn step(
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
                for thrown in self.exceptions.at(prepared.method, &prepared.body, number) {
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
            Op::PutStatic(_) | Op::ArraySet(_) => {
                let value = moves.popped + if matches!(instruction.op, Op::ArraySet(_)) { 2 } else { 0 };
                let escapes = fact.phase == Phase::Tracked && fact.reaches(value);
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

    /// The fact, unless the site's method has no reference to the object any more.
    fn unless_lost(&mut self, component: usize, number: usize, fact: Fact) -> Option<Fact> {
        if !self.is_lost(component, &fact) {
            return Some(fact);
        }
        let events = if self.can_be_lost(component) { vec![Event::Lost] } else { Vec::new() };
        let lost = self.target(component, number, events, Target::Stop);
        self.lead(lost);
        None
    }

    fn is_lost(&self, component: usize, fact: &Fact) -> bool {
        fact.phase == Phase::Tracked
            && self.states[component].site.is_some()
            // closing its parent closes it, too
            && fact.paths.is_empty()
    }

    /// Whether it can be said that an object without references is lost: it is one that the method
    /// made or was given, not one that is found elsewhere.
    fn can_be_lost(&self, component: usize) -> bool {
        let Some(site) = self.states[component].site else { return false };
        match site.kind {
            SiteKind::New | SiteKind::Result | SiteKind::Child | SiteKind::Made => true,
            SiteKind::Entry => false,
            SiteKind::Receiver | SiteKind::ReceiverIfTrue | SiteKind::Argument(_) => {
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

    fn branch(
        &mut self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        comparison: Comparison,
        target: u32,
        mut fact: Fact,
    ) {
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
                ((null(left) && held(right)) || (held(left) && null(right))).then_some(false)
            }
            _ if !comparison.is_unary() => None,
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
        let value = value.filter(|_| comparison.is_unary());
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

    fn leave_normally(&mut self, component: usize, number: usize, returned: Option<Slot>, fact: &Fact) {
        let mut events = Vec::new();
        let returns = returned.is_some_and(|slot| fact.reaches(slot));
        if self.states[component].site.is_some() && fact.phase == Phase::Tracked {
            events.push(if returns { Event::Returned } else { Event::Left });
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
        let at = prepared.body.instructions[number].at;
        let mut leaves = true;
        let handlers: Vec<_> =
            prepared.body.code.handlers.iter().filter(|handler| handler.covers(at)).copied().collect();
        for handler in handlers {
            let (certain, possible) = match handler.caught {
                None => (true, true),
                Some(caught) => {
                    let certain = self.program.is_subtype(thrown, caught);
                    (certain, certain || self.program.is_subtype(caught, thrown))
                }
            };
            if possible && let Some(target) = prepared.body.number(u32::from(handler.target)) {
                let mut fact = fact.clone();
                let first = prepared.body.code.max_locals;
                fact.assign(&[(first, None)], first + 1);
                Self::merge_flags(prepared, prepared.values.before(number), target, &mut fact);
                self.go(component, number, vec![Event::Thrown], target, fact);
            }
            if certain {
                leaves = false;
                break;
            }
        }
        if leaves {
            let mut events = vec![Event::Thrown];
            if self.states[component].site.is_some() && fact.phase == Phase::Tracked {
                events.push(Event::Left);
            }
            let exit = Exit { thrown: Some(thrown), paths: exit_paths(fact, None) };
            let next = self.target(component, number, events, Target::Exit(exit));
            self.lead(next);
        }
    }

    fn read(&self, prepared: &Prepared<'p>, number: usize, moves: &Moves, fact: &mut Fact) {
        let class = self.program.class(self.program.owner(prepared.method));
        let (field, root) = match prepared.body.instructions[number].op {
            Op::GetField(field) => (field, Root::Slot(moves.popped)),
            Op::GetStatic(field) => (field, Root::Static),
            _ => return,
        };
        let Some(member) = class.pool.member(field) else { return };
        Self::read_link(field_link(member.name), root, moves, fact);
    }

    /// What a field, or a method that is like one, holds is in the slot of the result.
    pub(super) fn read_link(link: Link, root: Root, moves: &Moves, fact: &mut Fact) {
        let found: Vec<Path> =
            fact.from(root).filter(|path| path.first() == Some(link)).map(Path::tail).collect();
        fact.assign(&moves.assigned, moves.top);
        for path in found {
            fact.add(path.at(Root::Slot(moves.popped)));
        }
    }

    /// A static field or an element of an array is assigned.
    fn keep_in_static(&self, prepared: &Prepared<'p>, number: usize, moves: &Moves, fact: &mut Fact) {
        let mut stored = Vec::new();
        if let Op::PutStatic(field) = prepared.body.instructions[number].op {
            let class = self.program.class(self.program.owner(prepared.method));
            let link = class.pool.member(field).map(|member| field_link(member.name));
            fact.paths.retain(|path| path.root != Root::Static || path.first() != link);
            let through = |path: Path| path.through(link?).map(|path| path.at(Root::Static));
            stored.extend(fact.from(Root::Slot(moves.popped)).filter_map(through));
        }
        fact.assign(&moves.assigned, moves.top);
        for path in stored {
            fact.add(path);
        }
    }

    /// A field is assigned: the object may be in it from here on.
    fn write(
        &mut self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        mut fact: Fact,
    ) {
        let class = self.program.class(self.program.owner(prepared.method));
        let Op::PutField(field) = prepared.body.instructions[number].op else { return };
        let Some(member) = class.pool.member(field) else { return };
        let (base, value) = (moves.popped, moves.popped + 1);
        let link = field_link(member.name);
        let stored: Vec<Path> = fact.from(Root::Slot(value)).collect();
        let aliases = Self::aliases(prepared, number, base);
        fact.paths.retain(|path| !(aliases.contains(&path.root) && path.first() == Some(link)));
        let holder =
            prepared.values.before(number).get(usize::from(base)).map(|&id| prepared.values.value(id));
        let mut events = Vec::new();
        if fact.phase == Phase::Tracked && stored.iter().any(|path| path.colour == Colour::Object) {
            let owner_closes = self.known.owns(self.program, member.owner);
            let fresh = matches!(holder, Some(Value::Made(made, _))
                if matches!(prepared.body.instructions[usize::from(made)].op, Op::New(_)));
            let handed = self.states[component].site.is_none() && matches!(holder, Some(Value::Parameter(_)));
            if owner_closes && (fresh || handed) {
                // the holder is closed in the object's place
                for &root in &aliases {
                    fact.add(Path::slot(0, Colour::Object).at(root));
                }
            } else {
                events.push(if owner_closes { Event::Owned } else { Event::Escaped });
            }
        }
        for path in stored {
            for &root in &aliases {
                if let Some(path) = path.through(link) {
                    fact.add(path.at(root));
                }
            }
        }
        fact.assign(&moves.assigned, moves.top);
        self.go(component, number, events, number + 1, fact);
    }

    /// All roots that hold the same value as a slot before an instruction.
    pub(super) fn aliases(prepared: &Prepared<'p>, number: usize, slot: Slot) -> Vec<Root> {
        let slots = prepared.values.before(number);
        let Some(&value) = slots.get(usize::from(slot)) else { return Vec::new() };
        let same = slots.iter().enumerate().filter(|&(_, &other)| other == value);
        let mut roots: Vec<Root> = same.map(|(slot, _)| Root::Slot(slot as Slot)).collect();
        if let Value::Parameter(parameter) = prepared.values.value(value) {
            roots.push(Root::Parameter(parameter));
        }
        roots
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

impl States {
    pub(super) fn new(method: MethodId, site: Option<Site>) -> Self {
        Self {
            method,
            site,
            index: FxHashMap::default(),
            marks: FxHashMap::default(),
            nodes: Vec::new(),
            exits: Vec::new(),
            callers: Vec::new(),
        }
    }

    /// The node of events before a node, and whether it is new.
    fn mark(&mut self, number: usize, events: Vec<Event>, before: u32) -> (u32, bool) {
        let fresh = self.nodes.len() as u32;
        let mark = *self.marks.entry((number, events.clone(), before)).or_insert(fresh);
        if mark == fresh {
            self.nodes.push(State::new(number, events, Rc::new(Fact::default())));
        }
        (mark, mark == fresh)
    }

    fn forget(&mut self) {
        self.index = FxHashMap::default();
        self.marks = FxHashMap::default();
        self.nodes = Vec::new();
        self.exits = Vec::new();
    }
}

impl State {
    fn new(number: usize, events: Vec<Event>, fact: Rc<Fact>) -> Self {
        Self { number, events, next: Vec::new(), calls: Vec::new(), is_exit: false, fact }
    }
}

/// The link for a field, by its name.
pub(super) fn field_link(name: Symbol) -> Link {
    Link(name.index() as u32)
}

/// Whether a value is known to be zero or null, or not to be.
fn known_zero(prepared: &Prepared<'_>, fact: &Fact, value: ValueId) -> Option<bool> {
    match prepared.values.value(value) {
        Value::Int(number) => Some(number == 0),
        Value::Null => Some(true),
        _ => fact.flag(value),
    }
}

fn has_object(fact: &Fact) -> bool {
    fact.paths.iter().any(|path| path.colour == Colour::Object)
}

/// Whether the events say already where the object is now.
fn ends_tracking(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Escaped | Event::Owned | Event::Left | Event::Returned))
}

/// What a caller learns about the object: paths from parameters and from what is returned.
fn exit_paths(fact: &Fact, returned: Option<Slot>) -> Vec<Path> {
    let mut paths: Vec<Path> =
        fact.paths.iter().filter(|path| !matches!(path.root, Root::Slot(_))).copied().collect();
    if let Some(slot) = returned {
        paths.extend(fact.from(Root::Slot(slot)).map(|path| path.at(Root::Returned)));
    }
    paths.sort_unstable();
    paths
}
