//! Decides rules about objects: finds the sites, explores the machine of each, and checks the
//! rules' properties on it.
//!
//! A method that returns an object it made is a site in its callers; these are found round by round
//! until there are no more.

use super::Found;
use super::judge::{Judge, Judged};
use super::program::Behaviour;
use super::resources::Resources;
use super::sites::{Finder, object_type};
use super::table::ObjectRule;
use crate::{Context, Rule};
use loris_base::{Budget, Exhausted, Symbol};
use loris_java::calls::{CallGraph, CallOptions, Entries};
use loris_java::class::Op;
use loris_java::objects::{Site, SiteKind, Tracker};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{MethodId, Program};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many sites are judged by one thread, one after the other: those of a method are next to each
/// other and share what is called. The number does not depend on how many threads there are, for
/// bounds on what is followed count for all of them together.
const CHUNK: usize = 64;

/// Calls of more methods than this are not followed for the objects that they return.
const TARGETS: usize = 8;

/// Decides rules about objects, all together.
pub(super) fn run(
    context: &Context<'_>,
    rules: &[(&Rule, &ObjectRule)],
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
    let entries = match context.entries() {
        Some(entries) => Entries::Methods(entries),
        None => Entries::All,
    };
    let graph = CallGraph::new(program, &CallOptions { entries, ..CallOptions::default() }, budget)?;
    let runtime = context.options.runtime_exceptions;
    let throws = Throws::new(program, &graph, &ThrowOptions { runtime }, budget)?;
    let declared = Behaviour::new(program, &graph, &throws, &resources.improbable, false);
    let unchecked = Behaviour::new(program, &graph, &throws, &resources.improbable, true);
    let new_judge = |derived: bool| Judge {
        context,
        rules,
        tracker: Tracker::new(program, &declared, &declared, &resources.model),
        unchecked: Tracker::new(program, &unchecked, &unchecked, &resources.model),
        fits: FxHashMap::default(),
        reducers: rules.iter().map(|_| Default::default()).collect(),
        done: Judged { findings: Vec::new(), returning: vec![Vec::new(); rules.len()], escaped: 0 },
        derived,
    };
    let (mut sites, calls) = first_sites(context, rules, &resources, &graph, budget)?;
    let mut judged = FxHashSet::default();
    let mut returning = vec![Returning::default(); rules.len()];
    let mut derived = false;
    while !sites.is_empty() {
        for (site, asked) in &mut sites {
            asked.retain(|&rule| judged.insert((*site, rule)));
        }
        context.expect("objects", sites.len());
        let parts: Vec<(Judged, Budget, Option<Exhausted>)> = sites
            .par_chunks(CHUNK)
            .map(|sites| {
                let (mut judge, mut part) = (new_judge(derived), budget.part());
                let stopped =
                    sites.iter().try_for_each(|(site, asked)| judge.site(site, asked, &mut part)).err();
                context.advance(sites.len());
                (judge.done, part, stopped)
            })
            .collect();
        let mut stopped = None;
        for (done, part, end) in parts {
            stopped = stopped.or(end).or(budget.join(&part).err());
            found.findings.extend(done.findings);
            found.escaped += done.escaped;
            for (all, new) in returning.iter_mut().zip(done.returning) {
                for (method, made) in new {
                    all.entry(method).or_default().insert(made);
                }
            }
        }
        // finally blocks are copied by compilers: what they do is found once for each copy
        let mut met = FxHashSet::default();
        found.findings.retain(|it| {
            met.insert((
                it.rule.clone(),
                it.class.clone(),
                it.method.clone(),
                it.descriptor.clone(),
                it.line,
                it.message.clone(),
            ))
        });
        if let Some(stopped) = stopped {
            return Err(stopped);
        }
        derived = true;
        sites.clear();
        // callers of methods that turned out to return their objects
        for call in &calls {
            let comes_from = |rule: usize| {
                let types = call.targets.iter().filter_map(|target| returning[rule].get(target)).flatten();
                types.into_iter().any(|&made| may_be(program, made, call.result))
            };
            let asked: Vec<usize> = (0..rules.len()).filter(|&rule| comes_from(rule)).collect();
            if asked.iter().any(|&rule| !judged.contains(&(call.site, rule))) {
                sites.push((call.site, asked));
            }
        }
    }
    Ok(())
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
type Asked = (Site, Vec<usize>);

/// Sites that rules name, with the rules of each, and all calls of methods with code that return
/// references.
fn first_sites(
    context: &Context<'_>,
    rules: &[(&Rule, &ObjectRule)],
    resources: &Resources,
    graph: &CallGraph,
    budget: &mut Budget,
) -> Result<(Vec<Asked>, Vec<Called>), Exhausted> {
    let program = context.program;
    let mut finder = Finder::new(program, resources);
    let (mut sites, mut calls) = (Vec::new(), Vec::new());
    // rules with the same places share their sites
    let mut lists: Vec<(&[super::table::At], Vec<usize>)> = Vec::new();
    for (number, (_, rule)) in rules.iter().enumerate() {
        match lists.iter_mut().find(|(at, _)| *at == rule.at) {
            Some((_, same)) => same.push(number),
            None => lists.push((&rule.at, vec![number])),
        }
    }
    let follows = rules.iter().any(|(_, rule)| rule.returned.is_some());
    for class in context.reported() {
        for method in program.methods_of(class) {
            if !graph.is_reachable(method) {
                continue;
            }
            let Ok(Some(body)) = program.body(method) else { continue };
            budget.spend(body.instructions.len())?;
            for (key, (at, asked)) in lists.iter().enumerate() {
                let found = finder.sites(key, at, method, &body);
                sites.extend(found.into_iter().map(|site| (site, asked.clone())));
            }
            if follows {
                for (number, instruction) in body.instructions.iter().enumerate() {
                    if body.depth(number).is_none() {
                        continue;
                    }
                    let Op::Invoke(..) = instruction.op else { continue };
                    let targets = graph.targets(method, number);
                    if targets.len() > TARGETS
                        || !targets.iter().any(|&target| program.method(target).code.is_some())
                    {
                        continue;
                    }
                    let site = Site { method, number, kind: SiteKind::Result };
                    if let Some(result) = object_type(program, class, &body, &site) {
                        calls.push(Called { site, targets: targets.to_vec(), result });
                    }
                }
            }
        }
    }
    Ok((sites, calls))
}
