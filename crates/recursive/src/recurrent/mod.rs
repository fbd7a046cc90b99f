//! Linear time on machines without calls, with conditions on what recurs (fairness) in the acceptance of the search.
//!
//! A path formula is split (`Ltl::recurrences`) into conditions `G F p -> G F q` and the rest; only the rest becomes an
//! automaton. The [`product`] of the machine with it is a finite structure, on which the conditions and the automaton's own
//! acceptance are one fairness (generalized Büchi and Streett, `loris_finite`). [`star`] decides CTL* with it, path
//! formula by path formula, [`lasso`] finds the run that shows one.
//!
//! Cost: O(|machine| · |automaton of the rest| · (1 + pairs with a premise)), plus O(states of the product) for each
//! condition. Without the split the automaton alone has a state for each condition `G F p`, and one for each *set* of
//! conditions with a premise. Oracles: the engines that take the formula whole, in `check/tests/fair.rs`, and replay.

mod lasso;
mod product;
mod star;

pub use lasso::without_stutters;
pub(crate) use star::{Values, decide, run};

use crate::fixpoint::{FairLabels, Finite};
use crate::linear::{Acceptance, Accepted, Steps};
use lasso::Lasso;
use loris_base::{Budget, Exhausted};
use loris_evidence::{Loop, State};
use loris_finite::Column;
use loris_logic::{Predicate, Recurrence};
use loris_rsm::Rsm;
use product::Product;

/// A condition on the states of a structure: if those of the first set recur, so do those of the second. Without the
/// first, those of the second recur in any case.
struct Condition {
    often: Option<Column>,
    then: Column,
}

impl Condition {
    /// A condition whose atom `k` holds in the states of the `k`-th column.
    fn new(pair: &Recurrence, atoms: &[Column], states: usize) -> Self {
        let often = (!pair.is_unconditional()).then(|| column(&pair.often, atoms, states));
        Self { often, then: column(&pair.then, atoms, states) }
    }
}

/// The states in which a predicate holds; its atom `k` holds in those of the `k`-th column.
fn column(predicate: &Predicate, atoms: &[Column], states: usize) -> Column {
    let mut column = Column::empty(states);
    for (i, word) in column.words_mut().iter_mut().enumerate() {
        *word = predicate.lanes(u64::MAX, |atom| atoms[atom as usize].words()[i]);
    }
    // states past the last are in no set
    let mut all = Column::empty(states);
    all.complement(states);
    column.words_mut().iter_mut().zip(all.words()).for_each(|(word, all)| *word &= all);
    column
}

/// Looks for a run that the automaton accepts and on which all conditions hold; runs that stop do not occur.
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
        let mut column = Column::empty(states);
        if let Some(label) = *label {
            rsm.mark(label, column.words_mut());
        }
        column
    };
    let atoms: Vec<Column> = question.labels.iter().map(label).collect();
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

/// A run through states of the structure as one of the machine; what is past its vertices is the sink.
fn told(rsm: &Rsm, (states, repeats): Lasso) -> (Vec<State>, Loop) {
    let node =
        |state: u32| ((state as usize) < rsm.vertex_count()).then(|| loris_base::Idx::new(state as usize));
    let state = |state: u32| State { stack: Vec::new(), node: node(state) };
    (states.into_iter().map(state).collect(), repeats)
}
