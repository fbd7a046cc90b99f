//! The conditions that distinguish states: the parts of properties about the present only, and
//! fairness.
//!
//! A property depends on a state by the values of its largest parts without temporal operators, not
//! by those of each atom: `AG (a & b -> EF c)` asks of states whether `a & b` and whether `c`.

use crate::ir::{Atom, ExprId, SmvProperty, Structure};
use loris_base::BitSet;
use loris_logic::{FormulaId, Node};
use rustc_hash::FxHashMap;

/// Boolean combinations of conditions on states.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// the conditions, each once
    pub(super) conditions: Vec<ExprId>,
    numbers: FxHashMap<ExprId, u32>,
    /// operands before operators
    gates: Vec<Gate>,
    /// the gates of the conditions that are asked
    asked: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Gate {
    Value(bool),
    /// a condition, by its number
    Condition(u32),
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
    Iff(u32, u32),
}

impl Parts {
    /// Those of some properties of a structure; nothing if a property is about more than conditions
    /// on its states.
    pub(super) fn of<'p>(
        structure: &Structure,
        properties: impl Iterator<Item = &'p SmvProperty>,
    ) -> Option<Self> {
        let mut parts = Self::default();
        let fairness = structure.compassion.iter().flat_map(|&(p, q)| [p, q]);
        for condition in structure.justice.iter().copied().chain(fairness) {
            let gate = parts.condition(condition);
            parts.asked.push(gate);
        }
        for property in properties {
            parts.add(property)?;
        }
        Some(parts)
    }

    fn add(&mut self, property: &SmvProperty) -> Option<()> {
        let formula = &property.formula;
        let meanings = formula.atoms().iter().zip(&property.atoms);
        let meanings: FxHashMap<&str, Atom> = meanings.map(|(name, &atom)| (name, atom)).collect();
        // of each subformula, its gate, if it has no temporal operators
        let mut gates: Vec<Option<u32>> = Vec::with_capacity(formula.len());
        for (_, node) in formula.nodes() {
            let of = |id: FormulaId| gates[loris_base::Idx::index(id)];
            let gate = match node {
                Node::True => Some(Gate::Value(true)),
                Node::False => Some(Gate::Value(false)),
                Node::Atom(symbol) => match meanings.get(&formula.atoms()[symbol])? {
                    Atom::Condition(condition) => {
                        let gate = self.condition(*condition);
                        gates.push(Some(gate));
                        continue;
                    }
                    Atom::Label | Atom::Foreign => return None,
                },
                Node::Not(a) => of(a).map(Gate::Not),
                Node::And(a, b) => of(a).zip(of(b)).map(|(a, b)| Gate::And(a, b)),
                Node::Or(a, b) => of(a).zip(of(b)).map(|(a, b)| Gate::Or(a, b)),
                Node::Iff(a, b) => of(a).zip(of(b)).map(|(a, b)| Gate::Iff(a, b)),
                Node::Implies(a, b) => match (of(a), of(b)) {
                    (Some(a), Some(b)) => {
                        let not = self.gate(Gate::Not(a));
                        Some(Gate::Or(not, b))
                    }
                    _ => None,
                },
                _ => None,
            };
            if gate.is_none() {
                self.asked.extend(node.children().filter_map(of));
            }
            let gate = gate.map(|gate| self.gate(gate));
            gates.push(gate);
        }
        self.asked.extend(gates.last().copied().flatten());
        Some(())
    }

    fn gate(&mut self, gate: Gate) -> u32 {
        self.gates.push(gate);
        self.gates.len() as u32 - 1
    }

    fn condition(&mut self, condition: ExprId) -> u32 {
        let next = self.conditions.len() as u32;
        let number = *self.numbers.entry(condition).or_insert(next);
        if number == next {
            self.conditions.push(condition);
        }
        self.gate(Gate::Condition(number))
    }

    /// How much work it is to evaluate all.
    pub(super) fn len(&self) -> usize {
        self.gates.len()
    }

    /// The answers as bits, given the values of the conditions.
    pub(super) fn values(&self, conditions: &[bool], scratch: &mut Vec<bool>) -> Box<[u64]> {
        scratch.clear();
        for gate in &self.gates {
            let of = |gate: u32| scratch[gate as usize];
            let value = match *gate {
                Gate::Value(value) => value,
                Gate::Condition(number) => conditions[number as usize],
                Gate::Not(a) => !of(a),
                Gate::And(a, b) => of(a) && of(b),
                Gate::Or(a, b) => of(a) || of(b),
                Gate::Iff(a, b) => of(a) == of(b),
            };
            scratch.push(value);
        }
        let held = (0..).zip(&self.asked).filter(|(_, gate)| scratch[**gate as usize]);
        BitSet::of(self.asked.len(), held.map(|(place, _)| place)).words().into()
    }
}
