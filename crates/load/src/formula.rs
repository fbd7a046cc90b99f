//! Formulas that are read as the format of their model has them.

use loris_base::Diagnostics;
use loris_logic::mu::{self, DeadEnds, MuFormula, Syntax};

/// A formula of the mu-calculus about a machine. Where runs end, its operators of CTL are the
/// fixpoints that they are in CTL.
pub fn mu_formula(text: &str, syntax: Syntax) -> Result<MuFormula, Diagnostics> {
    mu::parse_with(text, &mu::Reading { syntax, dead_ends: DeadEnds::Stop, ..mu::Reading::default() })
}
