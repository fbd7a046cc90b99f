//! The vertices of a machine and, behind them, what follows its last exits; with the labels that a
//! formula asks for.

use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::AtExit;
use loris_rsm::{BoxId, ComponentId, LabelId, Rsm, Vertex, VertexKind};
use rustc_hash::FxHashMap;

/// What a vertex is in the game.
pub(super) enum Place {
    /// The exit of this number of its component: the caller goes on.
    Exit(ComponentId, u32),
    /// A call: the callee's entry goes on.
    Call(BoxId, u32),
    /// It has successors of its own.
    Inner,
}

/// A machine with what follows its last exits. Vertices have the numbers they have in the machine;
/// then come the exits of the initial component with an empty stack, and the sink.
pub(super) struct Graph<'a> {
    rsm: &'a Rsm,
    at_exit: AtExit,
    /// per vertex that is a node, its set of labels
    labels: Vec<u32>,
    /// sets of labels: a smaller one, and an atom more; the first is empty
    sets: Vec<(u32, u32)>,
}

impl<'a> Graph<'a> {
    /// Looks up the labels of atoms. Linear in the places where they are.
    pub(super) fn new(
        rsm: &'a Rsm,
        atoms: &[Option<LabelId>],
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.charge(4 * rsm.vertex_count())?;
        budget.spend(rsm.vertex_count())?;
        let mut labels = vec![0; rsm.vertex_count()];
        let mut sets = vec![(0, u32::MAX)];
        for (atom, label) in atoms.iter().enumerate() {
            let mut with: FxHashMap<u32, u32> = FxHashMap::default();
            let Some(label) = *label else { continue };
            for node in rsm.labelled(label) {
                budget.spend(1)?;
                let set = &mut labels[node.index()];
                *set = *with.entry(*set).or_insert_with(|| {
                    sets.push((*set, atom as u32));
                    sets.len() as u32 - 1
                });
            }
        }
        budget.charge(8 * sets.len())?;
        Ok(Self { rsm, at_exit, labels, sets })
    }

    pub(super) fn rsm(&self) -> &'a Rsm {
        self.rsm
    }

    /// The set of labels of a vertex, by its number.
    pub(super) fn labels(&self, vertex: u32) -> u32 {
        let vertex = vertex as usize;
        match vertex.checked_sub(self.labels.len()) {
            None => self.labels[self.rsm.node_of(Vertex::new(vertex)).index()],
            Some(exit) => self.last_exits().get(exit).map_or(0, |exit| self.labels[exit.index()]),
        }
    }

    /// How many sets of labels there are.
    pub(super) fn label_sets(&self) -> usize {
        self.sets.len()
    }

    /// The atoms of a set of labels.
    pub(super) fn atoms(&self, mut set: u32) -> Vec<u32> {
        let mut atoms = Vec::new();
        while set != 0 {
            let (smaller, atom) = self.sets[set as usize];
            atoms.push(atom);
            set = smaller;
        }
        atoms.reverse();
        atoms
    }

    fn last_exits(&self) -> &[Vertex] {
        self.rsm.exits(self.rsm.initial_component())
    }

    /// The exit of this number with an empty stack.
    pub(super) fn last_exit(&self, exit: u32) -> u32 {
        self.labels.len() as u32 + exit
    }

    /// Where a run goes on.
    pub(super) fn place(&self, vertex: u32) -> Place {
        if vertex as usize >= self.labels.len() {
            return Place::Inner;
        }
        let vertex = Vertex::new(vertex as usize);
        match self.rsm.kind(vertex) {
            VertexKind::Call(site) => Place::Call(site, self.rsm.node_of(vertex).index() as u32),
            VertexKind::Return(_) => Place::Inner,
            VertexKind::Node => match self.rsm.exit_index(vertex) {
                Some(exit) => Place::Exit(self.rsm.component_of(vertex), exit as u32),
                None => Place::Inner,
            },
        }
    }

    /// The successors of an [inner](Place::Inner) vertex.
    pub(super) fn successors(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let behind = (vertex as usize).checked_sub(self.labels.len());
        let after = behind.and_then(|exit| {
            let sink = self.labels.len() + self.last_exits().len();
            match self.at_exit {
                _ if exit == self.last_exits().len() => Some(vertex),
                AtExit::Loop => Some(vertex),
                AtExit::Sink => Some(sink as u32),
                AtExit::Stop => None,
            }
        });
        let row = if behind.is_none() { self.rsm.successor_rows().row(vertex as usize) } else { &[] };
        row.iter().copied().chain(after)
    }

    /// The return port of a box for an exit of its callee, if it has one.
    pub(super) fn return_port(&self, site: BoxId, exit: u32) -> Option<u32> {
        self.rsm.return_port(site, exit as usize).map(|port| port.index() as u32)
    }
}
