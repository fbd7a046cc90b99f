//! References between components: callees, initial nodes, and the nodes that ports stand for.
//!
//! Linear in the size of the model: one array indexed by symbol serves one callee after the other.

use crate::builder::{RawComponent, RawPort, RsmBuilder, Slots};
use crate::ids::NONE;
use loris_base::{Csr, Diagnostic, Symbol};
use std::ops::Range;

/// Ranges of one component in the raw arrays.
#[derive(Clone)]
pub(crate) struct ComponentGraph {
    pub(crate) nodes: Range<usize>,
    pub(crate) boxes: Range<usize>,
    pub(crate) ports: Range<usize>,
    pub(crate) edges: Range<usize>,
}

pub(crate) fn parts(components: &[RawComponent]) -> Vec<ComponentGraph> {
    let mut part = ComponentGraph { nodes: 0..0, boxes: 0..0, ports: 0..0, edges: 0..0 };
    let mut parts = Vec::with_capacity(components.len());
    for raw in components {
        part = ComponentGraph {
            nodes: part.nodes.end..raw.nodes_end as usize,
            boxes: part.boxes.end..raw.boxes_end as usize,
            ports: part.ports.end..raw.ports_end as usize,
            edges: part.edges.end..raw.edges_end as usize,
        };
        parts.push(part.clone());
    }
    parts
}

/// The names that components use for each other, resolved.
pub(crate) struct Resolved {
    /// the callee of every box, `NONE` where there is no such component
    pub(crate) callees: Vec<u32>,
    /// the callee's node each port stands for, counted within the callee, `NONE` where that is
    /// wrong
    pub(crate) ports: Vec<u32>,
    /// the initial component and its initial nodes, counted within it
    pub(crate) initial: Option<(u32, Vec<u32>)>,
}

pub(crate) fn resolve(raw: &mut RsmBuilder, parts: &[ComponentGraph]) -> Resolved {
    let mut slots = Slots::default();
    let callees = callees(raw);
    let initial = initial(raw, parts, &mut slots);
    let ports = ports(raw, parts, &callees, &mut slots);
    for (component, part) in raw.components.iter_mut().zip(parts) {
        component.lost_edges |= ports[part.ports.clone()].contains(&NONE);
    }
    Resolved { callees, ports, initial }
}

/// The names of all components, for one that is misspelt.
fn component_names(raw: &RsmBuilder) -> Vec<Symbol> {
    raw.components.iter().map(|component| component.name).collect()
}

fn callees(raw: &mut RsmBuilder) -> Vec<u32> {
    let mut callees = Vec::with_capacity(raw.boxes.len());
    for number in 0..raw.boxes.len() {
        let site = &raw.boxes[number];
        let callee = raw.by_name.get(&site.callee).copied();
        callees.push(callee.unwrap_or(NONE));
        if callee.is_none() && !raw.lost_component {
            let (name, offset, text) = (site.callee, site.callee_offset, &raw.names[site.name]);
            let callee = &raw.names[name];
            let message = format!("box \"{text}\" calls component \"{callee}\", which does not exist");
            raw.problem_with_name(Diagnostic::error(offset, 0, message), name, component_names);
        }
    }
    callees
}

fn initial(raw: &mut RsmBuilder, parts: &[ComponentGraph], slots: &mut Slots) -> Option<(u32, Vec<u32>)> {
    let component = initial_component(raw)?;
    if raw.lost_initial {
        return None;
    }
    let nodes = parts[component as usize].nodes.clone();
    let incomplete = raw.components[component as usize].incomplete;
    slots.reset(raw.names.len());
    for (i, node) in raw.nodes[nodes.clone()].iter().enumerate() {
        slots.set(node.name, i as u32);
    }
    let mut chosen = vec![false; nodes.len()];
    let mut initial = Vec::new();
    let named = std::mem::take(&mut raw.initial_nodes);
    for &(name, offset) in &named {
        if let Some(node) = slots.get(name) {
            if !std::mem::replace(&mut chosen[node as usize], true) {
                initial.push(node);
            }
        } else if incomplete {
            return None;
        } else {
            let owner = &raw.names[raw.components[component as usize].name];
            let message =
                format!("the initial node \"{}\" is not a node of component \"{owner}\"", &raw.names[name]);
            let known = |raw: &RsmBuilder| raw.nodes[nodes.clone()].iter().map(|node| node.name).collect();
            raw.problem_with_name(Diagnostic::error(offset, 0, message), name, known);
        }
    }
    if named.is_empty() {
        let entries = raw.nodes[nodes].iter().enumerate().filter(|(_, node)| node.entry);
        initial.extend(entries.map(|(i, _)| i as u32));
        if initial.is_empty() && !incomplete {
            let owner = &raw.components[component as usize];
            let message = format!("the initial component \"{}\" has no entry", &raw.names[owner.name]);
            let problem = Diagnostic::error(owner.offset, 0, message);
            raw.problems.push(problem.help("mark an entry or name \"initial_nodes\""));
        }
    }
    Some((component, initial))
}

fn initial_component(raw: &mut RsmBuilder) -> Option<u32> {
    let Some((name, offset)) = raw.initial else {
        return (!raw.lost_initial).then_some(0);
    };
    let found = raw.by_name.get(&name).copied();
    if found.is_none() && !raw.lost_component {
        let message = format!("the initial component \"{}\" does not exist", &raw.names[name]);
        raw.problem_with_name(Diagnostic::error(offset, 0, message), name, component_names);
    }
    found
}

fn ports(raw: &mut RsmBuilder, parts: &[ComponentGraph], callees: &[u32], slots: &mut Slots) -> Vec<u32> {
    let mut resolved = vec![NONE; raw.ports.len()];
    let callee_of_port = parts.iter().flat_map(|part| {
        raw.ports[part.ports.clone()].iter().zip(part.ports.clone()).filter_map(move |(port, number)| {
            let callee = callees[part.boxes.start + port.site as usize];
            (callee != NONE).then_some((callee, number as u32))
        })
    });
    let by_callee = Csr::from_pairs(parts.len(), callee_of_port);
    for (callee, part) in parts.iter().enumerate() {
        if by_callee.row(callee).is_empty() {
            continue;
        }
        slots.reset(raw.names.len());
        for (i, node) in raw.nodes[part.nodes.clone()].iter().enumerate() {
            slots.set(node.name, i as u32);
        }
        for &number in by_callee.row(callee) {
            let port = &raw.ports[number as usize];
            let found = slots.get(port.node);
            let node = found.map(|node| part.nodes.start + node as usize);
            match wrong_port(raw, callee, port, node) {
                None => resolved[number as usize] = found.unwrap_or(NONE),
                Some(_) if raw.components[callee].incomplete => {}
                Some(message) => {
                    let (name, offset) = (port.node, port.offset);
                    let known = |raw: &RsmBuilder| ports_meant(raw, part, &raw.ports[number as usize]);
                    raw.problem_with_name(Diagnostic::error(offset, 0, message), name, known);
                }
            }
        }
    }
    resolved
}

/// The callee's nodes that this port could stand for.
fn ports_meant(raw: &RsmBuilder, callee: &ComponentGraph, port: &RawPort) -> Vec<Symbol> {
    let (calls, returns) = (port.target || port.listed_call, port.source || port.listed_return);
    let nodes = raw.nodes[callee.nodes.clone()].iter();
    nodes.filter(|node| calls && node.entry || returns && node.exit).map(|node| node.name).collect()
}

fn wrong_port(raw: &RsmBuilder, callee: usize, port: &RawPort, found: Option<usize>) -> Option<String> {
    let (node, component) = (&raw.names[port.node], &raw.names[raw.components[callee].name]);
    let Some(data) = found.map(|found| &raw.nodes[found]) else {
        return Some(format!("component \"{component}\" has no node \"{node}\""));
    };
    if port.target && !data.entry {
        Some(format!("an edge calls \"{node}\", which is not an entry of component \"{component}\""))
    } else if port.source && !data.exit {
        Some(format!("an edge returns from \"{node}\", which is not an exit of component \"{component}\""))
    } else if port.listed_call && !data.entry {
        Some(format!("call node \"{node}\" is not an entry of component \"{component}\""))
    } else if port.listed_return && !data.exit {
        Some(format!("return node \"{node}\" is not an exit of component \"{component}\""))
    } else {
        None
    }
}
