//! Existential formulas as path formulas over operands.

use loris_base::Idx;
use loris_logic::{Core, CoreId, CoreNode, Ltl, LtlBuilder};
use loris_recursive::building_blocks::Operand;

/// Eρ: a node of the formula, its path formula, and the operands that this is over.
pub(super) struct Existential {
    pub(super) node: CoreId,
    pub(super) formula: Ltl,
    /// the nodes of its operands
    pub(super) roots: Vec<CoreId>,
    pub(super) operands: Vec<Operand>,
    /// how deep existential formulas are nested in it, itself included
    pub(super) depth: usize,
}

impl Existential {
    /// The existential formulas of a formula, in the order of their nodes.
    pub(super) fn all(formula: &Core) -> Vec<Self> {
        let mut depths = vec![0; formula.nodes().len()];
        let mut all = Vec::new();
        for node in formula.ids() {
            let inner = formula.children(node).map(|child| depths[child.index()]).max().unwrap_or(0);
            depths[node.index()] = inner;
            if let Some(path) = path(formula, node) {
                depths[node.index()] = inner + 1;
                let roots: Vec<CoreId> = formula.children(node).collect();
                let operands = roots.iter().map(|&root| Operand::new(formula, root)).collect();
                all.push(Self { node, formula: path, roots, operands, depth: inner + 1 });
            }
        }
        all
    }
}

/// The path formula of a formula that is existential, over its operands.
fn path(formula: &Core, node: CoreId) -> Option<Ltl> {
    let mut build = LtlBuilder::default();
    let root = match formula.node(node) {
        CoreNode::Ex(_) => {
            let first = build.literal(0, true);
            build.next(first)
        }
        CoreNode::Eg(_) => {
            let first = build.literal(0, true);
            build.always(first)
        }
        CoreNode::Eu(along, _) => {
            let is_true = formula.node(along) == CoreNode::True;
            let first = if is_true { build.constant(true) } else { build.literal(0, true) };
            let second = build.literal(1, true);
            build.until(first, second)
        }
        CoreNode::E(path) => return Some(formula.paths()[path as usize].formula.clone()),
        CoreNode::True | CoreNode::Atom(_) | CoreNode::Not(_) | CoreNode::And(..) | CoreNode::Or(..) => {
            return None;
        }
    };
    Some(build.finish(root))
}
