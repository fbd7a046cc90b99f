//! Reduced processes: with labels, modalities and hidden actions, against bisimulations straight
//! from the definitions.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
mod oracle;

use loris_base::{Budget, Exhausted, Idx, Rng, Stopped, Truth};
use loris_lts::{
    ActionId, Edge, Equivalence, Graph, Hiding, Modality, Process, ProcessBuilder, ProcessKind, StateId, TAU,
    read_aut, reduce, write_aut,
};
use oracle::{coarsest, numbered};

const ALL: [Equivalence; 3] = [Equivalence::Strong, Equivalence::Branching, Equivalence::DivergenceBranching];

fn random_process(rng: &mut Rng, certain: bool) -> Process {
    let kind = if rng.chance(0.3) { ProcessKind::Kripke } else { ProcessKind::Lts };
    let mut builder = ProcessBuilder::new("random", kind);
    let n = 1 + rng.below(9);
    builder.add_states(n);
    builder.initial(StateId::new(rng.below(n)));
    let atoms: Vec<_> = (0..rng.below(3)).map(|i| builder.atom(&format!("p{i}"))).collect();
    let actions: Vec<ActionId> = ["a", "b", "c"].map(|name| builder.action(name)).to_vec();
    for state in (0..n).map(StateId::new) {
        for &atom in &atoms {
            if rng.chance(0.9) {
                builder.label(state, atom, rng.chance(0.2));
            }
        }
        for _ in 0..rng.below(4) {
            let action =
                if kind == ProcessKind::Kripke || rng.chance(0.5) { TAU } else { actions[rng.below(3)] };
            let modality = if certain || rng.chance(0.5) { Modality::Both } else { Modality::May };
            builder.step(state, action, StateId::new(rng.below(n)), modality);
        }
    }
    builder.finish(&mut Budget::unlimited()).unwrap()
}

/// The labels of a state.
fn labels(process: &Process, state: StateId) -> Vec<Truth> {
    process.atom_ids().map(|atom| process.label(state, atom)).collect()
}

/// Adds the states of a process to a graph: an edge for each may step, and one for each must step
/// if there are others. Hidden actions are silent.
fn add(graph: &mut Graph, process: &Process, hiding: &Hiding, names: &Process, certain: bool) {
    let shift = graph.node_count() as u32;
    for state in process.states() {
        let mut edges = Vec::new();
        for step in process.steps(state) {
            let action = names.find_action(process.action_name(step.action)).unwrap();
            let label = if hiding.hides(action) { 0 } else { action.index() as u32 };
            let target = shift + step.target.index() as u32;
            if certain {
                edges.push(Edge { label, target });
                continue;
            }
            edges.push(Edge { label: 2 * label, target });
            if step.must {
                edges.push(Edge { label: 2 * label + 1, target });
            }
        }
        graph.push(&edges);
    }
}

fn check(process: &Process, equivalence: Equivalence, hiding: &Hiding, certain: bool, seed: u64) {
    let reduced = reduce(process, equivalence, hiding, &mut Budget::unlimited()).unwrap();
    let small = &reduced.process;
    let mut both = Graph::default();
    add(&mut both, process, hiding, process, certain);
    add(&mut both, small, &Hiding::Nothing, process, certain);
    let all_labels = process
        .states()
        .map(|state| labels(process, state))
        .chain(small.states().map(|state| labels(small, state)));
    let classes = numbered(all_labels);
    let blocks = coarsest(&both, equivalence, Some(&classes));
    let context = format!("seed {seed}, {equivalence:?}, {hiding:?}: {process:?}");
    // states breadth first
    let mut order = vec![process.initial()];
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        for step in process.steps(state) {
            if !order.contains(&step.target) {
                order.push(step.target);
            }
        }
    }
    let n = process.state_count();
    for state in process.states() {
        let class = reduced.class_of[state.index()];
        assert_eq!(class.is_some(), order.contains(&state), "{context}");
        if let Some(class) = class {
            assert_eq!(blocks[state.index()], blocks[n + class.index()], "{context}");
        }
    }
    // classes are numbered as they come, no two are equivalent, and none is missing
    let expected = numbered(order.iter().map(|state| blocks[state.index()]));
    let found: Vec<u32> =
        order.iter().map(|state| reduced.class_of[state.index()].unwrap().index() as u32).collect();
    assert_eq!(found, expected, "{context}");
    assert_eq!(small.state_count() as u32, expected.iter().max().unwrap() + 1, "{context}");
    assert_eq!(small.initial().index(), 0);
    for action in process.action_ids() {
        let name = process.action_name(action);
        let is_hidden = action != TAU && hiding.hides(action);
        assert_eq!(small.find_action(name).is_none(), is_hidden, "{context}");
    }
}

#[test]
fn reduced_processes_are_equivalent() {
    let cases = loris_testing::cases(1_500);
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        let certain = rng.chance(0.6);
        let process = random_process(&mut rng, certain);
        let is_certain = process.states().all(|state| process.steps(state).all(|step| step.must));
        let some: Vec<ActionId> = process.action_ids().filter(|_| rng.chance(0.3)).collect();
        let hiding = match rng.below(3) {
            0 => Hiding::Nothing,
            1 => Hiding::Only(some),
            _ => Hiding::AllBut(some),
        };
        check(&process, Equivalence::Strong, &hiding, is_certain, seed);
        for equivalence in [Equivalence::Branching, Equivalence::DivergenceBranching] {
            if is_certain {
                check(&process, equivalence, &hiding, true, seed);
            } else {
                let refused = reduce(&process, equivalence, &hiding, &mut Budget::unlimited());
                assert!(matches!(refused, Err(Stopped::Wrong(_))), "seed {seed}");
            }
        }
    }
}

/// A reduced `.aut` file, in one line.
fn reduced(text: &str, equivalence: Equivalence) -> String {
    let budget = &mut Budget::unlimited();
    let (process, _) = read_aut(text.as_bytes(), "test", budget).unwrap();
    let small = reduce(&process, equivalence, &Hiding::Nothing, budget).unwrap().process;
    let mut out = Vec::new();
    write_aut(&small, &mut out).unwrap();
    String::from_utf8(out).unwrap().trim_end().replace('\n', " ")
}

#[test]
fn files_are_reduced() {
    let text = "des (2,6,6)\n(2,tau,1)\n(1,a,0)\n(0,i,0)\n(1,tau,3)\n(3,a,5)\n(4,b,4)\n";
    let expected = [
        "des (0,5,5) (0,\"tau\",1) (1,\"tau\",2) (1,\"a\",3) (2,\"a\",4) (3,\"tau\",3)",
        "des (0,1,2) (0,\"a\",1)",
        "des (0,4,4) (0,\"tau\",1) (0,\"a\",2) (1,\"a\",3) (2,\"tau\",2)",
    ];
    for (equivalence, expected) in ALL.into_iter().zip(expected) {
        assert_eq!(reduced(text, equivalence), expected);
    }
}

#[test]
fn limits_hold() {
    let mut builder = ProcessBuilder::new("ring", ProcessKind::Lts);
    let n = 50_000;
    builder.add_states(n);
    builder.initial(StateId::new(0));
    let atom = builder.atom("p");
    builder.label(StateId::new(n / 2), atom, true);
    for state in 0..n {
        builder.step(StateId::new(state), TAU, StateId::new((state + 1) % n), Modality::Both);
    }
    let process = builder.finish(&mut Budget::unlimited()).unwrap();
    for equivalence in ALL {
        let run =
            |mut budget: Budget| reduce(&process, equivalence, &Hiding::Nothing, &mut budget).map(|_| ());
        assert!(matches!(run(Budget::steps(30_000)), Err(Stopped::Exhausted(Exhausted::Time))));
        assert!(matches!(run(Budget::new(None, Some(1 << 20))), Err(Stopped::Exhausted(Exhausted::Memory))));
        assert!(run(Budget::new(None, Some(1 << 26))).is_ok());
    }
}
