//! Rules about objects on small programs of our own: `bad__RULE__…` is reported by the rule, and
//! `ok__RULE__…` is not. The class files are in the repository; where `javac` is there, the sources
//! are compiled anew, for several versions of class files.

use loris_base::Budget;
use loris_findings::{Finding, Importance};
use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program};
use loris_rules::{JudgeOptions, ProgramContext, run, shipped_rules};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

fn load(folder: &Path) -> Program {
    let mut inputs = Vec::new();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "class")) {
        let bytes = std::fs::read(path).expect("a readable file").into_boxed_slice();
        inputs.push(ClassInput { path: path.display().to_string(), origin: ClassOrigin::Application, bytes });
    }
    let loaded = Program::load(inputs, &LoadOptions::default());
    assert_eq!(loaded.problems, []);
    loaded.program
}

fn findings(program: &Program) -> Vec<Finding> {
    let options = JudgeOptions::default();
    let outcome =
        run(&ProgramContext::new(program, &options), &shipped_rules(), &[], &mut Budget::unlimited());
    assert_eq!(outcome.undecided, []);
    outcome.findings
}

/// Compares what is reported with what the names of methods promise.
fn check(program: &Program) {
    let found: BTreeSet<(String, String)> =
        findings(program).into_iter().map(|finding| (finding.method().1.to_owned(), finding.rule)).collect();
    let mut wrong = Vec::new();
    let (mut bad, mut rules) = (0, BTreeSet::new());
    for method in program.methods() {
        let name = program.names[program.method(method).name].to_owned();
        let mut parts = name.splitn(3, "__");
        let (Some(kind @ ("bad" | "ok")), Some(rule)) = (parts.next(), parts.next()) else { continue };
        let rule = rule.replace('_', "-");
        bad += usize::from(kind == "bad");
        if found.contains(&(name.clone(), rule.clone())) != (kind == "bad") {
            wrong.push(name);
        }
        rules.insert(rule);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(bad > 35 && rules.len() > 20, "{bad} {rules:?}");
    let known: BTreeSet<String> = shipped_rules().into_iter().map(|rule| rule.info.id).collect();
    assert!(rules.is_subset(&known), "{rules:?}");
}

#[test]
fn bad_methods_are_reported_and_good_ones_are_not() {
    check(&load(&programs().join("classes")));
}

/// Needs: javac
#[test]
fn the_same_for_classes_compiled_anew() {
    if Command::new("javac").arg("-version").output().is_err() {
        eprintln!("SKIPPED: there is no javac here");
        return;
    }
    let folder = std::env::temp_dir().join(format!("loris-objects-{}", std::process::id()));
    for release in ["8", "11", "17", "21", "25"] {
        let classes = folder.join(release);
        std::fs::create_dir_all(&classes).unwrap();
        let mut compile = Command::new("javac");
        compile.args(["-g", "-nowarn", "-Xlint:none", "--release", release, "-sourcepath"]);
        compile.arg(programs().join("stubs")).arg("-d").arg(&classes);
        for program in ["Helpers", "Leaks", "Locks", "Paths", "Protocols"] {
            compile.arg(programs().join(format!("{program}.java")));
        }
        if compile.output().unwrap().status.success() {
            check(&load(&classes));
        } else {
            eprintln!("SKIPPED: this javac does not compile for {release}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn findings_tell_their_story() {
    let program = load(&programs().join("classes"));
    let found = findings(&program);
    let mut leaks = found.iter().filter(|finding| finding.rule == "leak");
    let finding = leaks.find(|finding| finding.method().1 == "bad__leak__helperClosesAnother").unwrap();
    assert_eq!(finding.message, "This FileInputStream is not closed on some path");
    let trace = &finding.traces[0];
    let steps = trace.steps.iter().enumerate().filter(|(_, step)| step.importance == Importance::Essential);
    let texts: Vec<(usize, &str)> = steps.map(|(at, step)| (trace.depth(at), &*step.text)).collect();
    assert_eq!(texts, [(0, "it is created"), (0, "the method is left")]);
    // the same on every run, whatever the threads do
    assert_eq!(findings(&program), found);
}

/// Who waits for a condition holds its lock before and after: `await` acquires it and keeps it.
#[test]
fn waiting_for_a_condition_keeps_the_lock() {
    let found = findings(&load(&programs().join("classes")));
    assert!(found.iter().any(|finding| finding.class() == "Locks$Handed"));
    assert!(found.iter().all(|finding| finding.class() != "Locks$Waiting"));
}

/// Twelve patterns of resources with a good and a bad twin each, which are not in the repository.
///
/// Needs: ../shared/benchmarks/java-mustnot
/// Needs: javac
#[test]
fn no_good_twin_is_reported_and_every_bad_one_is() {
    let Some(folder) = loris_testing::benchmarks("java-mustnot") else { return };
    let (source, table) = (folder.join("MustNotFlag.java"), folder.join("expectations.tsv"));
    let table = std::fs::read_to_string(table).unwrap();
    let classes = std::env::temp_dir().join(format!("loris-mustnot-{}", std::process::id()));
    for (compiler, options) in [
        ("javac", &["--release", "8"][..]),
        ("javac", &["--release", "11"]),
        ("javac", &["--release", "17"]),
        ("javac", &["--release", "25"]),
        ("ecj", &["-source", "8", "-target", "8"]),
        ("ecj", &["-source", "17", "-target", "17"]),
    ] {
        let _ = std::fs::remove_dir_all(&classes);
        std::fs::create_dir_all(&classes).unwrap();
        let compiled = Command::new(compiler)
            .args(options)
            .args(["-g", "-nowarn", "-d"])
            .arg(&classes)
            .arg(&source)
            .output();
        if !compiled.is_ok_and(|output| output.status.success()) {
            eprintln!("SKIPPED: {compiler} {options:?} is not here");
            continue;
        }
        let found = findings(&load(&classes.join("mustnot")));
        let mut rows = 0;
        for row in table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>()) {
            let (verdict, paths, method) = (row[4], row[5], row[7]);
            let reported = found.iter().any(|finding| {
                finding.method().1 == method
                    && (finding.rule == "leak" || (finding.rule == "leak-on-exception" && paths == "all"))
            });
            assert_eq!(reported, verdict == "bad", "{compiler} {options:?} {method}");
            rows += 1;
        }
        assert_eq!(rows, 27);
    }
    let _ = std::fs::remove_dir_all(&classes);
}

/// Class files with wrong bytes are refused or judged, and nothing panics.
#[test]
fn damaged_classes_are_judged_without_a_panic() {
    let folder = programs().join("classes");
    let mut judged = 0;
    for name in ["Leaks.class", "Protocols.class", "Locks.class"] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        // a stride that is prime to the sizes of structures, and several kinds of damage
        for (round, at) in (0..bytes.len()).step_by(97).enumerate() {
            let mut damaged = bytes.clone();
            damaged[at] = match round % 4 {
                0 => damaged[at] ^ 1,
                1 => damaged[at].wrapping_add(7),
                2 => 0,
                _ => !damaged[at],
            };
            let input = ClassInput {
                path: name.to_owned(),
                origin: ClassOrigin::Application,
                bytes: damaged.into_boxed_slice(),
            };
            let loaded = Program::load(vec![input], &LoadOptions::default());
            let options = JudgeOptions::default();
            let outcome = run(
                &ProgramContext::new(&loaded.program, &options),
                &shipped_rules(),
                &[],
                &mut Budget::unlimited(),
            );
            assert_eq!(outcome.undecided, []);
            judged += usize::from(loaded.problems.is_empty());
        }
    }
    assert!(judged > 100, "{judged}");
}

/// A method in which an object has more states than are followed is named; the rule goes on.
///
/// Needs: javac
#[test]
fn a_site_with_too_many_states_is_named_and_the_rule_goes_on() {
    if Command::new("javac").arg("-version").output().is_err() {
        eprintln!("SKIPPED: there is no javac here");
        return;
    }
    // eight flags are known, and asked for once more at the end: every step between has 2^8 states
    let each = |text: &str| (0..8).map(|n| text.replace('#', &n.to_string())).collect::<String>();
    let source = format!(
        "class Large {{
            static native boolean ask(int n);
            static void large(java.io.File f) throws java.io.IOException {{
                {}
                java.io.InputStream in = new java.io.FileInputStream(f);
                {asked} {} {asked}
                in.close();
            }}
            static void small(java.io.File f) throws java.io.IOException {{
                new java.io.FileInputStream(f).read();
            }}
        }}",
        each("boolean b# = ask(#);\n"),
        "ask(9);\n".repeat(100),
        asked = each("if (b#) ask(#);\n"),
    );
    let folder = std::env::temp_dir().join(format!("loris-large-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("Large.java");
    std::fs::write(&file, source).unwrap();
    assert!(Command::new("javac").arg("-g").arg(&file).status().unwrap().success());
    let program = load(&folder);
    std::fs::remove_dir_all(&folder).unwrap();
    let rules: Vec<_> = shipped_rules().into_iter().filter(|rule| rule.info.id == "leak").collect();
    let options = JudgeOptions::default();
    let outcome = run(&ProgramContext::new(&program, &options), &rules, &[], &mut Budget::unlimited());
    let [left] = &outcome.undecided[..] else { panic!("{:?}", outcome.undecided) };
    assert_eq!((&*left.rule, &left.methods[..]), ("leak", &["Large.large".to_owned()][..]));
    assert_eq!(left.reason, "an object there has too many states to be followed");
    let [finding] = &outcome.findings[..] else { panic!("{:?}", outcome.findings) };
    assert_eq!(finding.method().1, "small");
}
