//! The engines for formulas of states, to be tried one after the other.

use loris_base::{Budget, Exhausted};
use loris_evidence::AtExit;
use loris_recursive::{EngineSettings, FairLabels, MachineOutcome, Policy, Prepared, Property};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    ThreeValued(Policy),
    Summary,
    Fixpoint,
}

pub const EAGER: Engine = Engine::ThreeValued(Policy::Eager);
pub const TERNARY: Engine = Engine::ThreeValued(Policy::Ternary);
pub const RANDOM: Engine = Engine::ThreeValued(Policy::Random);
pub const LAZY: Engine = Engine::ThreeValued(Policy::Lazy);
pub const ENGINES: [Engine; 6] = [Engine::Fixpoint, Engine::Summary, LAZY, RANDOM, TERNARY, EAGER];

impl Engine {
    /// Whether it decides the property of this machine.
    pub fn takes(self, prepared: &Prepared<'_>, property: &Property<'_>) -> bool {
        let is_ctl = property.formula.paths().is_empty();
        match self {
            Engine::ThreeValued(_) => is_ctl,
            Engine::Summary => true,
            Engine::Fixpoint => is_ctl && prepared.is_finite(),
        }
    }

    pub fn check(
        self,
        prepared: &Prepared<'_>,
        property: &Property<'_>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<MachineOutcome, Exhausted> {
        if self == Engine::Summary {
            return prepared.summary(property, settings, budget);
        }
        let formula = property.formula.clone().into_ctl().expect("the engine takes the formula");
        let property = Property { formula: &formula, atoms: property.atoms.clone() };
        match self {
            Engine::ThreeValued(policy) => prepared.three_valued(policy, &property, settings, budget),
            Engine::Summary | Engine::Fixpoint => {
                let fair = FairLabels::default();
                Ok(prepared.fixpoint(&[property], &fair, settings.at_exit, budget)?[0])
            }
        }
    }

    pub fn holds(self, prepared: &Prepared<'_>, property: &Property<'_>, at_exit: AtExit) -> bool {
        let settings = EngineSettings { at_exit, seed: 7 };
        self.check(prepared, property, &settings, &mut Budget::unlimited()).expect("no limit").holds
    }
}
