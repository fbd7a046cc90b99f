//! The arrays of a machine while it is made, and the frozen machine of them.

use super::layout::Layout;
use super::names::Naming;
use super::rows::Rows;
use crate::builder::{DeadEnds, Semantics};
use crate::ids::{BoxId, Component, LabelId, NONE};
use crate::labelling::Labelling;
use crate::model::Body;
use crate::node_names::NodeNames;
use crate::vertices::{Owners, VertexData};
use loris_base::{Budget, Csr, Exhausted, Idx, IndexVec, Symbol};
use std::sync::Arc;

/// All of a machine while it is made.
pub(super) struct Parts {
    pub(super) layout: Layout,
    pub(super) naming: Naming,
    pub(super) rows: Rows,
}

impl Parts {
    /// Labels of heads that never occur: a component that is never called keeps them known.
    pub(super) fn unreachable_labels(&mut self) {
        let Self { layout, naming, rows } = self;
        let row = rows.unused_labels();
        if row.is_empty() {
            return;
        }
        let number = rows.next();
        let name = naming.fresh("unreachable");
        rows.vertices.push(VertexData { node: number, site: NONE, entry: NONE, exit: NONE });
        rows.add_labels(number, &row);
        rows.successors.push_row([number]);
        rows.edges += 1;
        let boxes = layout.boxes.len() as u32;
        let (entries, exits) = (rows.entries.len() as u32, rows.exits.len() as u32);
        layout.components.push(Component {
            name,
            vertices: number..number + 1,
            nodes: 1,
            first_name: rows.node_names.len() as u32,
            boxes: boxes..boxes,
            entries: entries..entries,
            exits: exits..exits,
        });
        rows.node_names.push(name);
    }

    /// The frozen machine but for where runs start.
    pub(super) fn into_body(self, semantics: Semantics, budget: &mut Budget) -> Result<Body, Exhausted> {
        let Self { layout: Layout { components, mut boxes, .. }, naming, mut rows } = self;
        rows.vertices.shrink_to_fit();
        rows.successors.shrink_to_fit();
        rows.node_names.shrink_to_fit();
        rows.entries.shrink_to_fit();
        rows.exits.shrink_to_fit();
        rows.port_slots.shrink_to_fit();
        for (site, &slots) in rows.slots.iter().enumerate() {
            boxes[BoxId::new(site)].slots = slots;
        }
        let predecessors = predecessors(&rows, semantics, budget)?;
        let labels: Vec<Symbol> = rows.labels.iter().map(|&label| naming.of_label[label as usize]).collect();
        let labels: IndexVec<LabelId, Symbol> = labels.into();
        let names = naming.into_table();
        let mut labels_by_name: Vec<LabelId> = labels.ids().collect();
        labels_by_name.sort_unstable_by_key(|&label| &names[labels[label]]);
        let callees = boxes.iter().enumerate().map(|(site, data)| (data.callee.index() as u32, site as u32));
        let callers = Csr::from_pairs_within(components.len(), callees, budget)?;
        Ok(Body {
            names: Arc::new(names),
            owners: Owners::of(&components),
            components,
            boxes,
            vertices: rows.vertices,
            node_names: NodeNames::Listed(Arc::new(rows.node_names)),
            source_map: Arc::default(),
            copies: 1,
            successors: rows.successors,
            predecessors,
            entries: rows.entries,
            exits: rows.exits,
            port_slots: rows.port_slots,
            callers,
            labelling: Labelling::of(rows.labelled, labels.len()),
            labels,
            labels_by_name,
            edges: rows.edges,
            stops: semantics.dead_ends == DeadEnds::Stop,
            dead_ends: rows.dead,
        })
    }
}

/// Edges by target; loops that were added come after all edges of rules.
fn predecessors(rows: &Rows, semantics: Semantics, budget: &mut Budget) -> Result<Csr, Exhausted> {
    let vertices = rows.vertices.len();
    let loops = semantics.dead_ends == DeadEnds::Loop && !rows.dead.is_empty();
    if !loops && rows.stuck.is_empty() {
        return rows.successors.transposed_within(vertices, budget);
    }
    let dead = if loops { &rows.dead[..] } else { &[] };
    let mut added = rows.stuck.clone();
    added.extend(dead.iter().map(|vertex| vertex.index() as u32));
    let mut is_added = vec![false; vertices];
    for &vertex in &added {
        is_added[vertex as usize] = true;
    }
    let of_rules = rows.successors.pairs().filter(|&(source, _)| !is_added[source as usize]);
    let edges = of_rules.map(|(source, target)| (target, source));
    Csr::from_pairs_within(vertices, edges.chain(added.iter().map(|&vertex| (vertex, vertex))), budget)
}
