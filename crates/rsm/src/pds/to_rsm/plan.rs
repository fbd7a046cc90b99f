//! The copies of procedures, and the content of each.
//!
//! A copy is a procedure with the labels of the symbols that its exits after a pop uncover
//! (`exits`); a call belongs to the copy whose labels are those of the symbol below. Where labels
//! do not differ, or no head can pop *or* go on, that is one copy. Runs start in a component of
//! their own, in which every pop is a step: it has the heads of the initial stacks, those of deeper
//! symbols as nodes that the pops of upper ones lead to. No box is needed for them, and the stack
//! of boxes is empty at the start.

use super::copies::Copies;
use super::tails::{SourcePlace, Tails};
use crate::ids::NONE;
use loris_base::BitRows;

/// All copies, and where runs start.
pub(super) struct Plan {
    pub(super) copies: Copies,
    pub(super) main: u32,
    pub(super) initial: Vec<SourcePlace>,
    pub(super) tails: Tails,
    /// per procedure, the positions that exits after a pop return into
    pub(super) after: BitRows,
    /// a list as long as there are places, to be used again
    pub(super) memory: Vec<u32>,
}

impl Plan {
    /// The number of the first copy that becomes a component: the one where runs start is made only
    /// if it is needed.
    pub(super) fn first(&self) -> usize {
        usize::from(self.main != 0)
    }

    /// The labels of the symbol that an exit after a pop of a copy uncovers, if they are known.
    pub(super) fn context(&self, copy: usize, position: u32) -> Option<u32> {
        let class = self.copies.class[copy];
        let mut after = (class != NONE).then(|| self.after.iter(class as usize))?;
        let place = after.position(|other| other == position)?;
        self.copies.contexts.row(copy).get(place).copied()
    }

    /// The place of a head above a tail.
    pub(super) fn place(&self, tail: u32, head: u32) -> SourcePlace {
        self.tails.find(tail, head).expect("what a run meets above a tail is a place")
    }
}
