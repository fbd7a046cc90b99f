//! Dead ends: nodes without a successor, and return ports without edges (lazy-rsm, section 3.1).
//!
//! Linear in nodes, edges and ports, and in the return ports that are missing.

use crate::builder::{DeadEnds, RsmBuilder};
use crate::ids::NONE;
use crate::resolve::{ComponentGraph, Resolved};
use loris_base::{Csr, Diagnostic, Remedy};

/// A run can be let stay at a dead end, or end there.
pub const DEAD_END: Remedy = Remedy("a run can be let stay there for ever, or end there");
/// Runs can be let stay at dead ends, or end there.
pub const DEAD_ENDS: Remedy = Remedy("runs can be let stay there for ever, or end there");
/// A peer that has no edge can be given one; or it is a dead end.
pub const NO_EDGE: Remedy = Remedy("give it one, or let runs stay there, or end there");

/// Where a state has no successor. In one of the readings these get loops.
pub(crate) struct Loops {
    /// per component, in order, vertices without an edge that are not exits, counted within it
    pub(crate) vertices: Csr,
    /// (box, exit of the callee), by box: return ports that nothing mentions although a run can get
    /// there
    pub(crate) missing: Vec<(u32, u32)>,
}

/// Finds vertices that get loops, or reports them, and reports exits that do not leave.
pub(crate) fn loops(
    raw: &mut RsmBuilder,
    parts: &[ComponentGraph],
    resolved: &Resolved,
    reading: DeadEnds,
) -> Loops {
    let mut loops = Loops { vertices: Csr::default(), missing: Vec::new() };
    let mut entered = vec![false; raw.nodes.len()];
    let mut leaves = Vec::new();
    for (c, part) in parts.iter().enumerate() {
        let nodes = part.nodes.len();
        leaves.clear();
        leaves.resize(nodes + part.ports.len(), false);
        for &(source, target) in &raw.edges[part.edges.clone()] {
            leaves[source as usize] = true;
            if (target as usize) < nodes {
                entered[part.nodes.start + target as usize] = true;
            }
        }
        edges_out_of_exits(raw, part, &leaves);
        let dead = dead_ends(raw, parts, resolved, c, &leaves);
        if reading == DeadEnds::Error && !raw.components[c].lost_edges {
            for &vertex in &dead {
                let problem = dead_end(raw, part, vertex as usize);
                raw.problems.push(problem);
            }
        }
        loops.vertices.push_row(dead);
    }
    loops.missing = missing_returns(raw, parts, resolved, &entered);
    let most = most_missing(raw);
    if reading == DeadEnds::Error {
        report_missing(raw, parts, resolved, &loops.missing);
    } else if loops.missing.len() > most {
        let message = format!("the model is too large: its boxes lack more than {most} return ports");
        raw.problems
            .push(Diagnostic::global(message).help("give each box an edge for every exit of its callee"));
    }
    loops
}

fn edges_out_of_exits(raw: &mut RsmBuilder, part: &ComponentGraph, leaves: &[bool]) {
    for (i, node) in raw.nodes[part.nodes.clone()].iter().enumerate() {
        if node.exit && leaves[i] {
            let message = format!("exit \"{}\" has an edge of its own", &raw.names[node.name]);
            let problem = Diagnostic::error(node.offset, 0, message);
            raw.problems.push(
                problem.help(
                    "an exit goes on where its caller's return port leads; let another node lead to it",
                ),
            );
        }
    }
}

/// Vertices of a component that are not exits and have no edge, counted within it.
fn dead_ends(
    raw: &RsmBuilder,
    parts: &[ComponentGraph],
    resolved: &Resolved,
    c: usize,
    leaves: &[bool],
) -> Vec<u32> {
    let part = &parts[c];
    let nodes = raw.nodes[part.nodes.clone()].iter().enumerate();
    let dead_nodes = nodes.filter(|(i, node)| !node.exit && !leaves[*i]).map(|(i, _)| i);
    let ports = raw.ports[part.ports.clone()].iter().enumerate();
    let dead_ports = ports.filter_map(|(i, port)| {
        let callee = resolved.callees[part.boxes.start + port.site as usize];
        let node = resolved.ports[part.ports.start + i];
        let vertex = part.nodes.len() + i;
        if node == NONE || callee == NONE || leaves[vertex] {
            return None;
        }
        let data = &raw.nodes[parts[callee as usize].nodes.start + node as usize];
        // a port that is neither used nor listed is the source of an empty list of edges
        let returns = port.target || port.listed_return || !port.listed_call;
        (data.exit && returns).then_some(vertex)
    });
    dead_nodes.chain(dead_ports).map(|vertex| vertex as u32).collect()
}

fn dead_end(raw: &RsmBuilder, part: &ComponentGraph, vertex: usize) -> Diagnostic {
    if let Some(node) = raw.nodes[part.nodes.clone()].get(vertex) {
        dead_node(&raw.names[node.name], node.offset)
    } else {
        let port = &raw.ports[part.ports.start + vertex - part.nodes.len()];
        let site = &raw.names[raw.boxes[part.boxes.start + port.site as usize].name];
        dead_port(site, &raw.names[port.node], port.offset)
    }
}

/// The problem with a node that is a dead end.
pub(crate) fn dead_node(name: &str, offset: u64) -> Diagnostic {
    let message = format!("node \"{name}\" is not an exit and has no successor");
    Diagnostic::error(offset, 0, message).remedy(DEAD_END)
}

/// The problem with the return port of a box for a node of its callee that is a dead end.
pub(crate) fn dead_port(site: &str, node: &str, offset: u64) -> Diagnostic {
    let message = format!("return port (\"{site}\", \"{node}\") has no successor");
    Diagnostic::error(offset, 0, message).remedy(DEAD_END)
}

/// A small file can lack a port for each of many boxes times each of many exits. More than this is
/// taken for a mistake, and not made.
fn most_missing(raw: &RsmBuilder) -> usize {
    16 * (raw.nodes.len() + raw.boxes.len() + raw.ports.len() + raw.edges.len()) + (1 << 20)
}

/// Exits of a callee that a run can leave through although the box has no port for them. An exit
/// that no edge leads to is never left through; more is not asked here. The search ends soon after
/// [`most_missing`].
fn missing_returns(
    raw: &RsmBuilder,
    parts: &[ComponentGraph],
    resolved: &Resolved,
    entered: &[bool],
) -> Vec<(u32, u32)> {
    let mut exits = Csr::default();
    for part in parts {
        let nodes = raw.nodes[part.nodes.clone()].iter().enumerate();
        let left = nodes.filter(|(i, node)| node.exit && entered[part.nodes.start + i]);
        exits.push_row(left.map(|(i, _)| i as u32));
    }
    let most = most_missing(raw);
    let mut missing = Vec::new();
    // the last box that was seen to have a port for this node
    let mut port_of = vec![NONE; raw.nodes.len()];
    for part in parts {
        let mut port = part.ports.start;
        for site in part.boxes.clone() {
            let callee = resolved.callees[site];
            let mut called = false;
            while port < part.ports.end && part.boxes.start + raw.ports[port].site as usize == site {
                called |= raw.ports[port].target;
                if callee != NONE && resolved.ports[port] != NONE {
                    let node = parts[callee as usize].nodes.start + resolved.ports[port] as usize;
                    port_of[node] = site as u32;
                }
                port += 1;
            }
            if callee == NONE || !called || missing.len() > most {
                continue;
            }
            let first = parts[callee as usize].nodes.start;
            let left = exits.row(callee as usize).iter();
            let left = left.filter(|&&exit| port_of[first + exit as usize] != site as u32);
            missing.extend(left.map(|&exit| (site as u32, exit)).take(most + 1 - missing.len()));
        }
    }
    missing
}

fn report_missing(
    raw: &mut RsmBuilder,
    parts: &[ComponentGraph],
    resolved: &Resolved,
    missing: &[(u32, u32)],
) {
    let mut owner = 0;
    for &(site, exit) in missing {
        while parts[owner].boxes.end <= site as usize {
            owner += 1;
        }
        let callee = resolved.callees[site as usize] as usize;
        if raw.components[owner].lost_edges || raw.components[callee].incomplete {
            continue;
        }
        let name = &raw.names[raw.nodes[parts[callee].nodes.start + exit as usize].name];
        let site = &raw.boxes[site as usize];
        let text = &raw.names[site.name];
        let message =
            format!("box \"{text}\" has no edge for a return through exit \"{name}\" of its callee");
        let problem = Diagnostic::error(site.offset, 0, message);
        raw.problems.push(problem.remedy(DEAD_END));
    }
}
