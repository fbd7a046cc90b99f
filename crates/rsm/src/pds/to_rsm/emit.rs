//! The machine of a plan, straight into the arrays of a builder.
//!
//! Nothing is looked up by name here: nodes, boxes and ports are numbered as a builder numbers them, which
//! then checks, and freezes, as it does for any model. Linear in the machine, but for sorting the ports of
//! each component.

use super::exits::Exits;
use super::heads::{Heads, contains, positions};
use super::labels::Labels;
use super::names::Naming;
use super::plan::{Copy, Plan, met};
use super::tails::Place;
use crate::RsmBuilder;
use crate::account::ahead;
use crate::builder::{RawBox, RawComponent, RawNode, RawPort};
use crate::model::NONE;
use crate::pds::Word;
use loris_base::{Budget, Diagnostic, Diagnostics, Idx, Stopped, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// A vertex of the component at hand: a node, or a port as `PORT | box << 32 | name of the callee's node`.
type Key = u64;

const PORT: Key = 1 << 63;

fn port(site: u32, node: Symbol) -> Key {
    PORT | u64::from(site) << 32 | node.index() as u64
}

/// A builder that has every component of the plan.
pub(super) fn machine(
    heads: &Heads,
    exits: &Exits,
    plan: &Plan,
    labels: Labels,
    budget: &mut Budget,
) -> Result<RsmBuilder, Stopped> {
    check_size(heads, plan)?;
    // names once more, with room for those that are made up; places and heads by number
    budget.charge(2 * heads.pds.symbols.bytes() + 20 * plan.places(heads))?;
    budget.spend(4 * heads.len())?;
    let mut naming = Naming::of(heads);
    let label_names = heads.pds.labels.iter().map(|label| naming.names.intern(label)).collect::<Vec<_>>();
    let first = usize::from(plan.main != 0);
    let mut component_names = vec![Symbol::new(0); plan.copies.len()];
    let mut used = FxHashSet::default();
    for (number, copy) in plan.copies.iter().enumerate().skip(first) {
        let entry = copy.entries.iter().map(|&entry| plan.head(heads, entry).0).next();
        let name = naming.of_head[entry.expect("a copy is made for an entry") as usize];
        let name = if used.contains(&name) { naming.like(name) } else { name };
        used.insert(name);
        component_names[number] = name;
    }
    let mut emitter = Emitter {
        heads,
        exits,
        plan,
        place_names: (heads.len()..plan.places(heads)).map(|_| None).collect(),
        taken: FxHashSet::default(),
        naming,
        labels,
        label_used: vec![false; label_names.len()],
        label_names,
        component_names,
        local: vec![NONE; plan.places(heads)],
        site_of: FxHashMap::default(),
        edges: Vec::new(),
        dead: Vec::new(),
        builder: RsmBuilder::default(),
    };
    let mut held = 0;
    for (number, copy) in plan.copies.iter().enumerate().skip(first) {
        let edges = emitter.edges_of(copy);
        budget.spend(copy.nodes.len() + edges)?;
        budget.grow(&mut held, emitter.bytes_ahead(copy, edges))?;
        emitter.component(number as u32, copy);
    }
    emitter.unreachable_labels();
    Ok(emitter.finish())
}

/// Every box has an edge for every exit of its callee, which a small system can make many of.
fn check_size(heads: &Heads, plan: &Plan) -> Result<(), Diagnostics> {
    let most = 64 * (heads.rule_count() + heads.len()) + (1 << 22);
    let exits: Vec<usize> =
        plan.copies.iter().map(|copy| copy.before.len() + positions(&copy.after).count()).collect();
    let sites = plan.copies.iter().flat_map(|copy| &copy.sites);
    let returns = sites.fold(0usize, |sum, site| sum.saturating_add(exits[site.callee as usize]));
    if returns > most {
        let message = format!("the machine would be too large: its boxes have {returns} return ports");
        return Err(Diagnostic::global(message).into());
    }
    Ok(())
}

struct Emitter<'a, 'p> {
    heads: &'a Heads<'p>,
    exits: &'a Exits,
    plan: &'a Plan,
    naming: Naming,
    /// the names of places that are no heads, where they are known
    place_names: Vec<Option<Symbol>>,
    /// the plain names among them
    taken: FxHashSet<Symbol>,
    labels: Labels,
    label_names: Vec<Symbol>,
    label_used: Vec<bool>,
    component_names: Vec<Symbol>,
    /// per place, its node in the component at hand
    local: Vec<u32>,
    site_of: FxHashMap<(u32, u32, u32), u32>,
    edges: Vec<(Key, Key)>,
    /// return ports that nothing leads on from, and where
    dead: Vec<(Key, u64)>,
    builder: RsmBuilder,
}

impl Emitter<'_, '_> {
    /// How many edges a copy has, those of its return ports included.
    fn edges_of(&self, copy: &Copy) -> usize {
        let rules = |&place: &Place| self.heads.rules(self.plan.head(self.heads, place).0).len();
        let returns = copy.sites.iter().map(|site| {
            let callee = &self.plan.copies[site.callee as usize];
            // after a pop, a return port has the edges of what is uncovered
            callee.before.len() + 2 * positions(&callee.after).count()
        });
        copy.nodes.iter().map(rules).sum::<usize>() + returns.sum::<usize>()
    }

    /// What the builder may hold after it takes a copy, and what is held on the way.
    fn bytes_ahead(&self, copy: &Copy, edges: usize) -> usize {
        let builder = &self.builder;
        let nodes = copy.nodes.len() + 64 * copy.after.len();
        ahead(&builder.nodes, nodes)
            + ahead(&builder.boxes, copy.sites.len())
            // an edge has two ends, of which one may be a port of its own
            + ahead(&builder.ports, edges / 2)
            + ahead(&builder.edges, edges)
            + ahead(&self.edges, edges)
            + builder.labels.bytes_ahead(nodes, 4 * nodes)
            + 16 * edges
            + 64 * (copy.sites.len() + builder.components.len())
    }

    fn component(&mut self, number: u32, copy: &Copy) {
        self.site_of.clear();
        let entries: FxHashSet<Place> = copy.entries.iter().copied().collect();
        for (i, &place) in copy.nodes.iter().enumerate() {
            self.local[place as usize] = i as u32;
        }
        for &place in &copy.nodes {
            self.node(copy, place, entries.contains(&place));
        }
        self.exits_after(copy);
        self.boxes(copy);
        for (i, &place) in copy.nodes.iter().enumerate() {
            let head = self.plan.head(self.heads, place).0;
            if copy.is_start() || self.exits.only_pop[head as usize] == NONE {
                self.state(copy, i as Key, place);
            }
        }
        for site in 0..copy.sites.len() {
            self.returns(copy, site);
        }
        self.ports_and_edges(copy);
        self.close(self.component_names[number as usize]);
    }

    /// Ends the component at hand.
    fn close(&mut self, name: Symbol) {
        let builder = &mut self.builder;
        builder.by_name.insert(name, builder.components.len() as u32);
        builder.components.push(RawComponent {
            name,
            offset: 0,
            nodes_end: builder.nodes.len() as u32,
            boxes_end: builder.boxes.len() as u32,
            ports_end: builder.ports.len() as u32,
            edges_end: builder.edges.len() as u32,
            incomplete: false,
            lost_edges: false,
        });
    }

    fn node(&mut self, copy: &Copy, place: Place, entry: bool) {
        let (head, tail) = self.plan.head(self.heads, place);
        let data = &self.heads.list[head as usize];
        let exit = if copy.is_start() {
            // nothing is below, and nothing follows: the run has ended
            tail == 0 && self.heads.rules(head).len() == 0
        } else {
            self.exits.only_pop[head as usize] != NONE
        };
        let offset = match self.heads.pds.rules.get(data.because as usize) {
            Some(rule) => u64::from(rule.offset),
            None => self.heads.pds.initial[0].offset,
        };
        let name = self.place_name(place);
        self.builder.nodes.push(RawNode { name, offset, entry, exit });
        let Self { labels, label_used, label_names, builder, .. } = self;
        let row = labels.of(data.control, Some(data.symbol));
        for &label in row {
            label_used[label as usize] = true;
        }
        builder.labels.push_row(row.iter().map(|&label| label_names[label as usize].index() as u32));
    }

    fn place_name(&mut self, place: Place) -> Symbol {
        let Some(i) = (place as usize).checked_sub(self.heads.len()) else {
            return self.naming.of_head[place as usize];
        };
        if let Some(name) = self.place_names[i] {
            return name;
        }
        let head = self.plan.head(self.heads, place).0;
        let name = self.naming.of_head[head as usize];
        // a head that is no node without a tail can have the plain name
        let name = if self.local[head as usize] == NONE { name } else { self.naming.like(name) };
        let name = if self.taken.insert(name) { name } else { self.naming.like(name) };
        self.place_names[i] = Some(name);
        name
    }

    fn exits_after(&mut self, copy: &Copy) {
        let context: FxHashMap<u32, u32> = if copy.is_start() {
            FxHashMap::default()
        } else {
            positions(self.exits.after(copy.class)).zip(copy.context.iter().copied()).collect()
        };
        for position in positions(&copy.after) {
            let control = self.heads.returns[position as usize];
            let set = match context.get(&position) {
                Some(&set) => self.labels.numbered(set).to_vec(),
                None => self.labels.of(control, None).to_vec(),
            };
            let name = self.naming.of_exit[position as usize];
            self.builder.nodes.push(RawNode { name, offset: 0, entry: false, exit: true });
            for &label in &set {
                self.label_used[label as usize] = true;
            }
            let row = set.iter().map(|&label| self.label_names[label as usize].index() as u32);
            self.builder.labels.push_row(row);
        }
    }

    fn boxes(&mut self, copy: &Copy) {
        let mut used: FxHashSet<Symbol> = FxHashSet::default();
        for (i, site) in copy.sites.iter().enumerate() {
            self.site_of.insert((site.tail, site.below.index() as u32, site.callee), i as u32);
            let name = Symbol::new(site.below.index());
            let name = if used.insert(name) { name } else { self.naming.like(name) };
            let (callee, offset) = (self.component_names[site.callee as usize], u64::from(site.offset));
            self.builder.boxes.push(RawBox { name, callee, offset, callee_offset: offset });
        }
    }

    /// The edges of a state: that of a node, or that a return port is.
    fn state(&mut self, copy: &Copy, source: Key, place: Place) {
        let (head, tail) = self.plan.head(self.heads, place);
        for (rule_place, rule) in self.heads.rules(head) {
            let target = match rule.word {
                Word::Swap(symbol) => self.node_key(tail, met(self.heads, rule, symbol)),
                Word::Pop if tail == 0 => exit_key(copy, self.heads.return_of(rule.to)),
                Word::Pop => {
                    let (symbol, rest) = self.plan.tail(tail);
                    self.node_key(rest, met(self.heads, rule, symbol))
                }
                Word::Push(top, below) => {
                    let callee = self.plan.callee_of[rule_place as usize];
                    let site = self.site_of[&(tail, below.index() as u32, callee)];
                    port(site, self.naming.of_head[met(self.heads, rule, top) as usize])
                }
            };
            self.edges.push((source, target));
        }
    }

    fn node_key(&self, tail: u32, head: u32) -> Key {
        Key::from(self.local[self.plan.place(tail, head) as usize])
    }

    /// The edges of the return ports of a box.
    fn returns(&mut self, copy: &Copy, number: usize) {
        let (site, words) = (&copy.sites[number], self.heads.words);
        let callee = &self.plan.copies[site.callee as usize];
        let returned = &copy.returned[number * words..][..words];
        let call = port(number as u32, self.naming.of_head[site.top as usize]);
        let uncovered = |position: u32| {
            let head = self.heads.find(self.heads.returns[position as usize], site.below);
            head.expect("what a call that returns uncovers occurs")
        };
        for &exit in &callee.before {
            let position = self.exits.only_pop[exit as usize];
            let source = port(number as u32, self.naming.of_head[exit as usize]);
            // no run returns so from here; a model must say how it would go on all the same
            let used = contains(returned, position);
            let target = if used { self.node_key(site.tail, uncovered(position)) } else { call };
            self.edges.push((source, target));
        }
        for position in positions(&callee.after) {
            let source = port(number as u32, self.naming.of_exit[position as usize]);
            if !contains(returned, position) {
                self.edges.push((source, call));
                continue;
            }
            let head = uncovered(position);
            let place = self.plan.place(site.tail, head);
            if self.heads.rules(head).len() > 0 {
                self.state(copy, source, place);
            } else if copy.is_start() && site.tail == 0 {
                self.edges.push((source, Key::from(self.local[place as usize])));
            } else {
                self.dead.push((source, u64::from(site.offset)));
            }
        }
    }

    /// Numbers the ports, and the edges with them.
    fn ports_and_edges(&mut self, copy: &Copy) {
        let nodes = (self.builder.nodes.len()
            - self.builder.components.last().map_or(0, |c| c.nodes_end as usize)) as u32;
        let ends = self.edges.iter().flat_map(|&(source, target)| [source, target]);
        let mut keys: Vec<Key> =
            ends.chain(self.dead.iter().map(|&(key, _)| key)).filter(|key| key & PORT != 0).collect();
        keys.sort_unstable();
        keys.dedup();
        let first = self.builder.ports.len();
        self.builder.ports.extend(keys.iter().map(|key| {
            let site = (key >> 32) as u32 & !(1 << 31);
            RawPort {
                site,
                node: Symbol::new((key & 0xffff_ffff) as usize),
                offset: u64::from(copy.sites[site as usize].offset),
                source: false,
                target: false,
                listed_return: false,
                listed_call: false,
            }
        }));
        let ports = &mut self.builder.ports[first..];
        let place = |key: Key| keys.binary_search(&key).expect("the ports of all edges are numbered");
        for (source, target) in self.edges.drain(..) {
            let mut ends = [source as u32, target as u32];
            if source & PORT != 0 {
                let i = place(source);
                ports[i].source = true;
                ends[0] = nodes + i as u32;
            }
            if target & PORT != 0 {
                let i = place(target);
                ports[i].target = true;
                ends[1] = nodes + i as u32;
            }
            self.builder.edges.push((ends[0], ends[1]));
        }
        for (key, offset) in self.dead.drain(..) {
            let port = &mut ports[place(key)];
            (port.listed_return, port.offset) = (true, offset);
        }
    }

    /// Labels of heads that never occur: a component that is never called keeps them known.
    fn unreachable_labels(&mut self) {
        let unused = self.label_used.iter().zip(&self.label_names).filter(|(used, _)| !**used);
        let row: Vec<u32> = unused.map(|(_, name)| name.index() as u32).collect();
        if row.is_empty() {
            return;
        }
        let name = self.naming.fresh("unreachable");
        self.builder.nodes.push(RawNode { name, offset: 0, entry: false, exit: false });
        self.builder.labels.push_row(row);
        self.builder.edges.push((0, 0));
        self.close(name);
    }

    fn finish(mut self) -> RsmBuilder {
        let main = &self.plan.copies[self.plan.main as usize];
        debug_assert!(!main.nodes.is_empty());
        let initial: Vec<Symbol> = self.plan.initial.iter().map(|&place| self.place_name(place)).collect();
        let mut builder = self.builder;
        builder.use_names(self.naming.names);
        builder.initial_component(self.component_names[self.plan.main as usize], 0);
        for name in initial {
            builder.initial_node(name, 0);
        }
        builder
    }
}

/// The exit for a control state, which comes after all nodes that are heads.
fn exit_key(copy: &Copy, position: u32) -> Key {
    let before = positions(&copy.after).take_while(|&other| other < position).count();
    (copy.nodes.len() + before) as Key
}
