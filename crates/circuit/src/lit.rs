//! Literals: variables with a sign, numbered as in AIGER.

use std::fmt;

/// A node of an [`Aig`](crate::Aig).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// A node of an [`Aig`](crate::Aig), or its negation: twice the number of the node, plus one if it
/// is negated.
///
/// ```
/// use loris_circuit::{Lit, Var};
/// let lit = Lit::new(Var(3), true);
/// assert_eq!((lit.code(), (!lit).code(), lit.var()), (7, 6, Var(3)));
/// assert_eq!(!Lit::FALSE, Lit::TRUE);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Var {
    /// The variable as a number of a list.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The variable itself, not negated.
    pub fn lit(self) -> Lit {
        Lit::new(self, false)
    }
}

impl Lit {
    /// The constant false.
    pub const FALSE: Lit = Lit(0);
    /// The constant true.
    pub const TRUE: Lit = Lit(1);

    /// A variable or its negation.
    pub fn new(var: Var, negated: bool) -> Self {
        Lit(var.0 << 1 | u32::from(negated))
    }

    /// The literal with this number in AIGER.
    pub fn from_code(code: u32) -> Self {
        Lit(code)
    }

    /// Its number in AIGER.
    pub fn code(self) -> u32 {
        self.0
    }

    /// Its variable.
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether it is a negated variable.
    pub fn is_negated(self) -> bool {
        self.0 & 1 != 0
    }

    /// Negated if `flip`.
    #[must_use]
    pub fn negated_if(self, flip: bool) -> Self {
        Lit(self.0 ^ u32::from(flip))
    }

    /// The constant true or the constant false.
    pub fn constant(value: bool) -> Self {
        Lit(u32::from(value))
    }

    /// Its value, if it is a constant.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_negated() { "!" } else { "" }, self.0 >> 1)
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}
