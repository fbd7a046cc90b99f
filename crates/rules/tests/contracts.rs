//! Annotations that say who closes an object, or which lock is held, on a program of our own:
//! `bad__RULE__…` is reported by the rule, and `ok__RULE__…` is not. The class files of the
//! annotations are left out, as those of libraries mostly are.

use loris_base::Budget;
use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program};
use loris_rules::{JudgeOptions, ProgramContext, run, shipped_rules};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/contracts")
}

fn load(folder: &Path) -> Program {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "class"));
    paths.sort();
    let read = |path: PathBuf| ClassInput {
        path: path.display().to_string(),
        origin: ClassOrigin::Application,
        bytes: std::fs::read(path).expect("a readable file").into_boxed_slice(),
    };
    let loaded = Program::load(paths.into_iter().map(read).collect(), &LoadOptions::default());
    assert_eq!(loaded.problems, []);
    loaded.program
}

/// Compares what is reported with what the names of methods promise.
fn check(program: &Program) {
    let options = JudgeOptions::default();
    let outcome =
        run(&ProgramContext::new(program, &options), &shipped_rules(), &[], &mut Budget::unlimited());
    assert_eq!(outcome.undecided, []);
    let found: BTreeSet<(String, String)> =
        outcome.findings.into_iter().map(|finding| (finding.method().1.to_owned(), finding.rule)).collect();
    let (mut wrong, mut twins) = (Vec::new(), [0, 0]);
    for method in program.methods() {
        let name = program.names[program.method(method).name].to_owned();
        let mut parts = name.splitn(3, "__");
        let (Some(kind @ ("bad" | "ok")), Some(rule)) = (parts.next(), parts.next()) else { continue };
        let is_bad = kind == "bad";
        twins[usize::from(is_bad)] += 1;
        if found.contains(&(name.clone(), rule.replace('_', "-"))) != is_bad {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(twins[0] > 15 && twins[1] > 15, "{twins:?}");
}

#[test]
fn contracts_count_as_they_are_written() {
    check(&load(&programs()));
}

/// Needs: javac
#[test]
fn the_same_for_classes_compiled_anew() {
    if Command::new("javac").arg("-version").output().is_err() {
        eprintln!("SKIPPED: there is no javac here");
        return;
    }
    let folder = std::env::temp_dir().join(format!("loris-contracts-{}", std::process::id()));
    for release in ["8", "11", "17", "21", "25"] {
        let classes = folder.join(release);
        std::fs::create_dir_all(&classes).expect("a folder");
        let mut compile = Command::new("javac");
        compile.args(["-g", "-nowarn", "-Xlint:none", "--release", release, "-d"]).arg(&classes);
        let compiled = compile.arg(programs().join("Contracts.java")).output().expect("javac runs");
        if compiled.status.success() {
            check(&load(&classes));
        } else {
            eprintln!("SKIPPED: this javac does not compile for {release}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("a folder of ours");
}
