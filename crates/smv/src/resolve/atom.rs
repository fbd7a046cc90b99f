//! The text of an atom as it was written, with names in full and parameters resolved.
//!
//! Within a structure one text has one meaning, so that texts distinguish atoms.

use super::lower::Lowering;
use super::scope::{Entry, Known, Operand, ScopeId};
use crate::ir;
use crate::syntax::ast::{Expr, ExprId, File};
use crate::syntax::print_expr;

/// The meaning of a path of names.
pub(super) enum Path {
    Instance(ScopeId),
    /// A variable or an array, by its full name.
    Variable(String),
    /// A definition, by its full name.
    Define(String),
    /// A parameter that stands for another expression, by its full name.
    Parameter(String),
    /// A constant.
    Constant(Expr),
}

impl Lowering<'_, '_> {
    /// The meaning of names with dots and declared indices; `None` for other expressions.
    pub(super) fn path(&self, scope: ScopeId, expr: ExprId) -> Option<Path> {
        let (mut scope, mut expr) = (scope, expr);
        // the parameter whose argument is looked at
        let mut parameter = None;
        loop {
            match self.file.exprs.nodes[expr] {
                Expr::This => return Some(Path::Instance(scope)),
                ref constant @ (Expr::Boolean(_) | Expr::Integer(_) | Expr::Word { .. } | Expr::Exit) => {
                    return Some(Path::Constant(constant.clone()));
                }
                _ => {}
            }
            let Some((at, name)) = self.tables.place(self.file, scope, expr) else { break };
            let full = || format!("{}{}", self.tables.scopes[at].prefix, &self.file.names[name]);
            match self.tables.scopes[at].names.get(&name) {
                Some(&Entry::Instance(inner)) => return Some(Path::Instance(inner)),
                Some(Entry::Variable(_) | Entry::Array(_) | Entry::Running(_) | Entry::Pending) => {
                    return Some(Path::Variable(full()));
                }
                Some(&Entry::Macro(id)) => {
                    let found = &self.tables.macros[id];
                    match &found.known[0] {
                        _ if !found.parameter => return Some(Path::Define(full())),
                        Known::Done(Operand::Instance(inner)) => return Some(Path::Instance(*inner)),
                        Known::Done(Operand::Value(typed)) if typed.place => {
                            let ir::Expr::Variable(variable) = *self.tables.build.get(typed.expr) else {
                                return Some(Path::Parameter(full()));
                            };
                            return Some(Path::Variable(self.tables.variables[variable].name.clone()));
                        }
                        _ => {
                            parameter = Some(full());
                            (scope, expr) = (found.scope, found.body);
                        }
                    }
                }
                None => match (self.tables.scopes[at].parts.get(&name), &self.file.exprs.nodes[expr]) {
                    (Some(&part), _) => return Some(Path::Instance(part)),
                    (None, Expr::Name(name)) => return Some(Path::Constant(Expr::Name(*name))),
                    _ => break,
                },
            }
        }
        if let Some((name, _)) = self.tables.dotted_constant(self.file, expr) {
            return Some(Path::Constant(Expr::Name(name)));
        }
        parameter.map(Path::Parameter)
    }

    /// The text of an atom.
    pub(super) fn text(&self, scope: ScopeId, expr: ExprId) -> String {
        if let Some(Path::Variable(name) | Path::Define(name) | Path::Parameter(name)) =
            self.path(scope, expr)
        {
            return name;
        }
        let mut out = File::default();
        let root = self.copy(scope, expr, &mut out);
        print_expr(&out.exprs, &out.names, root)
    }

    /// Copies an expression with names in full.
    fn copy(&self, scope: ScopeId, expr: ExprId, out: &mut File) -> ExprId {
        let mut done: Vec<ExprId> = Vec::new();
        let mut stack = vec![(expr, false)];
        while let Some((at, visited)) = stack.pop() {
            let node = &self.file.exprs.nodes[at];
            if visited {
                let mut count = 0;
                node.operands(|_| count += 1);
                let mut parts = done.split_off(done.len() - count).into_iter();
                let copy = node.map(|_| parts.next().expect("as many as were pushed"));
                done.push(out.exprs.add(copy, (0, 0)));
            } else if let Some(path) = self.path(scope, at) {
                let copy = match path {
                    Path::Constant(Expr::Name(name)) => Expr::Name(out.names.intern(&self.file.names[name])),
                    Path::Constant(constant) => constant,
                    Path::Variable(name) | Path::Define(name) | Path::Parameter(name) => {
                        Expr::Name(out.names.intern(&name))
                    }
                    Path::Instance(scope) => {
                        Expr::Name(out.names.intern(self.tables.scopes[scope].prefix.trim_end_matches('.')))
                    }
                };
                done.push(out.exprs.add(copy, (0, 0)));
            } else {
                stack.push((at, true));
                let from = stack.len();
                node.operands(|operand| stack.push((operand, false)));
                stack[from..].reverse();
            }
        }
        done.pop().expect("the whole was copied")
    }
}
