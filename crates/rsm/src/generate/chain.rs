//! Families with many contexts and with paths of exponential length, which random machines lack.

use super::{finish, node, numbered, port};
use crate::{Draft, Rsm, RsmBuilder};
use loris_base::{Rng, Symbol};

/// A chain of components, each with several exits, each calling the next one twice. The first box
/// turns the exits round, `k` to `k + 1`; the second merges one exit into another, chosen by the
/// seed. A context is a set of exits where a formula holds after the return: turning and merging
/// reach more of these sets at every level, with three exits or more in the end all of them.
/// (Merging neighbours only would keep the sets of one run of exits, a quadratic number.)
///
/// Exits of the first component carry `x0`, `x1`, …, and `even` or `odd`; `work` marks the nodes
/// after a return, `deep` the last component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextChain {
    /// Calls from the first component to the last.
    pub depth: usize,
    /// Exits of each component, at least one.
    pub exits: usize,
    /// Whether the last component may call the first again.
    pub recursive: bool,
}

impl ContextChain {
    /// The machine of a seed. O(depth · exits).
    pub fn to_rsm(&self, rng: &mut Rng) -> Rsm {
        let mut builder = RsmBuilder::default();
        let names = numbered(&mut builder, "c", self.depth + 1);
        let exits = numbered(&mut builder, "exit", self.exits.max(1));
        let words = ["start", "turn", "merge", "again", "deep"].map(|word| builder.symbol(word));
        let [start, turn, merge, again, deep] = words;
        for (level, &name) in names.iter().enumerate() {
            let mut draft = Draft::new(name, 0);
            draft.node(start, 0).entry = true;
            let last = level == self.depth;
            if last {
                draft.label(deep);
            }
            for (k, &exit) in exits.iter().enumerate() {
                draft.node(exit, 0).exit = true;
                if level == 0 {
                    draft.label(builder.symbol(&format!("x{k}")));
                    draft.label(builder.symbol(if k % 2 == 0 { "even" } else { "odd" }));
                }
                if last {
                    draft.edge(node(start), node(exit));
                }
            }
            let mut call = |site: Symbol, callee: Symbol, to: &dyn Fn(usize) -> usize| {
                draft.site(site, 0, callee, 0);
                draft.edge(node(start), port(site, start));
                for (k, &exit) in exits.iter().enumerate() {
                    let after =
                        builder.symbol(&format!("{}_{k}", if site == turn { "turned" } else { "merged" }));
                    draft.node(after, 0);
                    draft.label(builder.symbol("work"));
                    draft.edge(port(site, exit), node(after));
                    draft.edge(node(after), node(exits[to(k)]));
                }
            };
            if !last {
                let lost = rng.below(exits.len());
                let other = (lost + 1 + rng.below((exits.len() - 1).max(1))) % exits.len();
                call(turn, names[level + 1], &|k| (k + 1) % exits.len());
                call(merge, names[level + 1], &|k| if k == lost { other } else { k });
            } else if self.recursive {
                call(again, names[0], &|k| k);
            }
            builder.component(draft);
        }
        builder.initial_component(names[0], 0);
        finish(builder)
    }
}

/// Components `c0`, …, `cn`, each calling the next one twice, one call after the other: the only
/// run of `c0` has more than 2ⁿ states. The last component is labelled `deep`, the exit of the
/// first `end`.
pub fn exponential(n: usize) -> Rsm {
    let mut builder = RsmBuilder::default();
    let names = numbered(&mut builder, "c", n + 1);
    let words = ["enter", "leave", "first", "second", "deep", "end"].map(|word| builder.symbol(word));
    let [enter, leave, first, second, deep, end] = words;
    for (i, &name) in names.iter().enumerate() {
        let mut draft = Draft::new(name, 0);
        draft.node(enter, 0).entry = true;
        if i == n {
            draft.label(deep);
        }
        draft.node(leave, 0).exit = true;
        if i == 0 {
            draft.label(end);
        }
        if let Some(&callee) = names.get(i + 1) {
            draft.site(first, 0, callee, 0);
            draft.site(second, 0, callee, 0);
            draft.edge(node(enter), port(first, enter));
            draft.edge(port(first, leave), port(second, enter));
            draft.edge(port(second, leave), node(leave));
        } else {
            draft.edge(node(enter), node(leave));
        }
        builder.component(draft);
    }
    builder.initial_component(names[0], 0);
    finish(builder)
}
