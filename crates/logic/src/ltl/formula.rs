//! Formulas of LTL as arenas, their evaluation on lassos, and their text.

use loris_base::Idx;
use std::fmt::Write;

loris_base::id! {
    /// A node of a formula of LTL, or of its builder.
    pub struct LtlId;
}

/// One operator with its operands, which are nodes of the same [`Ltl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LtlNode {
    /// Holds on every word.
    True,
    /// Holds on no word.
    False,
    /// The first letter has the atom.
    Atom(u32),
    /// The first letter does not have the atom.
    NotAtom(u32),
    /// Conjunction.
    And(LtlId, LtlId),
    /// Disjunction.
    Or(LtlId, LtlId),
    /// Without the first letter.
    X(LtlId),
    /// The second comes, and until then the first holds; `F p` is `true U p`.
    U(LtlId, LtlId),
    /// The second holds up to and including where the first comes, if it does; `G p` is
    /// `false R p`.
    R(LtlId, LtlId),
}

impl LtlNode {
    /// The operands, from left to right.
    pub fn children(self) -> impl DoubleEndedIterator<Item = LtlId> {
        use LtlNode::{And, Atom, False, NotAtom, Or, R, True, U, X};
        let pair = match self {
            True | False | Atom(_) | NotAtom(_) => [None, None],
            X(a) => [Some(a), None],
            And(a, b) | Or(a, b) | U(a, b) | R(a, b) => [Some(a), Some(b)],
        };
        pair.into_iter().flatten()
    }

    /// The same operator over other operands.
    #[must_use]
    pub(crate) fn map(self, mut to: impl FnMut(LtlId) -> LtlId) -> LtlNode {
        match self {
            LtlNode::And(a, b) => LtlNode::And(to(a), to(b)),
            LtlNode::Or(a, b) => LtlNode::Or(to(a), to(b)),
            LtlNode::X(a) => LtlNode::X(to(a)),
            LtlNode::U(a, b) => LtlNode::U(to(a), to(b)),
            LtlNode::R(a, b) => LtlNode::R(to(a), to(b)),
            leaf => leaf,
        }
    }
}

/// A formula of LTL in negation normal form.
///
/// Operands come before operators, the root last; no node occurs twice, none is unused; the order
/// is that of a walk from the root, so that equal formulas have equal nodes.
///
/// ```
/// use loris_logic::LtlBuilder;
/// let mut build = LtlBuilder::default();
/// let p = build.literal(0, true);
/// let eventually = build.eventually(p);
/// let root = build.always(eventually);
/// let ltl = build.finish(root);
/// assert_eq!(ltl.print(&["p"]), "G (F p)");
/// assert!(ltl.holds_on_lasso(&[], &[vec![false], vec![true]]));
/// assert!(!ltl.holds_on_lasso(&[vec![true]], &[vec![false]]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ltl {
    pub(super) nodes: Vec<LtlNode>,
}

impl Ltl {
    /// All subformulas, operands before operators.
    pub fn nodes(&self) -> &[LtlNode] {
        &self.nodes
    }

    /// The operator of a subformula.
    pub fn node(&self, node: LtlId) -> LtlNode {
        self.nodes[node.index()]
    }

    /// The whole formula.
    pub fn root(&self) -> LtlId {
        LtlId::new(self.nodes.len() - 1)
    }

    /// Whether repeating a letter of a word makes no difference, since there is no `X`.
    pub fn is_stutter_invariant(&self) -> bool {
        !self.nodes.iter().any(|node| matches!(node, LtlNode::X(_)))
    }

    /// One more than the largest atom, 0 without atoms.
    pub fn atoms(&self) -> usize {
        let atom = |node: &LtlNode| match *node {
            LtlNode::Atom(atom) | LtlNode::NotAtom(atom) => atom as usize + 1,
            _ => 0,
        };
        self.nodes.iter().map(atom).max().unwrap_or(0)
    }

    /// Whether the word `prefix · cycle^ω` satisfies the formula. A letter holds a truth value per
    /// atom; atoms past its end are false.
    ///
    /// The obvious evaluation, position by position: the oracle of the translation to automata.
    ///
    /// # Panics
    /// When the cycle is empty: that is not an infinite word.
    pub fn holds_on_lasso(&self, prefix: &[Vec<bool>], cycle: &[Vec<bool>]) -> bool {
        assert!(!cycle.is_empty(), "the cycle has at least one letter");
        let letters: Vec<&Vec<bool>> = prefix.iter().chain(cycle).collect();
        let after = |i: usize| if i + 1 < letters.len() { i + 1 } else { prefix.len() };
        let has = |i: usize, atom: u32| letters[i].get(atom as usize).copied().unwrap_or(false);
        let mut values: Vec<Vec<bool>> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let of = |child: LtlId, i: usize| values[child.index()][i];
            let each = |f: &dyn Fn(usize) -> bool| (0..letters.len()).map(f).collect::<Vec<bool>>();
            let value = match node {
                LtlNode::True => each(&|_| true),
                LtlNode::False => each(&|_| false),
                LtlNode::Atom(atom) => each(&|i| has(i, atom)),
                LtlNode::NotAtom(atom) => each(&|i| !has(i, atom)),
                LtlNode::And(a, b) => each(&|i| of(a, i) && of(b, i)),
                LtlNode::Or(a, b) => each(&|i| of(a, i) || of(b, i)),
                LtlNode::X(a) => each(&|i| of(a, after(i))),
                LtlNode::U(..) | LtlNode::R(..) => {
                    let mut value = vec![matches!(node, LtlNode::R(..)); letters.len()];
                    // from the back, twice: the second time the end of the cycle knows its
                    // beginning
                    for i in (0..letters.len()).rev().chain((0..letters.len()).rev()) {
                        value[i] = match node {
                            LtlNode::U(a, b) => of(b, i) || (of(a, i) && value[after(i)]),
                            LtlNode::R(a, b) => of(b, i) && (of(a, i) || value[after(i)]),
                            _ => unreachable!("only these two look at themselves"),
                        };
                    }
                    value
                }
            };
            values.push(value);
        }
        values[self.root().index()][0]
    }

    /// The formula as text over these names of its atoms; all operands in brackets unless they are
    /// literals. Sharing is written out: for people and tests, not for large formulas.
    pub fn print<S: AsRef<str>>(&self, names: &[S]) -> String {
        enum Task {
            Text(&'static str),
            Node(LtlId),
        }
        let mut text = String::new();
        let mut tasks = vec![Task::Node(self.root())];
        while let Some(task) = tasks.pop() {
            let node = match task {
                Task::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Task::Node(node) => self.node(node),
            };
            // pushed in reverse, so that they come out in order
            let mut operands = |left: Option<LtlId>, operator: &'static str, right: LtlId| {
                let wrap = |node: LtlId| {
                    let brackets = self.node(node).children().next().is_some();
                    let (open, close) = if brackets { ("(", ")") } else { ("", "") };
                    [Task::Text(close), Task::Node(node), Task::Text(open)]
                };
                tasks.extend(wrap(right));
                tasks.push(Task::Text(operator));
                tasks.extend(left.into_iter().flat_map(wrap));
            };
            let name = |atom: u32| names.get(atom as usize).map(AsRef::as_ref);
            match node {
                LtlNode::True => text.push_str("true"),
                LtlNode::False => text.push_str("false"),
                LtlNode::Atom(atom) | LtlNode::NotAtom(atom) => {
                    if matches!(node, LtlNode::NotAtom(_)) {
                        text.push('!');
                    }
                    match name(atom) {
                        Some(name) => text.push_str(name),
                        None => _ = write!(text, "p{atom}"),
                    }
                }
                LtlNode::And(a, b) => operands(Some(a), " & ", b),
                LtlNode::Or(a, b) => operands(Some(a), " | ", b),
                LtlNode::X(a) => operands(None, "X ", a),
                LtlNode::U(a, b) if self.node(a) == LtlNode::True => operands(None, "F ", b),
                LtlNode::R(a, b) if self.node(a) == LtlNode::False => operands(None, "G ", b),
                LtlNode::U(a, b) => operands(Some(a), " U ", b),
                LtlNode::R(a, b) => operands(Some(a), " R ", b),
            }
        }
        text
    }
}
