//! Random processes, changed files, and problems as text.

#![allow(dead_code, clippy::unwrap_used, reason = "not every test uses all of it")]

use loris_base::{Budget, Idx, Rng, Stopped, Truth, places};
use loris_lts::{Modality, Process, ProcessBuilder, ProcessKind, StateId, TAU};
use std::io::Cursor;

/// All problems with line and column.
pub(crate) fn problems(text: &str, stopped: Stopped) -> String {
    let problems = match stopped {
        Stopped::Wrong(problems) => problems,
        Stopped::Exhausted(why) => panic!("{why}"),
    };
    let list = problems.sorted();
    let offsets: Vec<u64> = list.iter().map(|problem| problem.offset.unwrap_or(0)).collect();
    let places = places(&mut Cursor::new(text), &offsets).unwrap();
    let lines = list.iter().zip(places).map(|(problem, place)| {
        let at = problem.offset.map_or("whole".to_owned(), |_| format!("{}:{}", place.line, place.column));
        format!("{at} {}", problem.message)
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// A small process of any kind, with odd names.
pub(crate) fn random_process(rng: &mut Rng) -> Process {
    const NAMES: [&str; 8] = ["p", "!q", "a b", "say \"x\"", "ü", "a,b", "back\\slash", "-> |#="];
    let kind = if rng.chance(0.5) { ProcessKind::Kripke } else { ProcessKind::Lts };
    let is_partial = rng.chance(0.5);
    let mut builder = ProcessBuilder::new(NAMES[rng.below(8)], kind);
    let states = 1 + rng.below(5);
    for i in 0..states {
        builder.named_state(&format!("{}{i}", NAMES[rng.below(8)]));
    }
    builder.initial(StateId::new(rng.below(states)));
    let atoms: Vec<_> = NAMES.iter().take(rng.below(4)).map(|name| builder.atom(name)).collect();
    let actions: Vec<_> = match kind {
        ProcessKind::Kripke => vec![TAU],
        ProcessKind::Lts => {
            NAMES.iter().skip(rng.below(4)).take(3).map(|name| builder.action(name)).chain([TAU]).collect()
        }
    };
    for state in (0..states).map(StateId::new) {
        for &atom in &atoms {
            if !is_partial || rng.chance(0.6) {
                builder.label(state, atom, rng.chance(0.5));
            }
        }
        for _ in 0..rng.below(4) {
            let modality = if is_partial && rng.chance(0.5) { Modality::May } else { Modality::Both };
            builder.step(state, actions[rng.below(actions.len())], StateId::new(rng.below(states)), modality);
        }
    }
    builder.finish(&mut Budget::unlimited()).unwrap()
}

/// Whether two processes are the same, with all their names.
pub(crate) fn same(one: &Process, other: &Process) {
    let names = |process: &Process| {
        let list = |names: &loris_base::Names| names.iter().map(str::to_owned).collect::<Vec<_>>();
        (process.kind(), list(process.actions()), list(process.atoms()), process.initial())
    };
    assert_eq!(names(one), names(other));
    assert_eq!(one.state_count(), other.state_count());
    for state in one.states() {
        assert_eq!(one.state_name(state), other.state_name(state));
        assert!(one.steps(state).eq(other.steps(state)));
        let labels = |process: &Process| -> Vec<Truth> {
            process.atom_ids().map(|atom| process.label(state, atom)).collect()
        };
        assert_eq!(labels(one), labels(other));
    }
}

/// A text with each of its pieces, split at signs, replaced, removed or doubled.
pub(crate) fn changes(text: &str) -> Vec<String> {
    let mut pieces: Vec<&str> = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if !c.is_alphanumeric() {
            pieces.extend([&text[start..at], &text[at..at + c.len_utf8()]]);
            start = at + c.len_utf8();
        }
    }
    pieces.push(&text[start..]);
    let mut found = Vec::new();
    for (i, piece) in pieces.iter().enumerate().filter(|(_, piece)| !piece.is_empty()) {
        let double = piece.repeat(2);
        for other in ["", "x", "\"", "1", "[", "}", "é", "\n", "->", "null", &double] {
            let changed: Vec<&str> =
                pieces.iter().enumerate().map(|(j, piece)| if i == j { other } else { piece }).collect();
            found.push(changed.concat());
        }
    }
    found
}
