//! The common interface of all engines.

use crate::linear::{self, Acceptance, Accepted, ReachAnswer, Reachability, Runs, unwound};
use crate::prepared::Prepared;
use crate::property::{CtlProperty, Decider, EngineSettings, Explanation, MachineOutcome, Policy, Property};
use crate::recorder::Unrecorded;
use crate::summary::{self, Growth, Mode, Stopped};
use crate::ternary::Rounds;
use crate::{in_turns, recurrent, ternary, witness};
use loris_base::{Budget, Exhausted};
use loris_evidence::AtExit;
use loris_rsm::LabelId;

impl Prepared<'_> {
    /// Searches for nodes that runs get to.
    pub fn reach(&self, search: &Reachability<'_>, budget: &mut Budget) -> Result<ReachAnswer, Exhausted> {
        linear::reach(self.rsm(), search, budget)
    }

    /// Looks for a run that an automaton accepts.
    pub fn accepted(&self, question: &Acceptance<'_>, budget: &mut Budget) -> Result<Accepted, Exhausted> {
        let rsm = self.rsm();
        let mut found = if question.recurrences.is_empty() {
            linear::accepted(rsm, question, budget)?
        } else {
            recurrent::accepted(rsm, question, budget)?
        };
        found.run = found.run.map(|(states, repeats)| unwound(states, repeats, |node| rsm.is_exit(node)));
        Ok(found)
    }

    /// Whether there is an infinite run at all: without one, linear-time properties hold vacuously
    /// (rsm-analysis, erratum R16).
    pub fn has_infinite_run(
        &self,
        runs: Runs,
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        linear::has_infinite_run(self.rsm(), runs, at_exit, budget)
    }

    /// Checks a property of CTL with the three-valued engine.
    pub fn three_valued(
        &self,
        policy: Policy,
        property: &CtlProperty<'_>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<MachineOutcome, Exhausted> {
        match policy {
            Policy::Eager => ternary::eager(self, property, settings, budget),
            Policy::Ternary => Rounds::ternary(self, property, settings, budget)?.finish(budget),
            Policy::Random => Rounds::random(self, property, settings, budget)?.finish(budget),
            Policy::Lazy => Rounds::lazy(self, property, settings, budget)?.finish(budget),
        }
    }

    /// Checks a property with the summary engine.
    pub fn summary(
        &self,
        property: &Property<'_>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<MachineOutcome, Exhausted> {
        let alone = Growth::Look(None);
        in_turns::summary(self, property, settings, alone, budget).map(|(_, outcome)| outcome)
    }

    /// Checks one property with `summary`, and where that makes many contexts with `lazy` in turns;
    /// returns which of them decided. With many existential subformulas, `lazy` has the first look.
    pub fn decide(
        &self,
        property: &Property<'_>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<(Decider, MachineOutcome), Exhausted> {
        in_turns::decide(self, property, settings, budget)
    }

    /// Checks up to 64 properties of one shape, a bit each, with the summary engine. Contexts of
    /// all properties are computed together; if there are too many, the properties that are not
    /// decided by then are checked one by one: with `summary` alone, or as [`decide`](Self::decide)
    /// does.
    pub fn check_batch(
        &self,
        properties: &[Property<'_>],
        is_summary: bool,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<Vec<(Decider, MachineOutcome)>, Exhausted> {
        let Some(first) = properties.first() else { return Ok(Vec::new()) };
        let labels: Vec<&[Option<LabelId>]> = properties.iter().map(|property| &property.atoms[..]).collect();
        let most_cells =
            if properties.len() == 1 { usize::MAX } else { BATCH_CELLS * self.rsm().vertex_count() };
        let growth = Growth::Look(None);
        let mode = Mode { at_exit: settings.at_exit, most_cells, each_initial: false, growth };
        // the remaining properties start afresh: the memory of their batch is given back
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
                let outcome = MachineOutcome {
                    holds: is(found.holds()),
                    contexts: found.contexts,
                    checks: found.checks,
                    components: self.rsm().component_count(),
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
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<Explanation, Exhausted> {
        match witness::explain(self, property, holds, settings, budget) {
            Ok(Some(evidence)) => Ok(Explanation::Evidence(evidence)),
            Ok(None) => Ok(Explanation::Absence),
            Err(Unrecorded::TooLong) => Ok(Explanation::TooLong),
            Err(Unrecorded::Exhausted(exhausted)) => Err(exhausted),
        }
    }
}

/// How many times its own size a machine may grow by the contexts of a batch before its properties
/// are checked one by one: little against as many properties.
const BATCH_CELLS: usize = 8;
