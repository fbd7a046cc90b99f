//! All rules on Java programs, whole processes of `loris java`. The programs are archives or
//! folders of class files in the folder that the variable `LORIS_JARS` names; none is in the
//! repository.

use super::milliseconds;
use crate::lab::Lab;
use crate::page::Findings;
use crate::stats::{median, most};
use anyhow::Context;
use serde_json::Value;
use std::ffi::OsString;
use std::time::Instant;

/// Seconds for one program of some twenty thousand methods.
const LIMIT: f64 = 10.0;
/// Programs with more methods are measured and not counted.
const METHODS: u64 = 25_000;

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let Some(folder) = std::env::var_os("LORIS_JARS") else {
        println!("   SKIPPED: LORIS_JARS names no folder with Java programs");
        return Ok(None);
    };
    let mut programs: Vec<_> = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    programs.sort();
    let runs = lab.unless_quick(3, 1);
    let (mut rows, mut data, mut counted) = (Vec::new(), Vec::new(), Vec::new());
    for program in &programs {
        let name = program.file_name().unwrap_or_default().display().to_string();
        // findings make the exit status 1: a baseline that knows them all makes it 0
        let baseline = lab.file("baseline.txt");
        let mut first: Vec<OsString> = vec!["java".into(), program.into(), "--all".into()];
        first.extend(["--write-baseline".into(), baseline.clone().into(), "--timeout".into(), "600".into()]);
        let _ = lab.seconds(&first);
        let mut arguments: Vec<OsString> = vec!["java".into(), program.into(), "--all".into()];
        arguments.extend(["--baseline".into(), baseline.into(), "--format".into(), "json".into()]);
        let (mut seconds, mut peak, mut facts) = (Vec::new(), 0f64, (0, 0));
        for run in 0..runs {
            let start = Instant::now();
            let (text, memory) = lab.output(&arguments)?;
            let took = start.elapsed().as_secs_f64();
            let report: Value = serde_json::from_str(&text)?;
            let number = |value: &Value| value.as_u64().unwrap_or(0);
            facts = (number(&report["program"]["methods"]), number(&report["summary"]["suppressed"]));
            peak = peak.max(memory);
            seconds.push(took);
            data.push(format!("{name},{},{},{run},{took},{memory:.0}", facts.0, facts.1));
        }
        let took = median(&seconds);
        if facts.0 <= METHODS {
            counted.push(took);
        }
        let (methods, found) = (facts.0.to_string(), facts.1.to_string());
        rows.push(vec![name, methods, found, milliseconds(took), format!("{peak:.0}")]);
    }
    let mut findings = Findings::default();
    findings.table(&["program", "methods", "findings", "ms", "peak, MiB"], &rows);
    findings.data("rules", "program,methods,findings,run,seconds,process_peak_mib", &data);
    if !counted.is_empty() {
        let worst = most(counted);
        let what = format!("all rules, programs of up to {METHODS} methods");
        findings.target(&what, "under 10 s", format!("{worst:.1} s at most"), worst < LIMIT);
    }
    Ok(Some(findings))
}
