//! When a store collects garbage and sifts.

/// When a store collects garbage and sifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Garbage is first collected at this many nodes.
    pub collect_at: usize,
    /// Variables are first sifted when this many nodes are live; never if there is no such number.
    pub sift_at: Option<usize>,
}

impl Default for Policy {
    fn default() -> Self {
        Self { collect_at: 1 << 13, sift_at: Some(4000) }
    }
}
