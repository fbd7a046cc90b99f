//! Reduction of labelled transition systems modulo bisimulation: one million states, ten million
//! transitions, of five families; whole processes of `loris minimize`, with reading and writing.

use super::milliseconds;
use crate::lab::Lab;
use crate::page::Findings;
use crate::stats::{least, median};
use anyhow::Context;
use loris_base::Rng;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::time::Instant;

const STATES: usize = 1_000_000;
const DEGREE: usize = 10;
/// Seconds for one reduction.
const LIMIT: f64 = 20.0;
const EQUIVALENCES: [&str; 3] = ["strong", "branching", "divergence-branching"];

/// A family of graphs: what it is, and the edges of a state (label, target); label 0 is silent.
struct Family {
    name: &'static str,
    about: &'static str,
    edges: fn(usize, usize, &mut Rng) -> Vec<(usize, usize)>,
}

const FAMILIES: [Family; 5] = [
    Family {
        name: "random",
        about: "ten edges to random states, a fifth of them silent",
        edges: |_, n, rng| (0..DEGREE).map(|_| (rng.below(5), rng.below(n))).collect(),
    },
    Family {
        name: "forward",
        about: "four fifths of the edges silent and forward, without cycles",
        edges: |state, n, rng| {
            let edge = |rng: &mut Rng| match rng.below(5) {
                0 => (1 + rng.below(4), rng.below(n)),
                _ => (0, (state + 1 + rng.below(1000)).min(n - 1)),
            };
            (0..DEGREE).map(|_| edge(rng)).collect()
        },
    },
    Family {
        name: "band",
        about: "edges to the next ten states: every round of refinement by signatures finds a few classes",
        edges: |state, n, _| (1..=DEGREE).filter(|i| state + i < n).map(|i| (1 + i % 3, state + i)).collect(),
    },
    Family {
        name: "silent band",
        about: "the same, all but the longest edges silent",
        edges: |state, n, _| {
            let label = |i| usize::from(i == DEGREE);
            (1..=DEGREE).filter(|i| state + i < n).map(|i| (label(i), state + i)).collect()
        },
    },
    Family {
        name: "counters",
        about: "decimal counters side by side, up and down, every other one silent",
        edges: |state, n, _| {
            let (mut edges, mut unit, mut silent) = (Vec::new(), 1, false);
            while unit < n {
                let digit = state / unit % 10;
                if digit < 9 && state + unit < n {
                    edges.push((usize::from(!silent), state + unit));
                }
                if digit > 0 {
                    edges.push((2 * usize::from(!silent), state - unit));
                }
                unit *= 10;
                silent = !silent;
            }
            edges
        },
    },
];

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let (states, runs) = lab.unless_quick((STATES, 3), (STATES / 20, 1));
    let mut findings = Findings::default();
    let (mut rows, mut data, mut slowest) = (Vec::new(), Vec::new(), 0f64);
    for family in &FAMILIES {
        let (input, output) = (lab.file("reduction.aut"), lab.file("reduced.aut"));
        let transitions = written(family, states, &mut BufWriter::new(File::create(&input)?))?;
        let mut row = vec![family.name.to_owned(), transitions.to_string()];
        for equivalence in EQUIVALENCES {
            let mut arguments: Vec<OsString> = vec!["minimize".into(), input.clone().into()];
            arguments.extend(["--modulo".into(), equivalence.into(), "-o".into(), output.clone().into()]);
            let (mut seconds, mut peak, mut classes) = (Vec::new(), 0f64, 0);
            for run in 0..runs {
                let start = Instant::now();
                let (text, memory) = lab.output(&arguments)?;
                let took = start.elapsed().as_secs_f64();
                classes = sizes(&text).context("loris minimize prints the sizes")?;
                peak = peak.max(memory);
                seconds.push(took);
                data.push(format!(
                    "{},{transitions},{equivalence},{run},{classes},{took},{memory:.0}",
                    family.name
                ));
            }
            row.extend([classes.to_string(), milliseconds(median(&seconds)), format!("{peak:.0}")]);
            slowest = slowest.max(least(seconds));
        }
        rows.push(row);
        fs::remove_file(&input)?;
        fs::remove_file(&output)?;
        println!("   {}: {}", family.name, family.about);
    }
    let mut head = vec!["family".to_owned(), "transitions".to_owned()];
    for equivalence in EQUIVALENCES {
        head.extend(["classes", "ms", "peak, MiB"].map(|what| format!("{equivalence}: {what}")));
    }
    findings.table(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
    for family in &FAMILIES {
        findings.line(&format!("*{}*: {}.", family.name, family.about));
    }
    findings.data("reduction", "family,transitions,equivalence,run,classes,seconds,process_peak_mib", &data);
    findings.target(
        &format!(
            "`loris minimize`, {states} states, about {} transitions, all equivalences",
            states * DEGREE
        ),
        "under 20 s each",
        format!("{slowest:.1} s at most"),
        slowest < LIMIT,
    );
    Ok(Some(findings))
}

/// Writes a graph of a family; returns the number of its transitions.
fn written(family: &Family, states: usize, out: &mut impl Write) -> anyhow::Result<usize> {
    // twice the same: the first line has the number of transitions
    let rows = || {
        let mut rng = Rng::new(1);
        (0..states).map(move |state| (family.edges)(state, states, &mut rng))
    };
    let transitions = rows().map(|row| row.len()).sum();
    writeln!(out, "des (0,{transitions},{states})")?;
    for (state, row) in rows().enumerate() {
        for (label, target) in row {
            match label {
                0 => writeln!(out, "({state},tau,{target})")?,
                _ => writeln!(out, "({state},\"a{label}\",{target})")?,
            }
        }
    }
    out.flush()?;
    Ok(transitions)
}

/// The number of states on the second line.
fn sizes(text: &str) -> Option<usize> {
    text.lines().nth(1)?.rsplit_once(": ")?.1.split(' ').next()?.parse().ok()
}
