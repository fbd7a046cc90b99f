//! Checks a solution against the definition, with code that no solver uses.
//!
//! For each player, the graph is cut down to the nodes that the player is said to win, with the
//! chosen move at the player's own nodes and all moves at others. The solution is right if and only
//! if no move leaves that set, no play ends at an own node, and no cycle is won by the opponent.
//! Both sets are checked at once, as no move leads from one to the other.
//!
//! A cycle whose largest priority favours the opponent exists if and only if a strongly connected
//! component of some restriction to priorities of at most p has a node of priority p: components
//! are searched, the nodes with priorities above all that favour the loser are taken out, and the
//! rest is searched again. O(d · m) for d alternations of priorities.

use crate::{Game, Player, Solution};
use loris_base::{Budget, Exhausted};

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
    /// The chosen move leads to a node that the opponent wins.
    GivesAway(u32),
    /// The loser of a node can move to a node that the loser wins.
    Escape {
        /// The node.
        from: u32,
        /// The target of the move.
        to: u32,
    },
    /// The loser can force the play to pass this node, whose priority favours the loser, again and
    /// again, without a larger one.
    Cycle(u32),
}

impl std::fmt::Display for Flaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Flaw::Size => f.write_str("the solution is that of a game with another number of nodes"),
            Flaw::NoMove(node) => write!(f, "node {node} belongs to its winner, but has no move"),
            Flaw::NoSuchMove(node) => write!(f, "the move at node {node} is no edge of the game"),
            Flaw::ForeignMove(node) => {
                write!(f, "there is a move at node {node}, which does not belong to its winner")
            }
            Flaw::GivesAway(node) => write!(f, "the move at node {node} leads to the opponent's region"),
            Flaw::Escape { from, to } => {
                write!(f, "the loser of node {from} can move to node {to} and win there")
            }
            Flaw::Cycle(node) => write!(
                f,
                "the strategy allows a cycle through node {node}, whose priority is the largest there \
                 and favours the loser"
            ),
        }
    }
}

/// Checks that every winner wins, and by the strategy given.
///
/// # Errors
/// The budget ran out. The inner result is the first flaw of the solution.
pub fn verify(game: &Game, solution: &Solution, budget: &mut Budget) -> Result<Result<(), Flaw>, Exhausted> {
    if game.len() != solution.len() {
        return Ok(Err(Flaw::Size));
    }
    for node in game.nodes() {
        budget.spend(1 + game.successors(node).len())?;
        if let Err(flaw) = local(game, solution, node) {
            return Ok(Err(flaw));
        }
    }
    cycles(game, solution, budget)
}

/// Checks the moves of one node.
fn local(game: &Game, solution: &Solution, node: u32) -> Result<(), Flaw> {
    let winner = solution.winner(node);
    let chosen = solution.successor(node);
    if game.owner(node) != winner {
        if chosen.is_some() {
            return Err(Flaw::ForeignMove(node));
        }
        let escape = game.successors(node).iter().find(|&&to| solution.winner(to) != winner);
        return escape.map_or(Ok(()), |&to| Err(Flaw::Escape { from: node, to }));
    }
    match chosen {
        None => Err(Flaw::NoMove(node)),
        Some(to) if !game.successors(node).contains(&to) => Err(Flaw::NoSuchMove(node)),
        Some(to) if solution.winner(to) != winner => Err(Flaw::GivesAway(node)),
        Some(_) => Ok(()),
    }
}

/// Searches a cycle that the loser of its nodes wins.
fn cycles(game: &Game, solution: &Solution, budget: &mut Budget) -> Result<Result<(), Flaw>, Exhausted> {
    let nodes = game.len();
    // both numbers, open nodes, a step of the path and a member of a group per node
    let held = (4 * 4 + size_of::<Step>()) * nodes;
    budget.charge(held)?;
    budget.spend(nodes)?;
    let mut search = Search {
        game,
        solution,
        part: vec![0; nodes],
        low: vec![0; nodes],
        open: Vec::with_capacity(nodes),
        path: Vec::new(),
        parts: 1,
    };
    // groups of nodes that may hold a cycle; every group is one part, apart from the first
    let mut groups: Vec<Vec<u32>> = vec![game.nodes().collect()];
    while let Some(group) = groups.pop() {
        if let Some(node) = search.split(group, &mut groups, budget)? {
            budget.release(held);
            return Ok(Err(Flaw::Cycle(node)));
        }
    }
    budget.release(held);
    Ok(Ok(()))
}

/// The arrays of Tarjan's algorithm, for one group of nodes after another.
struct Search<'g> {
    game: &'g Game,
    solution: &'g Solution,
    /// the group of a node, 0 if it is in the first or in none that will be searched
    part: Vec<u32>,
    /// 0 if not seen yet, else as low as is known; `CLOSED` if its component is complete
    low: Vec<u32>,
    open: Vec<u32>,
    path: Vec<Step>,
    parts: u32,
}

struct Step {
    node: u32,
    done: u32,
    number: u32,
}

const CLOSED: u32 = u32::MAX;

impl Search<'_> {
    /// Where a play that follows the strategy can go.
    fn moves(&self, node: u32) -> &[u32] {
        let all = self.game.successors(node);
        match self.solution.successor(node) {
            None => all,
            Some(to) => {
                let place = all.iter().position(|&other| other == to).unwrap_or(0);
                &all[place..=place]
            }
        }
    }

    /// Searches the components of a group. Returns a node that dominates a cycle and favours the
    /// loser; or adds, for every component with a cycle, the nodes without the top priority.
    fn split(
        &mut self,
        group: Vec<u32>,
        groups: &mut Vec<Vec<u32>>,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Exhausted> {
        let Some(&first) = group.first() else { return Ok(None) };
        let part = self.part[first as usize];
        for &node in &group {
            self.low[node as usize] = 0;
        }
        let mut count = 0;
        for root in group {
            if self.low[root as usize] == 0 {
                self.enter(root, &mut count);
            }
            while let Some(step) = self.path.last() {
                let (node, done) = (step.node, step.done as usize);
                let next = self.moves(node).get(done).copied();
                budget.spend(1)?;
                if let Some(next) = next {
                    if let Some(step) = self.path.last_mut() {
                        step.done += 1;
                    }
                    let low = self.low[next as usize];
                    if self.part[next as usize] != part || low == CLOSED {
                        continue;
                    }
                    if low == 0 {
                        self.enter(next, &mut count);
                    } else if low < self.low[node as usize] {
                        self.low[node as usize] = low;
                    }
                } else if let Some(flaw) = self.leave(groups) {
                    return Ok(Some(flaw));
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, node: u32, count: &mut u32) {
        *count += 1;
        self.low[node as usize] = *count;
        self.open.push(node);
        self.path.push(Step { node, done: 0, number: *count });
    }

    /// Leaves the last node of the path, and judges its component if it was the first of it.
    fn leave(&mut self, groups: &mut Vec<Vec<u32>>) -> Option<u32> {
        let step = self.path.pop()?;
        let low = self.low[step.node as usize];
        if low < step.number {
            if let Some(above) = self.path.last() {
                let above = &mut self.low[above.node as usize];
                *above = low.min(*above);
            }
            return None;
        }
        let members = self.open.iter().rev().take_while(|&&member| member != step.node).count() + 1;
        let mut component = self.open.split_off(self.open.len() - members);
        for &member in &component {
            self.low[member as usize] = CLOSED;
        }
        if component.len() == 1 && !self.moves(step.node).contains(&step.node) {
            return None;
        }
        // no move leads from one winner's region to the other's
        let winner = self.solution.winner(step.node);
        let priority = |&node: &u32| self.game.priority(node);
        let favours_loser = |node: &u32| Player::of(priority(node)) != winner;
        // without a priority that favours the loser, no cycle here does
        let bad = component.iter().copied().filter(favours_loser).max_by_key(priority)?;
        let limit = self.game.priority(bad);
        if component.iter().all(|node| priority(node) <= limit) {
            return Some(bad);
        }
        component.retain(|node| priority(node) <= limit);
        for &node in &component {
            self.part[node as usize] = self.parts;
        }
        self.parts += 1;
        groups.push(component);
        None
    }
}
