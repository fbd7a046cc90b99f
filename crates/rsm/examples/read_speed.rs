//! How fast and in how much memory models are read: `read_speed FILE`, or `read_speed EDGES FILE`
//! to generate a file first. `read_speed RULES EXITS FILE.pds` generates a pushdown system.

use loris_base::{Budget, Rng};
use loris_rsm::generate::{LargePds, LargeRsm};
use loris_rsm::{
    DeadEnds, Recovery, Semantics, Stats, read_pdmu_from, read_pds_from, read_rsm_json_within, write_rsm_json,
};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [file]
            if Path::new(file)
                .extension()
                .is_some_and(|extension| extension == "pds" || extension == "pdmu") =>
        {
            read_system(file)
        }
        [file] => read(file),
        [edges, file] => generate(edges.parse()?, file),
        [rules, exits, file] => generate_system(rules.parse()?, exits.parse()?, file),
        _ => Err("usage: read_speed [EDGES] FILE or read_speed RULES EXITS FILE.pds".into()),
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
    let (rsm, _) = read_rsm_json_within(input, &semantics, &mut Budget::unlimited())?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{bytes:.1} MB in {seconds:.3} s, {:.0} MB/s, {}", bytes / seconds, peak());
    eprintln!("{:?}", Stats::of(&rsm));
    Ok(())
}

fn generate_system(rules: usize, exits: usize, file: &str) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(File::create(file)?);
    LargePds { exits, ..LargePds::with_rules(rules) }.write(&mut Rng::new(1), &mut out)?;
    Ok(out.flush()?)
}

fn read_system(file: &str) -> Result<(), Box<dyn Error>> {
    let input = File::open(file)?;
    let bytes = input.metadata()?.len() as f64 / 1e6;
    let mut budget = Budget::unlimited();
    let start = Instant::now();
    let pds = if Path::new(file).extension().is_some_and(|extension| extension == "pdmu") {
        read_pdmu_from(input, &mut budget)?
    } else {
        read_pds_from(input, &mut budget)?
    };
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{bytes:.1} MB in {seconds:.3} s, {:.0} MB/s, {}", bytes / seconds, peak());
    let machine = Instant::now();
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let rules = pds.rules.len();
    let (rsm, _) = pds
        .into_rsm_within(&semantics, Recovery::Procedures, &mut budget)
        .map_err(|stopped| format!("{stopped:?}"))?;
    let (machine, all) = (machine.elapsed().as_secs_f64(), start.elapsed().as_secs_f64());
    eprintln!("a machine in {machine:.3} s, {:.0} MB/s in all, {}", bytes / all, peak());
    let each = rsm.bytes() as f64 / rules as f64;
    eprintln!("{} rules, {each:.1} bytes for each\n{:?}", rules, Stats::of(&rsm));
    Ok(())
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("peak memory not known").to_owned()
}
