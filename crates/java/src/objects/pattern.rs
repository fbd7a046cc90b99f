//! Patterns for methods.

pub use crate::glob::matches;

/// A pattern for methods: of classes and their subtypes, by name. `java.io.Closeable.close` fits
/// every `close` of a class that is known to be a `java.io.Closeable`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodPattern {
    class: String,
    method: String,
}

impl MethodPattern {
    /// Reads `class.method`; a text without a dot is the name of a method of any class.
    pub fn new(text: &str) -> Self {
        let (class, method) = text.rsplit_once('.').unwrap_or(("*", text));
        Self { class: class.to_owned(), method: method.to_owned() }
    }

    /// Whether a method with this name of a class fits; `class` has dots.
    pub fn fits(&self, classes: &[String], method: &str) -> bool {
        matches(&self.method, method) && classes.iter().any(|class| matches(&self.class, class))
    }
}

#[cfg(test)]
mod tests {
    use super::{MethodPattern, matches};

    #[test]
    fn stars_match_any_text() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("a*c", "abcbc", true),
            ("a*c", "abcb", false),
            ("*close*", "xclosey", true),
            ("a**b", "ab", true),
            ("a", "", false),
            ("a*b*c", "axxbyybzc", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        let close = MethodPattern::new("java.io.Closeable.close");
        assert!(close.fits(&["a.B".into(), "java.io.Closeable".into()], "close"));
        assert!(MethodPattern::new("close").fits(&["a.B".into()], "close"));
    }
}
