//! How time and memory grow with the machine: `loris generate large`, 10 exits a component, `auto`.
//!
//! Each measurement is a process of its own with one property, so that no property gets what
//! another has computed. The exponent is fitted to the medians of the seconds of the check; that of
//! the fastest runs stands beside it, since a busy machine lengthens short runs more than long
//! ones, which flatters medians. The target is for the larger of the two. Memory is that of the
//! process.

use super::milliseconds;
use crate::lab::Lab;
use crate::page::Findings;
use crate::stats::{exponent, least, median, most};
use crate::svg::{Lines, Panel, drawing, logarithmic};
use std::ffi::OsStr;
use std::fs;

const PROPERTIES: [&str; 6] =
    ["E F goal", "A G E F goal", "A G (a -> E F goal)", "E G a", "E G (a | b)", "E G !goal"];
/// Edges, and how often each measurement is made.
const SIZES: [(u32, usize); 5] =
    [(100_000, 7), (300_000, 7), (1_000_000, 5), (3_000_000, 3), (10_000_000, 3)];
const LIMIT: f64 = 1.15;

struct Line {
    property: &'static str,
    verdicts: Vec<String>,
    /// edges and seconds
    times: Vec<(f64, f64)>,
    /// the same of the fastest runs
    fastest: Vec<(f64, f64)>,
    /// edges and MiB
    peaks: Vec<(f64, f64)>,
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let sizes = lab.unless_quick(&SIZES[..], &SIZES[..3]);
    let line = |property| Line {
        property,
        verdicts: Vec::new(),
        times: Vec::new(),
        fastest: Vec::new(),
        peaks: Vec::new(),
    };
    let mut lines: Vec<Line> = PROPERTIES.into_iter().map(line).collect();
    let (mut data, mut reading) = (Vec::new(), Vec::new());
    for &(edges, runs) in sizes {
        let model = lab.generate("scaling.rsm", &format!("large --edges {edges} --exits 10 --seed 1"))?;
        let info: [&OsStr; 2] = ["info".as_ref(), model.as_ref()];
        let mut infos = Vec::new();
        for _ in 0..runs {
            infos.push(lab.seconds(&info)?);
        }
        reading.push((f64::from(edges), median(&infos)));
        for line in &mut lines {
            let (mut seconds, mut peak, mut verdict) = (Vec::new(), 0f64, String::new());
            for run in 0..runs {
                let checked = lab.check(&model, &["-p", line.property, "--jobs", "1"])?;
                peak = peak.max(checked.peak);
                for answer in checked.answers {
                    seconds.push(answer.seconds);
                    data.push(format!(
                        "{edges},\"{}\",{run},{},{},{},{:.0}",
                        line.property,
                        answer.verdict,
                        answer.contexts.map_or_else(String::new, |contexts| contexts.to_string()),
                        answer.seconds,
                        checked.peak
                    ));
                    verdict = answer.verdict;
                }
            }
            line.verdicts.push(verdict);
            line.times.push((f64::from(edges), median(&seconds)));
            line.fastest.push((f64::from(edges), least(seconds)));
            line.peaks.push((f64::from(edges), peak));
        }
        fs::remove_file(model)?;
        println!("   {edges} edges");
    }
    Ok(Some(findings(&lines, &reading, &data)))
}

fn findings(lines: &[Line], reading: &[(f64, f64)], data: &[String]) -> Findings {
    let mut findings = Findings::default();
    let mut head: Vec<String> = vec!["property".to_owned(), "verdict".to_owned()];
    head.extend(reading.iter().map(|(edges, _)| format!("{} k edges, ms", edges / 1e3)));
    head.extend(
        ["exponent", "of fastest runs", "check / reading, largest", "peak at the largest, MiB"]
            .map(str::to_owned),
    );
    let mut rows: Vec<Vec<String>> = lines.iter().map(|line| line.row(reading)).collect();
    let mut read = vec!["(reading, `loris info`)".to_owned(), String::new()];
    read.extend(reading.iter().map(|&(_, seconds)| milliseconds(seconds)));
    read.extend([format!("{:.3}", exponent(reading)), String::new(), "1".to_owned(), String::new()]);
    rows.push(read);
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    findings.table(&head, &rows);

    let mut times: Vec<(String, Vec<(f64, f64)>)> =
        lines.iter().map(|line| (line.property.to_owned(), line.times.clone())).collect();
    times.push(("reading".to_owned(), reading.to_vec()));
    let peaks = lines.iter().map(|line| (line.property.to_owned(), line.peaks.clone())).collect();
    let plot = |title: &str, y, series| {
        Panel::Lines(Lines { title: title.to_owned(), x: logarithmic("edges"), y: logarithmic(y), series })
    };
    let panels = [plot("time of the check", "seconds", times), plot("peak memory", "MiB", peaks)];
    findings.plot("scaling", "Time and memory over the number of edges", drawing(&panels, 2));
    findings.data("scaling", "edges,property,run,verdict,contexts,seconds,process_peak_mib", data);

    let decided = lines.iter().all(|line| line.verdicts.iter().all(|verdict| verdict != "unknown"));
    let steepest = most(lines.iter().map(|line| exponent(&line.times)));
    let of_fastest = most(lines.iter().map(|line| exponent(&line.fastest)));
    let told = if decided { "all decided" } else { "some unknown" };
    let largest = most(reading.iter().map(|point| point.0)) / 1e6;
    findings.target(
        &format!("{largest} million edges, 10 exits a component: EF, AG EF, EG"),
        "decided; exponent under 1.15",
        format!("{told}; exponent {steepest:.3} at most, {of_fastest:.3} of fastest runs"),
        decided && steepest.max(of_fastest) < LIMIT,
    );
    findings
}

impl Line {
    fn row(&self, reading: &[(f64, f64)]) -> Vec<String> {
        let mut verdicts = self.verdicts.clone();
        verdicts.dedup();
        let mut row = vec![format!("`{}`", self.property.replace('|', "\\|")), verdicts.join("/")];
        row.extend(self.times.iter().map(|&(_, seconds)| milliseconds(seconds)));
        let last = |points: &[(f64, f64)]| points.last().map_or(f64::NAN, |point| point.1);
        row.push(format!("{:.3}", exponent(&self.times)));
        row.push(format!("{:.3}", exponent(&self.fastest)));
        row.push(format!("{:.2}", last(&self.times) / last(reading)));
        row.push(format!("{:.0}", last(&self.peaks)));
        row
    }
}
