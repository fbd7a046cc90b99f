//! Annotations in sources.

use super::annotation::names_rule;
use super::scan::suppressed_in;
use loris_findings::{Finding, Suppression, SuppressionKind};

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
                (_, Some(line)) => place.lines.contains(&line),
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
