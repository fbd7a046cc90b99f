//! Writes a description of a composition, so that it can be read again.

use super::Description;
use std::io::{self, Write};

/// Writes a description in our language.
pub fn write_composition(description: &Description, out: &mut impl Write) -> io::Result<()> {
    for part in &description.parts {
        writeln!(out, "part {} = {}", word(&part.name.text), word(&part.path.text))?;
        for (keyword, pairs) in [("rename", &part.renamed), ("relabel", &part.relabelled)] {
            list(
                out,
                "  ",
                keyword,
                pairs.iter().map(|(old, new)| format!("{} -> {}", word(&old.text), word(&new.text))),
            )?;
        }
        list(out, "  ", "extra", part.extra.iter().map(|action| word(&action.text)))?;
    }
    for rule in &description.rules {
        let members: Vec<String> = rule
            .members
            .iter()
            .map(|(part, action)| {
                let part = &part.text;
                let part = if part.contains('.') { quoted(part) } else { word(part) };
                format!("{part}.{}", word(&action.text))
            })
            .collect();
        writeln!(out, "sync {} -> {}", members.join(" | "), word(&rule.result.text))?;
    }
    list(out, "", "hide", description.hidden.iter().map(|action| word(&action.text)))
}

/// A statement with a list, a few items per line.
fn list(
    out: &mut impl Write,
    indent: &str,
    keyword: &str,
    items: impl ExactSizeIterator<Item = String>,
) -> io::Result<()> {
    const WIDTH: usize = 96;
    let count = items.len();
    let mut line = format!("{indent}{keyword}");
    for (i, item) in items.enumerate() {
        if line.len() > WIDTH {
            writeln!(out, "{line}")?;
            line = format!("{indent}   ");
        }
        line.push(' ');
        line.push_str(&item);
        if i + 1 < count {
            line.push(',');
        } else {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// A name as the language writes it, in quotes if it needs them.
fn word(name: &str) -> String {
    let sign = |c: char| c.is_whitespace() || matches!(c, ',' | '=' | '|' | '#' | '"' | '\\');
    if name.is_empty() || name.contains(sign) || name.contains("->") || name.starts_with('.') {
        return quoted(name);
    }
    name.to_owned()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
