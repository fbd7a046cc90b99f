//! From drafts to a frozen and valid [`Rsm`], or to the list of their problems (lazy-rsm, section
//! 3.1).
//!
//! Two steps. [`RsmBuilder::component`] resolves the names inside a component as soon as it is
//! read, so that only two numbers per edge are kept. [`RsmBuilder::finish`] resolves its references
//! to others, its callees and their entries and exits (`resolve`), checks that no run gets stuck
//! (`totality`), and freezes (`freeze`). All are linear in their input and output: names are
//! resolved through arrays indexed by symbol.

use crate::draft::{Draft, Reference};
use crate::ids::NONE;
use crate::source_map::SourceMap;
use loris_base::{Csr, Diagnostic, Diagnostics, Idx, NameKey, Names, RecentNames, Symbol, nearest};
use rustc_hash::FxHashMap;

/// Readings of a model that the format leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Semantics {
    /// The meaning of a vertex without successor.
    pub dead_ends: DeadEnds,
    /// How a call of an empty procedure goes on.
    pub empty_calls: EmptyCalls,
}

/// The meaning of a vertex that is not an exit and has no successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DeadEnds {
    /// The model is wrong.
    #[default]
    Error,
    /// The run stays there forever.
    Loop,
    /// The run ends there.
    Stop,
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
    pub(crate) names: Names,
    name_bytes: usize,
    recent: RecentNames,
    /// the symbol after the last one that was asked for
    next: usize,
    pub(crate) problems: Diagnostics,
    pub(crate) components: Vec<RawComponent>,
    pub(crate) by_name: FxHashMap<Symbol, u32>,
    pub(crate) nodes: Vec<RawNode>,
    pub(crate) labels: Csr,
    pub(crate) boxes: Vec<RawBox>,
    pub(crate) ports: Vec<RawPort>,
    pub(crate) edges: Vec<(u32, u32)>,
    pub(crate) source_map: SourceMap,
    /// per symbol: the node or box of the component at hand that has this name
    node_slots: Slots,
    box_slots: Slots,
    /// the ports of the component at hand
    own_ports: Ports,
    pub(crate) initial: Option<(Symbol, u64)>,
    pub(crate) initial_nodes: Vec<(Symbol, u64)>,
    /// a front end could not read some component, or the initial one: not to be reported as missing
    pub(crate) lost_component: bool,
    pub(crate) lost_initial: bool,
}

pub(crate) struct RawComponent {
    pub(crate) name: Symbol,
    pub(crate) offset: u64,
    pub(crate) nodes_end: u32,
    pub(crate) boxes_end: u32,
    pub(crate) ports_end: u32,
    pub(crate) edges_end: u32,
    /// some of it could not be read
    pub(crate) incomplete: bool,
    /// some of its edges are not known: an apparent dead end may be none
    pub(crate) lost_edges: bool,
}

pub(crate) struct RawNode {
    pub(crate) name: Symbol,
    pub(crate) offset: u64,
    pub(crate) entry: bool,
    pub(crate) exit: bool,
}

pub(crate) struct RawBox {
    pub(crate) name: Symbol,
    pub(crate) callee: Symbol,
    pub(crate) offset: u64,
    pub(crate) callee_offset: u64,
}

#[expect(clippy::struct_excessive_bools, reason = "four independent ways to mention a port")]
pub(crate) struct RawPort {
    /// the box, counted within the component
    pub(crate) site: u32,
    pub(crate) node: Symbol,
    pub(crate) offset: u64,
    pub(crate) source: bool,
    pub(crate) target: bool,
    pub(crate) listed_return: bool,
    pub(crate) listed_call: bool,
}

/// A map from symbols to numbers that is emptied in O(1).
#[derive(Default)]
pub(crate) struct Slots {
    slots: Vec<(u32, u32)>,
    stamp: u32,
}

impl Slots {
    pub(crate) fn reset(&mut self, names: usize) {
        self.stamp += 1;
        self.slots.resize(names.max(self.slots.len()), (0, 0));
    }

    pub(crate) fn get(&self, symbol: Symbol) -> Option<u32> {
        let (stamp, value) = self.slots[symbol.index()];
        (stamp == self.stamp).then_some(value)
    }

    /// Sets a value; false if there was one, which is kept.
    pub(crate) fn set(&mut self, symbol: Symbol, value: u32) -> bool {
        let slot = &mut self.slots[symbol.index()];
        let new = slot.0 != self.stamp;
        if new {
            *slot = (self.stamp, value);
        }
        new
    }
}

impl RsmBuilder {
    /// The symbol of a name, to be used in drafts.
    ///
    /// # Panics
    /// When all names together pass 4 GiB; check with [`RsmBuilder::has_room`] before.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        let key = NameKey::of(name.as_bytes());
        self.known_symbol(key, name.as_bytes()).unwrap_or_else(|| self.new_symbol(key, name))
    }

    /// The symbol of a name that was met before, with its key.
    #[inline]
    pub(crate) fn known_symbol(&mut self, key: NameKey, name: &[u8]) -> Option<Symbol> {
        if let Some(near) = self.near_symbol(key, name) {
            return Some(near);
        }
        let symbol = self.names.find_key(key, name)?;
        self.next = symbol.index() + 1;
        self.recent.add(key, name.len(), symbol);
        Some(symbol)
    }

    /// The same if it can be found without a search in a large table: a name is mostly used near
    /// where it was used before.
    #[inline]
    pub(crate) fn near_symbol(&mut self, key: NameKey, name: &[u8]) -> Option<Symbol> {
        if let Some(recent) = self.recent.find(key, name, &self.names) {
            self.next = recent.index() + 1;
            return Some(recent);
        }
        // names are often asked for in the order in which they came
        let next = Symbol::new(self.next);
        let is_next = self.next < self.names.len() && self.names.has_key(next, key, name);
        is_next.then(|| {
            self.next += 1;
            self.recent.add(key, name.len(), next);
            next
        })
    }

    /// The symbol of a name that is met for the first time, with its key.
    pub(crate) fn new_symbol(&mut self, key: NameKey, name: &str) -> Symbol {
        let symbol = self.names.intern_key(key, name);
        self.name_bytes += name.len();
        self.recent.add(key, name.len(), symbol);
        symbol
    }

    /// Whether one more name of this length can be kept.
    pub fn has_room(&self, length: usize) -> bool {
        u32::try_from(self.name_bytes.saturating_add(length)).is_ok()
    }

    /// A problem the front end found itself.
    pub fn problem(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// All problems so far, for a front end that cannot go on.
    pub fn into_problems(self) -> Diagnostics {
        self.problems
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
    #[expect(clippy::needless_pass_by_value, reason = "a draft is done with once it is added")]
    pub fn component(&mut self, draft: Draft) {
        self.component_from(&draft);
    }

    /// Adds a component and leaves the draft to be used again.
    pub fn component_from(&mut self, draft: &Draft) {
        let number = self.components.len() as u32;
        let first = *self.by_name.entry(draft.name).or_insert(number);
        if first != number {
            let message = format!("component \"{}\" is defined twice", &self.names[draft.name]);
            self.problems.push(Diagnostic::error(draft.offset, 0, message));
        }
        let problems = self.problems.len();
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
            incomplete: draft.incomplete,
            lost_edges: draft.incomplete || self.problems.len() > problems,
        });
    }

    fn add_nodes(&mut self, draft: &Draft) {
        self.source_map.nodes.append(&draft.source_map.nodes, self.nodes.len() as u32);
        self.node_slots.reset(self.names.len());
        let mut labels_start = 0;
        for (i, node) in draft.nodes.iter().enumerate() {
            if !self.node_slots.set(node.name, i as u32) {
                let message =
                    format!("node \"{}\" is defined twice in this component", &self.names[node.name]);
                self.problems.push(Diagnostic::error(node.offset, 0, message));
            }
            let labels_end = node.labels_end as usize;
            let labels = &draft.labels[labels_start..labels_end];
            self.labels.push_row(labels.iter().map(|label| label.index() as u32));
            labels_start = labels_end;
            let (name, offset) = (node.name, node.offset);
            self.nodes.push(RawNode { name, offset, entry: node.entry, exit: node.exit });
        }
    }

    fn add_boxes(&mut self, draft: &Draft) {
        self.source_map.boxes.append(&draft.source_map.boxes, self.boxes.len() as u32);
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
        let mut ports = std::mem::take(&mut self.own_ports);
        let sources: Vec<u32> =
            draft.sources.iter().map(|source| self.resolve(draft, source, &mut ports)).collect();
        let first_edge = self.edges.len();
        for (&source, target) in draft.target_sources.iter().zip(&draft.targets) {
            let (source, target) = (sources[source as usize], self.resolve(draft, target, &mut ports));
            if source != NONE && target != NONE {
                self.edges.push((source, target));
            }
        }
        for listed in &draft.ports {
            let port = ports.number(listed.site, listed.node, listed.offset);
            let port = &mut ports.list[port as usize];
            if listed.returns { port.listed_return = true } else { port.listed_call = true }
        }
        let place = ports.places();
        for (source, target) in &mut self.edges[first_edge..] {
            if let Some(port) = source.checked_sub(node_count) {
                ports.list[port as usize].source = true;
                *source = node_count + place[port as usize];
            }
            if let Some(port) = target.checked_sub(node_count) {
                ports.list[port as usize].target = true;
                *target = node_count + place[port as usize];
            }
        }
        // stable, as `places` is
        ports.list.sort_by_key(|port| port.site);
        self.ports.append(&mut ports.list);
        ports.clear();
        self.own_ports = ports;
    }

    /// The number of the vertex a reference names, `NONE` if there is no such vertex.
    fn resolve(&mut self, draft: &Draft, reference: &Reference, ports: &mut Ports) -> u32 {
        let Some(name) = reference.site() else {
            return self.node_slots.get(reference.node).unwrap_or_else(|| {
                let known = |_: &Self| draft.nodes.iter().map(|node| node.name).collect();
                self.unknown(draft, "node", reference.node, reference.offset(), known)
            });
        };
        if let Some(site) = self.box_slots.get(name) {
            draft.nodes.len() as u32 + ports.number(site, reference.node, reference.offset())
        } else {
            let known = |_: &Self| draft.boxes.iter().map(|site| site.name).collect();
            self.unknown(draft, "box", name, reference.site_offset(), known)
        }
    }

    #[cold]
    fn unknown(
        &mut self,
        draft: &Draft,
        what: &str,
        name: Symbol,
        offset: u64,
        known: impl FnOnce(&Self) -> Vec<Symbol>,
    ) -> u32 {
        if !draft.incomplete {
            let (owner, text) = (&self.names[draft.name], &self.names[name]);
            let message = format!("component \"{owner}\" has no {what} \"{text}\"");
            self.problem_with_name(Diagnostic::error(offset, 0, message), name, known);
        }
        NONE
    }

    /// Reports a misspelt name with the nearest known one. Past the hundredth problem there is no
    /// such search, since it looks at all candidates.
    pub(crate) fn problem_with_name(
        &mut self,
        problem: Diagnostic,
        name: Symbol,
        known: impl FnOnce(&Self) -> Vec<Symbol>,
    ) {
        if self.problems.len() >= 100 {
            self.problems.push(problem);
            return;
        }
        let others = known(self).into_iter().filter(|&symbol| symbol != name);
        let near = nearest(&self.names[name], others.map(|symbol| &self.names[symbol]));
        let problem = match near {
            Some(near) => problem.help(format!("did you mean \"{near}\"?")),
            None => problem,
        };
        self.problems.push(problem);
    }
}

/// The ports of one component, numbered as they are met.
#[derive(Default)]
struct Ports {
    list: Vec<RawPort>,
    numbers: FxHashMap<(u32, Symbol), u32>,
}

impl Ports {
    /// Forgets all ports. A large table is given back, as emptying it takes time for all its room.
    fn clear(&mut self) {
        self.list.clear();
        if self.numbers.capacity() > 1 << 10 {
            self.numbers = FxHashMap::default();
        } else {
            self.numbers.clear();
        }
    }

    fn number(&mut self, site: u32, node: Symbol, offset: u64) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry((site, node)).or_insert_with(|| {
            list.push(RawPort {
                site,
                node,
                offset,
                source: false,
                target: false,
                listed_return: false,
                listed_call: false,
            });
            list.len() as u32 - 1
        })
    }

    /// Where each port stands once they are sorted by box.
    fn places(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.list.len() as u32).collect();
        order.sort_by_key(|&port| self.list[port as usize].site);
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        place
    }
}
