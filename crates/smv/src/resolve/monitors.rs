//! Monitors: variables that remember earlier conditions for a property.
//!
//! Fairness, linear-time properties and invariants may refer to steps, that is to inputs and to
//! `next(e)`, while states have neither. For a condition c on steps, a monitor m has
//! `next(m) := c`. Infinitely many steps satisfy c exactly if m holds in infinitely many states; a
//! step from the present state satisfies c exactly if `X m`; all steps satisfy c exactly if m, true
//! at the start, is an invariant. A monitor remembers the step *before* a state, so that formulas
//! which do not mention it cannot distinguish states that differ in it only. Operators of the past
//! have monitors, too (`past`).
//!
//! A monitor is named after the formula whose value it has, whichever property came first: evidence
//! names states by the values of all variables, and replay may read properties in another order.

use super::lower::Lowering;
use super::memory::Memory;
use super::scope::{Shape, Tables};
use super::types::Type;
use crate::ir::{Domain, ExprId, Span, Variable, VariableId, VariableKind};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Names longer than this are cut.
const LONGEST: usize = 120;

impl Lowering<'_, '_> {
    /// The monitor of a condition on steps, as a condition on states; `at_start` is its first
    /// value. The text is that of the condition, which names it if it is a name.
    pub(super) fn monitor(&mut self, condition: ExprId, at_start: bool, text: &str, span: Span) -> ExprId {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.[]$#-".contains(&byte);
        let name = if !at_start && text.bytes().all(is_name) {
            text.to_owned()
        } else {
            format!("\"{} ({text})\"", if at_start { 'Z' } else { 'Y' })
        };
        self.yesterday(condition, at_start, name, span)
    }

    /// A variable that remembers, of these values and with this first one; whether it is new.
    pub(super) fn remember(
        &mut self,
        memory: Memory,
        mut name: String,
        domain: Domain,
        start: Option<i64>,
        span: Span,
    ) -> (VariableId, bool) {
        if name.len() > LONGEST {
            let (hash, cut) = (FxBuildHasher.hash_one(&name), name.floor_char_boundary(LONGEST));
            name.truncate(cut);
            name = format!("{name}… #{hash:016x}\"");
        }
        // a variable of the file keeps its name
        let Tables { variables, declared, .. } = &mut *self.tables;
        let declared =
            declared.get_or_insert_with(|| variables.iter().map(|variable| variable.name.clone()).collect());
        while declared.contains(&name) {
            name.push('_');
        }
        loop {
            match self.tables.monitors.get(&name) {
                Some(&(known, variable)) if known == memory => return (variable, false),
                Some(_) => name.push('_'),
                None => break,
            }
        }
        self.problems.goes_on(1, name.len());
        let ty = if domain == Domain::Boolean { Type::Boolean } else { Type::Integer };
        self.tables.shapes.push(Shape { ty, members: None });
        let variable = self.tables.variables.push(Variable {
            name: name.clone(),
            span,
            kind: VariableKind::State,
            is_monitor: true,
            domain,
            init: start.map(|start| self.tables.build.value(start, span)),
            next: None,
            current: None,
            assigned: Vec::new(),
        });
        self.tables.monitors.insert(name, (memory, variable));
        (variable, true)
    }
}
