//! Two objects that lock each other: a method that holds its object acquires the monitor of one of
//! its arguments, and is called with the same two objects both ways, as in `a.bow(b)` and
//! `b.bow(a)`. (CWE 833; the dining philosophers with two at the table.)
//!
//! Objects are told apart by where callers have them from: static fields that only class
//! initialisers assign, which any thread may use, and variables that two functions or anonymous
//! classes of one method capture, each of which is a thread's code. Callers are looked at only if
//! there is such a method: one pass over all code, then the pairs of calls of each method.

use super::actions::Actions;
use super::held::Held;
use crate::checks::method::Code;
use crate::context::ProgramContext;
use crate::flow::{Value, ValueId};
use loris_base::{Budget, Exhausted, Symbol};
use loris_java::class::{Descriptor, Op};
use loris_java::{ClassOrigin, MethodId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// An object that has a name where a method is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Shared {
    /// What a static field holds: its class and its name.
    Static(Symbol, Symbol),
    /// A variable with this name, captured by an anonymous class.
    Anonymous(Symbol, String),
    /// A variable with this name, captured by a function: a class, and the name of the method
    /// around as names of functions show it.
    Function(Symbol, String, String),
}

/// A call of a method with objects that have names.
struct Handing {
    callee: MethodId,
    receiver: Shared,
    /// arguments, by their slots
    arguments: Vec<(u16, Shared)>,
    /// whether a lock is held there
    is_locked: bool,
}

/// Where a method that holds its object acquires the monitor of an argument.
#[derive(Clone, Copy)]
pub(super) struct Crossing {
    pub(super) slot: u16,
    pub(super) at: u16,
}

/// What callers of such methods do.
#[derive(Default)]
struct Callers {
    handings: Vec<(MethodId, Handing)>,
    /// static fields that methods other than class initialisers assign
    assigned: FxHashSet<(Symbol, Symbol)>,
    /// anonymous classes, with the methods that make objects of them
    makers: FxHashMap<Symbol, Vec<MethodId>>,
}

/// Whether a class has no name, as compilers name those.
fn is_anonymous(class: &str) -> bool {
    class.rsplit_once('$').is_some_and(|(_, last)| last.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Callers {
    /// Looks at the code of a method.
    fn look(&mut self, context: &ProgramContext<'_>, method: MethodId, crossing: &FxHashSet<MethodId>) {
        let program = context.program;
        let Ok(Some(body)) = program.body(method) else { return };
        let pool = &program.class(program.owner(method)).pool;
        let is_initialiser = &program.names[program.method(method).name] == "<clinit>";
        let mut calls = Vec::new();
        for (number, instruction) in body.instructions.iter().enumerate() {
            match instruction.op {
                Op::PutStatic(field) if !is_initialiser => {
                    self.assigned.extend(pool.member(field).map(|member| (member.owner, member.name)));
                }
                Op::New(constant) => {
                    let made = pool.class(constant).filter(|&class| is_anonymous(&program.names[class]));
                    if let Some(made) = made {
                        self.makers.entry(made).or_default().push(method);
                    }
                }
                Op::Invoke(_, constant) => {
                    let callee = pool.member(constant).and_then(|member| program.resolve(&member));
                    calls.extend(callee.filter(|it| crossing.contains(it)).map(|callee| (number, callee)));
                }
                _ => {}
            }
        }
        if !calls.is_empty() {
            let code = Code::new(context, method, body);
            let held = Held::new(&code);
            for (number, callee) in calls.into_iter().filter(|&(number, _)| code.is_reached(number)) {
                let is_locked = code.method.flags.is_synchronized()
                    || held.as_ref().is_none_or(|held| held.is_any(number));
                self.handings.extend(handing(&code, number, callee, is_locked).map(|it| (method, it)));
            }
        }
    }
}

fn handing(code: &Code<'_>, number: usize, callee: MethodId, is_locked: bool) -> Option<Handing> {
    let descriptor = Descriptor::of(code.text(code.member(number)?.descriptor))?;
    let values = code.values()?;
    let receiver = shared(code, code.receiver(number)?)?;
    let (mut slot, mut below, mut arguments) = (1, descriptor.slots(), Vec::new());
    for parameter in descriptor.parameters {
        let width = if matches!(parameter, "J" | "D") { 2 } else { 1 };
        below -= width;
        let value = values.stack(number, below).filter(|_| parameter.starts_with('L'));
        arguments.extend(value.and_then(|value| shared(code, value)).map(|shared| (slot, shared)));
        slot += width as u16;
    }
    Some(Handing { callee, receiver, arguments, is_locked })
}

/// The name of an object, if others may have it, too.
fn shared(code: &Code<'_>, value: ValueId) -> Option<Shared> {
    match code.values()?.value(value) {
        Value::Static(member) => Some(Shared::Static(member.owner, member.name)),
        Value::Field(base, member) if code.is_this(base) && is_anonymous(code.text(code.class.name)) => {
            let variable = code.text(member.name).strip_prefix("val$")?;
            Some(Shared::Anonymous(code.class.name, variable.to_owned()))
        }
        Value::Initial(slot) if code.method.flags.is_synthetic() => {
            let around = code.text(code.method.name).strip_prefix("lambda$")?.rsplit_once('$')?.0;
            let variable = code.text(code.body.code.variable(slot, 0)?.name);
            Some(Shared::Function(code.class.name, around.to_owned(), variable.to_owned()))
        }
        _ => None,
    }
}

/// The argument whose monitor a call acquires: a synchronized method is called on it.
pub(super) fn synchronized_on(code: &Code<'_>, number: usize) -> Option<u16> {
    let callee = code.program().method(code.callee(number)?);
    if !callee.flags.is_synchronized() || callee.flags.is_static() {
        return None;
    }
    argument(code, code.receiver(number)?)
}

/// The slot of an argument of a method, the object itself left out.
pub(super) fn argument(code: &Code<'_>, value: ValueId) -> Option<u16> {
    match code.values()?.value(value) {
        Value::Initial(slot) if slot > 0 && !code.method.flags.is_static() => Some(slot),
        _ => None,
    }
}

/// Methods with the place where they acquire the monitor of an argument, that are called with the
/// same two objects both ways; and the methods of the two calls.
pub(super) fn crossed(
    context: &ProgramContext<'_>,
    all: &BTreeMap<MethodId, Actions>,
    budget: &mut Budget,
) -> Result<Vec<(MethodId, Crossing, [MethodId; 2])>, Exhausted> {
    let program = context.program;
    let crossing = all.iter().filter(|(_, actions)| !actions.crossings.is_empty());
    let crossing = crossing.filter(|&(&method, _)| !is_overridden(program, method));
    let crossing: FxHashSet<MethodId> = crossing.map(|(&method, _)| method).collect();
    let mut callers = Callers::default();
    if !crossing.is_empty() {
        for class in program.classes().filter(|&class| program.origin(class) != ClassOrigin::Platform) {
            budget.spend(program.class(class).size() / 8)?;
            program.methods_of(class).for_each(|method| callers.look(context, method, &crossing));
        }
    }
    let mut found = Vec::new();
    for (&method, actions) in all.iter().filter(|(method, _)| crossing.contains(method)) {
        let known: Vec<&(MethodId, Handing)> =
            callers.handings.iter().filter(|(_, handing)| handing.callee == method).collect();
        budget.spend(known.len() * known.len())?;
        let met = actions.crossings.iter().find_map(|&crossing| {
            let pairs = known
                .iter()
                .enumerate()
                .flat_map(|(at, one)| known[at + 1..].iter().map(move |other| (*one, *other)));
            let mut both = pairs.filter(|(one, other)| callers.meet(crossing.slot, one, other));
            both.next().map(|(one, other)| (method, crossing, [one.0, other.0]))
        });
        found.extend(met);
    }
    Ok(found)
}

impl Callers {
    /// Whether two names are those of one object, wherever they are.
    fn are_same(&self, one: &Shared, other: &Shared) -> bool {
        match (one, other) {
            (Shared::Static(owner, field), _) => one == other && !self.assigned.contains(&(*owner, *field)),
            (Shared::Anonymous(class, name), Shared::Anonymous(other, other_name)) => {
                let maker = |class| self.makers.get(class).filter(|methods| methods.len() == 1);
                name == other_name && maker(class).is_some() && maker(class) == maker(other)
            }
            (Shared::Function(..), _) => one == other,
            (Shared::Anonymous(..), _) => false,
        }
    }

    /// Whether two calls hand over the same two objects, one the other way round.
    fn meet(
        &self,
        slot: u16,
        (method, one): &(MethodId, Handing),
        (by, other): &(MethodId, Handing),
    ) -> bool {
        let argument = |handing: &'_ Handing| {
            handing.arguments.iter().find(|it| it.0 == slot).map(|(_, shared)| shared.clone())
        };
        let Some((given, taken)) = argument(one).zip(argument(other)) else { return false };
        let is_static = |shared: &Shared| matches!(shared, Shared::Static(..));
        self.are_same(&one.receiver, &taken)
            && self.are_same(&given, &other.receiver)
            && one.receiver != given
            // captured by two, each of which may be a thread's code
            && (is_static(&given) && is_static(&taken) || method != by)
            // a lock that is held around both may keep them apart
            && !(one.is_locked && other.is_locked)
    }
}

/// Whether a subclass has another method in place of one.
fn is_overridden(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    let mut below = program.all_subtypes(program.owner(method)).into_iter().skip(1);
    below.any(|class| program.declared(class, declared.name, declared.descriptor).is_some())
}
