//! Follows an object through the program: explores the states of the methods that hold it.
//!
//! A component is a method together with the access paths through which its caller hands over the
//! object; it does not depend on the site, so components are shared by all sites. Within a
//! component the states are pairs of an instruction and a [`Fact`]. Calls that the object takes no
//! part in are steps; the others call a component, and go on for each of its exits, when it is
//! found (tabulation, as in the reachability analysis of rsm-analysis). Linear in the states, of
//! which there are at most `instructions × facts` per component; facts are few because access paths
//! and flags are bounded.
//!
//! What is found out about a site does not depend on the sites before it. Components that are there
//! already save work, and that is all they may do: where a bound cuts the machine of a site off, or
//! would if nothing were there already, the site is explored again by itself. One that has too many
//! states even without the calls beyond the bound is given up.

use super::fact::Fact;
use super::fact::{Link, Path};
use super::machine::{Dispatch, Event, Exceptions, Site, SiteKind, Thrown};
use super::method::Prepared;
use super::model::{Known, Model};
use super::placed::Placings;
use super::slots::Slot;
use super::states::{Exit, State, States, Target};
use crate::class::{Body, Invoke, Member};
use crate::program::{MethodId, Program};
use loris_base::{Budget, Exhausted, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The most components of one machine.
pub(super) const COMPONENTS: usize = 100;
/// Components are kept for later machines until there are this many states.
const KEPT: usize = 400_000;
/// The most states of one machine.
const STATES: usize = 10_000;
/// A site is given up when there are this many: the calls that were followed before the bound was
/// reached are explored to their ends.
const MOST_STATES: usize = 3 * STATES;
/// A state takes as long as this many small steps.
const STATE_STEPS: usize = 16;
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
    changing: &'p FxHashSet<Symbol>,
    pub(super) placings: &'p Placings,
    pub(super) prepared: FxHashMap<MethodId, Option<Rc<Prepared<'p>>>>,
    pub(super) states: Vec<States>,
    pub(super) shared: FxHashMap<(MethodId, Vec<Path>), usize>,
    /// Lambdas that capture objects: the method behind each, and the slot of the captured value.
    pub(super) captures: Vec<(Member, Invoke, Slot)>,
    work: Vec<(usize, u32)>,
    /// nodes that the step at hand leads to
    pub(super) leads: Vec<u32>,
    /// whether a bound kept a call from being followed
    pub(super) is_cut: bool,
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
    /// whether the site at hand is explored by itself
    is_alone: bool,
    /// methods with sites that were explored by themselves
    alone: FxHashSet<MethodId>,
    /// while a site is explored by itself: what others share
    aside: Aside,
    generation: usize,
    /// whether methods may read fields
    pub(super) readers: FxHashMap<(MethodId, Link), bool>,
    /// whether classes never close what their fields hold
    pub(super) forgetful: FxHashMap<(Symbol, Symbol), bool>,
}

/// Components that sites share, and lambdas.
#[derive(Default)]
struct Aside {
    shared: FxHashMap<(MethodId, Vec<Path>), usize>,
    captures: Vec<(Member, Invoke, Slot)>,
}

impl<'p> Tracker<'p> {
    /// Follows objects through a program. Fields with one of the names that are `changing` may
    /// have another value at every read; the others have theirs from a constructor or a setter.
    /// Objects that methods place are followed where these are called.
    pub fn new(
        program: &'p Program,
        dispatch: &'p dyn Dispatch,
        exceptions: &'p dyn Exceptions,
        model: &'p Model,
        changing: &'p FxHashSet<Symbol>,
        placings: &'p Placings,
    ) -> Self {
        Self {
            program,
            dispatch,
            exceptions,
            known: Known::new(model),
            changing,
            placings,
            prepared: FxHashMap::default(),
            states: Vec::new(),
            shared: FxHashMap::default(),
            captures: Vec::new(),
            work: Vec::new(),
            leads: Vec::new(),
            is_cut: false,
            budget_states: 0,
            first_component: 0,
            waiting: Vec::new(),
            made: 0,
            charged: 0,
            top: None,
            is_alone: false,
            alone: FxHashSet::default(),
            aside: Aside::default(),
            generation: 0,
            readers: FxHashMap::default(),
            forgetful: FxHashMap::default(),
        }
    }

    /// Follows the objects of a site: explores the component of its method, whose number is the
    /// answer, and those it calls. `None` if the method has no code. The component of the site is
    /// there until the next one is explored; the others are shared, and stay while
    /// [`generation`](Self::generation) does, unless the site [is alone](Self::is_alone).
    ///
    /// # Errors
    /// The budget ran out, or there are too many states.
    pub fn explore(&mut self, site: &Site, budget: &mut Budget) -> Result<Option<usize>, Exhausted> {
        self.forget_top();
        if self.made > KEPT {
            self.start_again(budget);
        }
        // the machines of sites of one method are of one size, more or less
        if self.alone.contains(&site.method) {
            return self.explore_alone(site, budget);
        }
        let top = self.explore_site(site, budget)?;
        if top.is_some_and(|top| self.depends_on_others(top)) {
            self.alone.insert(site.method);
            self.forget_since(self.first_component);
            return self.explore_alone(site, budget);
        }
        Ok(top)
    }

    /// The same without what was found out about other sites. Nodes come in an order that depends
    /// on the site alone.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn explore_alone(&mut self, site: &Site, budget: &mut Budget) -> Result<Option<usize>, Exhausted> {
        self.forget_top();
        self.is_alone = true;
        std::mem::swap(&mut self.shared, &mut self.aside.shared);
        std::mem::swap(&mut self.captures, &mut self.aside.captures);
        self.explore_site(site, budget)
    }

    /// Whether the site at hand was explored by itself: nothing of it is shared or stays.
    pub fn is_alone(&self) -> bool {
        self.is_alone
    }

    fn explore_site(&mut self, site: &Site, budget: &mut Budget) -> Result<Option<usize>, Exhausted> {
        let top = self.states.len();
        self.first_component = top;
        let Some(prepared) = self.prepare(site.method) else { return Ok(None) };
        self.is_cut = false;
        self.budget_states = STATES;
        self.states.push(States::new(site.method, Some(*site)));
        self.top = Some(top);
        match site.kind {
            SiteKind::Entry => self.start_at_entry(top, &prepared, site.number),
            SiteKind::Parameter(slot) => self.start_with_parameter(top, Slot::from(slot)),
            _ => {
                self.state(top, 0, Fact::default());
            }
        }
        let made = self.made;
        while let Some((component, node)) = self.work.pop() {
            if self.made - made > MOST_STATES {
                self.give_up();
                return Err(Exhausted::States);
            }
            budget.spend(STATE_STEPS)?;
            self.explore_state(component, node, budget)?;
        }
        self.stop_waiting();
        let held = self.bytes();
        budget.grow(&mut self.charged, held)?;
        Ok(Some(top))
    }

    /// Nobody waits for exits any more.
    fn stop_waiting(&mut self) {
        for component in std::mem::take(&mut self.waiting) {
            self.states[component].callers.clear();
        }
    }

    /// Forgets the site at hand, and what was explored for it.
    fn give_up(&mut self) {
        self.work.clear();
        self.leads.clear();
        self.stop_waiting();
        self.forget_since(self.first_component);
        self.forget_top();
    }

    /// Whether the machine of a site could be another one if other sites had been explored before:
    /// it is not smaller than the bounds allow, or numbers of lambdas are part of its states.
    fn depends_on_others(&self, top: usize) -> bool {
        let (mut order, mut met) = (vec![top], FxHashSet::from_iter([top]));
        let (mut done, mut states) = (0, 0);
        while let Some(&component) = order.get(done) {
            let found = &self.states[component];
            done += 1;
            states += found.index.len();
            if order.len() >= COMPONENTS || states >= STATES || found.has_lambdas {
                return true;
            }
            order.extend(found.callees.iter().filter(|&&callee| met.insert(callee)));
        }
        self.is_cut || order.len() >= COMPONENTS
    }

    /// The component of a site is not shared, and nothing is of one that was explored by itself.
    pub(super) fn forget_top(&mut self) {
        if std::mem::take(&mut self.is_alone) {
            self.shared.clear();
            self.captures.clear();
            std::mem::swap(&mut self.shared, &mut self.aside.shared);
            std::mem::swap(&mut self.captures, &mut self.aside.captures);
            self.forget_since(self.first_component);
        }
        match self.top.take() {
            Some(top) if top + 1 == self.states.len() => {
                self.states.pop();
            }
            Some(top) => self.states[top].forget(),
            None => {}
        }
    }

    /// Forgets components from this number on.
    fn forget_since(&mut self, first: usize) {
        let made: usize = self.states.drain(first..).map(|states| states.index.len()).sum();
        self.made -= made.min(self.made);
        self.shared.retain(|_, component| *component < first);
        self.top = None;
    }

    /// Forgets all that was found out: after a limit was reached on the way, it is not whole.
    pub fn forget(&mut self, budget: &mut Budget) {
        self.forget_top();
        self.work.clear();
        self.leads.clear();
        self.waiting.clear();
        self.start_again(budget);
    }

    /// How often the shared components were forgotten; numbers of components mean something else
    /// afterwards.
    pub fn generation(&self) -> usize {
        self.generation
    }

    /// Forgets the components of earlier machines, which only save work.
    pub(super) fn start_again(&mut self, budget: &mut Budget) {
        self.states = Vec::new();
        self.shared = FxHashMap::default();
        self.prepared = FxHashMap::default();
        self.captures = Vec::new();
        self.generation += 1;
        self.made = 0;
        budget.release(self.charged);
        self.charged = 0;
    }

    /// Whether a method returns what a field holds, on some path: it hands out what is kept there,
    /// and its callers need not close that.
    pub fn may_return_kept(&mut self, method: MethodId) -> bool {
        self.prepare(method).is_some_and(|prepared| prepared.may_return_kept())
    }

    /// Whether a method returns null on some path.
    pub fn may_return_null(&mut self, method: MethodId) -> bool {
        self.prepare(method).is_some_and(|prepared| prepared.may_return_null())
    }

    /// The methods that the call of a site may run.
    pub fn targets_of(&self, site: &Site) -> Vec<MethodId> {
        self.dispatch.targets(site.method, site.number)
    }

    /// Whether the call at an instruction of a method is likely to fail some time.
    pub fn is_likely_to_fail(&self, method: MethodId, body: &Body<'_>, number: usize) -> bool {
        self.exceptions.is_likely(method, body, number)
    }

    /// Bytes held, roughly, to be charged to a budget.
    pub fn bytes(&self) -> usize {
        // most states are of components that are shared, and stay
        200 * self.made
    }

    /// The exceptions that an instruction throws.
    pub(super) fn thrown_at(&self, prepared: &Prepared<'p>, number: usize) -> Rc<[Thrown]> {
        prepared.thrown_at(self.exceptions, number)
    }

    pub(super) fn prepare(&mut self, method: MethodId) -> Option<Rc<Prepared<'p>>> {
        let Self { program, known, prepared, changing, .. } = self;
        let prepared = prepared.entry(method);
        prepared.or_insert_with(|| Prepared::new(program, known, changing, method).map(Rc::new)).clone()
    }

    /// The state of a component, made and put on the worklist if it is new.
    pub(super) fn state(&mut self, component: usize, number: usize, mut fact: Fact) -> u32 {
        if !fact.flags.is_empty()
            && let Some(prepared) = self.prepare(self.states[component].method)
        {
            prepared.forget_dead(number, &mut fact);
        }
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
            // of exceptions of one kind each is another one, where it is thrown
            Target::Exit(exit)
                if self.states[component].site.is_none() && events.contains(&Event::Thrown) =>
            {
                self.exit(component, number, Vec::new(), &exit)
            }
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

    pub(super) fn exit(&mut self, component: usize, number: usize, events: Vec<Event>, exit: &Exit) -> u32 {
        let states = &mut self.states[component];
        if states.site.is_some() {
            if exit.thrown.is_none() {
                match &mut states.held {
                    Some(held) => held.retain(|path| exit.paths.contains(path)),
                    None => states.held = Some(exit.paths.clone()),
                }
            }
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

    pub(super) fn explore_state(
        &mut self,
        component: usize,
        node: u32,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        debug_assert!(self.leads.is_empty(), "every step takes its leads away");
        self.walk(component, node, budget)?;
        let leads = std::mem::take(&mut self.leads);
        self.states[component].nodes[node as usize].next.extend(leads);
        Ok(())
    }

    /// Adds a node that the step at hand leads to.
    pub(super) fn lead(&mut self, to: u32) {
        if !self.leads.contains(&to) {
            self.leads.push(to);
        }
    }
}
