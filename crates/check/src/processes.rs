//! Questions about parallel processes: which engine takes them, and their answers.

mod linear;

use crate::answer::{Answer, AnyCertificate, Note, TOO_LARGE};
use crate::checkable::{Checkable, Planner, Size};
use crate::plan::Plan;
use crate::rounds::{Round, Run, caught};
use crate::{
    Choice, EngineName, Logic, ModelKind, Options, Question, Refusal, Suggestions, Unfit, UnknownAtoms,
};
use linear::LinearPlan;
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, nearest};
use loris_evidence::{Certificate, Reason, Verdict, from_start};
use loris_games::ternary::{Colouring, TernaryGame};
use loris_logic::mu::{DeadEnds, MuFormula, place_of};
use loris_lts::System;
use loris_modular::{
    Abstract, ColouredGame, Composed, Decision, Doubt, ModularEngine, Portfolio, by_game_alone,
    by_relevant_alone, check_refining, takes_refinement, whole_game, winning_strategy,
};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

/// Processes that run in parallel.
#[derive(Clone, Debug)]
pub struct Processes {
    /// The processes.
    pub system: Arc<System>,
    /// What CTL means at dead ends.
    pub dead_ends: DeadEnds,
}

/// How a question about parallel processes is answered.
#[derive(Clone, Debug)]
pub(crate) enum ProcessPlan {
    /// by games and diagrams
    Mu(MuPlan),
    /// in linear time
    Linear(LinearPlan),
}

/// How a question for a formula of the mu-calculus is answered.
#[derive(Clone, Debug)]
pub(crate) struct MuPlan {
    formula: Arc<MuFormula>,
    /// none: all, in turns
    engine: Option<ModularEngine>,
    lenient: bool,
}

/// Decides how a question is answered.
///
/// # Errors
/// Why it is not.
fn plan(processes: &Processes, question: &Question, options: &Options) -> Result<ProcessPlan, Refusal> {
    match question.formula().filter(|_| question.logic() == Logic::Ltl) {
        Some(formula) => LinearPlan::new(processes, question, formula, options).map(ProcessPlan::Linear),
        None => mu_plan(&processes.system, question, options).map(ProcessPlan::Mu),
    }
}

fn mu_plan(system: &System, question: &Question, options: &Options) -> Result<MuPlan, Refusal> {
    let engine = match options.engine {
        Choice::Auto => None,
        Choice::Named(EngineName::Game) => Some(ModularEngine::Game),
        Choice::Named(EngineName::Compositional) => Some(ModularEngine::Compositional),
        Choice::Named(EngineName::Mdd) => Some(ModularEngine::Diagrams),
        Choice::Named(EngineName::Relevant) => Some(ModularEngine::Relevant),
        Choice::Named(EngineName::Lasso) => {
            return Err(Refusal::Logic(EngineName::Lasso, question.logic()));
        }
        Choice::Named(other) => {
            return Err(Refusal::Unfit(other, Unfit::Kind(ModelKind::Processes)));
        }
    };
    let Some(formula) = question.mu_formula() else {
        return Err(Refusal::Unfit(EngineName::Game, Unfit::Logic));
    };
    if engine == Some(ModularEngine::Diagrams) && !Portfolio::new(system).takes_diagrams() {
        return Err(Refusal::Unfit(EngineName::Mdd, Unfit::Concrete));
    }
    if options.abstraction.is_some() {
        let name = EngineName::Compositional;
        if options.engine != Choice::Named(name) {
            return Err(Refusal::Unfit(name, Unfit::Abstraction));
        }
        if !takes_refinement(system) {
            return Err(Refusal::Unfit(name, Unfit::Abstracted));
        }
    }
    let lenient = question.unknown_atoms == UnknownAtoms::False;
    let formula = match from_start(system, formula) {
        Cow::Borrowed(_) => Arc::clone(formula),
        Cow::Owned(formula) => Arc::new(formula),
    };
    let plan = MuPlan { formula, engine, lenient };
    match plan.question(system) {
        Ok(_) => Ok(plan),
        Err(problems) => Err(Refusal::Wrong(misfits(system, &problems, &question.text))),
    }
}

/// Names that no process knows, with the nearest that one does.
fn misfits(system: &System, problems: &[loris_modular::Unfit], text: &str) -> Diagnostics {
    let mut found = Diagnostics::default();
    for problem in problems {
        let (name, near) = match problem {
            loris_modular::Unfit::Atom(name) => (name, nearest(name, system.atoms().iter())),
            loris_modular::Unfit::Action(name) => (name, nearest(name, system.actions().iter())),
            loris_modular::Unfit::NoActions(set) => (set, None),
        };
        found.push(misfit(name, near, problem.to_string(), text));
    }
    found
}

/// A name that no process knows, at its place in the text of a question.
fn misfit(name: &str, near: Option<&str>, message: String, text: &str) -> Diagnostic {
    let diagnostic = match place_of(text, name) {
        Some((offset, length)) => Diagnostic::error(offset as u64, length, message),
        None => Diagnostic::global(message),
    };
    match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

impl ProcessPlan {
    /// The engine that decides; `auto` if several do in turns.
    pub(crate) fn engine_name(&self) -> &'static str {
        match self {
            ProcessPlan::Mu(plan) => plan.engine.map_or("auto", |engine| name(engine).name()),
            ProcessPlan::Linear(_) => EngineName::Lasso.name(),
        }
    }
}

impl MuPlan {
    fn question<'a>(
        &'a self,
        system: &'a System,
    ) -> Result<loris_modular::SystemQuestion<'a>, Vec<loris_modular::Unfit>> {
        loris_modular::SystemQuestion::new(system, &self.formula, self.lenient)
    }

    /// What a strategy for a verdict shows: the formula, or its negation.
    fn shown(&self, verdict: &Verdict) -> String {
        match verdict {
            Verdict::Fails => self.formula.negated().to_string(),
            _ => self.formula.to_string(),
        }
    }
}

/// The whole game of a question with its colours and the names of its nodes.
pub struct NamedGame {
    /// The game.
    pub game: TernaryGame,
    /// Its colours.
    pub colouring: Colouring,
    names: Vec<String>,
}

impl NamedGame {
    /// The name of a node: its state, and the subformula there.
    pub fn name(&self, node: u32) -> String {
        self.names[node as usize].clone()
    }
}

/// Builds the whole game of a question about processes, and colours it.
///
/// # Errors
/// The budget ran out.
pub fn coloured_game(
    processes: &Processes,
    plan: &Plan,
    budget: &mut Budget,
) -> Option<Result<NamedGame, Exhausted>> {
    match plan.work()? {
        ProcessPlan::Mu(plan) => Some(named_game(&processes.system, plan, budget)),
        // what refutes a formula of linear time is a run
        ProcessPlan::Linear(_) => None,
    }
}

fn named_game(system: &System, plan: &MuPlan, budget: &mut Budget) -> Result<NamedGame, Exhausted> {
    let question = plan.question(system).expect("only questions that fit are planned");
    let coloured = ColouredGame::new(&question, budget)?;
    let mut names = Vec::with_capacity(coloured.nodes.len());
    for node in coloured.game.nodes() {
        let name = coloured.name(&question, node);
        budget.charge(name.len() + size_of::<String>())?;
        names.push(name);
    }
    Ok(NamedGame { game: coloured.game, colouring: coloured.colouring, names })
}

/// Plans for processes, ready to be carried out.
struct ProcessRun<'a> {
    system: &'a System,
    plans: FxHashMap<usize, &'a ProcessPlan>,
    options: &'a Options,
}

impl Run for ProcessRun<'_> {
    /// Each thread has engines of its own, which keep what questions share.
    fn batches(&self) -> Vec<Vec<usize>> {
        let mut all: Vec<usize> = self.plans.keys().copied().collect();
        all.sort_unstable();
        all.chunks(all.len().div_ceil(self.options.jobs.max(1)).max(1)).map(<[usize]>::to_vec).collect()
    }

    fn carry_out(&self, batch: &[usize], round: &Round<'_>) {
        let mut portfolio = Portfolio::new(self.system);
        for &at in batch {
            // what is kept from other questions is in the way of the limit of this one
            if round.memory().is_some_and(|bytes| portfolio.bytes() > bytes / 2) {
                portfolio.clear();
            }
            let kept = portfolio.bytes() > 0;
            let budget = round.budget(at);
            let plan = self.plans[&at];
            let answer = caught(|| match plan {
                ProcessPlan::Mu(plan) => answer(self.system, &mut portfolio, plan, self.options, budget),
                ProcessPlan::Linear(plan) => plan.answer(self.system, self.options, budget),
            });
            // after a panic, the engines may be in an inconsistent state
            let is_broken = answer.is_err();
            if !round.put(at, answer, kept) || is_broken {
                portfolio.clear();
            }
        }
    }
}

impl Checkable for Processes {
    fn kind(&self) -> Option<ModelKind> {
        Some(ModelKind::Processes)
    }

    fn bytes(&self) -> usize {
        self.system.processes().iter().map(|part| part.bytes()).sum()
    }

    fn sizes(&self) -> Vec<Size> {
        let parts = self.system.processes();
        vec![
            Size::new("components", parts.len(), "process", "processes"),
            Size::new(
                "local_states",
                parts.iter().map(|part| part.state_count()).sum(),
                "local state",
                "local states",
            ),
            Size::new("actions", self.system.actions().len() - 1, "action", "actions"),
        ]
    }

    fn planner<'a>(&'a self, options: &'a Options, _: &'a Suggestions) -> Planner<'a> {
        Box::new(move |question| {
            let plan = plan(self, question, options)?;
            Ok(Plan::new(self.kind(), plan.engine_name(), plan))
        })
    }

    fn run(&self, plans: &[Plan], options: &Options, go: &mut dyn FnMut(&dyn Run)) {
        let own = plans.iter().enumerate().filter_map(|(at, plan)| Some((at, plan.work()?)));
        go(&ProcessRun { system: &self.system, plans: own.collect(), options });
    }
}

fn answer(
    system: &System,
    portfolio: &mut Portfolio<'_>,
    plan: &MuPlan,
    options: &Options,
    mut budget: Budget,
) -> Answer {
    let start = Instant::now();
    let question = plan.question(system).expect("only questions that fit are planned");
    let mut answer = match plan.engine {
        Some(ModularEngine::Compositional) => compositional(&question, portfolio, options, &mut budget),
        Some(ModularEngine::Game) => match by_game_alone(&question, &mut budget) {
            Ok(decision) => decided(&question, &decision),
            Err(why) => undecided(EngineName::Game, why),
        },
        Some(ModularEngine::Diagrams) => match portfolio.by_diagrams(&question, &mut budget) {
            Ok(Some(decision)) => decided(&question, &decision),
            Ok(None) => Answer::undecided(&Reason::Inapplicable("steps or labels are uncertain".to_owned())),
            Err(why) => undecided(EngineName::Mdd, why),
        },
        Some(ModularEngine::Relevant) => match by_relevant_alone(&question, &mut budget) {
            Ok(decision) => decided(&question, &decision),
            Err(why) => undecided(EngineName::Relevant, why),
        },
        None => match portfolio.decide(&question, &mut budget) {
            Ok(decision) => decided(&question, &decision),
            Err(why) => Answer::of("auto", Verdict::Unknown(Reason::Limit(why))),
        },
    };
    if options.evidence && matches!(answer.verdict, Verdict::Holds | Verdict::Fails) {
        match winning_strategy(&question, &plan.shown(&answer.verdict), &mut budget) {
            Ok(Some(strategy)) => {
                answer.evidence = Some(AnyCertificate::Processes(Certificate::Strategy(strategy)));
            }
            Ok(None) => answer.evidence_note = Some(TOO_LARGE.to_owned()),
            Err(why) => answer.evidence_note = Some(why.to_string()),
        }
    }
    if !system.has_runs() {
        answer.note = Some(Note::NoInitialState);
    }
    answer.seconds = start.elapsed().as_secs_f64();
    answer
}

fn undecided(engine: EngineName, why: Exhausted) -> Answer {
    Answer::new(engine, Verdict::Unknown(Reason::Limit(why)))
}

/// A truth value as a verdict.
fn verdict(
    question: &loris_modular::SystemQuestion<'_>,
    value: loris_base::Truth,
    doubt: Option<&Doubt>,
) -> Verdict {
    match value {
        loris_base::Truth::True => Verdict::Holds,
        loris_base::Truth::False => Verdict::Fails,
        loris_base::Truth::Unknown => {
            let why =
                doubt.map_or("the processes leave it open".to_owned(), |doubt| doubt.describe(question));
            Verdict::Unknown(Reason::Inconclusive(why))
        }
    }
}

fn decided(question: &loris_modular::SystemQuestion<'_>, decision: &Decision) -> Answer {
    let mut answer =
        Answer::new(name(decision.engine), verdict(question, decision.value, decision.doubt.as_ref()));
    answer.decided_by = names(question, &decision.decided_by);
    if decision.nodes > 0 {
        answer.counters.push(("game_nodes", decision.nodes as u64));
    }
    if let Some(states) = decision.states {
        answer.counters.push(("global_states", whole(states)));
    }
    if let Some(composed) = &decision.composed {
        answer.counters.extend(products(composed));
    }
    if let Some(found) = &decision.relevant {
        answer.counters.push(("relevant_pairs", whole(found.relevant)));
        answer.counters.push(("undecided_pairs", whole(found.undecided)));
    }
    answer
}

/// What was made of processes and their products.
fn products(composed: &Composed) -> [(&'static str, u64); 4] {
    let part_nodes: usize = composed.alone.iter().map(|stage| stage.nodes).sum();
    let largest = composed.products.iter().map(|stage| stage.nodes).max().unwrap_or(0);
    [
        ("products", composed.products.len() as u64),
        ("product_nodes", composed.product_nodes() as u64),
        ("largest_product", largest as u64),
        ("part_nodes", part_nodes as u64),
    ]
}

fn name(engine: ModularEngine) -> EngineName {
    match engine {
        ModularEngine::Game => EngineName::Game,
        ModularEngine::Compositional => EngineName::Compositional,
        ModularEngine::Diagrams => EngineName::Mdd,
        ModularEngine::Relevant => EngineName::Relevant,
    }
}

/// A number of states, which is not negative, or the largest number.
#[expect(clippy::cast_sign_loss, reason = "numbers of states are not negative")]
fn whole(states: f64) -> u64 {
    states as u64
}

fn names(question: &loris_modular::SystemQuestion<'_>, parts: &[u32]) -> Vec<String> {
    parts.iter().map(|&part| question.system.process(part).name().to_owned()).collect()
}

/// By abstraction and refinement; the rounds are the knowledge of the engine.
fn refining(question: &loris_modular::SystemQuestion<'_>, which: Abstract, budget: &mut Budget) -> Answer {
    let engine = EngineName::Compositional;
    let found = match check_refining(question.system, question.formula, which, true, budget) {
        Ok(found) => found,
        Err(why) => return undecided(engine, why),
    };
    let mut answer = Answer::new(engine, verdict(question, found.value, None));
    answer.decided_by = names(question, found.decided_by.as_slice());
    let nodes: usize = found.rounds.iter().filter_map(|round| round.product).sum();
    answer.counters = vec![("rounds", found.rounds.len() as u64), ("product_nodes", nodes as u64)];
    let lines: Vec<String> = found
        .rounds
        .iter()
        .enumerate()
        .map(|(i, round)| format!("round {}: {}", i + 1, round.describe(question.system)))
        .collect();
    answer.trace = Some(lines.join("\n"));
    answer
}

fn compositional(
    question: &loris_modular::SystemQuestion<'_>,
    portfolio: &mut Portfolio<'_>,
    options: &Options,
    budget: &mut Budget,
) -> Answer {
    if let Some(which) = options.abstraction {
        return refining(question, which, budget);
    }
    let (composed, size) = match portfolio.process_by_process(question, budget) {
        Ok(composed) => composed,
        Err(why) => return undecided(EngineName::Compositional, why),
    };
    let engine = EngineName::Compositional;
    let mut answer = Answer::new(engine, verdict(question, composed.value, None));
    answer.decided_by = composed.decided_by().map(|parts| names(question, parts)).unwrap_or_default();
    answer.counters = products(&composed).to_vec();
    if options.compare {
        // known, or counted by decision diagrams, or built
        let size = match size {
            Some(size) => Ok(Some(size)),
            None => portfolio.game_size(question, budget),
        };
        let size = match size {
            Ok(None) => whole_game(question, budget).map(|nodes| nodes as f64),
            Ok(Some(size)) => Ok(size),
            Err(why) => Err(why),
        };
        match size {
            Ok(nodes) => answer.counters.push(("full_game_nodes", whole(nodes))),
            Err(why) => answer.evidence_note = Some(format!("the size of the full game is not known: {why}")),
        }
    }
    answer
}
