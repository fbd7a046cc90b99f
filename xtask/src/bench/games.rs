//! Parity games: random ones of a million nodes, and families that are hard for some algorithm,
//! solver by solver.
//!
//! Seconds are those of solving alone, as `loris solve` reports them; reading and verifying are
//! part of the whole process. Bytes are those that the solver declares at most, the game with its
//! predecessors included.

use crate::lab::{Lab, processor_seconds};
use crate::page::Findings;
use crate::stats::median;
use anyhow::Context;
use serde_json::Value;
use std::ffi::OsStr;

/// Seconds for a million nodes with three million edges and four priorities, and bytes per node.
const SECONDS: f64 = 2.0;
const BYTES: f64 = 64.0;

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
    Ok(Some(findings))
}
