//! Machines of small programs.

mod common;

use loris_base::Budget;
use loris_java::Program;
use loris_java::calls::{CallGraph, CallOptions, Entries};
use loris_java::extract::{Choice, ExtractOptions, Granularity, Pattern, extract, is_pattern, labels};
use loris_java::throws::{ThrowOptions, Throws};
use loris_rsm::Rsm;
use std::collections::BTreeSet;

fn machine(program: &Program, options: &ExtractOptions, runtime: bool) -> (Rsm, BTreeSet<String>) {
    let mut budget = Budget::unlimited();
    let entries = CallOptions { entries: Entries::Usual, ..CallOptions::default() };
    let graph = CallGraph::new(program, &entries, &mut budget).expect("no limit");
    let throws = Throws::new(program, &graph, &ThrowOptions { runtime }, &mut budget).expect("no limit");
    let listed = labels(program, &graph, &throws, &options.labels, &mut budget).expect("no limit");
    let rsm = extract(program, &graph, &throws, options, &mut budget).expect("no limit");
    (rsm, listed.into_iter().map(|(name, _)| name).collect())
}

/// What is listed is what nodes carry, whatever nodes stand for.
#[test]
fn labels_are_those_that_are_listed() {
    for name in ["Shapes", "Exceptions"] {
        for program in &common::programs(name) {
            let patterns = vec![Pattern::new("call *"), Pattern::new("throw *")];
            for labels in [Choice::None, Choice::Most, Choice::All, Choice::Matching(patterns)] {
                for (runtime, granularity) in [(false, Granularity::Block), (true, Granularity::Instruction)]
                {
                    let options = ExtractOptions { granularity, labels: labels.clone() };
                    let (rsm, listed) = machine(program, &options, runtime);
                    let found = rsm.labels().filter(|label| !is_pattern(label)).map(str::to_owned);
                    let found: BTreeSet<String> = found.collect();
                    let odd: Vec<&String> = found.symmetric_difference(&listed).collect();
                    assert!(odd.is_empty(), "{name}, {options:?}: {odd:?}");
                }
            }
        }
    }
}

/// A pattern is a label of all nodes that have a label which matches it.
#[test]
fn patterns_are_labels() {
    for program in &common::programs("Exceptions") {
        let patterns = vec![Pattern::new("call p.*"), Pattern::new("throw *"), Pattern::new("new p.*")];
        let labels = Choice::Matching(patterns.clone());
        let (rsm, _) = machine(program, &ExtractOptions { labels, ..ExtractOptions::default() }, false);
        for pattern in &patterns {
            let label = rsm.label(pattern.text()).expect("something matches");
            for node in rsm.components().flat_map(|component| rsm.nodes(component)) {
                let names: Vec<&str> = rsm.labels_of(node).map(|label| rsm.label_name(label)).collect();
                let matches = names.iter().any(|name| !is_pattern(name) && pattern.matches(name));
                assert_eq!(rsm.labels_of(node).any(|other| other == label), matches, "{names:?}");
            }
        }
        assert_eq!(rsm.label("exit p.Exceptions.main"), None);
    }
}

#[test]
fn labels_are_what_people_think_in() {
    for program in &common::programs("Shapes") {
        let (_, listed) =
            machine(program, &ExtractOptions { labels: Choice::All, ..ExtractOptions::default() }, false);
        for label in [
            "call java.util.List.add",
            // as it is written, and as it is declared
            "call java.io.PrintStream.println",
            "enter p.Shapes.print",
            "exit p.Shapes$Square.area",
            "new p.Shapes$BySize",
            "def p.Shapes$Constants.TABLE",
            "use p.Shapes$Constants.TABLE",
            "def all",
            "use p.Shapes.main.all",
            "line Shapes.java:53",
            "unresolved",
            "throw java.lang.ClassNotFoundException",
        ] {
            assert!(listed.contains(label), "{label} is missing in {listed:?}");
        }
    }
}

#[test]
fn slices_are_fewer_than_instructions_and_have_places() {
    for program in &common::programs("Shapes") {
        let sizes = |granularity, labels| {
            let (rsm, _) = machine(program, &ExtractOptions { granularity, labels }, false);
            let placed = rsm.components().flat_map(|component| rsm.nodes(component));
            let placed = placed.filter(|&node| rsm.place(node).is_some()).count();
            (rsm.node_count(), rsm.component_count(), placed)
        };
        let (fewest, components, placed) = sizes(Granularity::Block, Choice::None);
        let (some, ..) = sizes(Granularity::Block, Choice::Most);
        let (all, same, _) = sizes(Granularity::Instruction, Choice::None);
        assert!(fewest < some && some < all, "{fewest} {some} {all}");
        assert_eq!(components, same);
        assert!(placed > fewest / 3, "{placed} of {fewest}");
    }
}
