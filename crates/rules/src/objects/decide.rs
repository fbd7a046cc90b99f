//! Decides rules about objects: finds the sites, explores the machine of each, and checks the
//! rules' properties on it.
//!
//! A method that returns an object it made is a site in its callers; these are found round by round
//! until there are no more.

use super::Found;
use super::program::Behaviour;
use super::reduce::{Graph, GraphCall, GraphNode, Mask, Reducer, holds, rsm};
use super::resources::Resources;
use super::sites::{Finder, object_type};
use super::story;
use super::table::{At, Condition, ESCAPED, Happening, ObjectRule};
use crate::{Context, Finding, Rule};
use loris_base::{Budget, Exhausted, Symbol};
use loris_java::calls::{CallGraph, CallOptions, Entries};
use loris_java::class::{Member, Op};
use loris_java::objects::{Event, Machine, Moment, Site, SiteKind, Tracker, ancestors, matches};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{MethodId, Program};
use loris_recursive::{Explanation, Prepared, Property, Settings};
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
        let parts: Vec<(Judged, Budget, Option<Exhausted>)> = sites
            .par_chunks(CHUNK)
            .map(|sites| {
                let (mut judge, mut part) = (new_judge(derived), budget.part());
                let stopped =
                    sites.iter().try_for_each(|(site, asked)| judge.site(site, asked, &mut part)).err();
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

/// What a judge found.
struct Judged {
    findings: Vec<Finding>,
    /// for each rule, the methods that return objects they made, with the types of these
    returning: Vec<Vec<(MethodId, Symbol)>>,
    /// resources that went where they cannot be followed
    escaped: usize,
}

struct Judge<'a, 'p> {
    context: &'a Context<'p>,
    rules: &'a [(&'a Rule, &'a ObjectRule)],
    tracker: Tracker<'a>,
    /// the same where every call may throw
    unchecked: Tracker<'a>,
    /// whether the calls of a rule's event fit a method
    fits: FxHashMap<(usize, usize, Member), Fits>,
    /// for each rule the generation of its tracker, and reduced components
    reducers: Vec<(usize, Reducer)>,
    done: Judged,
    /// whether the site at hand is a call of a method that made the object
    derived: bool,
}

/// How an event fits a method: called on the object, passed, called on the parent, at all.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent ways to take part in a call")]
struct Fits {
    on: Vec<Option<i32>>,
    pass: Vec<Option<u8>>,
    pass_child: Vec<u8>,
    parent: bool,
    inside: bool,
    child: bool,
    any: bool,
}

impl<'a> Judge<'a, '_> {
    fn site(&mut self, site: &Site, asked: &[usize], budget: &mut Budget) -> Result<(), Exhausted> {
        let (mut broken, mut counted): (Vec<&str>, bool) = (Vec::new(), false);
        // for each tracker the component of the site, once it is explored
        let mut tops: [Option<Option<usize>>; 2] = [None, None];
        let program = self.context.program;
        let class = program.class_name(program.owner(site.method));
        let enclosing = ancestors(program, program.class(program.owner(site.method)).name);
        let method = &program.names[program.method(site.method).name];
        for &number in asked {
            let (rule, object) = self.rules[number];
            let is_within = |pattern: &String| enclosing.iter().any(|class| matches(pattern, class));
            if !object.within.is_empty() && !object.within.iter().any(is_within) {
                continue;
            }
            if object.except.iter().any(|pattern| pattern.fits(std::slice::from_ref(&class), method)) {
                continue;
            }
            let top = &mut tops[usize::from(object.unchecked)];
            if top.is_none() {
                *top = Some(self.tracker(object).explore(site, budget)?);
            }
            let Some(Some(top)) = *top else { continue };
            let machine = self.reduced(number, object, top, budget)?;
            let atoms = machine.iter().fold(0, |all, graph| all | graph.atoms());
            if !counted && object.at.contains(&At::Resource) {
                counted = true;
                self.done.escaped += usize::from(atoms >> ESCAPED & 1 == 1);
            }
            if object.unless.as_deref().is_some_and(|other| broken.contains(&other)) {
                continue;
            }
            if let Some(returned) = &object.returned
                && self.check(&machine, number, object, top, returned, budget)?
            {
                let owner = program.owner(site.method);
                let body = program.body(site.method).ok().flatten();
                let made = body.and_then(|body| object_type(program, owner, &body, site));
                self.done.returning[number].extend(made.map(|made| (site.method, made)));
            }
            if self.check(&machine, number, object, top, &object.property, budget)?
                || self.happens_elsewhere(site, number, object, atoms)
            {
                continue;
            }
            broken.push(&rule.id);
            let finding = self.finding(site, number, object, top, budget)?;
            self.done.findings.push(finding);
        }
        Ok(())
    }

    fn tracker(&mut self, object: &ObjectRule) -> &mut Tracker<'a> {
        if object.unchecked { &mut self.unchecked } else { &mut self.tracker }
    }

    /// The machine of a site with the atoms of a rule, reduced.
    fn reduced(
        &mut self,
        rule: usize,
        object: &ObjectRule,
        top: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Graph>, Exhausted> {
        let (generation, mut reducer) = std::mem::take(&mut self.reducers[rule]);
        let current = self.tracker(object).generation();
        if generation != current {
            reducer = Reducer::default();
        }
        let mut component = |number: usize| self.labelled(rule, object, number);
        let machine = reducer.machine(top, &mut component, budget);
        self.reducers[rule] = (current, reducer);
        machine
    }

    /// A component with the atoms of a rule.
    fn labelled(&mut self, rule: usize, object: &ObjectRule, component: usize) -> Graph {
        let tracker = if object.unchecked { &self.unchecked } else { &self.tracker };
        let view = tracker.view(component);
        let mut graph = Graph { nodes: Vec::with_capacity(view.len()) };
        let mut moments = Vec::new();
        for place in 0..view.len() {
            let calls = view.calls(place);
            graph.nodes.push(GraphNode {
                mask: 0,
                next: view.next(place).to_vec(),
                calls: calls
                    .map(|(callee, returns)| GraphCall { callee, returns: returns.to_vec() })
                    .collect(),
                exit: view.is_exit(place),
            });
            if view.is_eventful(place) {
                moments.push((place, view.moment(place)));
            }
        }
        for (place, moment) in moments {
            graph.nodes[place].mask = self.mask(&moment, rule, object);
        }
        graph
    }

    /// The atoms of a rule that are true at a node.
    fn mask(&mut self, moment: &Moment, rule: usize, object: &ObjectRule) -> Mask {
        let mut mask = Mask::from(moment.events.contains(&Event::Escaped)) << ESCAPED;
        for (bit, atom) in object.atoms.iter().enumerate() {
            mask |= Mask::from(self.is(moment, rule, object, atom)) << bit;
        }
        mask
    }

    /// Whether a formula holds of the machine of a site.
    fn check(
        &mut self,
        reduced: &[Graph],
        rule: usize,
        object: &ObjectRule,
        top: usize,
        question: &Condition,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let whole;
        let machine = if question.is_insensitive {
            reduced
        } else {
            let machine = self.tracker(object).machine(top);
            whole = self.graphs(&machine, rule, object);
            &whole
        };
        holds(machine, &question.core, &question.atoms, &object.atoms, budget)
    }

    /// A machine as it was explored, with the atoms of a rule.
    fn graphs(&mut self, machine: &Machine, rule: usize, object: &ObjectRule) -> Vec<Graph> {
        let components = machine.components.iter();
        let graphs = components.map(|component| {
            let nodes = component.nodes.iter().map(|node| GraphNode {
                mask: self.mask(&node.moment, rule, object),
                next: node.next.clone(),
                calls: node
                    .calls
                    .iter()
                    .map(|call| GraphCall { callee: call.callee, returns: call.returns.clone() })
                    .collect(),
                exit: node.exit,
            });
            Graph { nodes: nodes.collect() }
        });
        graphs.collect()
    }

    /// The finding of a broken rule, with its story.
    fn finding(
        &mut self,
        site: &Site,
        number: usize,
        object: &ObjectRule,
        top: usize,
        budget: &mut Budget,
    ) -> Result<Finding, Exhausted> {
        let machine = self.tracker(object).machine(top);
        let graphs = self.graphs(&machine, number, object);
        let rsm = rsm(&graphs, &object.atoms);
        let atoms =
            object.property.atoms.iter().map(|&atom| rsm.label(&object.atoms[atom as usize])).collect();
        let core = object.property.core.clone().into();
        let property = Property { formula: &core, atoms };
        let explained = Prepared::new(&rsm).explain(&property, false, &Settings::default(), budget)?;
        let shown = match explained {
            Explanation::Evidence(evidence) => Some(story::Shown { evidence, rsm: rsm.clone() }),
            _ => None,
        };
        Ok(story::finding(self.context, self.rules[number].0, site, &machine, shown.as_ref()))
    }

    /// Whether an event that never happens to the object is another method's task: one of the same
    /// class makes it happen, and has no site of its own.
    fn happens_elsewhere(&mut self, site: &Site, rule: usize, object: &ObjectRule, atoms: Mask) -> bool {
        let Some(event) = &object.elsewhere else { return false };
        // an object that the method made is its own task
        let own = object.atoms.iter().enumerate().filter(|(_, atom)| *atom == "fresh" || *atom == event);
        if own.into_iter().any(|(bit, _)| atoms >> bit & 1 == 1) {
            return false;
        }
        let program = self.context.program;
        let class = program.owner(site.method);
        program.methods_of(class).filter(|&method| method != site.method).any(|method| {
            let Ok(Some(body)) = program.body(method) else { return false };
            let (mut happens, mut is_site) = (false, false);
            for instruction in &body.instructions {
                let Op::Invoke(_, constant) = instruction.op else { continue };
                let Some(member) = program.class(class).pool.member(constant) else { continue };
                happens |= !self.fits(rule, object, event, member).on.is_empty();
                let (classes, name) = (ancestors(program, member.owner), &program.names[member.name]);
                is_site |= object.at.iter().any(|place| match place {
                    At::On(pattern) | At::OnTrue(pattern) => pattern.fits(&classes, name),
                    _ => false,
                });
            }
            happens && !is_site
        })
    }

    /// Whether an atom of a rule is true at a node.
    fn is(&mut self, node: &Moment, rule: usize, object: &ObjectRule, atom: &str) -> bool {
        let built_in = match atom {
            "opened" => Some(Event::Opened),
            "fresh" => Some(Event::Fresh),
            "received" if self.derived => Some(Event::Opened),
            "received" => return false,
            "thrown" => Some(Event::Thrown),
            "left" => Some(Event::Left),
            // under `strict`, an object that cannot be followed is as good as lost
            "lost" if self.context.options.strict && node.events.contains(&Event::Escaped) => return true,
            "escaped" if self.context.options.strict => return false,
            "lost" => Some(Event::Lost),
            "returned" => Some(Event::Returned),
            "owned" => Some(Event::Owned),
            "escaped" => Some(Event::Escaped),
            "call" => Some(Event::Call),
            _ => None,
        };
        if let Some(event) = built_in {
            return node.events.contains(&event);
        }
        let Some(member) = node.member else { return false };
        if node.events.is_empty() {
            return false;
        }
        let fits = self.fits(rule, object, atom, member);
        node.events.iter().any(|event| match event {
            Event::Called => fits.on.iter().any(|value| value.is_none() || *value == node.constant),
            Event::Passed(slot) => fits.pass.iter().any(|at| at.is_none() || *at == Some(*slot)),
            Event::CalledInside => fits.inside,
            Event::ChildCalled => fits.child,
            Event::ChildPassed(slot) => fits.pass_child.contains(slot),
            Event::ParentCalled => fits.parent,
            Event::Call => fits.any,
            _ => false,
        })
    }

    /// How the calls of an event fit a method.
    fn fits(&mut self, rule: usize, object: &ObjectRule, atom: &str, member: Member) -> &Fits {
        let place = object.events.keys().position(|name| name == atom).unwrap_or(0);
        let program = self.context.program;
        self.fits.entry((rule, place, member)).or_insert_with(|| {
            let calls = &object.events[atom];
            let (classes, method) = (ancestors(program, member.owner), &program.names[member.name]);
            let mut fits = Fits::default();
            for call in calls {
                match call {
                    Happening::On(pattern, value) if pattern.fits(&classes, method) => fits.on.push(*value),
                    Happening::Pass(pattern, slot) if pattern.fits(&classes, method) => fits.pass.push(*slot),
                    Happening::Plain(pattern) => {
                        let plain = program.names[member.descriptor].starts_with("()");
                        if plain && pattern.fits(&classes, method) {
                            fits.on.push(None);
                        }
                    }
                    Happening::PassChild(pattern, slot) if pattern.fits(&classes, method) => {
                        fits.pass_child.push(*slot);
                    }
                    Happening::Child(pattern) => fits.child |= pattern.fits(&classes, method),
                    Happening::Inside(pattern) => fits.inside |= pattern.fits(&classes, method),
                    Happening::Parent(pattern) => fits.parent |= pattern.fits(&classes, method),
                    Happening::Any(pattern) => fits.any |= pattern.fits(&classes, method),
                    _ => {}
                }
            }
            fits
        })
    }
}
