//! Which vertices a run gets to at all: forward through the graph H of local, call and summary edges
//! (rsm-analysis, section 2.1). Linear in the edges of H.

use super::rows::Rows;
use crate::instances::Instances;
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::Vertex;

/// Per vertex, whether it is reached from an initial node under some stack. The graph must be plain.
pub(crate) fn reached(
    graph: &Instances<'_>,
    rows: &Rows,
    budget: &mut Budget,
) -> Result<Vec<bool>, Exhausted> {
    let rsm = graph.rsm;
    budget.charge(rsm.vertex_count())?;
    let mut reached = vec![false; rsm.vertex_count()];
    let mut stack: Vec<Vertex> = Vec::new();
    let mut visit = |vertex: Vertex, stack: &mut Vec<Vertex>| {
        if !std::mem::replace(&mut reached[vertex.index()], true) {
            stack.push(vertex);
        }
    };
    for &initial in rsm.initial() {
        visit(initial, &mut stack);
    }
    while let Some(vertex) = stack.pop() {
        budget.spend(1 + rsm.successors(vertex).len())?;
        for successor in rsm.successors(vertex) {
            visit(successor, &mut stack);
        }
        let instance = rsm.component_of(vertex).index() as u32;
        if let Some((callee, entry)) = graph.called(instance, vertex) {
            let site = rsm.box_of(vertex).expect("a call port has a box");
            visit(entry, &mut stack);
            rows.for_each(graph, callee, entry.index(), |exit, _| {
                if let Some(back) = rsm.return_port(site, exit) {
                    visit(back, &mut stack);
                }
            });
        }
    }
    Ok(reached)
}
