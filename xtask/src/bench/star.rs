//! The price of asking for CTL* where CTL would do, in runs that take turns; and, for information,
//! the engine `cont` against `summary` where there is one exit a component.

use super::grid::formulas;
use super::java::{PROGRAMS, unpack};
use super::milliseconds;
use crate::lab::{Answer, Lab};
use crate::page::Findings;
use crate::stats::{median, most};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

const LIMIT: f64 = 1.2;
const CTL_STAR: [&str; 7] = [
    "A G E F goal",
    "E G F a",
    "E G F goal",
    "A (G F a -> G F b)",
    "E (F G a & F b)",
    "A G (a -> E F G b)",
    "A (G F a -> E F G b)",
];
const TIMEOUT: &str = "60";

/// The same properties asked in several ways.
struct Family {
    name: String,
    properties: usize,
    /// seconds of all properties, run by run, for each way: as CTL, as CTL*, and if there is a way
    /// to say it that is not CTL, so
    ways: Vec<Vec<f64>>,
    /// properties on which ways differ
    differ: usize,
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let mut data = Vec::new();
    let java = if unpack(lab)? { java(lab, &mut data)? } else { Vec::new() };
    if java.is_empty() {
        println!("   no Java programs: ../shared/benchmarks is not there");
    }
    let mut grids = Vec::new();
    for engine in ["auto", "summary"] {
        grids.push(grid(lab, engine, &mut data)?);
        println!("   grid, {engine}");
    }
    let mut findings = Findings::default();
    findings.line("Seconds of all properties, medians; the last two columns are for information:");
    let mut rows: Vec<Vec<String>> = java.iter().map(Family::row).collect();
    let programs = (!java.is_empty()).then(|| Family::total("Java programs in all", &java));
    rows.extend(programs.iter().chain(&grids).map(Family::row));
    let head = [
        "properties of",
        "properties",
        "`--logic ctl`, ms",
        "`--logic ctl*`, ms",
        "ctl* / ctl",
        "said in CTL* only, ms",
        "/ ctl",
    ];
    findings.table(&head, &rows);
    let ratios: Vec<(&str, f64)> =
        programs.iter().chain(&grids).map(|family| (&*family.name, family.ratio())).collect();
    let differ: usize = java.iter().chain(&grids).map(|family| family.differ).sum();
    findings.line(&format!("Properties on which verdicts differ: {differ}."));
    let told: Vec<String> = ratios.iter().map(|(name, ratio)| format!("{ratio:.2} on {name}")).collect();
    let met = most(ratios.iter().map(|ratio| ratio.1)) < LIMIT && differ == 0;
    let what = "plain CTL properties, sum of checks, `--logic ctl*` / `--logic ctl`";
    findings.target(what, "under 1.2", told.join(", "), met);
    findings.data("star", "properties_of,way,run,properties,seconds", &data);
    cont(lab, &mut findings)?;
    Ok(Some(findings))
}

fn java(lab: &Lab, data: &mut Vec<String>) -> anyhow::Result<Vec<Family>> {
    let mut families = Vec::new();
    for program in &PROGRAMS {
        let plain = fs::read_to_string(lab.file(&format!("{}_usedef.ctl", program.name)))?;
        let said = lab.file("star.ctl");
        fs::write(&said, plain.lines().map(|line| star_only(line) + "\n").collect::<String>())?;
        let one_thread = ["--jobs", "1", "--logic"].map(OsString::from);
        let mut ctl = program.options(lab, "usedef");
        ctl.extend(one_thread);
        let mut star = ctl.clone();
        ctl.push("ctl".into());
        star.push("ctl*".into());
        let mut only = star.clone();
        only[1] = said.into();
        let runs = lab.unless_quick(21, 3);
        let family = Family::measure(lab, program.name, &program.model(lab), &[ctl, star, only], runs, data)?;
        println!("   {}", program.name);
        families.push(family);
    }
    Ok(families)
}

/// The same with `E (F a | F b)` for `E F (a | b)`, which is not CTL.
fn star_only(line: &str) -> String {
    match line.split_once("E F ( ") {
        Some((before, after)) => format!("{before}E ( F {}", after.replacen(" | ", " | F ", 1)),
        None => line.to_owned(),
    }
}

/// Every fifth machine of the random grid against all of its formulas.
fn grid(lab: &Lab, engine: &str, data: &mut Vec<String>) -> anyhow::Result<Family> {
    let machines = lab.unless_quick(&[5, 10, 15, 20, 25, 30, 35, 40, 45, 50][..], &[10, 20][..]);
    let mut options: Vec<OsString> = Vec::new();
    for file in formulas(lab)? {
        options.extend(["-f".into(), file.into()]);
    }
    options
        .extend(["--engine", engine, "--unknown-atoms", "false", "--jobs", "1", "--logic"].map(Into::into));
    let ways = ["ctl", "ctl*"].map(|logic| {
        let mut options = options.clone();
        options.push(logic.into());
        options
    });
    let mut families = Vec::new();
    for i in machines {
        let model = lab.generate("star.rsm", &format!("rsm --paper {i} --seed {i}"))?;
        let name = format!("machine {i}; {engine}");
        families.push(Family::measure(lab, &name, &model, &ways, lab.unless_quick(5, 3), data)?);
    }
    Ok(Family::total(&format!("random grid with `{engine}`"), &families))
}

impl Family {
    fn measure(
        lab: &Lab,
        name: &str,
        model: &Path,
        ways: &[Vec<OsString>],
        runs: usize,
        data: &mut Vec<String>,
    ) -> anyhow::Result<Self> {
        let mut family =
            Self { name: name.to_owned(), properties: 0, ways: vec![Vec::new(); ways.len()], differ: 0 };
        for run in 0..runs {
            let mut verdicts: Vec<Vec<String>> = Vec::new();
            for (k, (options, way)) in ways.iter().zip(["ctl", "ctl*", "ctl* only"]).enumerate() {
                let answers = lab.check(model, options)?.answers;
                let seconds: f64 = answers.iter().map(|answer| answer.seconds).sum();
                family.ways[k].push(seconds);
                family.properties = answers.len();
                data.push(format!("{name},{way},{run},{},{seconds:.6}", answers.len()));
                verdicts.push(answers.into_iter().map(|answer| answer.verdict).collect());
            }
            let (first, others) = (&verdicts[0], &verdicts[1..]);
            family.differ = (0..first.len())
                .filter(|&k| others.iter().any(|other| other.get(k) != Some(&first[k])))
                .count();
        }
        Ok(family)
    }

    /// Several as one: sums of medians.
    fn total(name: &str, families: &[Self]) -> Self {
        let ways = families.first().map_or(0, |family| family.ways.len());
        let sum = |k: usize| families.iter().map(|family| median(&family.ways[k])).sum();
        Self {
            name: name.to_owned(),
            properties: families.iter().map(|family| family.properties).sum(),
            ways: (0..ways).map(|k| vec![sum(k)]).collect(),
            differ: families.iter().map(|family| family.differ).sum(),
        }
    }

    fn ratio(&self) -> f64 {
        median(&self.ways[1]) / median(&self.ways[0])
    }

    fn row(&self) -> Vec<String> {
        let ctl = median(&self.ways[0]);
        let mut row = vec![self.name.clone(), self.properties.to_string(), milliseconds(ctl)];
        for k in 1..3 {
            let seconds = self.ways.get(k).map(|way| median(way));
            row.push(seconds.map_or_else(String::new, milliseconds));
            row.push(seconds.map_or_else(String::new, |seconds| format!("{:.2}", seconds / ctl)));
        }
        row
    }
}

fn cont(lab: &Lab, findings: &mut Findings) -> anyhow::Result<()> {
    let sizes = lab.unless_quick([30_000, 300_000], [10_000, 30_000]);
    let (mut data, mut rows) = (Vec::new(), Vec::new());
    for edges in sizes {
        let model = lab.generate("star.rsm", &format!("large --edges {edges} --exits 1 --seed 1"))?;
        for property in CTL_STAR {
            let mut both: Vec<Answer> = Vec::new();
            for engine in ["summary", "cont"] {
                let options = ["-p", property, "--logic", "ctl*", "--engine", engine];
                let limits = ["--jobs", "1", "--timeout", TIMEOUT];
                let answer =
                    lab.check_one(&model, &[&options[..], &limits[..]].concat(), lab.unless_quick(5, 1))?;
                let contexts = answer.contexts.map_or_else(String::new, |contexts| contexts.to_string());
                data.push(format!(
                    "{edges},\"{property}\",{engine},{},{contexts},{}",
                    answer.verdict, answer.seconds
                ));
                both.push(answer);
            }
            let mut verdicts: Vec<&str> = both.iter().map(|answer| &*answer.verdict).collect();
            verdicts.dedup();
            let mut row = vec![edges.to_string(), format!("`{property}`"), verdicts.join("/")];
            row.extend(
                both.iter().map(|answer| format!("{}, {}", answer.contexts(), milliseconds(answer.seconds))),
            );
            row.push(format!("{:.2}", both[1].seconds / both[0].seconds));
            rows.push(row);
        }
    }
    findings.line(
        "For information: engine `cont` against `summary`, machines of `loris generate large --exits 1`; \
         *contexts, milliseconds of the check*:",
    );
    let head = ["edges", "property", "verdict", "summary", "cont", "cont / summary"];
    findings.table(&head, &rows);
    findings.data("cont", "edges,property,engine,verdict,contexts,seconds", &data);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::star_only;

    #[test]
    fn the_same_in_other_words() {
        let plain = "A G ( ( def_x | usedef_x ) --> E F ( use_x | usedef_x ) )";
        assert_eq!(star_only(plain), "A G ( ( def_x | usedef_x ) --> E ( F use_x | F usedef_x ) )");
        assert_eq!(star_only("# a | b"), "# a | b");
    }
}
