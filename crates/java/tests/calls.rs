//! Call graphs of small programs.

mod common;

use loris_base::Budget;
use loris_java::calls::{CallGraph, CallOptions, Calls, Entries, Unresolved, methods_named};
use loris_java::class::Op;
use loris_java::{MethodId, Program};
use std::collections::BTreeSet;

fn graph(program: &Program, calls: Calls, entries: Entries) -> CallGraph {
    CallGraph::new(program, &CallOptions { calls, entries }, &mut Budget::unlimited()).expect("no limit")
}

fn named(program: &Program, methods: &[MethodId]) -> BTreeSet<String> {
    methods.iter().map(|&method| program.method_name(method)).collect()
}

/// The targets of all calls of a method named `called` in another method.
fn targets(program: &Program, graph: &CallGraph, caller: &str, called: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for method in methods_named(program, caller).expect("a method") {
        let class = program.class(program.owner(method));
        let body = program.body(method).expect("right").expect("code");
        for (number, instruction) in body.instructions.iter().enumerate() {
            if let Op::Invoke(_, constant) = instruction.op
                && let Some(member) = class.pool.member(constant)
                && &program.names[member.name] == called
            {
                found.extend(named(program, graph.targets(method, number)));
            }
        }
    }
    found
}

fn check(program: &Program, graph: &CallGraph, caller: &str, called: &str, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(targets(program, graph, caller, called), expected, "{called} in {caller}");
}

#[test]
fn calls_run_what_is_created() {
    for program in &common::programs("Shapes") {
        let graph = graph(program, Calls::Created, Entries::Usual);
        assert_eq!(named(program, graph.entries()), BTreeSet::from(["p.Shapes.main".to_owned()]));
        let both = ["p.Shapes$Circle.area", "p.Shapes$Square.area"];
        check(program, &graph, "p.Shapes$Shape.show", "area", &both);
        check(program, &graph, "p.Shapes.print", "show", &["p.Shapes$Shape.show"]);
        // a method reference to a constructor, the library's own suppliers
        check(
            program,
            &graph,
            "p.Shapes.make",
            "get",
            &["java.util.function.Supplier.get", "p.Shapes$Circle.<init>"],
        );
        check(program, &graph, "p.Shapes.main", "run", &["java.lang.Runnable.run", "p.Shapes.run"]);
        let act = targets(program, &graph, "p.Shapes.own", "act");
        assert!(act.len() == 1 && act.iter().all(|name| name.starts_with("p.Shapes.lambda$")), "{act:?}");
        check(program, &graph, "p.Shapes.main", "make", &["p.Shapes.make"]);
        let reachable = named(program, graph.reachable());
        for name in [
            "p.Shapes.helper",
            "p.Shapes$BySize.compare",
            "p.Shapes$Constants.<clinit>",
            "p.Shapes$Constants.table",
        ] {
            assert!(reachable.contains(name), "{name} is not reachable");
        }
        for name in ["p.Shapes.unused", "p.Shapes$Ghost.area"] {
            assert!(!reachable.contains(name), "{name} is reachable");
        }
        let callbacks = named(program, graph.callbacks());
        assert!(callbacks.contains("p.Shapes$BySize.compare") && !callbacks.contains("p.Shapes.helper"));
        assert!(named(program, graph.assumed()).contains("java.util.Collections.sort"));
        let sort = graph
            .assumed()
            .iter()
            .find(|&&method| program.method_name(method) == "java.util.Collections.sort");
        assert_eq!(
            named(program, &graph.callbacks_of(program, *sort.expect("it is assumed"))),
            BTreeSet::from(["p.Shapes$BySize.compare".to_owned()])
        );
        let unresolved: Vec<Unresolved> = graph.unresolved().iter().map(|(.., why)| *why).collect();
        assert_eq!(unresolved, [Unresolved::Reflective, Unresolved::Reflective]);
    }
}

#[test]
fn calls_by_hierarchy_run_all_subtypes() {
    for program in &common::programs("Shapes") {
        let graph = graph(program, Calls::Hierarchy, Entries::Usual);
        let all = ["p.Shapes$Circle.area", "p.Shapes$Ghost.area", "p.Shapes$Square.area"];
        check(program, &graph, "p.Shapes$Shape.show", "area", &all);
    }
}

#[test]
fn entries_are_chosen() {
    let program = &common::programs("Shapes")[0];
    let count = |entries| graph(program, Calls::Created, entries).entries().len();
    assert_eq!(count(Entries::Usual), 1);
    // main and the constructor
    assert_eq!(count(Entries::Public), 2);
    let with_code = program.methods().filter(|&id| program.method(id).code.is_some()).count();
    assert_eq!(count(Entries::All), with_code);
    let helper = methods_named(program, "p.Shapes.helper").expect("a method");
    let small = graph(program, Calls::Created, Entries::Methods(helper));
    assert_eq!(named(program, small.reachable()), BTreeSet::from(["p.Shapes.helper".to_owned()]));
    assert_eq!(methods_named(program, "p.Shapes.own(Lp/Shapes$Own;I)V").map(|found| found.len()), Ok(1));
    let wrong = methods_named(program, "p.Shapes.helpr").expect_err("misspelt");
    assert_eq!(wrong.nearest.as_deref(), Some("p.Shapes.helper"));
}
