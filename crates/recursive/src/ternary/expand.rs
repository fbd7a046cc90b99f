//! `LAZYCHECK` (Algorithm 5): refine, and contextualize what a heuristic picks, until the initial
//! nodes are decided.

use super::Interpretation;
use super::reason::{Advice, Search};
use crate::api::{Outcome, Prepared, Property, Settings};
use loris_base::{Budget, Exhausted, Rng, Truth};
use loris_logic::CoreNode;

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

/// After so many rounds of looking for reasons, all contextualizable boxes are taken. This also makes sure
/// that there is an end: the complete heuristic has one.
const MOST_ROUNDS: usize = 64;

/// Checks a property.
pub(crate) fn expand(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    mut heuristic: Heuristic,
    settings: &Settings,
    budget: &mut Budget,
) -> Result<Outcome, Exhausted> {
    let mut found = Interpretation::new(prepared, property, settings, budget)?;
    let mut rng = Rng::new(settings.seed);
    let all = found.existentials.len();
    found.refine_all(budget)?;
    let mut search = Search::default();
    let lazy = heuristic == Heuristic::Reason;
    while found.verdict() == Truth::Unknown {
        // so many contexts are needed that choosing them costs more than making them
        if heuristic == Heuristic::Reason && search.rounds() > MOST_ROUNDS {
            heuristic = Heuristic::All;
        }
        let advice = match heuristic {
            Heuristic::Reason => found.reason(&mut search, budget)?,
            Heuristic::All => Advice::Expand(found.contextualizable(budget)?),
            Heuristic::Random => {
                found.touch_all();
                let boxes = found.contextualizable(budget)?;
                Advice::Expand(if boxes.is_empty() { boxes } else { vec![boxes[rng.below(boxes.len())]] })
            }
        };
        match advice {
            Advice::Expand(boxes) if !boxes.is_empty() => {
                let mut callees: Vec<u32> =
                    boxes.iter().map(|&(instance, site)| found.graph.callee(instance, site)).collect();
                callees.sort_unstable();
                callees.dedup();
                let mut adopted = false;
                for callee in callees.into_iter().filter(|_| lazy) {
                    adopted |= found.adopt(callee, budget)?;
                }
                // one context may be all it takes; a complete heuristic makes them all
                let few = if heuristic == Heuristic::Reason { 1 } else { boxes.len() };
                let few = if adopted { 0 } else { few };
                for &(instance, site) in &boxes[..few] {
                    found.contextualize(instance, site, all, budget)?;
                }
                boxes[few..].iter().for_each(|&(instance, _)| found.touch(instance));
            }
            // nothing to be seen from the initial nodes: let the complete heuristic look
            Advice::Expand(_) if heuristic == Heuristic::Reason => {
                heuristic = Heuristic::All;
                continue;
            }
            // Lemma 6 is about what follows from nothing else: look everywhere first
            _ if found.refine_all(budget)? => continue,
            Advice::Expand(_) => found.resolve_determined(),
            Advice::Resolve(pairs) => {
                // all of one formula
                if let Some(&(node, _)) = pairs.first() {
                    let cells: Vec<u32> = pairs.iter().map(|&(_, cell)| cell).collect();
                    found.resolve(node, &cells);
                }
            }
        }
        debug_assert!(!found.dirty.is_empty(), "every round learns something");
        found.settle(budget)?;
        found.refine_dirty(budget)?;
    }
    Ok(found.outcome())
}

/// Refines once; the outcome if that is enough.
pub(crate) fn glance(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    settings: &Settings,
    budget: &mut Budget,
) -> Result<Option<Outcome>, Exhausted> {
    let mut found = Interpretation::new(prepared, property, settings, budget)?;
    found.refine_all(budget)?;
    let outcome = found.outcome();
    Ok((found.verdict() != Truth::Unknown).then_some(outcome))
}

impl Interpretation<'_> {
    /// Resolves the innermost formula that is unknown somewhere; its operands are known everywhere
    /// (Algorithm 5, lines 7 to 14).
    fn resolve_determined(&mut self) {
        for node in 0..self.formula.nodes().len() as u32 {
            let resolvable =
                matches!(self.formula.nodes()[node as usize], CoreNode::Eg(_) | CoreNode::Eu(..));
            if resolvable && self.resolve_all(node) {
                return;
            }
        }
    }
}
