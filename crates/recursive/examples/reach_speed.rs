//! How many facts a second reachability derives: `cargo run --release -p loris-recursive --example
//! reach_speed -- RULES EXITS`, a generated pushdown system, read from its text.

use loris_base::{Budget, Rng};
use loris_recursive::{ExploreDirection, PATIENCE, Prepared, Reachability};
use loris_rsm::generate::LargePds;
use loris_rsm::{DeadEnds, Recovery, Semantics, read_pds};
use std::time::Instant;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse().ok());
    let rules = numbers.next().unwrap_or(1_000_000);
    let exits = numbers.next().unwrap_or(1);
    let mut text = Vec::new();
    LargePds { exits, ..LargePds::with_rules(rules) }
        .write(&mut Rng::new(1), &mut text)
        .expect("writes to memory");
    let text = String::from_utf8(text).expect("ASCII");
    let start = Instant::now();
    let pds = read_pds(&text).expect("well-formed");
    let (rules, read) = (pds.rules.len(), start.elapsed().as_secs_f64());
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let (rsm, _) = pds.to_rsm(&semantics, &Recovery::Procedures).expect("a machine");
    eprintln!(
        "{rules} rules, {} MB read in {read:.2} s, {:.2} s to a machine: {} components, {} vertices, {} edges, theta {}",
        text.len() / 1_000_000,
        start.elapsed().as_secs_f64() - read,
        rsm.component_count(),
        rsm.vertex_count(),
        rsm.edge_count(),
        rsm.theta()
    );
    let times = numbers.next().unwrap_or(3);
    for direction in std::iter::repeat_n(ExploreDirection::Fewer, times) {
        let search = Reachability { from: rsm.initial(), targets: None, direction, patience: PATIENCE };
        let start = Instant::now();
        let found = Prepared::new(&rsm).reach(&search, &mut Budget::unlimited()).expect("no limit");
        let seconds = start.elapsed().as_secs_f64();
        let reached = found.vertices.iter().filter(|&&reached| reached).count();
        let millions = found.tuples as f64 / seconds / 1e6;
        eprintln!(
            "{direction:?}: {reached} vertices, {} facts, {seconds:.3} s, {millions:.1} million a second",
            found.tuples
        );
    }
}
