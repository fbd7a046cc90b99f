//! `stays(v)`: an existential formula is true at a vertex without ever leaving the instance.
//!
//! All three are searched in the graph H (rsm-analysis, section 2.1): local edges, call edges from
//! a port to the callee's entry, and summary edges from a call port to the return ports that the
//! callee can reach along the operand ([`Summaries`]).
//!
//! - E[φ₁ U φ₂]: some cell with φ₂ is reached along φ₁; backwards from there, least fixpoint.
//! - EG φ₁: some infinite path of H along φ₁; cells without a live successor die, greatest
//!   fixpoint.
//! - EX φ: one step.
//!
//! Each cell is revisited only when a lane changes: O(edges of H) per lane.

use crate::atomic::{Flags, Hints, Words};
use crate::instances::{InstanceId, Instances};
use crate::operand::Lanes;
use crate::summaries::{Along, Summaries};
use crate::threads::{self, List, Work};
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::{Vertex, VertexKind};

/// E[φ₁ U φ₂], given φ₁ as `along` and φ₂ as `goal`.
pub(crate) fn until(
    graph: &Instances<'_>,
    along: Along<'_>,
    goal: Vec<Lanes>,
    summaries: &Summaries,
    budget: &mut Budget,
) -> Result<Vec<Lanes>, Exhausted> {
    let cells = graph.cell_count();
    let budget = &mut budget.holding(9 * cells)?;
    let stays = budget.counting(2 * cells, |budget| {
        let (seeds, lanes) = seeds(graph, &goal, budget)?;
        // in one lane, nothing comes to a cell twice
        let flags = vec![0; if lanes.count_ones() > 1 { cells } else { 0 }];
        if threads::count(cells, budget) > 1 {
            Until::<true>::solve((graph, along, summaries), goal, flags, &seeds, budget)
        } else {
            Until::<false>::solve((graph, along, summaries), goal, flags, &seeds, budget)
        }
    })?;
    Ok(stays)
}

/// The cells with a value, as vertices of instances; and all lanes there are.
pub(super) fn seeds(
    graph: &Instances<'_>,
    values: &[Lanes],
    budget: &mut Budget,
) -> Result<(Vec<(InstanceId, u32)>, Lanes), Exhausted> {
    let found = threads::pieces(values.len(), 1, budget, |range| {
        let (mut seeds, mut all) = (Vec::new(), 0);
        for (instance, cells, first) in graph.spans(range) {
            for (place, &lanes) in values[cells].iter().enumerate() {
                if lanes != 0 {
                    all |= lanes;
                    seeds.push((instance, (first + place) as u32));
                }
            }
        }
        (seeds, all)
    })?;
    let all = found.iter().fold(0, |all, (_, lanes)| all | lanes);
    let mut seeds = Vec::with_capacity(found.iter().map(|(seeds, _)| seeds.len()).sum());
    for (piece, _) in found {
        seeds.extend(piece);
    }
    Ok((seeds, all))
}

/// Cells wait as vertices of instances, each at most once. Last in, first out: a recent change is
/// near the cells it affects, and large machines do not fit the cache.
struct Until<'u, 'a, const SHARED: bool> {
    graph: &'u Instances<'a>,
    along: Along<'u>,
    summaries: &'u Summaries,
    stays: Words<SHARED>,
    /// per cell, whether it waits; nothing if none comes twice
    queued: Flags<SHARED>,
    is_flagged: bool,
}

impl<'u, 'a, const SHARED: bool> Until<'u, 'a, SHARED> {
    fn solve(
        (graph, along, summaries): (&'u Instances<'a>, Along<'u>, &'u Summaries),
        goal: Vec<Lanes>,
        mut flags: Vec<u8>,
        seeds: &[(InstanceId, u32)],
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let is_flagged = !flags.is_empty();
        if is_flagged {
            flags.iter_mut().zip(&goal).for_each(|(flag, &lanes)| *flag = u8::from(lanes != 0));
        }
        let (stays, queued) = (Words::new(goal), Flags::new(flags));
        let until = Self { graph, along, summaries, stays, queued, is_flagged };
        threads::run(&until, seeds, graph.cell_count(), budget)?;
        Ok(until.stays.into_inner())
    }
}

impl<const SHARED: bool> Work for Until<'_, '_, SHARED> {
    type Item = (InstanceId, u32);
    type Own = ();
    const IN_ORDER: bool = false;

    #[inline]
    fn work(
        &self,
        (instance, vertex): (InstanceId, u32),
        (): &mut (),
        list: &mut List<(InstanceId, u32)>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let vertex = Vertex::new(vertex as usize);
        let cell = self.graph.shift(instance).cell(vertex);
        if self.is_flagged {
            self.queued.clear(cell.index(), QUEUED);
        }
        let lanes = self.stays.get(cell.index());
        budget.spend(1)?;
        for_each_predecessor(
            self.graph,
            self.summaries,
            (instance, vertex),
            |before, cell, through, local| {
                let mut new = lanes & through & !self.stays.get(cell);
                if local {
                    new &= self.along.at(cell);
                }
                if new != 0
                    && self.stays.add(cell, new) != 0
                    && (!self.is_flagged || self.queued.set(cell, QUEUED))
                {
                    list.push((before.0, before.1.index() as u32));
                }
            },
        );
        Ok(false)
    }
}

/// The flag of a cell that waits.
const QUEUED: u8 = 1;

/// EG φ₁, given φ₁ as `along`.
pub(crate) fn globally(
    graph: &Instances<'_>,
    along: &[Lanes],
    summaries: &Summaries,
    budget: &mut Budget,
) -> Result<Vec<Lanes>, Exhausted> {
    let cells = graph.cell_count();
    budget.charge(21 * cells)?;
    let alive = budget.counting(3 * cells, |budget| {
        if threads::count(cells, budget) > 1 {
            Globally::<true>::solve(graph, along, summaries, budget)
        } else {
            Globally::<false>::solve(graph, along, summaries, budget)
        }
    })?;
    budget.release(13 * cells);
    Ok(alive)
}

struct Globally<'g, 'a, const SHARED: bool> {
    graph: &'g Instances<'a>,
    summaries: &'g Summaries,
    alive: Words<SHARED>,
    queued: Flags<SHARED>,
    /// successors before this position are dead in all lanes: each is passed over once
    dead: Hints,
}

impl<'g, 'a, const SHARED: bool> Globally<'g, 'a, SHARED> {
    fn solve(
        graph: &'g Instances<'a>,
        along: &[Lanes],
        summaries: &'g Summaries,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let mut alive = along.to_vec();
        // leaving is not staying
        for instance in graph.ids() {
            let shift = graph.shift(instance);
            for &exit in graph.rsm.exits(graph.component(instance)) {
                alive[shift.cell(exit).index()] = 0;
            }
        }
        let (seeds, _) = seeds(graph, &alive, budget)?;
        let queued = Flags::new(alive.iter().map(|&lanes| u8::from(lanes != 0)).collect());
        let dead = Hints::new(alive.len());
        let globally = Self { graph, summaries, alive: Words::new(alive), queued, dead };
        threads::run(&globally, &seeds, graph.cell_count(), budget)?;
        Ok(globally.alive.into_inner())
    }

    /// The lanes of those that are wanted in which a cell has a successor that is alive.
    #[inline]
    fn support(&self, (instance, vertex): (InstanceId, Vertex), wanted: Lanes) -> Lanes {
        let (graph, rsm) = (self.graph, self.graph.rsm);
        let shift = graph.shift(instance);
        let cell = shift.cell(vertex);
        let mut dead = self.dead.get(cell.index());
        let mut support = 0;
        if let Some((callee, entry)) = graph.called(instance, vertex) {
            let site = rsm.box_of(vertex).expect("a call port has a box");
            support |= self.alive.get(graph.shift(callee).cell(entry).index());
            let mut returning = 0;
            for place in dead as usize..Summaries::return_places(graph, site, callee) {
                if wanted & !support == 0 {
                    break;
                }
                let back = self.summaries.return_at(graph, site, (callee, entry), place);
                let lanes = back.map_or(0, |(back, lanes)| lanes & self.alive.get(shift.cell(back).index()));
                if lanes == 0 && returning == 0 {
                    dead += 1;
                }
                returning |= lanes;
                support |= lanes;
            }
        } else {
            let successors = &rsm.successor_rows().row(vertex.index())[dead as usize..];
            for &successor in successors {
                let lanes = self.alive.get(shift.cell(Vertex::new(successor as usize)).index());
                if lanes == 0 && support == 0 {
                    dead += 1;
                }
                support |= lanes;
                if wanted & !support == 0 {
                    break;
                }
            }
        }
        self.dead.set(cell.index(), dead);
        support
    }
}

impl<const SHARED: bool> Work for Globally<'_, '_, SHARED> {
    type Item = (InstanceId, u32);
    type Own = ();
    const IN_ORDER: bool = false;

    #[inline]
    fn work(
        &self,
        (instance, vertex): (InstanceId, u32),
        (): &mut (),
        list: &mut List<(InstanceId, u32)>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let vertex = Vertex::new(vertex as usize);
        let cell = self.graph.shift(instance).cell(vertex);
        self.queued.clear(cell.index(), QUEUED);
        let wanted = self.alive.get(cell.index());
        if wanted == 0 {
            return Ok(false);
        }
        let support = self.support((instance, vertex), wanted);
        budget.spend(1)?;
        // bits beyond those that were wanted are gone already
        if wanted & !support != 0 && self.alive.keep(cell.index(), support) {
            for_each_predecessor(self.graph, self.summaries, (instance, vertex), |before, cell, _, _| {
                if self.alive.get(cell) != 0 && self.queued.set(cell, QUEUED) {
                    list.push((before.0, before.1.index() as u32));
                }
            });
        }
        Ok(false)
    }
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
    for instance in graph.ids() {
        let shift = graph.shift(instance);
        for vertex in rsm.vertices(graph.component(instance)) {
            budget.spend(1)?;
            let successors = rsm.successors(vertex);
            stays[shift.cell(vertex).index()] =
                successors.fold(0, |lanes, successor| lanes | goal[shift.cell(successor).index()]);
        }
    }
    for instance in graph.ids() {
        let shift = graph.shift(instance);
        for site in rsm.boxes(graph.component(instance)) {
            for (port, callee, entry) in graph.call_ports(instance, site) {
                stays[shift.cell(port).index()] = stays[graph.shift(callee).cell(entry).index()];
            }
        }
    }
    Ok(stays)
}

/// Calls `visit` with every predecessor of a cell in H, as a vertex of an instance and as a cell,
/// the lanes the edge is there for, and whether it is a local edge (where the operand must hold at
/// its source; summary and call edges have seen to that in the callee).
#[inline]
fn for_each_predecessor(
    graph: &Instances<'_>,
    summaries: &Summaries,
    (instance, vertex): (InstanceId, Vertex),
    mut visit: impl FnMut((InstanceId, Vertex), usize, Lanes, bool),
) {
    let rsm = graph.rsm;
    let shift = graph.shift(instance);
    for before in rsm.predecessors(vertex) {
        visit((instance, before), shift.cell(before).index(), !0, true);
    }
    match rsm.kind(vertex) {
        VertexKind::Return(site) => {
            summaries.for_each_call(graph, (instance, site), vertex, |port, lanes| {
                visit((instance, port), shift.cell(port).index(), lanes, false);
            });
        }
        VertexKind::Node if rsm.is_entry(vertex) => {
            graph.for_each_calling(instance, vertex, |caller, port| {
                visit((caller, port), graph.shift(caller).cell(port).index(), !0, false);
            });
        }
        _ => {}
    }
}
