//! Parts of things: `instance.name`, `array[index]`.

use super::lower::{At, Lowering};
use super::scope::{ArrayId, Chosen, Entry, Operand};
use super::types::{Type, Typed};
use crate::ir;
use crate::syntax::ast::ExprId;
use loris_base::Symbol;

impl Lowering<'_, '_> {
    /// `of.name`, whose operand is on the stack.
    pub(super) fn dot(&mut self, at: At, of: ExprId, name: Symbol) {
        let file = self.file;
        let scope = match self.pop() {
            Operand::Instance(scope) => scope,
            operand => {
                if !matches!(operand, Operand::Value(typed) if typed.is_wrong()) {
                    let message = format!("`{}` is not an instance of a module", self.source(of));
                    self.problems.error(self.span(of), message);
                }
                let wrong = self.wrong();
                return self.push_operand(Operand::Value(wrong));
            }
        };
        if let Some(&part) = self.tables.scopes[scope].parts.get(&name) {
            return self.push_operand(Operand::Instance(part));
        }
        let scope = &self.tables.scopes[scope];
        let module = &file.names[file.modules[scope.module].name.name];
        let message = if scope.is_instance {
            format!("module `{module}` has no `{}`", &file.names[name])
        } else {
            format!("unknown name `{}{}`", scope.prefix, &file.names[name])
        };
        let known = scope.declared.iter().map(|ident| &file.names[ident.name]);
        self.problems.unknown(file.exprs.spans[at.expr], message, known);
        let wrong = self.wrong();
        self.push_operand(Operand::Value(wrong));
    }

    /// `of[index]`, whose operands are on the stack.
    pub(super) fn index(&mut self, at: At, of: ExprId, index: ExprId) {
        let number = self.pop_value(index);
        let array = self.pop();
        let word = match &array {
            Operand::Array(chosen) => self.tables.arrays[self.level(chosen)].word,
            Operand::List(list) => list.word,
            _ => None,
        };
        let number = self.index_number(word, number, index);
        let result = match array {
            _ if number.is_wrong() => Operand::Value(self.wrong()),
            Operand::Array(chosen) => self.element(at, chosen, number, index),
            Operand::List(list) => self.list_element(&list, number, index, at),
            Operand::Value(typed) if typed.is_wrong() => Operand::Value(typed),
            Operand::Value(Typed { ty: Type::Word { .. }, .. }) => {
                let help = format!("one bit of a word is `{0}[i:i]`", self.source(of));
                self.problems.error_help(self.span(at.expr), "a word is not an array", help);
                Operand::Value(self.wrong())
            }
            _ => {
                let message = format!("`{}` is not an array", self.source(of));
                self.problems.error(self.span(of), message);
                Operand::Value(self.wrong())
            }
        };
        self.push_operand(result);
    }

    /// The array that the next index is about: all of one depth have the same bounds.
    fn level(&self, chosen: &Chosen) -> ArrayId {
        let mut level = chosen.array;
        for _ in 0..chosen.indices.len() {
            if let Some(&Entry::Array(inner)) = self.tables.arrays[level].elements.first() {
                level = inner;
            }
        }
        level
    }

    fn element(&mut self, at: At, mut chosen: Chosen, number: Typed, index: ExprId) -> Operand {
        let level = &self.tables.arrays[self.level(&chosen)];
        let (low, high) = (level.low, level.high());
        let constant = self.tables.build.constant(number.expr);
        if let Some(value) = constant.filter(|value| !(low..=high).contains(value)) {
            let message = format!("index {value} is outside {low}..{high}");
            self.problems.error(self.span(index), message);
            return Operand::Value(self.wrong());
        }
        if let (Some(value), true) = (constant, chosen.indices.is_empty()) {
            return match self.tables.arrays[chosen.array].at(value) {
                Entry::Array(array) => Operand::Array(Chosen { array, ..chosen }),
                Entry::Variable(variable) => {
                    Operand::Value(self.variable(variable, chosen.next, self.span(at.expr)))
                }
                _ => unreachable!("arrays consist of variables and arrays"),
            };
        }
        chosen.indices.push(number.expr);
        if chosen.indices.len() < self.dimensions(chosen.array) {
            return Operand::Array(chosen);
        }
        match self.choose(at, chosen.array, &chosen.indices, chosen.next) {
            Some(typed) => Operand::Value(Typed { place: false, ..typed }),
            None => Operand::Value(self.wrong()),
        }
    }

    /// The element that all indices together choose. As deep as there are dimensions.
    fn choose(&mut self, at: At, array: ArrayId, indices: &[ir::ExprId], next: bool) -> Option<Typed> {
        let (&index, rest) = indices.split_first()?;
        let low = self.tables.arrays[array].low;
        let mut elements = Vec::with_capacity(self.tables.arrays[array].elements.len());
        let mut ty = Type::Wrong;
        for i in 0..self.tables.arrays[array].elements.len() {
            let element = match self.tables.arrays[array].elements[i] {
                Entry::Array(inner) => self.choose(at, inner, rest, next)?,
                Entry::Variable(variable) => self.variable(variable, next, self.span(at.expr)),
                _ => return None,
            };
            ty = element.ty;
            elements.push(element.expr);
        }
        let expr = self.tables.build.select(index, low, elements, self.span(at.expr));
        Some(Typed::value(expr, ty))
    }
}
