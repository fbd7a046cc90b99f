//! Names of rules in `SpotBugs`: bug patterns, their codes and their categories.
//!
//! Which patterns a rule stands for is part of the rule (`aliases` in a rules file); annotations
//! and filter files read the same list. A pattern starts with its code (`OS` of `OS_OPEN_STREAM`),
//! which decides its category.

use crate::rule::Rule;

/// Codes of patterns that shipped rules stand for, and their categories.
const CATEGORIES: [(&str, &str); 17] = [
    ("DLS", "STYLE"),
    ("IL", "CORRECTNESS"),
    ("INSECURE", "SECURITY"),
    ("IP", "CORRECTNESS"),
    ("IS", "MT_CORRECTNESS"),
    ("MWN", "MT_CORRECTNESS"),
    ("NN", "MT_CORRECTNESS"),
    ("OBL", "EXPERIMENTAL"),
    ("ODR", "BAD_PRACTICE"),
    ("OS", "BAD_PRACTICE"),
    ("TLW", "MT_CORRECTNESS"),
    ("UL", "MT_CORRECTNESS"),
    ("UPM", "PERFORMANCE"),
    ("URF", "PERFORMANCE"),
    ("UUF", "PERFORMANCE"),
    ("UW", "MT_CORRECTNESS"),
    ("WA", "MT_CORRECTNESS"),
];

/// Whether a word of an annotation is a pattern of a rule, or a prefix of one: it counts there,
/// too.
pub(super) fn is_alias(word: &str, rule: &Rule) -> bool {
    rule.aliases
        .iter()
        .any(|alias| alias == word || alias.strip_prefix(word).is_some_and(|rest| rest.starts_with('_')))
}

/// The code of a pattern.
pub(super) fn code(pattern: &str) -> &str {
    pattern.split('_').next().unwrap_or(pattern)
}

/// The category of a pattern, if it is known.
pub(super) fn category(pattern: &str) -> Option<&'static str> {
    let code = code(pattern);
    CATEGORIES.iter().find(|(known, _)| *known == code).map(|(_, category)| *category)
}

#[cfg(test)]
mod tests {
    use super::category;
    use crate::rule::shipped_rules;

    #[test]
    fn patterns_of_shipped_rules_have_categories() {
        let rules = shipped_rules();
        let all: Vec<&String> = rules.iter().flat_map(|rule| &rule.aliases).collect();
        assert!(all.len() > 20);
        let without: Vec<_> = all.iter().filter(|alias| category(alias).is_none()).collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
