//! A run that an automaton accepts and on which conditions hold.

use super::condition::Condition;
use super::lasso::{self, Lasso};
use super::product::Product;
use crate::fixpoint::{FairLabels, Finite};
use crate::linear::{Acceptance, Accepted, Steps};
use loris_base::{BitSet, Budget, Exhausted};
use loris_evidence::{Loop, State};
use loris_rsm::Rsm;

/// Looks for a run that the automaton accepts and on which all conditions hold; runs that stop do
/// not occur.
pub(crate) fn accepted(
    rsm: &Rsm,
    question: &Acceptance<'_>,
    budget: &mut Budget,
) -> Result<Accepted, Exhausted> {
    let finite = Finite::of(rsm, &FairLabels::default(), question.at_exit);
    let kripke = finite.kripke(rsm);
    let states = kripke.states();
    let columns = question.labels.len() + 2 * question.recurrences.len();
    budget.charge(columns * states.div_ceil(8))?;
    let label = |label: &Option<_>| {
        let mut column = BitSet::empty(states);
        if let Some(label) = *label {
            rsm.mark(label, column.words_mut());
        }
        column
    };
    let atoms: Vec<BitSet> = question.labels.iter().map(label).collect();
    let conditions: Vec<Condition> =
        question.recurrences.iter().map(|pair| Condition::new(pair, &atoms, states)).collect();
    let letters = question.letters(rsm, budget)?;
    let steps = Steps::new(question.buchi, &letters, budget)?;
    let class = |state: u32| letters.class.get(state as usize).copied().unwrap_or(letters.sink);
    let product = Product::explore(&kripke, class, &steps, kripke.initial.iter().copied(), budget)?;
    let fairness = product.fairness(&steps, &conditions, budget)?;
    let part = product.nearest_fair(&steps, &fairness, budget)?;
    let tuples = product.len() as u64;
    let is_accepted = part.is_some();
    let (mut run, mut cut_off) = (None, None);
    if let Some(part) = part.filter(|_| question.evidence) {
        match lasso::lasso(&product, &fairness, &part, budget) {
            Ok(lasso) => run = lasso.map(|lasso| told(rsm, lasso)),
            Err(exhausted) => cut_off = Some(exhausted),
        }
    }
    Ok(Accepted { is_accepted, run, cut_off, tuples })
}

/// A run through states of the structure as one of the machine; a number past its vertices is the
/// sink.
pub(super) fn told(rsm: &Rsm, (states, repeats): Lasso) -> (Vec<State>, Loop) {
    let node =
        |state: u32| ((state as usize) < rsm.vertex_count()).then(|| loris_base::Idx::new(state as usize));
    let state = |state: u32| State { stack: Vec::new(), node: node(state) };
    (states.into_iter().map(state).collect(), repeats)
}
