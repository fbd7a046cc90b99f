//! From what a search found to the states of the run, one by one.
//!
//! Expanding a call may meet further calls, as deep as the model is; an explicit list of what is left
//! to tell replaces recursion.

use super::search::{Found, Frame, Hop, Place};
use loris_evidence::State;
use loris_rsm::{BoxId, Kind, Rsm, Vertex};

/// Longer runs are not told: nobody reads them, and they can be exponentially long.
pub(crate) const MOST_STATES: usize = 200_000;
/// All stacks of a run together; states deep in a recursion are long, too.
const MOST_BOXES: usize = 4_000_000;

/// A run being told: its states so far and the stack of the next one.
pub(crate) struct Story<'a> {
    pub(crate) rsm: &'a Rsm,
    pub(crate) states: Vec<State>,
    pub(crate) stack: Vec<BoxId>,
    boxes: usize,
}

/// The run is too long to be told.
pub(crate) struct TooLong;

enum Telling {
    Reach(Place),
    Arrive(Vertex),
    Push(BoxId),
    Pop,
}

impl<'a> Story<'a> {
    pub(crate) fn new(rsm: &'a Rsm, stack: Vec<BoxId>) -> Self {
        Self { rsm, states: Vec::new(), stack, boxes: 0 }
    }

    /// Adds a state under the present stack.
    pub(crate) fn emit(&mut self, node: Option<Vertex>) -> Result<(), TooLong> {
        self.boxes += self.stack.len();
        if self.states.len() >= MOST_STATES || self.boxes > MOST_BOXES {
            return Err(TooLong);
        }
        self.states.push(State { stack: self.stack.clone(), node });
        Ok(())
    }

    /// Adds the state a vertex stands for, as where an edge leads. A call port is told with the call.
    pub(crate) fn arrive(&mut self, vertex: Vertex) -> Result<(), TooLong> {
        match self.rsm.kind(vertex) {
            Kind::Node => self.emit(Some(vertex)),
            Kind::Call(_) => Ok(()),
            Kind::Return(_) => self.inside(vertex),
        }
    }

    /// Adds the state a vertex stands for, a call port as well.
    pub(super) fn arrive_now(&mut self, vertex: Vertex) -> Result<(), TooLong> {
        match self.rsm.kind(vertex) {
            Kind::Node => self.emit(Some(vertex)),
            Kind::Call(_) | Kind::Return(_) => self.inside(vertex),
        }
    }

    /// Adds the state a port stands for.
    pub(crate) fn inside(&mut self, port: Vertex) -> Result<(), TooLong> {
        let site = self.rsm.box_of(port).expect("only ports stand for states of callees");
        self.stack.push(site);
        self.emit(Some(self.rsm.node_of(port)))?;
        self.stack.pop();
        Ok(())
    }

    /// Tells the run to the goal of a search. Afterwards the stack is that of the goal's frame; a goal
    /// that is a call port has not been told (see [`inside`](Self::inside)).
    pub(super) fn tell(&mut self, found: &Found) -> Result<(), TooLong> {
        let mut chain = vec![found.goal];
        while let Some(&place) = found.entered.get(&chain[chain.len() - 1].0) {
            chain.push(place);
        }
        let mut left = Vec::new();
        for (i, &place) in chain.iter().enumerate() {
            left.push(Telling::Reach(place));
            if let Some(&(_, port)) = chain.get(i + 1) {
                left.push(Telling::Push(self.rsm.box_of(port).expect("a call port has a box")));
            }
        }
        while let Some(next) = left.pop() {
            match next {
                Telling::Push(site) => self.stack.push(site),
                Telling::Pop => {
                    self.stack.pop();
                }
                Telling::Arrive(vertex) => self.arrive(vertex)?,
                Telling::Reach(place) => {
                    if left.len() > MOST_STATES * 4 {
                        return Err(TooLong);
                    }
                    self.retrace(found, place, &mut left);
                }
            }
        }
        Ok(())
    }

    /// Lists, last first, how a place was reached from the start of its frame.
    fn retrace(&self, found: &Found, place: Place, left: &mut Vec<Telling>) {
        let (mut frame, mut vertex) = place;
        loop {
            match found.hops[&(frame, vertex)] {
                Hop::Start => {
                    left.push(Telling::Arrive(vertex));
                    return;
                }
                Hop::Step(before) => {
                    left.push(Telling::Arrive(vertex));
                    vertex = before;
                }
                Hop::Through { port, inner, exit } => {
                    let site = self.rsm.box_of(port).expect("a call port has a box");
                    left.extend([Telling::Pop, Telling::Reach((inner, exit)), Telling::Push(site)]);
                    vertex = port;
                }
                Hop::Down(exit) => {
                    let Frame::Base(height) = frame else {
                        unreachable!("only the first frames are left for good")
                    };
                    left.push(Telling::Pop);
                    frame = Frame::Base(height + 1);
                    vertex = exit;
                }
            }
        }
    }
}
