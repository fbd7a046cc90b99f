//! How far declarations are seen, and where the code that can use them ends.

use crate::context::ProgramContext;
use loris_base::Idx;
use loris_java::calls::is_main;
use loris_java::class::Flags;
use loris_java::{ClassId, Program};
use rustc_hash::FxHashSet;

/// How far a declaration is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// In a class and those nested with it.
    Nest,
    /// In a package.
    Package,
    /// In every class, or in those that inherit it.
    Everywhere,
}

/// How far the classes of a program are seen, and which belong to an application.
pub(super) struct Scopes<'p> {
    pub(super) program: &'p Program,
    classes: Vec<Scope>,
    /// Packages with a `main`: whoever uses what their classes keep to themselves is here.
    applications: FxHashSet<&'p str>,
    /// Classes with a `main`.
    mains: FxHashSet<ClassId>,
}

/// How deep classes are nested at most; files may claim to be nested in themselves.
const DEPTH: usize = 64;

impl<'p> Scopes<'p> {
    pub(super) fn new(context: &ProgramContext<'p>) -> Self {
        let program = context.program;
        let classes = program.classes().map(|class| scope(program, class)).collect();
        let mains: FxHashSet<ClassId> = context
            .reported()
            .filter(|&class| program.methods_of(class).any(|method| is_main(program, method)))
            .collect();
        let applications = mains.iter().map(|&class| package(program, class)).collect();
        Self { program, classes, applications, mains }
    }

    /// How far a member of a class is seen, by the class, its subclasses and the flags of the
    /// member.
    pub(super) fn of(&self, class: ClassId, flags: Flags) -> Scope {
        let own = self.classes[class.index()];
        if flags.is_private() {
            return Scope::Nest;
        }
        if !flags.is_public() && !flags.is_protected() {
            return own.min(Scope::Package);
        }
        if own == Scope::Everywhere {
            return own;
        }
        // a subclass that is seen further makes it seen further, too
        let subtypes = self.program.all_subtypes(class).into_iter();
        subtypes.map(|subtype| self.classes[subtype.index()]).max().unwrap_or(own)
    }

    /// Whether a class is of an application: it has a `main`, or is seen only in a package that has
    /// one.
    pub(super) fn is_in_application(&self, class: ClassId) -> bool {
        self.has_main(class)
            || self.classes[class.index()] <= Scope::Package
                && self.applications.contains(package(self.program, class))
    }

    /// Whether a class has a `main`.
    pub(super) fn has_main(&self, class: ClassId) -> bool {
        self.mains.contains(&class)
    }
}

fn package(program: &Program, class: ClassId) -> &str {
    let name = &program.names[program.class(class).name];
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

/// How far a class is seen, with those it is nested in.
fn scope(program: &Program, class: ClassId) -> Scope {
    let (mut scope, mut at) = (Scope::Everywhere, Some(class));
    for _ in 0..DEPTH {
        let Some(class) = at.map(|class| program.class(class)) else { break };
        let flags = class.nested.map_or(class.flags, |nested| nested.flags);
        let own = match class.nested {
            _ if flags.is_private() => Scope::Nest,
            // local and anonymous classes have no name elsewhere
            Some(nested) if nested.outer.is_none() => Scope::Nest,
            _ if flags.is_public() || flags.is_protected() => Scope::Everywhere,
            _ => Scope::Package,
        };
        scope = scope.min(own);
        at = class.nested.and_then(|nested| nested.outer).and_then(|outer| program.find_class(outer));
    }
    scope
}
