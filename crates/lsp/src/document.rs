//! Open documents: their texts, and what is known about them.

use crate::facts::Facts;
use crate::kind::Kind;
use crate::outline::{Outline, properties};
use crate::position::{Lines, Span};
use crate::uri::path_of;
use serde_json::Value;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A document that is open.
pub(crate) struct Document {
    pub(crate) uri: String,
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) language: String,
    pub(crate) version: Option<i64>,
    pub(crate) text: Arc<str>,
    /// Counts the changes of all documents; a result for an older one is out of date.
    pub(crate) generation: u64,
    lines: OnceCell<Lines>,
    outline: OnceCell<Outline>,
    /// Problems of this text, as the client gets them.
    pub(crate) problems: Vec<Value>,
    /// What is known about the model, perhaps of an earlier text.
    pub(crate) facts: Option<Arc<Facts>>,
    /// Verdicts on properties of this text.
    pub(crate) verdicts: Vec<Shown>,
}

/// A verdict that is shown at a property.
pub(crate) struct Shown {
    /// Where the property starts.
    pub(crate) start: usize,
    /// `holds`, `fails` or `unknown`.
    pub(crate) word: &'static str,
    /// As the client gets it.
    pub(crate) diagnostic: Value,
}

impl Document {
    pub(crate) fn new(uri: &str, language: &str, version: Option<i64>, text: &str, generation: u64) -> Self {
        let path = path_of(uri);
        Self {
            uri: uri.to_owned(),
            kind: Kind::of(&path, language, text),
            path,
            language: language.to_owned(),
            version,
            text: text.into(),
            generation,
            lines: OnceCell::new(),
            outline: OnceCell::new(),
            problems: Vec::new(),
            facts: None,
            verdicts: Vec::new(),
        }
    }

    /// The same document with another text. What was known of the model stays until the new text is
    /// analysed; verdicts do not.
    pub(crate) fn change(&mut self, version: Option<i64>, text: &str, generation: u64) {
        let (facts, problems) = (self.facts.take(), std::mem::take(&mut self.problems));
        *self = Self { problems, facts, ..Self::new(&self.uri, &self.language, version, text, generation) };
    }

    pub(crate) fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::new(&self.text))
    }

    pub(crate) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::new(self.kind, &self.text))
    }

    /// A range as JSON.
    pub(crate) fn range(&self, span: Span) -> Value {
        self.lines().range(&self.text, span)
    }
}

/// Extensions of models that a property file can lie beside, in this order.
const MODELS: [&str; 11] = ["smv", "pds", "pdmu", "rsm", "json", "aig", "aag", "par", "aut", "kmts", "pnml"];

/// The model that a property file is about: the one that a comment at its start names, or the one
/// beside it with the same name.
pub(crate) fn model_of(path: &Path, text: &str, exists: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    if let Some((named, _)) = properties::named_model(text) {
        return Some(path.parent().unwrap_or(Path::new("")).join(named));
    }
    MODELS.iter().map(|extension| path.with_extension(extension)).find(|path| exists(path))
}

#[cfg(test)]
mod tests {
    use super::{Path, PathBuf, model_of};

    #[test]
    fn models() {
        let all = ["/a/m.pds", "/a/m.rsm"].map(PathBuf::from);
        let model = |text: &str| model_of(Path::new("/a/m.ctl"), text, |path| all.contains(&path.into()));
        assert_eq!(model("A G p"), Some("/a/m.pds".into()));
        assert_eq!(model("# model: ../b/x.smv\nA G p"), Some("/a/../b/x.smv".into()));
        assert_eq!(model_of(Path::new("/b/m.ctl"), "", |path| all.contains(&path.into())), None);
    }
}
