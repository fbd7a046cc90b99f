//! Calls that hardly ever throw an exception that nobody declares: getters and setters, arithmetic,
//! and what the resource model lists, as messages for a log.
//!
//! A method of the program is quiet if its code is short and has nothing but reads and writes of
//! fields and variables, arithmetic without division, branches, and calls of locks and of quiet
//! methods, which are followed to a fixed depth. That fields are read of null is another defect.
//! One pass over the short methods of the program, times the depth.

use loris_base::Idx;
use loris_java::calls::CallGraph;
use loris_java::class::{Descriptor, Invoke, Member, Op};
use loris_java::objects::{MethodPattern, ancestors};
use loris_java::{ClassOrigin, MethodId, Program};

/// Methods with more bytes of code may throw.
const LONGEST: usize = 60;

/// Calls are followed this deep.
const DEPTH: usize = 3;

/// Which methods are quiet.
pub(super) struct Quiet<'a> {
    program: &'a Program,
    patterns: &'a [MethodPattern],
    /// for each method of the program, whether it is
    methods: Vec<bool>,
}

impl<'a> Quiet<'a> {
    pub(super) fn new(program: &'a Program, graph: &CallGraph, patterns: &'a [MethodPattern]) -> Self {
        let mut quiet = Self { program, patterns, methods: vec![false; program.methods().len()] };
        let is_short = |&method: &MethodId| {
            let code = program.method(method).code.as_ref();
            code.is_some_and(|code| code.len() <= LONGEST && code.handlers.is_empty())
        };
        let short: Vec<MethodId> = program.methods().filter(is_short).collect();
        for _ in 0..DEPTH {
            let found: Vec<MethodId> =
                short.iter().copied().filter(|&method| quiet.has_quiet_code(graph, method)).collect();
            for method in found {
                quiet.methods[method.index()] = true;
            }
        }
        quiet
    }

    fn has_quiet_code(&self, graph: &CallGraph, method: MethodId) -> bool {
        let program = self.program;
        let Ok(Some(body)) = program.body(method) else { return false };
        let pool = &program.class(program.owner(method)).pool;
        body.instructions.iter().enumerate().all(|(number, instruction)| match instruction.op {
            Op::Throw
            | Op::ArrayGet(_)
            | Op::ArraySet(_)
            | Op::CheckCast(_)
            | Op::InvokeDynamic(_)
            | Op::New(_)
            | Op::NewArray(_)
            | Op::MonitorEnter
            | Op::MonitorExit => false,
            Op::Compute { divides, .. } => !divides,
            Op::Invoke(invoke, constant) => pool
                .member(constant)
                .is_some_and(|member| self.is_call_quiet(graph, (method, number), invoke, &member)),
            _ => true,
        })
    }

    /// Whether the call at an instruction is quiet.
    pub(super) fn is_call_quiet(
        &self,
        graph: &CallGraph,
        (method, number): (MethodId, usize),
        invoke: Invoke,
        member: &Member,
    ) -> bool {
        let program = self.program;
        let (classes, name) = (ancestors(program, member.owner), &program.names[member.name]);
        if is_lock(&program.names[member.owner]) || self.patterns.iter().any(|it| it.fits(&classes, name)) {
            return true;
        }
        let is_here = program
            .find_class(member.owner)
            .is_some_and(|class| program.origin(class) != ClassOrigin::Platform);
        if !is_here {
            return invoke != Invoke::Static
                && program.find_class(member.owner).is_none()
                && is_getter(name, &program.names[member.descriptor]);
        }
        let targets = graph.targets(method, number);
        !targets.is_empty() && targets.iter().all(|target| self.methods[target.index()])
    }
}

/// Whether a class is a lock of the platform: these fail only if they are misused.
pub(super) fn is_lock(class: &str) -> bool {
    class.starts_with("java/util/concurrent/locks/") && class.ends_with("Lock")
}

/// Whether a method that is not there reads something, by its name and as it has no parameters.
fn is_getter(name: &str, descriptor: &str) -> bool {
    let reads = ["get", "is", "has"].iter().any(|verb| {
        name.strip_prefix(verb).is_some_and(|rest| rest.chars().next().is_some_and(char::is_uppercase))
    });
    reads && Descriptor::of(descriptor).is_some_and(|it| it.parameters.is_empty() && it.result != "V")
}
