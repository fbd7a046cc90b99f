//! Checks that are built in: each decides one rule from the bytecode.

use crate::{Context, Finding, Rule};
use loris_base::{Budget, Exhausted};

/// A check that is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// A value is stored in a local variable and never used.
    DeadStore,
}

impl Check {
    /// All checks.
    pub const ALL: [Check; 1] = [Check::DeadStore];

    /// Its name in rules files.
    pub fn name(self) -> &'static str {
        match self {
            Check::DeadStore => "dead-store",
        }
    }

    /// The check with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }
}

/// Runs checks, each for the rule that names it.
///
/// # Errors
/// A limit was reached.
pub fn run(
    _context: &Context<'_>,
    _checks: &[(&Rule, Check)],
    _budget: &mut Budget,
) -> Result<Vec<Finding>, Exhausted> {
    Ok(Vec::new())
}
