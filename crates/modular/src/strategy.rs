//! The winning strategy of a definite verdict, as evidence.

use crate::game::{GameGraph, Unfolding};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_evidence::{Move, Strategy};
use loris_games::Player;
use loris_logic::mu::MuId;
use loris_lts::GlobalState;

/// How many nodes of the game are unfolded for a strategy.
const MOST_NODES: usize = 1 << 21;

/// How many moves a strategy may have, and how many local states it may list: some seconds of
/// replay, and some tens of megabytes.
const MOST_MOVES: usize = 1 << 18;
const MOST_LISTED: usize = 1 << 22;

/// The strategy that wins the game of the question, for the player whom its value is for; none if
/// the value is unknown, or the strategy too large.
///
/// # Errors
/// The budget ran out.
pub fn winning_strategy(
    question: &SystemQuestion<'_>,
    shows: &str,
    budget: &mut Budget,
) -> Result<Option<Strategy<GlobalState>>, Exhausted> {
    let mut graph = GameGraph::new(question, Unfolding::Full, budget)?;
    let winner = match graph.decide_within(MOST_NODES, u64::MAX, budget)? {
        Some(Truth::True) => Player::Even,
        Some(Truth::False) => Player::Odd,
        Some(Truth::Unknown) | None => return Ok(None),
    };
    let root = graph.root(budget)?;
    let (game, colouring) = graph.coloured(budget)?;
    let state = |node: u32| {
        let mut local = Vec::new();
        graph.product.decode(graph.node(node).state, &mut local);
        GlobalState(local)
    };
    let mut numbers: Vec<Option<usize>> = vec![None; question.formula.len()];
    let mut formulas: Vec<String> = Vec::new();
    let mut number = |formula: MuId| {
        *numbers[formula.index()].get_or_insert_with(|| {
            formulas.push(question.formula.print(formula));
            formulas.len() - 1
        })
    };
    let most_moves = MOST_MOVES.min(MOST_LISTED / (2 * question.system.len()));
    let mut moves = Vec::new();
    let mut seen = vec![false; game.len()];
    let mut stack = vec![root];
    seen[root as usize] = true;
    while let Some(node) = stack.pop() {
        let chosen = colouring.successor(node).filter(|_| game.owner(node) == winner);
        let next: Vec<u32> = match (game.value(node), chosen) {
            (Some(_), _) => continue,
            (None, Some(to)) => {
                if game.successors(node).len() > 1 {
                    if moves.len() == most_moves {
                        return Ok(None);
                    }
                    let (formula, next) = (graph.node(node).formula, graph.node(to).formula);
                    let (formula, next) = (number(formula), number(next));
                    moves.push(Move { from: state(node), formula, to: state(to), next });
                }
                vec![to]
            }
            (None, None) => game.successors(node).to_vec(),
        };
        budget.spend(1 + next.len())?;
        for to in next {
            if !std::mem::replace(&mut seen[to as usize], true) {
                stack.push(to);
            }
        }
    }
    Ok(Some(Strategy { shows: shows.to_owned(), formulas, moves }))
}
