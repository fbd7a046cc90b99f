//! Boolean combinations of atoms as one condition on letters.
//!
//! A translation that expands `p <-> q <-> r …` into cubes makes exponentially many of them, while
//! any single letter decides the whole in one pass. [`Ltl::abstracted`] therefore replaces large
//! boolean combinations by atoms of their own and returns the combination that each stands for.

use super::builder::LtlBuilder;
use super::formula::{Ltl, LtlId, LtlNode};
use loris_base::Idx;
use rustc_hash::FxHashMap;

/// A condition on one letter: a formula without temporal operators.
///
/// ```
/// use loris_logic::{ltl, parse};
/// let (formula, _) = ltl(&parse("X ((a <-> b) <-> (c <-> d))").expect("well-formed")).expect("LTL");
/// let (next, predicates) = formula.abstracted();
/// assert_eq!(next.print(&["p"]), "X p");
/// // four letters at once, a bit each: an even number of atoms holds
/// let atoms = [0b1010, 0b1100, 0b1000, 0b1000];
/// assert_eq!(predicates[0].lanes(0b1111, |atom| atoms[atom as usize]), 0b1001);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Predicate(Ltl);

impl Predicate {
    /// The condition that an atom holds.
    pub fn atom(atom: u32) -> Self {
        Self(Ltl { nodes: vec![LtlNode::Atom(atom)] })
    }

    /// The formula with this root of a builder, if it has no temporal operator.
    pub(crate) fn of(build: &LtlBuilder, root: LtlId) -> Option<Self> {
        let formula = build.finish(root);
        formula.propositional().last().copied().unwrap_or(false).then_some(Self(formula))
    }

    /// Whether every letter satisfies it as it is written.
    pub(crate) fn is_true(&self) -> bool {
        self.0.nodes == [LtlNode::True]
    }

    /// The atom, if the predicate is just that atom.
    pub fn as_atom(&self) -> Option<u32> {
        match self.0.nodes[..] {
            [LtlNode::Atom(atom)] => Some(atom),
            _ => None,
        }
    }

    /// The atoms it depends on; some may come twice.
    pub fn atoms(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.nodes.iter().filter_map(|node| match *node {
            LtlNode::Atom(atom) | LtlNode::NotAtom(atom) => Some(atom),
            _ => None,
        })
    }

    /// Its subformulas, operands before operators.
    pub(crate) fn nodes(&self) -> &[LtlNode] {
        &self.0.nodes
    }

    /// Which of up to 64 letters satisfy it, a bit each: `active` are the letters there are, `atom`
    /// returns those in which an atom holds. Linear in the formula, shared parts once.
    pub fn lanes(&self, active: u64, mut atom: impl FnMut(u32) -> u64) -> u64 {
        let mut values: Vec<u64> = Vec::with_capacity(self.0.nodes.len());
        for &node in &self.0.nodes {
            let of = |child: LtlId| values[child.index()];
            values.push(match node {
                LtlNode::True => active,
                LtlNode::False => 0,
                LtlNode::Atom(number) => atom(number) & active,
                LtlNode::NotAtom(number) => !atom(number) & active,
                LtlNode::And(a, b) => of(a) & of(b),
                LtlNode::Or(a, b) => of(a) | of(b),
                LtlNode::X(_) | LtlNode::U(..) | LtlNode::R(..) => {
                    unreachable!("a predicate has no temporal operator")
                }
            });
        }
        values.last().copied().unwrap_or(active)
    }
}

/// Boolean combinations with at most this many cubes are left to the translation, which finds
/// relations among them.
const FEW_CUBES: u32 = 8;

impl Ltl {
    /// Per node, whether it is a boolean combination of atoms.
    pub(crate) fn propositional(&self) -> Vec<bool> {
        let mut propositional: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let temporal = matches!(node, LtlNode::X(_) | LtlNode::U(..) | LtlNode::R(..));
            let value = !temporal && node.children().all(|child| propositional[child.index()]);
            propositional.push(value);
        }
        propositional
    }

    /// The same formula over predicates: its atom `k` stands for the `k`-th of them. Maximal
    /// boolean combinations of atoms that would expand into many cubes become one predicate each;
    /// every other atom stands for itself.
    ///
    /// Cost: linear in the formula for each predicate.
    pub fn abstracted(&self) -> (Ltl, Vec<Predicate>) {
        let propositional = self.propositional();
        let cubes = self.cubes();
        // maximal ones: below the root or below an operator that is not of their kind
        let mut maximal = vec![false; self.nodes.len()];
        maximal[self.root().index()] = true;
        for (&node, _) in self.nodes.iter().zip(&propositional).filter(|(_, propositional)| !**propositional)
        {
            node.children().for_each(|child| maximal[child.index()] = true);
        }
        let mut whole = LtlBuilder::default();
        let same = whole.copy(self);
        let mut build = LtlBuilder::default();
        let (mut predicates, mut numbers) = (Vec::new(), FxHashMap::default());
        let mut number = |predicate: Predicate| {
            *numbers.entry(predicate.clone()).or_insert_with(|| {
                predicates.push(predicate);
                predicates.len() as u32 - 1
            })
        };
        let mut ids: Vec<LtlId> = Vec::with_capacity(self.nodes.len());
        for (i, &node) in self.nodes.iter().enumerate() {
            let is_large = propositional[i] && cubes[i] > FEW_CUBES;
            let id = if is_large && maximal[i] {
                let predicate = Predicate::of(&whole, same[i]).expect("it has no temporal operator");
                build.literal(number(predicate), true)
            } else if is_large {
                // only seen through a larger one
                build.constant(true)
            } else {
                match node {
                    LtlNode::Atom(atom) => build.literal(number(Predicate::atom(atom)), true),
                    LtlNode::NotAtom(atom) => build.literal(number(Predicate::atom(atom)), false),
                    node => build.again(node, |child| ids[child.index()]),
                }
            };
            ids.push(id);
        }
        let root = ids[self.root().index()];
        // atoms of parts that were replaced are not needed
        let mut kept: Vec<Predicate> = Vec::new();
        let mut place: FxHashMap<u32, u32> = FxHashMap::default();
        let mut keep = |atom: u32| {
            *place.entry(atom).or_insert_with(|| {
                kept.push(predicates[atom as usize].clone());
                kept.len() as u32 - 1
            })
        };
        let formula = build.extract(root, |leaf| match leaf {
            LtlNode::Atom(atom) => LtlNode::Atom(keep(atom)),
            LtlNode::NotAtom(atom) => LtlNode::NotAtom(keep(atom)),
            constant => constant,
        });
        (formula, kept)
    }

    /// Per node without temporal operators, into how many cubes it or its negation expands, at
    /// most; of others, anything.
    fn cubes(&self) -> Vec<u32> {
        let mut sides: Vec<[u32; 2]> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let of = |child: LtlId| sides[child.index()];
            sides.push(match node {
                LtlNode::And(a, b) | LtlNode::Or(a, b) => {
                    let (a, b) = (of(a), of(b));
                    // a conjunction multiplies its cubes and adds those of its negation
                    let product = usize::from(matches!(node, LtlNode::Or(..)));
                    let mut side = [0; 2];
                    side[product] = a[product].saturating_mul(b[product]);
                    side[1 - product] = a[1 - product].saturating_add(b[1 - product]);
                    side
                }
                _ => [1, 1],
            });
        }
        sides.into_iter().map(|[yes, no]| yes.max(no)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ltl, ltl, parse};
    use loris_base::Rng;

    fn read(text: &str) -> (Ltl, Vec<String>) {
        ltl(&parse(text).expect(text)).expect(text)
    }

    /// The formula over predicates, and how many there are.
    fn check(text: &str, expected: &str, count: usize) {
        let (formula, predicates) = read(text).0.abstracted();
        assert_eq!(
            (formula.print(&["p0", "p1", "p2", "p3"]).as_str(), predicates.len()),
            (expected, count),
            "{text}"
        );
    }

    #[test]
    fn only_large_combinations_are_replaced() {
        check("G (a -> F b)", "G (!p0 | (F p1))", 2);
        check("(a <-> b) U c", "((p0 & p1) | (!p0 & !p1)) U p2", 3);
        check("F ((a <-> b) <-> (c <-> d))", "F p0", 1);
        check("G ((a <-> b <-> c <-> d) | X (a <-> b <-> c <-> d))", "G (p0 | (X p0))", 1);
        check("a <-> b <-> c <-> d <-> e", "p0", 1);
    }

    #[test]
    fn what_is_replaced_means_the_same() {
        let mut rng = Rng::new(3);
        let large =
            ["(a <-> b <-> c <-> d)", "((a | b) & (c | d) & (a | !d) & (b | c))", "!(d <-> c <-> b <-> a)"];
        let shapes = ["G (@ | F @)", "@ U (b & @)", "@ & G F @", "F (@ & X @) | G (a -> @)", "(@ R @) <-> @"];
        for _ in 0..300 {
            let mut text = shapes[rng.below(shapes.len())].to_owned();
            while text.contains('@') {
                text = text.replacen('@', large[rng.below(3)], 1);
            }
            let (formula, names) = read(&text);
            let (over, predicates) = formula.abstracted();
            for _ in 0..20 {
                let letters: Vec<Vec<bool>> =
                    (0..5).map(|_| names.iter().map(|_| rng.chance(0.5)).collect()).collect();
                let mapped: Vec<Vec<bool>> = letters
                    .iter()
                    .map(|letter| {
                        let has = |atom: u32| u64::from(letter[atom as usize]);
                        predicates.iter().map(|predicate| predicate.lanes(1, has) == 1).collect()
                    })
                    .collect();
                let split = rng.below(4);
                assert_eq!(
                    formula.holds_on_lasso(&letters[..split], &letters[split..]),
                    over.holds_on_lasso(&mapped[..split], &mapped[split..]),
                    "{text}"
                );
            }
        }
    }
}
