//! Open documents: their texts, and what is known about them.

use crate::facts::Facts;
use crate::outline::{Outline, properties};
use crate::position::{Lines, Span};
use crate::uri::path_of;
use loris_check::Logic;
use loris_load::{Format, extension};
use serde_json::Value;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The language of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Modules.
    Smv,
    /// A pushdown system.
    Pds,
    /// A recursive state machine.
    Rsm,
    /// A model in another format, which has no outline.
    OtherModel,
    /// Formulas of a logic, one per line.
    Properties(Logic),
    /// Rules in TOML.
    Rules,
    /// A Java source.
    Java,
    /// None that is known.
    Unknown,
}

impl Kind {
    /// The language of a file by its extension, or by the name that the client has for it.
    pub(crate) fn of(path: &Path, language: &str, text: &str) -> Self {
        match extension(path).as_deref() {
            Some("ctl") => return Kind::Properties(Logic::Ctl),
            Some("ltl") => return Kind::Properties(Logic::Ltl),
            Some("ctlstar" | "ctls") => return Kind::Properties(Logic::Star),
            Some("java") => return Kind::Java,
            Some("mu" | "mcf") => return Kind::Properties(Logic::Mu),
            Some("toml") if language == "loris-rules" || text.contains("[[rule]]") => return Kind::Rules,
            _ => {}
        }
        match Format::of(path) {
            Some(Format::Smv) => Kind::Smv,
            Some(Format::Pds) => Kind::Pds,
            // `.json` is any JSON, unless the client knows better
            Some(Format::Rsm) if extension(path).as_deref() == Some("rsm") => Kind::Rsm,
            Some(Format::Pdmu) => Kind::OtherModel,
            _ => match language {
                "smv" | "nusmv" | "nuxmv" => Kind::Smv,
                "pds" => Kind::Pds,
                "rsm" => Kind::Rsm,
                "ctl" => Kind::Properties(Logic::Ctl),
                "ltl" => Kind::Properties(Logic::Ltl),
                "loris-rules" => Kind::Rules,
                _ => Kind::Unknown,
            },
        }
    }

    /// The format of a model.
    pub(crate) fn format(self, path: &Path) -> Option<Format> {
        match self {
            Kind::Smv => Some(Format::Smv),
            Kind::Pds => Some(Format::Pds),
            Kind::Rsm => Some(Format::Rsm),
            Kind::OtherModel => Format::of(path),
            Kind::Properties(_) | Kind::Rules | Kind::Java | Kind::Unknown => None,
        }
    }
}

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
    use super::{Kind, Logic, Path, PathBuf, model_of};

    #[test]
    fn kinds() {
        let kind = |path: &str, language: &str, text: &str| Kind::of(Path::new(path), language, text);
        assert_eq!(kind("m.smv", "", ""), Kind::Smv);
        assert_eq!(kind("m.RSM", "json", ""), Kind::Rsm);
        assert_eq!(kind("m.json", "json", ""), Kind::Unknown);
        assert_eq!(kind("m.json", "rsm", ""), Kind::Rsm);
        assert_eq!(kind("m.ltl", "", ""), Kind::Properties(Logic::Ltl));
        assert_eq!(kind("r.toml", "toml", "[[rule]]\n"), Kind::Rules);
        assert_eq!(kind("r.toml", "toml", "[package]\n"), Kind::Unknown);
        assert_eq!(kind("Untitled-1", "smv", ""), Kind::Smv);
    }

    #[test]
    fn models() {
        let all = ["/a/m.pds", "/a/m.rsm"].map(PathBuf::from);
        let model = |text: &str| model_of(Path::new("/a/m.ctl"), text, |path| all.contains(&path.into()));
        assert_eq!(model("A G p"), Some("/a/m.pds".into()));
        assert_eq!(model("# model: ../b/x.smv\nA G p"), Some("/a/../b/x.smv".into()));
        assert_eq!(model_of(Path::new("/b/m.ctl"), "", |path| all.contains(&path.into())), None);
    }
}
