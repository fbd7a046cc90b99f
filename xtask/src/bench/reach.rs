//! Plain reachability with all node answers on pushdown systems: the Java programs, generated
//! systems of growing size, and systems of one size whose procedures have more and more exits and
//! entries.
//!
//! Each run is a process of its own, since the command line searches once. Rates are those of the
//! fastest run: the searches of the Java programs take microseconds, which anything else on the
//! machine lengthens.

use super::java::{PROGRAMS, unpack};
use super::milliseconds;
use crate::lab::Lab;
use crate::page::Findings;
use crate::stats::{exponent, least, median, most};
use crate::svg::{Lines, Panel, drawing, linear, logarithmic};
use anyhow::Context;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Million tuples a second.
const SPEED: f64 = 10.0;
const EXPONENT: f64 = 1.1;
/// Bytes a rule.
const MEMORY: f64 = 40.0;
/// Of seconds against θ.
const OF_THETA: f64 = 2.0;
/// Rules, and how often each measurement is made.
const SIZES: [(u32, usize); 5] =
    [(100_000, 15), (300_000, 11), (1_000_000, 7), (3_000_000, 5), (10_000_000, 5)];
const EXITS: [u32; 4] = [1, 2, 4, 8];
/// How many labels of a program are tried for one that is far away.
const LABELS: usize = 40;

/// What was measured on one system.
struct System {
    name: String,
    rules: f64,
    theta: u64,
    vertices: u64,
    tuples: u64,
    /// run by run
    seconds: Vec<f64>,
    /// bytes at rest
    bytes: f64,
    /// what is left of them without the text of labels
    unlabelled: f64,
    /// the whole process of `loris info`
    reading: f64,
    megabytes: f64,
    /// the search for a label far away, if there is one
    far: Option<Far>,
}

struct Far {
    steps: Option<u64>,
    tuples: u64,
    seconds: Vec<f64>,
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let mut data = Vec::new();
    let mut java = Vec::new();
    if unpack(lab)? {
        for program in &PROGRAMS {
            let runs = lab.unless_quick(101, 11);
            java.push(System::measure(lab, program.name, &program.pushdown(lab), runs, &mut data)?);
        }
    } else {
        println!("   no Java programs: ../shared/benchmarks is not there");
    }
    let mut sizes = Vec::new();
    for &(rules, runs) in lab.unless_quick(&SIZES[..], &SIZES[..3]) {
        let model = lab.generate("reach.pds", &format!("pds --rules {rules} --exits 1 --seed 1"))?;
        let name = format!("{} k rules", rules / 1000);
        sizes.push(System::measure(lab, &name, &model, lab.unless_quick(runs, 3), &mut data)?);
        println!("   {name}");
    }
    let rules = lab.unless_quick(1_000_000, 100_000);
    let (mut one_entry, mut as_many) = (Vec::new(), Vec::new());
    for exits in EXITS {
        let model = lab.generate("exits.pds", &format!("pds --rules {rules} --exits {exits} --seed 1"))?;
        let runs = lab.unless_quick(7, 3);
        let name = format!("exits {exits}; entries 1");
        one_entry.push(System::measure(lab, &name, &model, runs, &mut data)?);
        let model = with_entries(lab, &model, exits)?;
        let name = format!("exits {exits}; entries {exits}");
        as_many.push(System::measure(lab, &name, &model, runs, &mut data)?);
        println!("   {name}");
    }
    let mut findings = Findings::default();
    sized(&mut findings, &java, &sizes);
    let at = f64::from(rules) / 1e6;
    by_theta(&mut findings, &one_entry, &as_many, at);
    plots(&mut findings, &sizes, &one_entry, &as_many, at);
    findings.data("reach", "system,rules,theta,search,run,tuples,steps,seconds", &data);
    targets(&mut findings, &java, &sizes, &as_many, at);
    Ok(Some(findings))
}

/// The system with calls that go to the first few symbols of a procedure, as each call likes: as
/// many entries.
fn with_entries(lab: &Lab, model: &Path, entries: u32) -> anyhow::Result<PathBuf> {
    let path = lab.file("entries.pds");
    let mut out = BufWriter::new(File::create(&path)?);
    let mut state = 1;
    for line in BufReader::new(File::open(model)?).lines() {
        let line = line?;
        match call(&line) {
            Some((before, after)) => {
                state = next(state);
                writeln!(out, "{before}{}{after}", (state >> 33) % u64::from(entries))?;
            }
            None => writeln!(out, "{line}")?,
        }
    }
    out.flush()?;
    Ok(path)
}

/// A rule that calls, `q <p0_4> --> q <p7_0 p0_5>`, before and after the number of the symbol it
/// calls.
fn call(line: &str) -> Option<(&str, &str)> {
    let right = line.find(" --> ")? + 5;
    let blank =
        right + line[right..].find('<').and_then(|open| Some(open + line[right + open..].find(' ')?))?;
    let before = line[..blank].strip_suffix("_0")?;
    Some((&line[..=before.len()], &line[blank..]))
}

/// Knuth's linear congruence; its high bits are good enough here.
fn next(state: u64) -> u64 {
    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

/// How many rules a file has.
fn rules(model: &Path) -> anyhow::Result<f64> {
    let (mut reader, mut line, mut count) = (BufReader::new(File::open(model)?), Vec::new(), 0u32);
    while reader.read_until(b'\n', &mut line)? > 0 {
        count += u32::from(line.windows(3).any(|word| word == b"-->"));
        line.clear();
    }
    Ok(f64::from(count))
}

impl System {
    fn measure(
        lab: &Lab,
        name: &str,
        model: &Path,
        runs: usize,
        data: &mut Vec<String>,
    ) -> anyhow::Result<Self> {
        let rules = rules(model)?;
        let info = lab.info(model)?;
        let count =
            |value: &Value| value.as_u64().with_context(|| format!("loris info on {name} lacks a count"));
        let (theta, vertices) = (count(&info["model"]["theta"])?, count(&info["vertices"])?);
        let bytes = count(&info["bytes"])? as f64;
        let labels: Vec<&str> =
            info["labels"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let target = farthest(lab, model, &labels)?;
        let reading: [&OsStr; 2] = ["info".as_ref(), model.as_ref()];
        let (mut tuples, mut seconds, mut infos) = (0, Vec::new(), Vec::new());
        let mut far: Option<Far> = None;
        for run in 0..runs {
            let all = lab.reach(model, &["--all"])?;
            data.push(format!("{name},{rules},{theta},all,{run},{},,{}", all.tuples, all.seconds));
            tuples = all.tuples;
            seconds.push(all.seconds);
            if let Some(target) = target {
                let found = lab.reach(model, &["--to", target])?;
                let steps = found.steps.map_or_else(String::new, |steps| steps.to_string());
                let (found_tuples, found_seconds) = (found.tuples, found.seconds);
                data.push(format!("{name},{rules},{theta},far,{run},{found_tuples},{steps},{found_seconds}"));
                let far = far.get_or_insert(Far { steps: None, tuples: 0, seconds: Vec::new() });
                (far.steps, far.tuples) = (found.steps, found.tuples);
                far.seconds.push(found.seconds);
            }
            if infos.len() < 5 {
                infos.push(lab.seconds(&reading)?);
            }
        }
        Ok(Self {
            name: name.to_owned(),
            rules,
            theta,
            vertices,
            tuples,
            seconds,
            bytes,
            unlabelled: bytes - labels.iter().map(|label| label.len() as f64).sum::<f64>(),
            reading: least(infos),
            megabytes: fs::metadata(model)?.len() as f64 / 1e6,
            far,
        })
    }

    fn fastest(&self) -> f64 {
        least(self.seconds.iter().copied())
    }

    /// Million tuples a second.
    fn speed(&self) -> f64 {
        self.tuples as f64 / self.fastest() / 1e6
    }

    fn bytes_a_rule(&self) -> f64 {
        self.bytes / self.rules
    }

    fn row(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            format!("{}", self.rules),
            self.tuples.to_string(),
            milliseconds(self.fastest()),
            milliseconds(median(&self.seconds)),
            format!("{:.1}", self.speed()),
            format!("{:.1}", self.bytes_a_rule()),
            format!("{:.1}", self.unlabelled / self.rules),
            format!("{:.0}", self.megabytes / self.reading),
            self.far.as_ref().map_or_else(String::new, Far::cell),
        ]
    }

    fn theta_row(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.theta.to_string(),
            self.vertices.to_string(),
            self.tuples.to_string(),
            format!("{:.2}", self.tuples as f64 / self.vertices as f64),
            milliseconds(self.fastest()),
            milliseconds(median(&self.seconds)),
            format!("{:.1}", self.speed()),
            format!("{:.1}", self.bytes_a_rule()),
            self.far.as_ref().map_or_else(String::new, Far::cell),
        ]
    }
}

impl Far {
    /// Million tuples a second, evidence included.
    fn speed(&self) -> f64 {
        self.tuples as f64 / least(self.seconds.iter().copied()) / 1e6
    }

    fn cell(&self) -> String {
        let steps = self.steps.map_or("–".to_owned(), |steps| steps.to_string());
        let seconds = least(self.seconds.iter().copied());
        format!("{steps}, {}, {}, {:.1}", self.tuples, milliseconds(seconds), self.speed())
    }
}

/// The label with the longest shortest path, of `goal` or of some that lie evenly in the list.
fn farthest<'a>(lab: &Lab, model: &Path, labels: &[&'a str]) -> anyhow::Result<Option<&'a str>> {
    if let Some(goal) = labels.iter().find(|label| **label == "goal") {
        return Ok(Some(goal));
    }
    let mut found = None;
    for label in labels.iter().step_by(labels.len().div_ceil(LABELS).max(1)) {
        let steps = lab.reach(model, &["--to", label])?.steps;
        if steps > found.map_or(Some(0), |(steps, _)| steps) {
            found = Some((steps, *label));
        }
    }
    Ok(found.map(|(_, label)| label))
}

fn sized(findings: &mut Findings, java: &[System], sizes: &[System]) {
    findings
        .line("θ = 1; fastest runs, and the median beside them; *far: steps, tuples, ms, million tuples/s*:");
    let rows: Vec<Vec<String>> = java.iter().chain(sizes).map(System::row).collect();
    let head = [
        "system",
        "rules",
        "tuples",
        "ms",
        "median, ms",
        "million tuples/s",
        "bytes a rule",
        "without text of labels",
        "`loris info`, MB/s",
        "far",
    ];
    findings.table(&head, &rows);
    let (fastest, medians) = exponents(sizes);
    findings.line(&format!(
        "Seconds against rules of the generated systems: exponent {medians:.3}, {fastest:.3} of fastest runs."
    ));
}

/// Of fastest runs, and of medians.
fn exponents(sizes: &[System]) -> (f64, f64) {
    let of = |seconds: fn(&System) -> f64| {
        exponent(&sizes.iter().map(|system| (system.rules, seconds(system))).collect::<Vec<_>>())
    };
    (of(System::fastest), of(|system| median(&system.seconds)))
}

fn against_theta(systems: &[System], of: fn(&System) -> f64) -> Vec<(f64, f64)> {
    systems.iter().map(|system| (system.theta as f64, of(system))).collect()
}

fn by_theta(findings: &mut Findings, one_entry: &[System], as_many: &[System], millions: f64) {
    findings.line(&format!(
        "{millions} million rules, more exits and more entries; *far* as above, all others fastest runs:"
    ));
    // with one exit there is one entry in both families
    let rows: Vec<Vec<String>> = one_entry.iter().chain(&as_many[1..]).map(System::theta_row).collect();
    let head = [
        "procedures",
        "θ",
        "vertices",
        "tuples",
        "tuples / vertices",
        "ms",
        "median, ms",
        "million tuples/s",
        "bytes a rule",
        "far",
    ];
    findings.table(&head, &rows);
    findings.line(&format!(
        "With as many entries as exits, against θ: exponent {:.2} of tuples, {:.2} of seconds.",
        exponent(&against_theta(as_many, |system| system.tuples as f64)),
        exponent(&against_theta(as_many, System::fastest))
    ));
}

fn plots(findings: &mut Findings, sizes: &[System], one_entry: &[System], as_many: &[System], millions: f64) {
    let plot = |title: String, x, y, series: Vec<(&str, Vec<(f64, f64)>)>| {
        let series = series.into_iter().map(|(name, points)| (name.to_owned(), points)).collect();
        Panel::Lines(Lines { title, x, y: logarithmic(y), series })
    };
    let over = |of: &dyn Fn(&System) -> f64| -> Vec<(f64, f64)> {
        sizes.iter().map(|system| (system.rules, of(system))).collect()
    };
    let far = |of: &dyn Fn(&Far) -> f64| -> Vec<(f64, f64)> {
        sizes.iter().filter_map(|system| Some((system.rules, of(system.far.as_ref()?)))).collect()
    };
    let exits = |systems: &[System], of: &dyn Fn(&System) -> f64| -> Vec<(f64, f64)> {
        EXITS.iter().map(|&exits| f64::from(exits)).zip(systems.iter().map(of)).collect()
    };
    let speeds = vec![
        ("all nodes", over(&|system| system.speed() * 1e6)),
        ("far label", far(&|far| far.speed() * 1e6)),
    ];
    let times = vec![
        ("all nodes", over(&System::fastest)),
        ("far label", far(&|far| least(far.seconds.iter().copied()))),
        ("loris info", over(&|system| system.reading)),
    ];
    let (fastest, _) = exponents(sizes);
    let tuples = |system: &System| system.tuples as f64;
    let families = |of: &dyn Fn(&System) -> f64| {
        vec![("one entry", exits(one_entry, of)), ("as many entries", exits(as_many, of))]
    };
    let panels = [
        plot("tuples a second, one exit".to_owned(), logarithmic("rules"), "tuples/s", speeds),
        plot(format!("time, one exit; exponent {fastest:.3}"), logarithmic("rules"), "seconds", times),
        plot(format!("tuples, {millions} million rules"), linear("exits"), "tuples", families(&tuples)),
        plot(
            format!("time, {millions} million rules"),
            linear("exits"),
            "seconds",
            families(&System::fastest),
        ),
    ];
    findings.plot(
        "reach",
        "Tuples a second and time over rules, tuples and time over exits",
        drawing(&panels, 2),
    );
}

fn targets(findings: &mut Findings, java: &[System], sizes: &[System], as_many: &[System], millions: f64) {
    let fast = |systems: &[System]| systems.iter().all(|system| system.speed() >= SPEED);
    let light = |systems: &[System]| systems.iter().all(|system| system.bytes_a_rule() < MEMORY);
    let largest = most(sizes.iter().map(|system| system.rules)) / 1e6;
    let generated = format!("generated `.pds` up to {largest} million rules");
    if !java.is_empty() {
        let speeds: Vec<String> =
            java.iter().map(|system| format!("{:.1} on {}", system.speed(), system.name)).collect();
        let what = "reachability, all nodes, `.pds` of the Java programs, one core";
        findings.target(what, "10 million tuples/s or more on each", speeds.join(", "), fast(java));
    }
    let slowest = least(sizes.iter().map(System::speed));
    let far = least(sizes.iter().filter_map(|system| Some(system.far.as_ref()?.speed())));
    findings.target(
        &format!("reachability, all nodes, {generated}, one core"),
        "10 million tuples/s or more at each size",
        format!("{slowest:.1} at least ({far:.1} on the way to one label, with its path)"),
        fast(sizes),
    );
    let (fastest, medians) = exponents(sizes);
    findings.target(
        &format!("reachability, θ = 1, {generated}: seconds against rules"),
        "exponent under 1.1",
        format!("{medians:.3}, {fastest:.3} of fastest runs"),
        fastest.max(medians) < EXPONENT,
    );
    let of_theta = exponent(&against_theta(as_many, System::fastest));
    let theta = as_many.iter().map(|system| system.theta).max().unwrap_or(0);
    findings.target(
        &format!("reachability, {millions} million rules, θ from 1 to {theta}: seconds against θ"),
        "exponent 2 at most",
        format!("{of_theta:.2}"),
        of_theta <= OF_THETA,
    );
    let heaviest = |systems: &[System]| most(systems.iter().map(System::bytes_a_rule));
    findings.target(
        &format!("memory at rest, {generated}"),
        "under 40 bytes a rule",
        format!("{:.1} at most", heaviest(sizes)),
        light(sizes),
    );
    if !java.is_empty() {
        let unlabelled = most(java.iter().map(|system| system.unlabelled / system.rules));
        findings.target(
            "memory at rest, `.pds` of the Java programs",
            "under 40 bytes a rule",
            format!("{:.1} at most; {unlabelled:.1} without the text of labels", heaviest(java)),
            light(java),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::call;

    #[test]
    fn calls_are_rules_with_two_symbols_on_the_right() {
        let parts = call("q <p0_4> --> q <p17_0 p0_5>");
        assert_eq!(parts, Some(("q <p0_4> --> q <p17_", " p0_5>")));
        assert_eq!(call("q <p0_4> --> q <p0_0>"), None);
        assert_eq!(call("q <p0_4> --> q <p0_10 p0_5>"), None);
        assert_eq!(call("q <p0_4> --> r1 <>"), None);
        assert_eq!(call("(q <p0_0>)"), None);
    }
}
