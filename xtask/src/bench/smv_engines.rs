//! SMV models of others: processor time of `auto` beside the engines that it chooses from, and
//! beside NuSMV.
//!
//! `LORIS_SMV` names a folder with models, which is searched with all folders in it, and `NUSMV`
//! the program; what is not there is skipped.

use crate::lab::{Lab, processor_seconds};
use crate::page::Findings;
use crate::stats::{most, quantile};
use anyhow::Context;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// `auto`, and what it takes turns with.
const ENGINES: [&str; 3] = ["auto", "fixpoint", "bdd"];
/// Faster answers are not compared: ticks are counted in hundredths of seconds.
const LEAST: f64 = 0.05;
/// How much longer `auto` may take than the best engine, and `bdd` than NuSMV.
const RATIO: f64 = 1.5;

/// What became of a model: the time, and how many properties hold and fail. None if it was not
/// decided.
type Decided = Option<(f64, [usize; 2])>;

pub(super) fn run(lab: &Lab, findings: &mut Findings) -> anyhow::Result<()> {
    let Some(folder) = std::env::var_os("LORIS_SMV") else {
        println!("   SKIPPED: LORIS_SMV names no folder with SMV models");
        return Ok(());
    };
    let nusmv = std::env::var_os("NUSMV");
    if nusmv.is_none() {
        println!("   SKIPPED: NUSMV names no program to compare with");
    }
    let limit = lab.unless_quick(20, 2);
    let (mut rows, mut data, mut to_best, mut to_nusmv) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut contradicted = Vec::new();
    for model in models(Path::new(&folder))? {
        let name = model.strip_prefix(&folder).unwrap_or(&model).display().to_string();
        let mut found = Vec::new();
        for engine in ENGINES {
            found.push(by_loris(lab, &model, engine, limit)?);
        }
        found.push(nusmv.as_ref().and_then(|program| by_nusmv(program, &model, limit)));
        let verdicts: Vec<[usize; 2]> = found.iter().flatten().map(|&(_, verdicts)| verdicts).collect();
        if verdicts.windows(2).any(|two| two[0] != two[1]) {
            contradicted.push(name.clone());
        }
        let time = |at: usize| found[at].map(|(seconds, _)| seconds);
        let texts: Vec<String> =
            (0..4).map(|at| time(at).map_or("-".into(), |s| format!("{s:.2}"))).collect();
        data.push(format!("{name},{}", texts.join(",")));
        let best = time(1).into_iter().chain(time(2)).reduce(f64::min);
        let ratio = |of: Option<f64>, to: Option<f64>| {
            of.zip(to).filter(|(of, to)| of.max(*to) >= LEAST).map(|(of, to)| of / to.max(0.01))
        };
        let (ratio_best, ratio_nusmv) = (ratio(time(0), best), ratio(time(2), time(3)));
        to_best.extend(ratio_best);
        to_nusmv.extend(ratio_nusmv);
        let shown = [ratio_best, ratio_nusmv].map(|ratio| ratio.map_or("-".into(), |r| format!("{r:.2}")));
        if ratio_best.is_some() || ratio_nusmv.is_some() {
            rows.push([vec![name], texts, shown.to_vec()].concat());
        }
    }
    let head = ["model", "`auto`, s", "`fixpoint`", "`bdd`", "NuSMV", "`auto` / best", "`bdd` / NuSMV"];
    findings.table(&head, &rows);
    findings.data("smv-engines", "model,auto,fixpoint,bdd,nusmv", &data);
    let wrong = format!("{} {}", contradicted.len(), contradicted.join(" "));
    findings.target("SMV models of others: verdicts", "0 contradicted", wrong, contradicted.is_empty());
    for (what, ratios) in [("`auto` / best engine", to_best), ("`bdd` / NuSMV", to_nusmv)] {
        if !ratios.is_empty() {
            let (worst, usual) = (most(ratios.iter().copied()), quantile(&ratios, 0.95));
            let measured = format!("{worst:.2} at most, 95th percentile {usual:.2}, {} models", ratios.len());
            findings.target(what, "1.5 x", measured, worst <= RATIO);
        }
    }
    Ok(())
}

/// All SMV files of a folder.
fn models(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "smv") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn by_loris(lab: &Lab, model: &Path, engine: &str, limit: u64) -> anyhow::Result<Decided> {
    let timeout = limit.to_string();
    let before = processor_seconds();
    let checked = lab.check_unless_refused(model, &["--engine", engine, "--timeout", &timeout])?;
    let seconds = processor_seconds() - before;
    let Some(checked) = checked else { return Ok(None) };
    let count = |verdict: &str| checked.answers.iter().filter(|answer| answer.verdict == verdict).count();
    let verdicts = [count("holds"), count("fails")];
    let is_decided = !checked.answers.is_empty() && verdicts[0] + verdicts[1] == checked.answers.len();
    Ok(is_decided.then_some((seconds, verdicts)))
}

/// Without counterexamples, in its default order of variables.
fn by_nusmv(program: &OsString, model: &Path, limit: u64) -> Decided {
    let before = processor_seconds();
    let arguments: [&OsStr; 2] = ["-dcx".as_ref(), model.as_ref()];
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let output = child.stdout.take()?;
    let reader = std::thread::spawn(move || std::io::read_to_string(output));
    let end = Instant::now() + Duration::from_secs(limit);
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break Some(status),
            None if Instant::now() >= end => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let text = reader.join().ok()?.ok()?;
    let is = |line: &&str| line.starts_with("-- specification") || line.starts_with("-- invariant");
    let count = |end: &str| text.lines().filter(is).filter(|line| line.trim_end().ends_with(end)).count();
    let verdicts = [count("is true"), count("is false")];
    let seconds = processor_seconds() - before;
    (status?.success() && verdicts != [0, 0]).then_some((seconds, verdicts))
}
