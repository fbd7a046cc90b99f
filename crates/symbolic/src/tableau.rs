//! Runs that satisfy a formula of linear time, as the fair runs of a larger system.
//!
//! The tableau of Clarke, Grumberg and Hamaguchi (*Another look at LTL model checking*, 1994), for
//! formulas in negation normal form: each operator that says something about the next state gets a
//! state variable, the *promise* that its operand holds after the step. Steps keep promises, and an
//! `until` that is promised for ever without being fulfilled is unfair. Promises can be made that
//! no step keeps: such runs end, and do not count.
//!
//! The system grows by one variable, one choice and one constraint for each temporal operator. A
//! conjunct `G F p` of the whole, where `p` is about states, needs none of these: it is what fair
//! runs are.

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
    let (recurring, needed) = recurrences(formula);
    for (number, &node) in formula.nodes().iter().enumerate() {
        if let Some(often) = recurring[number] {
            system.justice.push(says[often.index()]);
            // it holds from every state of these runs on
            says.push(Lit::TRUE);
            continue;
        }
        if !needed[number] {
            says.push(Lit::FALSE);
            continue;
        }
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

/// For each subformula that is a conjunct `G F p` of the whole, the condition `p` on states; and
/// whether a subformula is needed to say the rest.
fn recurrences(formula: &Ltl) -> (Vec<Option<LtlId>>, Vec<bool>) {
    let nodes = formula.nodes();
    let mut is_condition: Vec<bool> = Vec::with_capacity(nodes.len());
    for node in nodes {
        is_condition.push(match *node {
            LtlNode::True | LtlNode::False | LtlNode::Atom(_) | LtlNode::NotAtom(_) => true,
            LtlNode::And(a, b) | LtlNode::Or(a, b) => is_condition[a.index()] && is_condition[b.index()],
            LtlNode::X(_) | LtlNode::U(..) | LtlNode::R(..) => false,
        });
    }
    let often = |id: LtlId| {
        let LtlNode::R(never, again) = nodes[id.index()] else { return None };
        let LtlNode::U(always, often) = nodes[again.index()] else { return None };
        let is_recurrence = nodes[never.index()] == LtlNode::False && nodes[always.index()] == LtlNode::True;
        (is_recurrence && is_condition[often.index()]).then_some(often)
    };
    let mut recurring = vec![None; nodes.len()];
    let mut seen = vec![false; nodes.len()];
    let mut stack = vec![formula.root()];
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match nodes[id.index()] {
            LtlNode::And(a, b) => stack.extend([a, b]),
            _ => recurring[id.index()] = often(id),
        }
    }
    let mut needed = vec![false; nodes.len()];
    stack.push(formula.root());
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut needed[id.index()], true) {
            continue;
        }
        match recurring[id.index()] {
            Some(often) => stack.push(often),
            None => stack.extend(nodes[id.index()].children()),
        }
    }
    (recurring, needed)
}
