//! Reachability in circuits: a condition on states, and a run to a state in which it holds.

use super::plan::unknown_atoms;
use super::{SymbolicModel, run_to};
use crate::{AnyCertificate, Reachable, SearchOptions, Suggestions};
use loris_base::{Budget, Diagnostic, Diagnostics, IndexVec};
use loris_circuit::{Circuit, Lit, TransitionSystem};
use loris_evidence::{Evidence, Path};
use loris_logic::{Formula, FormulaBuilder, FormulaId, Node, parse};
use std::time::Instant;

/// A condition on the states of a circuit.
#[derive(Clone, Debug)]
pub struct CircuitGoal {
    /// observes the condition
    system: TransitionSystem,
    /// the formula that a run to such a state shows
    formula: Formula,
}

impl CircuitGoal {
    /// The condition that a text stands for: the name of a latch, an output or an input, or a
    /// Boolean combination of such names.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn new(circuit: &Circuit, text: &str, suggestions: &Suggestions) -> Result<Self, Diagnostics> {
        let condition = match circuit.atom(text) {
            Some(_) => {
                let mut build = FormulaBuilder::default();
                let atom = build.atom(text);
                build.finish(atom)
            }
            None => parse(text)?,
        };
        let wrong = unknown_atoms(circuit, &condition, suggestions);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut extended = circuit.clone();
        let goal = function(&mut extended, &condition)?;
        // the inputs that the text names are a part of a state, even if the condition does not
        // depend on them
        let named: Vec<Lit> = condition.atoms().iter().filter_map(|name| circuit.atom(name)).collect();
        let system =
            TransitionSystem { observed: vec![goal], ..TransitionSystem::of_circuit(&extended, &named) };
        let formula = parse(&format!("E F ({condition})"))?;
        Ok(Self { system, formula })
    }

    /// The formula that a run shows, `E F condition`.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// Looks for a run from some initial state of the circuit, be it fair or not.
    pub fn reach(&self, circuit: &Circuit, search: &SearchOptions<'_>) -> Reachable {
        let start = Instant::now();
        let mut budget = Budget::new(search.timeout, search.memory);
        if let Some(interrupt) = search.interrupt {
            budget = budget.interruptible(interrupt);
        }
        // a limit of nothing at all is passed at once
        let found = budget.look().and_then(|()| run_to(&self.system, &mut budget));
        let found = match found {
            Ok(found) => found,
            Err(why) => return Reachable::unknown(why, start.elapsed()),
        };
        let run = found.as_ref().map(|trace| {
            let mut matters = self.system.influences();
            matters.truncate(circuit.state_variables());
            matters.iter_mut().zip(circuit.constrained()).for_each(|(matters, always)| *matters |= always);
            let states = circuit.states(&self.system, trace, matters);
            let mut paths = IndexVec::default();
            paths.push(Path { shows: self.formula.to_string(), states, repeats: None, because: Vec::new() });
            AnyCertificate::Values(Evidence { paths, also: Vec::new() }.into())
        });
        Reachable {
            verdict: run.is_some().into(),
            evidence: run,
            cut_off: None,
            nodes: Vec::new(),
            tuples: 0,
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

/// A Boolean combination of names as a function of the circuit.
fn function(circuit: &mut Circuit, formula: &Formula) -> Result<Lit, Diagnostics> {
    let mut of: IndexVec<FormulaId, Lit> = IndexVec::default();
    for (id, node) in formula.nodes() {
        let lit = match node {
            Node::True => Lit::TRUE,
            Node::False => Lit::FALSE,
            Node::Atom(atom) => circuit.atom(&formula.atoms()[atom]).unwrap_or(Lit::FALSE),
            Node::Not(a) => !of[a],
            Node::And(a, b) => circuit.aig.and(of[a], of[b]),
            Node::Or(a, b) => circuit.aig.or(of[a], of[b]),
            Node::Implies(a, b) => circuit.aig.implies(of[a], of[b]),
            Node::Iff(a, b) => !circuit.aig.xor(of[a], of[b]),
            _ => {
                let (start, end) = formula.span(id);
                let message = "a state has no runs of its own: temporal operators have no place here";
                let help = "`loris check` decides formulas of temporal logic";
                let problem = Diagnostic::error(u64::from(start), (end - start) as usize, message);
                return Err(problem.help(help).into());
            }
        };
        of.push(lit);
    }
    Ok(of[formula.root()])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use loris_circuit::read_aiger;
    use loris_evidence::Verdict;

    #[track_caller]
    fn check(text: &str, to: &str, steps: Option<usize>) {
        let (circuit, _) = read_aiger(text.as_bytes(), &mut Budget::unlimited()).unwrap();
        let goal = CircuitGoal::new(&circuit, to, &Suggestions::default()).unwrap();
        let found = goal.reach(&circuit, &SearchOptions::default());
        assert_eq!((found.verdict == Verdict::Holds, found.steps()), (steps.is_some(), steps), "{to}");
    }

    #[test]
    fn runs_need_not_be_fair_nor_go_on() {
        // a latch that takes the value of its input, with a condition for fair runs that never
        // holds
        let unfair = "aag 2 1 1 0 0 0 0 0 1\n2\n4 2\n0\nl0 x\n";
        check(unfair, "x", Some(1));
        check(unfair, "x & !x", None);
        check(unfair, "i0 & !l0", Some(0));
        check(unfair, "(x -> i0) & (x <-> true)", Some(1));
        // the constraint is that the latch is 0: runs end before it is 1
        let constrained = "aag 1 0 1 0 0 0 1\n2 1\n3\nl0 x\n";
        check(constrained, "x", None);
        check(constrained, "!x", Some(0));
        // no input satisfies the constraint where the latch is 1; with an input that is a part of
        // the state, there is no such state
        let ending = "aag 5 1 2 0 2 0 1\n2\n4 1\n6 6\n11\n8 6 2\n10 9 4\nl0 x\n";
        check(ending, "x", Some(1));
        check(ending, "x & i0", None);
        check(ending, "x & (i0 | !i0)", None);
        // one of the initial states is enough
        let free = "aag 1 0 1 0 0\n2 2 2\nl0 x\n";
        check(free, "x", Some(0));
        check(free, "!x", Some(0));
    }
}
