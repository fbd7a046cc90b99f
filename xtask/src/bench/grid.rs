//! Section 7.2 of lazy-rsm: 50 random machines against 50 random formulas.
//!
//! Machine `i` is `loris generate rsm --paper i --seed i`. Formulas are the published ones where
//! they are at hand, else generated with the published depth. One process for each machine and
//! engine, one thread; the time of a cell is what the engine reports, memory is the peak of the
//! process, reading included, which bounds that of its cells.

use super::milliseconds;
use crate::lab::{Answer, Lab};
use crate::page::Findings;
use crate::stats::{median, most};
use crate::svg::{Heat, Panel, drawing, linear};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

const SIDE: u32 = 50;
/// Engines with their limits in seconds; all have 1 GiB.
const ENGINES: [(&str, &str); 4] = [("auto", "1"), ("lazy", "10"), ("summary", "10"), ("eager", "10")];
const MEMORY: f64 = 1024.0;

struct Cell {
    i: u32,
    j: u32,
    answer: Answer,
}

struct Column {
    engine: &'static str,
    limit: &'static str,
    cells: Vec<Cell>,
    peak: f64,
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let formulas = formulas(lab)?;
    let column = |(engine, limit)| Column { engine, limit, cells: Vec::new(), peak: 0.0 };
    let mut columns: Vec<Column> = ENGINES.into_iter().map(column).collect();
    let mut data = Vec::new();
    for i in (1..=SIDE).filter(|i| !lab.quick || i % 10 == 0) {
        let model = lab.generate("grid.rsm", &format!("rsm --paper {i} --seed {i}"))?;
        for column in &mut columns {
            let memory = MEMORY.to_string();
            let mut options: Vec<OsString> = Vec::new();
            for file in &formulas {
                options.extend(["-f".into(), file.clone().into()]);
            }
            let limits = ["--engine", column.engine, "--timeout", column.limit, "--memory", &memory];
            options.extend(limits.iter().chain(&["--jobs", "1", "--unknown-atoms", "false"]).map(Into::into));
            let checked = lab.check(&model, &options)?;
            column.peak = column.peak.max(checked.peak);
            for (j, answer) in (1..=SIDE).zip(checked.answers) {
                let Answer { verdict, engine, reason, seconds, .. } = &answer;
                let contexts = answer.contexts.map_or_else(String::new, |contexts| contexts.to_string());
                let reason = reason.replace(',', ";");
                data.push(format!(
                    "{i},{j},{},{verdict},{engine},{contexts},{seconds},{:.0},{reason}",
                    column.engine, checked.peak
                ));
                column.cells.push(Cell { i, j, answer });
            }
        }
        println!("   machine {i} of {SIDE}");
    }
    let mut findings = Findings::default();
    let rows: Vec<Vec<String>> = columns.iter().map(Column::row).collect();
    let head = [
        "engine",
        "limit, s",
        "decided",
        "more than one context",
        "median, ms",
        "slowest, ms",
        "sum, s",
        "peak, MiB",
    ];
    findings.table(&head, &rows);
    findings.line(&comparison(&columns));
    let panels: Vec<Panel> = columns.iter().map(|column| Panel::Heat(column.heat())).collect();
    findings.plot("grid", "Time of each cell of the grid, engine by engine", drawing(&panels, 2));
    let names = "machine,formula,engine,verdict,decided_by,contexts,seconds,process_peak_mib,reason";
    findings.data("grid", names, &data);
    targets(&mut findings, &columns);
    Ok(Some(findings))
}

/// A file for each formula; what is missing or empty is generated.
pub(super) fn formulas(lab: &Lab) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for j in 1..=SIDE {
        let published = lab.published.as_ref().map(|folder| folder.join(format!("random-ctl/{j}.ctl")));
        let text = published.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        let file = lab.file(&format!("{j}.ctl"));
        if text.trim().is_empty() {
            lab.generate(&format!("{j}.ctl"), &format!("ctl --depth {} --seed {j}", j / 9))?;
        } else {
            fs::write(&file, text)?;
        }
        files.push(file);
    }
    Ok(files)
}

impl Column {
    fn seconds(&self) -> Vec<f64> {
        self.cells.iter().map(|cell| cell.answer.seconds).collect()
    }

    fn decided(&self) -> usize {
        self.cells.iter().filter(|cell| cell.answer.decided()).count()
    }

    fn slowest(&self) -> f64 {
        most(self.seconds())
    }

    fn row(&self) -> Vec<String> {
        let seconds = self.seconds();
        let several = self.cells.iter().filter(|cell| cell.answer.contexts.is_some_and(|n| n > 1)).count();
        vec![
            self.engine.to_owned(),
            self.limit.to_owned(),
            format!("{} of {}", self.decided(), self.cells.len()),
            several.to_string(),
            milliseconds(median(&seconds)),
            milliseconds(self.slowest()),
            format!("{:.2}", seconds.iter().sum::<f64>()),
            format!("{:.0}", self.peak),
        ]
    }

    fn heat(&self) -> Heat {
        let value = |answer: &Answer| answer.decided().then_some(answer.seconds.max(1e-6));
        Heat {
            title: self.engine.to_owned(),
            x: linear("size of the machine, i"),
            y: linear("number of the formula, j"),
            cells: self.cells.iter().map(|cell| (cell.i, cell.j, value(&cell.answer))).collect(),
            side: SIDE,
            decades: (-5, 1),
            unit: "s",
        }
    }
}

/// Engines against each other: times as ratios, verdicts that differ.
fn comparison(columns: &[Column]) -> String {
    let ratio = |a: &Column, b: &Column| {
        let ratios: Vec<f64> = a
            .cells
            .iter()
            .zip(&b.cells)
            .map(|(a, b)| a.answer.seconds / b.answer.seconds.max(1e-6))
            .collect();
        let sums = a.seconds().iter().sum::<f64>() / b.seconds().iter().sum::<f64>();
        format!(
            "`{}` takes {sums:.2} times as long as `{}` in all, {:.2} times in the median cell",
            a.engine,
            b.engine,
            median(&ratios)
        )
    };
    let [auto, lazy, summary, eager] = columns else { return String::new() };
    let differ = (0..auto.cells.len())
        .filter(|&k| {
            let mut verdicts: Vec<&str> =
                columns.iter().map(|column| column.cells[k].answer.verdict.as_str()).collect();
            verdicts.retain(|verdict| *verdict != "unknown");
            verdicts.dedup();
            verdicts.len() > 1
        })
        .count();
    let together = [ratio(eager, lazy), ratio(eager, auto), ratio(summary, auto), ratio(lazy, auto)];
    let looked = auto.cells.iter().filter(|cell| cell.answer.engine == "lazy").count();
    format!(
        "{}. `auto` decides {looked} of {} cells by its three-valued look, the others by summaries. Cells in \
         which engines differ in their verdict: {differ}.",
        together.join("; "),
        auto.cells.len()
    )
}

fn targets(findings: &mut Findings, columns: &[Column]) {
    for (column, limit) in columns.iter().zip([1.0, 10.0]) {
        let decided = column.decided() == column.cells.len();
        let met = decided && column.slowest() <= limit && column.peak <= MEMORY;
        findings.target(
            &format!("{SIDE} x {SIDE} random grid, {}", column.engine),
            &format!("all decided, none over {limit} s or 1 GiB"),
            format!(
                "{} of {} decided, slowest {:.3} s, peak {:.0} MiB",
                column.decided(),
                column.cells.len(),
                column.slowest(),
                column.peak
            ),
            met,
        );
    }
}
