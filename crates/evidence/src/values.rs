//! The variables of states along a path, without those that keep their values.

use crate::names::{Frame, StateNames};

/// The values that were last shown in each open call.
#[derive(Default)]
pub(crate) struct LastValues {
    frames: Vec<(Option<u32>, Vec<String>)>,
    /// whether the last state left its call
    left: bool,
}

impl LastValues {
    /// Forgets all values, so that the next state is shown in full.
    pub(crate) fn forget(&mut self) {
        self.frames.clear();
    }

    /// The variables of a state that differ from the last state of the same call; all of them where
    /// a call starts. Nothing, if states of this model do not consist of several variables.
    pub(crate) fn changes<S>(&mut self, names: &(impl StateNames<S> + ?Sized), state: &S) -> Option<String> {
        let values = names.values(state);
        if values.len() < 2 {
            return None;
        }
        let Frame { depth, site, returns } = names.frame(state);
        if self.left && self.frames.len() == depth + 1 {
            // one call after another
            self.frames.truncate(depth);
        }
        self.left = returns;
        self.frames.truncate(depth + 1);
        let before = self.frames.get(depth).filter(|(other, _)| *other == site).map(|(_, values)| values);
        let is_new = |(i, (_, value)): &(usize, &(_, _))| {
            before.and_then(|before| before.get(*i)).is_none_or(|before| before != value)
        };
        let changed = values.iter().enumerate().filter(is_new);
        let changed: Vec<String> = changed.map(|(_, (name, value))| format!("{name}={value}")).collect();
        while self.frames.len() <= depth {
            self.frames.push((None, Vec::new()));
        }
        self.frames[depth] = (site, values.into_iter().map(|(_, value)| value.into_owned()).collect());
        Some(if changed.is_empty() { "(no change)".to_owned() } else { changed.join(" ") })
    }
}
