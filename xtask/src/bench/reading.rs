//! How fast large machines are read, and in how much memory: `loris info`, which uses one thread.
//!
//! The target is for time on the clock; processor time stands beside it and tells whether the process had
//! its core to itself.

use crate::lab::{Lab, processor_seconds};
use crate::page::Findings;
use crate::stats::{least, median, most};
use std::ffi::OsStr;
use std::fs;

const SPEED: f64 = 150.0;
const MEMORY: f64 = 2.0;

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let sizes = lab.unless_quick([(2_000_000, 7), (10_000_000, 5)], [(200_000, 3), (1_000_000, 3)]);
    let (mut data, mut rows, mut speeds, mut shares) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (edges, runs) in sizes {
        let model = lab.generate("large.rsm", &format!("large --edges {edges} --seed 1"))?;
        let megabytes = fs::metadata(&model)?.len() as f64 / 1e6;
        let info: [&OsStr; 2] = ["info".as_ref(), model.as_ref()];
        let (_, peak) = lab.output(&info)?;
        let peak = peak * 1.048_576;
        let (mut seconds, mut busy) = (Vec::new(), Vec::new());
        for run in 0..runs {
            let before = processor_seconds();
            seconds.push(lab.seconds(&info)?);
            busy.push(processor_seconds() - before);
            data.push(format!("{edges},{megabytes:.1},{run},{:.4},{:.2},{peak:.1}", seconds[run], busy[run]));
        }
        let speed = megabytes / median(&seconds);
        speeds.push(speed);
        shares.push(peak / megabytes);
        rows.push(vec![
            edges.to_string(),
            format!("{megabytes:.0}"),
            format!("{:.2}", median(&seconds)),
            format!("{speed:.0}"),
            format!("{:.0}", megabytes / median(&busy)),
            format!("{peak:.0}"),
            format!("{:.2}", peak / megabytes),
        ]);
        fs::remove_file(model)?;
    }
    let mut findings = Findings::default();
    findings.table(
        &[
            "edges",
            "file, MB",
            "`loris info`, s",
            "MB/s",
            "MB/s of processor time",
            "peak, MB",
            "peak / file",
        ],
        &rows,
    );
    findings.data("reading", "edges,file_mb,run,seconds,processor_seconds,peak_mb", &data);
    let (speed, share) = (least(speeds), most(shares));
    let measured = format!("{speed:.0} MB/s at least");
    findings.target("reading RSM JSON, one core", "150 MB/s or more", measured, speed >= SPEED);
    let measured = format!("{share:.2} x the file at most");
    findings.target("reading RSM JSON, peak memory", "under 2 x the file", measured, share < MEMORY);
    Ok(Some(findings))
}
