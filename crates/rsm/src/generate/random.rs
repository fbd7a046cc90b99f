//! Random machines in the manner of the benchmarks of lazy-rsm, section 7.2.
//!
//! Every pair of a source (node that is not an exit, or return port) and a target (node that is not
//! an entry, or call port) is an edge with the same probability; a source that got none gets one at
//! random, so that every run goes on. O(sources · targets) per component.

use super::{LabelRate, add_labels, finish, label_symbols, node, numbered, paper_labels, port, rounded_up};
use crate::{Draft, Reference, Rsm, RsmBuilder};
use loris_base::Rng;

/// How to make a random machine.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomRsm {
    /// Components, at least one.
    pub components: usize,
    /// Boxes of each component, each calling any component.
    pub boxes: usize,
    /// Nodes of each component; more if entries and exits need it.
    pub nodes: usize,
    /// The share of nodes that are entries, rounded up, at least one.
    pub entries: f64,
    /// The share of nodes that are exits, rounded up, at least one.
    pub exits: f64,
    /// The labels of nodes.
    pub labels: Vec<LabelRate>,
    /// The probability of each possible edge.
    pub density: f64,
}

impl RandomRsm {
    /// Size `i` of the paper: `i` components of `⌊i/3⌋` boxes and `3i` nodes.
    pub fn paper(i: usize) -> Self {
        let i = i.max(1);
        let labels = paper_labels();
        Self { components: i, boxes: i / 3, nodes: 3 * i, entries: 0.05, exits: 0.05, labels, density: 0.2 }
    }

    /// The machine of a seed.
    pub fn to_rsm(&self, rng: &mut Rng) -> Rsm {
        let mut builder = RsmBuilder::default();
        let components = self.components.max(1);
        let share = |part: f64| rounded_up(self.nodes as f64 * part);
        let (entries, exits) = (share(self.entries), share(self.exits));
        let nodes = self.nodes.max(entries + exits);
        let labels = label_symbols(&mut builder, &self.labels);
        let names = numbered(&mut builder, "c", components);
        let sites = numbered(&mut builder, "b", self.boxes);
        // all components name their nodes alike: entries, then exits, then the others
        let nodes = numbered(&mut builder, "n", nodes);
        let (entry_names, exit_names) = (&nodes[..entries], &nodes[entries..entries + exits]);
        for &name in &names {
            let mut draft = Draft::new(name, 0);
            let (mut sources, mut targets): (Vec<Reference>, Vec<Reference>) = (Vec::new(), Vec::new());
            for (i, &name) in nodes.iter().enumerate() {
                let data = draft.node(name, 0);
                (data.entry, data.exit) = (i < entries, (entries..entries + exits).contains(&i));
                sources.extend((!data.exit).then_some(node(name)));
                targets.extend((!data.entry).then_some(node(name)));
                add_labels(&mut draft, &labels, rng);
            }
            for &site in &sites {
                draft.site(site, 0, names[rng.below(components)], 0);
                sources.extend(exit_names.iter().map(|&exit| port(site, exit)));
                targets.extend(entry_names.iter().map(|&entry| port(site, entry)));
            }
            for source in sources {
                draft.source(source);
                let before = draft.targets.len();
                for &target in &targets {
                    if rng.chance(self.density) {
                        draft.target(target);
                    }
                }
                if draft.targets.len() == before {
                    draft.target(targets[rng.below(targets.len())]);
                }
            }
            builder.component(draft);
        }
        builder.initial_component(names[0], 0);
        finish(builder)
    }
}
