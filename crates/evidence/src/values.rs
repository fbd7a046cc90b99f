//! What a state is in terms of variables, with what stayed the same left out.

use crate::State;
use loris_rsm::{BoxId, Rsm};

/// The values that each open call was last told with.
#[derive(Default)]
pub(crate) struct Told {
    frames: Vec<(Option<BoxId>, Vec<String>)>,
    /// whether the last state left its call
    left: bool,
}

impl Told {
    /// Nothing was told: the next state is told in full.
    pub(crate) fn forget(&mut self) {
        self.frames.clear();
    }

    /// The variables of a state that differ from the last state of the same call; all of them where a call starts. Nothing, if states of
    /// this machine are not made of several variables.
    pub(crate) fn changes(&mut self, rsm: &Rsm, state: &State) -> Option<String> {
        let node = state.node?;
        let values = rsm.values(node);
        if values.len() < 2 {
            return None;
        }
        let (depth, site) = (state.stack.len(), state.stack.last().copied());
        if self.left && self.frames.len() == depth + 1 {
            // one call after another
            self.frames.truncate(depth);
        }
        self.left = rsm.is_exit(node) && depth > 0;
        self.frames.truncate(depth + 1);
        let before = self.frames.get(depth).filter(|(other, _)| *other == site).map(|(_, values)| values);
        let changed = values
            .iter()
            .enumerate()
            .filter(|(i, (_, value))| before.is_none_or(|before| before.get(*i) != Some(value)));
        let changed: Vec<String> = changed.map(|(_, (name, value))| format!("{name}={value}")).collect();
        while self.frames.len() <= depth {
            self.frames.push((None, Vec::new()));
        }
        self.frames[depth] = (site, values.into_iter().map(|(_, value)| value).collect());
        Some(if changed.is_empty() { "(no change)".to_owned() } else { changed.join(" ") })
    }
}
