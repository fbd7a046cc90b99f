//! What is known about the name under the cursor.

use super::definition::{Found, find};
use super::{Subject, rules};
use crate::document::Document;
use crate::facts::Facts;
use crate::kind::Kind;
use crate::outline::{Outline, Symbol, SymbolKind};
use loris_report::counted;
use serde_json::{Value, json};
use std::fmt::Write;

/// The answer to a request for a hover.
pub(crate) fn hover(subject: &Subject<'_>, offset: usize) -> Value {
    if subject.document.kind == Kind::Rules {
        return rules::hover(subject.document, offset).map_or(Value::Null, |(span, text)| {
            let contents = json!({"kind": "markdown", "value": text});
            json!({"contents": contents, "range": subject.document.range(span)})
        });
    }
    let Some(found) = find(subject, offset) else { return Value::Null };
    // those of the document itself are newer than those of another one with the same model
    let facts = subject.document.facts.as_deref();
    let mut parts: Vec<String> = Vec::new();
    if let Some((document, symbol)) = found.declared {
        parts.push(described(document, symbol, facts));
    }
    parts.extend(label(&found, facts));
    if parts.is_empty() {
        return Value::Null;
    }
    json!({
        "contents": {"kind": "markdown", "value": parts.join("\n\n")},
        "range": subject.document.range(found.span),
    })
}

/// In how many nodes a label holds.
fn label(found: &Found<'_>, facts: Option<&Facts>) -> Option<String> {
    let is_definition = found.declared.is_some_and(|(_, symbol)| symbol.kind == SymbolKind::Define);
    if !found.is_label && !is_definition {
        return None;
    }
    let facts = facts?;
    let count = *facts.labels.get(&found.name)?;
    let of = facts.nodes.map(|nodes| format!(" of {nodes}")).unwrap_or_default();
    Some(format!("holds in {count}{of} {}", if facts.nodes.unwrap_or(count) == 1 { "node" } else { "nodes" }))
}

fn described(document: &Document, symbol: &Symbol, facts: Option<&Facts>) -> String {
    let outline: &Outline = document.outline();
    let parent = symbol.parent.map(|parent| &outline.symbols[parent]);
    let place = parent.map(|parent| format!(" of {} `{}`", parent.kind.word(), shown(&parent.name)));
    let place = place.unwrap_or_default();
    let language = match document.kind {
        Kind::Smv => "smv",
        Kind::Rsm => "json",
        _ => "text",
    };
    let code = match symbol.kind {
        SymbolKind::Variable | SymbolKind::Instance => format!("{} : {}", symbol.name, symbol.detail),
        SymbolKind::Define | SymbolKind::Call => format!("{} := {}", symbol.name, symbol.detail),
        SymbolKind::Module => format!("MODULE {}", symbol.name),
        SymbolKind::Control | SymbolKind::Stack | SymbolKind::Label => symbol.detail.clone(),
        _ => symbol.name.clone(),
    };
    let mut text = format!("```{language}\n{}\n```\n{}{place}", fenced(&code), symbol.kind.word());
    let values = facts.and_then(|facts| {
        facts.variables.get(&symbol.name_span.0).or_else(|| facts.variables.get(&symbol.span.0))
    });
    if let Some(values) = values.filter(|_| symbol.kind == SymbolKind::Variable) {
        let count = counted(usize::try_from(values.count).unwrap_or(usize::MAX), "value", "values");
        _ = write!(text, " ({}): `{}`, {count}", values.section, shown(&values.text));
    }
    if symbol.kind == SymbolKind::Constant && !symbol.detail.is_empty() {
        _ = write!(text, ", {}", symbol.detail);
    }
    if symbol.kind == SymbolKind::Box && !symbol.detail.is_empty() {
        _ = write!(text, ", which calls `{}`", shown(&symbol.detail));
    }
    text
}

/// The longest code that is shown.
const LONGEST: usize = 600;

/// Code within a fence: it must not close it, and must not be endless.
fn fenced(code: &str) -> String {
    let code = code.replace("```", "` ` `");
    match code.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &code[..end]),
        None => code,
    }
}

/// A name between backquotes.
fn shown(name: &str) -> String {
    fenced(&name.replace('`', "'").replace(['\n', '\r'], " "))
}
