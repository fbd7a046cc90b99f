//! Annotations that say who closes an object, or which locks are held, where sites are looked for.

use super::resources::Resources;
use super::sites::Finder;
use crate::flow::{Flow, Value, ValueId, Values};
use loris_base::Symbol;
use loris_java::class::{Annotation, Body, Class, Descriptor, Invoke, Member, Op};
use loris_java::objects::{Contracts, Site, SiteKind};
use loris_java::{MethodId, Program};

/// Whether the constructor of the object made at an instruction says that it must be closed.
pub(super) fn must_be_closed(
    finder: &Finder<'_>,
    class: &Class,
    body: &Body<'_>,
    number: usize,
    name: Symbol,
) -> bool {
    let contracts = &finder.resources.model.contracts;
    Finder::constructor(finder.program, class, body, number, name)
        .is_some_and(|member| contracts.is_marked(finder.program, &member, &contracts.must_be_closed))
}

/// Whether annotations say of the object of a site that it has to be closed.
pub(super) fn is_promised(program: &Program, contracts: &Contracts, site: &Site) -> bool {
    let Ok(Some(body)) = program.body(site.method) else { return false };
    let class = program.class(program.owner(site.method));
    let is_marked = |member: Option<Member>| {
        let marked = |known: &[String]| member.is_some_and(|it| contracts.is_marked(program, &it, known));
        marked(&contracts.must_be_closed) || marked(&contracts.takes)
    };
    match body.instructions[site.number].op {
        Op::Invoke(_, constant) => is_marked(class.pool.member(constant)),
        Op::New(constant) => class.pool.class(constant).is_some_and(|name| {
            has_obligation(program, contracts, name)
                || is_marked(Finder::constructor(program, class, &body, site.number, name))
        }),
        _ => false,
    }
}

/// Whether a class, or one that it inherits from, says that its objects have to be closed.
pub(super) fn has_obligation(program: &Program, contracts: &Contracts, name: Symbol) -> bool {
    let known = &contracts.obligations;
    program.find_class(name).is_some_and(|class| {
        let mut types = program.supertypes(class).into_iter();
        types.any(|class| Contracts::names_one(known, &program.class(class).annotations, &program.names))
    })
}

/// Whether annotations say of the result of a method that the caller closes it, or that it does
/// not.
pub(super) fn result(finder: &Finder<'_>, member: &Member) -> Option<bool> {
    let (program, contracts) = (finder.program, &finder.resources.model.contracts);
    let result = Descriptor::of(&program.names[member.descriptor])?.result;
    if !result.starts_with('L') {
        return None;
    }
    let is_marked = |known: &[String]| contracts.is_marked(program, member, known);
    if is_marked(&contracts.leaves) {
        return Some(false);
    }
    (is_marked(&contracts.must_be_closed) || is_marked(&contracts.takes)).then_some(true)
}

/// The parameters of a constructor that annotations say it does not close.
pub(super) fn lent(finder: &Finder<'_>, member: &Member) -> Vec<usize> {
    let program = finder.program;
    let Some(method) = program.resolve(member) else { return Vec::new() };
    let count = Descriptor::of(&program.names[member.descriptor]).map_or(0, |it| it.parameters.len());
    let parameters = &program.method(method).parameters;
    let known = &finder.resources.model.contracts.leaves;
    let lent = parameters
        .iter()
        .enumerate()
        .filter(|(_, annotations)| Contracts::names_one(known, annotations, &program.names));
    // parameters that compilers add in front have no annotations
    lent.map(|(position, _)| position + count.saturating_sub(parameters.len())).collect()
}

/// The slots of the parameters of a method that annotations say it closes, of those that can be
/// closed.
pub(super) fn promised(finder: &mut Finder<'_>, method: MethodId) -> Vec<u8> {
    let program = finder.program;
    let declared = program.method(method);
    let known = &finder.resources.model.contracts.takes;
    let Some(descriptor) = Descriptor::of(&program.names[declared.descriptor]) else { return Vec::new() };
    let has = |annotations: &Vec<Annotation>| Contracts::names_one(known, annotations, &program.names);
    // parameters that compilers add in front have no annotations
    let added = descriptor.parameters.len().saturating_sub(declared.parameters.len());
    let marked: Vec<bool> =
        std::iter::repeat_n(false, added).chain(declared.parameters.iter().map(has)).collect();
    let (mut slots, mut at) = (Vec::new(), usize::from(!declared.flags.is_static()));
    for (parameter, is_marked) in descriptor.parameters.iter().zip(marked) {
        let class = parameter.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
        let class = class.and_then(|name| program.names.find(name));
        if is_marked && class.is_some_and(|class| finder.is_resource(class)) {
            slots.extend(u8::try_from(at));
        }
        at += if matches!(*parameter, "J" | "D") { 2 } else { 1 };
    }
    slots
}

/// Whether a call at an instruction is made on a lock that an annotation of the method says it is
/// called with: whether it is released and acquired again is between the method and its callers.
pub(super) fn is_guarded(
    finder: &Finder<'_>,
    method: MethodId,
    body: &Body<'_>,
    number: usize,
    kind: SiteKind,
) -> bool {
    if !matches!(kind, SiteKind::Receiver | SiteKind::ReceiverIfTrue | SiteKind::Entry) {
        return false;
    }
    let program = finder.program;
    let words = guards(program, finder.resources, method);
    if words.is_empty() {
        return false;
    }
    let class = program.class(program.owner(method));
    let Op::Invoke(invoke, constant) = body.instructions[number].op else { return false };
    let Some(member) = class.pool.member(constant) else { return false };
    let Some(descriptor) = Descriptor::of(&program.names[member.descriptor]) else { return false };
    let Some(values) = Values::new(class, &program.names, body, &Flow::new(body)) else { return false };
    let receiver = (invoke != Invoke::Static).then(|| values.stack(number, descriptor.slots())).flatten();
    let is_static = program.method(method).flags.is_static();
    receiver
        .and_then(|receiver| named(program, class, body, &values, is_static, receiver))
        .is_some_and(|name| words.contains(&name))
}

/// Calls are looked through this often, as in `locks.get().writeLock()`.
const CALLS: usize = 4;

/// The name of the field, parameter or method that a lock comes from; `this` for the object itself.
fn named<'p>(
    program: &'p Program,
    class: &Class,
    body: &Body<'_>,
    values: &Values,
    is_static: bool,
    mut value: ValueId,
) -> Option<&'p str> {
    for _ in 0..CALLS {
        match values.value(value) {
            Value::Field(_, field) | Value::Static(field) => return Some(&program.names[field.name]),
            Value::Initial(0) if !is_static => return Some("this"),
            Value::Initial(slot) => return Some(&program.names[body.code.variable(slot, 0)?.name]),
            Value::Result(at, _) => {
                let Op::Invoke(invoke, constant) = body.instructions[at as usize].op else { return None };
                let member = class.pool.member(constant)?;
                let slots = Descriptor::of(&program.names[member.descriptor])?.slots();
                match (invoke != Invoke::Static).then(|| values.stack(at as usize, slots)).flatten() {
                    // `lock().unlock()`: a getter of the object itself
                    Some(on) if values.value(on) != Value::Initial(0) || is_static => value = on,
                    _ => return Some(&program.names[member.name]),
                }
            }
            _ => return None,
        }
    }
    None
}

/// The words in the annotations of a method, or of the one around a lambda, that name locks.
fn guards<'p>(program: &'p Program, resources: &Resources, method: MethodId) -> Vec<&'p str> {
    let declared = program.method(method);
    let name = &program.names[declared.name];
    let around = name.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$')).map(|(name, _)| name);
    let class = program.class(program.owner(method));
    let outer = class.methods.iter().filter(|other| Some(&program.names[other.name]) == around);
    let annotations = outer.flat_map(|outer| &outer.annotations).chain(&declared.annotations);
    let known = &resources.model.contracts.guards;
    let is_guard = |annotation: &&Annotation| {
        Contracts::names_one(known, std::slice::from_ref(*annotation), &program.names)
    };
    let texts = annotations.filter(is_guard).flat_map(|annotation| &annotation.values);
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let words = texts.flat_map(|&text| program.names[text].split(move |c| !is_part(c)));
    words.filter(|word| !word.is_empty()).collect()
}
