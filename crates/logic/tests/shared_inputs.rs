//! All published property files parse and are CTL. They are not ours to copy: without them beside
//! the workspace these tests are skipped, which `cargo test` reports.

use loris_logic::{CtlCore, parse_properties};
use loris_testing::benchmarks;
use std::path::PathBuf;
use std::process::Command;

fn files(folder: &str) -> Option<Vec<PathBuf>> {
    let entries = benchmarks(folder)?.read_dir().expect("readable");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    Some(files)
}

/// How many properties a text has; all of them must be CTL.
fn check(name: &str, text: &str) -> usize {
    let (lines, problems) = parse_properties(text);
    assert!(problems.is_empty(), "{name}: {:?}", problems.sorted());
    let shapes: Vec<CtlCore> = lines.iter().map(|line| line.ctl().expect(name)).collect();
    shapes.len()
}

/// Needs: ../shared/benchmarks/random-ctl, ../shared/benchmarks/rsm-small
#[test]
fn plain_files() {
    for (folder, expected) in [("random-ctl", 50), ("rsm-small", 10)] {
        let Some(files) = files(folder) else { continue };
        let mut properties = 0;
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "ctl")) {
            properties +=
                check(&file.display().to_string(), &std::fs::read_to_string(file).expect("readable"));
        }
        assert_eq!(properties, expected, "{folder}");
    }
}

/// Needs: ../shared/benchmarks/java-usedef, unzip
#[test]
fn zipped_files() {
    let Some(files) = files("java-usedef") else { return };
    let mut properties = 0;
    for file in &files {
        let output = Command::new("unzip").arg("-p").arg(file).arg("*_usedef.ctl").output();
        let Ok(output) = output else {
            eprintln!("SKIPPED: unzip is not installed");
            return;
        };
        assert!(output.status.success(), "unzip {}", file.display());
        properties += check(&file.display().to_string(), &String::from_utf8(output.stdout).expect("UTF-8"));
    }
    assert!(properties > 1548, "{properties} properties");
}
