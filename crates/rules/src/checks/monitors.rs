//! Misuse of `wait` and `notify`: outside of a loop, without the monitor of the object, while
//! another monitor is held, on a `Condition`; and notifications of nothing.
//!
//! The monitors that are held at an instruction are those entered on the way and not left. Objects
//! are compared by where they come from (`flow::values`): a field of the same object is the same.

use super::method::Code;
use crate::context::ProgramContext;
use crate::flow::{Value, ValueId, Values};
use loris_base::{Budget, Exhausted};
use loris_findings::{Finding, RuleInfo};
use loris_java::class::{Constant, Op};
use loris_java::{ClassId, MethodId};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What a call does to the threads that wait for an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wait,
    Notify,
    /// Of `java.util.concurrent.locks.Condition`.
    Await,
}

/// This many calls of a method are judged; people write a few.
const MOST_CALLS: usize = 256;

pub(super) fn check(code: &Code<'_>, rule: &RuleInfo, callers: &Callers<'_>, found: &mut Vec<Finding>) {
    let calls = calls(code);
    if calls.is_empty() {
        return;
    }
    let held = Held::new(code);
    for (ordinal, (number, kind)) in calls.into_iter().enumerate() {
        if let Some(message) = misuse(code, held.as_ref(), callers, number, kind) {
            found.push(code.finding(rule, number, message).numbered(ordinal as u32));
        }
    }
}

/// Reports notifications before which nothing is changed while the monitor is held.
pub(super) fn unchanged(code: &Code<'_>, rule: &RuleInfo, found: &mut Vec<Finding>) {
    let calls = calls(code);
    if !calls.iter().any(|(_, kind)| *kind == Kind::Notify) {
        return;
    }
    let Some(held) = Held::new(code) else { return };
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
    for (ordinal, (number, kind)) in calls.into_iter().enumerate() {
        let has_monitor = code.method.flags.is_synchronized() || !held.at(number).is_empty();
        if kind != Kind::Notify || !has_monitor {
            continue;
        }
        let quiet = code.flow.reached(starts.iter().copied(), false, |at| at == number || !changes(at));
        if quiet[number] {
            let message = "nothing is changed before the notification: those who wait have nothing to see";
            found.push(code.finding(rule, number, message).numbered(ordinal as u32));
        }
    }
}

/// The calls of `wait`, `notify` and `await` that are judged.
fn calls(code: &Code<'_>) -> Vec<(usize, Kind)> {
    let all = (0..code.len()).filter(|&number| code.is_reached(number));
    all.filter_map(|number| Some((number, kind(code, number)?))).take(MOST_CALLS).collect()
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

fn misuse(
    code: &Code<'_>,
    held: Option<&Held<'_>>,
    callers: &Callers<'_>,
    number: usize,
    kind: Kind,
) -> Option<String> {
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
        if let Some(held) = held {
            let holds = held.holds(code, number);
            if holds == Some(false) && !callers.hold(code.id) {
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
    let is_once = kind != Kind::Notify && !is_wrapper && !is_in_loop(code, number);
    if is_once && !callers.repeat(code.id) {
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
                    // monitors are left in the order they were entered, whatever the object is
                    // called
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

    /// What tells an object apart: the object itself, or the field it was last read from.
    /// Parameters, results of calls and elements of arrays may be any object.
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

/// Who calls a method, and whether a monitor is held there. Found for a class when it is asked for.
pub(super) struct Callers<'p> {
    context: &'p ProgramContext<'p>,
    /// ends searches for the callers of a class, which may be all of the program
    watch: Budget,
    /// All classes, by their names.
    by_name: OnceLock<Vec<ClassId>>,
    known: Mutex<FxHashMap<ClassId, Arc<CallsOf>>>,
}

/// The calls of the methods of a class.
type CallsOf = FxHashMap<MethodId, Vec<CallFrom>>;

/// A call of a method.
struct CallFrom {
    caller: MethodId,
    /// whether a monitor is held
    holds: bool,
    /// whether it is in a loop
    repeats: bool,
}

/// How many calls back a monitor is looked for.
const DEPTH: usize = 3;

/// This many calls are looked at for that.
const MOST_CALLERS: usize = 1000;

impl<'p> Callers<'p> {
    pub(super) fn new(context: &'p ProgramContext<'p>, budget: &Budget) -> Self {
        let watch = budget.part();
        Self { context, watch, by_name: OnceLock::new(), known: Mutex::new(FxHashMap::default()) }
    }

    /// Whether a method is called, and only where monitors are held, as far as can be seen from its
    /// class, those nested in it and its subclasses.
    fn hold(&self, method: MethodId) -> bool {
        let mut left = MOST_CALLERS;
        self.hold_near(method, 0, &mut left)
    }

    /// Whether a method is called, and only in loops or by itself, as far as can be seen from the
    /// same classes: whoever calls it tests the condition again.
    fn repeat(&self, method: MethodId) -> bool {
        let calls = self.of(self.context.program.owner(method));
        let Some(calls) = calls.get(&method) else { return false };
        calls.iter().all(|call| call.repeats || call.caller == method)
    }

    fn hold_near(&self, method: MethodId, depth: usize, left: &mut usize) -> bool {
        let calls = self.of(self.context.program.owner(method));
        let Some(calls) = calls.get(&method) else { return false };
        calls.iter().all(|&CallFrom { caller, holds, .. }| {
            *left = left.saturating_sub(1);
            holds || caller != method && depth < DEPTH && *left > 0 && self.hold_near(caller, depth + 1, left)
        })
    }

    fn of(&self, class: ClassId) -> Arc<CallsOf> {
        let known = |guard: MutexGuard<'_, FxHashMap<ClassId, Arc<CallsOf>>>| guard.get(&class).cloned();
        if let Some(found) = known(self.known.lock().unwrap_or_else(PoisonError::into_inner)) {
            return found;
        }
        // whoever asks finds out that the time is over, and nothing comes of the answer
        let Ok(found) = self.find(class) else { return Arc::default() };
        let found = Arc::new(found);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(class, found.clone());
        found
    }

    fn find(&self, owner: ClassId) -> Result<CallsOf, Exhausted> {
        let program = self.context.program;
        let mut classes = self.nested_in(owner);
        classes.extend(program.all_subtypes(owner));
        classes.sort_unstable();
        classes.dedup();
        let mut found = CallsOf::default();
        for caller in classes.into_iter().flat_map(|class| program.methods_of(class)) {
            self.watch.look()?;
            let Ok(Some(body)) = program.body(caller) else { continue };
            let code = Code::new(self.context, caller, body);
            let callee = |number: usize| match code.op(number) {
                Op::Invoke(..) if code.is_reached(number) => {
                    code.callee(number).filter(|&callee| program.owner(callee) == owner)
                }
                _ => None,
            };
            let calls: Vec<(usize, MethodId)> =
                (0..code.len()).filter_map(|number| Some((number, callee(number)?))).collect();
            if calls.is_empty() {
                continue;
            }
            let held = Held::new(&code);
            for (number, callee) in calls {
                let inside = held.as_ref().is_some_and(|held| !held.at(number).is_empty());
                let holds = code.method.flags.is_synchronized() || inside;
                let repeats = is_in_loop(&code, number);
                found.entry(callee).or_default().push(CallFrom { caller, holds, repeats });
            }
        }
        Ok(found)
    }

    /// The classes that are nested in a class.
    fn nested_in(&self, class: ClassId) -> Vec<ClassId> {
        let program = self.context.program;
        let name = |class: ClassId| &program.names[program.class(class).name];
        let by_name = self.by_name.get_or_init(|| {
            let mut classes: Vec<ClassId> = program.classes().collect();
            classes.sort_by_key(|&class| name(class));
            classes
        });
        let prefix = format!("{}$", name(class));
        let first = by_name.partition_point(|&other| name(other) < &*prefix);
        by_name[first..].iter().copied().take_while(|&other| name(other).starts_with(&prefix)).collect()
    }
}
