//! One property of a program: the whole process of `loris check` against that of `loris info`,
//! which only reads. Runs take turns, so that what else the machine does meets both.

use super::java::{PROGRAMS, unpack};
use super::milliseconds;
use crate::lab::Lab;
use crate::page::Findings;
use crate::stats::{median, most};

const LIMIT: f64 = 1.5;

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    if !unpack(lab)? {
        return Ok(None);
    }
    let runs = lab.unless_quick(101, 21);
    let (mut data, mut rows, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for program in &PROGRAMS {
        let (info, check) = (program.info(lab), program.check(lab, "single_usedef"));
        let (mut infos, mut checks) = (Vec::new(), Vec::new());
        for run in 0..runs {
            infos.push(lab.seconds(&info)?);
            checks.push(lab.seconds(&check)?);
            data.push(format!("{},{run},{:.6},{:.6}", program.name, infos[run], checks[run]));
        }
        let (info, check) = (median(&infos), median(&checks));
        let ratio = check / info;
        ratios.push(ratio);
        let name = program.name.to_owned();
        rows.push(vec![name, milliseconds(info), milliseconds(check), format!("{ratio:.2}")]);
    }
    let mut findings = Findings::default();
    findings.table(&["program", "`loris info`, ms", "`loris check`, ms", "ratio"], &rows);
    findings.data("process", "program,run,info_seconds,check_seconds", &data);
    let worst = most(ratios);
    let what = "Table 1 programs, one property, whole process, auto / `loris info`";
    findings.target(what, "under 1.5", format!("{worst:.2} at most"), worst < LIMIT);
    Ok(Some(findings))
}
