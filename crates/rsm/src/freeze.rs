//! The second step of building: callees, ports, dead ends, and the frozen arrays.

use super::{
    CallSite, Component, ComponentId, Csr, DeadEnds, Diagnostic, Diagnostics, EmptyCalls, Idx, IndexVec,
    LabelId, NONE, RawComponent, RawPort, Rsm, RsmBuilder, Semantics, Slots, Symbol, Vertex, VertexData,
    suggest,
};

/// Ranges of one component in the raw arrays.
#[derive(Clone)]
struct Part {
    nodes: std::ops::Range<usize>,
    boxes: std::ops::Range<usize>,
    ports: std::ops::Range<usize>,
    edges: std::ops::Range<usize>,
}

fn parts(components: &[RawComponent]) -> Vec<Part> {
    let mut part = Part { nodes: 0..0, boxes: 0..0, ports: 0..0, edges: 0..0 };
    let mut parts = Vec::with_capacity(components.len());
    for raw in components {
        part = Part {
            nodes: part.nodes.end..raw.nodes_end as usize,
            boxes: part.boxes.end..raw.boxes_end as usize,
            ports: part.ports.end..raw.ports_end as usize,
            edges: part.edges.end..raw.edges_end as usize,
        };
        parts.push(part.clone());
    }
    parts
}

pub(super) fn freeze(mut raw: RsmBuilder, semantics: &Semantics) -> Result<(Rsm, Diagnostics), Diagnostics> {
    let parts = parts(&raw.components);
    if raw.components.is_empty() {
        if !raw.problems.has_errors() {
            raw.problems.push(Diagnostic::global("the model has no component"));
        }
        return Err(raw.problems);
    }
    let callees = resolve_callees(&mut raw, &parts);
    let start = resolve_initial(&mut raw, &parts);
    let ports = resolve_ports(&mut raw, &parts, &callees);
    check_edges(&mut raw, &parts, &ports);
    let loops = dead_ends(&mut raw, &parts, &callees, &ports, semantics.dead_ends);
    let Some((initial_component, initial)) = start else { return Err(raw.problems) };
    if raw.problems.has_errors() {
        return Err(raw.problems);
    }
    let problems = std::mem::take(&mut raw.problems);
    let rsm =
        assemble(raw, &parts, &callees, &ports, &loops, initial_component, &initial, semantics.empty_calls);
    Ok((rsm, problems))
}

/// The callee of every box, `NONE` where there is no such component.
fn resolve_callees(raw: &mut RsmBuilder, parts: &[Part]) -> Vec<u32> {
    let mut callees = Vec::with_capacity(raw.boxes.len());
    for part in parts {
        for site in &raw.boxes[part.boxes.clone()] {
            let callee = raw.by_name.get(&site.callee).copied();
            if callee.is_none() {
                let name = &raw.names[site.callee];
                let message = format!(
                    "box \"{}\" calls component \"{name}\", which does not exist",
                    &raw.names[site.name]
                );
                let known = raw.components.iter().map(|component| &raw.names[component.name]);
                raw.problems.push(suggest(Diagnostic::error(site.callee_offset, 0, message), name, known));
            }
            callees.push(callee.unwrap_or(NONE));
        }
    }
    callees
}

/// The initial component and its initial nodes, counted within it.
fn resolve_initial(raw: &mut RsmBuilder, parts: &[Part]) -> Option<(u32, Vec<u32>)> {
    let component = match raw.initial {
        None => 0,
        Some((name, offset)) => {
            if let Some(&component) = raw.by_name.get(&name) {
                component
            } else {
                let text = &raw.names[name];
                let known = raw.components.iter().map(|component| &raw.names[component.name]);
                let problem =
                    Diagnostic::error(offset, 0, format!("the initial component \"{text}\" does not exist"));
                raw.problems.push(suggest(problem, text, known));
                return None;
            }
        }
    };
    let nodes = &raw.nodes[parts[component as usize].nodes.clone()];
    let raw_component = &raw.components[component as usize];
    let mut initial = Vec::new();
    for &(name, offset) in &raw.initial_nodes {
        if let Some(node) = nodes.iter().position(|node| node.name == name) {
            if !initial.contains(&(node as u32)) {
                initial.push(node as u32);
            }
        } else {
            let text = &raw.names[name];
            let message = format!(
                "the initial node \"{text}\" is no node of component \"{}\"",
                &raw.names[raw_component.name]
            );
            let known = nodes.iter().map(|node| &raw.names[node.name]);
            raw.problems.push(suggest(Diagnostic::error(offset, 0, message), text, known));
        }
    }
    if raw.initial_nodes.is_empty() {
        initial.extend(nodes.iter().enumerate().filter(|(_, node)| node.entry).map(|(i, _)| i as u32));
        if initial.is_empty() {
            let message =
                format!("the initial component \"{}\" has no entry", &raw.names[raw_component.name]);
            raw.problems.push(
                Diagnostic::error(raw_component.offset, 0, message)
                    .help("mark an entry or name \"initial_nodes\""),
            );
        }
    }
    Some((component, initial))
}

/// The callee's node each port stands for, counted within the callee, `NONE` where that is wrong.
/// Goes callee by callee, so that one array indexed by symbol serves all.
fn resolve_ports(raw: &mut RsmBuilder, parts: &[Part], callees: &[u32]) -> Vec<u32> {
    let mut resolved = vec![NONE; raw.ports.len()];
    // ports by callee
    let callee_of_port = parts.iter().flat_map(|part| {
        raw.ports[part.ports.clone()].iter().zip(part.ports.clone()).filter_map(move |(port, number)| {
            let callee = callees[part.boxes.start + port.site as usize];
            (callee != NONE).then_some((callee, number as u32))
        })
    });
    let by_callee = Csr::from_pairs(parts.len(), callee_of_port);
    let mut slots = Slots::default();
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
            let problem = match found {
                None => Some(format!(
                    "component \"{}\" has no node \"{}\"",
                    &raw.names[raw.components[callee].name], &raw.names[port.node]
                )),
                Some(node) => wrong_port(raw, part, callee, port, node),
            };
            match problem {
                None => resolved[number as usize] = found.unwrap_or(NONE),
                Some(message) => {
                    let known = raw.nodes[part.nodes.clone()].iter().filter(|node| {
                        (port.target || port.listed_call) && node.entry
                            || (port.source || port.listed_return) && node.exit
                    });
                    let problem = Diagnostic::error(port.offset, 0, message);
                    let known = known.map(|node| &raw.names[node.name]);
                    let problem = suggest(problem, &raw.names[port.node], known);
                    raw.problems.push(problem);
                }
            }
        }
    }
    resolved
}

fn wrong_port(
    raw: &RsmBuilder,
    callee_part: &Part,
    callee: usize,
    port: &RawPort,
    node: u32,
) -> Option<String> {
    let data = &raw.nodes[callee_part.nodes.start + node as usize];
    let (node, component) = (&raw.names[port.node], &raw.names[raw.components[callee].name]);
    if port.target && !data.entry {
        Some(format!("an edge calls \"{node}\", which is no entry of component \"{component}\""))
    } else if port.source && !data.exit {
        Some(format!("an edge returns from \"{node}\", which is no exit of component \"{component}\""))
    } else if port.listed_call && !data.entry {
        Some(format!("call node \"{node}\" is no entry of component \"{component}\""))
    } else if port.listed_return && !data.exit {
        Some(format!("return node \"{node}\" is no exit of component \"{component}\""))
    } else {
        None
    }
}

/// An exit has no edges of its own.
fn check_edges(raw: &mut RsmBuilder, parts: &[Part], _ports: &[u32]) {
    for part in parts {
        let mut last = NONE;
        for &(source, _) in &raw.edges[part.edges.clone()] {
            if source == last || source as usize >= part.nodes.len() {
                continue;
            }
            last = source;
            let node = &raw.nodes[part.nodes.start + source as usize];
            if node.exit {
                let message = format!("exit \"{}\" has an edge of its own", &raw.names[node.name]);
                raw.problems.push(Diagnostic::error(node.offset, 0, message).help(
                    "an exit goes on where its caller's return port leads; let another node lead to it",
                ));
            }
        }
    }
}

/// What is needed so that every state has a successor.
struct Loops {
    /// per component, vertices that get an edge to themselves, counted within it
    vertices: Vec<Vec<u32>>,
    /// (box, exit of the callee): return ports that nothing mentions although a run can get there
    missing: Vec<(u32, u32)>,
}

fn dead_ends(
    raw: &mut RsmBuilder,
    parts: &[Part],
    callees: &[u32],
    ports: &[u32],
    reading: DeadEnds,
) -> Loops {
    let mut loops = Loops { vertices: vec![Vec::new(); parts.len()], missing: Vec::new() };
    let mut problems = Vec::new();
    let mut entered = vec![false; raw.nodes.len()];
    for (c, part) in parts.iter().enumerate() {
        let nodes = part.nodes.len();
        let mut leaves = vec![false; nodes + part.ports.len()];
        for &(source, target) in &raw.edges[part.edges.clone()] {
            leaves[source as usize] = true;
            if (target as usize) < nodes {
                entered[part.nodes.start + target as usize] = true;
            }
        }
        for (i, node) in raw.nodes[part.nodes.clone()].iter().enumerate() {
            if !node.exit && !leaves[i] {
                loops.vertices[c].push(i as u32);
                let message = format!("node \"{}\" is no exit and has no successor", &raw.names[node.name]);
                problems.push(Diagnostic::error(node.offset, 0, message));
            }
        }
        for (i, port) in raw.ports[part.ports.clone()].iter().enumerate() {
            let number = part.ports.start + i;
            let callee = callees[part.boxes.start + port.site as usize];
            if ports[number] == NONE || callee == NONE || leaves[nodes + i] {
                continue;
            }
            let data = &raw.nodes[parts[callee as usize].nodes.start + ports[number] as usize];
            if data.exit && (port.target || port.listed_return) {
                loops.vertices[c].push((nodes + i) as u32);
                let site = &raw.names[raw.boxes[part.boxes.start + port.site as usize].name];
                let message =
                    format!("return port (\"{site}\", \"{}\") has no successor", &raw.names[port.node]);
                problems.push(Diagnostic::error(port.offset, 0, message));
            }
        }
    }
    missing_returns(raw, parts, callees, ports, &entered, &mut loops, &mut problems);
    if reading == DeadEnds::Error {
        for problem in problems {
            raw.problems.push(problem.help("--dead-ends loop lets a run stay there for ever"));
        }
    }
    loops
}

/// Exits of a callee that a run can leave through although the box has no port for them. An exit that
/// no edge leads to is never left through; more is not asked here.
fn missing_returns(
    raw: &RsmBuilder,
    parts: &[Part],
    callees: &[u32],
    ports: &[u32],
    entered: &[bool],
    loops: &mut Loops,
    problems: &mut Vec<Diagnostic>,
) {
    let exits: Vec<Vec<u32>> = parts
        .iter()
        .map(|part| {
            let nodes = raw.nodes[part.nodes.clone()].iter().enumerate();
            nodes
                .filter(|(i, node)| node.exit && entered[part.nodes.start + i])
                .map(|(i, _)| i as u32)
                .collect()
        })
        .collect();
    for part in parts {
        let mut port = part.ports.start;
        for site in part.boxes.clone() {
            let first = port;
            while port < part.ports.end && part.boxes.start + raw.ports[port].site as usize == site {
                port += 1;
            }
            let callee = callees[site];
            let called = (first..port).any(|port| raw.ports[port].target);
            if callee == NONE || !called {
                continue;
            }
            let has = |exit: u32| (first..port).any(|port| ports[port] == exit);
            for &exit in exits[callee as usize].iter().filter(|&&exit| !has(exit)) {
                let name = &raw.names[raw.nodes[parts[callee as usize].nodes.start + exit as usize].name];
                let text = &raw.names[raw.boxes[site].name];
                let message =
                    format!("box \"{text}\" has no edge for a return through exit \"{name}\" of its callee");
                problems.push(Diagnostic::error(raw.boxes[site].offset, 0, message));
                loops.missing.push((site as u32, exit));
            }
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "one call, all of it resolved above")]
#[expect(clippy::too_many_lines, reason = "one array after the other, nothing to share")]
fn assemble(
    mut raw: RsmBuilder,
    parts: &[Part],
    callees: &[u32],
    ports: &[u32],
    loops: &Loops,
    initial_component: u32,
    initial: &[u32],
    empty_calls: EmptyCalls,
) -> Rsm {
    // entries and exits, and each node's position among them
    let mut entries = Vec::new();
    let mut exits = Vec::new();
    let mut positions = vec![(NONE, NONE); raw.nodes.len()];
    let mut components: IndexVec<ComponentId, Component> = IndexVec::new();
    let mut missing = loops.missing.iter().peekable();
    let mut vertex_start = 0u32;
    // first pass: vertex ranges; a port is a vertex if an edge touches it or it loops
    let mut vertex_of_port = vec![NONE; raw.ports.len()];
    let mut extra: Vec<(u32, u32, u32)> = Vec::new();
    for (c, part) in parts.iter().enumerate() {
        let (entry_start, exit_start) = (entries.len() as u32, exits.len() as u32);
        for (i, node) in raw.nodes[part.nodes.clone()].iter().enumerate() {
            let vertex = Vertex::new(vertex_start as usize + i);
            let position = &mut positions[part.nodes.start + i];
            if node.entry {
                position.0 = entries.len() as u32 - entry_start;
                entries.push(vertex);
            }
            if node.exit {
                position.1 = exits.len() as u32 - exit_start;
                exits.push(vertex);
            }
        }
        let mut next = vertex_start + part.nodes.len() as u32;
        let mut port = part.ports.start;
        for site in part.boxes.clone() {
            while port < part.ports.end && part.boxes.start + raw.ports[port].site as usize == site {
                let data = &raw.ports[port];
                let looped = loops.vertices[c]
                    .binary_search(&((port - part.ports.start + part.nodes.len()) as u32))
                    .is_ok();
                if data.source || data.target || looped {
                    vertex_of_port[port] = next;
                    next += 1;
                }
                port += 1;
            }
            while let Some(&&(at, exit)) = missing.peek() {
                if at as usize != site {
                    break;
                }
                extra.push((at, exit, next));
                next += 1;
                missing.next();
            }
        }
        components.push(Component {
            name: raw.components[c].name,
            vertices: vertex_start..next,
            nodes: part.nodes.len() as u32,
            boxes: part.boxes.start as u32..part.boxes.end as u32,
            entries: entry_start..entries.len() as u32,
            exits: exit_start..exits.len() as u32,
        });
        vertex_start = next;
    }
    let total = vertex_start as usize;

    // vertices and boxes
    let mut vertices: IndexVec<Vertex, VertexData> = IndexVec::new();
    let mut boxes = IndexVec::new();
    let mut port_slots = Vec::new();
    let mut extra_ports = extra.iter().peekable();
    for (c, part) in parts.iter().enumerate() {
        for (i, node) in raw.nodes[part.nodes.clone()].iter().enumerate() {
            let (entry, exit) = positions[part.nodes.start + i];
            let node_vertex = vertices.len() as u32;
            vertices.push(VertexData {
                node: node_vertex,
                site: NONE,
                entry,
                exit,
                owner: c as u32,
                name: node.name,
            });
        }
        let mut port = part.ports.start;
        for site in part.boxes.clone() {
            let callee = ComponentId::new(callees[site] as usize);
            let callee_data = &components[callee];
            let callee_nodes = parts[callee.index()].nodes.start;
            let slots = port_slots.len();
            port_slots.resize(slots + callee_data.entries.len() + callee_data.exits.len(), NONE);
            let first = vertices.len() as u32;
            let mut add = |node: u32, vertices: &mut IndexVec<Vertex, VertexData>| {
                let (entry, exit) = positions[callee_nodes + node as usize];
                let number = vertices.len() as u32;
                vertices.push(VertexData {
                    node: callee_data.vertices.start + node,
                    site: site as u32,
                    entry,
                    exit,
                    owner: c as u32,
                    name: raw.nodes[callee_nodes + node as usize].name,
                });
                if entry != NONE {
                    port_slots[slots + entry as usize] = number;
                }
                if exit != NONE {
                    port_slots[slots + callee_data.entries.len() + exit as usize] = number;
                }
            };
            while port < part.ports.end && part.boxes.start + raw.ports[port].site as usize == site {
                if vertex_of_port[port] != NONE {
                    add(ports[port], &mut vertices);
                }
                port += 1;
            }
            while let Some(&&(at, exit, _)) = extra_ports.peek() {
                if at as usize != site {
                    break;
                }
                add(exit, &mut vertices);
                extra_ports.next();
            }
            boxes.push(CallSite {
                name: raw.boxes[site].name,
                owner: ComponentId::new(c),
                callee,
                slots: slots as u32,
                ports: first..vertices.len() as u32,
            });
        }
    }
    debug_assert_eq!(vertices.len(), total);

    // edges, with loops where a run would be stuck
    let listed = raw.edges.len();
    let mut dead: Vec<Vertex> = Vec::new();
    let stuck = |vertex: u32| {
        let data: &VertexData = &vertices[Vertex::new(vertex as usize)];
        empty_calls == EmptyCalls::Stuck && data.site != NONE && data.entry != NONE && data.exit != NONE
    };
    let mut edges: Vec<(u32, u32)> = std::mem::take(&mut raw.edges);
    for (c, part) in parts.iter().enumerate() {
        let start = components[ComponentId::new(c)].vertices.start;
        let nodes = part.nodes.len() as u32;
        let global = |local: u32| {
            if local < nodes {
                start + local
            } else {
                vertex_of_port[part.ports.start + (local - nodes) as usize]
            }
        };
        for (source, target) in &mut edges[part.edges.clone()] {
            (*source, *target) = (global(*source), global(*target));
        }
        dead.extend(loops.vertices[c].iter().map(|&local| Vertex::new(global(local) as usize)));
    }
    dead.extend(extra.iter().map(|&(_, _, vertex)| Vertex::new(vertex as usize)));
    if empty_calls == EmptyCalls::Stuck {
        edges.retain(|&(source, _)| !stuck(source));
        edges.extend((0..total as u32).filter(|&vertex| stuck(vertex)).map(|vertex| (vertex, vertex)));
        dead.retain(|vertex| !stuck(vertex.index() as u32));
    }
    edges.extend(dead.iter().map(|vertex| (vertex.index() as u32, vertex.index() as u32)));
    let successors = Csr::from_pairs(total, edges.iter().copied());
    let predecessors = Csr::from_pairs(total, edges.iter().map(|&(source, target)| (target, source)));
    drop(edges);
    let callers = Csr::from_pairs(
        components.len(),
        callees.iter().enumerate().map(|(site, &callee)| (callee, site as u32)),
    );

    let (labels, label_of, vertex_labels) = label_rows(&raw, parts, &components, total);
    let label_vertices = vertex_labels.transposed(labels.len());
    let first = components[ComponentId::new(initial_component as usize)].vertices.start;
    raw.names.shrink_to_fit();
    Rsm {
        names: raw.names,
        boxes,
        vertices,
        successors,
        predecessors,
        entries,
        exits,
        port_slots,
        callers,
        labels,
        label_of,
        vertex_labels,
        label_vertices,
        initial_component: ComponentId::new(initial_component as usize),
        initial: initial.iter().map(|&node| Vertex::new((first + node) as usize)).collect(),
        edges: listed,
        dead_ends: dead,
        components,
    }
}

type LabelRows = (IndexVec<LabelId, Symbol>, Vec<Option<LabelId>>, Csr);

fn label_rows(
    raw: &RsmBuilder,
    parts: &[Part],
    components: &IndexVec<ComponentId, Component>,
    total: usize,
) -> LabelRows {
    let mut labels = IndexVec::new();
    let mut label_of: Vec<Option<LabelId>> = vec![None; raw.names.len()];
    let mut rows = Csr::default();
    let mut row: Vec<u32> = Vec::new();
    for (part, component) in parts.iter().zip(components) {
        for node in part.nodes.clone() {
            row.clear();
            for &symbol in raw.labels.row(node) {
                let label = label_of[symbol as usize]
                    .get_or_insert_with(|| labels.push(Symbol::new(symbol as usize)));
                row.push(label.index() as u32);
            }
            row.sort_unstable();
            row.dedup();
            rows.push_row(row.iter().copied());
        }
        for _ in part.nodes.len()..component.vertices.len() {
            rows.push_row([]);
        }
    }
    debug_assert_eq!(rows.rows(), total);
    (labels, label_of, rows)
}
