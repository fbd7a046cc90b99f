//! Java programs of the tests: their class files are in the repository; where there is a compiler,
//! the sources are compiled anew as well.
#![allow(clippy::print_stderr, dead_code, unreachable_pub, reason = "shared by several tests")]

pub mod writer;

use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder with sources and classes.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// All class files under a folder, in order.
pub fn class_files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut work) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(path) = work.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder");
            work.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| extension == "class") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Folders with the classes of all programs: as they are in the repository and, where there is a
/// compiler, compiled for Java 8 and for the newest version it knows.
fn builds() -> &'static [PathBuf] {
    static BUILDS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    BUILDS.get_or_init(|| {
        let mut builds = vec![folder().join("classes")];
        for release in ["8", ""] {
            let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
                .join(format!("programs-{release}-{}", std::process::id()));
            std::fs::create_dir_all(&target).expect("a folder");
            let mut command = Command::new("javac");
            if !release.is_empty() {
                command.args(["--release", release, "-Xlint:-options"]);
            }
            command.args(["-g", "-nowarn", "-d"]).arg(&target);
            let sources = std::fs::read_dir(folder().join("sources")).expect("sources");
            command.args(sources.map(|entry| entry.expect("a source").path()));
            match command.status() {
                Ok(status) => {
                    assert!(status.success(), "the programs do not compile");
                    builds.push(target);
                }
                Err(_) => eprintln!("SKIPPED: javac is not installed, programs are not compiled anew"),
            }
        }
        builds
    })
}

/// The class files of a program, in all builds: those of a top-level class and its members.
pub fn inputs(name: &str) -> Vec<Vec<ClassInput>> {
    let of = |build: &PathBuf| {
        let mut found = Vec::new();
        for path in class_files(build) {
            let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
            if file == name || file.starts_with(&format!("{name}$")) {
                let bytes = std::fs::read(&path).expect("a class file").into();
                let path = path.file_name().expect("a name").to_string_lossy().into_owned();
                found.push(ClassInput { path, origin: ClassOrigin::Application, bytes });
            }
        }
        assert!(!found.is_empty(), "there is no program {name}");
        found
    };
    builds().iter().map(of).collect()
}

/// A program, in all builds.
pub fn programs(name: &str) -> Vec<Program> {
    let load = |inputs| {
        let loaded = Program::load(inputs, &LoadOptions::default());
        assert_eq!(loaded.problems, []);
        loaded.program
    };
    inputs(name).into_iter().map(load).collect()
}
