//! `.aut` files: what is read, what is refused and where, what is written, and limits.

#![allow(clippy::unwrap_used)]

use loris_base::{Budget, Exhausted, Idx, Rng, Stopped, places};
use loris_lts::{Modality, Process, ProcessBuilder, ProcessKind, TAU, read_aut, read_transitions, write_aut};
use std::fmt::Write;
use std::io::Cursor;

/// A process as text: states, the initial one, and steps.
fn shown(process: &Process) -> String {
    let mut text = format!("{} states from {}:", process.state_count(), process.initial().index());
    for state in process.states() {
        for step in process.steps(state) {
            let (action, target) = (process.action_name(step.action), step.target.index());
            write!(text, " {}-{action}->{target}", state.index()).unwrap();
        }
    }
    text
}

/// What is read: the process, or all problems with line and column.
fn outcome(text: &[u8]) -> String {
    match read_aut(text, "test", &mut Budget::unlimited()) {
        Ok((process, _)) => shown(&process),
        Err(Stopped::Exhausted(why)) => panic!("{why}"),
        Err(Stopped::Wrong(problems)) => {
            let list = problems.sorted();
            let offsets: Vec<u64> = list.iter().map(|problem| problem.offset.unwrap_or(0)).collect();
            let places = places(&mut Cursor::new(text), &offsets).unwrap();
            let lines = list.iter().zip(places).map(|(problem, place)| {
                let at =
                    problem.offset.map_or("whole".to_owned(), |_| format!("{}:{}", place.line, place.column));
                format!("{at} {}", problem.message)
            });
            lines.collect::<Vec<_>>().join("; ")
        }
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(outcome(text.as_bytes()), expected, "{text}");
}

#[test]
fn labels_with_and_without_quotes() {
    check("des (0,0,1)", "1 states from 0:");
    check("des (1, 2, 2)\n(0, a, 1)\n(1, \"b\", 0)\n", "2 states from 1: 0-a->1 1-b->0");
    check("des(0,1,2)\n(0,f(1,2),1)", "2 states from 0: 0-f(1,2)->1");
    check("des(0,1,2)\n(0,\"f(1,2), 1) x\",1)", "2 states from 0: 0-f(1,2), 1) x->1");
    check("des(0,1,2)\n(0, put !1 !(2, 3) , 1)", "2 states from 0: 0-put !1 !(2, 3)->1");
    check("des(0,1,2)\n(0, \"say \"hi\"\", 1)", "2 states from 0: 0-say \"hi\"->1");
    check("des(0,1,2)\n(0, \" a b \", 1)", "2 states from 0: 0- a b ->1");
}

#[test]
fn silent_actions() {
    check("des (0,3,2)\n(0,i,1)\n(0,\"i\",0)\n(1,tau,1)", "2 states from 0: 0-tau->0 0-tau->1 1-tau->1");
    check("des (0,1,1)\n(0,I,0)", "1 states from 0: 0-I->0");
}

#[test]
fn steps_are_sorted_and_merged() {
    check("des (0,4,3)\n(0,b,2)\n(0,a,1)\n(0,b,1)\n(0,b,2)\n", "3 states from 0: 0-b->1 0-b->2 0-a->1");
}

#[test]
fn lines_and_blanks() {
    check("\u{feff}des (0,1,1)\r\n(0,a,0)\r\n", "1 states from 0: 0-a->0");
    check("des\n(0,\n1,1)\n\n ( 0 , \"a\" ,\n 0 ) \n\n", "1 states from 0: 0-a->0");
    check("des (0,3,2)\n(0,a,1)(1,b(0,1),0) (0,\"c\",0)", "2 states from 0: 0-a->1 0-c->0 1-b(0,1)->0");
}

#[test]
fn problems_of_the_first_line() {
    check("", "1:1 the file is empty");
    check("\n dis (0,0,1)", "2:2 expected `des (…)`, found `dis (0,0,1)`");
    check("des 0,0,1", "1:5 expected `(`, found `0,0,1`");
    check("des (0,x,1)", "1:8 expected a number, found `x,1)`");
    check("des (0,0", "1:9 expected `,`, found the end of the file");
    check("des (0,0,99999999999)", "1:10 the number `99999999999` is too large");
    check("des (2,0,2)", "1:6 there is no state 2: there are 2");
    check("des (0,0,0)", "1:6 there is no state 0: there are 0");
    check("des (0 1/2 1,0,2)", "1:8 probabilistic transition systems are not supported");
}

#[test]
fn problems_of_transitions() {
    check(
        "des (0,9,2)\n(0,a,2)\n(0,a,1\n0,a,1\n(x,a,1)\n(3,\"a\",4)\n(0,\"a,1)\n(0,a),1)\n(0,,1)\n(0,\"\",1)\n",
        "2:6 there is no state 2: there are 2; \
         3:1 expected a transition, found `(0,a,1`; \
         4:1 expected a transition, found `0,a,1`; \
         5:2 expected a number, found `x,a,1)`; \
         6:2 there is no state 3: there are 2; \
         7:4 the label is not closed; \
         8:1 expected a transition, found `(0,a),1)`; \
         9:4 the label is empty; \
         10:4 the label is empty",
    );
    check("des (0,1,2)\n(0,\"a\",0 1/2 1)", "2:10 probabilistic transition systems are not supported");
    check("des (0,1,2)\n(0,a,99999999999)", "2:6 the number `99999999999` is too large");
    check("des (0,2,2)\n(0,a,1)", "1:8 2 transitions are announced, but 1 follow");
    check("des (0,0,2)\n(0,a,1)", "1:8 0 transitions are announced, but 1 follow");
    assert_eq!(outcome(b"des (0,1,1)\n(0,\xff,0)"), "2:4 the label is not UTF-8");
}

#[test]
fn transitions_as_they_are_written() {
    let text = b"\xef\xbb\xbf\ndes (1,3, 2)\r\n(0,\"a, b\",1)\r\n( 1 , PUT !6 (x, y) , 0 )\n\n(1,i,1)";
    let mut budget = Budget::unlimited();
    let found = read_transitions(text, &mut budget).unwrap();
    let edges = [(0, "a, b", 1), (1, "PUT !6 (x, y)", 0), (1, "i", 1)];
    assert_eq!((found.initial, found.states), (1, 2));
    assert_eq!(found.edges, edges.map(|(from, label, to)| (from, label.to_owned(), to)));
    assert!(budget.used() > found.edges.len() * 40);
    // what is made of them has tables for all states
    let huge = read_transitions(b"des (0,0,4000000000)", &mut Budget::unlimited()).unwrap_err();
    assert_eq!(huge.into_problems().sorted()[0].message, "more than 1048576 states");
}

/// The corpus that fuzzing starts from.
#[test]
fn corpus() {
    let expected = [
        ("header", "2 states from 0: 0-put(1, true)->1 1-tau->1 1-get !1 (x,y)->0"),
        ("probabilities", "1:8 probabilistic transition systems are not supported"),
        ("quotes", "2 states from 0: 0-say \"hi\"->1 1-a\", 1) b->0"),
        ("several_lines", "2 states from 0: 0-a->1 1-b(0,1)->0"),
        ("silent", "5 states from 0: 0-tau->1 0-tau->4 1-tau->2 2-tau->0 2-a->3 3-tau->3 4-a->3"),
        (
            "wrong",
            "1:6 there is no state 9: there are 2; 2:4 the label is not closed; \
             3:1 expected a transition, found `(0,a),1)`; 4:8 the number `99999999999` is too large",
        ),
    ];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let found: Vec<_> = files
        .iter()
        .map(|file| (file.file_stem().unwrap().to_str().unwrap(), outcome(&std::fs::read(file).unwrap())))
        .collect();
    let expected: Vec<_> = expected.into_iter().map(|(name, text)| (name, text.to_owned())).collect();
    assert_eq!(found, expected);
}

/// Files with bytes changed, moved and lost: problems lie within the text, and what is read is
/// written as it is read again.
#[test]
fn broken_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let texts: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    let cases = loris_testing::cases(5_000);
    let mut read = 0;
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        let mut text = texts[rng.below(texts.len())].clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(text.len());
            match rng.below(4) {
                0 => text[at] = b"(),\"0123a \n\xff"[rng.below(12)],
                1 if text.len() > 1 => drop(text.remove(at)),
                2 => text.insert(at, b"(),\"0123a \n"[rng.below(11)]),
                _ => text.truncate(at.max(1)),
            }
        }
        let listed = read_transitions(&text, &mut Budget::new(None, Some(1 << 24)));
        match read_aut(&text, "broken", &mut Budget::new(None, Some(1 << 24))) {
            Ok((process, _)) => {
                read += 1;
                assert_eq!(listed.unwrap().states, process.state_count(), "seed {seed}");
                let again = written(&process).unwrap();
                assert_eq!(outcome(again.as_bytes()), shown(&process), "seed {seed}");
            }
            Err(Stopped::Exhausted(_)) => {}
            Err(Stopped::Wrong(problems)) => {
                assert_eq!(listed.unwrap_err().into_problems(), problems, "seed {seed}");
                assert!(problems.has_errors(), "seed {seed}");
                let within = |at: Option<u64>| at.is_none_or(|at| at <= text.len() as u64);
                assert!(problems.sorted().iter().all(|problem| within(problem.offset)), "seed {seed}");
            }
        }
    }
    assert!(read > cases / 50, "{read}");
}

/// A file of this many transitions in a ring.
fn ring(states: usize) -> String {
    let mut text = format!("des (0,{states},{states})\n");
    for state in 0..states {
        writeln!(text, "({state},\"step {}\",{})", state % 7, (state + 1) % states).unwrap();
    }
    text
}

#[test]
fn limits_hold() {
    let text = ring(100_000);
    let now = || Budget::new(Some(std::time::Duration::ZERO), None);
    let soon = read_aut(b"des (0,0,1)", "small", &mut now());
    assert!(matches!(soon, Err(Stopped::Exhausted(Exhausted::Time))));
    let read = |mut budget: Budget| read_aut(text.as_bytes(), "ring", &mut budget).map(|_| ());
    assert!(matches!(read(Budget::steps(50_000)), Err(Stopped::Exhausted(Exhausted::Time))));
    assert!(matches!(read(Budget::new(None, Some(1 << 20))), Err(Stopped::Exhausted(Exhausted::Memory))));
    let mut budget = Budget::unlimited();
    let (process, _) = read_aut(text.as_bytes(), "ring", &mut budget).unwrap();
    let (used, held) = (budget.used(), process.bytes());
    assert!(used >= held - 1000 && used <= held + held / 10, "{used} {held}");
    let huge = b"des (0,0,4000000000)";
    let limited = read_aut(huge, "huge", &mut Budget::new(None, Some(1 << 30)));
    assert!(matches!(limited, Err(Stopped::Exhausted(Exhausted::Memory))));
}

fn written(process: &Process) -> Result<String, String> {
    let mut out = Vec::new();
    write_aut(process, &mut out).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn what_is_written_is_read_again() {
    for text in [ring(10), "des (1,2,2)\n(0,say \"x\",1)\n(1,i,0)\n".to_owned()] {
        let (process, _) = read_aut(text.as_bytes(), "test", &mut Budget::unlimited()).unwrap();
        let again = written(&process).unwrap();
        assert_eq!(outcome(again.as_bytes()), shown(&process));
    }
}

#[test]
fn what_the_format_has_no_place_for_is_refused() {
    let refused = |kind: ProcessKind, action: &str, modality: Modality, atom: bool| {
        let mut builder = ProcessBuilder::new("test", kind);
        let state = builder.state();
        builder.initial(state);
        let action = if kind == ProcessKind::Lts { builder.action(action) } else { TAU };
        builder.step(state, action, state, modality);
        if atom {
            let atom = builder.atom("p");
            builder.label(state, atom, true);
        }
        written(&builder.finish(&mut Budget::unlimited()).unwrap()).unwrap_err()
    };
    let check = |error: String, expected: &str| assert_eq!(error, expected);
    let kripke = "an .aut file has actions at steps, and a Kripke structure has none";
    check(refused(ProcessKind::Kripke, "", Modality::Both, false), kripke);
    check(
        refused(ProcessKind::Lts, "a", Modality::May, false),
        "an .aut file has no steps that are may and not must",
    );
    check(refused(ProcessKind::Lts, "a", Modality::Both, true), "an .aut file has no labels at states");
    for (name, shown) in [("i", "i"), ("a\nb", "\"a\\nb\""), ("a\",1)(", "a\",1)("), ("", "\"\"")] {
        let message = format!("the action {shown} cannot be written in an .aut file");
        check(refused(ProcessKind::Lts, name, Modality::Both, false), &message);
    }
}
