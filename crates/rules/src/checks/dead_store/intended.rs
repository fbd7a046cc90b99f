//! Dead stores that are there on purpose: initialisers with a default value, variables of `catch`,
//! loops and patterns that the language demands, constants that the compiler may have copied to
//! where they are used, and copies of code that the compiler made.

use super::constants::{Inlined, Simple, constant};
use super::live::Live;
use super::variables::{Variables, is_read_there};
use crate::checks::method::Code;
use loris_java::class::{Invoke, Op, StackOp, ValueKind};
use std::cell::OnceCell;

/// Decides whether a dead store is there on purpose.
pub(super) struct Intended<'a, 'c> {
    pub(super) code: &'a Code<'c>,
    pub(super) live: &'a Live,
    pub(super) variables: &'a Variables<'c>,
    inlined: OnceCell<Inlined<'a>>,
}

/// This many stores of a line are compared.
const MOST_COPIES: usize = 64;

impl<'a, 'c> Intended<'a, 'c> {
    pub(super) fn new(code: &'a Code<'c>, live: &'a Live, variables: &'a Variables<'c>) -> Self {
        Self { code, live, variables, inlined: OnceCell::new() }
    }

    /// Whether a dead store is there on purpose.
    pub(super) fn is_intended(&self, number: usize, slot: u16) -> bool {
        let Self { code, variables, .. } = *self;
        let known = variables.at(code, number, slot);
        // the exception of a handler has to be stored, or dropped
        if code.flow.is_handler(number) {
            return true;
        }
        let of_compiler = || !variables.has_names() && constant(code, number).is_some();
        // without a name, a store may be of a variable whose life ends at once, or of the compiler:
        // then the value comes from where compilers put values aside, or from what Java does not
        // have
        if known.is_none()
            && (has_finally(code)
                || of_compiler()
                || code.is_of_another_language()
                || variables.has_names() && is_copy(code, number))
        {
            return true;
        }
        // the parameter of a lambda that names none, put into a variable where the lambda is
        // inlined
        let is_implicit = |name: &str| name == "it" && code.is_of_another_language();
        let is_unnamed = |name: &str| is_left_out(name) || is_implicit(name);
        if known.is_some_and(|variable| is_unnamed(code.text(variable.name)))
            || self.is_of_loop(number)
            || self.is_of_pattern(number)
            || self.is_copied(number, slot)
        {
            return true;
        }
        let Some(constant) = constant(code, number) else { return false };
        let instruction = code.body.instructions[number];
        let starts = known.is_none_or(|variable| u32::from(variable.start) == instruction.next);
        if variables.is_read(code, number, slot) {
            match constant {
                // a value to start with, in case no other one comes
                Simple::Null => true,
                Simple::Zero => !starts || !self.is_overwritten_at_once(number, slot),
                Simple::One => starts && !self.is_overwritten_at_once(number, slot),
                // compilers copy the constant of a `final` variable; another one has its name
                Simple::Other => {
                    let inlined = self.inlined.get_or_init(|| Inlined::new(code));
                    starts && !is_read_there(code, known, slot) && inlined.may_be(code, number, known)
                }
            }
        } else {
            let inlined = self.inlined.get_or_init(|| Inlined::new(code));
            constant == Simple::Null
                || variables.stores(code, number, slot) <= 1 && inlined.may_be(code, number, known)
        }
    }

    /// Whether a store gives a variable a value like 0 or an empty text at its declaration.
    pub(super) fn starts_with_default(&self, number: usize, slot: u16) -> bool {
        let next = self.code.body.instructions[number].next;
        let known = self.variables.at(self.code, number, slot);
        known.is_some_and(|variable| u32::from(variable.start) == next)
            && match constant(self.code, number) {
                Some(Simple::Zero | Simple::One) => true,
                // a blank, as a character
                Some(Simple::Other) => {
                    self.code.op(number - 1) == Op::Int(i32::from(b' '))
                        && known.is_some_and(|variable| self.code.text(variable.descriptor) == "C")
                }
                _ => false,
            }
    }

    /// Whether nothing is decided between a store and the next one, and neither a loop nor a `try`
    /// starts: many write `int n = 0` before `while ((n = in.read()) >= 0)`.
    fn is_overwritten_at_once(&self, number: usize, slot: u16) -> bool {
        let code = self.code;
        let mut at = number;
        for _ in 0..code.len() {
            let mut next = code.flow.next(at);
            let (Some(only), None) = (next.next(), next.next()) else { return false };
            if code.flow.is_join(only) {
                return false;
            }
            match code.op(only) {
                Op::Set(_, stored) if stored == slot => {
                    let place = |number: usize| code.body.instructions[number].at;
                    let mut handlers = code.body.code.handlers.iter();
                    return handlers
                        .all(|handler| handler.covers(place(only)) == handler.covers(place(number)));
                }
                Op::Increment(stored) if stored == slot => return false,
                _ => at = only,
            }
        }
        false
    }

    /// Whether the value is the next element of a `for` loop over a collection or an array.
    fn is_of_loop(&self, number: usize) -> bool {
        let Self { code, variables, .. } = *self;
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
                    return iterates && at.checked_sub(1).is_some_and(|from| variables.is_hidden(code, from));
                }
                Op::Invoke(Invoke::Virtual, _) => {
                    let Some(member) = code.member(at) else { return false };
                    if !code.text(member.name).ends_with("Value") {
                        return false;
                    }
                }
                Op::ArrayGet(_) => {
                    return at.checked_sub(2).is_some_and(|from| {
                        variables.is_hidden(code, from) && variables.is_hidden(code, from + 1)
                    });
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the value is bound by a pattern: cast after a test of the type, or taken from a
    /// variable of the compiler.
    fn is_of_pattern(&self, number: usize) -> bool {
        let Self { code, variables, .. } = *self;
        let Some(before) = number.checked_sub(1) else { return false };
        if variables.has_names() && variables.is_hidden(code, before) {
            return true;
        }
        if !matches!(code.op(before), Op::CheckCast(_)) {
            return false;
        }
        let Some(from) = before.checked_sub(1) else { return false };
        if variables.has_names() && variables.is_hidden(code, from) {
            return true;
        }
        let line = code.line(number);
        (number.saturating_sub(12)..before)
            .any(|other| matches!(code.op(other), Op::InstanceOf(_)) && code.line(other) == line)
    }

    /// Whether the compiler made several copies of the store, as in `finally`, and another one is
    /// used.
    fn is_copied(&self, number: usize, slot: u16) -> bool {
        let Self { code, live, variables, .. } = *self;
        if code.body.code.handlers.is_empty() {
            return false;
        }
        let kind = |op: Op| match op {
            Op::Set(kind, slot) => Some((kind, slot)),
            Op::Increment(slot) => Some((ValueKind::Int, slot)),
            _ => None,
        };
        let has_name = variables.at(code, number, slot).is_some();
        variables.in_line(code, number, slot).iter().take(MOST_COPIES).any(|&other| {
            let Some((other_kind, stored)) = kind(code.op(other)) else { return false };
            other != number
                && kind(code.op(number)).is_some_and(|(kind, _)| kind == other_kind)
                && code.is_reached(other)
                && live.after(code, other, stored)
                && (has_name || before(code, other) == before(code, number))
        })
    }
}

/// Names by which people say that a value is not used, and names that only compilers give: of
/// Kotlin (`$i$f$map`, `$this$apply`, `it$iv`, `<anonymous parameter 0>`) and of Scala (`x$1`).
pub(super) fn is_left_out(name: &str) -> bool {
    name.starts_with("ignore")
        || name.starts_with("unused")
        || name.starts_with("discard")
        || name.starts_with("dummy")
        || name.chars().all(|c| c == '_')
        || name.contains(['$', '<'])
}

/// Whether a store is one of two of the same value: `n++` with an `Integer` as a statement leaves
/// its result in a variable of the compiler, which nothing reads.
fn is_copy(code: &Code<'_>, number: usize) -> bool {
    let op = |back: usize| number.checked_sub(back).map(|at| code.op(at));
    let stores = matches!(op(1), Some(Op::Set(..) | Op::PutField(_) | Op::PutStatic(_)));
    !code.flow.is_join(number) && stores && matches!(op(2), Some(Op::Stack(StackOp::Dup { .. })))
}

fn has_finally(code: &Code<'_>) -> bool {
    code.body.code.handlers.iter().any(|handler| handler.caught.is_none())
}

/// The instruction before a store, to compare copies.
fn before(code: &Code<'_>, number: usize) -> Option<std::mem::Discriminant<Op>> {
    let op = code.op(number.checked_sub(1)?);
    (!matches!(op, Op::Stack(StackOp::Pop(_)))).then(|| std::mem::discriminant(&op))
}
