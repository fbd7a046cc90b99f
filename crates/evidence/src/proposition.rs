//! Boolean combinations of the atoms of a model.

use crate::formulas::{Formulas, Lit, Op};

/// A gate of a [`Proposition`]; operands are indices of earlier gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate<A> {
    /// A constant.
    Constant(bool),
    /// An atom, or its negation if false.
    Literal(A, bool),
    /// Both.
    And(usize, usize),
    /// At least one.
    Or(usize, usize),
}

/// A Boolean combination of atoms, with negations at atoms only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposition<A> {
    gates: Vec<Gate<A>>,
}

impl<A: Copy> Proposition<A> {
    /// The gates, operands first; the last one is the whole.
    pub fn gates(&self) -> &[Gate<A>] {
        &self.gates
    }

    /// Whether it is true, given which atoms are.
    pub fn holds(&self, mut atom: impl FnMut(A) -> bool) -> bool {
        let mut values: Vec<bool> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            values.push(match *gate {
                Gate::Constant(value) => value,
                Gate::Literal(name, positive) => atom(name) == positive,
                Gate::And(a, b) => values[a] && values[b],
                Gate::Or(a, b) => values[a] || values[b],
            });
        }
        values.last().is_none_or(|&value| value)
    }

    /// The proposition that a formula is, if it has no temporal operators. Atoms that the model
    /// does not have are false.
    pub(crate) fn new(
        formulas: &Formulas<'_>,
        formula: Lit,
        atom_of: impl Fn(&str) -> Option<A>,
    ) -> Option<Self> {
        let parts = formulas.parts(formula, |_| false);
        let place = |lit: Lit| parts.binary_search(&lit).ok();
        let gates = parts.iter().map(|&lit| {
            Some(match formulas.op(lit) {
                Op::Constant(value) => Gate::Constant(value),
                // that a state has a successor depends on its stack
                Op::Atom(atom, _) if formulas.is_has_next(atom) => return None,
                Op::Atom(atom, positive) => match atom_of(formulas.name(atom)) {
                    Some(atom) => Gate::Literal(atom, positive),
                    None => Gate::Constant(!positive),
                },
                Op::And(a, b) => Gate::And(place(a)?, place(b)?),
                Op::Or(a, b) => Gate::Or(place(a)?, place(b)?),
                Op::Next(_)
                | Op::Until(..)
                | Op::Release(..)
                | Op::Exists(_)
                | Op::Absent(_)
                | Op::Fair(_) => return None,
            })
        });
        Some(Self { gates: gates.collect::<Option<_>>()? })
    }
}
