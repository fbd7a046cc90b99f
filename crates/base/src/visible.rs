//! Names and messages on a terminal: nothing in them controls it, each stays on its line, and none
//! of them fills the screen.

use std::borrow::Cow;
use std::fmt::Write;

/// Text in which every character can be seen: control characters, and those that change the
/// direction of the text after them or take no room, become escapes.
///
/// ```
/// assert_eq!(loris_base::visible("a\nb"), "a\\nb");
/// assert_eq!(loris_base::visible("é \"x\""), "é \"x\"");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_hidden) { Cow::Owned(escaped(text, is_hidden)) } else { Cow::Borrowed(text) }
}

/// A name as people may read it: as it is, or in quotes with escapes if it has characters that
/// cannot be seen, or none at all.
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

/// Whether a character controls a terminal, changes the direction of the text after it, or cannot
/// be seen although it makes a name another one: control characters (C0, C1 and DEL), the
/// separators of lines and paragraphs, and characters that Unicode lets a renderer ignore, except
/// for the selectors of glyphs that follow a character which can be seen.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A message in which each quoted part that is very long is cut.
///
/// ```
/// let message = format!("no node \"{}\" in `f`", "x".repeat(1000));
/// assert_eq!(loris_base::shortened(&message), format!("no node \"{}…\" in `f`", "x".repeat(100)));
/// assert_eq!(loris_base::shortened("no node \"x\""), "no node \"x\"");
/// ```
pub fn shortened(message: &str) -> Cow<'_, str> {
    if message.len() <= PART {
        return Cow::Borrowed(message);
    }
    let mut short = String::new();
    let mut rest = message;
    while let Some(open) = rest.find(['"', '`']) {
        let (before, quoted) = rest.split_at(open + 1);
        let quote = &before[open..];
        let Some(length) = quoted.find(quote) else { break };
        short.push_str(before);
        push_cut(&mut short, &quoted[..length], PART);
        short.push_str(quote);
        rest = &quoted[length + 1..];
    }
    short.push_str(rest);
    // a name may have quotes in it, and there may be many names
    if short.len() <= WHOLE {
        return Cow::Owned(short);
    }
    let mut cut = String::new();
    push_cut(&mut cut, &short, WHOLE);
    Cow::Owned(cut)
}

/// Characters that are shown of a quoted part.
const PART: usize = 100;
/// Characters that are shown of a message.
const WHOLE: usize = 1000;

fn push_cut(to: &mut String, text: &str, most: usize) {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            to.push_str(&text[..end]);
            to.push('…');
        }
        None => to.push_str(text),
    }
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
    use super::{shortened, visible, visible_name};

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
        check("\u{9b}31m", "\\u{9b}31m", "\"\\u{9b}31m\"");
        for hidden in ['\u{7f}', '\u{61c}', '\u{200d}', '\u{2067}', '\u{ad}', '\u{e0041}'] {
            let escaped = format!("a\\u{{{:x}}}b", hidden as u32);
            check(&format!("a{hidden}b"), &escaped, &format!("\"{escaped}\""));
        }
    }

    #[test]
    fn long_messages_are_cut() {
        let long = "ä".repeat(10_000);
        assert_eq!(shortened(&format!("`{long}` is not a \"{long}\" \"x\"")).chars().count(), 101 * 2 + 18);
        assert!(shortened(&long).chars().count() <= 1001);
        assert!(shortened(&format!("\"{long}")).chars().count() <= 1001);
        assert!(shortened(&"\"x\" ".repeat(1000)).chars().count() <= 1001);
        let plain = "x ".repeat(300);
        assert_eq!(shortened(&plain), plain);
    }
}
