//! Names of states, and descriptions of those whose names do not explain them.

use super::plan::Plan;
use super::states::{Path, Place, State};
use loris_base::visible;
use loris_rsm::Rsm;

/// Names of states, and comments on their meaning.
#[derive(Clone, Copy)]
pub(super) struct StateNames<'a> {
    pub(super) rsm: &'a Rsm,
    pub(super) plan: &'a Plan,
}

/// Names mention at most this many boxes.
const DEEPEST: usize = 4;

impl StateNames<'_> {
    /// The best name of a state.
    pub(super) fn wanted(&self, state: State) -> String {
        let mut name = String::new();
        let (path, last) = match state {
            State::Exit(_) => return "EXIT".to_owned(),
            State::At(Place { path, vertex }) => (path, vertex),
            State::Call { path, site, start } => {
                name.push_str(self.rsm.box_name(site));
                if self.is_plain(state) {
                    return name;
                }
                name.push('_');
                (path, start.vertex)
            }
        };
        for (depth, site) in self.plan.boxes(path).enumerate() {
            if depth == DEEPEST {
                // numbers are shorter
                return String::new();
            }
            name.insert(0, '_');
            name.insert_str(0, self.rsm.box_name(site));
        }
        if let Some(site) = self.rsm.box_of(last) {
            name.push_str(self.rsm.box_name(site));
            name.push('_');
        }
        name.push_str(&self.rsm.vertex_name(last));
        name
    }

    /// Whether a state needs no words beyond its name: a node, or a call of the one entry.
    pub(super) fn is_plain(&self, state: State) -> bool {
        match state {
            State::Exit(_) => true,
            State::At(Place { path, vertex }) => path == 0 && self.rsm.box_of(vertex).is_none(),
            State::Call { path, site, start } => {
                path == 0 && start.path == 0 && self.rsm.entries(self.rsm.callee(site)) == [start.vertex]
            }
        }
    }

    /// A location in words.
    pub(super) fn place(&self, Place { path, vertex }: Place) -> String {
        let name = self.rsm.vertex_name(vertex);
        let node = visible(&name);
        let own =
            self.rsm.box_of(vertex).map(|site| format!(" in box \"{}\"", visible(self.rsm.box_name(site))));
        format!("\"{node}\"{}{}", own.unwrap_or_default(), self.path(path))
    }

    pub(super) fn path(&self, path: Path) -> String {
        let mut words = String::new();
        for (depth, site) in self.plan.boxes(path).enumerate() {
            if depth == DEEPEST {
                words.push_str(", deeper");
                break;
            }
            words.push_str(" in box \"");
            words.push_str(&visible(self.rsm.box_name(site)));
            words.push('"');
        }
        words
    }
}
