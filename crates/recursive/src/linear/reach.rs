//! Reachability of nodes: which, from where, and the shortest run there.
//!
//! [`explore`] on the machine alone (rsm-analysis, section 2.1), or [`sweep`] if all nodes are wanted.

use super::arena::{Machine, Site};
use super::explore::{Direction, Start, explore};
use super::sweep::{is_sweepable, sweep};
use crate::witness::Story;
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::State;
use loris_rsm::{Kind, Rsm, Vertex};

/// What to search.
#[derive(Clone, Debug)]
pub struct Reachability<'q> {
    /// Where runs start, under the empty stack: nodes of one component.
    pub from: &'q [Vertex],
    /// Per vertex, whether the search may stop there; no vertex if all are wanted.
    pub targets: Option<&'q [bool]>,
    /// From where components are looked at.
    pub direction: Direction,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The target that was reached first, if there is one.
    pub target: Option<Vertex>,
    /// A shortest run to it, unless that is too long to be told.
    pub run: Option<Vec<State>>,
    /// Per vertex, whether some run got there before the search stopped.
    pub vertices: Vec<bool>,
    /// How many facts were derived: R(entry, vertex) or R(vertex, exit), and vertices of exit-bound
    /// components.
    pub tuples: u64,
}

/// Searches a machine.
pub(crate) fn reach(rsm: &Rsm, search: &Reachability<'_>, budget: &mut Budget) -> Result<Reached, Exhausted> {
    let machine = Machine::new(rsm);
    let mut vertices = vec![false; rsm.vertex_count()];
    budget.charge(vertices.len())?;
    let Some(&first) = search.from.first() else {
        return Ok(Reached { target: None, run: None, vertices, tuples: 0 });
    };
    let site = machine.site(rsm.component_of(first).index() as u32);
    let places = search.from.iter().map(|start| start.index() as u32 - site.first).collect();
    let start = Start { below: Vec::new(), site, places };
    // the entry of a call port is settled next
    let node = |vertex: Vertex| match rsm.kind(vertex) {
        Kind::Call(_) => None,
        Kind::Node | Kind::Return(_) => Some(rsm.node_of(vertex)),
    };
    let at = |site: Site, place: u32| Vertex::new((site.first + place) as usize);
    let found = match search.targets {
        None if is_sweepable(&machine, search.direction) => sweep(&machine, start, budget, |_, _| false)?,
        targets => explore(&machine, start, search.direction, budget, |site, place| {
            let is_target =
                |targets: &[bool]| node(at(site, place)).is_some_and(|node| targets[node.index()]);
            targets.is_some_and(is_target)
        })?,
    };
    for (frame, times) in found.frames_with_times() {
        let first = frame.site.first as usize;
        for (reached, &time) in vertices[first..].iter_mut().zip(times) {
            *reached |= time <= found.now();
        }
        let nodes = rsm.nodes(rsm.component_of(Vertex::new(first))).len();
        let ports = (first + nodes..first + times.len()).map(Vertex::new);
        // of an empty procedure, the port is all there is
        let is_empty_call =
            |&port: &Vertex| rsm.entry_index(port).is_some() && rsm.exit_index(port).is_some();
        for port in ports.filter(is_empty_call) {
            if vertices[port.index()] {
                vertices[rsm.node_of(port).index()] = true;
            }
        }
    }
    let target = found.hit.map(|hit| {
        let site = found.frames[hit.frame as usize].site;
        rsm.node_of(Vertex::new((site.first + hit.place) as usize))
    });
    let run = found.hit.and_then(|hit| {
        let mut story = Story::new(rsm, Vec::new());
        found.tell_run(hit, &mut story).ok().map(|()| story.states)
    });
    Ok(Reached { target, run, vertices, tuples: found.facts })
}
