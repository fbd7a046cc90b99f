//! Conditions taken apart, so that a search can act on a part as soon as it is decided.
//!
//! A plan checks a condition when all it reads is chosen. For `TRANS` with `|`, `->` or `case` that
//! is too late: the choices before it are multiplied, although a guard over the present state
//! leaves one of them. Here a condition is a graph of the operators between truth values, down to
//! parts that compiled code decides. A part that reads no choice stays whole.

use super::code::{Compiler, Entry};
use super::view::{Assigned, View};
use crate::ir::{Binary, Domain, Expr, ExprId, Structure, VariableId};
use loris_base::Idx;
use rustc_hash::FxHashMap;

/// Something whose value is chosen: a field of the state that is made, or an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    Field(u32),
    Input(u32),
}

/// Where the values of a field come from that has an equation.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) choice: u32,
    pub(super) values: RuleValues,
}

#[derive(Clone, Debug)]
pub(super) enum RuleValues {
    /// one of a set, which reads these choices
    Set { entry: Entry, view: View, expr: ExprId, assigned: Assigned, reads: Box<[u32]> },
    /// as it is
    Same,
}

/// All choices, and the conditions on them.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions {
    pub(super) choices: Vec<Chosen>,
    pub(super) rules: Vec<Rule>,
    pub(super) nodes: Vec<Node>,
    /// the conditions themselves
    pub(super) roots: Vec<u32>,
    /// per choice, whether it has an equation
    ruled: Vec<bool>,
}

impl Conditions {
    /// Whether a choice has an equation: conditions then only check its value.
    #[inline]
    pub(super) fn is_ruled(&self, choice: u32) -> bool {
        self.ruled[choice as usize]
    }
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) shape: Shape,
    /// the choices it depends on
    pub(super) reads: Box<[u32]>,
    /// as code, if that is shorter than part by part
    pub(super) whole: Option<Evaluated>,
}

/// Code of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluated {
    pub(super) entry: Entry,
    pub(super) view: View,
    pub(super) expr: ExprId,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// parts that code decides once all they read is chosen
    Leaf(Evaluated),
    Not(u32),
    All(Box<[u32]>),
    Any(Box<[u32]>),
    /// two truth values are equal
    Same(u32, u32),
    /// if the first, then the second, else the third, which is often one of these, too
    If(u32, u32, u32),
    /// two values are equal, each of which may be that of a choice; the whole as code
    Equal(Box<[Side; 2]>, Evaluated),
    /// a choice has one of the values of a set that reads these; the whole as code
    Among {
        choice: u32,
        set: Evaluated,
        reads: Box<[u32]>,
        whole: Evaluated,
    },
    /// a choice between truth values is true; as code
    Is(u32, Evaluated),
}

#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) choice: Option<u32>,
    pub(super) value: Evaluated,
    pub(super) reads: Box<[u32]>,
}

/// Operators nested deeper than this are left to compiled code, which does not recurse.
const DEPTH: usize = 100;

/// Takes conditions apart.
pub(super) struct Anatomy<'p, 'a> {
    pub(super) structure: &'a Structure,
    pub(super) step: &'p mut Compiler<'a>,
    pub(super) made: &'p mut Compiler<'a>,
    /// by slot, the choice it is
    choice_of: Vec<Option<u32>>,
    out: Conditions,
    known: FxHashMap<(ExprId, View), u32>,
    reads: FxHashMap<(ExprId, View), Box<[u32]>>,
}

impl<'p, 'a> Anatomy<'p, 'a> {
    /// With choices, each with the slot of its value.
    pub(super) fn new(
        structure: &'a Structure,
        step: &'p mut Compiler<'a>,
        made: &'p mut Compiler<'a>,
        choices: impl Iterator<Item = (Chosen, usize)>,
    ) -> Self {
        let mut choice_of = vec![None; 2 * structure.variables.len()];
        let mut out = Conditions::default();
        for (chosen, slot) in choices {
            choice_of[slot] = Some(out.choices.len() as u32);
            out.choices.push(chosen);
            out.ruled.push(false);
        }
        Self {
            structure,
            step,
            made,
            choice_of,
            out,
            known: FxHashMap::default(),
            reads: FxHashMap::default(),
        }
    }

    /// Adds where the values of a choice come from.
    pub(super) fn rule(&mut self, slot: usize, values: Option<(ExprId, View, Assigned)>) {
        let Some(choice) = self.choice_of[slot] else { return };
        let values = match values {
            None => RuleValues::Same,
            Some((expr, view, assigned)) => {
                let reads = self.reads(expr, view);
                let entry = self.compiler(view).set(expr);
                RuleValues::Set { entry, view, expr, assigned, reads }
            }
        };
        self.out.ruled[choice as usize] = true;
        self.out.rules.push(Rule { choice, values });
    }

    /// Adds a condition.
    pub(super) fn condition(&mut self, expr: ExprId, view: View) {
        let root = self.node(expr, view, 0);
        self.out.roots.push(root);
    }

    /// The conditions, if taking them apart makes a difference.
    pub(super) fn finish(self) -> Option<Conditions> {
        let is_open = |&root: &u32| {
            let node = &self.out.nodes[root as usize];
            !node.reads.is_empty() && !matches!(node.shape, Shape::Leaf(_))
        };
        self.out.roots.iter().any(is_open).then_some(self.out)
    }

    fn compiler(&mut self, view: View) -> &mut Compiler<'a> {
        match view {
            View::Step => self.step,
            View::Made => self.made,
        }
    }

    fn code(&mut self, expr: ExprId, view: View) -> Evaluated {
        Evaluated { entry: self.compiler(view).value(expr), view, expr }
    }

    /// The slot of a variable as an expression reads it.
    fn slot(&self, expr: &Expr, view: View) -> Option<(VariableId, usize)> {
        let count = self.structure.variables.len();
        match *expr {
            Expr::Variable(id) if view == View::Step => Some((id, id.index())),
            Expr::Variable(id) | Expr::Next(id) => Some((id, count + id.index())),
            _ => None,
        }
    }

    fn choice(&self, expr: ExprId, view: View) -> Option<u32> {
        self.slot(self.structure.exprs.get(expr), view).and_then(|(_, slot)| self.choice_of[slot])
    }

    /// The choices an expression reads, in their order.
    fn reads(&mut self, root: ExprId, view: View) -> Box<[u32]> {
        if let Some(reads) = self.reads.get(&(root, view)) {
            return reads.clone();
        }
        let mut reads = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut left = vec![root];
        while let Some(id) = left.pop() {
            if seen.insert(id) {
                let expr = self.structure.exprs.get(id);
                reads.extend(self.slot(expr, view).and_then(|(_, slot)| self.choice_of[slot]));
                expr.operands(|child| left.push(child));
            }
        }
        reads.sort_unstable();
        reads.dedup();
        let reads: Box<[u32]> = reads.into();
        self.reads.insert((root, view), reads.clone());
        reads
    }

    /// Whether an expression is a truth value whatever its place.
    fn is_truth(&self, expr: ExprId) -> bool {
        match self.structure.exprs.get(expr) {
            Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::In(..) => true,
            Expr::Binary(op, ..) => {
                matches!(op, Binary::Equal | Binary::Unequal | Binary::Less | Binary::AtMost)
            }
            Expr::Variable(id) | Expr::Next(id) => self.structure.variables[*id].domain == Domain::Boolean,
            _ => false,
        }
    }

    fn node(&mut self, expr: ExprId, view: View, depth: usize) -> u32 {
        if let Some(&known) = self.known.get(&(expr, view)) {
            return known;
        }
        let reads = self.reads(expr, view);
        let shape = if reads.is_empty() || depth > DEPTH {
            Shape::Leaf(self.code(expr, view))
        } else {
            self.shape(expr, view, depth + 1)
        };
        let is_case = matches!(shape, Shape::If(..));
        let node = self.push(shape, reads);
        if is_case {
            self.out.nodes[node as usize].whole = Some(self.code(expr, view));
        }
        self.known.insert((expr, view), node);
        node
    }

    fn push(&mut self, shape: Shape, reads: Box<[u32]>) -> u32 {
        self.out.nodes.push(Node { shape, reads, whole: None });
        self.out.nodes.len() as u32 - 1
    }

    fn shape(&mut self, expr: ExprId, view: View, depth: usize) -> Shape {
        let structure = self.structure;
        match structure.exprs.get(expr) {
            Expr::Not(a) => Shape::Not(self.node(*a, view, depth)),
            Expr::And(all) => Shape::All(all.iter().map(|&a| self.node(a, view, depth)).collect()),
            Expr::Or(all) => Shape::Any(all.iter().map(|&a| self.node(a, view, depth)).collect()),
            Expr::Variable(_) | Expr::Next(_) => {
                let code = self.code(expr, view);
                match self.choice(expr, view) {
                    Some(choice) => Shape::Is(choice, code),
                    None => Shape::Leaf(code),
                }
            }
            &Expr::Binary(op @ (Binary::Equal | Binary::Unequal), a, b) => {
                let (left, right) = (self.choice(a, view), self.choice(b, view));
                let is_truth = self.is_truth(a) && self.is_truth(b);
                let shape = if is_truth && (left.is_none() || right.is_none()) {
                    Shape::Same(self.node(a, view, depth), self.node(b, view, depth))
                } else if op == Binary::Equal && (left.is_some() || right.is_some()) {
                    let mut side = |choice: Option<u32>, expr: ExprId| Side {
                        choice,
                        reads: self.reads(expr, view),
                        value: self.code(expr, view),
                    };
                    let sides = Box::new([side(left, a), side(right, b)]);
                    Shape::Equal(sides, self.code(expr, view))
                } else {
                    return Shape::Leaf(self.code(expr, view));
                };
                if op == Binary::Equal {
                    return shape;
                }
                let reads = self.reads(expr, view);
                Shape::Not(self.push(shape, reads))
            }
            &Expr::In(a, set) => {
                let whole = self.code(expr, view);
                match self.choice(a, view) {
                    Some(choice) => {
                        let reads = self.reads(set, view);
                        let entry = self.compiler(view).set(set);
                        Shape::Among { choice, set: Evaluated { entry, view, expr: set }, reads, whole }
                    }
                    None => Shape::Leaf(whole),
                }
            }
            Expr::Case(branches) => self.case(expr, branches, view, depth),
            _ => Shape::Leaf(self.code(expr, view)),
        }
    }

    /// A `case` between truth values, branch by branch from the last.
    fn case(&mut self, expr: ExprId, branches: &[(ExprId, ExprId)], view: View, depth: usize) -> Shape {
        let exprs = &self.structure.exprs;
        let is_truth = |&(_, value): &(ExprId, ExprId)| {
            self.is_truth(value) || matches!(exprs.get(value), Expr::Value(0 | 1) | Expr::Case(_))
        };
        if !branches.iter().all(is_truth) {
            return Shape::Leaf(self.code(expr, view));
        }
        let last = branches.last().filter(|&&(guard, _)| *exprs.get(guard) == Expr::Value(1));
        let guarded = &branches[..branches.len() - usize::from(last.is_some())];
        let otherwise = if let Some(&(_, value)) = last {
            self.node(value, view, depth)
        } else {
            // where no branch applies, that is a fault, which code reports
            let (whole, reads) = (self.code(expr, view), self.reads(expr, view));
            self.push(Shape::Leaf(whole), reads)
        };
        let Some((first, others)) = guarded.split_first() else {
            return self.out.nodes[otherwise as usize].shape.clone();
        };
        // as many as the whole may read
        let reads = self.reads(expr, view);
        let mut rest = otherwise;
        for &(guard, value) in others.iter().rev() {
            let shape = Shape::If(self.node(guard, view, depth), self.node(value, view, depth), rest);
            rest = self.push(shape, reads.clone());
        }
        Shape::If(self.node(first.0, view, depth), self.node(first.1, view, depth), rest)
    }
}
