//! The mu-calculus on recursive state machines: parity games on pushdown arenas.
//!
//! A position of the game is a state, which is a stack of boxes and a node, with a subformula.
//! Player 0 moves at `|` and `<>`, player 1 at `&` and `[]`; a variable has the priority of its
//! fixpoint, and the largest priority that comes again and again decides. Stacks are unbounded, so
//! that there are infinitely many positions. The reduction to finitely many (Walukiewicz, *Pushdown
//! processes: games and model checking*) lets player 0 claim at a call how it may return: at which
//! exits, with which subformula, and with which largest priority on the way. Here no claim is
//! guessed: for each vertex and subformula the engine computes, as a monotone Boolean function of
//! what holds at the exits of the component, all claims with which player 0 wins.
//!
//! 1. [`expansion`]: what a formula asks of a state, up to its next steps. Only `<>f` and `[]f`
//!    remain as subformulas to be met at vertices.
//! 2. [`system`]: one equation for each pair of a vertex and such a subformula that the initial
//!    states need. An exit is a variable; at a call, the function of the entry is composed with the
//!    functions of the return ports.
//! 3. [`solver`]: the strongly connected parts of the system, dependencies first. A part is solved
//!    by a worklist where it has priorities of one parity, else by nested fixpoints.
//! 4. [`functions`]: monotone Boolean functions, shared.
//! 5. [`strategy`]: evidence. The game frame by frame, in which claims at calls come from these
//!    functions, is solved as a finite parity game.
//!
//! At exits with an empty stack, functions are composed with the values that
//! [`AtExit`](loris_evidence::AtExit) determines, and nothing is left to depend on.
//!
//! The number of equations is at most vertices times subformulas times priorities, and at most
//! linear where no component returns. Their functions are exponential in exits times subformulas
//! times priorities, at worst; model checking is complete for exponential time in these. For a
//! formula without alternation priorities do not matter, and each part is solved by one worklist.
//!
//! Oracles: nested fixpoints on unfoldings, and the engines for CTL, LTL and CTL* (`tests/mu.rs`).

mod ctl;
mod expansion;
mod functions;
mod graph;
mod solver;
mod strategy;
mod system;

pub use ctl::mu_of_ctl;

use crate::prepared::Prepared;
use crate::property::EngineSettings;
use expansion::Expansion;
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::{CallStrategy, State};
use loris_logic::mu::{Mu, MuFormula};
use loris_rsm::{LabelId, Vertex};

/// The capacity of a list or a table with this many elements when one more is in it.
fn ahead(elements: usize, capacity: usize) -> usize {
    if elements < capacity { capacity } else { 2 * capacity }
}

/// A property of the mu-calculus of a given machine.
#[derive(Clone, Debug)]
pub struct MuProperty<'a> {
    formula: &'a MuFormula,
    atoms: Vec<Option<LabelId>>,
}

impl<'a> MuProperty<'a> {
    /// A formula, and the label each of its atoms means, in their order; an atom that no node
    /// carries is false everywhere.
    ///
    /// # Errors
    /// The first set of actions that is not the set of all: steps of a machine have no actions.
    pub fn new(formula: &'a MuFormula, atoms: Vec<Option<LabelId>>) -> Result<Self, String> {
        for (_, node) in formula.nodes() {
            let (Mu::Diamond(set, _) | Mu::Box(set, _)) = node else { continue };
            if !formula.actions(set).is_all() {
                return Err(formula.actions(set).to_string());
            }
        }
        Ok(Self { formula, atoms })
    }
}

/// The result of the engine for the mu-calculus, and its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MuOutcome {
    /// Whether the property holds in all initial states.
    pub holds: bool,
    /// How many pairs of a vertex and a subformula were looked at.
    pub positions: usize,
    /// How many nodes the decision diagrams of all functions have: sets of claims, shared.
    pub functions: usize,
}

impl Prepared<'_> {
    /// Checks a property of the mu-calculus. Under [`AtExit::Stop`](loris_evidence::AtExit::Stop)
    /// and where runs [stop](loris_rsm::Rsm::stops), states have no successors: `<>f` is false there, and
    /// `[]f` is true.
    pub fn mu(
        &self,
        property: &MuProperty<'_>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<MuOutcome, Exhausted> {
        let expansion = Expansion::new(property.formula, budget)?;
        let graph = graph::Graph::new(self.rsm(), &property.atoms, settings.at_exit, budget)?;
        let system = system::explore(&graph, expansion, budget)?;
        Ok(solver::solve(&system, false, budget)?.outcome(&system))
    }

    /// A strategy that wins the game of a property: in all initial states if it `holds`, else that
    /// of its negation in one. Nothing if it would be too large.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn mu_strategy(
        &self,
        property: &MuProperty<'_>,
        holds: bool,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<Option<CallStrategy<State>>, Exhausted> {
        let negated;
        let formula = if holds {
            property.formula
        } else {
            negated = property.formula.negated();
            &negated
        };
        let atoms: Vec<Option<LabelId>> = formula
            .atoms()
            .iter()
            .map(|name| property.formula.atoms().find(name).and_then(|atom| property.atoms[atom.index()]))
            .collect();
        let expansion = Expansion::new(formula, budget)?;
        let graph = graph::Graph::new(self.rsm(), &atoms, settings.at_exit, budget)?;
        let system = system::explore(&graph, expansion, budget)?;
        let solved = solver::solve(&system, true, budget)?;
        let wins: Vec<bool> = solved.initial(&system).collect();
        let initial = self.rsm().initial().iter().zip(wins).filter(|(_, wins)| *wins).map(|(&node, _)| node);
        let mut start: Vec<Vertex> = initial.collect();
        if !holds {
            start.truncate(1);
        }
        let engine = strategy::Knowledge { formula, atoms: &atoms, system: &system, solved: &solved };
        strategy::strategy(self.rsm(), settings.at_exit, &engine, &start, budget)
    }
}
