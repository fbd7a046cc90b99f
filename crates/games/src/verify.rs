//! Checks a solution against the definition, with code that no solver uses.
//!
//! For each player, the graph is cut down to the nodes that the player is said to win, with the
//! chosen move at the player's own nodes and all moves at others. The solution is right if and only
//! if no move leaves that set, no play ends at an own node, and no cycle is won by the opponent.
//! Both sets are checked at once, as no move leads from one to the other. In a three-valued game,
//! the definite nodes are checked in the same way: their winner must move along certain edges, the
//! loser may use all.
//!
//! A cycle whose largest priority favours the opponent exists if and only if a strongly connected
//! component of some restriction to priorities of at most p has a node of priority p: components
//! are searched, the nodes with priorities above all that favour the loser are taken out, and the
//! rest is searched again. O(d · m) for d alternations of priorities.

use crate::ternary::{Colouring, TernaryGame};
use crate::{Flaw, Game, Player, Solution};
use loris_base::{Budget, Exhausted, Truth};

/// Checks that every winner wins, and by the strategy given.
///
/// # Errors
/// The budget ran out. The inner result is the first flaw of the solution.
pub fn verify(game: &Game, solution: &Solution, budget: &mut Budget) -> Result<Result<(), Flaw>, Exhausted> {
    if game.len() != solution.len() {
        return Ok(Err(Flaw::Size));
    }
    check(&Ordinary { game, solution }, budget)
}

/// Checks that every node that is coloured true or false has that value, by the strategy given.
/// Colours that were given beforehand are taken on trust.
///
/// # Errors
/// The budget ran out. The inner result is the first flaw of the colouring.
pub fn verify_colouring(
    game: &TernaryGame,
    colouring: &Colouring,
    budget: &mut Budget,
) -> Result<Result<(), Flaw>, Exhausted> {
    if game.len() != colouring.colours().len() {
        return Ok(Err(Flaw::Size));
    }
    check(&Definite { game, colouring }, budget)
}

/// Claims about the nodes of a graph.
trait Claims {
    fn len(&self) -> usize;
    fn priority(&self, node: u32) -> u32;
    /// Who is said to win a node, if somebody is.
    fn winner(&self, node: u32) -> Option<Player>;
    fn owner(&self, node: u32) -> Player;
    /// All moves of the owner, or those that are certain.
    fn moves(&self, node: u32, certain: bool) -> &[u32];
    /// The move that the winner is to make.
    fn chosen(&self, node: u32) -> Option<u32>;
    /// For a node that is not a place to move from, whether the claim about it is right.
    fn terminal(&self, node: u32) -> Option<bool>;
}

struct Ordinary<'a> {
    game: &'a Game,
    solution: &'a Solution,
}

impl Claims for Ordinary<'_> {
    fn len(&self) -> usize {
        self.game.len()
    }
    fn priority(&self, node: u32) -> u32 {
        self.game.priority(node)
    }
    fn winner(&self, node: u32) -> Option<Player> {
        Some(self.solution.winner(node))
    }
    fn owner(&self, node: u32) -> Player {
        self.game.owner(node)
    }
    fn moves(&self, node: u32, _: bool) -> &[u32] {
        self.game.successors(node)
    }
    fn chosen(&self, node: u32) -> Option<u32> {
        self.solution.successor(node)
    }
    fn terminal(&self, _: u32) -> Option<bool> {
        None
    }
}

struct Definite<'a> {
    game: &'a TernaryGame,
    colouring: &'a Colouring,
}

impl Claims for Definite<'_> {
    fn len(&self) -> usize {
        self.game.len()
    }
    fn priority(&self, node: u32) -> u32 {
        self.game.priority(node)
    }
    fn winner(&self, node: u32) -> Option<Player> {
        match self.colouring.colour(node) {
            Truth::True => Some(Player::Even),
            Truth::False => Some(Player::Odd),
            Truth::Unknown => None,
        }
    }
    fn owner(&self, node: u32) -> Player {
        self.game.owner(node)
    }
    fn moves(&self, node: u32, certain: bool) -> &[u32] {
        match self.terminal(node) {
            Some(_) => &[],
            None if certain => self.game.certain(node),
            None => self.game.successors(node),
        }
    }
    fn chosen(&self, node: u32) -> Option<u32> {
        self.colouring.successor(node)
    }
    fn terminal(&self, node: u32) -> Option<bool> {
        let given = self.colouring.is_terminal(node).then_some(true);
        match self.game.value(node) {
            Some(value) => Some(value == self.colouring.colour(node)),
            None => given,
        }
    }
}

/// Checks moves, then cycles.
fn check(claims: &impl Claims, budget: &mut Budget) -> Result<Result<(), Flaw>, Exhausted> {
    for node in 0..claims.len() as u32 {
        budget.spend(1 + claims.moves(node, false).len())?;
        if let Err(flaw) = local(claims, node) {
            return Ok(Err(flaw));
        }
    }
    cycles(claims, budget)
}

/// Checks the moves of one node.
fn local(claims: &impl Claims, node: u32) -> Result<(), Flaw> {
    if let Some(is_right) = claims.terminal(node) {
        return if is_right { Ok(()) } else { Err(Flaw::Terminal(node)) };
    }
    let Some(winner) = claims.winner(node) else { return Ok(()) };
    let is_lost = |to: u32| claims.winner(to) != Some(winner);
    let chosen = claims.chosen(node);
    if claims.owner(node) != winner {
        if chosen.is_some() {
            return Err(Flaw::ForeignMove(node));
        }
        let escape = claims.moves(node, false).iter().find(|&&to| is_lost(to));
        return escape.map_or(Ok(()), |&to| Err(Flaw::Escape { from: node, to }));
    }
    match chosen {
        None => Err(Flaw::NoMove(node)),
        Some(to) if !claims.moves(node, true).contains(&to) => Err(Flaw::NoSuchMove(node)),
        Some(to) if is_lost(to) => Err(Flaw::GivesAway(node)),
        Some(_) => Ok(()),
    }
}

/// Searches a cycle that the loser of its nodes wins.
fn cycles<C: Claims>(claims: &C, budget: &mut Budget) -> Result<Result<(), Flaw>, Exhausted> {
    let nodes = claims.len();
    // both numbers, open nodes, a step of the path and a member of a group per node
    let budget = &mut budget.holding((4 * 4 + size_of::<Step>()) * nodes)?;
    budget.spend(nodes)?;
    let mut search = Search {
        claims,
        part: vec![0; nodes],
        low: vec![0; nodes],
        open: Vec::new(),
        path: Vec::new(),
        parts: 1,
    };
    // groups of nodes that may hold a cycle; every group is one part
    let claimed = (0..nodes as u32).filter(|&node| claims.winner(node).is_some());
    let mut groups: Vec<Vec<u32>> = vec![claimed.collect()];
    while let Some(group) = groups.pop() {
        if let Some(node) = search.split(group, &mut groups, budget)? {
            return Ok(Err(Flaw::Cycle(node)));
        }
    }
    Ok(Ok(()))
}

/// The arrays of Tarjan's algorithm, for one group of nodes after another; not that of `base`, on
/// purpose: a verifier shares no algorithm with the solvers it checks.
struct Search<'a, C> {
    claims: &'a C,
    /// the group of a node; 0 is the first
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

impl<C: Claims> Search<'_, C> {
    /// Where a play that follows the strategy can go.
    fn moves(&self, node: u32) -> &[u32] {
        let all = self.claims.moves(node, false);
        match self.claims.chosen(node) {
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
        let winner = self.claims.winner(step.node)?;
        let priority = |&node: &u32| self.claims.priority(node);
        let favours_loser = |node: &u32| Player::of(priority(node)) != winner;
        // without a priority that favours the loser, no cycle here does
        let bad = component.iter().copied().filter(favours_loser).max_by_key(priority)?;
        let limit = self.claims.priority(bad);
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
