//! Recursive state machines in JSON: components, nodes, boxes and labels.
//!
//! The scanner keeps a stack of open objects and arrays with the key that each stands under. It
//! takes any text for JSON: what does not fit is skipped.

use super::{Outline, Symbol, SymbolKind};
use crate::position::Span;

/// A string of a text, and what it means.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// With its quotes.
    pub(crate) span: Span,
    pub(crate) content: String,
    pub(crate) meaning: Meaning,
}

/// What a string means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A key, or something that is not a name.
    Other,
    /// The name of a component where it is declared.
    Component,
    /// A component that is called, or where runs start.
    Callee,
    /// The name of a node where it is declared.
    Node,
    /// A node of the component around.
    NodeOf,
    /// The name of a box where it is declared.
    Box,
    /// A box of the component around.
    BoxOf,
    /// A node of the component that a box calls.
    Port,
    /// A label.
    Label,
}

struct Open {
    /// the key it stands under; empty in an array and for the whole text
    key: String,
    is_object: bool,
    start: usize,
    /// the key that the next value stands under
    next: String,
    /// the symbol it declares
    symbol: Option<usize>,
}

/// How deep names may stand in objects and arrays.
const DEEPEST: usize = 12;

/// The strings of a text with their meanings, and its outline.
pub(crate) fn scan(text: &str) -> (Vec<Text>, Outline) {
    let bytes = text.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    let mut texts: Vec<Text> = Vec::new();
    let mut outline = Outline::default();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => {
                let key = open.last().map(|outer| outer.next.clone()).unwrap_or_default();
                let is_object = bytes[at] == b'{';
                open.push(Open { key, is_object, start: at, next: String::new(), symbol: None });
                at += 1;
            }
            b'}' | b']' => {
                if let Some(closed) = open.pop()
                    && let Some(symbol) = closed.symbol
                {
                    outline.symbols[symbol].span = (closed.start, at + 1);
                }
                at += 1;
            }
            b'"' => {
                let (content, end) = string(text, at);
                let span = (at, end);
                at = end;
                let is_key = open.last().is_some_and(|inner| inner.is_object)
                    && text[end..].trim_start().starts_with(':');
                if is_key {
                    if let Some(inner) = open.last_mut() {
                        inner.next.clone_from(&content);
                    }
                    texts.push(Text { span, content, meaning: Meaning::Other });
                    continue;
                }
                let meaning = meaning(&open);
                declare(&meaning, &content, span, &mut open, &mut outline);
                texts.push(Text { span, content, meaning });
            }
            _ => at += 1,
        }
    }
    (texts, outline)
}

/// The outline of a text.
pub(crate) fn outline(text: &str) -> Outline {
    scan(text).1
}

/// The string at an offset, without escapes, and its end.
fn string(text: &str, start: usize) -> (String, usize) {
    let bytes = text.as_bytes();
    let mut end = start + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'"' => {
                let written = &text[start..=end];
                let content = serde_json::from_str(written);
                return (content.unwrap_or_else(|_| written[1..written.len() - 1].to_owned()), end + 1);
            }
            b'\n' => break,
            b'\\' if bytes.get(end + 1).is_some_and(|&next| next != b'\n') => end += 2,
            _ => end += 1,
        }
    }
    let mut end = end.min(bytes.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    (text[start + 1..end].trim_end().to_owned(), end)
}

/// What a string means that stands in these objects and arrays.
fn meaning(open: &[Open]) -> Meaning {
    // names stand at a small depth; what is deeper is not a machine, and must not cost more
    if open.len() > DEEPEST {
        return Meaning::Other;
    }
    let keys: Vec<&str> = open.iter().map(|one| &*one.key).filter(|key| !key.is_empty()).collect();
    let [.., inner] = open else { return Meaning::Other };
    let next = if inner.is_object { &*inner.next } else { "" };
    match (&*keys, next) {
        ([], "initial_component") | (["components", "boxes"], "component") => Meaning::Callee,
        (["components"], "name") => Meaning::Component,
        (["components", "nodes"], "name") => Meaning::Node,
        (["components", "nodes", "labels"], "") => Meaning::Label,
        (["components", "boxes"], "name") => Meaning::Box,
        (["components", "boxes", "call_nodes" | "return_nodes"], "")
        | (["components", "transitions", "source" | "targets"], "node_name") => Meaning::Port,
        (["components", "transitions", "source" | "targets"], "box_name") => Meaning::BoxOf,
        (["components", "transitions", "source" | "targets"], "name" | "node") => Meaning::NodeOf,
        _ => Meaning::Other,
    }
}

fn declare(meaning: &Meaning, content: &str, span: Span, open: &mut [Open], outline: &mut Outline) {
    let inside = (span.0 + 1, span.1.saturating_sub(1).max(span.0 + 1));
    let component = open.iter().rev().skip(1).find_map(|one| one.symbol);
    let add = |kind, parent, outline: &mut Outline| {
        let (name, detail) = (content.to_owned(), String::new());
        outline.add(Symbol { name, kind, span, name_span: inside, parent, detail })
    };
    let symbol = match meaning {
        Meaning::Component => Some(add(SymbolKind::Component, None, outline)),
        Meaning::Node => Some(add(SymbolKind::Node, component, outline)),
        Meaning::Box => Some(add(SymbolKind::Box, component, outline)),
        Meaning::Callee => {
            // the callee of a box that has its name already
            if let Some(symbol) = open.last().and_then(|inner| inner.symbol) {
                content.clone_into(&mut outline.symbols[symbol].detail);
            }
            None
        }
        Meaning::Label => {
            outline.labels.push(content.to_owned());
            None
        }
        _ => None,
    };
    if let (Some(symbol), Some(inner)) = (symbol, open.last_mut()) {
        inner.symbol = Some(symbol);
    }
}

/// The declaration that a string stands for.
pub(crate) fn definition<'o>(texts: &[Text], outline: &'o Outline, at: usize) -> Option<&'o Symbol> {
    let found = &texts[at];
    let component = outline.symbols.iter().position(|symbol| {
        symbol.kind == SymbolKind::Component && symbol.span.0 <= found.span.0 && found.span.1 <= symbol.span.1
    });
    let within = |kind| outline.find_in(component?, &found.content, &[kind]);
    match found.meaning {
        Meaning::Other | Meaning::Label => None,
        Meaning::Component | Meaning::Callee => outline.find(&found.content, &[SymbolKind::Component]),
        Meaning::Node | Meaning::NodeOf => within(SymbolKind::Node),
        Meaning::Box | Meaning::BoxOf => within(SymbolKind::Box),
        Meaning::Port => {
            // the box is declared around it, or named right before or after it
            let around = outline.symbols.iter().find(|symbol| {
                symbol.kind == SymbolKind::Box
                    && symbol.span.0 <= found.span.0
                    && found.span.1 <= symbol.span.1
            });
            let beside = || {
                let near = texts[at.saturating_sub(3)..].iter().take(7);
                let name = near.filter(|one| one.meaning == Meaning::BoxOf);
                let name = name.min_by_key(|one| one.span.0.abs_diff(found.span.0))?;
                outline.find_in(component?, &name.content, &[SymbolKind::Box])
            };
            let callee = &around.or_else(beside)?.detail;
            let callee = outline
                .symbols
                .iter()
                .position(|symbol| symbol.kind == SymbolKind::Component && symbol.name == *callee)?;
            outline.find_in(callee, &found.content, &[SymbolKind::Node])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{definition, scan};

    const MODEL: &str = r#"{"initial_component": "main", "components": [
        {"name": "main", "nodes": [{"name": "a", "labels": ["p", "q\"r"]}],
         "boxes": [{"name": "b", "component": "f", "call_nodes": ["in"]}],
         "transitions": [{"source": {"name": "a"}, "targets": [{"node_name": "in", "box_name": "b"}]}]},
        {"name": "f", "nodes": [{"name": "in"}, {"name": "a"}]}]}"#;

    fn check(text: &str, word: &str, nth: usize, expected: Option<&str>) {
        let (texts, outline) = scan(text);
        let at = (0..texts.len()).filter(|&at| texts[at].content == word).nth(nth).expect("it occurs");
        let found = definition(&texts, &outline, at).map(|symbol| {
            let parent = symbol.parent.map_or("", |parent| &*outline.symbols[parent].name);
            format!("{} {parent}/{}", symbol.kind.word(), symbol.name)
        });
        assert_eq!(found.as_deref(), expected, "{word} {nth}");
    }

    #[test]
    fn definitions() {
        check(MODEL, "main", 0, Some("component /main"));
        check(MODEL, "f", 0, Some("component /f"));
        check(MODEL, "in", 0, Some("node f/in"));
        check(MODEL, "in", 1, Some("node f/in"));
        check(MODEL, "a", 1, Some("node main/a"));
        check(MODEL, "a", 2, Some("node f/a"));
        check(MODEL, "b", 1, Some("box main/b"));
        check(MODEL, "p", 0, None);
        assert_eq!(scan(MODEL).1.labels, ["p", "q\"r"]);
    }

    #[test]
    fn any_text_has_an_outline() {
        for end in 0..MODEL.len() {
            scan(&MODEL[..end]);
        }
        for text in ["]]}}\"", "\"\\", "\"\\ä", "{\"components\": [{\"name\": \"ä\\", "{\"a\": {\"name\": 1"]
        {
            scan(text);
        }
    }
}
