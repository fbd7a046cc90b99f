//! A machine with the data that all properties share.

use crate::instances::Instances;
use crate::shared::Shared;
use crate::summaries::{self, Condensed, Summaries};
use loris_base::{Budget, Exhausted};
use loris_rsm::Rsm;

/// See [`Prepared::with_growth`].
const GROWTH: usize = 4;

/// A machine with the data that all properties share.
pub struct Prepared<'a> {
    rsm: &'a Rsm,
    reachable_exits: Shared<Summaries>,
    reached: Shared<Vec<bool>>,
    condensed: Shared<Condensed>,
    growth: usize,
}

impl<'a> Prepared<'a> {
    /// Takes a machine; shared work is done when first asked for.
    pub fn new(rsm: &'a Rsm) -> Self {
        let (reachable_exits, reached, condensed) = Default::default();
        Self { rsm, reachable_exits, reached, condensed, growth: GROWTH }
    }

    /// Lets contexts make the machine grow to this many times its size before there is a second
    /// thought: whether they are needed, whether to decide less at a time, and whether another
    /// engine is faster. With 0, three-valued engines follow single values from the start, too.
    #[must_use]
    pub fn with_growth(self, growth: usize) -> Self {
        Self { growth, ..self }
    }

    /// How many times its size the machine may grow to without a second thought.
    pub(crate) fn growth(&self) -> usize {
        self.growth
    }

    /// The machine.
    pub fn rsm(&self) -> &'a Rsm {
        self.rsm
    }

    /// Which exits each entry reaches, along anything. To be asked for once for each property, as
    /// all that is [shared](Shared).
    pub(crate) fn reachable_exits(&self, budget: &mut Budget) -> Result<&Summaries, Exhausted> {
        self.reachable_exits.get(budget, |budget| {
            let graph = Instances::plain(self.rsm, |_| true, budget)?;
            let summaries = Summaries::of_true(&graph, budget)?;
            budget.release(graph.bytes());
            Ok(summaries)
        })
    }

    /// Which vertices some run gets to, under any stack, given which exits entries reach.
    pub(crate) fn reached(&self, summaries: &Summaries, budget: &mut Budget) -> Result<&[bool], Exhausted> {
        let reached = self.reached.get(budget, |budget| {
            let graph = Instances::plain(self.rsm, |_| true, budget)?;
            let reached = summaries::reached(&graph, summaries, budget)?;
            budget.release(graph.bytes());
            Ok(reached)
        });
        Ok(reached?)
    }

    /// Whether every component is entered at one node only, and runs start at one, an entry.
    pub(crate) fn has_one_way_in(&self) -> bool {
        let rsm = self.rsm;
        rsm.components().all(|component| rsm.entries(component).len() <= 1)
            && rsm.initial() == rsm.entries(rsm.initial_component())
    }

    /// The machine's graph H, condensed, given which exits entries reach.
    pub(crate) fn condensed(
        &self,
        summaries: &Summaries,
        budget: &mut Budget,
    ) -> Result<&Condensed, Exhausted> {
        self.condensed.get(budget, |budget| {
            let graph = Instances::plain(self.rsm, |_| true, budget)?;
            let condensed = Condensed::new(&graph, summaries, budget)?;
            budget.release(graph.bytes());
            Ok(condensed)
        })
    }
}
