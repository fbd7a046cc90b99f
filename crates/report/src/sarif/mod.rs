//! Reports in the Static Analysis Results Interchange Format, SARIF 2.1.0.
//!
//! Results are what somebody may have to act on: properties that fail, searches that succeed,
//! findings of rules, and, of kind `open`, questions that stay unknown. Properties that hold are
//! counted in the run's `properties`; services for code scanning would show them as alerts. The
//! limits of these services ([`MOST_RESULTS`], [`MOST_STEPS`]) are kept, and a file that is cut
//! says so in the notifications of its invocation, a trace in the message of its code flow.

mod schema;
mod uri;

use crate::counted;
use crate::fingerprint::fingerprints;
use loris_findings::{BaselineState, Confidence, Finding, Location, Outcome, Report, RuleInfo, Trace};
use schema::{
    BaseLocation, CodeFlow, ComponentName, Configuration, Descriptor, Driver, Help, Invocation,
    LocationObject, Log, LogicalLocation, Message, Notification, OwnedMessage, PhysicalLocation, Region,
    Relationship, ResultObject, Run, SuppressionObject, Taxon, TaxonReference, Taxonomy, ThreadFlow,
    ThreadFlowLocation, Tool,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use uri::{ROOT, artifact};

/// At most this many results are written.
pub const MOST_RESULTS: usize = 25_000;
/// At most this many steps of a trace are written.
pub const MOST_STEPS: usize = 1000;
/// At most this many traces of a finding.
const MOST_FLOWS: usize = 10;
/// At most this many steps in a file, so that it stays within 10 MB when it is compressed; a trace
/// gets at least [`LEAST_STEPS`].
const ALL_STEPS: usize = 300_000;
const LEAST_STEPS: usize = 10;
/// At most this many changed values of a step.
const MOST_VALUES: usize = 100;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes a report as SARIF.
///
/// # Errors
/// Those of the writer.
pub fn write_sarif(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let mut notifications: Vec<Notification> = Vec::new();
    let mut notify =
        |level, text: String| notifications.push(Notification { level, message: OwnedMessage { text } });
    report.warnings.iter().for_each(|warning| notify("warning", warning.clone()));
    report.remarks().for_each(|note| notify("note", note));

    let fingerprints = fingerprints(report);
    let reported = report.findings.iter().zip(&fingerprints);
    let reported: Vec<(&Finding, &String)> =
        reported.filter(|(finding, _)| kind(finding.outcome).is_some()).collect();
    if reported.len() > MOST_RESULTS {
        let left = reported.len() - MOST_RESULTS;
        notify(
            "warning",
            format!(
                "{left} of {} results are left out: code-scanning services take {MOST_RESULTS} at most",
                reported.len()
            ),
        );
    }
    let kept = &reported[..reported.len().min(MOST_RESULTS)];
    let steps_left = ALL_STEPS
        / kept.iter().map(|(finding, _)| finding.traces.len().min(MOST_FLOWS)).sum::<usize>().max(1);
    let most_steps = steps_left.clamp(LEAST_STEPS, MOST_STEPS);
    let results = kept.iter().map(|(finding, fingerprint)| result(report, finding, fingerprint, most_steps));

    let cwe: BTreeSet<u32> = report.rules.iter().flat_map(|rule| rule.cwe.iter().copied()).collect();
    let mut properties: BTreeMap<&str, Value> =
        report.counters.iter().map(|(name, count)| (&**name, json!(count))).collect();
    properties.extend(Outcome::ALL.map(|outcome| (outcome.word(), json!(report.count(outcome)))));
    properties.insert("title", json!(report.title));
    properties.insert("seconds", json!(crate::json::rounded(report.seconds)));
    let run = Run {
        tool: Tool {
            driver: Driver {
                name: "Loris",
                version: env!("CARGO_PKG_VERSION"),
                semantic_version: env!("CARGO_PKG_VERSION"),
                rules: report.rules.iter().map(descriptor).collect(),
                supported_taxonomies: cwe.iter().take(1).map(|_| ComponentName { name: "CWE" }).collect(),
            },
        },
        original_uri_base_ids: BTreeMap::from([(
            ROOT,
            BaseLocation { description: Message { text: "The folder that Loris was called in." } },
        )]),
        column_kind: "unicodeCodePoints",
        taxonomies: taxonomies(&cwe),
        results: results.collect(),
        properties,
        invocations: [Invocation { execution_successful: true, tool_execution_notifications: notifications }],
    };
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run] };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    out.write_all(b"\n")
}

/// The kind of a result, unless it is none.
fn kind(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Fails | Outcome::Reachable => Some("fail"),
        Outcome::Unknown => Some("open"),
        Outcome::Holds | Outcome::Unreachable => None,
    }
}

fn descriptor(rule: &RuleInfo) -> Descriptor<'_> {
    let relationship = |cwe: &u32| Relationship {
        target: TaxonReference { id: cwe.to_string(), tool_component: ComponentName { name: "CWE" } },
        kinds: ["superset"],
    };
    // services read these tags, and not the taxa
    let tags: Vec<String> = rule.cwe.iter().map(|cwe| format!("external/cwe/cwe-{cwe:03}")).collect();
    let tags = (!tags.is_empty()).then(|| ("tags", json!(tags)));
    Descriptor {
        id: &rule.id,
        short_description: Message { text: &rule.summary },
        full_description: Message { text: &rule.summary },
        help: Help { text: &rule.help, markdown: rule.help_markdown.as_deref() },
        help_uri: rule.help_uri.clone().or_else(|| rule.cwe.first().map(|&cwe| cwe_page(cwe))),
        default_configuration: Configuration { level: rule.level.word() },
        relationships: rule.cwe.iter().map(relationship).collect(),
        properties: tags.into_iter().collect(),
    }
}

fn cwe_page(cwe: u32) -> String {
    format!("https://cwe.mitre.org/data/definitions/{cwe}.html")
}

fn taxonomies(cwe: &BTreeSet<u32>) -> Vec<Taxonomy> {
    if cwe.is_empty() {
        return Vec::new();
    }
    let taxa = cwe.iter().map(|&cwe| Taxon { id: cwe.to_string(), help_uri: cwe_page(cwe) });
    vec![Taxonomy {
        name: "CWE",
        organization: "MITRE",
        information_uri: "https://cwe.mitre.org/",
        short_description: Message { text: "The MITRE Common Weakness Enumeration" },
        is_comprehensive: false,
        taxa: taxa.collect(),
    }]
}

fn result<'a>(
    report: &'a Report,
    finding: &'a Finding,
    fingerprint: &str,
    most_steps: usize,
) -> ResultObject<'a> {
    let kind = kind(finding.outcome).unwrap_or("notApplicable");
    let root = report.root.as_deref();
    let mut properties: BTreeMap<&str, Value> = finding.facts().into_iter().collect();
    properties.insert("verdict", json!(finding.outcome.word()));
    if let Some(property) = &finding.property {
        properties.insert("property", json!(property.text));
        properties.extend(property.logic.iter().map(|logic| ("logic", json!(logic))));
        properties.extend(property.name.iter().map(|name| ("name", json!(name))));
    }
    if !finding.assumptions.is_empty() {
        properties.insert("assumptions", json!(finding.assumptions));
    }
    let suppressions = finding.suppressed.as_ref().map(|by| {
        [SuppressionObject { kind: by.kind.word(), status: "accepted", justification: by.justification() }]
    });
    let assumed = match &finding.assumptions[..] {
        [] => String::new(),
        assumed => format!("\nAssumed: {}", assumed.join("; ")),
    };
    let message = format!("{}{assumed}", finding.message);
    let flows = finding.traces.iter().enumerate().take(MOST_FLOWS);
    ResultObject {
        rule_id: &finding.rule,
        rule_index: report.rule_number(finding),
        kind,
        level: if kind == "fail" { finding.level.word() } else { "none" },
        message: OwnedMessage { text: message },
        locations: finding.locations.iter().map(|place| location(place, root, None)).collect(),
        code_flows: flows.map(|(at, trace)| flow(at, trace, finding, root, most_steps)).collect(),
        partial_fingerprints: BTreeMap::from([
            ("lorisFinding/v1", fingerprint.to_owned()),
            // the one that GitHub compares
            ("primaryLocationLineHash", fingerprint.to_owned()),
        ]),
        suppressions,
        baseline_state: finding.baseline.map(BaselineState::word),
        rank: finding.confidence.map(Confidence::rank),
        properties,
    }
}

fn location(place: &Location, root: Option<&str>, message: Option<String>) -> LocationObject {
    let region = place.line.filter(|&line| line > 0);
    let region =
        region.map(|start_line| Region { start_line, start_column: place.column.filter(|&at| at > 0) });
    LocationObject {
        physical_location: place
            .file
            .as_ref()
            .map(|file| PhysicalLocation { artifact_location: artifact(file, root), region }),
        logical_locations: place.logical.as_ref().map(|logical| {
            [LogicalLocation { fully_qualified_name: logical.name.to_string(), kind: logical.kind }]
        }),
        message: message.map(|text| OwnedMessage { text }),
    }
}

/// A trace as a code flow. Steps without a file of their own are in the first location's file.
fn flow(at: usize, trace: &Trace, finding: &Finding, root: Option<&str>, most_steps: usize) -> CodeFlow {
    let gap = trace.gap(most_steps);
    let shows = match trace.relied_on_by {
        Some(relied) => format!(
            "Trace {}, relied on by step {} of trace {}: {}",
            at + 1,
            relied.step + 1,
            relied.trace + 1,
            trace.shows
        ),
        None => format!("Shows {}", trace.shows),
    };
    let repeats = trace
        .repeats
        .map(|repeats| format!("steps {} to {} repeat for ever", repeats.from + 1, repeats.to + 1));
    let left_out = gap.map(|gap| {
        let steps = counted(gap.count, "step is", "steps are");
        format!("{steps} left out after step {}, of {}", gap.from, trace.steps.len())
    });
    let message = [Some(shows), repeats, left_out].into_iter().flatten().collect::<Vec<_>>().join("; ");
    let file = finding.locations.first().and_then(|place| place.file.as_ref());
    let mut locations = Vec::with_capacity(trace.steps.len().min(most_steps));
    for (number, step) in trace.steps.iter().enumerate() {
        if gap.is_some_and(|gap| (gap.from..gap.from + gap.count).contains(&number)) {
            continue;
        }
        let depth = trace.depth(number);
        let next = (number + 1 < trace.steps.len()).then(|| trace.depth(number + 1));
        let mut kinds = Vec::new();
        if next.is_some_and(|next| next > depth) {
            kinds.push("call");
        }
        if next.is_some_and(|next| next < depth) {
            kinds.push("return");
        }
        let mut place = step.location.clone().unwrap_or_default();
        if place.file.is_none() {
            place.file = file.cloned();
        }
        let labels = (!step.labels.is_empty()).then(|| format!("{{{}}}", step.labels.join(", ")));
        let note = step.note.as_ref().map(|note| format!("({note})"));
        let left_out = gap
            .filter(|gap| number + 1 == gap.from)
            .map(|gap| format!("… {} left out here", counted(gap.count, "step is", "steps are")));
        let text = [Some(step.text.clone()), labels, note, left_out];
        let text = text.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let changes = step.changes.iter().take(MOST_VALUES);
        let state = changes.map(|(variable, value)| {
            let value = value.clone().unwrap_or_default();
            (trace.variables[*variable as usize].clone(), OwnedMessage { text: value })
        });
        locations.push(ThreadFlowLocation {
            location: location(&place, root, Some(text)),
            nesting_level: depth,
            execution_order: number + 1,
            importance: step.importance.word(),
            kinds,
            state: state.collect(),
        });
    }
    CodeFlow { message: OwnedMessage { text: message }, thread_flows: [ThreadFlow { locations }] }
}
