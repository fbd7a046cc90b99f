//! The symbolic algorithm with relevant sets (*Compositional Verification and 3-Valued Abstractions
//! Join Forces*, section 6.2; compositional-3valued, A13), for processes with uncertain steps and
//! unknown labels, too.
//!
//! 1. The game of each process is coloured with all others unknown (A2). What is true or false in a
//!    local state is so in all global states with it.
//! 2. From the initial state with the whole formula outwards, the *relevant* states of each
//!    subformula are found: a subformula matters in a state if one above it is undecided there, or
//!    in a state before it. Nothing behind decided pairs is looked at.
//! 3. On the relevant states, the formula is evaluated twice, for where it is true and for where it
//!    is false. What processes have decided counts as constants.
//!
//! Sets are decision diagrams with one level for each process. All three steps pause where a limit
//! ends them and go on from there.

mod evaluate;
mod reach;
mod space;

use crate::question::SystemQuestion;
use evaluate::Evaluation;
use loris_base::{Budget, Exhausted, Truth};
use reach::Relevant;
use space::Space;

/// What the engine found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelevantOutcome {
    /// Whether the formula holds in the initial state.
    pub value: Truth,
    /// The process that decided alone, by number.
    pub decided_by: Option<u32>,
    /// How many pairs of a state and a subformula are relevant; rounded where they are many.
    pub relevant: f64,
    /// How many of these no process decides.
    pub undecided: f64,
}

/// What comes next.
enum Stage {
    Alone,
    Reach,
    /// where the formula is true, or where it is false
    Evaluate(Truth, Box<Evaluation>),
}

/// The engine at work on one question.
pub(crate) struct Symbolic<'q> {
    question: &'q SystemQuestion<'q>,
    space: Space<'q>,
    relevant: Relevant,
    stage: Stage,
}

impl<'q> Symbolic<'q> {
    /// Nothing is computed yet.
    pub(crate) fn new(question: &'q SystemQuestion<'q>) -> Self {
        Self {
            question,
            space: Space::new(question),
            relevant: Relevant::new(question.formula),
            stage: Stage::Alone,
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.space.bytes()
    }

    /// Decides, going on from where limits have ended it before.
    pub(crate) fn run(&mut self, budget: &mut Budget) -> Result<RelevantOutcome, Exhausted> {
        budget.note(self.bytes())?;
        let root = self.question.formula.root();
        loop {
            match &mut self.stage {
                Stage::Alone => {
                    if let Some((process, value)) = self.space.ask_alone(budget)? {
                        let decided_by = Some(process);
                        return Ok(RelevantOutcome { value, decided_by, relevant: 0.0, undecided: 0.0 });
                    }
                    self.stage = Stage::Reach;
                }
                Stage::Reach => {
                    self.relevant.run(&mut self.space, budget)?;
                    self.stage = self.evaluation(Truth::True);
                }
                Stage::Evaluate(side, evaluation) => {
                    let side = *side;
                    let set = evaluation.run(&mut self.space, &self.relevant, budget)?;
                    let value = if self.space.is_initial(&set) {
                        side
                    } else if side == Truth::True && !self.question.system.is_concrete() {
                        self.stage = self.evaluation(Truth::False);
                        continue;
                    } else if side == Truth::True {
                        // without uncertain steps and labels, what is not true is false
                        Truth::False
                    } else {
                        Truth::Unknown
                    };
                    debug_assert!(!self.relevant.of(root).is_empty(), "the root is relevant");
                    let (relevant, undecided) = self.relevant.sizes(&mut self.space, budget)?;
                    return Ok(RelevantOutcome { value, decided_by: None, relevant, undecided });
                }
            }
        }
    }

    fn evaluation(&self, side: Truth) -> Stage {
        Stage::Evaluate(side, Box::new(Evaluation::new(self.question.formula, side, &self.relevant)))
    }
}

/// Decides a question with diagrams of relevant states.
///
/// # Errors
/// The budget ran out.
pub fn check_relevant(
    question: &SystemQuestion<'_>,
    budget: &mut Budget,
) -> Result<RelevantOutcome, Exhausted> {
    Symbolic::new(question).run(budget)
}

/// The same in turns of this many steps, each of which goes on from where the last one ended.
///
/// # Errors
/// The budget ran out.
pub fn check_relevant_by_turns(
    question: &SystemQuestion<'_>,
    turn: u64,
    budget: &mut Budget,
) -> Result<RelevantOutcome, Exhausted> {
    let mut engine = Symbolic::new(question);
    let mut length = turn.max(1);
    loop {
        let mut slice = budget.slice(length);
        let found = engine.run(&mut slice);
        budget.join(&slice)?;
        match found {
            Err(Exhausted::Time) => budget.look()?,
            found => return found,
        }
        // what cannot be paused inside may need a longer turn
        length = length.saturating_add(length / 4).saturating_add(1);
    }
}
