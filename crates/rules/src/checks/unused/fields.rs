//! Fields that are never read.

use super::constants::unused_constants;
use super::lookups::Member;
use super::methods::Closed;
use super::scope::Scope;
use super::{FieldId, Uses, is_used_elsewhere};
use crate::checks::Bounds;
use crate::context::{ProgramContext, finding_at};
use loris_base::{Budget, Exhausted};
use loris_findings::{Confidence, Declaration, Finding, Location, RuleInfo};
use loris_java::ClassId;
use loris_java::class::{Class, Field, Flags, Method};
use rustc_hash::FxHashSet;

/// Reports fields that are never read.
pub(in super::super) fn fields(
    context: &ProgramContext<'_>,
    rule: &RuleInfo,
    (uses, bounds): (&Uses<'_>, &Bounds),
    found: &mut Vec<Finding>,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let program = context.program;
    let read = read(context, uses);
    let constants = unused_constants(context, budget)?;
    let lookups = uses.found.lookups.by_package(program, |class| uses.found.named.own(class));
    for id in context.reported().filter(|&class| bounds.has_class(class)) {
        let class = program.class(id);
        budget.spend(class.fields.len())?;
        if class.methods.iter().any(|method| method.flags.is_native()) || class.flags.is_interface() {
            continue;
        }
        for (position, field) in class.fields.iter().enumerate() {
            let key = (id, position as u32);
            let written = uses.found.written.get(&key);
            if read.contains(&key)
                || field.constant.is_some() && !constants.contains(&key)
                || !is_closed(uses, id, field, written.is_some())
                || is_kept(context, uses, id, class, field)
                || lookups.may_find(program, id, Member::Field, field.name)
            {
                continue;
            }
            let name = &program.names[field.name];
            let message = match written {
                Some(_) if field.constant.is_none() => {
                    format!("the field \"{name}\" is written and never read")
                }
                _ => format!("the field \"{name}\" is never used"),
            };
            let line = written
                .filter(|(method, _)| program.owner(*method) == id)
                .and_then(|&(method, at)| context.place(method, at).line);
            let place = Location { file: context.file(id), line, ..Location::default() };
            let descriptor = program.names[field.descriptor].to_owned();
            let declaration = Declaration {
                field: Some(name.to_owned()),
                ..Declaration::of_method(program.class_name(id), "", descriptor)
            };
            let mut finding = finding_at(rule, declaration, place, message);
            if field.constant.is_some() {
                let why = "compilers copy constants to where they are used";
                finding = finding.at_most(Confidence::Likely, why);
            }
            if uses.scopes.of(id, field.flags) != Scope::Nest {
                let why = "code outside of the program may use the field";
                finding = finding.at_most(Confidence::Likely, why);
            }
            if !field.flags.is_static() && uses.has_native(program, id) {
                let why = "native code of the classes around it may use the field";
                finding = finding.at_most(Confidence::Possible, why);
            }
            if is_used_elsewhere(context, &class.annotations) {
                let why = "what reads the annotations of the class may use its fields";
                finding = finding.at_most(Confidence::Possible, why);
            }
            found.push(finding);
        }
    }
    Ok(())
}

/// Fields that are read. What only unused methods of an application read is not; what an unused
/// private method reads is, as there is a finding about that method already.
fn read(context: &ProgramContext<'_>, uses: &Uses<'_>) -> FxHashSet<FieldId> {
    let unused = uses.unused_methods(context);
    let counts =
        |method| !unused.contains(method) || uses.candidates.get(*method) != Some(Closed::Application);
    let by_code = uses.found.reads.iter().filter(|(_, method)| counts(method)).map(|&(field, _)| field);
    by_code.chain(uses.found.read.iter().copied()).collect()
}

/// Whether all code that could use a field is here.
fn is_closed(uses: &Uses<'_>, class: ClassId, field: &Field, is_written: bool) -> bool {
    // old compilers do not mark what they make
    let name = &uses.scopes.program.names[field.name];
    if field.flags.is_synthetic() || name.starts_with("this$") || name.starts_with("val$") {
        return false;
    }
    match uses.scopes.of(class, field.flags) {
        Scope::Nest => true,
        Scope::Package if !field.flags.is_public() && !field.flags.is_protected() => true,
        Scope::Package => uses.scopes.is_in_application(class),
        // nobody inherits from the start of an application
        Scope::Everywhere => field.flags.is_public() && uses.scopes.has_main(class) && !is_written,
    }
}

/// Whether something else than code may use a field.
fn is_kept(context: &ProgramContext<'_>, uses: &Uses<'_>, id: ClassId, class: &Class, field: &Field) -> bool {
    let name = &context.program.names[field.name];
    field.flags.is_enum()
        || class.is_record && !field.flags.is_static()
        || is_serialized(context, class, field.flags)
        || matches!(name, "serialVersionUID" | "serialPersistentFields")
        || is_used_elsewhere(context, &field.annotations)
        || uses.found.named.is_named(context.program, id, field.name)
        || is_padding(context, class, field)
        || is_of_accessor(context, id, class, field)
        || is_of_structure(context, id)
}

/// Whether a field holds the value of a property of Scala or Kotlin. Where the value is a constant,
/// the accessor returns that, and does not read the field; fields whose names have a `$` are the
/// compiler's.
fn is_of_accessor(context: &ProgramContext<'_>, id: ClassId, class: &Class, field: &Field) -> bool {
    let names = &context.program.names;
    let is_accessor =
        |method: &Method| method.name == field.name && names[method.descriptor].starts_with("()");
    context.is_of_another_language(id)
        && (names[field.name].contains('$')
            || matches!(&names[field.name], "INSTANCE" | "Companion")
            || class.methods.iter().any(is_accessor))
}

/// This many numbered fields of a class are there to keep others apart in memory.
const PADDING: usize = 6;

/// Whether a field is one of `long p1, p2, p3, p4, p5, p6`, or of `long p8, p9, pa, pb, pc, pd`.
fn is_padding(context: &ProgramContext<'_>, class: &Class, field: &Field) -> bool {
    let names = &context.program.names;
    let digits = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let stem = names[field.name].trim_end_matches(digits);
    if &names[field.descriptor] != "J" || stem.is_empty() || stem.len() == names[field.name].len() {
        return false;
    }
    let same = |other: &&Field| {
        other.descriptor == field.descriptor && names[other.name].trim_end_matches(digits) == stem
    };
    class.fields.iter().filter(same).nth(PADDING - 1).is_some()
}

/// Whether the fields of a class are the layout of a structure of native code.
fn is_of_structure(context: &ProgramContext<'_>, class: ClassId) -> bool {
    let program = context.program;
    let mut names =
        program.supertypes(class).into_iter().filter_map(|ancestor| program.class(ancestor).superclass);
    names.any(|name| {
        matches!(
            &program.names[name],
            "com/sun/jna/Structure"
                | "com/sun/jna/Union"
                | "jnr/ffi/Struct"
                | "jnr/ffi/StructLayout"
                | "jnr/ffi/Union"
        )
    })
}

/// Whether serialization reads a field.
fn is_serialized(context: &ProgramContext<'_>, class: &Class, flags: Flags) -> bool {
    // the flag of variable arguments is that of transient fields
    if flags.is_static() || flags.is_varargs() || class.flags.is_enum() {
        return false;
    }
    let serializable = context.program.names.find("java/io/Serializable");
    serializable.is_some_and(|ancestor| context.program.is_subtype(class.name, ancestor))
}
