//! Large machines that look like programs, in time and memory linear in their edges.
//!
//! A component is a line of statements with jumps, most of them short and forward; some statements
//! call. Boxes call later components, or with some probability any: recursion. Every return leads
//! on.

use super::{LabelRate, add_labels, finish, label_symbols, node, numbered, paper_labels, port, rounded_up};
use crate::{Draft, Rsm, RsmBuilder};
use loris_base::{Rng, Symbol};

/// How to make a large machine.
#[derive(Clone, Debug, PartialEq)]
pub struct LargeRsm {
    /// Edges of the machine, met exactly if each component gets enough of them to be total.
    pub edges: usize,
    /// Edges for each node of a component, those out of its ports included.
    pub degree: f64,
    /// Nodes of each component, entry and exits included.
    pub nodes_per_component: usize,
    /// Boxes of each component.
    pub boxes_per_component: usize,
    /// Exits of each component.
    pub exits_per_component: usize,
    /// The share of boxes that call any component, not only later ones.
    pub recursion: f64,
    /// The labels of nodes.
    pub labels: Vec<LabelRate>,
    /// The share of nodes with the label `goal`; one node of the last component always has it.
    pub goals: f64,
}

impl Default for LargeRsm {
    fn default() -> Self {
        Self {
            edges: 100_000,
            degree: 3.0,
            nodes_per_component: 200,
            boxes_per_component: 20,
            exits_per_component: 10,
            recursion: 0.1,
            labels: paper_labels(),
            goals: 1e-5,
        }
    }
}

impl LargeRsm {
    /// A machine with this many edges, all else as usual.
    pub fn with_edges(edges: usize) -> Self {
        Self { edges, ..Self::default() }
    }

    /// The machine of a seed.
    pub fn to_rsm(&self, rng: &mut Rng) -> Rsm {
        let mut builder = RsmBuilder::default();
        let exits = self.exits_per_component.max(1);
        let inner = self.nodes_per_component.saturating_sub(exits + 1).max(1);
        let quota = ((inner + exits + 1) as f64 * self.degree).max(1.0);
        let components = rounded_up(self.edges as f64 / quota);
        let labels = label_symbols(&mut builder, &self.labels);
        let goal = builder.symbol("goal");
        let names = numbered(&mut builder, "c", components);
        // the exits and the entry of the components, which their callers name
        let mut component = LargeComponent::default();
        let exit_names: Vec<Vec<Symbol>> =
            (0..components).map(|c| numbered(&mut builder, &format!("c{c}_x"), exits)).collect();
        let entry_names: Vec<Symbol> = (0..components).map(|c| builder.symbol(&format!("c{c}_e"))).collect();
        let sites = numbered(&mut builder, "b", self.boxes_per_component);
        let mut draft = Draft::new(names[0], 0);
        for c in 0..components {
            draft.clear();
            draft.rename(names[c], 0);
            component.exits.clone_from(&exit_names[c]);
            component.line = vec![entry_names[c]];
            component.line.extend(numbered(&mut builder, &format!("c{c}_n"), inner));
            for (i, &name) in component.line.iter().chain(&component.exits).enumerate() {
                let data = draft.node(name, 0);
                (data.entry, data.exit) = (i == 0, i > inner);
                add_labels(&mut draft, &labels, rng);
                if rng.chance(self.goals) || c + 1 == components && i == inner {
                    draft.label(goal);
                }
            }
            component.calls.clear();
            for &site in &sites {
                let later = if c + 1 == components || rng.chance(self.recursion) { 0 } else { c + 1 };
                let callee = later + rng.below(components - later);
                draft.site(site, 0, names[callee], 0);
                component.calls.push((site, callee));
            }
            let edges = share(self.edges, components, c);
            component.edges(&mut draft, edges, &entry_names, &exit_names, rng);
            builder.component_from(&draft);
        }
        builder.initial_component(names[0], 0);
        finish(builder)
    }
}

/// The share of part `i` of `total` in `parts` parts as equal as can be.
fn share(total: usize, parts: usize, i: usize) -> usize {
    total * (i + 1) / parts - total * i / parts
}

#[derive(Default)]
struct LargeComponent {
    /// the entry and the inner nodes
    line: Vec<Symbol>,
    exits: Vec<Symbol>,
    calls: Vec<(Symbol, usize)>,
}

impl LargeComponent {
    /// One edge for every source, one into every exit and call, the rest anywhere.
    fn edges(
        &self,
        draft: &mut Draft,
        edges: usize,
        entry_names: &[Symbol],
        exit_names: &[Vec<Symbol>],
        rng: &mut Rng,
    ) {
        let last = self.line.len() - 1;
        for (i, &name) in self.line.iter().enumerate() {
            let next = if i < last { self.line[i + 1] } else { self.exits[0] };
            draft.edge(node(name), node(next));
        }
        for &(site, callee) in &self.calls {
            for &exit in &exit_names[callee] {
                draft.edge(port(site, exit), node(self.line[1 + rng.below(last)]));
            }
        }
        let calls = self.calls.iter().map(|&(site, callee)| port(site, entry_names[callee]));
        for target in calls.chain(self.exits[1..].iter().map(|&exit| node(exit))) {
            if draft.targets.len() < edges {
                draft.edge(node(self.line[rng.below(last + 1)]), target);
            }
        }
        while draft.targets.len() < edges {
            let source = rng.below(last + 1);
            let target =
                if rng.chance(0.8) { (source + 1 + rng.below(8)).min(last) } else { 1 + rng.below(last) };
            draft.edge(node(self.line[source]), node(self.line[target]));
        }
    }
}
