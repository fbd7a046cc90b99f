//! Names and words that can stand at the cursor. The client filters them by what is typed.

use super::{Subject, rules};
use crate::document::Document;
use crate::kind::Kind;
use crate::outline::smv::{self, Token};
use crate::outline::{Outline, Symbol, SymbolKind, rsm};
use loris_check::Logic;
use loris_smv::syntax::section_words;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Items, each name once.
#[derive(Default)]
pub(super) struct Items {
    known: BTreeSet<String>,
    items: Vec<Value>,
}

/// The number of keywords in the protocol.
pub(super) const KEYWORD: u32 = 14;
/// More items than anyone reads.
const MOST: usize = 2000;

impl Items {
    pub(super) fn add(&mut self, name: &str, kind: u32, detail: &str) {
        if self.items.len() < MOST && !name.is_empty() && self.known.insert(name.to_owned()) {
            self.items.push(json!({"label": name, "kind": kind, "detail": detail}));
        }
    }

    fn symbol(&mut self, symbol: &Symbol) {
        let detail = match symbol.kind {
            SymbolKind::Variable | SymbolKind::Instance | SymbolKind::Define => &symbol.detail,
            _ => symbol.kind.word(),
        };
        let detail: String = detail.chars().take(80).collect();
        self.add(&symbol.name, symbol.kind.completion(), &detail);
    }

    /// What a module of an SMV model can name: its own members, and all constants.
    fn names(&mut self, outline: &Outline, module: Option<usize>) {
        module.into_iter().flat_map(|module| outline.members(module)).for_each(|one| self.symbol(one));
        let constants = outline.symbols.iter().filter(|one| one.kind == SymbolKind::Constant);
        constants.for_each(|one| self.symbol(one));
    }

    /// Adds an item that says more than its name; several may be called the same.
    pub(super) fn form(&mut self, item: Value) {
        self.items.push(item);
    }

    pub(super) fn words(&mut self, words: &[&str]) {
        for word in words {
            self.add(word, KEYWORD, "");
        }
    }
}

const TEMPORAL: [&str; 21] = [
    "AG", "AF", "AX", "EG", "EF", "EX", "A", "E", "G", "F", "X", "U", "V", "Y", "Z", "O", "H", "S", "T",
    "TRUE", "FALSE",
];
const EXPRESSIONS: [&str; 20] = [
    "TRUE", "FALSE", "case", "esac", "next", "init", "in", "union", "mod", "xor", "xnor", "count", "min",
    "max", "abs", "toint", "bool", "word1", "self", "EXIT",
];
const TYPES: [&str; 8] =
    ["boolean", "word", "unsigned word", "signed word", "array", "of", "process", "TRUE"];
/// The answer to a request for completion.
pub(crate) fn completion(subject: &Subject<'_>, offset: usize) -> Value {
    let document = subject.document;
    let mut items = Items::default();
    match document.kind {
        Kind::Smv => modules(&mut items, document, offset),
        Kind::Properties(logic) => properties(&mut items, subject, logic, offset),
        Kind::Pds => {
            document
                .outline()
                .symbols
                .iter()
                .filter(|one| one.kind != SymbolKind::Property)
                .for_each(|one| items.symbol(one));
            items.words(&["ATOMS"]);
        }
        Kind::Rsm => machine(&mut items, document, offset),
        Kind::Rules => rules::completion(&mut items, document, offset),
        Kind::OtherModel | Kind::Java | Kind::Unknown => {}
    }
    let is_incomplete = items.items.len() == MOST;
    json!({"isIncomplete": is_incomplete, "items": items.items})
}

/// The instance before a dot that the cursor is behind, as a dotted path.
fn instance_before(text: &str, tokens: &[Token], offset: usize) -> Option<Vec<String>> {
    let before: Vec<Token> = tokens.iter().copied().take_while(|token| token.span.0 < offset).collect();
    let mut end = before.len();
    // the word that is being typed
    if end > 0 && before[end - 1].is_word() && before[end - 1].span.1 >= offset {
        end -= 1;
    }
    let dot = before[..end].last().filter(|token| token.text(text) == ".")?;
    smv::path_at(text, &before[..end - 1], dot.span.0).map(|(path, _)| path)
}

fn modules(items: &mut Items, document: &Document, offset: usize) {
    let (text, outline) = (&document.text, document.outline());
    let tokens = smv::tokens(text, true);
    let module = outline.module_at(offset);
    if let Some(path) = instance_before(text, &tokens, offset) {
        return members(items, outline, module, &path);
    }
    let section = smv::section_at(text, &tokens, offset.saturating_sub(1)).unwrap_or_default();
    let names = |items: &mut Items| items.names(outline, module);
    match section {
        "SPEC" | "CTLSPEC" | "LTLSPEC" | "INVARSPEC" | "PSLSPEC" | "COMPUTE" => {
            names(items);
            items.words(&TEMPORAL);
            items.words(&EXPRESSIONS);
        }
        "VAR" | "IVAR" | "FROZENVAR" => {
            items.words(&TYPES);
            outline
                .symbols
                .iter()
                .filter(|one| one.kind == SymbolKind::Module)
                .for_each(|one| items.symbol(one));
            names(items);
        }
        "CALL" => {
            outline
                .symbols
                .iter()
                .filter(|one| one.kind == SymbolKind::Module)
                .for_each(|one| items.symbol(one));
            names(items);
            items.words(&EXPRESSIONS);
        }
        "MODULE" | "" => {}
        _ => {
            names(items);
            items.words(&EXPRESSIONS);
        }
    }
    section_words().for_each(|word| items.add(word, KEYWORD, ""));
}

/// The members of an instance.
fn members(items: &mut Items, outline: &Outline, module: Option<usize>, path: &[String]) {
    let instance = outline.resolve(module, path).filter(|symbol| symbol.kind == SymbolKind::Instance);
    let of = instance.and_then(|instance| outline.module_named(&instance.detail));
    of.into_iter().flat_map(|of| outline.members(of)).for_each(|one| items.symbol(one));
}

fn properties(items: &mut Items, subject: &Subject<'_>, logic: Logic, offset: usize) {
    let document = subject.document;
    let words: &[&str] = match logic {
        Logic::Ltl => &["G", "F", "X", "U", "W", "R", "true", "false"],
        Logic::Mu => &["mu", "nu", "tt", "ff", "true", "false"],
        _ => &["A", "E", "AG", "AF", "AX", "EG", "EF", "EX", "G", "F", "X", "U", "W", "R", "true", "false"],
    };
    if let Some(model) = subject.model {
        let outline = model.outline();
        if model.kind == Kind::Smv {
            let start = document.text[..offset].rfind('\n').map_or(0, |at| at + 1);
            let line = &document.text[start..offset];
            let module = outline.first_module();
            if let Some(path) = instance_before(line, &smv::tokens(line, false), line.len()) {
                return members(items, outline, module, &path);
            }
            items.names(outline, module);
        }
        outline
            .labels
            .iter()
            .for_each(|label| items.add(&quoted(label), SymbolKind::Label.completion(), "label"));
    }
    for (label, count) in document.facts.iter().flat_map(|facts| &facts.labels) {
        let detail = format!("label of {}", loris_report::counted(*count, "node", "nodes"));
        items.add(&quoted(label), SymbolKind::Label.completion(), &detail);
    }
    items.words(words);
}

/// A label as formulas write it.
fn quoted(label: &str) -> String {
    let is_plain = label.starts_with(|c: char| c == '_' || c.is_alphanumeric())
        && label
            .chars()
            .all(|c| c == '_' || c.is_alphanumeric() || matches!(c, '.' | '$' | '@' | ':' | '\''));
    let is_word =
        TEMPORAL.contains(&label) || matches!(label, "W" | "R" | "true" | "false" | "not" | "and" | "or");
    if is_plain && !is_word {
        return label.to_owned();
    }
    format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\""))
}

fn machine(items: &mut Items, document: &Document, offset: usize) {
    let (texts, outline) = rsm::scan(&document.text);
    let at = texts.iter().position(|one| one.span.0 < offset && offset <= one.span.1);
    let kinds: &[SymbolKind] = match at.map(|at| &texts[at].meaning) {
        Some(rsm::Meaning::Callee) => &[SymbolKind::Component],
        Some(rsm::Meaning::NodeOf | rsm::Meaning::Port) => &[SymbolKind::Node],
        Some(rsm::Meaning::BoxOf) => &[SymbolKind::Box],
        Some(rsm::Meaning::Label) => {
            return document
                .outline()
                .labels
                .iter()
                .for_each(|label| items.add(label, SymbolKind::Label.completion(), "label"));
        }
        _ => {
            return items.words(&[
                "initial_component",
                "initial_node",
                "initial_nodes",
                "components",
                "name",
                "nodes",
                "boxes",
                "transitions",
                "is_entry",
                "is_exit",
                "labels",
                "source",
                "targets",
                "component",
                "call_nodes",
                "return_nodes",
                "type",
                "node",
                "box_node",
                "box_name",
                "node_name",
            ]);
        }
    };
    outline.symbols.iter().filter(|one| kinds.contains(&one.kind)).for_each(|one| items.symbol(one));
}
