//! Strongly connected components, by Tarjan's algorithm with an explicit stack. Linear. Written
//! again on purpose, although `base` has them: replay shares no algorithm with the engines it
//! checks.

use loris_base::{Budget, Csr, Exhausted};

/// For each node the number of its component. Edges lead to nodes that have a row.
pub(crate) fn components(rows: &Csr, budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
    const UNSEEN: u32 = u32::MAX;
    let count = rows.rows();
    budget.charge(24 * count)?;
    let (mut order, mut low) = (vec![UNSEEN; count], vec![0u32; count]);
    let mut component = vec![UNSEEN; count];
    let (mut seen, mut found) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, u32)> = Vec::new();
    for root in 0..count as u32 {
        if order[root as usize] != UNSEEN {
            continue;
        }
        calls.push((root, 0));
        while let Some((node, edge)) = calls.pop() {
            let place = node as usize;
            if edge == 0 {
                (order[place], low[place]) = (seen, seen);
                seen += 1;
                open.push(node);
            }
            budget.spend(1)?;
            let Some(&target) = rows.row(place).get(edge as usize) else {
                if low[place] == order[place] {
                    while let Some(member) = open.pop() {
                        component[member as usize] = found;
                        if member == node {
                            break;
                        }
                    }
                    found += 1;
                }
                if let Some(&(caller, _)) = calls.last() {
                    low[caller as usize] = low[caller as usize].min(low[place]);
                }
                continue;
            };
            calls.push((node, edge + 1));
            let target = target as usize;
            if order[target] == UNSEEN {
                calls.push((target as u32, 0));
            } else if component[target] == UNSEEN {
                low[place] = low[place].min(order[target]);
            }
        }
    }
    budget.release(24 * count);
    Ok(component)
}

#[cfg(test)]
mod tests {
    use super::components;
    use loris_base::{Budget, Csr, Rng};

    /// Nodes share a component if each can be reached from the other.
    #[test]
    fn as_defined() {
        for seed in 0..300 {
            let rng = &mut Rng::new(seed);
            let count = 1 + rng.below(9);
            let edges: Vec<(u32, u32)> =
                (0..rng.below(20)).map(|_| (rng.below(count) as u32, rng.below(count) as u32)).collect();
            let rows = Csr::from_pairs(count, edges.iter().copied());
            let mut reach = vec![vec![false; count]; count];
            (0..count).for_each(|node| reach[node][node] = true);
            for _ in 0..count {
                for &(from, to) in &edges {
                    for row in &mut reach {
                        row[to as usize] |= row[from as usize];
                    }
                }
            }
            let found = components(&rows, &mut Budget::unlimited()).expect("no limit");
            for a in 0..count {
                for b in 0..count {
                    assert_eq!(found[a] == found[b], reach[a][b] && reach[b][a], "seed {seed}");
                }
            }
        }
    }
}
