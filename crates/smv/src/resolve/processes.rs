//! Processes, as NuSMV compiles them: one input selects which of `main` and all processes runs in a
//! step.
//!
//! `next(x) := e` written in a process, or in a plain instance inside it, applies only when the
//! process runs; several processes may assign the same variable, which keeps its value when none of
//! them runs. As soon as there is a process, assignments of `main` itself apply only when `main`
//! runs. Everything else (`init`, `x := e`, constraints) holds in every step, and a variable
//! without an assignment of its next value changes freely.

use super::lower::Lowering;
use super::scope::{Entry, ScopeId, Shape, Symbols, Tables};
use super::types::{Type, Typed};
use crate::ir::{self, Domain, Span, Variable, VariableId, VariableKind};
use crate::syntax::ast::File;
use std::sync::Arc;

/// The input that selects the process that runs.
const SELECTOR: &str = "_process_selector_";

/// The value of `next(x)` in each process that assigns it, in the order of the file: the process,
/// the value, and where it is written.
pub(super) type Guarded = Vec<(ScopeId, ir::ExprId, Span)>;

impl Tables {
    /// Gives processes and the structure itself their `running`, once all instances are there.
    pub(super) fn name_processes(&mut self, file: &File, symbols: &mut Symbols) {
        if self.processes.is_empty() {
            return;
        }
        self.processes.insert(0, ScopeId::default_root());
        for i in 0..self.processes.len() {
            let scope = self.processes[i];
            let name = match self.scopes[scope].prefix.strip_suffix('.') {
                Some(name) => name.to_owned(),
                None => "main".to_owned(),
            };
            let value = symbols.named(file, &name);
            self.process_values.push(value);
            if i == 0
                && let Some(main) = file.names.find(&name)
                && self.constants.insert(main, value).is_none()
            {
                self.constant_names.push(main);
            }
            if let Some(running) = file.names.find("running") {
                self.scopes[scope].names.entry(running).or_insert(Entry::Running(scope));
            }
        }
    }
}

impl Lowering<'_, '_> {
    /// Declares the input that selects the process that runs, if there are processes.
    pub(super) fn declare_selector(&mut self) {
        if self.tables.processes.is_empty() {
            return;
        }
        let values = self.tables.process_values.clone();
        let members = Some(Arc::new(values.iter().copied().collect()));
        self.tables.shapes.push(Shape { ty: Type::Symbol, members });
        let selector = self.tables.variables.push(Variable {
            name: SELECTOR.to_owned(),
            span: self.file.modules[self.tables.scopes[ScopeId::default_root()].module].name.span,
            kind: VariableKind::Input,
            is_monitor: false,
            domain: Domain::Enumeration(values),
            init: None,
            next: None,
            current: None,
            assigned: Vec::new(),
        });
        self.tables.selector = Some(selector);
        if let Some(name) = self.file.names.find(SELECTOR) {
            let root = &mut self.tables.scopes[ScopeId::default_root()];
            root.names.entry(name).or_insert(Entry::Variable(selector));
        }
    }

    /// Whether a process runs in this step.
    pub(super) fn running(&mut self, process: ScopeId, span: Span) -> Typed {
        let place = self.tables.processes.iter().position(|&other| other == process);
        let (Some(selector), Some(place)) = (self.tables.selector, place) else { return self.wrong() };
        let build = &mut self.tables.build;
        let selector = build.variable(selector, true, span);
        let value = build.value(self.tables.process_values[place], span);
        let expr = build.compare(ir::Binary::Equal, selector, value, span);
        Typed { expr, ty: Type::Boolean, set: false, place: false }
    }

    /// The next value of a variable that processes assign: that of the one which runs, or else as
    /// it is.
    pub(super) fn next_of_processes(&mut self, variable: VariableId, guarded: &Guarded) {
        let Some(&(.., first)) = guarded.first() else { return };
        let mut branches = Vec::new();
        for &(process, value, span) in guarded {
            branches.push((self.running(process, span).expr, value));
            self.tables.variables[variable].assigned.push((value, span));
        }
        let build = &mut self.tables.build;
        let otherwise = (build.value(1, first), build.variable(variable, false, first));
        branches.push(otherwise);
        let next = build.case(branches, first);
        let variable = &mut self.tables.variables[variable];
        variable.next = next;
        variable.assigned.extend(next.map(|next| (next, first)));
    }
}
