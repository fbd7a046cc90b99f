//! Copies of sub-structures, as split and merge make them (recursive-kripke, Algorithms A.2 and
//! A.3).
//!
//! Both explore a call graph from its start and make a copy for every key they meet: split for a
//! copy and the value of a formula after its exit, merge for a copy of either graph. Only
//! differences are copied: a graph holds for each copy its component and where its calls lead, and
//! labels are bit rows beside it, shared by all graphs that a copy with these labels went into.
//!
//! Invariant: a call of a copy leads to a copy of the component its box calls, so that two graphs
//! made of one machine can be walked in lock-step. Linear in the calls of the copies that are made.

use super::structure::{Call, Structure};
use loris_base::{BitSet, Budget, Exhausted};
use loris_rsm::{ComponentId, Rsm};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// No copy: a place where nothing is called.
const NONE: u32 = u32::MAX;

/// The copies there are, and whom they call. The first is where runs start.
pub(super) struct Graph {
    components: Vec<ComponentId>,
    /// where the calls of each copy start
    first_calls: Vec<u32>,
    /// per box of a copy, the copy it calls
    callees: Vec<u32>,
}

/// A bit for each cell of a sub-structure.
pub(super) type Bits = Arc<[u64]>;

/// The row of the cells for which something holds.
pub(super) fn bits(structure: &Structure<'_>, holds: impl Fn(usize) -> bool) -> Bits {
    let cells = structure.locations().filter(|&cell| holds(cell));
    BitSet::of(structure.len(), cells.map(|cell| cell as u32)).into_words().into()
}

impl Graph {
    /// One copy of each sub-structure that calls lead to.
    pub(super) fn plain(rsm: &Rsm, budget: &mut Budget) -> Result<(Self, Vec<ComponentId>), Exhausted> {
        let callee = |_, call: Call| rsm.callee(call.site);
        Self::explore(rsm, rsm.initial_component(), |component| component, callee, budget)
    }

    /// A copy for each key that calls lead to from that of the start; and the keys, by copy.
    pub(super) fn explore<K: Copy + Eq + Hash>(
        rsm: &Rsm,
        start: K,
        component: impl Fn(K) -> ComponentId,
        callee: impl Fn(K, Call) -> K,
        budget: &mut Budget,
    ) -> Result<(Self, Vec<K>), Exhausted> {
        let mut graph = Self { components: Vec::new(), first_calls: Vec::new(), callees: Vec::new() };
        let mut keys = vec![start];
        let mut copies = FxHashMap::from_iter([(start, 0)]);
        while let Some(&key) = keys.get(graph.components.len()) {
            let structure = Structure::new(rsm, component(key));
            budget.charge(8 + 4 * structure.places() + 3 * size_of::<(K, u32)>())?;
            graph.components.push(structure.component);
            graph.first_calls.push(graph.callees.len() as u32);
            for place in 0..structure.places() {
                budget.spend(1)?;
                let copy = structure.call(place).map_or(NONE, |call| {
                    let next = callee(key, call);
                    *copies.entry(next).or_insert_with(|| {
                        keys.push(next);
                        keys.len() as u32 - 1
                    })
                });
                graph.callees.push(copy);
            }
        }
        Ok((graph, keys))
    }

    /// How many copies there are.
    pub(super) fn len(&self) -> usize {
        self.components.len()
    }

    /// The component of a copy.
    pub(super) fn component(&self, copy: u32) -> ComponentId {
        self.components[copy as usize]
    }

    /// The copy that a call leads to.
    pub(super) fn callee(&self, copy: u32, call: Call) -> u32 {
        self.callees[self.first_calls[copy as usize] as usize + call.place]
    }
}

/// A machine expanded so that a formula is a label: the same under every stack of a copy.
#[derive(Clone)]
pub(super) struct Expansion {
    pub(super) graph: Arc<Graph>,
    /// per copy, where the formula holds
    pub(super) labels: Vec<Bits>,
    /// whether it holds after the last exit
    pub(super) at_end: bool,
}

/// merge (Algorithm A.3): one graph for both formulas, and the labels of either there.
pub(super) fn merge(
    rsm: &Rsm,
    one: &Expansion,
    other: &Expansion,
    budget: &mut Budget,
) -> Result<(Arc<Graph>, [Vec<Bits>; 2]), Exhausted> {
    if Arc::ptr_eq(&one.graph, &other.graph) {
        return Ok((one.graph.clone(), [one.labels.clone(), other.labels.clone()]));
    }
    let callee = |(a, b): (u32, u32), call: Call| (one.graph.callee(a, call), other.graph.callee(b, call));
    let (graph, keys) = Graph::explore(rsm, (0, 0), |(copy, _)| one.graph.component(copy), callee, budget)?;
    budget.charge(2 * keys.len() * size_of::<Bits>())?;
    let first = keys.iter().map(|&(copy, _)| one.labels[copy as usize].clone()).collect();
    let second = keys.iter().map(|&(_, copy)| other.labels[copy as usize].clone()).collect();
    Ok((Arc::new(graph), [first, second]))
}
