//! SMV models, asked by tests.

use super::{loris, text};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What an exit may do.
pub(crate) const MODES: [&str; 2] = ["loop", "sink"];

/// A path as an argument.
pub(crate) fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Standard output, standard error and the exit status.
pub(crate) fn run(arguments: &[&str]) -> (String, String, i32) {
    let output = loris(arguments).output().unwrap();
    let status = output.status.code().unwrap();
    (text(&output.stdout).to_owned(), text(&output.stderr).to_owned(), status)
}

/// Standard output of a call that was not wrong.
pub(crate) fn printed(arguments: &[&str]) -> String {
    let (out, errors, status) = run(arguments);
    assert!(matches!(status, 0 | 1), "{arguments:?}: {out}{errors}");
    out
}

/// The document that a call prints.
pub(crate) fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).unwrap()
}

/// All examples, as paths from the root.
pub(crate) fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/smv");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let models = files.filter(|file| file.extension().is_some_and(|ending| ending == "smv"));
    let name = |file: PathBuf| file.file_name().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = models.map(|file| format!("examples/smv/{}", name(file))).collect();
    names.sort();
    assert!(names.len() > 20);
    names
}

/// What a result says under a key.
pub(crate) fn word<'v>(result: &'v Value, key: &str) -> &'v str {
    result[key].as_str().unwrap_or_else(|| panic!("no {key} in {result}"))
}
