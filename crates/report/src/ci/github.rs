//! Findings as commands of GitHub's workflows: a line each, which a runner shows as an annotation
//! in the changed files.

use super::{is_open, path};
use loris_base::visible;
use loris_findings::{Finding, Level, Report};
use std::fmt::{self, Write};

/// Writes a report as commands of GitHub's workflows.
///
/// ```
/// use loris_findings::{Finding, Level, Location, Outcome, Report};
/// let mut report = Report::new("java app.jar");
/// let mut finding = Finding::new("leak", Level::Note, Outcome::Fails, "a leak");
/// finding.locations.push(Location::line("a/B.java", 7));
/// report.findings.push(finding);
/// let mut text = String::new();
/// loris_report::write_github(&mut text, &report).unwrap();
/// assert_eq!(text, "::notice file=a/B.java,line=7,title=leak::a leak\n");
/// ```
///
/// # Errors
/// Those of the writer.
pub fn write_github(out: &mut impl Write, report: &Report) -> fmt::Result {
    for finding in report.findings.iter().filter(|finding| is_open(finding)) {
        write!(out, "::{} ", word(finding))?;
        let has_file = finding.file().is_some();
        if has_file {
            write!(out, "file={},", escaped(path(report, finding), true))?;
        }
        let place = finding.place();
        for (name, number) in [("line", finding.line()), ("col", place.and_then(|place| place.column))] {
            if let Some(number) = number.filter(|&number| number > 0 && has_file) {
                write!(out, "{name}={number},")?;
            }
        }
        let about = if has_file { String::new() } else { format!("{}: ", path(report, finding)) };
        let message = escaped(&format!("{about}{}", finding.message), false);
        writeln!(out, "title={}::{message}", escaped(&finding.rule, true))?;
    }
    for undecided in &report.undecided {
        let message = format!("The rule {} is not decided: {}", undecided.rule, undecided.text());
        writeln!(out, "::warning title={}::{}", escaped(&undecided.rule, true), escaped(&message, false))?;
    }
    Ok(())
}

fn word(finding: &Finding) -> &'static str {
    match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    }
}

/// A text as the runner reads it: what ends a command, or one of its parts, is escaped; so are
/// control characters, for the sake of terminals.
fn escaped(text: &str, is_part: bool) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| visible(line).into_owned()).collect();
    let text = lines.join("\n").replace('%', "%25").replace('\n', "%0A");
    if is_part { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}
