//! Chains of calls with several exits, which need contexts where the random grid does not.

use crate::lab::Lab;
use crate::page::Findings;
use crate::svg::{Lines, Panel, drawing, linear, logarithmic};

const ENGINES: [&str; 5] = ["eager", "ternary", "lazy", "summary", "auto"];
const PROPERTY: &str = "A G (deep -> E F even)";
const TIMEOUT: &str = "10";
/// What does not grow: the depth while exits do, the exits while the depth does.
const DEPTH: u32 = 20;
const EXITS: u32 = 5;

/// Engine by engine, the points of a line.
type Points = Vec<(String, Vec<(f64, f64)>)>;

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let mut findings = Findings::default();
    let mut data = Vec::new();
    let mut panels = Vec::new();
    let most_exits = lab.unless_quick(13, 7);
    let exits: Vec<(u32, u32)> = (2..=most_exits).map(|exits| (exits, DEPTH)).collect();
    let depths: Vec<(u32, u32)> = [5, 10, 20, 40, 80, 160, 320]
        .iter()
        .map(|&depth| (EXITS, depth))
        .take(lab.unless_quick(7, 4))
        .collect();
    let families =
        [("exits", exits, "exits of each component"), ("depth", depths, "calls from first to last")];
    for (family, sizes, label) in families {
        let (mut contexts, mut times): (Points, Points) = (Vec::new(), Vec::new());
        for engine in ENGINES {
            contexts.push((engine.to_owned(), Vec::new()));
            times.push((engine.to_owned(), Vec::new()));
        }
        let mut rows = Vec::new();
        for (exits, depth) in sizes {
            let model =
                lab.generate("chain.rsm", &format!("chain --exits {exits} --depth {depth} --seed 1"))?;
            let grown = if family == "exits" { exits } else { depth };
            let mut row = vec![grown.to_string()];
            for (k, engine) in ENGINES.into_iter().enumerate() {
                let options = ["-p", PROPERTY, "--engine", engine, "--timeout", TIMEOUT, "--memory", "1024"];
                let answer = lab.check_one(&model, &options, lab.unless_quick(3, 1))?;
                data.push(format!(
                    "{family},{exits},{depth},{engine},{},{},{}",
                    answer.verdict,
                    answer.contexts.map_or_else(String::new, |contexts| contexts.to_string()),
                    answer.seconds
                ));
                row.push(if answer.decided() {
                    format!("{}, {}", answer.contexts(), super::milliseconds(answer.seconds))
                } else {
                    "unknown".to_owned()
                });
                if let (true, Some(count)) = (answer.decided(), answer.contexts) {
                    contexts[k].1.push((f64::from(grown), count as f64));
                    times[k].1.push((f64::from(grown), answer.seconds));
                }
            }
            rows.push(row);
        }
        let mut head = vec![family];
        head.extend(ENGINES);
        let kept = if family == "exits" { format!("{DEPTH} calls deep") } else { format!("{EXITS} exits") };
        findings.line(&format!("Growing {family}, {kept}; *contexts, milliseconds of the check*:"));
        findings.table(&head, &rows);
        let x = || if family == "exits" { linear(label) } else { logarithmic(label) };
        let plot = |title: String, y, series| Panel::Lines(Lines { title, x: x(), y, series });
        panels.push(plot(format!("contexts, {kept}"), logarithmic("contexts"), contexts));
        panels.push(plot(format!("time, {kept}"), logarithmic("seconds"), times));
    }
    findings.plot("chain", "Contexts and times on chains of calls", drawing(&panels, 2));
    findings.data("chain", "family,exits,depth,engine,verdict,contexts,seconds", &data);
    Ok(Some(findings))
}
