//! Plain reachability in the graph H of local, call and summary edges (rsm-analysis, section 2.1):
//! what E[true U φ] comes down to. Linear in the edges of H.

use super::summaries::Summaries;
use crate::instances::Instances;
use crate::operand::Lanes;
use loris_base::{Budget, Csr, Exhausted, Idx};
use loris_rsm::{Vertex, strong_components};

/// Calls `visit` with every cell that a run gets to from a vertex of the initial instance, until it
/// says that this is enough.
pub(crate) fn forward(
    graph: &Instances<'_>,
    summaries: &Summaries,
    from: Vertex,
    budget: &mut Budget,
    mut visit: impl FnMut(u32, Vertex) -> bool,
) -> Result<(), Exhausted> {
    let rsm = graph.rsm;
    // per cell, whether it was seen; places on the stack come and go
    let held = graph.cell_count() + size_of::<(u32, Vertex)>() * graph.cell_count() / 4;
    budget.charge(held)?;
    let mut seen = vec![false; graph.cell_count()];
    seen[graph.shift(graph.start).cell(from)] = true;
    let mut stack = vec![(graph.start, from)];
    while let Some((instance, vertex)) = stack.pop() {
        if visit(instance, vertex) {
            break;
        }
        let shift = graph.shift(instance);
        budget.spend(1 + rsm.successors(vertex).len())?;
        for successor in rsm.successors(vertex) {
            if !std::mem::replace(&mut seen[shift.cell(successor)], true) {
                stack.push((instance, successor));
            }
        }
        let Some((callee, entry)) = graph.called(instance, vertex) else { continue };
        let site = rsm.box_of(vertex).expect("a call port has a box");
        if !std::mem::replace(&mut seen[graph.shift(callee).cell(entry)], true) {
            stack.push((callee, entry));
        }
        summaries.for_each_return(graph, site, (callee, entry), |back, _| {
            if !std::mem::replace(&mut seen[shift.cell(back)], true) {
                stack.push((instance, back));
            }
        });
    }
    budget.release(held);
    Ok(())
}

/// Per vertex, whether it is reached from an initial node under some stack. The graph must be plain.
pub(crate) fn reached(
    graph: &Instances<'_>,
    summaries: &Summaries,
    budget: &mut Budget,
) -> Result<Vec<bool>, Exhausted> {
    budget.charge(graph.rsm.vertex_count())?;
    let mut reached = vec![false; graph.rsm.vertex_count()];
    for &initial in graph.rsm.initial() {
        // of a plain graph, cells are vertices
        forward(graph, summaries, initial, budget, |_, vertex| {
            reached[vertex.index()] = true;
            false
        })?;
    }
    Ok(reached)
}

/// The strongly connected groups of H, successors first: what one vertex of a group reaches, all do.
/// Worth its price when many sets of goals are asked about.
pub(crate) struct Condensed {
    groups: Csr,
    /// per group, the other groups its edges lead to
    successors: Csr,
}

impl Condensed {
    /// Condenses the H of a plain graph.
    pub(crate) fn new(
        graph: &Instances<'_>,
        summaries: &Summaries,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let rsm = graph.rsm;
        let before = budget.used();
        // the rows of vertices and of groups, and what it takes to find these
        budget.charge(48 * rsm.vertex_count())?;
        let mut edges = Csr::default();
        let mut row = Vec::new();
        for vertex in 0..rsm.vertex_count() {
            let vertex = Vertex::new(vertex);
            row.clear();
            row.extend(rsm.successors(vertex).map(|successor| successor.index() as u32));
            let instance = rsm.component_of(vertex).index() as u32;
            if let Some((callee, entry)) = graph.called(instance, vertex) {
                let site = rsm.box_of(vertex).expect("a call port has a box");
                row.push(entry.index() as u32);
                summaries.for_each_return(graph, site, (callee, entry), |back, _| {
                    row.push(back.index() as u32);
                });
            }
            // here, between groups, and once more while lists double
            budget.charge(12 * row.len())?;
            budget.spend(1 + row.len())?;
            edges.push_row(row.iter().copied());
        }
        let groups = strong_components(&edges);
        budget.spend(edges.len())?;
        let mut group_of = vec![0u32; rsm.vertex_count()];
        for group in 0..groups.rows() {
            for &vertex in groups.row(group) {
                group_of[vertex as usize] = group as u32;
            }
        }
        let mut successors = Csr::default();
        for group in 0..groups.rows() {
            row.clear();
            for &vertex in groups.row(group) {
                row.extend(edges.row(vertex as usize).iter().map(|&target| group_of[target as usize]));
            }
            row.sort_unstable();
            row.dedup();
            budget.spend(1 + row.len())?;
            successors.push_row(row.iter().copied().filter(|&other| other != group as u32));
        }
        budget.settle(before + groups.bytes() + successors.bytes())?;
        Ok(Self { groups, successors })
    }

    /// Per vertex, the lanes in which a goal is reached: one pass over the groups.
    pub(crate) fn reaching(
        &self,
        mut goal: Vec<Lanes>,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let mut found: Vec<Lanes> = Vec::with_capacity(self.groups.rows());
        for group in 0..self.groups.rows() {
            let (members, after) = (self.groups.row(group), self.successors.row(group));
            budget.spend(members.len() + after.len())?;
            let here = members.iter().fold(0, |lanes, &vertex| lanes | goal[vertex as usize]);
            let lanes = after.iter().fold(here, |lanes, &group| lanes | found[group as usize]);
            for &vertex in members {
                goal[vertex as usize] = lanes;
            }
            found.push(lanes);
        }
        Ok(goal)
    }
}
