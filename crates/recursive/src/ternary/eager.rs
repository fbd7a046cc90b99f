//! `EAGERCHECK` (Algorithm 4): every subformula everywhere, in every context that occurs.
//!
//! For each existential subformula, operands first: contextualize all boxes and refine, in turn, until
//! nothing changes; then what is unknown is resolved (Lemma 6; the paper's line 15 must set EU's
//! context to false). Exponential in exits times existential subformulas at worst.

use super::Interpretation;
use crate::api::{Outcome, Prepared, Property, Settings};
use loris_base::{Budget, Exhausted, Truth};
use loris_logic::CtlNode;

/// Checks a property.
pub(crate) fn eager(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    settings: &Settings,
    budget: &mut Budget,
) -> Result<Outcome, Exhausted> {
    let mut found = Interpretation::new(prepared, property, settings, budget)?;
    for node in 0..property.formula.nodes().len() as u32 {
        if !matches!(property.formula.nodes()[node as usize], CtlNode::Ex(_) | CtlNode::Eg(_) | CtlNode::Eu(..)) {
            found.refine(node, budget)?;
            continue;
        }
        let upto = found.existentials.partition_point(|&existential| existential <= node);
        loop {
            let mut changed = found.refine(node, budget)?;
            let boxes = found.contextualizable();
            for &(instance, site) in &boxes {
                changed |= found.contextualize(instance, site, upto, budget)?;
            }
            if !boxes.is_empty() {
                found.settle();
            }
            if !changed {
                break;
            }
            // new instances start from what their originals knew of the operands
            for operand in 0..node {
                found.refine(operand, budget)?;
            }
        }
        found.resolve_all(node);
    }
    Ok(Outcome { holds: found.verdict() == Truth::True, contexts: found.made, checks: found.checks })
}
