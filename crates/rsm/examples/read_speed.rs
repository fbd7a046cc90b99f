//! How fast and in how much memory models are read: `read_speed FILE`, or `read_speed EDGES FILE` to
//! generate a file first.

use loris_base::Rng;
use loris_rsm::generate::LargeRsm;
use loris_rsm::{DeadEnds, Semantics, Stats, read_rsm_json, write_rsm_json};
use std::error::Error;
use std::fs::File;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [file] => read(file),
        [edges, file] => generate(edges.parse()?, file),
        _ => Err("usage: read_speed [EDGES] FILE".into()),
    }
}

fn generate(edges: usize, file: &str) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let rsm = LargeRsm::with_edges(edges).to_rsm(&mut Rng::new(1));
    eprintln!("generated in {:.2} s, {}", start.elapsed().as_secs_f64(), peak());
    let start = Instant::now();
    write_rsm_json(&rsm, &mut File::create(file)?)?;
    eprintln!("written in {:.2} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn read(file: &str) -> Result<(), Box<dyn Error>> {
    let input = File::open(file)?;
    let bytes = input.metadata()?.len() as f64 / 1e6;
    let start = Instant::now();
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let (rsm, _) = read_rsm_json(input, &semantics)?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{bytes:.1} MB in {seconds:.3} s, {:.0} MB/s, {}", bytes / seconds, peak());
    eprintln!("{:?}", Stats::of(&rsm));
    Ok(())
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("peak memory not known").to_owned()
}
