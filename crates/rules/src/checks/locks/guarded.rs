//! Fields with `@GuardedBy` that are used where no run holds their lock.
//!
//! The lock is named as Error Prone, the Checker Framework and JCIP have it: `this`, a field, a
//! class, or `itself`. It counts as held if it is on some path to the place, if an annotation of
//! the method says that its callers hold it, or if one of its callers in the program does, some
//! calls up. Constructors, and objects that a method has just made, are left out, as no other
//! thread has them yet. Other forms of the annotation are not looked at.
//!
//! Only classes that name such a field are looked at; callers are searched if there is a place
//! without the lock, in one pass over the calls of the program.

use super::held::Held;
use crate::checks::Bounds;
use crate::checks::method::Code;
use crate::context::ProgramContext;
use crate::flow::{Value, ValueId};
use loris_base::{Budget, Exhausted, Symbol};
use loris_findings::{Finding, RuleInfo};
use loris_java::class::{Annotation, Constant, Descriptor, Invoke, Member, Op};
use loris_java::{ClassId, ClassOrigin, MethodId, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Callers are looked at this many calls up.
const CALLS: usize = 4;

/// Callers beyond this many are not looked at, and hold the lock for all that is known.
const MOST_CALLERS: usize = 100;

/// A look at a caller takes as long as this many small steps.
const CALLER_STEPS: usize = 200;

/// The lock of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Guard {
    /// The object whose field it is.
    This,
    /// What another field of the object, or a static one, holds.
    Field(Symbol),
    /// A class, by its simple name.
    Class(String),
    /// What the field itself holds.
    Itself,
}

/// The fields that have a lock.
type Guards = BTreeMap<(ClassId, Symbol), Guard>;

/// Reports uses of fields without their locks.
pub(in crate::checks) fn unguarded(
    context: &ProgramContext<'_>,
    rule: &RuleInfo,
    bounds: &Bounds,
    findings: &mut Vec<Finding>,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let program = context.program;
    let guards = guards(program);
    if guards.is_empty() {
        return Ok(());
    }
    let mut callers = None;
    for class in context.reported() {
        budget.spend(program.class(class).size() / 8)?;
        if !names_one(program, class, &guards) {
            continue;
        }
        for method in program.methods_of(class).filter(|&method| bounds.has_method(method)) {
            let Ok(Some(body)) = program.body(method) else { continue };
            let code = Code::new(context, method, body);
            let mut held = None;
            for (ordinal, (number, field, guard)) in uses(&code, &guards).into_iter().enumerate() {
                let Some(base) = base(&code, number) else { continue };
                let need = Need { base, guard: guard.clone(), field };
                let Some(held) = held.get_or_insert_with(|| Held::new(&code)) else { break };
                if is_exempt(&code, base) || is_held(&code, held, number, &need) {
                    continue;
                }
                let callers = callers.get_or_insert_with(|| Callers::new(program));
                let mut left = MOST_CALLERS;
                let may_hold = callers.hold(context, &code, &need, CALLS, &mut left);
                budget.spend((MOST_CALLERS - left) * CALLER_STEPS)?;
                if may_hold {
                    continue;
                }
                let message = format!(
                    "`{}` is used here without {}, which guards it",
                    &program.names[field.name],
                    words(program, guard),
                );
                findings.push(code.finding(rule, number, message).numbered(ordinal as u32));
            }
        }
    }
    Ok(())
}

/// A lock as people call it.
fn words(program: &Program, guard: &Guard) -> String {
    match guard {
        Guard::This => "the monitor of its object".to_owned(),
        Guard::Field(name) => format!("`{}`", &program.names[*name]),
        Guard::Class(name) => format!("the monitor of the class {name}"),
        Guard::Itself => "its own monitor".to_owned(),
    }
}

/// The fields of a program that have a lock.
fn guards(program: &Program) -> Guards {
    let mut guards = Guards::new();
    for class in program.classes().filter(|&class| program.origin(class) != ClassOrigin::Platform) {
        for field in &program.class(class).fields {
            let guard = words_of(program, &field.annotations, &["GuardedBy"]).into_iter().next();
            let guard = guard.and_then(|text| Guard::read(program, class, text));
            // a field that names itself
            let is_itself = guard == Some(Guard::Field(field.name));
            let guard = if is_itself { Some(Guard::Itself) } else { guard };
            guards.extend(guard.map(|guard| ((class, field.name), guard)));
        }
    }
    guards
}

/// The texts in annotations with one of these names.
fn words_of<'p>(program: &'p Program, annotations: &[Annotation], known: &[&str]) -> Vec<&'p str> {
    let of_them = annotations.iter().filter(|it| known.contains(&it.simple_name(&program.names)));
    of_them.flat_map(|it| &it.values).map(|&text| program.names[text].trim()).collect()
}

impl Guard {
    /// Reads the text of an annotation at a member of a class.
    fn read(program: &Program, class: ClassId, text: &str) -> Option<Self> {
        let simple = |class: ClassId| {
            let name = &program.names[program.class(class).name];
            name.rsplit(['/', '$']).next().unwrap_or(name)
        };
        if let Some(name) = text.strip_suffix(".class") {
            return Some(Self::Class(name.rsplit('.').next().unwrap_or(name).to_owned()));
        }
        let own = text.strip_prefix(simple(class)).and_then(|rest| rest.strip_prefix('.')).unwrap_or(text);
        let name = own.strip_prefix("this.").unwrap_or(own);
        match name {
            "this" => return Some(Self::This),
            "itself" | "<self>" => return Some(Self::Itself),
            _ => {}
        }
        let name = program.names.find(name)?;
        let has_field = |class: ClassId| program.class(class).fields.iter().any(|field| field.name == name);
        program.supertypes(class).into_iter().any(has_field).then_some(Self::Field(name))
    }
}

/// Whether the constants of a class name a field that has a lock.
fn names_one(program: &Program, class: ClassId, guards: &Guards) -> bool {
    let pool = &program.class(class).pool;
    (0..pool.len()).any(|number| match pool.get(number as u16) {
        Constant::Field(member) => guards.keys().any(|(_, name)| *name == member.name),
        _ => false,
    })
}

/// The uses of fields that have a lock. One that is its own lock is used by calls on it: who enters
/// its monitor has to read it first.
fn uses<'g>(code: &Code<'_>, guards: &'g Guards) -> Vec<(usize, Member, &'g Guard)> {
    let used = |number: usize| {
        let member = match code.op(number) {
            _ if !code.is_reached(number) => return None,
            Op::GetField(_) | Op::PutField(_) | Op::GetStatic(_) | Op::PutStatic(_) => code.member(number)?,
            Op::Invoke(..) => match code.values()?.value(code.receiver(number)?) {
                Value::Field(_, member) | Value::Static(member) => member,
                _ => return None,
            },
            _ => return None,
        };
        let class = declared(code.program(), member)?;
        let guard = guards.get(&(class, member.name))?;
        let class = code.program().class(class);
        let field = &class.fields[class.field(member.name, member.descriptor)?];
        // of a volatile field the lock is for those who assign it
        if field.flags.is_volatile() && !matches!(code.op(number), Op::PutField(_) | Op::PutStatic(_)) {
            return None;
        }
        let is_call = matches!(code.op(number), Op::Invoke(..));
        (is_call == (*guard == Guard::Itself)).then_some((number, member, guard))
    };
    (0..code.len()).filter_map(used).collect()
}

/// The class that declares a field.
fn declared(program: &Program, field: Member) -> Option<ClassId> {
    let classes = program.supertypes(program.find_class(field.owner)?);
    let declares = |&class: &ClassId| program.class(class).field(field.name, field.descriptor).is_some();
    classes.into_iter().find(declares)
}

/// The object whose field an instruction uses; `Some(None)` for a static field.
#[expect(clippy::option_option, reason = "an object that is not known is not a static field")]
fn base(code: &Code<'_>, number: usize) -> Option<Option<ValueId>> {
    let values = code.values()?;
    match code.op(number) {
        Op::GetField(_) => Some(Some(values.stack(number, 0)?)),
        Op::PutField(_) => {
            let wide = matches!(code.text(code.member(number)?.descriptor), "J" | "D");
            Some(Some(values.stack(number, 1 + usize::from(wide))?))
        }
        Op::Invoke(..) => match values.value(code.receiver(number)?) {
            Value::Field(base, _) => Some(Some(base)),
            _ => Some(None),
        },
        _ => Some(None),
    }
}

/// Whether no other thread can have the object: this is its constructor, or the method has made it.
/// Also code that is not in a source.
fn is_exempt(code: &Code<'_>, base: Option<ValueId>) -> bool {
    let Some(values) = code.values() else { return true };
    let is_new = |base: ValueId| matches!(values.value(base), Value::New(..));
    match (code.text(code.method.name), base) {
        ("<init>", Some(base)) => code.is_this(base) || is_new(base),
        ("<clinit>", None) => true,
        // functions are run by whom they are given to
        (name, _) if name.starts_with("lambda$") => true,
        ("readObject" | "writeObject" | "finalize" | "clone", _) => true,
        (_, base) => base.is_some_and(is_new),
    }
}

/// A lock that a use of a field needs.
#[derive(Clone)]
struct Need {
    /// The object of the field, in the method at hand; none for a static field.
    base: Option<ValueId>,
    guard: Guard,
    field: Member,
}

/// Whether a method may hold a lock at an instruction: on some path there, by what it is declared
/// with, or by what an annotation says.
fn is_held(code: &Code<'_>, held: &Held, number: usize, need: &Need) -> bool {
    let Some(values) = code.values() else { return true };
    let program = code.program();
    let is_own = need.base.is_none_or(|base| code.is_this(base));
    let simple = code.text(code.class.name).rsplit(['/', '$']).next().unwrap_or_default();
    let (is_synchronized, is_static) = (code.method.flags.is_synchronized(), code.method.flags.is_static());
    let by_method = match &need.guard {
        Guard::This => is_own && is_synchronized && !is_static,
        Guard::Class(name) => is_synchronized && is_static && name == simple,
        _ => false,
    };
    let promised = words_of(program, &code.method.annotations, &["GuardedBy", "Holding"]).into_iter();
    let mut promised = promised.filter_map(|text| Guard::read(program, program.owner(code.id), text));
    if by_method || is_own && promised.any(|guard| guard == need.guard) {
        return true;
    }
    held.at(number).iter().any(|&lock| match (&need.guard, values.value(lock)) {
        (Guard::This, _) => Some(lock) == need.base,
        (Guard::Field(name), Value::Field(base, member)) => {
            member.name == *name && need.base.is_none_or(|of| of == base)
        }
        (Guard::Field(name), Value::Static(member)) => member.name == *name,
        // what a method returns may be any lock
        (Guard::Field(_) | Guard::Itself, Value::Result(..) | Value::Meet(..)) => true,
        (Guard::Itself, Value::Field(_, member) | Value::Static(member)) => member.name == need.field.name,
        (Guard::Class(name), Value::Constant(constant)) => match code.class.pool.get(constant) {
            Constant::Class(class) => code.text(class).rsplit(['/', '$']).next() == Some(name),
            _ => false,
        },
        _ => false,
    })
}

/// The calls of the methods of a program, by the names of these.
struct Callers(FxHashMap<Symbol, Vec<(MethodId, usize)>>);

impl Callers {
    fn new(program: &Program) -> Self {
        let mut calls: FxHashMap<Symbol, Vec<(MethodId, usize)>> = FxHashMap::default();
        for class in program.classes().filter(|&class| program.origin(class) != ClassOrigin::Platform) {
            let pool = &program.class(class).pool;
            for method in program.methods_of(class) {
                let Ok(Some(body)) = program.body(method) else { continue };
                for (number, instruction) in body.instructions.iter().enumerate() {
                    if let Op::Invoke(_, constant) = instruction.op
                        && let Some(member) = pool.member(constant)
                    {
                        calls.entry(member.name).or_default().push((method, number));
                    }
                }
            }
        }
        Self(calls)
    }

    /// Whether some caller of a method may hold a lock that the method needs, or is the constructor
    /// of its object, or there are more callers than are looked at.
    fn hold(
        &self,
        context: &ProgramContext<'_>,
        code: &Code<'_>,
        need: &Need,
        depth: usize,
        left: &mut usize,
    ) -> bool {
        let program = context.program;
        // the object has to be one that callers know
        let slot = match need.base.map(|base| code.values().map(|values| values.value(base))) {
            None => None,
            Some(Some(Value::Initial(slot))) => Some(slot),
            Some(_) => return false,
        };
        for &(caller, number) in self.0.get(&code.method.name).map_or(&[][..], Vec::as_slice) {
            let Ok(Some(body)) = program.body(caller) else { continue };
            let caller = Code::new(context, caller, body);
            if !may_call(&caller, number, code) || caller.id == code.id {
                continue;
            }
            if *left == 0 {
                return true;
            }
            *left -= 1;
            let base = slot.map(|slot| argument(&caller, number, slot));
            let Some(held) = Held::new(&caller).filter(|_| base != Some(None)) else { continue };
            let need = Need { base: base.flatten(), ..need.clone() };
            if is_exempt(&caller, need.base)
                || is_held(&caller, &held, number, &need)
                || depth > 0 && self.hold(context, &caller, &need, depth - 1, left)
            {
                return true;
            }
        }
        false
    }
}

/// Whether a call may run a method, as far as names and classes say.
fn may_call(caller: &Code<'_>, number: usize, callee: &Code<'_>) -> bool {
    let (program, owner) = (caller.program(), callee.class.name);
    caller.member(number).is_some_and(|member| {
        member.descriptor == callee.method.descriptor
            && (program.is_subtype(owner, member.owner) || program.is_subtype(member.owner, owner))
    })
}

/// What a call passes in a slot of the parameters, the receiver included.
fn argument(code: &Code<'_>, number: usize, slot: u16) -> Option<ValueId> {
    let Op::Invoke(invoke, _) = code.op(number) else { return None };
    let slots = Descriptor::of(code.text(code.member(number)?.descriptor))?.slots();
    let all = slots + usize::from(invoke != Invoke::Static);
    code.values()?.stack(number, all.checked_sub(usize::from(slot) + 1)?)
}
