//! The quotient of a component by branching bisimulation that keeps divergence, where steps between
//! nodes without atoms count as silent.
//!
//! All other steps are visible, so that formulas of CTL keep their truth values even if they have
//! `X`, as long as [`stutter`](super::stutter) lets them. Signatures are refined until they are
//! stable (S. Blom, S. Orzan, *A distributed algorithm for strong bisimulation reduction of state
//! spaces*, and their paper on branching bisimulation): at most as many rounds as there are blocks,
//! each linear in the edges; in practice a handful.

use super::graph::{Graph, GraphCall, GraphNode};
use loris_base::{Budget, Csr, Exhausted, strong_components};
use rustc_hash::FxHashMap;

/// Marks signatures of nodes that can stay silent for ever.
const DIVERGES: u32 = u32::MAX;

/// The quotient of a component, and for each exit its node there. Exits and nodes with calls are
/// kept apart.
pub(crate) fn quotient(graph: &Graph, budget: &mut Budget) -> Result<(Graph, Vec<(u32, u32)>), Exhausted> {
    let edges: usize = graph.nodes.iter().map(|node| node.next.len()).sum();
    budget.spend(graph.nodes.len() + edges)?;
    let compact = Compact::new(graph);
    let mut blocks = compact.apart(graph);
    let mut count = 0;
    loop {
        budget.spend(compact.nodes.len())?;
        let signatures = compact.signatures(&blocks);
        let mut numbers: FxHashMap<(u32, &[u32]), u32> = FxHashMap::default();
        let mut refined = vec![0; blocks.len()];
        for (node, block) in refined.iter_mut().enumerate() {
            let fresh = numbers.len() as u32;
            *block = *numbers.entry((blocks[node], &signatures[node])).or_insert(fresh);
        }
        let found = numbers.len();
        if found == count {
            return Ok(compact.collapse(graph, &blocks, &signatures, found));
        }
        (blocks, count) = (refined, found);
    }
}

/// A component whose silent nodes, those without atoms, calls and exits, are joined where it is
/// plain that they are the same: on a cycle of silent nodes, and before a silent node that is the
/// only one to follow.
struct Compact {
    /// for each node of the component its node here
    place: Vec<u32>,
    nodes: Vec<Joined>,
    /// silent nodes, each after the silent ones that it leads to
    order: Vec<u32>,
}

struct Joined {
    /// a node of the component that it stands for
    first: u32,
    silent: bool,
    /// whether it can stay silent for ever by itself
    stays: bool,
    next: Vec<u32>,
}

const UNPLACED: u32 = u32::MAX;

impl Compact {
    fn new(graph: &Graph) -> Self {
        let silent: Vec<bool> =
            graph.nodes.iter().map(|node| node.mask == 0 && !node.exit && node.calls.is_empty()).collect();
        let mut compact = Self {
            place: vec![UNPLACED; graph.nodes.len()],
            nodes: Vec::with_capacity(graph.nodes.len()),
            order: Vec::new(),
        };
        for (number, _) in silent.iter().enumerate().filter(|&(_, &silent)| !silent) {
            compact.place[number] = compact.add(number as u32, false, false);
        }
        let cycles = cycles(graph, &silent);
        for cycle in (0..cycles.rows()).map(|row| cycles.row(row)).filter(|row| silent[row[0] as usize]) {
            compact.join(graph, &silent, cycle);
        }
        for number in 0..compact.nodes.len() {
            let Joined { first, silent, .. } = compact.nodes[number];
            if !silent {
                let node = &graph.nodes[first as usize];
                let mut next: Vec<u32> = node.next.iter().map(|&next| compact.place[next as usize]).collect();
                if node.next.is_empty() && node.calls.is_empty() && !node.exit {
                    next.push(number as u32);
                }
                sort(&mut next);
                compact.nodes[number].next = next;
            }
        }
        compact
    }

    fn add(&mut self, first: u32, silent: bool, stays: bool) -> u32 {
        self.nodes.push(Joined { first, silent, stays, next: Vec::new() });
        self.nodes.len() as u32 - 1
    }

    /// Adds silent nodes of a cycle, or one that is on none. All that they lead to is there.
    fn join(&mut self, graph: &Graph, silent: &[bool], cycle: &[u32]) {
        let leads = cycle.iter().flat_map(|&member| &graph.nodes[member as usize].next);
        let stays = cycle.len() > 1
            || graph.nodes[cycle[0] as usize].next.is_empty()
            || leads.clone().any(|next| cycle.contains(next));
        let mut next: Vec<u32> =
            leads.map(|&next| self.place[next as usize]).filter(|&next| next != UNPLACED).collect();
        sort(&mut next);
        debug_assert!(cycle.iter().all(|&member| silent[member as usize]), "cycles are silent");
        let place = match next[..] {
            [only] if !stays && self.nodes[only as usize].silent => only,
            _ => {
                let place = self.add(cycle[0], true, stays);
                self.nodes[place as usize].next = next;
                self.order.push(place);
                place
            }
        };
        for &member in cycle {
            self.place[member as usize] = place;
        }
    }

    /// Blocks of nodes that differ from the start: by atoms, exits and calls.
    fn apart(&self, graph: &Graph) -> Vec<u32> {
        let mut numbers: FxHashMap<(u64, Option<u32>), u32> = FxHashMap::default();
        let blocks = self.nodes.iter().map(|joined| {
            let node = &graph.nodes[joined.first as usize];
            let apart = node.exit || !node.calls.is_empty();
            let fresh = numbers.len() as u32;
            *numbers.entry((node.mask, apart.then_some(joined.first))).or_insert(fresh)
        });
        blocks.collect()
    }

    /// For each node the blocks that it leads to, by silent steps inside of its own block and one
    /// other.
    fn signatures(&self, blocks: &[u32]) -> Vec<Vec<u32>> {
        let mut signatures: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for &place in &self.order {
            let (node, block) = (&self.nodes[place as usize], blocks[place as usize]);
            let mut signature = Vec::with_capacity(node.next.len() + 1);
            if node.stays {
                signature.push(DIVERGES);
            }
            for &next in &node.next {
                if self.nodes[next as usize].silent && blocks[next as usize] == block {
                    signature.extend(&signatures[next as usize]);
                } else {
                    signature.push(blocks[next as usize]);
                }
            }
            sort(&mut signature);
            signatures[place as usize] = signature;
        }
        for (place, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.silent) {
            let mut signature: Vec<u32> = node.next.iter().map(|&next| blocks[next as usize]).collect();
            sort(&mut signature);
            signatures[place] = signature;
        }
        signatures
    }

    /// One node for each block, that of the entry first.
    fn collapse(
        &self,
        graph: &Graph,
        blocks: &[u32],
        signatures: &[Vec<u32>],
        count: usize,
    ) -> (Graph, Vec<(u32, u32)>) {
        let entry = blocks[self.place[0] as usize];
        let number = |block: u32| match block {
            0 => entry,
            block if block == entry => 0,
            block => block,
        };
        let at = |node: u32| number(blocks[self.place[node as usize] as usize]);
        let mut nodes: Vec<Option<GraphNode>> = vec![None; count];
        let mut exits = Vec::new();
        for (place, joined) in self.nodes.iter().enumerate() {
            let (node, block) = (&graph.nodes[joined.first as usize], number(blocks[place]));
            if node.exit {
                exits.push((joined.first, block));
            }
            let slot = &mut nodes[block as usize];
            if slot.is_some() {
                continue;
            }
            let signature = signatures[place].iter();
            let next = signature.map(|&next| if next == DIVERGES { block } else { number(next) }).collect();
            let calls = node.calls.iter().map(|call| GraphCall {
                callee: call.callee,
                returns: call
                    .returns
                    .iter()
                    .map(|(exit, next)| (*exit, next.iter().map(|&next| at(next)).collect()))
                    .collect(),
            });
            *slot = Some(GraphNode { mask: node.mask, next, calls: calls.collect(), exit: node.exit });
        }
        (Graph { nodes: nodes.into_iter().flatten().collect() }, exits)
    }
}

fn sort(numbers: &mut Vec<u32>) {
    numbers.sort_unstable();
    numbers.dedup();
}

/// The strongly connected groups of silent nodes, those that are led to first.
fn cycles(graph: &Graph, silent: &[bool]) -> Csr {
    let mut steps = Csr::default();
    for (node, &from) in graph.nodes.iter().zip(silent) {
        steps.push_row(node.next.iter().copied().filter(|&to| from && silent[to as usize]));
    }
    strong_components(&steps)
}
