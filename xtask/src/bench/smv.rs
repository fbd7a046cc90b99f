//! SMV models: the one published figure (recursive-kripke, section 5.5), how fast states are made
//! and what they take, the rounds of the worklist (section 5.4), and how much of a large recursive
//! program the incremental engine looks at.

use super::{milliseconds, smv_engines};
use crate::lab::{Lab, processor_seconds, root};
use crate::page::Findings;
use crate::stats::{least, median, most};
use anyhow::Context;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Seconds for 5000 states and 4500 properties.
const FIGURE: f64 = 0.1;
/// Millions of states a second.
const SPEED: f64 = 1.0;
/// Bytes a state.
const MEMORY: f64 = 40.0;
/// Seconds for a property of the large program.
const LARGE: f64 = 10.0;

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let mut findings = Findings::default();
    figure(lab, &mut findings)?;
    states(lab, &mut findings)?;
    rounds(lab, &mut findings)?;
    large(lab, &mut findings)?;
    smv_engines::run(lab, &mut findings)?;
    Ok(Some(findings))
}

/// A random module as large as the published one, whole process.
fn figure(lab: &Lab, findings: &mut Findings) -> anyhow::Result<()> {
    let runs = lab.unless_quick(41, 11);
    let (mut data, mut rows, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 1..=3 {
        let model = lab.generate("figure.smv", &format!("smv --seed {seed}"))?;
        let kilobytes = fs::metadata(&model)?.len() as f64 / 1e3;
        let alone: [&OsStr; 5] =
            ["check".as_ref(), model.as_ref(), "-q".as_ref(), "-j".as_ref(), "1".as_ref()];
        let (mut seconds, mut single) = (Vec::new(), Vec::new());
        for run in 0..runs {
            seconds.push(lab.seconds(&alone[..3])?);
            single.push(lab.seconds(&alone)?);
            data.push(format!("{seed},{run},{:.5},{:.5}", seconds[run], single[run]));
        }
        let (middle, middle_single) = (median(&seconds), median(&single));
        rows.push(vec![
            seed.to_string(),
            format!("{kilobytes:.0}"),
            milliseconds(middle),
            milliseconds(middle_single),
        ]);
        all.push(middle);
    }
    findings.table(&["seed", "file, kB", "`loris check`, ms", "with one thread, ms"], &rows);
    findings.data("smv-figure", "seed,run,seconds,seconds_one_thread", &data);
    let worst = most(all);
    let what = "random module, 5000 states, 4500 properties, whole process";
    findings.target(what, "under 0.1 s", format!("{worst:.3} s"), worst < FIGURE);
    Ok(())
}

/// A module of three variables: the whole process, with a property that asks nothing, on one core.
fn states(lab: &Lab, findings: &mut Findings) -> anyhow::Result<()> {
    let sizes = lab.unless_quick([(1_000_000, 7), (10_000_000, 5)], [(100_000, 3), (1_000_000, 3)]);
    let (mut data, mut rows, mut speeds, mut sizes_of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (wanted, runs) in sizes {
        let model = lab.generate("counters.smv", &format!("smv-counters --states {wanted}"))?;
        let info = lab.info(&model)?;
        let (states, edges) = (number(&info, "nodes")?, number(&info, "edges")?);
        let check: Vec<&OsStr> = vec![
            "check".as_ref(),
            model.as_ref(),
            "-p".as_ref(),
            "TRUE".as_ref(),
            "-q".as_ref(),
            "-j".as_ref(),
            "1".as_ref(),
        ];
        let (_, peak) = lab.output(&check)?;
        let bytes = peak * 1_048_576.0 / states;
        let (mut seconds, mut busy) = (Vec::new(), Vec::new());
        for run in 0..runs {
            let before = processor_seconds();
            seconds.push(lab.seconds(&check)?);
            busy.push(processor_seconds() - before);
            data.push(format!("{states},{edges},{run},{:.4},{:.2},{bytes:.1}", seconds[run], busy[run]));
        }
        let speed = states / median(&seconds) / 1e6;
        rows.push(vec![
            format!("{states:.0}"),
            format!("{:.2}", edges / states),
            format!("{:.2}", median(&seconds)),
            format!("{speed:.2}"),
            format!("{:.2}", states / median(&busy) / 1e6),
            format!("{bytes:.1}"),
        ]);
        speeds.push(speed);
        sizes_of.push(bytes);
    }
    findings.table(
        &[
            "states",
            "edges a state",
            "whole process, s",
            "million states/s",
            "of processor time",
            "peak bytes a state",
        ],
        &rows,
    );
    findings.data("smv-states", "states,edges,run,seconds,processor_seconds,peak_bytes_a_state", &data);
    let (speed, bytes) = (least(speeds), most(sizes_of));
    let measured = format!("{speed:.2} million/s at least");
    findings.target("states of three variables, one core", "1 million/s or more", measured, speed >= SPEED);
    let measured = format!("{bytes:.1} bytes a state at most");
    findings.target("the same, peak of the process", "under 40 bytes a state", measured, bytes < MEMORY);
    Ok(())
}

fn number(info: &serde_json::Value, key: &str) -> anyhow::Result<f64> {
    let value = &info["model"][key];
    value.as_f64().or_else(|| info[key].as_f64()).with_context(|| format!("facts without {key}"))
}

/// The rounds of the third level of X4, as the engine reports them.
fn rounds(lab: &Lab, findings: &mut Findings) -> anyhow::Result<()> {
    let model = root().join("examples/smv/fig3_7b.smv");
    let formula = "EF (p & EF (q & EF p))";
    let explain = [
        "check".as_ref(),
        model.as_os_str(),
        "-p".as_ref(),
        formula.as_ref(),
        "--engine".as_ref(),
        "rks-eager".as_ref(),
        "--explain".as_ref(),
    ];
    let (text, _) = lab.output::<&OsStr>(&explain)?;
    let mut lines = text.lines().map(str::trim).filter(|line| line.starts_with("local checks:"));
    let last = lines.next_back().unwrap_or("nothing").to_owned();
    let met = last == "local checks: 14 (rounds 10, 2, 1, 1)";
    findings.target("X4, third level, worklist", "14 local checks, rounds 10, 2, 1, 1", last, met);
    Ok(())
}

/// A program of 2000 modules with 500 locations each.
fn large(lab: &Lab, findings: &mut Findings) -> anyhow::Result<()> {
    let (modules, locations) = lab.unless_quick((2000, 500), (200, 100));
    let words = format!("smv-recursive --modules {modules} --locations {locations} --properties 20 --seed 1");
    let model = lab.generate("large.smv", &words)?;
    let megabytes = fs::metadata(&model)?.len() as f64 / 1e6;
    let (mut data, mut rows) = (Vec::new(), Vec::new());
    let mut incremental = (0.0, 0.0);
    for engine in ["rks-incremental", "rks-eager", "rks-summary"] {
        let checked = lab.check(&model, &["--engine", engine, "-j", "1"])?;
        let seconds: Vec<f64> = checked.answers.iter().map(|answer| answer.seconds).collect();
        let touched: Vec<f64> =
            checked.answers.iter().map(|answer| answer.components.unwrap_or_default() as f64).collect();
        for (place, answer) in checked.answers.iter().enumerate() {
            let touched = answer.components.unwrap_or_default();
            data.push(format!("{engine},{place},{},{touched},{:.6}", answer.verdict, answer.seconds));
        }
        rows.push(vec![
            engine.to_owned(),
            milliseconds(median(&seconds)),
            milliseconds(most(seconds.iter().copied())),
            format!("{:.0}", median(&touched)),
            format!("{:.0}", most(touched.iter().copied())),
        ]);
        if engine == "rks-incremental" {
            incremental = (most(seconds), median(&touched));
        }
    }
    findings.table(&["engine", "median, ms", "most, ms", "modules looked at, median", "most"], &rows);
    findings.data("smv-large", "engine,property,verdict,modules,seconds", &data);
    let whole = lab.seconds::<&OsStr>(&whole(&model))?;
    let (slowest, touched) = incremental;
    let what = format!("{modules} modules of {locations} locations, 20 properties, rks-incremental");
    let measured = format!(
        "{slowest:.2} s a property at most, {touched:.0} modules looked at (median); {whole:.1} s in all with reading {megabytes:.0} MB"
    );
    findings.target(
        &what,
        "looks at what it needs; seconds",
        measured,
        slowest < LARGE && touched < f64::from(modules) / 2.0,
    );
    Ok(())
}

fn whole(model: &Path) -> Vec<&OsStr> {
    vec!["check".as_ref(), model.as_ref(), "--engine".as_ref(), "rks-incremental".as_ref(), "-q".as_ref()]
}
