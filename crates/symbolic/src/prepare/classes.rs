//! Classes of nodes of a graph that may be equal, or each other's negation: what simulation and
//! counterexamples have not told apart.

use loris_circuit::{Aig, Gate, Lit, Var};
use rustc_hash::FxHashMap;

/// A partition of the nodes of a graph. In each class, the first node stands for the others: a
/// variable if there is one, and else the gate that comes first. So a node comes after the one that
/// stands for it, and no function is defined by itself.
pub(super) struct Classes {
    of: Vec<u32>,
    members: Vec<Vec<Var>>,
    /// nodes whose values are compared with the negations of others: those that were 1 at first
    is_negated: Vec<bool>,
}

impl Classes {
    /// All nodes of a graph in one class, as values of all nodes have not been seen yet.
    pub(super) fn new(aig: &Aig) -> Self {
        let is_gate = |&(_, gate): &(Var, Gate)| matches!(gate, Gate::And(..));
        let variables = aig.gates().filter(|node| !is_gate(node)).map(|(var, _)| var);
        let order: Vec<Var> = variables.chain(aig.gates().filter(is_gate).map(|(var, _)| var)).collect();
        Self { of: vec![0; aig.len()], members: vec![order], is_negated: Vec::new() }
    }

    /// The nodes, each after the one that stands for it whatever the classes are.
    pub(super) fn order(aig: &Aig) -> Vec<Var> {
        Self::new(aig).members.swap_remove(0)
    }

    /// The literal that stands for a node.
    pub(super) fn stands_for(&self, var: Var) -> Lit {
        let first = self.members[self.of[var.index()] as usize][0];
        let negated = |var: Var| self.is_negated.get(var.index()).copied().unwrap_or(false);
        first.lit().negated_if(negated(var) != negated(first))
    }

    /// Tells nodes apart by 64 valuations of all nodes. Whether a class was split.
    pub(super) fn refine(&mut self, values: &[u64]) -> bool {
        if self.is_negated.is_empty() {
            self.is_negated = values.iter().map(|value| value & 1 == 1).collect();
        }
        let mut was_split = false;
        for class in 0..self.members.len() {
            was_split |= self.split(class, values);
        }
        was_split
    }

    fn split(&mut self, class: usize, values: &[u64]) -> bool {
        let value = |var: Var| values[var.index()] ^ u64::from(self.is_negated[var.index()]).wrapping_neg();
        let members = &self.members[class];
        let first = value(members[0]);
        if members.iter().all(|&var| value(var) == first) {
            return false;
        }
        let mut number_of: FxHashMap<u64, usize> = FxHashMap::default();
        let mut parts: Vec<Vec<Var>> = Vec::new();
        for &var in members {
            let number = *number_of.entry(value(var)).or_insert(parts.len());
            if number == parts.len() {
                parts.push(Vec::new());
            }
            parts[number].push(var);
        }
        let mut parts = parts.into_iter();
        self.members[class] = parts.next().unwrap_or_default();
        parts.for_each(|part| self.add(part));
        true
    }

    fn add(&mut self, members: Vec<Var>) {
        for var in &members {
            self.of[var.index()] = self.members.len() as u32;
        }
        self.members.push(members);
    }

    /// Takes a node that does not stand for its class out of it.
    pub(super) fn separate(&mut self, var: Var) {
        self.members[self.of[var.index()] as usize].retain(|&member| member != var);
        self.add(vec![var]);
    }
}
