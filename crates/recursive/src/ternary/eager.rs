//! `EAGERCHECK` (Algorithm 4): every subformula everywhere, in every context that occurs.
//!
//! For each existential subformula, operands first: contextualize all boxes and refine, in turn,
//! until nothing changes; then unknown values are resolved (Lemma 6; the paper's line 15 must set
//! EU's context to false). Exponential in exits times existential subformulas at worst.

use super::interpretation::Interpretation;
use super::news::News;
use crate::prepared::Prepared;
use crate::property::{CtlProperty, EngineSettings, MachineOutcome};
use loris_base::{Budget, Exhausted};

/// Checks a property.
pub(crate) fn eager(
    prepared: &Prepared<'_>,
    property: &CtlProperty<'_>,
    settings: &EngineSettings,
    budget: &mut Budget,
) -> Result<MachineOutcome, Exhausted> {
    let mut found = Interpretation::new(prepared, property, settings, budget)?;
    for node in property.formula.ids() {
        let live = found.live_instances();
        found.refine(node, &live, budget)?;
        if !property.formula.node(node).is_existential() {
            continue;
        }
        let upto = found.existentials.partition_point(|&existential| existential <= node);
        // of boxes that were looked at for another formula, too
        found.touch_all();
        loop {
            let news = found.take_news(upto, budget)?;
            for news in news.chunk_by(News::same_box) {
                found.contextualize(news, upto, budget)?;
            }
            if found.dirty.is_empty() {
                break;
            }
            found.settle(budget)?;
            found.refine_dirty(budget)?;
        }
        found.resolve_all(node, false, budget)?;
        // the formulas above are refined everywhere when their turn comes
        found.dirty.clear();
        found.waiting.clear();
    }
    Ok(found.outcome())
}
