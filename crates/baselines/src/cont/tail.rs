//! C_∅, the context at the bottom of the stack: what formulas are worth at an exit that nobody called.
//!
//! From there one path is left, which stays at the exit or goes to an unlabelled sink, so that Eρ is ρ on
//! one ultimately periodic word (rsm-analysis, section 5.1, where the structure K after the exit is one
//! node with a loop).

use super::Existential;
use loris_evidence::AtExit;
use loris_logic::{Core, CoreNode, Ltl};

/// Values of all subformulas at the exit under the empty stack, and at the sink after it, if any.
pub(super) struct Tail {
    exit: Vec<bool>,
    sink: Option<Vec<bool>>,
}

impl Tail {
    /// Evaluates a formula on the tail, given its atoms at the exit.
    pub(super) fn new(
        formula: &Core,
        existentials: &[Existential],
        atom: impl Fn(u32) -> bool,
        at_exit: AtExit,
    ) -> Self {
        let sink = (at_exit == AtExit::Sink).then(|| evaluate(formula, existentials, |_| false, None));
        Self { exit: evaluate(formula, existentials, atom, sink.as_deref()), sink }
    }

    /// Whether a path formula over these subformulas holds on the tail.
    pub(super) fn holds(&self, ltl: &Ltl, operands: &[u32]) -> bool {
        on_word(ltl, operands, &self.exit, self.sink.as_deref())
    }
}

/// All subformulas at a state whose only successor is itself, or the sink with these values.
fn evaluate(
    formula: &Core,
    existentials: &[Existential],
    atom: impl Fn(u32) -> bool,
    sink: Option<&[bool]>,
) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::with_capacity(formula.nodes().len());
    let mut existentials = existentials.iter();
    for &node in formula.nodes() {
        let at = |node: u32| values[node as usize];
        let value = match node {
            CoreNode::True => true,
            CoreNode::Atom(k) => atom(k),
            CoreNode::Not(a) => !at(a),
            CoreNode::And(a, b) => at(a) && at(b),
            CoreNode::Or(a, b) => at(a) || at(b),
            CoreNode::Ex(_) | CoreNode::Eg(_) | CoreNode::Eu(..) | CoreNode::E(_) => {
                let this = existentials.next().expect("existential formulas are in the order of their nodes");
                on_word(&this.formula, &this.roots, &values, sink)
            }
        };
        values.push(value);
    }
    values
}

fn on_word(ltl: &Ltl, operands: &[u32], here: &[bool], sink: Option<&[bool]>) -> bool {
    let letter = |values: &[bool]| operands.iter().map(|&node| values[node as usize]).collect::<Vec<bool>>();
    match sink {
        Some(sink) => ltl.holds_on_lasso(&[letter(here)], &[letter(sink)]),
        None => ltl.holds_on_lasso(&[], &[letter(here)]),
    }
}
