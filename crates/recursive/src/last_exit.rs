//! The values of formulas at an exit at the bottom of the stack (lazy-rsm, Algorithm 3; the context
//! C_∅ of rsm-analysis, section 5.1; `ica` of recursive-kripke, section 3.3.3).
//!
//! One path is left there: it stays at the exit, or goes to an unlabelled sink and stays there. So
//! `E` over a path formula is that formula on one ultimately periodic word, and a formula is
//! evaluated in one pass over its nodes at the sink and one at each exit, for all properties of a
//! batch at once. The oracle is the unfolding in `tests/common/oracle.rs`.

use crate::operand::Lanes;
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::AtExit;
use loris_logic::{Core, CoreId, CoreNode, Ltl, LtlId, LtlNode, UnderE};

/// Values of all subformulas at the exits of the initial component under the empty stack, and at
/// the sink.
pub struct LastExit {
    active: Lanes,
    at_exit: AtExit,
    /// per exit, per node of the formula
    exits: Vec<Vec<Lanes>>,
    /// per node of the formula
    sink: Vec<Lanes>,
}

impl LastExit {
    /// Evaluates a formula where there are this many exits, given its atoms at each of them;
    /// `active` are the lanes in use.
    pub fn new<P: UnderE>(
        formula: &Core<P>,
        (exits, at_exit): (usize, AtExit),
        active: Lanes,
        atom: impl Fn(usize, u32) -> Lanes,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let paths: usize = formula.paths().iter().map(|path| path.formula.nodes().len()).sum();
        let nodes = formula.nodes().len();
        budget.charge((1 + exits) * (8 * nodes + 24))?;
        budget.spend((1 + exits) * (nodes + 2 * paths))?;
        let sink = evaluate(formula, active, |_| 0, None);
        let after = (at_exit == AtExit::Sink).then_some(&sink[..]);
        let at = |exit: usize| evaluate(formula, active, |k| atom(exit, k), after);
        Ok(Self { active, at_exit, exits: (0..exits).map(at).collect(), sink })
    }

    /// With these values at the sink, where exits are states like others.
    pub(crate) fn of_sink(active: Lanes, sink: Vec<Lanes>) -> Self {
        Self { active, at_exit: AtExit::Sink, exits: Vec::new(), sink }
    }

    /// How many exits there are.
    pub(crate) fn exits(&self) -> usize {
        self.exits.len()
    }

    /// The value of a subformula at an exit, by its position.
    pub fn at(&self, exit: usize, node: CoreId) -> Lanes {
        self.exits[exit][node.index()]
    }

    /// The value of a subformula at the sink.
    pub fn at_sink(&self, node: CoreId) -> Lanes {
        self.sink[node.index()]
    }

    /// The value of a subformula in the state after an exit; at the sink if there is no such exit.
    pub fn after(&self, exit: usize, node: CoreId) -> Lanes {
        let state = self.exits.get(exit).filter(|_| self.at_exit == AtExit::Loop);
        state.unwrap_or(&self.sink)[node.index()]
    }

    /// The value of a path formula over subformulas on the path from an exit; from the sink if
    /// there is no such exit.
    pub fn path(&self, exit: usize, path: &Ltl, operands: &[CoreId]) -> Lanes {
        let sinks = self.at_exit == AtExit::Sink;
        match self.exits.get(exit) {
            Some(exit) => on_path(path, self.active, operands, exit, sinks.then_some(&self.sink[..])),
            None => on_path(path, self.active, operands, &self.sink, None),
        }
    }

    /// The values after an exit: those of the sink, unless runs stay.
    pub(crate) fn sinks(&self) -> bool {
        self.at_exit == AtExit::Sink
    }
}

/// All subformulas at a state whose only successor is itself, or a state with the values `after`,
/// which is its own only successor.
fn evaluate<P: UnderE>(
    formula: &Core<P>,
    active: Lanes,
    atom: impl Fn(u32) -> Lanes,
    after: Option<&[Lanes]>,
) -> Vec<Lanes> {
    let mut values: Vec<Lanes> = Vec::with_capacity(formula.nodes().len());
    for (number, &node) in formula.nodes().iter().enumerate() {
        let here = |node: CoreId| values[node.index()];
        let value = match node {
            CoreNode::True => active,
            CoreNode::Atom(k) => atom(k),
            CoreNode::Not(a) => !here(a) & active,
            CoreNode::And(a, b) => here(a) & here(b),
            CoreNode::Or(a, b) => here(a) | here(b),
            CoreNode::Ex(a) => after.map_or(here(a), |after| after[a.index()]),
            CoreNode::Eg(a) => here(a) & after.map_or(active, |after| after[number]),
            CoreNode::Eu(a, b) => here(b) | here(a) & after.map_or(0, |after| after[number]),
            CoreNode::E(path) => {
                let path = &formula.paths()[path.index()];
                on_path(&path.formula, active, &path.operands, &values, after)
            }
        };
        values.push(value);
    }
    values
}

/// A path formula, given its operands at the first state and at all others.
fn on_path(path: &Ltl, active: Lanes, operands: &[CoreId], here: &[Lanes], after: Option<&[Lanes]>) -> Lanes {
    let letter = |values: &[Lanes], k: u32| values[operands[k as usize].index()];
    let later = after.map(|after| on_word(path, active, |k| letter(after, k), None));
    on_word(path, active, |k| letter(here, k), later.as_deref())[path.root().index()]
}

/// All subformulas of a path formula at the first letter of a word that repeats it, or that goes on
/// as one on which they have the values `after`.
fn on_word(path: &Ltl, active: Lanes, operand: impl Fn(u32) -> Lanes, after: Option<&[Lanes]>) -> Vec<Lanes> {
    let mut values: Vec<Lanes> = Vec::with_capacity(path.nodes().len());
    for (number, &node) in path.nodes().iter().enumerate() {
        let here = |node: LtlId| values[node.index()];
        let value = match node {
            LtlNode::True => active,
            LtlNode::False => 0,
            LtlNode::Atom(k) => operand(k),
            LtlNode::NotAtom(k) => !operand(k) & active,
            LtlNode::And(a, b) => here(a) & here(b),
            LtlNode::Or(a, b) => here(a) | here(b),
            LtlNode::X(a) => after.map_or(here(a), |after| after[a.index()]),
            LtlNode::U(a, b) => here(b) | here(a) & after.map_or(0, |after| after[number]),
            LtlNode::R(a, b) => here(b) & (here(a) | after.map_or(active, |after| after[number])),
        };
        values.push(value);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::LastExit;
    use loris_base::{Budget, Rng};
    use loris_evidence::AtExit;
    use loris_logic::{Core, CoreId, RandomLtl};

    /// Path formulas have the values that they have on the word, in every lane.
    #[test]
    fn words() {
        let mut rng = Rng::new(3);
        for size in 0..400 {
            let formula = RandomLtl::new(size % 20).generate(&mut rng);
            let core = Core::linear(&formula).expect("LTL");
            let [path] = core.paths() else { continue };
            let letters: Vec<u64> = core.atoms().iter().map(|_| rng.below(16) as u64).collect();
            for at_exit in [AtExit::Loop, AtExit::Sink] {
                let atom = |_: usize, k: u32| letters[k as usize];
                let found = LastExit::new(&core, (1, at_exit), 15, atom, &mut Budget::unlimited());
                let found = found.expect("no limit");
                for lane in 0..4 {
                    let letter = |value: &dyn Fn(CoreId) -> u64| -> Vec<bool> {
                        path.operands.iter().map(|&node| value(node) >> lane & 1 == 1).collect()
                    };
                    let (exit, sink) =
                        (letter(&|node| found.at(0, node)), letter(&|node| found.at_sink(node)));
                    let expected = match at_exit {
                        AtExit::Sink => path.formula.holds_on_lasso(&[exit], &[sink]),
                        _ => path.formula.holds_on_lasso(&[], &[exit]),
                    };
                    let value = found.path(0, &path.formula, &path.operands);
                    assert_eq!(value >> lane & 1 == 1, expected, "{formula}, {at_exit:?}");
                }
            }
        }
    }
}
