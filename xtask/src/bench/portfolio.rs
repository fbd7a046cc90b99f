//! How much longer `auto` takes on parallel processes than the engine that is best for a question:
//! processor time, on nets of the contest and on families.

use super::contest;
use super::families;
use crate::lab::{Answer, Lab, processor_seconds};
use crate::page::Findings;
use crate::stats::{median, most, quantile};
use anyhow::Context;
use std::fs;
use std::path::Path;

const ENGINES: [&str; 3] = ["game", "compositional", "mdd"];
/// Seconds for a question.
const PATIENCE: &str = "5";
/// Megabytes for a question.
const MEMORY: &str = "4096";
/// Formulas of each net, at most; all nets take part.
const EACH: usize = 3;
/// Families, with this many parts.
const PARTS: [usize; 3] = [8, 32, 64];
/// What is faster is not compared in the worst case: starting a process is most of it.
const WORTH: f64 = 0.1;
/// Times that `auto` takes as long as the best engine: in the worst case, and for all but five of a
/// hundred questions.
const TARGETS: (f64, f64) = (3.0, 1.5);

/// A question with the processor seconds of `auto` and of the best engine, none where no engine
/// decides.
struct Row {
    name: String,
    auto: Option<f64>,
    best: Option<(f64, &'static str)>,
    by: String,
    is_wrong: bool,
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let models = contest::models(lab)?;
    if models.is_empty() {
        return Ok(None);
    }
    let mut rows = Vec::new();
    for model in &models {
        let formulas = contest::formulas(model)?;
        // other ones of each net, so that all kinds of formulas take part
        let first = rows.len() % formulas.len().max(1);
        let chosen = formulas.iter().cycle().skip(first).step_by(7).take(EACH.min(formulas.len()));
        for formula in chosen {
            let expected = Some(formula.expected);
            rows.push(measure(lab, &formula.name, &model.join("net.json"), &formula.text, expected)?);
        }
        println!("   {}: {} questions so far", contest::name(model), rows.len());
    }
    let sizes: &[usize] = lab.unless_quick(&PARTS, &PARTS[..1]);
    for family in families::names() {
        for size in sizes {
            let folder =
                lab.generate(&format!("{family}-{size}"), &format!("parts {family} --parts {size}"))?;
            for text in families::properties(&folder)? {
                let name = format!("{family}-{size} {text}");
                rows.push(measure(lab, &name, &folder.join("composition.par"), &text, None)?);
            }
        }
    }
    Ok(Some(found(&rows)))
}

/// The answer of an engine, with the processor seconds of the process.
fn ask(lab: &Lab, model: &Path, text: &str, engine: &str) -> anyhow::Result<(Answer, f64)> {
    let file = lab.file("portfolio.ctl");
    fs::write(&file, format!("{text}\n"))?;
    let mut options = vec!["-f".into(), file.into_os_string()];
    let more = ["-j", "1", "--timeout", PATIENCE, "--memory", MEMORY, "--engine", engine];
    options.extend(more.iter().map(Into::into));
    let before = processor_seconds();
    let answer = lab.check(model, &options)?.answers.into_iter().next().context("a check without results")?;
    Ok((answer, processor_seconds() - before))
}

fn measure(lab: &Lab, name: &str, model: &Path, text: &str, expected: Option<&str>) -> anyhow::Result<Row> {
    let (auto, seconds) = ask(lab, model, text, "auto")?;
    let mut verdicts = vec![auto.verdict.clone()];
    let mut best: Option<(f64, &'static str)> = None;
    // where `auto` takes hardly any time, there is nothing to gain
    if !auto.decided() || seconds >= WORTH / 2.0 {
        for engine in ENGINES {
            let (answer, seconds) = ask(lab, model, text, engine)?;
            if answer.decided() && best.is_none_or(|(least, _)| seconds < least) {
                best = Some((seconds, engine));
            }
            verdicts.push(answer.verdict);
        }
    } else {
        best = Some((seconds, "auto"));
    }
    verdicts.retain(|verdict| verdict != "unknown");
    let is_wrong = verdicts.iter().any(|verdict| expected.is_some_and(|expected| expected != verdict))
        || verdicts.windows(2).any(|pair| pair[0] != pair[1]);
    if is_wrong {
        println!("!!! {name}: engines find {}", verdicts.join(", "));
    }
    let auto = auto.decided().then_some((auto.engine, seconds));
    let by = auto.as_ref().map_or_else(|| "–".to_owned(), |(by, _)| by.clone());
    Ok(Row { name: name.to_owned(), auto: auto.map(|(_, seconds)| seconds), best, by, is_wrong })
}

impl Row {
    /// How many times as long `auto` takes; hundredths of a second are the least that is measured.
    fn times(&self) -> Option<f64> {
        let ((best, _), auto) = (self.best?, self.auto?);
        Some(auto.max(0.01) / best.max(0.01))
    }

    fn is_long(&self) -> bool {
        self.auto.into_iter().chain(self.best.map(|(best, _)| best)).any(|seconds| seconds > WORTH)
    }
}

fn found(rows: &[Row]) -> Findings {
    let times: Vec<f64> = rows.iter().filter_map(Row::times).collect();
    let long: Vec<f64> = rows.iter().filter(|row| row.is_long()).filter_map(Row::times).collect();
    let lost = rows.iter().filter(|row| row.auto.is_none() && row.best.is_some()).count();
    let open = rows.iter().filter(|row| row.auto.is_none() && row.best.is_none()).count();
    let wrong = rows.iter().filter(|row| row.is_wrong).count();
    let shown = |value: f64| if value.is_finite() { format!("{value:.2}") } else { "–".to_owned() };
    let (worst, high) = (most(long.iter().copied()), quantile(&times, 0.95));
    let mut findings = Findings::default();
    findings.table(
        &[
            "questions",
            "undecided",
            "decided by one engine, not by `auto`",
            "`auto` / best, 95th percentile",
            "above 0.1 s: questions",
            "median",
            "95th percentile",
            "worst",
            "contradicted",
        ],
        &[vec![
            rows.len().to_string(),
            open.to_string(),
            lost.to_string(),
            shown(high),
            long.len().to_string(),
            shown(median(&long)),
            shown(quantile(&long, 0.95)),
            shown(worst),
            wrong.to_string(),
        ]],
    );
    let figure = |seconds: Option<f64>| seconds.map_or(String::new(), |seconds| format!("{seconds:.2}"));
    let data: Vec<String> = rows
        .iter()
        .map(|row| {
            let (best, engine) = row.best.map_or((None, ""), |(best, engine)| (Some(best), engine));
            let name = row.name.replace(',', ";");
            format!("{name},{},{},{},{engine}", figure(row.auto), row.by, figure(best))
        })
        .collect();
    findings.data("portfolio", "question,auto_seconds,decided_by,best_seconds,best", &data);
    let what = "parallel processes, processor time of `auto` / best engine";
    findings.target(&format!("{what}, above 0.1 s, worst"), "3 or less", shown(worst), {
        lost == 0 && worst <= TARGETS.0
    });
    findings.target(&format!("{what}, 95th percentile"), "1.5 or less", shown(high), high <= TARGETS.1);
    findings
}
