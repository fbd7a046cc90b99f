//! Parity games: random ones of a million nodes, and families that are hard for some algorithm,
//! solver by solver.
//!
//! Seconds are those of solving alone, as `loris solve` reports them; reading and verifying are
//! part of the whole process. Bytes are those that the solver declares at most, the game with its
//! predecessors included. If the variable `LORIS_OINK` names Oink's executable, its priority
//! promotion and its tangle learning run beside, and `auto` is compared with the better of them.

use crate::lab::{Lab, processor_seconds};
use crate::page::Findings;
use crate::stats::median;
use anyhow::Context;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

/// Seconds for a million nodes with three million edges and four priorities, and bytes per node.
const SECONDS: f64 = 2.0;
const BYTES: f64 = 64.0;
/// How many times as long as Oink `auto` may take, on games that one of them takes this long for.
const RATIO: f64 = 2.0;
const SHORT: f64 = 0.1;
/// Seconds after which Oink is stopped, and the least time that Linux counts.
const PATIENCE: u32 = 60;
const TICK: f64 = 0.01;

/// Games of a million nodes, or of a share of that in percent; the first is that of the target.
const GAMES: [(&str, u32, u32, u32); 10] = [
    ("random", 100, 3, 4),
    ("random", 100, 2, 4),
    ("random", 100, 3, 1),
    ("random", 100, 3, 1000),
    ("random", 5, 2, 50_000),
    ("clustered", 20, 2, 1000),
    ("ladder", 100, 2, 2),
    ("clique", 0, 1500, 1500),
    ("recursive-ladder", 10, 2, 60_000),
    ("jurdzinski", 3, 2, 200),
];

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let million: u32 = lab.unless_quick(1_000_000, 100_000);
    let runs = lab.unless_quick(5, 2);
    let (mut rows, mut data, mut target) = (Vec::new(), Vec::new(), None);
    let oink = oink();
    let mut ratios: Vec<f64> = Vec::new();
    for (family, share, degree, priorities) in GAMES {
        // cliques are small, for they have all edges
        let nodes = if share == 0 { degree } else { million / 100 * share };
        let edges = degree * nodes;
        let command = format!(
            "game --family {family} --nodes {nodes} --edges {edges} --priorities {priorities} --seed 1"
        );
        let game = lab.generate("game.pg", &command)?;
        let solvers = ["auto", "zielonka", "priority-promotion", "tangle-learning"];
        // Zielonka's algorithm takes hours on some of these
        let solvers = solvers.into_iter().filter(|&solver| family == "random" || solver != "zielonka");
        let mut auto = None;
        for solver in solvers {
            let arguments: [&OsStr; 6] = [
                "solve".as_ref(),
                game.as_ref(),
                "--solver".as_ref(),
                solver.as_ref(),
                "--format".as_ref(),
                "json".as_ref(),
            ];
            let (mut seconds, mut process, mut bytes) = (Vec::new(), Vec::new(), 0.0);
            for run in 0..runs {
                let before = processor_seconds();
                let (text, _) = lab.output(&arguments)?;
                process.push(processor_seconds() - before);
                let report: Value = serde_json::from_str(&text).context("loris solve wrote no JSON")?;
                seconds.push(report["seconds"].as_f64().context("a solution without seconds")?);
                bytes = report["bytes"].as_f64().context("a solution without bytes")? / f64::from(nodes);
                let (solving, all) = (seconds[run], process[run]);
                data.push(format!(
                    "{family},{nodes},{edges},{priorities},{solver},{run},{solving:.4},{all:.2},{bytes:.1}"
                ));
            }
            let measured = (median(&seconds), bytes);
            target.get_or_insert(measured);
            auto.get_or_insert(median(&process));
            rows.push(vec![
                family.to_owned(),
                nodes.to_string(),
                edges.to_string(),
                priorities.to_string(),
                solver.to_owned(),
                format!("{:.2}", measured.0),
                format!("{:.2}", median(&process)),
                format!("{bytes:.0}"),
            ]);
        }
        let Some(oink) = &oink else { continue };
        let size = [nodes, edges, priorities].map(|number| number.to_string());
        let best = beside(oink, &game, (family, &size), runs, &mut rows, &mut data)?;
        let auto = auto.context("auto is among the solvers")?;
        if best.is_finite() && auto.max(best) >= SHORT {
            ratios.push(auto / best.max(TICK));
        }
    }
    let mut findings = Findings::default();
    let head = [
        "game",
        "nodes",
        "edges",
        "priorities",
        "solver",
        "solving, s",
        "process, s of processor time",
        "bytes per node",
    ];
    findings.table(&head, &rows);
    let columns = "family,nodes,edges,priorities,solver,run,seconds,processor_seconds,bytes_per_node";
    findings.data("games", columns, &data);
    if let Some((seconds, bytes)) = target {
        let what = "random parity game, 1 million nodes, 3 million edges, 4 priorities";
        let is_full = !lab.quick;
        findings.target(
            &format!("{what}: solving"),
            "under 2 s",
            format!("{seconds:.2} s"),
            is_full && seconds < SECONDS,
        );
        findings.target(
            &format!("{what}: memory"),
            "64 bytes per node",
            format!("{bytes:.0} bytes"),
            bytes <= BYTES,
        );
    }
    if let Some(worst) = ratios.iter().copied().reduce(f64::max) {
        findings.target(
            "parity games that take 0.1 s or more, whole process, auto / the better of Oink's npp and tl",
            "2 at most",
            format!("{worst:.2} at most, {:.2} in the median, of {} games", median(&ratios), ratios.len()),
            worst <= RATIO,
        );
    }
    Ok(Some(findings))
}

/// Oink's executable, if it is named.
fn oink() -> Option<OsString> {
    let named = std::env::var_os("LORIS_OINK");
    if named.is_none() {
        println!("   SKIPPED in part: LORIS_OINK does not name Oink's executable");
    }
    named
}

/// Rows for Oink's algorithms on a game, and the least processor time of them.
fn beside(
    oink: &OsStr,
    game: &Path,
    (family, size): (&str, &[String; 3]),
    runs: usize,
    rows: &mut Vec<Vec<String>>,
    data: &mut Vec<String>,
) -> anyhow::Result<f64> {
    let mut best = f64::INFINITY;
    for algorithm in ["npp", "tl"] {
        let process = others(oink, game, algorithm, runs)?;
        let text = process.map_or_else(|| format!("over {PATIENCE}"), |seconds| format!("{seconds:.2}"));
        data.push(format!("{family},{},oink {algorithm},0,,{text},", size.join(",")));
        let mut row = vec![family.to_owned()];
        row.extend_from_slice(size);
        row.extend([format!("Oink, {algorithm}"), "-".to_owned(), text, "-".to_owned()]);
        rows.push(row);
        best = best.min(process.unwrap_or(f64::INFINITY));
    }
    Ok(best)
}

/// The processor time of Oink on a game, in the median; none if it takes longer than we wait.
fn others(oink: &OsStr, game: &Path, algorithm: &str, runs: usize) -> anyhow::Result<Option<f64>> {
    let mut process = Vec::new();
    for _ in 0..runs {
        let before = processor_seconds();
        let status = Command::new(oink)
            .arg(game)
            .args([format!("--{algorithm}"), "-z".to_owned(), PATIENCE.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("cannot run {}", oink.display()))?;
        let seconds = processor_seconds() - before;
        if !status.success() || seconds >= f64::from(PATIENCE) {
            return Ok(None);
        }
        process.push(seconds);
    }
    Ok(Some(median(&process)))
}
