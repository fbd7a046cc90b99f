//! Questions about all states of a recursive state machine: its nodes under any stack that its
//! calls allow. Since labels belong to nodes, a set of states is a set of nodes, and a step that
//! leaves it does so under every stack. Linear in the machine, times the clauses of the set.

use crate::invariant::{Inductive, ModelStep, StateSet};
use crate::machine::MachineSpace;
use crate::proposition::Proposition;
use crate::successors::carries;
use crate::{AtExit, State};
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::{BoxId, ComponentId, LabelId, Vertex};

impl Inductive for MachineSpace<'_> {
    fn initial_outside(
        &self,
        set: &StateSet<LabelId>,
        budget: &mut Budget,
    ) -> Result<Option<State>, Exhausted> {
        for &node in self.rsm.initial() {
            if !self.contains(set, Some(node), budget)? {
                return Ok(Some(State { stack: Vec::new(), node: Some(node) }));
            }
        }
        Ok(None)
    }

    fn step_out_of(
        &self,
        from: &StateSet<LabelId>,
        set: &StateSet<LabelId>,
        budget: &mut Budget,
    ) -> Result<Option<ModelStep<State>>, Exhausted> {
        let rsm = self.rsm;
        let stacks = Stacks::new(self);
        for component in stacks.components() {
            for node in rsm.nodes(component) {
                if !self.contains(from, Some(node), budget)? {
                    continue;
                }
                let from = |stack| State { stack, node: Some(node) };
                let Some(exit) = rsm.exit_index(node) else {
                    for target in rsm.successors(node) {
                        if !self.contains(set, Some(rsm.node_of(target)), budget)? {
                            let stack = stacks.stack(component);
                            let to = self.landed(stack.clone(), target);
                            return Ok(Some(ModelStep { from: from(stack), to }));
                        }
                    }
                    continue;
                };
                let is_last = component == rsm.initial_component() && self.at_exit == AtExit::Sink;
                if is_last && !self.contains(set, None, budget)? {
                    let to = State { stack: Vec::new(), node: None };
                    return Ok(Some(ModelStep { from: from(Vec::new()), to }));
                }
                for site in rsm.callers(component).filter(|&site| stacks.is_called(rsm.owner(site))) {
                    for target in
                        rsm.return_port(site, exit).into_iter().flat_map(|port| rsm.successors(port))
                    {
                        if !self.contains(set, Some(rsm.node_of(target)), budget)? {
                            let below = stacks.stack(rsm.owner(site));
                            let to = self.landed(below.clone(), target);
                            let from = from([below, vec![site]].concat());
                            return Ok(Some(ModelStep { from, to }));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    fn state_without(
        &self,
        set: &StateSet<LabelId>,
        proposition: &Proposition<LabelId>,
        budget: &mut Budget,
    ) -> Result<Option<State>, Exhausted> {
        let stacks = Stacks::new(self);
        for component in stacks.components() {
            for node in self.rsm.nodes(component) {
                let node = Some(node);
                if self.contains(set, node, budget)? && !self.satisfies(proposition, node, budget)? {
                    return Ok(Some(State { stack: stacks.stack(component), node }));
                }
            }
        }
        let is_sink = self.at_exit == AtExit::Sink && self.contains(set, None, budget)?;
        if is_sink && !self.satisfies(proposition, None, budget)? {
            return Ok(Some(State { stack: Vec::new(), node: None }));
        }
        Ok(None)
    }
}

impl MachineSpace<'_> {
    fn contains(
        &self,
        set: &StateSet<LabelId>,
        node: Option<Vertex>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        for clause in &set.clauses {
            if !self.satisfies(clause, node, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn satisfies(
        &self,
        proposition: &Proposition<LabelId>,
        node: Option<Vertex>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        budget.spend(proposition.gates().len())?;
        Ok(proposition.holds(|label| carries(self.rsm, node, label)))
    }

    /// The state that an edge to a vertex leads to.
    fn landed(&self, mut stack: Vec<BoxId>, target: Vertex) -> State {
        stack.extend(self.rsm.box_of(target));
        State { stack, node: Some(self.rsm.node_of(target)) }
    }
}

/// A shortest stack for each component that is called, directly or not, from the initial one.
struct Stacks<'m> {
    machine: &'m MachineSpace<'m>,
    /// the components in the order they were found
    found: Vec<ComponentId>,
    /// the call by which each was found; the initial one has none
    call: Vec<Option<BoxId>>,
}

impl<'m> Stacks<'m> {
    fn new(machine: &'m MachineSpace<'m>) -> Self {
        let rsm = machine.rsm;
        let mut found = vec![rsm.initial_component()];
        let mut call = vec![None; rsm.components().count()];
        let mut at = 0;
        while let Some(&component) = found.get(at) {
            for site in rsm.boxes(component) {
                let callee = rsm.callee(site);
                if callee != found[0] && call[callee.index()].is_none() {
                    call[callee.index()] = Some(site);
                    found.push(callee);
                }
            }
            at += 1;
        }
        Self { machine, found, call }
    }

    fn components(&self) -> impl Iterator<Item = ComponentId> + '_ {
        self.found.iter().copied()
    }

    fn is_called(&self, component: ComponentId) -> bool {
        component == self.found[0] || self.call[component.index()].is_some()
    }

    fn stack(&self, mut component: ComponentId) -> Vec<BoxId> {
        let mut stack = Vec::new();
        while let Some(site) = self.call[component.index()] {
            stack.push(site);
            component = self.machine.rsm.owner(site);
        }
        stack.reverse();
        stack
    }
}
