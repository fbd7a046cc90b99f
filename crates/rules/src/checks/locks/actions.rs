//! What one method does to locks: those that it acquires and releases, and what it holds where it
//! acquires another one or calls a method.

use super::crossed::{self, Crossing};
use super::entry::PrivateCall;
use crate::checks::method::Code;
use crate::context::ProgramContext;
use crate::flow::{Value, ValueId};
use loris_base::Symbol;
use loris_java::class::{Constant, Member, Op};
use loris_java::{ClassId, ClassOrigin, MethodId};

/// A method that holds more locks at once is not looked at.
const MOST_HELD: usize = 8;

/// A lock that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Lock {
    /// What a final field of the object, or a static one, holds: the class that declares it.
    Field(ClassId, Symbol),
    /// The object itself, of this class.
    This(ClassId),
    /// A class.
    Class(Symbol),
}

/// Something that is done to a lock, or a call, and the locks that are held there.
pub(super) struct Step {
    pub(super) at: u16,
    pub(super) what: What,
    pub(super) held: Vec<Lock>,
}

pub(super) enum What {
    Acquire(Lock),
    Call(MethodId),
}

/// What a method does to locks.
#[derive(Default)]
pub(super) struct Actions {
    pub(super) steps: Vec<Step>,
    /// locks in fields that are acquired, or may be
    pub(super) acquired: Vec<Lock>,
    /// locks in fields that are released, and where
    pub(super) released: Vec<(Lock, u16)>,
    /// calls of private methods
    pub(super) calls: Vec<PrivateCall>,
    /// where it acquires the monitor of an argument while it holds its object
    pub(super) crossings: Vec<Crossing>,
}

/// What the methods of a class do to locks.
pub(super) fn of_class(context: &ProgramContext<'_>, class: ClassId) -> Vec<(MethodId, Actions)> {
    let program = context.program;
    let mut found = Vec::new();
    for method in program.methods_of(class) {
        let Ok(Some(body)) = program.body(method) else { continue };
        let code = Code::new(context, method, body);
        let mut actions = Actions::default();
        private_calls(&code, &mut actions);
        if concerns_locks(&code) {
            uses(&code, &mut actions);
            order(&code, &mut actions);
        }
        if !actions.is_empty() {
            found.push((method, actions));
        }
    }
    found
}

impl Actions {
    fn is_empty(&self) -> bool {
        let Self { steps, acquired, released, calls, crossings } = self;
        let is_used = !acquired.is_empty() || !released.is_empty() || !calls.is_empty();
        steps.is_empty() && !is_used && crossings.is_empty()
    }
}

/// The private method that an instruction names, of the same class or one around it.
fn private_method(code: &Code<'_>, member: Member) -> Option<MethodId> {
    let outer = |name: loris_base::Symbol| code.text(name).split('$').next();
    if outer(member.owner) != outer(code.class.name) {
        return None;
    }
    let method = code.program().resolve(&member)?;
    let declared = code.program().method(method);
    let is_made = code.text(declared.name).starts_with('<');
    (declared.flags.is_private() && !is_made).then_some(method)
}

/// Collects the calls of private methods, as if nothing were held there; [`order`] knows better.
fn private_calls(code: &Code<'_>, actions: &mut Actions) {
    for number in 0..code.len() {
        let pool = &code.class.pool;
        match code.op(number) {
            Op::Invoke(..) => {
                let callee = code.member(number).and_then(|member| private_method(code, member));
                let call = |callee| PrivateCall { caller: Some(code.id), callee, number, held: Vec::new() };
                actions.calls.extend(callee.map(call));
            }
            Op::InvokeDynamic(constant) => {
                let Constant::InvokeDynamic(dynamic) = pool.get(constant) else { continue };
                let arguments = pool.bootstrap(dynamic.bootstrap).into_iter().flat_map(|it| &it.arguments);
                let named = arguments.filter_map(|&argument| match pool.get(argument) {
                    Constant::Handle(_, reference) => private_method(code, pool.member(reference)?),
                    _ => None,
                });
                let call = |callee| PrivateCall { caller: None, callee, number, held: Vec::new() };
                actions.calls.extend(named.map(call));
            }
            _ => {}
        }
    }
}

/// Whether a method may do anything to locks, or hold one.
fn concerns_locks(code: &Code<'_>) -> bool {
    code.method.flags.is_synchronized()
        || (0..code.len()).any(|number| match code.op(number) {
            Op::MonitorEnter => true,
            Op::Invoke(..) => lock_call(code, number).is_some(),
            Op::GetField(_) | Op::GetStatic(_) | Op::PutField(_) | Op::PutStatic(_) => {
                code.member(number).is_some_and(|member| is_lock(code.text(member.descriptor)))
            }
            _ => false,
        })
}

fn is_lock(descriptor: &str) -> bool {
    matches!(descriptor, "Ljava/util/concurrent/locks/Lock;" | "Ljava/util/concurrent/locks/ReentrantLock;")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LockCall {
    /// It waits until it has the lock.
    Acquire,
    /// It may get the lock.
    Try,
    Release,
    Other,
}

/// What a call does to a lock of the platform.
fn lock_call(code: &Code<'_>, number: usize) -> Option<LockCall> {
    let member = code.member(number).filter(|_| matches!(code.op(number), Op::Invoke(..)))?;
    let is_lock = code.text(member.owner).strip_prefix("java/util/concurrent/locks/");
    is_lock.filter(|name| matches!(*name, "Lock" | "ReentrantLock"))?;
    Some(match code.text(member.name) {
        "lock" | "lockInterruptibly" => LockCall::Acquire,
        "tryLock" => LockCall::Try,
        "unlock" => LockCall::Release,
        _ => LockCall::Other,
    })
}

/// The field that a value is read from, if a class of the program declares it: its class and
/// whether it is final.
fn field_of(code: &Code<'_>, member: Member) -> Option<(Lock, bool)> {
    let program = code.program();
    program.supertypes(program.find_class(member.owner)?).into_iter().find_map(|id| {
        let class = program.class(id);
        let field = class.field(member.name, member.descriptor)?;
        let is_final = class.fields[field].flags.is_final();
        (program.origin(id) != ClassOrigin::Platform).then_some((Lock::Field(id, member.name), is_final))
    })
}

/// Collects which locks in fields a method acquires and releases. One that goes anywhere else may
/// be acquired there.
fn uses(code: &Code<'_>, actions: &mut Actions) {
    let Some(values) = code.values() else { return };
    let field = |value: Option<ValueId>| match values.value(value?) {
        Value::Field(_, member) | Value::Static(member) if is_lock(code.text(member.descriptor)) => {
            field_of(code, member).map(|(lock, _)| lock)
        }
        _ => None,
    };
    let (mut read, mut is_unclear) = (Vec::new(), false);
    for number in (0..code.len()).filter(|&number| code.is_reached(number)) {
        let at = code.body.instructions[number].at;
        match code.op(number) {
            Op::GetField(_) | Op::GetStatic(_) => {
                let member = code.member(number).filter(|member| is_lock(code.text(member.descriptor)));
                read.extend(member.and_then(|member| field_of(code, member)).map(|(lock, _)| lock));
            }
            Op::PutField(_) | Op::PutStatic(_) => {
                let member = code.member(number).filter(|member| is_lock(code.text(member.descriptor)));
                let Some((lock, _)) = member.and_then(|member| field_of(code, member)) else { continue };
                let value = values.stack(number, 0);
                // a lock that somebody else made is known elsewhere
                if !matches!(value.map(|value| values.value(value)), Some(Value::New(..))) {
                    actions.acquired.push(lock);
                }
                actions.acquired.extend(field(value));
            }
            Op::Invoke(..) => {
                let receiver = code.receiver_depth(number);
                let slots = code.member(number).map_or(0, |member| {
                    let descriptor = loris_java::class::Descriptor::of(code.text(member.descriptor));
                    descriptor.map_or(0, |descriptor| descriptor.slots())
                });
                actions.acquired.extend((0..slots).filter_map(|below| field(values.stack(number, below))));
                let receiver = receiver.and_then(|below| values.stack(number, below));
                let lock = field(receiver);
                match (lock_call(code, number), lock) {
                    (Some(LockCall::Acquire | LockCall::Try), Some(lock)) => actions.acquired.push(lock),
                    (Some(LockCall::Release), Some(lock)) => actions.released.push((lock, at)),
                    (Some(LockCall::Acquire | LockCall::Try), None) => {
                        let fresh = receiver.is_some_and(|it| matches!(values.value(it), Value::New(..)));
                        is_unclear |= !fresh;
                    }
                    _ => {}
                }
            }
            // what is done with the rest of the stack is not looked at
            Op::InvokeDynamic(_) | Op::Return(_) | Op::ArraySet(_) | Op::CheckCast(_) | Op::Throw => {
                let depth = code.body.depth(number).unwrap_or(0);
                actions.acquired.extend((0..depth).filter_map(|below| field(values.stack(number, below))));
            }
            _ => {}
        }
    }
    if is_unclear {
        actions.acquired.extend(read);
    }
}

/// Collects what a method acquires and calls, with the locks that it holds there.
fn order(code: &Code<'_>, actions: &mut Actions) {
    let Some(values) = code.values() else { return };
    let program = code.program();
    let class = program.owner(code.id);
    let lock = |value: Option<ValueId>| match values.value(value?) {
        Value::Initial(0) if !code.method.flags.is_static() => Some(Lock::This(class)),
        Value::Static(member) => field_of(code, member).filter(|found| found.1).map(|found| found.0),
        Value::Field(base, member) if code.is_this(base) => {
            field_of(code, member).filter(|found| found.1).map(|found| found.0)
        }
        Value::Constant(constant) => match code.class.pool.get(constant) {
            Constant::Class(name) => Some(Lock::Class(name)),
            _ => None,
        },
        _ => None,
    };
    let own = match (code.method.flags.is_synchronized(), code.method.flags.is_static()) {
        (true, true) => Some(Lock::Class(code.class.name)),
        (true, false) => Some(Lock::This(class)),
        _ => None,
    };
    actions.steps.extend(own.map(|lock| Step { at: 0, what: What::Acquire(lock), held: Vec::new() }));
    // monitors have a place, though some have no name
    let start: Vec<Option<Lock>> = own.into_iter().map(Some).collect();
    let mut states: Vec<Option<Vec<Option<Lock>>>> = vec![None; code.len()];
    states[0] = Some(start);
    let mut work = vec![0];
    while let Some(number) = work.pop() {
        let Some(before) = states[number].clone() else { continue };
        let mut after = before.clone();
        let held = || before.iter().flatten().copied().collect::<Vec<_>>();
        let at = code.body.instructions[number].at;
        let release = |after: &mut Vec<Option<Lock>>, lock: Option<Lock>| {
            if let Some(place) = after.iter().rposition(|held| *held == lock) {
                after.remove(place);
            }
        };
        match code.op(number) {
            Op::MonitorEnter => {
                let value = values.stack(number, 0);
                let lock = lock(value);
                let argument = value.and_then(|value| crossed::argument(code, value));
                if let Some(slot) = argument.filter(|_| held().contains(&Lock::This(class))) {
                    actions.crossings.push(Crossing { slot, at });
                }
                actions.steps.extend(lock.map(|lock| Step { at, what: What::Acquire(lock), held: held() }));
                after.push(lock);
            }
            Op::MonitorExit => release(&mut after, lock(values.stack(number, 0))),
            Op::Invoke(..) => {
                if let Some(call) = lock_call(code, number) {
                    let lock = code.receiver(number).and_then(|receiver| lock(Some(receiver)));
                    match (call, lock) {
                        (LockCall::Acquire, Some(lock)) => {
                            actions.steps.push(Step { at, what: What::Acquire(lock), held: held() });
                            after.push(Some(lock));
                        }
                        (LockCall::Release, Some(lock)) => release(&mut after, Some(lock)),
                        _ => {}
                    }
                } else {
                    let argument = crossed::synchronized_on(code, number);
                    if let Some(slot) = argument.filter(|_| held().contains(&Lock::This(class))) {
                        actions.crossings.push(Crossing { slot, at });
                    }
                    // fields of another object are other locks
                    let same = code.receiver(number).is_none_or(|receiver| code.is_this(receiver));
                    let callee = code.certain_callee(number).filter(|_| same);
                    if let Some(call) = actions.calls.iter_mut().find(|it| it.number == number && same) {
                        call.held = held();
                    }
                    actions.steps.extend(callee.map(|callee| Step {
                        at,
                        what: What::Call(callee),
                        held: held(),
                    }));
                }
            }
            _ => {}
        }
        if after.len() > MOST_HELD {
            actions.steps.clear();
            return;
        }
        let next = code.flow.next(number).map(|next| (next, &after));
        // what is entered or released there has happened
        let caught = if code.op(number) == Op::MonitorExit { &after } else { &before };
        let handlers = code.flow.handlers(number).map(|next| (next, caught));
        for (next, state) in next.chain(handlers).collect::<Vec<_>>() {
            if states[next].is_none() {
                states[next] = Some(state.clone());
                work.push(next);
            }
        }
    }
}
