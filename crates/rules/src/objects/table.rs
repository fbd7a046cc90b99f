//! The table `[rule.object]` of a rules file.

use super::forms::{BUILT_IN, KEYS};
use super::reduce::is_insensitive;
use loris_base::Diagnostics;
use loris_findings::RuleInfo;
use loris_java::objects::MethodPattern;
use loris_logic::{Core, CtlCore, Formula, parse};
use std::collections::BTreeMap;

/// A rule about objects, and what reports state about it.
pub(crate) type Named<'a> = (&'a RuleInfo, &'a ObjectRule);

/// A rule about objects.
#[derive(Clone, Debug)]
pub struct ObjectRule {
    pub(super) at: Vec<At>,
    pub(super) events: BTreeMap<String, Vec<Happening>>,
    /// names of all atoms that nodes are labelled with
    pub(super) atoms: Vec<String>,
    pub(super) property: Condition,
    /// `E [ !settled U returned ]`: callers make the object, too
    pub(super) returned: Option<Condition>,
    pub(super) unless: Option<String>,
    /// any call may throw an exception that nobody declares
    pub(super) unchecked: bool,
    /// methods in which objects are not looked for
    pub(super) except: Vec<MethodPattern>,
    /// methods that say enough if they are called on what the object comes from
    pub(super) asked: Vec<String>,
    /// an event that another method of the class may be there for
    pub(super) elsewhere: Option<String>,
    /// the bit of the event that findings point at, if not at where the object comes from
    pub(super) offence: Option<u32>,
    /// whether that event happens without an exception
    pub(super) happens: Option<Condition>,
    /// classes in whose subtypes objects are looked for, if not in all
    pub(super) within: Vec<String>,
}

impl ObjectRule {
    /// Whether callers of methods that return objects are looked at, too.
    pub(crate) fn follows_callers(&self) -> bool {
        self.returned.is_some()
    }

    /// The rule that is named under `unless`.
    pub fn unless(&self) -> Option<&str> {
        self.unless.as_deref()
    }
}

/// A formula with the names of its atoms.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) core: CtlCore,
    /// for each atom of the formula its place in the rule's list
    pub(super) atoms: Vec<u32>,
    /// whether silent steps may be left out
    pub(super) is_insensitive: bool,
}

/// Where objects come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum At {
    Resource,
    New(String),
    /// with a constructor that has no parameters
    Plain(String),
    Result(MethodPattern),
    Child(MethodPattern),
    On(MethodPattern),
    OnTrue(MethodPattern),
    OnFalse(MethodPattern),
    OnThrow(MethodPattern),
    EntryOn(MethodPattern),
    With(Vec<String>),
    Argument(MethodPattern, u8),
    Promised,
}

/// A call that makes an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    On(MethodPattern, Option<i32>),
    /// with another last argument, or one that is not known
    OnNot(MethodPattern, i32),
    /// without arguments
    Plain(MethodPattern),
    PassChild(MethodPattern, u8),
    Pass(MethodPattern, Option<u8>),
    Parent(MethodPattern),
    Inside(MethodPattern),
    Child(MethodPattern),
    Any(MethodPattern),
}

/// The most atoms of a rule's formulas: a bit each, and one that [`ESCAPED`] takes.
const ATOMS: usize = 63;
/// The bit of nodes at which the object goes where it cannot be followed.
pub(super) const ESCAPED: u32 = 63;

/// Whether an atom is one that every rule has.
pub(super) fn is_built_in(atom: &str) -> bool {
    BUILT_IN.iter().any(|(known, _)| *known == atom)
}

impl ObjectRule {
    /// Reads the table `[rule.object]` of a rule.
    ///
    /// # Errors
    /// What is wrong with the table, in words.
    pub fn from_table(table: &toml::Table) -> Result<Self, String> {
        for key in table.keys() {
            if KEYS.iter().all(|(known, _)| known != key) {
                let near = loris_base::nearest(key, KEYS.iter().map(|(known, _)| *known));
                let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(format!("a rule about objects has no `{key}`{help}"));
            }
        }
        let at =
            strings(table.get("at").ok_or("a rule about objects has `at`: where objects come from")?, "at")?;
        let at = at.iter().map(|text| At::read(text)).collect::<Result<Vec<_>, _>>()?;
        let mut events = BTreeMap::new();
        if let Some(listed) = table.get("events") {
            for (name, calls) in listed.as_table().ok_or("`events` is a table of lists of calls")? {
                if is_built_in(name) {
                    return Err(format!("`{name}` is an event of every rule; choose another name"));
                }
                let calls = strings(calls, name)?;
                let calls = calls.iter().map(|text| Happening::read(text)).collect::<Result<Vec<_>, _>>()?;
                events.insert(name.clone(), calls);
            }
        }
        let text = |key: &str| match table.get(key) {
            None => Ok(None),
            Some(value) => value.as_str().map(Some).ok_or_else(|| format!("`{key}` is a text")),
        };
        let property = text("property")?.ok_or("a rule about objects has a `property`")?;
        let mut atoms = Vec::new();
        let property = Condition::new(property, &events, &mut atoms)?;
        let settled = text("settled")?.map(|settled| format!("E [ !({settled}) U returned ]"));
        let returns = text("returns")?.map(str::to_owned).or(settled);
        let returned = returns.map(|text| Condition::new(&text, &events, &mut atoms)).transpose()?;
        let elsewhere = text("elsewhere")?.map(str::to_owned);
        if let Some(event) = elsewhere.as_ref().filter(|event| !events.contains_key(*event)) {
            return Err(format!("there is no event `{event}` that may happen elsewhere"));
        }
        let again = text("again")?.map(str::to_owned);
        if let Some(event) = again.as_ref().filter(|event| !events.contains_key(*event)) {
            return Err(format!("there is no event `{event}` that may happen again"));
        }
        let happens = elsewhere.as_ref().map(|event| {
            // once it has happened the method is left without an exception
            let again = again.map_or("thrown".to_owned(), |again| format!("(thrown | {again})"));
            format!("E [ !thrown U ({event} & E [ !{again} U (left & !thrown) ]) ]")
        });
        let happens = happens.map(|text| Condition::new(&text, &events, &mut atoms)).transpose()?;
        if let Some(event) = &elsewhere {
            place(&mut atoms, "fresh");
            place(&mut atoms, event);
        }
        let offence = text("offence")?;
        if let Some(event) = offence.filter(|&event| event != "call" && !events.contains_key(event)) {
            return Err(format!("there is no event `{event}` that findings could point at"));
        }
        let offence = offence.map(|event| place(&mut atoms, event));
        if atoms.len() > ATOMS {
            return Err(format!("a rule about objects has at most {ATOMS} events in its formulas"));
        }
        let within = table.get("within").map_or(Ok(Vec::new()), |list| strings(list, "within"))?;
        let asked = table.get("asked").map_or(Ok(Vec::new()), |list| strings(list, "asked"))?;
        let except = match table.get("except") {
            None => Vec::new(),
            Some(list) => strings(list, "except")?.iter().map(|text| MethodPattern::new(text)).collect(),
        };
        let unchecked = match table.get("unchecked") {
            None => false,
            Some(value) => value.as_bool().ok_or("`unchecked` is true or false")?,
        };
        Ok(Self {
            at,
            events,
            atoms,
            property,
            returned,
            unless: text("unless")?.map(str::to_owned),
            unchecked,
            except,
            asked,
            elsewhere,
            offence,
            happens,
            within,
        })
    }
}

impl Condition {
    fn new(
        text: &str,
        events: &BTreeMap<String, Vec<Happening>>,
        all: &mut Vec<String>,
    ) -> Result<Self, String> {
        let wrong = |why: String| format!("the formula `{text}` is wrong: {why}");
        let formula: Formula = parse(text).map_err(|problems| wrong(words(&problems)))?;
        let core = Core::new(&formula).map_err(|problems| wrong(words(&problems)))?;
        for atom in core.atoms() {
            if !is_built_in(atom) && !events.contains_key(atom) {
                let known = BUILT_IN.iter().map(|(known, _)| *known).chain(events.keys().map(String::as_str));
                let near = loris_base::nearest(atom, known);
                let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(wrong(format!("there is no event `{atom}`{help}")));
            }
        }
        let atoms = core.atoms().iter().map(|atom| place(all, atom)).collect();
        let is_insensitive = is_insensitive(&core);
        Ok(Self { core, atoms, is_insensitive })
    }
}

/// The place of an atom in a list, to which it is added if it is new.
fn place(all: &mut Vec<String>, atom: &str) -> u32 {
    let known = all.iter().position(|known| known == atom);
    known.unwrap_or_else(|| {
        all.push(atom.to_owned());
        all.len() - 1
    }) as u32
}

fn words(problems: &Diagnostics) -> String {
    let sorted = problems.sorted();
    sorted.first().map(|problem| problem.message.clone()).unwrap_or_default()
}

fn strings(value: &toml::Value, key: &str) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or_else(|| format!("`{key}` is a list of texts"))?;
    let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
    texts.collect::<Option<Vec<_>>>().ok_or_else(|| format!("`{key}` is a list of texts"))
}
