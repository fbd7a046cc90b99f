//! What can be wrong with a solution.

/// Why a solution is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It is a solution of a game with another number of nodes.
    Size,
    /// No move is chosen at a node of its winner.
    NoMove(u32),
    /// The move that is chosen at a node does not exist.
    NoSuchMove(u32),
    /// A move is chosen at a node that does not belong to its winner.
    ForeignMove(u32),
    /// The chosen move leads to a node that the winner does not win.
    GivesAway(u32),
    /// The loser of a node can move to a node that the winner does not win.
    Escape {
        /// The node.
        from: u32,
        /// The target of the move.
        to: u32,
    },
    /// A terminal has another value than its colour.
    Terminal(u32),
    /// The loser can force the play to pass this node, whose priority favours the loser, again and
    /// again, without a larger one.
    Cycle(u32),
}

impl Flaw {
    /// The same flaw of nodes with other numbers.
    #[must_use]
    pub fn renumbered(self, number: impl Fn(u32) -> u32) -> Flaw {
        match self {
            Flaw::Size => Flaw::Size,
            Flaw::NoMove(node) => Flaw::NoMove(number(node)),
            Flaw::NoSuchMove(node) => Flaw::NoSuchMove(number(node)),
            Flaw::ForeignMove(node) => Flaw::ForeignMove(number(node)),
            Flaw::GivesAway(node) => Flaw::GivesAway(number(node)),
            Flaw::Escape { from, to } => Flaw::Escape { from: number(from), to: number(to) },
            Flaw::Terminal(node) => Flaw::Terminal(number(node)),
            Flaw::Cycle(node) => Flaw::Cycle(number(node)),
        }
    }
}

impl std::fmt::Display for Flaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Flaw::Size => f.write_str("the solution is that of a game with another number of nodes"),
            Flaw::NoMove(node) => write!(f, "node {node} belongs to its winner, but has no move"),
            Flaw::NoSuchMove(node) => write!(f, "the move at node {node} is not an edge of the game"),
            Flaw::ForeignMove(node) => {
                write!(f, "there is a move at node {node}, which does not belong to its winner")
            }
            Flaw::GivesAway(node) => write!(f, "the move at node {node} leaves the winner's region"),
            Flaw::Escape { from, to } => {
                write!(f, "the loser of node {from} can leave the winner's region for node {to}")
            }
            Flaw::Terminal(node) => write!(f, "terminal {node} has another value than its colour"),
            Flaw::Cycle(node) => write!(
                f,
                "the strategy allows a cycle through node {node}, whose priority is the largest there \
                 and favours the loser"
            ),
        }
    }
}
