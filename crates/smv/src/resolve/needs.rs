//! Requirements on operands: a truth value, a number, a value of a variable.

use super::lower::{Lowering, Wanted};
use super::types::{Type, Typed};
use crate::ir::{self, VariableId};
use crate::syntax::ast::ExprId;
use rustc_hash::FxHashSet;

/// An operand with where it was written.
pub(super) type Placed = (Typed, ExprId);

impl Lowering<'_, '_> {
    /// Whether an expression is `0` or `1`, or a set of these.
    fn is_bits(&self, expr: ir::ExprId) -> bool {
        let build = &self.tables.build;
        let (mut stack, mut seen) = (vec![expr], FxHashSet::default());
        while let Some(expr) = stack.pop() {
            match build.get(expr) {
                _ if !seen.insert(expr) => {}
                ir::Expr::Value(0 | 1) => {}
                ir::Expr::Union(parts) => stack.extend(parts),
                ir::Expr::Range(low, high) => stack.extend([low, high]),
                ir::Expr::Case(branches) => stack.extend(branches.iter().map(|(_, value)| value)),
                _ => return false,
            }
        }
        true
    }

    /// Takes `0` and `1` for truth values.
    pub(super) fn as_truth(&mut self, typed: Typed, expr: ExprId) -> Typed {
        if typed.ty == Type::Integer && self.is_bits(typed.expr) {
            self.problems.number_as_truth(self.span(expr));
            return Typed { ty: Type::Boolean, ..typed };
        }
        typed
    }

    /// A single truth value.
    pub(super) fn truth(&mut self, typed: Typed, expr: ExprId) -> Typed {
        let typed = self.as_truth(typed, expr);
        match typed.ty {
            Type::Wrong => typed,
            Type::Boolean => self.single(typed, expr),
            ty => {
                let message = format!("a truth value is needed, but this is {ty}");
                match ty {
                    Type::Integer => {
                        let help = "compare it with a number, as in `x != 0`";
                        self.problems.error_help(self.span(expr), message, help);
                    }
                    Type::Word { width: 1, .. } => {
                        self.problems.error_help(self.span(expr), message, "`bool` makes one of it");
                    }
                    _ => self.problems.error(self.span(expr), message),
                }
                self.wrong()
            }
        }
    }

    /// A single number, for `what`.
    pub(super) fn number(&mut self, typed: Typed, expr: ExprId, what: &str) -> Typed {
        match typed.ty {
            Type::Wrong => typed,
            Type::Integer => self.single(typed, expr),
            ty => self.no_number(ty, expr, what),
        }
    }

    pub(super) fn no_number(&mut self, ty: Type, expr: ExprId, what: &str) -> Typed {
        let message = format!("{what} is a number, but this is {ty}");
        if matches!(ty, Type::Boolean | Type::Word { .. }) {
            self.problems.error_help(self.span(expr), message, "`toint` makes a number of it");
        } else {
            self.problems.error(self.span(expr), message);
        }
        self.wrong()
    }

    /// One value, not a set.
    pub(super) fn single(&mut self, typed: Typed, expr: ExprId) -> Typed {
        if !typed.set || typed.is_wrong() {
            return typed;
        }
        let help = "a set stands in an assignment, or on the right of `in`";
        self.problems.error_help(self.span(expr), "a set where one value is needed", help);
        self.wrong()
    }

    /// Whether a value that is assigned, or a set of them, can be one of a variable.
    pub(super) fn fit(&mut self, typed: Typed, expr: ExprId, wanted: Wanted) -> Typed {
        let Wanted { variable, branch } = wanted;
        let wanted = self.tables.shapes[variable].ty;
        let typed = if wanted == Type::Boolean { self.as_truth(typed, expr) } else { typed };
        let fits = match (wanted, typed.ty) {
            (_, Type::Wrong) => return typed,
            (_, Type::Exit) => true,
            // that a constant is not a value of the variable is reported below
            (Type::Integer, Type::Symbol) | (Type::Symbol, Type::Integer) => {
                self.tables.build.constants(typed.expr).is_some()
            }
            (wanted, ty) if wanted.is_enumerable() => ty.is_enumerable(),
            (wanted, ty) => wanted == ty,
        };
        let name = &self.tables.variables[variable].name;
        if !fits {
            let message = format!("`{name}` is {wanted}, but this is {}", typed.ty);
            match (wanted, typed.ty) {
                (Type::Integer, Type::Boolean | Type::Word { .. }) => {
                    self.problems.error_help(self.span(expr), message, "`toint` makes a number of it");
                }
                _ => self.problems.error(self.span(expr), message),
            }
            return self.wrong();
        }
        let outside = match self.tables.build.get(typed.expr) {
            ir::Expr::Value(value) => Some(*value).filter(|&value| !self.may_be(variable, value)),
            ir::Expr::Union(parts) => {
                let values = parts.iter().filter_map(|&part| self.tables.build.constant(part));
                values.into_iter().find(|&value| !self.may_be(variable, value))
            }
            ir::Expr::Range(low, high) => {
                let ends = [low, high].into_iter().filter_map(|&end| self.tables.build.constant(end));
                ends.into_iter().find(|&value| !self.may_be(variable, value))
            }
            _ => None,
        };
        if let Some(value) = outside {
            self.outside(value, expr, Wanted { variable, branch });
            if !branch {
                return self.wrong();
            }
        }
        Typed { ty: if typed.ty == Type::Exit { Type::Exit } else { wanted }, ..typed }
    }

    fn may_be(&self, variable: VariableId, value: i64) -> bool {
        value == ir::EXIT || self.tables.has_value(variable, value)
    }

    /// Reports a value that a variable cannot have. In a branch that is an error when a run
    /// gets there.
    fn outside(&mut self, value: i64, expr: ExprId, Wanted { variable, branch }: Wanted) {
        let value = self.print(value);
        let name = self.tables.variables[variable].name.clone();
        let span = self.span(expr);
        let (message, known) = if let ir::Domain::Range(low, high) = self.tables.variables[variable].domain {
            (format!("value {value} is outside {low}..{high}, the range of `{name}`"), Vec::new())
        } else {
            (format!("`{value}` is not a value of `{name}`"), self.members(variable))
        };
        if branch {
            let help = "this is an error if a run takes the branch".to_owned();
            self.problems.warning(span, message, Some(help));
        } else {
            self.problems.unknown(span, message, known.iter().map(String::as_str));
        }
    }

    /// The names of the values of a variable.
    fn members(&self, variable: VariableId) -> Vec<String> {
        match &self.tables.variables[variable].domain {
            ir::Domain::Enumeration(values) => {
                let names = values.iter().filter(|&&value| value < -ir::LIMIT);
                names.map(|&value| self.print(value)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A number, or the name of a symbolic constant.
    pub(super) fn print(&self, value: i64) -> String {
        if value == ir::EXIT {
            return "EXIT".to_owned();
        }
        let name = self.tables.constant_names.iter().find(|name| self.tables.constants[name] == value);
        match name {
            Some(&name) if value < -ir::LIMIT => self.file.names[name].to_owned(),
            _ => value.to_string(),
        }
    }

    /// Warns if a variable is compared with something that is none of its values, or a number with
    /// a symbolic constant.
    pub(super) fn never(&mut self, a: Placed, b: Placed) {
        let mut reported = false;
        for ((variable, _), (value, expr)) in [(a, b), (b, a)] {
            let (ir::Expr::Variable(variable) | ir::Expr::Next(variable)) =
                *self.tables.build.get(variable.expr)
            else {
                continue;
            };
            let Some(values) = self.tables.build.constants(value.expr) else { continue };
            if let Some(&value) = values.iter().find(|&&value| !self.may_be(variable, value)) {
                let name = &self.tables.variables[variable].name;
                let message = format!("`{name}` is never {}", self.print(value));
                let members = self.members(variable);
                let near = loris_base::nearest(&self.print(value), members.iter().map(String::as_str));
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.problems.warning(self.span(expr), message, help);
                reported = true;
            }
        }
        if !reported
            && matches!((a.0.ty, b.0.ty), (Type::Integer, Type::Symbol) | (Type::Symbol, Type::Integer))
        {
            let message = format!("never equal: {} and {}", a.0.ty, b.0.ty);
            self.problems.warning(self.span(b.1), message, None);
        }
    }
}
