//! From LTL to Büchi automata: which automaton accepts exactly the words of a formula.
//!
//! The way of Gastin and Oddoux (CAV 2001), with a simplification at every stage: the formula is
//! [rewritten](rewrite), its [alternating](alternating) automaton made into a
//! [generalized](generalized) one, that one [degeneralized](degeneralize), and the result
//! [reduced](reduce). Many conditions `G F p` are [counted](recurring) beside the automaton of the
//! rest. Exponential in the size of that rest, which is inherent; the budget bounds it. The oracle
//! is [`Ltl::holds_on_lasso`].

mod alternating;
mod degeneralize;
mod generalized;
mod graph;
mod implication;
mod recurring;
mod reduce;
mod rewrite;
mod sets;

use super::buchi::Buchi;
use crate::ltl::Ltl;
use loris_base::{Budget, Exhausted};

/// An automaton that accepts exactly the words that satisfy the formula, over the atoms of the
/// formula.
///
/// No state is useless: from each there is an accepting run. A formula that no word satisfies has
/// the automaton without states.
///
/// ```
/// use loris_base::Budget;
/// use loris_logic::{automaton::translate, ltl, parse};
/// let (ltl, names) = ltl(&parse("G (a -> F b)").expect("well-formed")).expect("LTL");
/// let buchi = translate(&ltl, &mut Budget::unlimited()).expect("no limit");
/// assert_eq!(buchi.states(), 2);
/// assert!(buchi.accepts_lasso(&[], &[vec![true, false], vec![false, true]]));
/// ```
///
/// In the end, the budget is charged for the automaton alone.
pub fn translate(formula: &Ltl, budget: &mut Budget) -> Result<Buchi, Exhausted> {
    let before = budget.used();
    let rewritten = rewrite::rewrite(formula, budget)?;
    let (rest, conditions) = recurring::split(&rewritten);
    let generalized = generalized::Generalized::new(&rest, budget)?;
    let graph = degeneralize::degeneralize(&generalized, budget)?;
    budget.release(generalized.bytes());
    drop(generalized);
    let mut reduced = reduce::reduce(&graph, budget)?;
    if !conditions.is_empty() {
        reduced = recurring::counted(&reduced, &conditions, budget)?;
    }
    budget.charge(reduced.finished_bytes())?;
    let buchi = reduced.finish(formula.atoms());
    budget.release(budget.used().saturating_sub(before));
    budget.charge(buchi.bytes())?;
    Ok(buchi)
}
