//! The rows of a machine, in the order of its vertices.
//!
//! Nothing is looked up by name. Linear in the machine, but for the calls of several entries at one
//! box.

use super::heads::{Heads, POP, SWAP};
use super::labels::Labels;
use super::layout::{Layout, SitesOf};
use super::names::Naming;
use super::plan::Plan;
use super::rows::Rows;
use crate::builder::{DeadEnds, EmptyCalls, Semantics};
use crate::freeze::slots;
use crate::ids::{BoxId, ComponentId, NONE, Vertex};
use crate::totality;
use crate::vertices::VertexData;
use loris_base::{Budget, Diagnostic, Exhausted, Idx, Symbol, has_bit, ones};

/// All that rows are made from.
#[derive(Clone, Copy)]
pub(super) struct All<'a> {
    pub(super) heads: &'a Heads,
    pub(super) plan: &'a Plan,
    pub(super) layout: &'a Layout,
    pub(super) naming: &'a Naming,
    pub(super) labels: &'a Labels,
    pub(super) semantics: Semantics,
}

impl All<'_> {
    /// The rows of all components, with this memory for a list. The budget is charged for them.
    pub(super) fn rows(self, mut local: Vec<u32>, budget: &mut Budget) -> Result<Rows, Exhausted> {
        let (places, vertices) = (self.heads.len() + self.plan.tails.len(), self.layout.vertices as usize);
        budget.charge(4 * places + 4 * vertices)?;
        // every place of a component is written before it is read
        local.resize(places, NONE);
        let nodes: usize = self.layout.components.iter().map(|component| component.nodes as usize).sum();
        // all edges of nodes, and one for each port
        let edges = self.heads.steps.len() + vertices - nodes;
        let made = Rows::new((vertices, nodes, edges), self.naming.of_label.len());
        let mut emitter = Emitter::new(self, made, local);
        (self.plan.first()..self.plan.copies.len()).try_for_each(|copy| emitter.component(copy, budget))?;
        Ok(emitter.made)
    }
}

struct Emitter<'a> {
    heads: &'a Heads,
    plan: &'a Plan,
    layout: &'a Layout,
    naming: &'a Naming,
    labels: &'a Labels,
    semantics: Semantics,
    /// per place, its node in the component at hand
    local: Vec<u32>,
    /// how many calls of nodes there were
    calls: usize,
    /// the sites of the component at hand, where they are needed
    sites: Option<SitesOf>,
    /// for the present component
    row: Vec<u32>,
    called: Vec<u32>,
    label_row: Vec<u32>,
    made: Rows,
    /// bytes that are declared for all this
    held: usize,
}

impl<'a> Emitter<'a> {
    fn new(all: All<'a>, made: Rows, local: Vec<u32>) -> Self {
        let All { heads, plan, layout, naming, labels, semantics } = all;
        Self {
            heads,
            plan,
            layout,
            naming,
            labels,
            semantics,
            local,
            calls: plan.copies.calls_before(plan.first()),
            sites: None,
            row: Vec::new(),
            called: Vec::new(),
            label_row: Vec::new(),
            made,
            held: 0,
        }
    }

    fn component(&mut self, copy: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let data = &self.layout.components[ComponentId::new(copy - self.plan.first())];
        let (vertices, start) = (data.vertices.len(), data.vertices.start);
        budget.spend(vertices)?;
        budget.grow(&mut self.held, self.made.bytes_ahead(2 * vertices))?;
        let nodes = self.plan.copies.nodes.row(copy);
        for (i, &place) in nodes.iter().enumerate() {
            self.local[place as usize] = start + i as u32;
        }
        let entries = self.plan.copies.entries.row(copy).len();
        let mut exits = 0;
        // exits before a pop are listed in the order of nodes
        let mut before = self.plan.copies.before.row(copy).iter().peekable();
        for (i, &place) in nodes.iter().enumerate() {
            let entry = if i < entries { i as u32 } else { NONE };
            let is_before = before.next_if(|&&exit| exit as usize == i).is_some();
            self.node(copy, place, (entry, is_before), &mut exits);
        }
        self.exits_after(copy, &mut exits);
        for site in self.plan.copies.sites_of(copy) {
            self.ports(copy, site, budget)?;
        }
        Ok(())
    }

    /// The number of the next vertex.
    fn next(&self) -> u32 {
        self.made.next()
    }

    /// A node, with its number among the entries and whether it is an exit before a pop.
    fn node(&mut self, copy: usize, place: u32, (entry, is_before): (u32, bool), exits: &mut u32) {
        let number = self.next();
        let (head, tail) = self.plan.tails.head(self.heads.len(), place);
        let steps = self.heads.steps(head);
        let is_exit = if self.plan.copies.is_start(copy) {
            // nothing is below, and nothing follows: the run has ended
            tail == 0 && steps.is_empty()
        } else {
            is_before
        };
        let vertex = Vertex::new(number as usize);
        let mut exit = NONE;
        if entry != NONE {
            self.made.entries.push(vertex);
        }
        if is_exit {
            self.made.exits.push(vertex);
            exit = *exits;
            *exits += 1;
        }
        self.made.vertices.push(VertexData { node: number, site: NONE, entry, exit });
        self.made.node_names.push(self.layout.name(self.naming, place));
        let (control, symbol) = (self.heads.control[head as usize], self.heads.symbol[head as usize]);
        self.labels.of(control, Some(symbol), &mut self.label_row);
        self.made.add_labels(number, &self.label_row);
        if is_exit {
            self.made.successors.push_row([]);
        } else if steps.is_empty() {
            let name = *self.made.node_names.last().unwrap_or(&Symbol::new(0));
            let stuck = self.heads.stuck.binary_search_by_key(&head, |&(stuck, _)| stuck);
            let offset = stuck.map_or(0, |place| self.heads.stuck[place].1);
            self.dead_end(|naming| totality::dead_node(naming.text(name), offset));
        } else {
            self.state(copy, head, tail, true);
            self.push_row();
        }
    }

    /// Adds the edges of the next vertex that rules make.
    fn push_row(&mut self) {
        self.made.edges += self.row.len();
        self.made.successors.push_row(self.row.iter().copied());
    }

    fn exits_after(&mut self, copy: usize, exits: &mut u32) {
        let (plan, heads) = (self.plan, self.heads);
        for position in ones(plan.copies.after(copy)) {
            let number = self.next();
            self.made.exits.push(Vertex::new(number as usize));
            self.made.vertices.push(VertexData { node: number, site: NONE, entry: NONE, exit: *exits });
            *exits += 1;
            self.made.node_names.push(self.naming.of_exit[position as usize]);
            let row = if let Some(set) = plan.context(copy, position) {
                self.labels.numbered(set)
            } else {
                self.labels.of(heads.returns[position as usize], None, &mut self.label_row);
                &self.label_row
            };
            self.made.add_labels(number, row);
            self.made.successors.push_row([]);
        }
    }

    /// The edges of a state, that of a node or that a return port is, into the row at hand.
    fn state(&mut self, copy: usize, head: u32, tail: u32, is_node: bool) {
        self.row.clear();
        for step in self.heads.steps(head) {
            let target = match step.call {
                SWAP => self.local[self.plan.place(tail, step.target) as usize],
                POP if tail == 0 => self.exit_after(copy, step.target),
                POP => {
                    let (symbol, rest) = self.plan.tails.split(tail);
                    self.local[self.plan.place(rest, self.heads.uncovered(step.target, symbol)) as usize]
                }
                call => {
                    let site = if is_node {
                        self.calls += 1;
                        self.plan.copies.call_sites[self.calls - 1] as usize
                    } else {
                        let sites = self.sites.get_or_insert_with(|| SitesOf::new(self.heads));
                        sites.site(self.heads, self.plan, copy, tail, call)
                    };
                    self.call_port(site, step.target)
                }
            };
            self.row.push(target);
        }
    }

    /// The exit for a control state, which comes after all nodes that are heads.
    fn exit_after(&self, copy: usize, position: u32) -> u32 {
        let component = &self.layout.components[ComponentId::new(copy - self.plan.first())];
        let after = self.plan.copies.after(copy);
        let (word, bit) = (position as usize / 64, position % 64);
        let before = after[..word].iter().map(|word| word.count_ones()).sum::<u32>()
            + (after[word] & ((1 << bit) - 1)).count_ones();
        component.vertices.start + self.plan.copies.nodes.row(copy).len() as u32 + before
    }

    /// The port of a call of a head at a site.
    #[inline]
    fn call_port(&self, site: usize, head: u32) -> u32 {
        let copies = &self.plan.copies;
        let data = &copies.sites[site];
        let first = self.layout.boxes[BoxId::new(site)].ports.start;
        let (exits, _) = copies.exits_before(data.callee as usize);
        if exits.is_empty() && !data.calls_further {
            return first;
        }
        let entry = copies.entry(data.callee, head);
        let lower = exits.partition_point(|&exit| exit < entry)
            + usize::from(data.called < entry)
            + copies.further(site).partition_point(|&(_, further)| further < entry);
        first + lower as u32
    }

    /// The ports of a box and their edges.
    fn ports(&mut self, copy: usize, site: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let plan = self.plan;
        let data = &plan.copies.sites[site];
        let callee = data.callee as usize;
        let (at_entries, others) = plan.copies.exits_before(callee);
        let (entry_positions, other_positions) =
            plan.copies.positions_before(callee).split_at(at_entries.len());
        let nodes = plan.copies.nodes.row(callee).len() as u32;
        let component = &self.layout.components[ComponentId::new(callee - plan.first())];
        let start = component.vertices.start;
        let count = self.layout.boxes[BoxId::new(site)].ports.len();
        let slots = slots(&mut self.made.port_slots, component, count);
        self.made.slots.push(slots);
        let entries = plan.copies.entries.row(callee).len();
        let site_number = site as u32;
        let mut called = std::mem::take(&mut self.called);
        called.clear();
        called.extend((data.called != NONE).then_some(data.called));
        called.extend(plan.copies.further(site).iter().map(|&(_, entry)| entry));
        called.extend(at_entries);
        called.sort_unstable();
        let mut exits = 0;
        for &entry in &called {
            let is_exit = at_entries.get(exits as usize) == Some(&entry);
            let exit = if is_exit { exits } else { NONE };
            let port = VertexData { node: start + entry, site: site_number, entry, exit };
            self.made.port(port, slots, entries);
            if is_exit {
                self.return_before(site, entry_positions[exits as usize], true);
                exits += 1;
            } else {
                self.made.successors.push_row([]);
            }
        }
        self.called = called;
        for (&node, &position) in others.iter().zip(other_positions) {
            let port = VertexData { node: start + node, site: site_number, entry: NONE, exit: exits };
            self.made.port(port, slots, entries);
            exits += 1;
            self.return_before(site, position, false);
        }
        for (i, position) in ones(plan.copies.after(callee)).enumerate() {
            let node = start + nodes + i as u32;
            self.made.port(VertexData { node, site: site_number, entry: NONE, exit: exits }, slots, entries);
            exits += 1;
            budget.spend(1)?;
            self.return_after(copy, site, position);
        }
        debug_assert_eq!(self.next(), self.layout.boxes[BoxId::new(site)].ports.end);
        Ok(())
    }

    /// The edge of a return into a position through an exit before a pop, which may be an entry.
    fn return_before(&mut self, number: usize, position: u32, is_entry: bool) {
        let (plan, site) = (self.plan, &self.plan.copies.sites[number]);
        // no run returns that way from here; a model must have a successor all the same
        let target = if has_bit(plan.copies.returned(number), position as usize) {
            self.local[plan.place(site.tail, self.heads.uncovered(position, site.below)) as usize]
        } else {
            self.call_port(number, site.top)
        };
        self.made.edges += 1;
        if is_entry && self.semantics.empty_calls == EmptyCalls::Stuck {
            let port = self.next() - 1;
            self.made.stuck.push(port);
            self.made.successors.push_row([port]);
        } else {
            self.made.successors.push_row([target]);
        }
    }

    /// The edges of a return through an exit after a pop: those of the uncovered symbol.
    fn return_after(&mut self, copy: usize, number: usize, position: u32) {
        let (plan, site) = (self.plan, &self.plan.copies.sites[number]);
        self.row.clear();
        if has_bit(plan.copies.returned(number), position as usize) {
            let head = self.heads.uncovered(position, site.below);
            if !self.heads.steps(head).is_empty() {
                self.state(copy, head, site.tail, false);
            } else if plan.copies.is_start(copy) && site.tail == 0 {
                self.row.push(self.local[plan.place(site.tail, head) as usize]);
            } else {
                let name = self.layout.boxes[BoxId::new(number)].name;
                let exit = self.naming.of_exit[position as usize];
                let offset = u64::from(site.offset);
                self.dead_end(|naming| totality::dead_port(naming.text(name), naming.text(exit), offset));
                return;
            }
        } else {
            self.row.push(self.call_port(number, site.top));
        }
        self.push_row();
    }

    /// The vertex that was made last has no edge.
    fn dead_end(&mut self, problem: impl FnOnce(&Naming) -> Diagnostic) {
        let vertex = self.next() - 1;
        match self.semantics.dead_ends {
            DeadEnds::Error => self.made.problems.push(problem(self.naming)),
            DeadEnds::Loop | DeadEnds::Stop => self.made.dead.push(Vertex::new(vertex as usize)),
        }
        let loops = self.semantics.dead_ends == DeadEnds::Loop;
        self.made.successors.push_row(loops.then_some(vertex));
    }
}
