//! Models of every kind, as questions are asked of them.
//!
//! [`Model`] is the sum of all kinds, and [`Checkable`] is what each of them can do. Everything
//! else, such as limits, threads, shares of memory, the order of answers and what to ask again, is
//! decided once, by [`check_all`](crate::check_all).

use crate::checkable::{Checkable, Planner};
use crate::machine::Machine;
use crate::plan::Plan;
use crate::processes::Processes;
use crate::symbolic::SymbolicModel;
use crate::{Options, Question, Refusal, Suggestions};
use loris_circuit::Circuit;
use loris_rsm::Rsm;
use std::sync::Arc;

/// A model that questions are asked of. Copies share what is large.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Model {
    /// A machine of nodes and calls.
    Machine(Machine),
    /// A Boolean transition system: a circuit, or a module by its equations.
    Symbolic(Arc<dyn SymbolicModel>),
    /// Processes that run in parallel.
    Processes(Processes),
    /// A model of a kind that is defined outside of this crate.
    Other(Arc<dyn Checkable>),
}

impl Model {
    /// A machine that was not made of a program.
    pub fn machine(rsm: Rsm) -> Self {
        Model::Machine(Machine { rsm, program: None })
    }

    /// What it can do.
    pub fn checkable(&self) -> &dyn Checkable {
        match self {
            Model::Machine(machine) => machine,
            Model::Symbolic(model) => model,
            Model::Processes(processes) => processes,
            Model::Other(model) => &**model,
        }
    }

    /// Plans questions about it; names that are not known are explained by suggestions.
    ///
    /// ```
    /// use loris_check::{Logic, Model, Options, Question, Suggestions};
    /// # use loris_rsm::{Draft, RsmBuilder, Reference, Semantics};
    /// # let mut builder = RsmBuilder::default();
    /// # let mut main = Draft::new(builder.symbol("main"), 0);
    /// # let (start, end) = (builder.symbol("start"), builder.symbol("end"));
    /// # main.node(start, 0).entry = true;
    /// # main.node(end, 0).exit = true;
    /// # main.edge(Reference::node(start, 0), Reference::node(end, 0));
    /// # builder.component(main);
    /// # let (rsm, _) = builder.finish(&Semantics::default()).unwrap();
    /// let (model, options, suggestions) = (Model::machine(rsm), Options::default(), Suggestions::default());
    /// let plan = model.planner(&options, &suggestions);
    /// let question = Question::new(Logic::Ltl, "F true", loris_logic::parse("F true").unwrap());
    /// assert_eq!(plan(&question).unwrap().engine(), "buchi");
    /// ```
    pub fn planner<'a>(&'a self, options: &'a Options, suggestions: &'a Suggestions) -> Planner<'a> {
        self.checkable().planner(options, suggestions)
    }

    /// Plans all questions, or returns why one of them is refused.
    ///
    /// # Errors
    /// The first refusal.
    pub fn plan_all(&self, questions: &[Question], options: &Options) -> Result<Vec<Plan>, Refusal> {
        let suggestions = Suggestions::default();
        questions.iter().map(self.planner(options, &suggestions)).collect()
    }

    /// The bytes that it holds, about.
    pub fn bytes(&self) -> usize {
        self.checkable().bytes()
    }

    /// The machine, if it is one.
    pub fn rsm(&self) -> Option<&Rsm> {
        match self {
            Model::Machine(machine) => Some(&machine.rsm),
            _ => None,
        }
    }

    /// How it was made of a program, as a JSON object, if it was.
    pub fn program(&self) -> Option<&str> {
        match self {
            Model::Machine(machine) => machine.program.as_deref(),
            _ => None,
        }
    }

    /// The circuit, if it is one.
    pub fn circuit(&self) -> Option<&Circuit> {
        match self {
            Model::Symbolic(model) => model.circuit(),
            _ => None,
        }
    }

    /// The processes, if it is made of such.
    pub fn processes(&self) -> Option<&Processes> {
        match self {
            Model::Processes(processes) => Some(processes),
            _ => None,
        }
    }
}

impl From<Rsm> for Model {
    fn from(rsm: Rsm) -> Self {
        Model::machine(rsm)
    }
}
