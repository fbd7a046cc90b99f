//! `LAZYCHECK` (Algorithm 5): refine, and contextualize what a heuristic picks, until the initial
//! nodes are decided.

use super::Interpretation;
use super::reason::Reason;
use crate::api::{Outcome, Prepared, Property, Settings};
use loris_base::{Budget, Exhausted, Rng, Truth};
use loris_logic::CtlNode;

/// Which boxes to contextualize.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heuristic {
    /// All contextualizable ones (section 7.4).
    All,
    /// One of them at random (section 7.4.1).
    Random,
    /// One that is the reason for not knowing (Algorithms 6 and 7).
    Reason,
}

/// Checks a property.
pub(crate) fn expand(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    heuristic: Heuristic,
    settings: &Settings,
    budget: &mut Budget,
) -> Result<Outcome, Exhausted> {
    let mut found = Interpretation::new(prepared, property, settings, budget)?;
    let mut rng = Rng::new(settings.seed);
    found.refine_all(budget)?;
    while found.verdict() == Truth::Unknown {
        let all = found.existentials.len();
        match heuristic {
            Heuristic::Reason => match found.reason(budget)? {
                Reason::Box(instance, site) => {
                    found.contextualize(instance, site, all, budget)?;
                }
                Reason::Cycle(pairs) => {
                    for (node, cell) in pairs {
                        found.resolve(node, cell);
                    }
                }
            },
            Heuristic::All | Heuristic::Random => {
                let mut boxes = found.contextualizable();
                if boxes.is_empty() {
                    found.resolve_determined();
                } else if heuristic == Heuristic::Random {
                    boxes = vec![boxes[rng.below(boxes.len())]];
                }
                for (instance, site) in boxes {
                    found.contextualize(instance, site, all, budget)?;
                }
            }
        }
        found.settle();
        found.refine_all(budget)?;
    }
    Ok(Outcome { holds: found.verdict() == Truth::True, contexts: found.made, checks: found.checks })
}

impl Interpretation<'_> {
    /// Resolves the formulas whose operands are known everywhere (Algorithm 5, lines 7 to 14).
    fn resolve_determined(&mut self) {
        for node in 0..self.formula.nodes().len() as u32 {
            let ready = match self.formula.nodes()[node as usize] {
                CtlNode::Eg(a) => self.is_determined(a),
                CtlNode::Eu(a, b) => self.is_determined(a) && self.is_determined(b),
                _ => false,
            };
            if ready && !self.is_determined(node) {
                self.resolve_all(node);
                // what is above may now follow without being resolved itself
                return;
            }
        }
    }
}
