//! The instance graph: components under contexts, and which instance each box calls.
//!
//! An *instance* is a component together with a context: the values of the subformulas decided so
//! far at its exits (lazy-rsm, section 4.1). Nothing of a component is copied but numbers: a *cell*
//! is a vertex in an instance, and the cells of an instance are consecutive, in the order of the
//! component's vertices. Boxes call instances, so the graph is itself a recursive state machine.

use loris_base::{Budget, Csr, Exhausted, Idx};
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex, VertexKind};
use rustc_hash::FxHashMap;

loris_base::id! {
    /// A component under a context.
    pub struct InstanceId;
    /// A vertex in an instance.
    pub struct CellId;
}

/// No instance: a box that is never called.
pub const NONE: InstanceId = InstanceId(u32::MAX);

impl InstanceId {
    /// The only instance of a component, in a graph that has [one of each](Instances::plain).
    pub fn of(component: ComponentId) -> Self {
        Self::new(component.index())
    }
}

/// The instances of a machine, and the instance that each box calls.
pub struct Instances<'a> {
    /// The machine.
    pub rsm: &'a Rsm,
    /// per instance, its component
    components: Vec<ComponentId>,
    /// per instance and one past the last, its first cell
    cells: Vec<u32>,
    /// per instance, where its boxes start in `callees`
    sites: Vec<u32>,
    callees: Vec<InstanceId>,
    /// per instance, where its callers are in `calls`
    callers: Csr,
    /// the callers, in the order of the values of `callers`: large graphs do not fit the cache, so
    /// that nothing must be looked up to get at a caller
    calls: Vec<Call>,
    /// the ports of callers, of instances whose callers have few ports for many entries and exits
    sparse: FxHashMap<InstanceId, SparsePorts>,
    /// The instance that runs start in, with an empty stack.
    pub start: InstanceId,
}

/// The ports of all boxes that call an instance, by the entry or exit they are ports of. To look at
/// every caller for every entry would be quadratic where each calls another one.
#[derive(Clone, Default)]
struct SparsePorts {
    /// entry, caller and call port, in this order
    calls: Vec<(u32, InstanceId, Vertex)>,
    /// exit, caller and return port
    returns: Vec<(u32, InstanceId, Vertex)>,
}

/// A box of an instance.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) caller: InstanceId,
    pub(crate) site: BoxId,
}

impl<'a> Instances<'a> {
    /// One instance per component, before any subformula is decided. Boxes are called if `called`
    /// is true of one of their call ports.
    pub fn plain(
        rsm: &'a Rsm,
        called: impl Fn(Vertex) -> bool,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.spend(rsm.component_count() + rsm.box_count())?;
        let bytes = Self::bytes_of(rsm.component_count(), rsm.box_count());
        budget.charge(bytes)?;
        let mut graph = Self::empty(rsm);
        for component in rsm.components() {
            let callees = rsm.boxes(component).map(|site| {
                let mut ports = rsm.ports(site);
                let is_called = ports.any(|port| rsm.kind(port) == VertexKind::Call(site) && called(port));
                if is_called { InstanceId::of(rsm.callee(site)) } else { NONE }
            });
            graph.push(component, callees);
        }
        graph.start = InstanceId::of(rsm.initial_component());
        graph.close();
        budget.release(bytes);
        budget.charge(graph.bytes())?;
        Ok(graph)
    }

    /// Bytes that this many instances with this many boxes take while they are indexed.
    pub fn bytes_of(instances: usize, boxes: usize) -> usize {
        let (callers, order) = (4 * (instances + boxes), size_of::<Call>() * boxes);
        12 * instances + (4 + size_of::<Call>()) * boxes + callers + order
    }

    /// No instance yet; to be filled by [`push`](Self::push) and finished by
    /// [`close`](Self::close).
    pub fn empty(rsm: &'a Rsm) -> Self {
        Self {
            rsm,
            components: Vec::new(),
            cells: vec![0],
            sites: Vec::new(),
            callees: Vec::new(),
            callers: Csr::default(),
            calls: Vec::new(),
            sparse: FxHashMap::default(),
            start: InstanceId(0),
        }
    }

    /// Adds an instance with the instances its boxes call, in the order of the boxes.
    pub fn push(&mut self, component: ComponentId, callees: impl Iterator<Item = InstanceId>) {
        self.components.push(component);
        let last = self.cells[self.cells.len() - 1];
        self.cells.push(last + self.rsm.vertex_range(component).len() as u32);
        self.sites.push(self.callees.len() as u32);
        self.callees.extend(callees);
    }

    /// Indexes callers by callee.
    pub fn close(&mut self) {
        let calls = self.callees.iter().enumerate();
        let pairs = calls
            .filter(|&(_, &callee)| callee != NONE)
            .map(|(position, &callee)| (callee.0, position as u32));
        self.callers = Csr::from_pairs(self.components.len(), pairs);
        let mut by_position = Vec::with_capacity(self.callees.len());
        for caller in self.ids() {
            by_position.extend(self.rsm.boxes(self.component(caller)).map(|site| Call { caller, site }));
        }
        self.calls = self.callers.pairs().map(|(_, position)| by_position[position as usize]).collect();
        self.sparse = self.sparse_ports();
    }

    /// Finds the ports of callers where these are few. Linear in boxes and in the ports that are
    /// found.
    fn sparse_ports(&self) -> FxHashMap<InstanceId, SparsePorts> {
        let rsm = self.rsm;
        let mut sparse = FxHashMap::default();
        for instance in self.ids() {
            let component = self.component(instance);
            let ways = rsm.entries(component).len() + rsm.exits(component).len();
            let count = self.callers.row(instance.index()).len();
            let ports = || self.callers(instance).map(|call| rsm.ports(call.site).len()).sum::<usize>();
            if count < 2 || ways < 4 || 2 * ports() >= count * ways {
                continue;
            }
            let mut found = SparsePorts::default();
            for Call { caller, site } in self.callers(instance) {
                for (port, _, entry) in self.call_ports(caller, site) {
                    let entry = rsm.entry_index(entry).expect("a call port leads to an entry");
                    found.calls.push((entry as u32, caller, port));
                }
                for port in rsm.ports(site) {
                    if let Some(exit) = rsm.exit_index(port) {
                        found.returns.push((exit as u32, caller, port));
                    }
                }
            }
            found.calls.sort_unstable();
            found.returns.sort_unstable();
            sparse.insert(instance, found);
        }
        sparse
    }

    /// Whether callers of an instance have few ports for many entries and exits.
    #[inline]
    pub(crate) fn is_sparsely_called(&self, instance: InstanceId) -> bool {
        !self.sparse.is_empty() && self.sparse.contains_key(&instance)
    }

    /// Calls `visit` with the callers of an instance at one of its entries, and their call ports.
    #[inline]
    pub(crate) fn for_each_calling(
        &self,
        instance: InstanceId,
        entry: Vertex,
        mut visit: impl FnMut(InstanceId, Vertex),
    ) {
        if self.is_sparsely_called(instance) {
            let Some(entry) = self.rsm.entry_index(entry) else { return };
            return visit_range(&self.sparse[&instance].calls, entry, visit);
        }
        for call in self.callers(instance) {
            if let Some(port) = self.calling_port(call, entry) {
                visit(call.caller, port);
            }
        }
    }

    /// Calls `visit` with the callers of an instance that it can return to from an exit, and their
    /// return ports.
    #[inline]
    pub(crate) fn for_each_returning(
        &self,
        instance: InstanceId,
        exit: usize,
        mut visit: impl FnMut(InstanceId, Vertex),
    ) {
        if self.is_sparsely_called(instance) {
            return visit_range(&self.sparse[&instance].returns, exit, visit);
        }
        for call in self.callers(instance) {
            if let Some(port) = self.rsm.return_port(call.site, exit) {
                visit(call.caller, port);
            }
        }
    }

    /// The same instances of a product of the machine: vertices of a component are there `copies`
    /// times, components and boxes once.
    pub fn times<'p>(&self, product: &'p Rsm, copies: usize) -> Instances<'p> {
        let mut graph = Instances {
            rsm: product,
            components: self.components.clone(),
            cells: self.cells.iter().map(|&cell| cell * copies as u32).collect(),
            sites: self.sites.clone(),
            callees: self.callees.clone(),
            callers: self.callers.clone(),
            calls: self.calls.clone(),
            sparse: FxHashMap::default(),
            start: self.start,
        };
        graph.sparse = graph.sparse_ports();
        graph
    }

    /// Lets a box of an instance call another instance of the same component; `close` again before
    /// asking for callers.
    pub(crate) fn redirect(&mut self, instance: InstanceId, site: BoxId, callee: InstanceId) {
        let position = self.site_position(instance, site);
        self.callees[position] = callee;
    }

    /// Which instances are reached from the initial one by calls.
    pub(crate) fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        reached[self.start.index()] = true;
        let mut stack = vec![self.start];
        while let Some(instance) = stack.pop() {
            for &callee in self.callees(instance) {
                if callee != NONE && !std::mem::replace(&mut reached[callee.index()], true) {
                    stack.push(callee);
                }
            }
        }
        reached
    }

    /// The instances called by the boxes of an instance, in the order of the boxes.
    pub(crate) fn callees(&self, instance: InstanceId) -> &[InstanceId] {
        let first = self.sites[instance.index()] as usize;
        let end = self.sites.get(instance.index() + 1).map_or(self.callees.len(), |&end| end as usize);
        &self.callees[first..end]
    }

    /// All instances.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = InstanceId> + use<> {
        (0..self.len()).map(InstanceId::new)
    }

    /// How many instances there are.
    #[expect(clippy::len_without_is_empty, reason = "runs start in an instance")]
    pub fn len(&self) -> usize {
        self.components.len()
    }

    /// How many boxes all instances have together.
    pub fn box_count(&self) -> usize {
        self.callees.len()
    }

    /// How many cells there are.
    pub fn cell_count(&self) -> usize {
        self.cells[self.components.len()] as usize
    }

    /// The component of an instance.
    #[inline]
    pub fn component(&self, instance: InstanceId) -> ComponentId {
        self.components[instance.index()]
    }

    /// The first cell of an instance.
    #[inline]
    pub fn first_cell(&self, instance: InstanceId) -> usize {
        self.cells[instance.index()] as usize
    }

    /// The difference between a vertex of an instance's component and its cell.
    #[inline]
    pub fn shift(&self, instance: InstanceId) -> Shift {
        let first = self.rsm.vertex_range(self.component(instance)).start;
        Shift { vertex: first as u32, cell: self.cells[instance.index()] }
    }

    /// The instance a box of an instance calls.
    #[inline]
    pub fn callee(&self, instance: InstanceId, site: BoxId) -> InstanceId {
        self.callees[self.site_position(instance, site)]
    }

    /// The number of a box of an instance, over all instances.
    #[inline]
    pub(crate) fn site_position(&self, instance: InstanceId, site: BoxId) -> usize {
        self.sites[instance.index()] as usize + site.index() - self.rsm.first_box(self.component(instance))
    }

    /// Where a call port of an instance leads: an instance and its entry, which is the same state.
    /// Nothing for other vertices, and for a port that no run gets to.
    #[inline]
    pub fn called(&self, instance: InstanceId, vertex: Vertex) -> Option<(InstanceId, Vertex)> {
        let VertexKind::Call(site) = self.rsm.kind(vertex) else { return None };
        let callee = self.callee(instance, site);
        (callee != NONE).then(|| (callee, self.rsm.node_of(vertex)))
    }

    /// The call ports of a box of an instance, each with the instance and the entry it leads to.
    #[inline]
    pub(crate) fn call_ports(
        &self,
        instance: InstanceId,
        site: BoxId,
    ) -> impl Iterator<Item = (Vertex, InstanceId, Vertex)> + '_ {
        // those of entries come first; one of an entry that is an exit as well is not a call
        let ports = self.rsm.ports(site).take_while(|&port| self.rsm.entry_index(port).is_some());
        ports.filter_map(move |port| {
            let (callee, entry) = self.called(instance, port)?;
            Some((port, callee, entry))
        })
    }

    /// The call port of a box for an entry of its callee, if it is called there.
    #[inline]
    pub(crate) fn calling_port(&self, call: Call, entry: Vertex) -> Option<Vertex> {
        // an entry that is an exit as well is not called: its port is all there is of it
        if self.rsm.is_exit(entry) {
            return None;
        }
        self.rsm.call_port(call.site, self.rsm.entry_index(entry)?)
    }

    /// The boxes of instances that call an instance.
    #[inline]
    pub(crate) fn callers(&self, instance: InstanceId) -> impl Iterator<Item = Call> + '_ {
        let start = self.callers.start(instance.index());
        self.calls[start..start + self.callers.row(instance.index()).len()].iter().copied()
    }

    /// Some cells in a row, by instance: its cells among them, and the vertex of the first one.
    pub(crate) fn spans(
        &self,
        cells: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (InstanceId, std::ops::Range<usize>, usize)> + '_ {
        let first = self.cells.partition_point(|&cell| cell as usize <= cells.start).saturating_sub(1);
        let instances =
            (first..self.len()).take_while(move |&instance| (self.cells[instance] as usize) < cells.end);
        instances.map(move |instance| {
            let start = cells.start.max(self.cells[instance] as usize);
            let end = cells.end.min(self.cells[instance + 1] as usize).max(start);
            let id = InstanceId::new(instance);
            (id, start..end, self.shift(id).vertex(CellId::new(start)).index())
        })
    }

    /// The instance of every cell.
    pub(crate) fn owners(&self) -> Vec<InstanceId> {
        let mut owners = Vec::with_capacity(self.cell_count());
        for instance in 0..self.len() {
            owners.resize(self.cells[instance + 1] as usize, InstanceId::new(instance));
        }
        owners
    }

    /// Callees before callers, as far as recursion allows: a depth-first postorder, without
    /// recursion.
    pub(crate) fn callees_first(&self) -> Vec<InstanceId> {
        let mut order = Vec::with_capacity(self.len());
        let mut seen = vec![false; self.len()];
        let mut stack: Vec<(InstanceId, u32)> = Vec::new();
        for root in self.ids() {
            if !std::mem::replace(&mut seen[root.index()], true) {
                stack.push((root, 0));
            }
            while let Some((instance, next)) = stack.last_mut() {
                let Some(&callee) = self.callees(*instance).get(*next as usize) else {
                    order.push(*instance);
                    stack.pop();
                    continue;
                };
                *next += 1;
                if callee != NONE && !std::mem::replace(&mut seen[callee.index()], true) {
                    stack.push((callee, 0));
                }
            }
        }
        order
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let ports = self.sparse.values().map(|ports| ports.calls.capacity() + ports.returns.capacity());
        4 * (self.components.len() * 3 + self.callees.len() * 3)
            + self.callers.bytes()
            + 12 * ports.sum::<usize>()
    }
}

/// Calls `visit` with those of a sorted list that are about one entry or exit.
fn visit_range(list: &[(u32, InstanceId, Vertex)], way: usize, mut visit: impl FnMut(InstanceId, Vertex)) {
    let way = way as u32;
    let start = list.partition_point(|&(other, ..)| other < way);
    for &(_, caller, port) in list[start..].iter().take_while(|&&(other, ..)| other == way) {
        visit(caller, port);
    }
}

/// Between the vertices of a component and the cells of one of its instances.
#[derive(Clone, Copy)]
pub struct Shift {
    vertex: u32,
    cell: u32,
}

impl Shift {
    /// The cell of a vertex.
    #[inline]
    pub fn cell(self, vertex: Vertex) -> CellId {
        CellId::new(vertex.index() - self.vertex as usize + self.cell as usize)
    }

    /// The vertex of a cell.
    #[inline]
    pub fn vertex(self, cell: CellId) -> Vertex {
        Vertex::new(cell.index() - self.cell as usize + self.vertex as usize)
    }
}
