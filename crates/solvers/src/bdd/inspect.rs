//! Properties of a function: its variables, its size, how many valuations satisfy it, and one of
//! them.

use super::table::{Edge, FALSE, TRUE, Table};
use rustc_hash::{FxHashMap, FxHashSet};

impl Table {
    /// Visits each node of the functions once.
    fn visit(&self, edges: impl IntoIterator<Item = Edge>, mut node: impl FnMut(u32)) {
        let mut seen = FxHashSet::default();
        let mut work: Vec<u32> = edges.into_iter().map(|edge| edge >> 1).collect();
        while let Some(at) = work.pop() {
            if at != 0 && seen.insert(at) {
                node(at);
                let children = self.nodes[at as usize];
                work.extend([children.high >> 1, children.low >> 1]);
            }
        }
    }

    /// The variables that the functions depend on, from the top.
    pub(super) fn support(&self, edges: impl IntoIterator<Item = Edge>) -> Vec<u32> {
        let mut levels = vec![false; self.var_at.len()];
        self.visit(edges, |at| {
            levels[self.level_of[self.nodes[at as usize].var as usize] as usize] = true;
        });
        (0..levels.len()).filter(|&level| levels[level]).map(|level| self.var_at[level]).collect()
    }

    /// The number of nodes, shared ones counted once, without the terminal.
    pub(super) fn size(&self, edges: impl IntoIterator<Item = Edge>) -> usize {
        let mut nodes = 0;
        self.visit(edges, |_| nodes += 1);
        nodes
    }

    /// The binary logarithm of the share of valuations that satisfy it.
    pub(super) fn log2_density(&self, edge: Edge) -> f64 {
        // the density of each node as a mantissa in [1/2, 1) and an exponent, for itself and its
        // complement: a difference from 1 would lose the small ones
        let mut known: FxHashMap<Edge, (f64, f64)> = FxHashMap::default();
        known.insert(TRUE, (1.0, 0.0));
        known.insert(FALSE, (0.0, 0.0));
        let mut work = vec![edge];
        while let Some(&edge) = work.last() {
            if known.contains_key(&edge) {
                work.pop();
                continue;
            }
            let (high, low) = self.children(edge);
            match (known.get(&high).copied(), known.get(&low).copied()) {
                (Some((a, of_a)), Some((b, of_b))) => {
                    known.insert(edge, half_sum((a, of_a), (b, of_b)));
                    work.pop();
                }
                (a, b) => {
                    work.extend(a.is_none().then_some(high));
                    work.extend(b.is_none().then_some(low));
                }
            }
        }
        let (mantissa, exponent) = known[&edge];
        mantissa.log2() + exponent
    }

    /// A valuation that satisfies it, for the variables it needs; false where both values do.
    pub(super) fn pick(&self, edge: Edge) -> Option<Vec<(u32, bool)>> {
        let mut edge = edge;
        let mut values = Vec::new();
        while edge > FALSE {
            let (high, low) = self.children(edge);
            let value = low == FALSE;
            values.push((self.var(edge), value));
            edge = if value { high } else { low };
        }
        (edge == TRUE).then_some(values)
    }

    /// Its value under a valuation.
    pub(super) fn evaluate(&self, edge: Edge, value: impl Fn(u32) -> bool) -> bool {
        let mut edge = edge;
        while edge > FALSE {
            let (high, low) = self.children(edge);
            edge = if value(self.var(edge)) { high } else { low };
        }
        edge == TRUE
    }
}

/// Half of the sum of two numbers, as mantissa and exponent.
fn half_sum(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let ((a, of_a), (b, of_b)) = if b.0 == 0.0 || a.0 != 0.0 && a.1 >= b.1 { (a, b) } else { (b, a) };
    let sum = if b == 0.0 { a / 2.0 } else { f64::midpoint(a, b * (of_b - of_a).exp2()) };
    // halves keep the mantissa near 1
    if sum > 0.0 && sum < 1e-100 { (sum * 1e100, of_a - 1e100_f64.log2()) } else { (sum, of_a) }
}
