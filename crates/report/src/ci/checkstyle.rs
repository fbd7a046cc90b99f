//! Reports in the XML of Checkstyle: errors by file, for services that do not read SARIF.

use super::xml::{HEAD, value};
use super::{is_open, path};
use loris_findings::{Level, Report};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Writes a report in the XML of Checkstyle: what is found and not suppressed, by file.
///
/// ```
/// use loris_findings::{Finding, Level, Location, Outcome, Report};
/// let mut report = Report::new("java app.jar");
/// let mut finding = Finding::new("leak", Level::Note, Outcome::Fails, "a < b");
/// finding.locations.push(Location::line("a/B.java", 7));
/// report.findings.push(finding);
/// let mut text = String::new();
/// loris_report::write_checkstyle(&mut text, &report).unwrap();
/// let error = "<error line=\"7\" severity=\"info\" message=\"a &lt; b\" source=\"loris.leak\"/>";
/// assert!(text.contains(error));
/// ```
///
/// # Errors
/// Those of the writer.
pub fn write_checkstyle(out: &mut impl Write, report: &Report) -> fmt::Result {
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| is_open(finding)) {
        let mut error = "<error".to_owned();
        let place = finding.place();
        for (name, number) in [("line", finding.line()), ("column", place.and_then(|place| place.column))] {
            if let Some(number) = number.filter(|&number| number > 0) {
                write!(error, " {name}=\"{number}\"")?;
            }
        }
        let severity = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "info",
        };
        write!(error, " severity=\"{severity}\" message=\"{}\"", value(&finding.message))?;
        write!(error, " source=\"loris.{}\"/>", value(&finding.rule))?;
        files.entry(path(report, finding)).or_default().push(error);
    }
    let input = report.inputs.first().map_or("loris", String::as_str);
    for undecided in &report.undecided {
        let message = format!("The rule {} is not decided: {}", undecided.rule, undecided.text());
        let (message, rule) = (value(&message), value(&undecided.rule));
        let error = format!("<error severity=\"warning\" message=\"{message}\" source=\"loris.{rule}\"/>");
        files.entry(input).or_default().push(error);
    }
    writeln!(out, "{HEAD}<checkstyle version=\"8.0\">")?;
    for (file, errors) in files {
        writeln!(out, "  <file name=\"{}\">", value(file))?;
        errors.iter().try_for_each(|error| writeln!(out, "    {error}"))?;
        out.write_str("  </file>\n")?;
    }
    out.write_str("</checkstyle>\n")
}
