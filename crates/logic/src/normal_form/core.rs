//! A formula in normal form.

use super::gates::{Gates, Lit};
use super::node::{CoreId, CoreNode, UnderE};
use super::path::PathFormula;
use super::{fragment, star};
use crate::formula::{Formula, FormulaBuilder, Node};
use loris_base::{Diagnostics, Idx, IndexVec, Symbol};
use std::convert::Infallible;

/// A formula of CTL in normal form: none of its nodes is an `E`, by type.
///
/// ```
/// use loris_logic::{Core, CoreNode, CtlCore, parse};
/// let ctl: CtlCore = Core::new(&parse("A G p").expect("well-formed")).expect("CTL");
/// let is_temporal = |node: CoreNode<_>| match node {
///     CoreNode::Ex(_) | CoreNode::Eg(_) | CoreNode::Eu(..) => true,
///     CoreNode::True | CoreNode::Atom(_) | CoreNode::Not(_) | CoreNode::And(..) | CoreNode::Or(..) => false,
/// };
/// assert_eq!(ctl.nodes().iter().filter(|&&node| is_temporal(node)).count(), 1);
/// ```
pub type CtlCore = Core<Infallible>;

/// A state formula of CTL*, or of CTL as [`CtlCore`], in existential normal form, over a total
/// transition relation.
///
/// Children come before parents, the root last; no node occurs twice, none is unused; negation
/// stands only before `True`, atoms and existential operators; constants are folded, so that `True`
/// and its negation occur as a whole formula or as the first operand of an until only. Operands of
/// `&` and `|` keep their order. The path formulas are those of the `E` nodes, in the order of
/// these.
///
/// The [`shape`](Core::shape) of the property is the same for properties that differ only in the
/// names of their atoms.
///
/// ```
/// use loris_logic::{Core, parse};
/// let ctl = |text| Core::new(&parse(text).expect("well-formed")).expect("CTL");
/// assert_eq!(ctl("A G p").print(ctl("A G p").root()), "!E F !p");
/// assert_eq!(ctl("A G (p -> E F q)").shape(), ctl("A G (def -> E F use)").shape());
///
/// let star = Core::star(&parse("A G F p").expect("well-formed")).expect("CTL*");
/// assert_eq!(star.print(star.root()), "!E F G !p");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Core<P = u32> {
    pub(super) nodes: Vec<CoreNode<P>>,
    pub(super) paths: Vec<PathFormula>,
    pub(super) atoms: Vec<String>,
}

/// Sharing can make the text exponentially longer than the formula; this is as much as anyone
/// reads.
const PRINTED: usize = 1 << 20;

impl CtlCore {
    /// The normal form of a formula, or why it is not in the CTL fragment.
    ///
    /// ```
    /// use loris_logic::{Core, parse};
    /// let problems = Core::new(&parse("E F G p").expect("well-formed")).expect_err("not CTL");
    /// assert_eq!(problems.sorted()[0].offset, Some(4));
    /// ```
    pub fn new(formula: &Formula) -> Result<Self, Diagnostics> {
        Self::translated(formula, false)
    }

    /// The same for a system in which only some paths count, the fair ones: quantifiers range over
    /// these, and where there is none, not even `E G true` holds. Constants under temporal
    /// operators are not folded.
    ///
    /// ```
    /// use loris_logic::{Core, parse};
    /// let formula = parse("A G (p & !p)").expect("well-formed");
    /// let print = |core: loris_logic::CtlCore| core.print(core.root());
    /// assert_eq!(print(Core::new(&formula).expect("CTL")), "false");
    /// assert_eq!(print(Core::fair(&formula).expect("CTL")), "!E F true");
    /// ```
    pub fn fair(formula: &Formula) -> Result<Self, Diagnostics> {
        Self::translated(formula, true)
    }

    fn translated(formula: &Formula, fair: bool) -> Result<Self, Diagnostics> {
        let (core, root) = fragment::translate(formula, fair)?;
        let core = Core::frozen(&core, root, |atom| formula.atoms()[atom].to_owned());
        Ok(core.into_ctl().expect("the translation of CTL makes operators of CTL only"))
    }

    /// The normal form of the negation.
    #[must_use]
    pub fn negated(&self) -> Self {
        let negated = Core::<u32>::from(self.clone()).negated();
        negated.into_ctl().expect("negation makes no path formulas")
    }
}

impl From<CtlCore> for Core {
    fn from(ctl: CtlCore) -> Self {
        let Ok(nodes) = ctl.nodes.into_iter().map(|node| node.try_under(Err)).collect();
        Core { nodes, paths: ctl.paths, atoms: ctl.atoms }
    }
}

impl Core {
    /// The normal form of a state formula of CTL*, or where a path formula lacks its quantifier.
    ///
    /// ```
    /// use loris_logic::{Core, CoreNode, parse};
    /// let star = Core::star(&parse("E (G F p & G F q)").expect("well-formed")).expect("CTL*");
    /// assert_eq!(star.nodes().last(), Some(&CoreNode::E(0)));
    /// assert_eq!(star.paths()[0].operands.len(), 2);
    /// assert!(Core::star(&parse("G F p").expect("well-formed")).is_err());
    /// ```
    pub fn star(formula: &Formula) -> Result<Core, Diagnostics> {
        let (core, root) = star::translate(formula)?;
        Ok(Core::frozen(&core, root, |atom| formula.atoms()[atom].to_owned()))
    }

    /// The normal form of `A φ` for a formula φ of LTL, or where it has a quantifier.
    ///
    /// ```
    /// use loris_logic::{Core, parse};
    /// let linear = Core::linear(&parse("G (p -> F q)").expect("well-formed")).expect("LTL");
    /// assert_eq!(linear.print(linear.root()), "!E F (p & G !q)");
    /// ```
    pub fn linear(formula: &Formula) -> Result<Core, Diagnostics> {
        let (core, root) = star::translate_linear(formula)?;
        Ok(Core::frozen(&core, root, |atom| formula.atoms()[atom].to_owned()))
    }

    /// The normal form of the negation.
    #[must_use]
    pub fn negated(&self) -> Core {
        let (core, lits) = self.gates();
        let root = lits[self.root()];
        Core::frozen(&core, !root, |atom| self.atoms[atom.index()].clone())
    }

    /// The same formula as one of CTL, if it is one.
    ///
    /// # Errors
    /// It is not; here it is again.
    pub fn into_ctl(self) -> Result<CtlCore, Self> {
        match self.nodes.iter().map(|node| node.try_under(Err)).collect() {
            Ok(nodes) => Ok(Core { nodes, paths: self.paths, atoms: self.atoms }),
            Err(_) => Err(self),
        }
    }

    /// The formula as gates, and the gate of each of its nodes.
    pub(super) fn gates(&self) -> (Gates, IndexVec<CoreId, Lit>) {
        let mut core = Gates::default();
        let mut lits: IndexVec<CoreId, Lit> = IndexVec::new();
        for &node in &self.nodes {
            let of = |child: CoreId| lits[child];
            let lit = match node {
                CoreNode::True => Lit::TRUE,
                CoreNode::Atom(atom) => core.atom(Symbol::new(atom as usize)),
                CoreNode::Not(a) => !of(a),
                CoreNode::And(a, b) => core.and(of(a), of(b)),
                CoreNode::Or(a, b) => core.or(of(a), of(b)),
                CoreNode::Ex(a) => core.ex(of(a)),
                CoreNode::Eg(a) => core.eg(of(a)),
                CoreNode::Eu(a, b) => core.eu(of(a), of(b)),
                CoreNode::E(path) => {
                    let path = &self.paths[path as usize];
                    star::rebuild(&mut core, &path.formula, |atom| lits[path.operands[atom as usize]])
                }
            };
            lits.push(lit);
        }
        (core, lits)
    }

    pub(super) fn frozen(core: &Gates, root: Lit, name: impl Fn(Symbol) -> String) -> Core {
        let frozen = core.freeze(root);
        let atoms = frozen.atoms.into_iter().map(name).collect();
        Core { nodes: frozen.nodes, paths: frozen.paths, atoms }
    }
}

impl<P: UnderE> Core<P> {
    /// All subformulas, operands before operators.
    pub fn nodes(&self) -> &[CoreNode<P>] {
        &self.nodes
    }

    /// The operator of a subformula.
    #[inline]
    pub fn node(&self, node: CoreId) -> CoreNode<P> {
        self.nodes[node.index()]
    }

    /// All subformulas by their ids, operands before operators.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = CoreId> + ExactSizeIterator + use<P> {
        (0..self.nodes.len()).map(CoreId::new)
    }

    /// The whole formula.
    pub fn root(&self) -> CoreId {
        CoreId::new(self.nodes.len() - 1)
    }

    /// The path formulas of the `E` nodes.
    pub fn paths(&self) -> &[PathFormula] {
        &self.paths
    }

    /// All but the names of the atoms.
    pub fn shape(&self) -> (&[CoreNode<P>], &[PathFormula]) {
        (&self.nodes, &self.paths)
    }

    /// The operands of a node, from left to right; those of an `E` are the operands of its path
    /// formula.
    pub fn children(&self, node: CoreId) -> impl DoubleEndedIterator<Item = CoreId> + '_ {
        let node = self.node(node);
        let path = match node {
            CoreNode::E(path) => &self.paths[path.index()].operands[..],
            _ => &[],
        };
        node.operands().chain(path.iter().copied())
    }

    /// The names of the atoms, in the order they first occur.
    pub fn atoms(&self) -> &[String] {
        &self.atoms
    }

    /// The `EX`, `EG`, `EU` and `E` nodes, inner before outer.
    pub fn existentials(&self) -> impl Iterator<Item = CoreId> {
        self.ids().filter(|&id| self.node(id).is_existential())
    }

    /// A subformula in ordinary syntax; shared operands stay shared.
    pub fn to_formula(&self, node: CoreId) -> Formula {
        let mut build = FormulaBuilder::default();
        let mut ids = Vec::with_capacity(node.index() + 1);
        for &node in &self.nodes[..=node.index()] {
            let of = |child: CoreId| ids[child.index()];
            let id = match node {
                CoreNode::True => build.add(Node::True),
                CoreNode::Atom(atom) => build.atom(&self.atoms[atom as usize]),
                CoreNode::Not(a) if self.node(a) == CoreNode::True => build.add(Node::False),
                CoreNode::Not(a) => build.add(Node::Not(of(a))),
                CoreNode::And(a, b) => build.add(Node::And(of(a), of(b))),
                CoreNode::Or(a, b) => build.add(Node::Or(of(a), of(b))),
                CoreNode::Ex(a) => {
                    let path = build.add(Node::X(of(a)));
                    build.add(Node::E(path))
                }
                CoreNode::Eg(a) => {
                    let path = build.add(Node::G(of(a)));
                    build.add(Node::E(path))
                }
                CoreNode::Eu(a, b) => {
                    let is_finally = self.node(a) == CoreNode::True;
                    let path = build.add(if is_finally { Node::F(of(b)) } else { Node::U(of(a), of(b)) });
                    build.add(Node::E(path))
                }
                CoreNode::E(path) => {
                    let path = self.paths[path.index()].write(&mut build, &ids);
                    build.add(Node::E(path))
                }
            };
            ids.push(id);
        }
        build.finish(ids[node.index()])
    }

    /// A subformula as text; past a mebibyte it ends in `…`.
    pub fn print(&self, node: CoreId) -> String {
        let formula = self.to_formula(node);
        formula.print(formula.root(), PRINTED)
    }

    /// A subformula as text, if that takes at most `limit` bytes: operands that are shared here are
    /// written out each time, so that the text can be exponentially longer than the formula.
    ///
    /// ```
    /// use loris_logic::{Core, parse};
    /// let ctl = Core::new(&parse("p <-> q").expect("well-formed")).expect("CTL");
    /// assert_eq!(ctl.print_within(ctl.root(), 100).as_deref(), Some("p & q | !p & !q"));
    /// assert_eq!(ctl.print_within(ctl.root(), 10), None);
    /// ```
    pub fn print_within(&self, node: CoreId, limit: usize) -> Option<String> {
        let formula = self.to_formula(node);
        formula.print_within(formula.root(), limit)
    }
}
