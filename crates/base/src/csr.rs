//! Compressed sparse rows: a frozen list of lists in two arrays.

use crate::{Budget, Exhausted};

/// For every row `0..rows`, a slice of `u32` values.
///
/// ```
/// use loris_base::Csr;
/// let graph = Csr::from_pairs(3, [(2, 0), (0, 1), (2, 1)].into_iter());
/// assert_eq!(graph.row(2), [0, 1]);
/// assert_eq!(graph.transposed(3).row(1), [0, 2]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr {
    starts: Vec<u32>,
    values: Vec<u32>,
}

/// Values between two looks at the budget.
const STRIDE: usize = 4096;

impl Default for Csr {
    fn default() -> Self {
        Self { starts: vec![0], values: Vec::new() }
    }
}

impl Csr {
    /// Sorts (row, value) pairs into rows by counting; pairs of one row keep their order.
    /// Walks the iterator twice, in O(rows + pairs).
    pub fn from_pairs(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        Self::from_pairs_within(rows, pairs, &mut Budget::unlimited()).expect("there is no limit")
    }

    /// The same within a budget, which is charged for the memory in use.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn from_pairs_within(
        rows: usize,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.charge(4 * (rows + 1))?;
        budget.spend(rows)?;
        let mut starts = vec![0u32; rows + 1];
        for (row, _) in pairs.clone() {
            budget.spend(1)?;
            starts[row as usize + 1] += 1;
        }
        for i in 0..rows {
            starts[i + 1] += starts[i];
        }
        budget.charge(4 * starts[rows] as usize)?;
        budget.spend(rows)?;
        let mut values = vec![0u32; starts[rows] as usize];
        // `starts` doubles as the cursor of each row and is shifted back afterwards
        for (row, value) in pairs {
            budget.spend(1)?;
            let cursor = &mut starts[row as usize];
            values[*cursor as usize] = value;
            *cursor += 1;
        }
        for i in (1..=rows).rev() {
            starts[i] = starts[i - 1];
        }
        if let Some(first) = starts.first_mut() {
            *first = 0;
        }
        Ok(Self { starts, values })
    }

    /// No rows, with room for this many rows and values.
    pub fn with_capacity(rows: usize, values: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Self { starts, values: Vec::with_capacity(values) }
    }

    /// Gives back room for more rows and values.
    pub fn shrink_to_fit(&mut self) {
        self.starts.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// Drops all rows and keeps the memory for others.
    pub fn clear(&mut self) {
        self.starts.truncate(1);
        self.values.clear();
    }

    /// Appends a row; only for building row by row.
    pub fn push_row(&mut self, values: impl IntoIterator<Item = u32>) {
        self.values.extend(values);
        self.starts.push(self.values.len() as u32);
    }

    /// Appends a row within a budget, which is charged for it; then all rows are to be appended so.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn push_row_within(&mut self, values: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        budget.reserve(&mut self.values, values.len())?;
        budget.reserve(&mut self.starts, 1)?;
        self.push_row(values.iter().copied());
        Ok(())
    }

    /// The values of a row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.values[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// The values of a row, to be put in another order.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [u32] {
        &mut self.values[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// Where the values of a row start in the array of all values.
    #[inline]
    pub fn start(&self, row: usize) -> usize {
        self.starts[row] as usize
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many values there are in all rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether all rows are empty.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All (row, value) pairs, row by row.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        (0..self.rows()).flat_map(move |row| self.row(row).iter().map(move |&value| (row as u32, value)))
    }

    /// Per value below a bound, the row it is in, if each is in one; 0 where there is none.
    pub fn row_of_each(&self, bound: usize) -> Vec<u32> {
        let mut rows = vec![0; bound];
        self.pairs().for_each(|(row, value)| rows[value as usize] = row);
        rows
    }

    /// The reversed relation, with `rows` rows.
    #[must_use]
    pub fn transposed(&self, rows: usize) -> Self {
        Self::from_pairs(rows, self.pairs().map(|(row, value)| (value, row)))
    }

    /// The same within a budget, which is charged for the memory in use.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn transposed_within(&self, rows: usize, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(4 * (rows + 1 + self.values.len()))?;
        let mut starts = vec![0u32; rows + 1];
        for values in self.values.chunks(STRIDE) {
            budget.spend(values.len())?;
            for &value in values {
                starts[value as usize + 1] += 1;
            }
        }
        for i in 0..rows {
            starts[i + 1] += starts[i];
        }
        let mut values = vec![0u32; self.values.len()];
        // `starts` doubles as the cursor of each row and is shifted back afterwards
        for row in 0..self.rows() {
            budget.spend(1 + self.row(row).len())?;
            for &value in self.row(row) {
                let cursor = &mut starts[value as usize];
                values[*cursor as usize] = row as u32;
                *cursor += 1;
            }
        }
        starts.copy_within(0..rows, 1);
        starts[0] = 0;
        Ok(Self { starts, values })
    }

    /// Bytes that may be held after some more rows and values.
    pub fn bytes_ahead(&self, rows: usize, values: usize) -> usize {
        4 * (self.starts.len() + rows + self.values.len() + values)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.values.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::Csr;

    #[test]
    fn keeps_order_and_duplicates() {
        let csr = Csr::from_pairs(4, [(3, 9), (1, 2), (3, 9), (1, 1)].into_iter());
        let rows: Vec<&[u32]> = (0..4).map(|row| csr.row(row)).collect();
        assert_eq!(rows, [&[][..], &[2, 1], &[], &[9, 9]]);
        assert_eq!((csr.rows(), csr.len()), (4, 4));
    }

    #[test]
    fn no_rows_at_all() {
        let csr = Csr::from_pairs(0, std::iter::empty());
        assert_eq!((csr.rows(), csr.is_empty()), (0, true));
    }
}
