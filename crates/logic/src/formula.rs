//! Formulas of CTL* as flat arenas.

use loris_base::{Idx, IndexVec, Names, Symbol};
use rustc_hash::FxHashMap;

loris_base::id! {
    /// A subformula of one [`Formula`].
    pub struct FormulaId;
}

/// One operator with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// A label of states.
    Atom(Symbol),
    /// Negation.
    Not(FormulaId),
    /// Conjunction.
    And(FormulaId, FormulaId),
    /// Disjunction.
    Or(FormulaId, FormulaId),
    /// Implication.
    Implies(FormulaId, FormulaId),
    /// Equivalence.
    Iff(FormulaId, FormulaId),
    /// On some path.
    E(FormulaId),
    /// On all paths.
    A(FormulaId),
    /// In the next state.
    X(FormulaId),
    /// In this or some later state.
    F(FormulaId),
    /// In this and all later states.
    G(FormulaId),
    /// The second comes, and until then the first holds.
    U(FormulaId, FormulaId),
    /// Until the second comes, if it does, the first holds.
    W(FormulaId, FormulaId),
    /// The second holds up to and including where the first comes, if it does.
    R(FormulaId, FormulaId),
}

impl Node {
    /// The operands, from left to right.
    pub fn children(self) -> impl DoubleEndedIterator<Item = FormulaId> {
        use Node::{A, And, Atom, E, F, False, G, Iff, Implies, Not, Or, R, True, U, W, X};
        let pair = match self {
            True | False | Atom(_) => [None, None],
            Not(a) | E(a) | A(a) | X(a) | F(a) | G(a) => [Some(a), None],
            And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b) | U(a, b) | W(a, b) | R(a, b) => {
                [Some(a), Some(b)]
            }
        };
        pair.into_iter().flatten()
    }

    /// The same operator over other operands.
    #[must_use]
    pub fn map(self, mut to: impl FnMut(FormulaId) -> FormulaId) -> Node {
        match self {
            Node::True | Node::False | Node::Atom(_) => self,
            Node::Not(a) => Node::Not(to(a)),
            Node::E(a) => Node::E(to(a)),
            Node::A(a) => Node::A(to(a)),
            Node::X(a) => Node::X(to(a)),
            Node::F(a) => Node::F(to(a)),
            Node::G(a) => Node::G(to(a)),
            Node::And(a, b) => Node::And(to(a), to(b)),
            Node::Or(a, b) => Node::Or(to(a), to(b)),
            Node::Implies(a, b) => Node::Implies(to(a), to(b)),
            Node::Iff(a, b) => Node::Iff(to(a), to(b)),
            Node::U(a, b) => Node::U(to(a), to(b)),
            Node::W(a, b) => Node::W(to(a), to(b)),
            Node::R(a, b) => Node::R(to(a), to(b)),
        }
    }

    /// Whether the operator is `X`, `F`, `G`, `U`, `W` or `R`.
    pub fn is_temporal(self) -> bool {
        matches!(self, Node::X(_) | Node::F(_) | Node::G(_) | Node::U(..) | Node::W(..) | Node::R(..))
    }

    /// Whether the operator is `E` or `A`.
    pub fn is_quantifier(self) -> bool {
        matches!(self, Node::E(_) | Node::A(_))
    }

    /// Whether this is a path formula, whose truth depends on the path and not on its first state
    /// alone, given the same of the operands.
    pub(crate) fn is_path(self, mut operand: impl FnMut(FormulaId) -> bool) -> bool {
        self.is_temporal() || (!self.is_quantifier() && self.children().any(&mut operand))
    }
}

/// A formula of CTL*; those of CTL and LTL are among them.
///
/// The nodes lie in a flat arena, children before parents, the root last, and every node belongs to
/// the formula. Two formulas are equal if they are the same tree, wherever they were written.
#[derive(Clone, Debug)]
pub struct Formula {
    nodes: IndexVec<FormulaId, Node>,
    spans: IndexVec<FormulaId, (u32, u32)>,
    atoms: Names,
}

impl Formula {
    /// The whole formula.
    pub fn root(&self) -> FormulaId {
        FormulaId::new(self.nodes.len() - 1)
    }

    /// The operator of a subformula.
    #[inline]
    pub fn node(&self, id: FormulaId) -> Node {
        self.nodes[id]
    }

    /// All subformulas, operands before operators.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (FormulaId, Node)> {
        self.nodes.iter_enumerated().map(|(id, &node)| (id, node))
    }

    /// How many nodes there are, at least one.
    #[allow(clippy::len_without_is_empty)] // there is no empty formula
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes held, besides the formula itself.
    pub fn bytes(&self) -> usize {
        let node = size_of::<Node>() + size_of::<(u32, u32)>();
        // lists have a third more room than they need, on average
        node * self.nodes.len() * 4 / 3 + self.atoms.bytes() + 64
    }

    /// The names of the atoms, in the order they appear.
    pub fn atoms(&self) -> &Names {
        &self.atoms
    }

    /// Where a subformula was written: byte offsets of its start and its end. `(0, 0)` for a
    /// subformula that was built, not parsed.
    pub fn span(&self, id: FormulaId) -> (u32, u32) {
        self.spans[id]
    }

    /// The class of the root among all trees seen so far: equal trees get equal classes.
    fn class(&self, classes: &mut FxHashMap<Node, FormulaId>, names: &mut Names) -> FormulaId {
        let mut class = IndexVec::<FormulaId, FormulaId>::new();
        for &node in &self.nodes {
            let node = match node {
                Node::Atom(atom) => Node::Atom(names.intern(&self.atoms[atom])),
                node => node.map(|child| class[child]),
            };
            let next = FormulaId::new(classes.len());
            class.push(*classes.entry(node).or_insert(next));
        }
        class[self.root()]
    }
}

impl PartialEq for Formula {
    /// Linear even where subformulas are shared.
    fn eq(&self, other: &Self) -> bool {
        let (mut classes, mut names) = (FxHashMap::default(), Names::default());
        self.class(&mut classes, &mut names) == other.class(&mut classes, &mut names)
    }
}

impl Eq for Formula {}

/// Makes a formula node by node; a node may be used as operand more than once.
///
/// ```
/// use loris_logic::{FormulaBuilder, Node};
/// let mut build = FormulaBuilder::default();
/// let p = build.atom("p");
/// let q = build.atom("q");
/// let until = build.add(Node::U(p, q));
/// let root = build.add(Node::E(until));
/// assert_eq!(build.finish(root).to_string(), "E [ p U q ]");
/// ```
#[derive(Clone, Debug, Default)]
pub struct FormulaBuilder {
    nodes: IndexVec<FormulaId, Node>,
    spans: IndexVec<FormulaId, (u32, u32)>,
    atoms: Names,
}

impl FormulaBuilder {
    /// Adds an atom.
    pub fn atom(&mut self, name: &str) -> FormulaId {
        self.atom_at(name, (0, 0))
    }

    /// Adds an operator whose operands were added before.
    pub fn add(&mut self, node: Node) -> FormulaId {
        self.add_at(node, (0, 0))
    }

    /// Adds an atom that was written at these byte offsets.
    pub fn atom_at(&mut self, name: &str, span: (u32, u32)) -> FormulaId {
        let symbol = self.atoms.intern(name);
        self.add_at(Node::Atom(symbol), span)
    }

    /// Adds an operator that was written, with its operands, at these byte offsets.
    pub fn add_at(&mut self, node: Node, span: (u32, u32)) -> FormulaId {
        debug_assert!(node.children().all(|child| child.index() < self.nodes.len()));
        self.spans.push(span);
        self.nodes.push(node)
    }

    /// How many nodes were added.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no node was added.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The formula with this root; nodes it does not use are dropped.
    pub fn finish(self, root: FormulaId) -> Formula {
        let mut used = vec![false; root.index() + 1];
        used[root.index()] = true;
        for i in (0..used.len()).rev() {
            if used[i] {
                self.nodes[FormulaId::new(i)].children().for_each(|child| used[child.index()] = true);
            }
        }
        if used.len() == self.nodes.len() && used.iter().all(|&used| used) {
            return Formula { nodes: self.nodes, spans: self.spans, atoms: self.atoms };
        }

        let mut kept = FormulaBuilder::default();
        let mut place: IndexVec<FormulaId, FormulaId> = vec![root; used.len()].into();
        for (i, _) in used.iter().enumerate().filter(|&(_, &used)| used) {
            let id = FormulaId::new(i);
            place[id] = match self.nodes[id] {
                Node::Atom(atom) => kept.atom_at(&self.atoms[atom], self.spans[id]),
                node => kept.add_at(node.map(|child| place[child]), self.spans[id]),
            };
        }
        Formula { nodes: kept.nodes, spans: kept.spans, atoms: kept.atoms }
    }
}

#[cfg(test)]
mod tests {
    use super::{FormulaBuilder, Node};

    #[test]
    fn unused_nodes_are_dropped() {
        let mut build = FormulaBuilder::default();
        let unused = build.atom("unused");
        let p = build.atom("p");
        build.add(Node::Not(unused));
        let root = build.add(Node::Or(p, p));
        build.add(Node::X(root));
        let formula = build.finish(root);
        assert_eq!((formula.len(), formula.atoms().len()), (2, 1));
        assert_eq!(formula, crate::parse("p | p").expect("well-formed"));
    }

    #[test]
    fn shared_and_repeated_operands_are_the_same_tree() {
        let mut build = FormulaBuilder::default();
        let mut shared = build.atom("p");
        for _ in 0..100 {
            shared = build.add(Node::Iff(shared, shared));
        }
        let formula = build.finish(shared);
        assert_eq!(formula, formula.clone());
        assert_ne!(formula, crate::parse("p <-> p").expect("well-formed"));
    }
}
