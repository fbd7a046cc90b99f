//! The quotient of a component by branching bisimulation that keeps divergence, where steps between
//! nodes without atoms count as silent.
//!
//! All other steps are visible, so that formulas of CTL keep their truth values even if they have
//! `X`, as long as [`stutter`](super::stutter) lets them. Signatures are refined until they are
//! stable (S. Blom, S. Orzan, *A distributed algorithm for strong bisimulation reduction of state
//! spaces*, and their paper on branching bisimulation): at most as many rounds as there are blocks,
//! each linear in the edges; in practice a handful.

use super::graph::{Graph, GraphCall, GraphNode};
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// Marks signatures of nodes that can stay silent for ever.
const DIVERGES: u32 = u32::MAX;

/// The quotient of a component, and for each exit its node there. Exits and nodes with calls are
/// kept apart.
pub(crate) fn quotient(graph: &Graph, budget: &mut Budget) -> Result<(Graph, Vec<(u32, u32)>), Exhausted> {
    let edges: usize = graph.nodes.iter().map(|node| node.next.len()).sum();
    budget.spend(graph.nodes.len() + edges)?;
    let silent = Silent::new(graph);
    let mut blocks = initial(graph, &silent);
    let mut count = 0;
    loop {
        budget.spend(graph.nodes.len() + edges)?;
        let signatures = signatures(graph, &silent, &blocks);
        // the block of the entry comes first
        let mut numbers: FxHashMap<(u32, &[u32]), u32> = FxHashMap::default();
        let mut refined = vec![0; blocks.len()];
        for (node, block) in refined.iter_mut().enumerate() {
            let root = silent.root[node] as usize;
            let fresh = numbers.len() as u32;
            *block = *numbers.entry((blocks[root], &signatures[root])).or_insert(fresh);
        }
        let found = numbers.len();
        if found == count {
            return Ok(collapse(graph, &silent, &blocks, found));
        }
        (blocks, count) = (refined, found);
    }
}

/// Nodes without atoms, calls and exits; those on a common cycle have one root.
struct Silent {
    /// for each node its root, itself if it is alone
    root: Vec<u32>,
    /// whether a root can stay silent for ever by itself
    stays: Vec<bool>,
    /// roots of silent nodes, each after the silent roots it leads to
    order: Vec<u32>,
    plain: Vec<bool>,
    /// the nodes of each root
    members: FxHashMap<u32, Vec<u32>>,
}

impl Silent {
    fn new(graph: &Graph) -> Self {
        let count = graph.nodes.len();
        let plain: Vec<bool> =
            graph.nodes.iter().map(|node| node.mask == 0 && !node.exit && node.calls.is_empty()).collect();
        let mut silent = Self {
            root: (0..count as u32).collect(),
            stays: vec![false; count],
            order: Vec::new(),
            plain,
            members: FxHashMap::default(),
        };
        for component in silent.cycles(graph) {
            let root = component[0];
            let node = &graph.nodes[root as usize];
            let alone = component.len() == 1;
            silent.stays[root as usize] = !alone || node.next.is_empty() || node.next.contains(&root);
            for &node in &component {
                silent.root[node as usize] = root;
            }
            silent.order.push(root);
            if !alone {
                silent.members.insert(root, component);
            }
        }
        silent
    }

    /// The strongly connected components of silent nodes, those that are led to first (Tarjan).
    fn cycles(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let count = graph.nodes.len();
        let (mut index, mut low, mut on_stack) = (vec![0u32; count], vec![0u32; count], vec![false; count]);
        let (mut clock, mut stack, mut found) = (0, Vec::new(), Vec::new());
        for start in (0..count).filter(|&node| self.plain[node]) {
            if index[start] != 0 {
                continue;
            }
            let mut path: Vec<(usize, usize)> = Vec::new();
            let mut enter = Some(start);
            loop {
                if let Some(node) = enter.take() {
                    clock += 1;
                    (index[node], low[node], on_stack[node]) = (clock, clock, true);
                    stack.push(node as u32);
                    path.push((node, 0));
                }
                let Some((node, position)) = path.last_mut() else { break };
                let node = *node;
                if let Some(&next) = graph.nodes[node].next.get(*position) {
                    *position += 1;
                    let next = next as usize;
                    if !self.plain[next] {
                        continue;
                    }
                    if index[next] == 0 {
                        enter = Some(next);
                    } else if on_stack[next] {
                        low[node] = low[node].min(index[next]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[node]);
                }
                if low[node] == index[node] {
                    let start = stack.iter().rposition(|&other| other as usize == node).unwrap_or(0);
                    let component = stack.split_off(start);
                    for &member in &component {
                        on_stack[member as usize] = false;
                    }
                    found.push(component);
                }
            }
        }
        found
    }

    /// The successors of a root, as roots.
    fn successors<'a>(&'a self, graph: &'a Graph, root: u32) -> impl Iterator<Item = u32> + 'a {
        let members = match self.members.get(&root) {
            Some(members) => members.as_slice(),
            None => std::slice::from_ref(self.root.get(root as usize).unwrap_or(&0)),
        };
        members
            .iter()
            .flat_map(|&member| &graph.nodes[member as usize].next)
            .map(|&next| self.root[next as usize])
    }
}

/// Nodes that differ from the start: by atoms, exits and calls.
fn initial(graph: &Graph, silent: &Silent) -> Vec<u32> {
    let mut numbers: FxHashMap<(u64, Option<usize>), u32> = FxHashMap::default();
    let mut number = |key| {
        let fresh = numbers.len() as u32;
        *numbers.entry(key).or_insert(fresh)
    };
    let nodes = graph.nodes.iter().enumerate();
    nodes
        .map(|(place, node)| {
            let apart = node.exit || !node.calls.is_empty();
            debug_assert!(!apart || silent.root[place] as usize == place, "only silent nodes are joined");
            number((node.mask, apart.then_some(place)))
        })
        .collect()
}

/// For each root the blocks that it leads to, by silent steps inside of its own block and one other.
fn signatures(graph: &Graph, silent: &Silent, blocks: &[u32]) -> Vec<Vec<u32>> {
    let mut signatures: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes.len()];
    for &root in &silent.order {
        let mut signature = Vec::new();
        if silent.stays[root as usize] {
            signature.push(DIVERGES);
        }
        for next in silent.successors(graph, root).filter(|&next| next != root) {
            if silent.plain[next as usize] && blocks[next as usize] == blocks[root as usize] {
                signature.extend(&signatures[next as usize]);
            } else {
                signature.push(blocks[next as usize]);
            }
        }
        signature.sort_unstable();
        signature.dedup();
        signatures[root as usize] = signature;
    }
    for (place, node) in graph.nodes.iter().enumerate().filter(|&(place, _)| !silent.plain[place]) {
        let mut signature: Vec<u32> =
            node.next.iter().map(|&next| blocks[silent.root[next as usize] as usize]).collect();
        if node.next.is_empty() && node.calls.is_empty() && !node.exit {
            signature.push(blocks[place]);
        }
        signature.sort_unstable();
        signature.dedup();
        signatures[place] = signature;
    }
    signatures
}

/// One node for each block.
fn collapse(graph: &Graph, silent: &Silent, blocks: &[u32], count: usize) -> (Graph, Vec<(u32, u32)>) {
    let signatures = signatures(graph, silent, blocks);
    let mut nodes: Vec<Option<GraphNode>> = vec![None; count];
    let mut exits = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let root = silent.root[place] as usize;
        let block = blocks[root];
        if node.exit {
            exits.push((place as u32, block));
        }
        let slot = &mut nodes[block as usize];
        if slot.is_some() {
            continue;
        }
        let signature = signatures[root].iter();
        let next = signature.map(|&next| if next == DIVERGES { block } else { next }).collect();
        let moved =
            |next: &Vec<u32>| next.iter().map(|&next| blocks[silent.root[next as usize] as usize]).collect();
        let calls = node.calls.iter().map(|call| GraphCall {
            callee: call.callee,
            returns: call.returns.iter().map(|(exit, next)| (*exit, moved(next))).collect(),
        });
        *slot = Some(GraphNode { mask: node.mask, next, calls: calls.collect(), exit: node.exit });
    }
    (Graph { nodes: nodes.into_iter().flatten().collect() }, exits)
}
