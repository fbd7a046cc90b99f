//! How many facts a second reachability derives: `cargo run --release -p loris-recursive --example
//! reach_speed -- EDGES EXITS`, a generated machine.

use loris_base::{Budget, Rng};
use loris_recursive::{Direction, Prepared, Reachability};
use loris_rsm::generate::LargeRsm;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse().ok());
    let edges = numbers.next().unwrap_or(1_000_000);
    let exits = numbers.next().unwrap_or(1);
    let machine = LargeRsm { exits_per_component: exits, ..LargeRsm::with_edges(edges) };
    let rsm = machine.to_rsm(&mut Rng::new(1));
    for direction in [Direction::Fewer, Direction::Exits, Direction::Fewer] {
        let search = Reachability { from: rsm.initial(), targets: None, direction };
        let start = std::time::Instant::now();
        let found = Prepared::new(&rsm).reach(&search, &mut Budget::unlimited()).expect("no limit");
        let seconds = start.elapsed().as_secs_f64();
        let reached = found.vertices.iter().filter(|&&reached| reached).count();
        let millions = found.tuples as f64 / seconds / 1e6;
        eprintln!(
            "{direction:?}: {} of {} vertices, {} facts, {seconds:.3} s, {millions:.1} million a second",
            reached,
            rsm.vertex_count(),
            found.tuples
        );
    }
}
