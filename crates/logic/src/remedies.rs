//! What can be done about a formula that is not one of the logic that was asked for.

use loris_base::Remedy;

/// A formula that is not one of CTL is one of LTL, as it is.
pub const IN_LTL: Remedy = Remedy("as it is, the formula is one of ltl");
/// A formula that is not one of CTL is one of CTL*, as it is.
pub const IN_CTL_STAR: Remedy = Remedy("as it is, the formula is one of ctl*");
/// A path formula without a quantifier is one of LTL, as it is.
pub const LINEAR: Remedy = Remedy("as it is, it is a formula of ltl");
/// A formula with quantifiers is one of CTL*, not of LTL.
pub const QUANTIFIERS: Remedy = Remedy("a formula with quantifiers is one of ctl*");
/// A formula with quantifiers, about a model that ctl* cannot be checked against.
pub const BRANCHING: Remedy =
    Remedy("a formula with a quantifier before each temporal operator is one of ctl");
