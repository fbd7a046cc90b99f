//! Colouring by two ordinary parity games over one graph (compositional-3valued, A2 and A3).
//!
//! In the first game `Even` has the certain edges only and loses at unknown terminals; where `Even`
//! wins nevertheless, a node is true. In the second game the same applies to `Odd`, and its wins
//! are false. True nodes are terminals of the second game. Both games are views of the one graph,
//! so nothing is copied. Without uncertain edges and unknown terminals both are the same game,
//! which is solved once. Linear where no component has priorities of both kinds.

use super::TernaryGame;
use crate::arena::Arena;
use crate::solution::NONE;
use crate::solve::{Solver, solve_arena};
use crate::{Player, Solution};
use loris_base::{BitSet, Budget, Exhausted, Truth};

/// The value of every node, with strategies for what is definite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    colours: Vec<Truth>,
    strategy: Vec<u32>,
    terminals: BitSet,
}

impl Colouring {
    /// The values of all nodes, in order.
    pub fn colours(&self) -> &[Truth] {
        &self.colours
    }

    /// The value of a node.
    #[inline]
    pub fn colour(&self, node: u32) -> Truth {
        self.colours[node as usize]
    }

    /// The winning move, along a certain edge: at a true node of `Even` and at a false node of
    /// `Odd`; none elsewhere and at terminals.
    #[inline]
    pub fn successor(&self, node: u32) -> Option<u32> {
        Some(self.strategy[node as usize]).filter(|&next| next != NONE)
    }

    /// Whether the node was a terminal, of the game or by a colour given.
    #[inline]
    pub fn is_terminal(&self, node: u32) -> bool {
        self.terminals.contains(node)
    }

    /// How many nodes have this value.
    pub fn count(&self, value: Truth) -> usize {
        self.colours.iter().filter(|&&colour| colour == value).count()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.colours.capacity() + 4 * self.strategy.capacity() + self.terminals.bytes()
    }
}

/// The value of every node. The colouring stays declared in the budget.
///
/// # Errors
/// The budget ran out.
pub fn colour(game: &TernaryGame, budget: &mut Budget) -> Result<Colouring, Exhausted> {
    colour_given(game, |_| None, budget)
}

/// The value of every node where some are known beforehand (A3): they count as terminals of that
/// value, [`Truth::Unknown`] included.
///
/// # Errors
/// The budget ran out.
pub fn colour_given(
    game: &TernaryGame,
    given: impl Fn(u32) -> Option<Truth>,
    budget: &mut Budget,
) -> Result<Colouring, Exhausted> {
    let nodes = game.len();
    let terminal = |node| given(node).or_else(|| game.value(node));
    let mut terminals = BitSet::within(nodes, budget)?;
    let mut is_ordinary = game.is_certain();
    for node in game.nodes() {
        if let Some(value) = terminal(node) {
            terminals.insert(node);
            is_ordinary &= value.is_known();
        }
    }
    budget.spend(nodes)?;
    budget.charge(nodes)?;
    let mut colours = vec![Truth::Unknown; nodes];

    let view = View { game, careful: Player::Even, terminal: &terminal };
    let first = solve_arena(&view, Solver::Auto, budget)?;
    for node in game.nodes().filter(|&node| first.winner(node) == Player::Even) {
        colours[node as usize] = Truth::True;
    }
    if is_ordinary {
        // nothing can be unknown, and the strategies of both players are there
        for colour in colours.iter_mut().filter(|colour| !colour.is_known()) {
            *colour = Truth::False;
        }
        let (odd, strategy) = first.into_parts();
        budget.release(odd.bytes());
        return Ok(Colouring { colours, strategy, terminals });
    }
    let is_true = |node: u32| first.winner(node) == Player::Even;
    let terminal = |node| if is_true(node) { Some(Truth::True) } else { terminal(node) };
    let view = View { game, careful: Player::Odd, terminal: &terminal };
    let second = solve_arena(&view, Solver::Auto, budget)?;
    for node in game.nodes().filter(|&node| second.winner(node) == Player::Odd) {
        colours[node as usize] = Truth::False;
    }
    budget.spend(2 * nodes)?;

    budget.release(second.bytes());
    let strategy = combined(&colours, first, &second, budget);
    Ok(Colouring { colours, strategy, terminals })
}

/// The moves of the first solution at true nodes, and of the second at false ones.
fn combined(colours: &[Truth], first: Solution, second: &Solution, budget: &mut Budget) -> Vec<u32> {
    let (odd, mut strategy) = first.into_parts();
    budget.release(odd.bytes());
    for (node, &colour) in colours.iter().enumerate() {
        match colour {
            Truth::True => {}
            Truth::False => strategy[node] = second.successor(node as u32).unwrap_or(NONE),
            Truth::Unknown => strategy[node] = NONE,
        }
    }
    strategy
}

/// A three-valued game as an ordinary one in which one player is careful: has the certain edges
/// only, and loses at unknown terminals.
struct View<'g, T> {
    game: &'g TernaryGame,
    careful: Player,
    terminal: &'g T,
}

impl<T: Fn(u32) -> Option<Truth>> Arena for View<'_, T> {
    fn len(&self) -> usize {
        self.game.len()
    }

    #[inline]
    fn owner(&self, node: u32) -> Player {
        match (self.terminal)(node) {
            None => self.game.owner(node),
            Some(Truth::True) => Player::Odd,
            Some(Truth::False) => Player::Even,
            Some(Truth::Unknown) => self.careful,
        }
    }

    #[inline]
    fn priority(&self, node: u32) -> u32 {
        self.game.priority(node)
    }

    #[inline]
    fn successors(&self, node: u32) -> &[u32] {
        if (self.terminal)(node).is_some() {
            &[]
        } else if self.game.owner(node) == self.careful {
            self.game.certain(node)
        } else {
            self.game.successors(node)
        }
    }

    #[inline]
    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let (must, may) = self.game.predecessors(node);
        let may = may.iter().filter(|&&before| self.game.owner(before) != self.careful);
        must.iter().chain(may).copied().filter(|&before| (self.terminal)(before).is_none())
    }
}
