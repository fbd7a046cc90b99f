//! The languages of documents.

use loris_check::Logic;
use loris_load::{Format, extension};
use std::path::Path;

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

#[cfg(test)]
mod tests {
    use super::{Kind, Logic, Path};

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
}
