//! The relation of entries and exits: through which exits a run can leave an instance that it
//! entered at an entry. A bit or a word of lanes for each pair.

use crate::atomic::Words;
use crate::instances::{InstanceId, Instances};
use crate::operand::Lanes;
use loris_base::Idx;
use loris_rsm::{BoxId, Vertex, VertexKind};

/// The exits that runs from each entry can leave through.
pub struct Summaries {
    pub(super) layout: Layout,
    /// of a solver, which may be several threads
    pub(super) bits: Words<true>,
}

pub(super) enum Layout {
    /// for EX: an exit reaches itself, nothing else is reached
    Trivial,
    /// a bit per entry and exit; by instance, or by component if `shared`
    Bits { starts: Vec<usize>, shared: bool },
    /// a word of lanes per entry and exit, by instance
    Lanes { starts: Vec<usize> },
}

impl Summaries {
    /// Those of EX: nothing is passed but the exit a run stands on.
    pub(crate) fn trivial() -> Self {
        Self { layout: Layout::Trivial, bits: Words::new(Vec::new()) }
    }

    /// The lanes in which an exit, by its position, is reached from an entry of an instance.
    #[inline]
    pub(crate) fn reaches(
        &self,
        graph: &Instances<'_>,
        instance: InstanceId,
        entry: Vertex,
        exit: usize,
    ) -> Lanes {
        if matches!(self.layout, Layout::Trivial) {
            return if graph.rsm.is_exit(entry) && graph.rsm.exit_index(entry) == Some(exit) {
                !0
            } else {
                0
            };
        }
        let (row, is_bits) = self.row(graph, instance, entry);
        match is_bits {
            true if self.bits.get(row + exit / 64) >> (exit % 64) & 1 == 0 => 0,
            true => !0,
            false => self.bits.get(row + exit),
        }
    }

    /// Calls `visit` with every exit that an entry of an instance reaches, and in which lanes.
    #[inline]
    pub fn for_each(
        &self,
        graph: &Instances<'_>,
        instance: InstanceId,
        entry: Vertex,
        mut visit: impl FnMut(usize, Lanes),
    ) {
        if matches!(self.layout, Layout::Trivial) {
            if graph.rsm.is_exit(entry) {
                visit(graph.rsm.exit_index(entry).expect("an exit has a position"), !0);
            }
            return;
        }
        let exits = graph.rsm.exits(graph.component(instance)).len();
        let (row, is_bits) = self.row(graph, instance, entry);
        if !is_bits {
            for exit in 0..exits {
                let lanes = self.bits.get(row + exit);
                if lanes != 0 {
                    visit(exit, lanes);
                }
            }
            return;
        }
        for i in 0..exits.div_ceil(64) {
            let mut word = self.bits.get(row + i);
            while word != 0 {
                visit(64 * i + word.trailing_zeros() as usize, !0);
                word &= word - 1;
            }
        }
    }

    /// How many places there are to look for the returns of a box: the exits of the callee or the
    /// ports of the box, whichever are fewer.
    #[inline]
    pub(crate) fn return_places(graph: &Instances<'_>, site: BoxId, callee: InstanceId) -> usize {
        graph.rsm.exits(graph.component(callee)).len().min(graph.rsm.ports(site).len())
    }

    /// The return port at one of these places, if the call can come back to it, and in which lanes.
    #[inline]
    pub(crate) fn return_at(
        &self,
        graph: &Instances<'_>,
        site: BoxId,
        (callee, entry): (InstanceId, Vertex),
        place: usize,
    ) -> Option<(Vertex, Lanes)> {
        let rsm = graph.rsm;
        let mut ports = rsm.ports(site);
        let (back, exit) = if rsm.exits(graph.component(callee)).len() <= ports.len() {
            (rsm.return_port(site, place)?, place)
        } else {
            let back = Vertex::new(ports.next()?.index() + place);
            (back, rsm.exit_index(back)?)
        };
        Some((back, self.reaches(graph, callee, entry, exit)))
    }

    /// Calls `visit` with every return port that a call can come back to, and in which lanes. In
    /// the number of exits of the callee or of ports of the box, whichever is less.
    #[inline]
    pub(crate) fn for_each_return(
        &self,
        graph: &Instances<'_>,
        site: BoxId,
        (callee, entry): (InstanceId, Vertex),
        mut visit: impl FnMut(Vertex, Lanes),
    ) {
        let rsm = graph.rsm;
        let ports = rsm.ports(site);
        if rsm.exits(graph.component(callee)).len() <= ports.len() {
            return self.for_each(graph, callee, entry, |exit, lanes| {
                if let Some(back) = rsm.return_port(site, exit) {
                    visit(back, lanes);
                }
            });
        }
        for back in ports.filter(|&port| rsm.kind(port) == VertexKind::Return(site)) {
            let exit = rsm.exit_index(back).expect("a return port stands for an exit");
            let lanes = self.reaches(graph, callee, entry, exit);
            if lanes != 0 {
                visit(back, lanes);
            }
        }
    }

    /// Calls `visit` with every call port of a box that can come back to a return port, and in
    /// which lanes. In the number of entries of the callee or of ports of the box, whichever is
    /// less.
    #[inline]
    pub(crate) fn for_each_call(
        &self,
        graph: &Instances<'_>,
        (instance, site): (InstanceId, BoxId),
        back: Vertex,
        mut visit: impl FnMut(Vertex, Lanes),
    ) {
        let rsm = graph.rsm;
        let callee = graph.callee(instance, site);
        let exit = rsm.exit_index(back).expect("a return port stands for an exit");
        let mut look = |port: Vertex, entry: Vertex| {
            let lanes = self.reaches(graph, callee, entry, exit);
            if lanes != 0 {
                visit(port, lanes);
            }
        };
        let ports = rsm.ports(site);
        if rsm.entries(rsm.callee(site)).len() <= ports.len() {
            graph.call_ports(instance, site).for_each(|(port, _, entry)| look(port, entry));
        } else {
            ports
                .filter_map(|port| Some((port, graph.called(instance, port)?.1)))
                .for_each(|(port, entry)| look(port, entry));
        }
    }

    /// Where the exits of an entry are, and whether they are bits.
    #[inline]
    pub(super) fn row(&self, graph: &Instances<'_>, instance: InstanceId, entry: Vertex) -> (usize, bool) {
        let component = graph.component(instance);
        let exits = graph.rsm.exits(component).len();
        let position = graph.rsm.entry_index(entry).expect("runs enter at entries");
        match &self.layout {
            Layout::Trivial => unreachable!("nothing is held of steps"),
            Layout::Bits { starts, shared } => {
                let start = starts[if *shared { component.index() } else { instance.index() }];
                (start + position * exits.div_ceil(64), true)
            }
            Layout::Lanes { starts } => (starts[instance.index()] + position * exits, false),
        }
    }
}
