//! Parity games: random ones of a million nodes, solver by solver.
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

/// Edges per node and priorities; the first is that of the target.
const SHAPES: [(u32, u32); 4] = [(3, 4), (2, 4), (3, 1), (3, 1000)];

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    let nodes: u32 = lab.unless_quick(1_000_000, 100_000);
    let runs = lab.unless_quick(5, 2);
    let (mut rows, mut data, mut target) = (Vec::new(), Vec::new(), None);
    for (degree, priorities) in SHAPES {
        let edges = degree * nodes;
        let command = format!("game --nodes {nodes} --edges {edges} --priorities {priorities} --seed 1");
        let game = lab.generate("random.pg", &command)?;
        for solver in ["zielonka", "priority-promotion"] {
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
                    "{nodes},{edges},{priorities},{solver},{run},{solving:.4},{all:.2},{bytes:.1}"
                ));
            }
            let measured = (median(&seconds), bytes);
            target.get_or_insert(measured);
            rows.push(vec![
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
        "nodes",
        "edges",
        "priorities",
        "solver",
        "solving, s",
        "process, s of processor time",
        "bytes per node",
    ];
    findings.table(&head, &rows);
    let columns = "nodes,edges,priorities,solver,run,seconds,processor_seconds,bytes_per_node";
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
