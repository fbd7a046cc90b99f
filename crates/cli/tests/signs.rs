//! What help texts, the README and `docs/` state about models, engines, limitations, flags, JSON
//! and exit status is what the program does.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use loris_check::{ENGINES, EngineName, Logic, ModelKind};
use loris_load::FORMATS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

/// Standard output, standard error and the exit status.
fn run(arguments: &[&str]) -> (String, String, i32) {
    let output = loris(arguments).output().unwrap();
    (text(&output.stdout).to_owned(), text(&output.stderr).to_owned(), output.status.code().unwrap())
}

/// A file with this content.
fn file(name: &str, content: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("signs");
    fs::create_dir_all(&path).unwrap();
    let path = path.join(name);
    fs::write(&path, content).unwrap();
    path.display().to_string()
}

const SMV: &str = "MODULE main\nVAR p : boolean;\nASSIGN init(p) := TRUE; next(p) := !p;\n";
const MACHINE: &str = r#"{"initial_component": "m", "components": [{"name": "m", "boxes": [], "nodes": [
    {"name": "s", "is_entry": true, "labels": ["p"]}, {"name": "t", "is_exit": true}],
    "transitions": [{"source": {"name": "s"}, "targets": [{"name": "s"}, {"name": "t"}]}]}]}"#;

#[test]
fn every_format_is_named() {
    let (_, errors, status) = run(&["check", &file("model.unknown", "what is this"), "-p", "p"]);
    assert_eq!(status, 2);
    let listed = errors.split("--model-format: ").nth(1).unwrap_or_else(|| panic!("{errors}"));
    let listed: Vec<&str> = listed.trim().split([',', ' ']).filter(|word| !word.is_empty()).collect();
    let (readme, formats) = (page("README.md"), page("docs/formats.md"));
    for (name, _, about) in FORMATS {
        assert!(listed.contains(&name), "{name}: {errors}");
        let endings = about.rsplit(": ").next().unwrap().split(", ");
        for ending in endings.filter(|ending| ending.contains('.')) {
            let written = format!("`{ending}`");
            assert!(formats.contains(&written) && readme.contains(&written), "{ending}");
        }
    }
}

/// Every engine takes the logics and the models that its row states, and refuses the others.
#[test]
fn engines_take_what_is_listed() {
    let (machine, smv) = (file("machine.rsm", MACHINE), file("model.smv", SMV));
    let (circuit, clients) = ("examples/arbiter.aag", "examples/processes/clients.par");
    let automaton =
        "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[t] 0\n--END--\n";
    let automaton = file("all.hoa", automaton);
    let models: [(&str, &[ModelKind], &str); 4] = [
        (&machine, &[ModelKind::Machines], "p"),
        (&smv, &[ModelKind::Machines, ModelKind::Systems], "p"),
        (circuit, &[ModelKind::Systems], "ack0"),
        (clients, &[ModelKind::Processes], "<work1>tt"),
    ];
    let logics = [
        (Logic::Ctl, "A G p"),
        (Logic::Ltl, "F G p"),
        (Logic::Star, "A F G p"),
        (Logic::Mu, "nu X. []X & (p | !p)"),
        (Logic::Automaton, ""),
    ];
    for row in &ENGINES {
        for (model, kinds, atom) in models {
            for (logic, formula) in logics {
                // in linear time, actions are atoms
                let atom = if logic == Logic::Ltl { atom.trim_matches(['<', '>', 't']) } else { atom };
                let formula = formula.replace('p', atom);
                let mut arguments = vec!["check", model, "--engine", row.name, "-q"];
                if logic == Logic::Automaton {
                    arguments.extend(["--automaton", &automaton]);
                } else {
                    arguments.extend(["--logic", logic.name(), "-p", &formula]);
                }
                let (output, errors, status) = run(&arguments);
                // in mu, these are processes of states
                let is_process = logic == Logic::Mu && (model == smv || model == circuit);
                let takes = if is_process {
                    matches!(
                        row.engine,
                        EngineName::Game | EngineName::Compositional | EngineName::Mdd | EngineName::Relevant
                    )
                } else {
                    kinds.contains(&row.models) && row.logics.contains(&logic)
                };
                let decided = output.starts_with("holds") || output.starts_with("fails");
                assert_eq!(decided, takes, "{arguments:?}: {output}{errors}");
                assert_eq!(status == 2, !takes, "{arguments:?}: {output}{errors}");
            }
        }
    }
    let (listed, _, _) = run(&["check", "--engine", "help"]);
    for row in &ENGINES {
        let line = listed.lines().find(|line| line.split_whitespace().next() == Some(row.name)).unwrap();
        assert!(line.contains(row.models.words()), "{line}");
        assert!(row.logics.iter().all(|logic| line.contains(logic.name())), "{line}");
    }
}

/// The table of engines in `docs/engines.md` is the table of the program.
#[test]
fn engines_are_documented() {
    let mut rows = String::from(
        "| engine | models | logics | fairness | needs | evidence |\n|---|---|---|---|---|---|\n",
    );
    for row in &ENGINES {
        let logics: Vec<String> = row.logics.iter().map(|logic| logic.name().replace('*', "\\*")).collect();
        let fairness = if row.fairness { "yes" } else { "" };
        let (needs, evidence) = (row.needs.unwrap_or_default(), row.evidence);
        let (name, models, logics) = (row.name, row.models.words(), logics.join(", "));
        let row = format!("| `{name}` | {models} | {logics} | {fairness} | {needs} | {evidence} |\n");
        rows.push_str(&row);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines.md");
    let (begin, end) = ("<!-- begin engines -->\n\n", "\n<!-- end engines -->");
    let text = page("docs/engines.md");
    let (before, rest) = text.split_once(begin).unwrap();
    let (found, after) = rest.split_once(end).unwrap();
    if loris_testing::blesses() {
        return fs::write(path, [before, begin, &rows, end, after].concat()).unwrap();
    }
    assert_eq!(found, rows, "LORIS_BLESS=1 writes the table anew");
}

/// The title of a limitation, a command, and a part of its output.
type Shown<'a> = (&'a str, Vec<&'a str>, &'a str);

/// Each limitation that the README lists, by its title, with commands that show it.
#[test]
fn limitations_are_refused() {
    let fin = "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 2 Fin(0) & Inf(1)\n--BODY--\nState: 0 {1}\n[t] 0\n--END--\n";
    let alternating =
        fin.replace("Start: 0", "Start: 0&0").replace("2 Fin(0) & Inf(1)", "1 Inf(0)").replace("{1}", "{0}");
    let plain = fin.replace("2 Fin(0) & Inf(1)", "1 Inf(0)").replace("{1}", "{0}");
    let (fin, alternating, plain) =
        (file("fin.hoa", fin), file("alternating.hoa", &alternating), file("plain.hoa", &plain));
    let back =
        file("back.pdmu", "Rules:\ncsinit # -> q main #;\nq main -> q main;\nMu Property:\nmu Z. p | ~<>Z\n");
    let fair = "FAIRNESS is not supported together with `CALL` and `EXIT`";
    let calls =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/smv/fig2_5.smv"))
            .unwrap();
    let calls = file("calls.smv", &format!("{calls}\nFAIRNESS TRUE\n"));
    let (lock, semaphore) = ("examples/lock.pds", "examples/smv/semaphore.smv");
    let (clients, arbiter) = ("examples/processes/clients.par", "examples/arbiter.aag");
    let mu = |model| vec!["check", model, "--logic", "mu", "-p", "nu X. []X", "--evidence"];
    let shown: Vec<Shown<'_>> = vec![
        ("The mu-calculus", mu(semaphore), "a model with fairness conditions cannot be used as a process"),
        (
            "The mu-calculus",
            mu("examples/smv/fig2_5.smv"),
            "a machine with calls cannot be used as a process",
        ),
        ("The mu-calculus", vec!["check", &back], "modalities that go backwards are not supported"),
        ("Parallel processes", vec!["check", clients, "--logic", "ctl*", "-p", "A G F true"], "not for ctl*"),
        (
            "Parallel processes",
            vec!["check", clients, "--automaton", &plain],
            "automata cannot be checked against parallel processes",
        ),
        (
            "Parallel processes",
            vec!["check", "examples/fig3.rsm", "examples/channel.aut", "-p", "A G true"],
            "a machine with calls cannot be used as a process",
        ),
        ("Circuits", vec!["check", arbiter, "--logic", "ctl*", "-p", "A G F ack0"], "is not of that kind"),
        ("Circuits", vec!["check", arbiter, "--automaton", &plain], "engine bdd is for ctl and ltl"),
        (
            "SMV models with calls",
            vec!["check", "examples/smv/fig2_5.smv", "--engine", "bdd", "-p", "AG TRUE"],
            "SMV models without calls",
        ),
        ("SMV models with calls", vec!["check", &calls], fair),
        ("Other automata", vec!["check", lock, "--automaton", &fin], "`Fin` is not supported"),
        ("Other automata", vec!["check", lock, "--automaton", &alternating], "alternating automata"),
        ("Other automata", vec!["check", semaphore, "--automaton", &plain], "automata are about all runs"),
        (
            "Other automata",
            vec!["check", lock, "--logic", "ltl", "-p", "G (Y acquire)"],
            "expected an operator",
        ),
        (
            "Java programs",
            vec!["java", "examples/java/Notes.java"],
            "this is neither a class file nor an archive",
        ),
    ];
    for (title, arguments, expected) in &shown {
        let (output, errors, _) = run(arguments);
        assert!(format!("{output}{errors}").contains(expected), "{title}: {arguments:?}: {output}{errors}");
    }
    let readme = page("README.md");
    let section = readme.split("## Limitations").nth(1).unwrap().split("\n## ").next().unwrap();
    let listed = section.split("\n- **").skip(1).map(|item| item.split("**").next().unwrap());
    let listed: BTreeSet<&str> = listed.collect();
    assert_eq!(listed, shown.iter().map(|(title, ..)| *title).collect());
}

/// All keys, except those of `values`, which are names of the model.
fn keys(value: &serde_json::Value, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                if key != "values" {
                    keys(value, found);
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

#[test]
fn json_keys_are_documented() {
    let (arbiter, clients, notes) =
        ("examples/arbiter.aag", "examples/processes/clients.par", "examples/java/Notes.class");
    let properties = "examples/processes/clients.mu";
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["check", "examples/dataflow.rsm", "-f", "examples/dataflow.ctl", "--evidence"],
        vec!["check", "examples/lock.pds", "--evidence"],
        vec!["check", "examples/lock.pds", "--logic", "mu", "-p", "mu X. acquire | <>X", "--evidence"],
        vec!["check", "examples/file.rsm", "--with", "examples/file.hoa", "-p", "A G !wrong", "--evidence"],
        vec!["check", "examples/smv/semaphore.smv", "--evidence"],
        vec!["check", "examples/smv/semaphore.smv", "--evidence", "--engine", "bdd"],
        vec!["check", "examples/smv/counter.smv", "--max-states", "1"],
        vec!["check", "examples/smv/fig3_1.smv", "--engine", "rks-eager", "--explain"],
        vec!["check", arbiter, "-f", "examples/arbiter.ctl", "--expect", "--evidence"],
        vec!["check", arbiter, "--logic", "ltl", "-p", "G F ack0", "--evidence"],
        vec!["check", clients, "--logic", "mu", "-f", properties, "--evidence"],
        vec!["check", notes, "-p", "A G true", "--evidence"],
        vec!["reach", "examples/file.rsm", "--from", "copy/line", "--to", "close", "--all"],
        vec!["reach", arbiter, "--to", "ack0"],
        vec!["reach", "examples/smv/counter.smv", "--to", "TRUE"],
        vec!["info", arbiter],
        vec!["info", notes],
        vec!["info", clients],
        vec!["info", "examples/fig3.rsm"],
        vec!["info", "examples/smv/semaphore.smv"],
        vec!["java", notes],
        vec!["labels", notes],
        vec!["solve", "examples/service.pg"],
    ];
    for engine in ["omg", "pdr", "bmc", "bdd"] {
        commands.push(vec!["check", arbiter, "-p", "A G !(ack0 & ack1)", "--evidence", "--engine", engine]);
    }
    for engine in ["game", "compositional", "mdd", "relevant"] {
        commands.push(vec![
            "check",
            clients,
            "--logic",
            "mu",
            "-f",
            properties,
            "--compare",
            "--engine",
            engine,
        ]);
    }
    let pages = ["docs/formats.md", "docs/java.md", "docs/games.md"].map(page).concat();
    let mut found = BTreeSet::new();
    for command in &mut commands {
        command.extend(["--format", "json"]);
        let (output, errors, _) = run(command);
        let value =
            serde_json::from_str(&output).unwrap_or_else(|why| panic!("{command:?}: {why}\n{errors}"));
        keys(&value, &mut found);
    }
    assert!(found.len() > 100, "{found:?}");
    // the number of each player
    let missing = found.iter().filter(|key| !["0", "1"].contains(&key.as_str()));
    let missing: Vec<&String> = missing.filter(|key| !pages.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn exit_status() {
    let folder = scratch("exit_status");
    let solution = folder.join("solution").display().to_string();
    let notes = "examples/java/Notes.class";
    let check = |arguments: &[&str], expected: i32| {
        let (output, errors, status) = run(arguments);
        assert_eq!(status, expected, "{arguments:?}: {output}{errors}");
    };
    check(&["java", notes], 1);
    check(&["java", notes, "--rules", "dead-store"], 0);
    check(&["java", "examples/lock.pds"], 2);
    check(&["java", notes, "--rules", "unused-field", "--timeout", "0"], 3);
    check(&["labels", notes, "call *"], 0);
    check(&["labels", notes, "call nothing.*"], 1);
    check(&["labels", "examples/lock.pds"], 2);
    check(&["solve", "examples/service.pg", "--solution", &solution], 0);
    check(&["solve", "examples/service.pg", "--verify", &solution], 0);
    let right = fs::read_to_string(&solution).unwrap();
    let lines = right.lines().map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
        [node, winner, ..] if winner.trim_end_matches(';') == "0" => format!("{node} 1;"),
        _ => line.to_owned(),
    });
    fs::write(&solution, lines.collect::<Vec<_>>().join("\n")).unwrap();
    check(&["solve", "examples/service.pg", "--verify", &solution], 1);
    check(&["solve", "examples/service.pg", "--verify", "examples/service.pg"], 2);
    check(&["check", "examples/arbiter.aag", "-f", "examples/arbiter.ctl", "--expect"], 0);
    check(&["check", "examples/arbiter.aag", "-f", "examples/arbiter.ctl"], 1);
}

/// The flags in a text.
fn flags(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_lowercase() && c != '-');
    words.filter(|word| word.len() > 3 && word.starts_with("--") && !word.ends_with('-')).collect()
}

/// The flags in the help of a command and of those below it.
fn known_flags(command: &[&str], found: &mut BTreeSet<String>) {
    let (help, errors, _) = run(&[command, &["--help"]].concat());
    assert!(errors.is_empty(), "{command:?}: {errors}");
    found.extend(flags(&help).into_iter().map(str::to_owned));
    let below =
        help.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    let below = below.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for name in below.filter(|name| !name.is_empty() && *name != "help") {
        known_flags(&[command, &[name]].concat(), found);
    }
}

/// The flags of other programs that pages show, and one that editors pass and nobody reads.
const OTHER_FLAGS: [&str; 8] =
    ["--features", "--path", "--release", "--target", "--workspace", "--quick", "--gba", "--stdio"];

#[test]
fn flags_in_pages_exist() {
    let mut known: BTreeSet<String> = OTHER_FLAGS.map(str::to_owned).into();
    known_flags(&[], &mut known);
    assert!(known.len() > 100, "{known:?}");
    let docs = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")).unwrap();
    let paths = docs
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"));
    let names = paths.map(|path| format!("docs/{}", path.file_name().unwrap().display()));
    for name in names.chain(["README.md".to_owned(), "examples/README.md".to_owned()]) {
        let text = page(&name);
        let unknown: Vec<&str> = flags(&text).into_iter().filter(|flag| !known.contains(*flag)).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
    }
}
