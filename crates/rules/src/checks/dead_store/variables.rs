//! The local variables of a method by their slots, and how often each is read and stored into.

use crate::checks::method::Code;
use loris_base::Symbol;
use loris_java::class::{LocalVariable, Method, Op};
use rustc_hash::FxHashMap;

/// This many methods of a class are asked whether it was compiled with names of variables.
const SOME: usize = 64;

/// The variables of a method.
pub(super) struct Variables<'c> {
    by_slot: FxHashMap<u16, Vec<&'c LocalVariable>>,
    /// By slot and name; variables without a name have their slot in common.
    usage: FxHashMap<(u16, Option<Symbol>), Usage>,
    /// Stores by their line and variable.
    stores: FxHashMap<(u16, Option<Symbol>), Vec<usize>>,
    has_names: bool,
}

#[derive(Clone, Copy, Default)]
struct Usage {
    reads: u32,
    stores: u32,
}

/// What is known of the variable that a store is about.
pub(super) type Known<'c> = Option<&'c LocalVariable>;

impl<'c> Variables<'c> {
    pub(super) fn new(code: &Code<'c>) -> Self {
        let mut by_slot: FxHashMap<u16, Vec<&LocalVariable>> = FxHashMap::default();
        let mut locals: Vec<&LocalVariable> = code.body.code.locals.iter().collect();
        locals.sort_by_key(|local| local.start);
        for local in locals {
            by_slot.entry(local.slot).or_default().push(local);
        }
        let named = |method: &Method| method.code.as_ref().is_some_and(|code| !code.locals.is_empty());
        let has_names = !by_slot.is_empty() || code.class.methods.iter().take(SOME).any(named);
        let mut found =
            Self { by_slot, usage: FxHashMap::default(), stores: FxHashMap::default(), has_names };
        for number in 0..code.len() {
            let (Op::Get(_, slot) | Op::Set(_, slot) | Op::Increment(slot)) = code.op(number) else {
                continue;
            };
            let name = found.name(code, number, slot);
            let usage = found.usage.entry((slot, name)).or_default();
            if let Op::Get(..) = code.op(number) {
                usage.reads += 1;
                continue;
            }
            usage.stores += 1;
            if let Some(line) = code.line(number) {
                found.stores.entry((line, name)).or_default().push(number);
            }
        }
        found
    }

    /// The variable that an instruction reads or stores into: its life starts after the first
    /// store.
    pub(super) fn at(&self, code: &Code<'_>, number: usize, slot: u16) -> Known<'c> {
        let instruction = code.body.instructions[number];
        let at = match instruction.op {
            Op::Increment(_) | Op::Get(..) => u32::from(instruction.at),
            _ => instruction.next,
        };
        let locals = self.by_slot.get(&slot)?;
        let after = locals.partition_point(|local| u32::from(local.start) <= at);
        let local = locals[after.checked_sub(1)?];
        (at < local.end.max(u32::from(local.start) + 1)).then_some(local)
    }

    fn name(&self, code: &Code<'_>, number: usize, slot: u16) -> Option<Symbol> {
        self.at(code, number, slot).map(|variable| variable.name)
    }

    fn usage(&self, code: &Code<'_>, number: usize, slot: u16) -> Usage {
        let name = self.name(code, number, slot);
        self.usage.get(&(slot, name)).copied().unwrap_or_default()
    }

    /// Whether some instruction reads the variable that is stored into.
    pub(super) fn is_read(&self, code: &Code<'_>, number: usize, slot: u16) -> bool {
        self.usage(code, number, slot).reads > 0
    }

    /// How many stores there are into the variable that is stored into.
    pub(super) fn stores(&self, code: &Code<'_>, number: usize, slot: u16) -> u32 {
        self.usage(code, number, slot).stores
    }

    /// Stores into a variable of the same name in the same line.
    pub(super) fn in_line(&self, code: &Code<'_>, number: usize, slot: u16) -> &[usize] {
        let key = code.line(number).map(|line| (line, self.name(code, number, slot)));
        key.and_then(|key| self.stores.get(&key)).map_or(&[], Vec::as_slice)
    }

    /// Whether the class was compiled with names of local variables.
    pub(super) fn has_names(&self) -> bool {
        self.has_names
    }

    /// Whether an instruction reads a variable without a name.
    pub(super) fn is_hidden(&self, code: &Code<'_>, number: usize) -> bool {
        match code.op(number) {
            Op::Get(_, slot) => self.at(code, number, slot).is_none(),
            _ => false,
        }
    }
}

/// Whether some instruction reads the variable of a declaration, and not only another one of its
/// name.
pub(super) fn is_read_there(code: &Code<'_>, known: Known<'_>, slot: u16) -> bool {
    known.is_none_or(|variable| {
        code.body.instructions.iter().any(|instruction| {
            let at = u32::from(instruction.at);
            matches!(instruction.op, Op::Get(_, read) | Op::Increment(read) if read == slot)
                && u32::from(variable.start) <= at
                && at < variable.end
        })
    })
}
