//! Decides a question process by process (compositional-3valued, A8, A14 and A15).
//!
//! Each process is checked alone, with the others unknown; what one decides is decided. Else the
//! undecided part of its game is composed with that of another process, which shares actions with
//! it; the product is coloured, cut down to what is still undecided, reduced modulo bisimulation,
//! and so on until the root has a value. With all processes composed, it has one. Where the
//! products grow beyond what the whole game is expected to have, the question is left to the game
//! on the fly.
//!
//! Invariant: a value found for a node of a piece is the value of every global state above it, for
//! all that the processes outside may do. The oracles are the whole game and `tests/naive.rs`.

mod compose;
mod course;
mod hiding;
mod order;
mod piece;
mod reduce;
mod stutter;

use crate::answer::play;
use crate::game::{GameGraph, Unfolding};
use crate::question::SystemQuestion;
pub(crate) use compose::{Stop, compose};
pub(crate) use course::Course;
use loris_base::{Budget, Exhausted, Truth};
pub(crate) use order::relevant;
use piece::lift;
pub(crate) use piece::{Known, Lifted, Local, Nothing, Piece, lift_given};

/// How processes are composed.
#[derive(Clone, Copy, Debug)]
pub struct Composing {
    /// Whether undecided games are reduced modulo bisimulation.
    pub reduce: bool,
    /// Whether processes are composed with everything hidden that nobody looks at, and reduced
    /// modulo branching bisimulation, where the formula allows it.
    pub hide: bool,
    /// How many nodes products may have in all before the game on the fly takes over.
    pub limit: usize,
}

impl Default for Composing {
    fn default() -> Self {
        Self { reduce: true, hide: true, limit: usize::MAX }
    }
}

/// One step on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The processes at hand, by number.
    pub processes: Vec<u32>,
    /// Nodes of the game of these processes.
    pub nodes: usize,
    /// Nodes of the part of it that stays undecided, reduced; 0 if the question is decided.
    pub undecided: usize,
}

/// The answer of the compositional engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// Whether the formula holds in the initial state.
    pub value: Truth,
    /// Processes alone, in the order they were looked at.
    pub alone: Vec<Stage>,
    /// Products of undecided games, in the order they were made.
    pub products: Vec<Stage>,
    /// Whether the products were made with everything hidden that nobody looks at.
    pub hidden: bool,
    /// Nodes of the game on the fly that were made before anything was composed.
    pub tried: usize,
    /// Nodes of the game on the fly, if it took over.
    pub whole: Option<usize>,
}

impl Composed {
    /// How many nodes of products were made, those of the game on the fly included.
    pub fn product_nodes(&self) -> usize {
        let products: usize = self.products.iter().map(|stage| stage.nodes).sum();
        products + self.tried + self.whole.unwrap_or(0)
    }

    /// The processes that decided, by number; none if the game on the fly did.
    pub fn decided_by(&self) -> Option<&[u32]> {
        if self.whole.is_some() {
            return None;
        }
        self.products.last().or(self.alone.last()).map(|stage| stage.processes.as_slice())
    }
}

/// Decides a question process by process.
///
/// # Errors
/// The budget ran out.
pub fn check_compositional(
    question: &SystemQuestion<'_>,
    composing: &Composing,
    budget: &mut Budget,
) -> Result<Composed, Exhausted> {
    check_within(question, composing, &mut |_| Ok(Start::Compose { most: composing.limit, tried: 0 }), budget)
}

/// How to go on where no process decides alone.
pub(crate) enum Start {
    /// Compose, with at most this many nodes; this many were made on the fly.
    Compose { most: usize, tried: usize },
    /// Compose, with at most half as many nodes as the game on the fly has at the same time.
    Beside,
    /// The game on the fly has decided, with this many nodes.
    Decided(Truth, usize),
}

/// The same, where it is found out how to go on only if no process decides alone.
pub(crate) fn check_within(
    question: &SystemQuestion<'_>,
    composing: &Composing,
    start: &mut dyn FnMut(&mut Budget) -> Result<Start, Exhausted>,
    budget: &mut Budget,
) -> Result<Composed, Exhausted> {
    let mut course = Course::new(question, composing);
    if course.ask_alone(usize::MAX, budget)? {
        return Ok(course.composed(0));
    }
    match start(budget)? {
        Start::Compose { most, tried } => {
            if course.compose(most, budget)? {
                return Ok(course.composed(tried));
            }
            on_the_fly(question, course.composed(tried), budget)
        }
        Start::Beside => beside(question, course, budget),
        Start::Decided(value, nodes) => Ok(Composed { value, whole: Some(nodes), ..course.composed(0) }),
    }
}

/// Nodes of the game on the fly in the first turn beside products.
const FIRST_TURN: usize = 1 << 6;

/// Makes products and the game on the fly by turns: products have at most half as many nodes as the
/// game. So whichever of them decides, no more is made than 1.5 times the whole game.
fn beside(
    question: &SystemQuestion<'_>,
    mut course: Course<'_>,
    budget: &mut Budget,
) -> Result<Composed, Exhausted> {
    let mut held = budget.half();
    let mut game = GameGraph::new(question, Unfolding::Condensed, &mut held)?;
    let mut nodes = FIRST_TURN;
    loop {
        let before = held.spent();
        let decided = game.decide_within(nodes, u64::MAX, &mut held);
        budget.spend(usize::try_from(held.spent() - before).unwrap_or(usize::MAX))?;
        match decided {
            Ok(None) => {}
            Ok(Some(value)) => {
                return Ok(Composed { value, whole: Some(game.len()), ..course.composed(0) });
            }
            Err(Exhausted::Memory | Exhausted::States) => {
                // what is left is for the game alone
                drop(game);
                return on_the_fly(question, course.composed(0), budget);
            }
            Err(why) => return Err(why),
        }
        let mut part = budget.half();
        let is_decided = course.compose(game.len() / 2, &mut part);
        budget.join(&part)?;
        match is_decided {
            Ok(true) => return Ok(course.composed(game.len())),
            Ok(false) => {}
            Err(Exhausted::Memory | Exhausted::States) => {
                drop((course, game));
                let none = Course::new(question, &Composing::default()).composed(0);
                return on_the_fly(question, none, budget);
            }
            Err(why) => return Err(why),
        }
        nodes = nodes.saturating_mul(2);
    }
}

/// The value of the question in one process with all others unknown, and the nodes of its game.
pub(crate) fn alone(
    question: &SystemQuestion<'_>,
    process: u32,
    budget: &mut Budget,
) -> Result<(Truth, usize), Exhausted> {
    let mark = budget.used();
    let piece = lift(question, process, budget)?;
    let value = piece.colour(question, budget)?.colour(0);
    let nodes = piece.len();
    drop(piece);
    let used = budget.used();
    budget.release(used - mark);
    Ok((value, nodes))
}

/// The undecided part of a piece, reduced.
fn cut(
    question: &SystemQuestion<'_>,
    piece: &Piece,
    colouring: &loris_games::ternary::Colouring,
    composing: &Composing,
    budget: &mut Budget,
) -> Result<Piece, Exhausted> {
    let undecided = piece.undecided(question, colouring, budget)?;
    if composing.reduce { reduce::reduce(&undecided, budget) } else { Ok(undecided) }
}

fn on_the_fly(
    question: &SystemQuestion<'_>,
    mut result: Composed,
    budget: &mut Budget,
) -> Result<Composed, Exhausted> {
    let answer = play(question, budget)?;
    result.value = answer.value;
    result.whole = Some(answer.nodes);
    Ok(result)
}

/// How many nodes the whole game has, by building it.
///
/// # Errors
/// The budget ran out.
pub fn whole_game(question: &SystemQuestion<'_>, budget: &mut Budget) -> Result<usize, Exhausted> {
    let mut game = GameGraph::new(question, Unfolding::Full, budget)?;
    game.unfold_all(budget)?;
    Ok(game.len())
}
