//! The engines for parallel processes, for one system and any number of questions.
//!
//! `auto` is all of them in turns (`turns.rs`).

use crate::answer::{Doubt, ProcessesOutcome, play};
use crate::compositional::{Composed, Composing, Start, check_within};
use crate::diagrams::{Processes, Progress, Session};
use crate::game::{GameGraph, Unfolding};
use crate::question::SystemQuestion;
use crate::relevant::{RelevantOutcome, check_relevant};
use loris_base::{Budget, Exhausted, Truth};
use loris_lts::System;

/// An engine for parallel processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModularEngine {
    /// The three-valued game on the product, on the fly.
    Game,
    /// Process by process.
    Compositional,
    /// Fixpoints on decision diagrams.
    Diagrams,
    /// Fixpoints on decision diagrams of relevant states.
    Relevant,
}

/// A decision and how it was reached.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Whether the formula holds in the initial state.
    pub value: Truth,
    /// Why it is unknown.
    pub doubt: Option<Doubt>,
    /// The engine that decided.
    pub engine: ModularEngine,
    /// The processes that decided, by number; none if all did together.
    pub decided_by: Vec<u32>,
    /// Nodes of games that were made by the engine that decided, but for products.
    pub nodes: usize,
    /// How products of processes decided.
    pub composed: Option<Composed>,
    /// How diagrams of relevant states decided.
    pub relevant: Option<RelevantOutcome>,
    /// Global states that were met, or that are reachable.
    pub states: Option<f64>,
}

/// The engines for one system.
pub struct Portfolio<'a> {
    system: &'a System,
    /// of concrete labelled transition systems
    session: Option<Session>,
    /// the least steps of a turn, where engines take turns
    pub(crate) first_steps: u64,
}

/// The least steps of a turn.
const FIRST_STEPS: u64 = 1 << 16;

/// Nodes of the game that are tried before processes are composed, at most.
const FIRST_NODES: usize = 1 << 12;

/// Steps that the size of the whole game may take.
const SIZE_STEPS: u64 = 1 << 27;

/// Fewer nodes are not worth a try.
const FEWEST_NODES: usize = 16;

/// The part of the whole game that is tried on the fly before anything is composed.
const FIRST_PART: f64 = 0.04;

impl<'a> Portfolio<'a> {
    /// Nothing is computed yet.
    pub fn new(system: &'a System) -> Self {
        Self { system, session: None, first_steps: FIRST_STEPS }
    }

    /// The same with a first turn of this many steps.
    #[must_use]
    pub fn with_first_steps(self, first_steps: u64) -> Self {
        Self { first_steps, ..self }
    }

    /// Bytes that are kept from one question to the next.
    pub fn bytes(&self) -> usize {
        self.session.as_ref().map_or(0, Session::bytes)
    }

    /// Drops all that is kept.
    pub fn clear(&mut self) {
        self.session = None;
    }

    /// Whether decision diagrams are for this system.
    pub fn takes_diagrams(&self) -> bool {
        Processes::are_those_of(self.system)
    }

    /// How many states are reachable, as far as decision diagrams have found them.
    pub(crate) fn at_least(&self, budget: &mut Budget) -> Result<f64, Exhausted> {
        self.session.as_ref().map_or(Ok(0.0), |session| session.at_least(budget))
    }

    /// How many states are reachable, once decision diagrams have found them all.
    pub(crate) fn all_states(&self) -> Option<f64> {
        self.session.as_ref()?.statistics().reachable
    }

    /// The decision diagrams; none if they are not for this system.
    fn diagrams(&mut self) -> Option<&mut Session> {
        if self.session.is_none() {
            self.session = Processes::of(self.system).map(|processes| Session::new(&processes));
        }
        self.session.as_mut()
    }

    /// Decides by one engine; none if it is not for this system.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn by_diagrams(
        &mut self,
        question: &SystemQuestion<'_>,
        budget: &mut Budget,
    ) -> Result<Option<Decision>, Exhausted> {
        self.by_diagrams_from(question, &mut Progress::new(question.formula), budget)
    }

    /// The same, going on from where limits have ended it before.
    pub(crate) fn by_diagrams_from(
        &mut self,
        question: &SystemQuestion<'_>,
        progress: &mut Progress,
        budget: &mut Budget,
    ) -> Result<Option<Decision>, Exhausted> {
        let Some(session) = self.diagrams() else { return Ok(None) };
        let holds = session.decide_on(question.formula, progress, budget)?;
        Ok(Some(Decision {
            value: holds.into(),
            doubt: None,
            engine: ModularEngine::Diagrams,
            decided_by: Vec::new(),
            nodes: 0,
            composed: None,
            relevant: None,
            states: session.statistics().reachable,
        }))
    }

    /// Decides process by process. Where no process decides alone, a small part of the game on the
    /// fly is tried first; then undecided games are composed. All of this has at most half as many
    /// nodes as the whole game, whose size decision diagrams know; then the game on the fly takes
    /// over. Where that size is not known, products and the game on the fly take turns. So no more
    /// than 1.5 times the whole game is made.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn process_by_process(
        &mut self,
        question: &SystemQuestion<'_>,
        budget: &mut Budget,
    ) -> Result<(Composed, Option<f64>), Exhausted> {
        let mut size = None;
        let mut start = |budget: &mut Budget| {
            size = self.game_size(question, budget)?;
            let Some(size) = size else { return Ok(Start::Beside) };
            #[expect(clippy::cast_sign_loss, reason = "sizes are not negative")]
            let (few, half) = ((size * FIRST_PART) as usize, (size / 2.0) as usize);
            let few = few.min(FIRST_NODES);
            if few < FEWEST_NODES {
                return Ok(Start::Compose { most: half, tried: 0 });
            }
            let mut part = budget.half();
            let mut graph = GameGraph::new(question, Unfolding::Condensed, &mut part)?;
            let decided = graph.decide_within(few, u64::MAX, &mut part)?;
            budget.join(&part)?;
            if let Some(value) = decided {
                return Ok(Start::Decided(value, graph.len()));
            }
            let tried = graph.len();
            Ok(Start::Compose { most: half.saturating_sub(tried), tried })
        };
        let composed = check_within(question, &Composing::default(), &mut start, budget)?;
        Ok((composed, size))
    }

    /// How many nodes the whole game has, if decision diagrams find that out with little work.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn game_size(
        &mut self,
        question: &SystemQuestion<'_>,
        budget: &mut Budget,
    ) -> Result<Option<f64>, Exhausted> {
        let Some(session) = self.diagrams() else { return Ok(None) };
        let mut slice = budget.half().slice(SIZE_STEPS);
        let size = session.game_size(question.formula, &mut slice);
        budget.join(&slice)?;
        match size {
            Ok(size) => Ok(Some(size)),
            Err(_) => budget.look().map(|()| None),
        }
    }
}

/// The answer of the game on the fly.
pub(crate) fn by_game(answer: ProcessesOutcome) -> Decision {
    let ProcessesOutcome { value, doubt, nodes, states } = answer;
    let engine = ModularEngine::Game;
    let states = Some(states as f64);
    Decision { value, doubt, engine, decided_by: Vec::new(), nodes, composed: None, relevant: None, states }
}

/// The answer of diagrams of relevant states.
pub(crate) fn by_relevant(found: RelevantOutcome, doubt: Option<Doubt>) -> Decision {
    Decision {
        value: found.value,
        doubt,
        engine: ModularEngine::Relevant,
        decided_by: found.decided_by.into_iter().collect(),
        nodes: 0,
        composed: None,
        relevant: Some(found),
        states: None,
    }
}

/// Decides by diagrams of relevant states.
///
/// # Errors
/// The budget ran out.
pub fn by_relevant_alone(question: &SystemQuestion<'_>, budget: &mut Budget) -> Result<Decision, Exhausted> {
    let found = check_relevant(question, budget)?;
    let doubt = if found.value.is_known() { None } else { doubt_of(question, budget)? };
    Ok(by_relevant(found, doubt))
}

/// The steps that a search for the reason why a question stays open may take.
const DOUBT_STEPS: u64 = 1 << 24;

/// The nearest cause why a question stays open, in the whole game, if that is not large.
///
/// # Errors
/// The budget ran out.
pub(crate) fn doubt_of(
    question: &SystemQuestion<'_>,
    budget: &mut Budget,
) -> Result<Option<Doubt>, Exhausted> {
    let mut slice = budget.slice(DOUBT_STEPS);
    let answer = play(question, &mut slice);
    budget.join(&slice)?;
    budget.look()?;
    Ok(answer.ok().and_then(|answer| answer.doubt))
}

/// Decides by the game on the fly.
///
/// # Errors
/// The budget ran out.
pub fn by_game_alone(question: &SystemQuestion<'_>, budget: &mut Budget) -> Result<Decision, Exhausted> {
    play(question, budget).map(by_game)
}
