//! What a process really holds, as somebody else counts it.

/// A bound on the bytes that the whole process holds, with a way to find out how many these are.
///
/// Whoever owns the process makes one, of an allocator that counts for instance, and gives it to
/// all work by its [`Interrupt`](crate::Interrupt). Nothing is counted here.
///
/// ```
/// use loris_base::{Budget, Exhausted, Interrupt, Meter};
/// let interrupt = Interrupt::default().with_meter(Meter::new(|| 900, 1000));
/// let mut budget = Budget::unlimited().interruptible(&interrupt);
/// assert_eq!(budget.look(), Ok(()));
/// assert_eq!(budget.charge(1 << 20), Err(Exhausted::Memory));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    held: fn() -> usize,
    limit: usize,
}

impl Meter {
    /// A bound on what a function says is held.
    pub fn new(held: fn() -> usize, limit: usize) -> Self {
        Self { held, limit }
    }

    /// Whether this many bytes more fit in.
    pub fn admits(&self, bytes: usize) -> bool {
        (self.held)().saturating_add(bytes) <= self.limit
    }
}
