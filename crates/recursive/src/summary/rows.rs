//! `exits(v)`: through which exits a run can leave its instance from a vertex along an operand.
//!
//! For the operand φ₁ of E[φ₁ U φ₂] or EG φ₁: an exit reaches itself; a vertex where φ₁ holds reaches
//! what its successors reach; a call port reaches what the return ports reach that its callee's entry
//! reaches. The least solution is computed backwards from the exits, callees first, a component at
//! a time so that its rows stay in the cache. Nothing here depends on φ₂ or on a context; with
//! φ₁ = true it is plain reachability, shared by all EF and AG properties of a run.
//!
//! Rows are bits over exits where φ₁ is the same in all lanes, else a word of lanes per exit.
//! Invariant of the loop: a row holds only exits that are reached, and a change waits in a queue.
//! O(edges · exits / 64) word operations for bits (each row grows at most `exits` times, in practice
//! a few), 64 times that for lanes. The oracle is the unfolding in `tests/`.

use crate::instances::{Call, Instances};
use crate::operand::Lanes;
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::{ComponentId, Kind, Rsm, Vertex};
use std::collections::VecDeque;

/// See the module.
pub(crate) struct Rows {
    layout: Layout,
    bits: Vec<u64>,
}

enum Layout {
    /// for EX: an exit reaches itself, nothing else is reached
    Trivial,
    /// a bit per exit; rows by instance, or by component if `shared`
    Bits { starts: Vec<usize>, shared: bool },
    /// a word of lanes per exit; rows by instance
    Lanes { starts: Vec<usize> },
}

/// Bytes of an instance while rows are computed: where its rows are, what waits, its turn.
const INSTANCE: usize = size_of::<Place>() + size_of::<Vec<u32>>() + 2 * size_of::<usize>() + 24;

/// Words in a row of bits over the exits of a component.
fn words(rsm: &Rsm, component: ComponentId) -> usize {
    rsm.exits(component).len().div_ceil(64)
}

impl Rows {
    /// The rows of EX: nothing is passed but the exit a run stands on.
    pub(crate) fn trivial() -> Self {
        Self { layout: Layout::Trivial, bits: Vec::new() }
    }

    /// The rows of φ₁ = true, the same in all instances of a component.
    pub(crate) fn of_true(plain: &Instances<'_>, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut rows = Self::solve(plain, None, !0, budget)?;
        if let Layout::Bits { shared, .. } = &mut rows.layout {
            *shared = true;
        }
        Ok(rows)
    }

    /// The rows of an operand, given at every cell.
    pub(crate) fn new(
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
        let mut starts = Vec::with_capacity(graph.len());
        let mut told_starts = Vec::with_capacity(graph.len());
        let mut places = Vec::with_capacity(graph.len());
        let (mut total, mut told) = (0, 0);
        for instance in 0..graph.len() as u32 {
            let component = graph.component(instance);
            starts.push(total);
            let width = if uniform { words(graph.rsm, component) } else { graph.rsm.exits(component).len() };
            let vertices = graph.rsm.vertex_range(component);
            places.push(Place {
                start: total,
                first: vertices.start,
                width,
                cell: graph.first_cell(instance),
            });
            total += width * vertices.len();
            told_starts.push(told);
            told += width * graph.rsm.entries(component).len();
        }
        // the rows; what callers know, flags and queues; per instance, its places and turns
        let held = 8 * told + 5 * graph.cell_count() + INSTANCE * graph.len();
        budget.charge(8 * total + held)?;
        let layout = if uniform { Layout::Bits { starts, shared: false } } else { Layout::Lanes { starts } };
        let rows = Self { layout, bits: vec![0; total] };
        let mut solver = Solver {
            graph,
            lanes: along.filter(|_| !uniform),
            active,
            uniform,
            rows,
            flags: match along {
                Some(along) => along.iter().map(|&lanes| if lanes == 0 { BLOCKED } else { 0 }).collect(),
                None => vec![0; graph.cell_count()],
            },
            pending: vec![Vec::new(); graph.len()],
            waiting: vec![true; graph.len()],
            local: VecDeque::new(),
            places,
            told_starts,
            told: vec![0; told],
            news: Vec::new(),
        };
        solver.run(budget)?;
        budget.release(held);
        Ok(solver.rows)
    }

    /// Calls `visit` with every exit that a vertex of an instance reaches, and in which lanes.
    #[inline]
    pub(crate) fn for_each(
        &self,
        graph: &Instances<'_>,
        instance: u32,
        vertex: usize,
        mut visit: impl FnMut(usize, Lanes),
    ) {
        match &self.layout {
            Layout::Trivial => {
                let vertex = Vertex::new(vertex);
                if graph.rsm.is_exit(vertex) {
                    visit(graph.rsm.exit_index(vertex).expect("an exit has a position"), !0);
                }
            }
            Layout::Bits { starts, shared } => {
                let component = graph.component(instance);
                let start = starts[if *shared { component.index() } else { instance as usize }];
                let width = words(graph.rsm, component);
                let row = start + (vertex - graph.rsm.vertex_range(component).start) * width;
                for (i, &word) in self.bits[row..row + width].iter().enumerate() {
                    let mut word = word;
                    while word != 0 {
                        visit(64 * i + word.trailing_zeros() as usize, !0);
                        word &= word - 1;
                    }
                }
            }
            Layout::Lanes { starts } => {
                let component = graph.component(instance);
                let width = graph.rsm.exits(component).len();
                let row =
                    starts[instance as usize] + (vertex - graph.rsm.vertex_range(component).start) * width;
                for (exit, &lanes) in self.bits[row..row + width].iter().enumerate() {
                    if lanes != 0 {
                        visit(exit, lanes);
                    }
                }
            }
        }
    }

    /// The lanes in which an exit is reached from a vertex of an instance.
    #[inline]
    pub(crate) fn reaches(&self, graph: &Instances<'_>, instance: u32, vertex: usize, exit: usize) -> Lanes {
        match &self.layout {
            Layout::Trivial => {
                let vertex = Vertex::new(vertex);
                if graph.rsm.is_exit(vertex) && graph.rsm.exit_index(vertex) == Some(exit) { !0 } else { 0 }
            }
            Layout::Bits { starts, shared } => {
                let component = graph.component(instance);
                let start = starts[if *shared { component.index() } else { instance as usize }];
                let row =
                    start + (vertex - graph.rsm.vertex_range(component).start) * words(graph.rsm, component);
                if self.bits[row + exit / 64] >> (exit % 64) & 1 == 1 { !0 } else { 0 }
            }
            Layout::Lanes { starts } => {
                let component = graph.component(instance);
                let width = graph.rsm.exits(component).len();
                self.bits[starts[instance as usize]
                    + (vertex - graph.rsm.vertex_range(component).start) * width
                    + exit]
            }
        }
    }
}

/// Flags of a cell.
const QUEUED: u8 = 1;
const BLOCKED: u8 = 2;

struct Solver<'g, 'a> {
    graph: &'g Instances<'a>,
    /// the operand, where it differs between lanes
    lanes: Option<&'g [Lanes]>,
    active: Lanes,
    uniform: bool,
    rows: Rows,
    /// per cell, whether it waits in `local` or `pending`, and whether the operand is false there
    flags: Vec<u8>,
    /// per instance, vertices whose rows were changed from outside
    pending: Vec<Vec<u32>>,
    /// per instance, whether it waits its turn
    waiting: Vec<bool>,
    local: VecDeque<u32>,
    places: Vec<Place>,
    /// per instance, where the rows of its entries start in `told`
    told_starts: Vec<usize>,
    /// what callers know of the rows of entries
    told: Vec<u64>,
    /// exits that callers are to be told of, and in which lanes
    news: Vec<(usize, Lanes)>,
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

impl Solver<'_, '_> {
    fn run(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut turns: VecDeque<u32> = self.graph.callees_first().into();
        let mut first = vec![true; self.graph.len()];
        while let Some(instance) = turns.pop_front() {
            self.waiting[instance as usize] = false;
            if std::mem::replace(&mut first[instance as usize], false) {
                self.seed(instance);
            }
            let grown = self.spread(instance, budget)?;
            for entry in grown {
                let graph = self.graph;
                let entry = Vertex::new(entry as usize);
                self.note_new(instance, entry);
                for call in graph.callers(instance) {
                    if self.pass_up(entry, call)
                        && !std::mem::replace(&mut self.waiting[call.caller as usize], true)
                    {
                        turns.push_back(call.caller);
                    }
                }
            }
        }
        Ok(())
    }

    /// Every exit reaches itself.
    fn seed(&mut self, instance: u32) {
        let place = self.places[instance as usize];
        for (exit, &vertex) in self.graph.rsm.exits(self.graph.component(instance)).iter().enumerate() {
            let row = place.row(vertex);
            if self.uniform {
                self.rows.bits[row + exit / 64] |= 1 << (exit % 64);
            } else {
                self.rows.bits[row + exit] = self.active;
            }
            if self.enqueue(place.cell(vertex)) {
                self.pending[instance as usize].push(vertex.index() as u32);
            }
        }
    }

    /// Marks a cell as waiting; whether it was not.
    #[inline]
    fn enqueue(&mut self, cell: usize) -> bool {
        let flags = &mut self.flags[cell];
        let new = *flags & QUEUED == 0;
        *flags |= QUEUED;
        new
    }

    /// Adds one row, as far as `mask` lets it through, to another; whether that changed anything.
    #[inline]
    fn add(&mut self, from: usize, to: usize, width: usize, mask: Lanes) -> bool {
        let mut changed = 0;
        for i in 0..width {
            let new = self.rows.bits[from + i] & mask & !self.rows.bits[to + i];
            self.rows.bits[to + i] |= new;
            changed |= new;
        }
        changed != 0
    }

    /// Carries changes through an instance until nothing changes; returns the entries that grew.
    fn spread(&mut self, instance: u32, budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
        let graph = self.graph;
        let rsm = graph.rsm;
        let place = self.places[instance as usize];
        let width = place.width;
        let mut grown = Vec::new();
        let mut local = std::mem::take(&mut self.local);
        local.extend(self.pending[instance as usize].drain(..));
        while let Some(vertex) = local.pop_front() {
            let vertex = Vertex::new(vertex as usize);
            self.flags[place.cell(vertex)] &= !QUEUED;
            let from = place.row(vertex);
            budget.spend(1 + rsm.predecessors(vertex).len())?;
            for source in rsm.predecessors(vertex) {
                let cell = place.cell(source);
                if self.flags[cell] & BLOCKED != 0 {
                    continue;
                }
                let mask = self.lanes.map_or(!0, |along| along[cell]);
                if self.add(from, place.row(source), width, mask) && self.enqueue(cell) {
                    local.push_back(source.index() as u32);
                }
            }
            if let Kind::Return(site) = rsm.kind(vertex) {
                let exit = rsm.exit_index(vertex).expect("a return port stands for an exit");
                for (port, callee, entry) in graph.call_ports(instance, site) {
                    let lanes = self.rows.reaches(graph, callee, entry.index(), exit);
                    if lanes != 0
                        && self.add(from, place.row(port), width, lanes)
                        && self.enqueue(place.cell(port))
                    {
                        local.push_back(port.index() as u32);
                    }
                }
            }
            if rsm.is_entry(vertex) {
                grown.push(vertex.index() as u32);
            }
        }
        self.local = local;
        grown.sort_unstable();
        grown.dedup();
        Ok(grown)
    }

    /// Collects what is new in the row of an entry since its callers were told last.
    fn note_new(&mut self, instance: u32, entry: Vertex) {
        let position = self.graph.rsm.entry_index(entry).expect("an entry has a position");
        let place = self.places[instance as usize];
        let told = self.told_starts[instance as usize] + position * place.width;
        self.news.clear();
        for i in 0..place.width {
            let row = self.rows.bits[place.row(entry) + i];
            let mut new = row & !std::mem::replace(&mut self.told[told + i], row);
            if !self.uniform && new != 0 {
                self.news.push((i, new));
            }
            while self.uniform && new != 0 {
                self.news.push((64 * i + new.trailing_zeros() as usize, !0));
                new &= new - 1;
            }
        }
    }

    /// An entry's row grew: what does that mean for a call of it?
    fn pass_up(&mut self, entry: Vertex, call: Call) -> bool {
        let graph = self.graph;
        let Some(port) = graph.calling_port(call, entry) else { return false };
        let place = self.places[call.caller as usize];
        let mut changed = false;
        for i in 0..self.news.len() {
            let (exit, lanes) = self.news[i];
            if let Some(back) = graph.rsm.return_port(call.site, exit) {
                changed |= self.add(place.row(back), place.row(port), place.width, lanes);
            }
        }
        let cell = place.cell(port);
        if changed && self.enqueue(cell) {
            self.pending[call.caller as usize].push(port.index() as u32);
        }
        changed
    }
}
