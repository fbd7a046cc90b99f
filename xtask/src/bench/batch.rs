//! All use-def properties of a program in one process and one thread, against `loris info`.

use super::java::{PROGRAMS, unpack};
use super::milliseconds;
use crate::lab::Lab;
use crate::page::Findings;
use crate::stats::{median, most};
use std::ffi::OsString;

const LIMIT: f64 = 5.0;

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    if !unpack(lab)? {
        return Ok(None);
    }
    let runs = lab.unless_quick(21, 5);
    let (mut data, mut rows, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for program in &PROGRAMS {
        let one_thread = ["--jobs", "1"].map(OsString::from);
        let (info, mut check) = (program.info(lab), program.check(lab, "usedef"));
        check.extend(one_thread.clone());
        let mut options = program.options(lab, "usedef");
        options.extend(one_thread);
        let (mut infos, mut wholes, mut checks) = (Vec::new(), Vec::new(), Vec::new());
        let (mut count, mut fails) = (0, 0);
        for run in 0..runs {
            infos.push(lab.seconds(&info)?);
            wholes.push(lab.seconds(&check)?);
            let answers = lab.check(&program.model(lab), &options)?.answers;
            checks.push(answers.iter().map(|answer| answer.seconds).sum());
            count = answers.len();
            fails = answers.iter().filter(|answer| answer.verdict == "fails").count();
            let (info, whole, check) = (infos[run], wholes[run], checks[run]);
            data.push(format!("{},{count},{run},{info:.6},{whole:.6},{check:.6}", program.name));
        }
        let (info, whole, check) = (median(&infos), median(&wholes), median(&checks));
        ratios.push(whole / info);
        rows.push(vec![
            program.name.to_owned(),
            count.to_string(),
            fails.to_string(),
            milliseconds(info),
            milliseconds(whole),
            milliseconds(check),
            format!("{:.2}", whole / info),
            format!("{:.2}", check / info),
        ]);
    }
    let mut findings = Findings::default();
    let head = [
        "program",
        "properties",
        "fail",
        "`loris info`, ms",
        "whole process, ms",
        "checks alone, ms",
        "process / info",
        "checks / info",
    ];
    findings.table(&head, &rows);
    findings.data("batch", "program,properties,run,info_seconds,process_seconds,checks_seconds", &data);
    let worst = most(ratios);
    let what = "all use-def properties of a program, one process, one thread / `loris info`";
    findings.target(what, "under 5", format!("{worst:.2} at most"), worst < LIMIT);
    Ok(Some(findings))
}
