//! Plain reachability in the graph H of local, call and summary edges (rsm-analysis, section 2.1):
//! it decides E[true U φ]. Linear in the edges of H.

use super::relation::Summaries;
use crate::atomic::Flags;
use crate::instances::{InstanceId, Instances};
use crate::operand::Lanes;
use crate::threads::{self, List, Work};
use loris_base::{Budget, Csr, Exhausted, Idx, strong_components};
use loris_rsm::Vertex;
use std::marker::PhantomData;

/// Calls `visit` with every cell that a run gets to from some vertices of the initial instance,
/// once and in any order, until it returns that this is enough; each thread passes state of its
/// own. Returns, per cell, whether it was seen.
pub(crate) fn forward<O: Default>(
    graph: &Instances<'_>,
    summaries: &Summaries,
    from: &[Vertex],
    budget: &mut Budget,
    visit: impl Fn(&mut O, InstanceId, Vertex) -> bool + Sync,
) -> Result<Vec<u8>, Exhausted> {
    // per cell, whether it was seen; places on the stack come and go
    let cells = graph.cell_count();
    let budget = &mut budget.holding(cells + size_of::<(InstanceId, Vertex)>() * cells / 4)?;
    let seen = budget.counting(2 * cells, |budget| {
        if threads::count(cells, budget) > 1 {
            Forward::<_, _, true>::search(graph, summaries, from, visit, budget)
        } else {
            Forward::<_, _, false>::search(graph, summaries, from, visit, budget)
        }
    })?;
    Ok(seen)
}

struct Forward<'f, 'a, O, V, const SHARED: bool> {
    graph: &'f Instances<'a>,
    summaries: &'f Summaries,
    seen: Flags<SHARED>,
    visit: V,
    own: PhantomData<fn() -> O>,
}

const SEEN: u8 = 1;

impl<'f, 'a, O, V, const SHARED: bool> Forward<'f, 'a, O, V, SHARED>
where
    O: Default,
    V: Fn(&mut O, InstanceId, Vertex) -> bool + Sync,
{
    fn search(
        graph: &'f Instances<'a>,
        summaries: &'f Summaries,
        from: &[Vertex],
        visit: V,
        budget: &mut Budget,
    ) -> Result<Vec<u8>, Exhausted> {
        let seen = Flags::new(vec![0; graph.cell_count()]);
        let forward = Self { graph, summaries, seen, visit, own: PhantomData };
        let new = |vertex: &&Vertex| forward.seen.set(graph.shift(graph.start).cell(**vertex).index(), SEEN);
        let seeds: Vec<(InstanceId, Vertex)> =
            from.iter().filter(new).map(|&vertex| (graph.start, vertex)).collect();
        threads::run(&forward, &seeds, graph.cell_count(), budget)?;
        Ok(forward.seen.into_inner())
    }
}

impl<O, V, const SHARED: bool> Work for Forward<'_, '_, O, V, SHARED>
where
    O: Default,
    V: Fn(&mut O, InstanceId, Vertex) -> bool + Sync,
{
    type Item = (InstanceId, Vertex);
    type Own = O;
    const IN_ORDER: bool = false;

    #[inline]
    fn work(
        &self,
        (instance, vertex): (InstanceId, Vertex),
        own: &mut O,
        list: &mut List<(InstanceId, Vertex)>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        if (self.visit)(own, instance, vertex) {
            return Ok(true);
        }
        let (graph, rsm) = (self.graph, self.graph.rsm);
        let shift = graph.shift(instance);
        budget.spend(1 + rsm.successors(vertex).len())?;
        for successor in rsm.successors(vertex) {
            if self.seen.set(shift.cell(successor).index(), SEEN) {
                list.push((instance, successor));
            }
        }
        let Some((callee, entry)) = graph.called(instance, vertex) else { return Ok(false) };
        let site = rsm.box_of(vertex).expect("a call port has a box");
        if self.seen.set(graph.shift(callee).cell(entry).index(), SEEN) {
            list.push((callee, entry));
        }
        self.summaries.for_each_return(graph, site, (callee, entry), |back, _| {
            if self.seen.set(shift.cell(back).index(), SEEN) {
                list.push((instance, back));
            }
        });
        Ok(false)
    }
}

/// Per vertex, whether it is reached from an initial node under some stack. The graph must be
/// plain.
pub(crate) fn reached(
    graph: &Instances<'_>,
    summaries: &Summaries,
    budget: &mut Budget,
) -> Result<Vec<bool>, Exhausted> {
    budget.charge(graph.rsm.vertex_count())?;
    // of a plain graph, cells are vertices
    let seen = forward(graph, summaries, graph.rsm.initial(), budget, |(): &mut (), _, _| false)?;
    Ok(seen.into_iter().map(|seen| seen != 0).collect())
}

/// The strongly connected groups of H, successors first: all vertices of a group reach the same.
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
        // the rows of vertices and of groups, and the memory to find these
        budget.charge(48 * rsm.vertex_count())?;
        let mut edges = Csr::default();
        let mut row = Vec::new();
        for vertex in 0..rsm.vertex_count() {
            let vertex = Vertex::new(vertex);
            row.clear();
            row.extend(rsm.successors(vertex).map(|successor| successor.index() as u32));
            let instance = InstanceId::of(rsm.component_of(vertex));
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
        let group_of = groups.row_of_each(rsm.vertex_count());
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
