//! How fast large models are read, and in how much memory: `loris info`, which reads with all
//! cores.
//!
//! Targets for speed are for time on the clock, but for that of one large component beside many
//! small ones, which is for processor time. `loris info` also looks for what runs get to, which
//! counts as reading here.

use crate::lab::{Lab, processor_seconds};
use crate::page::Findings;
use crate::stats::{least, median, most};
use std::ffi::OsStr;
use std::fs;

/// MB/s that RSM JSON and pushdown systems are read at.
const JSON_SPEED: f64 = 150.0;
const PDS_SPEED: f64 = 200.0;
/// The peak of a process, in sizes of its file.
const MEMORY: f64 = 2.0;
/// How fast one large component is read, against many small ones, in processor time.
const ONE_LARGE: f64 = 0.9;

/// A kind of model that is read.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Many,
    One,
    Pds,
}

/// What was measured of a model.
struct Measured {
    kind: Kind,
    /// MB/s by the clock and of processor time
    speed: f64,
    busy: f64,
    share: f64,
}

/// Models and how often each is read.
fn models(lab: &Lab) -> Vec<(Kind, String, usize)> {
    let many = |edges: usize| format!("large --edges {edges} --seed 1");
    let one = |nodes: usize| {
        let edges = 2 * nodes;
        format!("large --edges {edges} --degree 2 --nodes {nodes} --boxes 0 --exits 1 --seed 1")
    };
    let pds = |rules: usize| format!("pds --rules {rules} --seed 1");
    let usual = [
        (Kind::Many, many(2_000_000), 7),
        (Kind::Many, many(10_000_000), 5),
        (Kind::One, one(1_000_000), 7),
        (Kind::Pds, pds(1_000_000), 7),
        (Kind::Pds, pds(3_000_000), 7),
    ];
    let small = [
        (Kind::Many, many(200_000), 3),
        (Kind::Many, many(1_000_000), 3),
        (Kind::One, one(100_000), 3),
        (Kind::Pds, pds(100_000), 3),
        (Kind::Pds, pds(300_000), 3),
    ];
    lab.unless_quick(usual, small).into_iter().collect()
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let (mut data, mut rows, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, command, runs) in models(lab) {
        let file = if kind == Kind::Pds { "large.pds" } else { "large.rsm" };
        let model = lab.generate(file, &command)?;
        let megabytes = fs::metadata(&model)?.len() as f64 / 1e6;
        let info: [&OsStr; 2] = ["info".as_ref(), model.as_ref()];
        let (_, peak) = lab.output(&info)?;
        let peak = peak * 1.048_576;
        let (mut seconds, mut busy) = (Vec::new(), Vec::new());
        for run in 0..runs {
            let before = processor_seconds();
            seconds.push(lab.seconds(&info)?);
            busy.push(processor_seconds() - before);
            let (clock, busy) = (seconds[run], busy[run]);
            data.push(format!("{command},{megabytes:.1},{run},{clock:.4},{busy:.2},{peak:.1}"));
        }
        let measured = Measured {
            kind,
            speed: megabytes / median(&seconds),
            busy: megabytes / median(&busy),
            share: peak / megabytes,
        };
        rows.push(vec![
            format!("`generate {}`", command.trim_end_matches(" --seed 1")),
            format!("{megabytes:.0}"),
            format!("{:.2}", median(&seconds)),
            format!("{:.0}", measured.speed),
            format!("{:.0}", measured.busy),
            format!("{peak:.0}"),
            format!("{:.2}", measured.share),
        ]);
        all.push(measured);
        fs::remove_file(model)?;
    }
    Ok(Some(findings(&rows, &data, &all)))
}

fn findings(rows: &[Vec<String>], data: &[String], all: &[Measured]) -> Findings {
    let mut findings = Findings::default();
    findings.table(
        &[
            "model",
            "file, MB",
            "`loris info`, s",
            "MB/s",
            "MB/s of processor time",
            "peak, MB",
            "peak / file",
        ],
        rows,
    );
    findings.data("reading", "model,file_mb,run,seconds,processor_seconds,peak_mb", data);
    let of = |kind: Kind| all.iter().filter(move |measured| measured.kind == kind);
    let mut speed = |what: &str, kind: Kind, wanted: f64| {
        let speed = least(of(kind).map(|measured| measured.speed));
        let busy = least(of(kind).map(|measured| measured.busy));
        let measured = format!("{speed:.0} MB/s at least, {busy:.0} of processor time");
        findings.target(what, &format!("{wanted:.0} MB/s or more"), measured, speed >= wanted);
    };
    speed("reading RSM JSON", Kind::Many, JSON_SPEED);
    speed("reading `.pds`, procedures recovered", Kind::Pds, PDS_SPEED);
    let share =
        least(of(Kind::One).map(|measured| measured.busy)) / least(of(Kind::Many).map(|many| many.busy));
    findings.target(
        "reading one large component of RSM JSON, processor time",
        &format!("{ONE_LARGE} x the speed of many small ones or more"),
        format!("{share:.2} x"),
        share >= ONE_LARGE,
    );
    let mut memory = |what: &str, pds: bool| {
        let shares = all.iter().filter(|measured| (measured.kind == Kind::Pds) == pds);
        let share = most(shares.map(|measured| measured.share));
        let measured = format!("{share:.2} x the file at most");
        findings.target(what, "under 2 x the file", measured, share < MEMORY);
    };
    memory("reading RSM JSON, peak memory", false);
    memory("reading `.pds`, peak memory", true);
    findings
}
