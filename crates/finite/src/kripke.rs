//! Finite structures, formulas over their labels, and fair paths.

use loris_base::{BitSet, Csr};
use loris_logic::CtlCore;

/// A finite structure: states are numbers, and a state without successors loops on itself.
#[derive(Clone, Copy, Debug)]
pub struct Kripke<'a> {
    /// For each state where it can go; a row for each state.
    pub successors: &'a Csr,
    /// The same edges backwards.
    pub predecessors: &'a Csr,
    /// Where runs begin.
    pub initial: &'a [u32],
}

impl Kripke<'_> {
    /// How many states there are.
    pub fn states(&self) -> usize {
        self.successors.rows()
    }
}

/// A formula, and what its atoms mean.
#[derive(Clone, Copy, Debug)]
pub struct LabelledFormula<'a> {
    /// A formula of CTL.
    pub formula: &'a CtlCore,
    /// For each atom of the formula the number of a label, or `None` if it holds nowhere.
    pub atoms: &'a [Option<u32>],
}

/// Which paths count: without any condition all do.
///
/// Under fairness `E` means *on some fair path*. Where no fair path starts, all existential
/// formulas are false and all universal ones true. [`CtlCore`] folds constants as on a structure
/// where fair paths start everywhere: it has `E G true` as `true` before this crate sees it.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// Each of these sets is met infinitely often.
    pub justice: Vec<BitSet>,
    /// For each pair, if the first set is met infinitely often, then so is the second.
    pub compassion: Vec<(BitSet, BitSet)>,
}

impl Fairness {
    /// Whether all paths are fair by definition.
    pub fn is_trivial(&self) -> bool {
        self.justice.is_empty() && self.compassion.is_empty()
    }
}

/// Writes where a label holds into a column that is empty before.
pub type Labels<'a> = &'a (dyn Fn(u32, &mut BitSet) + Sync);
