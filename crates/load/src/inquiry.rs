//! All that is asked in one call: machines, questions about them, and how these are answered.

use crate::Request;
use crate::asked::{Asked, Position, What};
use crate::components::ParallelModel;
use crate::reading::Reading;
use crate::smv::{SmvMachine, SmvStates};
use loris_base::{Diagnostic, Diagnostics, Exhausted};
use loris_check::{
    Answer, ComponentPlan, EngineName, Heading, NoThreads, Options, Panicked, Plan, Planner, Prepared,
    Question, Refusal, Shard, Suggestions, SymbolicModel, SymbolicPlan, UnknownAtoms, check_all,
    check_components, check_symbolic, engine_without_machine, unanswered,
};
use loris_circuit::{Circuit, Valuation};
use loris_evidence::{Reason, StateNames};
use loris_logic::Fairness;
use loris_lts::System;
use loris_rsm::Rsm;
use std::sync::Arc;
use std::time::Duration;

/// All questions of a call, by the machines they are asked of.
#[derive(Debug)]
pub struct Inquiry {
    /// The model, wherever its runs start, unless a limit was reached before it was made.
    pub rsm: Option<Rsm>,
    /// How it was made of a program, as a JSON object, if it was. Of several machines, this is the
    /// first, and each case states how its own was made.
    pub program: Option<String>,
    /// The circuit, if the model is one.
    pub circuit: Option<Arc<Circuit>>,
    /// The processes, if the model is made of parallel ones.
    pub parallel: Option<ParallelModel>,
    /// One machine for each place where runs start.
    pub cases: Vec<Case>,
    /// The limit that was reached before there were machines.
    pub stopped: Option<Exhausted>,
}

/// A machine, and the questions that are asked of it.
#[derive(Debug)]
pub struct Case {
    /// The machine, unless a limit was reached before it was made.
    pub rsm: Option<Rsm>,
    /// How it was made of a program, as a JSON object, if it was.
    pub program: Option<String>,
    /// The module of an SMV file where runs start.
    pub module: Option<String>,
    /// The questions, without their meaning, which the plans have.
    pub questions: Vec<Heading>,
    /// For each question, which it is.
    pub places: Vec<Place>,
    /// For each question, how it is answered.
    pub plans: Plans,
}

impl Inquiry {
    /// The bytes that its machines take.
    pub fn machine_bytes(&self) -> usize {
        let of = |rsm: &Option<Rsm>| rsm.as_ref().map_or(0, Rsm::bytes);
        // only those of a program differ from case to case
        let cases: usize =
            self.cases.iter().filter(|case| case.program.is_some()).map(|case| of(&case.rsm)).sum();
        cases.max(of(&self.rsm))
    }
}

impl Case {
    /// Answers all questions, and reports each answer as soon as it is there. If no machine was
    /// made, `stopped` is the limit that was reached and `read` the time until then.
    ///
    /// # Errors
    /// The system has no threads to give.
    pub fn answers(
        &self,
        options: &Options,
        (stopped, read): (Option<Exhausted>, Duration),
        on_answer: impl Fn(usize, &Answer) + Sync,
    ) -> Result<Vec<Result<Answer, Panicked>>, NoThreads> {
        match (&self.plans, &self.rsm, stopped) {
            (Plans::Machine(plans), Some(rsm), _) => {
                check_all(&Prepared::new(rsm), plans, options, on_answer)
            }
            (Plans::Symbolic(symbolic, plans), ..) => {
                check_symbolic(symbolic.model(), plans, options, on_answer)
            }
            (Plans::Components(system, plans), ..) => check_components(system, plans, options, on_answer),
            (Plans::NoMachine(engines), _, Some(why)) => Ok(unanswered(engines, (why, read), on_answer)),
            _ => Ok(Vec::new()),
        }
    }
}

/// How questions are answered.
#[derive(Clone, Debug)]
pub enum Plans {
    /// By these plans.
    Machine(Vec<Plan>),
    /// By these plans, without listing states.
    Symbolic(Symbolic, Vec<SymbolicPlan>),
    /// By these plans, about parallel processes.
    Components(Arc<System>, Vec<ComponentPlan>),
    /// Not at all, as there is no machine; the engine that each would go to, or why it goes to
    /// none.
    NoMachine(Vec<Result<EngineName, Reason>>),
}

/// A model whose states are not listed.
#[derive(Clone, Debug)]
pub enum Symbolic {
    /// A circuit.
    Circuit(Arc<Circuit>),
    /// A module of an SMV file.
    Smv(Arc<SmvStates>),
}

impl Symbolic {
    /// As engines see it.
    pub fn model(&self) -> &dyn SymbolicModel {
        match self {
            Symbolic::Circuit(circuit) => &**circuit,
            Symbolic::Smv(states) => &**states,
        }
    }

    /// The names and values of its states.
    pub fn names(&self) -> &(dyn StateNames<Valuation> + Sync) {
        match self {
            Symbolic::Circuit(circuit) => &**circuit,
            Symbolic::Smv(states) => &**states,
        }
    }
}

/// Which question one is.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its number among all of the call.
    pub number: usize,
    /// The instance of the module that it was written in.
    pub instance: String,
    /// The verdict that its file expects, if it states one: whether it holds.
    pub expected: Option<bool>,
    /// Byte offsets of its start and its end in the input it was written in.
    pub span: (u64, u64),
}

/// The machine that questions are asked of.
pub(crate) struct Subject<'a> {
    pub(crate) rsm: Option<&'a Rsm>,
    /// of an SMV file, with labels for the properties that are asked
    pub(crate) machine: Option<&'a SmvMachine>,
    /// if there is no machine: whether it would have no calls
    pub(crate) is_finite: bool,
}

impl Subject<'_> {
    /// The questions that are not refused, which they are, and how they are answered.
    pub(crate) fn planned(
        &self,
        asked: Vec<Asked>,
        request: &Request<'_>,
        fairness: impl Fn(&Asked) -> Fairness,
        reading: &mut Reading,
    ) -> (Vec<Heading>, Vec<Place>, Plans) {
        let suggestions = Suggestions::or(reading.words.unknown_atoms);
        let prepared = self.rsm.map(Prepared::new);
        let planner = prepared.as_ref().map(|prepared| Planner::new(prepared, request.options, &suggestions));
        if let Some(planner) = &planner {
            let planned = self.each(asked, request, fairness, |question| planner.plan(question), reading);
            return (planned.questions, planned.places, Plans::Machine(planned.plans));
        }
        let engine = |question: &Question| engine_without_machine(self.is_finite, question, request.options);
        let planned = self.each(asked, request, fairness, engine, reading);
        (planned.questions, planned.places, Plans::NoMachine(planned.plans))
    }

    fn each<P>(
        &self,
        asked: Vec<Asked>,
        request: &Request<'_>,
        fairness: impl Fn(&Asked) -> Fairness,
        plan: impl Fn(&Question) -> Result<P, Refusal>,
        reading: &mut Reading,
    ) -> Planned<'_, P> {
        let mut planned = Planned::new(request, self.rsm);
        for one in asked {
            let (fairness, expected) = (fairness(&one), one.expected);
            let (question, at) = one.question(self.machine, fairness);
            let plan = plan(&question);
            planned.add((question, at, expected), plan, reading);
        }
        planned
    }
}

/// Questions that are not refused, which they are, and how they are answered.
pub(crate) struct Planned<'a, P> {
    shard: Option<Shard>,
    rsm: Option<&'a Rsm>,
    pub(crate) questions: Vec<Heading>,
    pub(crate) places: Vec<Place>,
    pub(crate) plans: Vec<P>,
}

impl<'a, P> Planned<'a, P> {
    /// None yet; refusals may name labels of the machine, if there is one.
    pub(crate) fn new(request: &Request<'_>, rsm: Option<&'a Rsm>) -> Self {
        Self { shard: request.shard, rsm, questions: Vec::new(), places: Vec::new(), plans: Vec::new() }
    }

    /// Adds a question with its plan, if it belongs to the shard. A refusal is added to the reading.
    pub(crate) fn add(
        &mut self,
        (question, at, expected): (Question, Position, Option<bool>),
        plan: Result<P, Refusal>,
        reading: &mut Reading,
    ) {
        match plan {
            Ok(plan) if self.shard.is_none_or(|shard| shard.takes(at.place)) => {
                self.plans.push(plan);
                self.questions.push(question.into());
                let Position { place: number, instance, span, .. } = at;
                self.places.push(Place { number, instance, expected, span });
            }
            // it is right, and not asked
            Ok(_) => {}
            Err(refused) => {
                let found = at.refused(&refused, self.rsm, reading.words.refusal);
                reading.turn_to(Some(at.place));
                reading.add(at.input, found);
                reading.turn_to(None);
            }
        }
    }
}

impl Position {
    /// Problems of this text, at the places where it was written.
    pub(crate) fn refused(
        &self,
        refused: &Refusal,
        rsm: Option<&Rsm>,
        words: fn(&Refusal) -> String,
    ) -> Diagnostics {
        match (refused, &self.propositions, rsm) {
            (Refusal::Wrong(found), Some(propositions), Some(rsm)) => {
                // one problem for each proposition that is no label, in their order
                let missing = propositions.iter().filter(|(name, _)| rsm.label(name).is_none());
                let mut located = Diagnostics::default();
                for (problem, (name, offset)) in found.sorted().into_iter().zip(missing) {
                    let (offset, length) = (*offset, name.len() as u32 + 2);
                    located.push(Diagnostic { offset, length, ..problem.clone() });
                }
                located
            }
            (Refusal::Wrong(found), ..) => self.placed(found),
            (other, Some(_), _) => Diagnostic::global(words(other)).into(),
            (other, ..) => self.placed(&Diagnostic::global(words(other)).into()),
        }
    }
}

impl Asked {
    /// As a question about fair runs; of an SMV file, about the labels of its machine, if that was
    /// made. Its formula moves into the question: two copies of many formulas take much memory.
    pub(crate) fn question(self, machine: Option<&SmvMachine>, fairness: Fairness) -> (Question, Position) {
        let text = self.text;
        let mut question = match self.what {
            What::Formula(logic, meaning) => Question::fair(logic, text, meaning.formula(machine), fairness),
            What::Distance(longest, [from, to]) => {
                let sides = (from.formula(machine), to.formula(machine));
                Question::distance(text, longest, sides, fairness)
            }
            What::Mu(logic, formula) => Question::mu(logic, text, formula),
            What::Unsupported(logic, what) => Question::unsupported(logic, text, what),
            What::Automaton { mut hoa, wanted } => {
                if let Some(machine) = machine {
                    hoa.propositions = wanted.iter().map(|&wanted| machine.label(wanted)).collect();
                }
                Question::automaton(text, *hoa, fairness)
            }
        };
        question.is_carried |= self.is_carried;
        // names in an SMV file are known or wrong when they are read
        let is_smv = self.structure.is_some();
        question.unknown_atoms = if is_smv { UnknownAtoms::False } else { self.unknown_atoms };
        question.name = self.name;
        question.source = self.source;
        (question, self.at)
    }
}
