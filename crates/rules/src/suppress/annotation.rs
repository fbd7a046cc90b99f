//! Words of annotations that suppress rules.

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
