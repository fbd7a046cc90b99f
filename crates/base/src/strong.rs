//! Strongly connected components: one search for all graphs, whatever they are kept in.
//!
//! Tarjan's algorithm (1972) with one number per node, as low as is known (Pearce 2016), and the
//! recursion on a path of its own. A node is *open* from when it is entered until its component is
//! complete. Invariant: the number of an open node is that of an open node that can be reached from
//! it. A node that is left with the number it was entered with is the first of its component, whose
//! other nodes were opened after it. Components come successors first. O(n + m).

use crate::{Budget, Csr, Exhausted};

/// A graph as the search sees it.
pub trait Graph {
    /// What stands for a node.
    type Node: Copy + Eq;

    /// Where the number of a node is kept.
    fn place(&self, node: Self::Node) -> usize;

    /// The next edge of the last node on the path, of which `done` were asked for; an edge that
    /// does not count may lead to its own source. After `None`, the node is not asked for again,
    /// nor is one that was entered before it until then: edges to come can be kept on a stack.
    ///
    /// # Errors
    /// The budget ran out.
    fn edge(
        &mut self,
        node: Self::Node,
        done: usize,
        budget: &mut Budget,
    ) -> Result<Option<Self::Node>, Exhausted>;
}

impl<F: FnMut(u32, usize) -> Option<u32>> Graph for F {
    type Node = u32;

    #[inline]
    fn place(&self, node: u32) -> usize {
        node as usize
    }

    #[inline]
    fn edge(&mut self, node: u32, done: usize, _: &mut Budget) -> Result<Option<u32>, Exhausted> {
        Ok(self(node, done))
    }
}

/// The nodes that were entered and not left yet, each with a number of the search.
pub trait Path<N> {
    /// Adds a node, with the number 0.
    ///
    /// # Errors
    /// The budget ran out.
    fn push(&mut self, node: N, budget: &mut Budget) -> Result<(), Exhausted>;
    /// The number of the last node, which is this one.
    fn number(&mut self, node: N) -> &mut u32;
    /// Takes the last node, which is this one, away; the one that is last then.
    fn pop(&mut self, node: N) -> Option<N>;
}

impl<N: Copy> Path<N> for Vec<(N, u32)> {
    #[inline]
    fn push(&mut self, node: N, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.reserve(self, 1)?;
        self.push((node, 0));
        Ok(())
    }

    #[inline]
    fn number(&mut self, _: N) -> &mut u32 {
        &mut self.last_mut().expect("the path has a last node").1
    }

    #[inline]
    fn pop(&mut self, _: N) -> Option<N> {
        self.pop();
        self.last().map(|&(node, _)| node)
    }
}

/// The working memory of a search, which can be used for one part of a graph after another.
pub struct Search<N = u32, P = Vec<(N, u32)>> {
    /// per place, [`UNSEEN`](Self::UNSEEN), [`CLOSED`](Self::CLOSED), a number of the caller's
    /// below [`FIRST`](Self::FIRST), or, if the node is open, its number
    pub low: Vec<u32>,
    /// nodes whose component is not complete, in the order they were entered
    pub open: Vec<N>,
    /// see [`Path`]
    pub path: P,
    next: u32,
}

impl<N: Copy + Eq, P: Path<N>> Search<N, P> {
    /// A node that belongs to the part and was not entered yet.
    pub const UNSEEN: u32 = u32::MAX - 1;
    /// A node whose component is complete, or one outside of the part.
    pub const CLOSED: u32 = u32::MAX;
    /// Nodes with smaller numbers are outside, too: callers may keep theirs.
    pub const FIRST: u32 = 4;

    /// A search with these arrays, of which the lists are empty.
    pub fn new(low: Vec<u32>, open: Vec<N>, path: P) -> Self {
        Self { low, open, path, next: Self::FIRST }
    }

    /// Calls `found` for each component of the nodes that are not seen yet and can be reached from
    /// a root through such nodes.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn each<G: Graph<Node = N>>(
        &mut self,
        roots: impl IntoIterator<Item = N>,
        graph: &mut G,
        budget: &mut Budget,
        mut found: impl FnMut(&[N], &mut G),
    ) -> Result<(), Exhausted> {
        for root in roots {
            if self.low[graph.place(root)] == Self::UNSEEN {
                self.from(root, graph, budget, &mut found)?;
            }
        }
        // whatever was entered is closed
        self.next = Self::FIRST;
        Ok(())
    }

    fn from<G: Graph<Node = N>>(
        &mut self,
        root: N,
        graph: &mut G,
        budget: &mut Budget,
        found: &mut impl FnMut(&[N], &mut G),
    ) -> Result<(), Exhausted> {
        // in registers, not behind a reference
        let Self { low, open, path, next } = self;
        let low = &mut low[..];
        let mut enter = |node: N, number: &mut u32, path: &mut P, open: &mut Vec<N>, budget: &mut Budget| {
            *number = *next;
            *next += 1;
            budget.reserve(open, 1)?;
            open.push(node);
            path.push(node, budget)
        };
        let (mut node, mut place) = (root, graph.place(root));
        enter(root, &mut low[place], path, open, budget)?;
        // the number on the path: twice the edges looked at, and 1 if the node was lowered
        loop {
            let done = path.number(node);
            if let Some(target) = graph.edge(node, (*done >> 1) as usize, budget)? {
                *done += 2;
                let to = graph.place(target);
                match low[to] {
                    Self::UNSEEN => {
                        (node, place) = (target, to);
                        enter(node, &mut low[place], path, open, budget)?;
                    }
                    // closed nodes have the largest number
                    number if number >= Self::FIRST && number < low[place] => {
                        low[place] = number;
                        *done |= 1;
                    }
                    _ => {}
                }
                continue;
            }
            let (edges, is_lowered, number) = (*done >> 1, *done & 1 == 1, low[place]);
            budget.spend(1 + edges as usize)?;
            let left = node;
            let above = path.pop(node);
            if let Some(above) = above {
                (node, place) = (above, graph.place(above));
            }
            if is_lowered {
                if number < low[place] {
                    low[place] = number;
                    *path.number(node) |= 1;
                }
                continue;
            }
            let mut start = open.len();
            while start > 0 {
                start -= 1;
                low[graph.place(open[start])] = Self::CLOSED;
                if open[start] == left {
                    break;
                }
            }
            found(&open[start..], graph);
            open.truncate(start);
            // the first node of all is not lowered
            if above.is_none() {
                return Ok(());
            }
        }
    }
}

impl<N: Copy + Eq> Search<N> {
    /// A search of a graph with this many places, all nodes outside or not seen yet, charged to a
    /// budget, to which [`free`](Self::free) gives everything back.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn within(places: usize, low: u32, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(4 * places)?;
        budget.spend(places)?;
        Ok(Self::new(vec![low; places], Vec::new(), Vec::new()))
    }

    /// Gives the memory back to the budget that was charged for it.
    pub fn free(self, budget: &mut Budget) {
        budget.free(self.low);
        budget.free(self.open);
        budget.free(self.path);
    }
}

/// The strongly connected components of a graph, a row each, in such an order that every edge leads
/// into its own component or an earlier one.
///
/// ```
/// use loris_base::{Csr, strong_components};
/// let graph = Csr::from_pairs(4, [(0, 1), (1, 2), (2, 1), (2, 3)].into_iter());
/// let components = strong_components(&graph);
/// assert_eq!([components.row(0), components.row(1), components.row(2)], [&[3][..], &[1, 2], &[0]]);
/// assert_eq!(components.row_of_each(4), [2, 1, 1, 0]);
/// ```
pub fn strong_components(graph: &Csr) -> Csr {
    let edge = |node: u32, done: usize| graph.row(node as usize).get(done).copied();
    strong_components_within(graph.rows(), edge, &mut Budget::unlimited()).expect("there is no limit")
}

/// The same for nodes `0..nodes` of any graph, within a budget, which is charged for the working
/// memory only.
///
/// # Errors
/// The budget ran out.
pub fn strong_components_within(
    nodes: usize,
    mut graph: impl Graph<Node = u32>,
    budget: &mut Budget,
) -> Result<Csr, Exhausted> {
    let mut search = Search::within(nodes, Search::<u32>::UNSEEN, budget)?;
    let mut components = Csr::default();
    search.each(0..nodes as u32, &mut graph, budget, |members, _| {
        components.push_row(members.iter().copied());
    })?;
    search.free(budget);
    Ok(components)
}

#[cfg(test)]
mod tests {
    use super::{Search, strong_components};
    use crate::{Budget, Csr, Exhausted, Rng};

    /// Which nodes reach which, found by closing the relation.
    fn reach(nodes: usize, edges: &[(u32, u32)], part: &[bool]) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; nodes]; nodes];
        (0..nodes).for_each(|node| reach[node][node] = true);
        for _ in 0..nodes {
            for &(from, to) in edges.iter().filter(|edge| part[edge.0 as usize] && part[edge.1 as usize]) {
                for row in &mut reach {
                    row[to as usize] |= row[from as usize];
                }
            }
        }
        reach
    }

    fn check(nodes: usize, edges: &[(u32, u32)], part: &[bool], components: &Csr) {
        let of = components.row_of_each(nodes);
        let reach = reach(nodes, edges, part);
        let inside = |&node: &usize| part[node];
        assert_eq!(components.len(), (0..nodes).filter(inside).count(), "{edges:?}");
        for i in (0..nodes).filter(inside) {
            for j in (0..nodes).filter(inside) {
                assert_eq!(of[i] == of[j], reach[i][j] && reach[j][i], "{edges:?}");
                assert!(!reach[i][j] || of[j] <= of[i], "{edges:?}");
            }
        }
    }

    /// Components are mutual reachability, successors first, in graphs and in one part of them
    /// after another.
    #[test]
    fn agrees_with_mutual_reachability() {
        let mut rng = Rng::new(1);
        for _ in 0..300 {
            let nodes = 1 + rng.below(9);
            let edges: Vec<(u32, u32)> =
                (0..rng.below(20)).map(|_| (rng.below(nodes) as u32, rng.below(nodes) as u32)).collect();
            let graph = Csr::from_pairs(nodes, edges.iter().copied());
            check(nodes, &edges, &vec![true; nodes], &strong_components(&graph));

            let mut edge = |node: u32, done: usize| graph.row(node as usize).get(done).copied();
            let mut budget = Budget::unlimited();
            let mut search = Search::within(nodes, Search::<u32>::CLOSED, &mut budget).unwrap();
            for _ in 0..3 {
                let part: Vec<bool> = (0..nodes).map(|_| rng.below(3) > 0).collect();
                let members = (0..nodes as u32).filter(|&node| part[node as usize]);
                members.clone().for_each(|node| search.low[node as usize] = Search::<u32>::UNSEEN);
                let mut found = Csr::default();
                let tell = |members: &[u32], _: &mut _| found.push_row(members.iter().copied());
                search.each(members, &mut edge, &mut budget, tell).unwrap();
                check(nodes, &edges, &part, &found);
            }
            search.free(&mut budget);
            assert_eq!(budget.used(), 0);
        }
    }

    #[test]
    fn a_long_path_needs_no_deep_stack() {
        let nodes = 1_000_000;
        let graph = Csr::from_pairs(nodes, (1..nodes as u32).map(|v| (v - 1, v)));
        assert_eq!(strong_components(&graph).rows(), nodes);
        let mut edge = |node: u32, done: usize| graph.row(node as usize).get(done).copied();
        for (mut budget, why) in [
            (Budget::steps(100_000), Exhausted::Time),
            (Budget::new(None, Some(5 * nodes)), Exhausted::Memory),
        ] {
            let found = super::strong_components_within(nodes, &mut edge, &mut budget);
            assert_eq!(found.err(), Some(why));
        }
    }
}
