//! Values that are passed to methods that do not use them.

use super::live::Live;
use crate::checks::method::Code;
use crate::flow::Value;
use loris_base::Symbol;
use loris_java::MethodId;
use loris_java::class::{Descriptor, Invoke, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// The parameters that methods do not use.
#[derive(Default)]
pub(in super::super) struct Unread {
    /// By their slots, as far as they are below 64.
    slots: FxHashMap<MethodId, u64>,
    names: FxHashSet<Symbol>,
}

impl Unread {
    pub(in super::super) fn insert(&mut self, code_name: Symbol, method: MethodId, slots: u64) {
        self.slots.insert(method, slots);
        self.names.insert(code_name);
    }
}

/// The parameters of a method, by their slots below 64, whose value is not used.
pub(in super::super) fn unread(code: &Code<'_>) -> u64 {
    let Some(parameters) = parameters(code) else { return 0 };
    let parameters = parameters & !u64::from(!code.method.flags.is_static());
    let (mut read, mut stored) = (0, 0);
    for number in 0..code.len() {
        match code.op(number) {
            Op::Get(_, slot) | Op::Increment(slot) if slot < 64 => read |= 1 << slot,
            Op::Set(_, slot) if slot < 64 => stored |= 1 << slot,
            _ => {}
        }
    }
    let mut unread = parameters & !read;
    // stored into before it is read
    let overwritten = parameters & read & stored;
    if overwritten != 0
        && let Some(live) = Live::new(code, &|_| false)
    {
        let dead = (0..64).filter(|&slot| overwritten >> slot & 1 == 1 && !live.before(0, slot));
        unread |= dead.fold(0, |all, slot| all | 1 << slot);
    }
    unread
}

/// The slots where parameters start, as far as they are below 64, but for those with an annotation:
/// whoever it is for may look at the parameter, or say that it is not used yet. That a parameter
/// is not null says nothing of this.
fn parameters(code: &Code<'_>) -> Option<u64> {
    let descriptor = Descriptor::of(code.text(code.method.descriptor))?;
    let mut slot = u32::from(!code.method.flags.is_static());
    let mut slots = u64::from(slot);
    // parameters that compilers add in front have no annotations
    let added = descriptor.parameters.len().saturating_sub(code.method.parameters.len());
    let names = &code.program().names;
    for (position, parameter) in descriptor.parameters.into_iter().enumerate() {
        let known = position.checked_sub(added).and_then(|at| code.method.parameters.get(at));
        let is_marked = known.is_some_and(|known| {
            known.iter().any(|it| !it.simple_name(names).to_lowercase().contains("null"))
        });
        if slot < 64 && !is_marked {
            slots |= 1 << slot;
        }
        slot += if matches!(parameter, "J" | "D") { 2 } else { 1 };
    }
    Some(slots)
}

/// The instructions that read a local variable only to pass its value to a method that does not use
/// it.
pub(super) fn ignored(code: &Code<'_>, unread: &Unread) -> FxHashSet<usize> {
    let mut ignored = FxHashSet::default();
    for number in (0..code.len()).filter(|&number| code.is_reached(number)) {
        let Op::Invoke(kind, _) = code.op(number) else { continue };
        let Some(member) = code.member(number).filter(|member| unread.names.contains(&member.name)) else {
            continue;
        };
        let Some(slots) = callee(code, number).and_then(|callee| unread.slots.get(&callee)) else { continue };
        let Some(descriptor) = Descriptor::of(code.text(member.descriptor)) else { continue };
        let mut slot = usize::from(kind != Invoke::Static);
        let mut above = descriptor.slots();
        for parameter in descriptor.parameters {
            let width = if matches!(parameter, "J" | "D") { 2 } else { 1 };
            above -= width;
            if slot < 64 && slots >> slot & 1 == 1 {
                ignored.extend(pushed_by(code, number, above, width));
            }
            slot += width;
        }
    }
    ignored
}

/// The method that a call runs, whatever classes others add to the program. What `super.m()` runs
/// may have its parameters for the sake of methods that override it.
fn callee(code: &Code<'_>, number: usize) -> Option<MethodId> {
    let Op::Invoke(kind, _) = code.op(number) else { return None };
    let program = code.program();
    let member = code.member(number)?;
    let declared = program.resolve(&member)?;
    let method = program.method(declared);
    if kind == Invoke::Static
        || kind == Invoke::Special && code.text(member.name) == "<init>"
        || method.flags.is_private()
        || method.flags.is_final()
        || program.class(program.owner(declared)).flags.is_final()
    {
        return Some(declared);
    }
    let values = code.values()?;
    match values.value(code.receiver(number)?) {
        Value::New(_, class) => program.lookup(program.find_class(class)?, member.name, member.descriptor),
        _ => None,
    }
}

/// The instruction that pushes a local variable which a call finds this many slots below the top.
fn pushed_by(code: &Code<'_>, call: usize, mut above: usize, width: usize) -> Option<usize> {
    let mut number = call;
    loop {
        // one path only
        if code.flow.is_join(number) {
            return None;
        }
        number = number.checked_sub(1)?;
        let op = code.op(number);
        if matches!(op, Op::Stack(_) | Op::Goto(_) | Op::If(..) | Op::Switch | Op::Return(_) | Op::Throw) {
            return None;
        }
        let effect = code.class.effect(op, &code.program().names);
        if above < effect.pushes {
            let is_it = matches!(op, Op::Get(..)) && above == 0 && effect.pushes == width;
            return is_it.then_some(number);
        }
        above = above - effect.pushes + effect.pops;
    }
}
