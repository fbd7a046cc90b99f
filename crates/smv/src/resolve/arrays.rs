//! Arrays as values: lists of their elements, which are compared, chosen and assigned one by one.

use super::lower::{At, Lowering};
use super::scope::{ArrayId, Chosen, Entry, List, Operand};
use super::types::{Type, Typed};
use crate::ir::{self, Span, VariableId};
use crate::syntax::ast::{ExprId, Function};
use std::sync::Arc;

impl Lowering<'_, '_> {
    /// Whether one of the last operands on the stack is an array.
    pub(super) fn has_array(&self, count: usize) -> bool {
        let operands = &self.operands[self.operands.len() - count..];
        operands.iter().any(|operand| matches!(operand, Operand::Array(_) | Operand::List(_)))
    }

    /// The elements of an array, or an error that there are none.
    pub(super) fn list(&mut self, operand: &Operand, expr: ExprId) -> Option<Arc<List>> {
        match operand {
            Operand::List(list) => Some(Arc::clone(list)),
            Operand::Array(Chosen { array, indices, next }) if indices.is_empty() => {
                Some(self.elements(*array, *next, self.span(expr)))
            }
            Operand::Value(typed) if typed.is_wrong() => None,
            _ => {
                let message = format!("`{}` is not an array, where one is needed", self.source(expr));
                self.problems.error(self.span(expr), message);
                None
            }
        }
    }

    /// The elements of a variable. As deep as there are dimensions.
    pub(super) fn elements(&mut self, array: ArrayId, next: bool, span: Span) -> Arc<List> {
        let entries = self.tables.arrays[array].elements.clone();
        let elements = entries.into_iter().map(|entry| match entry {
            Entry::Array(inner) => Operand::List(self.elements(inner, next, span)),
            Entry::Variable(variable) => Operand::Value(self.variable(variable, next, span)),
            _ => unreachable!("arrays consist of variables and arrays"),
        });
        let elements = elements.collect();
        let array = &self.tables.arrays[array];
        Arc::new(List { low: array.low, word: array.word, elements })
    }

    /// The variables of an array, in order.
    pub(super) fn variables(&self, array: ArrayId) -> Vec<VariableId> {
        let (mut found, mut stack) = (Vec::new(), vec![Entry::Array(array)]);
        while let Some(entry) = stack.pop() {
            match entry {
                Entry::Array(inner) => stack.extend(self.tables.arrays[inner].elements.iter().rev()),
                Entry::Variable(variable) => found.push(variable),
                _ => {}
            }
        }
        found
    }

    /// The values of an array, in order.
    pub(super) fn values(&mut self, list: &Arc<List>, expr: ExprId) -> Vec<Typed> {
        let (mut found, mut stack) = (Vec::new(), vec![Operand::List(Arc::clone(list))]);
        while let Some(operand) = stack.pop() {
            match operand {
                Operand::List(list) => stack.extend(list.elements.iter().rev().cloned()),
                Operand::Array(chosen) if chosen.indices.is_empty() => {
                    stack.push(Operand::List(self.elements(chosen.array, chosen.next, self.span(expr))));
                }
                other => found.push(self.typed(&other, expr)),
            }
        }
        found
    }

    /// Whether arrays have the same indices; else reports it.
    fn alike_arrays(&mut self, a: &List, b: &List, expr: ExprId) -> bool {
        let alike = a.low == b.low && a.elements.len() == b.elements.len();
        if !alike {
            let message = format!("arrays with indices {} and {} do not go together", a.range(), b.range());
            self.problems.error(self.span(expr), message);
        }
        alike
    }

    /// `a = b`, `a != b`, element by element. The operands are on the stack.
    pub(super) fn equal_arrays(&mut self, equal: bool, (a, b): (ExprId, ExprId), expr: ExprId) {
        let right = self.pop();
        let left = self.pop();
        let (left, right) = (self.list(&left, a), self.list(&right, b));
        let (Some(left), Some(right)) = (left, right) else { return self.push_wrong() };
        if !self.alike_arrays(&left, &right, expr) {
            return self.push_wrong();
        }
        let (lefts, rights) = (self.values(&left, a), self.values(&right, b));
        let mut all = Vec::with_capacity(lefts.len());
        for (x, y) in lefts.into_iter().zip(rights) {
            let same = self.equal(ir::Binary::Equal, (x, a), (y, b), expr);
            if same.is_wrong() {
                return self.push(same);
            }
            all.push(same.expr);
        }
        let span = self.span(expr);
        let all = self.tables.build.junction(true, all, span);
        let result = if equal { all } else { self.tables.build.not(all, span) };
        self.push(Typed::value(result, Type::Boolean));
    }

    /// A case of guards and arrays in turn, which are on the stack: an array of cases.
    pub(super) fn array_case(&mut self, exprs: &[ExprId], expr: ExprId) {
        let operands = self.operands.split_off(self.operands.len() - exprs.len());
        let result = self.case_of(&operands, exprs, expr);
        self.push_operand(result);
    }

    /// As deep as there are dimensions.
    fn case_of(&mut self, operands: &[Operand], exprs: &[ExprId], expr: ExprId) -> Operand {
        let is_array = |operand: &Operand| matches!(operand, Operand::Array(_) | Operand::List(_));
        if !operands.iter().skip(1).step_by(2).any(is_array) {
            let typed: Vec<Typed> =
                operands.iter().zip(exprs).map(|(operand, &part)| self.typed(operand, part)).collect();
            return Operand::Value(self.case(&typed, exprs, expr));
        }
        let mut lists: Vec<Arc<List>> = Vec::new();
        for (operand, &part) in operands.iter().zip(exprs).skip(1).step_by(2) {
            let Some(list) = self.list(operand, part) else { return Operand::Value(self.wrong()) };
            if !lists.is_empty() && !self.alike_arrays(&lists[0], &list, part) {
                return Operand::Value(self.wrong());
            }
            lists.push(list);
        }
        let mut elements = Vec::with_capacity(lists[0].elements.len());
        for i in 0..lists[0].elements.len() {
            let guards = operands.iter().step_by(2).cloned();
            let values = lists.iter().map(|list| list.elements[i].clone());
            let branches: Vec<Operand> =
                guards.zip(values).flat_map(|(guard, value)| [guard, value]).collect();
            elements.push(self.case_of(&branches, exprs, expr));
        }
        let List { low, word, .. } = *lists[0];
        Operand::List(Arc::new(List { low, word, elements }))
    }

    /// An index of an array: a number, or a word where the array is indexed by words.
    pub(super) fn index_number(&mut self, word: Option<u32>, number: Typed, index: ExprId) -> Typed {
        match (word, number.ty) {
            (Some(width), Type::Word { signed: false, width: own }) if width == own => {
                let single = self.single(number, index);
                Typed { ty: if single.is_wrong() { single.ty } else { Type::Integer }, ..single }
            }
            (Some(width), Type::Word { .. }) => {
                let message =
                    format!("the index is an unsigned word of width {width}, but this is {}", number.ty);
                self.problems.error(self.span(index), message);
                self.wrong()
            }
            _ => self.number(number, index, "an index"),
        }
    }

    /// An element of a list.
    pub(super) fn list_element(&mut self, list: &List, number: Typed, index: ExprId, at: At) -> Operand {
        if let Some(value) = self.tables.build.constant(number.expr) {
            let place = usize::try_from(value - list.low).ok().filter(|&place| place < list.elements.len());
            let Some(place) = place else {
                let message = format!("index {value} is outside {}", list.range());
                self.problems.error(self.span(index), message);
                return Operand::Value(self.wrong());
            };
            return list.elements[place].clone();
        }
        self.selected(number.expr, list.low, &list.elements, at.expr)
    }

    /// One of several operands. As deep as there are dimensions.
    fn selected(&mut self, number: ir::ExprId, low: i64, operands: &[Operand], expr: ExprId) -> Operand {
        let is_array = |operand: &Operand| matches!(operand, Operand::Array(_) | Operand::List(_));
        if operands.iter().any(is_array) {
            let mut rows: Vec<Arc<List>> = Vec::new();
            for operand in operands {
                let Some(row) = self.list(operand, expr) else { return Operand::Value(self.wrong()) };
                if !rows.is_empty() && !self.alike_arrays(&rows[0], &row, expr) {
                    return Operand::Value(self.wrong());
                }
                rows.push(row);
            }
            let elements = (0..rows[0].elements.len()).map(|i| {
                let column: Vec<Operand> = rows.iter().map(|row| row.elements[i].clone()).collect();
                self.selected(number, low, &column, expr)
            });
            let elements = elements.collect();
            let List { low, word, .. } = *rows[0];
            return Operand::List(Arc::new(List { low, word, elements }));
        }
        let mut values: Vec<Typed> = operands.iter().map(|operand| self.typed(operand, expr)).collect();
        let parts = vec![expr; values.len()];
        let ty = self.join(&mut values, &parts);
        if ty == Type::Wrong || values.iter().any(|value| self.single(*value, expr).is_wrong()) {
            return Operand::Value(self.wrong());
        }
        let elements = values.iter().map(|value| value.expr).collect();
        Operand::Value(Typed::value(self.tables.build.select(number, low, elements, self.span(expr)), ty))
    }

    /// `READ`, `WRITE` and `CONSTARRAY`, whose operands are on the stack.
    pub(super) fn array_function(&mut self, function: Function, parts: &[ExprId], at: At) {
        let operands = self.operands.split_off(self.operands.len() - parts.len());
        let result = self.applied(function, &operands, parts, at);
        let result = result.unwrap_or_else(|| Operand::Value(self.wrong()));
        self.push_operand(result);
    }

    fn applied(
        &mut self,
        function: Function,
        operands: &[Operand],
        parts: &[ExprId],
        at: At,
    ) -> Option<Operand> {
        let list = self.list(&operands[0], parts[0])?;
        let List { low, word, .. } = *list;
        if function == Function::ConstArray {
            let elements = vec![operands[1].clone(); list.elements.len()];
            return Some(Operand::List(Arc::new(List { low, word, elements })));
        }
        let number = self.typed(&operands[1], parts[1]);
        let number = self.index_number(word, number, parts[1]);
        if number.is_wrong() {
            return None;
        }
        if function == Function::Read {
            return Some(self.list_element(&list, number, parts[1], at));
        }
        let (span, constant) = (self.span(parts[1]), self.tables.build.constant(number.expr));
        if let Some(value) = constant {
            // reports an error if it is outside
            self.list_element(&list, number, parts[1], at);
            let mut elements = list.elements.clone();
            *elements.get_mut(usize::try_from(value - low).ok()?)? = operands[2].clone();
            return Some(Operand::List(Arc::new(List { low, word, elements })));
        }
        let otherwise = self.value(1, Type::Boolean, at.expr);
        let exprs = [parts[1], parts[2], parts[1], parts[0]];
        let mut elements = Vec::with_capacity(list.elements.len());
        for (element, i) in list.elements.iter().zip(low..) {
            let here = self.tables.build.value(i, span);
            let here = self.tables.build.compare(ir::Binary::Equal, number.expr, here, span);
            let here = Operand::Value(Typed::value(here, Type::Boolean));
            let branches = [here, operands[2].clone(), Operand::Value(otherwise), element.clone()];
            elements.push(self.case_of(&branches, &exprs, at.expr));
        }
        Some(Operand::List(Arc::new(List { low, word, elements })))
    }
}
