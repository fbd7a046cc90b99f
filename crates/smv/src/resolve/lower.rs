//! From the expressions of the syntax to those of the intermediate representation.
//!
//! One loop with a stack of tasks and a stack of operands, since neither expressions nor chains of
//! definitions may be walked by recursion. A definition is resolved when it is first met, by tasks
//! above those of the expression that needs it; if it is met again meanwhile, definitions form a
//! cycle. Cost: linear in the text, times the number of instances of a module.

use super::problems::Problems;
use super::scope::{List, MacroId, Operand, ScopeId, Tables};
use super::types::{Type, Typed};
use crate::ir::{self, VariableId};
use crate::syntax::ast::{Binary, Expr, ExprId, File, Function};
use std::sync::Arc;

/// Resolves expressions of one structure.
pub(super) struct Lowering<'a, 't> {
    pub(super) file: &'a File,
    pub(super) tables: &'a mut Tables,
    pub(super) problems: &'a mut Problems<'t>,
    /// Whether variables may not be used.
    pub(super) constant: bool,
    /// How many results the operator at hand has, if its operands are sets.
    pub(super) lifted: usize,
    pub(super) tasks: Vec<Task>,
    pub(super) operands: Vec<Operand>,
}

/// The tasks left.
pub(super) enum Task {
    /// Resolve an expression; its parts are to be values of a variable.
    Enter { at: At, wanted: Option<Wanted> },
    /// Combine the operands of an expression.
    Exit(At),
    /// Combine the operands of a chain of one operator.
    Chain(Binary, Vec<ExprId>, ExprId),
    /// The operand is the meaning of a macro.
    Store(MacroId, bool),
    /// The operand is to be a value of a variable.
    Fit(ExprId, Wanted),
}

/// The variable that is assigned.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) variable: VariableId,
    /// Whether a branch leads here, which may never be taken.
    pub(super) branch: bool,
}

/// An expression, where it is to be read, and whether it is about the next state.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) scope: ScopeId,
    pub(super) expr: ExprId,
    pub(super) next: bool,
}

impl<'a, 't> Lowering<'a, 't> {
    pub(super) fn new(file: &'a File, tables: &'a mut Tables, problems: &'a mut Problems<'t>) -> Self {
        Self { file, tables, problems, constant: false, lifted: 0, tasks: Vec::new(), operands: Vec::new() }
    }

    /// The meaning of an expression of this state (and the next).
    pub(super) fn lower(&mut self, scope: ScopeId, expr: ExprId) -> Operand {
        self.run(scope, expr, None)
    }

    /// The meaning of an expression that is assigned to a variable: a set of its values.
    pub(super) fn lower_to(&mut self, scope: ScopeId, expr: ExprId, variable: VariableId) -> Typed {
        let operand = self.run(scope, expr, Some(Wanted { variable, branch: false }));
        self.typed(&operand, expr)
    }

    /// The meaning of a condition.
    pub(super) fn condition(&mut self, scope: ScopeId, expr: ExprId) -> Typed {
        let operand = self.lower(scope, expr);
        let typed = self.typed(&operand, expr);
        self.truth(typed, expr)
    }

    /// A number without variables.
    pub(super) fn constant_number(&mut self, scope: ScopeId, expr: ExprId) -> Option<i64> {
        self.constant = true;
        let operand = self.lower(scope, expr);
        self.constant = false;
        let typed = self.typed(&operand, expr);
        match self.tables.build.constant(typed.expr) {
            _ if typed.is_wrong() => None,
            Some(value) if typed.ty == Type::Integer => Some(value),
            _ => {
                self.problems.error(self.span(expr), "a constant number is needed here");
                None
            }
        }
    }

    /// Resolves a definition or parameter, unless it is known.
    pub(super) fn lower_macro(&mut self, id: MacroId) -> Operand {
        self.use_macro(id, false, self.tables.macros[id].span);
        self.work();
        self.pop()
    }

    fn run(&mut self, scope: ScopeId, expr: ExprId, wanted: Option<Wanted>) -> Operand {
        self.tasks.push(Task::Enter { at: At { scope, expr, next: false }, wanted });
        self.work();
        self.pop()
    }

    /// The meaning of an expression in this state or in the next.
    pub(super) fn lower_at(&mut self, at: At) -> Operand {
        self.tasks.push(Task::Enter { at, wanted: None });
        self.work();
        self.pop()
    }

    fn work(&mut self) {
        while let Some(task) = self.tasks.pop() {
            if !self.problems.goes_on_with(self.tables.build.bytes()) {
                // its meaning does not matter: it is never read
                self.tasks.clear();
                self.operands.clear();
                self.push_wrong();
                return;
            }
            match task {
                Task::Enter { at, wanted } => self.enter(at, wanted),
                Task::Exit(at) => self.exit(at),
                Task::Chain(op, parts, expr) => {
                    let operands = self.pop_typed(&parts);
                    let result = self.chain(op, &parts, operands, expr);
                    self.push(result);
                }
                Task::Store(id, next) => self.store(id, next),
                Task::Fit(expr, wanted) => {
                    let typed = self.pop_value(expr);
                    let fit = self.fit(typed, expr, wanted);
                    self.push(fit);
                }
            }
        }
    }

    /// Pushes tasks for operands, so that the first is resolved first.
    fn enter_all(&mut self, at: At, exprs: &[ExprId], wanted: Option<Wanted>) {
        for &expr in exprs.iter().rev() {
            self.tasks.push(Task::Enter { at: At { expr, ..at }, wanted });
        }
    }

    fn enter(&mut self, at: At, wanted: Option<Wanted>) {
        let file = self.file;
        let node = &file.exprs.nodes[at.expr];
        let wanted = match (node, wanted) {
            (Expr::Case(_) | Expr::Conditional(..), Some(wanted)) => Some(Wanted { branch: true, ..wanted }),
            (Expr::Set(_) | Expr::Binary(Binary::Union, ..), _) => wanted,
            (_, Some(wanted)) => {
                self.tasks.push(Task::Fit(at.expr, wanted));
                None
            }
            (_, None) => None,
        };
        match node {
            Expr::Boolean(value) => {
                let value = self.value(i64::from(*value), Type::Boolean, at.expr);
                self.push(value);
            }
            Expr::Integer(value) => {
                // the parser refuses greater ones
                debug_assert!((1 - ir::LIMIT..ir::LIMIT).contains(value));
                let value = self.value(*value, Type::Integer, at.expr);
                self.push(value);
            }
            Expr::Word { signed, width, bits } => {
                let result = self.word_constant(*signed, *width, *bits, at.expr);
                self.push(result);
            }
            Expr::Exit => self.exit_value(at.expr),
            Expr::This => self.operands.push(Operand::Instance(at.scope)),
            Expr::Name(name) => self.name(at, *name),
            Expr::Next(of) => {
                if at.next {
                    self.problems.error(self.span(at.expr), "`next` within `next`");
                }
                self.tasks.push(Task::Enter { at: At { expr: *of, next: true, ..at }, wanted: None });
            }
            Expr::Binary(op @ (Binary::And | Binary::Or | Binary::Union), ..) => {
                let parts = chain_parts(file, *op, at.expr);
                self.tasks.push(Task::Chain(*op, parts.clone(), at.expr));
                self.enter_all(at, &parts, wanted);
            }
            Expr::Unary(op, _) if op.is_temporal() => self.temporal(at.expr),
            Expr::Binary(Binary::Until | Binary::Releases | Binary::Since | Binary::Triggered, ..)
            | Expr::Quantified(..)
            | Expr::Bounded(..)
            | Expr::BoundedUntil(..)
            | Expr::Psl(..) => {
                self.temporal(at.expr);
            }
            Expr::Case(branches) => {
                self.tasks.push(Task::Exit(at));
                for &(guard, value) in branches.iter().rev() {
                    self.tasks.push(Task::Enter { at: At { expr: value, ..at }, wanted });
                    self.tasks.push(Task::Enter { at: At { expr: guard, ..at }, wanted: None });
                }
            }
            Expr::Conditional(guard, yes, no) => {
                self.tasks.push(Task::Exit(at));
                self.enter_all(at, &[*yes, *no], wanted);
                self.enter_all(at, &[*guard], None);
            }
            Expr::Set(parts) => {
                self.tasks.push(Task::Exit(at));
                self.enter_all(at, parts, wanted);
            }
            Expr::Apply(_, parts) | Expr::List(parts) => {
                self.tasks.push(Task::Exit(at));
                self.enter_all(at, parts, None);
            }
            Expr::Dot(..) | Expr::Index(..)
                if let Some(entry) = self.tables.declared(file, at.scope, at.expr) =>
            {
                self.use_entry(entry, at.next, at.expr);
            }
            Expr::Dot(..) if let Some((_, value)) = self.tables.dotted_constant(file, at.expr) => {
                let value = self.value(value, Type::Symbol, at.expr);
                self.push(value);
            }
            Expr::Dot(a, _) | Expr::Unary(_, a) => {
                self.tasks.push(Task::Exit(at));
                self.enter_all(at, &[*a], None);
            }
            Expr::Index(a, b) | Expr::Binary(_, a, b) => {
                self.tasks.push(Task::Exit(at));
                self.enter_all(at, &[*a, *b], None);
            }
            Expr::Bits(a, b, c) => {
                self.tasks.push(Task::Exit(at));
                self.enter_all(at, &[*a, *b, *c], None);
            }
        }
    }

    /// Reports a temporal operator below a value.
    fn temporal(&mut self, expr: ExprId) {
        let help = "temporal operators combine conditions on states with `!`, `&`, `|`, `->`, `<->`";
        self.problems.error_help(self.span(expr), "a temporal operator where a value is needed", help);
        self.push_wrong();
    }

    fn exit(&mut self, at: At) {
        let file = self.file;
        let result = match &file.exprs.nodes[at.expr] {
            Expr::Dot(of, name) => return self.dot(at, *of, *name),
            Expr::Index(of, index) => return self.index(at, *of, *index),
            Expr::List(parts) => {
                let elements = self.operands.split_off(self.operands.len() - parts.len());
                let list = Arc::new(List { low: 0, word: None, elements });
                return self.push_operand(Operand::List(list));
            }
            Expr::Binary(op @ (Binary::Equal | Binary::Unequal), a, b) if self.has_array(2) => {
                return self.equal_arrays(*op == Binary::Equal, (*a, *b), at.expr);
            }
            Expr::Case(branches) if self.has_array(2 * branches.len()) => {
                let exprs: Vec<ExprId> = branches.iter().flat_map(|&(guard, value)| [guard, value]).collect();
                return self.array_case(&exprs, at.expr);
            }
            Expr::Conditional(guard, yes, no) if self.has_array(2) => {
                let no_value = self.pop();
                let otherwise = self.value(1, Type::Boolean, at.expr);
                self.push(otherwise);
                self.push_operand(no_value);
                return self.array_case(&[*guard, *yes, *guard, *no], at.expr);
            }
            Expr::Apply(function @ (Function::Read | Function::Write | Function::ConstArray), parts) => {
                return self.array_function(*function, parts, at);
            }
            Expr::Unary(op, a) => {
                let a = (self.pop_value(*a), *a);
                self.unary(*op, a, at.expr)
            }
            Expr::Binary(op, a, b) => {
                let b = (self.pop_value(*b), *b);
                let a = (self.pop_value(*a), *a);
                self.binary(*op, a, b, at.expr)
            }
            Expr::Bits(of, high, low) => {
                let low = (self.pop_value(*low), *low);
                let high = (self.pop_value(*high), *high);
                let of = (self.pop_value(*of), *of);
                self.bits(of, high, low, at.expr)
            }
            Expr::Case(branches) => {
                let exprs: Vec<ExprId> = branches.iter().flat_map(|&(guard, value)| [guard, value]).collect();
                let operands = self.pop_typed(&exprs);
                self.case(&operands, &exprs, at.expr)
            }
            Expr::Conditional(guard, yes, no) => {
                let mut operands = self.pop_typed(&[*guard, *yes, *no]);
                let otherwise = self.value(1, Type::Boolean, at.expr);
                operands.insert(2, otherwise);
                self.case(&operands, &[*guard, *yes, *guard, *no], at.expr)
            }
            Expr::Set(parts) => {
                let operands = self.pop_typed(parts);
                self.set(operands, parts, at.expr)
            }
            Expr::Apply(function, parts) => {
                let operands = self.pop_typed(parts);
                self.apply(*function, &operands, parts, at.expr)
            }
            _ => unreachable!("has no operands, or is not a task"),
        };
        self.push(result);
    }
}

/// The operands of a chain of one operator, from left to right, however it is put in parentheses.
fn chain_parts(file: &File, op: Binary, expr: ExprId) -> Vec<ExprId> {
    let (mut parts, mut stack) = (Vec::new(), vec![expr]);
    while let Some(expr) = stack.pop() {
        match file.exprs.nodes[expr] {
            Expr::Binary(other, a, b) if other == op => stack.extend([b, a]),
            _ => parts.push(expr),
        }
    }
    parts
}
