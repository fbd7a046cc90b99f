//! The context at the bottom of the stack: what formulas are worth at an exit that nobody called.

use crate::operand::{Atoms, Lanes};
use loris_base::Idx;
use loris_evidence::AtExit;
use loris_logic::{Core, CoreNode};
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
    pub(crate) fn new(rsm: &Rsm, formula: &Core, atoms: &Atoms, at_exit: AtExit) -> Self {
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
    formula: &Core,
    active: Lanes,
    atom: impl Fn(u32) -> Lanes,
    after: Option<&[Lanes]>,
) -> Vec<Lanes> {
    let mut values: Vec<Lanes> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let here = |node: u32| values[node as usize];
        let next = |node: u32| after.map_or(values[node as usize], |after| after[node as usize]);
        let value = match node {
            CoreNode::True => active,
            CoreNode::Atom(k) => atom(k),
            CoreNode::Not(a) => !here(a) & active,
            CoreNode::And(a, b) => here(a) & here(b),
            CoreNode::Or(a, b) => here(a) | here(b),
            CoreNode::Ex(a) => next(a),
            CoreNode::Eg(a) => here(a) & next(a),
            CoreNode::Eu(a, b) => here(b) | here(a) & next(b),
        };
        values.push(value);
    }
    values
}
