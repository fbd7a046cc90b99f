//! From columns to rows and back: 64 columns of 64 states at a time.
//!
//! A row has a bit for each column, W words for 64 · W columns. O(n · W) words are moved, each
//! through six exchanges of blocks (Warren, Hacker's Delight, 7-3).

use crate::column::Value;
use loris_base::BitSet;

/// A bit for each of 64 · W columns.
pub(crate) type Row<const W: usize> = [u64; W];

/// Mirrors a square of bits at its diagonal: bit j of word i becomes bit i of word j.
fn mirror(square: &mut [u64; 64]) {
    exchange::<32>(square, 0x0000_0000_ffff_ffff);
    exchange::<16>(square, 0x0000_ffff_0000_ffff);
    exchange::<8>(square, 0x00ff_00ff_00ff_00ff);
    exchange::<4>(square, 0x0f0f_0f0f_0f0f_0f0f);
    exchange::<2>(square, 0x3333_3333_3333_3333);
    exchange::<1>(square, 0x5555_5555_5555_5555);
}

/// Exchanges the off-diagonal quarters of each block of twice `SIDE` words.
#[inline]
fn exchange<const SIDE: usize>(square: &mut [u64; 64], low: u64) {
    for block in square.chunks_exact_mut(2 * SIDE) {
        let (upper, lower) = block.split_at_mut(SIDE);
        for (a, b) in upper.iter_mut().zip(lower) {
            let swap = (*a >> SIDE ^ *b) & low;
            *a ^= swap << SIDE;
            *b ^= swap;
        }
    }
}

/// Rows for at most 64 · W columns; there are rows up to a multiple of 64 states.
pub(crate) fn to_rows<const W: usize>(values: &[Value], rows: &mut [Row<W>]) {
    for (group, values) in values.chunks(64).enumerate() {
        let sources: Vec<(&[u64], u64)> =
            values.iter().map(|value| (value.column.words(), value.flip())).collect();
        for (word, block) in rows.chunks_exact_mut(64).enumerate() {
            let mut square = [0; 64];
            for (to, &(words, flip)) in square.iter_mut().zip(&sources) {
                *to = words[word] ^ flip;
            }
            if square != [0; 64] {
                mirror(&mut square);
            }
            for (row, bits) in block.iter_mut().zip(square) {
                row[group] = bits;
            }
        }
    }
}

/// The first columns of the rows, as many as are given.
pub(crate) fn to_columns<const W: usize>(rows: &[Row<W>], columns: &mut [BitSet], states: usize) {
    for (group, columns) in columns.chunks_mut(64).enumerate() {
        for (word, block) in rows.chunks_exact(64).enumerate() {
            let mut square = [0; 64];
            for (bits, row) in square.iter_mut().zip(block) {
                *bits = row[group];
            }
            mirror(&mut square);
            for (column, bits) in columns.iter_mut().zip(square) {
                column.words_mut()[word] = bits;
            }
        }
        for column in columns {
            column.trim(states);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, mirror, to_columns, to_rows};
    use crate::column::Value;
    use loris_base::{BitSet, Rng};

    #[test]
    fn mirrors_at_the_diagonal() {
        let mut rng = Rng::new(1);
        let square: [u64; 64] = std::array::from_fn(|_| rng.next_u64());
        let mut mirrored = square;
        mirror(&mut mirrored);
        for (i, row) in square.iter().enumerate() {
            for (j, column) in mirrored.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1);
            }
        }
    }

    #[test]
    fn there_and_back() {
        let mut rng = Rng::new(2);
        let states = 150;
        let columns: Vec<BitSet> =
            (0..100).map(|_| BitSet::of(states, (0..150).filter(|_| rng.chance(0.3)))).collect();
        let values: Vec<Value> =
            columns.iter().enumerate().map(|(i, column)| Value { column, negated: i % 3 == 0 }).collect();
        let mut rows: Vec<Row<4>> = vec![[0; 4]; 192];
        to_rows(&values, &mut rows);
        let mut back = vec![BitSet::empty(states); 100];
        to_columns(&rows, &mut back, states);
        for (value, mut back) in values.iter().zip(back) {
            if value.negated {
                back.complement(states);
            }
            assert_eq!(back, *value.column);
        }
    }
}
