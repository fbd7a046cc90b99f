//! Dead stores: a value is stored in a local variable and on every path overwritten or out of life
//! before it is used.
//!
//! Liveness over the instructions, with edges to handlers from every instruction that may throw. An
//! increment uses its variable only if the result is used. Then what is dead on purpose is left out:
//! initialisers with a default value, variables of `catch`, loops and patterns that the language
//! demands, and constants that the compiler may have copied to where they are used.

use super::method::Code;
use crate::{Finding, Rule};
use loris_java::class::{Constant, Descriptor, Invoke, Kind, LocalVariable, Op, StackOp};

/// The most bits of liveness that are kept for a method.
const LARGEST: usize = 1 << 28;

pub(super) fn check(code: &Code<'_>, rule: &Rule, found: &mut Vec<Finding>) {
    // made by a compiler: bridges, accessors; lambdas are written by people
    let name = code.text(code.method.name);
    if code.method.flags.is_synthetic() && !name.starts_with("lambda$") {
        return;
    }
    let Some(live) = Live::new(code) else { return };
    parameters(code, rule, &live, found);
    let mut ordinal = 0;
    for number in 0..code.len() {
        let (Op::Set(_, slot) | Op::Increment(slot)) = code.op(number) else { continue };
        ordinal += 1;
        if !code.is_reached(number) || live.after(code, number, slot) {
            continue;
        }
        if !is_wanted(code, &live, number, slot) {
            continue;
        }
        let named = variable(code, number, slot).map(|variable| code.text(variable.name));
        let message = match (named, code.op(number)) {
            (Some(name), Op::Increment(_)) => format!("the value of \"{name}\" is changed and never used"),
            (Some(name), _) if !is_read(code, number, slot) => {
                format!("the value stored in \"{name}\" is never used, nor is any other value of it")
            }
            (Some(name), _) => format!("the value stored in \"{name}\" is never used"),
            (None, _) => "the value stored in a local variable is never used".to_owned(),
        };
        let mut finding = code.finding(rule, number, message);
        finding.ordinal = ordinal - 1;
        found.push(finding);
    }
}

/// Reports parameters that are overwritten before they are used: what callers pass is lost.
fn parameters(code: &Code<'_>, rule: &Rule, live: &Live, found: &mut Vec<Finding>) {
    // others decide on the parameters of lambdas and of methods that override some
    if code.method.flags.is_synthetic() || overrides(code) {
        return;
    }
    let Some(descriptor) = Descriptor::of(code.text(code.method.descriptor)) else { return };
    let mut slot = u16::from(!code.method.flags.is_static());
    for parameter in descriptor.parameters {
        let (this, width) = (slot, if matches!(parameter, "J" | "D") { 2 } else { 1 });
        slot += width;
        let Some(variable) = code.body.code.variable(this, 0) else { continue };
        let stored = |&number: &usize| matches!(code.op(number), Op::Set(_, stored) if stored == this);
        let Some(first) = (0..code.len()).filter(|&number| code.is_reached(number)).find(stored) else {
            continue;
        };
        if live.before(0, this) || !is_read(code, first, this) || is_left_out(code.text(variable.name)) {
            continue;
        }
        let name = code.text(variable.name);
        let message = format!("the parameter \"{name}\" is overwritten before it is used");
        let mut finding = code.finding(rule, first, message);
        finding.ordinal = u32::from(this) + PARAMETERS;
        found.push(finding);
    }
}

fn overrides(code: &Code<'_>) -> bool {
    let program = code.program();
    let class = program.owner(code.id);
    let inherits = |&ancestor: &loris_java::ClassId| {
        program.class(ancestor).method(code.method.name, code.method.descriptor).is_some()
    };
    program.supertypes(class).iter().skip(1).any(inherits)
}

/// Ordinals of findings about parameters start here.
const PARAMETERS: u32 = 1 << 20;

/// Which local variables may be used before they are overwritten, before each instruction.
struct Live {
    words: usize,
    bits: Vec<u64>,
}

impl Live {
    fn new(code: &Code<'_>) -> Option<Self> {
        let slots = usize::from(code.body.code.max_locals);
        let words = slots.div_ceil(64).max(1);
        if code.len() * words * 64 > LARGEST {
            return None;
        }
        let mut live = Self { words, bits: vec![0; code.len() * words] };
        let mut row = vec![0; words];
        // backwards until nothing changes: as many rounds as loops are nested, and two
        loop {
            let mut changed = false;
            for number in (0..code.len()).rev() {
                row.fill(0);
                for next in code.flow.next(number) {
                    live.add(&mut row, next);
                }
                match code.op(number) {
                    Op::Set(_, slot) => clear(&mut row, slot),
                    Op::Get(_, slot) => set(&mut row, slot),
                    // an increment uses the value only for the next one: nothing to add
                    _ => {}
                }
                for next in code.flow.handlers(number) {
                    live.add(&mut row, next);
                }
                let at = number * words;
                if live.bits[at..at + words] != row {
                    live.bits[at..at + words].copy_from_slice(&row);
                    changed = true;
                }
            }
            if !changed {
                return Some(live);
            }
        }
    }

    fn add(&self, row: &mut [u64], number: usize) {
        let at = number * self.words;
        for (word, other) in row.iter_mut().zip(&self.bits[at..at + self.words]) {
            *word |= other;
        }
    }

    fn before(&self, number: usize, slot: u16) -> bool {
        self.bits[number * self.words + usize::from(slot) / 64] >> (slot % 64) & 1 == 1
    }

    /// Whether the value in a slot may be used after an instruction.
    fn after(&self, code: &Code<'_>, number: usize, slot: u16) -> bool {
        code.flow.next(number).any(|next| self.before(next, slot))
    }
}

fn set(row: &mut [u64], slot: u16) {
    row[usize::from(slot) / 64] |= 1 << (slot % 64);
}

fn clear(row: &mut [u64], slot: u16) {
    row[usize::from(slot) / 64] &= !(1 << (slot % 64));
}

/// The variable that an instruction stores into: its life starts after the first store.
fn variable<'c>(code: &Code<'c>, number: usize, slot: u16) -> Option<&'c LocalVariable> {
    let instruction = code.body.instructions[number];
    match instruction.op {
        Op::Increment(_) | Op::Get(..) => code.body.code.variable(slot, u32::from(instruction.at)),
        _ => code.body.code.variable(slot, instruction.next),
    }
}

/// Whether the class was compiled with names of local variables.
fn has_names(code: &Code<'_>) -> bool {
    let named =
        |method: &loris_java::class::Method| method.code.as_ref().is_some_and(|code| !code.locals.is_empty());
    named(code.method) || code.class.methods.iter().any(named)
}

/// Whether some instruction reads the variable that is stored into.
fn is_read(code: &Code<'_>, number: usize, slot: u16) -> bool {
    let stored = variable(code, number, slot).map(|variable| variable.name);
    (0..code.len()).any(|other| match code.op(other) {
        Op::Get(_, read) if read == slot => {
            variable(code, other, slot).map(|variable| variable.name) == stored
        }
        _ => false,
    })
}

/// Whether a dead store should not be there.
fn is_wanted(code: &Code<'_>, live: &Live, number: usize, slot: u16) -> bool {
    let known = variable(code, number, slot);
    // the exception of a handler has to be stored, or dropped
    if code.flow.is_handler(number) {
        return false;
    }
    if known.is_none() && (has_finally(code) || is_of_compiler(code, number)) {
        return false;
    }
    if known.is_some_and(|variable| is_left_out(code.text(variable.name))) {
        return false;
    }
    if is_of_loop(code, number) || is_of_pattern(code, number) || is_copied(code, live, number, slot) {
        return false;
    }
    let Some(constant) = constant(code, number) else { return true };
    let starts =
        known.is_none_or(|variable| u32::from(variable.start) == code.body.instructions[number].next);
    if constant == Simple::Null {
        return false;
    }
    if is_read(code, number, slot) {
        match constant {
            Simple::Zero => false,
            Simple::One => !starts,
            _ => true,
        }
    } else {
        stores(code, number, slot) > 1 || !may_be_inlined(code, number, known)
    }
}

/// Names by which people say that a value is not used.
fn is_left_out(name: &str) -> bool {
    name.starts_with("ignore") || name.starts_with("unused") || name.chars().all(|c| c == '_' || c == '$')
}

fn has_finally(code: &Code<'_>) -> bool {
    code.body.code.handlers.iter().any(|handler| handler.caught.is_none())
}

/// Without a name, a store may be of a variable whose life ends at once, or of the compiler: then
/// the value comes from where compilers put values aside.
fn is_of_compiler(code: &Code<'_>, number: usize) -> bool {
    !has_names(code) && constant(code, number).is_some()
}

/// Constants as initialisers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Simple {
    Null,
    /// 0, `false`, and an empty string.
    Zero,
    /// 1, -1 and `true`.
    One,
    Other,
}

/// The constant that is stored.
fn constant(code: &Code<'_>, number: usize) -> Option<Simple> {
    if !matches!(code.op(number), Op::Set(..)) || code.flow.is_join(number) {
        return None;
    }
    Some(match code.op(number.checked_sub(1)?) {
        Op::Null => Simple::Null,
        Op::Int(0) | Op::Number(_) => Simple::Zero,
        Op::Int(1 | -1) => Simple::One,
        Op::Int(_) => Simple::Other,
        Op::Load(constant, _) => match code.class.pool.get(constant) {
            Constant::String(_) => {
                let text = code.class.string(constant, &code.program().names);
                if text.is_some_and(|text| text.is_empty()) { Simple::Zero } else { Simple::Other }
            }
            Constant::Integer(_) | Constant::Float | Constant::Wide => Simple::Other,
            _ => return None,
        },
        _ => return None,
    })
}

/// How many stores there are into the variable that is stored into.
fn stores(code: &Code<'_>, number: usize, slot: u16) -> usize {
    let name = variable(code, number, slot).map(|variable| variable.name);
    let same = |&other: &usize| match code.op(other) {
        Op::Set(_, stored) | Op::Increment(stored) if stored == slot => {
            variable(code, other, slot).map(|variable| variable.name) == name
        }
        _ => false,
    };
    (0..code.len()).filter(same).count()
}

/// Whether the variable may be a `final` one with a constant, which compilers copy to where it is
/// used: the constant is loaded elsewhere, may be part of another one or decide a branch that is not
/// there any more.
fn may_be_inlined(code: &Code<'_>, number: usize, known: Option<&LocalVariable>) -> bool {
    if known.is_some_and(|variable| code.text(variable.descriptor) == "Z") {
        return true;
    }
    let stored = code.op(number - 1);
    let names = &code.program().names;
    let text = match stored {
        Op::Load(constant, _) => code.class.string(constant, names),
        _ => None,
    };
    let end = known.map_or(u32::MAX, |variable| variable.end);
    let used = |other: usize| match code.op(other) {
        Op::Load(constant, _) if text.is_some() => {
            let other = code.class.string(constant, names);
            text.as_ref().zip(other).is_some_and(|(text, other)| other.contains(&**text))
        }
        Op::InvokeDynamic(_) => true,
        Op::Switch => matches!(code.op(number), Op::Set(Kind::Int, _)),
        // an anonymous class may use it
        Op::New(constant) => code.class.pool.class(constant).is_some_and(|name| {
            let class = code.program().find_class(name);
            class.is_some_and(|class| code.program().class(class).enclosing.is_some())
        }),
        op => op == stored,
    };
    let inside = |&other: &usize| u32::from(code.body.instructions[other].at) < end;
    (number + 1..code.len()).take_while(inside).any(used)
}

/// Whether the value is the next element of a `for` loop over a collection or an array.
fn is_of_loop(code: &Code<'_>, number: usize) -> bool {
    let mut at = number;
    // casts and unboxing of the element
    for _ in 0..3 {
        let Some(before) = at.checked_sub(1) else { return false };
        at = before;
        match code.op(at) {
            Op::CheckCast(_) => {}
            Op::Invoke(Invoke::Interface, _) => {
                let Some(member) = code.member(at) else { return false };
                let iterates =
                    code.text(member.owner) == "java/util/Iterator" && code.text(member.name) == "next";
                return iterates && at.checked_sub(1).is_some_and(|from| is_hidden(code, from));
            }
            Op::Invoke(Invoke::Virtual, _) => {
                let Some(member) = code.member(at) else { return false };
                if !code.text(member.name).ends_with("Value") {
                    return false;
                }
            }
            Op::ArrayGet(_) => {
                return at
                    .checked_sub(2)
                    .is_some_and(|from| is_hidden(code, from) && is_hidden(code, from + 1));
            }
            _ => return false,
        }
    }
    false
}

/// Whether an instruction reads a variable without a name.
fn is_hidden(code: &Code<'_>, number: usize) -> bool {
    match code.op(number) {
        Op::Get(_, slot) => variable(code, number, slot).is_none(),
        _ => false,
    }
}

/// Whether the value is bound by a pattern: cast after a test of the type, or taken from a variable
/// of the compiler.
fn is_of_pattern(code: &Code<'_>, number: usize) -> bool {
    let Some(before) = number.checked_sub(1) else { return false };
    if has_names(code) && is_hidden(code, before) {
        return true;
    }
    if !matches!(code.op(before), Op::CheckCast(_)) {
        return false;
    }
    let Some(from) = before.checked_sub(1) else { return false };
    if has_names(code) && is_hidden(code, from) {
        return true;
    }
    let line = code.line(number);
    (number.saturating_sub(12)..before)
        .any(|other| matches!(code.op(other), Op::InstanceOf(_)) && code.line(other) == line)
}

/// Whether the compiler made several copies of the store, as in `finally`, and another one is used.
fn is_copied(code: &Code<'_>, live: &Live, number: usize, slot: u16) -> bool {
    let line = code.line(number);
    if line.is_none() || code.body.code.handlers.is_empty() {
        return false;
    }
    let kind = |op: Op| match op {
        Op::Set(kind, _) => Some(kind),
        Op::Increment(_) => Some(Kind::Int),
        _ => None,
    };
    let name = variable(code, number, slot).map(|variable| variable.name);
    (0..code.len()).any(|other| {
        let op = code.op(other);
        let (Op::Set(_, stored) | Op::Increment(stored)) = op else { return false };
        other != number
            && code.line(other) == line
            && kind(op) == kind(code.op(number))
            && variable(code, other, stored).map(|variable| variable.name) == name
            && code.is_reached(other)
            && live.after(code, other, stored)
            && (name.is_some() || before(code, other) == before(code, number))
    })
}

/// The instruction before a store, to compare copies.
fn before(code: &Code<'_>, number: usize) -> Option<std::mem::Discriminant<Op>> {
    let op = code.op(number.checked_sub(1)?);
    (!matches!(op, Op::Stack(StackOp::Pop(_)))).then(|| std::mem::discriminant(&op))
}
