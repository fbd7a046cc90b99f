//! How certain a finding about an object is: what its counterexample takes for granted.
//!
//! Each doubt bounds the confidence by itself. A finding without doubts is as certain as its rule.
//! Linear in the counterexample, but for the look at all nodes for events that happen elsewhere.

use super::causes::parent;
use super::contracts::is_promised;
use super::reduce::{Graph, Mask};
use super::sites::{Finder, object_type, returns_closeable};
use super::story::{Shown, at, place};
use super::table::{ObjectRule, is_built_in};
use super::thrown::{Fails, doubt_of_exception};
use crate::context::ProgramContext;
use crate::flow::Value;
use crate::path::states;
use loris_base::{Symbol, Truth};
use loris_findings::{Confidence, Finding};
use loris_java::class::{Body, Member, Op};
use loris_java::objects::{Event, Model, Node, ObjectMachine, Placing, Site, SiteKind, ancestors, matches};
use loris_java::program::dotted;
use loris_java::{ClassId, ClassOrigin, MethodId, Program};
use loris_rsm::{Rsm, Vertex};
use rustc_hash::FxHashSet;

/// A finding's machine, with the atoms of its rule at each node.
pub(super) struct Seen<'a> {
    pub(super) object: &'a ObjectRule,
    pub(super) site: &'a Site,
    pub(super) machine: &'a ObjectMachine,
    pub(super) graphs: &'a [Graph],
    pub(super) shown: Option<&'a Shown>,
    /// what is known of an object that a called method has placed
    pub(super) placed: Option<&'a Placing>,
    /// whether the call at an instruction of a method is likely to fail
    pub(super) fails: &'a Fails<'a>,
}

/// What a counterexample passes once the object is there.
struct Way<'a> {
    nodes: Vec<(MethodId, &'a Node)>,
    /// the atoms of the rule that it meets
    met: Mask,
    /// whether it takes one of several branches
    branches: bool,
}

/// Bounds the confidence of a finding.
pub(super) fn doubted(
    context: &ProgramContext<'_>,
    model: &Model,
    seen: &Seen<'_>,
    mut finding: Finding,
) -> Finding {
    let program = context.program;
    if let Some(way) = seen.way() {
        for &(method, node) in &way.nodes {
            if let Some((most, why)) = seen.doubt_at(program, model, method, node)
                && !finding.doubts.contains(&why)
            {
                finding = finding.at_most(most, why);
            }
        }
        if way.branches && seen.happens_elsewhere(way.met) {
            finding = finding.at_most(Confidence::Likely, "a condition decides which way it goes");
        }
    }
    if let Some((most, why)) = doubt_of_type(program, model, seen) {
        finding = finding.at_most(most, why);
    }
    if let Some(why) = closed_with(program, model, seen.site) {
        finding = finding.at_most(Confidence::Possible, why);
    }
    for assumption in finding.assumptions.clone() {
        finding = finding.at_most(Confidence::Likely, assumption);
    }
    if is_main(program, seen.site.method) {
        finding = finding.at_most(Confidence::Possible, "the program may end with this method");
    }
    if !seen.machine.complete {
        finding = finding.at_most(Confidence::Possible, "it is passed around more than can be followed");
    }
    finding
}

/// How well the class of an object is known. Classes of the platform are in the model. What closing
/// means for those of a program, the program decides, and objects that its methods return are often
/// kept elsewhere, or are values that can be closed.
fn doubt_of_type(program: &Program, model: &Model, seen: &Seen<'_>) -> Option<(Confidence, String)> {
    let Seen { site, placed, .. } = *seen;
    if is_promised(program, &model.contracts, site) {
        return None;
    }
    let body = program.body(site.method).ok()??;
    let made = match placed {
        Some(placing) => placing.class?,
        None => object_type(program, program.owner(site.method), &body, site)?,
    };
    let name = dotted(&program.names[made]);
    let Some(class) = program.find_class(made) else {
        return Some((Confidence::Likely, format!("the class {name} is not in the program")));
    };
    match site.kind {
        _ if program.origin(class) == ClassOrigin::Platform => None,
        SiteKind::New if opens(program, model, class, constructor(program, site, &body, made)) => {
            Some((Confidence::Likely, format!("{name} is a class of the program")))
        }
        SiteKind::New => Some((
            Confidence::Possible,
            format!("{name} is a class of the program that opens nothing itself"),
        )),
        SiteKind::Placed(placed) if placed.owned => {
            Some((Confidence::Possible, format!("{name} is a class of the program")))
        }
        SiteKind::Result | SiteKind::Child => {
            Some((Confidence::Possible, format!("a method of the program returns a {name} of its own")))
        }
        _ => None,
    }
}

/// The constructor that is called for what is made at a site.
fn constructor(program: &Program, site: &Site, body: &Body<'_>, made: Symbol) -> Option<MethodId> {
    let class = program.class(program.owner(site.method));
    let member = Finder::constructor(program, class, body, site.number, made)?;
    program.resolve(&member)
}

/// Whether a program starts in a method: what it leaves open may be closed by the end of the
/// program.
fn is_main(program: &Program, method: MethodId) -> bool {
    let method = program.method(method);
    &program.names[method.name] == "main"
        && &program.names[method.descriptor] == "([Ljava/lang/String;)V"
        && method.flags.is_static()
}

/// Calls of a constructor are followed this deep to know what it opens.
const DEPTH: usize = 3;

/// Whether the constructor that is called at a site, or one of all if it is not known which, makes
/// something of the platform that can be closed. Other methods of the class and its ancestors that
/// it runs are looked at, too, each once.
fn opens(program: &Program, model: &Model, class: ClassId, constructor: Option<MethodId>) -> bool {
    let constructors =
        program.methods_of(class).filter(|&method| &program.names[program.method(method).name] == "<init>");
    let mut work: Vec<(MethodId, usize)> = match constructor {
        Some(constructor) => vec![(constructor, 0)],
        None => constructors.map(|method| (method, 0)).collect(),
    };
    let mut met: FxHashSet<MethodId> = work.iter().map(|&(method, _)| method).collect();
    let of_platform = |class: ClassId| program.origin(class) == ClassOrigin::Platform;
    while let Some((method, depth)) = work.pop() {
        let Ok(Some(body)) = program.body(method) else { continue };
        let pool = &program.class(program.owner(method)).pool;
        for instruction in &body.instructions {
            match instruction.op {
                Op::New(constant) => {
                    let made = pool.class(constant);
                    let is_opened = |name| {
                        let classes = ancestors(program, name);
                        let is_memory = |name: &String| model.harmless.iter().any(|it| matches(it, name));
                        program.find_class(name).is_some_and(of_platform)
                            && classes.iter().any(|it| it == "java.lang.AutoCloseable")
                            && !classes.iter().any(is_memory)
                    };
                    if made.is_some_and(is_opened) {
                        return true;
                    }
                }
                Op::Invoke(_, constant) => {
                    let Some(member) = pool.member(constant) else { continue };
                    let Some(called) = program.resolve(&member) else { continue };
                    let owner = program.owner(called);
                    if of_platform(owner) {
                        // what only reads, or wraps, takes what is open already
                        let name = &program.names[member.name];
                        let opens = name.starts_with("open") || name.starts_with("new");
                        if opens && returns_closeable(program, &member) == Truth::True {
                            return true;
                        }
                    } else if depth < DEPTH
                        && program.is_subtype(program.class(class).name, program.class(owner).name)
                        && met.insert(called)
                    {
                        work.push((called, depth + 1));
                    }
                }
                _ => {}
            }
        }
    }
    false
}

/// Why a child is closed by somebody else: it is made from the object whose method this is, or from
/// one that the method only uses, whose owner closes it some time. Connections are not closed for
/// long, or go back to a pool, so that what is made of them stays.
fn closed_with(program: &Program, model: &Model, site: &Site) -> Option<&'static str> {
    let from = (site.kind == SiteKind::Child).then(|| parent(program, site)).flatten()?;
    if !program.method(site.method).flags.is_static() && from == Value::Initial(0) {
        return Some("it is closed with the object whose method this is");
    }
    let body = program.body(site.method).ok()??;
    let Op::Invoke(_, constant) = body.instructions[site.number].op else { return None };
    let owner = program.class(program.owner(site.method)).pool.member(constant)?.owner;
    let classes = ancestors(program, owner);
    let lasts = model.lasting.iter().any(|known| classes.iter().any(|name| matches(known, name)));
    let is_given = matches!(from, Value::Initial(_) | Value::Field(..) | Value::Static(_));
    (is_given && !lasts)
        .then_some("it is closed with the object that it is made from, which is not the method's")
}

/// Whether the object is an argument of a call that is not followed.
fn is_passed(node: &Node) -> bool {
    node.calls.is_empty() && node.moment.events.iter().any(|event| matches!(event, Event::Passed(_)))
}

/// A method as messages name it.
pub(super) fn called(program: &Program, member: &Member) -> String {
    let owner = program.names[member.owner].rsplit('/').next().unwrap_or_default().replace('$', ".");
    match &program.names[member.name] {
        "<init>" => format!("new {owner}()"),
        name => format!("{owner}.{name}()"),
    }
}

impl<'a> Seen<'a> {
    /// What is taken for granted at a node.
    fn doubt_at(
        &self,
        program: &Program,
        model: &Model,
        method: MethodId,
        node: &Node,
    ) -> Option<(Confidence, String)> {
        if node.moment.events.contains(&Event::Escaped) {
            return Some((Confidence::Possible, "it went where it cannot be followed".to_owned()));
        }
        if let Some(member) = node.moment.member.filter(|_| is_passed(node))
            && returns_closeable(program, &member) == Truth::True
        {
            let why = format!("closing what {} returns may close it", called(program, &member));
            return Some((Confidence::Possible, why));
        }
        let thrown = node.moment.events.contains(&Event::Thrown);
        let how = (self.object.unchecked, self.fails, self.site.method);
        let body = program.body(method).ok().flatten().filter(|_| thrown)?;
        doubt_of_exception(program, model, (method, &body), node, how)
    }

    fn way(&self) -> Option<Way<'a>> {
        let Shown { evidence, rsm } = self.shown?;
        let mut way = Way { nodes: Vec::new(), met: 0, branches: false };
        let (mut is_there, mut deeper) = (false, None);
        for state in states(evidence) {
            let Some(vertex) = state.node else { continue };
            let (component, node) = at(self.machine, rsm, vertex);
            let (number, position) = place(rsm, vertex);
            way.met |= self.graphs[number].nodes[position].mask;
            if is_there {
                let ways = node.next.iter().map(|&next| &component.nodes[next as usize]);
                let goes_on = |next: &&Node| !next.moment.events.contains(&Event::Thrown);
                way.branches |= ways.filter(goes_on).nth(1).is_some();
                // what comes out of a call has been looked at where it was thrown
                let thrown = node.moment.events.contains(&Event::Thrown);
                if !(thrown && deeper.is_some_and(|depth| depth > state.stack.len())) {
                    way.nodes.push((component.method, node));
                }
                // exits are behind what is thrown
                if thrown || !node.exit {
                    deeper = thrown.then_some(state.stack.len());
                }
            }
            is_there |= node.moment.events.contains(&Event::Opened);
        }
        Some(way)
    }

    /// The instruction in the site's method that makes the offence of the rule happen, itself or in
    /// what it calls.
    pub(super) fn offence(&self) -> Option<usize> {
        let bit = self.object.offence?;
        let Shown { evidence, rsm } = self.shown?;
        let (mut here, mut found) = (None, None);
        for state in states(evidence) {
            let Some(vertex) = state.node else { continue };
            let (component, position) = place(rsm, vertex);
            if component == 0 && state.stack.is_empty() {
                here = Some(self.machine.components[component].nodes[position].number);
            }
            if self.graphs[component].nodes[position].mask >> bit & 1 == 1 {
                found = here;
            }
        }
        found
    }

    /// The bits of events that the rule names itself.
    fn own(&self) -> Mask {
        let atoms = self.object.atoms.iter().enumerate();
        let own = atoms.filter(|(_, atom)| !is_built_in(atom));
        own.fold(0, |own, (bit, _)| own | 1 << bit)
    }

    /// Whether an event that the rule names itself happens at a node.
    pub(super) fn is_of_rule(&self, rsm: &Rsm, vertex: Vertex) -> bool {
        let (component, position) = place(rsm, vertex);
        self.graphs[component].nodes[position].mask & self.own() != 0
    }

    /// Whether an event of the rule happens on other ways than one that meets these atoms.
    fn happens_elsewhere(&self, met: Mask) -> bool {
        let own = self.own();
        self.graphs.iter().any(|graph| graph.atoms() & own & !met != 0)
    }
}

/// The calls that a counterexample passes, if there is one.
pub(super) fn calls_on_the_way(machine: &ObjectMachine, shown: Option<&Shown>) -> Option<Vec<Member>> {
    let Shown { evidence, rsm } = shown?;
    let vertices = states(evidence).into_iter().filter_map(|state| state.node);
    Some(vertices.filter_map(|vertex| at(machine, rsm, vertex).1.moment.member).collect())
}
