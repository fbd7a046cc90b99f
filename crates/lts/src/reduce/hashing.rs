//! A coarse start for refinement: a few rounds in which states are told apart by hashes of what
//! they can do.
//!
//! What a state can do is a set, and a set has the smallest hashes of its members as its hash. So
//! equal sets have equal hashes, and the states of a class of the final partition stay together in
//! every round; that different sets may have equal hashes only leaves work to the exact refinement.
//! The set of a state includes those of states that it reaches by silent transitions within its
//! class. O(m) per round; the rounds end when they find little.

use super::moves::Moves;
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// Rounds end when the number of classes grows by less than one in this many.
const GROWTH: usize = 4;
/// The most rounds that pay.
pub(super) const ROUNDS: usize = 16;

/// Refines classes, which are numbers below `count`, in this many rounds at most; returns how many
/// there are now.
pub(super) fn refine_by_hashes(
    moves: &Moves,
    class_of: &mut [u32],
    mut count: usize,
    rounds: usize,
    budget: &mut Budget,
) -> Result<usize, Exhausted> {
    let n = moves.state_count();
    let bytes = 16 * n + 40 * n;
    budget.charge(bytes)?;
    // four hashes of 32 bits for each state
    let mut hashes = vec![[u32::MAX; 4]; n];
    let mut classes: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    for _ in 0..rounds {
        budget.spend(n + moves.len())?;
        // silent transitions lead to states with smaller numbers
        for state in 0..n {
            let mut least = [u32::MAX; 4];
            for t in moves.outgoing(state as u32) {
                let target = moves.target[t as usize] as usize;
                let theirs = if moves.is_silent(t as usize) && class_of[target] == class_of[state] {
                    hashes[target]
                } else {
                    let one = mixed(u64::from(moves.label[t as usize]) << 32 | u64::from(class_of[target]));
                    let two = mixed(one);
                    [one as u32, (one >> 32) as u32, two as u32, (two >> 32) as u32]
                };
                for (least, theirs) in least.iter_mut().zip(theirs) {
                    *least = theirs.min(*least);
                }
            }
            hashes[state] = least;
        }
        classes.clear();
        for (class, [a, b, c, d]) in class_of.iter_mut().zip(&hashes) {
            let one = mixed(u64::from(*a) << 32 | u64::from(*b));
            let hash = mixed(one ^ (u64::from(*c) << 32 | u64::from(*d)));
            let next = classes.len() as u32;
            *class = *classes.entry((*class, hash)).or_insert(next);
        }
        let before = std::mem::replace(&mut count, classes.len());
        if count == n || count - before < before.div_ceil(GROWTH) {
            break;
        }
    }
    budget.release(bytes);
    Ok(count)
}

/// Mixes the bits of a number (the finalizer of `SplitMix64`).
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
