//! Property files: a property per line, the words in them, and the model they are about.

use super::{Outline, Property, Symbol, SymbolKind, collapsed};
use crate::position::Span;
use loris_logic::PropertyLines;

/// The outline of a text.
pub(crate) fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    // names of SMV may hold a `#`; in other files one without a blank before it is rare
    for line in PropertyLines::new(text, true) {
        let start = line.offset as usize;
        let span = (start, start + line.text.len());
        let written = collapsed(line.text);
        outline.properties.push(Property { span, text: written.clone() });
        let (kind, detail) = (SymbolKind::Property, String::new());
        outline.add(Symbol { name: written, kind, span, name_span: span, parent: None, detail });
    }
    outline
}

/// The path that a comment at the start of a file names: `# model: path`.
pub(crate) fn named_model(text: &str) -> Option<(&str, Span)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let written = line.trim();
        if !written.is_empty() {
            let comment = written.strip_prefix(['#', '%', '\u{feff}'])?.trim_start_matches(['#', '%']);
            if let Some(path) = comment.trim_start().strip_prefix("model:").map(str::trim)
                && !path.is_empty()
            {
                let at = start + line.find(path)?;
                return Some((path, (at, at + path.len())));
            }
        }
        start += line.len();
    }
    None
}

/// The atom at an offset: a word, or a name in quotes, and what it means without them.
pub(crate) fn atom_at(text: &str, offset: usize) -> Option<(String, Span)> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    let line = &text[start..end];
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let at = start + line.len() - rest.len();
        let continues =
            |c: char| c == '_' || c.is_alphanumeric() || matches!(c, '.' | '$' | '@' | ':' | '\'');
        let length = if c == '"' {
            let mut escaped = false;
            let close = rest[1..].find(|c: char| {
                let is_end = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                is_end
            });
            close.map_or(rest.len(), |close| close + 2)
        } else if c == '_' || c.is_alphanumeric() {
            rest.find(|c: char| !continues(c)).unwrap_or(rest.len())
        } else {
            rest = &rest[c.len_utf8()..];
            continue;
        };
        if at <= offset && offset <= at + length {
            let written = &rest[..length];
            let name = match written.strip_prefix('"') {
                None => written.to_owned(),
                Some(quoted) => {
                    let mut name = String::new();
                    let mut chars = quoted.strip_suffix('"').unwrap_or(quoted).chars();
                    while let Some(c) = chars.next() {
                        name.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
                    }
                    name
                }
            };
            return Some((name, (at, at + length)));
        }
        rest = &rest[length..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{atom_at, named_model, outline};

    #[test]
    fn properties_and_their_model() {
        let text = "# about\n# model: ../m.smv\n\n A G p # x\nE F \"a b\"\n";
        assert_eq!(named_model(text).map(|(path, _)| path), Some("../m.smv"));
        assert_eq!(named_model("A G p\n# model: x"), None);
        assert_eq!(named_model("# model:\n"), None);
        let texts: Vec<String> = outline(text).properties.into_iter().map(|one| one.text).collect();
        assert_eq!(texts, ["A G p", "E F \"a b\""]);
    }

    #[test]
    fn atoms() {
        let atom = |text: &str, offset| atom_at(text, offset).map(|(name, span)| (name, span.0));
        assert_eq!(atom("A G (p.q -> r)", 6), Some(("p.q".to_owned(), 5)));
        assert_eq!(atom("x\nE F \"a \\\"b\"", 9), Some(("a \"b".to_owned(), 6)));
        assert_eq!(atom("ä & b", 2), Some(("ä".to_owned(), 0)));
        assert_eq!(atom("( )", 1), None);
        assert_eq!(atom("\"", 1), Some((String::new(), 0)));
    }
}
