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
mod hiding;
mod order;
mod piece;
mod reduce;
mod stutter;

use crate::answer::play;
use crate::game::{GameGraph, Unfolding};
use crate::question::SystemQuestion;
pub(crate) use compose::{Stop, compose};
use hiding::check_hiding;
use loris_base::{Budget, Exhausted, Truth};
pub(crate) use order::relevant;
use order::{next_process, relevance};
use piece::lift;
pub(crate) use piece::{Known, Lifted, Local, Piece, lift_given};

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

/// What part of the nodes products with actions hidden may have: where they do not become small,
/// the rest is for others.
const HIDING_SHARE: usize = 8;

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
    let mut result = Composed {
        value: Truth::Unknown,
        alone: Vec::new(),
        products: Vec::new(),
        hidden: false,
        tried: 0,
        whole: None,
    };
    let mut pieces: Vec<Option<Piece>> = vec![None; question.system.len()];
    for process in relevance(question) {
        let piece = lift(question, process, budget)?;
        let colouring = piece.colour(question, budget)?;
        let nodes = piece.len();
        result.value = colouring.colour(0);
        if result.value.is_known() || question.system.len() == 1 {
            result.alone.push(Stage { processes: vec![process], nodes, undecided: 0 });
            return Ok(result);
        }
        let undecided = cut(question, &piece, &colouring, composing, budget)?;
        result.alone.push(Stage { processes: vec![process], nodes, undecided: undecided.len() });
        pieces[process as usize] = Some(undecided);
    }
    let most = match start(budget)? {
        Start::Compose { most, tried } => {
            result.tried = tried;
            most
        }
        Start::Decided(value, nodes) => {
            result.value = value;
            result.whole = Some(nodes);
            return Ok(result);
        }
    };
    let first = order::first_process(&result.alone);
    let mut made = 0;
    if composing.hide
        && let Some(hidden) = check_hiding(question, first, most / HIDING_SHARE, budget)?
    {
        made = hidden.stages.iter().map(|stage| stage.nodes).sum();
        result.products = hidden.stages;
        if let Some(value) = hidden.value {
            result.value = value;
            result.hidden = true;
            return Ok(result);
        }
    }
    let mut order = vec![first];
    let mut current = pieces[first as usize].take().expect("every process has its piece");
    while let Some(process) = next_process(question, &current, &pieces) {
        let other = pieces[process as usize].take().expect("processes are chosen once");
        order.push(process);
        let limit = most.saturating_sub(made);
        let product = match compose(question, &current, &other, limit, budget) {
            Ok((product, _)) => product,
            Err(Stop::Exhausted(exhausted)) => return Err(exhausted),
            Err(Stop::TooLarge) => {
                result.products.push(Stage { processes: order, nodes: limit, undecided: 0 });
                drop((current, other, pieces));
                return on_the_fly(question, result, budget);
            }
        };
        made += product.len();
        let colouring = product.colour(question, budget)?;
        let nodes = product.len();
        result.value = colouring.colour(0);
        if result.value.is_known() || product.is_whole() {
            result.products.push(Stage { processes: order, nodes, undecided: 0 });
            return Ok(result);
        }
        current = cut(question, &product, &colouring, composing, budget)?;
        result.products.push(Stage { processes: order.clone(), nodes, undecided: current.len() });
    }
    Ok(result)
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
