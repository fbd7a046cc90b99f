//! From explored states to the machine of a site.

use super::explore::Tracker;
use super::machine::{Call, Component, Machine, Node, SiteKind};
use super::values::Value;
use crate::class::Op;
use rustc_hash::FxHashMap;

impl Tracker<'_> {
    /// The machine of the component of a site and of everything it calls.
    pub(super) fn collect(&mut self, top: usize) -> Machine {
        let mut order = vec![top];
        let mut numbers = FxHashMap::from_iter([(top, 0)]);
        let mut done = 0;
        while done < order.len() {
            let states = &self.states[order[done]];
            done += 1;
            for callee in states.nodes.iter().flat_map(|node| &node.calls).map(|call| call.callee) {
                numbers.entry(callee).or_insert_with(|| {
                    order.push(callee);
                    order.len() - 1
                });
            }
        }
        let components = order.iter().map(|&component| self.component(component, &numbers)).collect();
        let (assumed, complete) = self.assumed();
        let (mut assumed, complete) = (assumed.to_vec(), complete);
        assumed.sort_unstable_by_key(|member| (member.owner, member.name, member.descriptor));
        assumed.dedup();
        let site = self.states[top].site.map_or(SiteKind::New, |site| site.kind);
        Machine { site, components, assumed, complete }
    }

    fn component(&mut self, component: usize, numbers: &FxHashMap<usize, usize>) -> Component {
        let method = self.states[component].method;
        let prepared = self.prepare(method);
        let class = self.program.class(self.program.owner(method));
        let mut nodes = Vec::with_capacity(self.states[component].nodes.len());
        for state in &self.states[component].nodes {
            let (mut member, mut constant, mut line) = (None, None, None);
            if let Some(prepared) = &prepared {
                line = prepared.line(state.number);
                if let Op::Invoke(_, number) = prepared.body.instructions[state.number].op {
                    member = class.pool.member(number);
                    let depth = prepared.body.depth(state.number).unwrap_or(0);
                    let last = (usize::from(prepared.body.code.max_locals) + depth).checked_sub(1);
                    let last = last.and_then(|last| prepared.values.before(state.number).get(last));
                    if let Some(&Value::Int(value)) = last.map(|&id| prepared.values.value_ref(id)) {
                        constant = Some(value);
                    }
                }
            }
            nodes.push(Node {
                number: state.number,
                line,
                events: state.events.clone(),
                member,
                constant,
                next: state.next.clone(),
                calls: state
                    .calls
                    .iter()
                    .map(|call| Call { callee: numbers[&call.callee], returns: call.returns.clone() })
                    .collect(),
                exit: state.is_exit,
            });
        }
        Component { method, nodes }
    }
}
