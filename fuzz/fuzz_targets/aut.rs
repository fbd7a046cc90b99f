//! `.aut` files: any bytes are read without a panic, problems lie within the text, what is read is
//! written as a text that is read as the same process, and reductions keep within their limits.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_base::{Budget, Idx, Stopped};
use loris_lts::{Equivalence, Hiding, Process, read_aut, read_transitions, reduce, write_aut};

fuzz_target!(|text: &[u8]| {
    let mut budget = Budget::new(None, Some(1 << 26));
    match read_aut(text, "fuzz", &mut budget) {
        Ok((process, _)) => check(&process),
        Err(Stopped::Exhausted(_)) => {}
        Err(Stopped::Wrong(problems)) => {
            assert!(problems.has_errors());
            assert!(problems.sorted().iter().all(|problem| problem.offset.is_none_or(|at| at <= text.len() as u64)));
        }
    }
    if let Ok(found) = read_transitions(text, &mut Budget::new(None, Some(1 << 26))) {
        assert!(found.edges.iter().all(|&(from, _, to)| (from.max(to) as usize) < found.states));
    }
});

fn check(process: &Process) {
    if process.state_count() > 1000 {
        return;
    }
    let mut written = Vec::new();
    write_aut(process, &mut written).expect("what is read can be written");
    let (again, _) = read_aut(&written, "fuzz", &mut Budget::unlimited()).expect("what is written can be read");
    assert_eq!(shown(&again), shown(process));
    let mut sizes = Vec::new();
    for equivalence in [Equivalence::Strong, Equivalence::DivergenceBranching, Equivalence::Branching] {
        let budget = &mut Budget::unlimited();
        let reduced = reduce(process, equivalence, &Hiding::Nothing, budget).expect("no limit").process;
        let twice = reduce(&reduced, equivalence, &Hiding::Nothing, budget).expect("no limit").process;
        assert_eq!(shown(&reduced), shown(&twice));
        sizes.push(reduced.state_count());
    }
    assert!(sizes.is_sorted_by(|finer, coarser| finer >= coarser));
}

fn shown(process: &Process) -> Vec<(usize, &str, usize)> {
    let steps = process.states().flat_map(|state| process.steps(state).map(move |step| (state, step)));
    let mut steps: Vec<_> = steps
        .map(|(state, step)| (state.index(), process.action_name(step.action), step.target.index()))
        .collect();
    steps.sort_unstable();
    steps
}
