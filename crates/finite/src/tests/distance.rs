//! Distances against the iterations that define them.

use crate::Kripke;
use crate::distance::{Distance, longest, reached, shortest};
use loris_base::{BitSet, Budget, Csr, Rng};

/// A set as truth values.
type Set = Vec<bool>;

struct Naive<'a> {
    kripke: &'a Kripke<'a>,
}

impl Naive<'_> {
    fn successors(&self, state: usize) -> Vec<usize> {
        let row = self.kripke.successors.row(state);
        if row.is_empty() { vec![state] } else { row.iter().map(|&next| next as usize).collect() }
    }

    fn image(&self, set: &Set) -> Set {
        let mut image = vec![false; set.len()];
        for state in (0..set.len()).filter(|&state| set[state]) {
            self.successors(state).into_iter().for_each(|next| image[next] = true);
        }
        image
    }

    fn before(&self, set: &Set) -> Set {
        (0..set.len()).map(|state| self.successors(state).into_iter().any(|next| set[next])).collect()
    }

    fn reached(&self) -> Set {
        let mut set = vec![false; self.kripke.states()];
        self.kripke.initial.iter().for_each(|&state| set[state as usize] = true);
        loop {
            let image = self.image(&set);
            let more: Set = set.iter().zip(image).map(|(&a, b)| a || b).collect();
            if more == set {
                return set;
            }
            set = more;
        }
    }

    fn shortest(&self, from: &Set, to: &Set, within: &Set) -> Distance {
        let mut set = both(from, within);
        for steps in 0.. {
            if set.iter().zip(to).any(|(&a, &b)| a && b) {
                return Distance::Steps(steps);
            }
            let image = both(&self.image(&set), within);
            let more: Set = set.iter().zip(image).map(|(&a, b)| a || b).collect();
            if more == set {
                break;
            }
            set = more;
        }
        Distance::Infinite
    }

    fn longest(&self, from: &Set, to: &Set, within: &Set) -> Distance {
        if !both(from, within).contains(&true) || !both(to, within).contains(&true) {
            return Distance::Undefined;
        }
        let not: Set = to.iter().map(|&member| !member).collect();
        let along = both(&not, within);
        let mut set = along.clone();
        for steps in 0.. {
            if !both(&set, from).contains(&true) {
                return Distance::Steps(steps);
            }
            let less = both(&self.before(&set), &along);
            if less == set {
                break;
            }
            set = less;
        }
        Distance::Infinite
    }
}

fn both(a: &Set, b: &Set) -> Set {
    a.iter().zip(b).map(|(&a, &b)| a && b).collect()
}

fn members(set: &BitSet, states: usize) -> Set {
    (0..states as u32).map(|state| set.contains(state)).collect()
}

#[test]
fn random_structures() {
    let cases = loris_testing::cases(3000);
    let mut rng = Rng::new(11);
    let mut kinds = [0; 6];
    for _ in 0..cases {
        let n = 1 + rng.below(20);
        let edges = rng.below(3 * n);
        // mostly forwards, so that some ways come to an end
        let pairs: Vec<(u32, u32)> = (0..edges)
            .map(|_| {
                let (a, b) = (rng.below(n) as u32, rng.below(n) as u32);
                if rng.chance(0.95) { (a.min(b), a.max(b)) } else { (a, b) }
            })
            .filter(|(a, b)| a != b)
            .chain([(n as u32 - 1, n as u32 - 1)])
            .collect();
        let successors = Csr::from_pairs(n, pairs.into_iter());
        let predecessors = successors.transposed(n);
        let kripke = Kripke { successors: &successors, predecessors: &predecessors, initial: &[0] };
        let naive = Naive { kripke: &kripke };
        let mut some = |share: f64| BitSet::of(n, (0..n as u32).filter(|_| rng.chance(share)));
        let (from, to, within) = (some(0.3), some(0.4), some(0.9));
        let budget = &mut Budget::unlimited();
        assert_eq!(members(&reached(&kripke, budget).expect("no limit"), n), naive.reached());
        let [from_set, to_set, within_set] = [&from, &to, &within].map(|set| members(set, n));
        let found = [
            shortest(&kripke, &from, &to, &within, budget).expect("no limit"),
            longest(&kripke, &from, &to, &within, budget).expect("no limit"),
        ];
        let expected =
            [naive.shortest(&from_set, &to_set, &within_set), naive.longest(&from_set, &to_set, &within_set)];
        assert_eq!(found, expected, "{successors:?} {from_set:?} {to_set:?} {within_set:?}");
        for (which, distance) in found.iter().enumerate() {
            let kind = match distance {
                Distance::Steps(_) => 0,
                Distance::Infinite => 1,
                Distance::Undefined => 2,
            };
            kinds[3 * which + kind] += 1;
        }
    }
    assert!(kinds[0] > 0 && kinds[1] > 0 && kinds[3..].iter().all(|&count| count > 0), "{kinds:?}");
}

#[test]
fn limits_hold() {
    let n = 1000;
    let successors = Csr::from_pairs(n, (0..n as u32).map(|state| (state, (state + 1) % n as u32)));
    let predecessors = successors.transposed(n);
    let kripke = Kripke { successors: &successors, predecessors: &predecessors, initial: &[0] };
    let (from, to, all) = (BitSet::of(n, [0]), BitSet::of(n, [999]), BitSet::of(n, 0..n as u32));
    let mut budget = Budget::new(None, Some(5000));
    assert_eq!(shortest(&kripke, &from, &to, &all, &mut budget), Ok(Distance::Steps(999)));
    assert!(longest(&kripke, &from, &to, &all, &mut budget).is_err());
}
