//! Units of the cache: the objects of a class that are judged one after the other.
//!
//! A unit is known by its sites, with the rules that are decided at each. It is judged on a program
//! that notes what is looked at, and taken from the cache only where all that was noted is as it
//! was ([`Environment`]). Sites that do not belong together are in different units with the cache
//! and without it, so that neither depends on what else is judged.

use super::decide::{Asked, Earlier, Part};
use super::environment::Environment;
use super::judge::{Judged, Rules};
use crate::cache::{Cache, Fact, Hash, Looked, Unit, hash};
use loris_base::{Exhausted, Idx};
use loris_findings::{Packer, Unpacker};
use loris_java::calls::CallGraph;
use loris_java::objects::{Place, Placed, Placing, Site, SiteKind};
use loris_java::{ClassId, Program};
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

/// What earlier runs found out about units.
pub(super) struct Kept<'a> {
    program: &'a Program,
    cache: &'a Cache,
    environment: Environment<'a>,
    /// for each fact of the cache, whether it is one still
    facts: Vec<OnceLock<Holds>>,
}

/// Whether something is as it was.
#[derive(Clone, Copy)]
enum Holds {
    No,
    Yes,
    /// It is a class.
    Class(ClassId),
}

impl<'a> Kept<'a> {
    pub(super) fn new(program: &'a Program, cache: &'a Cache, environment: Environment<'a>) -> Self {
        let facts = cache.old.facts.iter().map(|_| OnceLock::new()).collect();
        Self { program, cache, environment, facts }
    }

    /// What was found in a unit, if it is known.
    pub(super) fn find(&self, key: &Hash, sites: &[Asked], rules: &Rules<'_>) -> Option<Part> {
        let unit = self.cache.old.units.get(key)?;
        let classes = self.holds(unit)?;
        if self.environment.order(&classes) != unit.order {
            return None;
        }
        let part = unpacked(&unit.content, self.program, sites, rules)?;
        let facts = unit.facts.iter().map(|&fact| self.cache.old.facts[fact as usize].clone());
        self.cache.keep(*key, facts, unit.order, unit.content.clone());
        Some(part)
    }

    /// The classes that a unit depends on, if all its facts hold.
    fn holds(&self, unit: &Unit) -> Option<Vec<ClassId>> {
        let mut classes: Vec<ClassId> = Vec::new();
        for &fact in &unit.facts {
            match *self.facts[fact as usize].get_or_init(|| self.is_fact(fact as usize)) {
                Holds::No => return None,
                Holds::Yes => {}
                // answers come in the order of classes
                Holds::Class(class) if classes.last().is_some_and(|&last| last >= class) => return None,
                Holds::Class(class) => classes.push(class),
            }
        }
        Some(classes)
    }

    fn is_fact(&self, fact: usize) -> Holds {
        let (name, looked) = &self.cache.old.facts[fact];
        let class = self.program.names.find(name).and_then(|name| self.program.find_class(name));
        let is_same = match (class, looked) {
            (None, Looked::Absent) => true,
            (Some(class), Looked::Class(hash)) if self.environment.class(class) == *hash => {
                return Holds::Class(class);
            }
            (Some(class), Looked::Subtypes(hash)) => self.environment.subtypes(class) == *hash,
            (Some(class), Looked::Near(hash)) => self.environment.near(class) == *hash,
            _ => false,
        };
        if is_same { Holds::Yes } else { Holds::No }
    }

    /// Keeps what was found in a unit, on a program that was watched meanwhile.
    pub(super) fn keep(&self, key: Hash, watched: &Program, sites: &[Asked], part: &Part) {
        let looked = watched.looked();
        let Some(content) = packed(part, self.program, sites).filter(|_| !looked.all) else { return };
        let name = |class: ClassId| self.program.names[self.program.class(class).name].into();
        let environment = &self.environment;
        let of = |classes: &[ClassId], looked: &dyn Fn(ClassId) -> Looked| -> Vec<Fact> {
            classes.iter().map(|&class| (name(class), looked(class))).collect()
        };
        let mut facts = of(&looked.classes, &|class| Looked::Class(environment.class(class)));
        facts.extend(of(&looked.subtypes, &|class| Looked::Subtypes(environment.subtypes(class))));
        facts.extend(of(&looked.near, &|class| Looked::Near(environment.near(class))));
        let absent = looked.absent.iter().map(|&name| self.program.names[name].into());
        facts.extend(absent.map(|name| (name, Looked::Absent)));
        let order = self.environment.order(&looked.classes);
        self.cache.keep(key, facts, order, content.into());
    }
}

/// What a unit is known by: its sites, the rules that are decided at each, and those that were
/// found broken there before.
pub(super) fn key(
    (program, graph): (&Program, &CallGraph),
    sites: &[Asked],
    rules: &Rules<'_>,
    earlier: &Earlier<'_>,
) -> Hash {
    let mut digest = Sha256::new();
    digest.update([u8::from(earlier.derived)]);
    for (site, asked) in sites {
        let class = program.owner(site.method);
        let first = program.method_at(class, 0).index();
        let place = (&program.names[program.class(class).name], site.method.index() - first);
        let before = |&rule: &usize| earlier.broken.contains(&(*site, rule));
        let broken: Vec<usize> = (0..rules.all.len()).filter(before).collect();
        let kind = match site.kind {
            SiteKind::Placed(placed) => {
                let of = graph
                    .targets(site.method, site.number)
                    .iter()
                    .map(|&run| earlier.helpers.words(program, (run, placed)));
                of.collect()
            }
            kind => format!("{kind:?}"),
        };
        digest.update(format!("{place:?} {} {kind} {asked:?} {broken:?};", site.number));
    }
    hash(digest)
}

/// What was found in a unit as bytes. None if a limit kept something from being decided, but for
/// objects with too many states, of which there are as many each time.
fn packed(part: &Part, program: &Program, sites: &[Asked]) -> Option<Vec<u8>> {
    let Part {
        done: Judged { findings, broken, helpers, returning, escaped, left },
        left: undecided,
        stopped,
    } = part;
    if stopped.is_some() || !left.is_empty() || undecided.iter().any(|left| left.2 != Exhausted::States) {
        return None;
    }
    let mut packer = Packer::default();
    let place = |site: &Site| sites.iter().position(|(known, _)| known == site);
    packer.count(*escaped);
    packer.count(findings.len());
    for (site, rule, finding) in findings {
        packer.count(place(site)?);
        packer.count(*rule);
        if !packer.finding(finding) {
            return None;
        }
    }
    packer.count(broken.len());
    for (site, rule) in broken {
        packer.count(place(site)?);
        packer.count(*rule);
    }
    packer.count(returning.iter().map(Vec::len).sum());
    for (rule, methods) in returning.iter().enumerate() {
        for (method, made) in methods {
            let made_there = |(site, asked): &Asked| site.method == *method && asked.contains(&rule);
            packer.count(sites.iter().position(made_there)?);
            packer.count(rule);
            packer.text(&program.names[*made]);
        }
    }
    packer.count(helpers.iter().map(Vec::len).sum());
    for (rule, leaves) in helpers.iter().enumerate() {
        for (site, placed, placing) in leaves {
            packer.count(place(site)?);
            packer.count(rule);
            packer.flag(placed.owned);
            packer.list(&placing.places, |packer, place| pack_place(packer, program, place));
            packer.option(placing.class, |packer, class| packer.text(&program.names[class]));
        }
    }
    packer.count(undecided.len());
    for (site, rule, _) in undecided {
        packer.count(place(site)?);
        packer.count(*rule);
    }
    Some(packer.finish())
}

fn pack_place(packer: &mut Packer, program: &Program, place: &Place) {
    packer.option(place.parameter, |packer, slot| packer.count(usize::from(slot)));
    for field in place.fields {
        packer.option(field, |packer, field| packer.text(&program.names[field]));
    }
}

fn unpack_place(unpacker: &mut Unpacker<'_>, program: &Program) -> Option<Place> {
    let parameter = unpacker.option(|unpacker| u8::try_from(unpacker.small()?).ok())?;
    let mut fields = [None; 2];
    for field in &mut fields {
        *field = unpacker.option(|unpacker| program.names.find(&unpacker.text()?))?;
    }
    Some(Place { parameter, fields })
}

fn unpacked(bytes: &[u8], program: &Program, sites: &[Asked], rules: &Rules<'_>) -> Option<Part> {
    let mut unpacker = Unpacker::new(bytes);
    // a rule that was decided at a site
    let asked = |unpacker: &mut Unpacker<'_>| {
        let (site, asked) = sites.get(unpacker.small()? as usize)?;
        let rule = unpacker.small()? as usize;
        asked.contains(&rule).then_some((*site, rule))
    };
    let escaped = unpacker.small()? as usize;
    let findings = unpacker.list(|unpacker| {
        let (site, rule) = asked(unpacker)?;
        Some((site, rule, unpacker.finding()?))
    })?;
    let broken = unpacker.list(asked)?;
    let mut returning = vec![Vec::new(); rules.all.len()];
    for _ in 0..unpacker.count()? {
        let (site, rule) = asked(&mut unpacker)?;
        returning[rule].push((site.method, program.names.find(&unpacker.text()?)?));
    }
    let mut helpers = vec![Vec::new(); rules.all.len()];
    for _ in 0..unpacker.count()? {
        let (site, rule) = asked(&mut unpacker)?;
        let owned = unpacker.flag()?;
        let places = unpacker.list(|unpacker| unpack_place(unpacker, program))?;
        let class = unpacker.option(|unpacker| program.names.find(&unpacker.text()?))?;
        let placed = Placed { place: *places.first()?, owned };
        helpers[rule].push((site, placed, Placing { places, class }));
    }
    let left = unpacker.list(|unpacker| {
        let (site, rule) = asked(unpacker)?;
        Some((site, rule, Exhausted::States))
    })?;
    let done = Judged { findings, broken, helpers, returning, escaped, left: Vec::new() };
    unpacker.is_done().then_some(Part { done, left, stopped: None })
}
