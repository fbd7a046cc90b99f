//! The instructions of a method, checked so far that walking them needs no more checks: they are
//! decoded one after another, branches and handlers go to instructions, constants are of the right
//! kind, and the depth of the stack is the same on every path to an instruction (the structural
//! part of JVMS, section 4.10). Types are not checked: nothing here depends on them.
//!
//! Linear in the code and its handlers' ranges.

use super::code::{decode, each_target};
use super::constants::{Constant, Member};
use super::{Class, ClassError, Code, Instruction, Invoke, Op, StackOp};
use loris_base::Names;

/// The checked instructions of a method.
#[derive(Clone, Debug)]
pub struct Body<'c> {
    /// Its instructions in order.
    pub instructions: Vec<Instruction>,
    /// The number of the instruction at each place; `NONE` inside of an instruction.
    numbers: Vec<u16>,
    /// The depth of the stack before each instruction; `UNREACHED` where no path leads.
    depths: Vec<u16>,
    bytes: &'c [u8],
    /// The code these are of.
    pub code: &'c Code,
}

/// Instructions times handlers of a method. Compilers come to half a million at most; files that
/// are made to cost time and memory come to thousands of millions.
const LARGEST: usize = 1 << 23;

const NONE: u16 = u16::MAX;
const UNREACHED: u16 = u16::MAX;

/// How many slots an instruction pops and pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Slots popped.
    pub pops: usize,
    /// Slots pushed.
    pub pushes: usize,
}

impl<'c> Body<'c> {
    /// Decodes and checks the code of a method of a class.
    ///
    /// # Errors
    /// The first instruction that is wrong.
    pub fn new(class: &'c Class, code: &'c Code, names: &Names) -> Result<Self, ClassError> {
        let bytes = class.instructions(code);
        let wrong =
            |at: usize, message: String| ClassError { offset: code.range.start as usize + at, message };
        if bytes.is_empty() || bytes.len() > 65535 {
            return Err(wrong(0, "a method has 1 to 65535 bytes of code".into()));
        }
        let mut instructions = Vec::with_capacity(bytes.len() / 2);
        let mut numbers = vec![NONE; bytes.len()];
        let mut at = 0;
        while at < bytes.len() {
            let instruction = decode(bytes, at).map_err(|message| wrong(at, message))?;
            if instruction.next as usize > bytes.len() {
                return Err(wrong(at, "the code ends inside of an instruction".into()));
            }
            numbers[at] = instructions.len() as u16;
            instructions.push(instruction);
            at = instruction.next as usize;
        }
        if instructions.len().saturating_mul(code.handlers.len()) > LARGEST {
            return Err(wrong(0, "the method has too many exception handlers".into()));
        }
        let depths = vec![UNREACHED; instructions.len()];
        let mut body = Self { instructions, numbers, depths, bytes, code };
        body.handlers_fit().map_err(|(at, message)| wrong(at, message))?;
        body.depths(class, names).map_err(|(at, message)| wrong(at, message))?;
        Ok(body)
    }

    /// The number of the instruction at a place.
    pub fn number(&self, at: u32) -> Option<usize> {
        self.numbers.get(at as usize).filter(|&&number| number != NONE).map(|&number| usize::from(number))
    }

    /// The depth of the stack before an instruction, in slots; `None` where no path leads.
    pub fn depth(&self, number: usize) -> Option<usize> {
        (self.depths[number] != UNREACHED).then(|| usize::from(self.depths[number]))
    }

    /// The places a branch or switch goes to, without the one after it.
    pub fn targets(&self, instruction: &Instruction) -> Vec<u32> {
        self.branches(instruction).collect()
    }

    /// The same, one after the other; only switches need a list.
    pub fn branches(&self, instruction: &Instruction) -> impl Iterator<Item = u32> + use<> {
        let (one, several) = match instruction.op {
            Op::If(_, target) | Op::Goto(target) => (Some(target), Vec::new()),
            Op::Switch => {
                let mut targets = Vec::new();
                // decoded before, so there is no error
                let _ = each_target(self.bytes, usize::from(instruction.at), |target| targets.push(target));
                targets.sort_unstable();
                targets.dedup();
                (None, targets)
            }
            _ => (None, Vec::new()),
        };
        one.into_iter().chain(several)
    }

    /// Whether an instruction goes on to the next.
    pub fn falls_through(op: Op) -> bool {
        !matches!(op, Op::Goto(_) | Op::Switch | Op::Return(_) | Op::Throw)
    }

    fn handlers_fit(&self) -> Result<(), (usize, String)> {
        for handler in &self.code.handlers {
            let end = u32::from(handler.end);
            let fits = self.number(u32::from(handler.start)).is_some()
                && self.number(u32::from(handler.target)).is_some()
                && (self.number(end).is_some() || end as usize == self.bytes.len())
                && handler.start < handler.end;
            if !fits {
                return Err((
                    usize::from(handler.start),
                    "an exception handler covers no instructions".into(),
                ));
            }
        }
        Ok(())
    }

    fn depths(&mut self, class: &Class, names: &Names) -> Result<(), (usize, String)> {
        let mut work = vec![(0u32, 0usize)];
        while let Some((place, depth)) = work.pop() {
            let Some(number) = self.number(place) else {
                return Err((place as usize, "a path leads into an instruction or behind the code".into()));
            };
            if let Some(known) = self.depth(number) {
                if known != depth {
                    return Err((place as usize, format!("the stack has {known} or {depth} slots here")));
                }
                continue;
            }
            self.depths[number] = depth as u16;
            let instruction = self.instructions[number];
            let at = usize::from(instruction.at);
            let effect = effect(class, names, instruction.op).map_err(|message| (at, message))?;
            self.slot_fits(instruction.op).map_err(|message| (at, message))?;
            let Some(left) = depth.checked_sub(effect.pops) else {
                return Err((at, "the stack has too few values".into()));
            };
            let after = left + effect.pushes;
            if after > usize::from(self.code.max_stack) {
                return Err((at, "the stack has too many values".into()));
            }
            if Self::falls_through(instruction.op) {
                work.push((instruction.next, after));
            }
            work.extend(self.branches(&instruction).map(|target| (target, after)));
            for handler in &self.code.handlers {
                if handler.covers(instruction.at) {
                    if self.code.max_stack == 0 {
                        return Err((at, "the stack has too many values".into()));
                    }
                    let target = self.number(u32::from(handler.target));
                    if target.is_some_and(|target| self.depth(target) != Some(1)) {
                        work.push((u32::from(handler.target), 1));
                    }
                }
            }
        }
        Ok(())
    }

    fn slot_fits(&self, op: Op) -> Result<(), String> {
        let last = match op {
            Op::Get(kind, slot) | Op::Set(kind, slot) => usize::from(slot) + kind.width(),
            Op::Increment(slot) => usize::from(slot) + 1,
            _ => 0,
        };
        if last > usize::from(self.code.max_locals) {
            Err("there is no such local variable".into())
        } else {
            Ok(())
        }
    }
}

impl super::Handler {
    /// Whether it covers the instruction at a place.
    pub fn covers(&self, at: u16) -> bool {
        (self.start..self.end).contains(&at)
    }
}

/// What an instruction does to the stack; the error is in words.
pub(crate) fn effect(class: &Class, names: &Names, op: Op) -> Result<Effect, String> {
    let one = |pops, pushes| Ok(Effect { pops, pushes });
    let class_constant = |number| class.pool.class(number).ok_or("the instruction names no class");
    match op {
        Op::Nop | Op::Goto(_) | Op::Increment(_) | Op::Return(None) => one(0, 0),
        Op::Null | Op::Int(_) => one(0, 1),
        Op::Number(kind) | Op::Get(kind, _) => one(0, kind.width()),
        Op::Load(number, wide) => {
            let two = match class.pool.get(number) {
                Constant::Wide => true,
                Constant::Dynamic(dynamic) => matches!(&names[dynamic.descriptor], "J" | "D"),
                Constant::Integer(_)
                | Constant::Float
                | Constant::String(_)
                | Constant::Class(_)
                | Constant::Handle(..)
                | Constant::MethodType(_) => false,
                _ => return Err(format!("constant {number} cannot be loaded")),
            };
            if two == wide {
                one(0, 1 + usize::from(wide))
            } else {
                Err(format!("constant {number} has another size"))
            }
        }
        Op::Set(kind, _) | Op::Return(Some(kind)) => one(kind.width(), 0),
        Op::ArrayGet(kind) => one(2, kind.width()),
        Op::ArraySet(kind) => one(2 + kind.width(), 0),
        Op::Stack(StackOp::Pop(count)) => one(usize::from(count), 0),
        Op::Stack(StackOp::Dup { count, below }) => {
            one(usize::from(count + below), usize::from(2 * count + below))
        }
        Op::Stack(StackOp::Swap) => one(2, 2),
        Op::Compute { pops, pushes, .. } => one(usize::from(pops), usize::from(pushes)),
        Op::If(super::Comparison::Ints(_) | super::Comparison::References(_), _) => one(2, 0),
        Op::If(..) | Op::Switch | Op::Throw | Op::MonitorEnter | Op::MonitorExit => one(1, 0),
        Op::GetStatic(number) => one(0, field_width(class, names, number)?),
        Op::PutStatic(number) => one(field_width(class, names, number)?, 0),
        Op::GetField(number) => one(1, field_width(class, names, number)?),
        Op::PutField(number) => one(1 + field_width(class, names, number)?, 0),
        Op::Invoke(kind, number) => {
            let (Constant::Method(Member { descriptor, .. })
            | Constant::InterfaceMethod(Member { descriptor, .. })) = class.pool.get(number)
            else {
                return Err(format!("constant {number} is not a method"));
            };
            call_effect(&names[descriptor], kind != Invoke::Static)
        }
        Op::InvokeDynamic(number) => {
            let Constant::InvokeDynamic(dynamic) = class.pool.get(number) else {
                return Err(format!("constant {number} is not a dynamic call"));
            };
            call_effect(&names[dynamic.descriptor], false)
        }
        Op::New(number) => class_constant(number).map(|_| Effect { pops: 0, pushes: 1 }).map_err(Into::into),
        Op::NewArray(dimensions) => one(usize::from(dimensions), 1),
        Op::ArrayLength => one(1, 1),
        Op::CheckCast(number) | Op::InstanceOf(number) => {
            class_constant(number).map(|_| Effect { pops: 1, pushes: 1 }).map_err(Into::into)
        }
    }
}

fn field_width(class: &Class, names: &Names, number: u16) -> Result<usize, String> {
    match class.pool.get(number) {
        Constant::Field(field) => Ok(super::descriptor::width(&names[field.descriptor])),
        _ => Err(format!("constant {number} is not a field")),
    }
}

fn call_effect(descriptor: &str, receiver: bool) -> Result<Effect, String> {
    let (_, slots, pushes) = super::descriptor::slots_of(descriptor)
        .ok_or_else(|| format!("\"{descriptor}\" is not a method descriptor"))?;
    Ok(Effect { pops: slots + usize::from(receiver), pushes })
}
