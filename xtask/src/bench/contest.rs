//! The nets of the Model Checking Contest that are cut into processes, with the verdicts that its
//! tools agreed on: how many formulas are decided, and how large the products of processes are.

use super::java::unzip;
use crate::lab::{Answer, Lab};
use crate::page::Findings;
use crate::stats::{median, most, quantile};
use anyhow::Context;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Percent of the formulas that `auto` decides within the limits.
const DECIDED: f64 = 90.0;
/// Product nodes in percent of the nodes of the full game: the median, and the most.
const NODES: (f64, f64) = (5.0, 150.0);
/// Megabytes for each model.
const MEMORY: &str = "4096";
/// Seconds for a formula at first, and for those that are undecided then.
const PATIENCE: [&str; 2] = ["2", "20"];
/// Seconds for all models of the second benchmark; what does not fit is left out.
const PRODUCTS: f64 = 900.0;

/// A formula of the contest.
pub(super) struct Formula {
    pub(super) name: String,
    pub(super) expected: &'static str,
    pub(super) text: String,
}

/// The models, by name.
pub(super) fn models(lab: &Lab) -> anyhow::Result<Vec<PathBuf>> {
    let Some(published) = &lab.published else { return Ok(Vec::new()) };
    let archive = published.join("mcc-parallel/models.zip");
    if !archive.is_file() {
        return Ok(Vec::new());
    }
    let folder = lab.file("contest");
    fs::create_dir_all(&folder)?;
    unzip(&archive, &folder)?;
    let entries: Result<Vec<PathBuf>, std::io::Error> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut models = entries?;
    models.retain(|model| model.join("net.json").is_file());
    models.sort();
    models.truncate(lab.unless_quick(usize::MAX, 8));
    Ok(models)
}

/// The formulas of a model: a table with names, verdicts and texts.
pub(super) fn formulas(model: &Path) -> anyhow::Result<Vec<Formula>> {
    let text = fs::read_to_string(model.join("formulas.tsv"))?;
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, _, _, verdict, text, ..] = cells[..] else { return None };
        let expected = if verdict == "TRUE" { "holds" } else { "fails" };
        Some(Formula { name: name.to_owned(), expected, text: text.to_owned() })
    };
    let rows: Option<Vec<Formula>> = text.lines().skip(1).map(row).collect();
    rows.with_context(|| format!("the formulas of {} are not a table", model.display()))
}

/// Checks formulas of a model, one after another.
fn answers(lab: &Lab, model: &Path, formulas: &[Formula], options: &[&str]) -> anyhow::Result<Vec<Answer>> {
    let file = lab.file("contest.ctl");
    let texts: Vec<&str> = formulas.iter().map(|formula| formula.text.as_str()).collect();
    fs::write(&file, texts.join("\n") + "\n")?;
    let mut all = vec!["-f".into(), file.into_os_string()];
    all.extend(["-j", "1", "--memory", MEMORY].iter().chain(options).map(Into::into));
    Ok(lab.check(&model.join("net.json"), &all)?.answers)
}

/// The name of a model.
pub(super) fn name(model: &Path) -> String {
    model.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Which formulas `auto` decides.
pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let models = models(lab)?;
    if models.is_empty() {
        return Ok(None);
    }
    let mut data = Vec::new();
    let (mut asked, mut decided, mut wrong, mut seconds) = (0, [0; 2], 0, 0.0);
    let mut undecided: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for model in &models {
        let mut open = formulas(model)?;
        asked += open.len();
        for (round, limit) in PATIENCE.into_iter().enumerate() {
            if open.is_empty() || (lab.quick && round > 0) {
                break;
            }
            let is_last = round + 1 == lab.unless_quick(PATIENCE.len(), 1);
            let found = answers(lab, model, &open, &["--timeout", limit])?;
            let mut left = Vec::new();
            for (formula, answer) in open.into_iter().zip(found) {
                seconds += answer.seconds;
                decided[round] += usize::from(answer.decided());
                if answer.decided() && answer.verdict != formula.expected {
                    println!("!!! {}: expected {}, found {}", formula.name, formula.expected, answer.verdict);
                    wrong += 1;
                }
                if answer.decided() || is_last {
                    let reason = answer.reason.replace(',', ";");
                    data.push(format!(
                        "{},{},{},{},{limit},{reason},{:.4}",
                        formula.name, formula.expected, answer.verdict, answer.engine, answer.seconds
                    ));
                }
                if !answer.decided() {
                    if is_last {
                        undecided.entry(name(model)).or_insert((0, answer.reason)).0 += 1;
                    }
                    left.push(formula);
                }
            }
            open = left;
        }
        println!("   {}: {} of {asked} decided so far", name(model), decided[0] + decided[1]);
    }
    let mut findings = Findings::default();
    let all = decided[0] + decided[1];
    let percent = 100.0 * all as f64 / asked as f64;
    findings.table(
        &["models", "formulas", "decided in 2 s", "decided in 20 s", "%", "contradicted", "checks, s in all"],
        &[vec![
            models.len().to_string(),
            asked.to_string(),
            decided[0].to_string(),
            all.to_string(),
            format!("{percent:.1}"),
            wrong.to_string(),
            format!("{seconds:.0}"),
        ]],
    );
    let list: Vec<String> =
        undecided.iter().map(|(model, (count, why))| format!("{model} ({count}: {why})")).collect();
    let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    findings.line(&format!("Not decided, with the reason of the first one of each model: {list}."));
    findings.data("contest", "formula,expected,verdict,decided_by,limit,reason,seconds", &data);
    let what = "nets of the contest, components";
    let measured = format!("{wrong} of {all} contradicted");
    findings.target(&format!("{what}: verdicts"), "none contradicted", measured, wrong == 0);
    findings.target(
        &format!("{what}: decided in 20 s and 4 GiB each"),
        "90 % or more",
        format!("{percent:.1} %"),
        !lab.quick && percent >= DECIDED,
    );
    Ok(Some(findings))
}

/// How large the products are that `compositional` makes, against the full game.
pub(super) fn products(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let models = spread(models(lab)?);
    if models.is_empty() {
        return Ok(None);
    }
    let start = Instant::now();
    let (mut asked, mut taken, mut alone, mut wrong) = (0, 0, 0, 0);
    let (mut data, mut percents) = (Vec::new(), Vec::new());
    for model in &models {
        if start.elapsed().as_secs_f64() > PRODUCTS {
            break;
        }
        taken += 1;
        let formulas = formulas(model)?;
        let options = ["--engine", "compositional", "--compare", "--timeout", "2"];
        for (formula, answer) in formulas.iter().zip(answers(lab, model, &formulas, &options)?) {
            asked += 1;
            wrong += usize::from(answer.decided() && answer.verdict != formula.expected);
            let (made, full) = (answer.counter("product_nodes"), answer.counter("full_game_nodes"));
            let shown = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
            data.push(format!("{},{},{},{}", formula.name, answer.verdict, shown(made), shown(full)));
            if let (true, Some(made), Some(full)) = (answer.decided(), made, full) {
                alone += usize::from(made == 0);
                percents.push(100.0 * made as f64 / full.max(1) as f64);
            }
        }
        println!("   {}: {} of {asked} compared so far", name(model), percents.len());
    }
    let (middle, largest) = (median(&percents), most(percents.iter().copied()));
    let mut findings = Findings::default();
    findings.table(
        &[
            "models",
            "formulas",
            "decided and compared",
            "without any product",
            "median, % of the full game",
            "upper quarter, %",
            "most, %",
            "contradicted",
        ],
        &[vec![
            format!("{taken} of {}", models.len()),
            asked.to_string(),
            percents.len().to_string(),
            alone.to_string(),
            format!("{middle:.2}"),
            format!("{:.1}", quantile(&percents, 0.75)),
            format!("{largest:.0}"),
            wrong.to_string(),
        ]],
    );
    findings.data("products", "formula,verdict,product_nodes,full_game_nodes", &data);
    let what = "nets of the contest: product nodes against the full game";
    findings.target(
        &format!("{what}, median"),
        "under 5 %",
        format!("{middle:.2} % of {} formulas", percents.len()),
        middle < NODES.0,
    );
    findings.target(
        &format!("{what}, most"),
        "1.5 × or less",
        format!("{:.2} ×", largest / 100.0),
        largest <= NODES.1,
    );
    Ok(Some(findings))
}

/// The same models in an order that spreads the families, each of which has neighbouring names.
fn spread(mut models: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut order = Vec::with_capacity(models.len());
    let stride = (models.len() / 12).max(1);
    for first in 0..stride {
        order.extend(models.iter_mut().skip(first).step_by(stride).map(std::mem::take));
    }
    order
}
