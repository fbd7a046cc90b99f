//! Reports in the XML of `JUnit`, as Jenkins' schema has it: a suite for each rule. A finding is a
//! test that fails, a question that is not decided an error, and what is suppressed is skipped; a
//! rule without findings is a test that passes.

use super::story;
use super::xml::{HEAD, text, value};
use loris_findings::{Finding, Outcome, Report, RuleInfo, Undecided};
use std::fmt::{self, Write};

/// How a test ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Passed,
    Failed,
    Undecided,
    Skipped,
}

/// A test: its name and the class it counts for, and what is said of how it ended.
struct Test {
    class: String,
    name: String,
    end: End,
    message: String,
    story: String,
}

/// Writes a report in the XML of `JUnit`.
///
/// ```
/// use loris_findings::{Level, Report, RuleInfo};
/// let mut report = Report::new("java app.jar");
/// report.rules.push(RuleInfo::new("leak", Level::Warning, "a leak"));
/// let mut text = String::new();
/// loris_report::write_junit(&mut text, &report).unwrap();
/// assert!(text.contains("<testcase classname=\"leak\" name=\"no finding\"/>"));
/// ```
///
/// # Errors
/// Those of the writer.
pub fn write_junit(out: &mut impl Write, report: &Report) -> fmt::Result {
    let suites: Vec<(&RuleInfo, Vec<Test>)> =
        report.rules.iter().map(|rule| (rule, tests(report, rule))).collect();
    let all = || suites.iter().flat_map(|(_, tests)| tests);
    out.write_str(HEAD)?;
    write!(out, "<testsuites name=\"{}\" tests=\"{}\"", value(&report.title), all().count())?;
    writeln!(
        out,
        " failures=\"{}\" errors=\"{}\">",
        count(all(), End::Failed),
        count(all(), End::Undecided)
    )?;
    for (rule, tests) in &suites {
        write!(out, "  <testsuite name=\"{}\" tests=\"{}\"", value(&rule.id), tests.len())?;
        write!(out, " failures=\"{}\"", count(tests.iter(), End::Failed))?;
        write!(out, " errors=\"{}\"", count(tests.iter(), End::Undecided))?;
        writeln!(out, " skipped=\"{}\">", count(tests.iter(), End::Skipped))?;
        tests.iter().try_for_each(|test| write_test(out, rule, test))?;
        out.write_str("  </testsuite>\n")?;
    }
    out.write_str("</testsuites>\n")
}

fn count<'t>(tests: impl Iterator<Item = &'t Test>, end: End) -> usize {
    tests.filter(|test| test.end == end).count()
}

/// The tests of a rule: its findings, and what was not decided.
fn tests(report: &Report, rule: &RuleInfo) -> Vec<Test> {
    let found = report.findings.iter().filter(|finding| finding.rule == rule.id);
    let mut tests: Vec<Test> = found.map(|finding| test(report, finding)).collect();
    let plain = |name: &str, end, message| Test {
        class: rule.id.clone(),
        name: name.to_owned(),
        end,
        message,
        story: String::new(),
    };
    let undecided: Vec<String> =
        report.undecided.iter().filter(|one| one.rule == rule.id).map(Undecided::text).collect();
    if !undecided.is_empty() {
        tests.push(plain("decided", End::Undecided, undecided.join("; ")));
    }
    if tests.is_empty() {
        tests.push(plain("no finding", End::Passed, String::new()));
    }
    tests
}

fn test(report: &Report, finding: &Finding) -> Test {
    let (class, name) = if let Some(it) = &finding.declaration {
        // the number in the method, not the line: a service compares tests by their names
        let field = it.field.as_ref().map(|field| format!("#{field}")).unwrap_or_default();
        let name = format!("{} {}{field}{} {}", finding.rule, it.method, it.descriptor, it.ordinal);
        (it.class.clone(), name)
    } else {
        let class = report.inputs.first().cloned().unwrap_or_default();
        let property = finding.property.as_ref();
        let name = property.map(|it| it.name.clone().unwrap_or_else(|| it.text.clone()));
        (class, name.unwrap_or_else(|| finding.message.clone()))
    };
    let (end, message) = match (&finding.suppressed, finding.outcome) {
        (Some(by), _) => (End::Skipped, by.justification()),
        (None, Outcome::Fails | Outcome::Reachable) => (End::Failed, finding.message.clone()),
        (None, Outcome::Unknown) => (End::Undecided, finding.message.clone()),
        (None, Outcome::Holds | Outcome::Unreachable) => (End::Passed, String::new()),
    };
    Test { class, name, end, message, story: story(report, finding) }
}

fn write_test(out: &mut impl Write, rule: &RuleInfo, test: &Test) -> fmt::Result {
    write!(out, "    <testcase classname=\"{}\" name=\"{}\"", value(&test.class), value(&test.name))?;
    let element = match test.end {
        End::Passed => return out.write_str("/>\n"),
        End::Skipped => {
            return writeln!(out, "><skipped message=\"{}\"/></testcase>", value(&test.message));
        }
        End::Failed => "failure",
        End::Undecided => "error",
    };
    write!(out, ">\n      <{element} type=\"{}\" message=\"{}\">", value(&rule.id), value(&test.message))?;
    writeln!(out, "{}</{element}>\n    </testcase>", text(&test.story))
}
