//! All engines for parallel processes, in turns.
//!
//! First the processes that the formula mentions, each alone; then the game on the fly and decision
//! diagrams, in rounds that give each of them four times the work of the round before. So the work
//! is at most a small multiple of that of the engine that is best for the question.

use crate::answer::{Doubt, ProcessesOutcome, play};
use crate::compositional::{Composed, Composing, Start, alone, check_within, relevant};
use crate::diagrams::{Processes, Session};
use crate::game::{GameGraph, Unfolding};
use crate::question::SystemQuestion;
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
    /// Nodes of games that were made.
    pub nodes: usize,
    /// Global states that were met, or that are reachable.
    pub states: Option<f64>,
}

/// The engines for one system.
pub struct Portfolio<'a> {
    system: &'a System,
    /// of concrete labelled transition systems
    session: Option<Session>,
    first_steps: u64,
}

/// Steps of the first turn of the game, and how many times as many the diagrams get: on the nets of
/// the Model Checking Contest, these decide most.
const FIRST_STEPS: u64 = 1 << 18;
const DIAGRAMS_SHARE: u64 = 4;

/// Nodes of the game that are tried before processes are composed, at most.
const FIRST_NODES: usize = 1 << 12;

/// Steps that the size of the whole game may take.
const SIZE_STEPS: u64 = 1 << 26;

/// Nodes of products where the size of the whole game is not known.
const UNKNOWN_SIZE: usize = 1 << 20;

/// Fewer nodes are not worth a try.
const FEWEST_NODES: usize = 16;

/// The part of the whole game that is tried on the fly before anything is composed.
const FIRST_PART: f64 = 0.04;

/// How many processes are asked alone.
const ASKED_ALONE: usize = 16;

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
        self.session.is_some() || Processes::of(self.system).is_some()
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
        let Some(session) = self.diagrams() else { return Ok(None) };
        let holds = session.decide(question.formula, budget)?;
        Ok(Some(Decision {
            value: holds.into(),
            doubt: None,
            engine: ModularEngine::Diagrams,
            decided_by: Vec::new(),
            nodes: 0,
            states: session.statistics().reachable,
        }))
    }

    /// Decides process by process. Where no process decides alone, a small part of the game on the
    /// fly is tried first; then undecided games are composed. All of this has at most half as many
    /// nodes as the whole game, whose size decision diagrams know; then the game on the fly takes
    /// over. So no more than 1.5 times the whole game is made.
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
            let Some(size) = size else { return Ok(Start::Compose { most: UNKNOWN_SIZE, tried: 0 }) };
            #[expect(clippy::cast_sign_loss, reason = "sizes are not negative")]
            let (few, half) = ((size * FIRST_PART) as usize, (size / 2.0) as usize);
            let few = few.min(FIRST_NODES);
            if few < FEWEST_NODES {
                return Ok(Start::Compose { most: half, tried: 0 });
            }
            let mut part = budget.half();
            let mut graph = GameGraph::new(question, Unfolding::Condensed, &mut part)?;
            let decided = graph.decide_within(few, &mut part)?;
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

    /// Decides by the engines in turns.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn decide(
        &mut self,
        question: &SystemQuestion<'_>,
        budget: &mut Budget,
    ) -> Result<Decision, Exhausted> {
        if self.system.len() > 1 {
            for process in relevant(question).into_iter().take(ASKED_ALONE) {
                let (value, nodes) = alone(question, process, budget)?;
                if value.is_known() {
                    let engine = ModularEngine::Compositional;
                    let decided_by = vec![process];
                    return Ok(Decision { value, doubt: None, engine, decided_by, nodes, states: None });
                }
            }
        }
        if !self.takes_diagrams() {
            return Ok(by_game(play(question, budget)?));
        }
        // the game keeps what it has unfolded from one turn to the next
        let mut held = budget.half();
        let mut game = Some(GameGraph::new(question, Unfolding::Condensed, &mut held)?);
        let mut steps = self.first_steps;
        loop {
            let mut slice = match game {
                Some(_) => budget.half().slice(DIAGRAMS_SHARE * steps),
                None => budget.part(),
            };
            match self.by_diagrams(question, &mut slice) {
                Ok(Some(decision)) => return Ok(decision),
                Ok(None) | Err(Exhausted::Time) => {}
                Err(Exhausted::Memory | Exhausted::States) if game.is_some() => {
                    // what is left is for the game
                    self.session = None;
                    drop(game.take());
                    return Ok(by_game(play(question, budget)?));
                }
                Err(why) => return Err(why),
            }
            budget.join(&slice)?;
            budget.look()?;
            if let Some(graph) = &mut game {
                let before = held.spent();
                let mut slice = held.slice(steps);
                let decided = graph.decide_within(usize::MAX, &mut slice);
                budget.spend(usize::try_from(slice.spent() - before).unwrap_or(usize::MAX))?;
                budget.look()?;
                match decided.and_then(|decided| held.hold(graph.bytes()).map(|()| decided)) {
                    Ok(Some(value)) => {
                        let states = graph.product.len();
                        return Ok(by_game(ProcessesOutcome {
                            value,
                            doubt: None,
                            nodes: graph.len(),
                            states,
                        }));
                    }
                    Ok(None) => {}
                    // a turn may end anywhere: what waits is found again by the next look
                    Err(Exhausted::Time) if held.hold(graph.bytes()).is_ok() => {}
                    // the diagrams may need less
                    Err(Exhausted::Time | Exhausted::Memory | Exhausted::States) => game = None,
                    Err(why) => return Err(why),
                }
            }
            steps = steps.saturating_mul(4);
        }
    }
}

/// The answer of the game on the fly.
fn by_game(answer: ProcessesOutcome) -> Decision {
    let ProcessesOutcome { value, doubt, nodes, states } = answer;
    let engine = ModularEngine::Game;
    Decision { value, doubt, engine, decided_by: Vec::new(), nodes, states: Some(states as f64) }
}

/// Decides by the game on the fly.
///
/// # Errors
/// The budget ran out.
pub fn by_game_alone(question: &SystemQuestion<'_>, budget: &mut Budget) -> Result<Decision, Exhausted> {
    play(question, budget).map(by_game)
}
