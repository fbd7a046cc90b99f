//! Damaged and hostile class files: an error or a program, never a panic.

mod common;

use loris_base::Budget;
use loris_java::calls::{CallGraph, CallOptions, Calls, Entries};
use loris_java::extract::{Choice, ExtractOptions, extract};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{Input, LoadOptions, Origin, Program};

/// All that is done with a program.
fn survive(bytes: &[u8]) -> bool {
    let input = Input { path: "x".into(), origin: Origin::Application, bytes: bytes.into() };
    let loaded = Program::load(vec![input], &LoadOptions::default());
    let program = &loaded.program;
    let mut budget = Budget::unlimited();
    let options = CallOptions { calls: Calls::Created, entries: Entries::All };
    let graph = CallGraph::new(program, &options, &mut budget).expect("no limit");
    let throws =
        Throws::new(program, &graph, &ThrowOptions { runtime: true }, &mut budget).expect("no limit");
    let labels = ExtractOptions { labels: Choice::All, ..ExtractOptions::default() };
    extract(program, &graph, &throws, &labels, &mut budget).expect("no limit");
    loaded.problems.is_empty()
}

fn classes() -> Vec<Vec<u8>> {
    let files = common::class_files(&common::folder().join("classes"));
    files.into_iter().map(|path| std::fs::read(path).expect("a class file")).collect()
}

#[test]
fn damaged_bytes_are_survived() {
    let (mut right, mut wrong) = (0, 0);
    for bytes in classes() {
        assert!(survive(&bytes));
        let step = bytes.len().div_ceil(25);
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[at] ^= [0x01, 0x80, 0xFF][at % 3];
            if survive(&damaged) { right += 1 } else { wrong += 1 }
        }
    }
    assert!(right > 10 && wrong > 10, "{right} {wrong}");
}

#[test]
fn files_that_end_early_are_refused() {
    for bytes in classes() {
        let step = bytes.len().div_ceil(10);
        for length in (0..bytes.len()).step_by(step) {
            assert!(!survive(&bytes[..length]), "{length} of {} bytes", bytes.len());
        }
    }
}

/// Classes that are their own ancestors.
#[test]
fn cycles_of_ancestors_are_survived() {
    let class = |name: &str, parent: &str| {
        // name and parent, both as classes, and a method without code
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 7];
        for text in [name, parent, "m", "()V"] {
            bytes.push(1);
            bytes.extend((text.len() as u16).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend([7, 0, 1, 7, 0, 2]);
        bytes.extend([0x04, 0x01, 0, 5, 0, 6, 0, 0, 0, 0, 0, 1, 0x04, 0x01, 0, 3, 0, 4, 0, 0, 0, 0]);
        Input { path: name.into(), origin: Origin::Application, bytes: bytes.into() }
    };
    for classes in [
        vec![class("A", "A")],
        vec![class("A", "B"), class("B", "A")],
        vec![class("A", "B"), class("B", "C"), class("C", "B")],
    ] {
        let loaded = Program::load(classes, &LoadOptions::default());
        assert_eq!(loaded.problems, []);
        let program = &loaded.program;
        let find = |name: &str| program.class_named(name).expect("it was loaded");
        for class in program.classes() {
            let known = program.class(class);
            assert!(program.supertypes(class).len() <= program.classes().len());
            for other in program.classes() {
                program.is_subtype(known.name, program.class(other).name);
            }
            let text = program.names.find("nothing").unwrap_or(known.name);
            assert_eq!(program.lookup(class, text, text), None);
        }
        assert!(!program.all_subtypes(find("A")).is_empty());
    }
}
