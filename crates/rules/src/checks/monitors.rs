//! Misuse of `wait` and `notify`: outside of a loop, without the monitor of the object, while another
//! monitor is held, on a `Condition`; and notifications of nothing.
//!
//! The monitors that are held at an instruction are those entered on the way and not left. Objects
//! are compared by where they come from (`flow::values`): a field of the same object is the same.

use super::method::Code;
use crate::flow::{Value, ValueId, Values};
use crate::{Context, Finding, Rule};
use loris_java::MethodId;
use loris_java::class::{Constant, Op};

/// What a call does to the threads that wait for an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wait,
    Notify,
    /// Of `java.util.concurrent.locks.Condition`.
    Await,
}

pub(super) fn check(code: &Code<'_>, rule: &Rule, found: &mut Vec<Finding>) {
    for_calls(code, |number, kind, ordinal| {
        if let Some(message) = misuse(code, number, kind) {
            let mut finding = code.finding(rule, number, message);
            finding.ordinal = ordinal;
            found.push(finding);
        }
    });
}

/// Reports notifications before which nothing is changed while the monitor is held.
pub(super) fn unchanged(code: &Code<'_>, rule: &Rule, found: &mut Vec<Finding>) {
    for_calls(code, |number, kind, ordinal| {
        if kind != Kind::Notify {
            return;
        }
        let Some(held) = Held::new(code) else { return };
        if held.at(number).is_empty() && !code.method.flags.is_synchronized() {
            return;
        }
        let changes = |number: usize| {
            matches!(
                code.op(number),
                Op::PutField(_) | Op::PutStatic(_) | Op::ArraySet(_) | Op::Invoke(..) | Op::InvokeDynamic(_)
            )
        };
        // nothing between the start of the method, or the monitor, and the call
        let starts: Vec<usize> = if code.method.flags.is_synchronized() {
            vec![0]
        } else {
            (0..code.len()).filter(|&at| code.op(at) == Op::MonitorEnter && code.is_reached(at)).collect()
        };
        let quiet = code.flow.reached(starts, false, |at| at == number || !changes(at));
        if quiet[number] {
            let mut finding = code.finding(
                rule,
                number,
                "nothing is changed before the notification: those who wait have nothing to see",
            );
            finding.ordinal = ordinal;
            found.push(finding);
        }
    });
}

fn for_calls(code: &Code<'_>, mut look: impl FnMut(usize, Kind, u32)) {
    let mut ordinal = 0;
    for number in 0..code.len() {
        if let Some(kind) = kind(code, number)
            && code.is_reached(number)
        {
            look(number, kind, ordinal);
            ordinal += 1;
        }
    }
}

fn kind(code: &Code<'_>, number: usize) -> Option<Kind> {
    let Op::Invoke(..) = code.op(number) else { return None };
    let member = code.member(number)?;
    let (name, descriptor) = (code.text(member.name), code.text(member.descriptor));
    match (name, descriptor) {
        ("wait", "()V" | "(J)V" | "(JI)V") => Some(Kind::Wait),
        ("notify" | "notifyAll", "()V") => Some(Kind::Notify),
        _ if name.starts_with("await") => {
            let program = code.program();
            let condition = program.names.find("java/util/concurrent/locks/Condition")?;
            let on_condition = program.is_subtype(member.owner, condition)
                || descriptor.starts_with("(Ljava/util/concurrent/locks/Condition;");
            on_condition.then_some(Kind::Await)
        }
        _ => None,
    }
}

fn misuse(code: &Code<'_>, number: usize, kind: Kind) -> Option<String> {
    let member = code.member(number)?;
    let program = code.program();
    let name = code.text(member.name);
    if kind != Kind::Await {
        // calls on interfaces name `Object`
        let declared = code.receiver(number).and_then(|receiver| code.declared_type(receiver));
        let declared = declared.and_then(|name| program.names.find(name)).unwrap_or(member.owner);
        let is_a = |ancestor: &str| {
            program.names.find(ancestor).is_some_and(|ancestor| program.is_subtype(declared, ancestor))
        };
        if is_a("java/util/concurrent/locks/Condition") {
            return Some(format!(
                "{name}() of the object is called, not of the condition: use await() and signal()"
            ));
        }
        if let Some(held) = Held::new(code) {
            let holds = held.holds(code, number);
            if holds == Some(false) && !callers_hold(code.context, code.id, 0) {
                return Some(format!("{name}() is called without the monitor of the object: it throws"));
            }
            if kind == Kind::Wait && holds != Some(false) && held.others(code, number) > 0 {
                return Some(
                    "wait() gives up one monitor while another one is held: nobody may get there to notify"
                        .to_owned(),
                );
            }
        }
    }
    let is_wrapper = code.text(code.method.name) == name;
    if kind != Kind::Notify && !is_wrapper && !is_in_loop(code, number) {
        return Some(format!(
            "{name}() is called outside of a loop: it may return before the condition is true"
        ));
    }
    None
}

fn is_in_loop(code: &Code<'_>, number: usize) -> bool {
    code.flow.reached(code.flow.all(number), true, |_| true)[number]
}

/// The monitors held before each instruction, as far as the method itself takes them.
struct Held<'a> {
    values: &'a Values,
    states: Vec<Option<Vec<ValueId>>>,
}

impl<'a> Held<'a> {
    fn new(code: &'a Code<'_>) -> Option<Self> {
        let values = code.values()?;
        let mut states: Vec<Option<Vec<ValueId>>> = vec![None; code.len()];
        states[0] = Some(Vec::new());
        let mut work = vec![0];
        while let Some(number) = work.pop() {
            let Some(before) = states[number].clone() else { continue };
            let mut after = before.clone();
            match (code.op(number), values.stack(number, 0)) {
                (Op::MonitorEnter, Some(object)) => after.push(object),
                (Op::MonitorExit, Some(object)) => {
                    // monitors are left in the order they were entered, whatever the object is called
                    let at = after.iter().rposition(|&held| held == object);
                    if let Some(at) = at.or_else(|| after.len().checked_sub(1)) {
                        after.remove(at);
                    }
                }
                _ => {}
            }
            // code is structured, so the first path to an instruction stands for all
            let next = code.flow.next(number).map(|next| (next, &after));
            let caught = code.flow.handlers(number).map(|next| (next, &before));
            for (next, state) in next.chain(caught).collect::<Vec<_>>() {
                if states[next].is_none() {
                    states[next] = Some(state.clone());
                    work.push(next);
                }
            }
        }
        Some(Self { values, states })
    }

    fn at(&self, number: usize) -> &[ValueId] {
        self.states[number].as_deref().unwrap_or_default()
    }

    /// Whether the monitor of the receiver of a call is held: `None` if it may be.
    fn holds(&self, code: &Code<'_>, number: usize) -> Option<bool> {
        let receiver = code.receiver(number)?;
        let held = self.at(number);
        if held.contains(&receiver) {
            return Some(true);
        }
        let synchronized = code.method.flags.is_synchronized();
        if synchronized && code.is_this(receiver) {
            return Some(true);
        }
        if synchronized && code.method.flags.is_static() && self.is_class(code, receiver) {
            return Some(true);
        }
        // the receiver must be an object that has one name only
        let end = self.end(code, receiver)?;
        for &other in held {
            if self.end(code, other)? == end {
                return None;
            }
        }
        Some(false)
    }

    /// How many monitors of other objects are held.
    fn others(&self, code: &Code<'_>, number: usize) -> usize {
        let Some(receiver) = code.receiver(number) else { return 0 };
        let Some(end) = self.end(code, receiver) else { return 0 };
        let held = self.at(number).iter().filter(|&&other| other != receiver);
        let others = held.filter(|&&other| self.end(code, other).is_some_and(|other| other != end)).count();
        let own = code.method.flags.is_synchronized() && !code.is_this(receiver);
        // a static method holds the monitor of its class
        others + usize::from(own && !self.is_class(code, receiver))
    }

    fn is_class(&self, code: &Code<'_>, value: ValueId) -> bool {
        match self.values.value(value) {
            Value::Constant(constant) => matches!(code.class.pool.get(constant), Constant::Class(_)),
            _ => false,
        }
    }

    /// What tells an object apart: the object itself, or the field it was last read from. Parameters,
    /// results of calls and elements of arrays may be any object.
    fn end(&self, code: &Code<'_>, value: ValueId) -> Option<Value> {
        match self.values.value(value) {
            Value::Initial(0) if !code.method.flags.is_static() => Some(Value::Initial(0)),
            Value::Field(_, member) | Value::Static(member) => Some(Value::Static(member)),
            value @ Value::New(..) => Some(value),
            value @ Value::Constant(_) if self.is_class(code, self.values.find(value)?) => Some(value),
            _ => None,
        }
    }
}

/// Whether a method is called, and only where monitors are held.
fn callers_hold(context: &Context<'_>, method: MethodId, depth: usize) -> bool {
    if depth > 3 {
        return false;
    }
    let program = context.program;
    let owner = program.owner(method);
    let name = &program.names[program.class(owner).name];
    let near = |&class: &loris_java::ClassId| {
        let other = &program.names[program.class(class).name];
        class == owner || other.strip_prefix(name).is_some_and(|rest| rest.starts_with('$'))
    };
    let mut classes: Vec<_> = program.classes().filter(near).collect();
    classes.extend(program.all_subtypes(owner));
    classes.sort_unstable();
    classes.dedup();
    let mut called = false;
    for class in classes {
        for caller in program.methods_of(class) {
            let Ok(Some(body)) = program.body(caller) else { continue };
            let code = Code::new(context, caller, body);
            let calls: Vec<usize> = (0..code.len())
                .filter(|&number| matches!(code.op(number), Op::Invoke(..)) && code.is_reached(number))
                .filter(|&number| code.callee(number) == Some(method))
                .collect();
            if calls.is_empty() {
                continue;
            }
            called = true;
            let Some(held) = Held::new(&code) else { return false };
            let holds = |&number: &usize| code.method.flags.is_synchronized() || !held.at(number).is_empty();
            if !calls.iter().all(holds) && (caller == method || !callers_hold(context, caller, depth + 1)) {
                return false;
            }
        }
    }
    called
}
