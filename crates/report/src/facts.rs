//! What a model is: sizes, recursion, labels, dead ends.

use crate::json::quoted;
use crate::place::printable;
use crate::{counted, style};
use loris_rsm::{Kind, Rsm, Stats, Vertex};
use std::fmt::{self, Write};

/// Names of each kind that are listed; more are counted.
const LISTED: usize = 10;

/// The facts as text, a line each.
pub fn text_facts(out: &mut impl Write, path: &str, rsm: &Rsm) -> fmt::Result {
    let stats = Stats::of(rsm);
    let mut fact =
        |name: &str, value: String| writeln!(out, "{}{name:<11}{} {value}", style::DIM, style::RESET);
    let most = |number: usize| format!("{number} at most in one component");
    fact("model", path.to_owned())?;
    fact("components", unless_zero(stats.components, stats.unreachable_components, "never called"))?;
    fact("nodes", format!("{}, {}", stats.nodes, most(stats.most_nodes)))?;
    fact("boxes", stats.boxes.to_string())?;
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
    fact("initial", listed(rsm.initial().iter().map(|&node| name(rsm, node))))?;
    fact("labels", numbered(rsm.labels().map(str::to_owned)))?;
    fact("dead ends", numbered(rsm.looped_dead_ends().iter().map(|&vertex| name(rsm, vertex))))
}

/// The facts as a JSON object.
pub fn json_facts(out: &mut impl Write, path: &str, rsm: &Rsm) -> fmt::Result {
    let stats = Stats::of(rsm);
    writeln!(out, "{{\"loris\": {},", quoted(env!("CARGO_PKG_VERSION")))?;
    write!(out, " \"model\": {{\"path\": {}, \"format\": \"rsm\"", quoted(path))?;
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
    let array = |items: Vec<String>| items.join(", ");
    let initial = rsm.initial().iter().map(|&node| quoted(&name(rsm, node))).collect();
    write!(out, ",\n \"initial\": [{}]", array(initial))?;
    write!(out, ",\n \"labels\": [{}]", array(rsm.labels().map(quoted).collect()))?;
    let dead = rsm.looped_dead_ends().iter().map(|&vertex| quoted(&name(rsm, vertex))).collect();
    writeln!(out, ",\n \"dead_ends\": [{}]}}", array(dead))
}

/// `component.node`, or `component.(box, node)` for a port.
fn name(rsm: &Rsm, vertex: Vertex) -> String {
    let (component, node) = (rsm.component_name(rsm.component_of(vertex)), rsm.vertex_name(vertex));
    match rsm.kind(vertex) {
        Kind::Node => format!("{component}.{node}"),
        Kind::Call(site) | Kind::Return(site) => format!("{component}.({}, {node})", rsm.box_name(site)),
    }
}

fn unless_zero(number: usize, part: usize, what: &str) -> String {
    if part == 0 { number.to_string() } else { format!("{number}, {part} {what}") }
}

fn listed(items: impl ExactSizeIterator<Item = String>) -> String {
    let more = items.len().saturating_sub(LISTED);
    let list: Vec<String> = items.take(LISTED).map(|item| printable(&item)).collect();
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
