//! Evidence about models whose states are known by the values of their variables.

use super::confirmed::{Confirmed, Unverified};
use loris_base::{Budget, Diagnostic};
use loris_circuit::Valuation;
use loris_evidence::{Certificate, NamedValue, Results, Stated, Unreadable};

/// Why an invariant does not show that a property fails.
pub(super) const NO_START: &str = "there is no initial state, and so nothing fails";

/// A model that such evidence is about.
pub trait ValueSubject {
    /// The state of a module in which variables have these values.
    ///
    /// # Errors
    /// Why there is none.
    fn state(&self, module: Option<&str>, values: &[NamedValue<'_>]) -> Result<Valuation, String>;

    /// Replays evidence, and decides whether it is evidence for the verdict it came with.
    ///
    /// # Errors
    /// Why it is not, or which limit was reached before that was known.
    fn verify(
        &self,
        stated: &Stated,
        evidence: &Certificate<Valuation>,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified>;

    /// Finds the states of evidence in the model.
    ///
    /// # Errors
    /// All that is wrong, or the limit that was reached.
    fn evidence(
        &self,
        results: &Results<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<Certificate<Valuation>>, Unreadable> {
        if let Some(with) = results.stated.iter().find_map(|stated| stated.with.as_deref()) {
            return Err(Diagnostic::global(format!("this evidence was made with the peer {with}")).into());
        }
        results.evidence_by_values(|stated, values| self.state(stated.module.as_deref(), values), budget)
    }
}
