//! The call relation, and which instances are reached: kept up to date while boxes are redirected.

use super::interpretation::Interpretation;
use super::news::{Port, Waiting};
use crate::instances::{InstanceId, NONE};
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::{BoxId, Vertex, VertexKind};

impl<'a> Interpretation<'a> {
    /// The call ports of a box, each with the position of its entry.
    fn call_ports(&self, site: BoxId) -> impl Iterator<Item = (Vertex, usize)> + use<'a> {
        let rsm = self.rsm;
        // those of entries come first; one of an entry that is an exit as well is not a call
        let ports = rsm.ports(site).map_while(|port| Some((port, rsm.entry_index(port)?)));
        ports.filter(|&(port, _)| matches!(rsm.kind(port), VertexKind::Call(_)))
    }

    /// The list of call ports that lead to an entry of an instance.
    fn door(&self, instance: InstanceId, entry: usize) -> usize {
        self.doors[instance.index()] as usize + entry
    }

    /// The call ports of live instances that lead to an entry of an instance.
    pub(super) fn calling(&self, instance: InstanceId, entry: Vertex) -> &[Port] {
        self.rsm.entry_index(entry).map_or(&[], |entry| &self.callers[self.door(instance, entry)])
    }

    /// The call ports of live instances that lead to an instance.
    pub(super) fn callers(&self, instance: InstanceId) -> impl Iterator<Item = Port> + use<'_> {
        let first = self.doors[instance.index()] as usize;
        let entries = self.rsm.entries(self.graph.component(instance)).len();
        self.callers[first..first + entries].iter().flatten().copied()
    }

    /// Where the position of a call port of an instance in its list is noted.
    fn port_position(&self, instance: InstanceId, port: Vertex) -> usize {
        let component = self.graph.component(instance);
        let first = self.rsm.vertex_range(component).start + self.rsm.nodes(component).len();
        self.ports[instance.index()] as usize + port.index() - first
    }

    /// Puts a box of a live instance on the lists of its callee.
    fn list(&mut self, instance: InstanceId, site: BoxId) {
        let callee = self.graph.callee(instance, site);
        for (port, entry) in self.call_ports(site) {
            let (door, here) = (self.door(callee, entry), self.port_position(instance, port));
            self.positions[here] = self.callers[door].len() as u32;
            self.callers[door].push(Port { caller: instance, vertex: port });
        }
    }

    /// Takes a box of an instance off the lists of its callee.
    fn unlist(&mut self, instance: InstanceId, site: BoxId) {
        let callee = self.graph.callee(instance, site);
        for (port, entry) in self.call_ports(site) {
            let (door, here) = (self.door(callee, entry), self.port_position(instance, port));
            let position = self.positions[here] as usize;
            self.callers[door].swap_remove(position);
            if let Some(&moved) = self.callers[door].get(position) {
                let moved = self.port_position(moved.caller, moved.vertex);
                self.positions[moved] = position as u32;
            }
        }
    }

    /// Takes all boxes of an instance that is no longer live off the lists.
    fn unlist_all(&mut self, instance: InstanceId) {
        for site in self.rsm.boxes(self.graph.component(instance)) {
            if self.graph.callee(instance, site) != NONE {
                self.unlist(instance, site);
            }
        }
    }

    /// Makes lists for an instance that was added last, and puts its boxes on those of their
    /// callees if it is live. Its callees must have lists.
    pub(super) fn enlist(&mut self, instance: InstanceId) {
        self.open(instance);
        self.list_all(instance);
    }

    /// Makes lists for the callers of an instance that was added last.
    pub(super) fn open(&mut self, instance: InstanceId) {
        let component = self.graph.component(instance);
        self.doors.push(self.callers.len() as u32);
        self.callers.resize_with(self.callers.len() + self.rsm.entries(component).len(), Vec::new);
        self.ports.push(self.positions.len() as u32);
        let ports = self.rsm.vertex_range(component).len() - self.rsm.nodes(component).len();
        self.positions.resize(self.positions.len() + ports, 0);
    }

    /// Puts all boxes of an instance on the lists of their callees, if it is live.
    pub(super) fn list_all(&mut self, instance: InstanceId) {
        if !self.live[instance.index()] {
            return;
        }
        for site in self.rsm.boxes(self.graph.component(instance)) {
            if self.graph.callee(instance, site) != NONE {
                self.list(instance, site);
            }
        }
    }

    /// Lets a box of a live instance call another instance.
    pub(super) fn redirect(&mut self, instance: InstanceId, site: BoxId, callee: InstanceId) {
        let before = self.graph.callee(instance, site);
        self.unlist(instance, site);
        self.graph.redirect(instance, site, callee);
        self.list(instance, site);
        self.dirty.push(instance);
        let shift = self.graph.shift(instance);
        for (port, _) in self.call_ports(site) {
            self.waiting.extend(self.existentials.iter().map(|&node| Waiting::new(node, shift.cell(port))));
        }
        self.calls[callee.index()] += 1;
        self.release(before);
    }

    /// An instance lost a call: without any it is not reached, and its callees lose one, too.
    fn release(&mut self, instance: InstanceId) {
        let mut released = vec![instance];
        while let Some(instance) = released.pop() {
            let calls = &mut self.calls[instance.index()];
            *calls -= 1;
            if *calls > 0 {
                continue;
            }
            self.live[instance.index()] = false;
            self.unlist_all(instance);
            self.by_context.remove(self.hashes[instance.index()], instance);
            released.extend(self.graph.callees(instance).iter().filter(|&&callee| callee != NONE));
        }
    }

    /// Counts the calls of live instances.
    pub(super) fn count_calls(&mut self) {
        self.calls = vec![0; self.graph.len()];
        // where runs start
        self.calls[self.graph.start.index()] = 1;
        for instance in self.live_instances() {
            for &callee in self.graph.callees(instance) {
                if callee != NONE {
                    self.calls[callee.index()] += 1;
                }
            }
        }
    }

    /// Finds out which instances are still reached, after boxes were contextualized. Those that no
    /// box calls any more are known already; those that only call each other are looked for when as
    /// much work was done as that takes. Until then they are live and learn with the others.
    pub(super) fn settle(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let cost = (self.graph.len() + self.graph.box_count()) as u64;
        if budget.spent() < self.counted.saturating_add(cost) {
            return Ok(());
        }
        budget.spend(self.graph.len() + self.graph.box_count())?;
        let before = std::mem::replace(&mut self.live, self.graph.reached());
        for instance in self.graph.ids() {
            if before[instance.index()] && !self.live[instance.index()] {
                self.unlist_all(instance);
            }
        }
        self.forget_unreached();
        self.count_calls();
        self.counted = budget.spent();
        Ok(())
    }

    /// An instance that is not reached is out of date and must not be called again.
    pub(super) fn forget_unreached(&mut self) {
        let live = &self.live;
        self.by_context.retain(|instance| live[instance.index()]);
    }

    /// The live instances.
    pub(super) fn live_instances(&self) -> Vec<InstanceId> {
        self.graph.ids().filter(|&instance| self.live[instance.index()]).collect()
    }
}
