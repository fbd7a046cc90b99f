//! Operands of existential formulas: boolean combinations of atoms and of existential formulas,
//! evaluated for 64 properties at a time, a bit (a *lane*) each.

use crate::instances::Instances;
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::{Core, CoreNode};
use loris_rsm::{LabelId, Rsm};

/// One bit for each of up to 64 properties of one shape.
pub(crate) type Lanes = u64;

/// Truth of every atom of a shape at every vertex, in all lanes.
pub(crate) struct Atoms {
    values: Vec<Vec<Lanes>>,
    /// the lanes in use
    pub(crate) active: Lanes,
}

impl Atoms {
    /// Reads the labels of a machine; `properties[i][k]` is the label of atom `k` in lane `i`.
    pub(crate) fn new(
        rsm: &Rsm,
        count: usize,
        properties: &[&[Option<LabelId>]],
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        assert!(properties.len() <= 64, "a batch has a bit for each property");
        budget.charge(8 * rsm.vertex_count() * count)?;
        let mut values = vec![vec![0; rsm.vertex_count()]; count];
        for (lane, labels) in properties.iter().enumerate() {
            for (atom, label) in labels.iter().enumerate() {
                for node in label.iter().flat_map(|&label| rsm.labelled(label)) {
                    budget.spend(1)?;
                    values[atom][node.index()] |= 1 << lane;
                }
            }
        }
        for component in rsm.components() {
            let ports = rsm.vertices(component).skip(rsm.nodes(component).len());
            budget.spend(1 + ports.len() * count)?;
            for port in ports {
                let node = rsm.node_of(port).index();
                for values in &mut values {
                    values[port.index()] = values[node];
                }
            }
        }
        Ok(Self { values, active: if properties.len() == 64 { !0 } else { (1 << properties.len()) - 1 } })
    }

    /// An atom at a vertex.
    #[inline]
    pub(crate) fn at(&self, atom: u32, vertex: usize) -> Lanes {
        self.values[atom as usize][vertex]
    }
}

/// A step of an operand's evaluation; operands of a step are results of earlier ones.
#[derive(Clone, Copy)]
enum Step {
    True,
    Atom(u32),
    Existential(u32),
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
}

/// A boolean combination as straight-line programs, so that shared parts are evaluated once: one for
/// each conjunct of the whole, those over atoms first, so that the rest is skipped where one is false.
pub(crate) struct Operand {
    /// its node of the formula
    pub(crate) root: u32,
    conjuncts: Vec<Vec<Step>>,
    /// the existential formulas it mentions
    pub(crate) existentials: Vec<u32>,
}

/// More conjuncts than this are one program: they may share too much.
const MOST_CONJUNCTS: usize = 8;

impl Operand {
    /// The boolean combination rooted at a node of a formula.
    pub(crate) fn new(formula: &Core, root: u32) -> Self {
        let mut roots = Vec::new();
        let mut left = vec![root];
        while let Some(node) = left.pop() {
            match formula.nodes()[node as usize] {
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
    pub(crate) fn value(
        &self,
        active: Lanes,
        atom: impl Fn(u32) -> Lanes,
        existential: impl Fn(u32) -> Lanes,
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
        existential: impl Fn(u32) -> (Lanes, Lanes),
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
    pub(crate) fn everywhere(
        &self,
        graph: &Instances<'_>,
        atoms: &Atoms,
        values: &[Vec<Lanes>],
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        budget.charge(8 * graph.cell_count())?;
        let mut all = Vec::with_capacity(graph.cell_count());
        if self.is_true() {
            all.resize(graph.cell_count(), atoms.active);
            return Ok(all);
        }
        let mut scratch = Vec::new();
        let steps = self.conjuncts.iter().map(Vec::len).sum();
        for instance in 0..graph.len() as u32 {
            for vertex in graph.rsm.vertex_range(graph.component(instance)) {
                let cell = all.len();
                let atom = |k| atoms.at(k, vertex);
                let existential = |node: u32| values[node as usize][cell];
                all.push(self.value(atoms.active, atom, existential, &mut scratch));
                budget.spend(steps)?;
            }
        }
        Ok(all)
    }
}

/// The program of a boolean combination; notes the existential formulas it mentions.
fn compile(formula: &Core, root: u32, existentials: &mut Vec<u32>) -> Vec<Step> {
    let mut wanted = vec![false; root as usize + 1];
    wanted[root as usize] = true;
    for node in (0..=root).rev().filter(|&node| !formula.nodes()[node as usize].is_existential()) {
        if wanted[node as usize] {
            for child in formula.children(node) {
                wanted[child as usize] = true;
            }
        }
    }
    let mut place = vec![0u32; root as usize + 1];
    let mut steps = Vec::new();
    for node in (0..=root).filter(|&node| wanted[node as usize]) {
        let at = |node: u32| place[node as usize];
        let step = match formula.nodes()[node as usize] {
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
        place[node as usize] = steps.len() as u32;
        steps.push(step);
    }
    steps
}
