//! Words of PSL, the language of `PSLSPEC`, and how tightly its operators hold: looser ones have
//! smaller numbers.
//!
//! The order is that of NuSMV's grammar of PSL, which is not its order elsewhere: `->` groups to
//! the left, `X a & b` is `X (a & b)`, and `always` and `G` are looser than everything else.

use super::ast::{Binary, Bounded, Psl, Unary};

/// A word or sign of PSL that SMV does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `never`.
    Never,
    /// `eventually!`, `next`, `next!`.
    Prefix(Unary),
    /// `next_a`, `next_e` and their strong forms.
    Steps(Bounded),
    /// `next_event`, with `!` if it is strong.
    Event {
        strong: bool,
        /// Of `next_event_a` and `next_event_e`: whether at all occurrences in a range.
        range: Option<bool>,
    },
    Infix(Infix),
    /// `W`, in square brackets.
    Weak,
    /// `forall`.
    Forall,
}

/// An operator between its operands that SMV does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infix {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `until`
    Until { strong: bool, together: bool },
    /// `before`
    Before { strong: bool, together: bool },
}

impl Infix {
    pub(super) fn level(self) -> u8 {
        match self {
            Infix::And => 12,
            Infix::Or => 11,
            Infix::Until { .. } => 5,
            Infix::Before { .. } => 4,
        }
    }

    /// The operator that it is, if it is one of its own.
    pub(super) fn operator(self) -> Option<Psl> {
        match self {
            Infix::Until { strong: false, together: false } => Some(Psl::WeakUntil),
            Infix::Until { strong: true, together: true } => Some(Psl::UntilTogether),
            Infix::Before { strong: false, together: false } => Some(Psl::Before),
            Infix::Before { strong: true, together: false } => Some(Psl::BeforeStrong),
            _ => None,
        }
    }
}

/// `never`.
pub(super) const LOOSEST: u8 = 1;
/// `next`, `eventually!`.
pub(super) const NEXT: u8 = 3;
/// `c ? a : b`, and the operand of `forall`.
pub(super) const CONDITIONAL: u8 = 10;

/// How tight a prefix operator of SMV is in PSL.
pub(super) fn prefix_level(unary: Unary) -> u8 {
    match unary {
        Unary::Not | Unary::Minus => 24,
        Unary::G => LOOSEST,
        _ => 8,
    }
}

/// How tight an infix operator of SMV is in PSL.
pub(super) fn infix_level(infix: Binary) -> u8 {
    match infix {
        Binary::Implies | Binary::Iff => 2,
        Binary::Until | Binary::Releases | Binary::Since | Binary::Triggered => 8,
        Binary::In | Binary::Union => 9,
        Binary::Or => 13,
        Binary::Xor | Binary::Xnor => 15,
        Binary::And => 16,
        Binary::Equal | Binary::Unequal => 17,
        Binary::Greater | Binary::AtLeast | Binary::Less | Binary::AtMost => 18,
        Binary::ShiftLeft | Binary::ShiftRight => 19,
        Binary::Plus | Binary::Minus => 21,
        Binary::Times | Binary::Divide | Binary::Modulo | Binary::Concat => 22,
        Binary::Range => 23,
    }
}
