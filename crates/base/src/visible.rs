//! Names and messages on a terminal: nothing in them steers it, and each stays on its line.

use std::borrow::Cow;
use std::fmt::Write;

/// Text in which every character can be seen: control characters, and those that change the direction
/// of what follows or take no room, become escapes.
///
/// ```
/// assert_eq!(loris_base::visible("a\nb"), "a\\nb");
/// assert_eq!(loris_base::visible("é \"x\""), "é \"x\"");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_hidden) { Cow::Owned(escaped(text, is_hidden)) } else { Cow::Borrowed(text) }
}

/// A name as people may read it: as it is, or in quotes with escapes if it has characters that cannot
/// be seen, or none at all.
///
/// ```
/// assert_eq!(loris_base::visible_name("main"), "main");
/// assert_eq!(loris_base::visible_name("a\n\"b\""), r#""a\n\"b\"""#);
/// assert_eq!(loris_base::visible_name(""), r#""""#);
/// ```
pub fn visible_name(name: &str) -> Cow<'_, str> {
    if !name.is_empty() && !name.chars().any(is_hidden) {
        return Cow::Borrowed(name);
    }
    let special = |c: char| is_hidden(c) || matches!(c, '"' | '\\');
    Cow::Owned(format!("\"{}\"", escaped(name, special)))
}

/// Whether a character cannot be seen, or moves others about.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn escaped(text: &str, special: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            _ if !special(c) => escaped.push(c),
            '"' | '\\' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            // writing to a string does not fail
            _ => _ = write!(escaped, "\\u{{{:x}}}", c as u32),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{visible, visible_name};

    fn check(text: &str, as_text: &str, as_name: &str) {
        assert_eq!((&*visible(text), &*visible_name(text)), (as_text, as_name));
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        check("Main.run:12", "Main.run:12", "Main.run:12");
        check("a\\b \"c\"", "a\\b \"c\"", "a\\b \"c\"");
        check("\x1b[31mred\0", "\\u{1b}[31mred\\u{0}", "\"\\u{1b}[31mred\\u{0}\"");
        check("a\tb\r\n", "a\\tb\\r\\n", "\"a\\tb\\r\\n\"");
        check("\u{202e}txt", "\\u{202e}txt", "\"\\u{202e}txt\"");
        check("e\u{301}", "e\u{301}", "e\u{301}");
    }
}
