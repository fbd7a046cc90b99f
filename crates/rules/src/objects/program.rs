//! How calls are resolved and what they throw, for following objects.

use loris_base::{Symbol, Truth};
use loris_java::calls::CallGraph;
use loris_java::class::{Body, Member, Op};
use loris_java::objects::{Dispatch, Exceptions};
use loris_java::throws::{Throws, passing};
use loris_java::{MethodId, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The calls of a program and what they throw.
pub(super) struct Behaviour<'p> {
    pub(super) program: &'p Program,
    pub(super) graph: &'p CallGraph,
    pub(super) throws: &'p Throws,
    /// exceptions that are not counted
    improbable: Vec<Symbol>,
    /// what every call may throw, too
    unchecked: Option<Symbol>,
    /// for each type of exceptions the first of those that no handler tells apart from it
    alike: FxHashMap<Symbol, Symbol>,
}

impl<'p> Behaviour<'p> {
    pub(super) fn new(
        program: &'p Program,
        graph: &'p CallGraph,
        throws: &'p Throws,
        improbable: &[String],
        unchecked: bool,
    ) -> Self {
        let improbable: Vec<Symbol> =
            improbable.iter().filter_map(|name| program.names.find(&name.replace('.', "/"))).collect();
        let unchecked = program.names.find("java/lang/RuntimeException").filter(|_| unchecked);
        let alike = alike(program, throws, &improbable);
        Self { program, graph, throws, improbable, unchecked, alike }
    }
}

/// Types of exceptions that no handler of the program tells apart: the same handlers certainly
/// catch them, and the same ones may. Linear in the types that are thrown, times those that are
/// caught.
fn alike(program: &Program, throws: &Throws, improbable: &[Symbol]) -> FxHashMap<Symbol, Symbol> {
    let (mut caught, mut thrown) = (BTreeSet::new(), BTreeSet::new());
    for method in program.methods() {
        let declared = program.method(method);
        thrown.extend(&declared.exceptions);
        thrown.extend(throws.of(method));
        let handlers = declared.code.iter().flat_map(|code| &code.handlers);
        caught.extend(handlers.filter_map(|handler| handler.caught));
    }
    let mut classes: FxHashMap<Vec<(Symbol, bool)>, Symbol> = FxHashMap::default();
    let thrown = thrown.into_iter().filter(|thrown| !improbable.contains(thrown));
    let of = thrown.map(|thrown| {
        let handlers = caught.iter().filter_map(|&caught| {
            let caught_here = program.catches(caught, thrown);
            (caught_here != Truth::False).then_some((caught, caught_here == Truth::True))
        });
        (thrown, *classes.entry(handlers.collect()).or_insert(thrown))
    });
    of.collect()
}

impl Behaviour<'_> {
    /// The method that an instruction calls, as it names it.
    fn called(&self, method: MethodId, body: &Body<'_>, number: usize) -> Option<Member> {
        let Op::Invoke(_, constant) = body.instructions[number].op else { return None };
        self.program.class(self.program.owner(method)).pool.member(constant)
    }
}

/// Whether a class is a lock of the platform: these fail only if they are misused.
fn is_lock(class: &str) -> bool {
    class.starts_with("java/util/concurrent/locks/") && class.ends_with("Lock")
}

impl Dispatch for Behaviour<'_> {
    fn targets(&self, method: MethodId, number: usize) -> Vec<MethodId> {
        self.graph.targets(method, number).to_vec()
    }
}

impl Exceptions for Behaviour<'_> {
    fn always(&self, method: MethodId, body: &Body<'_>, number: usize) -> Option<Symbol> {
        let unchecked = self.unchecked?;
        let member = self.called(method, body, number)?;
        let owner = &self.program.names[member.owner];
        // a stream that prints keeps its failures to itself
        let prints = owner == "java/io/PrintStream";
        // what was unboxed from null is another defect
        let name = &self.program.names[member.name];
        let boxes = owner.starts_with("java/lang/") && (name.ends_with("Value") || name == "valueOf");
        let is_quiet = is_lock(owner) || prints || boxes;
        let quiet = is_quiet || owner.starts_with("java/util/logging/") || owner == "java/lang/Thread";
        (!quiet).then_some(unchecked)
    }

    fn at(&self, method: MethodId, body: &Body<'_>, number: usize) -> Vec<Symbol> {
        let called = self.called(method, body, number);
        let is_lock = called.is_some_and(|member| is_lock(&self.program.names[member.owner]));
        let mut thrown = if is_lock {
            Vec::new()
        } else {
            self.throws.at(self.program, self.graph, method, body, number).into_owned()
        };
        // what a method declares its callers have to expect, whatever its code does today
        if let Some(member) = called
            && let Some(declared) = self.program.resolve(&member)
        {
            thrown.extend(&self.program.method(declared).exceptions);
            thrown = passing(self.program, method, body, number, thrown.into()).into_owned();
        }
        thrown.retain_mut(|thrown| {
            let probable = !self.improbable.contains(thrown);
            *thrown = self.alike.get(thrown).copied().unwrap_or(*thrown);
            probable
        });
        thrown.extend(self.always(method, body, number));
        thrown.sort_unstable();
        thrown.dedup();
        thrown
    }
}
