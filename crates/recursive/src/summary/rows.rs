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
        let mut total = 0;
        for instance in 0..graph.len() as u32 {
            let component = graph.component(instance);
            starts.push(total);
            let width = if uniform { words(graph.rsm, component) } else { graph.rsm.exits(component).len() };
            total += width * graph.rsm.vertex_range(component).len();
        }
        budget.charge(8 * total + 2 * graph.cell_count())?;
        let layout = if uniform { Layout::Bits { starts, shared: false } } else { Layout::Lanes { starts } };
        let rows = Self { layout, bits: vec![0; total] };
        let mut solver = Solver {
            graph,
            along,
            active,
            uniform,
            rows,
            queued: vec![false; graph.cell_count()],
            pending: vec![Vec::new(); graph.len()],
            waiting: vec![true; graph.len()],
            local: VecDeque::new(),
            exits: Vec::new(),
        };
        solver.run(budget)?;
        budget.release(2 * graph.cell_count());
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

struct Solver<'g, 'a> {
    graph: &'g Instances<'a>,
    along: Option<&'g [Lanes]>,
    active: Lanes,
    uniform: bool,
    rows: Rows,
    /// per cell, whether it waits in `local` or `pending`
    queued: Vec<bool>,
    /// per instance, vertices whose rows were changed from outside
    pending: Vec<Vec<u32>>,
    /// per instance, whether it waits its turn
    waiting: Vec<bool>,
    local: VecDeque<u32>,
    exits: Vec<(usize, Lanes)>,
}

/// Where the rows of an instance start, the number of its first vertex, and the words in a row.
#[derive(Clone, Copy)]
struct RowsOf {
    start: usize,
    first: usize,
    width: usize,
}

impl RowsOf {
    #[inline]
    fn row(self, vertex: Vertex) -> usize {
        self.start + (vertex.index() - self.first) * self.width
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
                for call in graph.callers(instance) {
                    if self.pass_up(instance, entry, call)
                        && !std::mem::replace(&mut self.waiting[call.caller as usize], true)
                    {
                        turns.push_back(call.caller);
                    }
                }
            }
        }
        Ok(())
    }

    /// Where the rows of an instance are.
    #[inline]
    fn place(&self, instance: u32) -> RowsOf {
        let component = self.graph.component(instance);
        let (Layout::Bits { starts, .. } | Layout::Lanes { starts }) = &self.rows.layout else {
            unreachable!("trivial rows are not solved for")
        };
        let exits = self.graph.rsm.exits(component).len();
        RowsOf {
            start: starts[instance as usize],
            first: self.graph.rsm.vertex_range(component).start,
            width: if self.uniform { exits.div_ceil(64) } else { exits },
        }
    }

    /// Every exit reaches itself.
    fn seed(&mut self, instance: u32) {
        let (shift, place) = (self.graph.shift(instance), self.place(instance));
        for (exit, &vertex) in self.graph.rsm.exits(self.graph.component(instance)).iter().enumerate() {
            let row = place.row(vertex);
            if self.uniform {
                self.rows.bits[row + exit / 64] |= 1 << (exit % 64);
            } else {
                self.rows.bits[row + exit] = self.active;
            }
            if !std::mem::replace(&mut self.queued[shift.cell(vertex)], true) {
                self.pending[instance as usize].push(vertex.index() as u32);
            }
        }
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
        let (shift, place) = (graph.shift(instance), self.place(instance));
        let width = place.width;
        let mut grown = Vec::new();
        let mut local = std::mem::take(&mut self.local);
        local.extend(self.pending[instance as usize].drain(..));
        while let Some(vertex) = local.pop_front() {
            let vertex = Vertex::new(vertex as usize);
            self.queued[shift.cell(vertex)] = false;
            let from = place.row(vertex);
            budget.spend(1 + rsm.predecessors(vertex).len())?;
            for source in rsm.predecessors(vertex) {
                let cell = shift.cell(source);
                let mask = match self.along {
                    Some(along) if !self.uniform => along[cell],
                    Some(along) if along[cell] == 0 => 0,
                    _ => !0,
                };
                if mask == 0 {
                    continue;
                }
                if self.add(from, place.row(source), width, mask)
                    && !std::mem::replace(&mut self.queued[cell], true)
                {
                    local.push_back(source.index() as u32);
                }
            }
            if let Kind::Return(site) = rsm.kind(vertex) {
                let exit = rsm.exit_index(vertex).expect("a return port stands for an exit");
                for (port, callee, entry) in graph.call_ports(instance, site) {
                    let lanes = self.rows.reaches(graph, callee, entry.index(), exit);
                    if lanes != 0
                        && self.add(from, place.row(port), width, lanes)
                        && !std::mem::replace(&mut self.queued[shift.cell(port)], true)
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

    /// An entry's row grew: what does that mean for a call of it?
    fn pass_up(&mut self, instance: u32, entry: u32, call: Call) -> bool {
        let graph = self.graph;
        let rsm = graph.rsm;
        let Some(port) = graph.calling_port(call, Vertex::new(entry as usize)) else { return false };
        let place = self.place(call.caller);
        let mut exits = std::mem::take(&mut self.exits);
        self.rows.for_each(graph, instance, entry as usize, |exit, lanes| exits.push((exit, lanes)));
        let mut changed = false;
        for (exit, lanes) in exits.drain(..) {
            if let Some(back) = rsm.return_port(call.site, exit) {
                changed |= self.add(place.row(back), place.row(port), place.width, lanes);
            }
        }
        self.exits = exits;
        let cell = graph.shift(call.caller).cell(port);
        if changed && !std::mem::replace(&mut self.queued[cell], true) {
            self.pending[call.caller as usize].push(port.index() as u32);
        }
        changed
    }
}
