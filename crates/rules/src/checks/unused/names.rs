//! Names of members in strings and annotations, by which reflection and frameworks find them.

use crate::context::ProgramContext;
use loris_base::Symbol;
use loris_java::class::{Annotation, Body, Class, Op};
use loris_java::{ClassId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The outermost class that a class is nested in.
pub(super) fn outermost(program: &Program, class: ClassId) -> ClassId {
    around(program, class).last().unwrap_or(class)
}

/// The classes that a class is nested in, from the inside.
fn around(program: &Program, class: ClassId) -> impl Iterator<Item = ClassId> + '_ {
    let name = &program.names[program.class(class).name];
    let ends = name.rmatch_indices('$').map(|(end, _)| end);
    ends.filter_map(|end| program.class_named(&name[..end]))
}

/// Names in strings and annotations.
#[derive(Default)]
pub(super) struct Named {
    /// Those of each class.
    own: FxHashMap<ClassId, FxHashSet<Symbol>>,
    /// Those of each class with those nested in it.
    inside: BTreeMap<ClassId, FxHashSet<Symbol>>,
}

impl Named {
    /// The names in a class.
    pub(super) fn of(program: &Program, class: ClassId, names: FxHashSet<Symbol>) -> Self {
        let inside = around(program, class).map(|around| (around, names.clone())).collect();
        Self { own: FxHashMap::from_iter([(class, names)]), inside }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.own.extend(other.own);
        for (class, names) in other.inside {
            self.inside.entry(class).or_default().extend(names);
        }
    }

    /// The names in a class itself.
    pub(super) fn own(&self, class: ClassId) -> Vec<Symbol> {
        self.own.get(&class).into_iter().flatten().copied().collect()
    }

    /// Whether a name is in a class, in one nested in it, or in one around it.
    pub(super) fn is_named(&self, program: &Program, class: ClassId, name: Symbol) -> bool {
        let own = |class: ClassId| self.own.get(&class).is_some_and(|names| names.contains(&name));
        let inside = self.inside.get(&class).is_some_and(|names| names.contains(&name));
        inside || own(class) || around(program, class).any(own)
    }
}

/// Adds the names in the values of annotations: whole strings and the words in them, as in
/// `"Tests#cases"`.
pub(super) fn annotated(program: &Program, annotations: &[Annotation], names: &mut FxHashSet<Symbol>) {
    for &value in annotations.iter().flat_map(|annotation| &annotation.values) {
        names.insert(value);
        let text = &program.names[value];
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        names.extend(words.filter_map(|word| program.names.find(word)));
    }
}

/// The field that a string names in `C.class.getDeclaredField("name")`, or none of the program: the
/// class, the name, and whether the supertypes of the class are looked at, too.
pub(super) fn reflected(
    context: &ProgramContext<'_>,
    class: &Class,
    body: &Body<'_>,
    number: usize,
) -> Option<(ClassId, Symbol, bool)> {
    let program = context.program;
    let op = |number: usize| body.instructions.get(number).map(|instruction| instruction.op);
    let (Some(Op::Load(owner, _)), Some(Op::Load(name, _))) = (op(number.checked_sub(1)?), op(number)) else {
        return None;
    };
    let Some(Op::Invoke(_, called)) = op(number + 1) else { return None };
    let called = class.pool.member(called)?;
    if &program.names[called.owner] != "java/lang/Class" {
        return None;
    }
    let inherits = match &program.names[called.name] {
        "getDeclaredField" => false,
        "getField" => true,
        _ => return None,
    };
    let owner = program.find_class(class.pool.class(owner)?)?;
    let name = program.names.find(&class.string(name, &program.names)?)?;
    Some((owner, name, inherits))
}
