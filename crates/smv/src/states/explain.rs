//! The problem of a model in one state, in the words of the explicit-state exploration, for engines
//! that do not list states.

use super::code::{Compiler, shared};
use super::layout::{Layout, print};
use super::naming::name;
use super::step::Trouble;
use super::trouble::Reporter;
use super::vm::Machine;
use crate::ir::{ExprId, Structure, VariableId};
use loris_base::{Budget, Diagnostic, Idx};

/// Values of variables where something is wrong.
pub(crate) struct Scene<'a> {
    pub(crate) structure: &'a Structure,
    pub(crate) symbols: &'a [String],
    pub(crate) layout: &'a Layout,
    /// by variable, its value in the state at hand; nothing if it is about initial states
    pub(crate) state: Option<&'a [i64]>,
    /// by variable, the values that expressions read: current ones, then next ones
    pub(crate) slots: &'a [i64],
}

impl Scene<'_> {
    /// The problem of a condition.
    pub(crate) fn condition(&self, expr: ExprId) -> Option<Diagnostic> {
        let mut compiler = self.compiler();
        let entry = compiler.value(expr);
        let code = compiler.finish();
        let truth = Machine::new(&code).truth(&code, entry, self.slots, &mut Budget::unlimited());
        truth.err().and_then(|fault| self.report(Trouble::Fault(fault, expr)))
    }

    /// The problem of the values that a variable gets.
    pub(crate) fn assignment(&self, variable: VariableId, expr: ExprId) -> Option<Diagnostic> {
        let mut compiler = self.compiler();
        let entry = compiler.set(expr);
        let code = compiler.finish();
        let (mut values, mut budget) = (Vec::new(), Budget::unlimited());
        if let Err(fault) = Machine::new(&code).set(&code, entry, self.slots, &mut values, &mut budget) {
            return self.report(Trouble::Fault(fault, expr));
        }
        let field = self.layout.fields.iter().find(|field| field.variable == variable)?;
        let outside = values.into_iter().find(|&value| field.codes.place(value).is_none())?;
        self.report(Trouble::Outside(variable, outside, expr))
    }

    /// That the state has no successor.
    pub(crate) fn dead_end(&self) -> Diagnostic {
        self.reporter().no_successor(&self.state_name(), None)
    }

    /// That no state is initial.
    pub(crate) fn no_start(&self) -> Diagnostic {
        self.reporter().no_start()
    }

    fn reporter(&self) -> Reporter<'_> {
        Reporter { structure: self.structure, symbols: self.symbols, layout: self.layout }
    }

    fn state_name(&self) -> String {
        let fields = self.layout.fields.iter().map(|field| {
            let variable = &self.structure.variables[field.variable];
            let value = self.state.map_or(0, |state| state[field.variable.index()]);
            (&*variable.name, print(self.symbols, &variable.domain, value))
        });
        name(&fields.collect::<Vec<_>>())
    }

    fn compiler(&self) -> Compiler<'_> {
        let exprs = &self.structure.exprs;
        Compiler::new(exprs, self.structure.variables.len(), shared(exprs), false)
    }

    fn report(&self, trouble: Trouble) -> Option<Diagnostic> {
        let place = match self.state {
            Some(_) => format!("in state \"{}\"", self.state_name()),
            None => "in an initial state".to_owned(),
        };
        self.reporter().problem(trouble, &place).ok()
    }
}
