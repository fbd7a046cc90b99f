//! `loris.toml`: which rules are decided, how much they matter, and what is skipped.
//!
//! ```toml
//! [java]
//! enable = ["notify-without-change"]
//! disable = ["unused-field"]
//! rules-files = ["rules/own.toml"]
//! models = ["rules/resources.toml"]
//! libraries = ["lib"]
//! sources = ["src/main/java"]
//! suppress = ["spotbugs-exclude.xml"]
//! skip = ["com.acme.generated.*", "com/acme/parser/*.java"]
//! confidence = "certain"
//!
//! [java.levels]
//! dead-store = "note"
//! ```

use crate::rule::Rule;
use crate::toml_text::toml_problem;
use loris_base::{Diagnostic, Diagnostics};
use loris_findings::{Confidence, Finding, Level, Suppression, SuppressionKind};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The configuration of `loris java`. Paths are relative to the folder of the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// Rules that are decided beside those on by default.
    enable: Vec<Spanned<String>>,
    /// Rules that are not decided.
    disable: Vec<Spanned<String>>,
    levels: BTreeMap<Spanned<String>, Spanned<String>>,
    /// Files with rules.
    pub rules_files: Vec<String>,
    /// Files with models of resources.
    pub models: Vec<String>,
    /// Libraries.
    pub libraries: Vec<String>,
    /// Sources.
    pub sources: Vec<String>,
    /// Filter files of `SpotBugs`.
    pub suppress: Vec<String>,
    /// Classes and source files whose findings do not count, with `*` for any text.
    skip: Vec<String>,
    /// How certain findings are at least.
    confidence: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    java: Config,
}

impl Config {
    /// Reads `loris.toml`.
    ///
    /// ```
    /// let (config, problems) = loris_rules::Config::read("[java]\nskip = [\"a.*\"]\n");
    /// assert!(problems.is_empty());
    /// let (_, problems) = loris_rules::Config::read("[java]\nskipp = []\n");
    /// assert_eq!(problems.sorted()[0].offset, Some(7));
    /// ```
    pub fn read(text: &str) -> (Self, Diagnostics) {
        let mut problems = Diagnostics::default();
        let config = match toml::from_str::<File>(text) {
            Ok(file) => file.java,
            Err(error) => {
                problems.push(toml_problem(&error));
                Self::default()
            }
        };
        for level in config.levels.values() {
            if Level::named(level.get_ref()).is_none() {
                let place = level.span();
                let message = "a level is `error`, `warning` or `note`";
                problems.push(Diagnostic::error(place.start as u64, place.len(), message));
            }
        }
        if let Some(bar) = config.confidence.as_ref().filter(|bar| Confidence::named(bar.get_ref()).is_none())
        {
            let place = bar.span();
            let message = "a confidence is `certain`, `likely` or `possible`";
            problems.push(Diagnostic::error(place.start as u64, place.len(), message));
        }
        (config, problems)
    }

    /// How certain findings are at least, if they are reported.
    pub fn confidence(&self) -> Option<Confidence> {
        self.confidence.as_ref().and_then(|bar| Confidence::named(bar.get_ref()))
    }

    /// Whether a rule is decided because the file says so.
    pub(crate) fn enables(&self, rule: &str) -> bool {
        self.enable.iter().any(|name| name.get_ref() == rule)
    }

    /// Sets levels and what is on by default; rules that do not exist are problems.
    pub fn apply(&self, rules: &mut [Rule]) -> Diagnostics {
        let mut problems = Diagnostics::default();
        let named = self.enable.iter().chain(&self.disable).chain(self.levels.keys());
        for name in named {
            if rules.iter().all(|rule| rule.info.id != *name.get_ref()) {
                let place = name.span();
                let message = format!("there is no rule \"{}\"", name.get_ref());
                problems.push(Diagnostic::error(place.start as u64, place.len(), message));
            }
        }
        let lists = |list: &[Spanned<String>], id: &str| list.iter().any(|name| name.get_ref() == id);
        for rule in rules {
            if let Some(level) = self.levels.iter().find(|(name, _)| *name.get_ref() == rule.info.id) {
                rule.info.level = Level::named(level.1.get_ref()).unwrap_or(rule.info.level);
            }
            rule.on_by_default = (rule.on_by_default || lists(&self.enable, &rule.info.id))
                && !lists(&self.disable, &rule.info.id);
        }
        problems
    }

    /// Marks findings in classes and files that are skipped.
    pub fn skip(&self, findings: &mut [Finding], path: &str) {
        for finding in findings.iter_mut().filter(|finding| finding.suppressed.is_none()) {
            let file = finding.file().unwrap_or_default();
            if self.skip.iter().any(|glob| fits(glob, finding.class()) || fits(glob, file)) {
                let suppression =
                    Suppression { kind: SuppressionKind::Configuration, place: path.to_owned() };
                finding.suppressed = Some(suppression);
            }
        }
    }
}

/// Whether a text fits a pattern with `*` for any text, in time linear in both for each `*`.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("a.B", "a.B", true),
            ("a.B", "a.BC", false),
            ("a.*", "a.b.C", true),
            ("*.C", "a.b.C", true),
            ("a*b*c", "axxbxxc", true),
            ("a*b*c", "acb", false),
            ("*", "", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }
}
