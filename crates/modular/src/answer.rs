//! Answers of the engines.

use crate::game::{GameGraph, Unfolding};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Truth};
use loris_games::ternary::{Cause, cause};
use loris_logic::mu::MuId;

/// Why a question stays open though the whole game is known (compositional-3valued, A9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// A label is unknown in a state.
    Label {
        /// The local states.
        state: Vec<u32>,
        /// The literal.
        literal: MuId,
    },
    /// A step may or may not be there.
    Step {
        /// The local states before it.
        from: Vec<u32>,
        /// The local states after it.
        to: Vec<u32>,
        /// The modality it matters for.
        formula: MuId,
    },
}

impl Doubt {
    /// In words.
    pub fn describe(&self, question: &SystemQuestion<'_>) -> String {
        let names = |local: &[u32]| question.system.state_names(local).join(", ");
        match self {
            Doubt::Label { state, literal } => {
                format!("`{}` is unknown in state ({})", question.formula.print(*literal), names(state))
            }
            Doubt::Step { from, to, formula } => format!(
                "the step from ({}) to ({}) may or may not be there, for `{}`",
                names(from),
                names(to),
                question.formula.print(*formula)
            ),
        }
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessesOutcome {
    /// Whether the formula holds in the initial state.
    pub value: Truth,
    /// Why it is unknown.
    pub doubt: Option<Doubt>,
    /// How many nodes of the game were made.
    pub nodes: usize,
    /// How many global states were met.
    pub states: usize,
}

/// Decides a question by the three-valued game on the whole product, on the fly.
///
/// # Errors
/// The budget ran out.
pub fn play(question: &SystemQuestion<'_>, budget: &mut Budget) -> Result<ProcessesOutcome, Exhausted> {
    let mut game = GameGraph::new(question, Unfolding::Condensed, budget)?;
    let value = game.decide(budget)?;
    let (nodes, states) = (game.len(), game.product.len());
    if value.is_known() {
        return Ok(ProcessesOutcome { value, doubt: None, nodes, states });
    }
    drop(game);
    // names in the full game are those of the formula as it was written
    let mut full = GameGraph::new(question, Unfolding::Full, budget)?;
    full.unfold_all(budget)?;
    let doubt = doubt(&mut full, budget)?;
    Ok(ProcessesOutcome { value, doubt, nodes, states })
}

fn doubt(game: &mut GameGraph<'_>, budget: &mut Budget) -> Result<Option<Doubt>, Exhausted> {
    let root = game.root(budget)?;
    let (graph, colouring) = game.coloured(budget)?;
    let state_of = |game: &GameGraph<'_>, node: u32| {
        let mut local = Vec::new();
        game.product.decode(game.node(node).state, &mut local);
        local
    };
    Ok(cause(&graph, &colouring, root, budget)?.map(|cause| match cause {
        Cause::Tie(node) => Doubt::Label { state: state_of(game, node), literal: game.node(node).formula },
        Cause::MayStep { from, to } => Doubt::Step {
            from: state_of(game, from),
            to: state_of(game, to),
            formula: game.node(from).formula,
        },
    }))
}
