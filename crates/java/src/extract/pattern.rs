//! Patterns of labels: `*` stands for any characters, `?` for one.

use crate::glob::matches;

/// A pattern of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

/// Whether a name has characters that stand for others.
pub fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

impl Pattern {
    /// The pattern with this text.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Whether a label matches.
    ///
    /// ```
    /// use loris_java::extract::Pattern;
    /// let pattern = Pattern::new("call java.sql.*.close");
    /// assert!(pattern.matches("call java.sql.Connection.close"));
    /// assert!(!pattern.matches("call java.io.Reader.close"));
    /// ```
    pub fn matches(&self, label: &str) -> bool {
        matches(&self.0, label)
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether some label that starts with a word may match.
    pub(super) fn may_start_with(&self, word: &str) -> bool {
        let fixed = self.0.find(['*', '?']).unwrap_or(self.0.len());
        let common = fixed.min(word.len());
        self.0.as_bytes()[..common] == word.as_bytes()[..common]
    }
}

/// Which labels are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// None.
    None,
    /// All but lines: nodes have places anyway.
    #[default]
    Most,
    /// All.
    All,
    /// Those that match one of these. What matches a pattern with characters that stand for others
    /// has the pattern itself as a label, too.
    Matching(Vec<Pattern>),
}

impl Choice {
    pub(super) fn has(&self, label: &str) -> bool {
        match self {
            Choice::None => false,
            Choice::Most => !label.starts_with("line "),
            Choice::All => true,
            Choice::Matching(patterns) => patterns.iter().any(|pattern| pattern.matches(label)),
        }
    }

    /// Whether a machine with these labels has all nodes labelled that an atom of this name is
    /// about: those with the label or, for a pattern, with any label that matches.
    pub fn covers(&self, name: &str) -> bool {
        match self {
            Choice::Matching(patterns) if is_pattern(name) => {
                patterns.iter().any(|pattern| pattern.text() == name)
            }
            _ => !is_pattern(name) && self.has(name),
        }
    }

    /// Whether labels that start with a word may be among them.
    pub(super) fn may_have(&self, word: &str) -> bool {
        match self {
            Choice::None => false,
            Choice::Most => word != "line ",
            Choice::All => true,
            Choice::Matching(patterns) => patterns.iter().any(|pattern| pattern.may_start_with(word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, Pattern};

    #[test]
    fn patterns_match() {
        for (pattern, label, expected) in [
            ("call a.b", "call a.b", true),
            ("call a.b", "call a.bc", false),
            ("call *", "call a.b", true),
            ("*close*", "call x.close", true),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXbYb", false),
            ("?", "", false),
            ("", "", true),
            ("*", "", true),
            ("a?c", "abc", true),
            ("**", "x", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(label), expected, "{pattern} {label}");
        }
        let choice = Choice::Matching(vec![Pattern::new("call a*"), Pattern::new("de*")]);
        assert!(choice.may_have("call ") && choice.may_have("def ") && choice.may_have("deprecated"));
        assert!(choice.covers("call ab") && choice.covers("de*") && !choice.covers("call *"));
        assert!(Choice::Most.covers("call x") && !Choice::Most.covers("call *"));
        assert!(!choice.may_have("use ") && !choice.may_have("enter "));
    }
}
