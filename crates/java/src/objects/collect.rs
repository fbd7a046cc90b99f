//! What was explored, as it is, and as the machine of a site.

use super::explore::Tracker;
use super::machine::{Call, Component, Moment, Node, ObjectMachine, SiteKind};
use super::method::Prepared;
use super::states::States;
use super::values::Value;
use crate::class::{Member, Op};
use crate::program::Program;
use rustc_hash::FxHashMap;

impl Tracker<'_> {
    /// The machine of the site that was [explored](Self::explore) last, with the number of its
    /// component: of that and of everything it calls.
    pub fn machine(&self, top: usize) -> ObjectMachine {
        let mut order = vec![top];
        let mut numbers = FxHashMap::from_iter([(top, 0)]);
        let mut done = 0;
        while done < order.len() {
            let states = &self.states[order[done]];
            done += 1;
            for &callee in &states.callees {
                numbers.entry(callee).or_insert_with(|| {
                    order.push(callee);
                    order.len() - 1
                });
            }
        }
        let components = order.iter().map(|&component| self.component(component, &numbers)).collect();
        let mut assumed: Vec<Member> =
            order.iter().flat_map(|&component| &self.states[component].assumed).copied().collect();
        let complete = order.iter().all(|&component| self.states[component].is_complete);
        assumed.sort_unstable_by_key(|member| (member.owner, member.name, member.descriptor));
        assumed.dedup();
        let site = self.states[top].site.map_or(SiteKind::New, |site| site.kind);
        ObjectMachine { site, components, assumed, complete }
    }

    fn component(&self, component: usize, numbers: &FxHashMap<usize, usize>) -> Component {
        let view = self.view(component);
        let method = self.states[component].method;
        let nodes = self.states[component].nodes.iter().enumerate();
        let nodes = nodes.map(|(position, state)| Node {
            number: state.number,
            line: view.prepared.and_then(|prepared| prepared.line(state.number)),
            moment: view.moment(position),
            next: state.next.clone(),
            calls: view
                .calls(position)
                .map(|(callee, returns)| Call { callee: numbers[&callee], returns: returns.to_vec() })
                .collect(),
            exit: state.is_exit,
        });
        Component { method, nodes: nodes.collect() }
    }

    /// A component that was explored.
    pub fn view(&self, component: usize) -> View<'_, '_> {
        let states = &self.states[component];
        let prepared = self.prepared.get(&states.method).and_then(Option::as_deref);
        View { program: self.program, states, prepared }
    }
}

/// A component that was explored, without copying it.
pub struct View<'t, 'p> {
    program: &'p Program,
    states: &'t States,
    prepared: Option<&'t Prepared<'p>>,
}

impl<'t> View<'t, '_> {
    /// How many nodes it has; the first is the entry.
    #[expect(clippy::len_without_is_empty, reason = "a component has an entry")]
    pub fn len(&self) -> usize {
        self.states.nodes.len()
    }

    /// Nodes that follow a node in the component.
    pub fn next(&self, node: usize) -> &'t [u32] {
        &self.states.nodes[node].next
    }

    /// The components that are called at a node, and for each exit that the call can return from
    /// where it goes on.
    pub fn calls(&self, node: usize) -> impl Iterator<Item = (usize, &'t [(u32, Vec<u32>)])> + use<'t> {
        self.states.nodes[node].calls.iter().map(|call| (call.callee, call.returns.as_slice()))
    }

    /// Whether runs leave the component at a node.
    pub fn is_exit(&self, node: usize) -> bool {
        self.states.nodes[node].is_exit
    }

    /// Whether anything happens at a node.
    pub fn is_eventful(&self, node: usize) -> bool {
        !self.states.nodes[node].events.is_empty()
    }

    /// What happens at a node.
    pub fn moment(&self, node: usize) -> Moment {
        let state = &self.states.nodes[node];
        let mut moment = Moment { events: state.events.clone(), ..Moment::default() };
        let Some(prepared) = self.prepared else { return moment };
        if let Op::Invoke(_, number) = prepared.body.instructions[state.number].op {
            let class = self.program.class(self.program.owner(self.states.method));
            moment.member = class.pool.member(number);
            let depth = prepared.body.depth(state.number).unwrap_or(0);
            let last = (usize::from(prepared.body.code.max_locals) + depth).checked_sub(1);
            let last = last.and_then(|last| prepared.values.before(state.number).get(last));
            if let Some(&Value::Int(value)) = last.map(|&id| prepared.values.value_ref(id)) {
                moment.constant = Some(value);
            }
        }
        moment
    }
}
