//! Static initializers, which run at the first use of a class (JVMS, section 5.5).

use crate::class::Op;
use crate::program::{ClassId, MethodId, Program};
use loris_base::Symbol;

/// The static initializers that an instruction of a method may run, as it may be the first use of a
/// class: superclasses first. Those of the method's own class and its ancestors have run before.
pub fn initializers(program: &Program, method: MethodId, op: Op) -> Vec<MethodId> {
    let here = program.owner(method);
    used(program, here, op).map_or_else(Vec::new, |used| of_use(program, here, used))
}

/// The static initializers that the use of a class in another may run.
pub(crate) fn of_use(program: &Program, here: ClassId, used: ClassId) -> Vec<MethodId> {
    if used == here {
        return Vec::new();
    }
    let done = program.supertypes(here);
    let mut found = of_class(program, used);
    found.retain(|&initializer| !done.contains(&program.owner(initializer)));
    found
}

/// The static initializers of a class and its ancestors, ancestors first.
pub(crate) fn of_class(program: &Program, class: ClassId) -> Vec<MethodId> {
    let Some(name) = program.names.find("<clinit>") else { return Vec::new() };
    let mut found = Vec::new();
    for ancestor in program.supertypes(class) {
        let known = program.class(ancestor);
        // interfaces are not initialized with the classes that implement them, but for default
        // methods
        let runs = ancestor == class
            || !known.flags.is_interface()
            || known.methods.iter().any(|method| !method.flags.is_abstract() && !method.flags.is_static());
        let initializer =
            known.methods.iter().position(|method| method.name == name && method.code.is_some());
        if let Some(position) = initializer.filter(|_| runs) {
            found.push(program.method_at(ancestor, position));
        }
    }
    found.reverse();
    found
}

/// The class that an instruction of a class uses, so that it is initialized.
pub(crate) fn used(program: &Program, here: ClassId, op: Op) -> Option<ClassId> {
    let class = program.class(here);
    let name: Symbol = match op {
        Op::New(number) => class.pool.class(number)?,
        Op::GetStatic(number) | Op::PutStatic(number) | Op::Invoke(crate::class::Invoke::Static, number) => {
            class.pool.member(number)?.owner
        }
        _ => return None,
    };
    program.find_class(name)
}
