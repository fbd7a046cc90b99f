//! The code lens at each property, which checks it.

use crate::document::Document;
use crate::outline::Property;
use serde_json::{Value, json};

/// The command that checks a property.
pub(crate) const CHECK: &str = "loris.check";

/// A lens for each property of a document.
pub(crate) fn lenses(document: &Document) -> Value {
    let lens = |property: &Property| {
        let verdicts = document.verdicts.iter().filter(|shown| shown.start == property.span.0);
        let words: Vec<&str> = verdicts.map(|shown| shown.word).collect();
        let title =
            if words.is_empty() { "Check".to_owned() } else { format!("{} (check again)", words.join(", ")) };
        let position = document.lines().position(&document.text, property.span.0);
        json!({
            "range": document.range(property.span),
            "command": {
                "title": title,
                "command": CHECK,
                "arguments": [{"uri": document.uri, "line": position.line, "property": property.text}],
            },
        })
    };
    document.outline().properties.iter().map(lens).collect()
}

/// The property that the arguments of the command mean: the one of this text on this line, or else
/// the first one of this text, as lines may have moved.
pub(crate) fn asked<'d>(document: &'d Document, argument: &Value) -> Option<&'d Property> {
    let line = argument.get("line").and_then(Value::as_u64);
    let text = argument.get("property").and_then(Value::as_str);
    let on_line = |property: &&Property| {
        let at = document.lines().position(&document.text, property.span.0);
        line.is_some_and(|line| line == u64::from(at.line))
    };
    let properties = &document.outline().properties;
    let Some(text) = text else { return properties.iter().find(on_line) };
    let same = || properties.iter().filter(|property| property.text == text);
    same().find(on_line).or_else(|| same().next())
}
