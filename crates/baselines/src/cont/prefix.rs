//! LTL⁺, the conditions of DECOMP on a finite prefix: β of a pair (rsm-analysis, section 5.2).
//!
//! A formula is read on a nonempty finite word. `exit` holds at the last position only, `X` is
//! strong (false there), `U` and `G` range over the positions of the word. DECOMP on negation
//! normal form negates no β, so there is no other negation than that of atoms, and no release.
//!
//! Formulas live in an arena, each once, conjunctions and disjunctions as sorted sets. Constructors
//! simplify, and drop conjuncts and disjuncts that another one [implies](Prefixes::implies): that
//! keeps the pairs of DECOMP few (erratum R7). Implication is by syntax, sound but not complete,
//! and linear in the pairs of subformulas. The oracle is `Prefixes::holds`, position by position.

use rustc_hash::FxHashMap;

/// A formula of an arena.
pub(super) type Beta = u32;

/// One operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Prefix {
    True,
    False,
    /// an atom, and whether it is to hold
    Literal(u32, bool),
    /// the last position
    Exit,
    And(Vec<Beta>),
    Or(Vec<Beta>),
    X(Beta),
    U(Beta, Beta),
    G(Beta),
}

/// The arena.
#[derive(Default)]
pub(super) struct Prefixes {
    nodes: Vec<Prefix>,
    table: FxHashMap<Prefix, Beta>,
    implied: FxHashMap<(Beta, Beta), bool>,
}

impl Prefixes {
    /// How many formulas and known implications there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() + self.implied.len()
    }

    /// The operator of a formula.
    pub(super) fn node(&self, beta: Beta) -> &Prefix {
        &self.nodes[beta as usize]
    }

    fn make(&mut self, node: Prefix) -> Beta {
        if let Some(&beta) = self.table.get(&node) {
            return beta;
        }
        let beta = self.nodes.len() as Beta;
        self.nodes.push(node.clone());
        self.table.insert(node, beta);
        beta
    }

    /// `true` or `false`.
    pub(super) fn constant(&mut self, value: bool) -> Beta {
        self.make(if value { Prefix::True } else { Prefix::False })
    }

    /// An atom or its negation.
    pub(super) fn literal(&mut self, atom: u32, positive: bool) -> Beta {
        self.make(Prefix::Literal(atom, positive))
    }

    /// The last position.
    pub(super) fn exit(&mut self) -> Beta {
        self.make(Prefix::Exit)
    }

    /// `X a`: there is a next position, and `a` holds there.
    pub(super) fn next(&mut self, a: Beta) -> Beta {
        if *self.node(a) == Prefix::False { a } else { self.make(Prefix::X(a)) }
    }

    /// `a U b`.
    pub(super) fn until(&mut self, a: Beta, b: Beta) -> Beta {
        match (self.node(a), self.node(b)) {
            (_, Prefix::True | Prefix::False) | (Prefix::False, _) => return b,
            // there is a last position
            (Prefix::True, Prefix::Exit) => return a,
            _ => {}
        }
        if self.implies(a, b) { b } else { self.make(Prefix::U(a, b)) }
    }

    /// `G a`.
    pub(super) fn always(&mut self, a: Beta) -> Beta {
        match self.node(a) {
            // where all positions are the last there is one; at the last there is no next
            Prefix::True | Prefix::False | Prefix::Exit | Prefix::G(_) => a,
            Prefix::X(_) => self.constant(false),
            _ => self.make(Prefix::G(a)),
        }
    }

    /// The conjunction of these.
    pub(super) fn and(&mut self, of: impl IntoIterator<Item = Beta>) -> Beta {
        let mut parts = Vec::new();
        for part in of {
            match self.node(part) {
                Prefix::And(inner) => parts.extend_from_slice(inner),
                Prefix::True => {}
                Prefix::False => return part,
                _ => parts.push(part),
            }
        }
        let has_next = parts.iter().any(|&part| matches!(self.node(part), Prefix::X(_)));
        if self.clashes(&parts) || has_next && parts.iter().any(|&part| *self.node(part) == Prefix::Exit) {
            return self.constant(false);
        }
        self.thin(&mut parts, Self::implies);
        match parts[..] {
            [] => self.constant(true),
            [only] => only,
            _ => self.make(Prefix::And(parts)),
        }
    }

    /// The disjunction of these.
    pub(super) fn or(&mut self, of: impl IntoIterator<Item = Beta>) -> Beta {
        let mut parts = Vec::new();
        for part in of {
            match self.node(part) {
                Prefix::Or(inner) => parts.extend_from_slice(inner),
                Prefix::False => {}
                Prefix::True => return part,
                _ => parts.push(part),
            }
        }
        if self.clashes(&parts) {
            return self.constant(true);
        }
        self.thin(&mut parts, |arena, kept, part| arena.implies(part, kept));
        match parts[..] {
            [] => self.constant(false),
            [only] => only,
            _ => self.make(Prefix::Or(parts)),
        }
    }

    /// Whether an atom and its negation are among these.
    fn clashes(&self, parts: &[Beta]) -> bool {
        parts.iter().any(|&part| match *self.node(part) {
            Prefix::Literal(atom, positive) => {
                parts.iter().any(|&other| *self.node(other) == Prefix::Literal(atom, !positive))
            }
            _ => false,
        })
    }

    /// Makes a set of a list, without the parts that one of those kept makes `needless`.
    fn thin(&mut self, parts: &mut Vec<Beta>, needless: impl Fn(&mut Self, Beta, Beta) -> bool) {
        parts.sort_unstable();
        parts.dedup();
        let mut at = 0;
        while at < parts.len() {
            let part = parts[at];
            let others = parts.iter().filter(|&&other| other != part);
            if others.copied().any(|other| needless(self, other, part)) {
                parts.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Whether one formula is seen to imply another, on any word.
    pub(super) fn implies(&mut self, a: Beta, b: Beta) -> bool {
        if a == b || *self.node(a) == Prefix::False || *self.node(b) == Prefix::True {
            return true;
        }
        if let Some(&known) = self.implied.get(&(a, b)) {
            return known;
        }
        let found = self.implies_by_rule(a, b);
        self.implied.insert((a, b), found);
        found
    }

    fn implies_by_rule(&mut self, a: Beta, b: Beta) -> bool {
        let (left, right) = (self.node(a).clone(), self.node(b).clone());
        if let Prefix::Or(parts) = &left {
            return parts.iter().all(|&part| self.implies(part, b));
        }
        if let Prefix::And(parts) = &right {
            return parts.iter().all(|&part| self.implies(a, part));
        }
        let by_left = match &left {
            Prefix::And(parts) => parts.iter().any(|&part| self.implies(part, b)),
            Prefix::G(inner) => self.implies(*inner, b),
            // whichever of the two holds first
            Prefix::U(along, goal) => self.implies(*along, b) && self.implies(*goal, b),
            _ => false,
        };
        by_left
            || match (&left, &right) {
                (_, Prefix::Or(parts)) => parts.iter().any(|&part| self.implies(a, part)),
                (Prefix::G(_), Prefix::G(inner)) => self.implies(a, *inner),
                (Prefix::X(inner), Prefix::X(other)) => self.implies(*inner, *other),
                (Prefix::U(along, goal), Prefix::U(other, end)) => {
                    self.implies(a, *end) || self.implies(*along, *other) && self.implies(*goal, b)
                }
                (_, Prefix::U(_, goal)) => self.implies(a, *goal),
                _ => false,
            }
    }

    /// Whether a nonempty finite word satisfies a formula: the obvious way.
    #[cfg(test)]
    pub(super) fn holds(&self, beta: Beta, word: &[Vec<bool>]) -> bool {
        let suffixes = || (0..word.len()).map(|from| &word[from..]);
        match self.node(beta) {
            Prefix::True => true,
            Prefix::False => false,
            Prefix::Literal(atom, positive) => word[0][*atom as usize] == *positive,
            Prefix::Exit => word.len() == 1,
            Prefix::And(parts) => parts.iter().all(|&part| self.holds(part, word)),
            Prefix::Or(parts) => parts.iter().any(|&part| self.holds(part, word)),
            Prefix::X(inner) => word.len() > 1 && self.holds(*inner, &word[1..]),
            Prefix::U(along, goal) => suffixes()
                .find(|word| self.holds(*goal, word) || !self.holds(*along, word))
                .is_some_and(|word| self.holds(*goal, word)),
            Prefix::G(inner) => suffixes().all(|word| self.holds(*inner, word)),
        }
    }
}
