//! Reads jars and class files named on the command line, finds what they call, and reports counts
//! and times. `LABELS=none` makes machines without labels, `RUNTIME=1` counts the exceptions of the
//! virtual machine, `THREADS=N` is the number of threads.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use loris_base::Budget;
use loris_java::archive::{Given, class_files};
use loris_java::calls::{CallGraph, CallOptions, Calls, Entries};
use loris_java::extract::{Choice, ExtractOptions, extract};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{ClassOrigin, LoadOptions, Program};
use std::time::Instant;

fn main() {
    let set = |name: &str| std::env::var(name).ok();
    let threads = set("THREADS").and_then(|threads| threads.parse().ok()).unwrap_or(2);
    let mut budget = Budget::unlimited().with_threads(threads);
    let mut start = Instant::now();
    let mut lap = |name: &str| {
        println!("{name}: {:?}", start.elapsed());
        start = Instant::now();
    };
    let given = std::env::args().skip(1).map(|path| {
        let bytes = std::fs::read(&path).unwrap();
        Given { path, origin: ClassOrigin::Application, bytes }
    });
    let given = given.collect();
    lap("read");
    let files = class_files(given, &mut budget).unwrap();
    lap("inflate");
    let loaded = Program::load(files.inputs, &LoadOptions::default());
    lap("load");
    println!("{} problems", files.problems.len() + loaded.problems.len());
    let program = &loaded.program;
    let options = CallOptions { calls: Calls::Created, entries: Entries::All };
    let graph = CallGraph::new(program, &options, &mut budget).unwrap();
    lap("calls");
    let edges: usize =
        (0..graph.dispatch_count() as u32).map(|call| graph.dispatch(call).targets.len()).sum();
    println!(
        "{} reachable of {}, {} sites, {} virtual calls with {edges} targets, {} unresolved, {} assumed, {} damaged",
        graph.reachable().len(),
        program.method_count(),
        graph.site_count(),
        graph.dispatch_count(),
        graph.unresolved().len(),
        graph.assumed().len(),
        graph.damaged().len(),
    );
    let throws =
        Throws::new(program, &graph, &ThrowOptions { runtime: set("RUNTIME").is_some() }, &mut budget);
    let throws = throws.unwrap();
    lap("throws");
    let name = set("LABELS").unwrap_or_else(|| "most".to_owned());
    let labels = if name == "none" { Choice::None } else { Choice::Most };
    let options = ExtractOptions { labels, ..ExtractOptions::default() };
    let rsm = extract(program, &graph, &throws, &options, &mut budget).unwrap();
    lap("extract");
    println!(
        "labels {name}: {} components, {} nodes, {} boxes, {} vertices, {} edges, {} labels, {} MB",
        rsm.component_count(),
        rsm.node_count(),
        rsm.box_count(),
        rsm.vertex_count(),
        rsm.edge_count(),
        rsm.label_count(),
        rsm.bytes() >> 20
    );
}
