//! Families on which the cost of an engine must be linear in the machine: one for each way in which
//! it once was not.

use super::{finish, node, numbered, port};
use crate::{Draft, Rsm, RsmBuilder};
use loris_base::Symbol;

/// One long component whose exits are reached one after the other: `v0 → v1 → …`, with an exit
/// beside every node. `main` calls it once; behind the last return is `q`, behind all others `p`.
/// There is one entry, so that θ is 1 however many exits there are; turned round, there are many
/// entries and one exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaggeredExits {
    /// Exits of the long component, at least one.
    pub exits: usize,
    /// Whether to have as many entries instead, all of which lead to one exit.
    pub entries: bool,
}

impl StaggeredExits {
    /// The machine. O(exits).
    pub fn to_rsm(&self) -> Rsm {
        let mut builder = RsmBuilder::default();
        let count = self.exits.max(1);
        let names = ["main", "long", "start", "near", "far", "call", "enter", "leave", "p", "q"];
        let [main, long, start, near, far, call, enter, leave, p, q] = names.map(|word| builder.symbol(word));
        let line = numbered(&mut builder, "v", count);
        let ends = numbered(&mut builder, "x", count);

        let mut draft = Draft::new(main, 0);
        draft.node(start, 0).entry = true;
        for (name, label) in [(near, p), (far, q)] {
            draft.node(name, 0);
            draft.label(label);
            draft.edge(node(name), node(name));
        }
        draft.site(call, 0, long, 0);
        if self.entries {
            for &end in &ends {
                draft.edge(node(start), port(call, end));
            }
            draft.edge(port(call, leave), node(far));
            draft.edge(node(start), node(near));
        } else {
            draft.edge(node(start), port(call, enter));
            for (i, &end) in ends.iter().enumerate() {
                draft.edge(port(call, end), node(if i + 1 == count { far } else { near }));
            }
        }
        builder.component(draft);

        let mut draft = Draft::new(long, 0);
        let mut before = enter;
        if self.entries {
            draft.node(leave, 0).exit = true;
        } else {
            draft.node(enter, 0).entry = true;
        }
        for (i, (&here, &end)) in line.iter().zip(&ends).enumerate() {
            draft.node(here, 0);
            if self.entries {
                draft.node(end, 0).entry = true;
                draft.edge(node(end), node(here));
                draft.edge(node(here), node(line.get(i + 1).copied().unwrap_or(leave)));
            } else {
                draft.node(end, 0).exit = true;
                draft.edge(node(before), node(here));
                draft.edge(node(here), node(end));
            }
            before = here;
        }
        builder.component(draft);
        builder.initial_component(main, 0);
        finish(builder)
    }
}

/// A component that calls others, one call after the other. Those that are called carry `p`, the
/// node after the last return `q`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Calls.
    pub calls: usize,
    /// The most components that are called, each as often as the others.
    pub callees: usize,
}

impl Sequence {
    /// The machine. O(calls).
    pub fn to_rsm(&self) -> Rsm {
        let mut builder = RsmBuilder::default();
        let words = ["main", "start", "after", "enter", "leave", "p", "q"].map(|word| builder.symbol(word));
        let [main, start, after, enter, leave, p, q] = words;
        let names = numbered(&mut builder, "c", self.callees.clamp(1, self.calls.max(1)));
        let sites = numbered(&mut builder, "b", self.calls);
        let mut draft = Draft::new(main, 0);
        draft.node(start, 0).entry = true;
        draft.node(after, 0);
        draft.label(q);
        let mut before = node(start);
        for (i, &site) in sites.iter().enumerate() {
            draft.site(site, 0, names[i % names.len()], 0);
            draft.edge(before, port(site, enter));
            before = port(site, leave);
        }
        draft.edge(before, node(after));
        draft.edge(node(after), node(after));
        builder.component(draft);
        for &name in &names {
            let mut draft = Draft::new(name, 0);
            draft.node(enter, 0).entry = true;
            draft.label(p);
            draft.node(leave, 0).exit = true;
            draft.edge(node(enter), node(leave));
            builder.component(draft);
        }
        builder.initial_component(main, 0);
        finish(builder)
    }
}

/// Components that call their neighbours on both sides, so that all are mutually recursive. `main`
/// calls the first; `q` comes after that return. The first carries `p`, the last `deep`, and all
/// others `rung`: a question of an enclosing formula at one end has to travel to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// Components beside `main`, at least one.
    pub components: usize,
}

impl Ladder {
    /// The machine. O(components).
    pub fn to_rsm(&self) -> Rsm {
        let mut builder = RsmBuilder::default();
        let count = self.components.max(1);
        let words = ["main", "enter", "middle", "leave", "down", "up", "after", "p", "q", "deep", "rung"];
        let [main, enter, middle, leave, down, up, after, p, q, deep, rung] =
            words.map(|word| builder.symbol(word));
        let names = numbered(&mut builder, "c", count);
        let mut draft = Draft::new(main, 0);
        draft.node(enter, 0).entry = true;
        draft.node(after, 0);
        draft.label(q);
        draft.site(down, 0, names[0], 0);
        draft.edge(node(enter), port(down, enter));
        draft.edge(port(down, leave), node(after));
        draft.edge(node(after), node(after));
        builder.component(draft);
        for (i, &name) in names.iter().enumerate() {
            let mut draft = Draft::new(name, 0);
            draft.node(enter, 0).entry = true;
            draft.label(if i == 0 {
                p
            } else if i + 1 == count {
                deep
            } else {
                rung
            });
            draft.node(middle, 0);
            draft.node(leave, 0).exit = true;
            draft.edge(node(enter), node(middle));
            draft.edge(node(middle), node(leave));
            let mut call = |site: Symbol, callee: Symbol, from: Symbol, to: Symbol| {
                draft.site(site, 0, callee, 0);
                draft.edge(node(from), port(site, enter));
                draft.edge(port(site, leave), node(to));
            };
            if let Some(&next) = names.get(i + 1) {
                call(down, next, enter, middle);
            }
            if i > 0 {
                call(up, names[i - 1], middle, leave);
            }
            builder.component(draft);
        }
        builder.initial_component(main, 0);
        finish(builder)
    }
}

/// A chain of components, each of which calls the next one at two places: after the first return
/// comes a node with a label of that level, `q0`, `q1`, …, after the second none. The last
/// component is `deep`. So E F `q0`, E F `q1`, … are independent of each other down there: a
/// formula with one of them needs two contexts of a component, a formula with k of them 2ᵏ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Calls from the first component to the last.
    pub depth: usize,
}

impl Choices {
    /// The machine. O(depth).
    pub fn to_rsm(&self) -> Rsm {
        let mut builder = RsmBuilder::default();
        let words = ["enter", "leave", "with", "without", "mark", "deep"].map(|word| builder.symbol(word));
        let [enter, leave, with, without, mark, deep] = words;
        let names = numbered(&mut builder, "c", self.depth + 1);
        let labels = numbered(&mut builder, "q", self.depth);
        for (i, &name) in names.iter().enumerate() {
            let mut draft = Draft::new(name, 0);
            draft.node(enter, 0).entry = true;
            if i == self.depth {
                draft.label(deep);
            }
            draft.node(leave, 0).exit = true;
            if let Some(&callee) = names.get(i + 1) {
                draft.node(mark, 0);
                draft.label(labels[i]);
                for (site, to) in [(with, mark), (without, leave)] {
                    draft.site(site, 0, callee, 0);
                    draft.edge(node(enter), port(site, enter));
                    draft.edge(port(site, leave), node(to));
                }
                draft.edge(node(mark), node(leave));
            } else {
                draft.edge(node(enter), node(leave));
            }
            builder.component(draft);
        }
        builder.initial_component(names[0], 0);
        finish(builder)
    }
}
