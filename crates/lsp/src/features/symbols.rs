//! The symbols of a document.

use crate::document::Document;
use crate::outline::SymbolKind;
use serde_json::{Value, json};

/// The symbols of a document as a forest.
pub(crate) fn symbols(document: &Document) -> Value {
    let all = &document.outline().symbols;
    let mut children: Vec<Vec<Value>> = vec![Vec::new(); all.len()];
    let mut roots = Vec::new();
    // a symbol comes after the one it is declared in
    for (at, symbol) in all.iter().enumerate().rev() {
        // values of types would drown the variables
        if symbol.kind == SymbolKind::Constant && symbol.detail.starts_with("value of ") {
            continue;
        }
        let mut inside = std::mem::take(&mut children[at]);
        inside.reverse();
        let name = if symbol.name.trim().is_empty() { "\u{2026}" } else { &symbol.name };
        // the protocol demands that the name lies within the declaration
        let (start, end) = symbol.name_span;
        let span = (symbol.span.0.min(start), symbol.span.1.max(end));
        let value = json!({
            "name": name,
            "detail": symbol.detail,
            "kind": symbol.kind.number(),
            "range": document.range(span),
            "selectionRange": document.range(symbol.name_span),
            "children": inside,
        });
        match symbol.parent {
            Some(parent) => children[parent].push(value),
            None => roots.push(value),
        }
    }
    roots.reverse();
    Value::Array(roots)
}
