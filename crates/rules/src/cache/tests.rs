//! Which units are judged again: what is kept is replaced by nothing, so that findings are those of
//! the others.

use super::file::{Kept, read, write};
use super::{CacheOptions, Hash};
use crate::asked::JavaRequest;
use crate::judged::judge;
use loris_base::{Budget, Rng};
use loris_load::{Reading, Words};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const RULES: [&str; 2] = ["leak", "lock-not-released"];

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("loris-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("classes")).expect("a folder");
        let classes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/classes");
        for entry in fs::read_dir(classes).expect("the test programs") {
            let path = entry.expect("an entry").path();
            fs::copy(&path, folder.join("classes").join(path.file_name().expect("a name"))).expect("a copy");
        }
        Self(folder)
    }

    /// The outermost classes that there are findings in.
    fn found(&self) -> BTreeSet<String> {
        let cache = CacheOptions { folder: self.0.join("cache"), build: "1".to_owned() };
        let request = JavaRequest {
            program: vec![self.0.join("classes")],
            rules: RULES.map(str::to_owned).to_vec(),
            cache: Some(cache),
            ..JavaRequest::default()
        };
        let mut reading = Reading::new(Budget::unlimited(), Words::default());
        let judged = judge(request, 2, &mut reading).unwrap_or_else(|why| panic!("{why}"));
        let classes = judged.report.findings.iter().map(|finding| finding.class().to_owned());
        classes.map(|class| class.split('$').next().unwrap_or_default().to_owned()).collect()
    }

    /// Replaces all results by nothing.
    fn empty(&self) {
        self.replace(&mut |_| vec![0; 6]);
    }

    /// Replaces the content of units; checksums fit.
    fn replace(&self, content: &mut dyn FnMut(&[u8]) -> Vec<u8>) {
        let mut files =
            fs::read_dir(self.0.join("cache")).expect("the cache").map(|it| it.expect("an entry").path());
        let file = files.find(|path| path.extension().is_some_and(|it| it == "java")).expect("a file");
        let bytes = fs::read(&file).expect("the file");
        let question: Hash = bytes[15..31].try_into().expect("a hash");
        let Kept { mut units, .. } = read(&file, &question, &mut Budget::unlimited()).expect("it is whole");
        assert!(units.units.len() > 2, "{}", units.units.len());
        for unit in units.units.values_mut() {
            unit.content = content(&unit.content).into();
        }
        write(&file, &question, &Kept { whole: None, units }).expect("the file");
    }

    fn change(&self, class: &str) {
        let path = self.0.join("classes").join(class);
        let mut bytes = fs::read(&path).expect("a class");
        // the version of the class file
        bytes[7] -= 1;
        fs::write(&path, bytes).expect("a class");
    }
}

#[test]
fn units_that_depend_on_a_change_are_judged_again() {
    let scratch = Scratch::new("units");
    let check = |changed: &[&str], expected: &[&str]| {
        for class in changed {
            scratch.change(class);
        }
        let found = scratch.found();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{changed:?}");
        fs::remove_dir_all(scratch.0.join("cache")).expect("the cache");
        scratch.found();
        scratch.empty();
    };
    let all: Vec<String> = scratch.found().into_iter().collect();
    assert_eq!(all, ["Helpers", "Leaks", "Locks", "Paths"]);
    scratch.empty();
    check(&[], &[]);
    check(&["Locks.class"], &["Locks"]);
    check(&["Leaks.class"], &["Leaks"]);
    // a class that objects of another one go through
    check(&["Leaks$Wrapper.class"], &["Leaks"]);
    // one whose helpers another one calls
    check(&["Helpers$Pair.class"], &["Helpers"]);
    check(&["Dataflow.class"], &[]);
    check(&["Leaks.class", "Locks.class"], &["Leaks", "Locks"]);
    fs::remove_dir_all(&scratch.0).expect("the folder");
}

/// Whatever units say, a run ends, and says something.
#[test]
fn forged_units_are_no_danger() {
    let scratch = Scratch::new("forged");
    let mut rng = Rng::new(1);
    for _ in 0..loris_testing::cases(20) {
        scratch.found();
        scratch.replace(&mut |bytes| {
            let mut bytes = bytes.to_vec();
            for _ in 0..=rng.below(3) {
                // numbers are in the first bytes, or small
                let (most, values) = [(20, 8), (20, 256), (usize::MAX, 8), (usize::MAX, 256)][rng.below(4)];
                let at = rng.below(bytes.len().min(most));
                bytes[at] = rng.below(values) as u8;
            }
            bytes
        });
        scratch.found();
        fs::remove_dir_all(scratch.0.join("cache")).expect("the cache");
    }
    fs::remove_dir_all(&scratch.0).expect("the folder");
}
