//! Lengths of summaries R(place, exit) of exit-bound components; see [`super::relax`].

use super::frame::{Item, NONE};
use loris_base::{Budget, Exhausted};

/// Rows of lengths, one per place of a frame, a column per exit.
#[derive(Default)]
pub(crate) struct ExitLengths {
    pub(super) lengths: Vec<u32>,
    /// places whose rows shrank
    pub(super) queue: std::collections::VecDeque<Item>,
}

impl ExitLengths {
    /// Room for the rows of a frame.
    pub(super) fn block(
        &mut self,
        places: usize,
        exits: usize,
        budget: &mut Budget,
    ) -> Result<usize, Exhausted> {
        let start = self.lengths.len();
        budget.charge(4 * places.saturating_mul(exits))?;
        self.lengths.resize(start + places * exits, NONE);
        Ok(start)
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Bytes held beside the rows, which are declared as they are made.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Item>() * self.queue.len()
    }
}
