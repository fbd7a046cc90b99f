//! The elements of a filter file. Open elements are kept on a stack whose height is bounded, so
//! that conditions may be asked by recursion.

use super::{Bug, Condition, Filter, Names, Pattern};
use crate::rule::Rule;
use loris_base::{Diagnostic, Diagnostics, Severity, nearest};
use loris_xml::{Event, Tag, Xml};
use regex_lite::{Regex, RegexBuilder};

/// How deep conditions may be nested.
const DEEPEST: usize = 100;
/// The most bytes that a compiled regular expression may take.
const LARGEST: usize = 1 << 20;

/// Elements that ask for what findings do not have.
const UNKNOWN: [&str; 9] = [
    "Annotation",
    "Confidence",
    "Designation",
    "FirstVersion",
    "LastVersion",
    "Local",
    "Priority",
    "Rank",
    "Type",
];
/// Elements that hold conditions.
const GROUPS: [&str; 3] = ["And", "Not", "Or"];
/// Other conditions.
const PLAIN: [&str; 6] = ["Bug", "Class", "Field", "Method", "Package", "Source"];

pub(super) fn read(text: &str, rules: &[Rule]) -> (Filter, Diagnostics) {
    let mut reader =
        Reader { text, rules, open: Vec::new(), filter: Filter::default(), problems: Diagnostics::default() };
    let mut xml = Xml::new(text);
    loop {
        match xml.next() {
            Ok(Some(Event::Start(tag))) => {
                let is_skipped = match reader.start(&tag) {
                    Ok(known) => !known,
                    Err(problem) => {
                        reader.problems.push(problem);
                        reader.add(Condition::Unknown);
                        true
                    }
                };
                if is_skipped && let Err(problem) = xml.skip_element() {
                    reader.problems.push(problem);
                    break;
                }
            }
            Ok(Some(Event::End)) => reader.end(),
            Ok(Some(Event::Text(text, at))) => {
                if let Some(blank) = text.find(|c: char| !c.is_whitespace()) {
                    reader.problems.push(error(at + blank, 1, "a filter file has no text between elements"));
                }
            }
            Ok(None) => break,
            Err(problem) => {
                reader.problems.push(problem);
                break;
            }
        }
    }
    (reader.filter, reader.problems)
}

/// An element that is open.
struct Open {
    name: &'static str,
    at: usize,
    inside: Vec<Condition>,
}

struct Reader<'t> {
    text: &'t str,
    rules: &'t [Rule],
    open: Vec<Open>,
    filter: Filter,
    problems: Diagnostics,
}

impl Reader<'_> {
    /// Opens an element; false if nothing in it counts.
    fn start(&mut self, tag: &Tag<'_>) -> Result<bool, Diagnostic> {
        let Some(around) = self.open.last().map(|open| open.name) else {
            if tag.name != "FindBugsFilter" {
                let problem = tag.error(format!("this is not a filter file: it starts with `{}`", tag.name));
                return Err(problem.help("a filter file is an element `FindBugsFilter`"));
            }
            return Ok(self.open("FindBugsFilter", tag));
        };
        if around == "FindBugsFilter" {
            if tag.name != "Match" {
                let problem = tag.error(format!("a filter file has no element `{}`", tag.name));
                return Err(meant(problem, tag.name, ["Match"].into_iter()));
            }
            self.open("Match", tag);
            // what older files write as attributes
            for (name, value, at) in tag.attributes() {
                let condition = match name {
                    "class" => Condition::Class(pattern(value, at)?),
                    "classregex" => Condition::Class(Pattern::Fitting(regex(value, at)?)),
                    _ => return Err(unknown_attribute(tag, name, at, &["class", "classregex"])),
                };
                self.add(condition);
            }
            return Ok(true);
        }
        if let Some(group) = GROUPS.into_iter().find(|group| *group == tag.name) {
            if self.open.len() > DEEPEST {
                return Err(tag.error(format!("conditions are nested deeper than {DEEPEST} levels")));
            }
            known(tag, &[])?;
            return Ok(self.open(group, tag));
        }
        let condition = self.condition(tag)?;
        self.add(condition);
        Ok(false)
    }

    fn open(&mut self, name: &'static str, tag: &Tag<'_>) -> bool {
        self.open.push(Open { name, at: tag.at, inside: Vec::new() });
        true
    }

    fn add(&mut self, condition: Condition) {
        if let Some(open) = self.open.last_mut() {
            open.inside.push(condition);
        }
    }

    /// Closes the element that was opened last.
    fn end(&mut self) {
        let Some(Open { name, at, mut inside }) = self.open.pop() else { return };
        match name {
            "FindBugsFilter" => {}
            "Match" => {
                if inside.is_empty() {
                    let problem = error(at, "<Match".len(), "this suppresses every finding");
                    self.warn(problem.help("a `Match` without conditions is true of all"));
                }
                let line = 1 + self.text[..at].matches('\n').count();
                self.filter.matches.push((line, Condition::And(inside)));
            }
            "Not" if inside.len() == 1 => {
                let one = inside.pop().unwrap_or(Condition::Unknown);
                self.add(Condition::Not(Box::new(one)));
            }
            "Not" => self.problems.push(error(at, "<Not".len(), "`Not` has one condition in it")),
            "Or" => self.add(Condition::Or(inside)),
            _ => self.add(Condition::And(inside)),
        }
    }

    fn warn(&mut self, problem: Diagnostic) {
        self.problems.push(Diagnostic { severity: Severity::Warning, ..problem });
    }

    fn condition(&mut self, tag: &Tag<'_>) -> Result<Condition, Diagnostic> {
        let is_default = |tag: &Tag<'_>| {
            tag.attribute("role").is_none_or(|(role, _)| role.is_empty() || role.ends_with("_DEFAULT"))
        };
        Ok(match tag.name {
            "Bug" => Condition::Bug(self.bug(tag)?),
            "Class" | "Package" | "Source" => {
                known(tag, if tag.name == "Class" { &["name", "role"] } else { &["name"] })?;
                let Some(name) = attribute(tag, "name")? else {
                    return Err(tag.error(format!("`{}` has a `name`", tag.name)));
                };
                match tag.name {
                    "Class" if !is_default(tag) => self.unknown(tag, "the role of a class"),
                    "Class" => Condition::Class(name),
                    "Package" => Condition::Package(name),
                    _ => Condition::Source(name),
                }
            }
            "Method" => {
                known(tag, &["name", "params", "returns", "role"])?;
                let name = attribute(tag, "name")?;
                let parameters = attribute(tag, "params")?.map(without_blanks);
                let result = attribute(tag, "returns")?.map(without_blanks);
                if !is_default(tag) {
                    return Ok(self.unknown(tag, "the role of a method"));
                }
                Condition::Method { name, parameters, result }
            }
            "Field" => {
                known(tag, &["name", "type", "role"])?;
                let name = attribute(tag, "name")?;
                let kind = attribute(tag, "type")?.map(without_blanks);
                if !is_default(tag) {
                    return Ok(self.unknown(tag, "the role of a field"));
                }
                Condition::Field { name, kind }
            }
            name if UNKNOWN.contains(&name) => self.unknown(tag, &format!("`{name}`")),
            name => {
                let problem = tag.error(format!("there is no condition `{name}`"));
                return Err(meant(problem, name, PLAIN.into_iter().chain(GROUPS).chain(UNKNOWN)));
            }
        })
    }

    /// A condition about what findings do not have.
    fn unknown(&mut self, tag: &Tag<'_>, what: &str) -> Condition {
        let problem = tag.error(format!("findings are not known by {what}"));
        self.warn(problem.help("a `Match` that depends on it suppresses nothing"));
        Condition::Unknown
    }

    fn bug(&mut self, tag: &Tag<'_>) -> Result<Bug, Diagnostic> {
        known(tag, &["pattern", "code", "category"])?;
        let names = |key: &str| match tag.attribute(key) {
            None => Ok(None),
            Some((value, at)) => match value.strip_prefix('~') {
                Some(expression) => regex(expression, at).map(|regex| Some(Names::Fitting(regex))),
                None => {
                    Ok(Some(Names::Listed(value.split(',').map(|name| name.trim().to_owned()).collect())))
                }
            },
        };
        let bug = Bug { patterns: names("pattern")?, codes: names("code")?, categories: names("category")? };
        if tag.attributes().next().is_none() {
            let problem = tag.error("`Bug` names no rule");
            return Err(problem.help("it has a `pattern`, a `code` or a `category`"));
        }
        if let (Some(Names::Listed(names)), Some((_, at))) = (&bug.patterns, tag.attribute("pattern")) {
            let own: Vec<String> = names.iter().filter(|name| self.is_slip(name)).cloned().collect();
            for name in own {
                let problem = error(at, 0, format!("there is no rule {name}"));
                let ids = self.rules.iter().map(|rule| &*rule.info.id);
                let near = nearest(&name, ids).map(|near| format!("did you mean {near}?"));
                self.warn(Diagnostic { help: near, ..problem });
            }
        }
        Ok(bug)
    }

    /// Whether a name is written as those of our rules are, and is none.
    fn is_slip(&self, name: &str) -> bool {
        let id = name.strip_prefix("loris:").unwrap_or(name);
        let is_ours = !id.is_empty() && id.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        is_ours
            && self.rules.iter().all(|rule| rule.info.id != id && !rule.aliases.contains(&name.to_owned()))
    }
}

/// The value of an attribute as a pattern, if there is one.
fn attribute(tag: &Tag<'_>, name: &str) -> Result<Option<Pattern>, Diagnostic> {
    tag.attribute(name).map(|(value, at)| pattern(value, at)).transpose()
}

fn pattern(value: &str, at: usize) -> Result<Pattern, Diagnostic> {
    Ok(match value.strip_prefix('~') {
        Some(expression) => Pattern::Fitting(regex(expression, at)?),
        None => Pattern::Exact(value.to_owned()),
    })
}

/// A list of types may be written with blanks.
fn without_blanks(pattern: Pattern) -> Pattern {
    match pattern {
        Pattern::Exact(text) => Pattern::Exact(text.split_whitespace().collect()),
        fitting @ Pattern::Fitting(_) => fitting,
    }
}

/// A regular expression for the whole of a text.
fn regex(expression: &str, at: usize) -> Result<Regex, Diagnostic> {
    let built = |text: &str| RegexBuilder::new(text).size_limit(LARGEST).build();
    // by itself first: `a)|(b` is none, but between parentheses it is
    let whole = built(expression).and_then(|_| built(&format!("^(?:{expression})$")));
    whole.map_err(|why| error(at, 0, format!("the regular expression is wrong: {why}")))
}

/// Refuses attributes that an element does not have.
fn known(tag: &Tag<'_>, names: &[&str]) -> Result<(), Diagnostic> {
    match tag.attributes().find(|(name, ..)| !names.contains(name) && !name.starts_with("xmlns")) {
        Some((name, _, at)) => Err(unknown_attribute(tag, name, at, names)),
        None => Ok(()),
    }
}

fn unknown_attribute(tag: &Tag<'_>, name: &str, at: usize, names: &[&str]) -> Diagnostic {
    let problem = error(at, 0, format!("`{}` has no attribute `{name}`", tag.name));
    meant(problem, name, names.iter().copied())
}

fn meant<'n>(problem: Diagnostic, name: &str, names: impl Iterator<Item = &'n str>) -> Diagnostic {
    let near = nearest(name, names).map(|near| format!("did you mean `{near}`?"));
    Diagnostic { help: near, ..problem }
}

fn error(at: usize, length: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(at as u64, length, message)
}
