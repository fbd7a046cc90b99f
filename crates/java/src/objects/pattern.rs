//! Patterns of names with `*` for any text.

/// Whether a text matches a pattern in which `*` stands for any text.
///
/// Quadratic at worst: the last star is extended whenever what follows does not fit.
///
/// ```
/// use loris_java::objects::matches;
/// assert!(matches("java.io.*.close", "java.io.Reader.close"));
/// assert!(!matches("java.io.*.close", "java.io.Reader.read"));
/// ```
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && pattern[p] == text[t] {
            p += 1;
            t += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            p = at + 1;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

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
