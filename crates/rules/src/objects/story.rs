//! The story of a finding: the counterexample as steps in the source.

use super::doubt::{Seen, calls_on_the_way};
use crate::context::ProgramContext;
use crate::path::{Step, states, trace};
use loris_base::Idx;
use loris_evidence::Evidence;
use loris_findings::{Finding, RuleInfo};
use loris_java::class::{Descriptor, Op};
use loris_java::extract::type_name;
use loris_java::objects::{Component, Event, Node, ObjectMachine, SiteKind};
use loris_rsm::{Rsm, Vertex};

/// Evidence with the machine it is about.
pub(super) struct Shown {
    pub(super) evidence: Evidence,
    pub(super) rsm: Rsm,
}

/// The most steps of a story; counterexamples are short, but for loops of calls.
const STEPS: usize = 2000;

pub(super) fn finding(context: &ProgramContext<'_>, rule: &RuleInfo, seen: &Seen<'_>) -> Finding {
    let Seen { site, machine, shown, placed, .. } = *seen;
    let program = context.program;
    let class = program.class(program.owner(site.method));
    let body = program.body(site.method).ok().flatten();
    let op = body.as_ref().map(|body| body.instructions[site.number]);
    let parameter = match site.kind {
        SiteKind::Parameter(slot) => body.as_ref().and_then(|body| body.code.variable(u16::from(slot), 0)),
        _ => None,
    };
    let parameter = parameter.map(|variable| format!("the parameter `{}`", &program.names[variable.name]));
    let what = match op.map(|instruction| instruction.op) {
        Some(Op::Invoke(_, constant)) if let Some(placing) = placed => {
            class.pool.member(constant).map(|member| {
                let of = placing.class.map_or("object", |class| &program.names[class]);
                let name = placing.places.first().and_then(|place| place.fields.into_iter().flatten().last());
                let named = name.map(|name| format!(" `{}`", &program.names[name])).unwrap_or_default();
                format!("the {}{named} that {}() leaves", simple(of), &program.names[member.name])
            })
        }
        Some(Op::New(constant)) => {
            class.pool.class(constant).map(|name| format!("this {}", simple(&program.names[name])))
        }
        Some(Op::Invoke(_, constant)) => class.pool.member(constant).map(|member| {
            let result =
                Descriptor::of(&program.names[member.descriptor]).and_then(|it| reference_name(it.result));
            match (site.kind, result) {
                (SiteKind::Result | SiteKind::Child, Some(result)) => {
                    format!("the {result} that {}() returns", &program.names[member.name])
                }
                _ => format!("this {}", simple(&program.names[member.owner])),
            }
        }),
        _ => None,
    };
    let is_parameter = matches!(site.kind, SiteKind::Parameter(_));
    let what = parameter.or(what.filter(|_| !is_parameter)).unwrap_or_else(|| "this object".to_owned());
    let at = op.map_or(0, |instruction| instruction.at);
    let mut message = rule.help.replace("{what}", &what);
    if rule.help.starts_with("{what}")
        && let Some(first) = message.get_mut(..1)
    {
        first.make_ascii_uppercase();
    }
    let mut finding = context.finding(rule, site.method, at, message);
    let offence = seen.offence().and_then(|number| body.as_ref()?.instructions.get(number));
    if let (Some(offence), Some(declaration)) = (offence, &finding.declaration) {
        finding.locations = vec![declaration.within(context.place(site.method, offence.at))];
    }
    if let Some(shown) = shown {
        finding.traces.extend(trace(&finding.message, &steps(context, seen, shown)));
    }
    // the platform is known; other code that is not there is assumed to be as its names say
    let unknown = |name: &str| !["java/", "javax/", "jakarta/"].iter().any(|known| name.starts_with(known));
    let way = calls_on_the_way(machine, shown);
    finding.assumptions = machine
        .assumed
        .iter()
        .filter(|member| unknown(&program.names[member.owner]))
        .filter(|member| way.as_ref().is_none_or(|way| way.contains(member)))
        .map(|member| format!("{} does not close it", program.member_name(member)))
        .collect();
    if !machine.complete {
        finding.assumptions.push("some calls were not followed: there are too many".into());
    }
    finding
}

/// A type as people write it, if it is a reference.
fn reference_name(descriptor: &str) -> Option<String> {
    descriptor.starts_with(['L', '[']).then(|| type_name(descriptor).replace('$', "."))
}

/// The last part of a class name.
fn simple(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.replace('$', ".")
}

fn steps(context: &ProgramContext<'_>, seen: &Seen<'_>, shown: &Shown) -> Vec<Step> {
    let machine = seen.machine;
    let (mut steps, mut was_thrown) = (Vec::<Step>::new(), false);
    for state in states(&shown.evidence).into_iter().take(STEPS) {
        let Some(vertex) = state.node else { continue };
        let (component, node) = at(machine, &shown.rsm, vertex);
        let program = context.program;
        let owner = program.owner(component.method);
        // the exit of a method is one for all exceptions of a kind
        let is_behind = std::mem::replace(&mut was_thrown, node.moment.events.contains(&Event::Thrown));
        if is_behind && node.exit && node.moment.events.is_empty() {
            continue;
        }
        let text = text(context, machine.site, node);
        let important = !text.is_empty() && (seen.is_of_rule(&shown.rsm, vertex) || is_news(node));
        if text.is_empty() && steps.last().is_some_and(|last| last.line == node.line.map(u32::from)) {
            continue;
        }
        steps.push(Step {
            class: program.class_name(owner),
            method: program.names[program.method(component.method).name].to_owned(),
            file: context.file(owner),
            line: node.line.map(u32::from),
            depth: state.stack.len() as u32,
            text,
            important,
        });
    }
    steps
}

/// The component and node of a vertex of the recursive state machine.
pub(super) fn at<'m>(machine: &'m ObjectMachine, rsm: &Rsm, vertex: Vertex) -> (&'m Component, &'m Node) {
    let (component, position) = place(rsm, vertex);
    let component = &machine.components[component];
    (component, &component.nodes[position])
}

/// The numbers of the component of a vertex, and of its node in it.
pub(super) fn place(rsm: &Rsm, vertex: Vertex) -> (usize, usize) {
    let component = rsm.component_of(vertex);
    (component.index(), rsm.node_of(vertex).index() - rsm.vertex_range(component).start)
}

/// Whether something happens at a node that matters to every rule: a call on the object does only
/// if it is an event of the rule.
fn is_news(node: &Node) -> bool {
    let calls = [Event::Called, Event::CalledInside, Event::ParentCalled, Event::ChildCalled, Event::Call];
    node.moment.events.iter().any(|event| *event != Event::Fresh && !calls.contains(event))
}

/// What happens at a node.
fn text(context: &ProgramContext<'_>, site: SiteKind, node: &Node) -> String {
    let called = node.moment.member.map(|member| {
        let program = context.program;
        let owner = simple(&program.names[member.owner]);
        match &program.names[member.name] {
            "<init>" => format!("the constructor of {owner}"),
            name => format!("{owner}.{name}"),
        }
    });
    let called = called.unwrap_or_default();
    let mut texts = Vec::new();
    for event in &node.moment.events {
        match event {
            Event::Opened => texts.push(match site {
                SiteKind::New => "it is created".to_owned(),
                SiteKind::Result | SiteKind::Child => "the call returns it".to_owned(),
                SiteKind::Entry | SiteKind::Parameter(_) => "the method is entered".to_owned(),
                SiteKind::Placed(_) if called.is_empty() => "a call leaves it".to_owned(),
                SiteKind::Placed(_) => format!("{called} leaves it"),
                _ if called.is_empty() => "the call has been made on it".to_owned(),
                _ => format!("{called} has been called on it"),
            }),
            Event::Thrown if called.is_empty() => texts.push("an exception is thrown".to_owned()),
            Event::Thrown => texts.push(format!("{called} throws an exception")),
            Event::Left => texts.push("the method is left".to_owned()),
            Event::Lost => texts.push("the last reference is dropped".to_owned()),
            Event::Returned => texts.push("it is returned".to_owned()),
            Event::Owned => texts.push("an owner holds it".to_owned()),
            Event::Escaped => texts.push("it cannot be followed any further".to_owned()),
            Event::CalledInside => texts.push(format!("{called} is called from inside")),
            Event::Called => texts.push(format!("{called} is called on it")),
            Event::ParentCalled => texts.push(format!("{called} is called on what it belongs to")),
            Event::ChildPassed(_) => texts.push(format!("what was made from it is passed to {called}")),
            Event::Passed(_) => texts.push(format!("it is passed to {called}")),
            Event::ChildCalled => texts.push(format!("{called} is called on what was made from it")),
            Event::Overwritten => texts.push("what held it holds something else".to_owned()),
            Event::Call | Event::Fresh | Event::Handed => {}
        }
    }
    texts.join(", and ")
}
