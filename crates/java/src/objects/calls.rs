//! Calls: which methods they run, what happens to the object, and what methods without code do.

use super::contract::Contract;
use super::explore::{COMPONENTS, TARGETS, Tracker};
use super::fact::{Colour, Fact, Link, Path, Phase, Root};
use super::fields::field_link;
use super::machine::{Event, SiteKind};
use super::method::Prepared;
use super::model::{Handling, Known};
use super::slots::{Moves, Slot};
use super::step::known_zero;
use super::values::Value;
use crate::class::{Invoke, Member, Op};
use crate::program::{ClassOrigin, MethodId};
use std::rc::Rc;

/// Links from here on are variables captured by lambdas.
pub(super) const CAPTURES: u32 = 1 << 31;

/// The link from a child to its parent.
pub(super) const CHILD: Link = Link(CAPTURES - 1);

impl<'p> Tracker<'p> {
    pub(super) fn call(
        &mut self,
        component: usize,
        node: u32,
        prepared: &Rc<Prepared<'p>>,
        number: usize,
        moves: &Moves,
        fact: Fact,
    ) {
        let class = self.program.class(self.program.owner(prepared.method));
        let (invoke, member) = match prepared.body.instructions[number].op {
            Op::Invoke(invoke, constant) => (invoke, class.pool.member(constant)),
            Op::InvokeDynamic(constant) => {
                self.make_lambda(component, prepared, number, moves, constant, fact);
                return;
            }
            _ => return,
        };
        let Some(member) = member else { return };
        let site = self.states[component].site.filter(|site| site.number == number);
        let opens = site.is_some_and(|site| match site.kind {
            SiteKind::New | SiteKind::Entry | SiteKind::Parameter(_) => false,
            SiteKind::Made => Self::is_fresh(prepared, number, moves.popped),
            _ => true,
        });
        if opens && fact.phase == Phase::Before {
            self.open(component, prepared, number, moves, &member, invoke, &fact);
            return;
        }
        let receiver = (invoke != Invoke::Static).then_some(moves.popped);
        if fact.phase == Phase::Constructing
            && receiver.is_some_and(|slot| fact.holds(slot, Colour::Object))
            && &self.program.names[member.name] == "<init>"
        {
            self.construct(component, prepared, number, moves, &fact);
            return;
        }
        let slots = Self::arguments(prepared, number, moves);
        if fact.phase == Phase::Tracked {
            let mut events = vec![Event::Call];
            for slot in slots.clone() {
                if Some(slot) == receiver {
                    let (targets, _) = self.targets(component, prepared, number, moves, receiver, &fact);
                    if self.leaves_alone(&targets, slot, &fact) {
                        // it happens to the holder only
                    } else if fact.holds(slot, Colour::Object) {
                        let inside = self.is_inside(component, prepared, number, slot);
                        events.push(if inside { Event::CalledInside } else { Event::Called });
                    } else if fact.holds(slot, Colour::Parent) {
                        events.push(Event::ParentCalled);
                    } else if fact.from(Root::Slot(slot)).any(|path| path.first() == Some(CHILD)) {
                        events.push(Event::ChildCalled);
                    }
                }
            }
            self.states[component].nodes[node as usize].events = events;
        }
        if fact.phase == Phase::Tracked
            && receiver.is_some()
            && let Some(field) = self.known.reads_field(self.program, &member)
        {
            let mut fact = fact;
            Self::read_link(field_link(field), Root::Slot(moves.popped), moves, &mut fact);
            self.go(component, number, Vec::new(), number + 1, fact);
            return;
        }
        let involved = fact.phase == Phase::Tracked
            && slots.clone().any(|slot| fact.from(Root::Slot(slot)).next().is_some());
        let asked = receiver.is_some_and(|slot| fact.holds(slot, Colour::Object))
            && self.known.state_test(self.program, &member).is_some();
        let lent = fact.phase == Phase::Tracked
            && self.by_contract(component, node, prepared, number, moves, &member, receiver, &fact);
        if !involved || asked || lent {
            self.pass_by(component, prepared, number, moves, &member, Vec::new(), &fact, &[]);
            return;
        }
        let (targets, captured) = self.targets(component, prepared, number, moves, receiver, &fact);
        let is_followed = |&target: &MethodId| {
            !self.is_known_otherwise(prepared.method, target) && self.prepare(target).is_some()
        };
        let with_code: Vec<MethodId> = targets.iter().copied().filter(is_followed).collect();
        let has_room = self.states.len() < self.limit() && self.budget_states > 0;
        self.is_cut |= !has_room;
        let fits = with_code.len() <= TARGETS && has_room;
        if !fits {
            self.states[component].is_complete = false;
        }
        if fits {
            // what their calls throw is seen there
            if with_code.iter().any(|&target| self.fails_itself(target))
                && let Some(thrown) = self.exceptions.always(prepared.method, &prepared.body, number)
            {
                self.throw(component, prepared, number, thrown, &fact);
            }
            for &target in &with_code {
                self.follow(component, node, moves, &fact, target, captured);
            }
        }
        let unknown = captured.is_none() && self.may_be_elsewhere(component, &member, &targets);
        if with_code.len() < targets.len() || targets.is_empty() || !fits || unknown {
            // a method with code shows itself what it does with its arguments
            for slot in slots.filter(|&slot| Some(slot) != receiver) {
                let position = (slot - moves.popped - Slot::from(receiver.is_some())) as u8;
                let events = &mut self.states[component].nodes[node as usize].events;
                if fact.holds(slot, Colour::Object) {
                    events.push(Event::Passed(position));
                } else if fact.from(Root::Slot(slot)).any(|path| path.first() == Some(CHILD)) {
                    events.push(Event::ChildPassed(position));
                }
            }
            self.outside((component, node), prepared, number, moves, &member, receiver, &fact);
        }
    }

    /// Whether an instruction of a method other than a call may throw an exception that nobody
    /// writes down. That what it reads is null is another defect.
    fn fails_itself(&mut self, method: MethodId) -> bool {
        let fails = |op: Op| match op {
            Op::ArrayGet(_) | Op::ArraySet(_) | Op::CheckCast(_) | Op::NewArray(_) => true,
            Op::Compute { divides, .. } => divides,
            _ => false,
        };
        let prepared = self.prepare(method);
        prepared.is_some_and(|prepared| prepared.body.instructions.iter().any(|it| fails(it.op)))
    }

    /// A call on a reference that is known to be null returns on no path. Whether it is one.
    pub(super) fn fails(
        &mut self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        fact: &Fact,
    ) -> bool {
        let on_object = matches!(
            prepared.body.instructions[number].op,
            Op::Invoke(Invoke::Virtual | Invoke::Interface | Invoke::Special, _)
        );
        if !on_object || !is_null(prepared, fact, number, moves.popped) {
            return false;
        }
        for &thrown in &*self.thrown_at(prepared, number) {
            self.throw(component, prepared, number, thrown, fact);
        }
        let stop = self.stop(component, number);
        self.lead(stop);
        true
    }

    /// What annotations of the method that is called say about the object: that it is closed there
    /// is an event, and so is that the call closes the object it is called on. Whether the method
    /// only borrows what it gets, whatever its code is.
    #[expect(clippy::too_many_arguments, reason = "the state of one step")]
    fn by_contract(
        &mut self,
        component: usize,
        node: u32,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        member: &Member,
        receiver: Option<Slot>,
        fact: &Fact,
    ) -> bool {
        let (program, mut said) = (self.program, Vec::new());
        for slot in Self::arguments(prepared, number, moves) {
            let leads = fact.from(Root::Slot(slot)).next().is_some();
            if Some(slot) == receiver {
                if fact.holds(slot, Colour::Object) && self.known.discharges(program, member) {
                    self.states[component].nodes[node as usize].events.push(Event::Owned);
                }
                said.extend(leads.then_some(None));
            } else if leads {
                let at = usize::from(slot - moves.popped) - usize::from(receiver.is_some());
                let contract = self.known.contract(program, member, at);
                if contract == Some(Contract::Takes) && fact.reaches(slot) {
                    self.states[component].nodes[node as usize].events.push(Event::Owned);
                }
                said.push(contract);
            }
        }
        let borrows = |said: &Option<Contract>| matches!(said, Some(Contract::Takes | Contract::Leaves));
        !said.is_empty() && said.iter().all(borrows)
    }

    /// Whether a method is one of the platform's interface, as seen from outside of its package.
    /// The model says what such methods do, and it says so about objects as their users see them;
    /// what they do inside is their own business, also if their code is there.
    pub(super) fn is_known_otherwise(&self, caller: MethodId, method: MethodId) -> bool {
        let package = |method: MethodId| {
            let name = &self.program.names[self.program.class(self.program.owner(method)).name];
            name.rsplit_once('/').map_or("", |(package, _)| package)
        };
        let called = package(method);
        (called.starts_with("java/") || called.starts_with("javax/")) && called != package(caller)
    }

    /// Whether one of the object's own methods calls a method on itself.
    fn is_inside(&self, component: usize, prepared: &Prepared<'p>, number: usize, slot: Slot) -> bool {
        let value = prepared.values.before(number).get(usize::from(slot)).copied();
        self.states[component].site.is_none()
            && !self.program.method(prepared.method).flags.is_static()
            && value.is_some_and(|value| prepared.values.value(value) == Value::Parameter(0))
    }

    pub(super) fn limit(&self) -> usize {
        // components of earlier machines are shared and cost nothing
        self.first_component + COMPONENTS
    }

    /// Whether a call may run methods that are not in the program: those of other classes that
    /// implement what a library declares.
    fn may_be_elsewhere(&self, component: usize, member: &Member, targets: &[MethodId]) -> bool {
        let exact = matches!(self.states[component].site, Some(site) if site.kind == SiteKind::New);
        let declared = self.program.resolve(member);
        !exact
            && declared.is_some_and(|declared| {
                let flags = self.program.method(declared).flags;
                let class = self.program.owner(declared);
                self.program.origin(class) == ClassOrigin::Platform
                    && !flags.is_static()
                    && !flags.is_private()
                    && !targets.contains(&declared)
            })
    }

    /// The slots of the arguments, the receiver included.
    pub(super) fn arguments(prepared: &Prepared<'p>, number: usize, moves: &Moves) -> std::ops::Range<Slot> {
        let depth = prepared.body.depth(number).unwrap_or(0) as Slot;
        moves.popped..prepared.body.code.max_locals + depth
    }

    /// The methods a call runs, and the slot of a captured variable if it runs a lambda.
    fn targets(
        &self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        receiver: Option<Slot>,
        fact: &Fact,
    ) -> (Vec<MethodId>, Option<Link>) {
        if receiver.is_some()
            && let Some(link) = fact
                .from(Root::Slot(moves.popped))
                .filter_map(|path| path.first())
                .find(|link| link.0 >= CAPTURES)
        {
            let (implementation, _, _) = self.captures[(link.0 - CAPTURES) as usize];
            return (self.program.resolve(&implementation).into_iter().collect(), Some(link));
        }
        let targets = self.dispatch.targets(prepared.method, number);
        // an object whose class is known runs its own methods
        if let Some(site) = self.states[component].site
            && site.kind == SiteKind::New
            && fact.holds(moves.popped, Colour::Object)
            && let Op::Invoke(Invoke::Virtual | Invoke::Interface, constant) =
                prepared.body.instructions[number].op
            && let Op::New(made) = prepared.body.instructions[site.number].op
        {
            let class = self.program.class(self.program.owner(prepared.method));
            let own =
                class.pool.class(made).and_then(|name| self.program.find_class(name)).and_then(|made| {
                    let member = class.pool.member(constant)?;
                    self.program.lookup(made, member.name, member.descriptor)
                });
            // a wrapper may be of another class
            if let Some(own) = own
                && targets.contains(&own)
            {
                return (vec![own], None);
            }
        }
        (targets, None)
    }

    /// A call whose methods are not followed: it returns, or throws. `wrapped` paths are added when
    /// it returns.
    #[expect(clippy::too_many_arguments, reason = "the state of one step")]
    pub(super) fn pass_by(
        &mut self,
        component: usize,
        prepared: &Rc<Prepared<'p>>,
        number: usize,
        moves: &Moves,
        member: &Member,
        events: Vec<Event>,
        fact: &Fact,
        wrapped: &[Path],
    ) {
        if self.known.ends(self.program, member) {
            let stop = self.stop(component, number);
            self.lead(stop);
            return;
        }
        let is_null = Known::null_test(self.program, member);
        let is_null = is_null
            .or_else(|| self.known.state_test(self.program, member))
            .filter(|_| fact.holds(moves.popped, Colour::Object));
        let finds = Known::finds(self.program, member) && fact.holds(moves.popped, Colour::Object);
        // asking an object for its state does not fail, and neither does taking what is there
        if is_null.is_none() && !finds {
            for &thrown in &*self.thrown_at(prepared, number) {
                self.throw(component, prepared, number, thrown, fact);
            }
        }
        let mut after = fact.clone();
        after.assign(&moves.assigned, moves.top);
        for &path in wrapped {
            after.add(path);
        }
        if let (Some(is_null), Some(value)) =
            (is_null, prepared.values.find(Value::Made(number as u16, moves.popped)))
        {
            // the object is not null: `isNull` is false, `nonNull` is true; and it is open
            after.set_flag(value, Some(is_null));
        }
        self.go(component, number, events, number + 1, after);
    }

    /// A method without code gets the object.
    fn outside(
        &mut self,
        (component, node): (usize, u32),
        prepared: &Rc<Prepared<'p>>,
        number: usize,
        moves: &Moves,
        member: &Member,
        receiver: Option<Slot>,
        fact: &Fact,
    ) {
        let (mut events, mut wrapped) = (Vec::new(), Vec::new());
        let slots = Self::arguments(prepared, number, moves);
        let passed = slots.clone().filter(|&slot| Some(slot) != receiver).any(|slot| fact.reaches(slot));
        let hidden = slots.clone().filter(|&slot| !fact.holds(slot, Colour::Object)).any(|slot| {
            let hides = |path: &Path| path.first().is_some_and(|link| link != CHILD);
            fact.from(Root::Slot(slot)).any(|path| path.colour == Colour::Object && hides(&path))
        });
        if passed {
            match self.handling(prepared, number, moves, member, receiver, fact) {
                // functions that hold it are run
                Handling::Borrows | Handling::Keeps if self.known.runs(self.program, member) => {
                    if !self.run_given((component, node), number, prepared, moves, fact) {
                        events.push(Event::Escaped);
                    }
                }
                // an object that holds it may be kept, too, or run
                Handling::Borrows if hidden => events.push(Event::Escaped),
                Handling::Borrows => {}
                Handling::Keeps => events.push(Event::Escaped),
                Handling::Wraps => {
                    if &self.program.names[member.name] == "<init>" {
                        let fresh = Self::is_fresh(prepared, number, moves.popped);
                        let handed = self.states[component].site.is_none();
                        if !fresh && !handed {
                            events.push(Event::Owned);
                        }
                        for root in Self::aliases(prepared, number, moves.popped) {
                            if !matches!(root, Root::Slot(slot) if slot >= moves.popped) {
                                wrapped.push(Path::slot(0, Colour::Object).at(root));
                            }
                        }
                    } else if moves.assigned.len() == 1 {
                        wrapped.push(Path::slot(moves.popped, Colour::Object));
                    }
                }
            }
            self.states[component].assumes(*member);
        }
        let of_child =
            receiver.is_some_and(|slot| fact.from(Root::Slot(slot)).any(|path| path.first() == Some(CHILD)));
        if of_child && moves.assigned.len() == 1 && self.known.is_distinct(self.program, member) {
            wrapped.extend(Path::slot(moves.popped, Colour::Object).through(CHILD));
        }
        if receiver.is_some_and(|slot| fact.holds(slot, Colour::Object)) && moves.assigned.len() == 1 {
            if self.known.is_view(self.program, member) {
                wrapped.push(Path::slot(moves.popped, Colour::Object));
            } else if self.known.is_child(self.program, member)
                || self.known.is_distinct(self.program, member)
            {
                // who gets the child can close its parent
                wrapped.extend(Path::slot(moves.popped, Colour::Object).through(CHILD));
            }
        }
        self.pass_by(component, prepared, number, moves, member, events, fact, &wrapped);
    }

    /// What a method without code does with the object, by its annotations or as the model says.
    fn handling(
        &self,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        member: &Member,
        receiver: Option<Slot>,
        fact: &Fact,
    ) -> Handling {
        let arguments = Self::arguments(prepared, number, moves).filter(|&slot| Some(slot) != receiver);
        let passed = arguments.filter(|&slot| fact.reaches(slot));
        let at = |slot: Slot| usize::from(slot - moves.popped) - usize::from(receiver.is_some());
        let said: Vec<Option<Contract>> =
            passed.map(|slot| self.known.contract(self.program, member, at(slot))).collect();
        if said.contains(&Some(Contract::ClosesWith)) {
            Handling::Wraps
        } else if said.iter().all(|said| matches!(said, Some(Contract::Takes | Contract::Leaves))) {
            Handling::Borrows
        } else {
            self.known.handling(self.program, member)
        }
    }

    /// What a method with code returns of the object that it is called on, if the model says that
    /// the one is closed with the other: a result set, of a statement of the program.
    pub(super) fn child_of(
        &self,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        fact: &Fact,
    ) -> Option<Path> {
        let Op::Invoke(invoke, constant) = prepared.body.instructions[number].op else { return None };
        let class = self.program.class(self.program.owner(prepared.method));
        let member = class.pool.member(constant).filter(|_| invoke != Invoke::Static)?;
        let is_child = moves.assigned.len() == 1
            && fact.holds(moves.popped, Colour::Object)
            && self.known.makes_child(self.program, &member);
        is_child.then(|| Path::slot(moves.popped, Colour::Object).through(CHILD)).flatten()
    }

    pub(super) fn is_fresh(prepared: &Prepared<'p>, number: usize, slot: Slot) -> bool {
        let value = prepared.values.before(number).get(usize::from(slot)).copied();
        value.is_some_and(|value| prepared.is_new(value))
    }
}

/// Whether what a call is made on is known to be null, so that the call throws an exception.
fn is_null(prepared: &Prepared<'_>, fact: &Fact, number: usize, slot: Slot) -> bool {
    let value = prepared.values.before(number).get(usize::from(slot)).copied();
    fact.from(Root::Slot(slot)).next().is_none()
        && value.is_some_and(|value| known_zero(prepared, fact, value) == Some(true))
}
