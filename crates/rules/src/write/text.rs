//! Findings as text: `file:line: level: message [rule]`, the source line, the steps indented by the
//! depth of calls, and what was assumed. Text carries terminal colours, which the caller strips
//! where there is no terminal.

use super::{Count, Summary};
use crate::{Finding, Level, Step};
use loris_base::{shortened, visible};
use std::fmt::{self, Write};

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const RESET: &str = "\x1b[0m";

/// How much is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// One line for each finding.
    Quiet,
    /// Source lines, and the steps that matter.
    Normal,
    /// Every step, and findings that are suppressed.
    Verbose,
}

/// The most columns that are shown of a source line.
const COLUMNS: usize = 160;

/// Writes a finding. `source` finds the text of a line in a source file.
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
    let place = place(finding.file.as_deref(), finding.line, &finding.class);
    let (level, message) = (finding.level, visible(&shortened(&finding.message)).into_owned());
    write!(out, "{BOLD}{}:{RESET} {color}{level}:{RESET} ", visible(&place))?;
    writeln!(out, "{BOLD}{message}{RESET} [{}]", finding.rule)?;
    if let Some(by) = &finding.suppressed {
        writeln!(out, "  suppressed by {} ({})", by.kind.name(), visible(&by.place))?;
    }
    if detail == Detail::Quiet {
        return Ok(());
    }
    if let (Some(file), Some(line)) = (&finding.file, finding.line)
        && let Some(text) = source(file, line)
    {
        writeln!(out, "{DIM}{line:>6} |{RESET} {}", excerpt(&text))?;
    }
    let last = finding.steps.len().saturating_sub(1);
    let mut left_out = 0;
    for (i, step) in finding.steps.iter().enumerate() {
        let is_last = i == last;
        if detail == Detail::Normal && !step.important && !is_last {
            left_out += 1;
            continue;
        }
        if std::mem::take(&mut left_out) > 0 {
            writeln!(out, "      {DIM}...{RESET}")?;
        }
        write_step(out, step, is_last)?;
    }
    for assumption in &finding.assumptions {
        writeln!(out, "    assumed: {}", visible(&shortened(assumption)))?;
    }
    Ok(())
}

fn write_step(out: &mut impl Write, step: &Step, is_last: bool) -> fmt::Result {
    let mark = if is_last { ">" } else { " " };
    let indent = "  ".repeat(step.depth.min(40) as usize);
    let place = place(step.file.as_deref(), step.line, &step.class);
    // a step that nothing happens in only connects others
    let text = if step.text.is_empty() { format!("in {}", step.method) } else { step.text.clone() };
    let text = visible(&shortened(&text)).into_owned();
    writeln!(out, "    {mark} {indent}{}: {text}", visible(&place))
}

/// Writes how many findings there are, and what was not decided.
pub fn text_summary(out: &mut impl Write, summary: &Summary<'_>, findings: &[Finding]) -> fmt::Result {
    for undecided in summary.undecided {
        writeln!(out, "{}: {YELLOW}undecided:{RESET} {}", undecided.rule, visible(&undecided.text()))?;
    }
    let count = Count::of(findings);
    let words =
        |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let total = words(count.total(), "finding", "findings");
    let parts: Vec<String> = Level::ALL
        .iter()
        .zip(count.levels)
        .filter(|&(_, number)| number > 0)
        .map(|(level, number)| words(number, level.name(), &format!("{level}s")))
        .collect();
    write!(out, "{total}")?;
    if !parts.is_empty() {
        write!(out, " ({})", parts.join(", "))?;
    }
    if count.suppressed > 0 {
        write!(out, ", {} suppressed", count.suppressed)?;
    }
    if summary.escaped > 0 {
        let resources = words(summary.escaped, "resource", "resources");
        write!(out, ", {resources} not followed to the end")?;
    }
    let (classes, methods) =
        (words(summary.classes, "class", "classes"), words(summary.methods, "method", "methods"));
    writeln!(out, " in {classes} with {methods}  [{:.3} s]", summary.seconds)
}

fn place(file: Option<&str>, line: Option<u32>, class: &str) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, _) => class.to_owned(),
    }
}

/// A source line without the blanks around it, as far as it fits.
fn excerpt(line: &str) -> String {
    let line = line.trim().replace('\t', " ");
    let shown: String = line.chars().take(COLUMNS).collect();
    let rest = if shown.len() < line.len() { "…" } else { "" };
    format!("{}{rest}", visible(&shown))
}
