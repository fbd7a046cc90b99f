//! Statistics of a model. Linear in its size.

use crate::model::Rsm;
use loris_base::Idx;

/// The numbers that `loris info` prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Components.
    pub components: usize,
    /// Nodes of all components.
    pub nodes: usize,
    /// The most nodes of one component.
    pub most_nodes: usize,
    /// Boxes of all components.
    pub boxes: usize,
    /// Edges that the model lists.
    pub edges: usize,
    /// Entries of all components.
    pub entries: usize,
    /// The most entries of one component.
    pub most_entries: usize,
    /// Exits of all components.
    pub exits: usize,
    /// The most exits of one component.
    pub most_exits: usize,
    /// θ, see [`Rsm::theta`].
    pub theta: usize,
    /// Labels that some node carries.
    pub labels: usize,
    /// Components with a node that is entry and exit at once.
    pub empty_procedures: usize,
    /// Components that no chain of boxes leads to from the initial one.
    pub unreachable_components: usize,
    /// Strongly connected groups of the call graph that have a cycle.
    pub recursive_groups: usize,
    /// Components in the largest of these.
    pub largest_recursive_group: usize,
    /// Vertices without a successor that are not exits.
    pub dead_ends: usize,
}

impl Stats {
    /// Counts.
    pub fn of(rsm: &Rsm) -> Self {
        let graph = rsm.call_graph();
        let groups = rsm.call_groups();
        let recursive = (0..groups.rows()).map(|group| groups.row(group)).filter(|members| {
            members.len() > 1 || members.iter().any(|&member| graph.row(member as usize).contains(&member))
        });
        let recursive: Vec<usize> = recursive.map(<[u32]>::len).collect();
        let most =
            |count: &dyn Fn(crate::ComponentId) -> usize| rsm.components().map(count).max().unwrap_or(0);
        let empty = |component| rsm.entries(component).iter().any(|&entry| rsm.is_exit(entry));
        Self {
            components: rsm.component_count(),
            nodes: rsm.node_count(),
            most_nodes: most(&|component| rsm.nodes(component).len()),
            boxes: rsm.box_count(),
            edges: rsm.edge_count(),
            entries: rsm.components().map(|component| rsm.entries(component).len()).sum(),
            most_entries: most(&|component| rsm.entries(component).len()),
            exits: rsm.components().map(|component| rsm.exits(component).len()).sum(),
            most_exits: most(&|component| rsm.exits(component).len()),
            theta: rsm.theta(),
            labels: rsm.label_count(),
            empty_procedures: rsm.components().filter(|&component| empty(component)).count(),
            unreachable_components: unreachable(rsm),
            recursive_groups: recursive.len(),
            largest_recursive_group: recursive.into_iter().max().unwrap_or(0),
            dead_ends: rsm.dead_ends().len(),
        }
    }
}

fn unreachable(rsm: &Rsm) -> usize {
    let mut reached = vec![false; rsm.component_count()];
    reached[rsm.initial_component().index()] = true;
    let mut work = vec![rsm.initial_component()];
    while let Some(component) = work.pop() {
        for site in rsm.boxes(component) {
            let callee = rsm.callee(site);
            if !std::mem::replace(&mut reached[callee.index()], true) {
                work.push(callee);
            }
        }
    }
    reached.iter().filter(|reached| !**reached).count()
}
