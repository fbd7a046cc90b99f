//! Summaries: through which exits a run can leave an instance that it entered at an entry.
//!
//! For the operand φ₁ of E[φ₁ U φ₂] or EG φ₁: an entry reaches itself; where φ₁ holds a run goes on
//! to the successors; a call port goes on to the return ports of the exits that its callee's entry
//! reaches. Nothing here depends on φ₂ or on a context; with φ₁ = true it is plain reachability,
//! shared by all EF and AG properties of a run.
//!
//! Each instance is solved in the direction that needs less (rsm-analysis, section 2.1): forwards,
//! with a row over entries at every vertex, or backwards, with a row over exits. Callees come
//! first, an instance at a time so that its rows stay in the cache; only the relation of entries
//! and exits is kept. Rows are bits where φ₁ is the same in all lanes, else a word of lanes each.
//! Long rows are spread in the order of the instance's graph, so that without loops each is spread
//! once.
//!
//! Invariant of the loop: a row holds only exits that are reached, and a change waits in a queue. A
//! row of θ bits grows at most θ times, where θ is the smaller number of entries and exits: O(edges
//! · θ) additions of rows at worst, O(edges) for θ = 1, and a word of θ bits is added at once. The
//! oracle is the unfolding in `tests/`.

use super::agenda::{Agenda, Order};
use super::relation::{Layout, Summaries};
use crate::atomic::{Flags, Words};
use crate::instances::{Call, InstanceId, Instances};
use crate::operand::Lanes;
use crate::threads::{self, List, Work};
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::{Vertex, VertexKind};
use std::sync::{Mutex, MutexGuard, PoisonError};

impl Summaries {
    /// Those of φ₁ = true, the same in all instances of a component.
    pub(crate) fn of_true(plain: &Instances<'_>, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut found = Self::solve(plain, None, !0, budget)?;
        if let Layout::Bits { shared, .. } = &mut found.layout {
            *shared = true;
        }
        Ok(found)
    }

    /// Those of an operand, given at every cell.
    pub fn new(
        graph: &Instances<'_>,
        along: &[Lanes],
        active: Lanes,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        Self::solve(graph, Some(along), active, budget)
    }

    fn solve(
        graph: &Instances<'_>,
        along: Option<&[Lanes]>,
        active: Lanes,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let uniform = along.is_none_or(|along| along.iter().all(|&lanes| lanes == 0 || lanes == active));
        let width = |count: usize| if uniform { count.div_ceil(64) } else { count };
        let mut starts = Vec::with_capacity(graph.len());
        let mut places = Vec::with_capacity(graph.len());
        let (mut held, mut rows) = (0, 0);
        for instance in graph.ids() {
            let component = graph.component(instance);
            let (entries, exits) = (graph.rsm.entries(component).len(), graph.rsm.exits(component).len());
            starts.push(held);
            held += entries * width(exits);
            let vertices = graph.rsm.vertex_range(component);
            let place = Place {
                start: rows,
                first: vertices.start,
                width: width(entries.min(exits)),
                cell: graph.first_cell(instance),
                forwards: entries <= exits,
                is_long: entries.min(exits) > SHORT,
            };
            rows += place.width * vertices.len();
            places.push(place);
        }
        // rows; flags and queues; places and turns of instances
        let working = 8 * rows + 5 * graph.cell_count() + INSTANCE * graph.len();
        budget.charge(8 * held + working)?;
        let layout = if uniform { Layout::Bits { starts, shared: false } } else { Layout::Lanes { starts } };
        let found = Self { layout, bits: Words::new(vec![0; held]) };
        let problem = Problem { graph, along, active, uniform, places };
        // each row once, and over each edge
        let found = budget.counting(2 * rows.max(graph.cell_count()), |budget| {
            if threads::count(rows, budget) > 1 {
                Solver::<true>::solve(&problem, found, rows, budget)
            } else {
                Solver::<false>::solve(&problem, found, rows, budget)
            }
        })?;
        budget.release(working);
        Ok(found)
    }
}

/// Bytes of an instance while it is solved: where its rows are, the vertices that wait, its turn.
const INSTANCE: usize = size_of::<Place>() + size_of::<Mutex<Vec<u32>>>() + 2 * size_of::<usize>() + 24;

/// Rows of this many entries or exits are spread in any order: there is little to spread twice.
const SHORT: usize = 8;

/// Flags of a cell.
const QUEUED: u8 = 1;
const BLOCKED: u8 = 2;

/// Flags of an instance.
const WAITS: u8 = 1;
const SEEDED: u8 = 2;

/// The input of a solver, and the places of rows.
struct Problem<'g, 'a> {
    graph: &'g Instances<'a>,
    along: Option<&'g [Lanes]>,
    active: Lanes,
    uniform: bool,
    places: Vec<Place>,
}

/// Instances are solved one at a time, or several at a time by as many threads. A thread may change
/// the rows of a caller while another one spreads them: each change makes its vertex wait, and a
/// vertex that is looked at waits no more before its row is read, so that no change is missed. The
/// same holds of a call port: its row is updated before its callee's entry is read, and that entry
/// is updated before callers are notified.
struct Solver<'g, 'a, const SHARED: bool> {
    graph: &'g Instances<'a>,
    /// the operand, where it differs between lanes
    lanes: Option<&'g [Lanes]>,
    active: Lanes,
    uniform: bool,
    /// the rows that callers know
    found: Summaries,
    /// per vertex of each instance, the entries that reach it or the exits that it reaches
    rows: Words<SHARED>,
    /// per cell, whether it waits in an agenda or in `pending`, and whether the operand is false
    /// there
    flags: Flags<SHARED>,
    /// per instance, vertices whose rows were changed from outside
    pending: Vec<Mutex<Vec<u32>>>,
    /// per instance, whether it waits its turn, and whether it has had one
    turns: Flags<SHARED>,
    /// per component with long rows, the order they are spread in, unless it is in use
    orders: Mutex<Vec<Option<Order>>>,
    places: &'g [Place],
}

/// The working memory of a thread that solves an instance.
#[derive(Default)]
struct Own {
    agenda: Agenda,
    /// vertices whose rows were spread and of which callers may have to be notified
    grown: Vec<u32>,
    /// pairs of an entry and an exit of which callers are to be notified, and in which lanes
    news: Vec<(Vertex, usize, Lanes)>,
    /// vertices of a caller whose rows have changed
    changed: Vec<u32>,
}

/// All that is needed to get at the rows of an instance, in one piece.
#[derive(Clone, Copy)]
struct Place {
    /// where its rows start
    start: usize,
    /// its component's first vertex
    first: usize,
    /// words in a row
    width: usize,
    /// its first cell
    cell: usize,
    /// whether rows are over entries and spread along edges, or over exits and spread against them
    forwards: bool,
    /// whether rows are so long that their order matters
    is_long: bool,
}

impl Place {
    #[inline]
    fn row(self, vertex: Vertex) -> usize {
        self.start + (vertex.index() - self.first) * self.width
    }

    #[inline]
    fn cell(self, vertex: Vertex) -> usize {
        vertex.index() - self.first + self.cell
    }
}

impl<'g, 'a, const SHARED: bool> Solver<'g, 'a, SHARED> {
    fn solve(
        problem: &'g Problem<'g, 'a>,
        found: Summaries,
        rows: usize,
        budget: &mut Budget,
    ) -> Result<Summaries, Exhausted> {
        let &Problem { graph, along, active, uniform, ref places } = problem;
        let flags = match along {
            Some(along) => along.iter().map(|&lanes| if lanes == 0 { BLOCKED } else { 0 }).collect(),
            None => vec![0; graph.cell_count()],
        };
        let solver = Self {
            graph,
            lanes: along.filter(|_| !uniform),
            active,
            uniform,
            found,
            rows: Words::empty(rows),
            flags: Flags::new(flags),
            pending: (0..graph.len()).map(|_| Mutex::default()).collect(),
            turns: Flags::new(vec![WAITS; graph.len()]),
            orders: Mutex::default(),
            places,
        };
        threads::run(&solver, &graph.callees_first(), rows, budget)?;
        Ok(solver.found)
    }

    /// Every entry and every exit reaches itself.
    fn seed(&self, instance: InstanceId, agenda: &mut Agenda) {
        let place = self.places[instance.index()];
        let (rsm, component) = (self.graph.rsm, self.graph.component(instance));
        let seeds = if place.forwards { rsm.entries(component) } else { rsm.exits(component) };
        for (position, &vertex) in seeds.iter().enumerate() {
            let row = place.row(vertex);
            if self.uniform {
                self.rows.add(row + position / 64, 1 << (position % 64));
            } else {
                self.rows.add(row + position, self.active);
            }
            if self.flags.set(place.cell(vertex), QUEUED) {
                agenda.push(vertex.index() as u32);
            }
        }
    }

    fn pending(&self, instance: InstanceId) -> MutexGuard<'_, Vec<u32>> {
        self.pending[instance.index()].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn orders(&self) -> MutexGuard<'_, Vec<Option<Order>>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one row, as far as `mask` lets it through, to another; whether that changed anything.
    #[inline]
    fn add(&self, from: usize, to: usize, width: usize, mask: Lanes) -> bool {
        let mut changed = 0;
        for i in 0..width {
            changed |= self.rows.add(to + i, self.rows.get(from + i) & mask);
        }
        changed != 0
    }

    /// The order in which an instance is to be looked at, if that matters.
    fn order(&self, instance: InstanceId, budget: &mut Budget) -> Result<Option<Order>, Exhausted> {
        let place = self.places[instance.index()];
        if !place.is_long {
            return Ok(None);
        }
        let (rsm, component) = (self.graph.rsm, self.graph.component(instance));
        let known = {
            let mut orders = self.orders();
            orders.resize_with(rsm.component_count(), || None);
            orders[component.index()].take()
        };
        known.map_or_else(|| Order::new(rsm, component, place.forwards, budget), Ok).map(Some)
    }

    /// Carries changes through an instance until nothing changes; leaves the exits, or the entries,
    /// that rows were spread to.
    fn spread(&self, instance: InstanceId, own: &mut Own, budget: &mut Budget) -> Result<(), Exhausted> {
        let graph = self.graph;
        let rsm = graph.rsm;
        let place = self.places[instance.index()];
        let Own { agenda, grown, .. } = own;
        grown.clear();
        agenda.start(self.order(instance, budget)?);
        if self.turns.set(instance.index(), SEEDED) {
            self.seed(instance, agenda);
        }
        for vertex in self.pending(instance).drain(..) {
            agenda.push(vertex);
        }
        while let Some(number) = agenda.pop() {
            let vertex = Vertex::new(number as usize);
            self.flags.clear(place.cell(vertex), QUEUED);
            if place.forwards {
                budget.spend(place.width * (1 + rsm.successors(vertex).len()))?;
                self.forwards(instance, vertex, agenda);
                if rsm.is_exit(vertex) {
                    grown.push(number);
                }
            } else {
                budget.spend(place.width * (1 + rsm.predecessors(vertex).len()))?;
                self.backwards(instance, vertex, agenda);
                if rsm.is_entry(vertex) {
                    grown.push(number);
                }
            }
        }
        if let Some(order) = agenda.finish() {
            self.orders()[graph.component(instance).index()] = Some(order);
        }
        grown.sort_unstable();
        grown.dedup();
        Ok(())
    }

    /// Adds the row of a vertex to where a run goes on from there.
    #[inline]
    fn forwards(&self, instance: InstanceId, vertex: Vertex, agenda: &mut Agenda) {
        let graph = self.graph;
        let rsm = graph.rsm;
        let place = self.places[instance.index()];
        let (from, cell) = (place.row(vertex), place.cell(vertex));
        if !self.flags.has(cell, BLOCKED) {
            let mask = self.lanes.map_or(!0, |along| along[cell]);
            for target in rsm.successors(vertex) {
                if self.add(from, place.row(target), place.width, mask)
                    && self.flags.set(place.cell(target), QUEUED)
                {
                    agenda.push(target.index() as u32);
                }
            }
        }
        let Some((callee, entry)) = graph.called(instance, vertex) else { return };
        let site = rsm.box_of(vertex).expect("a call port has a box");
        self.found.for_each_return(graph, site, (callee, entry), |back, lanes| {
            if self.add(from, place.row(back), place.width, lanes) && self.flags.set(place.cell(back), QUEUED)
            {
                agenda.push(back.index() as u32);
            }
        });
    }

    /// Adds the row of a vertex to where a run may come from.
    #[inline]
    fn backwards(&self, instance: InstanceId, vertex: Vertex, agenda: &mut Agenda) {
        let graph = self.graph;
        let rsm = graph.rsm;
        let place = self.places[instance.index()];
        let from = place.row(vertex);
        for source in rsm.predecessors(vertex) {
            let cell = place.cell(source);
            if self.flags.has(cell, BLOCKED) {
                continue;
            }
            let mask = self.lanes.map_or(!0, |along| along[cell]);
            if self.add(from, place.row(source), place.width, mask) && self.flags.set(cell, QUEUED) {
                agenda.push(source.index() as u32);
            }
        }
        let VertexKind::Return(site) = rsm.kind(vertex) else { return };
        self.found.for_each_call(graph, (instance, site), vertex, |port, lanes| {
            if self.add(from, place.row(port), place.width, lanes) && self.flags.set(place.cell(port), QUEUED)
            {
                agenda.push(port.index() as u32);
            }
        });
    }

    /// Collects the pairs of an entry and an exit of which callers were not notified yet.
    fn note_new(&self, instance: InstanceId, own: &mut Own) {
        let rsm = self.graph.rsm;
        let place = self.places[instance.index()];
        let Own { grown, news, .. } = own;
        news.clear();
        for &number in grown.iter() {
            let vertex = Vertex::new(number as usize);
            let row = place.row(vertex);
            for i in 0..place.width {
                let word = self.rows.get(row + i);
                if word == 0 {
                    continue;
                }
                if !self.uniform {
                    self.note(instance, vertex, i, word, news);
                    continue;
                }
                let mut left = word;
                while left != 0 {
                    self.note(instance, vertex, 64 * i + left.trailing_zeros() as usize, !0, news);
                    left &= left - 1;
                }
            }
        }
        // by entries, so that callers look each of their ports up once
        news.sort_unstable_by_key(|&(entry, exit, _)| (rsm.entry_index(entry), exit));
    }

    /// Notes a pair: a vertex that grew, and a position in its row.
    fn note(
        &self,
        instance: InstanceId,
        vertex: Vertex,
        position: usize,
        lanes: Lanes,
        news: &mut Vec<(Vertex, usize, Lanes)>,
    ) {
        let rsm = self.graph.rsm;
        let (entry, exit) = if self.places[instance.index()].forwards {
            let entries = rsm.entries(self.graph.component(instance));
            (entries[position], rsm.exit_index(vertex).expect("an exit has a position"))
        } else {
            (vertex, position)
        };
        let (row, _) = self.found.row(self.graph, instance, entry);
        let (word, new) = if self.uniform { (exit / 64, 1 << (exit % 64)) } else { (exit, lanes) };
        let fresh = self.found.bits.add(row + word, new);
        if fresh != 0 {
            news.push((entry, exit, if self.uniform { !0 } else { fresh }));
        }
    }

    /// Adds a way through a call of a caller; the vertex whose row has to be spread because of it,
    /// if there is one that is not queued yet.
    #[inline]
    fn joined(&self, place: Place, (port, back): (Vertex, Vertex), lanes: Lanes) -> Option<Vertex> {
        let (from, to) = if place.forwards { (port, back) } else { (back, port) };
        let has_grown = self.add(place.row(from), place.row(to), place.width, lanes);
        (has_grown && self.flags.set(place.cell(to), QUEUED)).then_some(to)
    }

    /// Passes news to the callers at their entries, where most callers call at few of many.
    fn pass_up_by_entries(
        &self,
        instance: InstanceId,
        own: &mut Own,
        list: &mut List<InstanceId>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let rsm = self.graph.rsm;
        let mut steps = own.news.len();
        for &(entry, exit, lanes) in &own.news {
            if rsm.is_exit(entry) {
                continue;
            }
            self.graph.for_each_calling(instance, entry, |caller, port| {
                steps += 1;
                let place = self.places[caller.index()];
                let back = rsm.box_of(port).and_then(|site| rsm.return_port(site, exit));
                let Some(back) = back else { return };
                if let Some(to) = self.joined(place, (port, back), lanes) {
                    self.pending(caller).push(to.index() as u32);
                    if self.turns.set(caller.index(), WAITS) {
                        list.push(caller);
                    }
                }
            });
        }
        budget.spend(steps)?;
        Ok(false)
    }

    /// Applies new pairs of an instance to a call of it; returns whether its caller has to be
    /// solved again.
    fn pass_up(&self, instance: InstanceId, call: Call, own: &mut Own) -> bool {
        let graph = self.graph;
        let place = self.places[call.caller.index()];
        let Own { news, changed, .. } = own;
        changed.clear();
        let (mut last, mut port) = (None, None);
        debug_assert_eq!(graph.callee(call.caller, call.site), instance);
        for &(entry, exit, lanes) in news.iter() {
            if last != Some(entry) {
                (last, port) = (Some(entry), graph.calling_port(call, entry));
            }
            let Some(port) = port else { continue };
            let Some(back) = graph.rsm.return_port(call.site, exit) else { continue };
            changed.extend(self.joined(place, (port, back), lanes).map(|to| to.index() as u32));
        }
        if !changed.is_empty() {
            self.pending(call.caller).append(changed);
            return true;
        }
        false
    }
}

impl<const SHARED: bool> Work for Solver<'_, '_, SHARED> {
    type Item = InstanceId;
    type Own = Own;
    const IN_ORDER: bool = true;

    fn work(
        &self,
        instance: InstanceId,
        own: &mut Own,
        list: &mut List<InstanceId>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        self.turns.clear(instance.index(), WAITS);
        self.spread(instance, own, budget)?;
        self.note_new(instance, own);
        if own.news.is_empty() {
            return Ok(false);
        }
        let graph = self.graph;
        if graph.is_sparsely_called(instance) {
            return self.pass_up_by_entries(instance, own, list, budget);
        }
        for call in graph.callers(instance) {
            budget.spend(1 + own.news.len())?;
            if self.pass_up(instance, call, own) && self.turns.set(call.caller.index(), WAITS) {
                list.push(call.caller);
            }
        }
        Ok(false)
    }
}
