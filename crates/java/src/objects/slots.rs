//! Instructions as moves between slots: the local variables, then the operand stack. Everything
//! that follows values through a method (which value is in which slot, which slots hold an object)
//! is told by these moves alone.

use crate::class::{Body, Effect, Instruction, Op, StackOp, effect};
use crate::program::Program;
use crate::{ClassId, class::ValueKind};

/// A slot: a local variable, or `locals + n` for the n-th of the operand stack.
pub(crate) type Slot = u16;

/// What an instruction does to the slots: all moves at once, then slots at and above `top` are
/// dead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    /// Slots that get a value: a copy of another slot, or a new one.
    pub(crate) assigned: Vec<(Slot, Option<Slot>)>,
    /// The first slot that is no longer in use.
    pub(crate) top: Slot,
    /// The first slot of what was popped.
    pub(crate) popped: Slot,
}

/// The moves of an instruction before which the stack has `depth` slots.
pub(crate) fn moves(
    program: &Program,
    class: ClassId,
    body: &Body<'_>,
    instruction: &Instruction,
    depth: usize,
) -> Moves {
    let first = body.code.max_locals;
    let stack = |position: usize| first + position as Slot;
    let copy_all = |to: Slot, from: Slot, kind: ValueKind| -> Vec<(Slot, Option<Slot>)> {
        (0..kind.width() as Slot).map(|part| (to + part, Some(from + part))).collect()
    };
    match instruction.op {
        Op::Get(kind, slot) => Moves {
            assigned: copy_all(stack(depth), slot, kind),
            top: stack(depth + kind.width()),
            popped: stack(depth),
        },
        Op::Set(kind, slot) => {
            let from = depth - kind.width();
            Moves { assigned: copy_all(slot, stack(from), kind), top: stack(from), popped: stack(from) }
        }
        Op::Increment(slot) => {
            Moves { assigned: vec![(slot, None)], top: stack(depth), popped: stack(depth) }
        }
        Op::Stack(StackOp::Dup { count, below }) => {
            let (count, below) = (usize::from(count), usize::from(below));
            let base = depth - count - below;
            let copies = (0..count).map(|i| (stack(base + i), Some(stack(depth - count + i))));
            let moved = (0..below).map(|i| (stack(base + count + i), Some(stack(base + i))));
            let originals = (0..count).map(|i| (stack(depth + i), Some(stack(depth - count + i))));
            let assigned = copies.chain(moved).chain(originals).collect();
            Moves { assigned, top: stack(depth + count), popped: stack(base) }
        }
        Op::Stack(StackOp::Swap) => {
            let (low, high) = (stack(depth - 2), stack(depth - 1));
            Moves { assigned: vec![(low, Some(high)), (high, Some(low))], top: stack(depth), popped: low }
        }
        // the object stays the same
        Op::CheckCast(_) => Moves { assigned: Vec::new(), top: stack(depth), popped: stack(depth - 1) },
        op => {
            // checked when the body was made
            let none = Effect { pops: 0, pushes: 0 };
            let Effect { pops, pushes } = effect(program.class(class), &program.names, op).unwrap_or(none);
            let base = depth - pops;
            Moves {
                assigned: (0..pushes).map(|i| (stack(base + i), None)).collect(),
                top: stack(base + pushes),
                popped: stack(base),
            }
        }
    }
}
