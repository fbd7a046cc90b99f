//! The context at the bottom of the stack: what formulas are worth at an exit that nobody called.

use crate::operand::{Atoms, Lanes};
use loris_base::Idx;
use loris_evidence::AtExit;
use loris_logic::{Ctl, CtlNode};
use loris_rsm::Rsm;

/// Values of all subformulas at the exits of the initial component under the empty stack
/// (lazy-rsm, Algorithm 3), and at the sink.
pub(crate) struct Bottom {
    /// per exit, per node of the formula
    exits: Vec<Vec<Lanes>>,
    sink: Vec<Lanes>,
}

impl Bottom {
    /// Evaluates a formula on the tiny structure that is left after the last exit.
    pub(crate) fn new(rsm: &Rsm, formula: &Ctl, atoms: &Atoms, at_exit: AtExit) -> Self {
        let sink = evaluate(formula, atoms.active, |_| 0, None);
        let exits = rsm.exits(rsm.initial_component()).iter().map(|exit| {
            let after = (at_exit == AtExit::Sink).then_some(&sink[..]);
            evaluate(formula, atoms.active, |atom| atoms.at(atom, exit.index()), after)
        });
        Self { exits: exits.collect(), sink }
    }

    /// The context of an existential formula: its value at each exit.
    pub(crate) fn context(&self, node: u32) -> Vec<Lanes> {
        self.exits.iter().map(|values| values[node as usize]).collect()
    }

    /// The value of a subformula at the sink.
    pub(crate) fn at_sink(&self, node: u32) -> Lanes {
        self.sink[node as usize]
    }
}

/// All subformulas at a state whose only successor is itself, or a state with the values `after`.
fn evaluate(
    formula: &Ctl,
    active: Lanes,
    atom: impl Fn(u32) -> Lanes,
    after: Option<&[Lanes]>,
) -> Vec<Lanes> {
    let mut values: Vec<Lanes> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let here = |node: u32| values[node as usize];
        let next = |node: u32| after.map_or(values[node as usize], |after| after[node as usize]);
        let value = match node {
            CtlNode::True => active,
            CtlNode::Atom(k) => atom(k),
            CtlNode::Not(a) => !here(a) & active,
            CtlNode::And(a, b) => here(a) & here(b),
            CtlNode::Or(a, b) => here(a) | here(b),
            CtlNode::Ex(a) => next(a),
            CtlNode::Eg(a) => here(a) & next(a),
            CtlNode::Eu(a, b) => here(b) | here(a) & next(b),
        };
        values.push(value);
    }
    values
}
