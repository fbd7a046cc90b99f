//! All that is asked in one call: models, questions about them, and how these are answered.

use crate::Request;
use crate::asked::{Asked, Position, What};
use loris_base::{Diagnostic, Diagnostics, Exhausted};
use loris_check::{
    Answer, Heading, Model, NoThreads, Options, Panicked, Plan, Question, Refusal, Shard, Suggestions,
    UnknownAtoms, check_all, plan_without_machine, unanswered,
};
use loris_load::Reading;
use loris_load::smv::SmvMachine;
use loris_logic::Fairness;
use loris_rsm::Rsm;
use std::time::Duration;

/// All questions of a call, by the models they are asked of.
#[derive(Debug)]
pub struct Inquiry {
    /// The model, wherever its runs start, unless a limit was reached before it was made. Of
    /// several, which were made for different questions, this is the first.
    pub model: Option<Model>,
    /// One model for each place where runs start, or for each group of questions that needs its
    /// own.
    pub cases: Vec<Case>,
    /// The limit that was reached before there were models.
    pub stopped: Option<Exhausted>,
}

/// A model, and the questions that are asked of it.
#[derive(Debug)]
pub struct Case {
    /// The model, unless a limit was reached before it was made.
    pub model: Option<Model>,
    /// The module of an SMV file where runs start.
    pub module: Option<String>,
    /// The questions, without their meaning, which the plans have.
    pub questions: Vec<Heading>,
    /// For each question, which it is.
    pub places: Vec<QuestionPlace>,
    /// For each question, how it is answered.
    pub plans: Vec<Plan>,
    /// The answers, if they were found while the model was made: all of them or none.
    pub given: Vec<Answer>,
}

impl Inquiry {
    /// The bytes that its models take.
    pub fn bytes(&self) -> usize {
        let of = |model: &Option<Model>| model.as_ref().map_or(0, Model::bytes);
        // only the machines of a program differ from case to case
        let is_own = |case: &&Case| case.model.as_ref().is_some_and(|model| model.program().is_some());
        let cases: usize = self.cases.iter().filter(is_own).map(|case| of(&case.model)).sum();
        cases.max(of(&self.model))
    }

    /// Keeps the questions that are written in some places only.
    pub fn retain(&mut self, is_kept: impl Fn(&QuestionPlace) -> bool) {
        for case in &mut self.cases {
            let kept: Vec<bool> = case.places.iter().map(&is_kept).collect();
            let mut of_questions = kept.iter();
            case.questions.retain(|_| of_questions.next() == Some(&true));
            let mut of_plans = kept.iter();
            case.plans.retain(|_| of_plans.next() == Some(&true));
            let mut of_answers = kept.iter();
            case.given.retain(|_| of_answers.next() == Some(&true));
            case.places.retain(&is_kept);
        }
    }
}

impl Case {
    /// The questions about one model, or one that was not made, each with its plan.
    pub(crate) fn of(
        model: Option<Model>,
        asked: Vec<Asked>,
        request: &Request<'_>,
        reading: &mut Reading,
    ) -> Self {
        let subject = Subject { model: model.as_ref(), machine: None, is_finite: false };
        let planned = subject.planned(asked, request, |_| Fairness::default(), reading);
        planned.case(model, None)
    }

    /// Answers all questions, and reports each answer as soon as it is there. If no model was
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
        if !self.given.is_empty() {
            self.given.iter().enumerate().for_each(|(index, answer)| on_answer(index, answer));
            return Ok(self.given.iter().cloned().map(Ok).collect());
        }
        match (&self.model, stopped) {
            (Some(model), _) => check_all(model, &self.plans, options, on_answer),
            (None, Some(why)) => Ok(unanswered(&self.plans, (why, read), on_answer)),
            (None, None) => Ok(Vec::new()),
        }
    }
}

/// Which question one is.
#[derive(Clone, Debug)]
pub struct QuestionPlace {
    /// Its number among all of the call.
    pub number: usize,
    /// The instance of the module that it was written in.
    pub instance: String,
    /// The verdict that its file expects, if it states one: whether it holds.
    pub expected: Option<bool>,
    /// Byte offsets of its start and its end in the input it was written in.
    pub span: (u64, u64),
}

/// How questions about a model become plans.
pub(crate) struct Subject<'a> {
    pub(crate) model: Option<&'a Model>,
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
    ) -> Planned {
        let suggestions = Suggestions::or(reading.words.unknown_atoms);
        let planner = self.model.map(|model| model.planner(request.options, &suggestions));
        let mut planned = Planned::new(request, self.model.and_then(Model::rsm).cloned());
        for one in asked {
            let (fairness, expected) = (fairness(&one), one.expected);
            let (question, at) = one.question(self.machine, fairness);
            let plan = match &planner {
                Some(planner) => planner(&question),
                None => plan_without_machine(self.is_finite, &question, request.options),
            };
            planned.add((question, at, expected), plan, reading);
        }
        planned
    }
}

/// Questions that are not refused, which they are, and how they are answered.
pub(crate) struct Planned {
    shard: Option<Shard>,
    rsm: Option<Rsm>,
    questions: Vec<Heading>,
    places: Vec<QuestionPlace>,
    plans: Vec<Plan>,
}

impl Planned {
    /// None yet; refusals may name labels of the machine, if there is one.
    pub(crate) fn new(request: &Request<'_>, rsm: Option<Rsm>) -> Self {
        Self { shard: request.shard, rsm, questions: Vec::new(), places: Vec::new(), plans: Vec::new() }
    }

    /// Adds a question with its plan, if it belongs to the shard. A refusal is added to the
    /// reading.
    pub(crate) fn add(
        &mut self,
        (question, at, expected): (Question, Position, Option<bool>),
        plan: Result<Plan, Refusal>,
        reading: &mut Reading,
    ) {
        match plan {
            Ok(plan) if self.shard.is_none_or(|shard| shard.takes(at.place)) => {
                self.plans.push(plan);
                self.questions.push(question.into());
                let Position { place: number, instance, span, .. } = at;
                self.places.push(QuestionPlace { number, instance, expected, span });
            }
            // it is right, and not asked
            Ok(_) => {}
            Err(refused) => {
                let found = at.refused(&refused, self.rsm.as_ref(), reading.words.refusal);
                reading.turn_to(Some(at.place));
                reading.add(at.input, found);
                reading.turn_to(None);
            }
        }
    }
}

impl Planned {
    /// As questions about a model.
    pub(crate) fn case(self, model: Option<Model>, module: Option<String>) -> Case {
        let Self { questions, places, plans, .. } = self;
        Case { model, module, questions, places, plans, given: Vec::new() }
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
                // one problem for each proposition that is not a label, in their order
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
        question.counted_runs = self.counted_runs;
        question.source = self.source;
        (question, self.at)
    }
}
