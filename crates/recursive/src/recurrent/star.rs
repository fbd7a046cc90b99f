//! CTL* on finite structures, subformula by subformula.
//!
//! Every subformula gets the set of its states. `EX`, `EG` and `EU` are those of `loris_finite`;
//! `E` of any other path formula holds where a fair part of its product can be reached from. One
//! pass for each property, since path formulas of different properties have products of their own.

use super::accepted::told;
use super::condition::{Condition, column};
use super::lasso::{self, without_stutters};
use super::product::Product;
use crate::fixpoint::{FairLabels, Finite};
use crate::linear::{Letters, Steps};
use crate::operand::Lanes;
use loris_base::{BitSet, Budget, Exhausted, Idx};
use loris_evidence::{AtExit, Loop, State};
use loris_finite::Kripke;
use loris_logic::automaton::translate;
use loris_logic::{Core, CoreId, CoreNode, PathFormula};
use loris_rsm::{LabelId, Rsm};

/// The values of all subformulas in all states, in up to 64 properties of one shape, and at the
/// sink.
pub(crate) struct Values {
    /// per existential subformula, its lanes at each vertex; of others, nothing
    pub(crate) existentials: Vec<Vec<Lanes>>,
    /// per subformula, its lanes at each initial node
    pub(crate) initial: Vec<Vec<Lanes>>,
    /// per subformula, its lanes at the sink
    pub(crate) sink: Vec<Lanes>,
}

/// Decides properties of one shape on a machine without calls; `labels[i][k]` is the meaning of
/// atom `k` in property `i`.
pub(crate) fn decide(
    rsm: &Rsm,
    formula: &Core,
    labels: &[&[Option<LabelId>]],
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<Values, Exhausted> {
    let finite = Finite::of(rsm, &FairLabels::default(), at_exit);
    let kripke = finite.kripke(rsm);
    let nodes = formula.nodes();
    let mut values = Values {
        existentials: vec![Vec::new(); nodes.len()],
        initial: vec![vec![0; rsm.initial().len()]; nodes.len()],
        sink: vec![0; nodes.len()],
    };
    budget.charge(8 * rsm.vertex_count() * formula.existentials().count())?;
    for node in formula.existentials() {
        values.existentials[node.index()] = vec![0; rsm.vertex_count()];
    }
    for (lane, labels) in labels.iter().enumerate() {
        let held = nodes.len() * kripke.states().div_ceil(8);
        budget.charge(held)?;
        let columns = columns(rsm, &kripke, formula, labels, budget)?;
        budget.release(held);
        for (node, column) in columns.iter().enumerate() {
            let bit = |state: usize| Lanes::from(column.contains(state as u32)) << lane;
            for (value, initial) in values.initial[node].iter_mut().zip(rsm.initial()) {
                *value |= bit(initial.index());
            }
            // the sink is the last state, if there is one
            values.sink[node] |= bit(rsm.vertex_count());
            for (vertex, value) in values.existentials[node].iter_mut().enumerate() {
                *value |= bit(vertex);
            }
        }
    }
    Ok(values)
}

/// The states of each subformula.
fn columns(
    rsm: &Rsm,
    kripke: &Kripke<'_>,
    formula: &Core,
    labels: &[Option<LabelId>],
    budget: &mut Budget,
) -> Result<Vec<BitSet>, Exhausted> {
    let states = kripke.states();
    let mut columns: Vec<BitSet> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let of = |node: CoreId| &columns[node.index()];
        let mut column = BitSet::empty(states);
        match node {
            CoreNode::True => column.complement(states),
            CoreNode::Atom(atom) => {
                if let Some(label) = labels[atom as usize] {
                    rsm.mark(label, column.words_mut());
                }
            }
            CoreNode::Not(a) => {
                column = of(a).clone();
                column.complement(states);
            }
            CoreNode::And(a, b) | CoreNode::Or(a, b) => {
                let both = of(a).words().iter().zip(of(b).words());
                let is_and = matches!(node, CoreNode::And(..));
                for (word, (a, b)) in column.words_mut().iter_mut().zip(both) {
                    *word = if is_and { a & b } else { a | b };
                }
            }
            CoreNode::Ex(a) => loris_finite::next(kripke, of(a), &mut column, budget)?,
            CoreNode::Eg(a) => {
                column = of(a).clone();
                loris_finite::always(kripke, &mut column, budget)?;
            }
            CoreNode::Eu(a, b) => {
                column = of(b).clone();
                loris_finite::until(kripke, Some(of(a)), &mut column, budget)?;
            }
            CoreNode::E(path) => {
                let path = &formula.paths()[path as usize];
                let operands: Vec<BitSet> =
                    path.operands.iter().map(|&operand| of(operand).clone()).collect();
                column = PathSearch::new(path, &operands, states, budget)?.states(kripke, budget)?;
            }
        }
        budget.spend(states.div_ceil(64))?;
        columns.push(column);
    }
    Ok(columns)
}

/// A run from a state on which a path formula holds that holds on one; its operands hold in the
/// states of the columns. Nothing if it is too long to be recorded.
pub(crate) fn run(
    rsm: &Rsm,
    at_exit: AtExit,
    (path, operands): (&PathFormula, &[BitSet]),
    start: u32,
    budget: &mut Budget,
) -> Result<Option<(Vec<State>, Loop)>, Exhausted> {
    let finite = Finite::of(rsm, &FairLabels::default(), at_exit);
    let kripke = finite.kripke(rsm);
    let search = PathSearch::new(path, operands, kripke.states(), budget)?;
    let class = |state: u32| search.letters.class[state as usize];
    let product = Product::explore(&kripke, class, &search.steps, [start].into_iter(), budget)?;
    let fairness = product.fairness(&search.steps, &search.conditions, budget)?;
    let part = product.nearest_fair(&search.steps, &fairness, budget)?;
    let part = part.expect("a formula that holds has a run");
    let lasso = lasso::lasso(&product, &fairness, &part, budget)?;
    let is_stuttering = path.formula.is_stutter_invariant();
    Ok(lasso.map(|lasso| told(rsm, lasso)).map(|run| if is_stuttering { without_stutters(run) } else { run }))
}

/// A path formula over sets of states, ready to be searched for.
struct PathSearch {
    letters: Letters,
    steps: Steps,
    conditions: Vec<Condition>,
}

impl PathSearch {
    fn new(
        path: &PathFormula,
        operands: &[BitSet],
        states: usize,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let (rest, recurrences) = path.formula.recurrences();
        let (rest, predicates) = rest.abstracted();
        let buchi = translate(&rest, budget)?;
        budget.charge((predicates.len() + 2 * recurrences.len()) * states.div_ceil(8))?;
        let atoms: Vec<BitSet> =
            predicates.iter().map(|predicate| column(predicate, operands, states)).collect();
        let letters = Letters::of_columns(states, &atoms, budget)?;
        let steps = Steps::new(&buchi, &letters, budget)?;
        let conditions = recurrences.iter().map(|pair| Condition::new(pair, operands, states)).collect();
        Ok(Self { letters, steps, conditions })
    }

    /// The states that a run starts in on which the formula holds.
    fn states(&self, kripke: &Kripke<'_>, budget: &mut Budget) -> Result<BitSet, Exhausted> {
        let states = kripke.states();
        let class = |state: u32| self.letters.class[state as usize];
        let product = Product::explore(kripke, class, &self.steps, 0..states as u32, budget)?;
        let fairness = product.fairness(&self.steps, &self.conditions, budget)?;
        let mut goal = BitSet::empty(product.len());
        product.fair(&self.steps, &fairness, budget, |members| {
            for &place in members {
                goal.insert(place);
            }
        })?;
        let budget = &mut budget.holding(4 * (product.len() + product.successors.len()))?;
        let predecessors = product.successors.transposed(product.len());
        let whole =
            Kripke { successors: &product.successors, predecessors: &predecessors, initial: kripke.initial };
        loris_finite::until(&whole, None, &mut goal, budget)?;
        let starts = product.starts(&self.steps).filter(|&place| goal.contains(place));
        Ok(BitSet::of(states, starts.map(|place| product.state(place))))
    }
}
