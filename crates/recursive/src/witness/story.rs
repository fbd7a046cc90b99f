//! A run being told, state by state.

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
}
