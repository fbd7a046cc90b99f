//! The whole game of a question with its colours, for export and for looking at it.

use crate::game::{GameGraph, Unfolding};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Truth};
use loris_games::ternary::{Colouring, TernaryGame};
use loris_logic::mu::MuId;

/// The game of a formula on the product of all processes, as in the paper: one node for each
/// global state and subformula that the root reaches. The root is node 0.
#[derive(Debug)]
pub struct ColouredGame {
    /// The game.
    pub game: TernaryGame,
    /// Its colours.
    pub colouring: Colouring,
    /// By node: the local states and the subformula.
    pub nodes: Vec<(Vec<u32>, MuId)>,
}

impl ColouredGame {
    /// Builds and colours the whole game.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn new(question: &SystemQuestion<'_>, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut graph = GameGraph::new(question, Unfolding::Full, budget)?;
        graph.unfold_all(budget)?;
        let (game, colouring) = graph.coloured(budget)?;
        let mut nodes = Vec::new();
        for node in 0..graph.len() as u32 {
            let node = graph.node(node);
            let mut local = Vec::new();
            graph.product.decode(node.state, &mut local);
            budget.charge(4 * local.len() + size_of::<(Vec<u32>, MuId)>())?;
            nodes.push((local, node.formula));
        }
        Ok(Self { game, colouring, nodes })
    }

    /// The value of the question.
    pub fn value(&self) -> Truth {
        self.colouring.colour(0)
    }

    /// The name of a node: its state, and what is asked there.
    pub fn name(&self, question: &SystemQuestion<'_>, node: u32) -> String {
        let (local, formula) = &self.nodes[node as usize];
        let states: Vec<String> = question.system.state_names(local);
        format!("{} |- {}", states.join(","), question.formula.print(*formula))
    }
}
