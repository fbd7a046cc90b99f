//! Names with dots and indices: `p.x`, `left.ack`, `a[3]`.
//!
//! As in NuSMV, a name with dots is one name, made of those before it: `VAR a.b` in the module
//! itself and `VAR b` in its instance `a` declare the same. So each name of a scope may have
//! *parts*, a scope of the names that continue it: the instance, if it is one, or else a scope that
//! is not an instance and made when the first such name is declared. A parameter has the parts of
//! its argument: in a module with parameter `left`, `DEFINE left.ack := …` adds `ack` to the
//! instance that was given.
//!
//! A declared index, as in `VAR a[3] : …`, is part of the name before it.

use super::problems::Problems;
use super::scope::{Entry, Scope, ScopeId, Tables};
use crate::ir::Span;
use crate::syntax::ast::{Expr, ExprId, File, Unary};
use loris_base::Symbol;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The names that lead to something, the first of them on top; none for `self`.
pub(super) type Steps = Vec<Symbol>;

/// The names that an expression consists of, if it consists of names, dots and constant indices
/// that were declared.
pub(super) fn steps(file: &File, expr: ExprId) -> Option<Steps> {
    let mut steps = Steps::new();
    let (mut at, mut indices) = (expr, Vec::new());
    let named = |name: Symbol, indices: &mut Vec<i64>| {
        if indices.is_empty() {
            return Some(name);
        }
        let mut text = file.names[name].to_owned();
        for index in indices.drain(..).rev() {
            write!(text, "[{index}]").ok()?;
        }
        file.names.find(&text)
    };
    loop {
        match file.exprs.nodes[at] {
            Expr::Dot(of, name) => {
                steps.push(named(name, &mut indices)?);
                at = of;
            }
            Expr::Index(of, index) => {
                indices.push(literal(file, index)?);
                at = of;
            }
            Expr::Name(name) => {
                steps.push(named(name, &mut indices)?);
                return Some(steps);
            }
            Expr::This if indices.is_empty() => return Some(steps),
            _ => return None,
        }
    }
}

/// The number that is written there.
fn literal(file: &File, expr: ExprId) -> Option<i64> {
    match file.exprs.nodes[expr] {
        Expr::Integer(value) => Some(value),
        Expr::Unary(Unary::Minus, of) => match file.exprs.nodes[of] {
            Expr::Integer(value) => Some(-value),
            _ => None,
        },
        _ => None,
    }
}

impl Tables {
    /// The scope of the names that continue all these.
    pub(super) fn walk(&self, file: &File, scope: ScopeId, mut steps: Steps) -> Option<ScopeId> {
        let mut at = scope;
        while let Some(step) = steps.pop() {
            at = match self.scopes[at].parts.get(&step) {
                Some(&inner) => inner,
                None => self.argument(file, at, step, &mut steps)?,
            };
        }
        Some(at)
    }

    /// The argument for a parameter: the names that lead there are added to the steps. Returns
    /// where they start.
    fn argument(&self, file: &File, at: ScopeId, name: Symbol, to: &mut Steps) -> Option<ScopeId> {
        let Some(&Entry::Macro(id)) = self.scopes[at].names.get(&name) else { return None };
        let found = &self.macros[id];
        if !found.parameter {
            return None;
        }
        // arguments are in scopes further out, so that this terminates
        to.extend(steps(file, found.body)?);
        Some(found.scope)
    }

    /// The scope and the name that an expression leads to, whether it is declared there or not.
    /// `None` for `self`, and for expressions that do not consist of names.
    pub(super) fn place(&self, file: &File, scope: ScopeId, expr: ExprId) -> Option<(ScopeId, Symbol)> {
        let mut steps = steps(file, expr)?;
        if steps.is_empty() {
            return None;
        }
        let last = steps.remove(0);
        Some((self.walk(file, scope, steps)?, last))
    }

    /// The meaning of names with dots and constant indices, if they are declared.
    pub(super) fn declared(&self, file: &File, scope: ScopeId, expr: ExprId) -> Option<Entry> {
        let (scope, name) = self.place(file, scope, expr)?;
        self.scopes[scope].names.get(&name).copied()
    }

    /// The symbolic constant that was declared with these dots, if there is one.
    pub(super) fn dotted_constant(&self, file: &File, expr: ExprId) -> Option<(Symbol, i64)> {
        let steps = steps(file, expr).filter(|steps| steps.len() > 1)?;
        let parts: Vec<&str> = steps.iter().rev().map(|&step| &file.names[step]).collect();
        let name = file.names.find(&parts.join("."))?;
        self.constants.get(&name).map(|&value| (name, value))
    }

    /// The scope of the names that continue these, which are declared in a scope; made if there is
    /// none.
    pub(super) fn part(
        &mut self,
        file: &File,
        scope: ScopeId,
        names: &[Symbol],
        span: Span,
        problems: &mut Problems<'_>,
    ) -> Option<ScopeId> {
        let mut steps: Steps = names.iter().rev().copied().collect();
        let mut at = scope;
        while let Some(step) = steps.pop() {
            let is_parameter =
                |entry: &Entry| matches!(entry, Entry::Macro(id) if self.macros[*id].parameter);
            at = match self.scopes[at].parts.get(&step) {
                Some(&inner) => inner,
                None if self.scopes[at].names.get(&step).is_some_and(is_parameter) => {
                    let Some(outer) = self.argument(file, at, step, &mut steps) else {
                        let name = &file.names[step];
                        let message =
                            format!("parameter `{name}` is not a name here that others could continue");
                        problems.error(span, message);
                        return None;
                    };
                    outer
                }
                None => self.new_part(file, at, step),
            };
        }
        Some(at)
    }

    fn new_part(&mut self, file: &File, at: ScopeId, name: Symbol) -> ScopeId {
        let Scope { module, prefix, depth, process, .. } = &self.scopes[at];
        let prefix = format!("{prefix}{}.", &file.names[name]);
        let part = Scope {
            module: *module,
            prefix,
            names: FxHashMap::default(),
            parts: FxHashMap::default(),
            declared: Vec::new(),
            depth: depth + 1,
            process: *process,
            is_instance: false,
        };
        let part = self.scopes.push(part);
        self.scopes[at].parts.insert(name, part);
        part
    }

    /// The instance that a property is about: where it stands, or the one it names (`… IN p.q`).
    pub(super) fn context(
        &self,
        file: &File,
        scope: ScopeId,
        context: Option<ExprId>,
        problems: &mut Problems<'_>,
    ) -> Option<ScopeId> {
        let Some(expr) = context else { return Some(scope) };
        let found = steps(file, expr).and_then(|steps| self.walk(file, scope, steps));
        let found = found.filter(|&found| self.scopes[found].is_instance);
        if found.is_none() {
            let span = file.exprs.spans[expr];
            problems.error(span, format!("there is no instance `{}`", problems.source(span)));
        }
        found
    }

    /// All instances, in the order they were found.
    pub(super) fn instances(&self) -> impl Iterator<Item = ScopeId> + use<> {
        let ids: Vec<ScopeId> = self.scopes.ids().filter(|&id| self.scopes[id].is_instance).collect();
        ids.into_iter()
    }
}
