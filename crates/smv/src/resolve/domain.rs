//! Types of variables: from the text to finite domains.

use super::lower::Lowering;
use super::scope::{Array, ArrayId, Entry, ScopeId, Shape};
use super::types::Type;
use crate::ir::{Domain, LIMIT, Span, Variable, VariableKind};
use crate::syntax::ast::{self, Declaration, Expr, Item, TypeKind};
use loris_base::Idx;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// More values than any domain needs.
const WIDEST: i64 = 1 << 40;
/// More bits than any variable needs.
const BITS: i64 = 62;
/// More variables than any model has.
const VARIABLES: usize = 1 << 20;
/// More dimensions than any array has.
const DIMENSIONS: usize = 16;

/// More bits than any index needs.
const INDEX_BITS: u32 = 20;

/// The first index of an array and the last, and the width of words that are indices.
type Indices = (i64, i64, Option<u32>);

/// A type of one value.
struct Scalar {
    domain: Domain,
    shape: Shape,
}

impl Lowering<'_, '_> {
    /// Declares the variables of all instances.
    pub(super) fn declare_variables(&mut self) {
        for scope in self.tables.order.clone() {
            let module = &self.file.modules[self.tables.scopes[scope].module];
            for item in &module.items {
                let Item::Variables(kind, list) = item else { continue };
                let kind = match kind {
                    ast::VariableKind::State => VariableKind::State,
                    ast::VariableKind::Input => VariableKind::Input,
                    ast::VariableKind::Frozen => VariableKind::Frozen,
                };
                for declaration in list {
                    if !matches!(declaration.ty.kind, TypeKind::Instance { .. }) {
                        self.declare(scope, kind, declaration);
                    }
                }
            }
        }
    }

    fn declare(&mut self, scope: ScopeId, kind: VariableKind, declaration: &Declaration) {
        let steps = declaration.prefix.iter().rev().copied().collect();
        // where it cannot be, that was reported
        let Some(to) = self.tables.walk(self.file, scope, steps) else { return };
        let entry = self.entry_of_type((scope, to), kind, declaration);
        let names = &mut self.tables.scopes[to].names;
        // a name that was declared twice keeps its first meaning
        if let (Some(known @ Entry::Pending), Some(entry)) = (names.get_mut(&declaration.name.name), entry) {
            *known = entry;
        }
    }

    /// A declaration, written in one scope and part of another.
    fn entry_of_type(
        &mut self,
        (scope, to): (ScopeId, ScopeId),
        kind: VariableKind,
        declaration: &Declaration,
    ) -> Option<Entry> {
        let mut ty = &declaration.ty;
        let mut bounds = Vec::new();
        loop {
            ty = match &ty.kind {
                TypeKind::Array(low, high, element) => {
                    let bounds_here = self.bounds(scope, *low, *high, ty.span);
                    bounds.push(bounds_here.map(|(low, high)| (low, high, None)));
                    element
                }
                TypeKind::WordArray(width, element) => {
                    bounds.push(self.words(scope, *width));
                    element
                }
                _ => break,
            };
        }
        let scalar = self.scalar(scope, ty);
        let bounds: Vec<Indices> = bounds.into_iter().collect::<Option<_>>()?;
        let scalar = scalar?;
        let size = bounds.iter().try_fold(1_usize, |size, (low, high, _)| {
            size.checked_mul(usize::try_from(high - low + 1).ok()?)
        });
        if size.is_none_or(|size| size + self.tables.variables.len() > VARIABLES) {
            self.problems.error(declaration.ty.span, format!("this makes more than {VARIABLES} variables"));
            return None;
        }
        if bounds.len() > DIMENSIONS {
            self.problems.error(declaration.ty.span, format!("an array has at most {DIMENSIONS} dimensions"));
            return None;
        }
        let name = format!("{}{}", self.tables.scopes[to].prefix, &self.file.names[declaration.name.name]);
        let entry = self.array(name, &bounds, kind, declaration.name.span, &scalar);
        self.no_element_twice(to, declaration, entry);
        Some(entry)
    }

    /// Reports if an element of an array is declared as a name of its own, too.
    fn no_element_twice(&mut self, to: ScopeId, declaration: &Declaration, entry: Entry) {
        let mut stack = vec![(entry, self.file.names[declaration.name.name].to_owned())];
        while let Some((entry, name)) = stack.pop() {
            if let Some(symbol) = self.file.names.find(&name)
                && symbol != declaration.name.name
                && let Some(other) = self.tables.scopes[to].declared.iter().find(|other| other.name == symbol)
            {
                self.problems.declared_twice(&name, other.span, declaration.name.span);
            }
            if let Entry::Array(id) = entry {
                let array = &self.tables.arrays[id];
                let elements = array.elements.iter().zip(array.low..);
                stack.extend(elements.map(|(&element, index)| (element, format!("{name}[{index}]"))));
            }
        }
    }

    /// An array of arrays, or a variable if there are no bounds. As deep as there are dimensions.
    fn array(
        &mut self,
        name: String,
        bounds: &[Indices],
        kind: VariableKind,
        span: Span,
        scalar: &Scalar,
    ) -> Entry {
        let Some((&(low, high, word), rest)) = bounds.split_first() else {
            self.problems.goes_on(1, 2 * size_of::<Variable>() + name.len());
            self.tables.shapes.push(scalar.shape.clone());
            let domain = scalar.domain.clone();
            let (init, next, current) = (None, None, None);
            let assigned = Vec::new();
            let variable =
                Variable { name, span, kind, is_monitor: false, domain, init, next, current, assigned };
            return Entry::Variable(self.tables.variables.push(variable));
        };
        let elements =
            (low..=high).map(|i| self.array(format!("{name}[{i}]"), rest, kind, span, scalar)).collect();
        Entry::Array(self.tables.arrays.push(Array { low, word, elements }))
    }

    /// All words of a width, as indices.
    fn words(&mut self, scope: ScopeId, width: ast::ExprId) -> Option<Indices> {
        let bits = self.constant_number(scope, width)?;
        if let Ok(bits @ 1..=INDEX_BITS) = u32::try_from(bits) {
            return Some((0, (1 << bits) - 1, Some(bits)));
        }
        let message = format!("an array is indexed by words of 1 to {INDEX_BITS} bits");
        self.problems.error(self.file.exprs.spans[width], message);
        None
    }

    /// Constant bounds, the lower not above the upper.
    fn bounds(
        &mut self,
        scope: ScopeId,
        low: ast::ExprId,
        high: ast::ExprId,
        span: Span,
    ) -> Option<(i64, i64)> {
        let (low, high) = (self.constant_number(scope, low), self.constant_number(scope, high));
        let (low, high) = (low?, high?);
        if low > high {
            self.problems.error(span, format!("the range {low}..{high} is empty"));
            return None;
        }
        if high - low >= WIDEST {
            self.problems.error(span, "ranges of more than 2^40 values are not supported");
            return None;
        }
        Some((low, high))
    }

    fn scalar(&mut self, scope: ScopeId, ty: &ast::Type) -> Option<Scalar> {
        let plain = |domain, ty| Some(Scalar { domain, shape: Shape { ty, members: None } });
        match &ty.kind {
            TypeKind::Boolean => plain(Domain::Boolean, Type::Boolean),
            TypeKind::Range(low, high) => {
                let (low, high) = self.bounds(scope, *low, *high, ty.span)?;
                plain(Domain::Range(low, high), Type::Integer)
            }
            TypeKind::Word { signed, width } => {
                let signed = *signed;
                let bits = self.constant_number(scope, *width)?;
                let span = self.file.exprs.spans[*width];
                if bits < 1 {
                    self.problems.error(span, "a word has at least one bit");
                    return None;
                }
                if bits > BITS {
                    self.problems.error(span, format!("word types beyond {BITS} bits are not supported"));
                    return None;
                }
                let width = u32::try_from(bits).unwrap_or(1);
                plain(Domain::Word { signed, width }, Type::Word { signed, width })
            }
            TypeKind::Enumeration(elements) => self.enumeration(scope, elements, ty.span),
            // reported before
            TypeKind::Array(..) | TypeKind::WordArray(..) | TypeKind::Instance { .. } => None,
        }
    }

    fn enumeration(&mut self, scope: ScopeId, elements: &[ast::ExprId], span: Span) -> Option<Scalar> {
        let mut values = Vec::with_capacity(elements.len());
        let mut known = FxHashSet::default();
        let (mut truths, mut numbers, mut symbols) = (0, 0, 0);
        for &element in elements {
            let place = self.file.exprs.spans[element];
            let value = match &self.file.exprs.nodes[element] {
                Expr::Boolean(value) => {
                    truths += 1;
                    i64::from(*value)
                }
                Expr::Integer(value) if (1 - LIMIT..LIMIT).contains(value) => {
                    numbers += 1;
                    *value
                }
                Expr::Unary(ast::Unary::Minus, number)
                    if let Expr::Integer(value) = self.file.exprs.nodes[*number] =>
                {
                    numbers += 1;
                    -value
                }
                Expr::Name(name) => {
                    symbols += 1;
                    if self.tables.scopes[scope].names.contains_key(name) {
                        let text = self.problems.source(place).to_owned();
                        let message = format!("`{text}` is a value here, and something else in this module");
                        self.problems.error_help(place, message, "give one of them another name");
                    }
                    self.tables.constants[name]
                }
                _ => {
                    self.problems.error(place, "an enumeration consists of names and numbers");
                    return None;
                }
            };
            if known.insert(value) {
                values.push(value);
            } else {
                let text = self.problems.source(place);
                self.problems.warning(place, format!("`{text}` is twice in this enumeration"), None);
            }
        }
        if truths > 0 && numbers + symbols > 0 {
            self.problems.error(span, "an enumeration mixes truth values with others");
            return None;
        }
        let ty = match (truths, numbers, symbols) {
            (0, 0, 0) => {
                self.problems.error(span, "an empty enumeration");
                return None;
            }
            (0, _, 0) => Type::Integer,
            (0, 0, _) => Type::Symbol,
            (0, _, _) => Type::Mixed,
            _ => Type::Boolean,
        };
        if ty == Type::Boolean && values.len() == 2 {
            return Some(Scalar { domain: Domain::Boolean, shape: Shape { ty, members: None } });
        }
        let members = (values.len() > 8).then(|| Arc::new(known));
        Some(Scalar { domain: Domain::Enumeration(values), shape: Shape { ty, members } })
    }

    /// All elements of an array that these indices choose, from the first that is not a constant
    /// on.
    pub(super) fn dimensions(&self, mut array: ArrayId) -> usize {
        let mut dimensions = 1;
        while let Some(&Entry::Array(inner)) = self.tables.arrays[array].elements.first() {
            (array, dimensions) = (inner, dimensions + 1);
        }
        debug_assert!(array.index() < self.tables.arrays.len());
        dimensions
    }
}
