//! Which exceptions leave methods, and where those that an instruction throws go.
//!
//! A method without code throws what it declares. What a method with code throws is inferred: the
//! values of its `throw` instructions, found by a small flow analysis, and what leaves the methods
//! it calls, without what its handlers catch; a fixpoint over the call graph. Exceptions that the
//! virtual machine throws on its own, for null, indices, casts and divisions, are left out unless
//! they are asked for. An unresolved call throws what the handlers around it and the method it is
//! in name, as the compiler saw a reason to name them. Types that only say that something is thrown
//! are made narrower by what a method of Java declares and catches.

mod bound;
mod facts;
mod flow;
mod implicit;
mod solve;
mod types;

use crate::calls::CallGraph;
use crate::class::Body;
use crate::program::{MethodId, Program};
use loris_base::{Budget, Exhausted, Symbol};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use types::Types;

pub(crate) use bound::is_broad;
pub use bound::passing;

/// Which exceptions count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThrowOptions {
    /// Those that the virtual machine throws count too.
    pub runtime: bool,
}

/// The exceptions of a program's methods and instructions. Immutable.
#[derive(Debug, Default)]
pub struct Throws {
    options: ThrowOptions,
    types: Types,
    /// Sets of exceptions, each once; the first is empty.
    sets: Vec<Vec<Symbol>>,
    /// The set of each method.
    of: Vec<u32>,
    /// The set of each virtual call.
    of_dispatch: Vec<u32>,
    /// The sets of `throw` instructions and of unresolved calls.
    at: FxHashMap<(MethodId, u16), u32>,
}

/// Where the exceptions of an instruction go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exits {
    /// Handlers by the number of their first instruction, each once, in the order in which they are
    /// tried, and what they catch.
    pub handlers: Vec<(usize, Vec<Symbol>)>,
    /// What leaves the method.
    pub leaving: Vec<Symbol>,
}

impl Throws {
    /// Infers what is thrown.
    ///
    /// # Errors
    /// The budget ended.
    pub fn new(
        program: &Program,
        graph: &CallGraph,
        options: &ThrowOptions,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        solve::throws(program, graph, *options, budget)
    }

    /// The exceptions that may leave a method.
    pub fn of(&self, method: MethodId) -> &[Symbol] {
        let set = self.of.get(loris_base::Idx::index(method)).copied().unwrap_or(0);
        self.sets.get(set as usize).map_or(&[], Vec::as_slice)
    }

    /// The exceptions that the instruction with this number may throw.
    pub fn at(
        &self,
        program: &Program,
        graph: &CallGraph,
        method: MethodId,
        body: &Body<'_>,
        number: usize,
    ) -> Cow<'_, [Symbol]> {
        use crate::calls::Callee;
        use crate::class::Op;
        let op = body.instructions[number].op;
        let explicit: &[Symbol] = match op {
            Op::Invoke(..) | Op::InvokeDynamic(_) => match graph.callee(method, number) {
                Some(Callee::Method(target)) => self.of(target),
                Some(Callee::Virtual(dispatch)) => self.of_dispatch(dispatch),
                Some(Callee::Unresolved(_)) => self.noted(method, number),
                None => &[],
            },
            Op::Throw => self.noted(method, number),
            _ => &[],
        };
        // what a `throw` passes on is bounded when it is inferred
        let explicit = match op {
            Op::Throw => Cow::Borrowed(explicit),
            _ => passing(program, method, body, number, Cow::Borrowed(explicit)),
        };
        if !self.options.runtime {
            return explicit;
        }
        let implicit = implicit::of(program, op);
        if implicit.is_empty() {
            return explicit;
        }
        let mut all = explicit.into_owned();
        all.extend(implicit);
        all.sort_unstable();
        all.dedup();
        Cow::Owned(all)
    }

    /// The exceptions that may leave a virtual call.
    pub fn of_dispatch(&self, dispatch: u32) -> &[Symbol] {
        let set = self.of_dispatch.get(dispatch as usize).copied().unwrap_or(0);
        self.sets.get(set as usize).map_or(&[], Vec::as_slice)
    }

    /// The number of the set of exceptions that may leave a method: methods that throw the same
    /// share a number.
    pub(crate) fn set_of(&self, method: MethodId) -> u32 {
        self.of.get(loris_base::Idx::index(method)).copied().unwrap_or(0)
    }

    /// The same for a virtual call.
    pub(crate) fn set_of_dispatch(&self, dispatch: u32) -> u32 {
        self.of_dispatch.get(dispatch as usize).copied().unwrap_or(0)
    }

    /// What the virtual machine throws on its own at an operation, if that counts.
    pub(crate) fn implicit(&self, program: &Program, op: crate::class::Op) -> Vec<Symbol> {
        if self.options.runtime { implicit::of(program, op) } else { Vec::new() }
    }

    /// How many sets there are.
    pub(crate) fn set_count(&self) -> u32 {
        self.sets.len() as u32
    }

    /// A set of exceptions.
    pub(crate) fn set(&self, number: u32) -> &[Symbol] {
        &self.sets[number as usize]
    }

    /// How a handler for a type treats another: types with the same numbers for all handlers are
    /// treated alike.
    pub(crate) fn caught_as(&self, program: &Program, caught: Symbol, thrown: Symbol) -> u8 {
        match self.types.catches(program, caught, thrown) {
            types::Catches::All => 2,
            types::Catches::Some(_) => 1,
            types::Catches::None => 0,
        }
    }

    fn noted(&self, method: MethodId, number: usize) -> &[Symbol] {
        let set = u16::try_from(number).ok().and_then(|number| self.at.get(&(method, number)));
        set.map_or(&[], |&set| &self.sets[set as usize])
    }

    /// Where the exceptions go that the instruction with this number may throw: the handlers, by
    /// the numbers of their first instructions, in the order in which they are tried, and whether
    /// the method may be left.
    pub fn handlers(
        &self,
        program: &Program,
        graph: &CallGraph,
        method: MethodId,
        body: &Body<'_>,
        number: usize,
    ) -> (Vec<usize>, bool) {
        let thrown = self.at(program, graph, method, body, number);
        if thrown.is_empty() {
            return (Vec::new(), false);
        }
        if body.code.handlers.is_empty() {
            return (Vec::new(), true);
        }
        let exits = self.flow(program, body, number, &thrown);
        (exits.handlers.iter().map(|(target, _)| *target).collect(), !exits.leaving.is_empty())
    }

    /// The same with the exceptions that go each way.
    pub fn exits(
        &self,
        program: &Program,
        graph: &CallGraph,
        method: MethodId,
        body: &Body<'_>,
        number: usize,
    ) -> Exits {
        let thrown = self.at(program, graph, method, body, number);
        self.flow(program, body, number, &thrown)
    }

    /// Where exceptions of these types go from an instruction.
    pub(crate) fn flow(&self, program: &Program, body: &Body<'_>, number: usize, thrown: &[Symbol]) -> Exits {
        let mut exits = Exits { handlers: Vec::new(), leaving: thrown.to_vec() };
        if thrown.is_empty() {
            return exits;
        }
        let at = body.instructions[number].at;
        for handler in &body.code.handlers {
            if exits.leaving.is_empty() {
                break;
            }
            if !handler.covers(at) {
                continue;
            }
            let mut caught = Vec::new();
            match handler.caught {
                None => caught.append(&mut exits.leaving),
                Some(wanted) => exits.leaving.retain(|&thrown| {
                    match self.types.catches(program, wanted, thrown) {
                        types::Catches::All => caught.push(thrown),
                        types::Catches::Some(part) => caught.push(part),
                        types::Catches::None => {}
                    }
                    self.types.catches(program, wanted, thrown) != types::Catches::All
                }),
            }
            let Some(target) = body.number(u32::from(handler.target)) else { continue };
            if caught.is_empty() {
                continue;
            }
            match exits.handlers.iter_mut().find(|(known, _)| *known == target) {
                Some((_, known)) => known.append(&mut caught),
                None => exits.handlers.push((target, caught)),
            }
        }
        for (_, caught) in &mut exits.handlers {
            caught.sort_unstable();
            caught.dedup();
        }
        exits
    }
}
