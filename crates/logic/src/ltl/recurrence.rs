//! Recurrence conditions, split off a formula.
//!
//! `G F p`, `F G p` and `G F p -> G F q` constrain only which letters come infinitely often. As
//! part of a formula each of them doubles the states of its automaton; as an acceptance condition
//! of the search (generalized Büchi and Streett) it costs one more set. Fairness is a conjunction
//! of these.

use super::builder::LtlBuilder;
use super::formula::{Ltl, LtlId, LtlNode};
use super::predicate::Predicate;
use loris_base::Idx;

/// If letters of the first kind come infinitely often, then so do letters of the second: a Streett
/// pair.
///
/// `G F p` is the pair (true, p), `F G p` is the pair (!p, false).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// The letters that may come infinitely often.
    pub often: Predicate,
    /// The letters that must come infinitely often then.
    pub then: Predicate,
}

impl Recurrence {
    /// Whether letters of the second kind must come infinitely often whatever else does: `G F p`.
    pub fn is_unconditional(&self) -> bool {
        self.often.is_true()
    }
}

impl Ltl {
    /// Splits a conjunction into recurrence conditions and the rest: a word satisfies the formula
    /// if it satisfies the rest and all conditions.
    ///
    /// ```
    /// use loris_logic::{ltl, parse};
    /// let text = "G F a & (G F b -> G F c) & G (a -> X b)";
    /// let (formula, names) = ltl(&parse(text).expect("well-formed")).expect("LTL");
    /// let (rest, recurrences) = formula.recurrences();
    /// assert_eq!((rest.print(&names).as_str(), recurrences.len()), ("G (!a | (X b))", 2));
    /// ```
    ///
    /// Cost: linear in the formula for each condition.
    pub fn recurrences(&self) -> (Ltl, Vec<Recurrence>) {
        self.recurrences_where(|_| true)
    }

    /// As [`recurrences`](Self::recurrences), with those that are not wanted left in the rest.
    pub(crate) fn recurrences_where(
        &self,
        mut wanted: impl FnMut(&Recurrence) -> bool,
    ) -> (Ltl, Vec<Recurrence>) {
        let mut build = LtlBuilder::default();
        let root = build.copy(self)[self.root().index()];
        let mut rest = build.constant(true);
        let mut recurrences = Vec::new();
        // conjuncts, each with whether it stands under a `G`
        let mut left = vec![(root, false)];
        while let Some((id, always)) = left.pop() {
            match build.node(id) {
                LtlNode::And(a, b) => left.extend([(b, always), (a, always)]),
                LtlNode::R(never, a) if build.node(never) == LtlNode::False => left.push((a, true)),
                _ => {
                    let part = if always { build.always(id) } else { id };
                    match recurrence(&mut build, part).filter(&mut wanted) {
                        Some(condition) => recurrences.push(condition),
                        None => rest = build.and(rest, part),
                    }
                }
            }
        }
        (build.finish(rest), recurrences)
    }
}

/// The condition of a disjunction of `G F` and at most one `F G`.
fn recurrence(build: &mut LtlBuilder, part: LtlId) -> Option<Recurrence> {
    let mut often = build.constant(true);
    let mut then = build.constant(false);
    let mut has_always = false;
    let mut left = vec![part];
    while let Some(id) = left.pop() {
        if let LtlNode::Or(a, b) = build.node(id) {
            left.extend([b, a]);
        } else if let Some(again) = infinitely_often(build, id) {
            // G F p | G F q = G F (p | q)
            then = build.or(then, again);
        } else {
            let finally = from_some_point_on(build, id).filter(|_| !has_always)?;
            has_always = true;
            often = build.negated(finally);
        }
    }
    Some(Recurrence { often: Predicate::of(build, often)?, then: Predicate::of(build, then)? })
}

/// The operand of `G F`.
pub(crate) fn infinitely_often(build: &LtlBuilder, id: LtlId) -> Option<LtlId> {
    let LtlNode::R(never, inner) = build.node(id) else { return None };
    let LtlNode::U(always, operand) = build.node(inner) else { return None };
    (build.node(always) == LtlNode::True && build.node(never) == LtlNode::False).then_some(operand)
}

/// The operand of `F G`.
pub(crate) fn from_some_point_on(build: &LtlBuilder, id: LtlId) -> Option<LtlId> {
    let LtlNode::U(always, inner) = build.node(id) else { return None };
    let LtlNode::R(never, operand) = build.node(inner) else { return None };
    (build.node(always) == LtlNode::True && build.node(never) == LtlNode::False).then_some(operand)
}

#[cfg(test)]
mod tests {
    use crate::{Ltl, RandomLtl, ltl, parse};
    use loris_base::Rng;

    /// Whether the word satisfies the rest and the conditions.
    fn holds(formula: &Ltl, prefix: &[Vec<bool>], cycle: &[Vec<bool>]) -> bool {
        let (rest, recurrences) = formula.recurrences();
        let comes = |predicate: &crate::Predicate| {
            let has = |letter: &Vec<bool>| predicate.lanes(1, |atom| u64::from(letter[atom as usize])) == 1;
            cycle.iter().any(has)
        };
        rest.holds_on_lasso(prefix, cycle)
            && recurrences.iter().all(|pair| !comes(&pair.often) || comes(&pair.then))
    }

    fn check(text: &str, rest: &str, count: usize) {
        let (formula, names) = ltl(&parse(text).expect(text)).expect(text);
        let (found, recurrences) = formula.recurrences();
        assert_eq!((found.print(&names).as_str(), recurrences.len()), (rest, count), "{text}");
    }

    #[test]
    fn conjuncts() {
        check("G F a & G F b & a U b", "a U b", 2);
        check("!((G F a & G F b) -> G F c)", "true", 3);
        check("G (F a & F b & X a)", "G (X a)", 2);
        check("(G F a -> G F b) & (F G a | G F b | G F c)", "true", 2);
        // two of these do not make a pair, and a formula with temporal operators inside is not a
        // condition on letters
        check("F G a | F G b", "(F (G a)) | (F (G b))", 0);
        check("G F (a & X b)", "G (F (a & (X b)))", 0);
        check("G F a | b", "(G (F a)) | b", 0);
    }

    #[test]
    fn random_conjunctions_on_random_words() {
        let mut rng = Rng::new(17);
        let parts = [
            "G F @",
            "F G @",
            "(G F @ -> G F @)",
            "(G F @ | F G @ | G F @)",
            "G (F @ & F @)",
            "(F G @ | F G @)",
        ];
        let mut split = 0;
        for case in 0..3000 {
            let random = RandomLtl::new(case % 4);
            let mut text = format!("({})", random.generate(&mut rng));
            for _ in 0..=rng.below(3) {
                text = format!("{text} & {}", parts[rng.below(parts.len())]);
            }
            while text.contains('@') {
                let operand = RandomLtl { temporal: 0.1, ..RandomLtl::new(rng.below(3) as u32) };
                text = text.replacen('@', &format!("({})", operand.generate(&mut rng)), 1);
            }
            let formula = ltl(&parse(&text).expect(&text)).expect(&text).0;
            split += formula.recurrences().1.len();
            for _ in 0..10 {
                let mut letters = |count: usize| -> Vec<Vec<bool>> {
                    (0..count).map(|_| (0..formula.atoms()).map(|_| rng.chance(0.5)).collect()).collect()
                };
                let (prefix, cycle) = (letters(case as usize % 3), letters(1 + case as usize % 4));
                assert_eq!(
                    holds(&formula, &prefix, &cycle),
                    formula.holds_on_lasso(&prefix, &cycle),
                    "{text}"
                );
            }
        }
        assert!(split > 1000, "{split} conditions were split off");
    }
}
