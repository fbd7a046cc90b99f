//! What a `close` of the program does. Many classes can be closed because an interface says so,
//! and hold nothing but memory: their `close` is empty, or only clears fields. Objects of these
//! need not be closed.
//!
//! A `close` lets go of something if it, or a method of the program that it runs, calls a method
//! that does by its name. Each class is looked at once, and methods at most [`DEPTH`] calls away.

use loris_base::Symbol;
use loris_java::class::{Invoke, Op};
use loris_java::{ClassId, ClassOrigin, MethodId, Program};
use rustc_hash::FxHashMap;

/// Calls are followed this deep.
const DEPTH: usize = 3;
/// This many subclasses are asked what a method without code does.
const SUBTYPES: usize = 16;

/// Beginnings of names of methods that let go of what an object holds, or pass on what it has
/// gathered.
const RELEASES: [&str; 25] = [
    "close",
    "disconnect",
    "shutdown",
    "stop",
    "release",
    "free",
    "dispose",
    "destroy",
    "end",
    "cancel",
    "interrupt",
    "unlock",
    "clean",
    "delete",
    "unmap",
    "unregister",
    "deregister",
    "remove",
    "flush",
    "finish",
    "write",
    "print",
    "send",
    "commit",
    "rollback",
];

/// Classes of the platform whose `close` does nothing, though that of subclasses may.
const EMPTY: [&str; 2] = ["java/io/InputStream", "java/io/OutputStream"];

/// Remembers what the `close` of each class does.
#[derive(Default)]
pub(super) struct Closing {
    known: FxHashMap<ClassId, bool>,
}

impl Closing {
    /// Whether closing an object of a class lets go of anything, as far as is known.
    pub(super) fn lets_go(&mut self, program: &Program, class: Symbol) -> bool {
        program.find_class(class).is_none_or(|class| self.class(program, class))
    }

    fn class(&mut self, program: &Program, class: ClassId) -> bool {
        if program.origin(class) == ClassOrigin::Platform {
            return true;
        }
        if let Some(&known) = self.known.get(&class) {
            return known;
        }
        // what is closed by itself only is not closed at all
        self.known.insert(class, false);
        let close = program.names.find("close").zip(program.names.find("()V"));
        let close = close.and_then(|(name, descriptor)| program.lookup(class, name, descriptor));
        let found = match close {
            Some(close) => self.method(program, close, class, 0),
            // an interface, say
            None => self.subtypes(program, class, |this, subtype| this.class(program, subtype)),
        };
        self.known.insert(class, found);
        found
    }

    /// Whether one of the subclasses does it; those that are not there may.
    fn subtypes(
        &mut self,
        program: &Program,
        class: ClassId,
        mut does: impl FnMut(&mut Self, ClassId) -> bool,
    ) -> bool {
        let subtypes: Vec<ClassId> = program.subtypes(class).take(SUBTYPES + 1).collect();
        subtypes.is_empty()
            || subtypes.len() > SUBTYPES
            || subtypes.into_iter().any(|subtype| does(self, subtype))
    }

    /// Whether a method that is run on an object of a class lets go of something.
    fn method(&mut self, program: &Program, method: MethodId, class: ClassId, depth: usize) -> bool {
        let declared = program.method(method);
        let owner = program.owner(method);
        if program.origin(owner) == ClassOrigin::Platform {
            let is_empty = EMPTY.contains(&&program.names[program.class(owner).name]);
            return !is_empty && releases(&program.names[declared.name]);
        }
        if declared.code.is_none() {
            let (name, descriptor) = (declared.name, declared.descriptor);
            return declared.flags.is_native()
                || self.subtypes(program, class, |this, subtype| {
                    let own = program.lookup(subtype, name, descriptor).filter(|&own| own != method);
                    own.is_none_or(|own| depth >= DEPTH || this.method(program, own, subtype, depth + 1))
                });
        }
        let Ok(Some(body)) = program.body(method) else { return true };
        let pool = &program.class(owner).pool;
        body.instructions.iter().any(|instruction| {
            let Op::Invoke(invoke, constant) = instruction.op else { return false };
            let Some(member) = pool.member(constant) else { return true };
            let name = &program.names[member.name];
            let is_empty = invoke == Invoke::Special && EMPTY.contains(&&program.names[member.owner]);
            if name.starts_with('<') || is_empty {
                return false;
            }
            let Some(callee) = program.resolve(&member) else { return releases(name) };
            if callee == method {
                return false;
            }
            let Some(of) = program.find_class(member.owner) else { return releases(name) };
            if name == "close" && of != class && program.class(of).name != program.class(owner).name {
                return self.class(program, of);
            }
            if depth >= DEPTH { releases(name) } else { self.method(program, callee, of, depth + 1) }
        })
    }
}

/// Whether a method lets go of something by its name.
fn releases(name: &str) -> bool {
    RELEASES.iter().any(|prefix| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| rest.chars().next().is_none_or(|next| !next.is_lowercase()))
    })
}
