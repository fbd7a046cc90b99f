//! Drafts in, a frozen and valid [`Rsm`] out, or all that is wrong with them (lazy-rsm, section 3.1).
//!
//! Two steps. [`RsmBuilder::component`] resolves what a component says of itself as soon as it is
//! read, so that only two numbers an edge are kept. [`RsmBuilder::finish`] resolves what it says of
//! others, its callees and their entries and exits, checks that no run gets stuck, and freezes.
//! Both are linear in their input: names are resolved through arrays indexed by symbol.

use crate::draft::{Draft, Reference};
use crate::model::{CallSite, Component, ComponentId, LabelId, NONE, Rsm, Vertex, VertexData};
use loris_base::{Csr, Diagnostic, Diagnostics, Idx, IndexVec, Names, Symbol, nearest};
use rustc_hash::FxHashMap;

/// Readings of a model that the format leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Semantics {
    /// What a vertex without successor means.
    pub dead_ends: DeadEnds,
    /// How a call of an empty procedure goes on.
    pub empty_calls: EmptyCalls,
}

/// What a vertex that is no exit and has no successor means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DeadEnds {
    /// The model is wrong.
    #[default]
    Error,
    /// The run stays there for ever.
    Loop,
}

/// How a call of a procedure whose entry is its exit goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EmptyCalls {
    /// One state inside, then on after the call.
    #[default]
    Pass,
    /// Never: the reading of a published tool, for comparison with its figures only.
    Stuck,
}

/// Collects components and makes a machine of them.
#[derive(Default)]
pub struct RsmBuilder {
    names: Names,
    problems: Diagnostics,
    components: Vec<RawComponent>,
    by_name: FxHashMap<Symbol, u32>,
    nodes: Vec<RawNode>,
    labels: Csr,
    boxes: Vec<RawBox>,
    ports: Vec<RawPort>,
    edges: Vec<(u32, u32)>,
    /// per symbol: the component that used it last as a node or box name, and as which
    node_slots: Slots,
    box_slots: Slots,
    initial: Option<(Symbol, u64)>,
    initial_nodes: Vec<(Symbol, u64)>,
}

struct RawComponent {
    name: Symbol,
    offset: u64,
    nodes_end: u32,
    boxes_end: u32,
    ports_end: u32,
    edges_end: u32,
}

struct RawNode {
    name: Symbol,
    offset: u64,
    entry: bool,
    exit: bool,
}

struct RawBox {
    name: Symbol,
    callee: Symbol,
    offset: u64,
    callee_offset: u64,
}

struct RawPort {
    /// the box, counted within the component
    site: u32,
    node: Symbol,
    offset: u64,
    source: bool,
    target: bool,
    listed_return: bool,
    listed_call: bool,
}

/// A map from symbols to numbers that is emptied in O(1).
#[derive(Default)]
struct Slots {
    slots: Vec<(u32, u32)>,
    stamp: u32,
}

impl Slots {
    fn reset(&mut self, names: usize) {
        self.stamp += 1;
        self.slots.resize(names.max(self.slots.len()), (0, 0));
    }

    fn get(&self, symbol: Symbol) -> Option<u32> {
        let (stamp, value) = self.slots[symbol.index()];
        (stamp == self.stamp).then_some(value)
    }

    /// Sets a value; false if there was one.
    fn set(&mut self, symbol: Symbol, value: u32) -> bool {
        let slot = &mut self.slots[symbol.index()];
        let new = slot.0 != self.stamp;
        *slot = (self.stamp, value);
        new
    }
}

impl RsmBuilder {
    /// The symbol of a name, to be used in drafts.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        self.names.intern(name)
    }

    /// A problem the front end found itself.
    pub fn problem(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// Whether no component has been added.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Names the component where runs start; without this it is the first.
    pub fn initial_component(&mut self, name: Symbol, offset: u64) {
        self.initial = Some((name, offset));
    }

    /// Adds an initial node; without any, all entries of the initial component are initial.
    pub fn initial_node(&mut self, name: Symbol, offset: u64) {
        self.initial_nodes.push((name, offset));
    }

    /// Adds a component.
    pub fn component(&mut self, draft: Draft) {
        self.component_from(&draft);
    }

    /// Adds a component and leaves the draft to be used again.
    pub fn component_from(&mut self, draft: &Draft) {
        let number = self.components.len() as u32;
        if self.by_name.insert(draft.name, number).is_some() {
            let message = format!("component \"{}\" is defined twice", &self.names[draft.name]);
            self.problems.push(Diagnostic::error(draft.offset, 0, message));
        }
        self.add_nodes(draft);
        self.add_boxes(draft);
        self.add_edges(draft);
        self.components.push(RawComponent {
            name: draft.name,
            offset: draft.offset,
            nodes_end: self.nodes.len() as u32,
            boxes_end: self.boxes.len() as u32,
            ports_end: self.ports.len() as u32,
            edges_end: self.edges.len() as u32,
        });
    }

    fn add_nodes(&mut self, draft: &Draft) {
        self.node_slots.reset(self.names.len());
        let mut labels_start = 0;
        for (i, node) in draft.nodes.iter().enumerate() {
            if !self.node_slots.set(node.name, i as u32) {
                let message =
                    format!("node \"{}\" is defined twice in this component", &self.names[node.name]);
                self.problems.push(Diagnostic::error(node.offset, 0, message));
            }
            let labels_end = node.labels_end as usize;
            self.labels
                .push_row(draft.labels[labels_start..labels_end].iter().map(|label| label.index() as u32));
            labels_start = labels_end;
            self.nodes.push(RawNode {
                name: node.name,
                offset: node.offset,
                entry: node.entry,
                exit: node.exit,
            });
        }
    }

    fn add_boxes(&mut self, draft: &Draft) {
        self.box_slots.reset(self.names.len());
        for (i, site) in draft.boxes.iter().enumerate() {
            if !self.box_slots.set(site.name, i as u32) {
                let message =
                    format!("box \"{}\" is defined twice in this component", &self.names[site.name]);
                self.problems.push(Diagnostic::error(site.offset, 0, message));
            }
            self.boxes.push(RawBox {
                name: site.name,
                callee: site.callee,
                offset: site.offset,
                callee_offset: site.callee_offset,
            });
        }
    }

    /// Resolves edges to numbers within the component: its nodes, then its ports box by box.
    fn add_edges(&mut self, draft: &Draft) {
        let node_count = draft.nodes.len() as u32;
        let mut ports: Vec<RawPort> = Vec::new();
        let mut numbers: FxHashMap<(u32, Symbol), u32> = FxHashMap::default();
        let mut port = |site: u32, node: Symbol, offset: u64| -> u32 {
            *numbers.entry((site, node)).or_insert_with(|| {
                ports.push(RawPort {
                    site,
                    node,
                    offset,
                    source: false,
                    target: false,
                    listed_return: false,
                    listed_call: false,
                });
                ports.len() as u32 - 1
            })
        };
        let mut resolve = |builder: &mut Self, reference: &Reference| -> Option<u32> {
            match reference.site {
                None => builder.local_node(draft, reference),
                Some(site) => {
                    let site = builder.local_box(draft, site, reference.offset)?;
                    Some(node_count + port(site, reference.node, reference.offset))
                }
            }
        };
        let sources: Vec<Option<u32>> = draft.sources.iter().map(|source| resolve(self, source)).collect();
        let first_edge = self.edges.len();
        for (source, target) in &draft.targets {
            let target = resolve(self, target);
            if let (Some(source), Some(target)) = (sources[*source as usize], target) {
                self.edges.push((source, target));
            }
        }
        let listed: Vec<u32> =
            draft.ports.iter().map(|listed| port(listed.site, listed.node, listed.offset)).collect();
        for (listed, &number) in draft.ports.iter().zip(&listed) {
            let raw = &mut ports[number as usize];
            if listed.returns { raw.listed_return = true } else { raw.listed_call = true }
        }
        // group the ports by box
        let mut order: Vec<u32> = (0..ports.len() as u32).collect();
        order.sort_by_key(|&number| ports[number as usize].site);
        let mut place = vec![0u32; ports.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        let renumber = |vertex: &mut u32| {
            if *vertex >= node_count {
                *vertex = node_count + place[(*vertex - node_count) as usize];
            }
        };
        for (source, target) in &mut self.edges[first_edge..] {
            if *source >= node_count {
                ports[(*source - node_count) as usize].source = true;
            }
            if *target >= node_count {
                ports[(*target - node_count) as usize].target = true;
            }
            renumber(source);
            renumber(target);
        }
        let mut ports: Vec<Option<RawPort>> = ports.into_iter().map(Some).collect();
        self.ports.extend(order.iter().filter_map(|&old| ports[old as usize].take()));
    }

    fn local_node(&mut self, draft: &Draft, reference: &Reference) -> Option<u32> {
        let found = self.node_slots.get(reference.node);
        if found.is_none() {
            let name = &self.names[reference.node];
            let known = draft.nodes.iter().map(|node| &self.names[node.name]);
            let problem = Diagnostic::error(
                reference.offset,
                0,
                format!("component \"{}\" has no node \"{name}\"", &self.names[draft.name]),
            );
            let problem = suggest(problem, name, known);
            self.problems.push(problem);
        }
        found
    }

    fn local_box(&mut self, draft: &Draft, site: Symbol, offset: u64) -> Option<u32> {
        let found = self.box_slots.get(site);
        if found.is_none() {
            let name = &self.names[site];
            let known = draft.boxes.iter().map(|site| &self.names[site.name]);
            let problem = Diagnostic::error(
                offset,
                0,
                format!("component \"{}\" has no box \"{name}\"", &self.names[draft.name]),
            );
            let problem = suggest(problem, name, known);
            self.problems.push(problem);
        }
        found
    }

    /// Checks what components say of each other and freezes the machine; with it come the remarks
    /// that are no errors.
    ///
    /// # Errors
    /// All that is wrong with the model.
    pub fn finish(self, semantics: &Semantics) -> Result<(Rsm, Diagnostics), Diagnostics> {
        freeze::freeze(self, semantics)
    }
}

fn suggest<'a>(problem: Diagnostic, name: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    match nearest(name, known) {
        Some(near) => problem.help(format!("did you mean \"{near}\"?")),
        None => problem,
    }
}

#[path = "freeze.rs"]
mod freeze;
