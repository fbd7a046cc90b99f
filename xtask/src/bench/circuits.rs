//! Circuits: public models with the verdicts that their files expect, property by property and
//! engine by engine.

use crate::lab::Lab;
use crate::page::Findings;
use anyhow::{Context, bail};
use loris_logic::parse_iimc;
use std::fs;
use std::path::{Path, PathBuf};

const ENGINES: [&str; 4] = ["auto", "omg", "bdd", "pdr"];
/// Percent of the properties that `auto` decides.
const AUTO: f64 = 95.0;
/// Percent of the properties that `omg` decides.
const OMG: f64 = 70.0;

/// What became of the properties of the set, with one engine.
#[derive(Default)]
struct Tally {
    asked: usize,
    /// those that the engine takes
    taken: usize,
    decided: usize,
    contradicted: usize,
    /// models with properties that are not decided, with their number
    undecided: Vec<(String, usize)>,
    seconds: f64,
}

impl Tally {
    fn percent(&self) -> f64 {
        100.0 * self.decided as f64 / self.asked.max(1) as f64
    }
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let Some(folder) = lab.published.as_ref().map(|folder| folder.join("iimc-ctl")) else { return Ok(None) };
    let models = models(&folder)?;
    if models.is_empty() {
        return Ok(None);
    }
    let limit = lab.unless_quick("5", "1");
    let (mut data, mut tallies) = (Vec::new(), Vec::new());
    for engine in ENGINES {
        let mut tally = Tally::default();
        for model in &models {
            measure(lab, model, (engine, limit), &mut tally, &mut data)?;
        }
        println!("{engine}: {} of {} decided", tally.decided, tally.asked);
        tallies.push(tally);
    }
    let mut findings = Findings::default();
    let row = |(engine, tally): (&&str, &Tally)| {
        vec![
            (*engine).to_owned(),
            tally.asked.to_string(),
            tally.taken.to_string(),
            tally.decided.to_string(),
            format!("{:.1}", tally.percent()),
            tally.contradicted.to_string(),
            format!("{:.1}", tally.seconds),
        ]
    };
    let rows: Vec<Vec<String>> = ENGINES.iter().zip(&tallies).map(row).collect();
    let head = ["engine", "properties", "taken", "decided", "%", "contradicted", "checks, s in all"];
    findings.table(&head, &rows);
    let undecided = tallies[0].undecided.iter().map(|(name, count)| format!("{name} ({count})"));
    let undecided: Vec<String> = undecided.collect();
    findings.line(&format!(
        "{limit} s for each property. Not decided by `auto`: {}.",
        if undecided.is_empty() { "none".to_owned() } else { undecided.join(", ") }
    ));
    findings.data("circuits", "engine,model,property,expected,verdict,decided_by,reason,seconds", &data);
    let wrong: usize = tallies.iter().map(|tally| tally.contradicted).sum();
    let what = "public circuits, expected verdicts, all engines";
    findings.target(what, "none contradicted", format!("{wrong} contradicted"), wrong == 0);
    for (at, goal) in [(0, AUTO), (1, OMG)] {
        let (engine, percent) = (ENGINES[at], tallies[at].percent());
        let what = format!("public circuits, properties decided by `{engine}` in {limit} s each");
        let measured = format!("{percent:.1} %");
        findings.target(&what, &format!("{goal:.0} % or more"), measured, percent >= goal);
    }
    Ok(Some(findings))
}

/// Asks all properties of a model of one engine, one after another.
fn measure(
    lab: &Lab,
    model: &Path,
    (engine, limit): (&str, &str),
    tally: &mut Tally,
    data: &mut Vec<String>,
) -> anyhow::Result<()> {
    let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let properties = model.with_extension("ctl");
    let text = fs::read_to_string(&properties)
        .with_context(|| format!("the properties of {name} cannot be read"))?;
    let (properties, problems) = parse_iimc(&text);
    if !problems.is_empty() {
        bail!("the properties of {name} are not formulas");
    }
    let file = lab.file("property.ctl");
    let mut undecided = 0;
    for (at, property) in properties.iter().enumerate() {
        let Some(expected) = property.expected else { continue };
        let expected = if expected { "holds" } else { "fails" };
        fs::write(&file, property.text)?;
        let options = [
            "-f".as_ref(),
            file.as_os_str(),
            "--engine".as_ref(),
            engine.as_ref(),
            "-j".as_ref(),
            "1".as_ref(),
        ];
        let options = [&options[..], &["--timeout".as_ref(), limit.as_ref()]].concat();
        tally.asked += 1;
        let Some(checked) = lab.check_unless_refused(model, &options)? else {
            data.push(format!("{engine},{name},{at},{expected},refused,,,"));
            continue;
        };
        let answer = checked.answers.first().context("a check without results")?;
        tally.taken += 1;
        tally.decided += usize::from(answer.decided());
        undecided += usize::from(!answer.decided());
        tally.seconds += answer.seconds;
        if answer.decided() && answer.verdict != expected {
            println!(
                "!!! {engine} on property {at} of {name}: expected {expected}, found {}",
                answer.verdict
            );
            tally.contradicted += 1;
        }
        let reason = answer.reason.replace(',', ";");
        data.push(format!(
            "{engine},{name},{at},{expected},{},{},{reason},{:.4}",
            answer.verdict, answer.engine, answer.seconds
        ));
    }
    if undecided > 0 {
        tally.undecided.push((name, undecided));
    }
    Ok(())
}

/// The circuits of a folder, by name.
fn models(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let files: Result<Vec<PathBuf>, _> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut files: Vec<PathBuf> = files.map_err(|error: std::io::Error| error)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "aig"));
    files.sort();
    Ok(files)
}
