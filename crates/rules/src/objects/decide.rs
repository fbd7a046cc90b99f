//! Decides rules about objects: finds the sites, explores the machine of each, and checks the
//! rules' properties on it.
//!
//! A method that returns an object it made is a site in its callers; these are found round by round
//! until there are no more.

use super::atoms::Labels;
use super::causes::one_per_cause;
use super::contracts;
use super::environment::Environment;
use super::found::Found;
use super::judge::{Judge, Judged, Rules};
use super::kept::{Kept, key};
use super::placed::Helpers;
use super::program::Behaviour;
use super::resources::Resources;
use super::sites::{Finder, TARGETS, object_type};
use super::table::Named;
use crate::context::ProgramContext;
use loris_base::{Budget, Exhausted, Symbol};
use loris_findings::Finding;
use loris_java::calls::{CallGraph, CallOptions, Entries};
use loris_java::class::{Body, Invoke, Op};
use loris_java::objects::{Model, Site, SiteKind, Tracker};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{ClassId, MethodId, Program};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The most sites that are judged by one thread, one after the other.
const CHUNK: usize = 64;

/// Bytes of a site or a call that may be one.
const SITE: usize = 120;

/// Decides rules about objects, all together.
pub(super) fn run(
    context: &ProgramContext<'_>,
    (rules, known): (&[Named<'_>], &[Named<'_>]),
    found: &mut Found,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    if rules.is_empty() {
        return Ok(());
    }
    let program = context.program;
    let mut resources = Resources::shipped();
    for (_, text) in &context.options.models {
        // files are read where they are named; a wrong one is refused there
        let _ = resources.add(text);
    }
    let rules = &with_others(rules, known);
    let entries = match context.entries() {
        Some(entries) => Entries::Methods(entries),
        None => Entries::All,
    };
    let graph = CallGraph::new(program, &CallOptions { entries, ..CallOptions::default() }, budget)?;
    let runtime = context.options.runtime_exceptions;
    let throws = Throws::new(program, &graph, &ThrowOptions { runtime }, budget)?;
    let declared = Behaviour::new(program, &graph, &throws, &resources, false);
    let unchecked = Behaviour::new(program, &graph, &throws, &resources, true);
    let First { sites, calls, changing } = first_sites(context, rules, &resources, &graph, budget)?;
    let behaviours = [&declared, &unchecked];
    let kept = context.cache.map(|cache| {
        let environment = Environment::new(program, &graph, behaviours, &changing, runtime);
        Kept::new(program, cache, environment)
    });
    let (model, kept) = (&resources.model, kept.as_ref());
    let (changing, constant) = (&changing, &FxHashSet::default());
    let graph = &graph;
    let programs = Programs { context, rules, graph, model, changing, constant, behaviours, kept };
    let mut rounds = Rounds::default();
    programs.rounds(sites, &calls, (&mut rounds, found), budget);
    rounds.number();
    let Rounds { mut findings, broken, .. } = rounds;
    // a rule that others wait for may turn out to be broken in a later round
    let is_broken = |site: &Site, rule: usize| broken.contains(&(*site, rule));
    findings.retain(|(site, rule, _)| !rules.unless[*rule].is_some_and(|other| is_broken(site, other)));
    found.findings.extend(one_per_cause(program, findings));
    Ok(())
}

/// Rules together with those that they name under `unless`, in turn: whether one of these is broken
/// matters wherever it is not asked for, too.
fn with_others<'a>(asked: &[Named<'a>], others: &[Named<'a>]) -> Rules<'a> {
    let mut all = asked.to_vec();
    let mut unless: Vec<Option<usize>> = Vec::new();
    while let Some((_, object)) = all.get(unless.len()) {
        let named = object.unless.as_deref().and_then(|id| {
            all.iter().position(|(rule, _)| rule.id == id).or_else(|| {
                all.push(*others.iter().find(|(rule, _)| rule.id == id)?);
                Some(all.len() - 1)
            })
        });
        unless.push(named);
    }
    let rank = |rule: usize| {
        let next = |&rule: &usize| unless[rule];
        // rules that wait for each other are taken as they come
        std::iter::successors(Some(rule), next).take(all.len() + 1).count()
    };
    let rank = (0..all.len()).map(rank).collect();
    Rules { all, asked: asked.len(), unless, rank }
}

/// What objects are followed through.
struct Programs<'a, 'p> {
    context: &'a ProgramContext<'p>,
    rules: &'a Rules<'a>,
    graph: &'a CallGraph,
    model: &'a Model,
    /// names of fields that methods other than constructors and setters assign
    changing: &'a FxHashSet<Symbol>,
    /// none
    constant: &'a FxHashSet<Symbol>,
    behaviours: [&'a Behaviour<'a>; 2],
    /// what earlier runs found
    kept: Option<&'a Kept<'a>>,
}

impl Programs<'_, '_> {
    fn judge<'j>(&'j self, context: &'j ProgramContext<'j>, earlier: Earlier<'j>) -> Judge<'j, 'j> {
        let (program, [declared, unchecked]) = (context.program, self.behaviours);
        let (count, placings) = (self.rules.all.len(), &earlier.helpers.placings);
        Judge {
            context,
            rules: self.rules,
            model: self.model,
            tracker: Tracker::new(program, declared, declared, self.model, self.changing, placings),
            // rules about locks take fields that are tested twice to be the same, as others do who
            // read them
            unchecked: Tracker::new(program, unchecked, unchecked, self.model, self.constant, placings),
            labels: Labels::new(context, earlier.derived),
            reducers: (0..count).map(|_| Default::default()).collect(),
            done: Judged {
                returning: vec![Vec::new(); count],
                helpers: vec![Vec::new(); count],
                ..Judged::default()
            },
            broken: earlier.broken,
        }
    }

    /// Judges sites, then those that turn out to be some, until there are no more.
    fn rounds(
        &self,
        mut sites: Vec<Asked>,
        calls: &[Called],
        (rounds, found): (&mut Rounds, &mut Found),
        budget: &mut Budget,
    ) {
        let (context, count) = (self.context, self.rules.all.len());
        let Rounds { findings, broken, judged } = rounds;
        let mut returning = vec![Returning::default(); count];
        let (mut derived, mut undecided) = (false, Vec::new());
        let mut helpers = Helpers::default();
        while !sites.is_empty() {
            for (site, asked) in &mut sites {
                asked.retain(|&rule| judged.insert((*site, rule)));
            }
            context.expect("objects", sites.len());
            let parts = self.round(&sites, Earlier { broken, derived, helpers: &helpers }, budget);
            let (mut stopped, mut is_new) = (None, false);
            for Part { done, left, stopped: end } in parts {
                stopped = stopped.or(end);
                let bytes: usize = done.findings.iter().map(|(.., finding)| finding.bytes()).sum();
                // where they leave too little, that is seen at the next site
                let _ = budget.charge(bytes);
                findings.extend(done.findings);
                broken.extend(done.broken);
                found.escaped += done.escaped;
                for (rule, found) in done.helpers.into_iter().enumerate() {
                    is_new |= helpers.add(rule, found);
                }
                let asked = left.into_iter().filter(|(_, rule, _)| *rule < self.rules.asked);
                undecided.extend(asked);
                for (all, new) in returning.iter_mut().zip(done.returning) {
                    for (method, made) in new {
                        all.entry(method).or_default().insert(made);
                    }
                }
            }
            if let Some(stopped) = stopped {
                found.callers_left = Some(stopped);
                break;
            }
            derived = true;
            sites.clear();
            // callers of methods that turned out to return their objects
            for call in calls {
                if let Err(why) = budget.spend(1) {
                    found.callers_left = Some(why);
                    sites.clear();
                    break;
                }
                let comes_from = |rule: usize| {
                    let types =
                        call.targets.iter().filter_map(|target| returning[rule].get(target)).flatten();
                    types.into_iter().any(|&made| may_be(context.program, made, call.result))
                };
                let asked: Vec<usize> = (0..count).filter(|&rule| comes_from(rule)).collect();
                if asked.iter().any(|&rule| !judged.contains(&(call.site, rule))) {
                    sites.push((call.site, asked));
                }
            }
            if is_new && found.callers_left.is_none() {
                match helpers.sites(context, self.graph, budget) {
                    Ok(placed) => sites.extend(placed),
                    Err(why) => {
                        found.callers_left = Some(why);
                        sites.clear();
                    }
                }
            }
        }
        found.left.extend(undecided.iter().map(|&(site, rule, why)| (rule, site.method, why)));
        if found.callers_left.is_none() {
            self.leave_callers(&undecided, calls, found);
        }
    }

    /// A method whose objects are not decided may return them, so that the rule is not decided in
    /// its callers, either, nor in theirs.
    fn leave_callers(&self, undecided: &[(Site, usize, Exhausted)], calls: &[Called], found: &mut Found) {
        let program = self.context.program;
        let mut callers: FxHashMap<MethodId, Vec<&Called>> = FxHashMap::default();
        let is_followed = |rule: usize| self.rules.all[rule].1.follows_callers();
        if undecided.iter().any(|&(_, rule, _)| is_followed(rule)) {
            for call in calls {
                call.targets.iter().for_each(|&target| callers.entry(target).or_default().push(call));
            }
        }
        let (mut work, mut seen) = (Vec::new(), FxHashSet::default());
        for &(site, rule, why) in undecided.iter().filter(|(_, rule, _)| is_followed(*rule)) {
            let body = program.body(site.method).ok().flatten();
            let made = body.and_then(|body| object_type(program, program.owner(site.method), &body, &site));
            work.extend(made.map(|made| (rule, site.method, made, why)));
        }
        while let Some((rule, method, made, why)) = work.pop() {
            for call in callers.get(&method).into_iter().flatten() {
                let caller = call.site.method;
                if may_be(program, made, call.result) && seen.insert((rule, caller, made)) {
                    found.left.push((rule, caller, why));
                    work.push((rule, caller, made, why));
                }
            }
        }
    }

    /// Judges the sites of a unit, unless it is known what comes of that.
    fn unit(&self, sites: &[Asked], earlier: Earlier<'_>, mut budget: Budget) -> (Part, Budget) {
        let Some(kept) = self.kept else {
            let part = self.judged(self.context, sites, earlier, &mut budget);
            return (part, budget);
        };
        let program = self.context.program;
        let key = key((program, self.graph), sites, self.rules, &earlier);
        // a limit that is reached is seen where all are
        if budget.look().is_ok()
            && let Some(part) = kept.find(&key, sites, self.rules)
        {
            return (part, budget);
        }
        let watched = program.watched();
        let context = ProgramContext { program: &watched, ..*self.context };
        let part = self.judged(&context, sites, earlier, &mut budget);
        kept.keep(key, &watched, sites, &part);
        (part, budget)
    }

    /// Judges the sites of a unit, one after the other.
    fn judged(
        &self,
        context: &ProgramContext<'_>,
        sites: &[Asked],
        earlier: Earlier<'_>,
        budget: &mut Budget,
    ) -> Part {
        let mut judge = self.judge(context, earlier);
        let (mut left, mut stopped) = (Vec::new(), None);
        for (site, asked) in sites {
            if stopped.is_none() {
                stopped = budget.look().and_then(|()| judge.site(site, asked, budget)).err();
            }
            if let Some(why) = stopped {
                left.extend(asked.iter().map(|&rule| (*site, rule, why)));
            }
        }
        left.append(&mut judge.done.left);
        Part { done: judge.done, left, stopped }
    }

    /// Judges sites, several at a time. What memory was too short for while threads shared it is
    /// judged once more, one after the other, so that the answer does not depend on their number.
    fn round(&self, sites: &[Asked], earlier: Earlier<'_>, budget: &mut Budget) -> Vec<Part> {
        let share = share(budget, rayon::current_num_threads());
        let judged: Vec<(Part, Budget)> = units(self.context.program, sites)
            .into_par_iter()
            .map(|sites| {
                let part = self.unit(sites, earlier, share.clone());
                self.context.advance(sites.len());
                part
            })
            .collect();
        let mut parts: Vec<Part> = Vec::with_capacity(judged.len());
        for (mut part, spent) in judged {
            part.stopped = part.stopped.or(budget.join(&spent).err());
            parts.push(part);
        }
        let mut again: Vec<Asked> = Vec::new();
        for part in &mut parts {
            let is_short = |&mut (_, _, why): &mut (Site, usize, Exhausted)| why == Exhausted::Memory;
            for (site, rule, _) in part.left.extract_if(.., is_short) {
                match again.last_mut().filter(|(last, _)| *last == site) {
                    Some((_, asked)) => asked.push(rule),
                    None => again.push((site, vec![rule])),
                }
            }
            part.stopped = part.stopped.filter(|&why| why != Exhausted::Memory);
        }
        let known: FxHashSet<(Site, usize)> =
            earlier.broken.iter().chain(parts.iter().flat_map(|part| &part.done.broken)).copied().collect();
        for (site, asked) in &again {
            let (mut judge, mut part) =
                (self.judge(self.context, Earlier { broken: &known, ..earlier }), budget.part());
            let judged = part.look().and_then(|()| judge.site(site, asked, &mut part));
            let joined = budget.join(&part);
            let stopped = judged.and(joined).err().filter(|&why| why != Exhausted::Memory);
            let mut left: Vec<(Site, usize, Exhausted)> = Vec::new();
            if let Some(why) = judged.err() {
                left.extend(asked.iter().map(|&rule| (*site, rule, why)));
            }
            left.append(&mut judge.done.left);
            parts.push(Part { done: judge.done, left, stopped });
        }
        parts
    }
}

/// What earlier rounds found out that later ones look at.
#[derive(Clone, Copy)]
pub(super) struct Earlier<'a> {
    /// sites where rules are broken
    pub(super) broken: &'a FxHashSet<(Site, usize)>,
    /// whether sites are calls of methods that made the object
    pub(super) derived: bool,
    /// methods that leave objects to their callers
    pub(super) helpers: &'a Helpers,
}

/// What came of all sites.
#[derive(Default)]
struct Rounds {
    findings: Vec<(Site, usize, Finding)>,
    /// sites where rules are broken
    broken: FxHashSet<(Site, usize)>,
    /// sites where rules were looked at
    judged: FxHashSet<(Site, usize)>,
}

impl Rounds {
    /// Numbers findings by the place of their site among all that their rule has in the method, so
    /// that the number does not depend on what else is found there.
    fn number(&mut self) {
        let wanted: FxHashSet<(usize, MethodId)> =
            self.findings.iter().map(|(site, rule, _)| (*rule, site.method)).collect();
        let mut sites: BTreeMap<(usize, MethodId), Vec<(usize, SiteKind)>> = BTreeMap::new();
        for (site, rule) in self.judged.iter().filter(|(site, rule)| wanted.contains(&(*rule, site.method))) {
            sites.entry((*rule, site.method)).or_default().push((site.number, site.kind));
        }
        for sites in sites.values_mut() {
            sites.sort_unstable();
        }
        for (site, rule, finding) in &mut self.findings {
            let place = sites[&(*rule, site.method)].binary_search(&(site.number, site.kind));
            let ordinal = place.map_or(0, |place| place as u32);
            finding.declaration.iter_mut().for_each(|it| it.ordinal = ordinal);
        }
    }
}

/// What came of some sites.
pub(super) struct Part {
    pub(super) done: Judged,
    /// Rules that are not decided at a site, and why.
    pub(super) left: Vec<(Site, usize, Exhausted)>,
    /// The limit that ended the work on them.
    pub(super) stopped: Option<Exhausted>,
}

/// Sites, in their order, as lists of those that are judged by one thread, one after the other:
/// those of a class and of the classes in it share what is called.
fn units<'s>(program: &Program, sites: &'s [Asked]) -> Vec<&'s [Asked]> {
    let outer = |(site, _): &Asked| {
        let name = &program.names[program.class(program.owner(site.method)).name];
        let start = name.rfind('/').map_or(0, |slash| slash + 2).min(name.len());
        name.get(start..).and_then(|rest| rest.find('$')).map_or(name, |end| &name[..start + end])
    };
    sites.chunk_by(|one, other| outer(one) == outer(other)).flat_map(|unit| unit.chunks(CHUNK)).collect()
}

/// What each of some threads may use of what a budget has left.
fn share(budget: &Budget, threads: usize) -> Budget {
    let halvings = threads.next_power_of_two().trailing_zeros();
    (0..halvings).fold(budget.part(), |share, _| share.half())
}

/// A call that returns a reference.
struct Called {
    site: Site,
    targets: Vec<MethodId>,
    /// the type of what it returns, as it is used
    result: Symbol,
}

/// Methods that return objects they made, with the types of these.
type Returning = FxHashMap<MethodId, FxHashSet<Symbol>>;

/// Whether an object that was made as one type may be what a call returns as another. Where that is
/// any object, as in code with type parameters, calls of other objects are too many.
fn may_be(program: &Program, made: Symbol, used: Symbol) -> bool {
    &program.names[used] != "java/lang/Object"
        && (program.is_subtype(made, used) || program.is_subtype(used, made))
}

/// A site with the numbers of the rules about it.
pub(super) type Asked = (Site, Vec<usize>);

/// What one pass over the code of a program collects.
struct First {
    /// sites that rules name
    sites: Vec<Asked>,
    /// calls of methods with code that return references
    calls: Vec<Called>,
    /// names of fields that methods other than constructors and setters assign
    changing: FxHashSet<Symbol>,
}

/// Sites that rules name, and what else is known from looking at each method once.
fn first_sites(
    context: &ProgramContext<'_>,
    rules: &Rules<'_>,
    resources: &Resources,
    graph: &CallGraph,
    budget: &mut Budget,
) -> Result<First, Exhausted> {
    let program = context.program;
    let mut finder = Finder::new(program, resources);
    let (mut sites, mut calls, mut changing) = (Vec::new(), Vec::new(), FxHashSet::default());
    // rules with the same places share their sites
    let mut lists: Vec<(&[super::table::At], Vec<usize>)> = Vec::new();
    for (number, (_, rule)) in rules.all.iter().enumerate() {
        match lists.iter_mut().find(|(at, _)| *at == rule.at) {
            Some((_, same)) => same.push(number),
            None => lists.push((&rule.at, vec![number])),
        }
    }
    let follows = rules.all.iter().any(|(_, rule)| rule.returned.is_some());
    for class in context.reported() {
        for method in program.methods_of(class) {
            if !graph.is_reachable(method) {
                continue;
            }
            let Ok(Some(body)) = program.body(method) else { continue };
            budget.spend(body.instructions.len())?;
            let name = &program.names[program.method(method).name];
            if !name.starts_with('<') && !name.starts_with("set") {
                changing.extend(assigned(program, class, &body));
            }
            // in an order that depends on the program alone
            let mut here: BTreeMap<(usize, SiteKind), Vec<usize>> = BTreeMap::new();
            for (key, (at, asked)) in lists.iter().enumerate() {
                for site in finder.sites(key, at, method, &body) {
                    here.entry((site.number, site.kind)).or_default().extend(asked);
                }
            }
            budget.charge(here.values().map(|asked| SITE + 8 * asked.len()).sum())?;
            sites.extend(
                here.into_iter().map(|((number, kind), asked)| (Site { method, number, kind }, asked)),
            );
            if follows {
                for (number, instruction) in body.instructions.iter().enumerate() {
                    if body.depth(number).is_none() {
                        continue;
                    }
                    let Op::Invoke(_, constant) = instruction.op else { continue };
                    let targets = graph.targets(method, number);
                    let copies = |&target: &MethodId| &program.names[program.method(target).name] == "clone";
                    if targets.len() > TARGETS
                        || targets.iter().all(copies)
                        || !targets.iter().any(|&target| program.method(target).code.is_some())
                    {
                        continue;
                    }
                    let member = program.class(class).pool.member(constant);
                    if member.is_some_and(|member| contracts::result(&finder, &member) == Some(false)) {
                        continue;
                    }
                    let dies_with = member.is_some_and(|member| finder.is_dependent(&member));
                    let on_object = !matches!(instruction.op, Op::Invoke(Invoke::Static, _));
                    let kind = if dies_with && on_object { SiteKind::Child } else { SiteKind::Result };
                    let site = Site { method, number, kind };
                    if let Some(result) = object_type(program, class, &body, &site) {
                        budget.charge(SITE + size_of_val(targets))?;
                        calls.push(Called { site, targets: targets.to_vec(), result });
                    }
                }
            }
        }
    }
    Ok(First { sites, calls, changing })
}

/// The names of fields that a method assigns.
fn assigned(program: &Program, class: ClassId, body: &Body<'_>) -> impl Iterator<Item = Symbol> {
    let pool = &program.class(class).pool;
    body.instructions.iter().filter_map(move |instruction| match instruction.op {
        Op::PutField(field) | Op::PutStatic(field) => Some(pool.member(field)?.name),
        _ => None,
    })
}
