//! The interface between the reader of JSON and the states of a model.

use crate::results::Stated;
use loris_base::{Budget, Diagnostics, Exhausted};
use loris_json::Item;

/// Finds the states of a model that JSON describes.
pub(crate) trait ReadStates {
    type State;

    /// Prepares for the evidence of a result. False if the model has nothing that it could be
    /// about.
    fn start(&mut self, stated: &Stated, evidence: Item<'_>, log: &mut Log<'_>) -> bool;

    /// Prepares for the states of a path. False if none of them can be found.
    fn path(&mut self, path: Item<'_>, log: &mut Log<'_>) -> bool;

    /// A state, or nothing after a problem was reported; it charges for memory beyond its own size.
    fn state(&mut self, item: Item<'_>, log: &mut Log<'_>) -> Result<Option<Self::State>, Exhausted>;
}

/// The problems found while reading, and the budget.
pub(crate) struct Log<'b> {
    pub(crate) problems: Diagnostics,
    pub(crate) budget: &'b mut Budget,
}

impl Log<'_> {
    pub(crate) fn problem(&mut self, item: Item<'_>, message: impl Into<String>) {
        self.problems.push(item.error(message));
    }

    /// The elements of an array under a key; a missing one is empty.
    pub(crate) fn array<'d>(
        &mut self,
        item: Item<'d>,
        key: &str,
    ) -> impl Iterator<Item = Item<'d>> + use<'d> {
        let array = item.under(key);
        if let Some(wrong) = array.filter(|array| !array.is_array()) {
            self.problem(wrong, format!("\"{key}\" should be an array"));
        }
        array.filter(|array| array.is_array()).into_iter().flat_map(Item::items)
    }
}
