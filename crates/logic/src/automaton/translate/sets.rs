//! Sorted sets of numbers or ids, and cubes, which are sets of literals.
//!
//! A literal is twice its atom, plus one if negated; a cube is the conjunction of its literals and
//! never has both literals of an atom. Sets are short, so that merging sorted lists beats anything
//! clever.

use loris_base::{Budget, Exhausted};

pub(super) type Set<T = u32> = Box<[T]>;

/// Bytes that the elements of a set take, with the allocator's overhead for them.
pub(super) fn bytes<T>(set: &Set<T>) -> usize {
    const BLOCK: usize = 16;
    if set.is_empty() {
        0
    } else {
        (size_of::<T>() * set.len() + BLOCK / 2).next_multiple_of(BLOCK).max(2 * BLOCK)
    }
}

pub(super) fn contains<T: Ord + Copy>(set: &[T], element: T) -> bool {
    set.binary_search(&element).is_ok()
}

pub(super) fn is_subset<T: Ord>(a: &[T], b: &[T]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|x| rest.by_ref().find(|&y| y >= x) == Some(x))
}

pub(super) fn union<T: Ord + Copy>(a: &[T], b: &[T]) -> Set<T> {
    if b.is_empty() {
        return a.into();
    }
    let mut both = [a, b].concat();
    both.sort_unstable();
    both.dedup();
    both.into()
}

/// The conjunction of two cubes, if some letter satisfies both.
pub(super) fn conjunction(a: &[u32], b: &[u32]) -> Option<Set> {
    let both = union(a, b);
    // the two literals of an atom would lie side by side
    both.windows(2).all(|pair| pair[0] ^ 1 != pair[1]).then_some(both)
}

/// Whether every letter of a cube satisfies one of the others.
///
/// A cube that none of them contains is split by a literal of one that it meets. Splitting is given
/// up after a while, with the answer no: the caller may only lose a simplification.
pub(super) fn is_covered<'c>(cube: &[u32], others: &(impl Iterator<Item = &'c Set> + Clone)) -> bool {
    const SPLITS: usize = 64;
    if others.clone().any(|other| is_subset(other, cube)) {
        return true;
    }
    let mut parts: Vec<Set> = vec![cube.into()];
    for _ in 0..SPLITS {
        let Some(part) = parts.pop() else { return true };
        if others.clone().any(|other| is_subset(other, &part)) {
            continue;
        }
        let meets = |other: &&Set| other.iter().all(|&literal| !contains(&part, literal ^ 1));
        let Some(met) = others.clone().find(meets) else { return false };
        let open = met.iter().find(|&&literal| !contains(&part, literal));
        let &literal = open.expect("a cube that has all literals of another is contained in it");
        parts.extend([literal, literal ^ 1].map(|literal| union(&part, &[literal])));
    }
    false
}

/// Fewer and larger cubes with the same letters: contained ones are dropped, and two that differ in
/// the sign of one literal only become one without it. Cubic, so that long lists are not searched
/// for such pairs.
pub(super) fn joined(mut cubes: Vec<Set>, budget: &mut Budget) -> Result<Vec<Set>, Exhausted> {
    const SEARCHED: usize = 100;
    loop {
        cubes.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        let mut kept: Vec<Set> = Vec::with_capacity(cubes.len());
        for cube in cubes {
            budget.spend(1 + kept.len())?;
            if !kept.iter().any(|other| is_subset(other, &cube)) {
                kept.push(cube);
            }
        }
        let pairs = (1..kept.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let larger = match kept.len() {
            0..=SEARCHED => {
                budget.spend(kept.len() * kept.len() / 2)?;
                pairs.into_iter().find_map(|(i, j)| resolvent(&kept[i], &kept[j]))
            }
            _ => None,
        };
        let Some(larger) = larger else { return Ok(kept) };
        // it contains both, so that the list gets shorter
        kept.push(larger);
        cubes = kept;
    }
}

fn resolvent(a: &[u32], b: &[u32]) -> Option<Set> {
    let mut differing = a.iter().zip(b).filter(|(x, y)| x != y);
    let (&x, &y) = differing.next().filter(|_| a.len() == b.len())?;
    (x ^ 1 == y && differing.next().is_none()).then(|| a.iter().copied().filter(|&z| z != x).collect())
}

#[cfg(test)]
mod tests {
    use super::{Budget, Set, conjunction, is_covered, is_subset, union};

    fn set(elements: &[u32]) -> Set {
        elements.into()
    }

    #[test]
    fn sets_and_cubes() {
        assert!(is_subset(&[1, 4], &[0, 1, 4]) && !is_subset(&[1, 5], &[0, 1, 4]));
        assert_eq!(union(&[1, 5], &[0, 5]), set(&[0, 1, 5]));
        assert_eq!(conjunction(&[0], &[3]), Some(set(&[0, 3])));
        assert_eq!(conjunction(&[0, 2], &[3]), None);
        assert_eq!(conjunction(&[1], &[2]), Some(set(&[1, 2])));
    }

    #[test]
    fn covers() {
        // p is covered by p & q, p & !q & r and !r
        let others = [set(&[0, 2]), set(&[0, 3, 4]), set(&[5])];
        assert!(is_covered(&[0], &others.iter()));
        assert!(!is_covered(&[], &others.iter()));
        assert!(!is_covered(&[0], &others[..2].iter()));
        assert!(is_covered(&[], &[set(&[0]), set(&[1])].iter()));
        assert!(!is_covered(&[], &[].iter()));
    }

    #[test]
    fn joins() {
        let joined = |cubes: Vec<Set>| super::joined(cubes, &mut Budget::unlimited()).expect("no limit");
        assert_eq!(joined(vec![set(&[0, 2]), set(&[0, 3]), set(&[1])]), [set(&[])]);
        assert_eq!(joined(vec![set(&[0, 2]), set(&[0]), set(&[4])]), [set(&[0]), set(&[4])]);
        assert_eq!(joined(vec![]), Vec::<Set>::new());
    }
}
