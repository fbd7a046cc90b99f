//! Filter files as `SpotBugs` has them, which name findings that do not count:
//!
//! ```xml
//! <FindBugsFilter>
//!   <Match>
//!     <Class name="~com\.acme\.generated\..*"/>
//!     <Bug pattern="OS_OPEN_STREAM,dead-store"/>
//!   </Match>
//! </FindBugsFilter>
//! ```
//!
//! A finding is suppressed if all conditions of one `<Match>` are true of it. What findings do not
//! have (a rank, a local variable) is neither true nor false: a `<Match>` that depends on it
//! suppresses nothing, whatever stands around it, so that less is hidden than was meant, not more.

mod read;
mod signature;

use super::spotbugs::{category, code};
use crate::rule::Rule;
use loris_base::Diagnostics;
use loris_findings::{Finding, Suppression, SuppressionKind};
use regex_lite::Regex;
use signature::readable;

/// A filter file.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// the line of each `<Match>`, and its conditions
    matches: Vec<(usize, Condition)>,
}

/// What is asked of a finding.
#[derive(Clone, Debug)]
enum Condition {
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    Bug(Bug),
    Class(Pattern),
    Package(Pattern),
    Source(Pattern),
    Method {
        name: Option<Pattern>,
        parameters: Option<Pattern>,
        result: Option<Pattern>,
    },
    Field {
        name: Option<Pattern>,
        kind: Option<Pattern>,
    },
    /// findings do not have it
    Unknown,
}

/// Names of rules: one of them has to fit.
#[derive(Clone, Debug, Default)]
struct Bug {
    patterns: Option<Names>,
    codes: Option<Names>,
    categories: Option<Names>,
}

/// A list of names, or a regular expression for one.
#[derive(Clone, Debug)]
enum Names {
    Listed(Vec<String>),
    Fitting(Regex),
}

/// A text, or a regular expression for all of it.
#[derive(Clone, Debug)]
enum Pattern {
    Exact(String),
    Fitting(Regex),
}

impl Pattern {
    fn fits(&self, text: &str) -> bool {
        match self {
            Pattern::Exact(exact) => exact == text,
            Pattern::Fitting(regex) => regex.is_match(text),
        }
    }
}

impl Names {
    fn fit(&self, name: &str) -> bool {
        match self {
            Names::Listed(names) => names.iter().any(|known| known == name),
            Names::Fitting(regex) => regex.is_match(name),
        }
    }
}

impl Bug {
    fn fits(&self, rule: &Rule) -> bool {
        let fit = |names: &Option<Names>, name: &str| names.as_ref().is_some_and(|names| names.fit(name));
        let id = &rule.info.id;
        fit(&self.patterns, id)
            || fit(&self.patterns, &format!("loris:{id}"))
            || rule.aliases.iter().any(|alias| {
                fit(&self.patterns, alias)
                    || fit(&self.codes, code(alias))
                    || category(alias).is_some_and(|category| fit(&self.categories, category))
            })
    }
}

impl Condition {
    /// Whether it is true of a finding; nothing if that cannot be known.
    fn holds(&self, rule: &Rule, finding: &Finding) -> Option<bool> {
        let (class, method, descriptor) = finding.method();
        let fits = |pattern: &Option<Pattern>, text: &str| pattern.as_ref().is_none_or(|it| it.fits(text));
        Some(match self {
            // false decides, else what is not known
            Condition::And(all) => return all_of(all.iter().map(|one| one.holds(rule, finding))),
            Condition::Or(some) => {
                return all_of(some.iter().map(|one| Some(!one.holds(rule, finding)?))).map(|none| !none);
            }
            Condition::Not(one) => !one.holds(rule, finding)?,
            Condition::Bug(bug) => bug.fits(rule),
            Condition::Class(name) => name.fits(class),
            Condition::Package(name) => name.fits(class.rsplit_once('.').map_or("", |(package, _)| package)),
            Condition::Source(name) => {
                let file = finding.file().unwrap_or_default();
                let simple = file.rsplit('/').next().unwrap_or_default();
                !file.is_empty() && (name.fits(simple) || name.fits(file))
            }
            Condition::Method { name, parameters, result } => {
                let (given, returned) = readable(descriptor);
                !method.is_empty()
                    && fits(name, method)
                    && fits(parameters, &given)
                    && fits(result, &returned)
            }
            Condition::Field { name, kind } => {
                let Some(declaration) = &finding.declaration else { return Some(false) };
                let Some(field) = &declaration.field else { return Some(false) };
                fits(name, field) && fits(kind, &readable(&declaration.descriptor).1)
            }
            Condition::Unknown => return None,
        })
    }
}

/// Whether all are true: false if one is false, and unknown if none is, but one is unknown.
fn all_of(values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for value in values {
        match value {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = None,
        }
    }
    known
}

impl Filter {
    /// Reads a filter file. What is not understood is an error at its place; what cannot be asked
    /// of findings is a warning.
    ///
    /// ```
    /// use loris_rules::suppress::Filter;
    /// let rules = loris_rules::shipped_rules();
    /// let (_, problems) = Filter::read("<FindBugsFilter><Mtch/></FindBugsFilter>", &rules);
    /// let problem = problems.sorted()[0];
    /// assert_eq!((problem.offset, problem.help.as_deref()), (Some(16), Some("did you mean `Match`?")));
    /// ```
    pub fn read(text: &str, rules: &[Rule]) -> (Self, Diagnostics) {
        read::read(text, rules)
    }

    /// Marks findings that the file suppresses.
    pub fn apply(&self, rules: &[Rule], findings: &mut [Finding], path: &str) {
        for finding in findings.iter_mut().filter(|finding| finding.suppressed.is_none()) {
            let Some(rule) = rules.iter().find(|rule| rule.info.id == finding.rule) else { continue };
            let mut matches = self.matches.iter();
            if let Some((line, _)) = matches.find(|(_, all)| all.holds(rule, finding) == Some(true)) {
                let place = format!("{path}:{line}");
                finding.suppressed = Some(Suppression { kind: SuppressionKind::Configuration, place });
            }
        }
    }
}
