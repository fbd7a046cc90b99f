//! Checks that a witness shows what it claims to show.

use super::{Oracle, Set};
use loris_base::Idx;
use loris_circuit::{Lit, SystemRun, TransitionSystem};
use loris_logic::{CoreId, CoreNode, CtlCore};
use loris_symbolic::{SystemOutcome, Witness};

impl Oracle {
    /// Checks the verdict of an engine, and its witness and its invariant where there are some.
    pub(crate) fn check(
        &self,
        system: &TransitionSystem,
        core: &CtlCore,
        atoms: &[Lit],
        outcome: &SystemOutcome,
    ) {
        let sets = self.evaluate(system, core, atoms);
        let root = core.root();
        assert_eq!(outcome.holds, self.initial & !sets[root.index()] == 0, "{}", core.print(root));
        if let Some(witness) = &outcome.witness {
            assert!(system.is_run(&witness.trace, true), "a run from an initial state");
            // a counterexample must start where the property fails
            let first = Self::number(&witness.trace.steps[0].state);
            assert_eq!(sets[root.index()] >> first & 1 == 1, outcome.holds);
            self.shows(system, core, &sets, witness);
        }
        if let Some(invariant) = &outcome.invariant {
            let closed = self.of(|state| {
                let clause = |clause: &Vec<(u32, bool)>| {
                    clause.iter().any(|&(at, value)| (state >> at & 1 == 1) == value)
                };
                invariant.iter().all(clause)
            });
            assert_eq!(self.initial & !closed, 0, "an invariant holds in initial states");
            let goal = match core.nodes()[root.index()] {
                CoreNode::Not(of) => of,
                _ => root,
            };
            let CoreNode::Eu(from, bad) = core.nodes()[goal.index()] else {
                panic!("not about reachability")
            };
            let goes_on = closed & sets[from.index()];
            let leaves = self.of(|state| goes_on >> state & 1 == 1 && self.steps[state] & !closed != 0);
            assert_eq!(leaves, 0, "an invariant is closed under steps");
            assert_eq!(closed & sets[bad.index()], 0, "an invariant implies what it shows");
        }
    }

    /// Checks a witness and all that it relies on.
    fn shows(&self, system: &TransitionSystem, core: &CtlCore, sets: &[Set], witness: &Witness) {
        let trace = &witness.trace;
        assert!(system.is_run(trace, false), "a run");
        let at = |step: usize| Self::number(&trace.steps[step].state);
        let is_true = |node: CoreId, step: usize| sets[node.index()] >> at(step) & 1 == 1;
        let node = core.node(witness.shows);
        assert_eq!(is_true(witness.shows, 0), !witness.negated, "{}", core.print(witness.shows));
        if !witness.negated {
            match node {
                CoreNode::Ex(a) => assert!(is_true(a, 1)),
                CoreNode::Eg(a) => {
                    assert!(trace.back_to.is_some(), "a lasso");
                    assert!((0..trace.steps.len()).all(|step| is_true(a, step)));
                }
                CoreNode::Eu(a, b) => {
                    let end = (0..trace.steps.len()).find(|&step| is_true(b, step)).expect("the end of EU");
                    assert!((0..end).all(|step| is_true(a, step)));
                    assert!(self.has_fairness() || end + 1 == trace.steps.len(), "nothing behind the end");
                }
                _ => {}
            }
            if node.is_existential() && self.has_fairness() {
                assert!(self.is_fair_lasso(trace), "a fair run");
            }
        }
        for (step, because) in &witness.because {
            assert_eq!(because.trace.steps[0].state, trace.steps[*step].state);
            self.shows(system, core, sets, because);
        }
    }

    fn is_fair_lasso(&self, trace: &SystemRun) -> bool {
        trace.back_to.is_some_and(|back| {
            let visited =
                trace.steps[back..].iter().fold(0, |set, step| set | 1 << Self::number(&step.state));
            self.is_fair_cycle(visited)
        })
    }
}
