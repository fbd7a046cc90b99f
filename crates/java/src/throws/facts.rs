//! What the instructions of a method throw, as far as it does not depend on other methods: found
//! once for every method.

use super::bound::{UNCHECKED, is_checked};
use super::flow::{Source, sources};
use super::types::Types;
use super::{ThrowOptions, implicit};
use crate::calls::{CallGraph, Callee};
use crate::class::{Body, Op};
use crate::program::{MethodId, Program};
use loris_base::Symbol;

/// An instruction that throws.
#[derive(Clone, Debug)]
pub(super) struct Thrower {
    pub(super) number: u16,
    /// Handlers that cover it, as places in [`Facts::handlers`].
    pub(super) handlers: Vec<u16>,
    pub(super) thrown: Thrown,
}

#[derive(Clone, Debug)]
pub(super) enum Thrown {
    /// What leaves the methods that are called.
    Call(Callee),
    /// Values of `throw`, with what the virtual machine throws.
    Values(Vec<Source>),
}

/// A method with code: all that it throws.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) throwers: Vec<Thrower>,
    /// What each handler catches, by the number of the type, and its first instruction.
    pub(super) handlers: Vec<(Option<u32>, u16)>,
    /// What it declares, if a compiler has checked that.
    pub(super) declared: Option<Vec<u32>>,
}

pub(super) fn facts(
    program: &Program,
    graph: &CallGraph,
    options: ThrowOptions,
    id: MethodId,
    body: &Body<'_>,
    types: &mut Types,
) -> Facts {
    let method = program.method(id);
    let class = program.class(program.owner(id));
    let mut facts = Facts::default();
    for handler in &body.code.handlers {
        let target = body.number(u32::from(handler.target)).unwrap_or(0) as u16;
        facts.handlers.push((handler.caught.map(|name| types.number(name)), target));
    }
    facts.declared =
        is_checked(program, id).then(|| method.exceptions.iter().map(|&name| types.number(name)).collect());
    let has_throw = body.instructions.iter().any(|instruction| instruction.op == Op::Throw);
    let mut values = if has_throw {
        sources(program, class, method.descriptor, method.flags.is_static(), body, types)
    } else {
        Vec::new()
    };
    values.reverse();
    for (number, instruction) in body.instructions.iter().enumerate() {
        if body.depth(number).is_none() {
            continue;
        }
        let handlers = || {
            let covering = body.code.handlers.iter().enumerate();
            covering
                .filter(|(_, handler)| handler.covers(instruction.at))
                .map(|(place, _)| place as u16)
                .collect()
        };
        let mut explicit = Vec::new();
        match instruction.op {
            Op::Invoke(..) | Op::InvokeDynamic(_) => match graph.callee(id, number) {
                Some(Callee::Unresolved(_)) => {
                    explicit = unresolved(program, id, body, instruction.at, types);
                }
                Some(callee) => facts.throwers.push(Thrower {
                    number: number as u16,
                    handlers: handlers(),
                    thrown: Thrown::Call(callee),
                }),
                None => {}
            },
            Op::Throw => {
                if let Some((_, found)) = values.pop_if(|(at, _)| *at == number) {
                    explicit = found;
                }
                if explicit.is_empty() {
                    // it throws null, which is an exception of its own
                    let null = implicit::of(program, Op::Throw);
                    explicit.extend(null.into_iter().map(|name| Source::Type(types.number(name))));
                }
            }
            _ => {}
        }
        if options.runtime {
            let implicit = implicit::of(program, instruction.op);
            explicit.extend(implicit.into_iter().map(|name| Source::Type(types.number(name))));
        }
        if !explicit.is_empty() {
            let thrown = Thrown::Values(explicit);
            facts.throwers.push(Thrower { number: number as u16, handlers: handlers(), thrown });
        }
    }
    facts
}

/// What an unresolved call throws: what the handlers around it name, and what its method declares.
fn unresolved(program: &Program, id: MethodId, body: &Body<'_>, at: u16, types: &mut Types) -> Vec<Source> {
    let covering = body.code.handlers.iter().filter(|handler| handler.covers(at));
    let named = covering.filter_map(|handler| handler.caught);
    let mut all: Vec<Symbol> = named.chain(program.method(id).exceptions.iter().copied()).collect();
    all.retain(|&name| has_reason(program, name));
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|name| Source::Type(types.number(name))).collect()
}

/// Whether compilers ask for a reason to catch or declare a type.
fn has_reason(program: &Program, name: Symbol) -> bool {
    let is = |ancestor: &str| {
        program.names.find(ancestor).is_some_and(|ancestor| program.is_subtype(name, ancestor))
    };
    &program.names[name] != "java/lang/Throwable" && !UNCHECKED.into_iter().any(is)
}
