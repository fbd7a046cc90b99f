//! Operators of the past, by variables that remember.
//!
//! The value of an operator of the past depends on the present state and on its value before. A
//! *history variable* h holds the latter: `f S g` is `g | (f & h)`, with `next(h) :=` that value,
//! and the others are like it. So a formula of the past over conditions is a condition itself, on
//! states or, if it refers to inputs or to the next state, on steps. `O [0, n] f` and `H [0, n] f`
//! count: the steps since f held, and those for which it has held. `O [a, b] f` is that of b - a, a
//! steps ago.
//!
//! Each operator adds a variable, a bounded one a counter and a variable for every step before its
//! window; equal formulas share theirs. `X` of a condition on states is a condition on the next
//! state.
//!
//! Nothing can remember what the future will bring. Where an operand of the past refers to the
//! future otherwise, h is free, and the property is restricted to the runs on which h has the right
//! value: `Y f` is h, given `!h & G (X h <-> f)`.

use super::lower::{At, Lowering};
use super::memory::Memory;
use super::property::Properties;
use super::scope::ScopeId;
use super::types::Typed;
use crate::ir::{self, Domain, Span};
use crate::syntax::ast::{Binary, Bounded, Bounds, Expr, ExprId, Unary};
use loris_logic::{FormulaBuilder, FormulaId, Node};

/// This many values are remembered at most for one property: a state has no more bits.
const MOST: u64 = 4096;

enum Task {
    Enter(ExprId),
    Exit(ExprId),
}

impl Properties<'_, '_, '_> {
    /// Whether a property remembers more than a state can hold, which is reported.
    pub(super) fn remembers_too_much(&mut self, root: ExprId) -> bool {
        let (mut left, mut values) = (vec![root], 0);
        while let Some(expr) = left.pop() {
            values += match *self.node(expr) {
                Expr::Bounded(op, bounds, _) if op.is_past() => 1 + u64::from(bounds.high),
                _ => u64::from(self.is_past(expr)),
            };
            self.node(expr).operands(|operand| left.push(operand));
        }
        if values > MOST {
            let what = format!("properties that remember more than {MOST} values of the past");
            self.lowering.problems.unsupported(self.lowering.span(root), &what);
        }
        values > MOST
    }

    /// Whether an operator of the past stands here.
    pub(super) fn is_past(&self, expr: ExprId) -> bool {
        match self.node(expr) {
            Expr::Unary(op, _) => op.is_past(),
            Expr::Binary(op, ..) => op.is_past(),
            Expr::Bounded(op, ..) => op.is_past(),
            _ => false,
        }
    }

    /// Whether an operator of the past stands here, over nothing of the future but `X` of
    /// conditions on states.
    pub(super) fn is_history(&mut self, root: ExprId) -> bool {
        if !self.is_past(root) {
            return false;
        }
        let mut left = vec![root];
        while let Some(expr) = left.pop() {
            if let Some((first, second)) = self.operands_of_past(expr) {
                left.push(first);
                left.extend(second);
            } else if !self.is_condition(expr) && !self.is_next_condition(expr) {
                return false;
            }
        }
        true
    }

    /// Whether `X` of a condition on states stands here.
    fn is_next_condition(&mut self, expr: ExprId) -> bool {
        let Expr::Unary(Unary::X, of) = *self.node(expr) else { return false };
        if !self.is_condition(of) {
            return false;
        }
        // its problems are reported when it is resolved
        let mut apart = self.lowering.problems.apart();
        std::mem::swap(self.lowering.problems, &mut apart);
        let now = self.lowering.condition(self.scope, of);
        let later = self.lowering.next_condition(self.scope, of);
        std::mem::swap(self.lowering.problems, &mut apart);
        let about = self.lowering.tables.build.about(now.expr);
        !now.is_wrong() && !later.is_wrong() && !about.next && !about.input && !apart.has_errors()
    }

    /// A formula of the past, as an atom.
    pub(super) fn past(&mut self, root: ExprId) -> Option<FormulaId> {
        let span = self.lowering.span(root);
        let mut tasks = vec![Task::Enter(root)];
        let mut done: Vec<Option<ir::ExprId>> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter(expr) => match self.operands_of_past(expr) {
                    Some((first, second)) => {
                        tasks.push(Task::Exit(expr));
                        tasks.extend(second.map(Task::Enter));
                        tasks.push(Task::Enter(first));
                    }
                    None => done.push(self.part_of_past(expr)),
                },
                Task::Exit(expr) => {
                    let last = done.pop().flatten();
                    let is_binary = matches!(self.operands_of_past(expr), Some((_, Some(_))));
                    let first = if is_binary { done.pop().flatten() } else { last };
                    done.push(first.zip(last).map(|(first, last)| self.value_of_past(expr, first, last)));
                }
            }
        }
        let condition = done.pop().flatten()?;
        let text = self.lowering.text(self.scope, root);
        Some(self.condition_atom(condition, text, span))
    }

    /// The operands of an operator that is taken apart here.
    fn operands_of_past(&self, expr: ExprId) -> Option<(ExprId, Option<ExprId>)> {
        match *self.node(expr) {
            Expr::Unary(op, a) if op.is_past() || op == Unary::Not => Some((a, None)),
            Expr::Bounded(op, _, a) if op.is_past() => Some((a, None)),
            Expr::Binary(
                Binary::And
                | Binary::Or
                | Binary::Xor
                | Binary::Xnor
                | Binary::Implies
                | Binary::Iff
                | Binary::Since
                | Binary::Triggered,
                a,
                b,
            ) => Some((a, Some(b))),
            _ => None,
        }
    }

    /// A condition inside a formula of the past, or `X` of one.
    fn part_of_past(&mut self, expr: ExprId) -> Option<ir::ExprId> {
        if self.is_condition(expr) {
            let typed = self.lowering.condition(self.scope, expr);
            return (!typed.is_wrong()).then_some(typed.expr);
        }
        let Expr::Unary(Unary::X, of) = *self.node(expr) else { return None };
        let typed = self.lowering.next_condition(self.scope, of);
        (!typed.is_wrong()).then_some(typed.expr)
    }

    /// The present value of an operator.
    fn value_of_past(&mut self, expr: ExprId, a: ir::ExprId, b: ir::ExprId) -> ir::ExprId {
        let span = self.lowering.span(expr);
        let text = |this: &Self| this.lowering.text(this.scope, expr);
        match *self.node(expr) {
            Expr::Unary(op @ (Unary::Y | Unary::Z), _) => {
                let name = quoted(&text(self));
                self.lowering.yesterday(a, op == Unary::Z, name, span)
            }
            Expr::Unary(Unary::O, _) => {
                let always = self.lowering.tables.build.value(1, span);
                self.lowering.since((always, a), before(false, &text(self)), span)
            }
            Expr::Unary(Unary::H, _) => {
                let never = self.lowering.tables.build.value(0, span);
                self.lowering.triggered((never, a), before(true, &text(self)), span)
            }
            Expr::Binary(Binary::Since, ..) => self.lowering.since((a, b), before(false, &text(self)), span),
            Expr::Binary(Binary::Triggered, ..) => {
                self.lowering.triggered((a, b), before(true, &text(self)), span)
            }
            Expr::Bounded(op, bounds, of) => {
                let of = self.lowering.text(self.scope, of);
                self.within_bounds(op, bounds, (a, &of), span)
            }
            Expr::Unary(..) => self.lowering.tables.build.not(a, span),
            Expr::Binary(op, ..) => {
                let build = &mut self.lowering.tables.build;
                match op {
                    Binary::And => build.junction(true, [a, b], span),
                    Binary::Or => build.junction(false, [a, b], span),
                    Binary::Implies => {
                        let not = build.not(a, span);
                        build.junction(false, [not, b], span)
                    }
                    Binary::Xor => build.compare(ir::Binary::Unequal, a, b, span),
                    _ => build.compare(ir::Binary::Equal, a, b, span),
                }
            }
            _ => a,
        }
    }

    /// An operator of the past over formulas.
    pub(super) fn past_of_formulas(
        &mut self,
        expr: ExprId,
        (a, b): (FormulaId, FormulaId),
        span: Span,
    ) -> FormulaId {
        let text = |this: &Self| this.lowering.text(this.scope, expr);
        match *self.node(expr) {
            Expr::Unary(op @ (Unary::Y | Unary::Z), _) => {
                let name = text(self);
                self.yesterday(a, op == Unary::Z, name, span)
            }
            Expr::Unary(Unary::O, _) => {
                let name = text(self);
                self.remembered(false, &name, span, |build, before| build.add_at(Node::Or(a, before), span))
            }
            Expr::Unary(Unary::H, _) => {
                let name = text(self);
                self.remembered(true, &name, span, |build, before| build.add_at(Node::And(a, before), span))
            }
            Expr::Binary(Binary::Since, ..) => {
                let name = text(self);
                self.remembered(false, &name, span, |build, before| {
                    let still = build.add_at(Node::And(a, before), span);
                    build.add_at(Node::Or(b, still), span)
                })
            }
            Expr::Binary(..) => {
                let name = text(self);
                self.remembered(true, &name, span, |build, before| {
                    let still = build.add_at(Node::Or(a, before), span);
                    build.add_at(Node::And(b, still), span)
                })
            }
            Expr::Bounded(_, Bounds { high: 0, .. }, _) => a,
            Expr::Bounded(op, Bounds { low, high }, of) => {
                // the condition now, and its `Y` up to one step less ago
                let text = format!("Y ({})", self.lowering.text(self.scope, of));
                let (last, condition) = self.free(text.clone(), span);
                self.given(last, false, a, span);
                let bounds = Bounds { low: low.saturating_sub(1), high: high - 1 };
                let earlier = self.within_bounds(op, bounds, (condition, &text), span);
                let letter = if op == Bounded::O { 'O' } else { 'H' };
                let text = format!("{letter} [{}, {}] ({text})", bounds.low, bounds.high);
                let earlier = self.condition_atom(earlier, text, span);
                match op {
                    _ if low > 0 => earlier,
                    Bounded::O => self.build.add_at(Node::Or(a, earlier), span),
                    _ => self.build.add_at(Node::And(a, earlier), span),
                }
            }
            _ => a,
        }
    }

    fn yesterday(&mut self, a: FormulaId, at_start: bool, text: String, span: Span) -> FormulaId {
        let (before, _) = self.free(text, span);
        self.given(before, at_start, a, span);
        before
    }

    /// The present value of an operator, which `with` makes of its value before.
    fn remembered(
        &mut self,
        at_start: bool,
        text: &str,
        span: Span,
        with: impl FnOnce(&mut FormulaBuilder, FormulaId) -> FormulaId,
    ) -> FormulaId {
        let (before, _) = self.free(format!("{} ({text})", if at_start { 'Z' } else { 'Y' }), span);
        let now = with(&mut self.build, before);
        self.given(before, at_start, now, span);
        now
    }

    /// Restricts the property to runs where `before` has the value that `now` had a step before.
    fn given(&mut self, before: FormulaId, at_start: bool, now: FormulaId, span: Span) {
        let mut add = |node: Node| self.build.add_at(node, span);
        let start = if at_start { before } else { add(Node::Not(before)) };
        let next = add(Node::X(before));
        let same = add(Node::Iff(next, now));
        let always = add(Node::G(same));
        let given = add(Node::And(start, always));
        self.given.push(given);
    }

    /// A truth value that is chosen freely in every state, and is meant to be that of a formula.
    fn free(&mut self, mut text: String, span: Span) -> (FormulaId, ir::ExprId) {
        // two formulas that read the same need not mean the same
        while !self.freed.insert(text.clone()) {
            text.push('_');
        }
        let name = quoted(&text);
        let (variable, _) = self.lowering.remember(Memory::Free, name, Domain::Boolean, None, span);
        let condition = self.lowering.tables.build.variable(variable, false, span);
        (self.condition_atom(condition, text, span), condition)
    }

    /// `O [low, high] a`, `H [low, high] a`.
    fn within_bounds(
        &mut self,
        op: Bounded,
        bounds: Bounds,
        (a, of): (ir::ExprId, &str),
        span: Span,
    ) -> ir::ExprId {
        let window = bounds.high - bounds.low;
        let (mut value, letter) = match (window, op) {
            (0, _) => (a, 'O'),
            (_, Bounded::O) => (self.lowering.within(a, window, of, span), 'O'),
            _ => (self.lowering.throughout(a, window, of, span), 'H'),
        };
        // before the first state nothing holds, whatever the operator
        for steps in 1..=bounds.low {
            let name = quoted(&format!("{letter} [{steps}, {}] ({of})", steps + window));
            value = self.lowering.yesterday(value, false, name, span);
        }
        value
    }
}

/// The name of a variable that has the value of a formula.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// The name of a variable that has the value a formula had before; the value before the first.
fn before(at_start: bool, text: &str) -> String {
    quoted(&format!("{} ({text})", if at_start { 'Z' } else { 'Y' }))
}

impl Lowering<'_, '_> {
    /// The meaning of a condition on states in the next state.
    fn next_condition(&mut self, scope: ScopeId, expr: ExprId) -> Typed {
        let operand = self.lower_at(At { scope, expr, next: true });
        let typed = self.typed(&operand, expr);
        self.truth(typed, expr)
    }

    /// The value of a condition a step before, given its value before the first.
    pub(super) fn yesterday(
        &mut self,
        a: ir::ExprId,
        at_start: bool,
        name: String,
        span: Span,
    ) -> ir::ExprId {
        // the value of `f S g` before is remembered already
        if let Some(&known) = self.tables.remembered.get(&(a, at_start)) {
            return self.tables.build.variable(known, false, span);
        }
        let memory = Memory::Yesterday(a, at_start);
        self.history(memory, name, Domain::Boolean, i64::from(at_start), span, |_, before| (a, before))
    }

    /// `b | a & h`
    fn since(&mut self, (a, b): (ir::ExprId, ir::ExprId), name: String, span: Span) -> ir::ExprId {
        self.history(Memory::Since(a, b), name, Domain::Boolean, 0, span, |this, before| {
            let still = this.tables.build.junction(true, [a, before], span);
            let now = this.tables.build.junction(false, [b, still], span);
            (now, now)
        })
    }

    /// `b & (a | h)`
    fn triggered(&mut self, (a, b): (ir::ExprId, ir::ExprId), name: String, span: Span) -> ir::ExprId {
        self.history(Memory::Triggered(a, b), name, Domain::Boolean, 1, span, |this, before| {
            let still = this.tables.build.junction(false, [a, before], span);
            let now = this.tables.build.junction(true, [b, still], span);
            (now, now)
        })
    }

    /// Whether a condition holds now or did so within some steps, by the steps since it did.
    fn within(&mut self, a: ir::ExprId, steps: u32, text: &str, span: Span) -> ir::ExprId {
        let most = i64::from(steps);
        let name = quoted(&format!("Y (steps since {text}, at most {steps})"));
        self.history(Memory::Ago(a, steps), name, Domain::Range(0, most), most, span, |this, ago| {
            let later = this.counted(ago, most, span);
            let build = &mut this.tables.build;
            let (zero, always, limit) = (build.value(0, span), build.value(1, span), build.value(most, span));
            let next = build.case([(a, zero), (always, later)], span).unwrap_or(zero);
            let recently = build.compare(ir::Binary::Less, ago, limit, span);
            (next, build.junction(false, [a, recently], span))
        })
    }

    /// Whether a condition holds now and did so for some steps, which there were, by their number.
    fn throughout(&mut self, a: ir::ExprId, steps: u32, text: &str, span: Span) -> ir::ExprId {
        let most = i64::from(steps);
        let name = quoted(&format!("Y (steps with {text}, at most {steps})"));
        self.history(Memory::For(a, steps), name, Domain::Range(0, most), 0, span, |this, held| {
            let longer = this.counted(held, most, span);
            let build = &mut this.tables.build;
            let (zero, always, limit) = (build.value(0, span), build.value(1, span), build.value(most, span));
            let next = build.case([(a, longer), (always, zero)], span).unwrap_or(zero);
            let long = build.compare(ir::Binary::Equal, held, limit, span);
            (next, build.junction(true, [a, long], span))
        })
    }

    /// One more, up to a number.
    fn counted(&mut self, count: ir::ExprId, most: i64, span: Span) -> ir::ExprId {
        let build = &mut self.tables.build;
        let (one, most) = (build.value(1, span), build.value(most, span));
        let more = build.number(ir::Binary::Plus, count, one, span).unwrap_or(count);
        build.number(ir::Binary::Min, more, most, span).unwrap_or(count)
    }

    /// The present value of an operator; `with` makes of its variable the next value of that
    /// variable, and the value of the operator.
    fn history(
        &mut self,
        memory: Memory,
        name: String,
        domain: Domain,
        start: i64,
        span: Span,
        with: impl FnOnce(&mut Self, ir::ExprId) -> (ir::ExprId, ir::ExprId),
    ) -> ir::ExprId {
        let (variable, is_new) = self.remember(memory, name, domain, Some(start), span);
        let before = self.tables.build.variable(variable, false, span);
        let (next, now) = with(self, before);
        // unless the operator folded into an operand, which others remember by its own name
        if let Memory::Since(a, b) | Memory::Triggered(a, b) = memory
            && now != a
            && now != b
            && self.tables.build.constant(now).is_none()
        {
            self.tables.remembered.insert((now, start != 0), variable);
        }
        if is_new {
            let variable = &mut self.tables.variables[variable];
            variable.next = Some(next);
            variable.assigned.push((next, span));
        }
        now
    }
}
