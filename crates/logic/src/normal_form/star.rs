//! From CTL* syntax to the core, and from LTL, which is CTL* under one `A`.
//!
//! One loop over the arena. A subformula is a state formula with its literal, or a path formula
//! with two nodes in the arena of path formulas: itself and its negation, so that `A φ` is `!E !φ`
//! without another walk. A quantifier over one temporal operator with state operands takes the way
//! of CTL: a formula of CTL has the same core from both entrances. Linear in the formula.

use super::fragment::{boolean, quantify};
use super::gates::{Gates, Lit};
use crate::formula::{Formula, FormulaId, Node};
use crate::linear::{both_sides, operands, without_quantifiers};
use crate::ltl::{Ltl, LtlId, LtlNode};
use crate::remedies::LINEAR;
use loris_base::{Diagnostic, Diagnostics, Idx};

#[derive(Clone, Copy)]
enum Meaning {
    State(Lit),
    Path {
        /// The formula and its negation.
        sides: [LtlId; 2],
        /// Its first temporal operator, which has no quantifier.
        temporal: FormulaId,
    },
}

pub(super) fn translate(formula: &Formula) -> Result<(Gates, Lit), Diagnostics> {
    let translation = Translation::of(formula);
    match translation.meanings[formula.root().index()] {
        Meaning::State(root) => Ok((translation.core, root)),
        Meaning::Path { temporal, .. } => Err(no_quantifier(translation.formula, temporal).into()),
    }
}

/// The core of `A φ`, for a φ without quantifiers.
pub(super) fn translate_linear(formula: &Formula) -> Result<(Gates, Lit), Diagnostics> {
    without_quantifiers(formula)?;
    let mut translation = Translation::of(formula);
    let root = formula.root();
    let lit = translation.quantified(Node::A(root), root);
    Ok((translation.core, lit))
}

/// E over a path formula of another core, given the literals of its operands.
pub(super) fn rebuild(core: &mut Gates, formula: &Ltl, operand: impl Fn(u32) -> Lit) -> Lit {
    let mut paths: Vec<LtlId> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let of = |child: LtlId| paths[child.index()];
        let path = match node {
            LtlNode::True => core.leaf(Lit::TRUE),
            LtlNode::False => core.leaf(Lit::FALSE),
            LtlNode::Atom(atom) => core.leaf(operand(atom)),
            LtlNode::NotAtom(atom) => core.leaf(!operand(atom)),
            LtlNode::And(a, b) => core.both_paths(of(a), of(b)),
            LtlNode::Or(a, b) => core.either_path(of(a), of(b)),
            LtlNode::X(a) => core.as_mut().next(of(a)),
            LtlNode::U(a, b) => core.as_mut().until(of(a), of(b)),
            LtlNode::R(a, b) => core.as_mut().release(of(a), of(b)),
        };
        paths.push(path);
    }
    core.exists(paths[formula.root().index()])
}

struct Translation<'f> {
    formula: &'f Formula,
    core: Gates,
    meanings: Vec<Meaning>,
}

impl<'f> Translation<'f> {
    fn of(formula: &'f Formula) -> Self {
        let meanings = Vec::with_capacity(formula.len());
        let mut translation = Self { formula, core: Gates::default(), meanings };
        for (id, node) in formula.nodes() {
            let meaning = translation.meaning(id, node);
            translation.meanings.push(meaning);
        }
        translation
    }

    fn meaning(&mut self, id: FormulaId, node: Node) -> Meaning {
        match node {
            Node::Atom(atom) => return Meaning::State(self.core.atom(atom)),
            Node::E(path) | Node::A(path) => return Meaning::State(self.quantified(node, path)),
            _ => {}
        }
        let [a, b] = operands(node);
        let bare = node.children().find_map(|child| match self.meanings[child.index()] {
            Meaning::Path { temporal, .. } => Some(temporal),
            Meaning::State(_) => None,
        });
        let temporal = if node.is_temporal() { id } else { bare.unwrap_or(id) };
        if bare.is_none() && !node.is_temporal() {
            let state = |id: FormulaId| match self.meanings.get(id.index()) {
                Some(&Meaning::State(lit)) => lit,
                _ => Lit::TRUE, // a constant has no operands
            };
            let (a, b) = (state(a), state(b));
            return Meaning::State(boolean(&mut self.core, node, a, b));
        }
        let (a, b) = (self.sides(a), self.sides(b));
        let sides = both_sides(&mut self.core, node, a, b, &mut Gates::both_paths, &mut Gates::either_path);
        Meaning::Path { sides, temporal }
    }

    fn quantified(&mut self, quantifier: Node, path: FormulaId) -> Lit {
        let [yes, no] = match self.meanings[path.index()] {
            Meaning::State(lit) => return lit,
            Meaning::Path { sides, .. } => sides,
        };
        let node = self.formula.node(path);
        let [a, b] = operands(node).map(|operand| self.meanings[operand.index()]);
        match (a, b) {
            (Meaning::State(a), Meaning::State(b)) => quantify(&mut self.core, quantifier, node, a, b),
            _ if matches!(quantifier, Node::E(_)) => self.core.exists(yes),
            _ => !self.core.exists(no),
        }
    }

    /// A formula and its negation as path formulas.
    fn sides(&mut self, id: FormulaId) -> [LtlId; 2] {
        match self.meanings[id.index()] {
            Meaning::State(lit) => [self.core.leaf(lit), self.core.leaf(!lit)],
            Meaning::Path { sides, .. } => sides,
        }
    }
}

/// A path formula where a state formula must be.
fn no_quantifier(formula: &Formula, temporal: FormulaId) -> Diagnostic {
    const SHOWN: usize = 60;
    let (start, end) = formula.span(temporal);
    let (text, whole) = (formula.print(temporal, SHOWN), formula.print(formula.root(), SHOWN));
    let is_linear = !formula.nodes().any(|(_, node)| node.is_quantifier());
    let problem = Diagnostic::error(
        u64::from(start),
        (end - start) as usize,
        format!("`{text}` is under no quantifier: it is about a path, and there are many"),
    )
    .help(format!("write `A ({whole})` for all paths or `E ({whole})` for some path"));
    if is_linear { problem.remedy(LINEAR) } else { problem }
}
