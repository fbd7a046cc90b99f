//! The data of a search for states that satisfy conditions (`solve.rs`).

/// The place of a choice that is not made yet.
pub(super) const OPEN: u64 = u64::MAX;

/// A part of a condition that must have a truth value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Obligation {
    pub(super) node: u32,
    pub(super) want: bool,
    /// the condition it is a part of
    pub(super) root: u32,
    /// whether it is only to be evaluated, when all it reads is chosen
    pub(super) whole: bool,
}

/// The alternatives left at a branch.
pub(super) struct Branch {
    /// how many choices were made before
    pub(super) trail: usize,
    pub(super) waiting: Vec<Obligation>,
    pub(super) rest: Rest,
}

pub(super) enum Rest {
    /// these places of a choice, from the number on
    Places(u32, Vec<u64>, usize),
    /// all places of a choice, from this on
    Domain(u32, u64),
    /// obligations, one list after the other
    Cases(Vec<Vec<Obligation>>, usize),
}

/// The data of a search besides the maker of states.
#[derive(Default)]
pub(super) struct Solver {
    /// per choice, its place
    pub(super) places: Vec<u64>,
    pub(super) trail: Vec<u32>,
    /// obligations to be looked at
    pub(super) todo: Vec<Obligation>,
    /// obligations that nothing decides yet
    pub(super) waiting: Vec<Obligation>,
    pub(super) branches: Vec<Branch>,
    /// fields that nothing reads
    pub(super) free: Vec<u32>,
}
