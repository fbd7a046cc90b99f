//! Operators of the core, over nodes of a formula or, while it is built, over gates.

use std::convert::Infallible;
use std::fmt::Debug;
use std::hash::Hash;

loris_base::id! {
    /// A subformula of a [`Core`](super::Core).
    pub struct CoreId;
}

/// The operand of an `E`: in CTL* the index of a path formula; in CTL an empty type.
pub trait UnderE: Copy + Debug + Ord + Hash {
    /// The index into [`Core::paths`](super::Core::paths).
    fn index(self) -> usize;
}

impl UnderE for u32 {
    fn index(self) -> usize {
        self as usize
    }
}

impl UnderE for Infallible {
    fn index(self) -> usize {
        match self {}
    }
}

/// One operator with its operands, which are nodes of the same [`Core`](super::Core).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoreNode<P = u32, N = CoreId> {
    /// Holds everywhere.
    True,
    /// An index into [`Core::atoms`](super::Core::atoms).
    Atom(u32),
    /// Negation of `True`, an atom or an existential operator, never of anything else.
    Not(N),
    /// Conjunction.
    And(N, N),
    /// Disjunction.
    Or(N, N),
    /// In some next state.
    Ex(N),
    /// On some path, always.
    Eg(N),
    /// On some path, the first until the second.
    Eu(N, N),
    /// On some path, a formula that is none of these: an index into
    /// [`Core::paths`](super::Core::paths).
    E(P),
}

impl<P: Copy, N: Copy> CoreNode<P, N> {
    /// The operands, from left to right, but for those of a path formula.
    pub(super) fn operands(self) -> impl DoubleEndedIterator<Item = N> {
        let pair = match self {
            CoreNode::True | CoreNode::Atom(_) | CoreNode::E(_) => [None, None],
            CoreNode::Not(a) | CoreNode::Ex(a) | CoreNode::Eg(a) => [Some(a), None],
            CoreNode::And(a, b) | CoreNode::Or(a, b) | CoreNode::Eu(a, b) => [Some(a), Some(b)],
        };
        pair.into_iter().flatten()
    }

    /// Whether the operator is `EX`, `EG`, `EU` or `E`.
    pub fn is_existential(self) -> bool {
        matches!(self, CoreNode::Ex(_) | CoreNode::Eg(_) | CoreNode::Eu(..) | CoreNode::E(_))
    }

    /// The same operator over other operands.
    pub(super) fn map<M>(self, mut to: impl FnMut(N) -> M) -> CoreNode<P, M> {
        match self {
            CoreNode::True => CoreNode::True,
            CoreNode::Atom(atom) => CoreNode::Atom(atom),
            CoreNode::E(path) => CoreNode::E(path),
            CoreNode::Not(a) => CoreNode::Not(to(a)),
            CoreNode::And(a, b) => CoreNode::And(to(a), to(b)),
            CoreNode::Or(a, b) => CoreNode::Or(to(a), to(b)),
            CoreNode::Ex(a) => CoreNode::Ex(to(a)),
            CoreNode::Eg(a) => CoreNode::Eg(to(a)),
            CoreNode::Eu(a, b) => CoreNode::Eu(to(a), to(b)),
        }
    }

    /// The same operator with something else under `E`.
    pub(super) fn try_under<Q, X>(self, to: impl FnOnce(P) -> Result<Q, X>) -> Result<CoreNode<Q, N>, X> {
        Ok(match self {
            CoreNode::True => CoreNode::True,
            CoreNode::Atom(atom) => CoreNode::Atom(atom),
            CoreNode::Not(a) => CoreNode::Not(a),
            CoreNode::And(a, b) => CoreNode::And(a, b),
            CoreNode::Or(a, b) => CoreNode::Or(a, b),
            CoreNode::Ex(a) => CoreNode::Ex(a),
            CoreNode::Eg(a) => CoreNode::Eg(a),
            CoreNode::Eu(a, b) => CoreNode::Eu(a, b),
            CoreNode::E(path) => CoreNode::E(to(path)?),
        })
    }
}
