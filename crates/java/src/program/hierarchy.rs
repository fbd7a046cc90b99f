//! Subtypes and the resolution of members (JVMS, sections 5.4.3 and 5.4.6).
//!
//! Walks of the hierarchy keep a set of classes they met: files may claim to be their own
//! ancestors.

use super::{ClassId, MethodId, Program};
use crate::class::{Invoke, Member};
use loris_base::{Idx, Symbol, Truth};
use rustc_hash::FxHashSet;

impl Program {
    /// Notes a look at the direct subtypes of a class.
    fn note_subtypes(&self, class: ClassId) {
        if let Some(watch) = &self.watch {
            watch.subtypes(class);
        }
    }

    /// Direct subclasses, and implementations if it is an interface.
    pub fn subtypes(&self, class: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        self.note_subtypes(class);
        self.subtypes.row(class.index()).iter().map(|&class| ClassId::new(class as usize))
    }

    /// The classes, a class among them, that share the outermost class with it, as compilers name
    /// them.
    pub fn near(&self, class: ClassId) -> Vec<ClassId> {
        if let Some(watch) = &self.watch {
            watch.near(class);
        }
        let name = |class: ClassId| &self.names[self.classes[class].name];
        let outer = name(class).split('$').next().unwrap_or_default();
        let is_near = |other: &ClassId| {
            name(*other).strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
        };
        self.classes.ids().filter(is_near).collect()
    }

    /// A class and all its subtypes, transitively; each once.
    pub fn all_subtypes(&self, class: ClassId) -> Vec<ClassId> {
        closure(class, |class, add| self.subtypes(class).for_each(add))
    }

    /// A class and all its ancestors, superclasses before interfaces on every level.
    pub fn supertypes(&self, class: ClassId) -> Vec<ClassId> {
        closure(class, |class, add| {
            let class = self.class(class);
            let names = class.superclass.iter().chain(&class.interfaces);
            names.filter_map(|&name| self.find_class(name)).for_each(add);
        })
    }

    /// Whether a type is another, or inherits from it. Names that are not known inherit from
    /// nothing but `java/lang/Object`.
    pub fn is_subtype(&self, name: Symbol, ancestor: Symbol) -> bool {
        if name == ancestor || &self.names[ancestor] == "java/lang/Object" {
            return true;
        }
        let Some(class) = self.find_class(name) else { return false };
        // chains are short: no set is needed but for files that lie, and for wide hierarchies
        let (mut work, mut steps) = (vec![class], 0);
        while let Some(next) = work.pop() {
            steps += 1;
            if steps > 64 {
                let has = |id: ClassId| {
                    let class = self.class(id);
                    class.superclass.iter().chain(&class.interfaces).any(|&parent| parent == ancestor)
                };
                return self.supertypes(class).into_iter().any(has);
            }
            let class = self.class(next);
            for &parent in class.superclass.iter().chain(&class.interfaces) {
                if parent == ancestor {
                    return true;
                }
                work.extend(self.find_class(parent));
            }
        }
        false
    }

    /// Whether a class has an ancestor that is not known, so that it may be a subtype of anything.
    pub(crate) fn is_vague(&self, name: Symbol) -> bool {
        let mut at = name;
        // files may claim to be their own ancestors
        for _ in 0..=self.classes.len() {
            let Some(class) = self.find_class(at) else { return true };
            let Some(parent) = self.class(class).superclass else { return false };
            at = parent;
        }
        true
    }

    /// Whether a handler for one type catches an exception of another: `Unknown` if it depends on
    /// the exception, or on classes that are not there. Whatever is thrown is a `Throwable`.
    pub fn catches(&self, caught: Symbol, thrown: Symbol) -> Truth {
        if &self.names[caught] == "java/lang/Throwable" || self.is_subtype(thrown, caught) {
            Truth::True
        } else if self.is_subtype(caught, thrown) || self.is_vague(thrown) {
            Truth::Unknown
        } else {
            Truth::False
        }
    }

    /// The declaration that a reference resolves to: in the class, its superclasses, then its
    /// interfaces. `None` if a class on the way is not known.
    pub fn resolve(&self, member: &Member) -> Option<MethodId> {
        let class = self.find_class(member.owner)?;
        self.lookup(class, member.name, member.descriptor)
    }

    /// The method with this name and descriptor that a class declares or inherits.
    pub fn lookup(&self, class: ClassId, name: Symbol, descriptor: Symbol) -> Option<MethodId> {
        let (mut at, mut steps) = (Some(class), 0);
        while let Some(class) = at {
            if let Some(method) = self.declared(class, name, descriptor) {
                return Some(method);
            }
            at = self.class(class).superclass.and_then(|name| self.find_class(name));
            steps += 1;
            if steps > self.classes.len() {
                return None;
            }
        }
        let mut found = None;
        for interface in self.supertypes(class) {
            if self.class(interface).flags.is_interface()
                && let Some(method) = self.declared(interface, name, descriptor)
            {
                // a default method is preferred to an abstract one
                if !self.method(method).flags.is_abstract() {
                    return Some(method);
                }
                found = found.or(Some(method));
            }
        }
        found
    }

    /// All methods a call may run, by class hierarchy analysis: of the resolved class and of every
    /// subtype that can have instances. Empty if the reference does not resolve.
    pub fn targets(&self, invoke: Invoke, member: &Member) -> Vec<MethodId> {
        let Some(declared) = self.resolve(member) else { return Vec::new() };
        let method = self.method(declared);
        let exact = matches!(invoke, Invoke::Static | Invoke::Special)
            || method.flags.is_private()
            || method.flags.is_final();
        if exact {
            return vec![declared];
        }
        let Some(class) = self.find_class(member.owner) else { return Vec::new() };
        let mut targets = Vec::new();
        for subtype in self.all_subtypes(class) {
            let flags = self.class(subtype).flags;
            if flags.is_abstract() || flags.is_interface() {
                continue;
            }
            if let Some(target) = self.lookup(subtype, member.name, member.descriptor)
                && !self.method(target).flags.is_abstract()
            {
                targets.push(target);
            }
        }
        targets.sort_unstable();
        targets.dedup();
        // no known implementation: the declaration stands for the unknown ones
        if targets.is_empty() {
            targets.push(declared);
        }
        targets
    }
}

/// A class and everything that `next` leads to; each once.
fn closure(class: ClassId, mut next: impl FnMut(ClassId, &mut dyn FnMut(ClassId))) -> Vec<ClassId> {
    let (mut all, mut met) = (vec![class], FxHashSet::from_iter([class]));
    let mut done = 0;
    while done < all.len() {
        let class = all[done];
        done += 1;
        next(class, &mut |other| {
            if met.insert(other) {
                all.push(other);
            }
        });
    }
    all
}
