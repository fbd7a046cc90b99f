//! What suppresses findings: annotations in class files and in sources, configuration, and a file
//! of findings that are known.

mod baseline;
mod classes;
mod scan;

pub use baseline::Baseline;
pub use classes::by_annotation;
pub use scan::{Suppressed, suppressed_in};

use crate::{Finding, Rule, Suppression, SuppressionKind};

/// The prefix of rules in annotations: `@SuppressWarnings("loris:dead-store")`.
const PREFIX: &str = "loris:";

/// Rules that the compilers' own word for code that nothing uses suppresses.
const UNUSED: [&str; 3] = ["dead-store", "unused-field", "unused-method"];

/// Whether a word of an annotation suppresses a rule: `loris:ID`, `loris` and `all` for every rule,
/// and `unused` for rules about what is not used.
pub fn names_rule(word: &str, rule: &str) -> bool {
    match word.strip_prefix(PREFIX) {
        Some(id) => id == rule || rule.strip_prefix(id).is_some_and(|rest| rest.starts_with("-on-")),
        None => matches!(word, "loris" | "all") || word == "unused" && UNUSED.contains(&rule),
    }
}

/// Whether a word of an annotation of another tool suppresses a rule, by the names that the rule
/// has there. A prefix counts, as it does there.
fn names_alias(word: &str, rule: &Rule) -> bool {
    rule.aliases
        .iter()
        .any(|alias| alias == word || alias.strip_prefix(word).is_some_and(|rest| rest.starts_with('_')))
}

/// Marks findings that annotations in a source file suppress.
pub fn by_source(findings: &mut [Finding], file: &str, text: &str) {
    let suppressed = suppressed_in(text);
    if suppressed.is_empty() {
        return;
    }
    for finding in findings.iter_mut().filter(|finding| finding.suppressed.is_none()) {
        if finding.file.as_deref() != Some(file) {
            continue;
        }
        let covering = suppressed.iter().find(|place| {
            let covers = match (&finding.field, finding.line) {
                (Some(field), _) if place.declares(field) || place.declares_class(&finding.class) => true,
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
