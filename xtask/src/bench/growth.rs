//! Families that once cost more than theory says, with the exponent of their cost: each is doubled
//! until a run takes a while, and the exponent is fitted to the largest sizes.
//!
//! The time is that of the whole process, since some of them cost while they are read, less that of
//! a process that does nothing. (Not less that of the smallest size: c · n less c · n₀ looks like
//! n^1.4.)

use super::milliseconds;
use crate::lab::Lab;
use crate::page::Findings;
use crate::stats::{exponent, median};
use std::fs;

/// A family of models and questions.
struct Family {
    name: &'static str,
    /// words for `loris generate`; `{n}` is the size
    model: &'static str,
    /// the ending of its file
    ending: &'static str,
    /// words for `loris check`; `{n}` is the size
    options: &'static [&'static str],
    /// a further option that depends on the size
    property: fn(usize) -> Vec<String>,
    /// the first size
    first: usize,
    /// the size after this one
    grown: fn(usize) -> usize,
    /// the largest size: a command line is only so long
    most: usize,
    /// what work should be proportional to
    work: fn(f64) -> f64,
    /// how that is called
    proportional: &'static str,
}

/// Exponents up to this one count as linear.
const LIMIT: f64 = 1.15;
/// A family grows until a run takes this many seconds.
const ENOUGH: f64 = 1.0;
/// The last this many sizes are fitted.
const FITTED: usize = 4;
const RUNS: usize = 3;
/// So often a process that does nothing is timed.
const STARTS: usize = 9;

const FAMILIES: [Family; 21] = [
    Family {
        name: "E F q, staggered exits, summary",
        model: "staggered --exits {n}",
        options: &["-p", "E F q", "--engine", "summary"],
        first: 5_000,
        ..RSM
    },
    Family {
        name: "E F q, staggered exits, lazy",
        model: "staggered --exits {n}",
        options: &["-p", "E F q", "--engine", "lazy"],
        first: 5_000,
        ..RSM
    },
    Family {
        name: "A G (p -> E F q), ladder of components, summary",
        model: "ladder --components {n}",
        options: &["-p", "A G (p -> E F q)", "--engine", "summary"],
        first: 4_000,
        ..RSM
    },
    Family {
        name: "A G (p -> E F q), ladder of components, lazy",
        model: "ladder --components {n}",
        options: &["-p", "A G (p -> E F q)", "--engine", "lazy"],
        first: 4_000,
        ..RSM
    },
    Family {
        name: "A G (p -> E F q), ladder of components, eager",
        model: "ladder --components {n}",
        options: &["-p", "A G (p -> E F q)", "--engine", "eager"],
        first: 4_000,
        ..RSM
    },
    Family {
        name: "E F q, staggered entries, summary",
        model: "staggered --exits {n} --entries",
        options: &["-p", "E F q", "--engine", "summary"],
        first: 5_000,
        ..RSM
    },
    Family {
        name: "A G (deep -> E F even), deep chain, auto",
        model: "chain --depth {n} --exits 1",
        options: &["-p", "A G (deep -> E F even)"],
        first: 4_000,
        ..RSM
    },
    Family {
        name: "A G (deep -> E F even), deep chain, lazy",
        model: "chain --depth {n} --exits 1",
        options: &["-p", "A G (deep -> E F even)", "--engine", "lazy"],
        first: 4_000,
        ..RSM
    },
    Family {
        name: "A G (deep -> E F even), deep chain, eager",
        model: "chain --depth {n} --exits 1",
        options: &["-p", "A G (deep -> E F even)", "--engine", "eager"],
        first: 4_000,
        ..RSM
    },
    Family {
        name: "A G (deep -> E F even), deep chain, random",
        model: "chain --depth {n} --exits 1",
        options: &["-p", "A G (deep -> E F even)", "--engine", "random"],
        first: 4_000,
        ..RSM
    },
    Family {
        name: "E F q, calls one after the other, random",
        model: "sequence --calls {n}",
        options: &["-p", "E F q", "--engine", "random"],
        first: 4_000,
        ..RSM
    },
    Family {
        name: "E F q, calls one after the other, eager",
        model: "sequence --calls {n}",
        options: &["-p", "E F q", "--engine", "eager"],
        first: 4_000,
        ..RSM
    },
    Family {
        name: "E F q, calls one after the other, lazy",
        model: "sequence --calls {n}",
        options: &["-p", "E F q", "--engine", "lazy"],
        first: 4_000,
        ..RSM
    },
    Family { name: "A G (a -> E [!b U (c & goal)]), many exits, auto", options: EXITS, ..MANY_EXITS },
    Family { name: "A G (a -> E [!b U (c & goal)]), many exits, lazy", options: LAZY_EXITS, ..MANY_EXITS },
    Family {
        name: "conjunction of independent properties, auto",
        model: "choices --depth {n}",
        property: conjunction,
        most: 2_048,
        first: 4,
        work: |n| n * n,
        proportional: "properties × size",
        ..RSM
    },
    Family {
        name: "guards in TRANS, joined by or",
        model: "smv-guards --variables {n} --spelling or",
        first: 8,
        ..GUARDS
    },
    Family {
        name: "guards in TRANS, ->",
        model: "smv-guards --variables {n} --spelling implies",
        first: 8,
        ..GUARDS
    },
    Family {
        name: "conditions of fairness, CTL and LTL",
        model: "smv-fair --conditions {n}",
        first: 50,
        work: |n| n * n,
        proportional: "states × conditions",
        ..SMV
    },
    Family {
        name: "free variables of eight values",
        model: "smv-free --variables {n} --values 8",
        first: 1,
        grown: |n| n + 1,
        work: |n| 8f64.powf(n),
        proportional: "states",
        ..SMV
    },
    Family {
        name: "G F p0 & … -> G F q",
        model: "large --edges 1000 --seed 1",
        property: implication,
        most: 2_048,
        first: 2,
        proportional: "conjuncts",
        ..RSM
    },
];

const RSM: Family = Family {
    name: "",
    model: "",
    ending: "rsm",
    options: &[],
    property: |_| Vec::new(),
    first: 1,
    grown: |n| 2 * n,
    most: usize::MAX,
    work: |n| n,
    proportional: "size",
};

const EXITS: &[&str] = &["-p", "A G (a -> E [!b U (c & goal)])"];
const LAZY_EXITS: &[&str] = &["-p", "A G (a -> E [!b U (c & goal)])", "--engine", "lazy"];

/// Random components with one entry and many exits: a context is a set of these.
const MANY_EXITS: Family = Family {
    model: "large --edges 60000 --degree 2 --nodes 300 --boxes 10 --exits {n} --goals 0.05 --seed 3",
    first: 25,
    ..RSM
};

const SMV: Family = Family { ending: "smv", ..RSM };

/// Each of n guards says something of each of n variables, in each of 2n states.
const GUARDS: Family = Family { work: |n| n * n * n, proportional: "states × text", ..SMV };

fn conjunction(n: usize) -> Vec<String> {
    let conjuncts: Vec<String> = (0..n).map(|i| format!("A G (deep -> (E F q{i} | E G !q{i}))")).collect();
    vec!["-p".to_owned(), conjuncts.join(" & "), "--unknown-atoms".to_owned(), "false".to_owned()]
}

fn implication(n: usize) -> Vec<String> {
    let premises: Vec<String> = (0..n).map(|i| format!("G F p{i}")).collect();
    let property = format!("({}) -> G F a", premises.join(" & "));
    ["--logic", "ltl", "--unknown-atoms", "false", "-p", &property].map(str::to_owned).to_vec()
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let mut findings = Findings::default();
    let (mut rows, mut data) = (Vec::new(), Vec::new());
    let (enough, runs) = lab.unless_quick((ENOUGH, RUNS), (0.2, 1));
    let starts: Vec<f64> = (0..STARTS).map(|_| lab.seconds(&["--version"])).collect::<Result<_, _>>()?;
    let start = median(&starts);
    for family in &FAMILIES {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let (mut size, mut seconds) = (family.first, 0.0);
        let mut verdicts = String::new();
        while seconds < enough && size <= family.most {
            let words = family.model.replace("{n}", &size.to_string());
            let model = lab.generate(&format!("growth.{}", family.ending), &words)?;
            let property = (family.property)(size);
            let options: Vec<&str> =
                family.options.iter().copied().chain(property.iter().map(String::as_str)).collect();
            let answers = lab.check(&model, &options)?.answers;
            verdicts = answers.iter().map(|answer| &*answer.verdict).collect::<Vec<_>>().join(", ");
            let path = model.to_string_lossy();
            let call: Vec<&str> = ["check", &path].into_iter().chain(options).collect();
            let times: Vec<f64> = (0..runs).map(|_| lab.seconds(&call)).collect::<Result<_, _>>()?;
            seconds = median(&times);
            data.push(format!("{},{size},{seconds},{verdicts}", family.name.replace(',', ";")));
            if seconds > start {
                points.push(((family.work)(size as f64), seconds - start));
            }
            fs::remove_file(&model)?;
            if answers.iter().any(|answer| !answer.decided()) {
                break;
            }
            size = (family.grown)(size);
        }
        let fitted = exponent(&points[points.len().saturating_sub(FITTED)..]);
        findings.target(
            &format!("growth: {}", family.name),
            &format!("exponent under {LIMIT} in {}", family.proportional),
            format!("{fitted:.2}"),
            fitted < LIMIT,
        );
        let largest = data.last().and_then(|line| line.split(',').nth(1)).unwrap_or_default();
        rows.push(vec![
            family.name.to_owned(),
            largest.to_owned(),
            milliseconds(seconds),
            verdicts,
            format!("{fitted:.2} in {}", family.proportional),
        ]);
    }
    findings.table(&["family", "largest", "milliseconds", "verdicts", "exponent"], &rows);
    findings.data("growth", "family,size,seconds,verdicts", &data);
    Ok(Some(findings))
}
