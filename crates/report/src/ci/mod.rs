//! Reports in the formats that services for continuous integration read: `JUnit` and Checkstyle,
//! both XML, and the commands of GitHub's workflows.
//!
//! They are for findings that somebody has to act on; traces are in SARIF and on the page. None of
//! them has the time of the call in it, so that equal results are equal files.

mod checkstyle;
mod github;
mod junit;
mod xml;

pub use checkstyle::write_checkstyle;
pub use github::write_github;
pub use junit::write_junit;

use loris_findings::{Finding, Importance, Outcome, Report};
use std::fmt::Write;

/// Whether somebody has to act on a finding, or to look at what was not decided.
fn is_open(finding: &Finding) -> bool {
    finding.suppressed.is_none()
        && matches!(finding.outcome, Outcome::Fails | Outcome::Reachable | Outcome::Unknown)
}

/// The path of the first place of a finding, relative to the root of the report if it is below it;
/// of a finding without a file, the class or the input that it is about.
fn path<'a>(report: &'a Report, finding: &'a Finding) -> &'a str {
    let Some(file) = finding.file() else {
        let of_class = Some(finding.class()).filter(|class| !class.is_empty());
        return of_class.or(report.inputs.first().map(String::as_str)).unwrap_or("loris");
    };
    let below = report.root.as_deref().and_then(|root| file.strip_prefix(root)?.strip_prefix('/'));
    below.unwrap_or(file)
}

/// The most steps of a trace that are written.
const STEPS: usize = 50;

/// Where a finding is, the steps that show it, and what was assumed, a line each.
fn story(report: &Report, finding: &Finding) -> String {
    let mut text = path(report, finding).to_owned();
    if let Some(line) = finding.line() {
        let _ = write!(text, ":{line}");
    }
    let _ = write!(text, ": {}", finding.message);
    if let Some(trace) = finding.traces.first() {
        let last = trace.steps.len().saturating_sub(1);
        let shown = trace.steps.iter().enumerate();
        let shown: Vec<_> =
            shown.filter(|(at, step)| step.importance == Importance::Essential || *at == last).collect();
        for (number, step) in shown.iter().take(STEPS) {
            let indent = "  ".repeat(trace.depth(*number).min(40));
            let _ = write!(text, "\n  {indent}");
            if let Some(place) = &step.location
                && let (Some(file), Some(line)) = (&place.file, place.line)
            {
                let _ = write!(text, "{file}:{line}: ");
            }
            text.push_str(if step.text.is_empty() { trace.method(*number).1 } else { &step.text });
        }
        if let Some(more) = shown.len().checked_sub(STEPS).filter(|&more| more > 0) {
            let _ = write!(text, "\n  and {more} more steps");
        }
    }
    for assumption in &finding.assumptions {
        let _ = write!(text, "\n  assumed: {assumption}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{write_checkstyle, write_github, write_junit};
    use loris_findings::{
        Declaration, Finding, Level, Location, Outcome, Report, RuleInfo, Suppression, SuppressionKind,
        Undecided,
    };
    use loris_xml::{Event, Xml};

    /// The elements of a document with their attributes, and its texts; fails if it is not
    /// well-formed.
    fn elements(text: &str) -> Vec<String> {
        let mut xml = Xml::new(text);
        let mut found = Vec::new();
        while let Some(event) = xml.next().expect("XML") {
            match event {
                Event::Start(tag) => {
                    let attributes = tag.attributes().map(|(name, value, _)| format!(" {name}={value:?}"));
                    found.push(format!("{}{}", tag.name, attributes.collect::<String>()));
                }
                Event::Text(text, _) if !text.trim().is_empty() => found.push(text.into_owned()),
                Event::Text(..) | Event::End => {}
            }
        }
        found
    }

    fn finding(rule: &str, outcome: Outcome, message: &str, file: &str, line: u32) -> Finding {
        Finding {
            locations: vec![Location::line(file, line)],
            declaration: Some(Declaration::of_method("a.B", "m", "()V")),
            ..Finding::new(rule, Level::Warning, outcome, message)
        }
    }

    fn report() -> Report {
        let hostile = "]]> <b a='1'> & \u{1b}[31m \u{0} \u{ffff} \"\n\té";
        let mut known = finding("leak", Outcome::Fails, "known", "src/a/B.java", 9);
        known.suppressed =
            Some(Suppression { kind: SuppressionKind::Baseline, place: "known.txt".to_owned() });
        let rules = ["leak", "dead-store", "infinite-loop"];
        let mut report = Report::new("java <x>");
        report.inputs = vec!["x.jar".to_owned()];
        report.root = Some("/root".to_owned());
        report.rules = rules.map(|id| RuleInfo::new(id, Level::Warning, id)).into();
        report.undecided = vec![Undecided::whole("infinite-loop", "timeout")];
        report.findings = vec![
            finding("leak", Outcome::Fails, hostile, "/root/src/a/B.java", 7),
            known,
            Finding { locations: Vec::new(), ..finding("leak", Outcome::Unknown, "open, 100%", "", 0) },
        ];
        report
    }

    #[test]
    fn junit() {
        let mut text = String::new();
        write_junit(&mut text, &report()).unwrap();
        let shown = "]]> <b a='1'> & \\u001b[31m \\u0000 \\uffff \"\n\té";
        assert_eq!(
            elements(&text),
            [
                "testsuites name=\"java <x>\" tests=\"5\" failures=\"1\" errors=\"2\"".to_owned(),
                "testsuite name=\"leak\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"1\"".to_owned(),
                "testcase classname=\"a.B\" name=\"leak m()V 0\"".to_owned(),
                format!("failure type=\"leak\" message={shown:?}"),
                format!("src/a/B.java:7: {shown}"),
                "testcase classname=\"a.B\" name=\"leak m()V 0\"".to_owned(),
                "skipped message=\"baseline known.txt\"".to_owned(),
                "testcase classname=\"a.B\" name=\"leak m()V 0\"".to_owned(),
                "error type=\"leak\" message=\"open, 100%\"".to_owned(),
                "a.B: open, 100%".to_owned(),
                "testsuite name=\"dead-store\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""
                    .to_owned(),
                "testcase classname=\"dead-store\" name=\"no finding\"".to_owned(),
                "testsuite name=\"infinite-loop\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""
                    .to_owned(),
                "testcase classname=\"infinite-loop\" name=\"decided\"".to_owned(),
                "error type=\"infinite-loop\" message=\"timeout\"".to_owned(),
            ]
        );
        assert!(!text.contains("]]>"));
    }

    #[test]
    fn checkstyle() {
        let mut text = String::new();
        write_checkstyle(&mut text, &report()).unwrap();
        let shown = "]]> <b a='1'> & \\u001b[31m \\u0000 \\uffff \"\n\té";
        assert_eq!(
            elements(&text),
            [
                "checkstyle version=\"8.0\"".to_owned(),
                "file name=\"a.B\"".to_owned(),
                "error severity=\"warning\" message=\"open, 100%\" source=\"loris.leak\"".to_owned(),
                "file name=\"src/a/B.java\"".to_owned(),
                format!("error line=\"7\" severity=\"warning\" message={shown:?} source=\"loris.leak\""),
                "file name=\"x.jar\"".to_owned(),
                "error severity=\"warning\" message=\"The rule infinite-loop is not decided: timeout\" \
                 source=\"loris.infinite-loop\""
                    .to_owned(),
            ]
        );
    }

    #[test]
    fn github() {
        let mut text = String::new();
        write_github(&mut text, &report()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("::warning file=src/a/B.java,line=7,title=leak::]]> <b a='1'> & "));
        assert!(lines[0].ends_with(" \"%0A\\té"));
        assert_eq!(lines[1], "::warning title=leak::a.B: open, 100%25");
        assert_eq!(lines[2], "::warning title=infinite-loop::The rule infinite-loop is not decided: timeout");
        let mut odd = report();
        odd.findings.truncate(1);
        odd.findings[0].locations = vec![Location::line("a,b:c%.java", 1)];
        text.clear();
        write_github(&mut text, &odd).unwrap();
        assert!(text.starts_with("::warning file=a%2Cb%3Ac%25.java,line=1,"), "{text}");
    }
}
