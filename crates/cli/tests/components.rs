//! Processes in files: what `loris convert` and `loris generate` write is read again as the same
//! processes, and the examples are well-formed.

#![allow(clippy::unwrap_used)]

mod common;

use common::smv::{path, run};
use common::{loris, scratch, text};
use loris_base::{Budget, Rng};
use loris_lts::families::{
    Family, RandomProcesses, chain, counters, milner, philosophers, random, star, token_ring,
};
use loris_lts::{Composition, Process, ProcessKind, read_aut, read_composition, read_kmts, read_pnml};
use serde_json::{Value, json};
use std::path::Path;

/// Reads a composition with all its parts.
fn composition(file: &Path) -> Composition {
    let budget = &mut Budget::unlimited();
    let text = std::fs::read(file).unwrap();
    let description = read_composition(&text, budget).unwrap();
    let parts = description.parts.iter().map(|part| {
        let text = std::fs::read(file.with_file_name(&part.path.text)).unwrap();
        match text.first() {
            Some(b'{') => read_kmts(&text, "part", budget).unwrap(),
            _ => read_aut(&text, "part", budget).unwrap().0,
        }
    });
    let parts = parts.collect();
    description.assemble(parts, budget).unwrap()
}

/// A process as text, with actions by name and in order.
fn shown(part: &Process) -> String {
    let mut actions: Vec<&str> = part.actions().iter().collect();
    actions.sort_unstable();
    let mut text = format!("{} {:?} {actions:?}", part.name(), part.initial());
    for state in part.states() {
        let mut steps: Vec<String> = part
            .steps(state)
            .map(|step| format!("{state:?} {} {:?}", part.action_name(step.action), step.target))
            .collect();
        steps.sort_unstable();
        text += &steps.join("; ");
    }
    text
}

fn check(parts: &[Process], file: &Path) {
    let found = composition(file);
    let list = |parts: Vec<&Process>| parts.into_iter().map(shown).collect::<Vec<_>>();
    assert_eq!(list(found.processes.iter().map(AsRef::as_ref).collect()), list(parts.iter().collect()));
    assert!(found.hidden.is_empty());
}

#[test]
fn nets() {
    let folder = scratch("components_net").join("inner/gate");
    let net = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/processes/gate.pnml");
    let (out, errors, status) = run(&["convert", path(&net), path(&folder)]);
    assert_eq!((out.as_str(), errors.as_str(), status), ("", "", 0));
    let budget = &mut Budget::unlimited();
    let cut = read_pnml(&std::fs::read(&net).unwrap(), budget).unwrap().cut(false, budget).unwrap();
    assert_eq!(cut.processes.iter().map(Process::name).collect::<Vec<_>>(), ["train", "barrier", "signal"]);
    check(&cut.processes, &folder.join("composition.par"));
}

#[test]
fn problems_of_nets() {
    let folder = scratch("components_bad");
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/processes/gate.pnml"),
    );
    let text = text.unwrap();
    let check = |from: &str, to: &str, flags: &[&str], status: i32, expected: &str| {
        let (net, parts) = (folder.join("bad.pnml"), folder.join("parts"));
        assert!(text.contains(from), "{from}");
        std::fs::write(&net, text.replacen(from, to, 1)).unwrap();
        let (out, errors, found) = run(&[&["convert", path(&net), path(&parts)], flags].concat());
        assert_eq!(found, status, "{out}{errors}");
        assert!(errors.contains(expected), "{errors}");
        assert!(!parts.exists());
    };
    check("<text>1</text>", "<text>2</text>", &[], 2, "bad.pnml:5:7: error: far starts with 2 tokens");
    check(
        "target=\"approach\"",
        "target=\"aproach\"",
        &[],
        2,
        "bad.pnml:16:7: error: there is no node aproach",
    );
    check(
        "source=\"close\" target=\"lamp\"",
        "source=\"approach\" target=\"lamp\"",
        &[],
        2,
        "the unit signal holds two tokens",
    );
    check("", "", &["--memory", "1K"], 3, "the memory limit was reached");
    check("", "", &["--to", "pds"], 2, "a folder of processes");
}

/// Makes a family of this many parts.
type Make = fn(usize) -> Family;

#[test]
fn families() {
    let make: [(&str, Make); 6] = [
        ("counters", counters),
        ("token-ring", token_ring),
        ("chain", chain),
        ("star", star),
        ("philosophers", philosophers),
        ("milner", milner),
    ];
    for (name, family) in make {
        for n in [2, 5] {
            let folder = scratch(&format!("components_{name}"));
            let (_, errors, status) =
                run(&["generate", "parts", name, "--parts", &n.to_string(), "-o", path(&folder)]);
            assert_eq!((errors.as_str(), status), ("", 0));
            check(&family(n).processes, &folder.join("composition.par"));
            let properties = std::fs::read_to_string(folder.join("properties.mu")).unwrap();
            let formulas = properties.lines().filter(|line| !line.starts_with('#'));
            for formula in formulas {
                loris_logic::mu::parse(formula).unwrap();
            }
        }
    }
    for seed in ["0", "1", "2"] {
        let folder = scratch("components_random");
        let (_, errors, status) =
            run(&["generate", "parts", "random", "--shared", "6", "--seed", seed, "-o", path(&folder)]);
        assert_eq!((errors.as_str(), status), ("", 0));
        let shape = RandomProcesses { shared: 6, ..RandomProcesses::default() };
        check(
            &random(&shape, &mut Rng::new(seed.parse().unwrap())).processes,
            &folder.join("composition.par"),
        );
    }
    let (_, errors, status) = run(&["generate", "parts", "counters", "-o", "-"]);
    assert_eq!(status, 2);
    assert!(errors.contains("into a folder"), "{errors}");
}

#[test]
fn examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/processes");
    let clients = composition(&folder.join("clients.par"));
    assert_eq!(clients.hidden, ["ask1", "ask2"]);
    assert_eq!(
        clients.processes[2].actions().iter().collect::<Vec<_>>(),
        ["tau", "take1", "take2", "release1", "release2"]
    );
    let pair = composition(&folder.join("pair.par"));
    assert!(pair.processes.iter().all(|part| part.kind() == ProcessKind::Kripke && part.is_concrete()));
    let door = read_kmts(&std::fs::read(folder.join("door.kmts")).unwrap(), "door", &mut Budget::unlimited());
    assert!(!door.unwrap().is_concrete());
}

/// Evidence for a question is written and replayed.
fn replayed(name: &str, models: &[&str], question: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let models: Vec<String> = models.iter().map(|model| path(&root.join(model)).to_owned()).collect();
    let models: Vec<&str> = models.iter().map(String::as_str).collect();
    let file = scratch("components_replayed").join(name);
    let options = ["--logic", "mu", "--evidence-file", path(&file)];
    let (_, errors, status) = run(&[&["check"], &models[..], &options, question].concat());
    assert!(status == 0 || status == 1, "{errors}");
    let (out, errors, status) = run(&[&["replay"], &models[..], &[path(&file)]].concat());
    assert_eq!((status, out.starts_with("ok: ")), (0, true), "{out}{errors}");
    // the same strategy for the other verdict, whatever it is said to show
    let mut document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    document["summary"].take();
    let result = &mut document["results"][0];
    result["verdict"] = json!(if result["verdict"] == "holds" { "fails" } else { "holds" });
    let mut refusals = 0;
    while refusals < 2 {
        std::fs::write(&file, document.to_string()).unwrap();
        let (out, errors, status) = run(&[&["replay"], &models[..], &[path(&file)]].concat());
        assert_eq!((status, out.starts_with("refused: ")), (1, true), "{out}{errors}");
        if let Some((_, shows)) = out.trim_end().split_once("it should show ") {
            document["results"][0]["evidence"]["shows"] = json!(shows);
        }
        refusals += 1;
    }
}

#[test]
fn strategies_are_replayed() {
    let circuits = ["examples/processes/sender.aag", "examples/processes/receiver.aag"];
    replayed("holds.json", &circuits, &["-p", "!busy -> A G (req -> A F ack)"]);
    replayed("fails.json", &circuits, &["-p", "A G (req -> A F ack)"]);
    replayed("circuit.json", &["examples/arbiter.aag"], &["-p", "A G (req0 -> A F grant0)"]);
    replayed("smv.json", &["examples/smv/retries.smv"], &["-p", "E F \"at = gave_up\""]);
    let mcf = scratch("components_mcf").join("always.mcf");
    std::fs::write(&mcf, "% a formula of mCRL2\n[true*]<true* . take1>true && [true*]!false\n").unwrap();
    replayed("mcf.json", &["examples/processes/clients.par"], &["-f", path(&mcf)]);
}

/// Runs that refute formulas of linear time are replayed, and refused for another verdict, formula,
/// reading or run.
#[test]
fn runs_are_replayed() {
    let folder = scratch("components_runs");
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        path(&file).to_owned()
    };
    let one = write("one.aut", "des (0, 3, 3)\n(0, go, 1)\n(1, tick, 1)\n(1, halt, 2)\n");
    let two = write("two.aut", "des (0, 2, 2)\n(0, go, 1)\n(1, work, 1)\n");
    let file = path(&folder.join("runs.json")).to_owned();
    // three of four fail, one of them on a run that ends, if such runs count
    let formulas =
        ["-p", "G F tick", "-p", "go & X (work | tick | halt)", "-p", "G !halt", "-p", "F G !tick"];
    let ask = |dead_ends: &[&str]| {
        let options = ["--logic", "ltl", "-q", "--evidence-file", &file];
        let (out, errors, _) = run(&[&["check", &one, &two], &formulas[..], &options, dead_ends].concat());
        assert_eq!(errors, "");
        out.lines().map(|line| line.split_whitespace().next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let replay = || run(&["replay", &one, &two, &file]);
    for dead_ends in [&[][..], &["--dead-ends", "loop"], &["--dead-ends", "stop"]] {
        assert_eq!(ask(dead_ends), ["fails", "holds", "fails", "fails"]);
        let (out, errors, status) = replay();
        assert_eq!(
            (status, out.lines().filter(|line| line.starts_with("ok")).count()),
            (0, 3),
            "{out}{errors}"
        );
    }
    ask(&[]);
    let written = std::fs::read_to_string(&file).unwrap();
    let altered = |change: &dyn Fn(&mut Value)| {
        let mut document: Value = serde_json::from_str(&written).unwrap();
        document["summary"].take();
        document["results"] = json!([document["results"][2].clone()]);
        change(&mut document["results"][0]);
        std::fs::write(&file, document.to_string()).unwrap();
        let (out, errors, status) = replay();
        (status, format!("{out}{errors}"))
    };
    assert_eq!(altered(&|_| ()).0, 0);
    let changes: [&dyn Fn(&mut Value); 6] = [
        &|result| result["verdict"] = json!("holds"),
        &|result| result["property"] = json!("G !tick"),
        &|result| result["evidence"]["shows"] = json!("E F tick"),
        &|result| {
            let states = result["evidence"]["states"].as_array_mut().unwrap();
            states.remove(0);
        },
        &|result| {
            let states = result["evidence"]["states"].as_array_mut().unwrap();
            for state in states {
                state["values"]["(action)"] = json!("tick");
            }
        },
        &|result| {
            let states = result["evidence"]["states"].as_array_mut().unwrap();
            for state in states {
                state["values"].as_object_mut().unwrap().remove("(action)");
            }
        },
    ];
    for change in changes {
        let (status, said) = altered(change);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("refused"), "{said}");
    }
}

#[test]
fn from_one_format_to_another() {
    let folder = scratch("components_convert");
    let (json, aut) = (folder.join("client.kmts"), folder.join("client.aut"));
    let original = "examples/processes/client.aut";
    for (from, to) in [(original, path(&json)), (path(&json), path(&aut))] {
        let (out, errors, status) = run(&["convert", from, to]);
        assert_eq!((out.as_str(), errors.as_str(), status), ("", "", 0));
    }
    let budget = &mut Budget::unlimited();
    let original = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(original)).unwrap();
    let (original, _) = read_aut(&original, "client", budget).unwrap();
    let again = read_aut(&std::fs::read(&aut).unwrap(), "client", budget).unwrap().0;
    let other = read_kmts(&std::fs::read(&json).unwrap(), "x", budget).unwrap();
    assert_eq!([shown(&again), shown(&other)], [shown(&original), shown(&original)]);
    let refused = |from: &str, to: &Path, expected: &str| {
        let (_, errors, status) = run(&["convert", from, path(to)]);
        assert_eq!(status, 2);
        assert!(errors.contains(expected), "{errors}");
    };
    refused("examples/processes/door.kmts", &aut, "a Kripke structure has none");
    refused("examples/processes/door.kmts", &folder.join("door.pds"), "into a file .aut or .kmts");
}

/// Counters beyond 64 bits say so, in a way that a reader of JSON can tell.
#[test]
fn more_states_than_can_be_counted() {
    for (parts, is_saturated) in [("8", false), ("32", true)] {
        let folder = scratch(&format!("components_saturated_{parts}"));
        let folder = folder.to_str().unwrap();
        let made =
            loris(&["generate", "parts", "counters", "--parts", parts, "-o", folder]).output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        let model = format!("{folder}/composition.par");
        let call = ["check", &model, "--logic", "mu", "-p", "[true*]<true>tt", "--engine", "mdd"];
        let json = loris(&[&call[..], &["--format", "json"]].concat()).output().unwrap();
        let json: Value = serde_json::from_slice(&json.stdout).unwrap();
        let result = &json["results"][0];
        assert_eq!(result["verdict"], "holds");
        let saturated = if is_saturated { json!(["global_states"]) } else { Value::Null };
        assert_eq!(result["saturated"], saturated, "{result}");
        assert_eq!(result["global_states"] == json!(u64::MAX), is_saturated);
        let lines = loris(&[&call[..], &["-v"]].concat()).output().unwrap();
        let expected = if is_saturated { "more than 2^64 global states" } else { "390625 global states" };
        assert!(text(&lines.stdout).contains(expected), "{}", text(&lines.stdout));
    }
}
