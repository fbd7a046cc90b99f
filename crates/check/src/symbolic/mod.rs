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

pub use goal::CircuitGoal;
pub use reach::{run_to, run_to_dead_end};

pub(crate) use plan::SymbolicPlan;

use crate::checkable::{Checkable, Planner, Size};
use crate::plan::Plan;
use crate::rounds::Run;
use crate::{ModelKind, Options, Suggestions};
use loris_circuit::{Circuit, Lit, SystemRun, TransitionSystem, Valuation};
use loris_evidence::StateNames;
use loris_symbolic::FirstOrder;
use std::fmt;
use std::sync::Arc;

/// A model as a Boolean transition system. Its states have names and values ([`StateNames`]).
pub trait SymbolicModel: StateNames<Valuation> + fmt::Debug + Send + Sync {
    /// The function of states that a name stands for, if it stands for one in every question.
    fn atom(&self, name: &str) -> Option<Lit> {
        let _ = name;
        None
    }

    /// All such names.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// The circuit, if it is one.
    fn circuit(&self) -> Option<&Circuit> {
        None
    }

    /// The bytes that it holds, about.
    fn bytes(&self) -> usize;

    /// How large it is.
    fn sizes(&self) -> Vec<Size> {
        Vec::new()
    }

    /// The system that observes these functions.
    fn system(&self, observed: &[Lit]) -> TransitionSystem;

    /// Whether only some of its runs are fair.
    fn is_fair(&self) -> bool;

    /// Functions that hold in every state of a run, the last one included.
    fn constraints(&self) -> Vec<Lit> {
        Vec::new()
    }

    /// Whether it is known that no run ends.
    fn is_total(&self) -> bool;

    /// An order for the state variables of its systems in decision diagrams, to begin with.
    fn order(&self) -> FirstOrder {
        FirstOrder::Walk
    }

    /// A name for each state variable of a system that observes functions.
    fn variables(&self, system: &TransitionSystem) -> Vec<String>;

    /// How many state variables it has, whatever functions are observed. They come first in its
    /// systems.
    fn state_variables(&self) -> usize;

    /// For each of these, whether it matters to every property, as states and steps depend on it.
    fn always_matters(&self) -> Vec<bool> {
        vec![false; self.state_variables()]
    }

    /// The states of a run of such a system, of which those state variables matter.
    fn states(&self, system: &TransitionSystem, trace: &SystemRun, matters: Vec<bool>) -> Vec<Valuation>;

    /// That a run ends, as an answer says it.
    fn dead_end(&self, trace: &SystemRun) -> String;
}

impl Checkable for Arc<dyn SymbolicModel> {
    fn kind(&self) -> Option<ModelKind> {
        Some(ModelKind::Systems)
    }

    fn bytes(&self) -> usize {
        SymbolicModel::bytes(&**self)
    }

    fn sizes(&self) -> Vec<Size> {
        SymbolicModel::sizes(&**self)
    }

    fn planner<'a>(&'a self, options: &'a Options, suggestions: &'a Suggestions) -> Planner<'a> {
        Box::new(move |question| {
            let plan = plan::plan(&**self, question, options, suggestions)?;
            Ok(Plan::new(self.kind(), plan.engine_name(), plan))
        })
    }

    fn run(&self, plans: &[Plan], options: &Options, go: &mut dyn FnMut(&dyn Run)) {
        run::run(&**self, plans, options, go);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::{Logic, Model, Options, Question, check_all};
    use loris_base::Budget;
    use loris_circuit::read_aiger;
    use loris_evidence::Verdict;
    use loris_logic::parse;
    use std::sync::Arc;

    fn check(circuit: &str, text: &str, expected: &Verdict) {
        let (circuit, _) = read_aiger(circuit.as_bytes(), &mut Budget::unlimited()).unwrap();
        let (options, model) = (Options::default(), Model::Symbolic(Arc::new(circuit)));
        let question = Question::new(Logic::Ctl, text, parse(text).unwrap());
        let plans = model.plan_all(&[question], &options).unwrap();
        let answers = check_all(&model, &plans, &options, |_, _| ()).unwrap();
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
