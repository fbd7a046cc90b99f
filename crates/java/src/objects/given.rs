//! Functions that hold the object and are given to a method of the platform that runs them and lets
//! go of them, as `forEach` does.

use super::calls::{CAPTURES, CHILD};
use super::explore::Tracker;
use super::fact::{Colour, Fact, Link, Root};
use super::holders::may_release;
use super::method::Prepared;
use super::model::Handling;
use super::slots::Moves;
use crate::class::{Constant, Op, Pool};
use crate::program::Program;
use std::rc::Rc;

/// Whether the constant of an `invokedynamic` is that of the concatenation of texts.
fn joins_texts(program: &Program, pool: &Pool, constant: u16) -> bool {
    let Constant::InvokeDynamic(dynamic) = pool.get(constant) else { return false };
    let factory = pool.bootstrap(dynamic.bootstrap).and_then(|bootstrap| match pool.get(bootstrap.handle) {
        Constant::Handle(_, reference) => pool.member(reference),
        _ => None,
    });
    factory.is_some_and(|factory| program.names[factory.name].starts_with("makeConcat"))
}

impl<'p> Tracker<'p> {
    /// Runs the functions that hold the object and are arguments of a call. False if the object
    /// cannot be followed there: something else holds it, or the function lets go of it, which it
    /// may do many times, or never.
    pub(super) fn run_given(
        &mut self,
        (component, node): (usize, u32),
        number: usize,
        prepared: &Rc<Prepared<'p>>,
        moves: &Moves,
        fact: &Fact,
    ) -> bool {
        let arguments = Self::arguments(prepared, number, moves);
        let held = arguments.flat_map(|slot| fact.from(Root::Slot(slot)).collect::<Vec<_>>());
        let mut links: Vec<Link> = Vec::new();
        for path in held.filter(|path| path.colour == Colour::Object) {
            match path.first() {
                // what is passed itself, or made from it, is used
                None | Some(CHILD) => {}
                Some(link) if link.0 >= CAPTURES => links.push(link),
                Some(_) => return false,
            }
        }
        links.sort_unstable();
        links.dedup();
        for link in links {
            let (implementation, _, _) = self.captures[(link.0 - CAPTURES) as usize];
            if may_release(&self.program.names[implementation.name]) {
                return false;
            }
            let target = self.program.resolve(&implementation);
            let Some(target) = target.filter(|&target| self.program.method(target).code.is_some()) else {
                if self.known.handling(self.program, &implementation) == Handling::Borrows {
                    continue;
                }
                return false;
            };
            if self.is_known_otherwise(prepared.method, target) {
                continue;
            }
            let Ok(Some(body)) = self.program.body(target) else { return false };
            let program = self.program;
            let pool = &program.class(program.owner(target)).pool;
            // it may run many times, or never: what it does to the object then is not known
            let ends = body.instructions.iter().any(|instruction| match instruction.op {
                Op::Invoke(_, called) => pool.member(called).is_none_or(|called| {
                    let joins = program.names[called.owner].starts_with("java/lang/StringBu");
                    may_release(&program.names[called.name])
                        || (!joins && self.known.handling(program, &called) == Handling::Keeps)
                }),
                Op::InvokeDynamic(constant) => !joins_texts(program, pool, constant),
                Op::PutField(_) | Op::PutStatic(_) | Op::ArraySet(_) => true,
                _ => false,
            });
            if ends || self.states.len() >= self.limit() || self.budget_states == 0 {
                return false;
            }
            self.follow(component, node, moves, fact, target, Some(link));
        }
        true
    }
}
