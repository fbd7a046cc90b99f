//! Findings as text: `file:line: level: message [rule] in class.method`, the source line, the steps
//! indented by the depth of calls, and what was assumed. Text carries terminal colours, which the
//! caller strips where there is no terminal.

use super::count::Count;
use crate::counted;
use crate::style::{BOLD, DIM, RED, RESET, YELLOW};
use crate::text::Detail;
use loris_base::{shortened, visible};
use loris_findings::{Confidence, Declaration, Finding, Importance, Level, Location, Report, Trace};
use std::fmt::{self, Write};

/// The most columns that are shown of a source line.
const COLUMNS: usize = 160;

/// Writes a finding of a rule. `source` finds the text of a line in a source file.
///
/// # Errors
/// Those of the writer.
pub fn text_finding(
    out: &mut impl Write,
    finding: &Finding,
    source: impl Fn(&str, u32) -> Option<String>,
    detail: Detail,
) -> fmt::Result {
    let color = match finding.level {
        Level::Error => RED,
        Level::Warning => YELLOW,
        Level::Note => BOLD,
    };
    let place = place(finding.place(), finding.class());
    let (level, message) = (finding.level, visible(&shortened(&finding.message)).into_owned());
    write!(out, "{BOLD}{}:{RESET} {color}{level}:{RESET} ", visible(&place))?;
    write!(out, "{BOLD}{message}{RESET} [{}]", finding.rule)?;
    writeln!(out, "{DIM}{}{RESET}", visible(&within(finding)))?;
    if let Some(by) = &finding.suppressed {
        writeln!(out, "  suppressed by {} ({})", by.kind.name(), visible(&by.place))?;
    }
    if detail == Detail::Quiet {
        return Ok(());
    }
    if let (Some(file), Some(line)) = (finding.file(), finding.line())
        && let Some(text) = source(file, line)
    {
        writeln!(out, "{DIM}{line:>6} |{RESET} {}", excerpt(&text))?;
    }
    if let Some(trace) = finding.traces.first() {
        write_steps(out, trace, detail)?;
    }
    for assumption in &finding.assumptions {
        writeln!(out, "    assumed: {}", visible(&shortened(assumption)))?;
    }
    write_confidence(out, finding, detail)
}

/// Writes how certain a finding is, where somebody asked or it is less certain than most.
fn write_confidence(out: &mut impl Write, finding: &Finding, detail: Detail) -> fmt::Result {
    let Some(confidence) = finding.confidence else { return Ok(()) };
    let is_doubted = confidence == Confidence::Possible && !finding.doubts.is_empty();
    if detail != Detail::Verbose && !is_doubted {
        return Ok(());
    }
    write!(out, "    confidence: {confidence}")?;
    let doubts = finding.doubts.iter().filter(|doubt| !finding.assumptions.contains(doubt));
    let doubts: Vec<String> = doubts.map(|doubt| shortened(doubt).into_owned()).collect();
    if !doubts.is_empty() {
        write!(out, " ({})", visible(&doubts.join("; ")))?;
    }
    writeln!(out)
}

/// The method that a finding is in, or the class, in words; empty if it is not about a program.
fn within(finding: &Finding) -> String {
    let Some(Declaration { class, method, .. }) = &finding.declaration else { return String::new() };
    // the code of a lambda is in a method of its own
    let lambda = method.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$'));
    match (&**method, lambda) {
        _ if class.is_empty() => String::new(),
        ("", _) => format!(" in {class}"),
        ("<init>", _) => format!(" in the constructor of {class}"),
        ("<clinit>", _) => format!(" in the static initializer of {class}"),
        (_, Some(("new", _))) => format!(" in a lambda in the constructor of {class}"),
        (_, Some(("static", _))) => format!(" in a lambda in the static initializer of {class}"),
        (_, Some((around, _))) => format!(" in a lambda in {class}.{around}"),
        (method, None) => format!(" in {class}.{method}"),
    }
}

fn write_steps(out: &mut impl Write, trace: &Trace, detail: Detail) -> fmt::Result {
    let last = trace.steps.len().saturating_sub(1);
    for (number, step) in trace.steps.iter().enumerate() {
        if detail == Detail::Normal && step.importance != Importance::Essential && number < last {
            continue;
        }
        let mark = if number == last { ">" } else { " " };
        let indent = "  ".repeat(trace.depth(number).min(40));
        let (class, method) = trace.method(number);
        let place = place(step.location.as_ref(), class);
        // a step that nothing happens in only connects others
        let text = if step.text.is_empty() { format!("in {method}") } else { step.text.clone() };
        let text = visible(&shortened(&text)).into_owned();
        writeln!(out, "    {mark} {indent}{}: {text}", visible(&place))?;
    }
    Ok(())
}

/// Writes the number of findings, and the rules that were not decided.
///
/// # Errors
/// Those of the writer.
pub fn text_findings(out: &mut impl Write, report: &Report) -> fmt::Result {
    for undecided in &report.undecided {
        writeln!(out, "{}: {YELLOW}undecided:{RESET} {}", undecided.rule, visible(&undecided.text()))?;
    }
    let count = Count::of(&report.findings);
    let total = counted(count.total(), "finding", "findings");
    let parts: Vec<String> = Level::ALL
        .iter()
        .zip(count.levels)
        .filter(|&(_, number)| number > 0)
        .map(|(level, number)| counted(number, level.word(), &format!("{level}s")))
        .collect();
    write!(out, "{total}")?;
    if !parts.is_empty() {
        write!(out, " ({})", parts.join(", "))?;
    }
    if count.suppressed > 0 {
        write!(out, ", {} suppressed", count.suppressed)?;
    }
    let sum = |name: &str| report.counters.iter().find(|(known, _)| known == name).map_or(0, |(_, sum)| *sum);
    let elsewhere = sum("elsewhere");
    if elsewhere > 0 {
        write!(out, ", {elsewhere} elsewhere")?;
    }
    if report.escaped > 0 {
        let resources = counted(report.escaped, "resource", "resources");
        write!(out, ", {resources} not followed to the end")?;
    }
    let classes = counted(sum("classes") as usize, "class", "classes");
    let methods = counted(sum("methods") as usize, "method", "methods");
    writeln!(out, " in {classes} with {methods}  [{:.3} s]", report.seconds)
}

fn place(location: Option<&Location>, class: &str) -> String {
    let file = location.and_then(|location| Some((location.file.as_deref()?, location.line)));
    match file {
        Some((file, Some(line))) => format!("{file}:{line}"),
        Some((file, None)) => file.to_owned(),
        None => class.to_owned(),
    }
}

/// A source line without the blanks around it, as far as it fits.
fn excerpt(line: &str) -> String {
    let line = line.trim().replace('\t', " ");
    let shown: String = line.chars().take(COLUMNS).collect();
    let rest = if shown.len() < line.len() { "…" } else { "" };
    format!("{}{rest}", visible(&shown))
}
