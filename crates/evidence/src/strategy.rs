//! Strategies: evidence for verdicts of the mu-calculus, by the moves that win the game of a
//! formula on a model.

/// A winning strategy: for each position of the winner that it can come to, the next one.
///
/// A position is a state with a subformula. Moves of the other player, and of positions with one
/// move only, are not listed: a checker makes all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy<S> {
    /// The formula that it wins.
    pub shows: String,
    /// The subformulas that moves are about.
    pub formulas: Vec<String>,
    /// The moves of the winner.
    pub moves: Vec<Move<S>>,
}

/// A move of the winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move<S> {
    /// The state.
    pub from: S,
    /// The number of the subformula there.
    pub formula: usize,
    /// The next state.
    pub to: S,
    /// The number of the next subformula.
    pub next: usize,
}
