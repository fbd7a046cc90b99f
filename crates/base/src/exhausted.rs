//! Why work ends before it is done.

/// Why a piece of work stopped before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The time limit was reached.
    Time,
    /// The memory limit would have been exceeded.
    Memory,
    /// The model has more states than it may have, or than can be numbered.
    States,
    /// The user asked to stop.
    Interrupted,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "the time limit was reached",
            Exhausted::Memory => "the memory limit was reached",
            Exhausted::States => "the model has too many states",
            Exhausted::Interrupted => "interrupted",
        })
    }
}

impl std::error::Error for Exhausted {}
