//! Records a run state by state, within a budget and up to a readable length.

use loris_base::{Budget, Exhausted};
use loris_evidence::State;
use loris_rsm::{BoxId, Rsm, Vertex, VertexKind};

/// Longer runs are not recorded: they can be exponentially long.
pub(crate) const MOST_STATES: usize = 200_000;
/// All stacks of a run together; states deep in a recursion are long, too.
const MOST_BOXES: usize = 4_000_000;
/// Bytes of a state besides its stack, with the allocator's overhead.
const STATE: usize = size_of::<State>() + 16;

/// Why a run was not recorded.
pub(crate) enum Unrecorded {
    /// The budget ran out.
    Exhausted(Exhausted),
    /// The run is too long.
    TooLong,
}

impl From<Exhausted> for Unrecorded {
    fn from(exhausted: Exhausted) -> Self {
        Unrecorded::Exhausted(exhausted)
    }
}

impl Unrecorded {
    /// The recorded run, if any, or the limit that was reached, if that is why there is none.
    pub(crate) fn apart<T>(recorded: Result<T, Unrecorded>) -> (Option<T>, Option<Exhausted>) {
        match recorded {
            Ok(recorded) => (Some(recorded), None),
            Err(Unrecorded::TooLong) => (None, None),
            Err(Unrecorded::Exhausted(exhausted)) => (None, Some(exhausted)),
        }
    }
}

/// A run that is being recorded: its states so far and the stack of the next one.
pub(crate) struct RunRecorder<'a, 'b> {
    pub(crate) rsm: &'a Rsm,
    pub(crate) states: Vec<State>,
    pub(crate) stack: Vec<BoxId>,
    pub(crate) budget: &'b mut Budget,
    boxes: usize,
}

impl<'a, 'b> RunRecorder<'a, 'b> {
    pub(crate) fn new(rsm: &'a Rsm, stack: Vec<BoxId>, budget: &'b mut Budget) -> Self {
        Self { rsm, states: Vec::new(), stack, budget, boxes: 0 }
    }

    /// Adds a state under the present stack.
    pub(crate) fn emit(&mut self, node: Option<Vertex>) -> Result<(), Unrecorded> {
        self.boxes += self.stack.len();
        if self.states.len() >= MOST_STATES || self.boxes > MOST_BOXES {
            return Err(Unrecorded::TooLong);
        }
        self.budget.spend(1 + self.stack.len())?;
        self.budget.charge(STATE + size_of::<BoxId>() * self.stack.len())?;
        self.states.push(State { stack: self.stack.clone(), node });
        Ok(())
    }

    /// Adds the state a vertex stands for, as where an edge leads. A call port is recorded with the
    /// call.
    pub(crate) fn arrive(&mut self, vertex: Vertex) -> Result<(), Unrecorded> {
        match self.rsm.kind(vertex) {
            VertexKind::Node => self.emit(Some(vertex)),
            VertexKind::Call(_) => Ok(()),
            VertexKind::Return(_) => self.inside(vertex),
        }
    }

    /// Adds the state a vertex stands for, a call port as well.
    pub(crate) fn arrive_now(&mut self, vertex: Vertex) -> Result<(), Unrecorded> {
        match self.rsm.kind(vertex) {
            VertexKind::Node => self.emit(Some(vertex)),
            VertexKind::Call(_) | VertexKind::Return(_) => self.inside(vertex),
        }
    }

    /// Adds the state a port stands for.
    pub(crate) fn inside(&mut self, port: Vertex) -> Result<(), Unrecorded> {
        let site = self.rsm.box_of(port).expect("only ports stand for states of callees");
        self.stack.push(site);
        self.emit(Some(self.rsm.node_of(port)))?;
        self.stack.pop();
        Ok(())
    }
}
