//! Names that code of a package looks members up by: `type.getMethod("visit", …)`.
//!
//! A name that is written where it is looked up is one of a member of any class of the package, or
//! of a class that inherits from the one that looks. Where the name comes from elsewhere, it may be
//! any string in the code of the package.

use loris_base::Symbol;
use loris_java::class::{Body, Class, Op};
use loris_java::{ClassId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Member {
    Method,
    Field,
}

/// A call that looks a member up.
pub(super) struct Lookup {
    pub(super) of: Member,
    /// The number of the instruction that loads the name, if it is written there.
    pub(super) name: Option<usize>,
}

/// The names that code looks members up by.
#[derive(Default)]
pub(super) struct Lookups {
    /// Names that are written where they are looked up, of each class that does.
    written: BTreeMap<(ClassId, Member), FxHashSet<Symbol>>,
    /// Classes that look up names from elsewhere.
    open: FxHashSet<(ClassId, Member)>,
}

/// The same by packages.
pub(super) struct ByPackage<'p> {
    lookups: &'p Lookups,
    written: FxHashMap<(&'p str, Member), FxHashSet<Symbol>>,
    open: FxHashMap<(&'p str, Member), FxHashSet<Symbol>>,
}

impl Lookups {
    /// Notes a lookup; a name that the program does not have finds nothing.
    pub(super) fn note(&mut self, class: ClassId, lookup: &Lookup, name: Option<Symbol>) {
        match (lookup.name, name) {
            (None, _) => {
                self.open.insert((class, lookup.of));
            }
            (_, Some(name)) => {
                self.written.entry((class, lookup.of)).or_default().insert(name);
            }
            _ => {}
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.open.extend(other.open);
        for (key, names) in other.written {
            self.written.entry(key).or_default().extend(names);
        }
    }

    /// The same by packages; `strings` are the names in strings of a class.
    pub(super) fn by_package<'p>(
        &'p self,
        program: &'p Program,
        strings: impl Fn(ClassId) -> Vec<Symbol>,
    ) -> ByPackage<'p> {
        let mut found =
            ByPackage { lookups: self, written: FxHashMap::default(), open: FxHashMap::default() };
        for class in program.classes() {
            let package = package(program, class);
            for of in [Member::Method, Member::Field] {
                if let Some(names) = self.written.get(&(class, of)) {
                    found.written.entry((package, of)).or_default().extend(names);
                }
                if self.open.contains(&(class, of)) {
                    found.open.entry((package, of)).or_default();
                }
            }
        }
        if !found.open.is_empty() {
            for class in program.classes() {
                let package = package(program, class);
                for of in [Member::Method, Member::Field] {
                    if let Some(names) = found.open.get_mut(&(package, of)) {
                        names.extend(strings(class));
                    }
                }
            }
        }
        found
    }
}

impl ByPackage<'_> {
    /// Whether a member of a class may be looked up by its name.
    pub(super) fn may_find(&self, program: &Program, class: ClassId, of: Member, name: Symbol) -> bool {
        let key = (package(program, class), of);
        let is_in = |names: Option<&FxHashSet<Symbol>>| names.is_some_and(|names| names.contains(&name));
        is_in(self.written.get(&key))
            || is_in(self.open.get(&key))
            || program.supertypes(class).into_iter().any(|it| is_in(self.lookups.written.get(&(it, of))))
    }
}

fn package(program: &Program, class: ClassId) -> &str {
    let name = &program.names[program.class(class).name];
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

/// The lookup that an instruction is, if it is one.
pub(super) fn lookup(program: &Program, class: &Class, body: &Body<'_>, number: usize) -> Option<Lookup> {
    let Op::Invoke(_, called) = body.instructions[number].op else { return None };
    let called = class.pool.member(called)?;
    let method = &program.names[called.name];
    // how many arguments there are behind the name
    let (of, behind) = match &program.names[called.owner] {
        "java/lang/Class" => match method {
            "getMethod" | "getDeclaredMethod" => (Member::Method, 1),
            "getField" | "getDeclaredField" => (Member::Field, 0),
            "getMethods" | "getDeclaredMethods" => return Some(Lookup { of: Member::Method, name: None }),
            _ => return None,
        },
        "java/lang/invoke/MethodHandles$Lookup" => match method {
            "findVirtual" | "findStatic" => (Member::Method, 1),
            "findSpecial" => (Member::Method, 2),
            "findGetter"
            | "findStaticGetter"
            | "findSetter"
            | "findStaticSetter"
            | "findVarHandle"
            | "findStaticVarHandle" => (Member::Field, 1),
            _ => return None,
        },
        _ => return None,
    };
    // the last instruction that pushed where the name is
    let place = body.depth(number)?.checked_sub(behind + 1)?;
    let pushed = (0..number).rev().find(|&before| body.depth(before).is_some_and(|depth| depth <= place));
    let name = pushed.filter(|&it| {
        matches!(body.instructions[it].op, Op::Load(text, _) if class.string(text, &program.names).is_some())
    });
    Some(Lookup { of, name })
}
