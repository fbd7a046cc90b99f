//! Pushdown systems, line by line: control states, stack symbols, labels and properties.

use super::{Outline, Property, Symbol, SymbolKind, collapsed};
use crate::position::Span;

/// A name of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) span: Span,
    pub(crate) kind: SymbolKind,
}

/// The names of all lines that are not comments.
pub(crate) fn names(text: &str) -> Vec<Name> {
    let mut names = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if !line.starts_with('#') {
            line_names(line, start, &mut names);
        }
        start += line.len();
    }
    names
}

fn line_names(line: &str, shift: usize, names: &mut Vec<Name>) {
    let is_atoms = line.trim_start().starts_with("ATOMS ");
    let (mut is_stack, mut is_first) = (false, true);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let at = line.len() - rest.len();
        if c.is_whitespace() || c.is_control() || "<>(),;".contains(c) {
            match c {
                '<' => is_stack = true,
                '>' => is_stack = false,
                _ => {}
            }
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let ends = |c: char| c.is_whitespace() || c.is_control() || "<>(),;".contains(c);
        let mut end = rest.find(ends).unwrap_or(rest.len());
        if rest.starts_with("-->") {
            end = 3;
        } else if !(is_first && is_atoms) {
            let kind = match (is_stack, is_atoms) {
                (true, _) => SymbolKind::Stack,
                (false, true) if names.last().is_none_or(|name| name.span.0 < shift) => SymbolKind::Label,
                (false, _) => SymbolKind::Control,
            };
            names.push(Name { span: (shift + at, shift + at + end), kind });
        }
        is_first = false;
        rest = &rest[end..];
    }
}

/// The outline of a text: a name is declared by the first rule that rewrites it.
pub(crate) fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let mut known = std::collections::BTreeSet::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let written = line.trim_end();
        let span = (start, start + written.len());
        if let Some(comment) = written.strip_prefix('#') {
            property(comment, start + 1, &mut outline);
        } else {
            let mut names = Vec::new();
            line_names(line, start, &mut names);
            let arrow = line.find("-->").map(|at| start + at);
            for Name { span: name_span, kind } in names {
                let name = text[name_span.0..name_span.1].to_owned();
                match (kind, arrow) {
                    (SymbolKind::Label, _) => outline.labels.push(name.clone()),
                    // only what is left of the arrow is declared by a rule
                    (_, Some(arrow)) if name_span.0 < arrow => {}
                    _ => continue,
                }
                if known.insert((kind.word(), name.clone())) {
                    let detail = collapsed(written);
                    outline.add(Symbol { name, kind, span, name_span, parent: None, detail });
                }
            }
        }
        start += line.len();
    }
    outline
}

/// `property LOGIC: FORMULA`, in a comment.
fn property(comment: &str, start: usize, outline: &mut Outline) {
    let inner = comment.trim_start();
    let Some((logic, formula)) = inner.strip_prefix("property ").and_then(|rest| rest.split_once(':')) else {
        return;
    };
    let text = formula.trim();
    if text.is_empty() {
        return;
    }
    let at = start + comment.len() - formula.trim_start().len();
    let span = (at, at + text.len());
    outline.properties.push(Property { span, text: collapsed(text) });
    let name = format!("property {}", logic.trim());
    let (kind, detail) = (SymbolKind::Property, collapsed(text));
    outline.add(Symbol { name, kind, span, name_span: span, parent: None, detail });
}

/// The symbol that a node of the machine is named after: `work` of `work@r` and `work~2`.
pub(crate) fn symbol_of_node<'o>(outline: &'o Outline, node: &str) -> Option<&'o Symbol> {
    let find = |name: &str| outline.find(name, &[SymbolKind::Stack]);
    let without_copy = node.rsplit_once('~').map_or(node, |(name, _)| name);
    let without_control = without_copy.rsplit_once('@').map_or(without_copy, |(name, _)| name);
    find(node).or_else(|| find(without_copy)).or_else(|| find(without_control))
}

#[cfg(test)]
mod tests {
    use super::{names, outline, symbol_of_node};

    #[test]
    fn names_of_a_system() {
        let text = "# property ltl: G  (p -> q)\n(q <main #>)\nATOMS p <take>, r\nq <main> --> r <take main>\nr <take> --> q <>\n";
        let outline = outline(text);
        let found: Vec<String> =
            outline.symbols.iter().map(|one| format!("{} {}", one.kind.word(), one.name)).collect();
        assert_eq!(
            found,
            [
                "property property ltl",
                "label p",
                "control state q",
                "stack symbol main",
                "control state r",
                "stack symbol take"
            ]
        );
        assert_eq!(outline.properties[0].text, "G (p -> q)");
        assert_eq!(&text[outline.properties[0].span.0..][..4], "G  (");
        assert_eq!(symbol_of_node(&outline, "take@r~2").map(|symbol| &*symbol.name), Some("take"));
        assert!(symbol_of_node(&outline, "return@q").is_none());
        let words: Vec<&str> = names(text).iter().map(|name| &text[name.span.0..name.span.1]).collect();
        let expected = "q main # p take r q main r take main r take q";
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn any_text_has_an_outline() {
        for text in
            ["", "ATOMS", "ATOMS \n", "--> <", "<<<\u{0}", "# property", "# property x:", "ä <ö> --> ü"]
        {
            outline(text);
        }
    }
}
