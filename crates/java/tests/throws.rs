//! Exceptions that leave the methods of a small program.

mod common;

use loris_base::Budget;
use loris_java::calls::{CallGraph, CallOptions, methods_named};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{LoadOptions, Program};
use std::collections::BTreeSet;

fn throws(program: &Program, runtime: bool) -> (CallGraph, Throws) {
    let mut budget = Budget::unlimited();
    let graph = CallGraph::new(program, &CallOptions::default(), &mut budget).expect("no limit");
    let throws = Throws::new(program, &graph, &ThrowOptions { runtime }, &mut budget).expect("no limit");
    (graph, throws)
}

fn check(program: &Program, throws: &Throws, method: &str, expected: &[&str]) {
    check_in(program, throws, &format!("p.Exceptions.{method}"), expected);
}

fn check_in(program: &Program, throws: &Throws, method: &str, expected: &[&str]) {
    let method = methods_named(program, method).expect("a method")[0];
    let short = |name: &str| name.rsplit(['/', '$']).next().unwrap_or_default().to_owned();
    let found: BTreeSet<String> = throws.of(method).iter().map(|&name| short(&program.names[name])).collect();
    let expected: BTreeSet<String> = expected.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(found, expected, "{}", program.method_name(method));
}

#[test]
fn exceptions_leave_methods() {
    for program in &common::programs("Exceptions") {
        let (_, throws) = throws(program, false);
        for (method, expected) in [
            ("fresh", &["Special"][..]),
            // what the library declares
            ("declared", &["FileNotFoundException", "IOException"]),
            ("caught", &[]),
            ("narrowed", &["Own"]),
            ("again", &["Special"]),
            ("last", &["Special"]),
            ("wrapped", &["IllegalStateException"]),
            ("twice", &["IOException"]),
            ("resource", &["IOException"]),
            ("field", &["Own"]),
            ("chosen", &["Own", "IOException"]),
            ("looped", &["Special"]),
            ("divided", &[]),
            ("computed", &[]),
            ("run", &["Special", "FileNotFoundException", "IOException"]),
            // a task of the library may throw what it declares
            ("given", &["Exception"]),
        ] {
            check(program, &throws, method, expected);
        }
    }
}

#[test]
fn exceptions_of_the_virtual_machine_are_left_out_unless_asked_for() {
    for program in &common::programs("Exceptions") {
        let (_, throws) = throws(program, true);
        let null = "NullPointerException";
        let index = "ArrayIndexOutOfBoundsException";
        check(program, &throws, "divided", &["ArithmeticException", index, null]);
        check(program, &throws, "computed", &[index, null]);
        check(program, &throws, "fresh", &["Special", null]);
    }
}

const UNCHECKED: [&str; 2] = ["Error", "RuntimeException"];

/// Each method with what leaves it, if a compiler of Java has checked it, and if not.
const BOUNDED: [(&str, &[&str], &[&str]); 10] = [
    ("perform", &["Exception"], &["Exception"]),
    ("declares", &["IOException"], &["Exception"]),
    ("declaresMore", &["Exception"], &["Exception"]),
    ("declaresNothing", &[], &["Exception"]),
    ("catches", &[], &["Exception"]),
    ("catchesSome", &["Exception"], &["Exception"]),
    ("again", &["IOException"], &["Exception"]),
    ("last", &["IOException"], &["Exception"]),
    ("sneaks", &[], &["Throwable"]),
    ("around", &["IOException"], &["Exception"]),
];

#[test]
fn what_is_declared_bounds_what_leaves() {
    for program in &common::programs("Bounded") {
        let (_, throws) = throws(program, false);
        for (method, checked, _) in BOUNDED {
            // what is not checked may be behind a type that stands for any
            let is_narrowed = !checked.contains(&"Exception");
            let mut expected = checked.to_vec();
            // an error is a throwable, and no exception
            expected.extend(UNCHECKED.iter().skip(usize::from(method != "sneaks")).filter(|_| is_narrowed));
            check_in(program, &throws, &format!("p.Bounded.{method}"), &expected);
        }
        let found = ["Error", "IOException", "RuntimeException"];
        check_in(program, &throws, "p.Bounded.found", &found);
    }
}

/// The same classes, from sources with another name: other languages declare nothing.
#[test]
fn other_languages_are_not_bounded_by_what_they_declare() {
    for mut inputs in common::inputs("Bounded") {
        for input in &mut inputs {
            let name = b"Bounded.java";
            let mut places = input.bytes.windows(name.len()).enumerate();
            let place = places.find(|(_, bytes)| bytes == name).map(|(place, _)| place);
            let place = place.expect("the name of the source");
            input.bytes[place..place + name.len()].copy_from_slice(b"Bounde.scala");
        }
        let program = Program::load(inputs, &LoadOptions::default()).program;
        let (_, throws) = throws(&program, false);
        for (method, _, unchecked) in BOUNDED {
            check_in(&program, &throws, &format!("p.Bounded.{method}"), unchecked);
        }
    }
}

/// Where the exceptions of every call and every `throw` of a method go: lines of handlers, and
/// whether the method is left.
#[test]
fn exceptions_go_to_handlers_in_order() {
    let ways = |program: &Program, name: &str| {
        let (graph, throws) = throws(program, false);
        let method = methods_named(program, &format!("p.Exceptions.{name}")).expect("a method")[0];
        let body = program.body(method).expect("right").expect("code");
        let mut found = BTreeSet::new();
        for number in 0..body.instructions.len() {
            let (handlers, leaves) = throws.handlers(program, &graph, method, &body, number);
            if !handlers.is_empty() || leaves {
                found.insert((handlers.len(), leaves));
            }
        }
        found
    };
    for program in &common::programs("Exceptions") {
        assert_eq!(ways(program, "caught"), BTreeSet::from([(1, false)]));
        assert_eq!(ways(program, "twice"), BTreeSet::from([(1, true)]));
        assert_eq!(ways(program, "narrowed"), BTreeSet::from([(1, true)]));
        // the call is caught; what was caught leaves
        assert_eq!(ways(program, "again"), BTreeSet::from([(1, false), (0, true)]));
        assert_eq!(ways(program, "last"), BTreeSet::from([(1, false), (0, true)]));
        // a handler that covers itself is not a way
        assert_eq!(ways(program, "divided"), BTreeSet::new());
    }
}
