//! The engines of this crate, to be tried one after the other.

use loris_base::{Budget, Exhausted};
use loris_baselines::{Rks, cont, rks};
use loris_evidence::AtExit;
use loris_recursive::{EngineSettings, MachineOutcome, Property};
use loris_rsm::Rsm;

/// An engine of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Baseline {
    Cont,
    Rks(Rks),
}

pub(crate) const BASELINES: [Baseline; 4] =
    [Baseline::Cont, Baseline::Rks(Rks::Eager), Baseline::Rks(Rks::Incremental), Baseline::Rks(Rks::Summary)];

impl Baseline {
    /// Whether it decides the property of this machine.
    pub(crate) fn takes(self, rsm: &Rsm, property: &Property<'_>) -> bool {
        match self {
            Baseline::Cont => cont::unfit(rsm).is_none(),
            Baseline::Rks(_) => property.formula.paths().is_empty() && rks::unfit(rsm).is_none(),
        }
    }

    pub(crate) fn check(
        self,
        rsm: &Rsm,
        property: &Property<'_>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<MachineOutcome, Exhausted> {
        match self {
            Baseline::Cont => cont::check(rsm, property, settings, budget),
            Baseline::Rks(engine) => {
                let formula = property.formula.clone().into_ctl().expect("the engine takes the formula");
                let property = Property { formula: &formula, atoms: property.atoms.clone() };
                rks::check(engine, rsm, &property, settings, budget)
            }
        }
    }

    pub(crate) fn holds(self, rsm: &Rsm, property: &Property<'_>, at_exit: AtExit) -> bool {
        let settings = EngineSettings { at_exit, seed: 7 };
        self.check(rsm, property, &settings, &mut Budget::unlimited()).expect("no limit").holds
    }
}
