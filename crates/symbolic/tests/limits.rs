//! Limits hold however little each question costs.

use loris_base::{Budget, Exhausted};
use loris_circuit::{Lit, StateVar, TransitionSystem};
use loris_logic::{Core, parse};
use loris_symbolic::{Query, bmc};

/// A counter of twenty bits in a graph with this many nodes.
fn counter(nodes: usize) -> TransitionSystem {
    let mut system = TransitionSystem::default();
    let bits: Vec<Lit> = (0..20).map(|_| system.aig.variable()).collect();
    let mut carry = Lit::TRUE;
    for &now in &bits {
        let both = system.aig.and(now, carry);
        let neither = system.aig.and(!now, !carry);
        let next = system.aig.and(!both, !neither);
        system.states.push(StateVar { now, next });
        carry = both;
    }
    system.init = system.states.iter().map(|state| !state.now).collect();
    while system.aig.len() < nodes {
        system.aig.variable();
    }
    system
}

/// Nothing has to be decided to see that the last bit does not change for half a million rounds,
/// which go on until the steps are spent, whatever is spent before and in each of them.
#[test]
fn trivial_rounds_end() {
    let core = Core::new(&parse("A G !last").expect("well-formed")).expect("CTL");
    for nodes in [96, 97, 160] {
        let system = counter(nodes);
        let last = [system.states[19].now];
        assert_eq!(system.aig.len(), nodes);
        for before in (0..128).step_by(16) {
            // the second limit is for the case that the first is passed over
            let mut budget = Budget::new(None, Some(200 << 20)).slice(400_000);
            budget.spend(before).expect("it is below the limit");
            let found = bmc::check(&system, &Query { core: &core, atoms: &last }, &mut budget);
            assert_eq!(found.map(|_| ()), Err(Exhausted::Time), "{nodes} nodes, {before} steps before");
            assert!(budget.spent() < 410_000, "{}", budget.spent());
        }
    }
}
