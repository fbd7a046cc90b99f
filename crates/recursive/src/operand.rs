//! Operands of existential formulas: boolean combinations of atoms and of existential formulas,
//! evaluated for 64 properties at a time, a bit (a *lane*) each.

use crate::instances::Instances;
use crate::threads;
use loris_base::{Budget, Csr, Exhausted, Idx};
use loris_logic::{Core, CoreId, CoreNode};
use loris_rsm::{LabelId, Rsm, Vertex};

/// One bit for each of up to 64 properties of one shape.
pub type Lanes = u64;

/// Truth of every atom of a shape at every vertex, in all lanes. Memory grows with the places where
/// atoms are true, not with atoms times vertices.
pub struct Atoms {
    columns: Vec<Column>,
    /// the lanes in use
    pub(crate) active: Lanes,
}

/// Where an atom is true, and in which lanes.
enum Column {
    /// A list by vertex.
    Few(Vec<(u32, Lanes)>),
    /// For 64 vertices each, which of them and how many before; the lanes of each, or those of all.
    Many { words: Vec<(u64, u32)>, lanes: Vec<Lanes> },
}

/// Lists so short are searched as fast as anything.
const FEW: usize = 16;
/// With so few atoms, all vertices are looked at for each.
const SWEPT: usize = 4;
/// A list is smaller than words if at most one vertex in this many is on it.
const SPARSE: usize = 256;

impl Column {
    /// Takes vertices in order, with their lanes.
    fn new(
        vertices: usize,
        places: &[u32],
        lanes: impl Fn(u32) -> Lanes,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        if places.len() <= FEW.max(vertices / SPARSE) {
            budget.charge(size_of::<(u32, Lanes)>() * places.len())?;
            return Ok(Self::Few(places.iter().map(|&vertex| (vertex, lanes(vertex))).collect()));
        }
        let first = lanes(places[0]);
        let is_uniform = places.iter().all(|&vertex| lanes(vertex) == first);
        let blocks = vertices.div_ceil(64);
        budget.charge(size_of::<(u64, u32)>() * blocks + if is_uniform { 8 } else { 8 * places.len() })?;
        budget.spend(blocks)?;
        let mut words = vec![(0u64, 0u32); blocks];
        for &vertex in places {
            words[vertex as usize / 64].0 |= 1 << (vertex % 64);
        }
        let mut before = 0;
        for word in &mut words {
            word.1 = before;
            before += word.0.count_ones();
        }
        let lanes =
            if is_uniform { vec![first] } else { places.iter().map(|&vertex| lanes(vertex)).collect() };
        Ok(Self::Many { words, lanes })
    }

    #[inline]
    fn at(&self, vertex: usize) -> Lanes {
        match self {
            Self::Few(list) => match list.binary_search_by_key(&(vertex as u32), |&(place, _)| place) {
                Ok(place) => list[place].1,
                Err(_) => 0,
            },
            Self::Many { words, lanes } => {
                let (word, before) = words[vertex / 64];
                let bit = 1u64 << (vertex % 64);
                if word & bit == 0 {
                    0
                } else if let &[all] = &lanes[..] {
                    all
                } else {
                    lanes[before as usize + (word & (bit - 1)).count_ones() as usize]
                }
            }
        }
    }
}

impl Atoms {
    /// Reads the labels of a machine; `properties[i][k]` is the label of atom `k` in lane `i`.
    pub fn new(
        rsm: &Rsm,
        count: usize,
        properties: &[&[Option<LabelId>]],
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        assert!(properties.len() <= 64, "a batch has a bit for each property");
        let before = budget.used();
        let vertices = rsm.vertex_count();
        let node_of = |vertex: usize| rsm.node_of(Vertex::new(vertex)).index();
        // the ports of each node, unless it is less work to look at all vertices
        let mut ports = Csr::default();
        let is_swept = count <= SWEPT;
        if !is_swept {
            let pairs = (0..vertices).map(|vertex| (node_of(vertex) as u32, vertex as u32));
            ports = Csr::from_pairs_within(vertices, pairs.filter(|&(node, vertex)| node != vertex), budget)?;
        }
        // the lanes of each node, and the vertices that have some
        budget.charge((size_of::<Lanes>() + 4) * vertices + size_of::<Column>() * count)?;
        let mut lanes_at: Vec<Lanes> = vec![0; vertices];
        let mut nodes: Vec<u32> = Vec::new();
        let mut columns = Vec::with_capacity(count);
        let shared = budget.used() - before;
        let mut labels: Vec<(LabelId, Lanes)> = Vec::new();
        for atom in 0..count {
            labels.clear();
            let in_lanes = properties.iter().enumerate();
            labels.extend(in_lanes.filter_map(|(lane, labels)| Some((labels[atom]?, 1 << lane))));
            labels.sort_unstable();
            // lanes with the same label are one
            labels.dedup_by(|next, label| {
                let same = next.0 == label.0;
                label.1 |= if same { next.1 } else { 0 };
                same
            });
            for &(label, lanes) in &labels {
                for node in rsm.labelled(label) {
                    budget.spend(1)?;
                    let held = &mut lanes_at[node.index()];
                    if *held == 0 {
                        nodes.push(node.index() as u32);
                    }
                    *held |= lanes;
                }
            }
            let lanes = |vertex: u32| lanes_at[node_of(vertex as usize)];
            let places = if is_swept && !nodes.is_empty() {
                let found = threads::pieces(vertices, 1, budget, |range| {
                    range
                        .map(|vertex| vertex as u32)
                        .filter(|&vertex| lanes(vertex) != 0)
                        .collect::<Vec<u32>>()
                })?;
                found.concat()
            } else {
                let with_ports =
                    |&node: &u32| std::iter::once(node).chain(ports.row(node as usize).iter().copied());
                let mut places: Vec<u32> = nodes.iter().flat_map(with_ports).collect();
                places.sort_unstable();
                places
            };
            budget.spend(1 + places.len())?;
            columns.push(Column::new(vertices, &places, lanes, budget)?);
            for node in nodes.drain(..) {
                lanes_at[node as usize] = 0;
            }
        }
        budget.release(shared - size_of::<Column>() * count);
        Ok(Self { columns, active: if properties.len() == 64 { !0 } else { (1 << properties.len()) - 1 } })
    }

    /// An atom at a vertex.
    #[inline]
    pub fn at(&self, atom: u32, vertex: usize) -> Lanes {
        self.columns[atom as usize].at(vertex)
    }
}

/// A step of an operand's evaluation; operands of a step are results of earlier ones.
#[derive(Clone, Copy)]
enum Step {
    True,
    Atom(u32),
    Existential(CoreId),
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
}

/// A boolean combination as straight-line programs, so that shared parts are evaluated once: one
/// for each conjunct of the whole, those over atoms first, so that the rest is skipped where one is
/// false.
pub struct Operand {
    /// its node of the formula
    pub(crate) root: CoreId,
    conjuncts: Vec<Vec<Step>>,
    /// the existential formulas it mentions
    pub(crate) existentials: Vec<CoreId>,
}

/// More conjuncts than this are one program: they may share too much.
const MOST_CONJUNCTS: usize = 8;

impl Operand {
    /// The boolean combination rooted at a node of a formula.
    pub fn new(formula: &Core, root: CoreId) -> Self {
        let mut roots = Vec::new();
        let mut left = vec![root];
        while let Some(node) = left.pop() {
            match formula.node(node) {
                CoreNode::And(a, b) if roots.len() + left.len() < MOST_CONJUNCTS => left.extend([b, a]),
                _ => roots.push(node),
            }
        }
        let mut existentials = Vec::new();
        let mut conjuncts: Vec<Vec<Step>> =
            roots.into_iter().map(|root| compile(formula, root, &mut existentials)).collect();
        let asks = |step: &Step| matches!(step, Step::Existential(_));
        conjuncts.sort_by_key(|steps| (steps.iter().any(asks), steps.len()));
        existentials.sort_unstable();
        existentials.dedup();
        Self { root, conjuncts, existentials }
    }

    /// The value, given those of atoms and existential formulas.
    #[inline]
    pub fn value(
        &self,
        active: Lanes,
        atom: impl Fn(u32) -> Lanes,
        existential: impl Fn(CoreId) -> Lanes,
        scratch: &mut Vec<Lanes>,
    ) -> Lanes {
        let mut all = active;
        for steps in &self.conjuncts {
            scratch.clear();
            for &step in steps {
                let at = |step: u32| scratch[step as usize];
                let value = match step {
                    Step::True => active,
                    Step::Atom(k) => atom(k),
                    Step::Existential(node) => existential(node),
                    Step::Not(a) => !at(a) & active,
                    Step::And(a, b) => at(a) & at(b),
                    Step::Or(a, b) => at(a) | at(b),
                };
                scratch.push(value);
            }
            all &= scratch[scratch.len() - 1];
            if all == 0 {
                break;
            }
        }
        all
    }

    /// Kleene's value where some existential formulas are not known: (surely true, surely false).
    #[inline]
    pub(crate) fn ternary(
        &self,
        active: Lanes,
        atom: impl Fn(u32) -> Lanes,
        existential: impl Fn(CoreId) -> (Lanes, Lanes),
        scratch: &mut Vec<(Lanes, Lanes)>,
    ) -> (Lanes, Lanes) {
        let (mut yes, mut no) = (active, 0);
        for steps in &self.conjuncts {
            scratch.clear();
            for &step in steps {
                let at = |step: u32| scratch[step as usize];
                let value = match step {
                    Step::True => (active, 0),
                    Step::Atom(k) => (atom(k), !atom(k) & active),
                    Step::Existential(node) => existential(node),
                    Step::Not(a) => (at(a).1, at(a).0),
                    Step::And(a, b) => (at(a).0 & at(b).0, at(a).1 | at(b).1),
                    Step::Or(a, b) => (at(a).0 | at(b).0, at(a).1 & at(b).1),
                };
                scratch.push(value);
            }
            let last = scratch[scratch.len() - 1];
            (yes, no) = (yes & last.0, no | last.1);
            if no == active {
                break;
            }
        }
        (yes, no)
    }

    /// Whether it is the constant true.
    pub(crate) fn is_true(&self) -> bool {
        matches!(&self.conjuncts[..], [steps] if matches!(steps[..], [Step::True]))
    }

    /// The value at every cell of an instance graph.
    pub fn everywhere(
        &self,
        graph: &Instances<'_>,
        atoms: &Atoms,
        values: &[Vec<Lanes>],
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        budget.charge(8 * graph.cell_count())?;
        if self.is_true() {
            return Ok(vec![atoms.active; graph.cell_count()]);
        }
        let steps = self.conjuncts.iter().map(Vec::len).sum();
        threads::fill(graph, steps, budget, |scratch: &mut Vec<Lanes>, cell, vertex| {
            let existential = |node: CoreId| values[node.index()][cell];
            self.value(atoms.active, |k| atoms.at(k, vertex), existential, scratch)
        })
    }
}

/// The program of a boolean combination; notes the existential formulas it mentions.
fn compile(formula: &Core, root: CoreId, existentials: &mut Vec<CoreId>) -> Vec<Step> {
    let below = || formula.ids().take(root.index() + 1);
    let mut wanted = vec![false; root.index() + 1];
    wanted[root.index()] = true;
    for node in below().rev().filter(|&node| !formula.node(node).is_existential()) {
        if wanted[node.index()] {
            for child in formula.children(node) {
                wanted[child.index()] = true;
            }
        }
    }
    let mut place = vec![0u32; root.index() + 1];
    let mut steps = Vec::new();
    for node in below().filter(|&node| wanted[node.index()]) {
        let at = |node: CoreId| place[node.index()];
        let step = match formula.node(node) {
            CoreNode::True => Step::True,
            CoreNode::Atom(atom) => Step::Atom(atom),
            CoreNode::Not(a) => Step::Not(at(a)),
            CoreNode::And(a, b) => Step::And(at(a), at(b)),
            CoreNode::Or(a, b) => Step::Or(at(a), at(b)),
            CoreNode::Ex(_) | CoreNode::Eg(_) | CoreNode::Eu(..) | CoreNode::E(_) => {
                existentials.push(node);
                Step::Existential(node)
            }
        };
        place[node.index()] = steps.len() as u32;
        steps.push(step);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::Atoms;
    use loris_base::{Budget, Idx, Rng};
    use loris_rsm::generate::{LargeRsm, RandomRsm};
    use loris_rsm::{LabelId, Rsm, Vertex};

    /// Every atom at every vertex, against the labels of nodes.
    fn check(rsm: &Rsm, properties: &[&[Option<LabelId>]]) {
        let count = properties[0].len();
        let mut budget = Budget::unlimited();
        let atoms = Atoms::new(rsm, count, properties, &mut budget).expect("no limit");
        for vertex in (0..rsm.vertex_count()).map(Vertex::new) {
            let node = rsm.node_of(vertex);
            for atom in 0..count {
                let has = |label: LabelId| rsm.labelled(label).any(|other| other == node);
                let lanes = properties.iter().enumerate();
                let expected = lanes
                    .map(|(lane, labels)| u64::from(labels[atom].is_some_and(has)) << lane)
                    .fold(0, |all, lane| all | lane);
                assert_eq!(atoms.at(atom as u32, vertex.index()), expected, "{atom} at {vertex:?}");
            }
        }
    }

    #[test]
    fn atoms_are_where_labels_are() {
        let labels = |count: usize| (0..count).map(|label| Some(LabelId::new(label))).collect::<Vec<_>>();
        let rates = [("p", 0.5), ("q", 0.01), ("r", 0.002)];
        let labels_of = rates.map(|(name, rate)| (name.to_owned(), rate)).to_vec();
        let large = LargeRsm { edges: 6000, labels: labels_of, ..LargeRsm::default() };
        for rsm in [RandomRsm::paper(3).to_rsm(&mut Rng::new(7)), large.to_rsm(&mut Rng::new(3))] {
            let all = labels(rsm.label_count());
            let mut turned = all.clone();
            turned.rotate_left(1);
            let none = vec![None; all.len()];
            check(&rsm, &[&all]);
            check(&rsm, &[&all, &all, &none, &turned]);
        }
    }
}
