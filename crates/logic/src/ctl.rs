//! The core of CTL: booleans and the existential operators `EX`, `EG` and `EU`.
//!
//! Every engine for CTL works on this form. It is hash-consed, so that each distinct subformula is
//! decided once, and numbered by a walk from the root, so that equal formulas have equal nodes.

mod core;
mod fragment;

use self::core::{Core, Lit};
use crate::{Formula, FormulaBuilder, Node};
use loris_base::Diagnostics;

/// One operator with its operands, as indices into [`Ctl::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CtlNode {
    /// Holds everywhere.
    True,
    /// An index into [`Ctl::atoms`].
    Atom(u32),
    /// Negation of `True`, an atom or an existential operator, never of anything else.
    Not(u32),
    /// Conjunction.
    And(u32, u32),
    /// Disjunction.
    Or(u32, u32),
    /// In some next state.
    Ex(u32),
    /// On some path, always.
    Eg(u32),
    /// On some path, the first until the second.
    Eu(u32, u32),
}

impl CtlNode {
    /// The operands, from left to right.
    pub fn children(self) -> impl DoubleEndedIterator<Item = u32> {
        let pair = match self {
            CtlNode::True | CtlNode::Atom(_) => [None, None],
            CtlNode::Not(a) | CtlNode::Ex(a) | CtlNode::Eg(a) => [Some(a), None],
            CtlNode::And(a, b) | CtlNode::Or(a, b) | CtlNode::Eu(a, b) => [Some(a), Some(b)],
        };
        pair.into_iter().flatten()
    }

    /// Whether the operator is `EX`, `EG` or `EU`.
    pub fn is_existential(self) -> bool {
        matches!(self, CtlNode::Ex(_) | CtlNode::Eg(_) | CtlNode::Eu(..))
    }

    /// The same operator over other operands.
    #[must_use]
    fn map(self, mut to: impl FnMut(u32) -> u32) -> CtlNode {
        match self {
            CtlNode::True | CtlNode::Atom(_) => self,
            CtlNode::Not(a) => CtlNode::Not(to(a)),
            CtlNode::And(a, b) => CtlNode::And(to(a), to(b)),
            CtlNode::Or(a, b) => CtlNode::Or(to(a), to(b)),
            CtlNode::Ex(a) => CtlNode::Ex(to(a)),
            CtlNode::Eg(a) => CtlNode::Eg(to(a)),
            CtlNode::Eu(a, b) => CtlNode::Eu(to(a), to(b)),
        }
    }
}

/// A CTL formula in existential normal form, over a total transition relation.
///
/// Children come before parents, the root last; no node occurs twice, none is unused; negation stands
/// only before `True`, atoms and existential operators; constants are folded, so that `True` and its
/// negation occur as a whole formula or as the first operand of an until only. Operands of `&` and `|`
/// keep their order.
///
/// The pair ([`nodes`](Ctl::nodes), [`root`](Ctl::root)) is the *shape* of the property: it is the same
/// for properties that differ only in the names of their atoms.
///
/// ```
/// use loris_logic::{Ctl, parse};
/// let ctl = |text| Ctl::new(&parse(text).expect("well-formed")).expect("CTL");
/// assert_eq!(ctl("A G p").print(ctl("A G p").root()), "!E [ true U !p ]");
/// assert_eq!(ctl("A G (p -> E F q)").nodes(), ctl("A G (def -> E F use)").nodes());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ctl {
    nodes: Vec<CtlNode>,
    atoms: Vec<String>,
}

/// Sharing can make the text exponentially longer than the formula; nobody reads more than this.
const PRINTED: usize = 1 << 20;

impl Ctl {
    /// The normal form of a formula, or why it is not in the CTL fragment.
    ///
    /// ```
    /// use loris_logic::{Ctl, parse};
    /// let problems = Ctl::new(&parse("E F G p").expect("well-formed")).expect_err("not CTL");
    /// assert_eq!(problems.sorted()[0].offset, Some(4));
    /// ```
    pub fn new(formula: &Formula) -> Result<Ctl, Diagnostics> {
        let (core, root) = fragment::translate(formula)?;
        Ok(Ctl::frozen(&core, root, |atom| formula.atoms()[atom].to_owned()))
    }

    /// The normal form of the negation.
    #[must_use]
    pub fn negated(&self) -> Ctl {
        let mut core = Core::default();
        let mut lits: Vec<Lit> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let of = |child: u32| lits[child as usize];
            let lit = match node {
                CtlNode::True => Lit::TRUE,
                CtlNode::Atom(atom) => core.atom(loris_base::Idx::new(atom as usize)),
                CtlNode::Not(a) => !of(a),
                CtlNode::And(a, b) => core.and(of(a), of(b)),
                CtlNode::Or(a, b) => core.or(of(a), of(b)),
                CtlNode::Ex(a) => core.ex(of(a)),
                CtlNode::Eg(a) => core.eg(of(a)),
                CtlNode::Eu(a, b) => core.eu(of(a), of(b)),
            };
            lits.push(lit);
        }
        let root = lits[self.root() as usize];
        Ctl::frozen(&core, !root, |atom| self.atoms[loris_base::Idx::index(atom)].clone())
    }

    fn frozen(core: &Core, root: Lit, name: impl Fn(loris_base::Symbol) -> String) -> Ctl {
        let (nodes, atoms) = core.freeze(root);
        Ctl { nodes, atoms: atoms.into_iter().map(name).collect() }
    }

    /// All subformulas, operands before operators.
    pub fn nodes(&self) -> &[CtlNode] {
        &self.nodes
    }

    /// The index of the whole formula.
    pub fn root(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    /// The names of the atoms, in the order they first occur.
    pub fn atoms(&self) -> &[String] {
        &self.atoms
    }

    /// The indices of the `EX`, `EG` and `EU` nodes, inner before outer.
    pub fn existentials(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.nodes).filter(|(_, node)| node.is_existential()).map(|(i, _)| i)
    }

    /// A subformula in ordinary syntax; shared operands stay shared.
    pub fn to_formula(&self, node: u32) -> Formula {
        let mut build = FormulaBuilder::default();
        let mut ids = Vec::with_capacity(node as usize + 1);
        for &node in &self.nodes[..=node as usize] {
            let of = |child: u32| ids[child as usize];
            let id = match node {
                CtlNode::True => build.add(Node::True),
                CtlNode::Atom(atom) => build.atom(&self.atoms[atom as usize]),
                CtlNode::Not(a) if self.nodes[a as usize] == CtlNode::True => build.add(Node::False),
                CtlNode::Not(a) => build.add(Node::Not(of(a))),
                CtlNode::And(a, b) => build.add(Node::And(of(a), of(b))),
                CtlNode::Or(a, b) => build.add(Node::Or(of(a), of(b))),
                CtlNode::Ex(a) => {
                    let path = build.add(Node::X(of(a)));
                    build.add(Node::E(path))
                }
                CtlNode::Eg(a) => {
                    let path = build.add(Node::G(of(a)));
                    build.add(Node::E(path))
                }
                CtlNode::Eu(a, b) => {
                    let path = build.add(Node::U(of(a), of(b)));
                    build.add(Node::E(path))
                }
            };
            ids.push(id);
        }
        build.finish(ids[node as usize])
    }

    /// A subformula as text; past a mebibyte it ends in `…`.
    pub fn print(&self, node: u32) -> String {
        let formula = self.to_formula(node);
        formula.print(formula.root(), PRINTED)
    }

    /// A subformula as text, if that takes at most `limit` bytes: operands that are shared here are
    /// written out each time, so that the text can be exponentially longer than the formula.
    ///
    /// ```
    /// use loris_logic::{Ctl, parse};
    /// let ctl = Ctl::new(&parse("p <-> q").expect("well-formed")).expect("CTL");
    /// assert_eq!(ctl.print_within(ctl.root(), 100).as_deref(), Some("p & q | !p & !q"));
    /// assert_eq!(ctl.print_within(ctl.root(), 10), None);
    /// ```
    pub fn print_within(&self, node: u32, limit: usize) -> Option<String> {
        let formula = self.to_formula(node);
        formula.print_within(formula.root(), limit)
    }
}
