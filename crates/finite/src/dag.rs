//! All properties as one graph of subformulas, each of which is there once.
//!
//! An edge carries the negation, as in the graph that [`Core`] is made from: a formula and its
//! negation have one column. Fairness is in the graph, too: `EX a` is `EX (a & fair)` and
//! `E [ a U b ]` is `E [ a U b & fair ]`, where `fair` is a leaf, so that only `EG` is another
//! operator. Constant time per node of a formula.

use crate::LabelledFormula;
use loris_base::Idx;
use loris_logic::{CoreId, CoreNode};
use rustc_hash::FxHashMap;

/// A node or its negation: twice its index, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Lit(u32);

impl Lit {
    pub(crate) const TRUE: Lit = Lit(0);
    pub(crate) const FALSE: Lit = Lit(1);

    pub(crate) fn node(self) -> usize {
        self.0 as usize / 2
    }

    pub(crate) fn negated(self) -> bool {
        self.0 % 2 == 1
    }

    fn is_constant(self) -> bool {
        self.0 < 2
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Gate {
    True,
    Label(u32),
    /// Where a fair path starts.
    Fair,
    And(Lit, Lit),
    Ex(Lit),
    /// On some path, or on some fair path.
    Eg(Lit),
    Eu(Lit, Lit),
}

impl Gate {
    pub(crate) fn is_temporal(self) -> bool {
        matches!(self, Gate::Ex(_) | Gate::Eg(_) | Gate::Eu(..))
    }

    /// The operands; constants are none.
    pub(crate) fn operands(self) -> impl Iterator<Item = Lit> {
        let pair = match self {
            Gate::True | Gate::Label(_) | Gate::Fair => [Lit::TRUE, Lit::TRUE],
            Gate::Ex(a) | Gate::Eg(a) => [a, Lit::TRUE],
            Gate::And(a, b) | Gate::Eu(a, b) => [a, b],
        };
        pair.into_iter().filter(|lit| !lit.is_constant())
    }
}

/// Operands come before operators.
pub(crate) struct Dag {
    pub(crate) gates: Vec<Gate>,
    /// How many temporal operators lie on the longest way down.
    pub(crate) levels: Vec<u32>,
    /// The last property that each gate is a part of; `u32::MAX` for those that are always kept.
    pub(crate) last: Vec<u32>,
    /// For each property.
    pub(crate) roots: Vec<Lit>,
    table: FxHashMap<Gate, u32>,
    fair: Lit,
}

impl Dag {
    pub(crate) fn new(properties: &[LabelledFormula], all_paths: bool) -> Self {
        let mut dag = Self {
            gates: vec![Gate::True],
            levels: vec![0],
            last: vec![u32::MAX],
            roots: Vec::with_capacity(properties.len()),
            table: FxHashMap::default(),
            fair: Lit::TRUE,
        };
        if !all_paths {
            dag.fair = dag.gate(Gate::Fair);
            dag.last[dag.fair.node()] = u32::MAX;
        }
        let mut lits: Vec<Lit> = Vec::new();
        for property in properties {
            lits.clear();
            for &node in property.formula.nodes() {
                let of = |child: CoreId| lits[child.index()];
                let lit = match node {
                    CoreNode::True => Lit::TRUE,
                    CoreNode::Atom(atom) => match property.atoms[atom as usize] {
                        Some(label) => dag.gate(Gate::Label(label)),
                        None => Lit::FALSE,
                    },
                    CoreNode::Not(a) => !of(a),
                    CoreNode::And(a, b) => dag.and(of(a), of(b)),
                    CoreNode::Or(a, b) => !dag.and(!of(a), !of(b)),
                    CoreNode::Ex(a) => dag.ex(of(a)),
                    CoreNode::Eg(a) => dag.eg(of(a)),
                    CoreNode::Eu(a, b) => dag.eu(of(a), of(b)),
                };
                lits.push(lit);
            }
            dag.roots.push(lits[property.formula.root().index()]);
        }
        dag
    }

    fn gate(&mut self, gate: Gate) -> Lit {
        let property = self.roots.len() as u32;
        let node = *self.table.entry(gate).or_insert_with(|| {
            let below = gate.operands().map(|lit| self.levels[lit.node()]).max().unwrap_or(0);
            self.gates.push(gate);
            self.levels.push(below + u32::from(gate.is_temporal()));
            self.last.push(property);
            self.gates.len() as u32 - 1
        });
        self.last[node as usize] = property;
        Lit(2 * node)
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a.min(b), a.max(b)) {
            (Lit::TRUE, b) => b,
            (Lit::FALSE, _) => Lit::FALSE,
            (a, b) if a == b => a,
            (a, b) if a == !b => Lit::FALSE,
            (a, b) => self.gate(Gate::And(a, b)),
        }
    }

    fn ex(&mut self, a: Lit) -> Lit {
        let a = self.and(a, self.fair);
        if a.is_constant() { a } else { self.gate(Gate::Ex(a)) }
    }

    fn eg(&mut self, a: Lit) -> Lit {
        match a {
            Lit::TRUE => self.fair,
            Lit::FALSE => a,
            _ if !a.negated() && matches!(self.gates[a.node()], Gate::Eg(_)) => a,
            _ => self.gate(Gate::Eg(a)),
        }
    }

    fn eu(&mut self, a: Lit, b: Lit) -> Lit {
        let b = self.and(b, self.fair);
        if b.is_constant() || a == Lit::FALSE || a == b {
            return b;
        }
        // before it first holds, it does not
        let a = if a == !b { Lit::TRUE } else { a };
        match self.gates[b.node()] {
            Gate::Eu(same, _) if same == a && !b.negated() => b,
            _ => self.gate(Gate::Eu(a, b)),
        }
    }
}
