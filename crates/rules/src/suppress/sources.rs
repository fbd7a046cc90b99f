//! Annotations in sources.

use super::annotation::names_rule;
use super::scan::{Suppressed, suppressed_in};
use loris_findings::{Finding, Importance, Suppression, SuppressionKind};

/// Marks findings that annotations in a source file suppress.
pub fn by_source(findings: &mut [Finding], file: &str, text: &str) {
    let suppressed = suppressed_in(text);
    if suppressed.is_empty() {
        return;
    }
    for finding in findings.iter_mut().filter(|finding| finding.suppressed.is_none()) {
        if finding.file() != Some(file) {
            continue;
        }
        let covering = suppressed.iter().find(|place| {
            let field = finding.declaration.as_ref().and_then(|it| it.field.as_ref());
            let covers = match (field, finding.line()) {
                (Some(field), _) if place.declares(field) || place.declares_class(finding.class()) => true,
                (_, Some(line)) => place.lines.contains(&line) || comes_from(finding, file, place),
                (_, None) => false,
            };
            covers && place.words.iter().any(|word| names_rule(word, &finding.rule))
        });
        if let Some(place) = covering {
            let place = format!("{file}:{}", place.lines.start());
            finding.suppressed = Some(Suppression { kind: SuppressionKind::Annotation, place });
        }
    }
}

/// Whether the object that a finding is about comes from a declaration: its story starts there.
fn comes_from(finding: &Finding, file: &str, place: &Suppressed) -> bool {
    let steps = finding.traces.first().into_iter().flat_map(|trace| &trace.steps);
    let mut steps = steps.filter(|step| step.importance == Importance::Essential);
    let first = steps.next().and_then(|step| step.location.as_ref());
    first.is_some_and(|at| {
        at.file.as_deref() == Some(file) && at.line.is_some_and(|line| place.lines.contains(&line))
    })
}
