//! `loris java --changed-since`: what Git knows of changed sources decides which findings are
//! reported.

#![allow(clippy::unwrap_used)]

mod common;

use common::{scratch, text};
use std::path::Path;
use std::process::{Command, Output};

const CLASS: &str = "../rules/tests/programs/javac/programs/NotifyWithoutChange.class";

/// Runs Git as somebody, with no configuration but this.
fn git(folder: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new("git");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "init.defaultBranch=main"]);
    command.args(arguments).current_dir(folder).output().is_ok_and(|output| output.status.success())
}

fn loris(folder: &Path, class: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loris"));
    command.arg("java").arg(class).args(["-q", "--rules", "notify-without-change"]);
    command.args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn findings_in_changed_files_are_reported() {
    let folder = scratch("changed");
    let class = Path::new(env!("CARGO_MANIFEST_DIR")).join(CLASS);
    let check = |folder: &Path, arguments: &[&str], expected: usize| {
        let output = loris(folder, &class, arguments);
        let lines = text(&output.stdout).lines().count();
        assert_eq!(lines, expected, "{arguments:?} {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(i32::from(expected > 0)), "{arguments:?}");
    };
    if !git(&folder, &["init", "-q"]) {
        eprintln!("skipped: there is no git");
        return;
    }
    let sources = folder.join("src/programs");
    std::fs::create_dir_all(&sources).unwrap();
    let (own, other) = (sources.join("NotifyWithoutChange.java"), sources.join("Other.java"));
    std::fs::write(&own, "class NotifyWithoutChange {}\n").unwrap();
    std::fs::write(&other, "class Other {}\n").unwrap();
    // Git does not know them yet
    assert!(git(&folder, &["commit", "-q", "--allow-empty", "-m", "first"]));
    check(&folder, &["--changed-since", "HEAD"], 2);
    assert!(git(&folder, &["add", "-A"]) && git(&folder, &["commit", "-q", "-m", "second"]));
    check(&folder, &["--changed-since", "HEAD"], 0);
    check(&folder, &["--changed-since", "HEAD~1"], 2);
    // changed, and not committed; looked at from a folder below the root
    std::fs::write(&other, "class Other { }\n").unwrap();
    check(&folder, &["--changed-since", "HEAD"], 0);
    std::fs::write(&own, "class NotifyWithoutChange { }\n").unwrap();
    check(&sources, &["--changed-since", "HEAD"], 2);
    // class files that are not ignored do not count, unless they are named
    assert!(git(&folder, &["commit", "-q", "-a", "-m", "third"]));
    std::fs::create_dir_all(folder.join("target/programs")).unwrap();
    std::fs::copy(&class, folder.join("target/programs/NotifyWithoutChange.class")).unwrap();
    check(&folder, &["--changed-since", "HEAD"], 0);
    check(&folder, &["--changed", "target/programs/NotifyWithoutChange.class"], 2);
    // a list
    std::fs::write(
        folder.join("list"),
        "src/programs/Other.java\n\n src/programs/NotifyWithoutChange.java\n",
    )
    .unwrap();
    check(&folder, &["--changed-files", "list"], 2);
    std::fs::write(folder.join("list"), "src/programs/Other.java\n").unwrap();
    check(&folder, &["--changed-files", "list"], 0);
}

#[test]
fn problems_with_git_are_named() {
    let folder = scratch("changed_problems");
    let class = Path::new(env!("CARGO_MANIFEST_DIR")).join(CLASS);
    let check = |arguments: &[&str], expected: &str| {
        let output = loris(&folder, &class, arguments);
        let printed = text(&output.stderr);
        assert!(printed.contains(expected), "{arguments:?}: {printed}");
        assert_eq!(output.status.code(), Some(2));
    };
    check(&["--changed-since=--output=x"], "this is not the name of a commit");
    check(&["--changed-files", "no-list"], "no-list: error: cannot be read: No such file");
    if git(&folder, &["init", "-q"]) {
        check(&["--changed-since", "nowhere"], "--changed-since nowhere: git says: ");
    }
    let mut without = Command::new(env!("CARGO_BIN_EXE_loris"));
    without.arg("java").arg(&class).args(["--changed-since", "HEAD"]).env("PATH", &folder);
    let output = without.output().unwrap();
    assert!(text(&output.stderr).contains("needs git, which is not installed"), "{}", text(&output.stderr));
}

#[test]
fn filter_files_of_the_configuration_count() {
    let folder = scratch("filter_of_configuration");
    let class = Path::new(env!("CARGO_MANIFEST_DIR")).join(CLASS);
    std::fs::create_dir_all(folder.join("below")).unwrap();
    // the path is relative to the folder of loris.toml
    std::fs::write(folder.join("loris.toml"), "[java]\nsuppress = [\"filter.xml\"]\n").unwrap();
    let filter = "<FindBugsFilter><Match><Method name='badNothing'/></Match></FindBugsFilter>";
    std::fs::write(folder.join("filter.xml"), filter).unwrap();
    let output = loris(&folder.join("below"), &class, &[]);
    let printed = text(&output.stdout);
    assert_eq!(printed.lines().count(), 1, "{printed}{}", text(&output.stderr));
    assert!(printed.contains("NotifyWithoutChange.java:17:"), "{printed}");
}
