//! Families of parallel components: properties of one part, of two parts, and `AG EF`, with more
//! and more parts, beside mCRL2.

use super::mcrl2;
use super::milliseconds;
use crate::lab::{Answer, Lab, processor_seconds};
use crate::page::Findings;
use crate::stats::{least, most};
use anyhow::Context;
use std::fs;
use std::path::Path;

/// How many times less processor time than mCRL2 takes, at eight parts.
const TIMES: f64 = 100.0;
/// Processor seconds for a property at 32 parts.
const SECONDS: f64 = 10.0;
/// Times that the check of a property of one part may take longer with 64 parts than with 8: some
/// tables are as long as the list of parts.
const GROWTH: f64 = 64.0 / 8.0;
const PROPERTIES: [&str; 3] = ["one part", "two parts", "AG EF"];

/// A family, and the processor seconds of mCRL2 (`lps2lts` and `pbessolve`) with eight parts for
/// the three properties, measured once on another machine. It does not end with eight parts of a
/// star; of Milner's scheduler there is no figure.
struct Family {
    name: &'static str,
    mcrl2: Option<[f64; 3]>,
}

const FAMILIES: [Family; 6] = [
    Family { name: "counters", mcrl2: Some([23.0, 24.0, 33.0]) },
    Family { name: "token-ring", mcrl2: Some([20.0, 19.0, 37.0]) },
    Family { name: "chain", mcrl2: Some([32.0, 49.0, 12.0]) },
    Family { name: "philosophers", mcrl2: Some([19.0, 14.0, 25.0]) },
    Family { name: "star", mcrl2: None },
    Family { name: "milner", mcrl2: None },
];

/// One property with one number of parts.
struct Row {
    family: &'static str,
    size: usize,
    /// an index into `PROPERTIES`
    property: usize,
    /// processor seconds of a process of `auto`, with reading
    seconds: f64,
    auto: Answer,
    composed: Answer,
    /// processor seconds of mCRL2, on another machine and in this run
    mcrl2: [Option<f64>; 2],
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let sizes: &[usize] = lab.unless_quick(&[8, 32, 64], &[8, 32]);
    let runs = lab.unless_quick(10, 2);
    let is_there = mcrl2::is_there();
    let mut rows = Vec::new();
    for family in &FAMILIES {
        for &size in sizes {
            let words = format!("parts {} --parts {size}", family.name);
            let folder = lab.generate(&format!("{}-{size}", family.name), &words)?;
            for (property, text) in properties(&folder)?.iter().enumerate() {
                let (auto, composed, seconds) = measure(lab, &folder, text, runs)?;
                let published = family.mcrl2.filter(|_| size == 8).map(|figures| figures[property]);
                let is_measured = is_there && size == 8;
                let again = if is_measured { mcrl2::seconds(lab, family.name, size, text)? } else { None };
                let mcrl2 = [published, again];
                rows.push(Row { family: family.name, size, property, seconds, auto, composed, mcrl2 });
            }
        }
    }
    let mut findings = Findings::default();
    let head = [
        "family",
        "parts",
        "property",
        "verdict",
        "decided by",
        "process, s of processor time",
        "check, ms",
        "products of `compositional`",
        "their nodes",
        "mCRL2, published, s",
        "mCRL2, this run, s",
    ];
    let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
    findings.table(&head, &cells);
    let columns = "family,parts,property,verdict,engine,processor_seconds,check_milliseconds,products,\
                   product_nodes,mcrl2_published_seconds,mcrl2_seconds";
    let data: Vec<String> = cells.iter().map(|cells| cells.join(",")).collect();
    findings.data("families", columns, &data);
    targets(&rows, is_there, &mut findings);
    Ok(Some(findings))
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let dash = || "–".to_owned();
        let count = |key| self.composed.counter(key).map_or_else(dash, |count| count.to_string());
        let figure = |figure: Option<f64>| figure.map_or_else(dash, |seconds| format!("{seconds:.0}"));
        vec![
            self.family.to_owned(),
            self.size.to_string(),
            PROPERTIES[self.property].to_owned(),
            self.auto.verdict.clone(),
            self.auto.engine.clone(),
            format!("{:.3}", self.seconds),
            milliseconds(self.auto.seconds),
            count("products"),
            count("product_nodes"),
            figure(self.mcrl2[0]),
            figure(self.mcrl2[1]),
        ]
    }

    fn is_local(&self) -> bool {
        self.property == 0
    }
}

fn targets(rows: &[Row], is_there: bool, findings: &mut Findings) {
    let local = || rows.iter().filter(|row| row.is_local());
    let made: u64 = local().map(|row| row.composed.counter("products").unwrap_or(1)).sum();
    let what = "families, properties of one part";
    findings.target(&format!("{what}: products built"), "none", made.to_string(), made == 0);
    let largest = rows.iter().map(|row| row.size).max();
    let growth = local().filter(|row| Some(row.size) == largest).filter_map(|row| {
        let first = local().find(|first| first.family == row.family)?;
        Some(row.auto.seconds / first.auto.seconds)
    });
    let worst = most(growth);
    findings.target(
        &format!("{what}: check with 64 parts / with 8"),
        "under 8",
        format!("{worst:.1} at most"),
        worst < GROWTH,
    );
    let global = || rows.iter().filter(|row| !row.is_local());
    let times = global().filter_map(|row| Some(row.mcrl2[1].or(row.mcrl2[0])? / row.seconds.max(0.001)));
    let worst = least(times);
    let whose = if is_there { "mCRL2 in this run" } else { "mCRL2's published figures" };
    findings.target(
        &format!("families, 8 parts, two parts and AG EF: processor time against {whose}"),
        "100 × less or better",
        format!("{worst:.0} × less at least"),
        worst >= TIMES,
    );
    let worst = most(global().filter(|row| row.size == 32).map(|row| row.seconds));
    findings.target(
        "families, 32 parts, two parts and AG EF: process",
        "under 10 s of processor time",
        format!("{worst:.2} s at most"),
        worst < SECONDS && global().all(|row| row.auto.decided()),
    );
}

/// The names of the families.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|family| family.name)
}

/// The three properties that come with a composition.
pub(super) fn properties(folder: &Path) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(folder.join("properties.mu"))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(['#', '%', '-']));
    let found: Vec<String> = lines.map(str::to_owned).collect();
    (found.len() == PROPERTIES.len()).then_some(found).context("a family has three properties")
}

/// The answers of `auto` and of `compositional`, and the processor seconds of a process of `auto`.
fn measure(lab: &Lab, folder: &Path, property: &str, runs: usize) -> anyhow::Result<(Answer, Answer, f64)> {
    let model = folder.join("composition.par");
    let file = lab.file("property.mu");
    fs::write(&file, property)?;
    let ask = |more: &[&str]| -> anyhow::Result<Answer> {
        let mut options = vec!["-f".into(), file.clone().into_os_string()];
        options.extend(["-j", "1"].iter().chain(more).map(Into::into));
        let checked = lab.check(&model, &options)?;
        checked.answers.into_iter().next().context("a check without results")
    };
    let composed = ask(&["--engine", "compositional", "--timeout", "5"])?;
    let mut auto = ask(&["--timeout", "60"])?;
    let before = processor_seconds();
    for _ in 0..runs {
        let again = ask(&["--timeout", "60"])?;
        if again.seconds < auto.seconds {
            auto = again;
        }
    }
    let seconds = (processor_seconds() - before) / runs as f64;
    Ok((auto, composed, seconds))
}
