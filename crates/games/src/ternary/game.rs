//! Three-valued games in frozen arrays, and their builder.

use crate::Player;
use loris_base::{Budget, Csr, Exhausted, Truth};

/// A move of a three-valued game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Where it leads.
    pub to: u32,
    /// Whether the move exists for certain, else it may or may not exist.
    pub must: bool,
}

impl Edge {
    /// A move that exists.
    pub fn must(to: u32) -> Self {
        Self { to, must: true }
    }

    /// A move that may exist.
    pub fn may(to: u32) -> Self {
        Self { to, must: false }
    }
}

/// A three-valued parity game.
///
/// Each node is either a terminal with a truth value, or has an owner, a priority and edges. The
/// edges of a node, and those into it, are stored with the certain ones first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TernaryGame {
    priorities: Vec<u32>,
    kinds: Vec<Kind>,
    successors: Csr,
    /// how many successors of each node, and how many predecessors, belong to certain edges
    musts: Vec<u32>,
    predecessors: Csr,
    musts_before: Vec<u32>,
    /// how many edges are certain
    certain: usize,
}

/// The owner of a node, or the value of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Owned(Player),
    Terminal(Truth),
}

impl TernaryGame {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.priorities.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.priorities.is_empty()
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.successors.len()
    }

    /// Whether all edges are certain.
    pub fn is_certain(&self) -> bool {
        self.certain == self.successors.len()
    }

    /// All nodes.
    pub fn nodes(&self) -> std::ops::Range<u32> {
        0..self.len() as u32
    }

    /// Who moves at a node. A terminal belongs to the player who loses there; an unknown one is
    /// said to belong to `Even`.
    #[inline]
    pub fn owner(&self, node: u32) -> Player {
        match self.kinds[node as usize] {
            Kind::Owned(owner) => owner,
            Kind::Terminal(Truth::True) => Player::Odd,
            Kind::Terminal(Truth::False | Truth::Unknown) => Player::Even,
        }
    }

    /// The priority of a node, 0 for terminals.
    #[inline]
    pub fn priority(&self, node: u32) -> u32 {
        self.priorities[node as usize]
    }

    /// The value of a terminal, none for other nodes.
    #[inline]
    pub fn value(&self, node: u32) -> Option<Truth> {
        match self.kinds[node as usize] {
            Kind::Owned(_) => None,
            Kind::Terminal(value) => Some(value),
        }
    }

    /// Where the owner of a node may be able to move.
    #[inline]
    pub fn successors(&self, node: u32) -> &[u32] {
        self.successors.row(node as usize)
    }

    /// Where the owner of a node can move for certain: the first of its successors.
    #[inline]
    pub fn certain(&self, node: u32) -> &[u32] {
        &self.successors(node)[..self.musts[node as usize] as usize]
    }

    /// The edges of a node, the certain ones first.
    pub fn edges_of(&self, node: u32) -> impl Iterator<Item = Edge> + '_ {
        let musts = self.musts[node as usize] as usize;
        self.successors(node).iter().enumerate().map(move |(place, &to)| Edge { to, must: place < musts })
    }

    /// The nodes with a certain edge to this one, and those with another.
    #[inline]
    pub(super) fn predecessors(&self, node: u32) -> (&[u32], &[u32]) {
        self.predecessors.row(node as usize).split_at(self.musts_before[node as usize] as usize)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * (self.priorities.capacity() + self.musts.capacity() + self.musts_before.capacity())
            + size_of::<Kind>() * self.kinds.capacity()
            + self.successors.bytes()
            + self.predecessors.bytes()
    }
}

/// A three-valued game under construction, node by node. All memory is charged to the budgets
/// given, where the game stays declared.
#[derive(Clone, Debug, Default)]
pub struct TernaryBuilder {
    priorities: Vec<u32>,
    kinds: Vec<Kind>,
    successors: Csr,
    musts: Vec<u32>,
    row: Vec<u32>,
}

impl TernaryBuilder {
    /// Adds the next node, with edges to nodes that need not be there yet, and returns its number.
    /// A player who cannot move loses.
    pub fn push(
        &mut self,
        owner: Player,
        priority: u32,
        edges: &[Edge],
        budget: &mut Budget,
    ) -> Result<u32, Exhausted> {
        self.add(Kind::Owned(owner), priority, edges, budget)
    }

    /// Adds a terminal as the next node, and returns its number.
    pub fn terminal(&mut self, value: Truth, budget: &mut Budget) -> Result<u32, Exhausted> {
        self.add(Kind::Terminal(value), 0, &[], budget)
    }

    fn add(
        &mut self,
        kind: Kind,
        priority: u32,
        edges: &[Edge],
        budget: &mut Budget,
    ) -> Result<u32, Exhausted> {
        let node = self.priorities.len();
        if node + 4 > u32::MAX as usize || self.successors.len() + edges.len() > u32::MAX as usize {
            return Err(Exhausted::States);
        }
        budget.spend(1 + edges.len())?;
        self.row.clear();
        budget.reserve(&mut self.row, edges.len())?;
        self.row.extend(edges.iter().filter(|edge| edge.must).map(|edge| edge.to));
        budget.reserve(&mut self.musts, 1)?;
        self.musts.push(self.row.len() as u32);
        self.row.extend(edges.iter().filter(|edge| !edge.must).map(|edge| edge.to));
        self.successors.push_row_within(&self.row, budget)?;
        budget.reserve(&mut self.priorities, 1)?;
        self.priorities.push(priority);
        budget.reserve(&mut self.kinds, 1)?;
        self.kinds.push(kind);
        Ok(node as u32)
    }

    /// How many nodes were added.
    pub fn len(&self) -> usize {
        self.priorities.len()
    }

    /// Whether none was added.
    pub fn is_empty(&self) -> bool {
        self.priorities.is_empty()
    }

    /// The game with all nodes that were added.
    ///
    /// # Panics
    /// If an edge leads to a node that was never added.
    pub fn finish(self, budget: &mut Budget) -> Result<TernaryGame, Exhausted> {
        let Self { priorities, kinds, successors, musts, row } = self;
        budget.free(row);
        let nodes = priorities.len();
        budget.charge(4 * nodes)?;
        let mut musts_before = vec![0; nodes];
        let edges = |certain: bool| {
            let (successors, musts) = (&successors, &musts);
            (0..nodes).flat_map(move |node| {
                let (must, may) = successors.row(node).split_at(musts[node] as usize);
                let row = if certain { must } else { may };
                row.iter().map(move |&to| (to, node as u32))
            })
        };
        for (to, _) in edges(true) {
            musts_before[to as usize] += 1;
        }
        budget.spend(nodes + successors.len())?;
        let predecessors = Csr::from_pairs_within(nodes, edges(true).chain(edges(false)), budget)?;
        let certain = musts.iter().map(|&musts| musts as usize).sum();
        Ok(TernaryGame { priorities, kinds, successors, musts, predecessors, musts_before, certain })
    }
}
