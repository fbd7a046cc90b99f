//! Decides `E [ p U q ]` in a machine that calls, under every call stack.
//!
//! Two kinds of facts are computed for each vertex: that a path from it leads to `q` before it
//! returns from the call that the vertex lies in, and that a path from it gets to some exit of the
//! component; `p` holds all along. Facts pass from a vertex to those that lead to it. A call port
//! has those of the callee's entry, where a fact about an exit opens the way on from the return
//! port. A port of a node that is entry and exit at once counts twice, as a call and as a return. A
//! fact is added once for each vertex, so that the least solution is reached; time and memory are
//! linear in the edges and calls times the exits of a component.
//!
//! A state is decided from the top of its stack downward: by the facts of its node, then by those
//! of the return ports that the exits lead to, call by call. The oracle is in
//! `crates/recursive/tests/judge.rs`.

use crate::proposition::Proposition;
use crate::space::Reaching;
use crate::successors::carries;
use crate::{AtExit, State};
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::{LabelId, Rsm, Vertex, VertexKind};
use rustc_hash::FxHashSet;

/// A path from a vertex leads to `q`; else to the exit of a number.
const HIT: u32 = u32::MAX;

/// The facts about all vertices.
pub(crate) struct Crossings<'m> {
    rsm: &'m Rsm,
    /// whether the state after the last exit satisfies `q`, if there is one
    in_sink: bool,
    /// whether a path leads to `q` after some return, or after the last exit
    after_return: bool,
    facts: Vec<Vec<u32>>,
}

impl<'m> Crossings<'m> {
    pub(crate) fn new(
        rsm: &'m Rsm,
        at_exit: AtExit,
        through: &Proposition<LabelId>,
        to: &Proposition<LabelId>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let count = rsm.vertex_count();
        budget.charge(2 * count * BYTES)?;
        let holds = |what: &Proposition<LabelId>, node| what.holds(|label| carries(rsm, node, label));
        let in_sink = at_exit == AtExit::Sink && holds(to, None);
        let mut work = Work {
            facts: vec![Vec::new(); 2 * count],
            known: FxHashSet::default(),
            inherit: vec![Vec::new(); 2 * count],
            calls: vec![Vec::new(); count],
            todo: Vec::new(),
        };
        for vertex in (0..count).map(Vertex::new) {
            budget.spend(1 + through.gates().len() + to.gates().len() + rsm.successors(vertex).len())?;
            let source = if rsm.kind(vertex) == VertexKind::Node {
                if holds(to, Some(vertex)) {
                    work.add(vertex.index(), HIT);
                }
                match rsm.exit_index(vertex) {
                    _ if !holds(through, Some(vertex)) => continue,
                    Some(exit) => {
                        work.add(vertex.index(), exit as u32);
                        continue;
                    }
                    None => vertex.index(),
                }
            } else {
                if rsm.entry_index(vertex).is_some() {
                    work.calls[rsm.node_of(vertex).index()].push(vertex);
                }
                count + vertex.index()
            };
            for target in rsm.successors(vertex) {
                work.inherit[target.index()].push(source);
            }
        }
        budget.charge(8 * count)?;
        while let Some((at, fact)) = work.todo.pop() {
            budget.spend(1 + work.inherit[at].len())?;
            budget.charge(BYTES_OF_FACT)?;
            for i in 0..work.inherit[at].len() {
                work.add(work.inherit[at][i], fact);
            }
            // what returns is not an entry
            for i in 0..work.calls.get(at).map_or(0, Vec::len) {
                budget.spend(1)?;
                let port = work.calls[at][i];
                let back = match fact {
                    HIT => {
                        work.add(port.index(), HIT);
                        None
                    }
                    exit => rsm.box_of(port).and_then(|site| rsm.return_port(site, exit as usize)),
                };
                if let Some(back) = back.map(|back| count + back.index()) {
                    // from now on the call has the facts of what comes after it
                    work.inherit[back].push(port.index());
                    for i in 0..work.facts[back].len() {
                        work.add(port.index(), work.facts[back][i]);
                    }
                }
            }
        }
        let after_return = in_sink || work.facts[count..].iter().any(|facts| facts.contains(&HIT));
        Ok(Self { rsm, in_sink, after_return, facts: work.facts })
    }
}

/// Bytes for each vertex, and for each fact.
const BYTES: usize = 3 * size_of::<Vec<u32>>();
const BYTES_OF_FACT: usize = 40;

/// Facts under way. A vertex has its own number as a node or a call port, and that plus the number
/// of vertices as a return port.
struct Work {
    facts: Vec<Vec<u32>>,
    known: FxHashSet<(usize, u32)>,
    /// those that have all facts of this one
    inherit: Vec<Vec<usize>>,
    /// the call ports of this entry
    calls: Vec<Vec<Vertex>>,
    todo: Vec<(usize, u32)>,
}

impl Work {
    fn add(&mut self, at: usize, fact: u32) {
        if self.known.insert((at, fact)) {
            self.facts[at].push(fact);
            self.todo.push((at, fact));
        }
    }
}

impl Reaching<State> for Crossings<'_> {
    fn is_reached(&self, state: &State) -> (bool, usize) {
        let Some(node) = state.node else { return (self.in_sink, 0) };
        let mut at: Vec<usize> = vec![node.index()];
        let mut height = state.stack.len();
        loop {
            let mut exits: Vec<u32> = at.iter().flat_map(|&at| &self.facts[at]).copied().collect();
            exits.sort_unstable();
            exits.dedup();
            if exits.pop_if(|fact| *fact == HIT).is_some() {
                return (true, height + 1);
            }
            if exits.is_empty() {
                return (false, height + 1);
            }
            if !self.after_return {
                // whatever lies below on the stack
                return (false, usize::MAX);
            }
            let Some(&site) = height.checked_sub(1).and_then(|top| state.stack.get(top)) else {
                return (self.in_sink, 0);
            };
            let ports = exits.iter().filter_map(|&exit| self.rsm.return_port(site, exit as usize));
            at = ports.map(|port| self.rsm.vertex_count() + port.index()).collect();
            height -= 1;
        }
    }
}
