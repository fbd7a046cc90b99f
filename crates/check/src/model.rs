//! Models of every kind, as questions are asked of them.
//!
//! [`Model`] is the sum of all kinds, and [`Checkable`] is what each of them can do: plan a
//! question, and carry out plans. Everything else, such as limits, threads, shares of memory, the
//! order of answers and what to ask again, is decided once, by [`check_all`](crate::check_all).

use crate::plan::Plan;
use crate::run::Run;
use crate::symbolic::SymbolicModel;
use crate::{ModelKind, Options, Question, Refusal, Suggestions};
use loris_circuit::Circuit;
use loris_logic::mu::DeadEnds;
use loris_lts::System;
use loris_rsm::Rsm;
use std::fmt;
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

/// What every kind of model can do.
pub trait Checkable: fmt::Debug + Send + Sync {
    /// Which kind it is of, for the table of engines; none if that has no engine for it.
    fn kind(&self) -> Option<ModelKind>;

    /// The bytes that it holds, about.
    fn bytes(&self) -> usize;

    /// How large it is, in its own terms.
    fn sizes(&self) -> Vec<Size>;

    /// Plans questions.
    fn planner<'a>(&'a self, options: &'a Options, suggestions: &'a Suggestions) -> Planner<'a>;

    /// Prepares plans, which were made for this model and these options, and passes them to `go`.
    fn run(&self, plans: &[Plan], options: &Options, go: &mut dyn FnMut(&dyn Run));
}

/// Decides how a question is answered, or why it is not.
pub type Planner<'a> = Box<dyn Fn(&Question) -> Result<Plan, Refusal> + 'a>;

/// A number that describes how large a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its key in JSON.
    pub key: &'static str,
    /// The number.
    pub count: usize,
    /// The word for one, and for several; none where text leaves it out.
    pub noun: Option<(&'static str, &'static str)>,
}

impl Size {
    pub(crate) fn new(key: &'static str, count: usize, one: &'static str, many: &'static str) -> Self {
        Self { key, count, noun: Some((one, many)) }
    }

    pub(crate) fn unspoken(key: &'static str, count: usize) -> Self {
        Self { key, count, noun: None }
    }
}

/// A machine of nodes and calls.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The machine.
    pub rsm: Rsm,
    /// How it was made of a program, as a JSON object, if it was.
    pub program: Option<Arc<str>>,
}

/// Processes that run in parallel.
#[derive(Clone, Debug)]
pub struct Processes {
    /// The processes.
    pub system: Arc<System>,
    /// What CTL means at dead ends.
    pub dead_ends: DeadEnds,
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
