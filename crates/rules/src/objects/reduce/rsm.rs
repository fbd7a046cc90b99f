//! Components as a recursive state machine.

use super::graph::Graph;
use loris_base::Symbol;
use loris_rsm::{DeadEnds, Draft, Reference, Rsm, RsmBuilder, Semantics};

/// The recursive state machine of components that call each other by their positions; runs start at
/// the entry of the first. The atom of bit *i* is `names[i]`. Components and nodes keep their
/// order.
///
/// # Panics
/// Never: components that were explored are well-formed.
pub(crate) fn rsm(components: &[Graph], names: &[String]) -> Rsm {
    let mut builder = RsmBuilder::default();
    let labels: Vec<Symbol> = names.iter().map(|name| builder.symbol(name)).collect();
    let symbols: Vec<Symbol> =
        (0..components.len()).map(|number| builder.symbol(&format!("m{number}"))).collect();
    let most = components.iter().map(|component| component.nodes.len()).max().unwrap_or(0);
    let nodes: Vec<Symbol> = (0..most).map(|number| builder.symbol(&number.to_string())).collect();
    for (number, component) in components.iter().enumerate() {
        let mut draft = Draft::new(symbols[number], 0);
        for (position, node) in component.nodes.iter().enumerate() {
            let drafted = draft.node(nodes[position], 0);
            drafted.entry = position == 0;
            drafted.exit = node.exit;
            for (bit, &label) in labels.iter().enumerate() {
                if node.mask >> bit & 1 == 1 {
                    draft.label(label);
                }
            }
        }
        for (position, node) in component.nodes.iter().enumerate() {
            draft.source(Reference::node(nodes[position], 0));
            for &next in &node.next {
                draft.target(Reference::node(nodes[next as usize], 0));
            }
            for (call, calling) in node.calls.iter().enumerate() {
                let site = builder.symbol(&format!("{position}.{call}"));
                draft.site(site, 0, symbols[calling.callee], 0);
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
