//! The type of an expression.

use crate::ir;
use std::fmt;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Boolean,
    Integer,
    /// A symbolic constant.
    Symbol,
    /// A number or a symbolic constant.
    Mixed,
    Word {
        signed: bool,
        width: u32,
    },
    /// `EXIT`, which every variable can be.
    Exit,
    /// Something that was reported already.
    Wrong,
}

impl Type {
    /// Whether it is of a number, of a symbolic constant, or of both.
    pub(super) fn is_enumerable(self) -> bool {
        matches!(self, Type::Integer | Type::Symbol | Type::Mixed)
    }

    /// The least type that has the values of both.
    pub(super) fn join(self, other: Type) -> Option<Type> {
        match (self, other) {
            (Type::Wrong, _) | (_, Type::Wrong) => Some(Type::Wrong),
            (Type::Exit, ty) | (ty, Type::Exit) => Some(ty),
            (a, b) if a == b => Some(a),
            (a, b) if a.is_enumerable() && b.is_enumerable() => Some(Type::Mixed),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Boolean => write!(f, "a truth value"),
            Type::Integer => write!(f, "a number"),
            Type::Symbol => write!(f, "a symbolic constant"),
            Type::Mixed => write!(f, "a number or a symbolic constant"),
            Type::Word { signed: false, width } => write!(f, "an unsigned word of width {width}"),
            Type::Word { signed: true, width } => write!(f, "a signed word of width {width}"),
            Type::Exit => write!(f, "`EXIT`"),
            Type::Wrong => write!(f, "wrong"),
        }
    }
}

/// An expression that was resolved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Typed {
    pub(super) expr: ir::ExprId,
    pub(super) ty: Type,
    /// Whether it may have several values.
    pub(super) set: bool,
    /// Whether it is a variable as such, which could be assigned.
    pub(super) place: bool,
}

impl Typed {
    pub(super) fn value(expr: ir::ExprId, ty: Type) -> Self {
        Self { expr, ty, set: false, place: false }
    }

    pub(super) fn is_wrong(self) -> bool {
        self.ty == Type::Wrong
    }
}
