//! Decides a path formula on an ultimately periodic word, by the semantics of its operators: `U` is
//! a least and `R` a greatest fixpoint over the positions of the word.
//!
//! Operands come before operators, so that one loop gives each operator a column with a value for
//! every position. Around the cycle a column satisfies `x = b ∨ (a ∧ y)` or its dual, with `y` the
//! value one position later; composed along the cycle that is again of this form, and starting from
//! the least
//! (greatest) value one round reaches the fixpoint. Linear in the formula times the word. The
//! oracle is in `tests/endless_runs.rs`.

use crate::formulas::{Formulas, Lit, Op};
use crate::state_formula::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// A path formula with its values along a word.
pub(crate) struct Word<'f, 'e> {
    formulas: &'f Formulas<'e>,
    /// the path formulas and the largest state formulas in them, operands first, the whole last
    lits: Vec<Lit>,
    columns: Vec<Vec<Value>>,
    back: usize,
}

impl<'f, 'e> Word<'f, 'e> {
    /// Evaluates a formula on a word of `len` positions, the last of which is followed by `back`;
    /// `column` knows the values of state formulas, and `is_fair` whether the run is fair.
    pub(crate) fn new(
        formulas: &'f Formulas<'e>,
        formula: Lit,
        (len, back): (usize, usize),
        is_fair: bool,
        mut column: impl FnMut(Lit) -> Vec<Value>,
    ) -> Self {
        let lits = formulas.parts(formula, |lit| formulas.is_state(lit));
        let mut word = Word { formulas, lits, columns: Vec::new(), back };
        for i in 0..word.lits.len() {
            let lit = word.lits[i];
            let of = |child: Lit| &word.columns[word.place(child)];
            let column = match formulas.op(lit) {
                _ if formulas.is_state(lit) => column(lit),
                Op::And(a, b) => of(a).iter().zip(of(b)).map(|(&a, &b)| a.min(b)).collect(),
                Op::Or(a, b) => of(a).iter().zip(of(b)).map(|(&a, &b)| a.max(b)).collect(),
                Op::Next(a) => {
                    let a = of(a);
                    (0..len).map(|i| a[if i + 1 == len { back } else { i + 1 }]).collect()
                }
                Op::Until(a, b) => {
                    let (a, b) = (of(a), of(b));
                    fixpoint(len, back, Value::False, |i, next| b[i].max(a[i].min(next)))
                }
                Op::Release(a, b) => {
                    let (a, b) = (of(a), of(b));
                    fixpoint(len, back, Value::True, |i, next| b[i].min(a[i].max(next)))
                }
                Op::Fair(value) => vec![(value == is_fair).into(); len],
                Op::Constant(_) | Op::Atom(..) | Op::Exists(_) | Op::Absent(_) => {
                    unreachable!("state formulas were dealt with")
                }
            };
            word.columns.push(column);
        }
        word
    }

    fn place(&self, lit: Lit) -> usize {
        self.lits.binary_search(&lit).expect("all parts have a place")
    }

    fn value(&self, lit: Lit, position: usize) -> Value {
        self.columns[self.place(lit)][position]
    }

    fn next(&self, position: usize) -> usize {
        if position + 1 == self.columns[0].len() { self.back } else { position + 1 }
    }

    fn whole(&self) -> Lit {
        *self.lits.last().expect("a formula is a part of itself")
    }

    /// The value of the whole at the first position.
    pub(crate) fn output(&self) -> Value {
        self.value(self.whole(), 0)
    }

    /// The state formulas, with positions, that determine the output: of alternatives with that
    /// value one, of operands needed together all with that value; the other way round if it does
    /// not hold.
    pub(crate) fn reasons(&self) -> Vec<(Lit, usize)> {
        let output = self.output();
        let mut seen = FxHashSet::default();
        let mut lasting: FxHashMap<Lit, Vec<bool>> = FxHashMap::default();
        let mut reasons = Vec::new();
        let mut work = vec![(self.whole(), 0)];
        while let Some((lit, at)) = work.pop() {
            if self.value(lit, at) != output || !seen.insert((lit, at)) {
                continue;
            }
            let value = |lit: Lit| self.value(lit, at);
            let same = |lit: Lit| value(lit) == output;
            let op = self.formulas.op(lit);
            let one = matches!(op, Op::Or(..) | Op::Until(..)) == output.holds();
            match op {
                _ if self.formulas.is_state(lit) => reasons.push((lit, at)),
                Op::Next(a) => work.push((a, self.next(at))),
                Op::And(a, b) | Op::Or(a, b) => {
                    work.extend((same(b) && !(one && same(a))).then_some((b, at)));
                    work.push((a, at));
                }
                // b ∨ (a ∧ later), b ∧ (a ∨ later)
                Op::Until(a, b) if output.holds() => {
                    let lasting = lasting.entry(lit).or_insert_with(|| self.lasting(a, b, output));
                    let later = (lit, self.next(at));
                    let waits = later.1 > at && value(a) > output && lasting[later.1];
                    if same(b) && !waits {
                        work.push((b, at));
                    } else {
                        work.extend([later, (a, at)]);
                    }
                }
                Op::Until(a, b) | Op::Release(a, b) => {
                    let later = (lit, self.next(at));
                    let next = self.value(later.0, later.1);
                    let inner =
                        if matches!(op, Op::Until(..)) { value(a).min(next) } else { value(a).max(next) };
                    if inner == output && !(one && same(b)) {
                        work.extend((one || !same(a)).then_some(later));
                        work.push((a, at));
                    }
                    work.push((b, at));
                }
                Op::Constant(_) | Op::Atom(..) | Op::Exists(_) | Op::Absent(_) | Op::Fair(_) => {}
            }
        }
        reasons
    }

    /// Where an until comes true, and is waited for at no price, before the word turns back:
    /// waiting for the last chance lets all that waits share it.
    fn lasting(&self, a: Lit, b: Lit, output: Value) -> Vec<bool> {
        let (a, b) = (&self.columns[self.place(a)], &self.columns[self.place(b)]);
        let mut lasting = vec![false; a.len()];
        for i in (0..a.len()).rev() {
            let later = a[i] > output && lasting.get(i + 1) == Some(&true);
            lasting[i] = b[i] == output || later;
        }
        lasting
    }

    /// If the output does not hold: the smallest part that is needed, and the position where it is
    /// not so. Needed parts are followed through `&`, `X`, `G` and `R`.
    pub(crate) fn blame(&self) -> (Lit, usize) {
        let output = self.output();
        let (mut lit, mut at) = (self.whole(), 0);
        let mut waited = 0;
        while !self.formulas.is_state(lit) {
            let to = match self.formulas.op(lit) {
                Op::And(a, _) if self.value(a, at) == output => (a, at),
                Op::And(_, b) => (b, at),
                Op::Next(a) => (a, self.next(at)),
                Op::Release(_, b) if self.value(b, at) == output => (b, at),
                Op::Release(..) if waited < self.columns[0].len() => (lit, self.next(at)),
                _ => break,
            };
            if self.value(to.0, to.1) != output {
                break;
            }
            waited = if to.0 == lit { waited + 1 } else { 0 };
            (lit, at) = to;
        }
        (lit, at)
    }
}

/// The least or greatest solution of `x[i] = step(i, x[i + 1])` along a word, from the value to
/// start with.
fn fixpoint(len: usize, back: usize, start: Value, step: impl Fn(usize, Value) -> Value) -> Vec<Value> {
    let mut later = (back..len).rev().fold(start, |later, i| step(i, later));
    let mut column = vec![start; len];
    for i in (0..len).rev() {
        later = step(i, later);
        column[i] = later;
    }
    column
}

#[cfg(test)]
mod tests {
    use super::{Value, Word};
    use crate::formulas::{Formulas, Lit};
    use loris_base::Rng;
    use rustc_hash::{FxHashMap, FxHashSet};

    fn path(rng: &mut Rng, size: usize) -> String {
        if size == 0 {
            return ["p", "!p", "q", "!q", "r"][rng.below(5)].to_owned();
        }
        let left = rng.below(size);
        let operator = ["&", "|", "U", "R", "W", "X", "F", "G"][rng.below(8)];
        match operator {
            "X" | "F" | "G" => format!("{operator} ({})", path(rng, size - 1)),
            _ => format!("({}) {operator} ({})", path(rng, left), path(rng, size - 1 - left)),
        }
    }

    /// The reasons alone make the output hold, or not: whatever else has the same value may change.
    #[test]
    fn reasons_suffice() {
        let values = [Value::False, Value::Unshown, Value::Trusted, Value::True];
        let mut seen = FxHashSet::default();
        for seed in 0..5000 {
            let rng = &mut Rng::new(seed);
            let size = 1 + rng.below(7);
            let text = format!("E ({})", path(rng, size));
            let mut formulas = Formulas::new(crate::Paths::Infinite);
            let along = formulas.read(&text).expect("a formula").along.expect("a quantifier");
            let len = 1 + rng.below(5);
            let back = rng.below(len);
            let mut columns: FxHashMap<Lit, Vec<Value>> = FxHashMap::default();
            for lit in formulas.parts(along, |lit| formulas.is_state(lit)) {
                columns.insert(lit, (0..len).map(|_| values[rng.below(4)]).collect());
            }
            let word = Word::new(&formulas, along, (len, back), true, |lit| columns[&lit].clone());
            let output = word.output();
            let reasons: FxHashSet<(Lit, usize)> = word.reasons().into_iter().collect();
            seen.insert(output as u8);
            let changed = Word::new(&formulas, along, (len, back), true, |lit| {
                let change = |(i, &value): (usize, &Value)| match value {
                    _ if value != output || reasons.contains(&(lit, i)) => value,
                    _ => (!output.holds()).into(),
                };
                columns[&lit].iter().enumerate().map(change).collect()
            });
            assert_eq!(changed.output(), output, "seed {seed}: {text}");
            if !output.holds() {
                let (part, at) = word.blame();
                assert_eq!(word.value(part, at), output, "seed {seed}: {text}");
            }
        }
        assert_eq!(seen.len(), 4);
    }
}
