//! The one face of all engines.

use crate::instances::Instances;
use crate::linear::{Acceptance, Accepted, Reachability, Reached, Runs};
use crate::shared::Shared;
use crate::summary::{self, Condensed, Growth, Mode, Stopped, Summaries};
use crate::{in_turns, linear, ternary, witness};
use loris_base::{Budget, Exhausted};
use loris_evidence::{AtExit, Evidence};
use loris_logic::Core;
use loris_rsm::{LabelId, Rsm};
use std::convert::Infallible;

/// Which boxes the three-valued engine gives contexts to, and when (lazy-rsm).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// All boxes, for one subformula after the other, in every context that occurs (Algorithm 4).
    Eager,
    /// All boxes that know more than their callee, until the property is decided (Algorithm 5).
    Ternary,
    /// One such box at random (section 7.4.1).
    Random,
    /// One box that is the reason for not knowing (Algorithms 6 and 7).
    Lazy,
}

impl Policy {
    /// All of them.
    pub const ALL: [Policy; 4] = [Policy::Eager, Policy::Ternary, Policy::Random, Policy::Lazy];
}

/// Which engine decided, of two that [take turns](Prepared::decide).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decider {
    /// The summary engine.
    Summary,
    /// The three-valued engine under [`Policy::Lazy`].
    Lazy,
}

/// A property of a given machine: a formula, and the label each of its atoms means.
#[derive(Clone, Debug)]
pub struct Property<'a, P = u32> {
    /// The formula in its normal form.
    pub formula: &'a Core<P>,
    /// For `Atom(k)`, the label it is; an atom that no node carries is false everywhere.
    pub atoms: Vec<Option<LabelId>>,
}

/// A property of CTL.
pub type CtlProperty<'a> = Property<'a, Infallible>;

/// How to check.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// What an exit does when the stack is empty; `Stop` is not for branching time.
    pub at_exit: AtExit,
    /// For engines that choose at random.
    pub seed: u64,
}

/// What an engine found, and what it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the property holds in all initial states.
    pub holds: bool,
    /// How many contexts were made, the initial one included.
    pub contexts: usize,
    /// How many times a component was checked for a subformula.
    pub checks: usize,
    /// How many components were looked at.
    pub components: usize,
}

/// What there is to say about a verdict.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// Paths that show it.
    Evidence(Evidence),
    /// It is that some path does not exist, which no path shows.
    Absence,
    /// The paths are too long to be told; they can be exponentially long.
    TooLong,
}

/// See [`Prepared::with_growth`].
const GROWTH: usize = 4;

/// A machine with what all properties share.
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

    /// Lets contexts make the machine grow to so many times its size before there is a second thought:
    /// whether they are needed, whether to decide less at a time, and whether another engine is faster.
    /// With 0, three-valued engines follow single values from the start, too.
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

    /// Which exits each entry reaches, along anything. To be asked for once for each property, as all
    /// that is [shared](Shared).
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
            let reached = summary::reached(&graph, summaries, budget)?;
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

    /// Searches for nodes that runs get to.
    pub fn reach(&self, search: &Reachability<'_>, budget: &mut Budget) -> Result<Reached, Exhausted> {
        linear::reach(self.rsm, search, budget)
    }

    /// Looks for a run that an automaton accepts.
    pub fn accepted(&self, question: &Acceptance<'_>, budget: &mut Budget) -> Result<Accepted, Exhausted> {
        linear::accepted(self.rsm, question, budget)
    }

    /// Whether there is an infinite run at all: without one, linear-time properties say nothing
    /// (rsm-analysis, erratum R16).
    pub fn has_infinite_run(
        &self,
        runs: Runs,
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        linear::has_infinite_run(self.rsm, runs, at_exit, budget)
    }

    /// Checks a property of CTL with the three-valued engine.
    pub fn three_valued(
        &self,
        policy: Policy,
        property: &CtlProperty<'_>,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Outcome, Exhausted> {
        match policy {
            Policy::Eager => ternary::eager(self, property, settings, budget),
            Policy::Ternary => ternary::expand(self, property, ternary::Heuristic::All, settings, budget),
            Policy::Random => ternary::expand(self, property, ternary::Heuristic::Random, settings, budget),
            Policy::Lazy => ternary::expand(self, property, ternary::Heuristic::Reason, settings, budget),
        }
    }

    /// Checks a property with the summary engine.
    pub fn summary(
        &self,
        property: &Property<'_>,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Outcome, Exhausted> {
        let alone = Growth::Look(None);
        in_turns::summary(self, property, settings, alone, budget).map(|(_, outcome)| outcome)
    }

    /// Checks one property with `summary`, and where that makes many contexts with `lazy` in turns;
    /// returns which of them decided. With many existential subformulas, `lazy` has the first look.
    pub fn decide(
        &self,
        property: &Property<'_>,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<(Decider, Outcome), Exhausted> {
        in_turns::decide(self, property, settings, budget)
    }

    /// Checks up to 64 properties of one shape, a bit each, with the summary engine. Contexts of all
    /// are told apart together; should that make too many, those that are not decided by then are
    /// checked one by one: with `summary` alone, or as [`decide`](Self::decide) does.
    pub fn check_batch(
        &self,
        properties: &[Property<'_>],
        is_summary: bool,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Vec<(Decider, Outcome)>, Exhausted> {
        let Some(first) = properties.first() else { return Ok(Vec::new()) };
        let labels: Vec<&[Option<LabelId>]> = properties.iter().map(|property| &property.atoms[..]).collect();
        let most_cells =
            if properties.len() == 1 { usize::MAX } else { BATCH_CELLS * self.rsm.vertex_count() };
        let growth = Growth::Look(None);
        let mode = Mode { at_exit: settings.at_exit, most_cells, each_initial: false, growth };
        // properties that are left start afresh: what their batch held is given back
        let mut part = budget.part();
        let found = summary::verdicts(self, first.formula, &labels, &mode, &mut part);
        budget.join(&part)?;
        let found = match found {
            Ok(found) => Some(found),
            Err(Stopped::Exhausted(exhausted)) => return Err(exhausted),
            Err(Stopped::TooLarge | Stopped::Decided(_)) => None,
        };
        let mut outcomes = Vec::with_capacity(properties.len());
        for (lane, property) in properties.iter().enumerate() {
            let is = |lanes: u64| lanes >> lane & 1 == 1;
            let decided = found.as_ref().filter(|found| is(found.holds() | found.fails()));
            if let Some(found) = decided {
                let outcome = Outcome {
                    holds: is(found.holds()),
                    contexts: found.contexts,
                    checks: found.checks,
                    components: self.rsm.component_count(),
                };
                outcomes.push((Decider::Summary, outcome));
            } else {
                let mut part = budget.part();
                let alone = if is_summary {
                    self.summary(property, settings, &mut part).map(|outcome| (Decider::Summary, outcome))
                } else {
                    self.decide(property, settings, &mut part)
                };
                budget.join(&part)?;
                outcomes.push(alone?);
            }
        }
        Ok(outcomes)
    }

    /// Evidence for a verdict: a witness if the property holds, a counterexample if it fails.
    pub fn explain(
        &self,
        property: &Property<'_>,
        holds: bool,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Explanation, Exhausted> {
        match witness::explain(self, property, holds, settings, budget) {
            Ok(Some(evidence)) => Ok(Explanation::Evidence(evidence)),
            Ok(None) => Ok(Explanation::Absence),
            Err(witness::Silent::TooLong) => Ok(Explanation::TooLong),
            Err(witness::Silent::Exhausted(exhausted)) => Err(exhausted),
        }
    }
}

/// How many times its own size a machine may grow by the contexts of a batch before its properties are
/// checked one by one: little against as many properties.
const BATCH_CELLS: usize = 8;
