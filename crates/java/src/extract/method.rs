//! The component of a method with code.

use super::labels::Place;
use super::{Extract, FEW, Granularity, Target, ValueKind};
use crate::calls::{CallGraph, Callee, of_use, used};
use crate::class::{Body, Op};
use crate::program::{MethodId, Program};
use crate::throws::{Throws, passing};
use loris_base::{Budget, Exhausted, Symbol};
use loris_rsm::Reference;
use std::borrow::Cow;
use std::rc::Rc;

/// The instructions of a method, cut into slices.
struct Slices {
    /// Whether a path leads to the instruction.
    reached: Vec<bool>,
    /// Labels of each instruction: where they end in `labels`.
    ends: Vec<usize>,
    labels: Vec<u32>,
    /// The instructions that may run initializers, in order, with these.
    before: Vec<(usize, Rc<[MethodId]>)>,
    is_early: Vec<bool>,
    /// Whether a slice starts with the instruction.
    starts: Vec<bool>,
    /// Whether it may do something else than to go on with the next.
    is_last: Vec<bool>,
}

impl Slices {
    fn labels(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.labels[start..self.ends[number]]
    }
}

impl Extract<'_> {
    pub(super) fn method(&mut self, id: MethodId, budget: &mut Budget) -> Result<(), Exhausted> {
        let owner = self.program.owner(id);
        if self.here != Some(owner) {
            self.here = Some(owner);
            self.initializers.clear();
        }
        match self.program.body(id).ok().flatten() {
            Some(body) => {
                budget.spend(body.instructions.len())?;
                self.with_code(id, &body);
            }
            None => self.without_code(id),
        }
        self.add(budget)
    }

    fn with_code(&mut self, id: MethodId, body: &Body<'_>) {
        let slices = self.slices(id, body);
        let file = self.file(id);
        let place = |number: usize| file.zip(body.code.line(body.instructions[number].at));
        self.draft.rename(self.components.of(id), 0);
        let found = self.labels.of_entry(id).to_vec();
        self.node(self.enter, ValueKind::Entry, &found, place(0));
        self.exits(id, false);
        let first = self.before(body, &slices, 0);
        self.edge(Reference::node(self.enter, 0), first);
        // an instruction that may run initializers starts a slice
        let mut before = slices.before.iter().peekable();
        let mut number = 0;
        while number < body.instructions.len() {
            let start = number;
            while !slices.is_last[number] && slices.starts.get(number + 1) == Some(&false) {
                number += 1;
            }
            if slices.reached[start] {
                let name = self.number(body.instructions[start].at);
                self.node(name, ValueKind::Inner, slices.labels(start), place(number));
                if let Some((_, initializers)) = before.next_if(|(number, _)| *number == start) {
                    self.initialize(
                        body.instructions[start].at,
                        initializers,
                        place(start),
                        Reference::node(name, 0),
                    );
                }
                self.successors(id, body, &slices, name, number, place(number));
            }
            number += 1;
        }
    }

    /// Adds the exits of a method: what `throw` labels go there, if its code is not known.
    pub(super) fn exits(&mut self, id: MethodId, is_thrown_here: bool) {
        let found = self.labels.of_exit(id, false).to_vec();
        self.node(self.exit, ValueKind::Exit, &found, None);
        let set = self.target(id).set;
        for number in 0..self.exits.of(set).len() {
            let exit = self.exits.of(set)[number].clone();
            let mut found = self.labels.of_exit(id, true).to_vec();
            if is_thrown_here {
                found.extend_from_slice(self.labels.of_throw(&exit.types));
            }
            self.node(exit.name, ValueKind::Exit, &found, None);
        }
        if self.is_initializer(id) && !self.throws.of(id).is_empty() {
            // runs end here, as programs do
            let name = self.uncaught;
            let found = self.labels.of_throw(self.throws.of(id)).to_vec();
            self.node(name, ValueKind::Inner, &found, None);
            self.edge(Reference::node(name, 0), Reference::node(name, 0));
        }
    }

    /// The nodes that exceptions of these types lead to when they leave a method.
    pub(super) fn leaving(&mut self, id: MethodId, types: &[Symbol]) -> Vec<Symbol> {
        if types.is_empty() {
            return Vec::new();
        }
        if self.is_initializer(id) {
            return vec![self.uncaught];
        }
        self.exits.for_types(self.throws.set_of(id), types)
    }

    fn slices(&mut self, id: MethodId, body: &Body<'_>) -> Slices {
        let count = body.instructions.len();
        let each = self.granularity == Granularity::Instruction;
        let mut slices = Slices {
            reached: reached(self.program, self.graph, self.throws, id, body),
            ends: Vec::with_capacity(count),
            labels: Vec::new(),
            before: Vec::new(),
            is_early: vec![false; count],
            starts: vec![each; count],
            is_last: Vec::with_capacity(count),
        };
        slices.starts[0] = true;
        for handler in &body.code.handlers {
            if let Some(target) = body.number(u32::from(handler.target)) {
                slices.starts[target] = true;
            }
        }
        let (graph, throws) = (self.graph, self.throws);
        for (number, instruction) in body.instructions.iter().enumerate() {
            let is_reached = slices.reached[number];
            if is_reached {
                let place = Place { graph, throws, method: id, body, number };
                slices.labels.extend_from_slice(self.labels.of_instruction(&place));
            }
            slices.ends.push(slices.labels.len());
            let branches =
                matches!(instruction.op, Op::If(..) | Op::Goto(_) | Op::Switch | Op::Return(_) | Op::Throw);
            for target in body.branches(instruction) {
                if let Some(target) = body.number(target) {
                    slices.starts[target] = true;
                }
            }
            if is_reached && let Some(before) = self.uses(instruction.op) {
                slices.starts[number] = true;
                slices.is_early[number] = true;
                slices.before.push((number, before));
            }
            let calls = matches!(instruction.op, Op::Invoke(..) | Op::InvokeDynamic(_));
            let is_last = branches
                || calls && graph.callee(id, number).is_some()
                || is_reached && !throws.at(self.program, graph, id, body, number).is_empty();
            slices.is_last.push(is_last);
            if is_last && number + 1 < count {
                slices.starts[number + 1] = true;
            }
            if number > 0 && slices.labels(number) != slices.labels(number - 1) {
                slices.starts[number] = true;
            }
        }
        slices
    }

    /// The initializers that an instruction may run.
    fn uses(&mut self, op: Op) -> Option<Rc<[MethodId]>> {
        let here = self.here?;
        let program = self.program;
        let used = used(program, here, op)?;
        let found = self.initializers.entry(used).or_insert_with(|| of_use(program, here, used).into());
        (!found.is_empty()).then(|| Rc::clone(found))
    }

    /// Where a path to an instruction leads.
    fn before(&mut self, body: &Body<'_>, slices: &Slices, number: usize) -> Reference {
        let at = body.instructions[number].at;
        let name = if slices.is_early[number] { self.early(at) } else { self.number(at) };
        Reference::node(name, 0)
    }

    /// A node before an instruction from which each of some initializers may run, in order.
    fn initialize(
        &mut self,
        at: u16,
        initializers: &[MethodId],
        place: Option<(Symbol, u16)>,
        next: Reference,
    ) {
        let name = self.early(at);
        self.node(name, ValueKind::Inner, &[], place);
        self.initializers_from(Reference::node(name, 0), at, initializers, next);
    }

    pub(super) fn initializers_from(
        &mut self,
        from: Reference,
        at: u16,
        initializers: &[MethodId],
        next: Reference,
    ) {
        let sites: Vec<Symbol> = (0..initializers.len())
            .map(|number| self.builder.symbol(&format!("@{at} initializer {number}")))
            .collect();
        for (&site, &initializer) in sites.iter().zip(initializers) {
            self.draft.site(site, 0, self.components.of(initializer), 0);
        }
        let returns = sites.iter().map(|&site| Reference::port(site, self.exit, 0));
        let places: Vec<Reference> = std::iter::once(from).chain(returns).collect();
        for (number, &place) in places.iter().enumerate() {
            for &site in &sites[number..] {
                self.edge(place, Reference::port(site, self.enter, 0));
            }
            self.edge(place, next);
        }
    }

    /// The edges of the node of a slice that ends with an instruction.
    fn successors(
        &mut self,
        id: MethodId,
        body: &Body<'_>,
        slices: &Slices,
        name: Symbol,
        number: usize,
        place: Option<(Symbol, u16)>,
    ) {
        let instruction = &body.instructions[number];
        let from = Reference::node(name, 0);
        if let Op::Return(_) = instruction.op {
            self.edge(from, Reference::node(self.exit, 0));
        }
        for target in body.branches(instruction) {
            if let Some(target) = body.number(target) {
                let next = self.before(body, slices, target);
                self.edge(from, next);
            }
        }
        let calls = matches!(instruction.op, Op::Invoke(..) | Op::InvokeDynamic(_));
        let callee = if calls { self.graph.callee(id, number) } else { None };
        let next = (Body::falls_through(instruction.op) && number + 1 < body.instructions.len())
            .then(|| self.before(body, slices, number + 1));
        let (program, throws) = (self.program, self.throws);
        match (callee, next) {
            (Some(callee @ (Callee::Method(_) | Callee::Virtual(_))), Some(next)) => {
                self.call(id, body, slices, number, (from, next), callee, place);
                // what the virtual machine throws instead of the call
                let implicit = throws.implicit(program, instruction.op);
                self.throwing(id, body, slices, number, from, &implicit);
            }
            (_, next) => {
                if let Some(next) = next {
                    self.edge(from, next);
                }
                let thrown = throws.at(program, self.graph, id, body, number);
                self.throwing(id, body, slices, number, from, &thrown);
            }
        }
    }

    /// Edges for exceptions of these types from a place at an instruction.
    fn throwing(
        &mut self,
        id: MethodId,
        body: &Body<'_>,
        slices: &Slices,
        number: usize,
        from: Reference,
        types: &[Symbol],
    ) {
        if types.is_empty() {
            return;
        }
        let types = passing(self.program, id, body, number, Cow::Borrowed(types));
        let ways = self.throws.flow(self.program, body, number, &types);
        for (handler, _) in ways.handlers {
            let next = self.before(body, slices, handler);
            self.edge(from, next);
        }
        for exit in self.leaving(id, &ways.leaving) {
            self.edge(from, Reference::node(exit, 0));
        }
    }

    fn call(
        &mut self,
        id: MethodId,
        body: &Body<'_>,
        slices: &Slices,
        number: usize,
        (from, next): (Reference, Reference),
        callee: Callee,
        place: Option<(Symbol, u16)>,
    ) {
        let at = body.instructions[number].at;
        let is_covered = body.code.handlers.iter().any(|handler| handler.covers(at));
        for (place_of, target) in self.targets(callee).into_iter().enumerate() {
            let site = self.site(at, place_of as u32);
            self.draft.site(site, 0, target.component, 0);
            if let Some((file, line)) = place {
                self.draft.box_place(file, u32::from(line), None);
            }
            self.edge(from, Reference::port(site, self.enter, 0));
            self.edge(Reference::port(site, self.exit, 0), next);
            for exit in 0..self.exits.of(target.set).len() {
                let name = self.exits.of(target.set)[exit].name;
                let port = Reference::port(site, name, 0);
                if is_covered || self.exits.of(target.set)[exit].broad {
                    let kinds = self.exits.of(target.set)[exit].kinds.clone();
                    self.throwing(id, body, slices, number, port, &kinds);
                } else {
                    for &end in &*self.passed(id, target.set, exit as u32) {
                        self.edge(port, Reference::node(end, 0));
                    }
                }
            }
        }
    }

    /// The nodes that exceptions lead to which leave a callee by one of its exits, and then the
    /// method.
    fn passed(&mut self, id: MethodId, set: u32, exit: u32) -> Rc<[Symbol]> {
        let is_initializer = self.is_initializer(id);
        let own = if is_initializer { u32::MAX } else { self.throws.set_of(id) };
        if let Some(known) = self.passed.get(&(own, set, exit)) {
            return Rc::clone(known);
        }
        let kinds = self.exits.of(set)[exit as usize].kinds.clone();
        let found: Rc<[Symbol]> = self.leaving(id, &kinds).into();
        self.passed.insert((own, set, exit), Rc::clone(&found));
        found
    }

    /// The components that a call goes to.
    fn targets(&mut self, callee: Callee) -> Vec<Target> {
        match callee {
            Callee::Virtual(number) if self.graph.dispatch(number).targets.len() > FEW => {
                let (program, builder) = (self.program, &mut self.builder);
                let declared = self.graph.dispatch(number).declared;
                let component = *self.dispatched[number as usize].get_or_insert_with(|| {
                    builder.symbol(&format!("virtual {} #{number}", program.method_name(declared)))
                });
                vec![Target { component, set: self.throws.set_of_dispatch(number) }]
            }
            callee => self.graph.methods(&callee).iter().map(|&method| self.target(method)).collect(),
        }
    }

    /// The source file of a method, with the folder of its package.
    fn file(&mut self, id: MethodId) -> Option<Symbol> {
        let program = self.program;
        let class = program.class(program.owner(id));
        let name = class.source_file?;
        let builder = &mut self.builder;
        Some(*self.files.entry(class.name).or_insert_with(|| {
            let full = &program.names[class.name];
            let folder = full.rfind('/').map_or("", |end| &full[..=end]);
            builder.symbol(&format!("{folder}{}", &program.names[name]))
        }))
    }
}

/// Which instructions some path leads to: handlers are entered only where what they catch is
/// thrown.
pub(super) fn reached(
    program: &Program,
    graph: &CallGraph,
    throws: &Throws,
    id: MethodId,
    body: &Body<'_>,
) -> Vec<bool> {
    let mut reached = vec![false; body.instructions.len()];
    let mut work = vec![0];
    while let Some(number) = work.pop() {
        if std::mem::replace(&mut reached[number], true) {
            continue;
        }
        let instruction = &body.instructions[number];
        work.extend(body.branches(instruction).filter_map(|target| body.number(target)));
        if Body::falls_through(instruction.op) && number + 1 < body.instructions.len() {
            work.push(number + 1);
        }
        work.extend(throws.handlers(program, graph, id, body, number).0);
    }
    reached
}
