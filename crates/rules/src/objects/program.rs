//! How calls are resolved and what they throw, for following objects.

use super::quiet::{Quiet, is_lock};
use super::resources::Resources;
use loris_base::{Symbol, Truth};
use loris_java::calls::CallGraph;
use loris_java::class::{Body, Invoke, Member, Op};
use loris_java::objects::{Dispatch, Exceptions};
use loris_java::throws::{Throws, passing};
use loris_java::{MethodId, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What methods throw that are called as they must not be.
pub(super) const REFUSALS: [&str; 7] = [
    "java/lang/ArithmeticException",
    "java/lang/ClassCastException",
    "java/lang/IllegalArgumentException",
    "java/lang/IllegalStateException",
    "java/lang/IndexOutOfBoundsException",
    "java/lang/NullPointerException",
    "java/lang/UnsupportedOperationException",
];

/// The calls of a program and what they throw.
pub(super) struct Behaviour<'p> {
    pub(super) program: &'p Program,
    pub(super) graph: &'p CallGraph,
    pub(super) throws: &'p Throws,
    /// exceptions that are not counted
    improbable: Vec<Symbol>,
    /// what every call may throw, too, but for those that are quiet
    unchecked: Option<(Symbol, Quiet<'p>)>,
    /// for each type of exceptions the first of those that no handler tells apart from it
    alike: FxHashMap<Symbol, Symbol>,
}

impl<'p> Behaviour<'p> {
    pub(super) fn new(
        program: &'p Program,
        graph: &'p CallGraph,
        throws: &'p Throws,
        resources: &'p Resources,
        unchecked: bool,
    ) -> Self {
        let named = resources.improbable.iter();
        let improbable: Vec<Symbol> =
            named.filter_map(|name| program.names.find(&name.replace('.', "/"))).collect();
        let unchecked = program.names.find("java/lang/RuntimeException").filter(|_| unchecked);
        let unchecked = unchecked.map(|thrown| (thrown, Quiet::new(program, graph, &resources.quiet)));
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
    fn called(&self, method: MethodId, body: &Body<'_>, number: usize) -> Option<(Invoke, Member)> {
        let Op::Invoke(invoke, constant) = body.instructions[number].op else { return None };
        Some((invoke, self.program.class(self.program.owner(method)).pool.member(constant)?))
    }
}

impl Behaviour<'_> {
    /// Whether a call throws nothing but what the method declares. Rules that do not look at
    /// undeclared exceptions do not ask.
    fn is_quiet(&self, method: MethodId, number: usize, (invoke, member): (Invoke, Member)) -> bool {
        let Some((_, quiet)) = &self.unchecked else { return false };
        let (owner, name) = (&self.program.names[member.owner], &self.program.names[member.name]);
        // what was unboxed from null is another defect
        let boxes = owner.starts_with("java/lang/") && (name.ends_with("Value") || name == "valueOf");
        boxes || is_lock(owner) || quiet.is_call_quiet(self.graph, (method, number), invoke, &member)
    }
}

impl Behaviour<'_> {
    /// Whether a type of exceptions is one that a program expects: neither an error, nor all that
    /// there are, nor one with which methods refuse what callers must not do.
    fn is_expected(&self, thrown: Symbol) -> bool {
        if REFUSALS.contains(&&self.program.names[thrown]) {
            return false;
        }
        let named = |name: &str| self.program.names.find(name);
        let is = |name: &str| named(name).is_some_and(|of| self.program.is_subtype(thrown, of));
        named("java/lang/Throwable") != Some(thrown) && !is("java/lang/Error")
    }
}

impl Dispatch for Behaviour<'_> {
    fn targets(&self, method: MethodId, number: usize) -> Vec<MethodId> {
        self.graph.targets(method, number).to_vec()
    }
}

impl Exceptions for Behaviour<'_> {
    fn always(&self, method: MethodId, body: &Body<'_>, number: usize) -> Option<Symbol> {
        let (unchecked, _) = self.unchecked.as_ref()?;
        let called = self.called(method, body, number)?;
        (!self.is_quiet(method, number, called)).then_some(*unchecked)
    }

    fn is_likely(&self, method: MethodId, body: &Body<'_>, number: usize) -> bool {
        let thrown = self.throws.at(self.program, self.graph, method, body, number);
        if thrown.iter().any(|&thrown| self.is_expected(thrown)) {
            return true;
        }
        // a method of the program that somebody else implements may do anything
        let targets = self.graph.targets(method, number);
        let declared =
            self.called(method, body, number).and_then(|(_, member)| self.program.resolve(&member));
        let is_abstract = |method: MethodId| self.program.method(method).code.is_none();
        targets.iter().any(|&target| is_abstract(target))
            || targets.is_empty() && declared.is_some_and(is_abstract)
    }

    fn at(&self, method: MethodId, body: &Body<'_>, number: usize) -> Vec<Symbol> {
        let called = self.called(method, body, number);
        let is_quiet = called.is_some_and(|called| {
            is_lock(&self.program.names[called.1.owner]) || self.is_quiet(method, number, called)
        });
        let mut thrown = if is_quiet {
            Vec::new()
        } else {
            self.throws.at(self.program, self.graph, method, body, number).into_owned()
        };
        // what a method declares its callers have to expect, whatever its code does today
        if let Some((_, member)) = called
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
