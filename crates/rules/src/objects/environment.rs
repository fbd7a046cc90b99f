//! What judging objects looks at, as hashes that are the same in two programs if all answers are.
//!
//! A class stands for its file and for what the whole program makes of it: which of its methods are
//! reachable, what its calls may run and throw, which of the fields that it names other methods
//! assign, and which of the classes in its descriptors have a name at all. Subtypes are another
//! matter, as new ones come without a change of the class. Everything is in the order of the
//! program, and the [order of names](Environment::order) is compared, too, as names are numbered as
//! they are met, and facts are sorted by these numbers.
//!
//! Each hash is made when it is asked for first, linear in the code of the class.

use super::program::Behaviour;
use crate::cache::{Hash, hash};
use loris_base::{Idx, Symbol};
use loris_java::calls::{CallGraph, Callee};
use loris_java::class::{Class, Constant, Descriptor, Op};
use loris_java::objects::Exceptions;
use loris_java::{ClassId, ClassOrigin, MethodId, Program};
use rustc_hash::{FxHashSet, FxHasher};
use sha2::{Digest, Sha256};
use std::hash::Hasher;
use std::sync::OnceLock;

pub(super) struct Environment<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    behaviours: [&'a Behaviour<'a>; 2],
    changing: &'a FxHashSet<Symbol>,
    /// whether any instruction may throw
    runtime: bool,
    classes: Vec<OnceLock<Hash>>,
    subtypes: Vec<OnceLock<Hash>>,
    /// what virtual calls may run
    dispatches: Vec<OnceLock<Hash>>,
    /// the names that each class uses
    used: Vec<OnceLock<Box<[Symbol]>>>,
    /// a number for each name, which depends on its text
    texts: OnceLock<Vec<u64>>,
}

/// Parts with their lengths, so that no two lists have the same bytes.
#[derive(Default)]
struct Parts(Sha256);

impl Parts {
    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn number(&mut self, number: usize) {
        self.0.update((number as u64).to_le_bytes());
    }
}

fn cells<T>(count: usize) -> Vec<OnceLock<T>> {
    (0..count).map(|_| OnceLock::new()).collect()
}

impl<'a> Environment<'a> {
    pub(super) fn new(
        program: &'a Program,
        graph: &'a CallGraph,
        behaviours: [&'a Behaviour<'a>; 2],
        changing: &'a FxHashSet<Symbol>,
        runtime: bool,
    ) -> Self {
        let classes = program.classes().len();
        Self {
            program,
            graph,
            behaviours,
            changing,
            runtime,
            classes: cells(classes),
            subtypes: cells(classes),
            dispatches: cells(graph.dispatch_count()),
            used: cells(classes),
            texts: OnceLock::new(),
        }
    }

    /// A class with what is known of its calls and exceptions.
    pub(super) fn class(&self, id: ClassId) -> Hash {
        *self.classes[id.index()].get_or_init(|| {
            let (program, mut parts) = (self.program, Parts::default());
            let class = program.class(id);
            parts.text(&program.names[class.name]);
            parts.number(program.origin(id) as usize);
            parts.bytes(class.file());
            // what is declared of the platform depends on the name alone
            if program.origin(id) != ClassOrigin::Platform {
                self.constants(class, &mut parts);
                program.methods_of(id).for_each(|method| self.method(method, &mut parts));
            }
            hash(parts.0)
        })
    }

    /// What the program makes of the names in the constants of a class.
    fn constants(&self, class: &Class, parts: &mut Parts) {
        let names = &self.program.names;
        for number in 0..class.pool.len() {
            let (Constant::Field(member) | Constant::Method(member) | Constant::InterfaceMethod(member)) =
                class.pool.get(number as u16)
            else {
                continue;
            };
            // what an accessor returns counts as a field with the name of the method
            parts.number(usize::from(self.changing.contains(&member.name)));
            let Some(descriptor) = Descriptor::of(&names[member.descriptor]) else { continue };
            for named in descriptor.parameters.iter().chain([&descriptor.result]) {
                let class = named.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
                parts.number(class.map_or(2, |class| usize::from(names.find(class).is_some())));
            }
        }
    }

    /// What the instructions of a method may run and throw.
    fn method(&self, method: MethodId, parts: &mut Parts) {
        let Self { program, graph, .. } = self;
        parts.number(usize::from(graph.is_reachable(method)));
        let Ok(Some(body)) = program.body(method) else { return };
        for (number, instruction) in body.instructions.iter().enumerate() {
            let calls = matches!(instruction.op, Op::Invoke(..) | Op::InvokeDynamic(_));
            if calls {
                match graph.callee(method, number) {
                    Some(Callee::Virtual(dispatch)) => {
                        let cell = &self.dispatches[dispatch as usize];
                        let of = || self.methods(graph.targets(method, number));
                        parts.0.update(cell.get_or_init(of));
                    }
                    _ => parts.0.update(self.methods(graph.targets(method, number))),
                }
            }
            if calls || self.runtime || instruction.op == Op::Throw {
                for behaviour in self.behaviours {
                    let thrown = behaviour.at(method, &body, number);
                    parts.number(thrown.len());
                    for thrown in thrown {
                        parts.text(&program.names[thrown]);
                    }
                    parts.number(usize::from(calls && behaviour.is_likely(method, &body, number)));
                }
            }
        }
    }

    fn methods(&self, methods: &[MethodId]) -> Hash {
        let (program, mut parts) = (self.program, Parts::default());
        for &method in methods {
            let declared = program.method(method);
            parts.text(&program.names[program.class(program.owner(method)).name]);
            parts.text(&program.names[declared.name]);
            parts.text(&program.names[declared.descriptor]);
        }
        hash(parts.0)
    }

    /// The direct subtypes of a class.
    pub(super) fn subtypes(&self, id: ClassId) -> Hash {
        *self.subtypes[id.index()].get_or_init(|| self.names(self.program.subtypes(id)))
    }

    /// The classes that share the outermost class with a class.
    pub(super) fn near(&self, id: ClassId) -> Hash {
        self.names(self.program.near(id).into_iter())
    }

    fn names(&self, classes: impl Iterator<Item = ClassId>) -> Hash {
        let (program, mut parts) = (self.program, Parts::default());
        classes.for_each(|class| parts.text(&program.names[program.class(class).name]));
        hash(parts.0)
    }

    /// The order in which the names that some classes use are numbered, as a number.
    pub(super) fn order(&self, classes: &[ClassId]) -> u64 {
        let names = &self.program.names;
        let texts = self.texts.get_or_init(|| {
            let of = |text: &str| {
                let mut hasher = FxHasher::default();
                hasher.write(text.as_bytes());
                hasher.finish()
            };
            names.iter().map(of).collect()
        });
        let mut used = vec![0_u64; names.len().div_ceil(64)];
        for &class in classes {
            for name in self.used(class) {
                used[name.index() / 64] |= 1 << (name.index() % 64);
            }
        }
        let mut order = 0_u64;
        for (word, mut rest) in used.into_iter().enumerate() {
            while rest != 0 {
                let text = texts[word * 64 + rest.trailing_zeros() as usize];
                order = mixed(order, text);
                rest &= rest - 1;
            }
        }
        order
    }

    /// The names that a class uses, in any order.
    fn used(&self, id: ClassId) -> &[Symbol] {
        self.used[id.index()].get_or_init(|| {
            let class = self.program.class(id);
            let mut used = vec![class.name];
            for number in 0..class.pool.len() {
                match class.pool.get(number as u16) {
                    Constant::Field(member)
                    | Constant::Method(member)
                    | Constant::InterfaceMethod(member) => {
                        used.extend([member.owner, member.name, member.descriptor]);
                    }
                    Constant::Class(name) => used.push(name),
                    _ => {}
                }
            }
            used.extend(class.fields.iter().map(|field| field.name));
            for method in &class.methods {
                used.extend([method.name, method.descriptor]);
                used.extend(&method.exceptions);
            }
            used.sort_unstable();
            used.dedup();
            used.into()
        })
    }
}

/// A number that depends on all numbers it was made of, and their order.
fn mixed(one: u64, other: u64) -> u64 {
    let product = u128::from(one ^ 0x9e37_79b9_7f4a_7c15) * u128::from(other | 1);
    (product as u64 ^ (product >> 64) as u64).wrapping_add(other)
}
