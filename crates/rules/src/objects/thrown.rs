//! Exceptions on the way of a counterexample: how likely they are, and the machine without those
//! that are not.
//!
//! A counterexample is one of many, and which one is found says nothing. So it is looked for first
//! on the machine where hardly anything is thrown that nobody expects; only if the rule holds
//! there, it needs such an exception, and is as uncertain as that.

use super::doubt::called;
use super::program::REFUSALS;
use super::reduce::{Graph, GraphNode};
use loris_base::{Symbol, Truth};
use loris_findings::Confidence;
use loris_java::class::{Body, Invoke, Op};
use loris_java::objects::{Component, Event, Model, Node, ObjectMachine, ancestors};
use loris_java::throws::passing;
use loris_java::{ClassOrigin, MethodId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether the call at an instruction of a method is likely to fail.
pub(super) type Fails<'a> = dyn Fn(MethodId, &Body<'_>, usize) -> bool + 'a;

/// Whether a rule is about exceptions that nobody declares, which calls are likely to fail, and the
/// method of the site.
pub(super) type Failing<'a> = (bool, &'a Fails<'a>, MethodId);

/// The machine of an object without exceptions that are hardly thrown, if it has any. Nodes keep
/// their places.
pub(super) fn without_unlikely(
    program: &Program,
    model: &Model,
    machine: &ObjectMachine,
    graphs: &[Graph],
    how: Failing<'_>,
) -> Option<Vec<Graph>> {
    let mut all: Option<Vec<Graph>> = None;
    for (number, component) in machine.components.iter().enumerate() {
        let Ok(Some(body)) = program.body(component.method) else { continue };
        let followed = followed(component);
        // instructions have many nodes each
        let mut known: FxHashMap<(usize, bool), bool> = FxHashMap::default();
        for (place, node) in component.nodes.iter().enumerate() {
            // callers go on from the exits of what they call
            if node.exit && number > 0
                || !node.moment.events.contains(&Event::Thrown)
                || followed.contains(&node.number)
            {
                continue;
            }
            let is_unlikely = *known.entry((node.number, node.exit)).or_insert_with(|| {
                let doubt = doubt_of_exception(program, model, (component.method, &body), node, how);
                doubt.is_some_and(|(most, _)| most == Confidence::Possible)
            });
            if is_unlikely {
                let graph = &mut all.get_or_insert_with(|| graphs.to_vec())[number];
                graph.nodes[place] = GraphNode { next: vec![place as u32], ..GraphNode::default() };
            }
        }
    }
    all
}

/// The instructions at which the object was followed into other methods: what is thrown there, they
/// throw.
fn followed(component: &Component) -> FxHashSet<usize> {
    component.nodes.iter().filter(|node| !node.calls.is_empty()).map(|node| node.number).collect()
}

/// How likely it is that an instruction throws. One that is written down is certain. What a method
/// declares, callers expect; other exceptions are mistakes of programs, which only rules about
/// `unchecked` ones are about, and methods of the platform hardly make any.
pub(super) fn doubt_of_exception(
    program: &Program,
    model: &Model,
    (method, body): (MethodId, &Body<'_>),
    node: &Node,
    (unchecked, fails, of_site): Failing<'_>,
) -> Option<(Confidence, String)> {
    if method != of_site && refuses(program, method, body, node.number) {
        let why = "a method is assumed to be called as it must not be";
        return Some((Confidence::Possible, why.to_owned()));
    }
    let Op::Invoke(_, constant) = body.instructions.get(node.number)?.op else { return None };
    let member = program.class(program.owner(method)).pool.member(constant)?;
    let name = called(program, &member);
    let declared = program.resolve(&member);
    let is_declared = declared.is_some_and(|declared| {
        let exceptions = &program.method(declared).exceptions;
        is_expected(program, method, (body, node), exceptions)
    });
    let is_platform =
        declared.is_some_and(|declared| program.origin(program.owner(declared)) == ClassOrigin::Platform);
    let (classes, simple) = (ancestors(program, member.owner), &program.names[member.name]);
    if model.unlikely.iter().any(|pattern| pattern.fits(&classes, simple)) {
        return Some((Confidence::Possible, format!("{name} is assumed to fail")));
    }
    Some(match (is_declared, is_platform) {
        _ if &program.names[member.name] == "close" => {
            (Confidence::Possible, format!("{name} is assumed to fail"))
        }
        (true, _) => (Confidence::Likely, format!("{name} is assumed to throw what it declares")),
        (false, false) if unchecked && fails(method, body, node.number) => {
            (Confidence::Likely, format!("{name} is assumed to throw an exception"))
        }
        (false, _) => (
            Confidence::Possible,
            format!("{name} is assumed to throw an exception that it does not declare"),
        ),
    })
}

/// Whether an instruction throws an exception with which methods refuse what callers must not do.
fn refuses(program: &Program, method: MethodId, body: &Body<'_>, number: usize) -> bool {
    let made = number.checked_sub(1).filter(|_| body.instructions[number].op == Op::Throw);
    let Some(Op::Invoke(Invoke::Special, constant)) = made.map(|made| body.instructions[made].op) else {
        return false;
    };
    let member = program.class(program.owner(method)).pool.member(constant);
    member.is_some_and(|member| REFUSALS.contains(&&program.names[member.owner]))
}

/// Whether a call throws something that its method declares, where a run goes on from a node: who
/// calls `<E extends Exception> void run() throws E` knows what it throws, and what a handler
/// catches does not leave.
fn is_expected(
    program: &Program,
    method: MethodId,
    (body, node): (&Body<'_>, &Node),
    declared: &[Symbol],
) -> bool {
    let at = body.instructions[node.number].at;
    let handlers = || body.code.handlers.iter().filter(|handler| handler.covers(at));
    let is_caught = |thrown: Symbol| {
        handlers().any(|it| it.caught.is_none_or(|it| program.catches(it, thrown) == Truth::True))
    };
    let narrowed = passing(program, method, body, node.number, declared.into());
    let unchecked = ["java/lang/RuntimeException", "java/lang/Error"];
    narrowed.iter().any(|thrown| {
        let is_said = declared.contains(thrown) || !unchecked.contains(&&program.names[*thrown]);
        is_said && !(node.exit && is_caught(*thrown))
    })
}
