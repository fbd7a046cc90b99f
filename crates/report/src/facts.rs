//! Facts about a model: sizes, recursion, labels, dead ends.

use crate::json::quoted;
use crate::{Subject, counted, style};
use loris_base::{visible, visible_name};
use loris_check::Reachable;
use loris_evidence::Verdict;
use loris_logic::Fairness;
use loris_rsm::{CarriedProperty, Rsm, Stats, Vertex, VertexKind};
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// Names of each kind that are listed; more are counted.
const LISTED: usize = 10;

/// A model and facts about it.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The path of the model, as it was given.
    pub path: &'a str,
    /// Its format: `rsm`, `pds`, …
    pub format: &'a str,
    /// The path of the peer it was composed with, if it was.
    pub with: Option<&'a str>,
    /// The model.
    pub rsm: &'a Rsm,
    /// The properties it carries.
    pub properties: &'a [CarriedProperty],
    /// Of an SMV model, the module that each of them is about.
    pub subjects: &'a [Subject<'a>],
    /// All nodes that runs get to.
    pub reached: &'a Reachable,
    /// Which runs count, if not all; it has no other labels.
    pub fairness: &'a Fairness,
}

/// The facts as text, a line each.
pub fn text_facts(out: &mut impl Write, facts: &Facts<'_>) -> fmt::Result {
    let Facts { path, with, rsm, properties, subjects, reached, fairness, .. } = *facts;
    let stats = Stats::of(rsm);
    let mut fact =
        |name: &str, value: String| writeln!(out, "{}{name:<11}{} {value}", style::DIM, style::RESET);
    let most = |number: usize| format!("{number} at most in one component");
    fact("model", visible(path).into_owned())?;
    if let Some(peer) = with {
        fact("with", visible(peer).into_owned())?;
    }
    fact("components", unless_zero(stats.components, stats.unreachable_components, "never called"))?;
    fact("nodes", format!("{}, {}", stats.nodes, most(stats.most_nodes)))?;
    fact("boxes", stats.boxes.to_string())?;
    fact("vertices", format!("{}, ports included", rsm.vertex_count()))?;
    fact("edges", stats.edges.to_string())?;
    fact("entries", format!("{}, {}", stats.entries, most(stats.most_entries)))?;
    fact("exits", format!("{}, {}", stats.exits, most(stats.most_exits)))?;
    fact("theta", stats.theta.to_string())?;
    fact(
        "empty",
        counted(
            stats.empty_procedures,
            "procedure whose entry is its exit",
            "procedures whose entry is their exit",
        ),
    )?;
    fact(
        "recursion",
        match stats.recursive_groups {
            0 => "none".to_owned(),
            groups => format!(
                "{}, the largest of {}",
                counted(groups, "group", "groups"),
                counted(stats.largest_recursive_group, "component", "components")
            ),
        },
    )?;
    let nodes = counted(reached.nodes.len(), "node", "nodes");
    let tuples = counted(reached.tuples as usize, "tuple", "tuples");
    fact(
        "reachable",
        match &reached.verdict {
            Verdict::Holds | Verdict::Fails => format!("{nodes}, {tuples} derived"),
            Verdict::Unknown(why) => format!("unknown: {why}"),
        },
    )?;
    fact("memory", counted(rsm.bytes(), "byte", "bytes"))?;
    let readable = |name: &str| visible_name(name).into_owned();
    fact("initial", listed(rsm.initial().iter().map(|&node| name(rsm, node, readable))))?;
    fact("labels", numbered(labels(facts).map(readable)))?;
    if !fairness.is_empty() {
        let (justice, compassion) = (fairness.justice.len(), fairness.compassion.len());
        fact("fairness", format!("{justice} of justice, {compassion} of compassion"))?;
    }
    fact("dead ends", numbered(rsm.dead_ends().iter().map(|&vertex| name(rsm, vertex, readable))))?;
    properties.iter().enumerate().try_for_each(|(i, CarriedProperty { logic, text, .. })| {
        let place = subjects.get(i).and_then(Subject::place);
        let place = place.map(|place| format!("{}: ", visible(&place))).unwrap_or_default();
        fact("property", format!("{}: {place}{}", visible(logic), visible(text)))
    })
}

/// The facts as a JSON object.
pub fn json_facts(out: &mut impl Write, facts: &Facts<'_>) -> fmt::Result {
    let Facts { path, format, with, rsm, properties, subjects, reached, fairness } = *facts;
    let stats = Stats::of(rsm);
    writeln!(out, "{{\"loris\": {},", quoted(env!("CARGO_PKG_VERSION")))?;
    write!(out, " \"model\": {{\"path\": {}, \"format\": \"{format}\"", quoted(path))?;
    if let Some(peer) = with {
        write!(out, ", \"with\": {}", quoted(peer))?;
    }
    let counts = [
        ("components", stats.components),
        ("nodes", stats.nodes),
        ("boxes", stats.boxes),
        ("edges", stats.edges),
        ("theta", stats.theta),
    ];
    counts.iter().try_for_each(|(key, number)| write!(out, ", \"{key}\": {number}"))?;
    out.write_str("}")?;
    let counts = [
        ("vertices", rsm.vertex_count()),
        ("most_nodes", stats.most_nodes),
        ("entries", stats.entries),
        ("most_entries", stats.most_entries),
        ("exits", stats.exits),
        ("most_exits", stats.most_exits),
        ("empty_procedures", stats.empty_procedures),
        ("unreachable_components", stats.unreachable_components),
        ("recursive_groups", stats.recursive_groups),
        ("largest_recursive_group", stats.largest_recursive_group),
    ];
    counts.iter().try_for_each(|(key, number)| write!(out, ",\n \"{key}\": {number}"))?;
    match &reached.verdict {
        Verdict::Holds | Verdict::Fails => {
            let (nodes, tuples) = (reached.nodes.len(), reached.tuples);
            write!(out, ",\n \"reachable_nodes\": {nodes},\n \"tuples\": {tuples}")?;
        }
        Verdict::Unknown(why) => {
            let why = quoted(&why.to_string());
            write!(out, ",\n \"reachable_nodes\": null, \"reason\": {why},\n \"tuples\": null")?;
        }
    }
    write!(out, ",\n \"bytes\": {}", rsm.bytes())?;
    let array = |items: Vec<String>| items.join(", ");
    let initial = rsm.initial().iter().map(|&node| quoted(&name(rsm, node, str::to_owned))).collect();
    write!(out, ",\n \"initial\": [{}]", array(initial))?;
    write!(out, ",\n \"labels\": [{}]", array(labels(facts).map(quoted).collect()))?;
    if !fairness.is_empty() {
        let (justice, compassion) = (fairness.justice.len(), fairness.compassion.len());
        write!(out, ",\n \"fairness\": {{\"justice\": {justice}, \"compassion\": {compassion}}}")?;
    }
    let dead = rsm.dead_ends().iter();
    let dead = dead.map(|&vertex| quoted(&name(rsm, vertex, str::to_owned))).collect();
    write!(out, ",\n \"dead_ends\": [{}]", array(dead))?;
    let property = |(i, CarriedProperty { logic, text, .. }): (usize, &CarriedProperty)| {
        let subject = subjects.get(i).map(Subject::json).unwrap_or_default();
        format!("{{\"property\": {}, {subject}\"logic\": {}}}", quoted(text), quoted(logic))
    };
    writeln!(out, ",\n \"properties\": [{}]}}", array(properties.iter().enumerate().map(property).collect()))
}

/// All labels but those of fairness conditions.
fn labels<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a str> {
    let Fairness { justice, compassion } = facts.fairness;
    let conditions = justice.iter().chain(compassion.iter().flat_map(|(from, to)| [from, to]));
    let conditions: BTreeSet<&str> = conditions.map(String::as_str).collect();
    facts.rsm.labels().filter(move |label| !conditions.contains(label))
}

/// `COMPONENT/NODE`, or `COMPONENT/(BOX, NODE)` for a port, each name as `shown` shows it.
fn name(rsm: &Rsm, vertex: Vertex, shown: impl Fn(&str) -> String) -> String {
    let component = shown(rsm.component_name(rsm.component_of(vertex)));
    let node = shown(&rsm.vertex_name(vertex));
    match rsm.kind(vertex) {
        VertexKind::Node => format!("{component}/{node}"),
        VertexKind::Call(site) | VertexKind::Return(site) => {
            format!("{component}/({}, {node})", shown(rsm.box_name(site)))
        }
    }
}

fn unless_zero(number: usize, part: usize, what: &str) -> String {
    if part == 0 { number.to_string() } else { format!("{number}, {part} {what}") }
}

fn listed(items: impl ExactSizeIterator<Item = String>) -> String {
    let more = items.len().saturating_sub(LISTED);
    let list: Vec<String> = items.take(LISTED).collect();
    let list = list.join(", ");
    if more > 0 { format!("{list}, ... and {more} more") } else { list }
}

fn numbered(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        "none".to_owned()
    } else {
        format!("{}: {}", items.len(), listed(items.into_iter()))
    }
}
