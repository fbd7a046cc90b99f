//! The part of a coloured game that stays unknown, and why.
//!
//! An unknown node is unknown because of its *witnessing* successors: those that are not true where
//! `Odd` moves, and those that are not false where `Even` moves (compositional-3valued, A4).

use super::{Colouring, Edge, TernaryBuilder, TernaryGame};
use crate::Player;
use crate::solution::NONE;
use loris_base::{BitSet, Budget, Exhausted, Truth};

/// A game cut out of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The game; its root is node 0.
    pub game: TernaryGame,
    /// For each node of it, the node of the whole game.
    pub nodes: Vec<u32>,
}

/// Why a node is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A terminal is unknown.
    Tie(u32),
    /// A move may or may not exist.
    MayStep {
        /// The node whose owner would move.
        from: u32,
        /// Where the move leads.
        to: u32,
    },
}

/// The witnessing edges of an unknown node.
fn witnesses<'g>(
    game: &'g TernaryGame,
    colouring: &'g Colouring,
    node: u32,
) -> impl Iterator<Item = Edge> + 'g {
    let useless = if game.owner(node) == Player::Odd { Truth::True } else { Truth::False };
    game.edges_of(node).filter(move |edge| colouring.colour(edge.to) != useless)
}

/// The part of a game that decides an unknown root (A5): unknown nodes with all their witnessing
/// successors, of which those that are definite become terminals. A definite root is a terminal.
///
/// The nodes are numbered breadth first; both lists stay declared in the budget.
///
/// # Errors
/// The budget ran out.
pub fn undecided(
    game: &TernaryGame,
    colouring: &Colouring,
    root: u32,
    budget: &mut Budget,
) -> Result<Undecided, Exhausted> {
    let held = 4 * game.len();
    budget.charge(held)?;
    let mut numbers = vec![NONE; game.len()];
    let mut nodes = Vec::new();
    budget.reserve(&mut nodes, 1)?;
    nodes.push(root);
    numbers[root as usize] = 0;
    let (mut builder, mut row) = (TernaryBuilder::default(), Vec::new());
    let mut done = 0;
    while let Some(&node) = nodes.get(done) {
        done += 1;
        let colour = colouring.colour(node);
        if colour.is_known() || colouring.is_terminal(node) {
            builder.terminal(colour, budget)?;
            continue;
        }
        row.clear();
        let room = game.successors(node).len();
        budget.reserve(&mut row, room)?;
        budget.reserve(&mut nodes, room)?;
        for edge in witnesses(game, colouring, node) {
            let number = &mut numbers[edge.to as usize];
            if *number == NONE {
                *number = nodes.len() as u32;
                nodes.push(edge.to);
            }
            row.push(Edge { to: *number, ..edge });
        }
        builder.push(game.owner(node), game.priority(node), &row, budget)?;
    }
    budget.free(row);
    drop(numbers);
    budget.release(held);
    Ok(Undecided { game: builder.finish(budget)?, nodes })
}

/// The nearest reason why a node is unknown (A9): an unknown terminal, or a move that may not exist
/// although its target matters. None if the node is definite.
///
/// # Errors
/// The budget ran out.
pub fn cause(
    game: &TernaryGame,
    colouring: &Colouring,
    root: u32,
    budget: &mut Budget,
) -> Result<Option<Cause>, Exhausted> {
    if colouring.colour(root).is_known() {
        return Ok(None);
    }
    let mut seen = BitSet::within(game.len(), budget)?;
    let mut queue = Vec::new();
    budget.reserve(&mut queue, 1)?;
    queue.push(root);
    seen.insert(root);
    let (mut done, mut found) = (0, None);
    while let Some(&node) = queue.get(done) {
        done += 1;
        budget.spend(1 + game.successors(node).len())?;
        if colouring.is_terminal(node) {
            found = Some(Cause::Tie(node));
            break;
        }
        if let Some(step) = witnesses(game, colouring, node).find(|edge| !edge.must) {
            found = Some(Cause::MayStep { from: node, to: step.to });
            break;
        }
        budget.reserve(&mut queue, game.successors(node).len())?;
        for edge in witnesses(game, colouring, node) {
            if !colouring.colour(edge.to).is_known() && !seen.contains(edge.to) {
                seen.insert(edge.to);
                queue.push(edge.to);
            }
        }
    }
    budget.release(seen.bytes());
    budget.free(queue);
    debug_assert!(found.is_some(), "an unknown node has a cause");
    Ok(found)
}
