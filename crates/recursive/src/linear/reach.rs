//! Reachability of nodes: which, from where, and the shortest run there.
//!
//! [`explore`] on the machine alone (rsm-analysis, section 2.1), or [`sweep`] if all nodes are
//! wanted, or the wanted ones are not near.

use super::arena::{Arena, Machine, PlaceId, Site};
use super::explore::{ExploreDirection, Explored, Start, explore};
use super::frame::{FrameId, Item, LONG};
use super::sweep::{is_sweepable, sweep};
use crate::recorder::{RunRecorder, Unrecorded};
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::State;
use loris_rsm::{Rsm, Vertex};

/// A question about reachability.
#[derive(Clone, Debug)]
pub struct Reachability<'q> {
    /// Where runs start, under the empty stack: nodes of one component.
    pub from: &'q [Vertex],
    /// Per vertex, whether the search may stop there; no vertex if all are wanted.
    pub targets: Option<&'q [bool]>,
    /// From where components are looked at.
    pub direction: ExploreDirection,
    /// After this many facts without a target the search goes on in the order that is faster if all
    /// is wanted ([`PATIENCE`]).
    pub patience: usize,
}

/// A near target is found in fewer facts, and these cost little.
pub const PATIENCE: usize = 1 << 18;

/// The answer of a search.
#[derive(Clone, Debug)]
pub struct ReachAnswer {
    /// The target that was reached first, if there is one.
    pub target: Option<Vertex>,
    /// A shortest run to it, unless that is too long to be recorded.
    pub run: Option<Vec<State>>,
    /// The limit that was reached while the run was recorded, if there is no run for that reason.
    pub cut_off: Option<Exhausted>,
    /// Per vertex, whether some run got there before the search stopped.
    pub vertices: Vec<bool>,
    /// How many facts were derived: R(entry, vertex) or R(vertex, exit), and vertices of exit-bound
    /// components.
    pub tuples: u64,
}

/// Searches a machine.
pub(crate) fn reach(
    rsm: &Rsm,
    search: &Reachability<'_>,
    budget: &mut Budget,
) -> Result<ReachAnswer, Exhausted> {
    // vertices reached, vertices wanted, and components asked for
    budget.charge(3 * rsm.vertex_count() + 4 * rsm.component_count())?;
    let machine = Machine::new(rsm);
    let mut vertices = vec![false; rsm.vertex_count()];
    let Some(&first) = search.from.first() else {
        return Ok(ReachAnswer { target: None, run: None, cut_off: None, vertices, tuples: 0 });
    };
    let site = machine.site(rsm.component_of(first).index() as u32);
    let places = search.from.iter().map(|&start| site.place(start)).collect();
    let start = Start { below: Vec::new(), site, places };
    // of an empty procedure, the port is all there is; others stand for nodes of their callees
    let is_empty_call = |port: Vertex| rsm.entry_index(port).is_some() && rsm.exit_index(port).is_some();
    let wanted: Option<Vec<bool>> = search.targets.map(|targets| {
        let is_wanted = |number: usize| {
            let vertex = Vertex::new(number);
            targets[number] || is_empty_call(vertex) && targets[rsm.node_of(vertex).index()]
        };
        (0..rsm.vertex_count()).map(is_wanted).collect()
    });
    let found = find(&machine, start, search, wanted.as_deref(), budget)?;
    for (frame, times) in found.frames_with_times() {
        let first = frame.site.first as usize;
        for (reached, &time) in vertices[first..].iter_mut().zip(times) {
            *reached |= time <= found.now();
        }
        let nodes = rsm.nodes(rsm.component_of(Vertex::new(first))).len();
        let ports = (first + nodes..first + times.len()).map(Vertex::new);
        for port in ports.filter(|&port| is_empty_call(port)) {
            if vertices[port.index()] {
                vertices[rsm.node_of(port).index()] = true;
            }
        }
    }
    let target = found.hit.map(|hit| {
        let site = found.frames[hit.frame.index()].site;
        rsm.node_of(machine.vertex(site, hit.place))
    });
    let (mut run, mut cut_off) = (None, None);
    if let Some(hit) = found.hit {
        let mut recorder = RunRecorder::new(rsm, Vec::new(), budget);
        let written = found.record_run(hit, &mut recorder).map(|()| std::mem::take(&mut recorder.states));
        (run, cut_off) = Unrecorded::apart(written);
    }
    let tuples = found.facts;
    found.release(budget);
    Ok(ReachAnswer { target, run, cut_off, vertices, tuples })
}

/// Looks for the nearest wanted place: nearest first, for a while, then everywhere.
fn find<'m, 'a>(
    machine: &'m Machine<'a>,
    start: Start,
    search: &Reachability<'_>,
    wanted: Option<&[bool]>,
    budget: &mut Budget,
) -> Result<Explored<'m, Machine<'a>>, Exhausted> {
    let sweeps = is_sweepable(machine, search.direction);
    let Some(wanted) = wanted else {
        return if sweeps {
            sweep(machine, start, budget, |_, _| false)
        } else {
            explore(machine, start, search.direction, budget, |_, _| false)
        };
    };
    let mut patience = if sweeps { search.patience } else { usize::MAX };
    let again = start.clone();
    let is_wanted = |site: Site, place: PlaceId| wanted[site.first as usize + place.index()];
    let found = explore(machine, start, search.direction, budget, |site, place| {
        patience = patience.saturating_sub(1);
        is_wanted(site, place) || patience == 0
    })?;
    let stopped = found.hit.is_some_and(|hit| !is_wanted(found.frames[hit.frame.index()].site, hit.place));
    if !stopped {
        return Ok(found);
    }
    found.release(budget);
    let mut found = sweep(machine, again, budget, |_, _| false)?;
    found.since_start(budget)?;
    let mut nearest = None;
    for (number, (frame, times)) in (0..).map(FrameId::new).zip(found.frames_with_times()) {
        let wanted = &wanted[frame.site.first as usize..];
        let places = (0..).map(PlaceId::new).zip(times.iter().zip(wanted));
        for (place, (&time, _)) in places.filter(|(_, (_, wanted))| **wanted) {
            if time <= LONG && nearest.is_none_or(|(sooner, _)| time < sooner) {
                nearest = Some((time, Item { frame: number, place }));
            }
        }
    }
    found.hit = nearest.map(|(_, item)| item);
    Ok(found)
}
