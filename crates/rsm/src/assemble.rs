//! Machines put together from graphs, for front ends that compute their states: nothing is looked
//! up by name, names of nodes are made when they are asked for, and the edges of a machine without
//! calls are taken as they are.
//!
//! Linear in the machine.

use crate::ids::{BoxId, Component, ComponentId, LabelId, NONE, Vertex};
use crate::labelling::{Labelling, NodeSet};
use crate::model::{ALL, Body, CallSite, Rsm};
use crate::name_table::NameTable;
use crate::node_names::{NodeNames, NodeNaming};
use crate::vertices::{Owners, VertexData, Vertices};
use loris_base::{Budget, Csr, Exhausted, Idx, IndexVec, Names, Symbol};
use std::sync::Arc;

/// A component as a graph. One that is called has one entry and at most one exit.
#[derive(Clone, Debug, Default)]
pub struct ComponentGraph {
    /// Its name.
    pub name: String,
    /// How many nodes it has, numbered from 0.
    pub nodes: usize,
    /// Where runs enter it.
    pub entries: Vec<u32>,
    /// Where runs leave it.
    pub exits: Vec<u32>,
    /// Its boxes.
    pub boxes: Vec<PartBox>,
    /// The edges of each node, then of each box, where it goes on after the call. Target
    /// `nodes + b` is the call of box `b`. Only exits and dead ends have none.
    pub edges: Csr,
    /// Nodes without a successor of their own, whose edge is the loop they were given; they have
    /// none where runs end there. Number `nodes + b` is the return from box `b`.
    pub dead_ends: Vec<u32>,
}

/// A box of a [`ComponentGraph`].
#[derive(Clone, Debug)]
pub struct PartBox {
    /// Its name.
    pub name: String,
    /// The number of the part it calls.
    pub callee: usize,
}

/// A label of some nodes.
#[derive(Clone, Debug)]
pub struct PartLabel {
    /// Its name.
    pub name: String,
    /// Its nodes, part by part, in ascending order of parts.
    pub nodes: Vec<(usize, NodeSet)>,
}

impl Rsm {
    /// A machine of these parts; runs start at the entries of the first. Labels without nodes stay
    /// known.
    ///
    /// ```
    /// # use loris_base::Csr;
    /// # use loris_rsm::*;
    /// #[derive(Debug)]
    /// struct Numbers;
    /// impl NodeNaming for Numbers {
    ///     fn name(&self, _: ComponentId, node: usize) -> String { node.to_string() }
    ///     fn values(&self, _: ComponentId, _: usize) -> Vec<(&str, String)> { Vec::new() }
    ///     fn find(&self, _: ComponentId, name: &str) -> Option<usize> { name.parse().ok() }
    ///     fn bytes(&self) -> usize { 0 }
    /// }
    /// let edges = Csr::from_pairs(2, [(0, 1), (1, 0)].into_iter());
    /// let flip = ComponentGraph { name: "flip".into(), nodes: 2, entries: vec![0], edges, ..ComponentGraph::default() };
    /// let on = PartLabel { name: "on".into(), nodes: vec![(0, NodeSet::listed(vec![1]))] };
    /// let rsm = Rsm::assemble(vec![flip], vec![on], std::sync::Arc::new(Numbers));
    /// assert_eq!((rsm.edge_count(), &*rsm.vertex_name(rsm.initial()[0])), (2, "0"));
    /// ```
    ///
    /// # Panics
    /// If there is no part, a label comes twice, or a part that is called has not one entry, or has
    /// several exits.
    pub fn assemble(parts: Vec<ComponentGraph>, labels: Vec<PartLabel>, naming: Arc<dyn NodeNaming>) -> Rsm {
        let machine = Self::assemble_within(parts, labels, naming, &mut Budget::unlimited());
        machine.expect("there is no limit")
    }

    /// The same within a budget, which is charged for memory that the parts do not hold already.
    ///
    /// # Errors
    /// The budget ran out.
    ///
    /// # Panics
    /// As [`Rsm::assemble`] does.
    pub fn assemble_within(
        mut parts: Vec<ComponentGraph>,
        labels: Vec<PartLabel>,
        naming: Arc<dyn NodeNaming>,
        budget: &mut Budget,
    ) -> Result<Rsm, Exhausted> {
        assert!(!parts.is_empty(), "a machine has a component");
        let mut names = Names::default();
        let layout = Layout::of(&parts, &mut names, budget)?;
        let edges: usize = parts.iter().map(|part| part.edges.len()).sum();
        let successors = if layout.boxes.is_empty() && parts.len() == 1 {
            std::mem::take(&mut parts[0].edges)
        } else {
            layout.successors(&parts, budget)?
        };
        let callees = layout.boxes.iter().enumerate();
        let callees: Vec<(u32, u32)> =
            callees.map(|(site, data)| (data.callee.index() as u32, site as u32)).collect();
        let (label_names, sets) = layout.labels(labels, &mut names, budget)?;
        let mut labels_by_name: Vec<LabelId> = label_names.ids().collect();
        labels_by_name.sort_unstable_by_key(|&label| &names[label_names[label]]);
        let twice = labels_by_name.windows(2).any(|pair| label_names[pair[0]] == label_names[pair[1]]);
        assert!(!twice, "every label is given once");
        let vertices = layout.vertices.len();
        let dead_ends = layout.dead_ends(&parts);
        let stops = dead_ends.iter().any(|vertex| successors.row(vertex.index()).is_empty());
        let initial_component = ComponentId::new(0);
        let first = &layout.components[initial_component].entries;
        budget.charge(4 * first.len())?;
        let initial = layout.entries[first.start as usize..first.end as usize].to_vec();
        let predecessors = successors.transposed_within(vertices, budget)?;
        let body = Body {
            names: Arc::new(NameTable::of(&names)),
            owners: Owners::of(&layout.components),
            callers: Csr::from_pairs(parts.len(), callees.into_iter()),
            components: layout.components,
            boxes: layout.boxes,
            vertices: layout.vertices,
            node_names: NodeNames::Computed(naming),
            source_map: Arc::default(),
            copies: 1,
            predecessors,
            successors,
            entries: layout.entries,
            exits: layout.exits,
            port_slots: Vec::new(),
            labels: label_names,
            labels_by_name,
            labelling: Labelling::Sets(sets),
            edges,
            stops,
            dead_ends,
        };
        Ok(Rsm { body: Arc::new(body), initial_component, initial })
    }
}

/// Which vertex is where: the nodes of a component, then for each box the port of its callee's
/// entry and that of its exit.
struct Layout {
    components: IndexVec<ComponentId, Component>,
    boxes: IndexVec<BoxId, CallSite>,
    vertices: Vertices,
    entries: Vec<Vertex>,
    exits: Vec<Vertex>,
}

impl Layout {
    fn of(parts: &[ComponentGraph], names: &mut Names, budget: &mut Budget) -> Result<Self, Exhausted> {
        let ports: Vec<u32> = parts.iter().map(ComponentGraph::ports).collect();
        let count = |part: &ComponentGraph| {
            let ports = part.boxes.iter().map(|site| ports[site.callee]).sum::<u32>();
            part.nodes as u32 + ports
        };
        let mut next = 0;
        let firsts: Vec<u32> = parts
            .iter()
            .map(|part| {
                next += count(part);
                next - count(part)
            })
            .collect();
        let mut layout = Self {
            components: IndexVec::new(),
            boxes: IndexVec::new(),
            vertices: Vertices::default(),
            entries: Vec::new(),
            exits: Vec::new(),
        };
        for (number, part) in parts.iter().enumerate() {
            let first_box = layout.boxes.len() as u32;
            let (entries, exits) = (layout.entries.len() as u32, layout.exits.len() as u32);
            layout.nodes(part, firsts[number], budget)?;
            // names of boxes, their ports, and the data of each
            budget.charge(96 * part.boxes.len())?;
            for site in &part.boxes {
                budget.spend(1)?;
                let (callee, first) = (&parts[site.callee], layout.vertices.len() as u32);
                layout.ports(callee, firsts[site.callee]);
                layout.boxes.push(CallSite {
                    name: names.intern(&site.name),
                    owner: ComponentId::new(number),
                    callee: ComponentId::new(site.callee),
                    // an empty callee has one port for its entry and its exit, which is found by
                    // search
                    slots: if callee.is_empty() { NONE } else { ALL },
                    ports: first..layout.vertices.len() as u32,
                });
            }
            layout.components.push(Component {
                name: names.intern(&part.name),
                vertices: firsts[number]..layout.vertices.len() as u32,
                nodes: part.nodes as u32,
                first_name: 0,
                boxes: first_box..layout.boxes.len() as u32,
                entries: entries..layout.entries.len() as u32,
                exits: exits..layout.exits.len() as u32,
            });
        }
        // which component each vertex is of
        budget.charge(layout.vertices.len() / 4)?;
        Ok(layout)
    }

    fn nodes(&mut self, part: &ComponentGraph, first: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let is_special = part.entries.len() + part.exits.len();
        // four bytes for every node before the last that is special, and the data of these
        let before = if part.boxes.is_empty() { is_special } else { part.nodes };
        budget.charge(8 * before + 48 * is_special)?;
        let mut special: Vec<u32> = part.entries.iter().chain(&part.exits).copied().collect();
        special.sort_unstable();
        special.dedup();
        let places = positions(&special, &part.entries).into_iter().zip(positions(&special, &part.exits));
        let mut places = special.iter().zip(places).peekable();
        for node in 0..part.nodes as u32 {
            budget.spend(1)?;
            let place = places.next_if(|(special, _)| **special == node);
            let (entry, exit) = place.map_or((NONE, NONE), |(_, place)| place);
            self.vertices.push(VertexData { node: first + node, site: NONE, entry, exit });
        }
        self.entries.extend(part.entries.iter().map(|&node| Vertex::new((first + node) as usize)));
        self.exits.extend(part.exits.iter().map(|&node| Vertex::new((first + node) as usize)));
        Ok(())
    }

    fn ports(&mut self, callee: &ComponentGraph, first: u32) {
        assert!(
            callee.entries.len() == 1 && callee.exits.len() <= 1,
            "what is called has one way in and out"
        );
        let site = self.boxes.len() as u32;
        let entry = callee.entries[0];
        if callee.is_empty() {
            self.vertices.push(VertexData { node: first + entry, site, entry: 0, exit: 0 });
            return;
        }
        self.vertices.push(VertexData { node: first + entry, site, entry: 0, exit: NONE });
        if let Some(&exit) = callee.exits.first() {
            self.vertices.push(VertexData { node: first + exit, site, entry: NONE, exit: 0 });
        }
    }

    fn successors(&self, parts: &[ComponentGraph], budget: &mut Budget) -> Result<Csr, Exhausted> {
        let (mut successors, mut all): (Csr, Vec<u32>) = (Csr::default(), Vec::new());
        let mut push = |row: &[u32], vertex: &dyn Fn(u32) -> u32| {
            budget.spend(1 + row.len())?;
            all.clear();
            all.extend(row.iter().map(|&target| vertex(target)));
            successors.push_row_within(&all, budget)
        };
        for (part, component) in parts.iter().zip(&self.components) {
            let first_box = component.boxes.start as usize;
            let vertex = |target: u32| match (target as usize).checked_sub(part.nodes) {
                None => component.vertices.start + target,
                Some(site) => self.boxes[BoxId::new(first_box + site)].ports.start,
            };
            for node in 0..part.nodes {
                push(part.edges.row(node), &vertex)?;
            }
            for (number, site) in part.boxes.iter().enumerate() {
                let ports = self.boxes[BoxId::new(first_box + number)].ports.len();
                // the last port is that of the exit, if there is one
                for port in 0..ports {
                    let returns = port + 1 == ports && !parts[site.callee].exits.is_empty();
                    let row = if returns { part.edges.row(part.nodes + number) } else { &[] };
                    push(row, &vertex)?;
                }
            }
        }
        Ok(successors)
    }

    /// The vertices of dead ends. A call that never returns needs no successor.
    fn dead_ends(&self, parts: &[ComponentGraph]) -> Vec<Vertex> {
        let mut dead = Vec::new();
        for (part, component) in parts.iter().zip(&self.components) {
            for &node in &part.dead_ends {
                let vertex = match (node as usize).checked_sub(part.nodes) {
                    None => component.vertices.start + node,
                    Some(site) if parts[part.boxes[site].callee].exits.is_empty() => continue,
                    Some(site) => self.boxes[BoxId::new(component.boxes.start as usize + site)].ports.end - 1,
                };
                dead.push(Vertex::new(vertex as usize));
            }
        }
        dead
    }

    fn labels(
        &self,
        labels: Vec<PartLabel>,
        names: &mut Names,
        budget: &mut Budget,
    ) -> Result<(IndexVec<LabelId, Symbol>, Vec<NodeSet>), Exhausted> {
        let mut symbols = IndexVec::new();
        let mut sets = Vec::with_capacity(labels.len());
        for label in labels {
            symbols.push(names.intern(&label.name));
            let first = |part: usize| self.components[ComponentId::new(part)].vertices.start;
            let one = label.nodes.len() == 1 && first(label.nodes[0].0) == 0;
            sets.push(match label.nodes {
                mut nodes if one => nodes.swap_remove(0).1,
                nodes => {
                    let count = nodes.iter().map(|(_, set)| set.len()).sum::<usize>();
                    budget.charge(4 * count)?;
                    budget.spend(count)?;
                    let all = nodes.iter().flat_map(|(part, set)| {
                        let first = first(*part);
                        set.iter().map(move |node| first + node)
                    });
                    NodeSet::listed(all.collect())
                }
            });
        }
        Ok((symbols, sets))
    }
}

/// For each of some nodes, in ascending order, its position in a list, or `NONE`.
fn positions(nodes: &[u32], list: &[u32]) -> Vec<u32> {
    let mut positions = vec![NONE; nodes.len()];
    for (position, node) in list.iter().enumerate() {
        if let Ok(place) = nodes.binary_search(node) {
            positions[place] = position as u32;
        }
    }
    positions
}

impl ComponentGraph {
    /// Whether its entry is its exit.
    fn is_empty(&self) -> bool {
        self.exits.first().is_some_and(|exit| self.entries.contains(exit))
    }

    /// How many ports a box has that calls it.
    fn ports(&self) -> u32 {
        if self.is_empty() { 1 } else { 1 + self.exits.len().min(1) as u32 }
    }
}
