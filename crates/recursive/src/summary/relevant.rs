//! Which exits of which instances matter to an enclosing formula.
//!
//! Those that a run gets to along φ₁ from a cell where ψ is asked for and not true already; and,
//! since ψ at an exit is ψ at the return ports of the callers, those that a run gets to from these
//! ports. One search forwards, over local edges and summary edges, and from exits to the callers'
//! return ports. A cell is passed again only in lanes that are new: linear in the edges of the
//! graph H for each lane, whatever recursion there is.

use super::context_free::ContextFree;
use super::stays::seeds;
use crate::atomic::Words;
use crate::instances::{InstanceId, Instances};
use crate::operand::Lanes;
use crate::threads::{self, List, Work};
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::Vertex;

/// For each exit of each instance, the lanes in which its context matters.
pub(super) struct Relevant {
    starts: Vec<usize>,
    words: Vec<Lanes>,
}

impl Relevant {
    /// The exits of an instance.
    pub(super) fn row(&self, instance: InstanceId) -> &[Lanes] {
        &self.words[self.starts[instance.index()]..self.starts[instance.index() + 1]]
    }

    /// Whether no context matters.
    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|&lanes| lanes == 0)
    }

    pub(super) fn new(
        graph: &Instances<'_>,
        decided: &ContextFree<'_>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let rsm = graph.rsm;
        let mut starts = Vec::with_capacity(graph.len() + 1);
        let mut total = 0;
        for instance in graph.ids() {
            starts.push(total);
            total += rsm.exits(graph.component(instance)).len();
        }
        starts.push(total);
        budget.charge(8 * (total + starts.len()))?;
        // per cell, the lanes in which ψ there matters; and the cells that wait to be followed
        let cells = graph.cell_count();
        let budget = &mut budget.holding(16 * cells)?;
        let words = budget.counting(3 * cells, |budget| {
            let open = |cell: usize, vertex: usize| {
                if decided.reached[vertex] { decided.asked[cell] & !decided.stays[cell] } else { 0 }
            };
            let needed = threads::fill(graph, 1, budget, |(): &mut (), cell, vertex| open(cell, vertex))?;
            let (seeds, _) = seeds(graph, &needed, budget)?;
            if threads::count(cells, budget) > 1 {
                Relevance::<true>::run(graph, decided, &starts, needed, &seeds, budget)
            } else {
                Relevance::<false>::run(graph, decided, &starts, needed, &seeds, budget)
            }
        })?;
        Ok(Self { starts, words })
    }
}

struct Relevance<'s, 'a, const SHARED: bool> {
    graph: &'s Instances<'a>,
    decided: &'s ContextFree<'s>,
    starts: &'s [usize],
    words: Words<SHARED>,
    needed: Words<SHARED>,
}

impl<'s, 'a, const SHARED: bool> Relevance<'s, 'a, SHARED> {
    fn run(
        graph: &'s Instances<'a>,
        decided: &'s ContextFree<'s>,
        starts: &'s [usize],
        needed: Vec<Lanes>,
        seeds: &[(InstanceId, u32)],
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let (words, needed) = (Words::new(vec![0; starts[graph.len()]]), Words::new(needed));
        let search = Self { graph, decided, starts, words, needed };
        threads::run(&search, seeds, graph.cell_count(), budget)?;
        Ok(search.words.into_inner())
    }
}

impl<const SHARED: bool> Work for Relevance<'_, '_, SHARED> {
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
        let (graph, rsm, decided) = (self.graph, self.graph.rsm, self.decided);
        let vertex = Vertex::new(vertex as usize);
        let shift = graph.shift(instance);
        let cell = shift.cell(vertex);
        let lanes = self.needed.get(cell.index());
        let mut steps = 1;
        let mut need = |owner: InstanceId, vertex: Vertex, cell: usize, lanes: Lanes| {
            steps += 1;
            if self.needed.add(cell, lanes & !decided.stays[cell]) != 0 {
                list.push((owner, vertex.index() as u32));
            }
        };
        if rsm.is_exit(vertex) {
            let exit = rsm.exit_index(vertex).expect("an exit has a position");
            if self.words.add(self.starts[instance.index()] + exit, lanes) != 0 {
                graph.for_each_returning(instance, exit, |caller, port| {
                    need(caller, port, graph.shift(caller).cell(port).index(), lanes);
                });
            }
        } else if let Some((callee, entry)) = graph.called(instance, vertex) {
            let site = rsm.box_of(vertex).expect("a call port has a box");
            decided.summaries.for_each_return(graph, site, (callee, entry), |back, through| {
                need(instance, back, shift.cell(back).index(), lanes & through);
            });
        } else {
            let on = lanes & decided.along.at(cell.index());
            if on != 0 {
                for after in rsm.successors(vertex) {
                    need(instance, after, shift.cell(after).index(), on);
                }
            }
        }
        budget.spend(steps)?;
        Ok(false)
    }
}
