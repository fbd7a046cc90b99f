//! Processes: what the builder checks, and what it freezes.

#![allow(clippy::unwrap_used)]

use loris_base::{Budget, Exhausted, Idx, Stopped, Truth};
use loris_lts::{Modality, Process, ProcessBuilder, ProcessKind, StateId, TAU, Transition};

fn finished(builder: ProcessBuilder) -> Result<Process, Vec<String>> {
    match builder.finish(&mut Budget::unlimited()) {
        Ok(process) => Ok(process),
        Err(Stopped::Exhausted(why)) => panic!("{why}"),
        Err(Stopped::Wrong(problems)) => Err(problems
            .sorted()
            .iter()
            .map(|problem| {
                format!("{} {}", problem.offset.map_or("-".to_owned(), |at| at.to_string()), problem.message)
            })
            .collect()),
    }
}

fn check(kind: ProcessKind, fill: impl FnOnce(&mut ProcessBuilder), expected: &[&str]) {
    let mut builder = ProcessBuilder::new("test", kind);
    fill(&mut builder);
    assert_eq!(finished(builder).map(|_| ()).err().unwrap_or_default(), expected);
}

#[test]
fn problems_have_names_and_places() {
    check(ProcessKind::Lts, |_| {}, &["- the process has no state"]);
    check(ProcessKind::Lts, |b| assert_eq!(b.state().index(), 0), &["- the process has no initial state"]);
    check(
        ProcessKind::Kripke,
        |b| {
            let s = b.named_state("s");
            b.at(7).named_state("s");
            b.at(9).initial(s);
        },
        &["7 there are two states with the name s"],
    );
    check(
        ProcessKind::Lts,
        |b| {
            let (s, t) = (b.named_state("s"), b.named_state("t"));
            let a = b.action("a");
            b.initial(s);
            b.at(3).step(s, a, t, Modality::Must);
            b.at(4).step(t, a, s, Modality::Must);
            b.at(5).step(s, TAU, t, Modality::May);
            b.at(6).step(t, a, s, Modality::May);
        },
        &["3 there must be a step from s to t by a, but no such step may be there"],
    );
    check(
        ProcessKind::Kripke,
        |b| {
            let s = b.state();
            let (p, a) = (b.atom("p"), b.action("a"));
            b.initial(s);
            b.at(1).label(s, p, true);
            b.at(2).label(s, p, false);
            b.at(3).label(s, p, true);
            b.at(4).step(s, a, s, Modality::Both);
            b.at(5).step(s, TAU, StateId::new(8), Modality::Both);
            b.at(6).label(StateId::new(9), p, true);
        },
        &[
            "2 state 0 is labelled both p and not p",
            "4 a step of a Kripke structure has no action, but this one has a",
            "5 there is no state 8: there are 1",
            "6 there is no state 9: there are 1",
        ],
    );
    check(
        ProcessKind::Lts,
        |b| {
            let s = b.add_states(2);
            b.at(1).initial(s);
            b.at(2).initial(StateId::new(1));
        },
        &["2 a process has one initial state, and this is the second"],
    );
}

#[test]
fn steps_are_sorted_and_merged() {
    let mut builder = ProcessBuilder::new("test", ProcessKind::Lts);
    let s = builder.add_states(3);
    let t = StateId::new(2);
    let (a, b) = (builder.action("a"), builder.action("b"));
    builder.action("unused");
    builder.initial(s);
    builder.step(s, b, t, Modality::May);
    builder.step(s, a, t, Modality::May);
    builder.step(s, b, s, Modality::Both);
    builder.step(s, a, t, Modality::Both);
    builder.step(s, b, t, Modality::Must);
    builder.step(s, TAU, s, Modality::May);
    let process = finished(builder).unwrap();
    let steps: Vec<Transition> = process.steps(s).collect();
    let step = |action, target, must| Transition { action, target, must };
    assert_eq!(steps, [step(TAU, s, false), step(a, t, true), step(b, s, true), step(b, t, true)]);
    assert_eq!(process.steps_by(s, b).collect::<Vec<_>>(), steps[2..]);
    assert_eq!(process.steps_by(s, process.find_action("unused").unwrap()).len(), 0);
    assert_eq!(process.steps(t).len(), 0);
    assert!(!process.is_concrete() && process.find_action("tau") == Some(TAU));
}

#[test]
fn labels_are_three_valued() {
    for (default, expected) in
        [(Truth::Unknown, Truth::Unknown), (Truth::False, Truth::False), (Truth::True, Truth::True)]
    {
        let mut builder = ProcessBuilder::new("test", ProcessKind::Kripke);
        let first = builder.add_states(5);
        builder.initial(first);
        let atoms: Vec<_> = (0..40).map(|i| builder.atom(&format!("p{i}"))).collect();
        builder.unlabelled(default);
        builder.label(StateId::new(3), atoms[17], true);
        builder.label(StateId::new(4), atoms[39], false);
        let process = finished(builder).unwrap();
        for state in process.states() {
            for atom in process.atom_ids() {
                let label = match (state.index(), atom.index()) {
                    (3, 17) => Truth::True,
                    (4, 39) => Truth::False,
                    _ => expected,
                };
                assert_eq!(process.label(state, atom), label);
            }
        }
        assert_eq!(process.is_concrete(), default != Truth::Unknown);
    }
}

#[test]
fn states_have_names_if_one_has() {
    let mut builder = ProcessBuilder::new("test", ProcessKind::Kripke);
    let first = builder.add_states(2);
    builder.named_state("0x");
    builder.initial(first);
    builder.state();
    let process = finished(builder).unwrap();
    let names: Vec<_> = process.states().map(|state| process.state_name(state).unwrap()).collect();
    assert_eq!(names, ["0", "1", "0x", "3"]);
    assert_eq!(process.find_state("0x"), Some(StateId::new(2)));
}

#[test]
fn limits_hold() {
    let builder = |kind| {
        let mut builder = ProcessBuilder::new("test", kind);
        let first = builder.add_states(10_000);
        builder.initial(first);
        for i in 0..10 {
            builder.atom(&format!("p{i}"));
        }
        builder
    };
    let finish = |mut budget: Budget| builder(ProcessKind::Kripke).finish(&mut budget).map(|_| ());
    assert!(matches!(finish(Budget::new(None, Some(50_000))), Err(Stopped::Exhausted(Exhausted::Memory))));
    assert!(matches!(finish(Budget::steps(1_000)), Err(Stopped::Exhausted(Exhausted::Time))));
    assert!(finish(Budget::new(None, Some(100_000))).is_ok());
}
