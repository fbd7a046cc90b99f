//! Fields that are never read, and private methods that are never called.
//!
//! One pass over all code collects what is read, written, called and referred to; then declarations
//! that nothing uses are reported, unless something outside of the code may use them: annotations,
//! native methods, serialization, reflection by a string with their name.

use crate::{Context, Finding, Place, Rule};
use loris_base::Symbol;
use loris_java::class::{Annotation, Body, Class, Constant, Flags, Member, Op};
use loris_java::{ClassId, MethodId};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a program uses.
#[derive(Default)]
pub(super) struct Uses {
    /// Fields that are read: the class that declares each, and its number there.
    read: FxHashSet<(ClassId, u32)>,
    /// Fields that are written, and where first.
    written: FxHashMap<(ClassId, u32), (MethodId, u16)>,
    /// Methods that something refers to without calling them.
    referred: FxHashSet<MethodId>,
    /// Calls of private methods: who calls whom.
    calls: Vec<(MethodId, MethodId)>,
    /// Strings that code and annotations of a class have.
    strings: FxHashMap<ClassId, FxHashSet<String>>,
}

impl Uses {
    pub(super) fn new(context: &Context<'_>) -> Self {
        let program = context.program;
        let classes: Vec<ClassId> =
            program.classes().filter(|&class| !program.class(class).methods.is_empty()).collect();
        let mut uses = Self::default();
        for round in classes.chunks(1024) {
            let found: Vec<Self> = round.par_iter().map(|&class| Self::of_class(context, class)).collect();
            for found in found {
                uses.read.extend(found.read);
                uses.referred.extend(found.referred);
                uses.calls.extend(found.calls);
                uses.strings.extend(found.strings);
                let mut written: Vec<_> = found.written.into_iter().collect();
                written.sort_unstable();
                for (field, place) in written {
                    uses.written.entry(field).or_insert(place);
                }
            }
        }
        uses
    }

    fn of_class(context: &Context<'_>, id: ClassId) -> Self {
        let program = context.program;
        let class = program.class(id);
        let mut uses = Self::default();
        let mut strings = FxHashSet::default();
        let mut annotate = |annotations: &[Annotation]| {
            for value in annotations.iter().flat_map(|annotation| &annotation.values) {
                strings.insert(program.names[*value].to_owned());
            }
        };
        annotate(&class.annotations);
        class.methods.iter().for_each(|method| annotate(&method.annotations));
        class.fields.iter().for_each(|field| annotate(&field.annotations));
        // the bootstrap arguments of lambdas and method references are constants
        for number in 0..class.pool.len() {
            if let Constant::Handle(_, target) = class.pool.get(number as u16)
                && let Some(member) = class.pool.member(target)
            {
                uses.referred.extend(program.resolve(&member));
                uses.read.extend(field(context, &member));
            }
        }
        for method in program.methods_of(id) {
            let Ok(Some(body)) = program.body(method) else { continue };
            for (number, instruction) in body.instructions.iter().enumerate() {
                match instruction.op {
                    Op::Invoke(_, constant) => {
                        let callee = class.pool.member(constant).and_then(|member| program.resolve(&member));
                        let callee = callee.filter(|&callee| program.method(callee).flags.is_private());
                        uses.calls.extend(callee.map(|callee| (method, callee)));
                    }
                    Op::GetField(constant) | Op::GetStatic(constant) if !is_update(class, &body, number) => {
                        uses.read
                            .extend(class.pool.member(constant).and_then(|member| field(context, &member)));
                    }
                    Op::PutField(constant) | Op::PutStatic(constant) => {
                        let written = class.pool.member(constant).and_then(|member| field(context, &member));
                        if let Some(written) = written {
                            uses.written.entry(written).or_insert((method, instruction.at));
                        }
                    }
                    Op::Load(constant, _) => {
                        strings
                            .extend(class.string(constant, &program.names).map(std::borrow::Cow::into_owned));
                    }
                    _ => {}
                }
            }
        }
        uses.strings.insert(id, strings);
        uses
    }

    /// Whether a string with this name is in a class or one that is nested with it.
    fn is_named(&self, context: &Context<'_>, class: ClassId, name: &str) -> bool {
        let program = context.program;
        let own = &program.names[program.class(class).name];
        let outermost = own.split_once('$').map_or(own, |(outermost, _)| outermost);
        let here = |class: ClassId| self.strings.get(&class).is_some_and(|strings| strings.contains(name));
        here(class) || program.class_named(outermost).is_some_and(here)
    }
}

/// Whether a field is read only to be written with a changed value, as in `count += 1`.
fn is_update(class: &Class, body: &Body<'_>, number: usize) -> bool {
    let read = |op: Op| match op {
        Op::GetField(constant)
        | Op::GetStatic(constant)
        | Op::PutField(constant)
        | Op::PutStatic(constant) => class.pool.member(constant),
        _ => None,
    };
    let member = read(body.instructions[number].op);
    let rest = body.instructions[number + 1..].iter().map(|instruction| instruction.op);
    for op in rest.take(8) {
        match op {
            Op::Int(_) | Op::Number(_) | Op::Load(..) | Op::Get(..) | Op::Compute { .. } => {}
            Op::PutField(_) | Op::PutStatic(_) => return read(op) == member,
            _ => return false,
        }
    }
    false
}

/// The declaration of a field.
fn field(context: &Context<'_>, member: &Member) -> Option<(ClassId, u32)> {
    let program = context.program;
    let class = program.find_class(member.owner)?;
    let declared = |id: ClassId| {
        let position = program.class(id).field(member.name, member.descriptor)?;
        Some((id, position as u32))
    };
    declared(class).or_else(|| program.supertypes(class).into_iter().find_map(declared))
}

/// Reports fields that are never read.
pub(super) fn fields(context: &Context<'_>, rule: &Rule, uses: &Uses, found: &mut Vec<Finding>) {
    let program = context.program;
    for id in context.reported() {
        let class = program.class(id);
        if class.methods.iter().any(|method| method.flags.is_native()) || class.flags.is_interface() {
            continue;
        }
        for (position, field) in class.fields.iter().enumerate() {
            let key = (id, position as u32);
            let name = &program.names[field.name];
            if uses.read.contains(&key)
                || field.is_constant
                || !is_own(field.flags)
                || field.flags.is_enum()
                || class.is_record && !field.flags.is_static()
                || is_serialized(context, class, field.flags)
                || matches!(name, "serialVersionUID" | "serialPersistentFields")
                || is_used_elsewhere(context, &field.annotations)
                || uses.is_named(context, id, name)
            {
                continue;
            }
            let written = uses.written.get(&key);
            let message = match written {
                Some(_) => format!("the field \"{name}\" is written and never read"),
                None => format!("the field \"{name}\" is never used"),
            };
            let line = written
                .filter(|(method, _)| program.owner(*method) == id)
                .and_then(|&(method, at)| context.place(method, at).line);
            let place = Place { file: context.file(id), line };
            let descriptor = program.names[field.descriptor].to_owned();
            found.push(context.about_field(rule, id, place, name.to_owned(), descriptor, message));
        }
    }
}

/// Whether serialization reads a field.
fn is_serialized(context: &Context<'_>, class: &Class, flags: Flags) -> bool {
    // the flag of variable arguments is that of transient fields
    if flags.is_static() || flags.is_varargs() || class.flags.is_enum() {
        return false;
    }
    let serializable = context.program.names.find("java/io/Serializable");
    serializable.is_some_and(|ancestor| context.program.is_subtype(class.name, ancestor))
}

/// Whether all code that could use a member is here: it is private, or seen in its package only.
fn is_own(flags: Flags) -> bool {
    !flags.is_public() && !flags.is_protected() && !flags.is_synthetic()
}

/// Packages of annotations that document code or help to check it, and use nothing.
const DOCUMENTING: [&str; 6] = [
    "java/lang/",
    "javax/annotation/",
    "edu/umd/cs/findbugs/",
    "org/checkerframework/",
    "org/jetbrains/annotations/",
    "com/google/errorprone/",
];

/// Whether annotations say that something else than code uses a member.
fn is_used_elsewhere(context: &Context<'_>, annotations: &[Annotation]) -> bool {
    annotations.iter().any(|annotation| {
        let kind = context.program.names[annotation.kind].trim_start_matches('L').trim_end_matches(';');
        let simple = kind.rsplit(['/', '$']).next().unwrap_or(kind);
        let documents = DOCUMENTING.iter().any(|package| kind.starts_with(package)) && !annotation.visible
            || matches!(
                simple,
                "Deprecated" | "Nullable" | "NonNull" | "NotNull" | "Nonnull" | "CheckForNull"
            );
        !documents
    })
}

/// Methods that the platform calls by their names.
const CALLED_BY_PLATFORM: [&str; 9] = [
    "readObject",
    "writeObject",
    "readResolve",
    "writeReplace",
    "readObjectNoData",
    "main",
    "premain",
    "agentmain",
    "<clinit>",
];

/// Reports private methods that are never called, except by others that are not.
pub(super) fn methods(context: &Context<'_>, rule: &Rule, uses: &Uses, found: &mut Vec<Finding>) {
    let program = context.program;
    let mut unused: FxHashSet<MethodId> = FxHashSet::default();
    for id in context.reported() {
        let annotated: FxHashSet<Symbol> = program
            .methods_of(id)
            .map(|method| program.method(method))
            .filter(|method| is_used_elsewhere(context, &method.annotations))
            .map(|method| method.name)
            .collect();
        for method in program.methods_of(id) {
            let declared = program.method(method);
            // sources of parameters of tests have the name of the test
            let is_kept = annotated.contains(&declared.name) || is_kept(context, uses, method);
            if declared.flags.is_private() && !is_kept {
                unused.insert(method);
            }
        }
    }
    // what a method that is used calls is used
    let mut called = uses.calls.clone();
    loop {
        let before = unused.len();
        called.retain(|(caller, callee)| {
            let counts = !unused.contains(caller);
            if counts {
                unused.remove(callee);
            }
            !counts
        });
        if unused.len() == before {
            break;
        }
    }
    for id in context.reported() {
        for method in program.methods_of(id).filter(|method| unused.contains(method)) {
            let name = &program.names[program.method(method).name];
            let message = match name {
                "<init>" => "the private constructor is never called".to_owned(),
                name => format!("the private method \"{name}\" is never called"),
            };
            found.push(context.finding(rule, method, 0, message));
        }
    }
}

/// Whether something else than a call may use a private method.
fn is_kept(context: &Context<'_>, uses: &Uses, method: MethodId) -> bool {
    let program = context.program;
    let declared = program.method(method);
    let class = program.owner(method);
    let (name, descriptor) = (&program.names[declared.name], &program.names[declared.descriptor]);
    uses.referred.contains(&method)
        || declared.flags.is_synthetic()
        || declared.flags.is_native()
        || CALLED_BY_PLATFORM.contains(&name)
        // a private constructor without parameters keeps others from making objects
        || name == "<init>" && (descriptor == "()V" || program.class(class).flags.is_enum())
        || name.contains('$')
        || uses.is_named(context, class, name)
}
