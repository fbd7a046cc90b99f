//! Where a name stands in the text of a formula.

use crate::lexer::{atom_name, quoted};

/// The first place of a name in the text of a formula, in quotes or as a word of its own: its
/// offset and its length.
///
/// ```
/// use loris_logic::mu::place_of;
/// assert_eq!(place_of("[true*]<send.\"a b\">tt", "send"), Some((8, 4)));
/// assert_eq!(place_of("[true*]<send.\"a b\">tt", "a b"), Some((13, 5)));
/// assert_eq!(place_of("<sender>tt", "send"), None);
/// ```
pub fn place_of(text: &str, name: &str) -> Option<(usize, usize)> {
    let is_inside = |c: char| c == '_' || c == '\'' || c.is_alphanumeric();
    let mut before = None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c == '"'
            && let Ok(length) = quoted(rest, at, "")
        {
            if atom_name(&rest[..length]) == name {
                return Some((at, length));
            }
            at += length;
            before = Some('"');
            continue;
        }
        if let Some(after) = rest.strip_prefix(name)
            && !name.is_empty()
            && !before.is_some_and(is_inside)
            && !after.starts_with(is_inside)
        {
            return Some((at, name.len()));
        }
        before = Some(c);
        at += c.len_utf8();
    }
    None
}
