//! Input and output of engines.

use loris_evidence::{AtExit, Evidence};
use loris_logic::Core;
use loris_rsm::LabelId;
use std::convert::Infallible;

/// Which boxes the three-valued engine gives contexts to, and when (lazy-rsm).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// All boxes, for one subformula after the other, in every context that occurs (Algorithm 4).
    Eager,
    /// All boxes that know more than their callee, until the property is decided (Algorithm 5).
    Ternary,
    /// One such box at random (section 7.4.1).
    Random,
    /// One box that is the reason for not knowing (Algorithms 6 and 7).
    Lazy,
}

impl Policy {
    /// All of them.
    pub const ALL: [Policy; 4] = [Policy::Eager, Policy::Ternary, Policy::Random, Policy::Lazy];
}

/// Which engine decided, of two that [take turns](crate::Prepared::decide).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decider {
    /// The summary engine.
    Summary,
    /// The three-valued engine under [`Policy::Lazy`].
    Lazy,
}

/// A property of a given machine: a formula, and the label each of its atoms means.
#[derive(Clone, Debug)]
pub struct Property<'a, P = u32> {
    /// The formula in its normal form.
    pub formula: &'a Core<P>,
    /// For `Atom(k)`, the label it is; an atom that no node carries is false everywhere.
    pub atoms: Vec<Option<LabelId>>,
}

/// A property of CTL.
pub type CtlProperty<'a> = Property<'a, Infallible>;

/// How to check.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineSettings {
    /// How exits behave when the stack is empty; `Stop` is not for branching time.
    pub at_exit: AtExit,
    /// For engines that choose at random.
    pub seed: u64,
}

/// The result of an engine, and its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineOutcome {
    /// Whether the property holds in all initial states.
    pub holds: bool,
    /// How many contexts were made, the initial one included.
    pub contexts: usize,
    /// How many times a component was checked for a subformula.
    pub checks: usize,
    /// How many components were looked at.
    pub components: usize,
}

/// The explanation of a verdict, or why there is none.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// Paths that show it.
    Evidence(Evidence),
    /// It is that some path does not exist, which no path shows.
    Absence,
    /// The paths are too long to be recorded; they can be exponentially long.
    TooLong,
}
