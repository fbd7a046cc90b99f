//! An existential formula in one instance, given its value at the exits.
//!
//! ψ is true at a vertex if it is so without leaving, or if a run leads from there along φ₁ to an
//! exit where the context has ψ. The second is a search backwards from the exits, over local edges
//! and summary edges: linear in these for each lane that is new. Nothing is held of which exit it
//! was, so that the number of exits does not matter.

use super::relation::Summaries;
use crate::instances::{InstanceId, Instances};
use crate::operand::Lanes;
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::{Vertex, VertexKind};

/// Where runs may go on: the lanes in which φ₁ holds.
#[derive(Clone, Copy)]
pub enum Along<'v> {
    /// nowhere, as after EX
    Nothing,
    /// everywhere, as in E[true U φ]
    Everything,
    /// by cell
    Cells(&'v [Lanes]),
}

impl Along<'_> {
    /// At a cell.
    #[inline]
    pub(crate) fn at(self, cell: usize) -> Lanes {
        match self {
            Along::Nothing => 0,
            Along::Everything => !0,
            Along::Cells(cells) => cells[cell],
        }
    }
}

/// Adds to the values of an instance's vertices those that follow from its exits.
pub fn leave(
    graph: &Instances<'_>,
    (along, summaries): (Along<'_>, &Summaries),
    instance: InstanceId,
    context: &[Lanes],
    values: &mut [Lanes],
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let rsm = graph.rsm;
    let component = graph.component(instance);
    let (first, shift) = (rsm.vertex_range(component).start, graph.shift(instance));
    let mut stack: Vec<u32> = Vec::new();
    for (&exit, &lanes) in rsm.exits(component).iter().zip(context) {
        let value = &mut values[exit.index() - first];
        if lanes & !*value != 0 {
            *value |= lanes;
            stack.push(exit.index() as u32);
        }
    }
    if matches!(along, Along::Nothing) {
        return Ok(());
    }
    // a vertex may wait more than once: its value is passed on when it is met first
    while let Some(number) = stack.pop() {
        let vertex = Vertex::new(number as usize);
        let lanes = values[vertex.index() - first];
        let mut steps = 1;
        let mut pass = |to: Vertex, through: Lanes, stack: &mut Vec<u32>| {
            steps += 1;
            let value = &mut values[to.index() - first];
            if lanes & through & !*value != 0 {
                *value |= lanes & through;
                stack.push(to.index() as u32);
            }
        };
        for before in rsm.predecessors(vertex) {
            pass(before, along.at(shift.cell(before).index()), &mut stack);
        }
        if let VertexKind::Return(site) = rsm.kind(vertex) {
            summaries.for_each_call(graph, (instance, site), vertex, |port, through| {
                pass(port, through, &mut stack);
            });
        }
        budget.spend(steps)?;
    }
    Ok(())
}
