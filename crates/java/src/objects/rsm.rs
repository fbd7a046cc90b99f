//! The machine of an object as a recursive state machine.

use super::machine::{Component, Machine, Node};
use loris_base::{Idx, Symbol};
use loris_rsm::{DeadEnds, Draft, Reference, Rsm, RsmBuilder, Semantics, Vertex};

impl Machine {
    /// The recursive state machine, with the labels that `labels` gives to each node, as positions
    /// in `names`. Components and nodes keep their order.
    ///
    /// # Panics
    /// Never: machines that were explored are well-formed.
    pub fn rsm(&self, names: &[String], mut labels: impl FnMut(&Component, &Node) -> Vec<usize>) -> Rsm {
        let mut builder = RsmBuilder::default();
        let label_symbols: Vec<Symbol> = names.iter().map(|name| builder.symbol(name)).collect();
        let component_symbols: Vec<Symbol> =
            (0..self.components.len()).map(|number| builder.symbol(&format!("m{number}"))).collect();
        let most = self.components.iter().map(|component| component.nodes.len()).max().unwrap_or(0);
        let nodes: Vec<Symbol> = (0..most).map(|number| builder.symbol(&number.to_string())).collect();
        for (number, component) in self.components.iter().enumerate() {
            let mut draft = Draft::new(component_symbols[number], 0);
            for (position, node) in component.nodes.iter().enumerate() {
                let drafted = draft.node(nodes[position], 0);
                drafted.entry = position == 0;
                drafted.exit = node.exit;
                for label in labels(component, node) {
                    draft.label(label_symbols[label]);
                }
            }
            for (position, node) in component.nodes.iter().enumerate() {
                draft.source(Reference::node(nodes[position], 0));
                for &next in &node.next {
                    draft.target(Reference::node(nodes[next as usize], 0));
                }
                for (call, calling) in node.calls.iter().enumerate() {
                    let site = builder.symbol(&format!("{position}.{call}"));
                    draft.site(site, 0, component_symbols[calling.callee], 0);
                    draft.edge(Reference::node(nodes[position], 0), Reference::port(site, nodes[0], 0));
                    for (exit, next) in &calling.returns {
                        draft.source(Reference::port(site, nodes[*exit as usize], 0));
                        for &next in next {
                            draft.target(Reference::node(nodes[next as usize], 0));
                        }
                    }
                }
            }
            builder.component_from(&draft);
        }
        let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
        builder.finish(&semantics).map(|(rsm, _)| rsm).expect("explored machines are well-formed")
    }

    /// The component and node of a vertex of the recursive state machine.
    pub fn node<'m>(&'m self, rsm: &Rsm, vertex: Vertex) -> (&'m Component, &'m Node) {
        let component = rsm.component_of(vertex);
        let position = rsm.node_of(vertex).index() - rsm.vertex_range(component).start;
        let component = &self.components[component.index()];
        (component, &component.nodes[position])
    }
}
