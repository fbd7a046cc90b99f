//! A model says the same in every format: verdicts survive every conversion.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use std::path::{Path, PathBuf};
use std::process::Command;

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What the program prints, which must not end in an error.
fn printed(arguments: &[&str]) -> String {
    let output = loris(arguments).output().unwrap();
    let status = output.status.code();
    assert!(matches!(status, Some(0 | 1)), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Verdicts of all properties of a file. Notes are left out: that a premise never holds is noted
/// where no node satisfies it, and formats differ in the unreachable nodes that they keep.
fn verdicts(model: &Path, logic: &str, properties: &Path) -> String {
    let (model, properties) = (path(model), path(properties));
    let always = ["--unknown-atoms", "false", "--dead-ends", "loop", "-q"];
    let mut arguments = vec!["check", model, "--logic", logic, "-f", properties];
    arguments.extend(always);
    let lines = printed(&arguments);
    let verdicts = lines.lines().map(|line| match line.rfind("  (") {
        Some(at) if line.ends_with("vacuously)") => &line[..at],
        _ => line,
    });
    verdicts.collect::<Vec<_>>().join("\n")
}

/// Random formulas of each logic over some labels.
fn formulas(folder: &Path, labels: [&str; 2]) -> Vec<(&'static str, PathBuf)> {
    [("ctl", "ctl"), ("ltl", "ltl"), ("ctlstar", "ctl*")]
        .map(|(kind, logic)| {
            let file = folder.join(kind);
            let target = ["-o", path(&file), "--count", "40", "--seed", "3"];
            let atoms = ["--atom", labels[0], "--atom", labels[1]];
            printed(&[&["generate", kind][..], &target, &atoms].concat());
            (logic, file)
        })
        .to_vec()
}

#[test]
fn verdicts_survive_the_way_through_pushdown_systems() {
    let folder = scratch("round_trips");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut models = vec![
        (root.join("examples/fig3.rsm"), ["gray", "white"]),
        (root.join("examples/dataflow.rsm"), ["def_i", "use_i"]),
        (root.join("crates/cli/tests/models/lock.pds"), ["locked", "done"]),
        (root.join("crates/cli/tests/models/lock.pdmu"), ["def_x", "done"]),
    ];
    for seed in 1..=5 {
        let file = folder.join(format!("random{seed}.rsm"));
        printed(&["generate", "rsm", "--paper", "3", "--seed", &seed.to_string(), "-o", path(&file)]);
        models.push((file, ["a", "b"]));
    }
    for (model, labels) in models {
        let [there, back, again] = ["there.pds", "back.rsm", "again.pds"].map(|name| folder.join(name));
        for (from, to) in [(&model, &there), (&there, &back), (&back, &again)] {
            printed(&["convert", path(from), path(to)]);
        }
        for (logic, properties) in formulas(&folder, labels) {
            let expected = verdicts(&model, logic, &properties);
            assert_eq!(expected.lines().count(), 40);
            for other in [&there, &back, &again] {
                assert_eq!(verdicts(other, logic, &properties), expected, "{} {logic}", other.display());
            }
        }
    }
}

#[test]
fn properties_go_along_where_there_is_a_place_for_them() {
    let folder = scratch("carried");
    let (there, back) = (folder.join("there.pds"), folder.join("back.pds"));
    for model in ["crates/cli/tests/models/lock.pds", "crates/cli/tests/models/lock.pdmu"] {
        printed(&["convert", model, path(&there)]);
        printed(&["convert", path(&there), path(&back)]);
        let check = |model| printed(&["check", model, "-q", "--unknown-atoms", "false"]);
        assert_eq!(check(path(&there)), check(model));
        assert_eq!(std::fs::read(&there).unwrap(), std::fs::read(&back).unwrap());
    }
}

/// Of circuits, ASCII and binary files say the same, and what was written once is written again to
/// the letter.
#[test]
fn circuits_have_the_same_verdicts_in_both_formats() {
    let folder = scratch("aiger");
    let all = folder.join("all.aag");
    // resets of all kinds, an output, a bad state, a constraint, a justice property, fairness,
    // symbols
    let text = "aag 8 2 3 1 3 1 1 1 1\n2\n4\n6 12\n8 10 1\n10 14 10\n16\n12\n5\n2\n6\n9\n8\n12 7 2\n14 8 4\n\
        16 13 15\ni1 go\nl0 a b\no0 out\nb0 bad\nc0 always\nj0 just\nf0 fair\nc\na comment\n";
    std::fs::write(&all, text).unwrap();
    for (model, properties) in [
        ("examples/arbiter.aag", &["-f", "examples/arbiter.ctl"][..]),
        (path(&all), &["-p", "E F out", "-p", "A G !bad", "-p", "A G E F \"a b\"", "-p", "A F l2"]),
    ] {
        let file = |name: &str| folder.join(name);
        let files = [file("1.aig"), file("2.aag"), file("3.aig"), file("4.aag")];
        let mut from = model;
        for to in &files {
            assert_eq!(printed(&["convert", from, path(to)]), "");
            from = path(to);
        }
        let bytes = |at: usize| std::fs::read(&files[at]).unwrap();
        assert!(bytes(0).starts_with(b"aig ") && bytes(1).starts_with(b"aag "));
        assert_eq!((bytes(0), bytes(1)), (bytes(2), bytes(3)));
        let check = |model| printed(&[&["check", model, "-q"], properties].concat());
        let facts = |model| printed(&["info", model]).split_once('\n').unwrap().1.to_owned();
        for file in &files {
            assert_eq!(check(path(file)), check(model));
            assert_eq!(facts(path(file)), facts(model));
        }
    }
}

/// Needs: ../shared/benchmarks/java-usedef, unzip
#[test]
fn java_programs_have_the_same_verdicts_in_all_formats() {
    let Some(archives) = loris_testing::benchmarks("java-usedef") else { return };
    for program in ["dataflow", "avroraReg", "avroraELF", "fop2pdf"] {
        let folder = scratch(program);
        let archive = archives.join(program).with_extension("zip");
        let unzip = Command::new("unzip").args(["-q", path(&archive), "-d", path(&folder)]).output();
        if !unzip.is_ok_and(|output| output.status.success()) {
            eprintln!("SKIPPED: {} cannot be unpacked", archive.display());
            continue;
        }
        let file = |extension: &str| {
            let name = format!("{program}{extension}");
            let found = [folder.join(&name), folder.join(program).join(&name)];
            found.into_iter().find(|file| file.exists()).unwrap()
        };
        let properties = file("_usedef.ctl");
        let expected = verdicts(&file(".rsm"), "ctl", &properties);
        assert!(expected.lines().count() > 1);
        for extension in [".pds", ".pdmu"] {
            let found = verdicts(&file(extension), "ctl", &properties);
            assert!(found == expected, "{program}{extension}");
        }
        let carried = printed(&["check", path(&file(".pdmu")), "-q", "--dead-ends", "loop"]);
        let single = verdicts(&file(".rsm"), "ctl", &file("_single_usedef.ctl"));
        let verdict = |text: &str| text.split_whitespace().next().unwrap().to_owned();
        assert_eq!(verdict(&carried), verdict(&single), "{program}");
    }
}
