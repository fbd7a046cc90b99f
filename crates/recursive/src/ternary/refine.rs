//! `REFINETERNARY` (Algorithm 1): local consequences for one formula at all live cells.
//!
//! Boolean operators are evaluated cell by cell. For EU and EG a pessimistic run, where unknown
//! values count as false, finds cells that are surely true, and an optimistic run, where they count
//! as true, leaves those that are surely false. Both look at the unknown cells of the instances
//! they are given and at their edges, so after a step only the cells it touched are visited again.
//! Edges are local edges and calls; a run does not go past an exit, whose value is its context, nor
//! into instances it was not given, whose unknown values stay unknown.

use super::interpretation::Interpretation;
use crate::instances::{CellId, InstanceId, NONE};
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::{CoreId, CoreNode};
use loris_rsm::{Vertex, VertexKind};
use std::collections::{HashMap, HashSet};

/// Marks of a run: cells it is about, in or out of the set it computes. Others are 0.
const IN: u8 = 1;
const OUT: u8 = 2;

/// This many cells and calls at least are near to something.
const NEAR: usize = 256;

impl Interpretation<'_> {
    /// Refines all formulas everywhere, operands first; whether anything became known.
    pub(super) fn refine_all(&mut self, budget: &mut Budget) -> Result<bool, Exhausted> {
        self.dirty.clear();
        self.waiting.clear();
        let live = self.live_instances();
        let mut changed = false;
        for node in self.formula.ids() {
            changed |= self.refine(node, &live, budget)?;
        }
        Ok(changed)
    }

    /// Refines where something is new, and on from entries that became known to their callers:
    /// instances as a whole, or, if they were looked at often, from value to value.
    pub(super) fn refine_dirty(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        while !self.dirty.is_empty() || !self.waiting.is_empty() {
            let mut now = std::mem::take(&mut self.dirty);
            now.sort_unstable();
            now.dedup();
            // as many as there are stand for all
            if self.recent.len() <= self.graph.len() {
                self.recent.extend(&now);
            }
            now.retain(|&instance| self.live[instance.index()] && self.is_worth_a_look(instance));
            for &instance in &now {
                self.touch(instance);
            }
            self.look_at(&now, budget)?;
            self.follow(budget)?;
        }
        Ok(())
    }

    /// Refines some instances together, as a whole; whether anything became known. Callers of
    /// entries that became known are dirty then.
    fn look_at(&mut self, instances: &[InstanceId], budget: &mut Budget) -> Result<bool, Exhausted> {
        let before: Vec<usize> = instances.iter().map(|&instance| self.known_entries(instance)).collect();
        let mut changed = false;
        for node in self.formula.ids() {
            changed |= self.refine(node, instances, budget)?;
        }
        for (&instance, &before) in instances.iter().zip(&before) {
            if self.known_entries(instance) > before {
                let mut dirty = std::mem::take(&mut self.dirty);
                dirty.extend(self.callers(instance).map(|port| port.caller));
                self.dirty = dirty;
                self.await_calls(instance);
            }
        }
        Ok(changed)
    }

    /// Refines all formulas everywhere, if it must: whether anything became known.
    ///
    /// A cycle that decides itself is found only if all instances on the cycle are looked at
    /// together. Where something was new lately, such a cycle is likely to be near: ever larger
    /// surroundings are looked at first, so that many cycles, one behind the other, do not take a
    /// look at all for each.
    pub(super) fn refine_around(&mut self, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut recent = std::mem::take(&mut self.recent);
        recent.sort_unstable();
        recent.dedup();
        recent.retain(|&instance| self.live[instance.index()]);
        let cells = |instance: InstanceId| self.rsm.vertex_range(self.graph.component(instance)).len();
        let size: usize = recent.iter().map(|&instance| cells(instance)).sum();
        // with no patience for growth, also where it does not pay
        let (mut most, end) =
            if self.wide == 0 { (size, self.owners.len()) } else { (NEAR + 4 * size, self.owners.len() / 2) };
        while !recent.is_empty() && most < end {
            let near = self.around(&recent, most);
            budget.spend(most)?;
            if self.look_at(&near, budget)? {
                // where something became known
                let touched = near.into_iter().filter(|&instance| self.is_touched[instance.index()]);
                self.recent = touched.collect();
                self.refine_dirty(budget)?;
                return Ok(true);
            }
            most *= 4;
        }
        self.refine_all(budget)
    }

    /// The instances around some, by calls in both directions, nearest first, up to this many cells
    /// and calls; in order.
    fn around(&self, instances: &[InstanceId], most: usize) -> Vec<InstanceId> {
        let mut found = instances.to_vec();
        let mut seen: HashSet<InstanceId> = found.iter().copied().collect();
        let (mut next, mut size) = (0, 0);
        while let Some(&instance) = found.get(next) {
            next += 1;
            size += self.rsm.vertex_range(self.graph.component(instance)).len();
            let callees = self.graph.callees(instance).iter().copied().filter(|&callee| callee != NONE);
            for other in callees.chain(self.callers(instance).map(|port| port.caller)) {
                size += 1;
                if size > most {
                    break;
                }
                if seen.insert(other) {
                    found.push(other);
                }
            }
            if size > most && next >= instances.len() {
                break;
            }
        }
        // those that were found last are still to be looked at
        found.truncate(next.max(instances.len()));
        found.sort_unstable();
        found
    }

    /// Whether an instance is looked at as a whole: the first few times, then less and less often.
    fn is_worth_a_look(&mut self, instance: InstanceId) -> bool {
        let looks = &mut self.looks[instance.index()];
        *looks = looks.saturating_add(1);
        *looks <= self.whole_looks || looks.is_power_of_two()
    }

    /// Lets the call ports be evaluated that stand for the entries of an instance.
    fn await_calls(&mut self, instance: InstanceId) {
        let shift = self.graph.shift(instance);
        for &entry in self.rsm.entries(self.graph.component(instance)) {
            for i in 0..self.existentials.len() {
                let node = self.existentials[i];
                if self.value(node, shift.cell(entry)).is_known() {
                    self.await_predecessors(node, shift.cell(entry));
                }
            }
        }
    }

    /// How many values are known at the entries of an instance.
    fn known_entries(&self, instance: InstanceId) -> usize {
        let shift = self.graph.shift(instance);
        let entries = self.rsm.entries(self.graph.component(instance));
        let known = |&entry: &Vertex| {
            self.existentials.iter().filter(|&&node| self.value(node, shift.cell(entry)).is_known()).count()
        };
        entries.iter().map(known).sum()
    }

    /// Refines one formula in some instances; whether anything became known.
    pub(super) fn refine(
        &mut self,
        node: CoreId,
        instances: &[InstanceId],
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let cells = self.unknown_in(node, instances, budget)?;
        budget.spend(1 + cells.len())?;
        let operator = self.formula.node(node);
        match operator {
            CoreNode::True | CoreNode::Atom(_) => {}
            CoreNode::Not(a) => self.pointwise(node, &cells, |me, cell| !me.value(a, cell)),
            CoreNode::And(a, b) => {
                self.pointwise(node, &cells, |me, cell| me.value(a, cell).min(me.value(b, cell)));
            }
            CoreNode::Or(a, b) => {
                self.pointwise(node, &cells, |me, cell| me.value(a, cell).max(me.value(b, cell)));
            }
            CoreNode::Ex(a) => {
                self.count_checks(&cells);
                self.next(node, a, &cells, budget)?;
            }
            CoreNode::Eg(a) => {
                self.count_checks(&cells);
                self.globally(node, a, &cells, budget)?;
            }
            CoreNode::Eu(a, b) => {
                self.count_checks(&cells);
                self.until(node, a, b, &cells, budget)?;
            }
        }
        let mut changed = false;
        for &cell in &cells {
            if self.value(node, cell).is_known() {
                changed = true;
                self.touch(self.owners[cell.index()]);
            }
        }
        budget.free(cells);
        Ok(changed)
    }

    fn count_checks(&mut self, cells: &[CellId]) {
        let mut last = NONE;
        for &cell in cells {
            let owner = self.owners[cell.index()];
            self.checks += usize::from(owner != last);
            last = owner;
        }
    }

    fn pointwise(&mut self, node: CoreId, cells: &[CellId], value: impl Fn(&Self, CellId) -> Truth) {
        for &cell in cells {
            self.values[node.index()][cell.index()] = value(self, cell);
        }
    }

    /// The value of an existential formula at an exit: its context.
    pub(super) fn context_at(&self, node: CoreId, instance: InstanceId, vertex: Vertex) -> Option<Truth> {
        if !self.rsm.is_exit(vertex) {
            return None;
        }
        let exit = self.rsm.exit_index(vertex)?;
        let existential = self.existentials.binary_search(&node).ok()?;
        Some(self.contexts[instance.index()][self.place(exit, existential)])
    }

    /// Where a call port goes on: the entry of the callee, which is the same state.
    pub(super) fn called_cell(&self, instance: InstanceId, vertex: Vertex) -> Option<CellId> {
        let (callee, entry) = self.graph.called(instance, vertex)?;
        Some(self.graph.shift(callee).cell(entry))
    }

    /// Calls `visit` with the successors of a cell that is not an exit; stops when it returns true.
    pub(super) fn any_successor(&self, cell: CellId, mut visit: impl FnMut(CellId) -> bool) -> bool {
        let instance = self.owners[cell.index()];
        let shift = self.graph.shift(instance);
        let vertex = shift.vertex(cell);
        match self.called_cell(instance, vertex) {
            Some(entry) => visit(entry),
            None => self.rsm.successors(vertex).any(|successor| visit(shift.cell(successor))),
        }
    }

    /// Calls `visit` with the cells a cell is a successor of.
    pub(super) fn for_each_predecessor(&self, cell: CellId, mut visit: impl FnMut(CellId)) {
        let instance = self.owners[cell.index()];
        let shift = self.graph.shift(instance);
        let vertex = shift.vertex(cell);
        for before in self.rsm.predecessors(vertex) {
            visit(shift.cell(before));
        }
        if !self.rsm.is_entry(vertex) {
            return;
        }
        for port in self.calling(instance, vertex) {
            visit(self.graph.shift(port.caller).cell(port.vertex));
        }
    }

    fn next(
        &mut self,
        node: CoreId,
        operand: CoreId,
        cells: &[CellId],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        // call ports last: they have the value of an entry
        let mut ports = Vec::new();
        let budget = &mut budget.holding(0)?;
        for &cell in cells {
            let instance = self.owners[cell.index()];
            let vertex = self.graph.shift(instance).vertex(cell);
            if let Some(value) = self.context_at(node, instance, vertex) {
                self.values[node.index()][cell.index()] = value;
            } else if let Some(entry) = self.called_cell(instance, vertex) {
                ports.push((cell, entry));
                budget.raise(ports.capacity() * size_of::<(CellId, CellId)>())?;
            } else {
                let mut value = Truth::False;
                self.any_successor(cell, |successor| {
                    value = value.max(self.value(operand, successor));
                    value == Truth::True
                });
                budget.spend(1 + self.rsm.successors(vertex).len())?;
                self.values[node.index()][cell.index()] = value;
            }
        }
        for (port, entry) in ports {
            self.values[node.index()][port.index()] = self.value(node, entry);
        }
        Ok(())
    }

    fn until(
        &mut self,
        node: CoreId,
        along: CoreId,
        goal: CoreId,
        cells: &[CellId],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        // pessimistic, then optimistic: from the least value that counts as true
        for least in [Truth::True, Truth::Unknown] {
            let mut found = Vec::new();
            let budget = &mut budget.holding(0)?;
            for &cell in cells {
                self.marks[cell.index()] = OUT;
            }
            for &cell in cells {
                if self.value(node, cell) == Truth::Unknown
                    && self.starts_until(node, along, goal, cell, least)
                {
                    self.marks[cell.index()] = IN;
                    found.push(cell);
                }
            }
            budget.raise(found.capacity() * size_of::<CellId>())?;
            let mut next = 0;
            while next < found.len() {
                let cell: CellId = found[next];
                next += 1;
                let mut marks = std::mem::take(&mut self.marks);
                let mut steps = 1;
                self.for_each_predecessor(cell, |before| {
                    steps += 1;
                    let passes = self.value(along, before) >= least || self.is_call_port(before);
                    if marks[before.index()] == OUT && self.value(node, before) == Truth::Unknown && passes {
                        marks[before.index()] = IN;
                        found.push(before);
                    }
                });
                self.marks = marks;
                budget.spend(steps)?;
                budget.raise(found.capacity() * size_of::<CellId>())?;
            }
            for &cell in cells {
                let mark = std::mem::take(&mut self.marks[cell.index()]);
                let value = &mut self.values[node.index()][cell.index()];
                match (least, mark) {
                    (Truth::True, IN) => *value = Truth::True,
                    (Truth::Unknown, OUT) if *value == Truth::Unknown => *value = Truth::False,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    pub(super) fn is_call_port(&self, cell: CellId) -> bool {
        let vertex = self.graph.shift(self.owners[cell.index()]).vertex(cell);
        matches!(self.rsm.kind(vertex), VertexKind::Call(_))
    }

    /// Whether an unknown cell has EU without asking another unknown cell.
    fn starts_until(&self, node: CoreId, along: CoreId, goal: CoreId, cell: CellId, least: Truth) -> bool {
        let instance = self.owners[cell.index()];
        let vertex = self.graph.shift(instance).vertex(cell);
        if let Some(context) = self.context_at(node, instance, vertex) {
            return context >= least;
        }
        if let Some(entry) = self.called_cell(instance, vertex) {
            return self.is_assumed(node, entry, least);
        }
        self.value(goal, cell) >= least
            || (self.value(along, cell) >= least
                && self.any_successor(cell, |successor| self.value(node, successor) == Truth::True))
    }

    /// Whether a cell outside a run counts as true in it.
    fn is_assumed(&self, node: CoreId, cell: CellId, least: Truth) -> bool {
        self.marks[cell.index()] == 0 && self.value(node, cell) >= least
            || self.value(node, cell) == Truth::True
    }

    fn globally(
        &mut self,
        node: CoreId,
        along: CoreId,
        cells: &[CellId],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        for least in [Truth::True, Truth::Unknown] {
            let mut removed = Vec::new();
            let budget = &mut budget.holding(0)?;
            for &cell in cells {
                let instance = self.owners[cell.index()];
                let vertex = self.graph.shift(instance).vertex(cell);
                let own = self.context_at(node, instance, vertex).unwrap_or_else(|| self.value(along, cell));
                let open = self.value(node, cell) == Truth::Unknown;
                self.marks[cell.index()] = if open && own >= least { IN } else { OUT };
            }
            let mut seen = HashMap::new();
            for &cell in cells {
                if self.marks[cell.index()] == IN && !self.is_supported(node, cell, least, &mut seen) {
                    removed.push(cell);
                }
            }
            for &cell in &removed {
                self.marks[cell.index()] = OUT;
            }
            budget.raise(removed.capacity() * size_of::<CellId>())?;
            while let Some(cell) = removed.pop() {
                let mut marks = std::mem::take(&mut self.marks);
                let mut suspects = Vec::new();
                self.for_each_predecessor(cell, |before| {
                    if marks[before.index()] == IN {
                        suspects.push(before);
                    }
                });
                self.marks = std::mem::take(&mut marks);
                budget.spend(1 + suspects.len())?;
                for before in suspects {
                    if self.marks[before.index()] == IN && !self.is_supported(node, before, least, &mut seen)
                    {
                        self.marks[before.index()] = OUT;
                        removed.push(before);
                    }
                }
                budget.raise(removed.capacity() * size_of::<CellId>())?;
            }
            for &cell in cells {
                let mark = std::mem::take(&mut self.marks[cell.index()]);
                let value = &mut self.values[node.index()][cell.index()];
                match (least, mark) {
                    (Truth::True, IN) => *value = Truth::True,
                    (Truth::Unknown, mark) if mark != IN && *value == Truth::Unknown => *value = Truth::False,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Whether a cell is an exit or has a successor where EG holds or is still assumed. Within a
    /// run successors only lose that, so that of many, those in front that did are not looked at
    /// again.
    fn is_supported(
        &self,
        node: CoreId,
        cell: CellId,
        least: Truth,
        seen: &mut HashMap<CellId, u32>,
    ) -> bool {
        let shift = self.graph.shift(self.owners[cell.index()]);
        let vertex = shift.vertex(cell);
        if self.rsm.is_exit(vertex) {
            return true;
        }
        let supports = |successor: CellId| {
            self.marks[successor.index()] == IN || self.is_assumed(node, successor, least)
        };
        let successors = self.rsm.successor_rows().row(vertex.index());
        if successors.len() <= self.wide {
            return self.any_successor(cell, supports);
        }
        let seen = seen.entry(cell).or_insert(0);
        let mut left = successors[*seen as usize..].iter();
        let lost = left.position(|&successor| supports(shift.cell(Vertex::new(successor as usize))));
        *seen = lost.map_or(successors.len() as u32, |lost| *seen + lost as u32);
        lost.is_some()
    }
}
