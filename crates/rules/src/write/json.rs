//! Findings as JSON, with keys in a fixed order.

use super::{Count, Summary};
use crate::{Finding, Step};
use loris_json::json_quoted as quoted;
use std::fmt::{self, Write};

/// All findings as one document.
pub fn json_report(out: &mut impl Write, summary: &Summary<'_>, findings: &[Finding]) -> fmt::Result {
    writeln!(out, "{{\"loris\": {},", quoted(env!("CARGO_PKG_VERSION")))?;
    let Summary { classes, methods, library_classes, unreadable, seconds, .. } = summary;
    write!(out, " \"program\": {{\"paths\": {}, ", strings(summary.paths))?;
    write!(out, "\"classes\": {classes}, \"methods\": {methods}, ")?;
    writeln!(out, "\"library_classes\": {library_classes}, \"unreadable\": {unreadable}}},")?;
    writeln!(out, " \"rules\": {},", strings(summary.rules))?;
    out.write_str(" \"findings\": [")?;
    for (i, finding) in findings.iter().enumerate() {
        out.write_str(if i > 0 { ",\n  " } else { "\n  " })?;
        json_finding(out, finding)?;
    }
    out.write_str("],\n \"undecided\": [")?;
    for (i, undecided) in summary.undecided.iter().enumerate() {
        out.write_str(if i > 0 { ", " } else { "" })?;
        let (rule, reason) = (quoted(&undecided.rule), quoted(&undecided.reason));
        let methods: Vec<String> = undecided.methods.iter().map(|method| quoted(method)).collect();
        write!(out, "{{\"rule\": {rule}, \"reason\": {reason}, \"methods\": [{}], ", methods.join(", "))?;
        write!(out, "\"more_methods\": {}}}", undecided.more)?;
    }
    let count = Count::of(findings);
    let [errors, warnings, notes] = count.levels;
    write!(out, "],\n \"summary\": {{\"findings\": {}, ", count.total())?;
    write!(out, "\"errors\": {errors}, \"warnings\": {warnings}, \"notes\": {notes}, ")?;
    write!(out, "\"suppressed\": {}, \"undecided\": {}, ", count.suppressed, summary.undecided.len())?;
    writeln!(out, "\"escaped\": {}, \"seconds\": {seconds:.3}}}}}", summary.escaped)
}

/// One finding as an object on one line, without an end of line.
pub fn json_finding(out: &mut impl Write, finding: &Finding) -> fmt::Result {
    let Finding { rule, level, message, class, method, descriptor, file, line, field, ordinal, .. } = finding;
    write!(out, "{{\"rule\": {}, \"level\": \"{level}\", ", quoted(rule))?;
    write!(out, "\"message\": {}, \"class\": {}, ", quoted(message), quoted(class))?;
    write!(out, "\"method\": {}, \"descriptor\": {}, ", quoted(method), quoted(descriptor))?;
    write!(out, "\"file\": {}, \"line\": {}, ", optional(file.as_deref()), number(*line))?;
    write!(out, "\"field\": {}, \"ordinal\": {ordinal}, \"steps\": [", optional(field.as_deref()))?;
    for (i, step) in finding.steps.iter().enumerate() {
        out.write_str(if i > 0 { ", " } else { "" })?;
        json_step(out, step)?;
    }
    write!(out, "], \"assumptions\": {}, \"suppressed\": ", strings(&finding.assumptions))?;
    match &finding.suppressed {
        Some(by) => {
            write!(out, "{{\"kind\": \"{}\", \"place\": {}}}}}", by.kind.name(), quoted(&by.place))
        }
        None => out.write_str("null}"),
    }
}

fn json_step(out: &mut impl Write, step: &Step) -> fmt::Result {
    let Step { class, method, file, line, depth, text, important } = step;
    write!(out, "{{\"class\": {}, \"method\": {}, ", quoted(class), quoted(method))?;
    write!(out, "\"file\": {}, \"line\": {}, ", optional(file.as_deref()), number(*line))?;
    write!(out, "\"depth\": {depth}, \"text\": {}, \"important\": {important}}}", quoted(text))
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
