//! All open documents, and models on the disk that property files are about.

use crate::document::{Document, model_of};
use crate::features::Subject;
use crate::frame::LONGEST;
use crate::kind::Kind;
use crate::position::Position;
use crate::uri::uri_of;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// All documents.
#[derive(Default)]
pub(crate) struct Store {
    open: BTreeMap<String, Document>,
    /// models that are not open, with the time of their last change
    closed: BTreeMap<PathBuf, (Option<SystemTime>, Document)>,
    generation: u64,
}

/// How many models that are not open are kept.
const CLOSED: usize = 8;

impl Store {
    fn next(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }

    /// Opens a document; returns the documents to be analysed.
    pub(crate) fn open(&mut self, params: &Value) -> Option<Vec<String>> {
        let item = params.get("textDocument")?;
        let uri = item.get("uri")?.as_str()?;
        let language = item.get("languageId").and_then(Value::as_str).unwrap_or_default();
        let version = item.get("version").and_then(Value::as_i64);
        let text = item.get("text")?.as_str()?;
        let generation = self.next();
        self.open.insert(uri.to_owned(), Document::new(uri, language, version, text, generation));
        Some(self.affected(uri))
    }

    /// Changes a document; returns the documents to be analysed.
    pub(crate) fn change(&mut self, params: &Value) -> Option<Vec<String>> {
        let item = params.get("textDocument")?;
        let uri = item.get("uri")?.as_str()?;
        let version = item.get("version").and_then(Value::as_i64);
        let changes = params.get("contentChanges")?.as_array()?;
        let generation = self.next();
        let document = self.open.get_mut(uri)?;
        for change in changes {
            let text = change.get("text")?.as_str()?;
            match change.get("range") {
                None | Some(Value::Null) => document.change(version, text, generation),
                Some(range) => {
                    let at = |key: &str| {
                        let position = Position::read(range.get(key)?)?;
                        Some(document.lines().offset(&document.text, position))
                    };
                    let (start, end) = (at("start")?, at("end")?);
                    let (start, end) = (start.min(end), start.max(end));
                    let old = &document.text;
                    let new = [&old[..start], text, &old[end..]].concat();
                    document.change(version, &new, generation);
                }
            }
        }
        Some(self.affected(uri))
    }

    /// Closes a document; returns the documents to be analysed.
    pub(crate) fn close(&mut self, uri: &str) -> Vec<String> {
        self.open.remove(uri);
        let mut affected = self.affected(uri);
        affected.retain(|other| other != uri);
        affected
    }

    /// Files were changed by others; returns the documents to be analysed.
    pub(crate) fn files_changed(&mut self) -> Vec<String> {
        self.closed.clear();
        self.outdate(|document| matches!(document.kind, Kind::Properties(_) | Kind::Java))
    }

    /// A document that has changed, and those that may depend on it, which get a new generation and
    /// lose their verdicts.
    fn affected(&mut self, uri: &str) -> Vec<String> {
        let is_model = !matches!(
            self.open.get(uri).map(|document| document.kind),
            Some(Kind::Properties(_) | Kind::Rules | Kind::Java | Kind::Unknown)
        );
        let mut affected = self.outdate(|document| is_model && matches!(document.kind, Kind::Properties(_)));
        if !affected.iter().any(|other| other == uri) {
            affected.push(uri.to_owned());
        }
        affected
    }

    fn outdate(&mut self, is_concerned: impl Fn(&Document) -> bool) -> Vec<String> {
        let generation = self.next();
        let mut outdated = Vec::new();
        for (uri, document) in &mut self.open {
            if is_concerned(document) {
                document.generation = generation;
                document.verdicts.clear();
                outdated.push(uri.clone());
            }
        }
        outdated
    }

    pub(crate) fn get(&self, uri: &str) -> Option<&Document> {
        self.open.get(uri)
    }

    pub(crate) fn get_mut(&mut self, uri: &str) -> Option<&mut Document> {
        self.open.get_mut(uri)
    }

    /// The texts of all open documents.
    pub(crate) fn texts(&self) -> Vec<(PathBuf, Arc<str>)> {
        self.open.values().map(|document| (document.path.clone(), Arc::clone(&document.text))).collect()
    }

    /// The path of the model that a document is about.
    pub(crate) fn model_path(&self, document: &Document) -> Option<PathBuf> {
        match document.kind {
            Kind::Smv | Kind::Pds | Kind::Rsm | Kind::OtherModel => Some(document.path.clone()),
            Kind::Rules | Kind::Java | Kind::Unknown => None,
            Kind::Properties(_) => {
                let is_open = |path: &Path| self.open.values().any(|other| other.path == path);
                model_of(&document.path, &document.text, |path| is_open(path) || path.is_file())
            }
        }
    }

    /// A document with its model, which is read if it is not open.
    pub(crate) fn subject(&mut self, uri: &str) -> Option<Subject<'_>> {
        let document = self.open.get(uri)?;
        let path = self.model_path(document);
        if let Some(path) = &path
            && !self.open.values().any(|other| other.path == *path)
        {
            self.load(path);
        }
        let document = self.open.get(uri)?;
        let model = path.and_then(|path| {
            let open = self.open.values().find(|other| other.path == path);
            open.or_else(|| self.closed.get(&path).map(|(_, document)| document))
        });
        Some(Subject { document, model })
    }

    /// Reads a model, unless it is known and has not changed.
    fn load(&mut self, path: &Path) {
        let Ok(data) = path.metadata() else {
            self.closed.remove(path);
            return;
        };
        let changed = data.modified().ok();
        if self.closed.get(path).is_some_and(|(known, _)| known.is_some() && *known == changed) {
            return;
        }
        if !data.is_file() || data.len() > LONGEST {
            self.closed.remove(path);
            return;
        }
        if self.closed.len() >= CLOSED {
            self.closed.pop_first();
        }
        if let Ok(text) = std::fs::read_to_string(path) {
            let document = Document::new(&uri_of(path), "", None, &text, 0);
            self.closed.insert(path.to_owned(), (changed, document));
        }
    }
}

/// The address of the document that a request is about.
pub(crate) fn uri_in(params: &Value) -> Option<&str> {
    params.get("textDocument")?.get("uri")?.as_str()
}
