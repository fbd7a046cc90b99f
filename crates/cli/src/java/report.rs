//! Findings of rules as a report.

use super::sources::Sources;
use loris_report as report;
use loris_report::{Call, Location, Report, TraceBuilder, TraceStep};
use loris_rules::write::Summary;
use loris_rules::{Finding, Level, Rule, Step, SuppressionKind};
use serde_json::json;
use std::collections::BTreeMap;

/// The findings of a call with the rules that were asked; places are in the files of the sources,
/// as far as these are known.
pub(super) fn report(
    summary: &Summary<'_>,
    rules: &[Rule],
    findings: &[Finding],
    sources: &mut Sources,
    has_baseline: bool,
) -> Report {
    let mut report = Report::new(format!("java {}", summary.paths.join(" ")));
    report.inputs = summary.paths.to_vec();
    report.seconds = summary.seconds;
    let counts = [
        ("classes", summary.classes),
        ("methods", summary.methods),
        ("library_classes", summary.library_classes),
        ("unreadable", summary.unreadable),
    ];
    report.counters = counts.iter().map(|&(name, count)| (name.to_owned(), count as u64)).collect();
    let undecided = summary.undecided.iter();
    report.notes =
        undecided.map(|one| format!("The rule {} is not decided: {}", one.rule, one.text())).collect();
    for rule in rules {
        report.rule(report::Rule {
            cwe: rule.cwe.clone(),
            help: rule.message.clone(),
            ..report::Rule::new(&*rule.id, level(rule.level), &*rule.name)
        });
    }
    let mut files = Files { sources, paths: BTreeMap::new() };
    for finding in findings {
        let rule = report.rule(report::Rule::new(&*finding.rule, level(finding.level), &*finding.message));
        let finding = converted(rule, finding, &mut files, has_baseline);
        report.findings.push(finding);
    }
    report::draw_traces(&mut report);
    // text of archives, which the page cannot find by itself
    let packed: Vec<String> =
        files.paths.into_iter().filter_map(|(file, path)| path.is_none().then_some(file)).collect();
    let cited = report.cited();
    for file in packed {
        if let (Some(lines), Some(text)) = (cited.get(&file), sources.text(&file)) {
            report.add_source(&file, text, lines);
        }
    }
    report
}

/// The paths of source files.
struct Files<'s> {
    sources: &'s mut Sources,
    paths: BTreeMap<String, Option<String>>,
}

impl Files<'_> {
    fn place(&mut self, file: Option<&String>, line: Option<u32>) -> Location {
        let Some(file) = file else { return Location::default() };
        let sources = &self.sources;
        let path = self.paths.entry(file.clone()).or_insert_with(|| sources.path(file));
        Location { line, ..Location::file(path.as_deref().unwrap_or(file)) }
    }
}

impl Files<'_> {
    /// What happens in a step; if that goes without saying, its line.
    fn text(&mut self, step: &Step) -> String {
        let (Some(file), Some(line), "") = (&step.file, step.line, &*step.text) else {
            return step.text.clone();
        };
        let known = self.sources.text(file).is_some();
        let text = known.then(|| self.sources.line(file, line)).flatten();
        text.map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .unwrap_or_else(|| format!("line {line}"))
    }
}

fn converted(rule: usize, finding: &Finding, files: &mut Files<'_>, has_baseline: bool) -> report::Finding {
    let Finding { class, method, descriptor, field, ordinal, .. } = finding;
    let (name, kind) = match (field, &**method) {
        (Some(field), _) => (format!("{class}.{field}"), "member"),
        (None, "") => (class.clone(), "type"),
        (None, method) => (format!("{class}.{method}{descriptor}"), "function"),
    };
    let known = finding.suppressed.as_ref().is_some_and(|by| by.kind == SuppressionKind::Baseline);
    let baseline = match (has_baseline, known) {
        (false, _) => None,
        (true, true) => Some(report::Baseline::Unchanged),
        (true, false) => Some(report::Baseline::New),
    };
    let suppressions = finding.suppressed.iter().map(|by| report::Suppression {
        kind: match by.kind {
            SuppressionKind::Annotation => report::SuppressionKind::InSource,
            SuppressionKind::Configuration | SuppressionKind::Baseline => report::SuppressionKind::External,
        },
        justification: Some(format!("{} {}", by.kind.name(), by.place)),
    });
    let mut details = vec![("class".to_owned(), json!(class))];
    if !method.is_empty() {
        details.extend([("method".to_owned(), json!(method)), ("descriptor".to_owned(), json!(descriptor))]);
    }
    if let Some(field) = field {
        details.push(("field".to_owned(), json!(field)));
    }
    details.push(("ordinal".to_owned(), json!(ordinal)));
    let identity = [
        class.clone(),
        format!("{method}{descriptor}"),
        field.clone().unwrap_or_default(),
        ordinal.to_string(),
    ];
    report::Finding {
        locations: vec![files.place(finding.file.as_ref(), finding.line).within(name, kind)],
        traces: trace(finding, files).into_iter().collect(),
        assumptions: finding.assumptions.clone(),
        suppressions: suppressions.collect(),
        baseline,
        identity: identity.into(),
        details,
        ..report::Finding::new(rule, level(finding.level), report::Outcome::Fails, &*finding.message)
    }
}

/// The steps of a finding, with calls where they go deeper.
fn trace(finding: &Finding, files: &mut Files<'_>) -> Option<report::Trace> {
    let first = finding.steps.first()?;
    let name = |step: &Step| format!("{}.{}", step.class, step.method);
    let mut trace = TraceBuilder::new(&*finding.message, name(first));
    // the methods that are open, outermost first
    let mut open = vec![name(first)];
    let mut before: Option<&Step> = None;
    for step in &finding.steps {
        let depth = (step.depth - first.depth.min(step.depth)) as usize;
        while open.len() > depth + 1 || open.len() == depth + 1 && depth > 0 && open[depth] != name(step) {
            open.pop();
            trace.leave();
        }
        while open.len() < depth + 1 {
            let at = before.map(|before| files.place(before.file.as_ref(), before.line));
            trace.call(Call { location: at, ..Call::new("a call", name(step)) });
            open.push(name(step));
        }
        let place = files.place(step.file.as_ref(), step.line).within(name(step), "function");
        let importance =
            if step.important { report::Importance::Essential } else { report::Importance::Unimportant };
        trace.step(TraceStep { importance, ..TraceStep::new(files.text(step)).at(place) });
        before = Some(step);
    }
    Some(trace.finish())
}

fn level(level: Level) -> report::Level {
    match level {
        Level::Error => report::Level::Error,
        Level::Warning => report::Level::Warning,
        Level::Note => report::Level::Note,
    }
}
