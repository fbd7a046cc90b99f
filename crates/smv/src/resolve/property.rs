//! Properties: temporal and boolean operators become a formula, the expressions below them atoms.

use super::atom::Path;
use super::lower::Lowering;
use super::scope::ScopeId;
use crate::ir::{self, Atom, PropertyKind, Span};
use crate::syntax::ast::{Binary, Bounded, Expr, ExprId, Unary};
use loris_base::{Idx, Names};
use loris_logic::{Formula, FormulaBuilder, FormulaId, Node};

/// A resolved property.
pub(super) struct Made {
    pub(super) formula: Formula,
    pub(super) atoms: Vec<Atom>,
}

/// Resolves one property.
pub(super) struct Properties<'p, 'a, 't> {
    pub(super) lowering: &'p mut Lowering<'a, 't>,
    /// All labels of all structures.
    pub(super) labels: &'p Names,
    /// Labels that no structure has.
    pub(super) foreign: Option<&'p Names>,
    pub(super) kind: PropertyKind,
    pub(super) scope: ScopeId,
    pub(super) build: FormulaBuilder,
    /// The condition of each atom, by its text.
    pub(super) meanings: Vec<(String, Atom)>,
    pub(super) known: rustc_hash::FxHashMap<String, usize>,
    /// Whether an atom is about steps.
    steps: bool,
    /// Whether there are path quantifiers.
    branches: bool,
    /// Where an operator of the past stands, if there is one.
    past: Option<Span>,
    /// The condition on the runs that the property is about.
    pub(super) given: Vec<FormulaId>,
    /// The texts of operands with free monitors.
    pub(super) freed: rustc_hash::FxHashSet<String>,
}

enum Task {
    /// Resolve a subformula; whether a quantifier stands directly before it.
    Enter(ExprId, bool),
    /// Combine the results of its operands, one or two.
    Exit(ExprId, bool),
}

impl<'p, 'a, 't> Properties<'p, 'a, 't> {
    pub(super) fn new(
        lowering: &'p mut Lowering<'a, 't>,
        labels: &'p Names,
        kind: PropertyKind,
        scope: ScopeId,
    ) -> Self {
        let (build, meanings) = (FormulaBuilder::default(), Vec::new());
        let known = rustc_hash::FxHashMap::default();
        let (steps, branches) = (false, kind == PropertyKind::Ctl);
        Self {
            lowering,
            labels,
            foreign: None,
            kind,
            scope,
            build,
            meanings,
            known,
            steps,
            branches,
            past: None,
            given: Vec::new(),
            freed: rustc_hash::FxHashSet::default(),
        }
    }

    /// The formula with its atoms, or `None` if something was wrong.
    pub(super) fn resolve(mut self, root: ExprId) -> Option<Made> {
        let always = match *self.node(root) {
            Expr::Unary(Unary::Ag, inner) if self.kind != PropertyKind::Invariant => Some(inner),
            _ => (self.kind == PropertyKind::Invariant).then_some(root),
        };
        if let Some(made) = always.and_then(|always| self.invariant_of_steps(always)) {
            return Some(made);
        }
        if self.remembers_too_much(root) {
            return None;
        }
        let mut tasks = vec![Task::Enter(root, false)];
        let mut done: Vec<Option<FormulaId>> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter(expr, _) if self.lowering.tables.recursive && self.is_past(expr) => {
                    let what = "operators of the past together with `CALL` and `EXIT`";
                    self.lowering.problems.unsupported(self.lowering.span(expr), what);
                    done.push(None);
                }
                Task::Enter(expr, quantified) if self.is_history(expr) => {
                    self.permitted(expr, quantified);
                    done.push(self.past(expr));
                }
                Task::Enter(expr, quantified) => {
                    let Some((first, second)) = self.parts(expr) else {
                        done.push(self.atom(expr));
                        continue;
                    };
                    self.permitted(expr, quantified);
                    let quantifier = matches!(self.node(expr), Expr::Unary(Unary::E | Unary::A, _));
                    tasks.push(Task::Exit(expr, second.is_some()));
                    tasks.extend(second.map(|second| Task::Enter(second, quantifier)));
                    tasks.push(Task::Enter(first, quantifier));
                }
                Task::Exit(expr, two) => {
                    let last = done.pop().flatten();
                    let first = if two { done.pop().flatten() } else { last };
                    done.push(first.zip(last).map(|(first, last)| self.combine(expr, first, last)));
                }
            }
        }
        let mut root_id = done.pop()??;
        if let Some(span) = self.past.filter(|_| self.branches) {
            self.lowering.problems.unsupported(span, "operators of the past under path quantifiers");
            return None;
        }
        if let Some(given) = std::mem::take(&mut self.given)
            .into_iter()
            .reduce(|all, one| self.build.add_at(Node::And(all, one), self.lowering.span(root)))
        {
            root_id = self.build.add_at(Node::Implies(given, root_id), self.lowering.span(root));
        }
        if self.steps && self.branches {
            let what = "conditions on inputs or `next` under path quantifiers";
            self.lowering.problems.unsupported(self.lowering.span(root), what);
            return None;
        }
        if self.kind == PropertyKind::Invariant {
            let span = self.lowering.span(root);
            let always = self.build.add_at(Node::G(root_id), span);
            root_id = self.build.add_at(Node::A(always), span);
        }
        let formula = self.build.finish(root_id);
        let atoms = formula.atoms().iter().map(|name| self.meanings[self.known[name]].1).collect();
        Some(Made { formula, atoms })
    }

    /// An invariant of all steps, `INVARSPEC c` or `AG c`, if it refers to inputs or to the next
    /// state: that its monitor, true at the start, stays so.
    fn invariant_of_steps(&mut self, root: ExprId) -> Option<Made> {
        if self.lowering.tables.recursive || !self.is_condition(root) {
            return None;
        }
        let mut problems = self.lowering.problems.apart();
        std::mem::swap(self.lowering.problems, &mut problems);
        let typed = self.lowering.condition(self.scope, root);
        let has_steps = !typed.is_wrong() && self.has_steps(root);
        // problems are reported when it is resolved part by part
        std::mem::swap(self.lowering.problems, &mut problems);
        if !has_steps {
            return None;
        }
        let span = self.lowering.span(root);
        let text = self.lowering.text(self.scope, root);
        let about = self.lowering.tables.build.about(typed.expr);
        // constants may have taken the steps out of the whole
        let held = if about.input || about.next {
            let monitor = self.lowering.monitor(typed.expr, true, &text, span);
            // elsewhere the text alone means another monitor
            self.named(format!("Z ({text})"), Atom::Condition(monitor), span)
        } else {
            self.condition_atom(typed.expr, text, span)
        };
        let always = self.build.add_at(Node::G(held), span);
        let root = self.build.add_at(Node::A(always), span);
        let formula = std::mem::take(&mut self.build).finish(root);
        let atoms = formula.atoms().iter().map(|name| self.meanings[self.known[name]].1).collect();
        Some(Made { formula, atoms })
    }

    /// Whether an atom of a condition is about inputs or the next state.
    fn has_steps(&mut self, root: ExprId) -> bool {
        let mut left = vec![root];
        while let Some(expr) = left.pop() {
            if let Some((first, second)) = self.parts(expr) {
                left.push(first);
                left.extend(second);
                continue;
            }
            let typed = self.lowering.condition(self.scope, expr);
            let about = self.lowering.tables.build.about(typed.expr);
            if about.input || about.next {
                return true;
            }
        }
        false
    }

    /// Whether an expression has no temporal operators.
    pub(super) fn is_condition(&self, root: ExprId) -> bool {
        let mut left = vec![root];
        while let Some(expr) = left.pop() {
            match self.node(expr) {
                Expr::Unary(op, _) if !matches!(op, Unary::Not | Unary::Minus) => return false,
                Expr::Binary(op, ..) if op.is_temporal() => return false,
                Expr::Quantified(..) | Expr::Bounded(..) | Expr::BoundedUntil(..) | Expr::Psl(..) => {
                    return false;
                }
                node => node.operands(|operand| left.push(operand)),
            }
        }
        true
    }

    pub(super) fn node(&self, expr: ExprId) -> &'a Expr {
        &self.lowering.file.exprs.nodes[expr]
    }

    /// The operands of an operator that belongs to the formula; none if it belongs to an atom.
    fn parts(&self, expr: ExprId) -> Option<(ExprId, Option<ExprId>)> {
        match *self.node(expr) {
            Expr::Unary(op, a) if op != Unary::Minus => Some((a, None)),
            Expr::Bounded(_, _, a) => Some((a, None)),
            Expr::Psl(_, ref parts) => Some((parts[0], Some(parts[1]))),
            Expr::Binary(
                Binary::And
                | Binary::Or
                | Binary::Xor
                | Binary::Xnor
                | Binary::Implies
                | Binary::Iff
                | Binary::Until
                | Binary::Releases
                | Binary::Since
                | Binary::Triggered,
                a,
                b,
            )
            | Expr::Quantified(_, a, b)
            | Expr::BoundedUntil(_, _, a, b) => Some((a, Some(b))),
            _ => None,
        }
    }

    fn combine(&mut self, expr: ExprId, a: FormulaId, b: FormulaId) -> FormulaId {
        let span = self.lowering.span(expr);
        match *self.node(expr) {
            Expr::Unary(op, _) if op.is_past() => self.past_of_formulas(expr, (a, b), span),
            Expr::Bounded(op, ..) if op.is_past() => self.past_of_formulas(expr, (a, b), span),
            Expr::Binary(op, ..) if op.is_past() => self.past_of_formulas(expr, (a, b), span),
            Expr::Unary(op, _) => {
                let (quantifier, node) = match op {
                    Unary::Ex => (Some(true), Node::X(a)),
                    Unary::Ef => (Some(true), Node::F(a)),
                    Unary::Eg => (Some(true), Node::G(a)),
                    Unary::Ax => (Some(false), Node::X(a)),
                    Unary::Af => (Some(false), Node::F(a)),
                    Unary::Ag => (Some(false), Node::G(a)),
                    Unary::X => (None, Node::X(a)),
                    Unary::F => (None, Node::F(a)),
                    Unary::G => (None, Node::G(a)),
                    Unary::E => (None, Node::E(a)),
                    Unary::A => (None, Node::A(a)),
                    // those of the past are made above
                    Unary::Not | Unary::Minus | Unary::Y | Unary::Z | Unary::O | Unary::H => {
                        (None, Node::Not(a))
                    }
                };
                let path = self.build.add_at(node, span);
                quantifier.map_or(path, |exists| self.quantify(exists, path, span))
            }
            Expr::Quantified(exists, ..) => {
                let path = self.build.add_at(Node::U(a, b), span);
                self.quantify(exists, path, span)
            }
            Expr::Psl(op, _) => self.psl(op, (a, b), span),
            Expr::Bounded(op, bounds, _) => self.bounded(op, bounds, a, span),
            Expr::BoundedUntil(exists, bounds, ..) => self.bounded_until(exists, bounds, (a, b), span),
            Expr::Binary(op, ..) => {
                let node = match op {
                    Binary::And => Node::And(a, b),
                    Binary::Or => Node::Or(a, b),
                    Binary::Implies => Node::Implies(a, b),
                    Binary::Until => Node::U(a, b),
                    Binary::Releases => Node::R(a, b),
                    _ => Node::Iff(a, b),
                };
                let id = self.build.add_at(node, span);
                if op == Binary::Xor { self.build.add_at(Node::Not(id), span) } else { id }
            }
            _ => a,
        }
    }

    pub(super) fn quantify(&mut self, exists: bool, path: FormulaId, span: Span) -> FormulaId {
        self.build.add_at(if exists { Node::E(path) } else { Node::A(path) }, span)
    }

    /// Reports operators that are not in the logic of the property.
    fn permitted(&mut self, expr: ExprId, quantified: bool) {
        let (linear, branching) = match self.node(expr) {
            Expr::Unary(Unary::X | Unary::F | Unary::G, _)
            | Expr::Bounded(Bounded::F | Bounded::G | Bounded::O | Bounded::H, ..)
            | Expr::Psl(..) => (true, false),
            Expr::Unary(op, _) if op.is_past() => (true, false),
            Expr::Binary(op, ..) if op.is_temporal() => (true, false),
            Expr::Unary(Unary::Not, _) | Expr::Binary(..) => return,
            _ => (false, true),
        };
        self.branches |= branching;
        if self.is_past(expr) {
            self.past.get_or_insert(self.lowering.span(expr));
        }
        let span = self.lowering.span(expr);
        let problems = &mut *self.lowering.problems;
        match self.kind {
            PropertyKind::Invariant => {
                let help = "an invariant is a condition on states; use CTLSPEC or LTLSPEC for more";
                problems.error_help(span, "a temporal operator in INVARSPEC", help);
            }
            PropertyKind::Ltl if branching => {
                let help = "LTL has X, F, G, U, V and those of the past; E and A are of CTL";
                problems.error_help(span, "a path quantifier in LTLSPEC", help);
            }
            PropertyKind::Ctl if linear && !quantified => {
                let help = "write `E` or `A` before it, or make it an LTLSPEC";
                problems.error_help(span, "a temporal operator without `E` or `A` in CTL", help);
            }
            _ => {}
        }
    }

    fn atom(&mut self, expr: ExprId) -> Option<FormulaId> {
        let span = self.lowering.span(expr);
        if let Some(name) = self.foreign(expr) {
            return Some(self.named(name, Atom::Foreign, span));
        }
        if self.lowering.tables.recursive
            && let Some(label) = self.label(expr)
        {
            return match label {
                Ok(name) => Some(self.named(name, Atom::Label, span)),
                Err(()) => None,
            };
        }
        let typed = self.lowering.condition(self.scope, expr);
        let about = self.lowering.tables.build.about(typed.expr);
        if !typed.is_wrong() && (about.input || about.next) && !self.lowering.tables.recursive {
            let text = self.lowering.text(self.scope, expr);
            return Some(self.condition_atom(typed.expr, text, span));
        }
        let condition = self.lowering.state_condition(self.scope, expr, "a property")?;
        if let Some(value) = self.lowering.tables.build.constant(condition) {
            let node = if value == 0 { Node::False } else { Node::True };
            return Some(self.build.add_at(node, span));
        }
        let text = self.lowering.text(self.scope, expr);
        if self.lowering.tables.recursive && self.lowering.file.modules.len() > 1 {
            let message = format!("`{text}` is about this module: in states of others it is false");
            let help = "a label that several modules DEFINE is about all of them".to_owned();
            self.lowering.problems.warning(span, message, Some(help));
        }
        Some(self.named(text, Atom::Condition(condition), span))
    }

    /// A condition on states, or on steps: then its monitor reports in the next state.
    pub(super) fn condition_atom(&mut self, condition: ir::ExprId, text: String, span: Span) -> FormulaId {
        let about = self.lowering.tables.build.about(condition);
        if let Some(value) = self.lowering.tables.build.constant(condition) {
            let node = if value == 0 { Node::False } else { Node::True };
            return self.build.add_at(node, span);
        }
        if !about.input && !about.next {
            return self.named(text, Atom::Condition(condition), span);
        }
        self.steps = true;
        let monitor = self.lowering.monitor(condition, false, &text, span);
        let held = self.named(text, Atom::Condition(monitor), span);
        self.build.add_at(Node::X(held), span)
    }

    /// The label from elsewhere that a name means, if it means nothing here.
    fn foreign(&self, expr: ExprId) -> Option<String> {
        let Expr::Name(name) = *self.node(expr) else { return None };
        let text = &self.lowering.file.names[name];
        let is_known = self.lowering.tables.scopes[self.scope].names.contains_key(&name);
        let is_known = is_known || self.lowering.tables.recursive && self.labels.find(text).is_some();
        let found = self.foreign.and_then(|names| names.find(text)).filter(|_| !is_known);
        found.map(|_| text.to_owned())
    }

    /// The name of the label that a name means, if it means one, or could.
    fn label(&mut self, expr: ExprId) -> Option<Result<String, ()>> {
        let file = self.lowering.file;
        if let Expr::Name(name) = *self.node(expr) {
            let scope = &self.lowering.tables.scopes[self.scope];
            let text = &file.names[name];
            if !scope.names.contains_key(&name) {
                if self.labels.find(text).is_some() {
                    return Some(Ok(text.to_owned()));
                }
                let own = scope.declared.iter().map(|ident| &file.names[ident.name]);
                let known = self.labels.iter().chain(own);
                let message = format!("no module defines the label `{text}`");
                self.lowering.problems.unknown(file.exprs.spans[expr], message, known);
                return Some(Err(()));
            }
        }
        match self.lowering.path(self.scope, expr)? {
            Path::Define(name) if self.labels.find(&name).is_some() => {
                Some(self.lowering.state_condition(self.scope, expr, "a property").map(|_| name).ok_or(()))
            }
            _ => None,
        }
    }

    fn named(&mut self, mut text: String, atom: Atom, span: Span) -> FormulaId {
        // the same text with another meaning, if a constant of one instance is called like a
        // variable of another
        while self.known.get(&text).is_some_and(|&known| self.meanings[known].1 != atom) {
            text.push('\'');
        }
        if !self.known.contains_key(&text) {
            self.known.insert(text.clone(), self.meanings.len());
            self.meanings.push((text.clone(), atom));
        }
        self.build.atom_at(&text, span)
    }
}

/// The first structure a property can be about.
pub(super) fn first(program: &ir::Program) -> ir::StructureId {
    let main = program.structures.iter().position(|structure| structure.name == "main");
    ir::StructureId::new(main.unwrap_or(0))
}
