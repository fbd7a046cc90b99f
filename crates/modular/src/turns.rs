//! All engines for parallel processes, in turns, until one decides.
//!
//! First the processes that the formula mentions, each alone, and a little of the game. Then the
//! engines take turns: each goes on from where it stopped, the next turn is that of the engine that
//! has had least by its share, and is a part of what that engine has had so far. Turns are counted
//! in steps of work, not in seconds, so that it does not depend on the machine which engine
//! decides; how long steps take differs from engine to engine, and is made up for by shares that
//! were measured. So the work is at most a small multiple of that of the engine that is best for
//! the question.
//!
//! A turn may be longer than planned where an engine has to finish what it cannot pause; then the
//! others have longer turns, too.

use crate::answer::{ProcessesOutcome, play};
use crate::compositional::{Composed, Composing, Course, relevant};
use crate::diagrams::Progress;
use crate::game::{GameGraph, Unfolding};
use crate::pace::{PART, Paused, WHOLE};
use crate::portfolio::{
    Decision, ModularEngine, Portfolio, by_game, by_relevant, by_relevant_alone, doubt_of,
};
use crate::question::SystemQuestion;
use crate::relevant::Symbolic;
use loris_base::{Budget, Exhausted};

/// The first turn of diagrams, in least turns: it decides most questions, and it is not long.
const FIRST_OF_DIAGRAMS: u64 = 32;

/// The shares of diagrams and of the game in steps, of which those of diagrams take about twice as
/// long: the engine that is likely to be first has two thirds of the time, and the other one third,
/// less what products get. So the first takes 1.5 times as long as it would alone, and the second
/// about three times.
const DIAGRAMS: Shares = Shares { lead: WHOLE, other: 15 };
const GAME: Shares = Shares { lead: 60, other: 26 };

/// The share of an engine that is likely to be first, and of one that is not.
struct Shares {
    lead: u64,
    other: u64,
}

impl Shares {
    fn of(&self, leads: bool) -> u64 {
        if leads { self.lead } else { self.other }
    }
}

/// The game is ahead of diagrams if it has met all states but for this factor.
const GOOD_PART: f64 = 8.0;
/// The least number of found states that shows how far diagrams are.
const SOME: f64 = 64.0;
/// The part of the work of diagrams that may be spent on counting states.
const COUNTING: u64 = 16;
/// Products get less, and little if no further process was composed in the last turn.
const COMPOSING: u64 = 3;
const STUCK: u64 = 1;

/// How many processes are asked alone before the engines take turns.
const ASKED_ALONE: usize = 16;

/// Nodes of products in the first turn; more as long as there is time for them.
const FIRST_NODES: usize = 1 << 12;

/// The engines at work on one question.
struct Turns<'p, 'a, 'q> {
    portfolio: &'p mut Portfolio<'a>,
    question: &'q SystemQuestion<'q>,
    game: Option<Paused<GameGraph<'q>>>,
    course: Option<Paused<Course<'q>>>,
    /// none if decision diagrams are not for the system, or ran out of memory
    diagrams: Option<Paused<Progress>>,
    /// in their place then
    symbolic: Option<Paused<Symbolic<'q>>>,
    /// engines that ran out of memory while others held some, too
    crowded: Vec<ModularEngine>,
    /// how many nodes products may have in all
    nodes: usize,
    /// how far they had come before the last turn
    stages: usize,
    game_leads: bool,
    /// the states that diagrams have found, while they look for more
    found: f64,
    first_steps: u64,
}

impl Portfolio<'_> {
    /// Decides by all engines in turns.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn decide(
        &mut self,
        question: &SystemQuestion<'_>,
        budget: &mut Budget,
    ) -> Result<Decision, Exhausted> {
        in_turns(self, question, budget)
    }
}

fn in_turns(
    portfolio: &mut Portfolio<'_>,
    question: &SystemQuestion<'_>,
    budget: &mut Budget,
) -> Result<Decision, Exhausted> {
    let first_steps = portfolio.first_steps;
    let is_one = question.system.len() == 1;
    let course = (!is_one).then(|| Course::new(question, &Composing::default()));
    let quarter = budget.half().half();
    let mut turns = Turns {
        diagrams: portfolio
            .takes_diagrams()
            .then(|| Paused::new(Progress::new(question.formula), budget.half())),
        symbolic: (!portfolio.takes_diagrams() && !is_one)
            .then(|| Paused::new(Symbolic::new(question), budget.half())),
        portfolio,
        question,
        game: None,
        course: course.map(|course| Paused::new(course, quarter)),
        crowded: Vec::new(),
        nodes: FIRST_NODES,
        stages: 0,
        game_leads: false,
        found: 0.0,
        first_steps,
    };
    let some = relevant(question).len().min(ASKED_ALONE);
    if let Some(decision) = turns.compose(Some(some), budget)? {
        return Ok(decision);
    }
    let mut held = budget.half().half();
    match GameGraph::new(question, Unfolding::Condensed, &mut held) {
        Ok(engine) => turns.game = Some(Paused::new(engine, held)),
        Err(Exhausted::Memory | Exhausted::States) => turns.crowded.push(ModularEngine::Game),
        Err(why) => return Err(why),
    }
    if let Some(decision) = turns.play(budget)? {
        return Ok(decision);
    }
    loop {
        turns.game_leads = turns.game_is_ahead();
        let next = [
            turns.diagrams.as_ref().map(|paused| (paused.time, ModularEngine::Diagrams)),
            turns.game.as_ref().map(|paused| (paused.time, ModularEngine::Game)),
            turns.course.as_ref().map(|paused| (paused.time, ModularEngine::Compositional)),
            turns.symbolic.as_ref().map(|paused| (paused.time, ModularEngine::Relevant)),
        ];
        let Some((_, engine)) = next.into_iter().flatten().min_by_key(|&(time, _)| time) else {
            return turns.alone(budget);
        };
        let decision = match engine {
            ModularEngine::Diagrams => turns.draw(budget)?,
            ModularEngine::Game => turns.play(budget)?,
            ModularEngine::Compositional => turns.compose(None, budget)?,
            ModularEngine::Relevant => turns.relate(budget)?,
        };
        // what ended a turn may have been the end of it all
        budget.look()?;
        if let Some(decision) = decision {
            return Ok(decision);
        }
    }
}

impl Turns<'_, '_, '_> {
    /// What is to be done where a turn has not come to an end: nothing, if it was the turn that was
    /// too short. An engine without memory is left, and has all of it if no other engine decides.
    fn give_up(&mut self, engine: ModularEngine, why: Exhausted) -> Result<bool, Exhausted> {
        match why {
            Exhausted::Time => Ok(false),
            Exhausted::Memory | Exhausted::States => {
                self.crowded.push(engine);
                Ok(true)
            }
            Exhausted::Interrupted => Err(why),
        }
    }

    /// Asks some processes alone, or composes.
    fn compose(&mut self, some: Option<usize>, budget: &mut Budget) -> Result<Option<Decision>, Exhausted> {
        let Some(paused) = &mut self.course else { return Ok(None) };
        let stages = paused.engine.stages();
        let share = if some.is_some() || stages > self.stages { COMPOSING } else { STUCK };
        self.stages = stages;
        let nodes = &mut self.nodes;
        let found = paused.go_on(self.first_steps, share, budget, |course, pause, slice| {
            course.pause_at(pause);
            if let Some(some) = some {
                return course.ask_alone(some, slice);
            }
            while slice.spent() < pause {
                if course.compose(*nodes, slice)? {
                    return Ok(true);
                }
                slice.spend(1)?;
                if slice.spent() < pause {
                    *nodes = nodes.saturating_mul(2);
                }
            }
            Ok(false)
        })?;
        match found.and_then(|found| paused.held.hold(paused.engine.bytes()).map(|()| found)) {
            Ok(true) => {
                let Some(Paused { engine, .. }) = self.course.take() else { return Ok(None) };
                self.composed(engine.composed(0), budget).map(Some)
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
            doubt = doubt_of(self.question, budget)?;
        }
        let decided_by = composed.decided_by().map(<[u32]>::to_vec).unwrap_or_default();
        let is_alone = composed.products.is_empty();
        let nodes = if is_alone { composed.alone.last().map_or(0, |stage| stage.nodes) } else { 0 };
        let engine = ModularEngine::Compositional;
        let composed = (!is_alone).then_some(composed);
        Ok(Decision { value, doubt, engine, decided_by, nodes, composed, relevant: None, states: None })
    }

    /// Whether the game is likely to be first: where diagrams are not for the system; where it has
    /// met a good part of all states, which diagrams know, and have not decided yet; and where
    /// diagrams have found fewer states than it has met, though not next to none: they may find
    /// most at last.
    fn game_is_ahead(&self) -> bool {
        let met = self.game.as_ref().map_or(0, |game| game.engine.product.len()) as f64;
        let is_far = match self.portfolio.all_states() {
            Some(all) => met * GOOD_PART >= all,
            None => self.found >= SOME && self.found < met,
        };
        self.diagrams.is_none() || is_far
    }

    /// Unfolds the game.
    fn play(&mut self, budget: &mut Budget) -> Result<Option<Decision>, Exhausted> {
        let Some(paused) = &mut self.game else { return Ok(None) };
        let share = GAME.of(self.game_leads);
        let found = paused.go_on(self.first_steps, share, budget, |game, pause, slice| {
            game.decide_within(usize::MAX, pause, slice)
        })?;
        match found.and_then(|found| paused.held.hold(paused.engine.bytes()).map(|()| found)) {
            Ok(Some(value)) if value.is_known() => {
                let game = &paused.engine;
                let (nodes, states) = (game.len(), game.product.len());
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

    /// Computes sets of states.
    fn draw(&mut self, budget: &mut Budget) -> Result<Option<Decision>, Exhausted> {
        let Some(paused) = &mut self.diagrams else { return Ok(None) };
        let first = self.first_steps.saturating_mul(FIRST_OF_DIAGRAMS);
        let share = DIAGRAMS.of(!self.game_leads);
        let mut slice = budget.half().slice(first.max(paused.had / PART));
        let before = slice.spent();
        let decided = self.portfolio.by_diagrams_from(self.question, &mut paused.engine, &mut slice);
        paused.count(slice.spent() - before, share);
        budget.join(&slice)?;
        match decided {
            Ok(decision) => return Ok(decision),
            Err(why) => {
                if self.give_up(ModularEngine::Diagrams, why)? {
                    self.diagrams = None;
                    self.portfolio.clear();
                } else {
                    self.count(budget)?;
                }
            }
        }
        Ok(None)
    }

    /// Computes sets of relevant states.
    fn relate(&mut self, budget: &mut Budget) -> Result<Option<Decision>, Exhausted> {
        let Some(paused) = &mut self.symbolic else { return Ok(None) };
        let mut slice = budget.half().slice(self.first_steps.max(paused.had / PART));
        let before = slice.spent();
        let found = paused.engine.run(&mut slice);
        paused.count(slice.spent() - before, DIAGRAMS.of(false));
        budget.join(&slice)?;
        match found {
            Ok(found) => {
                (self.game, self.course) = (None, None);
                let is_open = !found.value.is_known();
                let doubt = if is_open { doubt_of(self.question, budget)? } else { None };
                Ok(Some(by_relevant(found, doubt)))
            }
            Err(why) => {
                if self.give_up(ModularEngine::Relevant, why)? {
                    self.symbolic = None;
                }
                Ok(None)
            }
        }
    }

    /// Counts the states that diagrams have found, unless that is much work.
    fn count(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let Some(paused) = &mut self.diagrams else { return Ok(()) };
        let mut slice = budget.half().slice(paused.had / COUNTING);
        let before = slice.spent();
        if let Ok(found) = self.portfolio.at_least(&mut slice) {
            self.found = self.found.max(found);
        }
        paused.count(slice.spent() - before, DIAGRAMS.of(!self.game_leads));
        budget.join(&slice)
    }

    /// The engines that had too little memory beside others, one after the other with all of it.
    fn alone(&mut self, budget: &mut Budget) -> Result<Decision, Exhausted> {
        let mut last = Exhausted::Memory;
        let crowded = std::mem::take(&mut self.crowded);
        for engine in [ModularEngine::Diagrams, ModularEngine::Relevant, ModularEngine::Game] {
            if !crowded.contains(&engine) {
                continue;
            }
            self.portfolio.clear();
            let mut part = budget.part();
            let found = match engine {
                ModularEngine::Diagrams => self.portfolio.by_diagrams(self.question, &mut part),
                ModularEngine::Relevant => by_relevant_alone(self.question, &mut part).map(Some),
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
