//! Rows of which most are empty: a bit and half a byte for each, and the rows that are not.

use loris_base::{BitSet, Csr};

/// For every row `0..rows`, a slice of values.
pub(super) struct SparseRows {
    /// a bit for each row that is not empty
    bits: BitSet,
    /// how many rows are not empty before each word of bits
    before: Vec<u32>,
    rows: Csr,
}

impl SparseRows {
    /// Puts (row, value) pairs into rows; pairs of one row keep their order.
    pub(super) fn from_pairs(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let bits = BitSet::of(rows, pairs.clone().map(|(row, _)| row));
        let mut count = 0;
        let mut before = Vec::with_capacity(bits.words().len());
        for word in bits.words() {
            before.push(count);
            count += word.count_ones();
        }
        let mut sparse = Self { bits, before, rows: Csr::default() };
        let places = pairs.filter_map(|(row, value)| Some((sparse.place(row as usize)?, value)));
        sparse.rows = Csr::from_pairs(count as usize, places);
        sparse
    }

    /// Where a row is among those that are not empty.
    #[inline]
    fn place(&self, row: usize) -> Option<u32> {
        let (word, bit) = (*self.bits.words().get(row / 64)?, row % 64);
        let below = (word & ((1 << bit) - 1)).count_ones();
        (word >> bit & 1 == 1).then(|| self.before[row / 64] + below)
    }

    /// Whether a row has values.
    #[inline]
    pub(super) fn has(&self, row: usize) -> bool {
        self.bits.contains(row as u32)
    }

    /// The values of a row.
    #[inline]
    pub(super) fn row(&self, row: usize) -> &[u32] {
        self.place(row).map_or(&[], |place| self.rows.row(place as usize))
    }

    /// The bytes of this many rows and values.
    pub(super) fn bytes(rows: usize, values: usize) -> usize {
        rows / 8 + rows / 16 + 8 * values
    }
}

#[cfg(test)]
mod tests {
    use super::SparseRows;

    #[test]
    fn rows_keep_their_values() {
        let pairs = [(70, 1), (3, 2), (70, 0), (64, 5), (199, 7)];
        let rows = SparseRows::from_pairs(200, pairs.into_iter());
        for row in 0..210 {
            let expected = pairs.iter().filter(|pair| pair.0 == row).map(|pair| pair.1);
            assert_eq!(rows.row(row as usize), expected.collect::<Vec<_>>(), "{row}");
        }
    }
}
