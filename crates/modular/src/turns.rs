//! All engines for parallel processes, in turns, until one decides.
//!
//! First the processes that the formula mentions, each alone. Then the engines work in rounds: each
//! goes on from where it stopped, and each round is longer than the one before. Turns are counted
//! in steps of work, not in seconds, so that it does not depend on the machine which engine
//! decides; how long steps take differs from engine to engine, and is made up for by factors that
//! were measured. So the work is at most a small multiple of that of the engine that is best for
//! the question.

use crate::answer::{ProcessesOutcome, play};
use crate::compositional::{Composed, Composing, Course, relevant};
use crate::diagrams::Progress;
use crate::game::{GameGraph, Unfolding};
use crate::portfolio::{Decision, ModularEngine, Portfolio, by_game};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted};

/// The work of the first turn.
pub(crate) const FIRST_STEPS: u64 = 1 << 16;

/// Each round has turns that are longer than those of the round before by this part of them.
const GROWTH: u64 = 4;

/// How many steps a turn takes by its work, as a fraction: steps of different engines take
/// different time. Decision diagrams get more than the game, as they decide most on the nets of the
/// Model Checking Contest, and not so much more that the game could not keep up where it is better.
const GAME: (u64, u64) = (1, 1);
const DIAGRAMS: (u64, u64) = (3, 2);
/// Products get less, and little if no further process was composed in the last turn.
const COMPOSING: (u64, u64) = (1, 2);
const STUCK: (u64, u64) = (1, 8);

/// How many processes are asked alone before the engines take turns.
const ASKED_ALONE: usize = 16;

/// Nodes of products in the first turn; more as long as there is time for them.
const FIRST_NODES: usize = 1 << 12;

/// The steps that a search for the reason why a question stays open may take.
const DOUBT_STEPS: u64 = 1 << 24;

/// The engines at work on one question.
struct Turns<'p, 'a, 'q> {
    portfolio: &'p mut Portfolio<'a>,
    question: &'q SystemQuestion<'q>,
    game: Option<Paused<GameGraph<'q>>>,
    course: Option<Paused<Course<'q>>>,
    /// none if decision diagrams are not for the system, or ran out of memory
    diagrams: Option<Progress>,
    /// engines that ran out of memory while others held some, too
    crowded: Vec<ModularEngine>,
    /// how many nodes products may have in all
    nodes: usize,
    /// how far they had come before the last turn
    stages: usize,
}

/// An engine with its share of memory.
struct Paused<E> {
    engine: E,
    held: Budget,
}

/// Decides by all engines; the first turn of each takes this many steps.
///
/// # Errors
/// The budget ran out.
pub(crate) fn in_turns(
    portfolio: &mut Portfolio<'_>,
    question: &SystemQuestion<'_>,
    first_steps: u64,
    budget: &mut Budget,
) -> Result<Decision, Exhausted> {
    let diagrams = portfolio.takes_diagrams().then(|| Progress::new(question.formula));
    let course = Course::new(question, &Composing::default());
    let mut turns = Turns {
        portfolio,
        question,
        game: None,
        course: Some(Paused { engine: course, held: budget.half().half() }),
        diagrams,
        crowded: Vec::new(),
        nodes: FIRST_NODES,
        stages: 0,
    };
    let mut work = first_steps;
    if question.system.len() > 1 {
        let some = relevant(question).len().min(ASKED_ALONE);
        if let Some(decision) = turns.ask_alone(some, work, budget)? {
            return Ok(decision);
        }
    } else {
        // one process is the whole system
        turns.course = None;
    }
    let mut held = budget.half().half();
    match GameGraph::new(question, Unfolding::Condensed, &mut held) {
        Ok(engine) => turns.game = Some(Paused { engine, held }),
        Err(Exhausted::Memory | Exhausted::States) => turns.crowded.push(ModularEngine::Game),
        Err(why) => return Err(why),
    }
    loop {
        if let Some(decision) = turns.round(work, budget)? {
            return Ok(decision);
        }
        if turns.game.is_none() && turns.course.is_none() && turns.diagrams.is_none() {
            return turns.alone(budget);
        }
        work = work.saturating_add(work / GROWTH + 1);
    }
}

impl Turns<'_, '_, '_> {
    /// One turn of each engine.
    fn round(&mut self, work: u64, budget: &mut Budget) -> Result<Option<Decision>, Exhausted> {
        for turn in [Self::draw, Self::play, Self::compose] {
            let decision = turn(self, work, budget)?;
            // what ended a turn may have been the end of it all
            budget.look()?;
            if decision.is_some() {
                return Ok(decision);
            }
        }
        Ok(None)
    }

    /// What is to be done where a turn has not come to an end: nothing, if it was the turn that was
    /// too short. An engine without memory is left, and has all of it if no other engine decides.
    fn give_up(&mut self, engine: ModularEngine, why: Exhausted) -> Result<bool, Exhausted> {
        match why {
            Exhausted::Time => Ok(false),
            Exhausted::Memory | Exhausted::States => {
                self.crowded.push(engine);
                Ok(true)
            }
            why => Err(why),
        }
    }

    fn ask_alone(
        &mut self,
        some: usize,
        work: u64,
        budget: &mut Budget,
    ) -> Result<Option<Decision>, Exhausted> {
        let Some(Paused { engine, held }) = &mut self.course else { return Ok(None) };
        let found = paused(held, steps(work, COMPOSING), budget, |slice| engine.ask_alone(some, slice))?;
        self.after_course(found, budget)
    }

    fn compose(&mut self, work: u64, budget: &mut Budget) -> Result<Option<Decision>, Exhausted> {
        let Some(Paused { engine, held }) = &mut self.course else { return Ok(None) };
        let share = if engine.stages() > self.stages { COMPOSING } else { STUCK };
        self.stages = engine.stages();
        let nodes = &mut self.nodes;
        let found = paused(held, steps(work, share), budget, |slice| {
            while !engine.compose(*nodes, slice)? {
                *nodes = nodes.saturating_mul(2);
            }
            Ok(true)
        })?;
        self.after_course(found, budget)
    }

    fn after_course(
        &mut self,
        found: Result<bool, Exhausted>,
        budget: &mut Budget,
    ) -> Result<Option<Decision>, Exhausted> {
        let found = match &mut self.course {
            Some(Paused { engine, held }) => {
                found.and_then(|found| held.hold(engine.bytes()).map(|()| found))
            }
            None => return Ok(None),
        };
        match found {
            Ok(true) => {
                let Some(Paused { engine, .. }) = self.course.take() else { return Ok(None) };
                let composed = engine.composed(0);
                self.composed(composed, budget).map(Some)
            }
            Ok(false) => Ok(None),
            Err(why) => {
                if self.give_up(ModularEngine::Compositional, why)? {
                    self.course = None;
                }
                Ok(None)
            }
        }
    }

    /// The answer of processes and their products.
    fn composed(&mut self, composed: Composed, budget: &mut Budget) -> Result<Decision, Exhausted> {
        let value = composed.value;
        let mut doubt = None;
        if !value.is_known() {
            // the nearest cause is looked for in the whole game, if that is not large
            self.game = None;
            let mut slice = budget.slice(DOUBT_STEPS);
            let answer = play(self.question, &mut slice);
            budget.join(&slice)?;
            budget.look()?;
            doubt = answer.ok().and_then(|answer| answer.doubt);
        }
        let decided_by = composed.decided_by().map(<[u32]>::to_vec).unwrap_or_default();
        let is_alone = composed.products.is_empty();
        let nodes = if is_alone { composed.alone.last().map_or(0, |stage| stage.nodes) } else { 0 };
        let engine = ModularEngine::Compositional;
        let composed = (!is_alone).then_some(composed);
        Ok(Decision { value, doubt, engine, decided_by, nodes, composed, states: None })
    }

    fn play(&mut self, work: u64, budget: &mut Budget) -> Result<Option<Decision>, Exhausted> {
        let Some(Paused { engine, held }) = &mut self.game else { return Ok(None) };
        let found = paused(held, steps(work, GAME), budget, |slice| engine.decide_within(usize::MAX, slice))?;
        let found = found.and_then(|found| held.hold(engine.bytes()).map(|()| found));
        match found {
            Ok(Some(value)) if value.is_known() => {
                let (nodes, states) = (engine.len(), engine.product.len());
                Ok(Some(by_game(ProcessesOutcome { value, doubt: None, nodes, states })))
            }
            Ok(Some(_)) => {
                // nothing is known in the whole game: why not?
                self.game = None;
                self.course = None;
                play(self.question, budget).map(by_game).map(Some)
            }
            Ok(None) => Ok(None),
            Err(why) => {
                if self.give_up(ModularEngine::Game, why)? {
                    self.game = None;
                }
                Ok(None)
            }
        }
    }

    fn draw(&mut self, work: u64, budget: &mut Budget) -> Result<Option<Decision>, Exhausted> {
        let Some(progress) = &mut self.diagrams else { return Ok(None) };
        let mut slice = budget.half().slice(steps(work, DIAGRAMS));
        let found = self.portfolio.by_diagrams_from(self.question, progress, &mut slice);
        budget.join(&slice)?;
        match found {
            Ok(decision) => Ok(decision),
            Err(why) => {
                if self.give_up(ModularEngine::Diagrams, why)? {
                    self.diagrams = None;
                    self.portfolio.clear();
                }
                Ok(None)
            }
        }
    }

    /// The engines that had too little memory beside others, one after the other with all of it.
    fn alone(&mut self, budget: &mut Budget) -> Result<Decision, Exhausted> {
        let mut last = Exhausted::Memory;
        let crowded = std::mem::take(&mut self.crowded);
        for engine in [ModularEngine::Diagrams, ModularEngine::Game] {
            if !crowded.contains(&engine) {
                continue;
            }
            self.portfolio.clear();
            let mut part = budget.part();
            let found = match engine {
                ModularEngine::Diagrams => self.portfolio.by_diagrams(self.question, &mut part),
                _ => play(self.question, &mut part).map(|answer| Some(by_game(answer))),
            };
            budget.join(&part)?;
            match found {
                Ok(Some(decision)) => return Ok(decision),
                Ok(None) => {}
                Err(why @ (Exhausted::Memory | Exhausted::States)) => last = why,
                Err(why) => return Err(why),
            }
        }
        self.portfolio.clear();
        Err(last)
    }
}

/// The steps of a turn.
fn steps(work: u64, (times, parts): (u64, u64)) -> u64 {
    (work.saturating_mul(times) / parts).max(1)
}

/// A turn of this many steps with the engine's own share of memory.
fn paused<T>(
    held: &mut Budget,
    steps: u64,
    budget: &mut Budget,
    work: impl FnOnce(&mut Budget) -> Result<T, Exhausted>,
) -> Result<Result<T, Exhausted>, Exhausted> {
    let before = held.spent();
    let mut slice = held.slice(steps);
    let found = work(&mut slice);
    held.join(&slice)?;
    budget.spend(usize::try_from(held.spent() - before).unwrap_or(usize::MAX))?;
    Ok(found)
}
