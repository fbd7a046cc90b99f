//! The meaning of names: variables, definitions, parameters, instances, constants.

use super::lower::{At, Lowering, Task};
use super::problems::cycle;
use super::scope::{Chosen, Entry, Known, MacroId, Operand};
use super::types::{Type, Typed};
use crate::ir::{self, Span, VariableId, VariableKind};
use crate::syntax::ast::ExprId;
use loris_base::Symbol;

impl Lowering<'_, '_> {
    /// `EXIT`.
    pub(super) fn exit_value(&mut self, expr: ExprId) {
        if self.tables.recursive {
            let value = self.value(ir::EXIT, Type::Exit, expr);
            self.push(value);
        } else {
            self.problems.error(self.span(expr), "this file has no `CALL` and no `EXIT`: nothing ever exits");
            self.push_wrong();
        }
    }

    /// Pushes the meaning of a name, or the tasks to find it.
    pub(super) fn name(&mut self, at: At, name: Symbol) {
        if let Some(&entry) = self.tables.scopes[at.scope].names.get(&name) {
            return self.use_entry(entry, at.next, at.expr);
        }
        if let Some(&part) = self.tables.scopes[at.scope].parts.get(&name) {
            return self.push_operand(Operand::Instance(part));
        }
        if let Some(&value) = self.tables.constants.get(&name) {
            let value = self.value(value, Type::Symbol, at.expr);
            return self.push(value);
        }
        let text = &self.file.names[name];
        if text == "running" {
            let message = "nothing runs here: only processes, and `main` beside them, have `running`";
            self.problems.error(self.span(at.expr), message);
        } else {
            let file = self.file;
            let declared = self.tables.scopes[at.scope].declared.iter().map(|ident| ident.name);
            let known = declared.chain(self.tables.constant_names.iter().copied());
            let known = known.map(|name| &file.names[name]);
            self.problems.unknown(file.exprs.spans[at.expr], format!("unknown name `{text}`"), known);
        }
        self.push_wrong();
    }

    /// Pushes the meaning of a name, or the tasks to find it.
    pub(super) fn use_entry(&mut self, entry: Entry, next: bool, expr: ExprId) {
        let span = self.span(expr);
        match entry {
            Entry::Instance(scope) => self.operands.push(Operand::Instance(scope)),
            Entry::Macro(id) => self.use_macro(id, next, span),
            _ if self.constant => {
                let message = format!("`{}` is a variable, where a constant is needed", self.source(expr));
                self.problems.error(span, message);
                self.push_wrong();
            }
            Entry::Running(_) if next => {
                self.problems.error(span, "`next` of `running`, which is an input and has no next value");
                self.push_wrong();
            }
            Entry::Running(process) => {
                let typed = self.running(process, span);
                self.push(typed);
            }
            Entry::Array(array) => {
                let chosen = Chosen { array, indices: Vec::new(), next };
                self.operands.push(Operand::Array(chosen));
            }
            Entry::Variable(variable) => {
                let typed = self.variable(variable, next, span);
                self.push(typed);
            }
            // its type was reported
            Entry::Pending => self.push_wrong(),
        }
    }

    pub(super) fn variable(&mut self, variable: VariableId, next: bool, span: Span) -> Typed {
        let kind = self.tables.variables[variable].kind;
        let ty = self.tables.shapes[variable].ty;
        let expr = match (next, kind) {
            (false, _) | (true, VariableKind::Frozen) => {
                self.tables.build.variable(variable, kind == VariableKind::Input, span)
            }
            (true, VariableKind::State) => self.tables.build.next(variable, span),
            (true, VariableKind::Input) => {
                let name = &self.tables.variables[variable].name;
                let message = format!("`next` of the input `{name}`, which has no next value");
                self.problems.error(span, message);
                return self.wrong();
            }
        };
        Typed { expr, ty, set: false, place: true }
    }

    pub(super) fn use_macro(&mut self, id: MacroId, next: bool, span: Span) {
        let found = &mut self.tables.macros[id];
        match &found.known[usize::from(next)] {
            Known::Done(operand) => {
                let operand = operand.clone();
                self.operands.push(operand);
            }
            Known::Nothing => {
                found.known[usize::from(next)] = Known::Busy;
                let at = At { scope: found.scope, expr: found.body, next };
                self.tasks.push(Task::Store(id, next));
                self.tasks.push(Task::Enter { at, wanted: None });
            }
            Known::Busy => {
                let busy: Vec<MacroId> = self.tasks.iter().filter_map(stored).collect();
                let from = busy.iter().position(|&other| other == id).unwrap_or(0);
                let names = busy[from..].iter().map(|&id| self.tables.macros[id].name.as_str());
                let message = format!("definitions form a cycle: {}", cycle(names));
                self.problems.error(span, message);
                self.push_wrong();
            }
        }
    }

    /// Remembers the meaning of a macro; a name with a definition cannot be assigned.
    pub(super) fn store(&mut self, id: MacroId, next: bool) {
        let mut operand = self.pop();
        let found = &self.tables.macros[id];
        match &mut operand {
            _ if found.parameter => {}
            Operand::Value(typed) => typed.place = false,
            Operand::Array(Chosen { array, indices, next }) if indices.is_empty() => {
                let (array, next, span) = (*array, *next, found.span);
                operand = Operand::List(self.elements(array, next, span));
            }
            _ => {}
        }
        let found = &mut self.tables.macros[id];
        found.known[usize::from(next)] = Known::Done(operand.clone());
        self.operands.push(operand);
    }
}

fn stored(task: &Task) -> Option<MacroId> {
    match task {
        Task::Store(id, _) => Some(*id),
        _ => None,
    }
}
