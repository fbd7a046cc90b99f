//! Exceptions that the virtual machine throws on its own (JVMS, chapter 6).

use crate::class::{Invoke, Op, ValueKind};
use crate::program::Program;
use loris_base::Symbol;

const NULL: &str = "java/lang/NullPointerException";
const INDEX: &str = "java/lang/ArrayIndexOutOfBoundsException";

/// What an instruction throws if its operands are wrong. Leaving a monitor never throws: compilers
/// pair monitors.
pub(super) fn names(op: Op) -> &'static [&'static str] {
    match op {
        Op::ArraySet(ValueKind::Reference) => &[NULL, INDEX, "java/lang/ArrayStoreException"],
        Op::ArrayGet(_) | Op::ArraySet(_) => &[NULL, INDEX],
        Op::Compute { divides: true, .. } => &["java/lang/ArithmeticException"],
        Op::GetField(_)
        | Op::PutField(_)
        | Op::Invoke(Invoke::Virtual | Invoke::Interface, _)
        | Op::ArrayLength
        | Op::Throw
        | Op::MonitorEnter => &[NULL],
        Op::NewArray(_) => &["java/lang/NegativeArraySizeException"],
        Op::CheckCast(_) => &["java/lang/ClassCastException"],
        _ => &[],
    }
}

pub(super) fn of(program: &Program, op: Op) -> Vec<Symbol> {
    names(op).iter().filter_map(|name| program.names.find(name)).collect()
}
