//! Letters of which not all is known, and guards on them.
//!
//! An atom is unknown in a letter if a label of the state is. A guard is true if it holds whatever
//! the unknown atoms are, false if it holds for none of their values, and unknown otherwise.

use loris_base::{Budget, Exhausted, Truth, VALUES_IN_64};
use loris_logic::automaton::Guard;

/// More unknown atoms in one guard are not tried out.
const MOST_UNKNOWN: usize = 20;

/// The value of a guard on a letter, given by the value of each atom. Where some atoms of the guard
/// are unknown and these do not decide by themselves, all their values are tried, 64 at a time.
pub(super) fn value(guard: &Guard, letter: &[Truth], budget: &mut Budget) -> Result<Truth, Exhausted> {
    let by_parts = strong(guard, letter);
    if by_parts.is_known() {
        return Ok(by_parts);
    }
    let mut unknown = Vec::new();
    collect_unknown(guard, letter, &mut unknown);
    if unknown.len() > MOST_UNKNOWN {
        return Ok(Truth::Unknown);
    }
    let lanes = unknown.len().min(VALUES_IN_64.len());
    let active = if lanes == VALUES_IN_64.len() { u64::MAX } else { (1 << (1 << lanes)) - 1 };
    let (mut some, mut all) = (false, true);
    for block in 0..1_u64 << (unknown.len() - lanes) {
        budget.spend(1)?;
        let mut atom = |atom: u32| match unknown.iter().position(|&other| other == atom) {
            Some(place) if place < lanes => VALUES_IN_64[place],
            Some(place) if block >> (place - lanes) & 1 == 1 => u64::MAX,
            None if letter[atom as usize] == Truth::True => u64::MAX,
            _ => 0,
        };
        let passed = guard.lanes(active, &mut atom);
        some |= passed != 0;
        all &= passed == active;
    }
    Ok(match (all, some) {
        (true, _) => Truth::True,
        (false, true) => Truth::Unknown,
        (false, false) => Truth::False,
    })
}

/// The value by the tables of three-valued logic, operand by operand.
fn strong(guard: &Guard, letter: &[Truth]) -> Truth {
    match guard {
        Guard::True => Truth::True,
        Guard::False => Truth::False,
        Guard::Atom(atom) => letter[*atom as usize],
        Guard::Not(guard) => !strong(guard, letter),
        Guard::And(guards) => guards.iter().map(|guard| strong(guard, letter)).min().unwrap_or(Truth::True),
        Guard::Or(guards) => guards.iter().map(|guard| strong(guard, letter)).max().unwrap_or(Truth::False),
    }
}

fn collect_unknown(guard: &Guard, letter: &[Truth], unknown: &mut Vec<u32>) {
    match guard {
        Guard::Atom(atom) => {
            if letter[*atom as usize] == Truth::Unknown && !unknown.contains(atom) {
                unknown.push(*atom);
            }
        }
        Guard::Not(guard) => collect_unknown(guard, letter, unknown),
        Guard::And(guards) | Guard::Or(guards) => {
            for guard in guards {
                collect_unknown(guard, letter, unknown);
            }
        }
        Guard::True | Guard::False => {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::value;
    use loris_base::{Budget, Rng, Truth};
    use loris_logic::automaton::Guard;

    fn guard(rng: &mut Rng, atoms: usize, depth: usize) -> Guard {
        match if depth == 0 { 0 } else { rng.below(4) } {
            0 => Guard::Atom(rng.below(atoms) as u32),
            1 => Guard::Not(Box::new(guard(rng, atoms, depth - 1))),
            2 => Guard::And((0..rng.below(4)).map(|_| guard(rng, atoms, depth - 1)).collect()),
            _ => Guard::Or((0..rng.below(4)).map(|_| guard(rng, atoms, depth - 1)).collect()),
        }
    }

    /// All values of the unknown atoms, one after the other.
    fn obvious(guard: &Guard, letter: &[Truth]) -> Truth {
        let open: Vec<usize> = (0..letter.len()).filter(|&atom| letter[atom] == Truth::Unknown).collect();
        let holds = |choice: u64| {
            guard.holds(&mut |atom| match open.iter().position(|&other| other == atom as usize) {
                Some(place) => choice >> place & 1 == 1,
                None => letter[atom as usize] == Truth::True,
            })
        };
        let found: Vec<bool> = (0..1 << open.len()).map(holds).collect();
        match (found.contains(&true), found.contains(&false)) {
            (true, false) => Truth::True,
            (false, _) => Truth::False,
            _ => Truth::Unknown,
        }
    }

    #[test]
    fn as_all_values_one_after_the_other() {
        let mut rng = Rng::new(17);
        let mut seen = [0; 3];
        for _ in 0..3000 {
            let atoms = 1 + rng.below(9);
            let guard = guard(&mut rng, atoms, 4);
            let letter: Vec<Truth> = (0..atoms)
                .map(|_| [Truth::False, Truth::Unknown, Truth::Unknown, Truth::True][rng.below(4)])
                .collect();
            let found = value(&guard, &letter, &mut Budget::unlimited()).unwrap();
            assert_eq!(found, obvious(&guard, &letter), "{guard:?} on {letter:?}");
            seen[found as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }
}
