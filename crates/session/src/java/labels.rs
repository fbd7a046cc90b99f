//! The labels of the machine of a Java program that evidence was found in.

use super::asked::may_be_label;
use loris_java::extract::{Choice, Granularity, Pattern};
use loris_load::{Format, Origin};

/// The labels that nodes of a Java program have, and what a node stands for.
pub(crate) struct Labels {
    choice: Choice,
    granularity: Granularity,
}

impl Labels {
    /// Those of a model, if it is a Java program.
    pub(crate) fn of(format: Format, origin: &Origin) -> Option<Self> {
        let java = &origin.java;
        format
            .kind()
            .is_program()
            .then(|| Self { choice: java.labels.clone(), granularity: java.granularity })
    }

    /// Whether a name may be a label, and no node was given it.
    pub(crate) fn lack(&self, name: &str) -> bool {
        may_be_label(name) && !self.choice.covers(name)
    }

    /// Whether a node stands for several instructions, so that labels cut nodes apart.
    pub(crate) fn cut_nodes(&self) -> bool {
        self.granularity == Granularity::Block
    }

    /// Whether nodes were cut by others than these, and that matters: for a property that counts
    /// steps, or with a peer, which does.
    pub(crate) fn differ_from(&self, own: &[String], counts_steps: bool, has_peer: bool) -> bool {
        let Choice::Matching(patterns) = &self.choice else { return counts_steps };
        let is_own = |pattern: &Pattern| own.iter().any(|name| name == pattern.text());
        (counts_steps || has_peer) && !patterns.iter().all(is_own)
    }
}
