//! Damaged and hostile class files: an error or a program, never a panic.

mod common;

use common::writer::ClassWriter;
use loris_base::{Budget, Exhausted};
use loris_java::calls::{CallGraph, CallOptions, Calls, Entries};
use loris_java::extract::{Choice, ExtractOptions, extract};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program};

/// All that is done with a program.
fn survive(bytes: &[u8]) -> bool {
    let input = ClassInput { path: "x".into(), origin: ClassOrigin::Application, bytes: bytes.into() };
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
        ClassInput { path: name.into(), origin: ClassOrigin::Application, bytes: bytes.into() }
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

/// A class `C<number>` with methods that call one another, and the class after it: statically, or
/// virtually on null.
fn chain(number: usize, methods: usize, parent: &str, is_virtual: bool) -> ClassInput {
    let mut writer = ClassWriter::default();
    let own = writer.text(&format!("C{number}"));
    let own = writer.pair(7, own, None);
    let next = writer.text(&format!("C{}", number + 1));
    let next = writer.pair(7, next, None);
    let parent = writer.text(parent);
    let parent = writer.pair(7, parent, None);
    let (kind, code) = (writer.text("()V"), writer.text("Code"));
    for method in 0..methods {
        let name = writer.text(&format!("m{method}"));
        let typed = writer.pair(12, name, Some(kind));
        let called = writer.pair(10, if method % 7 == 0 { next } else { own }, Some(typed));
        let [high, low] = called.to_be_bytes();
        let body = if is_virtual { [1, 182, high, low, 177] } else { [0, 184, high, low, 177] };
        writer.method((name, kind, code), &body, &[]);
    }
    let bytes = writer.finish(own, parent).into();
    ClassInput { path: format!("C{number}.class"), origin: ClassOrigin::Application, bytes }
}

/// The machine of all methods, within limits.
fn machine(inputs: Vec<ClassInput>, budget: &mut Budget) -> Result<(usize, usize), Exhausted> {
    let loaded = Program::load(inputs, &LoadOptions::default());
    assert_eq!(loaded.problems, []);
    let program = &loaded.program;
    let options = CallOptions { calls: Calls::Created, entries: Entries::All };
    let graph = CallGraph::new(program, &options, budget)?;
    let throws = Throws::new(program, &graph, &ThrowOptions { runtime: true }, budget)?;
    let rsm = extract(program, &graph, &throws, &ExtractOptions::default(), budget)?;
    Ok((rsm.component_count(), graph.damaged().len()))
}

#[test]
fn many_methods_have_a_machine_or_reach_a_limit() {
    let classes =
        |count: usize, methods| (0..count).map(|n| chain(n, methods, "java/lang/Object", false)).collect();
    // and the start; calls of the class behind the last one are not resolved
    assert_eq!(machine(classes(4, 5_000), &mut Budget::unlimited()), Ok((20_001, 0)));
    // a million, in little memory or in few steps
    let million: Vec<ClassInput> = classes(100, 10_000);
    let budget = &mut Budget::new(None, Some(96 << 20));
    assert_eq!(machine(million.clone(), budget), Err(Exhausted::Memory));
    assert!(budget.used() < 128 << 20, "{}", budget.used());
    let budget = &mut Budget::steps(1_000_000);
    assert_eq!(machine(million, budget), Err(Exhausted::Time));
}

/// Chains of classes, each the parent of the next.
#[test]
fn deep_hierarchies_are_walked_within_limits() {
    let class = |number: usize| chain(number, 1, &format!("C{}", number + 1), true);
    let classes = |count: usize| (0..count).map(class).collect();
    assert!(machine(classes(200), &mut Budget::unlimited()).is_ok());
    // each call looks at all subtypes
    assert_eq!(machine(classes(3000), &mut Budget::steps(100_000)), Err(Exhausted::Time));
}

/// Methods in which every instruction is covered by tens of thousands of handlers.
#[test]
fn exception_tables_are_bounded() {
    let mut writer = ClassWriter::default();
    let own = writer.text("H");
    let own = writer.pair(7, own, None);
    let (kind, code) = (writer.text("()V"), writer.text("Code"));
    let mut body = vec![0; 60_000];
    body.push(177);
    let handlers = vec![[0, 60_000, 60_000, 0]; 60_000];
    for number in 0..20 {
        let name = writer.text(&format!("m{number}"));
        writer.method((name, kind, code), &body, &handlers);
    }
    let bytes = writer.finish(own, own).into();
    let input = ClassInput { path: "H.class".into(), origin: ClassOrigin::Application, bytes };
    let (_, damaged) = machine(vec![input], &mut Budget::unlimited()).expect("no limit");
    assert_eq!(damaged, 20);
}

/// Methods that all have one name.
#[test]
fn equal_names_are_told_apart() {
    let mut writer = ClassWriter::default();
    let own = writer.text("E");
    let own = writer.pair(7, own, None);
    let (name, code) = (writer.text("m"), writer.text("Code"));
    let kind = writer.text("()V");
    for _ in 0..30_000 {
        writer.method((name, kind, code), &[177], &[]);
    }
    let bytes = writer.finish(own, own).into();
    let input = ClassInput { path: "E.class".into(), origin: ClassOrigin::Application, bytes };
    assert_eq!(machine(vec![input], &mut Budget::unlimited()), Ok((30_001, 0)));
}

/// Constants that are too long, for a name or for their file.
#[test]
fn overlong_constants_are_survived() {
    let class = |name: &str, kind: &str| {
        let mut writer = ClassWriter::default();
        let own = writer.text(name);
        let own = writer.pair(7, own, None);
        let (method, code, kind) = (writer.text("m"), writer.text("Code"), writer.text(kind));
        writer.method((method, kind, code), &[177], &[]);
        writer.finish(own, own)
    };
    let long = "x".repeat(65_535);
    assert!(survive(&class(&long, "()V")));
    assert!(survive(&class("A", &format!("({})V", "I".repeat(255)))));
    survive(&class("A", &format!("({}I)V", "[".repeat(65_000))));
    survive(&class("A", &format!("(L{};)V", "y".repeat(65_000))));
    survive(&class(&"/".repeat(65_000), "()V"));
    // a text that claims to be longer than the file, and a pool that does
    let mut cut = class("A", "()V");
    cut[11] = 0xFF;
    assert!(!survive(&cut));
    let mut cut = class("A", "()V");
    cut[8] = 0xFF;
    assert!(!survive(&cut));
}
