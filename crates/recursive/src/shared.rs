//! Work that all properties of a machine share, done once by the first that asks.
//!
//! Every property is charged for the memory that such work holds, and for its temporary memory,
//! whether it did the work or found it done: so limits mean the same in any order and with any
//! number of threads.

use loris_base::{Budget, Exhausted};
use std::sync::OnceLock;

/// The outcome of such work, if it is done.
pub(crate) struct Shared<T> {
    made: OnceLock<Made<T>>,
}

struct Made<T> {
    value: T,
    /// bytes that it holds
    held: usize,
    /// the most bytes that were held on the way
    peak: usize,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self { made: OnceLock::new() }
    }
}

impl<T> Shared<T> {
    /// The outcome, for which the budget stays charged. `make` leaves its budget charged for its
    /// result. To be called once for each property.
    pub(crate) fn get(
        &self,
        budget: &mut Budget,
        make: impl FnOnce(&mut Budget) -> Result<T, Exhausted>,
    ) -> Result<&T, Exhausted> {
        let made = if let Some(made) = self.made.get() {
            made
        } else {
            let mut part = budget.part();
            let value = make(&mut part)?;
            budget.join(&part)?;
            let made = Made { value, held: part.used(), peak: part.peak() };
            self.made.get_or_init(|| made)
        };
        budget.charge(made.peak)?;
        budget.release(made.peak - made.held);
        Ok(&made.value)
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;
    use loris_base::{Budget, Exhausted};

    #[test]
    fn who_asks_first_pays_no_more_than_others() {
        let shared = Shared::default();
        let make = |budget: &mut Budget| {
            budget.charge(100)?;
            budget.release(70);
            Ok(7)
        };
        for used in [0, 50] {
            let mut budget = Budget::new(None, Some(160));
            budget.charge(used).expect("little");
            assert_eq!(shared.get(&mut budget, make), Ok(&7));
            assert_eq!((budget.used(), budget.peak()), (used + 30, used + 100));
        }
        for shared in [shared, Shared::default()] {
            let mut budget = Budget::new(None, Some(160));
            budget.charge(61).expect("little");
            assert_eq!(shared.get(&mut budget, make), Err(Exhausted::Memory));
        }
    }
}
