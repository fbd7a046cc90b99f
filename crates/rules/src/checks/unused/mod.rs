//! Fields that are never read, and methods that are never called.
//!
//! Only members are judged whose users are all here: private ones, those of private classes, and in
//! a package with a `main` whatever is not seen outside of it. One pass over all code collects what
//! is read, written, called and referred to; then declarations that nothing uses are reported,
//! unless something outside of the code may use them: annotations, native methods, serialization,
//! reflection by a string with their name.

mod constants;
mod fields;
mod lookups;
mod methods;
mod names;
mod scope;

pub(super) use constants::has_switch_off;
pub(super) use fields::fields;
pub(super) use methods::methods;

use crate::context::ProgramContext;
use lookups::Lookups;
use loris_base::{Budget, Exhausted, Symbol};
use loris_java::class::{Annotation, Body, Class, Constant, Member, Op, StackOp};
use loris_java::{ClassId, MethodId};
use methods::Candidates;
use names::Named;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scopes;
use std::collections::BTreeMap;

/// A field: the class that declares it, and its number there.
type FieldId = (ClassId, u32);

/// What a program uses.
pub(super) struct Uses<'p> {
    scopes: Scopes<'p>,
    /// Methods that are used only if something calls them.
    candidates: Candidates,
    found: Found,
    /// Outermost classes with native methods, in them or in those nested in them.
    native: FxHashSet<ClassId>,
}

/// What code uses.
#[derive(Default)]
struct Found {
    /// Fields that are read, and the methods that do.
    reads: FxHashSet<(FieldId, MethodId)>,
    /// Fields that something else than code reads.
    read: FxHashSet<FieldId>,
    /// Fields that are written, and where first.
    written: BTreeMap<FieldId, (MethodId, u16)>,
    /// Candidates that something refers to without calling them.
    referred: FxHashSet<MethodId>,
    /// Calls of candidates: who calls whom.
    calls: Vec<(MethodId, MethodId)>,
    /// Classes that others mention.
    mentioned: FxHashSet<ClassId>,
    /// Names in strings and annotations.
    named: Named,
    /// Names that members are looked up by.
    lookups: Lookups,
}

/// The fields of the classes that are reported, by their signatures.
type Fields = FxHashMap<(ClassId, Symbol, Symbol), u32>;

/// Classes that are looked at between two looks at the budget.
const ROUND: usize = 512;

impl<'p> Uses<'p> {
    pub(super) fn new(context: &ProgramContext<'p>, budget: &mut Budget) -> Result<Self, Exhausted> {
        let program = context.program;
        let scopes = Scopes::new(context);
        let candidates = methods::candidates(context, &scopes, budget)?;
        let mut fields = Fields::default();
        for class in context.reported() {
            for (position, field) in program.class(class).fields.iter().enumerate() {
                fields.insert((class, field.name, field.descriptor), position as u32);
            }
        }
        let classes: Vec<ClassId> =
            program.classes().filter(|&class| !program.class(class).methods.is_empty()).collect();
        let mut all = Found::default();
        for round in classes.chunks(ROUND) {
            budget.spend(round.iter().map(|&class| program.class(class).size() / 8).sum())?;
            let found: Vec<Found> = round
                .par_iter()
                .map(|&class| Pass { context, fields: &fields, candidates: &candidates }.class(class))
                .collect();
            for found in found {
                all.add(found);
            }
        }
        let has_native =
            |class: &ClassId| program.class(*class).methods.iter().any(|method| method.flags.is_native());
        let native = classes.iter().filter(|class| has_native(class));
        let native = native.map(|&class| names::outermost(program, class)).collect();
        Ok(Self { scopes, candidates, found: all, native })
    }

    /// Whether a class, the one around it, or another one nested in that has native methods.
    fn has_native(&self, program: &loris_java::Program, class: ClassId) -> bool {
        self.native.contains(&names::outermost(program, class))
    }
}

impl Found {
    fn add(&mut self, other: Self) {
        self.reads.extend(other.reads);
        self.read.extend(other.read);
        self.referred.extend(other.referred);
        self.calls.extend(other.calls);
        self.mentioned.extend(other.mentioned);
        self.named.add(other.named);
        self.lookups.add(other.lookups);
        for (field, place) in other.written {
            let first = self.written.entry(field).or_insert(place);
            *first = place.min(*first);
        }
    }
}

/// The pass over the code of a class.
struct Pass<'c, 'p> {
    context: &'c ProgramContext<'p>,
    fields: &'c Fields,
    candidates: &'c Candidates,
}

impl Pass<'_, '_> {
    fn class(&self, id: ClassId) -> Found {
        let program = self.context.program;
        let class = program.class(id);
        let mut found = Found::default();
        let mut named = FxHashSet::default();
        names::annotated(program, &class.annotations, &mut named);
        class.methods.iter().for_each(|method| names::annotated(program, &method.annotations, &mut named));
        class.fields.iter().for_each(|field| names::annotated(program, &field.annotations, &mut named));
        // the bootstrap arguments of lambdas and method references are constants
        for number in 0..class.pool.len() {
            match class.pool.get(number as u16) {
                Constant::Handle(_, target) => {
                    let Some(member) = class.pool.member(target) else { continue };
                    let referred = program.resolve(&member);
                    found.referred.extend(referred.filter(|method| self.candidates.contains(*method)));
                    found.read.extend(self.field(&member));
                }
                Constant::Class(name) => {
                    let other = program.find_class(name);
                    found.mentioned.extend(other.filter(|&other| other != id));
                }
                _ => {}
            }
        }
        for method in program.methods_of(id) {
            if let Ok(Some(body)) = program.body(method) {
                self.method(class, method, &body, &mut found, &mut named);
            }
        }
        found.named = Named::of(program, id, named);
        found
    }

    fn method(
        &self,
        class: &Class,
        method: MethodId,
        body: &Body<'_>,
        found: &mut Found,
        named: &mut FxHashSet<Symbol>,
    ) {
        let program = self.context.program;
        for (number, instruction) in body.instructions.iter().enumerate() {
            match instruction.op {
                Op::Invoke(_, constant) => {
                    let is_of_one = |name: usize| names::reflected(self.context, class, body, name).is_some();
                    if let Some(lookup) = lookups::lookup(program, class, body, number)
                        && !lookup.name.is_some_and(is_of_one)
                    {
                        let text = lookup.name.and_then(|name| match body.instructions[name].op {
                            Op::Load(constant, _) => class.string(constant, &program.names),
                            _ => None,
                        });
                        let name = text.and_then(|text| program.names.find(&text));
                        found.lookups.note(program.owner(method), &lookup, name);
                    }
                    let callee = class.pool.member(constant).and_then(|member| program.resolve(&member));
                    let callee = callee.filter(|callee| self.candidates.contains(*callee));
                    found.calls.extend(callee.map(|callee| (method, callee)));
                }
                Op::GetField(constant) | Op::GetStatic(constant) if !is_update(class, body, number) => {
                    let read = class.pool.member(constant).and_then(|member| self.field(&member));
                    found.reads.extend(read.map(|read| (read, method)));
                }
                Op::PutField(constant) | Op::PutStatic(constant) => {
                    let written = class.pool.member(constant).and_then(|member| self.field(&member));
                    if let Some(written) = written {
                        found.written.entry(written).or_insert((method, instruction.at));
                    }
                }
                Op::Load(constant, _) => {
                    let Some(text) = class.string(constant, &program.names) else { continue };
                    match names::reflected(self.context, class, body, number) {
                        Some((owner, name, inherits)) => {
                            found.read.extend(self.reflected(owner, name, inherits));
                        }
                        None => named.extend(program.names.find(&text)),
                    }
                }
                _ => {}
            }
        }
    }

    /// The declaration of a field, if it may be reported.
    fn field(&self, member: &Member) -> Option<FieldId> {
        let program = self.context.program;
        let class = program.find_class(member.owner)?;
        let declared = |id: ClassId| {
            let position = self.fields.get(&(id, member.name, member.descriptor))?;
            Some((id, *position))
        };
        declared(class).or_else(|| program.supertypes(class).into_iter().find_map(declared))
    }

    /// The fields that reflection finds by a name.
    fn reflected(&self, class: ClassId, name: Symbol, inherits: bool) -> Option<FieldId> {
        let program = self.context.program;
        let declared = |id: ClassId| {
            let position = program.class(id).fields.iter().position(|field| field.name == name)?;
            Some((id, position as u32))
        };
        match declared(class) {
            None if inherits => program.supertypes(class).into_iter().find_map(declared),
            found => found,
        }
    }
}

/// Whether a field is read only to be written with a changed value, as in `count += 1`.
fn is_update(class: &Class, body: &Body<'_>, number: usize) -> bool {
    let named = |op: Op| match op {
        Op::GetField(constant)
        | Op::GetStatic(constant)
        | Op::PutField(constant)
        | Op::PutStatic(constant) => class.pool.member(constant),
        _ => None,
    };
    let read = body.instructions[number].op;
    // the object is named once; `x.count = x.count + 1` reads the field, as people see it
    let before = number.checked_sub(1).map(|before| body.instructions[before].op);
    let is_dup = matches!(before, Some(Op::Stack(StackOp::Dup { .. })));
    if matches!(read, Op::GetField(_)) && !is_dup {
        return false;
    }
    let member = named(read);
    let rest = body.instructions[number + 1..].iter().map(|instruction| instruction.op);
    for op in rest.take(8) {
        match op {
            Op::Int(_) | Op::Number(_) | Op::Load(..) | Op::Get(..) | Op::Compute { .. } => {}
            Op::PutField(_) | Op::PutStatic(_) => return named(op) == member,
            _ => return false,
        }
    }
    false
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
fn is_used_elsewhere(context: &ProgramContext<'_>, annotations: &[Annotation]) -> bool {
    annotations.iter().any(|annotation| {
        let kind = context.program.names[annotation.kind].trim_start_matches('L').trim_end_matches(';');
        let simple = kind.rsplit(['/', '$']).next().unwrap_or(kind);
        let documents = DOCUMENTING.iter().any(|package| kind.starts_with(package)) && !annotation.visible
            || matches!(simple, "Nullable" | "NonNull" | "NotNull" | "Nonnull" | "CheckForNull");
        !documents
    })
}
