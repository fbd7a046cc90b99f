//! Where a name is declared.

use super::Subject;
use crate::document::Document;
use crate::kind::Kind;
use crate::outline::{Symbol, SymbolKind, pds, properties, rsm, smv};
use crate::position::Span;
use serde_json::{Value, json};

/// A name under the cursor.
pub(crate) struct Found<'d> {
    /// Where it is written.
    pub(crate) span: Span,
    /// The name.
    pub(crate) name: String,
    /// The document with its declaration, and that.
    pub(crate) declared: Option<(&'d Document, &'d Symbol)>,
    /// Whether it is a label, or may be one.
    pub(crate) is_label: bool,
}

/// The name at an offset.
pub(crate) fn find<'d>(subject: &Subject<'d>, offset: usize) -> Option<Found<'d>> {
    let Subject { document, model } = *subject;
    let text = &document.text;
    match document.kind {
        Kind::Smv => {
            let tokens = smv::tokens(text, true);
            let (path, span) = smv::path_at(text, &tokens, offset)?;
            let outline = document.outline();
            let module = outline.module_at(offset);
            // a call names a module
            let is_call = smv::section_at(text, &tokens, span.0) == Some("CALL");
            let called = || outline.module_named(path.last()?).map(|at| &outline.symbols[at]);
            let after_call =
                || outline.symbols.iter().any(|one| one.kind == SymbolKind::Call && one.name_span == span);
            let symbol = if is_call && after_call() { called() } else { outline.resolve(module, &path) };
            let declared = symbol.map(|symbol| (document, symbol));
            Some(Found { span, name: path.join("."), declared, is_label: false })
        }
        Kind::Pds => {
            let names = pds::names(text);
            let name = names.into_iter().find(|name| name.span.0 <= offset && offset <= name.span.1)?;
            let written = text[name.span.0..name.span.1].to_owned();
            let outline = document.outline();
            // in `ATOMS` a name without brackets may be a symbol
            let symbol = outline
                .find(&written, &[name.kind])
                .or_else(|| outline.find(&written, &[SymbolKind::Control, SymbolKind::Stack]));
            let declared = symbol.map(|symbol| (document, symbol));
            Some(Found { span: name.span, name: written, declared, is_label: name.kind == SymbolKind::Label })
        }
        Kind::Rsm => {
            let (texts, _) = rsm::scan(text);
            let at = texts.iter().position(|one| one.span.0 <= offset && offset <= one.span.1)?;
            let outline = document.outline();
            let declared = rsm::definition(&texts, outline, at).map(|symbol| (document, symbol));
            let one = &texts[at];
            let is_label = one.meaning == rsm::Meaning::Label;
            Some(Found { span: one.span, name: one.content.clone(), declared, is_label })
        }
        Kind::Properties(_) => in_property(document, model, offset),
        Kind::Rules | Kind::OtherModel | Kind::Java | Kind::Unknown => None,
    }
}

/// A name of a property file, which is declared in the model.
fn in_property<'d>(document: &'d Document, model: Option<&'d Document>, offset: usize) -> Option<Found<'d>> {
    let text = &document.text;
    let is_smv = model.is_some_and(|model| model.kind == Kind::Smv);
    if let (true, Some(model)) = (is_smv, model) {
        let property =
            document.outline().properties.iter().find(|one| one.span.0 <= offset && offset <= one.span.1)?;
        let (start, end) = property.span;
        let formula = &text[start..end];
        let tokens = smv::tokens(formula, false);
        let (path, (from, to)) = smv::path_at(formula, &tokens, offset - start)?;
        let outline = model.outline();
        let declared = outline.resolve(outline.first_module(), &path).map(|symbol| (model, symbol));
        let span = (start + from, start + to);
        return Some(Found { span, name: path.join("."), declared, is_label: true });
    }
    let (name, span) = properties::atom_at(text, offset)?;
    let declared = model.and_then(|model| {
        let symbol = match model.kind {
            Kind::Pds => model.outline().find(&name, &[SymbolKind::Label]),
            _ => None,
        };
        Some((model, symbol?))
    });
    Some(Found { span, name, declared, is_label: true })
}

/// The answer to a request for the declaration of a name. A label of a recursive state machine is
/// declared by each node that carries it.
pub(crate) fn definition(subject: &Subject<'_>, offset: usize) -> Value {
    if let Kind::Properties(_) = subject.document.kind
        && let Some((_, (start, end))) = properties::named_model(&subject.document.text)
        && (start..=end).contains(&offset)
        && let Some(model) = subject.model
    {
        return json!({"uri": model.uri, "range": model.range((0, 0))});
    }
    let Some(found) = find(subject, offset) else { return Value::Null };
    if let Some((document, symbol)) = found.declared {
        return json!({"uri": document.uri, "range": document.range(symbol.name_span)});
    }
    match subject.model.filter(|model| found.is_label && model.kind == Kind::Rsm) {
        Some(model) => carriers(model, &found.name),
        None => Value::Null,
    }
}

/// The places where a recursive state machine has a label; past the first hundred, none.
fn carriers(model: &Document, label: &str) -> Value {
    let (texts, _) = rsm::scan(&model.text);
    let labels = texts.iter().filter(|one| one.meaning == rsm::Meaning::Label && one.content == label);
    let places: Vec<Value> =
        labels.take(100).map(|one| json!({"uri": model.uri, "range": model.range(one.span)})).collect();
    if places.is_empty() { Value::Null } else { Value::Array(places) }
}
