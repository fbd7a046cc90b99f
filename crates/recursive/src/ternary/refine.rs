//! `REFINETERNARY` (Algorithm 1): what follows locally, for one formula at all live cells.
//!
//! Boolean operators are evaluated cell by cell. For EU and EG a pessimistic run, where what is
//! unknown counts as false, finds cells that are surely true, and an optimistic run, where it counts as
//! true, leaves those that are surely false. Both look at unknown cells and their edges only, so
//! a call costs what is still unknown, not the size of the machine. Edges are local edges and calls;
//! a run does not go past an exit, whose value is its context.

use super::Interpretation;
use crate::instances::NONE;
use loris_base::{Budget, Exhausted, Truth};
use loris_logic::CtlNode;
use loris_rsm::{Kind, Vertex};

/// Marks of a run.
const IN: u8 = 1;
const UNKNOWN: u8 = 2;

impl Interpretation<'_> {
    /// Refines all formulas, operands first; whether anything became known.
    pub(super) fn refine_all(&mut self, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut changed = false;
        for node in 0..self.formula.nodes().len() as u32 {
            changed |= self.refine(node, budget)?;
        }
        Ok(changed)
    }

    /// Refines one formula; whether anything became known.
    pub(super) fn refine(&mut self, node: u32, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut cells = std::mem::take(&mut self.unknown[node as usize]);
        cells.retain(|&cell| {
            self.values[node as usize][cell as usize] == Truth::Unknown && self.live[self.owners[cell as usize] as usize]
        });
        let before = cells.len();
        if before == 0 {
            return Ok(false);
        }
        budget.spend(before)?;
        match self.formula.nodes()[node as usize] {
            CtlNode::True | CtlNode::Atom(_) => {}
            CtlNode::Not(a) => self.pointwise(node, &cells, |me, cell| !me.value(a, cell)),
            CtlNode::And(a, b) => self.pointwise(node, &cells, |me, cell| me.value(a, cell).min(me.value(b, cell))),
            CtlNode::Or(a, b) => self.pointwise(node, &cells, |me, cell| me.value(a, cell).max(me.value(b, cell))),
            CtlNode::Ex(a) => {
                self.count_checks(&cells);
                self.next(node, a, &cells, budget)?;
            }
            CtlNode::Eg(a) => {
                self.count_checks(&cells);
                self.globally(node, a, &cells, budget)?;
            }
            CtlNode::Eu(a, b) => {
                self.count_checks(&cells);
                self.until(node, a, b, &cells, budget)?;
            }
        }
        cells.retain(|&cell| self.values[node as usize][cell as usize] == Truth::Unknown);
        let changed = cells.len() < before;
        self.unknown[node as usize] = cells;
        Ok(changed)
    }

    fn count_checks(&mut self, cells: &[u32]) {
        let mut last = NONE;
        for &cell in cells {
            let owner = self.owners[cell as usize];
            self.checks += usize::from(owner != last);
            last = owner;
        }
    }

    fn pointwise(&mut self, node: u32, cells: &[u32], value: impl Fn(&Self, usize) -> Truth) {
        for &cell in cells {
            self.values[node as usize][cell as usize] = value(self, cell as usize);
        }
    }

    /// The value of an existential formula at an exit: its context.
    fn context_at(&self, node: u32, instance: u32, vertex: Vertex) -> Option<Truth> {
        if !self.rsm.is_exit(vertex) {
            return None;
        }
        let exit = self.rsm.exit_index(vertex)?;
        let existential = self.existentials.binary_search(&node).ok()?;
        Some(self.contexts[instance as usize][self.place(exit, existential)])
    }

    /// Where a call port goes on: the entry of the callee, which is the same state.
    fn called_cell(&self, instance: u32, vertex: Vertex) -> Option<usize> {
        let (callee, entry) = self.graph.called(instance, vertex)?;
        Some(self.graph.shift(callee).cell(entry))
    }

    /// Calls `visit` with the successors of a cell that is no exit; stops when it returns true.
    pub(super) fn any_successor(&self, cell: usize, mut visit: impl FnMut(usize) -> bool) -> bool {
        let instance = self.owners[cell];
        let shift = self.graph.shift(instance);
        let vertex = shift.vertex(cell);
        match self.called_cell(instance, vertex) {
            Some(entry) => visit(entry),
            None => self.rsm.successors(vertex).any(|successor| visit(shift.cell(successor))),
        }
    }

    /// Calls `visit` with the cells a cell is a successor of.
    fn for_each_predecessor(&self, cell: usize, mut visit: impl FnMut(usize)) {
        let instance = self.owners[cell];
        let shift = self.graph.shift(instance);
        let vertex = shift.vertex(cell);
        for before in self.rsm.predecessors(vertex) {
            visit(shift.cell(before));
        }
        if !self.rsm.is_entry(vertex) {
            return;
        }
        for call in self.graph.callers(instance) {
            if let Some(port) = self.graph.calling_port(call, vertex) {
                visit(self.graph.shift(call.caller).cell(port));
            }
        }
    }

    fn next(&mut self, node: u32, operand: u32, cells: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        // call ports last: they have the value of an entry
        let mut ports = Vec::new();
        for &cell in cells {
            let cell = cell as usize;
            let instance = self.owners[cell];
            let vertex = self.graph.shift(instance).vertex(cell);
            if let Some(value) = self.context_at(node, instance, vertex) {
                self.values[node as usize][cell] = value;
            } else if let Some(entry) = self.called_cell(instance, vertex) {
                ports.push((cell, entry));
            } else {
                let mut value = Truth::False;
                self.any_successor(cell, |successor| {
                    value = value.max(self.value(operand, successor));
                    value == Truth::True
                });
                budget.spend(1 + self.rsm.successors(vertex).len())?;
                self.values[node as usize][cell] = value;
            }
        }
        for (port, entry) in ports {
            self.values[node as usize][port] = self.value(node, entry);
        }
        Ok(())
    }

    fn until(
        &mut self,
        node: u32,
        along: u32,
        goal: u32,
        cells: &[u32],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        // pessimistic, then optimistic: from the least value that counts as true
        for least in [Truth::True, Truth::Unknown] {
            let mut found = Vec::new();
            for &cell in cells {
                self.marks[cell as usize] = UNKNOWN;
            }
            for &cell in cells {
                let cell = cell as usize;
                if self.value(node, cell) == Truth::Unknown && self.starts_until(node, along, goal, cell, least) {
                    self.marks[cell] = IN;
                    found.push(cell as u32);
                }
            }
            let mut next = 0;
            while next < found.len() {
                let cell = found[next] as usize;
                next += 1;
                let mut marks = std::mem::take(&mut self.marks);
                let mut steps = 1;
                self.for_each_predecessor(cell, |before| {
                    steps += 1;
                    let passes = self.value(along, before) >= least || self.is_call_port(before);
                    if marks[before] == UNKNOWN && self.value(node, before) == Truth::Unknown && passes {
                        marks[before] = IN;
                        found.push(before as u32);
                    }
                });
                self.marks = marks;
                budget.spend(steps)?;
            }
            for &cell in cells {
                let mark = std::mem::take(&mut self.marks[cell as usize]);
                let value = &mut self.values[node as usize][cell as usize];
                match (least, mark) {
                    (Truth::True, IN) => *value = Truth::True,
                    (Truth::Unknown, UNKNOWN) if *value == Truth::Unknown => *value = Truth::False,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    pub(super) fn is_call_port(&self, cell: usize) -> bool {
        let vertex = self.graph.shift(self.owners[cell]).vertex(cell);
        matches!(self.rsm.kind(vertex), Kind::Call(_))
    }

    /// Whether an unknown cell has EU without asking another unknown cell.
    fn starts_until(&self, node: u32, along: u32, goal: u32, cell: usize, least: Truth) -> bool {
        let instance = self.owners[cell];
        let vertex = self.graph.shift(instance).vertex(cell);
        if let Some(context) = self.context_at(node, instance, vertex) {
            return context >= least;
        }
        if let Some(entry) = self.called_cell(instance, vertex) {
            return self.value(node, entry) == Truth::True;
        }
        self.value(goal, cell) >= least
            || (self.value(along, cell) >= least
                && self.any_successor(cell, |successor| self.value(node, successor) == Truth::True))
    }

    fn globally(&mut self, node: u32, along: u32, cells: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        for least in [Truth::True, Truth::Unknown] {
            let mut removed = Vec::new();
            for &cell in cells {
                let cell = cell as usize;
                let instance = self.owners[cell];
                let vertex = self.graph.shift(instance).vertex(cell);
                let own = self.context_at(node, instance, vertex).unwrap_or_else(|| self.value(along, cell));
                if self.value(node, cell) == Truth::Unknown && own >= least {
                    self.marks[cell] = IN;
                }
            }
            for &cell in cells {
                let cell = cell as usize;
                if self.marks[cell] == IN && !self.is_supported(node, cell) {
                    removed.push(cell as u32);
                }
            }
            for &cell in &removed {
                self.marks[cell as usize] = UNKNOWN;
            }
            while let Some(cell) = removed.pop() {
                let mut marks = std::mem::take(&mut self.marks);
                let mut suspects = Vec::new();
                self.for_each_predecessor(cell as usize, |before| {
                    if marks[before] == IN {
                        suspects.push(before);
                    }
                });
                self.marks = std::mem::take(&mut marks);
                budget.spend(1 + suspects.len())?;
                for before in suspects {
                    if self.marks[before] == IN && !self.is_supported(node, before) {
                        self.marks[before] = UNKNOWN;
                        removed.push(before as u32);
                    }
                }
            }
            for &cell in cells {
                let mark = std::mem::take(&mut self.marks[cell as usize]);
                let value = &mut self.values[node as usize][cell as usize];
                match (least, mark) {
                    (Truth::True, IN) => *value = Truth::True,
                    (Truth::Unknown, mark) if mark != IN && *value == Truth::Unknown => *value = Truth::False,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Whether a cell is an exit or has a successor where EG holds or is still assumed.
    fn is_supported(&self, node: u32, cell: usize) -> bool {
        let vertex = self.graph.shift(self.owners[cell]).vertex(cell);
        self.rsm.is_exit(vertex)
            || self.any_successor(cell, |successor| {
                self.marks[successor] == IN || self.value(node, successor) == Truth::True
            })
    }
}
