//! Finding what is reachable: a worklist of methods, of classes that are created, and of virtual
//! calls, each of which meets the others once.

use super::dynamic::{Lambda, Made, handle, made};
use super::{CallGraph, CallOptions, Callee, Calls, Dispatch, Site, Unresolved, entries, initial};
use crate::class::{Body, Constant, Invoke, Member, Op, slots_of};
use crate::program::{ClassId, ClassOrigin, MethodId, Program};
use loris_base::{Budget, Exhausted, Idx, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Methods of the platform that run what is only known at run time.
const REFLECTIVE: [(&str, &str); 6] = [
    ("java/lang/Class", "forName"),
    ("java/lang/Class", "newInstance"),
    ("java/lang/reflect/Method", "invoke"),
    ("java/lang/reflect/Constructor", "newInstance"),
    ("java/lang/invoke/MethodHandle", "invokeWithArguments"),
    ("java/util/ServiceLoader", "load"),
];

pub(super) fn graph(
    program: &Program,
    options: &CallOptions,
    budget: &mut Budget,
) -> Result<CallGraph, Exhausted> {
    let mut build = Build {
        program,
        by_hierarchy: options.calls == Calls::Hierarchy,
        graph: CallGraph { sites_of: vec![None; program.method_count()], ..CallGraph::default() },
        work: Vec::new(),
        queued: vec![false; program.method_count()],
        created: vec![false; program.classes().len()],
        lambdas: FxHashSet::default(),
        lambda_list: Vec::new(),
        lambdas_on: vec![Vec::new(); program.classes().len()],
        initialized: FxHashSet::default(),
        callees: FxHashMap::default(),
        dispatch_of: FxHashMap::default(),
        calls: Vec::new(),
        on: vec![Vec::new(); program.classes().len()],
        object: program.class_named("java.lang.Object"),
        called_back: BTreeMap::new(),
        reflective: FxHashSet::default(),
        steps: 0,
    };
    build.run(options, budget)?;
    Ok(build.finish())
}

/// A virtual call while targets are found.
struct Call {
    name: Symbol,
    descriptor: Symbol,
    targets: FxHashSet<MethodId>,
    /// Virtual calls whose targets are targets of this one too, as a method reference runs them.
    heirs: Vec<u32>,
}

struct Build<'p> {
    program: &'p Program,
    by_hierarchy: bool,
    graph: CallGraph,
    work: Vec<MethodId>,
    queued: Vec<bool>,
    created: Vec<bool>,
    lambdas: FxHashSet<Lambda>,
    lambda_list: Vec<(Lambda, ClassId, Callee)>,
    /// The lambdas whose interface is a class or inherits from it, by their places in the list.
    lambdas_on: Vec<Vec<u32>>,
    initialized: FxHashSet<ClassId>,
    callees: FxHashMap<(Invoke, Member), Callee>,
    dispatch_of: FxHashMap<(ClassId, Symbol, Symbol), u32>,
    calls: Vec<Call>,
    /// The virtual calls on each class.
    on: Vec<Vec<u32>>,
    object: Option<ClassId>,
    /// By types whose code is not given: what it may call.
    called_back: BTreeMap<ClassId, FxHashSet<Callee>>,
    /// Methods that run what is only known at run time.
    reflective: FxHashSet<MethodId>,
    /// Steps of work that are not yet spent.
    steps: usize,
}

impl Build<'_> {
    fn run(&mut self, options: &CallOptions, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.charge(self.queued.len() * 16 + self.created.len() * 56)?;
        self.graph.entries = entries::entries(self.program, &options.entries);
        for method in self.graph.entries.clone() {
            let owner = self.program.owner(method);
            self.initialize(owner);
            if !self.program.method(method).flags.is_static() {
                self.create(owner);
            }
            self.reach(method);
        }
        loop {
            while let Some(method) = self.work.pop() {
                budget.spend(1)?;
                self.method(method, budget)?;
            }
            // nothing that is created receives these calls: their declarations stand for what may
            for number in 0..self.calls.len() {
                if self.calls[number].targets.is_empty() {
                    self.target(number as u32, self.graph.dispatches[number].declared);
                }
            }
            if self.work.is_empty() {
                return Ok(());
            }
        }
    }

    fn reach(&mut self, method: MethodId) {
        if !std::mem::replace(&mut self.queued[method.index()], true) {
            self.work.push(method);
        }
    }

    fn method(&mut self, id: MethodId, budget: &mut Budget) -> Result<(), Exhausted> {
        let start = self.graph.sites.len() as u32;
        match self.program.body(id) {
            Ok(Some(body)) => {
                budget.spend(body.instructions.len())?;
                self.instructions(id, &body);
            }
            Ok(None) => self.graph.assumed.push(id),
            Err(error) => {
                self.graph.damaged.push((id, error.to_string()));
                self.graph.assumed.push(id);
            }
        }
        budget.spend(std::mem::take(&mut self.steps))?;
        let count = self.graph.sites.len() as u32 - start;
        budget.charge(count as usize * size_of::<Site>())?;
        self.graph.sites_of[id.index()] = Some((start, count));
        Ok(())
    }

    fn instructions(&mut self, id: MethodId, body: &Body<'_>) {
        let program = self.program;
        let class = program.class(program.owner(id));
        for (number, instruction) in body.instructions.iter().enumerate() {
            if body.depth(number).is_none() {
                continue;
            }
            let callee = match instruction.op {
                Op::Invoke(invoke, constant) => {
                    let Some(member) = class.pool.member(constant) else { continue };
                    if invoke == Invoke::Static {
                        self.initialize_named(member.owner);
                    }
                    Some(self.callee(invoke, &member))
                }
                Op::InvokeDynamic(constant) => {
                    let Constant::InvokeDynamic(dynamic) = class.pool.get(constant) else { continue };
                    match made(class, &program.names, &dynamic) {
                        Made::Lambda(lambda) => {
                            self.lambda(&lambda);
                            None
                        }
                        Made::Value => None,
                        Made::Unknown => Some(Callee::Unresolved(Unresolved::Bootstrap)),
                    }
                }
                Op::New(constant) => {
                    if let Some(created) =
                        class.pool.class(constant).and_then(|name| program.find_class(name))
                    {
                        self.initialize(created);
                        self.create(created);
                    }
                    None
                }
                Op::GetStatic(constant) | Op::PutStatic(constant) => {
                    if let Some(member) = class.pool.member(constant) {
                        self.initialize_named(member.owner);
                    }
                    None
                }
                Op::Load(constant, _) => {
                    if let Some((kind, member)) = handle(class, constant) {
                        self.handled(kind, &member);
                    }
                    None
                }
                _ => None,
            };
            if let Some(callee) = callee {
                match callee {
                    Callee::Unresolved(why) => self.graph.unresolved.push((id, number, why)),
                    Callee::Method(method) if self.reflective.contains(&method) => {
                        self.graph.unresolved.push((id, number, Unresolved::Reflective));
                    }
                    _ => {}
                }
                // a method has at most 65535 instructions
                self.graph.sites.push(Site { number: number as u16, callee });
            }
        }
    }

    /// What an instruction calls. Its targets are reached.
    fn callee(&mut self, invoke: Invoke, member: &Member) -> Callee {
        if let Some(&callee) = self.callees.get(&(invoke, *member)) {
            return callee;
        }
        let callee = self.resolved(invoke, member);
        self.callees.insert((invoke, *member), callee);
        callee
    }

    fn resolved(&mut self, invoke: Invoke, member: &Member) -> Callee {
        let program = self.program;
        let (owner, name) = (&program.names[member.owner], &program.names[member.name]);
        let class = if owner.starts_with('[') { self.object } else { program.find_class(member.owner) };
        let declared = class.and_then(|class| program.lookup(class, member.name, member.descriptor));
        let (Some(class), Some(declared)) = (class, declared) else {
            // methods like those of method handles have any descriptor
            let is_handle = owner == "java/lang/invoke/MethodHandle" || owner == "java/lang/invoke/VarHandle";
            return Callee::Unresolved(if is_handle { Unresolved::Reflective } else { Unresolved::Missing });
        };
        if REFLECTIVE.contains(&(owner, name)) {
            self.reflective.insert(declared);
            self.reach(declared);
            return Callee::Method(declared);
        }
        let flags = program.method(declared).flags;
        let is_exact = matches!(invoke, Invoke::Static | Invoke::Special)
            || flags.is_private()
            || flags.is_final()
            || program.class(class).flags.is_final();
        if is_exact {
            self.reach(declared);
            return Callee::Method(declared);
        }
        Callee::Virtual(self.dispatch(class, declared, member.name, member.descriptor))
    }

    /// The virtual call of a method on a class.
    fn dispatch(&mut self, class: ClassId, declared: MethodId, name: Symbol, descriptor: Symbol) -> u32 {
        if let Some(&number) = self.dispatch_of.get(&(class, name, descriptor)) {
            return number;
        }
        let program = self.program;
        let number = self.calls.len() as u32;
        self.dispatch_of.insert((class, name, descriptor), number);
        self.calls.push(Call { name, descriptor, targets: FxHashSet::default(), heirs: Vec::new() });
        self.graph.dispatches.push(Dispatch { declared, targets: Vec::new() });
        self.on[class.index()].push(number);
        // objects of classes that are not given may be received: their code is not known
        if program.origin(program.owner(declared)) == ClassOrigin::Platform {
            self.target(number, declared);
        }
        let subtypes = program.all_subtypes(class);
        self.steps += subtypes.len();
        for subtype in subtypes {
            if self.created[subtype.index()] || self.by_hierarchy {
                self.receive(number, subtype);
            }
        }
        for at in 0..self.lambdas_on[class.index()].len() {
            self.receive_lambda(number, self.lambdas_on[class.index()][at] as usize);
        }
        number
    }

    /// A virtual call may meet an object of a class.
    fn receive(&mut self, number: u32, class: ClassId) {
        let program = self.program;
        let flags = program.class(class).flags;
        // for classes of the platform, the declaration stands
        if flags.is_interface() || flags.is_abstract() || program.origin(class) == ClassOrigin::Platform {
            return;
        }
        self.steps += 1;
        let call = &self.calls[number as usize];
        if let Some(target) = program.lookup(class, call.name, call.descriptor)
            && (!program.method(target).flags.is_abstract())
        {
            self.target(number, target);
        }
    }

    /// A virtual call on a class meets an object that a lambda made whose interface inherits from
    /// it.
    fn receive_lambda(&mut self, number: u32, place: usize) {
        self.steps += 1;
        let (lambda, interface, callee) = self.lambda_list[place];
        let program = self.program;
        let call = &self.calls[number as usize];
        if call.name == lambda.name && same_arity(program, call.descriptor, lambda.descriptor) {
            match callee {
                Callee::Method(target) => self.target(number, target),
                Callee::Virtual(other) => self.inherit(number, other),
                Callee::Unresolved(_) => {}
            }
        } else if let Some(target) = program.lookup(interface, call.name, call.descriptor)
            && !program.method(target).flags.is_abstract()
        {
            self.target(number, target);
        }
    }

    /// All targets of another virtual call are targets of this one.
    fn inherit(&mut self, number: u32, other: u32) {
        if number == other || self.calls[other as usize].heirs.contains(&number) {
            return;
        }
        self.calls[other as usize].heirs.push(number);
        let mut targets: Vec<MethodId> = self.calls[other as usize].targets.iter().copied().collect();
        targets.sort_unstable();
        for target in targets {
            self.target(number, target);
        }
    }

    fn target(&mut self, number: u32, target: MethodId) {
        let mut work = vec![number];
        while let Some(number) = work.pop() {
            if self.calls[number as usize].targets.insert(target) {
                work.extend(&self.calls[number as usize].heirs);
            }
        }
        self.reach(target);
    }

    /// Objects of a class may exist.
    fn create(&mut self, class: ClassId) {
        let program = self.program;
        if std::mem::replace(&mut self.created[class.index()], true) {
            return;
        }
        if program.origin(class) == ClassOrigin::Platform {
            return;
        }
        let ancestors = program.supertypes(class);
        self.steps += ancestors.len();
        if !self.by_hierarchy {
            for &ancestor in &ancestors {
                for place in 0..self.on[ancestor.index()].len() {
                    let number = self.on[ancestor.index()][place];
                    self.receive(number, class);
                }
            }
        }
        self.callbacks(class, &ancestors);
    }

    /// The methods by which an object overrides methods of classes that are not given: their code
    /// may call them.
    fn callbacks(&mut self, class: ClassId, ancestors: &[ClassId]) {
        let program = self.program;
        for &ancestor in ancestors {
            if program.origin(ancestor) != ClassOrigin::Platform {
                continue;
            }
            for declared in program.methods_of(ancestor) {
                self.steps += 1;
                let method = program.method(declared);
                let is_final = method.flags.is_static() || method.flags.is_final();
                if is_final || &program.names[method.name] == "<init>" {
                    continue;
                }
                if let Some(target) = program.lookup(class, method.name, method.descriptor)
                    && program.method(target).code.is_some()
                {
                    self.call_back(ancestor, Callee::Method(target));
                }
            }
        }
    }

    /// A method that code of a type which is not given may call.
    fn call_back(&mut self, class: ClassId, callee: Callee) {
        self.called_back.entry(class).or_default().insert(callee);
        if let Callee::Method(target) = callee {
            self.reach(target);
        }
    }

    fn initialize_named(&mut self, name: Symbol) {
        if let Some(class) = self.program.find_class(name) {
            self.initialize(class);
        }
    }

    fn initialize(&mut self, class: ClassId) {
        if self.initialized.insert(class) {
            for initializer in initial::of_class(self.program, class) {
                self.reach(initializer);
            }
        }
    }

    fn lambda(&mut self, lambda: &Lambda) {
        if !self.lambdas.insert(*lambda) {
            return;
        }
        let callee = self.handled(lambda.kind, &lambda.implementation);
        let Some(interface) = self.program.find_class(lambda.interface) else { return };
        let place = self.lambda_list.len();
        self.lambda_list.push((*lambda, interface, callee));
        for ancestor in self.program.supertypes(interface) {
            self.lambdas_on[ancestor.index()].push(place as u32);
            for at in 0..self.on[ancestor.index()].len() {
                let number = self.on[ancestor.index()][at];
                self.receive_lambda(number, place);
            }
            if self.program.origin(ancestor) == ClassOrigin::Platform && Some(ancestor) != self.object {
                self.call_back(ancestor, callee);
            }
        }
    }

    /// A method handle: what it calls is reached.
    fn handled(&mut self, kind: u8, member: &Member) -> Callee {
        let invoke = match kind {
            5 => Invoke::Virtual,
            6 => Invoke::Static,
            9 => Invoke::Interface,
            _ => Invoke::Special,
        };
        if kind == 6 || kind == 8 {
            self.initialize_named(member.owner);
        }
        if kind == 8
            && let Some(class) = self.program.find_class(member.owner)
        {
            self.create(class);
        }
        self.callee(invoke, member)
    }

    fn finish(self) -> CallGraph {
        let Build { mut graph, calls, called_back, .. } = self;
        for (dispatch, call) in graph.dispatches.iter_mut().zip(calls) {
            dispatch.targets = call.targets.into_iter().collect();
            dispatch.targets.sort_unstable();
        }
        graph.reachable = self
            .queued
            .iter()
            .enumerate()
            .filter(|(_, queued)| **queued)
            .map(|(number, _)| MethodId::new(number))
            .collect();
        for (class, callees) in called_back {
            let mut methods: Vec<MethodId> =
                callees.iter().flat_map(|callee| graph.methods(callee)).copied().collect();
            methods.retain(|&method| self.program.method(method).code.is_some());
            methods.sort_unstable();
            methods.dedup();
            graph.callbacks.extend(&methods);
            graph.called_back.insert(class, methods);
        }
        graph.callbacks.sort_unstable();
        graph.callbacks.dedup();
        graph.assumed.sort_unstable();
        graph.unresolved.sort_unstable();
        graph.damaged.sort_unstable();
        graph
    }
}

/// Whether two methods have the same number of parameters: descriptors of bridges differ in types.
fn same_arity(program: &Program, one: Symbol, other: Symbol) -> bool {
    let arity = |descriptor: Symbol| slots_of(&program.names[descriptor]).map(|(count, ..)| count);
    one == other || arity(one) == arity(other)
}
