//! Monitors: variables that remember whether a condition on steps held in the last one.
//!
//! Fairness, linear-time properties and invariants may speak of steps, that is of inputs and of `next(e)`, while states have
//! neither. For a condition c on steps, a monitor m has `next(m) := c`. Infinitely many steps satisfy c exactly if
//! m holds in infinitely many states; a step from the present state satisfies c exactly if `X m`; all steps satisfy c exactly if m,
//! true at the start, is an invariant. A monitor remembers the step *before* a state, so that formulas which do not
//! mention it cannot tell states apart that differ in it only.

use super::lower::Lowering;
use super::scope::Shape;
use super::types::Type;
use crate::ir::{Domain, ExprId, Span, Variable, VariableId, VariableKind};

impl Lowering<'_, '_> {
    /// The monitor of a condition on steps, as a condition on states; `at_start` is its first value. The text is that of the
    /// condition, which names it if it is a name.
    pub(super) fn monitor(&mut self, condition: ExprId, at_start: bool, text: &str, span: Span) -> ExprId {
        let known = self.tables.monitors.get(&(condition, at_start)).copied();
        let monitor = known.unwrap_or_else(|| self.new_monitor(condition, at_start, text, span));
        self.tables.build.variable(monitor, false, span)
    }

    fn new_monitor(&mut self, condition: ExprId, at_start: bool, text: &str, span: Span) -> VariableId {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.[]$#-".contains(&byte);
        let mut name = if text.bytes().all(is_name) {
            text.to_owned()
        } else {
            format!("_step_{}_", self.tables.monitors.len() + 1)
        };
        while self.tables.variables.iter().any(|variable| variable.name == name) {
            name.push('_');
        }
        let init = Some(self.tables.build.value(i64::from(at_start), span));
        self.tables.shapes.push(Shape { ty: Type::Boolean, members: None });
        let monitor = self.tables.variables.push(Variable {
            name,
            span,
            kind: VariableKind::State,
            domain: Domain::Boolean,
            init,
            next: Some(condition),
            current: None,
            assigned: vec![(condition, span)],
        });
        self.tables.monitors.insert((condition, at_start), monitor);
        monitor
    }
}
