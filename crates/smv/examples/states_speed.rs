//! How fast states are made, and what they take:
//! `cargo run --release -p loris-smv --example states_speed -- model.smv`.

use loris_base::Budget;
use loris_smv::{Labels, Limits, build, read_smv};
use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("a model");
    let text = std::fs::read_to_string(path).expect("a file");
    let start = Instant::now();
    let (smv, _) = read_smv(&text).unwrap_or_else(|problems| panic!("{:?}", problems.sorted()));
    let read = start.elapsed().as_secs_f64();
    let program = smv.program();
    let properties: Vec<_> = program.properties.iter().collect();
    let start = Instant::now();
    let built = build(program, &properties, Labels::Needed, &Limits::default(), &mut Budget::unlimited());
    let built = built.unwrap_or_else(|stopped| panic!("{stopped:?}"));
    let seconds = start.elapsed().as_secs_f64();
    let (nodes, edges, bytes) = (built.rsm.node_count(), built.rsm.edge_count(), built.rsm.bytes());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("").to_owned();
    #[expect(clippy::print_stdout, reason = "an example")]
    {
        println!(
            "read {read:.4} s; {nodes} nodes, {edges} edges in {seconds:.4} s: {:.2} M/s",
            nodes as f64 / seconds / 1e6
        );
        println!("{:.1} bytes a node; {peak}", bytes as f64 / nodes as f64);
    }
}
