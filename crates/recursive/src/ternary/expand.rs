//! `LAZYCHECK` (Algorithm 5): refine, and contextualize what a heuristic picks, until the initial
//! nodes are decided.

use super::Interpretation;
use super::reason::{Advice, Search};
use crate::api::{Outcome, Prepared, Property, Settings};
use loris_base::{Budget, Exhausted, Rng, Truth};
use loris_logic::CoreNode;
use loris_rsm::BoxId;

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
    heuristic: Heuristic,
    settings: &Settings,
    budget: &mut Budget,
) -> Result<Outcome, Exhausted> {
    let mut expansion = Expansion::new(prepared, property, heuristic, settings, budget)?;
    loop {
        if let Some(outcome) = expansion.outcome() {
            return Ok(outcome);
        }
        expansion.round(usize::MAX, budget)?;
    }
}

/// A check that goes round by round, and can be left and taken up again between them.
pub(crate) struct Expansion<'a> {
    found: Interpretation<'a>,
    heuristic: Heuristic,
    is_lazy: bool,
    search: Search,
    rng: Rng,
}

impl<'a> Expansion<'a> {
    /// Refines once, with the initial context only: enough for many a property.
    pub(crate) fn new(
        prepared: &'a Prepared<'_>,
        property: &Property<'a>,
        heuristic: Heuristic,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut found = Interpretation::new(prepared, property, settings, budget)?;
        found.refine_all(budget)?;
        let is_lazy = heuristic == Heuristic::Reason;
        Ok(Self { found, heuristic, is_lazy, search: Search::default(), rng: Rng::new(settings.seed) })
    }

    /// What was found, if the verdict is known.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        (self.found.verdict() != Truth::Unknown).then(|| self.found.outcome())
    }

    /// Makes contexts, `most` at most, or resolves; and refines. The verdict must not be known.
    pub(crate) fn round(&mut self, most: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let found = &mut self.found;
        let all = found.existentials.len();
        // so many contexts are needed that choosing them costs more than making them
        if self.heuristic == Heuristic::Reason && self.search.rounds() > MOST_ROUNDS {
            self.heuristic = Heuristic::All;
        }
        let advice = match self.heuristic {
            Heuristic::Reason => found.reason(&mut self.search, budget)?,
            Heuristic::All => Advice::Expand(found.contextualizable(budget)?),
            Heuristic::Random => {
                found.touch_all();
                let boxes = found.contextualizable(budget)?;
                let chosen = (!boxes.is_empty()).then(|| boxes[self.rng.below(boxes.len())]);
                Advice::Expand(chosen.into_iter().collect())
            }
        };
        match advice {
            Advice::Expand(boxes) if !boxes.is_empty() => {
                let mut adopted = false;
                if self.is_lazy {
                    let callee = |&(instance, site): &(u32, BoxId)| found.graph.callee(instance, site);
                    let mut callees: Vec<u32> = boxes.iter().map(callee).collect();
                    callees.sort_unstable();
                    callees.dedup();
                    for callee in callees {
                        adopted |= found.adopt(callee, budget)?;
                    }
                }
                // one context may be all it takes; a complete heuristic makes them all
                let few = if self.heuristic == Heuristic::Reason { 1 } else { boxes.len().min(most) };
                let few = if adopted { 0 } else { few };
                for &(instance, site) in &boxes[..few] {
                    found.contextualize(instance, site, all, budget)?;
                }
                found.boxes.extend(&boxes[few..]);
            }
            // nothing to be seen from the initial nodes: let the complete heuristic look
            Advice::Expand(_) if self.heuristic == Heuristic::Reason => {
                self.heuristic = Heuristic::All;
                return Ok(());
            }
            // Lemma 6 is about what follows from nothing else: look everywhere first
            _ if found.refine_all(budget)? => return Ok(()),
            Advice::Expand(_) => found.resolve_determined(budget)?,
            Advice::Resolve(pairs) => {
                // all of one formula
                if let Some(&(node, _)) = pairs.first() {
                    let mut cells: Vec<u32> = pairs.iter().map(|&(_, cell)| cell).collect();
                    cells.sort_unstable();
                    found.resolve(node, &cells, true, budget)?;
                }
            }
        }
        debug_assert!(!found.dirty.is_empty(), "every round learns something");
        found.settle(budget)?;
        found.refine_dirty(budget)
    }

    /// How many instances there are.
    pub(crate) fn instances(&self) -> usize {
        self.found.graph.len()
    }
}

impl Interpretation<'_> {
    /// Resolves the innermost formula that is unknown somewhere; its operands are known everywhere
    /// (Algorithm 5, lines 7 to 14).
    fn resolve_determined(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        for node in 0..self.formula.nodes().len() as u32 {
            let resolvable =
                matches!(self.formula.nodes()[node as usize], CoreNode::Eg(_) | CoreNode::Eu(..));
            if resolvable && self.resolve_all(node, true, budget)? {
                break;
            }
        }
        Ok(())
    }
}
