//! Text of XML documents. Characters that XML 1.0 cannot hold, not even escaped, are shown by their
//! numbers, as control characters and noncharacters in names of obfuscated programs are.

use std::fmt::Write;

pub(super) const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// Text between tags.
pub(super) fn text(plain: &str) -> String {
    escaped(plain, false)
}

/// The value of an attribute between double quotes. Readers make blanks of line ends and tabs that
/// are not escaped.
pub(super) fn value(plain: &str) -> String {
    escaped(plain, true)
}

fn escaped(plain: &str, is_value: bool) -> String {
    let mut shown = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            '<' => shown.push_str("&lt;"),
            // alone it may stand, but not after `]]`
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            '"' if is_value => shown.push_str("&quot;"),
            '\t' | '\n' if !is_value => shown.push(c),
            '\t' | '\n' | '\r' => _ = write!(shown, "&#{};", u32::from(c)),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => _ = write!(shown, "\\u{:04x}", u32::from(c)),
            _ => shown.push(c),
        }
    }
    shown
}
