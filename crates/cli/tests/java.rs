//! `loris java`: what is read, what is refused, and limits.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const CLASSES: &str = "crates/rules/tests/programs/classes";

/// What the program prints, all of it, and its exit status.
fn run(arguments: &[&str]) -> (String, i32) {
    let output = loris(arguments).output().unwrap();
    (format!("{}{}", text(&output.stdout), text(&output.stderr)), output.status.code().unwrap())
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Writes a jar of class files of the test programs.
fn jar(file: &Path, classes: &[String]) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut writer = ZipWriter::new(std::fs::File::create(file).unwrap());
    for class in classes {
        writer.start_file(format!("{class}.class"), SimpleFileOptions::default()).unwrap();
        let found =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(CLASSES).join(format!("{class}.class"));
        writer.write_all(&std::fs::read(found).unwrap()).unwrap();
    }
    writer.finish().unwrap();
}

/// A class of the tests' programs and those nested in it.
fn with_nested(class: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(CLASSES);
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut classes: Vec<String> =
        files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    classes
        .retain(|name| name.strip_prefix(class).is_some_and(|rest| rest.is_empty() || rest.starts_with('$')));
    classes.sort();
    classes
}

/// Findings without the counts.
fn findings(printed: &str) -> Vec<String> {
    printed.lines().filter(|line| line.contains("] in ")).map(str::to_owned).collect()
}

#[test]
fn folders_of_jars_and_classes_are_read() {
    let folder = scratch("java_folders");
    jar(&folder.join("app/lib/locks.jar"), &with_nested("Locks"));
    jar(&folder.join("app/leaks.jar"), &with_nested("Leaks"));
    let single = ["Protocols", "Dataflow", "Paths", "Helpers"].into_iter().flat_map(with_nested);
    for class in single {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(CLASSES);
        std::fs::copy(from.join(format!("{class}.class")), folder.join("app").join(format!("{class}.class")))
            .unwrap();
    }
    let (expected, status) = run(&["java", CLASSES, "-q"]);
    assert_eq!(status, 1, "{expected}");
    let app = folder.join("app");
    let (printed, status) = run(&["java", path(&app), "-q"]);
    assert_eq!((findings(&printed), status), (findings(&expected), 1), "{printed}");
    // of a folder of libraries nothing is reported
    let dataflow = app.join("Dataflow.class");
    let (printed, status) = run(&["java", path(&dataflow), "--library", path(&app.join("lib"))]);
    assert_eq!(status, 0, "{printed}");
    let (printed, _) =
        run(&["java", path(&dataflow), "--library", path(&app.join("lib")), "--format", "json"]);
    let classes = format!("\"library_classes\": {}", with_nested("Locks").len());
    assert!(printed.contains(&classes), "{printed}");
    let empty = folder.join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    // as `loris info` reports it
    let (printed, status) = run(&["java", path(&empty)]);
    assert!(status == 2 && printed.contains("there are no class files in it"), "{printed}");
    assert_eq!((printed, status), run(&["info", path(&empty)]));
    let count = |command: &str, key: &str| {
        let (printed, _) = run(&[command, path(&app), "--format", "json"]);
        let document: Value = serde_json::from_str(&printed).unwrap();
        document[key]["classes"].as_u64().unwrap()
    };
    let all = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(CLASSES)).unwrap();
    let all = all.count() as u64;
    assert_eq!((count("java", "program"), count("info", "model")), (all, all));
}

/// As `loris check` says it.
#[test]
fn a_label_that_the_program_does_not_have_is_an_error() {
    let property = "E F (\"def Dataflow.jj\" & E X \"use Dataflow.j\")";
    let program = "crates/rules/tests/programs/classes/Dataflow.class";
    let (checked, status) = run(&["check", program, "-p", property]);
    assert_eq!(status, 2, "{checked}");
    assert!(checked.contains("did you mean \"def Dataflow.j\"?"), "{checked}");
    let judged = run(&["java", program, "-p", property]);
    assert_eq!(judged, (checked, 2));
    let (printed, status) = run(&["java", program, "-p", "E F \"use Dataflow.j\"", "-p", property]);
    assert!(status == 2 && printed.contains("no node is labelled"), "{printed}");
}

/// A baseline that was written with some rules fits a call with others.
#[test]
fn baselines_do_not_depend_on_rules() {
    let folder = scratch("java_baselines");
    let (all, some) = (folder.join("all"), folder.join("some"));
    run(&["java", CLASSES, "-q", "--write-baseline", path(&all)]);
    for rules in ["leak-on-exception", "unlock-not-acquired,dead-store", "leak", "double-unlock,leak"] {
        let (printed, status) = run(&["java", CLASSES, "-q", "--rules", rules, "--baseline", path(&all)]);
        assert_eq!((printed.as_str(), status), ("", 0), "{rules}");
        run(&["java", CLASSES, "-q", "--rules", rules, "--write-baseline", path(&some)]);
        let (printed, _) = run(&["java", CLASSES, "-q", "--baseline", path(&some)]);
        let left = findings(&printed);
        assert!(
            !left.is_empty()
                && left
                    .iter()
                    .all(|line| !rules.split(',').any(|rule| line.contains(&format!("[{rule}] in "))))
        );
    }
}

/// Time is over soon after a limit, wherever the work is.
///
/// Needs: a JDK
#[test]
fn time_limits_are_obeyed() {
    let Some(modules) = modules() else {
        eprintln!("SKIPPED: there is no JDK here");
        return;
    };
    for (limit, jobs) in [("0.5", "1"), ("2", "2"), ("4", "1")] {
        let start = Instant::now();
        let (printed, status) = run(&["java", &modules, "--timeout", limit, "--jobs", jobs, "-q"]);
        let took = start.elapsed();
        assert!(matches!(status, 1 | 3), "{printed}");
        let limit = Duration::from_secs_f64(limit.parse().unwrap());
        // other tests run beside this one
        assert!(took < limit + Duration::from_secs(3), "{limit:?} took {took:?}");
    }
}

/// The modules of a JDK that is installed.
fn modules() -> Option<String> {
    let found = std::fs::read_dir("/usr/lib/jvm").ok()?;
    let mut folders: Vec<_> = found.filter_map(|entry| Some(entry.ok()?.path().join("jmods"))).collect();
    folders.sort();
    folders
        .into_iter()
        .find(|folder| folder.join("java.base.jmod").exists())
        .map(|folder| folder.display().to_string())
}
