//! Frames of a search, and places in them.

use super::arena::{PlaceId, Site};

loris_base::id! {
    /// A frame of a search.
    pub(crate) struct FrameId;
}

impl FrameId {
    /// No frame.
    pub(crate) const NONE: FrameId = FrameId(u32::MAX);
    /// The first frame: runs start there, or in frames above it.
    pub(crate) const FIRST: FrameId = FrameId(0);
}

/// Not reached, none, or the end of a list.
pub(crate) const NONE: u32 = u32::MAX;
/// Times are not distinguished from here on; runs as long as that are never recorded.
pub(crate) const LONG: u32 = u32::MAX - 1;

/// A place in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Item {
    pub(crate) frame: FrameId,
    pub(crate) place: PlaceId,
}

/// Times at the places of a component.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// where its times start
    pub(crate) base: usize,
    pub(crate) site: Site,
    /// the only entry, of an entry-bound component; none for the frame runs start in
    pub(crate) gate: u32,
    /// where its lengths to exits start, of an exit-bound component
    pub(crate) lengths: usize,
}

impl Frame {
    pub(crate) fn is_exit_bound(&self) -> bool {
        self.lengths != usize::MAX
    }
}
