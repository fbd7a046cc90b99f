//! Questions about models that are Boolean transition systems: planned, and answered by the
//! symbolic engines, which do not list states.
//!
//! | module | what |
//! |---|---|
//! | `plan` | which engine decides a question, or why none does |
//! | `group` | properties by the part of the model that they depend on |
//! | `run` | carries out plans: properties about one part of the model share engines |
//! | `reach` | runs to some state, and runs that end |
//! | `explain` | evidence of an answer, in terms of the whole model |
//! | `circuit` | circuits |
//! | `goal` | conditions on states of a circuit, and runs to them |

mod circuit;
mod explain;
mod goal;
mod group;
mod plan;
mod reach;
mod run;

pub use circuit::plan_circuit;
pub use goal::CircuitGoal;
pub use plan::{SymbolicPlan, plan_symbolic};
pub use reach::{run_to, run_to_dead_end};
pub use run::check_symbolic;

use loris_circuit::{Lit, System, Trace, Valuation};

/// A model as a Boolean transition system.
pub trait SymbolicModel: Sync {
    /// The system that observes these functions.
    fn system(&self, observed: &[Lit]) -> System;

    /// Whether only some of its runs are fair.
    fn is_fair(&self) -> bool;

    /// Whether it is known that no run ends.
    fn is_total(&self) -> bool;

    /// A name for each state variable of a system that observes functions.
    fn variables(&self, system: &System) -> Vec<String>;

    /// How many state variables it has, whatever functions are observed. They come first in its
    /// systems.
    fn state_variables(&self) -> usize;

    /// For each of these, whether it matters to every property, as states and steps depend on it.
    fn always_matters(&self) -> Vec<bool> {
        vec![false; self.state_variables()]
    }

    /// The states of a run of such a system, of which those state variables matter.
    fn states(&self, system: &System, trace: &Trace, matters: Vec<bool>) -> Vec<Valuation>;

    /// That a run ends, as an answer says it.
    fn dead_end(&self, trace: &Trace) -> String;
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{check_symbolic, plan_circuit};
    use crate::{Logic, Options, Question, Suggestions};
    use loris_base::Budget;
    use loris_circuit::read_aiger;
    use loris_evidence::Verdict;
    use loris_logic::parse;

    fn check(circuit: &str, text: &str, expected: &Verdict) {
        let (circuit, _) = read_aiger(circuit.as_bytes(), &mut Budget::unlimited()).unwrap();
        let (options, suggestions) = (Options::default(), Suggestions::default());
        let question = Question::new(Logic::Ctl, text, parse(text).unwrap());
        let plan = plan_circuit(&circuit, &question, &options, &suggestions).unwrap();
        let answers = check_symbolic(&circuit, &[plan], &options, |_, _| ()).unwrap();
        assert_eq!(&answers[0].as_ref().unwrap().verdict, expected, "{text}");
    }

    #[test]
    fn without_a_fair_run_nothing_is_said_of_fair_runs() {
        // a latch that stays 0, and a fairness constraint that it is 1 infinitely often
        let never_fair = "aag 1 0 1 0 0 0 0 0 1\n2 2\n2\nl0 x\n";
        check(never_fair, "A G false", &Verdict::Holds);
        check(never_fair, "E G true", &Verdict::Fails);
        check(never_fair, "E X true", &Verdict::Fails);
        check(never_fair, "E F !x", &Verdict::Fails);
        check(never_fair, "!x", &Verdict::Holds);
        // one that toggles
        let fair = "aag 1 0 1 0 0 0 0 0 1\n2 3\n2\nl0 x\n";
        check(fair, "A G false", &Verdict::Fails);
        check(fair, "E G true", &Verdict::Holds);
        check(fair, "A G A F x", &Verdict::Holds);
    }

    #[test]
    fn fairness_restricts_runs() {
        // a latch that takes the value of its input
        let free = "aag 2 1 1 0 0\n2\n4 2\nl0 x\n";
        check(free, "A F x", &Verdict::Fails);
        let fair = "aag 2 1 1 0 0 0 0 0 1\n2\n4 2\n4\nl0 x\n";
        check(fair, "A F x", &Verdict::Holds);
        check(fair, "E G !x", &Verdict::Fails);
    }
}
