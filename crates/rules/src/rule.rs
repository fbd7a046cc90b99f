//! Rules and the files they are in.
//!
//! A rules file is TOML with a table `[[rule]]` for each rule: `id`, `name`, `message`, `level`
//! (`error`, `warning` or `note`), `confidence` (`certain`, `likely` or `possible`: the most that
//! its findings are certain), `cwe` (numbers), `aliases` (names in other tools), `page` (the name
//! of its page of documentation), `default` (whether it is decided if no rules are named), and one
//! of `check` (a check that is built in), `property` with `logic` (of the machine of the whole
//! program) and the table `[rule.object]` (about each object made at some place).

use crate::checks::Check;
use crate::objects::{Named, ObjectRule};
use crate::questions::ProgramQuestion;
use crate::toml_text::{at, toml_problem};
use loris_base::{Diagnostic, Diagnostics, nearest};
use loris_findings::{Confidence, Level, RuleInfo};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What reports state about it: its identifier, of small letters, digits and `-`; its name, a
    /// few words; as help, what it reports, in one sentence without a full stop.
    pub info: RuleInfo,
    /// Its names in other tools, for annotations that suppress it.
    pub aliases: Vec<String>,
    /// The name of its page of documentation, without folder and extension.
    pub page: Option<String>,
    /// Whether it is decided if no rules are named.
    pub on_by_default: bool,
    /// How it is decided.
    pub body: RuleBody,
}

impl Rule {
    /// The rule, if it is one about objects.
    pub(crate) fn about_objects(&self) -> Option<Named<'_>> {
        match &self.body {
            RuleBody::Object(object) => Some((&self.info, object)),
            RuleBody::Check(_) | RuleBody::Question(_) => None,
        }
    }
}

/// How a rule is decided.
#[derive(Clone, Debug)]
pub enum RuleBody {
    /// By a check that is built in.
    Check(Check),
    /// As a property of the machine of the whole program.
    Question(Box<ProgramQuestion>),
    /// For each object that is made at some place.
    Object(Box<ObjectRule>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<String>,
    name: Option<String>,
    message: String,
    level: Option<Spanned<String>>,
    confidence: Option<Spanned<String>>,
    #[serde(default)]
    cwe: Vec<u32>,
    #[serde(default)]
    aliases: Vec<String>,
    page: Option<String>,
    default: Option<bool>,
    check: Option<Spanned<String>>,
    property: Option<Spanned<String>>,
    logic: Option<Spanned<String>>,
    object: Option<Spanned<toml::Table>>,
}

const LOGICS: [&str; 3] = ["ctl", "ltl", "ctl*"];

/// Reads a rules file; all its problems are in the diagnostics.
///
/// ```
/// use loris_rules::read_rules;
/// let (rules, problems) = read_rules(
///     r#"[[rule]]
/// id = "own-dead-store"
/// message = "This value is never used"
/// level = "note"
/// check = "dead-store"
/// "#);
/// assert!(!problems.has_errors());
/// assert_eq!(rules[0].info.id, "own-dead-store");
/// let (_, problems) = read_rules("[[rule]]\nid = 3\n");
/// assert_eq!(problems.sorted()[0].offset, Some(14));
/// ```
pub fn read_rules(text: &str) -> (Vec<Rule>, Diagnostics) {
    let mut problems = Diagnostics::default();
    let mut rules: Vec<Rule> = Vec::new();
    let (file, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        problems.push(toml_problem(error));
    }
    if !errors.is_empty() {
        return (rules, problems);
    }
    for (key, value) in file.into_inner() {
        let place = key.span();
        let DeValue::Array(entries) = value.into_inner() else {
            problems.push(at(&place, "a rules file consists of tables `[[rule]]`"));
            continue;
        };
        if key.get_ref() != "rule" {
            problems.push(at(&place, "a rules file consists of tables `[[rule]]`"));
            continue;
        }
        for entry in entries {
            match rule(entry) {
                Ok((place, rule)) if rules.iter().any(|other| other.info.id == rule.info.id) => {
                    problems.push(at(&place, format!("there are two rules \"{}\"", rule.info.id)));
                }
                Ok((_, rule)) => rules.push(rule),
                Err(problem) => problems.push(problem),
            }
        }
    }
    (rules, problems)
}

fn rule(entry: Spanned<DeValue<'_>>) -> Result<(std::ops::Range<usize>, Rule), Diagnostic> {
    let entry = Entry::deserialize(ValueDeserializer::from(entry)).map_err(|error| toml_problem(&error))?;
    let place = entry.id.span();
    let id = entry.id.into_inner();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if id.is_empty() || !id.chars().all(fits) {
        return Err(at(&place, "an identifier consists of small letters, digits and `-`"));
    }
    let level = match &entry.level {
        None => Level::Warning,
        Some(level) => Level::named(level.get_ref())
            .ok_or_else(|| at(&level.span(), "a level is `error`, `warning` or `note`"))?,
    };
    let confidence = match &entry.confidence {
        None => Confidence::Likely,
        Some(named) => Confidence::named(named.get_ref())
            .ok_or_else(|| at(&named.span(), "a confidence is `certain`, `likely` or `possible`"))?,
    };
    if let (Some(logic), None) = (&entry.logic, &entry.property) {
        return Err(at(&logic.span(), "a logic belongs to a property"));
    }
    let body = match (entry.check, entry.property, entry.object) {
        (Some(check), None, None) => {
            let known = Check::named(check.get_ref());
            RuleBody::Check(known.ok_or_else(|| {
                let names = Check::ALL.iter().map(|check| check.name());
                let near = nearest(check.get_ref(), names);
                let mut problem = at(&check.span(), format!("there is no check \"{}\"", check.get_ref()));
                problem.help = near.map(|name| format!("did you mean \"{name}\"?"));
                problem
            })?)
        }
        (None, Some(property), None) => {
            let logic = entry.logic.as_ref().map_or("ctl", |logic| logic.get_ref());
            if !LOGICS.contains(&logic) {
                let place = entry.logic.as_ref().map_or(property.span(), Spanned::span);
                return Err(at(&place, "a logic is `ctl`, `ltl` or `ctl*`"));
            }
            let question = ProgramQuestion::new(logic, property.get_ref());
            RuleBody::Question(Box::new(question.map_err(|message| at(&property.span(), message))?))
        }
        (None, None, Some(object)) => {
            let place = object.span();
            let rule = ObjectRule::from_table(object.get_ref());
            RuleBody::Object(Box::new(rule.map_err(|message| at(&place, message))?))
        }
        _ => {
            return Err(at(&place, "a rule has one of `check`, `property` and the table `[rule.object]`"));
        }
    };
    let name = entry.name.unwrap_or_else(|| id.replace('-', " "));
    let rule = Rule {
        info: RuleInfo {
            help: entry.message,
            cwe: entry.cwe,
            confidence: Some(confidence),
            ..RuleInfo::new(id, level, name)
        },
        aliases: entry.aliases,
        page: entry.page,
        on_by_default: entry.default.unwrap_or(true),
        body,
    };
    Ok((place, rule))
}

/// The rules that are shipped.
pub fn shipped_rules() -> Vec<Rule> {
    let mut rules = Vec::new();
    for text in SHIPPED {
        let (read, problems) = read_rules(text);
        debug_assert!(!problems.has_errors(), "{:?}", problems.sorted());
        rules.extend(read);
    }
    rules
}

const SHIPPED: [&str; 3] = [
    include_str!("../data/checks.toml"),
    include_str!("../data/objects.toml"),
    include_str!("../data/security.toml"),
];
