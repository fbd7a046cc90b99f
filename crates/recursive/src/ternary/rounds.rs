//! `LAZYCHECK` (Algorithm 5): refine, and contextualize the boxes that a policy picks, until the
//! initial nodes are decided.

use super::interpretation::Interpretation;
use super::news::News;
use super::policies::Chooser;
use super::step::Step;
use crate::instances::CellId;
use crate::prepared::Prepared;
use crate::property::{CtlProperty, EngineSettings, MachineOutcome};
use loris_base::{Budget, Exhausted, Truth};
use loris_logic::CoreNode;

/// After this many rounds of looking for reasons, all contextualizable boxes are taken. With no
/// patience for growth, it is one round.
const MOST_ROUNDS: usize = 64;

/// A check that goes round by round, and can be left and taken up again between them.
pub(crate) struct Rounds<'a> {
    found: Interpretation<'a>,
    chooser: Chooser,
}

impl<'a> Rounds<'a> {
    /// The policy `ternary`.
    pub(crate) fn ternary(
        prepared: &'a Prepared<'_>,
        property: &CtlProperty<'a>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        Self::new(prepared, property, Chooser::All, settings, budget)
    }

    /// The policy `random`.
    pub(crate) fn random(
        prepared: &'a Prepared<'_>,
        property: &CtlProperty<'a>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        Self::new(prepared, property, Chooser::random(settings.seed), settings, budget)
    }

    /// The policy `lazy`.
    pub(crate) fn lazy(
        prepared: &'a Prepared<'_>,
        property: &CtlProperty<'a>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let most_rounds = if prepared.growth() == 0 { 0 } else { MOST_ROUNDS };
        Self::new(prepared, property, Chooser::lazy(most_rounds), settings, budget)
    }

    /// Refines once, with the initial context only: enough for many a property.
    fn new(
        prepared: &'a Prepared<'_>,
        property: &CtlProperty<'a>,
        chooser: Chooser,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut found = Interpretation::new(prepared, property, settings, budget)?;
        found.refine_all(budget)?;
        Ok(Self { found, chooser })
    }

    /// Goes on until the verdict is known.
    pub(crate) fn finish(mut self, budget: &mut Budget) -> Result<MachineOutcome, Exhausted> {
        loop {
            if let Some(outcome) = self.outcome() {
                return Ok(outcome);
            }
            self.round(usize::MAX, budget)?;
        }
    }

    /// The result, if the verdict is known.
    pub(crate) fn outcome(&self) -> Option<MachineOutcome> {
        (self.found.verdict() != Truth::Unknown).then(|| self.found.outcome())
    }

    /// Makes contexts, `most` at most, or resolves; and refines. The verdict must not be known.
    pub(crate) fn round(&mut self, most: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let found = &mut self.found;
        let step = self.chooser.step(found, budget)?;
        let all = found.existentials.len();
        match step {
            Step::Learned => {}
            Step::Expand(news) => {
                let mut boxes = news.chunk_by(News::same_box);
                for news in boxes.by_ref().take(most) {
                    found.contextualize(news, all, budget)?;
                }
                found.news.extend(boxes.flatten());
            }
            Step::Nothing if self.chooser.looks_further() => return Ok(()),
            // Lemma 6 holds only of values that nothing else determines: look everywhere first
            _ if found.refine_around(budget)? => return Ok(()),
            Step::Nothing => found.resolve_determined(budget)?,
            Step::Resolve(pairs) => {
                // all of one formula
                if let Some(&(node, _)) = pairs.first() {
                    let mut cells: Vec<CellId> = pairs.iter().map(|&(_, cell)| cell).collect();
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
        for node in self.formula.ids() {
            let resolvable = matches!(self.formula.node(node), CoreNode::Eg(_) | CoreNode::Eu(..));
            if resolvable && self.resolve_all(node, true, budget)? {
                break;
            }
        }
        Ok(())
    }
}
