//! Verdicts and searches as reports.

use crate::canvas::Canvas;
use crate::json::{readings, write_model, write_verdict};
use crate::reach::write_search;
use crate::runs::{machine_traces, proof, value_traces};
use crate::{Context, ReachReport, Result, counted};
use loris_check::{AnyCertificate, Model};
use loris_evidence::{Certificate, Evidence, MachineNames, Verdict};
use loris_findings::{Finding, Level, Location, Outcome, Property, Report, RuleInfo};
use loris_rsm::Rsm;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::ptr;

/// The rule of properties of models.
pub const PROPERTY_RULE: &str = "temporal-property";
/// The rule of searches.
pub const REACH_RULE: &str = "reachable";

const PROPERTY_HELP: &str = "A temporal property of the model does not hold in every initial state, or \
    could not be decided within the limits. The trace is a run that shows why: replay it with `loris \
    replay`, and compare each step with what the model should do.";

/// The results of `loris check` as a report, each in its context.
pub fn check_report(context: &Context<'_>, results: &[(Context<'_>, Result<'_>)], seconds: f64) -> Report {
    let mut report = Report { seconds, ..about(context, "check") };
    report.add_rule(RuleInfo {
        help: PROPERTY_HELP.to_owned(),
        ..RuleInfo::new(PROPERTY_RULE, Level::Error, "A temporal property of a model fails or stays unknown")
    });
    // the machines: one for each place where runs start
    let mut machines: Vec<(&Rsm, Vec<&Evidence>)> = Vec::new();
    for (context, (_, answer)) in results {
        let evidence = answer.machine_paths();
        if let (Some(rsm), Some(evidence)) = (context.rsm(), evidence) {
            match machines.iter_mut().rev().find(|(known, _)| ptr::eq(*known, rsm)) {
                Some((_, all)) => all.push(evidence),
                None => machines.push((rsm, vec![evidence])),
            }
        }
    }
    let canvases: Vec<Canvas<'_>> =
        machines.into_iter().map(|(rsm, all)| Canvas::new(rsm, all, &mut report.drawings)).collect();
    for (context, result) in results {
        let finding = verdict(context, *result, &canvases);
        report.findings.push(finding);
        // a model without runs is a slip that all its verdicts hide
        if let Some(note) = result.1.note.as_ref().filter(|note| note.is_of_model()) {
            let warning = format!("{}: {}", note.text(), note.detail());
            if !report.warnings.contains(&warning) {
                report.warnings.push(warning);
            }
        }
    }
    report
}

fn verdict(
    context: &Context<'_>,
    result @ (question, answer): Result<'_>,
    canvases: &[Canvas<'_>],
) -> Finding {
    let (outcome, message) = match &answer.verdict {
        Verdict::Holds => (Outcome::Holds, format!("The property holds: {}", question.text)),
        Verdict::Fails => (Outcome::Fails, format!("The property fails: {}", question.text)),
        Verdict::Unknown(why) => {
            (Outcome::Unknown, format!("The property is not decided ({why}): {}", question.text))
        }
    };
    let message = match &answer.note {
        Some(note) => format!("{message} ({}: {})", note.text(), note.detail()),
        None => message,
    };
    let mut text = String::new();
    let written = write_verdict(&mut text, context, result);
    debug_assert!(written.is_ok(), "a string takes everything");
    text.push('}');
    let known = ["property", "name", "line", "file", "module", "instance", "logic", "verdict"];
    let beside = [("evidence_note", &answer.evidence_note), ("knowledge", &answer.knowledge)];
    let beside =
        beside.into_iter().filter_map(|(key, text)| Some((key.to_owned(), Value::String(text.clone()?))));
    let details = entries(&text).into_iter().filter(|(key, _)| !known.contains(&&**key));
    let details = details.chain(beside).collect();
    let module = context.subject.map(|subject| subject.module.to_owned());
    let instance = context.subject.map(|subject| subject.instance.to_owned()).filter(|name| !name.is_empty());
    let location = match &question.source {
        Some(source) => Location::line(&*source.file, source.line),
        None => Location::file(context.path),
    };
    let location = match &module {
        Some(module) => location.within(&**module, "module"),
        None => location,
    };
    let mut finding = Finding {
        identity: [
            Some(context.path.replace('\\', "/")),
            module.clone(),
            instance.clone(),
            Some(question.logic.name().to_owned()),
            Some(question.text.split_whitespace().collect::<Vec<_>>().join(" ")),
        ]
        .into_iter()
        .flatten()
        .collect(),
        locations: vec![location],
        property: Some(Property {
            text: question.text.clone(),
            name: question.name.clone(),
            logic: Some(question.logic.name().to_owned()),
            module,
            instance,
        }),
        details,
        ..Finding::new(PROPERTY_RULE, Level::Error, outcome, message)
    };
    if let (Some(evidence), Some(model)) = (&answer.evidence, context.model) {
        show(&mut finding, evidence, model, canvases);
    }
    finding
}

/// Adds evidence to a finding.
fn show(finding: &mut Finding, evidence: &AnyCertificate, model: &Model, canvases: &[Canvas<'_>]) {
    match (evidence, model) {
        (AnyCertificate::Machine(Certificate::Paths(evidence)), Model::Machine(machine)) => {
            if let Some(canvas) = canvases.iter().find(|canvas| ptr::eq(canvas.rsm, &raw const machine.rsm)) {
                finding.traces = machine_traces(canvas, evidence);
            }
        }
        (AnyCertificate::Machine(other), Model::Machine(machine)) => {
            finding.proof = proof(other, &MachineNames::new(&machine.rsm));
        }
        (AnyCertificate::Values(Certificate::Paths(evidence)), Model::Symbolic(names)) => {
            finding.traces = value_traces(evidence, &**names, names.circuit().is_some());
        }
        (AnyCertificate::Values(other), Model::Symbolic(names)) => finding.proof = proof(other, &**names),
        (AnyCertificate::Processes(Certificate::Paths(evidence)), Model::Processes(processes)) => {
            finding.traces = value_traces(evidence, &*processes.system, false);
        }
        (AnyCertificate::Processes(other), Model::Processes(processes)) => {
            finding.proof = proof(other, &*processes.system);
        }
        _ => {}
    }
}

/// The result of `loris reach` as a report.
pub fn reach_report(context: &Context<'_>, reached: &ReachReport<'_>, seconds: f64) -> Report {
    let mut report = Report { seconds, ..about(context, "reach") };
    report.add_rule(RuleInfo {
        help: "The target is reachable. The trace is a run that gets there.".to_owned(),
        ..RuleInfo::new(REACH_RULE, Level::Note, "The target of a search is reachable")
    });
    let found = reached.found;
    if let Some(nodes) = reached.nodes {
        report.counters.push(("reached".to_owned(), nodes.len() as u64));
        report.notes.push(format!("{} can be reached", counted(nodes.len(), "node", "nodes")));
    }
    let Some(to) = reached.to else { return report };
    let from = reached.from.map(|from| format!(" from {from}")).unwrap_or_default();
    let (outcome, message) = match &found.verdict {
        Verdict::Holds => {
            let steps = found.steps().map(|steps| format!(" in {}", counted(steps, "step", "steps")));
            (Outcome::Reachable, format!("Reachable{from}{}: {to}", steps.unwrap_or_default()))
        }
        Verdict::Fails => (Outcome::Unreachable, format!("Not reachable{from}: {to}")),
        Verdict::Unknown(why) => (Outcome::Unknown, format!("Not decided{from} ({why}): {to}")),
    };
    let mut text = String::new();
    let written = write_search(&mut text, context, reached);
    debug_assert!(written.is_ok(), "a string takes everything");
    text.push('}');
    let known =
        ["loris", "model", "module", "verdict", "nodes", "at_exit", "runs", "dead_ends", "empty_calls"];
    let details = entries(&text).into_iter().filter(|(key, _)| !known.contains(&&**key)).collect();
    let module = context.subject.map(|subject| subject.module.to_owned());
    let mut finding = Finding {
        identity: [Some(context.path), reached.from, Some(to)]
            .into_iter()
            .map(|part| part.unwrap_or_default().to_owned())
            .collect(),
        locations: vec![Location::file(context.path)],
        property: Some(Property { text: to.to_owned(), module, ..Property::default() }),
        details,
        ..Finding::new(REACH_RULE, Level::Note, outcome, message)
    };
    if let (Some(evidence), Some(model)) = (&found.evidence, context.model) {
        let machine = model.rsm().zip(evidence.machine_paths());
        let canvas = machine.map(|(rsm, evidence)| Canvas::new(rsm, [evidence], &mut report.drawings));
        show(&mut finding, evidence, model, canvas.as_slice());
    }
    report.findings.push(finding);
    report
}

/// A report without findings: the model and its readings.
fn about(context: &Context<'_>, command: &str) -> Report {
    let mut report = Report::new(format!("{command} {}", context.path));
    report.inputs = [Some(context.path), context.with].into_iter().flatten().map(str::to_owned).collect();
    let mut text = String::new();
    let written = write_model(&mut text, context);
    debug_assert!(written.is_ok(), "a string takes everything");
    let readings = entries(&format!("{{{}}}", readings(context)));
    let facts = entries(&text).into_iter().chain(readings);
    report.facts = facts.filter(|(key, value)| key != "path" && !value.is_null()).collect();
    report
}

/// The entries of a JSON object in their order.
fn entries(text: &str) -> Vec<(String, Value)> {
    struct Entries;
    impl<'de> Visitor<'de> for Entries {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = map.next_entry()? {
                entries.push(entry);
            }
            Ok(entries)
        }
    }
    let read = serde_json::Deserializer::from_str(text).deserialize_map(Entries);
    read.expect("what is written here is an object")
}
