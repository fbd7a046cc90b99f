//! Rules files: what can be written at the cursor, and what is written there means.
//!
//! The text is being typed and may be no TOML, so that it is scanned from its start to the cursor
//! only: the table that was opened last, the key whose value is open, and the string in it. Linear.

use super::completion::{Items, KEYWORD};
use crate::document::Document;
use crate::position::Span;
use loris_rules::checks::Check;
use loris_rules::objects::{BUILT_IN, Form, KEYS, events, places};
use serde_json::{Value, json};

const RULE_KEYS: [&str; 12] = [
    "id",
    "name",
    "message",
    "level",
    "cwe",
    "aliases",
    "page",
    "default",
    "check",
    "property",
    "logic",
    "[rule.object]",
];

/// Where an offset is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Place {
    /// The header of the table: `rule.object`.
    table: String,
    /// The key whose value is open.
    key: Option<String>,
    /// Where the content of the string starts that is open.
    string: Option<usize>,
}

impl Place {
    /// The place of an offset.
    fn of(text: &str, offset: usize) -> Self {
        let mut place = Self::default();
        // how many lists are open, where the line starts, and what closes the string that is open
        let (mut depth, mut start, mut quote) = (0usize, 0, None);
        let (mut is_escaped, mut is_comment) = (false, false);
        for (at, letter) in text[..offset].char_indices() {
            if letter == '\n' {
                place.end_line(&text[start..at], &text[at + 1..], &mut depth);
                // a string that is not closed ends with its line
                (start, quote, is_escaped, is_comment) = (at + 1, None, false, false);
            } else if is_comment || std::mem::take(&mut is_escaped) {
            } else if let Some(open) = quote {
                is_escaped = letter == '\\' && open == '"';
                if letter == open {
                    (quote, place.string) = (None, None);
                }
            } else {
                match letter {
                    '"' | '\'' => (quote, place.string) = (Some(letter), Some(at + 1)),
                    '#' => is_comment = true,
                    '[' if place.key.is_some() => depth += 1,
                    ']' if place.key.is_some() => depth = depth.saturating_sub(1),
                    '=' if place.key.is_none() => {
                        place.key = Some(text[start..at].trim().trim_matches(['"', '\'']).to_owned());
                    }
                    _ => {}
                }
            }
        }
        place
    }

    /// Goes on to the next line.
    fn end_line(&mut self, line: &str, rest: &str, depth: &mut usize) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if self.key.is_none() && line.starts_with('[') {
            line.trim_matches(['[', ']']).trim().clone_into(&mut self.table);
        }
        // a list that is not closed ends where a rule starts
        if *depth == 0 || rest.starts_with("[[") {
            self.key = None;
            *depth = 0;
        }
        self.string = None;
    }

    /// The forms that can stand here.
    fn forms(&self) -> Option<Vec<&'static Form>> {
        match (&*self.table, self.key.as_deref()?) {
            ("rule.object", "at") => Some(places().collect()),
            ("rule.object.events", _) => Some(events().collect()),
            _ => None,
        }
    }

    /// Whether a formula over events can stand here.
    fn is_formula(&self) -> bool {
        let key = self.key.as_deref();
        self.table == "rule.object" && matches!(key, Some("property" | "settled" | "returns"))
    }
}

/// The documentation of a form in Markdown.
fn described(form: &Form) -> Value {
    let text = format!("{}\n\n```toml\n\"{}\"\n```", form.about, form.example);
    json!({"kind": "markdown", "value": text})
}

/// Adds what can stand at the cursor.
pub(super) fn completion(items: &mut Items, document: &Document, offset: usize) {
    let text = &document.text;
    let place = Place::of(text, offset);
    if let Some(forms) = place.forms() {
        for form in forms {
            let more = if form.takes_more() { " " } else { "" };
            // outside of a string, one is started
            let (start, written) = match place.string {
                Some(start) => (start, format!("{}{more}", form.word)),
                None if form.takes_more() => (offset, format!("\"{}{more}", form.word)),
                None => (offset, format!("\"{}\"", form.word)),
            };
            // a form whose word is there already would take away what follows it
            if place.string.is_some_and(|start| text[start..offset].contains(' ')) {
                continue;
            }
            items.form(json!({
                "label": form.written(),
                "kind": KEYWORD,
                "detail": form.about,
                "documentation": described(form),
                "filterText": written,
                "textEdit": {"range": document.range((start, offset)), "newText": written},
            }));
        }
        return;
    }
    if place.is_formula() {
        if place.string.is_some() {
            for (event, about) in &BUILT_IN {
                items.add(event, KEYWORD, about);
            }
            own_events(text, offset).for_each(|event| items.add(event, KEYWORD, "event of the rule"));
            items.words(&["A", "E", "G", "F", "X", "U", "W", "R"]);
        }
        return;
    }
    match (&*place.table, place.key.as_deref()) {
        (_, Some("check")) => {
            for check in Check::ALL {
                items.add(check.name(), KEYWORD, "built-in check");
            }
        }
        (_, Some("level")) => items.words(&["error", "warning", "note"]),
        (_, Some("logic")) => items.words(&["ctl", "ltl", "ctl*", "mu"]),
        (_, Some("default" | "unchecked")) => items.words(&["true", "false"]),
        (_, Some(_)) => {}
        ("rule.object", None) => {
            for (key, about) in &KEYS {
                items.add(key, KEYWORD, about);
            }
            items.words(&["[rule.object.events]", "[[rule]]"]);
        }
        ("rule.object.events", None) => items.words(&["[[rule]]"]),
        (_, None) => {
            items.words(&["[[rule]]"]);
            items.words(&RULE_KEYS);
        }
    }
}

/// The events that the rule around an offset names.
fn own_events(text: &str, offset: usize) -> impl Iterator<Item = &str> {
    let end = text[offset..].find("[[rule]]").map_or(text.len(), |at| offset + at);
    let start = text[..offset].rfind("[[rule]]").unwrap_or(0);
    let rule = &text[start..end];
    let events = rule.find("[rule.object.events]").map_or("", |at| &rule[at..]);
    let is_name =
        |name: &&str| !name.is_empty() && !name.contains(|c: char| !c.is_alphanumeric() && c != '_');
    events.lines().filter_map(|line| Some(line.split_once('=')?.0.trim())).filter(is_name)
}

/// What is written at an offset, and what it means.
pub(super) fn hover(document: &Document, offset: usize) -> Option<(Span, String)> {
    let text = &document.text;
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let start = text[..offset]
        .rfind(|c| !is_word(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text[offset..].find(|c| !is_word(c)).map_or(text.len(), |at| offset + at);
    let word = &text[start..end];
    let place = Place::of(text, start);
    if let (Some(forms), Some(string)) = (place.forms(), place.string) {
        // the word of a form stands first
        let forms = forms.into_iter().filter(|form| form.word == word && start == string);
        let lines: Vec<String> = forms
            .map(|form| format!("`{}`: {}, as `{}`", form.written(), form.about, form.example))
            .collect();
        return (!lines.is_empty()).then(|| ((start, end), lines.join("\n\n")));
    }
    let table: &[(&str, &str)] = match &place.key {
        Some(_) if place.is_formula() && place.string.is_some() => &BUILT_IN,
        None if place.table == "rule.object" => &KEYS,
        _ => return None,
    };
    let (_, about) = table.iter().find(|(known, _)| *known == word)?;
    Some(((start, end), (*about).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn places_of_offsets() {
        let check = |text: &str, table: &str, key: Option<&str>, string: Option<&str>| {
            let at = text.find('|').expect("a cursor");
            let text = text.replace('|', "");
            let place = Place::of(&text, at);
            let found = (&*place.table, place.key.as_deref(), place.string.map(|start| &text[start..at]));
            assert_eq!(found, (table, key, string), "{text}");
        };
        check("|", "", None, None);
        check("[[rule]]\nid = \"a\"\nle|", "rule", None, None);
        check("[[rule]]\nlevel = \"wa|\"", "rule", Some("level"), Some("wa"));
        check(
            "[rule.object]\nat = [\n  \"new a.B\", # one [\n  \"re|",
            "rule.object",
            Some("at"),
            Some("re"),
        );
        check("[rule.object]\nat = [\"a\"]\nprop|", "rule.object", None, None);
        check("[rule.object]\nat = [\"[\", '\\\\']\n|", "rule.object", None, None);
        check("[rule.object.events]\nclose = [|", "rule.object.events", Some("close"), None);
        check("[rule.object]\nat = [\"open\n  |", "rule.object", Some("at"), None);
        check("[rule.object]\nat = [\"a\"\n[[rule]]\nid|", "rule", None, None);
        check("# é = [\n# at = \n[rule.object]\n # x\nat = 'é|", "rule.object", Some("at"), Some("é"));
    }
}
