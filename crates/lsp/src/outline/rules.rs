//! Rules files: a rule per table `[[rule]]`, named by its `id`.

use super::{Outline, Symbol, SymbolKind};

/// The outline of a text.
pub(crate) fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let mut start = 0;
    let mut is_open = false;
    for line in text.split_inclusive('\n') {
        let written = line.trim();
        let end = start + line.trim_end().len();
        if written.starts_with("[[") {
            is_open = written.trim_end_matches(|c: char| c != ']') == "[[rule]]";
            if is_open {
                let (name, span, detail) = ("rule".to_owned(), (start, end), String::new());
                let kind = SymbolKind::Rule;
                outline.add(Symbol { name, kind, span, name_span: span, parent: None, detail });
            }
        } else if let Some(rule) = outline.symbols.last_mut().filter(|_| is_open) {
            if !written.is_empty() {
                rule.span.1 = end;
            }
            if let Some((key, value)) = written.split_once('=') {
                let (key, value) = (key.trim(), value.trim());
                let content = value.trim_matches(['"', '\'']);
                let at = start + line.find(value).unwrap_or(0);
                match key {
                    "id" if !content.is_empty() => {
                        content.clone_into(&mut rule.name);
                        rule.name_span = (at, at + value.len());
                    }
                    "message" => content.clone_into(&mut rule.detail),
                    _ => {}
                }
            }
        }
        start += line.len();
    }
    outline
}

#[cfg(test)]
mod tests {
    use super::outline;

    #[test]
    fn rules() {
        let text = "[[rule]]\nid = \"a-b\"\nmessage = \"M\"\n[rule.object]\nx = 1\n\n[[rule]]\nid =";
        let found: Vec<_> =
            outline(text).symbols.into_iter().map(|one| (one.name, one.detail, one.span)).collect();
        assert_eq!(
            found,
            [("a-b".to_owned(), "M".to_owned(), (0, 53)), ("rule".to_owned(), String::new(), (55, 68))]
        );
    }
}
