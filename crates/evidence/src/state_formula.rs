//! A state formula as gates over atoms and claims, evaluated in one state.

use crate::formulas::{Formulas, Lit, Op};
use crate::space::StateSpace;

/// How well something is known, ordered so that `max` is ∨ and `min` is ∧.
///
/// To take both values in the middle for unknown, and to take them at their trusted value, are
/// monotone maps. So one evaluation over this chain does the work of two: the value is `True` if
/// nothing need be trusted, and at least `Trusted` if it comes out true when all that is not shown
/// is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    /// False by labels, or as something else was shown.
    False,
    /// A claim that nothing shows.
    Unshown,
    /// True if the trusted claims are.
    Trusted,
    /// True by labels, or shown.
    True,
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        if value { Value::True } else { Value::False }
    }
}

impl std::ops::Not for Value {
    type Output = Value;
    fn not(self) -> Value {
        match self {
            Value::False => Value::True,
            Value::Unshown => Value::Trusted,
            Value::Trusted => Value::Unshown,
            Value::True => Value::False,
        }
    }
}

impl Value {
    /// Whether it counts as true, trust included.
    pub(crate) fn holds(self) -> bool {
        self >= Value::Trusted
    }
}

/// How well it is known that a claim holds, and that it does not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) present: Value,
    pub(crate) absent: Value,
}

/// A condition on one state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf<A> {
    Constant(bool),
    /// an atom, or nothing for one that no state has; its negation if false
    Atom(Option<A>, bool),
    /// a successor; that there is none if false
    Next(bool),
    /// a claim; its absence if false
    Claim(Lit, bool),
}

enum Gate<A> {
    And(usize, usize),
    Or(usize, usize),
    Leaf(Leaf<A>),
}

/// The Boolean structure of a state formula, operands first, the output last.
pub(crate) struct StateFormula<A> {
    gates: Vec<(Lit, Gate<A>)>,
}

impl<A: Copy> StateFormula<A> {
    pub(crate) fn new<M: StateSpace<Atom = A>>(formulas: &Formulas<'_>, formula: Lit, model: &M) -> Self {
        let lits = formulas.parts(formula, |lit| !matches!(formulas.op(lit), Op::And(..) | Op::Or(..)));
        let place = |lit: Lit| lits.binary_search(&lit).expect("operands were collected");
        let gates = lits.iter().map(|&lit| {
            let gate = match formulas.op(lit) {
                Op::And(a, b) => Gate::And(place(a), place(b)),
                Op::Or(a, b) => Gate::Or(place(a), place(b)),
                Op::Constant(value) => Gate::Leaf(Leaf::Constant(value)),
                Op::Atom(atom, positive) if formulas.is_has_next(atom) => Gate::Leaf(Leaf::Next(positive)),
                Op::Atom(atom, positive) => Gate::Leaf(Leaf::Atom(model.atom(formulas.name(atom)), positive)),
                Op::Exists(_) => Gate::Leaf(Leaf::Claim(lit, true)),
                Op::Absent(_) => Gate::Leaf(Leaf::Claim(!lit, false)),
                Op::Next(_) | Op::Until(..) | Op::Release(..) | Op::Fair(_) => {
                    unreachable!("a state formula has path formulas under quantifiers only")
                }
            };
            (lit, gate)
        });
        Self { gates: gates.collect() }
    }

    /// How many gates there are.
    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    /// The claims that it depends on.
    pub(crate) fn claims(&self) -> impl Iterator<Item = Lit> + '_ {
        self.gates.iter().filter_map(|(_, gate)| match gate {
            Gate::Leaf(Leaf::Claim(claim, _)) => Some(*claim),
            _ => None,
        })
    }

    /// The values of all gates in a state, given how well claims are known.
    pub(crate) fn values<M: StateSpace<Atom = A>>(
        &self,
        model: &M,
        state: &M::State,
        known: impl Fn(Lit) -> Known,
    ) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(self.gates.len());
        for (lit, gate) in &self.gates {
            values.push(match *gate {
                Gate::Leaf(Leaf::Constant(value)) => value.into(),
                Gate::Leaf(Leaf::Atom(atom, positive)) => {
                    let holds = atom.is_some_and(|atom| model.holds(state, atom));
                    (holds == positive).into()
                }
                Gate::Leaf(Leaf::Next(positive)) => (model.has_next(state) == positive).into(),
                Gate::Leaf(Leaf::Claim(claim, true)) => known(claim).present,
                Gate::Leaf(Leaf::Claim(claim, false)) => known(claim).absent,
                // `E [ p W q ]` is a disjunction here, and may be shown as one
                Gate::And(a, b) | Gate::Or(a, b) => {
                    let claimed = known(*lit).present;
                    let value = gate.join(values[a], values[b]);
                    if claimed.holds() { value.max(claimed) } else { value }
                }
            });
        }
        values
    }

    /// Whether some leaf that is shown has a part in making the output true or trusted.
    pub(crate) fn is_grounded(&self, values: &[Value]) -> bool {
        let mut grounded: Vec<bool> = Vec::with_capacity(self.gates.len());
        for ((_, gate), &value) in self.gates.iter().zip(values) {
            grounded.push(match *gate {
                Gate::Leaf(_) => value == Value::True,
                Gate::And(a, b) | Gate::Or(a, b) => {
                    value.holds() && (grounded[a] || grounded[b] || value > gate.join(values[a], values[b]))
                }
            });
        }
        grounded.last() == Some(&true)
    }

    /// The leaves that determine the output: for each disjunction with that value one operand with
    /// it, for each conjunction the operands with it; the other way round if it does not hold.
    pub(crate) fn reasons(&self, values: &[Value]) -> Vec<Leaf<A>> {
        let output = self.gates.len() - 1;
        let mut wanted = vec![false; self.gates.len()];
        wanted[output] = true;
        let mut leaves = Vec::new();
        for (i, (lit, gate)) in self.gates.iter().enumerate().rev() {
            if !wanted[i] || values[i] != values[output] {
                continue;
            }
            match *gate {
                Gate::Leaf(leaf) => leaves.push(leaf),
                Gate::And(a, b) | Gate::Or(a, b) if gate.join(values[a], values[b]) == values[i] => {
                    let (a_counts, b_counts) = (values[a] == values[i], values[b] == values[i]);
                    let one = matches!(gate, Gate::Or(..)) == values[i].holds();
                    wanted[a] |= a_counts;
                    wanted[b] |= b_counts && !(one && a_counts);
                }
                Gate::And(..) | Gate::Or(..) => leaves.push(Leaf::Claim(*lit, true)),
            }
        }
        leaves
    }
}

impl<A> Gate<A> {
    fn join(&self, a: Value, b: Value) -> Value {
        if matches!(self, Gate::And(..)) { a.min(b) } else { a.max(b) }
    }
}
