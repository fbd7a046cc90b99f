//! Constraints, fairness, calls and labels of a structure.

use super::lower::Lowering;
use super::modules::Modules;
use super::scope::{Known, MacroId, Operand, ScopeId};
use super::types::Type;
use crate::ir::{self, Structure, StructureId};
use crate::syntax::ast::{ConstraintKind, Definition, ExprId, Item, VariableKind};
use loris_base::Idx;

impl Lowering<'_, '_> {
    /// Resolves all sections but assignments and properties.
    pub(super) fn sections(&mut self, structure: &mut Structure, modules: &Modules) {
        for scope in self.tables.instances() {
            if !self.problems.goes_on(1, 0) {
                return;
            }
            let module = &self.file.modules[self.tables.scopes[scope].module];
            for item in &module.items {
                match item {
                    Item::Constraint(kind, expr) => self.constraint(scope, *kind, *expr, structure),
                    Item::Compassion(p, q) => {
                        if self.refused("COMPASSION", *p) {
                            continue;
                        }
                        let (first, second) = (
                            self.recurring(scope, *p, "COMPASSION"),
                            self.recurring(scope, *q, "COMPASSION"),
                        );
                        if let (Some(first), Some(second)) = (first, second) {
                            structure.compassion.push((first, second));
                        }
                    }
                    Item::Call(list) => {
                        for call in list {
                            self.call(scope, call, structure, modules);
                        }
                    }
                    Item::Variables(kind, list) if self.tables.recursive => {
                        let word = match kind {
                            VariableKind::State => continue,
                            VariableKind::Input => "IVAR",
                            VariableKind::Frozen => "FROZENVAR",
                        };
                        if let Some(first) = list.first() {
                            let message = format!("{word} is not supported together with `CALL` and `EXIT`");
                            self.problems.error(first.name.span, message);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Refuses sections that are for finite models only.
    fn refused(&mut self, word: &str, expr: ExprId) -> bool {
        if self.tables.recursive {
            let message = format!("{word} is not supported together with `CALL` and `EXIT`");
            self.problems.error(self.span(expr), message);
        }
        self.tables.recursive
    }

    fn constraint(&mut self, scope: ScopeId, kind: ConstraintKind, expr: ExprId, structure: &mut Structure) {
        let (word, list) = match kind {
            ConstraintKind::Init => ("INIT", &mut structure.init),
            ConstraintKind::Trans => ("TRANS", &mut structure.trans),
            ConstraintKind::Invar => ("INVAR", &mut structure.invar),
            ConstraintKind::Justice => ("FAIRNESS", &mut structure.justice),
        };
        if self.refused(word, expr) {
            return;
        }
        if kind == ConstraintKind::Justice {
            list.extend(self.recurring(scope, expr, word));
            return;
        }
        let condition = if kind == ConstraintKind::Trans {
            let typed = self.condition(scope, expr);
            (!typed.is_wrong()).then_some(typed.expr)
        } else {
            self.state_condition(scope, expr, word)
        };
        // conjunct by conjunct; TRUE adds nothing
        let Some(condition) = condition else { return };
        match self.tables.build.get(condition) {
            ir::Expr::And(parts) => list.extend(parts),
            ir::Expr::Value(1) => {}
            _ => list.push(condition),
        }
    }

    /// A condition of fairness, on states or, with inputs, on steps: then its monitor.
    fn recurring(&mut self, scope: ScopeId, expr: ExprId, what: &str) -> Option<ir::ExprId> {
        let typed = self.condition(scope, expr);
        let about = self.tables.build.about(typed.expr);
        if typed.is_wrong() || about.next || !about.input {
            return (!typed.is_wrong() && self.about_states(typed, expr, what)).then_some(typed.expr);
        }
        let (text, span) = (self.text(scope, expr), self.span(expr));
        Some(self.monitor(typed.expr, false, &text, span))
    }

    /// A condition on states.
    pub(super) fn state_condition(&mut self, scope: ScopeId, expr: ExprId, what: &str) -> Option<ir::ExprId> {
        let typed = self.condition(scope, expr);
        (!typed.is_wrong() && self.about_states(typed, expr, what)).then_some(typed.expr)
    }

    fn call(&mut self, scope: ScopeId, call: &Definition, structure: &mut Structure, modules: &Modules) {
        let condition = self.state_condition(scope, call.value, "CALL");
        let target = modules.find(call.name.name).and_then(|module| modules.structure(module));
        // an unknown target was reported
        if let (Some(condition), Some(target)) = (condition, target) {
            structure.calls.push(ir::Call { target, span: call.name.span, condition });
        }
    }

    /// Resolves all definitions; those that are truth values of states are labels.
    pub(super) fn labels(&mut self) -> Vec<ir::Label> {
        let mut labels = Vec::new();
        for id in self.tables.macros.ids() {
            if !self.problems.goes_on(1, 0) {
                break;
            }
            if self.tables.macros[id].parameter {
                continue;
            }
            let operand = match &self.tables.macros[id].known[0] {
                Known::Done(operand) => operand.clone(),
                _ => self.lower_macro(id),
            };
            let found = &self.tables.macros[id];
            let typed = match operand {
                Operand::Value(typed) => typed,
                // a name for an array
                Operand::Array(_) | Operand::List(_) => continue,
                Operand::Instance(_) => {
                    self.typed(&operand, found.body);
                    continue;
                }
            };
            let about = self.tables.build.about(typed.expr);
            if typed.ty == Type::Boolean && !typed.set && !about.next && !about.input {
                labels.push(ir::Label { name: found.name.clone(), span: found.span, condition: typed.expr });
            }
        }
        labels
    }

    /// Resolves the parameters that nothing uses. Their problems do not matter, as in NuSMV, but
    /// the author may have meant to use them.
    pub(super) fn unused_parameters(&mut self) {
        let is_unused = |known: &[Known; 2]| known.iter().all(|known| matches!(known, Known::Nothing));
        let unused =
            |id: &MacroId| self.tables.macros[*id].parameter && is_unused(&self.tables.macros[*id].known);
        let unused: Vec<MacroId> = self.tables.macros.ids().filter(unused).collect();
        let mut apart = self.problems.apart();
        let mut lowering = Lowering::new(self.file, self.tables, &mut apart);
        for &id in &unused {
            if is_unused(&lowering.tables.macros[id].known) {
                lowering.lower_macro(id);
            }
        }
        self.problems.join_as_warnings(&apart, "nothing uses the parameter that this is given for");
        for id in unused {
            // a question about them is answered with the reason
            self.tables.macros[id].known = Default::default();
        }
    }
}

impl Modules {
    /// The structure that a module is.
    fn structure(&self, module: usize) -> Option<StructureId> {
        self.roots.binary_search(&module).ok().map(StructureId::new)
    }
}
