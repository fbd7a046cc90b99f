//! The spelling and the precedence of operators, shared by the parser and the printer.
//!
//! The order is that of NuSMV's grammar, in which a temporal operator takes a whole comparison
//! (`AG x = 1` is `AG (x = 1)`) but no conjunction, `U` and `V` group to the left, and unary `-` is
//! as tight as `!`, tighter than `::` (where the manual has it looser). Right between the brackets
//! of `E [ a U b ]` the one `U` is the loosest of all, so that `E [ a & b U c ]` is
//! `E [ (a & b) U c ]`. NuSMV wants brackets around a temporal operator below an arithmetic one, as
//! in `x + (EX y)`; we print them but can do without.

use super::ast::{Binary, Bounded, Expr, Function, Unary};

/// Anything at all.
pub(super) const LOOSEST: u8 = 1;
/// `c ? a : b`.
pub(super) const CONDITIONAL: u8 = 3;
/// `U`, `V`, `S` and `T`.
pub(super) const UNTIL: u8 = 6;
/// `EX`, `G`, `E [ a U b ]`.
pub(super) const TEMPORAL: u8 = 7;
/// `!` and `-`.
pub(super) const PREFIX: u8 = 16;
/// Expressions without operands on their sides.
pub(super) const PRIMARY: u8 = 17;

impl Unary {
    /// Whether it is about runs.
    pub(crate) fn is_temporal(self) -> bool {
        !matches!(self, Unary::Not | Unary::Minus)
    }

    pub(super) fn level(self) -> u8 {
        if self.is_temporal() { TEMPORAL } else { PREFIX }
    }

    /// As it is written, with a blank where the operand needs one.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Minus => "-",
            Unary::Ex => "EX ",
            Unary::Ef => "EF ",
            Unary::Eg => "EG ",
            Unary::Ax => "AX ",
            Unary::Af => "AF ",
            Unary::Ag => "AG ",
            Unary::X => "X ",
            Unary::F => "F ",
            Unary::G => "G ",
            Unary::Y => "Y ",
            Unary::Z => "Z ",
            Unary::O => "O ",
            Unary::H => "H ",
            Unary::E => "E ",
            Unary::A => "A ",
        }
    }
}

impl Bounded {
    /// How it is written around its bounds: the text before, between and after them.
    pub(super) fn signs(self) -> [&'static str; 3] {
        match self {
            Bounded::Ef => ["EBF ", "..", " "],
            Bounded::Eg => ["EBG ", "..", " "],
            Bounded::Af => ["ABF ", "..", " "],
            Bounded::Ag => ["ABG ", "..", " "],
            Bounded::F => ["F [", ", ", "] "],
            Bounded::G => ["G [", ", ", "] "],
            Bounded::O => ["O [", ", ", "] "],
            Bounded::H => ["H [", ", ", "] "],
        }
    }
}

impl Bounded {
    /// Whether it is about states before.
    pub(crate) fn is_past(self) -> bool {
        matches!(self, Bounded::O | Bounded::H)
    }
}

impl Unary {
    /// Whether it is about states before.
    pub(crate) fn is_past(self) -> bool {
        matches!(self, Unary::Y | Unary::Z | Unary::O | Unary::H)
    }
}

impl Binary {
    /// Whether it is about runs.
    pub(crate) fn is_temporal(self) -> bool {
        matches!(self, Binary::Until | Binary::Releases) || self.is_past()
    }

    /// Whether it is about states before.
    pub(crate) fn is_past(self) -> bool {
        matches!(self, Binary::Since | Binary::Triggered)
    }

    pub(super) fn level(self) -> u8 {
        match self {
            Binary::Implies => 1,
            Binary::Iff => 2,
            Binary::Or | Binary::Xor | Binary::Xnor => 4,
            Binary::And => 5,
            Binary::Until | Binary::Releases | Binary::Since | Binary::Triggered => UNTIL,
            Binary::Equal
            | Binary::Unequal
            | Binary::Less
            | Binary::AtMost
            | Binary::Greater
            | Binary::AtLeast => 8,
            Binary::In => 9,
            Binary::Union => 10,
            Binary::Range => 11,
            Binary::ShiftLeft | Binary::ShiftRight => 12,
            Binary::Plus | Binary::Minus => 13,
            Binary::Times | Binary::Divide | Binary::Modulo => 14,
            Binary::Concat => 15,
        }
    }

    /// Whether `a -> b -> c` is `a -> (b -> c)`.
    pub(super) fn groups_right(self) -> bool {
        self == Binary::Implies
    }

    /// As it is written, with the blanks around it.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Binary::And => " & ",
            Binary::Or => " | ",
            Binary::Xor => " xor ",
            Binary::Xnor => " xnor ",
            Binary::Implies => " -> ",
            Binary::Iff => " <-> ",
            Binary::Equal => " = ",
            Binary::Unequal => " != ",
            Binary::Less => " < ",
            Binary::AtMost => " <= ",
            Binary::Greater => " > ",
            Binary::AtLeast => " >= ",
            Binary::In => " in ",
            Binary::Union => " union ",
            Binary::Range => "..",
            Binary::Plus => " + ",
            Binary::Minus => " - ",
            Binary::Times => " * ",
            Binary::Divide => " / ",
            Binary::Modulo => " mod ",
            Binary::ShiftLeft => " << ",
            Binary::ShiftRight => " >> ",
            Binary::Concat => " :: ",
            Binary::Until => " U ",
            Binary::Releases => " V ",
            Binary::Since => " S ",
            Binary::Triggered => " T ",
        }
    }
}

impl Function {
    /// How it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Function::Count => "count",
            Function::Bool => "bool",
            Function::ToInt => "toint",
            Function::Word1 => "word1",
            Function::Signed => "signed",
            Function::Unsigned => "unsigned",
            Function::Extend => "extend",
            Function::Resize => "resize",
            Function::Uwconst => "uwconst",
            Function::Swconst => "swconst",
            Function::Abs => "abs",
            Function::Min => "min",
            Function::Max => "max",
            Function::Floor => "floor",
            Function::Sizeof => "sizeof",
            Function::Read => "READ",
            Function::Write => "WRITE",
            Function::ConstArray => "CONSTARRAY",
        }
    }

    /// How many operands it takes, if that is fixed.
    pub(super) fn arity(self) -> Option<usize> {
        match self {
            Function::Count => None,
            Function::Bool
            | Function::ToInt
            | Function::Word1
            | Function::Signed
            | Function::Unsigned
            | Function::Abs
            | Function::Floor
            | Function::Sizeof => Some(1),
            Function::Extend
            | Function::Resize
            | Function::Uwconst
            | Function::Swconst
            | Function::Min
            | Function::Max
            | Function::Read
            | Function::ConstArray => Some(2),
            Function::Write => Some(3),
        }
    }
}

/// How tight an expression is as a whole.
pub(super) fn level(expr: &Expr) -> u8 {
    match expr {
        Expr::Unary(unary, _) => unary.level(),
        Expr::Binary(binary, ..) => binary.level(),
        Expr::Conditional(..) => CONDITIONAL,
        // a `[` right after an operator may start bounds
        Expr::List(_) => LOOSEST,
        Expr::Quantified(..) | Expr::Bounded(..) | Expr::BoundedUntil(..) => TEMPORAL,
        Expr::Integer(number) if *number < 0 => PREFIX,
        _ => PRIMARY,
    }
}
