//! Results as JSON, with the keys of `docs/formats.md` in their order.
//!
//! Written by hand: one line per result in both forms, and evidence as it writes itself.

use crate::evidence::json_evidence;
use crate::{Context, Result, Tally, dead_ends_word, distance, empty_calls_word, runs_at_dead_ends};
use loris_check::{Distance, Logic, Note, counters, runs_word};
use loris_evidence::Verdict;
pub(crate) use loris_json::json_quoted as quoted;
use std::fmt::{self, Write};

/// All results of a run as one document, each in its context: all are about one model, but runs may
/// start elsewhere.
pub fn json_report(
    out: &mut impl Write,
    context: &Context<'_>,
    results: &[(Context<'_>, Result<'_>)],
    seconds: f64,
) -> fmt::Result {
    write_head(out, context)?;
    writeln!(out, "\n {},", readings(context))?;
    out.write_str(" \"results\": [")?;
    for (i, (own, result)) in results.iter().enumerate() {
        out.write_str(if i > 0 { ",\n  " } else { "\n  " })?;
        write_result(out, own, *result)?;
        if let Some(program) = own.program().filter(|_| own.program() != context.program()) {
            write!(out, ", \"program\": {program}")?;
        }
        out.write_char('}')?;
    }
    let Tally { holds, fails, unknown } = results.iter().map(|(_, (_, answer))| &answer.verdict).collect();
    write!(out, "],\n \"summary\": {{\"holds\": {holds}, \"fails\": {fails}, \"unknown\": {unknown}, ")?;
    writeln!(out, "\"seconds\": {}}}}}", rounded(seconds))
}

/// One result on a line of its own (`jsonl`), with the readings it depends on.
pub fn json_result(out: &mut impl Write, context: &Context<'_>, result: Result<'_>) -> fmt::Result {
    write_result(out, context, result)?;
    if let Some(peer) = context.with {
        write!(out, ", \"with\": {}", quoted(peer))?;
    }
    if let Some(program) = context.program() {
        write!(out, ", \"program\": {program}")?;
    }
    writeln!(out, ", {}}}", readings(context))
}

/// The head of a document: the program, and the model with its sizes, up to a comma.
pub(crate) fn write_head(out: &mut impl Write, context: &Context<'_>) -> fmt::Result {
    writeln!(out, "{{\"loris\": {},", quoted(env!("CARGO_PKG_VERSION")))?;
    out.write_str(" \"model\": ")?;
    write_model(out, context)?;
    out.write_char(',')
}

/// The model with its sizes, as an object.
pub(crate) fn write_model(out: &mut impl Write, context: &Context<'_>) -> fmt::Result {
    write!(out, "{{\"path\": {}, ", quoted(context.path))?;
    write!(out, "\"format\": \"{}\", ", context.format)?;
    if let Some(peer) = context.with {
        write!(out, "\"with\": {}, ", quoted(peer))?;
    }
    if let Some(program) = context.program() {
        write!(out, "\"program\": {program}, ")?;
    }
    let Some(model) = context.model else {
        // only machines are asked about before they are made
        return out.write_str(
            "\"components\": null, \"nodes\": null, \"boxes\": null, \"edges\": null, \"theta\": null}",
        );
    };
    for (i, size) in model.checkable().sizes().into_iter().enumerate() {
        write!(out, "{}\"{}\": {}", if i > 0 { ", " } else { "" }, size.key, size.count)?;
    }
    out.write_char('}')
}

pub(crate) fn readings(context: &Context<'_>) -> String {
    if let Some(processes) = context.processes() {
        return format!("\"dead_ends\": \"{}\"", runs_at_dead_ends(processes.dead_ends));
    }
    format!(
        "\"at_exit\": \"{}\", \"runs\": \"{}\", \"dead_ends\": \"{}\", \"empty_calls\": \"{}\"",
        context.at_exit.word(),
        runs_word(context.runs),
        dead_ends_word(context.semantics.dead_ends),
        empty_calls_word(context.semantics.empty_calls),
    )
}

/// A result up to its closing bracket.
fn write_result(out: &mut impl Write, context: &Context<'_>, result: Result<'_>) -> fmt::Result {
    write_verdict(out, context, result)?;
    write_evidence(out, context, result)
}

/// A result without its evidence, up to its closing bracket.
pub(crate) fn write_verdict(
    out: &mut impl Write,
    context: &Context<'_>,
    (question, answer): Result<'_>,
) -> fmt::Result {
    write!(out, "{{\"property\": {}, ", quoted(&question.text))?;
    if let Some(name) = &question.name {
        write!(out, "\"name\": {}, ", quoted(name))?;
    }
    match &question.source {
        Some(source) => write!(out, "\"line\": {}, \"file\": {}, ", source.line, quoted(&source.file))?,
        None => out.write_str("\"line\": null, \"file\": null, ")?,
    }
    if let Some(subject) = context.subject {
        out.write_str(&subject.json())?;
    }
    let logic = question.logic;
    write!(out, "\"logic\": \"{}\", \"verdict\": \"{}\", ", logic.name(), answer.verdict.word())?;
    if let Some(runs) = question.counted_runs.word() {
        write!(out, "\"counted_runs\": \"{runs}\", ")?;
    }
    if let Verdict::Unknown(reason) = &answer.verdict {
        write!(out, "\"reason\": {}, ", quoted(&reason.to_string()))?;
    }
    if let Some(value) = answer.value {
        let value = match value {
            Distance::Steps(steps) => steps.to_string(),
            other => quoted(&distance(other)),
        };
        write!(out, "\"value\": {value}, ")?;
    }
    if let Some(note) = &answer.note {
        // a condition on states is not vacuous where no run is fair
        let is_vacuous = logic == Logic::Ltl || !matches!(note, Note::NoFairRun | Note::NoInfiniteRun(_));
        let vacuous = if is_vacuous { "\"vacuous\": true, " } else { "" };
        write!(out, "\"note\": {}, {vacuous}", quoted(&note.text()))?;
    }
    write!(out, "\"engine\": \"{}\", ", answer.engine)?;
    let always = [counters::CONTEXTS, counters::CHECKS];
    for name in always {
        write!(out, "\"{name}\": {}, ", number(answer.counter(name).map(|number| number as usize)))?;
    }
    for (name, number) in answer.counters.iter().filter(|(name, _)| !always.contains(name)) {
        write!(out, "\"{}\": {number}, ", name.replace(' ', "_"))?;
    }
    let saturated = answer.counters.iter().filter(|(_, number)| *number == u64::MAX);
    let saturated: Vec<String> = saturated.map(|(name, _)| quoted(&name.replace(' ', "_"))).collect();
    if !saturated.is_empty() {
        write!(out, "\"saturated\": [{}], ", saturated.join(", "))?;
    }
    if !answer.decided_by.is_empty() {
        let names: Vec<String> = answer.decided_by.iter().map(|name| quoted(name)).collect();
        write!(out, "\"decided_by\": [{}], ", names.join(", "))?;
    }
    if let Some(states) = context.explored {
        write!(out, "\"explored_states\": {states}, ")?;
    }
    write!(out, "\"seconds\": {}", rounded(answer.seconds))
}

/// Evidence and what else there is to a verdict, as keys after others.
fn write_evidence(out: &mut impl Write, context: &Context<'_>, (_, answer): Result<'_>) -> fmt::Result {
    if let (Some(evidence), Some(model)) = (&answer.evidence, context.model) {
        json_evidence(evidence, model, ", \"evidence\": ", out)?;
    }
    if let Some(knowledge) = &answer.knowledge {
        write!(out, ", \"knowledge\": {}", quoted(knowledge))?;
    }
    match &answer.evidence_note {
        Some(note) => write!(out, ", \"evidence_note\": {}", quoted(note)),
        None => Ok(()),
    }
}

pub(crate) fn number(number: Option<usize>) -> String {
    number.map_or("null".to_owned(), |number| number.to_string())
}

/// Microseconds are precise enough.
pub(crate) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
