//! Calls: into methods that hold the object, back from them, and what methods without code do.

use super::explore::{COMPONENTS, Calling, Exit, States, TARGETS, Tracker, field_link};
use super::fact::{Colour, Fact, Link, Path, Phase, Root};
use super::machine::{Event, SiteKind};
use super::method::Prepared;
use super::model::{Handling, Known};
use super::slots::{Moves, Slot};
use super::values::{Value, ValueId};
use crate::class::{Constant, Invoke, Member, Op};
use crate::program::{MethodId, Origin};
use std::rc::Rc;

/// Links from here on are variables captured by lambdas.
const CAPTURES: u32 = 1 << 31;

/// The link from a child to its parent.
const CHILD: Link = Link(CAPTURES - 1);

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
            SiteKind::New | SiteKind::Entry => false,
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
                    if fact.holds(slot, Colour::Object) {
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
        if fact.phase == Phase::Tracked && receiver.is_some() && self.known.is_accessor(self.program, &member)
        {
            let mut fact = fact;
            Self::read_link(field_link(member.name), Root::Slot(moves.popped), moves, &mut fact);
            self.go(component, number, Vec::new(), number + 1, fact);
            return;
        }
        let involved = fact.phase == Phase::Tracked
            && slots.clone().any(|slot| fact.from(Root::Slot(slot)).next().is_some());
        let asked = receiver.is_some_and(|slot| fact.holds(slot, Colour::Object))
            && self.known.state_test(self.program, &member).is_some();
        if !involved || asked {
            self.pass_by(component, prepared, number, moves, &member, Vec::new(), &fact, &[]);
            return;
        }
        let (targets, captured) = self.targets(component, prepared, number, moves, receiver, &fact);
        let with_code: Vec<MethodId> =
            targets.iter().copied().filter(|&target| self.prepare(target).is_some()).collect();
        let fits = with_code.len() <= TARGETS && self.states.len() < self.limit() && self.budget_states > 0;
        if !fits {
            self.complete = false;
        }
        if fits {
            if !with_code.is_empty()
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
            self.outside(component, prepared, number, moves, &member, receiver, &fact);
        }
    }

    /// Whether one of the object's own methods calls a method on itself.
    fn is_inside(&self, component: usize, prepared: &Prepared<'p>, number: usize, slot: Slot) -> bool {
        let value = prepared.values.before(number).get(usize::from(slot)).copied();
        self.states[component].site.is_none()
            && !self.program.method(prepared.method).flags.is_static()
            && value.is_some_and(|value| prepared.values.value(value) == Value::Parameter(0))
    }

    fn limit(&self) -> usize {
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
                self.program.origin(class) == Origin::Platform
                    && !flags.is_static()
                    && !flags.is_private()
                    && !targets.contains(&declared)
            })
    }

    /// The slots of the arguments, the receiver included.
    fn arguments(prepared: &Prepared<'p>, number: usize, moves: &Moves) -> std::ops::Range<Slot> {
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

    /// The site is a call: the object is there when it returns.
    fn open(
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
                for path in Self::expressions(prepared, number, object) {
                    roots.push(path.coloured(Colour::Parent));
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

    /// All ways to name the value of a slot before an instruction: slots with the same value, and
    /// fields of slots and of parameters.
    fn expressions(prepared: &Prepared<'p>, number: usize, slot: Slot) -> Vec<Path> {
        match prepared.values.before(number).get(usize::from(slot)) {
            Some(&value) => Self::names_of(prepared, number, value),
            None => Vec::new(),
        }
    }

    fn names_of(prepared: &Prepared<'p>, number: usize, value: ValueId) -> Vec<Path> {
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

    /// The constructor of the object: it is there when it returns, and never was if it throws.
    fn construct(
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

    /// A call whose methods are not followed: it returns, or throws. `wrapped` paths are added when
    /// it returns.
    #[expect(clippy::too_many_arguments, reason = "the state of one step")]
    fn pass_by(
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
        // asking an object for its state does not fail
        if is_null.is_none() {
            for thrown in self.exceptions.at(prepared.method, &prepared.body, number) {
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
        component: usize,
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
            match self.known.handling(self.program, member) {
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
            self.assumed.push(*member);
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

    pub(super) fn is_fresh(prepared: &Prepared<'p>, number: usize, slot: Slot) -> bool {
        let value = prepared.values.before(number).get(usize::from(slot)).copied();
        matches!(value.map(|value| prepared.values.value(value)), Some(Value::Made(made, _))
            if matches!(prepared.body.instructions.get(usize::from(made)).map(|made| made.op), Some(Op::New(_))))
    }

    /// Goes into a method that gets the object.
    fn follow(
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
        calls.push(Calling { callee, after: Rc::new(after), returns: Vec::new() });
        self.states[callee].callers.push((component, node, call));
        self.waiting.push(callee);
        let exits = self.states[callee].exits.clone();
        for (exit, at) in exits {
            self.come_back(component, node, call, at, &exit);
        }
    }

    /// A new component for a method that gets the object through these paths.
    fn component_of(&mut self, target: MethodId, binding: Vec<Path>) -> usize {
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
        for path in &exit.paths {
            match path.root {
                Root::Returned if moves.assigned.len() == 1 => fact.add(path.at(Root::Slot(moves.popped))),
                Root::Parameter(parameter) => {
                    let slot = moves.popped + parameter;
                    let new = Self::add_aliases(&prepared, number, slot, &moves, *path, &mut fact);
                    let direct = path.is_direct() && path.colour == Colour::Object;
                    if new
                        && direct
                        && self.states[caller].site.is_some()
                        && !Self::is_fresh(&prepared, number, slot)
                    {
                        events.push(Event::Owned);
                    }
                }
                Root::Static => fact.add(*path),
                _ => {}
            }
        }
        let saved = std::mem::take(&mut self.leads);
        match exit.thrown {
            None => self.go(caller, number, events, number + 1, fact),
            Some(thrown) => self.throw(caller, &prepared, number, thrown, &fact),
        }
        let leads = std::mem::replace(&mut self.leads, saved);
        self.states[caller].nodes[node as usize].calls[call].returns.push((exit_node, leads));
    }

    /// Adds a path at everything that holds the value of an argument; whether it is new there.
    fn add_aliases(
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
    fn make_lambda(
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

    fn capture(&mut self, implementation: Member, invoke: Invoke, slot: Slot) -> Link {
        let entry = (implementation, invoke, slot);
        let place = self.captures.iter().position(|known| *known == entry).unwrap_or_else(|| {
            self.captures.push(entry);
            self.captures.len() - 1
        });
        Link(CAPTURES + place as u32)
    }
}
