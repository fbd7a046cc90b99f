//! Findings as JSON, with keys in a fixed order.

use super::count::Count;
use loris_findings::{Confidence, Declaration, Finding, Importance, Report, Trace};
use loris_json::json_quoted as quoted;
use std::fmt::{self, Write};

/// All findings of a report as one document.
///
/// # Errors
/// Those of the writer.
pub fn json_findings(out: &mut impl Write, report: &Report) -> fmt::Result {
    writeln!(out, "{{\"loris\": {},", quoted(env!("CARGO_PKG_VERSION")))?;
    write!(out, " \"program\": {{\"paths\": {}", strings(&report.inputs))?;
    for (name, count) in &report.counters {
        write!(out, ", {}: {count}", quoted(name))?;
    }
    let rules: Vec<String> = report.rules.iter().map(|rule| rule.id.clone()).collect();
    writeln!(out, "}},\n \"rules\": {},", strings(&rules))?;
    out.write_str(" \"findings\": [")?;
    for (i, finding) in report.findings.iter().enumerate() {
        out.write_str(if i > 0 { ",\n  " } else { "\n  " })?;
        json_finding(out, finding)?;
    }
    out.write_str("],\n \"undecided\": [")?;
    for (i, undecided) in report.undecided.iter().enumerate() {
        out.write_str(if i > 0 { ", " } else { "" })?;
        let (rule, reason) = (quoted(&undecided.rule), quoted(&undecided.reason));
        write!(out, "{{\"rule\": {rule}, \"reason\": {reason}, ")?;
        write!(out, "\"methods\": {}, \"more_methods\": {}}}", strings(&undecided.methods), undecided.more)?;
    }
    let count = Count::of(&report.findings);
    let [errors, warnings, notes] = count.levels;
    write!(out, "],\n \"summary\": {{\"findings\": {}, ", count.total())?;
    write!(out, "\"errors\": {errors}, \"warnings\": {warnings}, \"notes\": {notes}, ")?;
    write!(out, "\"suppressed\": {}, \"undecided\": {}, ", count.suppressed, report.undecided.len())?;
    write!(out, "\"below_bar\": {}, ", report.below_bar)?;
    writeln!(out, "\"escaped\": {}, \"seconds\": {:.3}}}}}", report.escaped, report.seconds)
}

/// One finding of a rule as an object on one line, without an end of line.
///
/// # Errors
/// Those of the writer.
pub fn json_finding(out: &mut impl Write, finding: &Finding) -> fmt::Result {
    let Finding { rule, level, message, .. } = finding;
    let none = Declaration::of_method("", "", "");
    let Declaration { class, method, descriptor, field, ordinal } =
        finding.declaration.as_ref().unwrap_or(&none);
    write!(out, "{{\"rule\": {}, \"level\": \"{level}\", ", quoted(rule))?;
    write!(out, "\"message\": {}, \"class\": {}, ", quoted(message), quoted(class))?;
    write!(out, "\"method\": {}, \"descriptor\": {}, ", quoted(method), quoted(descriptor))?;
    write!(out, "\"file\": {}, \"line\": {}, ", optional(finding.file()), number(finding.line()))?;
    write!(out, "\"field\": {}, \"ordinal\": {ordinal}, \"steps\": [", optional(field.as_deref()))?;
    if let Some(trace) = finding.traces.first() {
        for step in 0..trace.steps.len() {
            out.write_str(if step > 0 { ", " } else { "" })?;
            json_step(out, trace, step)?;
        }
    }
    write!(out, "], \"assumptions\": {}, ", strings(&finding.assumptions))?;
    let confidence = finding.confidence.map(Confidence::word);
    write!(out, "\"confidence\": {}, \"doubts\": {}, ", optional(confidence), strings(&finding.doubts))?;
    out.write_str("\"suppressed\": ")?;
    match &finding.suppressed {
        Some(by) => {
            write!(out, "{{\"kind\": \"{}\", \"place\": {}}}}}", by.kind.name(), quoted(&by.place))
        }
        None => out.write_str("null}"),
    }
}

fn json_step(out: &mut impl Write, trace: &Trace, step: usize) -> fmt::Result {
    let ((class, method), at) = (trace.method(step), &trace.steps[step]);
    let file = at.location.as_ref().and_then(|location| location.file.as_deref());
    let line = at.location.as_ref().and_then(|location| location.line);
    let is_important = at.importance == Importance::Essential;
    write!(out, "{{\"class\": {}, \"method\": {}, ", quoted(class), quoted(method))?;
    write!(out, "\"file\": {}, \"line\": {}, ", optional(file), number(line))?;
    write!(out, "\"depth\": {}, \"text\": {}, ", trace.depth(step), quoted(&at.text))?;
    write!(out, "\"important\": {is_important}}}")
}

fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), quoted)
}

fn number(number: Option<u32>) -> String {
    number.map_or_else(|| "null".to_owned(), |number| number.to_string())
}

fn strings(list: &[String]) -> String {
    let list: Vec<String> = list.iter().map(|text| quoted(text)).collect();
    format!("[{}]", list.join(", "))
}
