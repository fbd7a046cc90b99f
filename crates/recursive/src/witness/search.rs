//! The shortest run from a state to a goal, through calls and returns of any depth.
//!
//! A run is cut into pieces that stay in one call (*frames*): a frame is a call of an entry, or one of
//! the frames the run starts in. Facts are distances: from the entry of a frame to its cells, from the
//! start to the cells of the first frames, and from the start to the first time a frame is entered. All
//! are sums of smaller ones, so Knuth's generalization of Dijkstra's algorithm finds them in order of
//! size, and the first goal found is nearest. O(f log f) for the f facts that are not larger than the
//! answer; entries times cells at worst.

use crate::instances::Instances;
use loris_base::{Budget, Exhausted};
use loris_rsm::{BoxId, Vertex};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A frame: one of the first ones, by how many calls lie below it, or a call of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Frame {
    Base(u32),
    Call { instance: u32, entry: Vertex },
}

/// A vertex in a frame.
pub(super) type Place = (Frame, Vertex);

/// How a place was first reached.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hop {
    /// The run, or the frame, starts here.
    Start,
    /// By an edge from this vertex.
    Step(Vertex),
    /// By a call at this port, which is this frame, and a return through this exit.
    Through { port: Vertex, inner: Frame, exit: Vertex },
    /// By returning from the next of the first frames through this exit.
    Down(Vertex),
}

/// Where a search starts: a state, as the calls below it and a vertex.
pub(super) struct Start<'s> {
    /// the calling instances with their boxes, outermost first
    pub(super) below: &'s [(u32, BoxId)],
    pub(super) instance: u32,
    pub(super) vertex: Vertex,
}

/// What was found, with all that is needed to tell the run.
pub(super) struct Found {
    pub(super) goal: Place,
    pub(super) hops: FxHashMap<Place, Hop>,
    /// how a called frame was first entered: from this port of this frame
    pub(super) entered: FxHashMap<Frame, Place>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    /// the distance of a goal from the start
    Goal(Place),
    /// a called frame is entered, at this distance from the start, from this place
    Enter(Frame, Place),
    /// a place is reached, at this distance from the start of its frame
    Reach(Place, u32),
}

/// What is known of a called frame.
#[derive(Default)]
struct Called {
    /// distance from the start, once known
    entered: Option<u64>,
    /// exits reached, with distances
    exits: Vec<(Vertex, u64)>,
    /// who waits for a return: frame, port, distance of the port
    waiting: Vec<(Frame, Vertex, u64)>,
    /// calls made inside, with the distance of their ports
    calls: Vec<(Frame, Vertex, u64)>,
    /// the first goal inside, with its distance
    goal: Option<(Vertex, u64)>,
}

/// Bytes a proposed fact takes, in the heap, the list of hops and the maps.
const FACT: usize = 128;

/// Finds the nearest place that is a goal, along vertices where `along` holds (the goal excepted).
/// `goal` says how many steps past a place the goal is, if it is one.
pub(super) fn search(
    graph: &Instances<'_>,
    start: &Start<'_>,
    along: impl Fn(u32, Vertex) -> bool,
    goal: impl Fn(Frame, u32, Vertex) -> Option<u64>,
    budget: &mut Budget,
) -> Result<Option<Found>, Exhausted> {
    let mut search = Search {
        graph,
        start,
        heap: BinaryHeap::new(),
        hops: FxHashMap::default(),
        proposed: Vec::new(),
        entered: FxHashMap::default(),
        called: FxHashMap::default(),
    };
    search.propose((Frame::Base(start.below.len() as u32), start.vertex), 0, Hop::Start);
    let mut held = 0;
    while let Some(Reverse((distance, fact))) = search.heap.pop() {
        budget.spend(8)?;
        let now = FACT * search.proposed.len();
        budget.charge(now - held)?;
        held = now;
        match fact {
            Fact::Goal(goal) => {
                budget.release(held);
                let Search { hops, entered, .. } = search;
                return Ok(Some(Found { goal, hops, entered }));
            }
            Fact::Enter(frame, from) => search.enter(frame, from, distance),
            Fact::Reach(place, hop) => {
                let hop = search.proposed[hop as usize];
                if let std::collections::hash_map::Entry::Vacant(new) = search.hops.entry(place) {
                    new.insert(hop);
                    search.reach(place, distance, &along, &goal);
                }
            }
        }
    }
    budget.release(held);
    Ok(None)
}

struct Search<'s, 'g, 'a> {
    graph: &'g Instances<'a>,
    start: &'s Start<'s>,
    heap: BinaryHeap<Reverse<(u64, Fact)>>,
    hops: FxHashMap<Place, Hop>,
    proposed: Vec<Hop>,
    entered: FxHashMap<Frame, Place>,
    called: FxHashMap<Frame, Called>,
}

impl Search<'_, '_, '_> {
    fn propose(&mut self, place: Place, distance: u64, hop: Hop) {
        if !self.hops.contains_key(&place) {
            self.proposed.push(hop);
            self.heap.push(Reverse((distance, Fact::Reach(place, self.proposed.len() as u32 - 1))));
        }
    }

    /// The instance a frame is of.
    fn instance(&self, frame: Frame) -> u32 {
        match frame {
            Frame::Call { instance, .. } => instance,
            Frame::Base(height) => {
                self.start.below.get(height as usize).map_or(self.start.instance, |&(instance, _)| instance)
            }
        }
    }

    /// A called frame is entered for the first time.
    fn enter(&mut self, frame: Frame, from: Place, distance: u64) {
        let called = self.called.entry(frame).or_default();
        if called.entered.is_some() {
            return;
        }
        called.entered = Some(distance);
        self.entered.insert(frame, from);
        if let Some((vertex, inside)) = called.goal {
            self.heap.push(Reverse((distance.saturating_add(inside), Fact::Goal((frame, vertex)))));
        }
        for &(inner, port, inside) in &called.calls {
            self.heap.push(Reverse((distance.saturating_add(inside), Fact::Enter(inner, (frame, port)))));
        }
    }

    /// A place is reached for the first time.
    fn reach(
        &mut self,
        place: Place,
        distance: u64,
        along: &impl Fn(u32, Vertex) -> bool,
        goal: &impl Fn(Frame, u32, Vertex) -> Option<u64>,
    ) {
        let (frame, vertex) = place;
        let instance = self.instance(frame);
        if let Some(past) = goal(frame, instance, vertex) {
            match frame {
                Frame::Base(_) => self.heap.push(Reverse((distance.saturating_add(past), Fact::Goal(place)))),
                Frame::Call { .. } => {
                    let called = self.called.entry(frame).or_default();
                    if called.goal.is_none() {
                        called.goal = Some((vertex, distance));
                        if let Some(entered) = called.entered {
                            self.heap.push(Reverse((entered.saturating_add(distance), Fact::Goal(place))));
                        }
                    }
                }
            }
        }
        let rsm = self.graph.rsm;
        if rsm.is_exit(vertex) {
            self.leave(frame, vertex, distance);
        } else if let Some((callee, entry)) = self.graph.called(instance, vertex) {
            self.call(frame, vertex, Frame::Call { instance: callee, entry }, distance);
        } else if along(instance, vertex) {
            for successor in rsm.successors(vertex) {
                self.propose((frame, successor), distance.saturating_add(1), Hop::Step(vertex));
            }
        }
    }

    fn call(&mut self, frame: Frame, port: Vertex, inner: Frame, distance: u64) {
        let entered = match frame {
            Frame::Base(_) => Some(distance),
            Frame::Call { .. } => {
                let called = self.called.entry(frame).or_default();
                called.calls.push((inner, port, distance));
                called.entered.map(|entered| entered.saturating_add(distance))
            }
        };
        if let Some(entered) = entered {
            self.heap.push(Reverse((entered, Fact::Enter(inner, (frame, port)))));
        }
        let called = self.called.entry(inner).or_default();
        called.waiting.push((frame, port, distance));
        let exits = called.exits.clone();
        for (exit, inside) in exits {
            self.come_back((frame, port), inner, exit, distance.saturating_add(inside));
        }
        self.propose((inner, self.graph.rsm.node_of(port)), 0, Hop::Start);
    }

    fn leave(&mut self, frame: Frame, exit: Vertex, distance: u64) {
        match frame {
            Frame::Base(0) => {}
            Frame::Base(height) => {
                let (_, site) = self.start.below[height as usize - 1];
                if let Some(port) = self.return_port(site, exit) {
                    self.propose((Frame::Base(height - 1), port), distance, Hop::Down(exit));
                }
            }
            Frame::Call { .. } => {
                let called = self.called.entry(frame).or_default();
                called.exits.push((exit, distance));
                let waiting = called.waiting.clone();
                for (outer, port, before) in waiting {
                    self.come_back((outer, port), frame, exit, before.saturating_add(distance));
                }
            }
        }
    }

    fn come_back(&mut self, (frame, port): Place, inner: Frame, exit: Vertex, distance: u64) {
        let site = self.graph.rsm.box_of(port).expect("a call port has a box");
        if let Some(back) = self.return_port(site, exit) {
            self.propose((frame, back), distance, Hop::Through { port, inner, exit });
        }
    }

    fn return_port(&self, site: BoxId, exit: Vertex) -> Option<Vertex> {
        let position = self.graph.rsm.exit_index(exit).expect("an exit has a position");
        self.graph.rsm.return_port(site, position)
    }
}
