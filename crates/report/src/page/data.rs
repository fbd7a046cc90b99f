//! The report as the viewer reads it.
//!
//! Files are numbered, edges of drawings are flat lists, and what is empty is left out: pages with
//! thousands of results should open fast.

use crate::fingerprint::fingerprints;
use crate::runs::taken_edges;
use loris_findings::{
    DrawingKind, DrawnKind, Finding, Importance, Location, Outcome, Proof, Report, Spot, Trace,
};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// At most this many steps of a trace are in a page.
const MOST_STEPS: usize = 20_000;
/// At most this many steps of all traces; a trace gets at least [`LEAST_STEPS`].
const ALL_STEPS: usize = 200_000;
const LEAST_STEPS: usize = 40;

/// The JSON that a page carries, on one line.
pub(super) fn json(report: &Report) -> String {
    let mut files = Files::default();
    let traces: usize = report.findings.iter().map(|finding| finding.traces.len()).sum();
    let most = (ALL_STEPS / traces.max(1)).clamp(LEAST_STEPS, MOST_STEPS);
    let fingerprints = fingerprints(report);
    let findings: Vec<Value> = report
        .findings
        .iter()
        .zip(&fingerprints)
        .map(|(finding, fingerprint)| self::finding(report, finding, fingerprint, most, &mut files))
        .collect();
    let summary: BTreeMap<&str, usize> =
        Outcome::ALL.iter().map(|&outcome| (outcome.word(), report.count(outcome))).collect();
    let rules: Vec<Value> = report
        .rules
        .iter()
        .map(|rule| {
            let mut value = json!({
                "id": rule.id, "level": rule.level.word(), "summary": rule.summary, "help": rule.help,
            });
            if let Some(uri) = &rule.help_uri {
                value["uri"] = json!(uri);
            }
            if !rule.cwe.is_empty() {
                value["cwe"] = json!(rule.cwe);
            }
            value
        })
        .collect();
    let sources: Vec<Value> = report
        .sources
        .iter()
        .map(|source| {
            let excerpts: Vec<_> =
                source.excerpts.iter().map(|excerpt| (excerpt.first, &excerpt.lines)).collect();
            json!({"path": source.path, "lines": source.lines, "excerpts": excerpts})
        })
        .collect();
    json!({
        "loris": env!("CARGO_PKG_VERSION"),
        "title": report.title,
        "inputs": report.inputs,
        "facts": report.facts,
        "counters": report.counters,
        "notes": report.warnings.iter().cloned().chain(report.remarks()).collect::<Vec<_>>(),
        "seconds": crate::json::rounded(report.seconds),
        "summary": summary,
        "rules": rules,
        "findings": findings,
        "files": files.names,
        "sources": sources,
        "drawings": drawings(report),
    })
    .to_string()
}

/// The files of locations, by number.
#[derive(Default)]
struct Files {
    names: Vec<String>,
    numbers: FxHashMap<String, usize>,
}

#[derive(Serialize)]
struct Place<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a str>,
}

impl Files {
    fn place<'a>(&mut self, location: &'a Location) -> Place<'a> {
        let file = location.file.as_ref().map(|file| {
            if let Some(&number) = self.numbers.get(&**file) {
                return number;
            }
            self.names.push(file.to_string());
            self.numbers.insert(file.to_string(), self.names.len() - 1);
            self.names.len() - 1
        });
        let part = location.logical.as_ref().map(|logical| &*logical.name);
        Place { file, line: location.line, column: location.column, part }
    }
}

fn finding(report: &Report, finding: &Finding, fingerprint: &str, most: usize, files: &mut Files) -> Value {
    let mut value = Map::new();
    let mut put = |key: &str, entry: Value| drop(value.insert(key.to_owned(), entry));
    put("rule", json!(report.rule_number(finding)));
    put("level", json!(finding.level.word()));
    put("verdict", json!(finding.outcome.word()));
    put("message", json!(finding.message));
    put("fingerprint", json!(fingerprint));
    let places: Vec<_> = finding.locations.iter().map(|location| files.place(location)).collect();
    put("locations", json!(places));
    if let Some(property) = &finding.property {
        let entries = [
            ("text", Some(&property.text)),
            ("name", property.name.as_ref()),
            ("logic", property.logic.as_ref()),
            ("module", property.module.as_ref()),
            ("instance", property.instance.as_ref()),
        ];
        let entries = entries.into_iter().filter_map(|(key, text)| Some((key, text?)));
        put("property", json!(entries.collect::<BTreeMap<_, _>>()));
    }
    let facts = finding.facts();
    if !facts.is_empty() {
        put("details", json!(facts));
    }
    if !finding.assumptions.is_empty() {
        put("assumptions", json!(finding.assumptions));
    }
    if let Some(by) = &finding.suppressed {
        put("suppressions", json!([(by.kind.word(), by.justification())]));
    }
    if let Some(baseline) = finding.baseline {
        put("baseline", json!(baseline.word()));
    }
    let traces: Vec<Value> = finding.traces.iter().map(|trace| self::trace(trace, most, files)).collect();
    put("traces", json!(traces));
    match &finding.proof {
        Some(Proof::Invariant { shows, clauses }) => {
            put("proof", json!({"kind": "invariant", "shows": shows, "clauses": clauses}));
        }
        Some(Proof::Strategy { shows, moves, total }) => {
            let moves: Vec<_> =
                moves.iter().map(|step| [&step.from.0, &step.from.1, &step.to.0, &step.to.1]).collect();
            put("proof", json!({"kind": "strategy", "shows": shows, "moves": moves, "total": total}));
        }
        None => {}
    }
    Value::Object(value)
}

#[derive(Serialize)]
struct Frame<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<u32>,
    depth: u32,
    site: &'a str,
    callee: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Place<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spot: Option<[u32; 2]>,
}

#[derive(Serialize)]
struct Step<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Place<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<(u32, Option<&'a str>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    essential: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    spot: Option<[u32; 2]>,
}

fn trace(trace: &Trace, most: usize, files: &mut Files) -> Value {
    let spot = |spot: Option<Spot>| spot.map(|spot| [spot.drawing, spot.node]);
    let frames = trace.frames.iter().map(|frame| Frame {
        parent: frame.parent,
        depth: frame.depth,
        site: &frame.call.site,
        callee: &frame.call.callee,
        at: frame.call.location.as_ref().map(|location| files.place(location)),
        spot: spot(frame.call.spot),
    });
    let frames: Vec<Frame<'_>> = frames.collect();
    let gap = trace.gap(most);
    // changes in steps that are left out belong to the next one that is kept
    let mut missed: BTreeMap<u32, Option<&str>> = BTreeMap::new();
    let mut steps = Vec::with_capacity(trace.steps.len().min(most));
    for (number, step) in trace.steps.iter().enumerate() {
        let changes = step.changes.iter().map(|(variable, value)| (*variable, value.as_deref()));
        if gap.is_some_and(|gap| (gap.from..gap.from + gap.count).contains(&number)) {
            missed.extend(changes);
            continue;
        }
        let mut all = std::mem::take(&mut missed);
        let changes = if all.is_empty() {
            changes.collect()
        } else {
            all.extend(changes);
            all.into_iter().collect()
        };
        steps.push(Step {
            text: &step.text,
            frame: step.frame,
            at: step.location.as_ref().map(|location| files.place(location)),
            labels: step.labels.iter().map(String::as_str).collect(),
            changes,
            note: step.note.as_deref(),
            essential: step.importance == Importance::Essential,
            spot: spot(step.spot),
        });
    }
    let edges: Vec<[u32; 4]> = taken_edges(trace)
        .into_iter()
        .map(|(from, to)| [from.drawing, from.node, to.drawing, to.node])
        .collect();
    let mut value = json!({
        "shows": trace.shows, "base": trace.base, "frames": frames, "variables": trace.variables, "steps": steps,
    });
    if let Some(relied) = trace.relied_on_by {
        value["relied"] = json!([relied.trace, relied.step]);
    }
    if let Some(repeats) = trace.repeats {
        value["loop"] = json!([repeats.from, repeats.to]);
    }
    if let Some(gap) = gap {
        value["gap"] = json!([gap.from, gap.count]);
    }
    if !edges.is_empty() {
        value["edges"] = json!(edges);
    }
    value
}

fn drawings(report: &Report) -> Vec<Value> {
    let node = |node: &loris_findings::DrawnNode| {
        let kind = match node.kind {
            DrawnKind::Component => "component",
            DrawnKind::Entry => "entry",
            DrawnKind::Exit => "exit",
            DrawnKind::EntryAndExit => "both",
            DrawnKind::Inner => "inner",
            DrawnKind::Call => "call",
        };
        let mut value = json!({"name": node.name, "kind": kind});
        if !node.labels.is_empty() {
            value["labels"] = json!(node.labels);
        }
        if node.is_initial {
            value["initial"] = json!(true);
        }
        if let Some(opens) = node.opens {
            value["opens"] = json!(opens);
        }
        if node.hidden > 0 {
            value["hidden"] = json!(node.hidden);
        }
        value
    };
    let drawing = |drawing: &loris_findings::Drawing| {
        let kind = match drawing.kind {
            DrawingKind::Calls => "calls",
            DrawingKind::Component => "component",
        };
        let edges: Vec<u32> = drawing.edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        let nodes: Vec<Value> = drawing.nodes.iter().map(node).collect();
        json!({"title": drawing.title, "kind": kind, "nodes": nodes, "edges": edges, "hidden": drawing.hidden})
    };
    report.drawings.iter().map(drawing).collect()
}
