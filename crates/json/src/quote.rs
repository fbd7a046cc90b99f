//! Text as JSON.

use loris_base::is_hidden;
use std::fmt::Write;

/// A JSON string in quotes. Characters that a terminal would obey are escaped, whether or not JSON
/// asks for it.
///
/// ```
/// assert_eq!(loris_json::json_quoted("a\n\"b\" \u{9b}"), r#""a\n\"b\" \u009b""#);
/// ```
pub fn json_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            _ if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // writing to a string does not fail
                    _ = write!(quoted, "\\u{unit:04x}");
                }
            }
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
