//! Runs that satisfy a formula of linear time, as the fair runs of a larger system.
//!
//! The tableau of Clarke, Grumberg and Hamaguchi (*Another look at LTL model checking*, 1994), for
//! formulas in negation normal form: each operator that says something about the next state gets a
//! state variable, the *promise* that its operand holds after the step. Steps keep promises, and an
//! `until` that is promised for ever without being fulfilled is unfair. Promises can be made that
//! no step keeps: such runs end, and do not count.
//!
//! The system grows by one variable, one choice and one constraint for each temporal operator.

use loris_base::Idx;
use loris_circuit::{Lit, StateVar, TransitionSystem};
use loris_logic::{Ltl, LtlId, LtlNode};

/// Extends a system such that its fair runs are those of the given system that satisfy a formula.
/// The new state variables come after the others.
///
/// ```
/// use loris_base::Budget;
/// use loris_circuit::{Lit, StateVar, TransitionSystem};
/// use loris_logic::{Core, negated_ltl, parse};
/// use loris_symbolic::{Portfolio, PortfolioOptions, Query, SymbolicEngine, seek};
/// // a bit that may toggle, or not
/// let mut system = TransitionSystem::default();
/// let (bit, choice) = (system.aig.variable(), system.aig.variable());
/// system.states.push(StateVar { now: bit, next: choice });
/// system.choices.push(choice);
/// system.init.push(!bit);
/// let (refuting, _) = negated_ltl(&parse("F bit").unwrap()).unwrap();
/// seek(&mut system, &refuting, &[bit]);
/// let none = Core::new(&parse("!(E G any)").unwrap()).unwrap();
/// let options = PortfolioOptions { total: true, ..PortfolioOptions::default() };
/// let query = Query { core: &none, atoms: &[Lit::TRUE] };
/// let found = Portfolio::new(&system, options).by(SymbolicEngine::Bdd, &query, &mut Budget::unlimited());
/// assert!(!found.unwrap().holds);
/// ```
pub fn seek(system: &mut TransitionSystem, formula: &Ltl, atoms: &[Lit]) {
    // for each subformula, a function of states that implies it on runs that keep their promises
    let mut says: Vec<Lit> = Vec::with_capacity(formula.nodes().len());
    let mut promises: Vec<(Lit, LtlId)> = Vec::new();
    for (number, &node) in formula.nodes().iter().enumerate() {
        let of = |operand: LtlId| says[operand.index()];
        let lit = match node {
            LtlNode::True => Lit::TRUE,
            LtlNode::False => Lit::FALSE,
            LtlNode::Atom(atom) => atoms[atom as usize],
            LtlNode::NotAtom(atom) => !atoms[atom as usize],
            LtlNode::And(a, b) => system.aig.and(of(a), of(b)),
            LtlNode::Or(a, b) => system.aig.or(of(a), of(b)),
            LtlNode::X(a) => {
                let promise = system.aig.variable();
                promises.push((promise, a));
                promise
            }
            LtlNode::U(a, b) => {
                let promise = system.aig.variable();
                promises.push((promise, LtlId::new(number)));
                let later = system.aig.and(of(a), promise);
                let fulfilled = system.aig.or(!promise, of(b));
                system.justice.push(fulfilled);
                system.aig.or(of(b), later)
            }
            LtlNode::R(a, b) => {
                let promise = system.aig.variable();
                promises.push((promise, LtlId::new(number)));
                let released = system.aig.or(of(a), promise);
                system.aig.and(of(b), released)
            }
        };
        says.push(lit);
    }
    for &(promise, _) in &promises {
        let next = system.aig.variable();
        system.choices.push(next);
        system.states.push(StateVar { now: promise, next });
    }
    let promised: Vec<Lit> = promises.iter().map(|&(_, what)| says[what.index()]).collect();
    let after = system.next_of(&promised);
    for (&(promise, _), after) in promises.iter().zip(after) {
        let kept = system.aig.implies(promise, after);
        system.constraints.push(kept);
    }
    system.init.push(says[formula.root().index()]);
}
