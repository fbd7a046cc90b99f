//! `stays(v)`: an existential formula is true at a vertex without ever leaving the instance.
//!
//! All three are searched in the graph H (rsm-analysis, section 2.1): local edges, call edges from
//! a port to the callee's entry, and summary edges from a call port to the return ports that the
//! callee can reach along the operand ([`Summaries`]).
//!
//! - E[φ₁ U φ₂]: some cell with φ₂ is reached along φ₁; backwards from there, least fixpoint.
//! - EG φ₁: some infinite path of H along φ₁; cells without a live successor die, greatest fixpoint.
//! - EX φ: one step.
//!
//! Each cell is revisited only when a lane changes: O(edges of H) per lane.

use super::leaving::Along;
use super::summaries::Summaries;
use crate::instances::Instances;
use crate::operand::Lanes;
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::{Kind, Vertex};

/// E[φ₁ U φ₂], given φ₁ as `along` and φ₂ as `goal`.
pub(crate) fn until(
    graph: &Instances<'_>,
    along: Along<'_>,
    goal: Vec<Lanes>,
    summaries: &Summaries,
    budget: &mut Budget,
) -> Result<Vec<Lanes>, Exhausted> {
    budget.charge(9 * graph.cell_count())?;
    let owners = graph.owners();
    let mut stays = goal;
    let mut queue = Queue::new(owners.len());
    for (cell, &lanes) in stays.iter().enumerate() {
        budget.spend(1)?;
        if lanes != 0 {
            queue.push(cell);
        }
    }
    while let Some(cell) = queue.pop() {
        let lanes = stays[cell];
        budget.spend(1)?;
        for_each_predecessor(graph, summaries, &owners, cell, |before, through, local| {
            let mut new = lanes & through & !stays[before];
            if local {
                new &= along.at(before);
            }
            if new != 0 {
                stays[before] |= new;
                queue.push(before);
            }
        });
    }
    budget.release(9 * owners.len());
    Ok(stays)
}

/// EG φ₁, given φ₁ as `along`.
pub(crate) fn globally(
    graph: &Instances<'_>,
    along: &[Lanes],
    summaries: &Summaries,
    budget: &mut Budget,
) -> Result<Vec<Lanes>, Exhausted> {
    let rsm = graph.rsm;
    budget.charge(21 * graph.cell_count())?;
    let owners = graph.owners();
    let mut alive = along.to_vec();
    // leaving is not staying
    for instance in 0..graph.len() as u32 {
        let shift = graph.shift(instance);
        for &exit in rsm.exits(graph.component(instance)) {
            alive[shift.cell(exit)] = 0;
        }
    }
    // successors before this position are dead in all lanes: each is passed over once
    let mut dead = vec![0u32; owners.len()];
    let mut queue = Queue::new(owners.len());
    for (cell, &lanes) in alive.iter().enumerate() {
        budget.spend(1)?;
        if lanes != 0 {
            queue.push(cell);
        }
    }
    while let Some(cell) = queue.pop() {
        let wanted = alive[cell];
        if wanted == 0 {
            continue;
        }
        let instance = owners[cell];
        let shift = graph.shift(instance);
        let vertex = shift.vertex(cell);
        let mut support = 0;
        if let Some((callee, entry)) = graph.called(instance, vertex) {
            let site = rsm.box_of(vertex).expect("a call port has a box");
            support |= alive[graph.shift(callee).cell(entry)];
            let mut returning = 0;
            for place in dead[cell] as usize..Summaries::return_places(graph, site, callee) {
                if wanted & !support == 0 {
                    break;
                }
                let back = summaries.return_at(graph, site, (callee, entry), place);
                let lanes = back.map_or(0, |(back, lanes)| lanes & alive[shift.cell(back)]);
                if lanes == 0 && returning == 0 {
                    dead[cell] += 1;
                }
                returning |= lanes;
                support |= lanes;
            }
        } else {
            let successors = &rsm.successor_rows().row(vertex.index())[dead[cell] as usize..];
            for &successor in successors {
                let lanes = alive[shift.cell(Vertex::new(successor as usize))];
                if lanes == 0 && support == 0 {
                    dead[cell] += 1;
                }
                support |= lanes;
                if wanted & !support == 0 {
                    break;
                }
            }
        }
        budget.spend(1)?;
        if wanted & !support != 0 {
            alive[cell] &= support;
            for_each_predecessor(graph, summaries, &owners, cell, |before, _, _| {
                if alive[before] != 0 {
                    queue.push(before);
                }
            });
        }
    }
    budget.release(13 * owners.len());
    Ok(alive)
}

/// EX φ, given φ as `goal`.
pub(crate) fn next(
    graph: &Instances<'_>,
    goal: &[Lanes],
    budget: &mut Budget,
) -> Result<Vec<Lanes>, Exhausted> {
    budget.charge(8 * goal.len())?;
    let rsm = graph.rsm;
    let mut stays = vec![0; goal.len()];
    for instance in 0..graph.len() as u32 {
        let shift = graph.shift(instance);
        for vertex in rsm.vertices(graph.component(instance)) {
            budget.spend(1)?;
            let successors = rsm.successors(vertex);
            stays[shift.cell(vertex)] =
                successors.fold(0, |lanes, successor| lanes | goal[shift.cell(successor)]);
        }
    }
    for instance in 0..graph.len() as u32 {
        let shift = graph.shift(instance);
        for site in rsm.boxes(graph.component(instance)) {
            for (port, callee, entry) in graph.call_ports(instance, site) {
                stays[shift.cell(port)] = stays[graph.shift(callee).cell(entry)];
            }
        }
    }
    Ok(stays)
}

/// Calls `visit` with every predecessor of a cell in H, the lanes the edge is there for, and whether
/// it is a local edge (where the operand must hold at its source; summary and call edges have seen to
/// that in the callee).
#[inline]
fn for_each_predecessor(
    graph: &Instances<'_>,
    summaries: &Summaries,
    owners: &[u32],
    cell: usize,
    mut visit: impl FnMut(usize, Lanes, bool),
) {
    let rsm = graph.rsm;
    let instance = owners[cell];
    let shift = graph.shift(instance);
    let vertex = shift.vertex(cell);
    for before in rsm.predecessors(vertex) {
        visit(shift.cell(before), !0, true);
    }
    match rsm.kind(vertex) {
        Kind::Return(site) => {
            summaries.for_each_call(graph, (instance, site), vertex, |port, lanes| {
                visit(shift.cell(port), lanes, false);
            });
        }
        Kind::Node if rsm.is_entry(vertex) => {
            for call in graph.callers(instance) {
                if let Some(port) = graph.calling_port(call, vertex) {
                    visit(graph.shift(call.caller).cell(port), !0, false);
                }
            }
        }
        _ => {}
    }
}

/// Cells that wait, each at most once. Last in, first out: what changed last is near what it changes,
/// and large machines do not fit the cache.
struct Queue {
    cells: Vec<u32>,
    queued: Vec<bool>,
}

impl Queue {
    fn new(cells: usize) -> Self {
        Self { cells: Vec::new(), queued: vec![false; cells] }
    }

    #[inline]
    fn push(&mut self, cell: usize) {
        if !std::mem::replace(&mut self.queued[cell], true) {
            self.cells.push(cell as u32);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        let cell = self.cells.pop()? as usize;
        self.queued[cell] = false;
        Some(cell)
    }
}
