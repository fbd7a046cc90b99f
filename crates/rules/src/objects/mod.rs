//! Rules about objects: an automaton or a property for each object that is made at some place.

use crate::{Context, Finding, Rule};
use loris_base::{Budget, Exhausted};

/// A rule about objects.
#[derive(Clone, Debug)]
pub struct ObjectRule;

impl ObjectRule {
    /// Reads the table `[rule.object]` of a rule.
    ///
    /// # Errors
    /// What is wrong with the table, in words.
    pub fn from_table(_table: &toml::Table) -> Result<Self, String> {
        Err("rules about objects are not decided yet".into())
    }
}

/// Decides rules about objects, all together.
///
/// # Errors
/// A limit was reached.
pub fn run(
    _context: &Context<'_>,
    _rules: &[(&Rule, &ObjectRule)],
    _budget: &mut Budget,
) -> Result<Vec<Finding>, Exhausted> {
    Ok(Vec::new())
}
