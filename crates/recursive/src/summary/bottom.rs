//! The context at the bottom of the stack: what formulas are worth at an exit that nobody called.

use super::Existential;
use crate::operand::{Atoms, Lanes};
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::AtExit;
use loris_logic::{Core, CoreNode};
use loris_rsm::Rsm;

/// Values of all subformulas at the exits of the initial component under the empty stack
/// (lazy-rsm, Algorithm 3), and at the sink.
pub(crate) struct Bottom {
    exits: Vec<Values>,
    sink: Values,
}

/// Values at a state.
struct Values {
    /// per node of the formula
    nodes: Vec<Lanes>,
    /// per existential formula, at each stage of its track
    stages: Vec<Vec<Lanes>>,
}

impl Bottom {
    /// Evaluates a formula on the tiny structure that is left after the last exit.
    pub(crate) fn new(
        rsm: &Rsm,
        formula: &Core,
        existentials: &[(u32, Existential)],
        atoms: &Atoms,
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let stages: usize = existentials.iter().map(|(_, existential)| existential.copies()).sum();
        let each = formula.nodes().len() + stages;
        let exits = rsm.exits(rsm.initial_component()).len();
        budget.charge((1 + exits) * (8 * each + 48 * (1 + existentials.len())))?;
        // a path formula is evaluated lane by lane
        let tracks = existentials.iter().filter_map(|(_, existential)| existential.track.as_ref());
        let edges: usize = tracks.map(|track| track.next.len()).sum();
        let steps = each + edges * atoms.active.count_ones() as usize;
        budget.spend(steps)?;
        let sink = evaluate(formula, existentials, atoms.active, |_| 0, None);
        let after = (at_exit == AtExit::Sink).then_some(&sink);
        let mut values = Vec::with_capacity(exits);
        for exit in rsm.exits(rsm.initial_component()) {
            budget.spend(steps)?;
            let atom = |atom| atoms.at(atom, exit.index());
            values.push(evaluate(formula, existentials, atoms.active, atom, after));
        }
        Ok(Self { exits: values, sink })
    }

    /// With these values at the sink, where exits are states like others.
    pub(crate) fn of_sink(nodes: Vec<Lanes>) -> Self {
        Self { exits: Vec::new(), sink: Values { nodes, stages: Vec::new() } }
    }

    /// The context of an existential formula, by its level: its value at each exit, at each stage.
    pub(crate) fn context(&self, level: usize) -> Vec<Lanes> {
        self.exits.iter().flat_map(|values| &values.stages[level]).copied().collect()
    }

    /// The value of a subformula at the sink.
    pub(crate) fn at_sink(&self, node: u32) -> Lanes {
        self.sink.nodes[node as usize]
    }
}

/// All subformulas at a state whose only successor is itself, or a state with the values `after`.
fn evaluate(
    formula: &Core,
    existentials: &[(u32, Existential)],
    active: Lanes,
    atom: impl Fn(u32) -> Lanes,
    after: Option<&Values>,
) -> Values {
    let mut nodes: Vec<Lanes> = Vec::with_capacity(formula.nodes().len());
    let mut stages: Vec<Vec<Lanes>> = Vec::with_capacity(existentials.len());
    for &node in formula.nodes() {
        let here = |node: u32| nodes[node as usize];
        let value = match node {
            CoreNode::True => active,
            CoreNode::Atom(k) => atom(k),
            CoreNode::Not(a) => !here(a) & active,
            CoreNode::And(a, b) => here(a) & here(b),
            CoreNode::Or(a, b) => here(a) | here(b),
            CoreNode::Ex(a) => {
                let value = after.map_or(here(a), |after| after.nodes[a as usize]);
                stages.push(vec![value]);
                value
            }
            CoreNode::Eg(_) | CoreNode::Eu(..) | CoreNode::E(_) => {
                let level = stages.len();
                let existential = &existentials[level].1;
                let track = existential.track.as_ref().expect("only EX has no track");
                let operand = |k: u32| here(existential.operands[k as usize].root);
                let accepts = match after {
                    Some(after) => track.before(active, operand, &after.stages[level]),
                    None => track.for_ever(active, operand),
                };
                let value = track.initial.iter().fold(0, |lanes, &stage| lanes | accepts[stage as usize]);
                stages.push(accepts);
                value
            }
        };
        nodes.push(value);
    }
    Values { nodes, stages }
}
