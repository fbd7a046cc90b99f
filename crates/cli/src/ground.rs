//! What is asked, and of which machine.

use loris_base::Exhausted;
use loris_check::{EngineName, Options, Plan, Planner, Question, Refusal, engine_without_machine};
use loris_rsm::Rsm;

/// All questions of a call, by the machines they are asked of.
pub(crate) struct Grounds {
    /// the model, wherever its runs start
    pub(crate) rsm: Rsm,
    pub(crate) list: Vec<Ground>,
    /// why these are not the machines, if they could not be made
    pub(crate) stopped: Option<Exhausted>,
}

/// Questions that are asked of one machine.
pub(crate) struct Ground {
    pub(crate) rsm: Rsm,
    /// the module of an SMV file where runs start
    pub(crate) module: Option<String>,
    pub(crate) questions: Vec<Question>,
    /// for each question, how it is answered
    pub(crate) ways: Vec<Way>,
    /// for each question, which it is
    pub(crate) places: Vec<Place>,
}

/// How a question is answered.
pub(crate) enum Way {
    Plan(Box<Plan>),
    /// There is no machine; the engine that would be asked, if there is one.
    NoMachine(Option<EngineName>),
}

/// Who decides how questions are answered.
#[derive(Clone, Copy)]
pub(crate) enum Planning<'a> {
    Machine(&'a Planner<'a>),
    /// There is no machine, of which it is known whether it has calls.
    NoMachine {
        is_finite: bool,
        options: &'a Options,
    },
}

impl Planning<'_> {
    pub(crate) fn way(self, question: &Question) -> Result<Way, Refusal> {
        match self {
            Planning::Machine(planner) => planner.plan(question).map(Box::new).map(Way::Plan),
            Planning::NoMachine { is_finite, options } => {
                engine_without_machine(is_finite, question, options).map(Way::NoMachine)
            }
        }
    }
}

/// Which question one is.
pub(crate) struct Place {
    /// its number among all of the call
    pub(crate) number: usize,
    /// the instance of the module that it was written in
    pub(crate) instance: String,
}

impl Ground {
    /// Nothing is asked yet.
    pub(crate) fn new(rsm: Rsm, module: Option<String>) -> Self {
        Self { rsm, module, questions: Vec::new(), ways: Vec::new(), places: Vec::new() }
    }
}
