//! Which exits of which instances matter to an enclosing formula.
//!
//! Those that a run gets to along φ₁ from a cell where ψ is asked for and not true already; and, since
//! ψ at an exit is ψ at the return ports of the callers, those that a run gets to from these ports.
//! One search forwards, over local edges and summary edges, and from exits to the callers' return
//! ports. A cell is passed again only in lanes that are new: linear in the edges of the graph H for
//! each lane, whatever recursion there is.

use super::split::Decided;
use crate::instances::Instances;
use crate::operand::Lanes;
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::Vertex;

/// For each exit of each instance, the lanes in which its context matters.
pub(super) struct Relevant {
    starts: Vec<usize>,
    words: Vec<Lanes>,
}

impl Relevant {
    /// The exits of an instance.
    pub(super) fn row(&self, instance: u32) -> &[Lanes] {
        &self.words[self.starts[instance as usize]..self.starts[instance as usize + 1]]
    }

    /// Whether no context matters.
    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|&lanes| lanes == 0)
    }

    pub(super) fn new(
        graph: &Instances<'_>,
        decided: &Decided<'_>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let rsm = graph.rsm;
        let mut starts = Vec::with_capacity(graph.len() + 1);
        let mut total = 0;
        for instance in 0..graph.len() as u32 {
            starts.push(total);
            total += rsm.exits(graph.component(instance)).len();
        }
        starts.push(total);
        budget.charge(8 * (total + starts.len()))?;
        let mut words = vec![0; total];
        // per cell, the lanes in which ψ there matters; and what waits to be followed
        let working = 16 * graph.cell_count();
        budget.charge(working)?;
        let mut needed: Vec<Lanes> = vec![0; graph.cell_count()];
        let mut stack: Vec<(u32, u32)> = Vec::new();
        for instance in 0..graph.len() as u32 {
            let shift = graph.shift(instance);
            for vertex in rsm.vertex_range(graph.component(instance)) {
                budget.spend(1)?;
                let cell = shift.cell(Vertex::new(vertex));
                let open = decided.asked[cell] & !decided.stays[cell];
                if open != 0 && decided.reached[vertex] {
                    needed[cell] = open;
                    stack.push((instance, vertex as u32));
                }
            }
        }
        while let Some((instance, vertex)) = stack.pop() {
            let vertex = Vertex::new(vertex as usize);
            let shift = graph.shift(instance);
            let cell = shift.cell(vertex);
            let lanes = needed[cell];
            let mut steps = 1;
            let mut need = |owner: u32, vertex: Vertex, cell: usize, lanes: Lanes| {
                steps += 1;
                let new = lanes & !decided.stays[cell] & !needed[cell];
                if new != 0 {
                    needed[cell] |= new;
                    stack.push((owner, vertex.index() as u32));
                }
            };
            if rsm.is_exit(vertex) {
                let exit = rsm.exit_index(vertex).expect("an exit has a position");
                let word = &mut words[starts[instance as usize] + exit];
                if lanes & !*word != 0 {
                    *word |= lanes;
                    for call in graph.callers(instance) {
                        if let Some(port) = rsm.return_port(call.site, exit) {
                            need(call.caller, port, graph.shift(call.caller).cell(port), lanes);
                        }
                    }
                }
            } else if let Some((callee, entry)) = graph.called(instance, vertex) {
                let site = rsm.box_of(vertex).expect("a call port has a box");
                decided.summaries.for_each_return(graph, site, (callee, entry), |back, through| {
                    need(instance, back, shift.cell(back), lanes & through);
                });
            } else {
                let on = lanes & decided.along.at(cell);
                if on != 0 {
                    for after in rsm.successors(vertex) {
                        need(instance, after, shift.cell(after), on);
                    }
                }
            }
            budget.spend(steps)?;
        }
        budget.release(working);
        Ok(Self { starts, words })
    }
}
