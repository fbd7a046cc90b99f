//! Compositions: what is read, what is refused and where, what parts become, and what is written.

#![allow(clippy::unwrap_used)]

mod common;

use common::{problems, random_process};
use loris_base::{Budget, Exhausted, Idx, Rng, Stopped};
use loris_lts::{
    Composition, Description, LocatedWord, Part, Process, ProcessKind, SyncRule, read_aut, read_composition,
    read_kmts, write_composition,
};
use std::fmt::Write;

/// The files that compositions are made of.
fn process(path: &str) -> Process {
    let text = match path {
        "client.aut" => "des (0,2,2)\n(0,take,1)\n(1,release,0)\n",
        "lock.aut" => "des (0,3,2)\n(0,grab,1)\n(1,drop,0)\n(1,tau,1)\n",
        "one.kmts" => {
            r#"{"kind": "kripke", "initial": "s", "states": [{"name": "s", "labels": ["r"]}, "t"],
                         "steps": [["s", "t"], ["t", "s"]]}"#
        }
        "two.kmts" => r#"{"kind": "kmts", "initial": "s", "states": [{"name": "s", "labels": ["!r", "i"]}]}"#,
        "labelled.kmts" => r#"{"kind": "lts", "initial": "s", "states": [{"name": "s", "labels": ["r"]}]}"#,
        _ => panic!("{path}"),
    };
    let budget = &mut Budget::unlimited();
    if text.starts_with("des") {
        read_aut(text.as_bytes(), path, budget).unwrap().0
    } else {
        read_kmts(text.as_bytes(), path, budget).unwrap()
    }
}

fn assembled(description: &Description) -> Result<Composition, Stopped> {
    let processes = description.parts.iter().map(|part| process(&part.path.text)).collect();
    description.assemble(processes, &mut Budget::unlimited())
}

/// The parts with their steps and the actions that they never take, and the hidden actions.
fn shown(composition: &Composition) -> String {
    let mut text = String::new();
    for part in &composition.processes {
        let mut unused: Vec<&str> = part.actions().iter().skip(1).collect();
        text += part.name();
        for state in part.states() {
            for step in part.steps(state) {
                let action = part.action_name(step.action);
                unused.retain(|name| *name != action);
                if part.kind() == ProcessKind::Lts {
                    write!(text, " {}-{action}->{}", state.index(), step.target.index()).unwrap();
                }
            }
            for atom in part.atom_ids() {
                write!(text, " {:?}:{}", part.label(state, atom), part.atom_name(atom)).unwrap();
            }
        }
        for action in unused {
            write!(text, " +{action}").unwrap();
        }
        text += "; ";
    }
    text + &format!("{:?}", composition.hidden)
}

fn check(text: &str, expected: &str) {
    let found = match read_composition(text.as_bytes(), &mut Budget::unlimited()) {
        Err(stopped) => problems(text, stopped),
        Ok(description) => match assembled(&description) {
            Err(stopped) => problems(text, stopped),
            Ok(composition) => shown(&composition),
        },
    };
    assert_eq!(found, expected, "{text}");
}

#[test]
fn renaming_hiding_and_extra_actions() {
    check("part a = client.aut", "a 0-take->1 1-release->0; []");
    check(
        "\u{feff}# two clients\r\npart a = client.aut # one\r\n  rename take -> \"take 1\",\r\n   release -> take\r\n\r\n\
         part b = \"client.aut\"\n  extra reset, stop\nhide take,\n  \"take 1\"\n",
        "a 0-take 1->1 1-take->0; b 0-take->1 1-release->0 +reset +stop; [\"take\", \"take 1\"]",
    );
    check("part a = client.aut\nrename take -> release, release -> take", "a 0-release->1 1-take->0; []");
    check("part a = client.aut\nrename take -> release", "a 0-release->1 1-release->0; []");
    check("part a = client.aut\nrename take -> tau", "a 0-tau->1 1-release->0; []");
}

#[test]
fn rules_of_synchronisation() {
    check(
        "part a = client.aut\npart b = client.aut\npart l = lock.aut\n\
         sync a.take | l.grab -> take1\nsync b.take|l.grab->take2\nsync a.\"release\" | \"l\".drop -> tau\n\
         sync b.release | l.\"drop\" -> release",
        "a 0-take1->1 1-a.release|l.drop->0; b 0-take2->1 1-release->0; \
         l 0-take1->1 0-take2->1 1-tau->1 1-a.release|l.drop->0 1-release->0; [\"a.release|l.drop\"]",
    );
    check(
        "part a = client.aut\npart l = lock.aut\nsync a.tak | m.grab -> x\nsync a.take | a.release -> y\n\
         sync l.tau | a.take -> z\nsync a.take -> x",
        "3:8 part a has no action tak; 3:14 there is no part m; \
         4:15 the part a takes part twice in one rule; 5:8 silent steps do not synchronise; \
         6:16 two rules make the action x",
    );
    check(
        "part a = client.aut\npart l = lock.aut\nsync a.take | l.grab -> drop",
        "3:25 part l knows the action drop without this rule",
    );
}

#[test]
fn labels() {
    check("part a = one.kmts\npart b = two.kmts\n relabel r -> s", "a True:r False:r; b False:s True:i; []");
    check(
        "part a = one.kmts\npart b = two.kmts",
        "2:6 the initial states of parts a and b do not agree on r: it is true in a and false in b",
    );
    check("part b = two.kmts\nrelabel r -> i", "2:14 two labels get the name i");
    check("part b = two.kmts\nrelabel r -> i, i -> r", "b False:i True:r; []");
    check("part a = labelled.kmts\npart b = labelled.kmts", "2:6 parts a and b both have the label r");
    check(
        "part a = one.kmts\npart b = client.aut\npart c = client.aut",
        "2:6 part a is a Kripke structure and part b a labelled transition system",
    );
}

#[test]
fn problems_of_names() {
    check(
        "part a = client.aut\n rename tke -> x, take -> y, take -> z, tau -> w\n relabel p -> q\n extra tau\n\
         part a = client.aut\n",
        "5:6 there are two parts with the name a",
    );
    check(
        "part a = client.aut\n rename tke -> x, take -> y, take -> z, tau -> w\n relabel p -> q\n extra tau\n\
         hide tkae, y",
        "2:9 part a has no action tke; 2:30 take is renamed twice; 2:41 silent steps have no other name; \
         3:10 part a has no label p; 4:8 silent steps do not synchronise; \
         5:6 no part knows the action tkae; 5:12 no part knows the action y",
    );
    check(
        "part a = one.kmts\nextra x\nhide y",
        "2:7 part a is a Kripke structure, which has no actions; 3:6 no part knows the action y",
    );
}

#[test]
fn problems_of_statements() {
    check("", "1:1 the composition has no part");
    check(
        "prat a = b\npart = b\npart a b\npart a =\npart a = b c\nrename x -> y\n\"part\" a = b\nhide\nhide a b\n\
         hide \"x\npart \"\" = f\nsync a | b -> c\nsync a.b c\nsync a. -> b\nhide \"\\q\"\n= x\nsync .a -> b",
        "1:1 expected a statement, found prat; \
         2:6 expected the name of a part, found `=`; \
         3:8 expected `=`, found b; \
         4:8 expected a file after this; \
         5:12 expected the end of the line, found c; \
         6:1 `rename` belongs to the part before it, and there is none; \
         7:1 expected a statement, found part; \
         8:1 expected an action after this; \
         9:8 expected the end of the line, found b; \
         10:6 the quotes are not closed; \
         11:6 the name of a part is empty; \
         12:6 expected a part and its action, as in `part.action`; \
         13:10 expected `->`, found c; \
         14:6 expected a part and its action, as in `part.action`; \
         15:7 a backslash stands before `\"`, `\\` or `n` only; \
         16:1 expected a statement, found `=`; \
         17:6 expected a part and its action, as in `part.action`",
    );
}

#[test]
fn lists_of_the_contest() {
    check(
        r#"{"components": ["client.aut", "lock.aut"], "units": ["u1", "u2"],
            "extra_alphabet": {"lock.aut": ["t1", "t2"]}, "places": 4, "transitions": 4}"#,
        "u1 0-take->1 1-release->0; u2 0-grab->1 1-tau->1 1-drop->0 +t1 +t2; []",
    );
    check(
        r#"{"components": ["lock.aut", "lock.aut"], "units": ["u", "v"], "extra_alphabet": {"lock.aut": ["t"]}}"#,
        "u 0-grab->1 1-tau->1 1-drop->0 +t; v 0-grab->1 1-tau->1 1-drop->0 +t; []",
    );
    check(r#"{"components": ["client.aut"]}"#, "client 0-take->1 1-release->0; []");
    check("{}", "1:1 the key `components` is missing");
    let names =
        read_composition(br#"{"components": ["x/y.aut", "b/", ".c", "/"]}"#, &mut Budget::unlimited());
    assert_eq!(
        names.unwrap().parts.iter().map(|part| &*part.name.text).collect::<Vec<_>>(),
        ["y", "b", ".c", "/"]
    );
    check(r#"{"components": []}"#, "1:1 the composition has no part");
    check(
        r#"{"components": ["a", 3, "b"], "units": ["u", "u"], "extra_alphabet": {"c": [], "a": 1}}"#,
        "1:22 expected a name; 1:46 there are two processes with the name u; \
         1:71 no process is in the file c; 1:85 expected a list of names",
    );
    check(r#"{"components": ["a", "b"], "units": ["u"]}"#, "1:37 there are 2 processes and 1 names");
}

/// A random description, well-formed or not.
fn random_description(rng: &mut Rng) -> Description {
    const NAMES: [&str; 9] = ["a", "p.q", "x y", "\"", "-", "a->b", "#", "back\\slash", "line\nbreak"];
    let word = |rng: &mut Rng| LocatedWord::new(NAMES[rng.below(NAMES.len())]);
    let mut found = Description::default();
    for i in 0..=rng.below(4) {
        let name = LocatedWord::new(format!("{}{i}", NAMES[rng.below(NAMES.len())]));
        let mut part = Part::new(name, word(rng));
        part.renamed = (0..rng.below(3)).map(|_| (word(rng), word(rng))).collect();
        part.relabelled = (0..rng.below(3)).map(|_| (word(rng), word(rng))).collect();
        part.extra = (0..rng.below(30)).map(|_| word(rng)).collect();
        found.parts.push(part);
    }
    for _ in 0..rng.below(3) {
        let members = (0..=rng.below(3)).map(|_| (word(rng), word(rng))).collect();
        found.rules.push(SyncRule { members, result: word(rng) });
    }
    found.hidden = (0..rng.below(30)).map(|_| word(rng)).collect();
    found
}

/// A description without places.
fn texts(description: &Description) -> String {
    let mut text = Vec::new();
    write_composition(description, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn what_is_written_is_read_again() {
    for seed in 0..500 {
        let description = random_description(&mut Rng::new(seed));
        let text = texts(&description);
        let again = read_composition(text.as_bytes(), &mut Budget::unlimited());
        let again = again.unwrap_or_else(|stopped| panic!("{text}\n{}", problems(&text, stopped)));
        assert_eq!(texts(&again), text);
        let words = |description: &Description| -> Vec<String> {
            let pairs = |pairs: &[(LocatedWord, LocatedWord)]| {
                pairs.iter().map(|(a, b)| format!("{:?}", (&a.text, &b.text))).collect::<Vec<_>>()
            };
            let list = |words: &[LocatedWord]| words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
            let parts = description.parts.iter().flat_map(|part| {
                [
                    vec![part.name.text.clone(), part.path.text.clone()],
                    pairs(&part.renamed),
                    pairs(&part.relabelled),
                    list(&part.extra),
                ]
                .concat()
            });
            let rules = description
                .rules
                .iter()
                .flat_map(|rule| [pairs(&rule.members), vec![rule.result.text.clone()]].concat());
            parts.chain(rules).chain(list(&description.hidden)).collect()
        };
        assert_eq!(words(&again), words(&description), "{text}");
    }
}

/// Every field is replaced, removed and doubled; nothing panics, and every problem has a place in
/// the text.
#[test]
fn every_field_is_changed() {
    let (mut read, mut refused) = (0, 0);
    let json = r#"{"components": ["a", "b"], "units": ["u", "v"], "extra_alphabet": {"a": ["t1", "t2"]}}"#;
    let language = "part a = f.aut\n  rename x -> y, z -> w\n  relabel p -> q\n  extra e\npart b = g\n\
                    sync a.y | b.\"go on\" -> c\nhide c, \"d \\\" e\"\n";
    for text in [json, language] {
        for changed in common::changes(text) {
            match read_composition(changed.as_bytes(), &mut Budget::unlimited()) {
                Ok(description) => {
                    read += 1;
                    let rng = &mut Rng::new(read);
                    let processes = description.parts.iter().map(|_| random_process(rng)).collect();
                    let assembled = description.assemble(processes, &mut Budget::unlimited());
                    places(&changed, assembled.err());
                }
                Err(stopped) => {
                    refused += 1;
                    places(&changed, Some(stopped));
                }
            }
        }
    }
    assert!(read > 100 && refused > 400, "{read} {refused}");
}

fn places(text: &str, stopped: Option<Stopped>) {
    if let Some(Stopped::Wrong(problems)) = stopped {
        let within = |offset: u64| offset <= text.len() as u64;
        assert!(problems.sorted().iter().all(|problem| problem.offset.is_some_and(within)), "{text}");
    }
}

#[test]
fn limits_hold() {
    let lines: Vec<String> = (0..50_000).map(|i| format!("part part{i} = file{i}.aut")).collect();
    let text = lines.join("\n");
    let read = |mut budget: Budget| read_composition(text.as_bytes(), &mut budget).map(|_| ());
    assert!(matches!(read(Budget::steps(20_000)), Err(Stopped::Exhausted(Exhausted::Time))));
    assert!(matches!(read(Budget::new(None, Some(1 << 20))), Err(Stopped::Exhausted(Exhausted::Memory))));
    let process = process("client.aut");
    let many: Vec<String> =
        (0..200).map(|i| format!("part a{i} = client.aut\n  rename take -> t{i}")).collect();
    let description = read_composition(many.join("\n").as_bytes(), &mut Budget::unlimited()).unwrap();
    let assembled = description.assemble(vec![process; 200], &mut Budget::new(None, Some(100)));
    assert!(matches!(assembled, Err(Stopped::Exhausted(Exhausted::Memory))));
}
