//! Runs that meet accepting stages infinitely often without leaving their instance.
//!
//! They end in a strongly connected component of the graph H of local, call and summary edges with
//! an accepting stage on it, or on a way through a call: `marked` are summaries over stages that
//! remember whether they met one (rsm-analysis, section 2.2, relation Z). A lane at a time, each
//! linear in H.

use super::track::{Stays, Track};
use crate::instances::Instances;
use crate::operand::Lanes;
use crate::parts::Parts;
use crate::summaries::Summaries;
use loris_base::{Budget, Csr, Exhausted, Idx};
use loris_rsm::Vertex;

/// A graph with stages, and the same with stages that remember.
pub(super) struct Staged<'s, 'p> {
    pub(super) track: &'s Track,
    pub(super) graph: &'s Instances<'p>,
    pub(super) along: &'s [Lanes],
    pub(super) remembering: &'s Instances<'p>,
    pub(super) marked: &'s Summaries,
}

/// Adds to `stays`, per cell, the lanes in which it lies on such a part.
pub(super) fn recurring(
    staged: &Staged<'_, '_>,
    active: Lanes,
    stays: &mut [Lanes],
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let mut left = active;
    while left != 0 {
        let lane = left & left.wrapping_neg();
        left ^= lane;
        let before = budget.used();
        // the rows of links and their components
        budget.charge(32 * staged.graph.cell_count())?;
        let (edges, accepting) = staged.links(lane, budget)?;
        let parts = Parts::new(&edges);
        for (part, members) in parts.iter() {
            let accepts = members.iter().any(|&cell| {
                let start = edges.start(cell as usize);
                let links = edges.row(cell as usize).iter().zip(&accepting[start..]);
                links.into_iter().any(|(&to, &accepts)| accepts && parts.of[to as usize] == part)
            });
            budget.spend(members.len())?;
            for &cell in members.iter().filter(|_| accepts) {
                stays[cell as usize] |= lane;
            }
        }
        budget.settle(before)?;
    }
    Ok(())
}

impl Staged<'_, '_> {
    /// The edges of H in a lane between stages where runs may stay, and which of them accept.
    fn links(&self, lane: Lanes, budget: &mut Budget) -> Result<(Csr, Vec<bool>), Exhausted> {
        let copies = self.track.len();
        let rsm = self.graph.rsm;
        let mut edges = Csr::default();
        let mut accepting = Vec::new();
        let mut row: Vec<u32> = Vec::new();
        for instance in self.graph.ids() {
            let shift = self.graph.shift(instance);
            for number in rsm.vertex_range(self.graph.component(instance)) {
                let vertex = Vertex::new(number);
                let stage = number % copies;
                let data = &self.track.stages[stage];
                row.clear();
                if data.stays == Stays::Again {
                    let same = |other: usize| self.track.group[other % copies] == self.track.group[stage];
                    if let Some((callee, entry)) = self.graph.called(instance, vertex) {
                        row.push(self.graph.shift(callee).cell(entry).index() as u32);
                        accepting.push(data.accepting);
                        let site = rsm.box_of(vertex).expect("a call port has a box");
                        let start = Vertex::new(2 * entry.index() + usize::from(data.accepting));
                        self.marked.for_each(self.remembering, callee, start, |exit, lanes| {
                            if lanes & lane != 0
                                && let Some(back) = rsm.return_port(site, exit / 2)
                                && same(back.index())
                            {
                                row.push(shift.cell(back).index() as u32);
                                accepting.push(exit % 2 == 1);
                            }
                        });
                    } else if self.along[shift.cell(vertex).index()] & lane != 0 {
                        for after in rsm.successors(vertex).filter(|after| same(after.index())) {
                            row.push(shift.cell(after).index() as u32);
                            accepting.push(data.accepting);
                        }
                    }
                }
                budget.spend(1 + row.len())?;
                budget.charge(5 * row.len())?;
                edges.push_row(row.iter().copied());
            }
        }
        Ok((edges, accepting))
    }
}
