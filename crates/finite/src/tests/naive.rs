//! The semantics, word for word: sets as lists of booleans, fixpoints by iteration from scratch.

use crate::{Fairness, Kripke};
use loris_base::Idx;
use loris_logic::{CoreId, CoreNode, CtlCore};

pub(crate) type Set = Vec<bool>;

pub(crate) struct Naive<'a> {
    pub(crate) kripke: &'a Kripke<'a>,
    pub(crate) fairness: &'a Fairness,
}

fn join(a: &Set, b: &Set, with: impl Fn(bool, bool) -> bool) -> Set {
    a.iter().zip(b).map(|(&a, &b)| with(a, b)).collect()
}

fn and(a: &Set, b: &Set) -> Set {
    join(a, b, |a, b| a && b)
}

fn or(a: &Set, b: &Set) -> Set {
    join(a, b, |a, b| a || b)
}

fn not(a: &Set) -> Set {
    a.iter().map(|&a| !a).collect()
}

impl Naive<'_> {
    /// Where a formula holds.
    pub(crate) fn states(&self, formula: &CtlCore, atom: impl Fn(u32) -> Set) -> Set {
        let all = vec![true; self.kripke.states()];
        let fair = self.fair_always(&all);
        let mut sets: Vec<Set> = Vec::new();
        for &node in formula.nodes() {
            let of = |child: CoreId| &sets[child.index()];
            let set = match node {
                CoreNode::True => all.clone(),
                CoreNode::Atom(k) => atom(k),
                CoreNode::Not(a) => not(of(a)),
                CoreNode::And(a, b) => and(of(a), of(b)),
                CoreNode::Or(a, b) => or(of(a), of(b)),
                CoreNode::Ex(a) => self.next(&and(of(a), &fair)),
                CoreNode::Eu(a, b) => self.until(of(a), &and(of(b), &fair)),
                CoreNode::Eg(a) => self.fair_always(of(a)),
            };
            sets.push(set);
        }
        sets.pop().expect("a formula has a root")
    }

    fn next(&self, a: &Set) -> Set {
        let holds = |state: usize| match self.kripke.successors.row(state) {
            [] => a[state],
            row => row.iter().any(|&next| a[next as usize]),
        };
        (0..a.len()).map(holds).collect()
    }

    fn until(&self, a: &Set, b: &Set) -> Set {
        let mut set = b.clone();
        loop {
            let more = or(b, &and(a, &self.next(&set)));
            if more == set {
                return set;
            }
            set = more;
        }
    }

    /// Emerson and Lei: νZ. a ∧ ⋀ EX E [ a U Z ∧ f ], without sets νZ. a ∧ EX Z.
    fn just_always(&self, a: &Set, justice: &[Set]) -> Set {
        let mut set = a.clone();
        loop {
            let mut less = and(a, &self.next(&set));
            for just in justice {
                less = and(&less, &self.next(&self.until(a, &and(&set, just))));
            }
            if less == set {
                return set;
            }
            set = less;
        }
    }

    /// For each choice of pairs that meet q forever, the others avoid p from some time on.
    fn fair_always(&self, a: &Set) -> Set {
        let set =
            |column: &crate::BitSet| -> Set { (0..a.len() as u32).map(|s| column.contains(s)).collect() };
        let justice: Vec<Set> = self.fairness.justice.iter().map(set).collect();
        let compassion: Vec<(Set, Set)> =
            self.fairness.compassion.iter().map(|(p, q)| (set(p), set(q))).collect();
        let mut union = vec![false; a.len()];
        for choice in 0..1usize << compassion.len() {
            let (mut justice, mut stay) = (justice.clone(), a.clone());
            for (i, (p, q)) in compassion.iter().enumerate() {
                if choice >> i & 1 == 1 {
                    justice.push(q.clone());
                } else {
                    stay = and(&stay, &not(p));
                }
            }
            union = or(&union, &self.until(a, &self.just_always(&stay, &justice)));
        }
        union
    }
}
