//! `ASSIGN`: every value of a variable is assigned at most once.

use super::lower::{Lowering, Wanted};
use super::processes::Guarded;
use super::scope::{ArrayId, Chosen, Operand, ScopeId};
use super::types::Typed;
use crate::ir::{self, Span, VariableId, VariableKind};
use crate::syntax::ast::{Assignment, AssignmentKind, Expr, ExprId, Item};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Where values of variables were assigned.
type Places = FxHashMap<(VariableId, AssignmentKind), (Span, ScopeId)>;

/// The assignments so far.
#[derive(Default)]
struct Assigned {
    places: Places,
    /// By processes: `next(x)` of each.
    guarded: BTreeMap<VariableId, Guarded>,
}

impl Lowering<'_, '_> {
    /// Resolves the assignments of all instances.
    pub(super) fn assignments(&mut self) {
        let mut assigned = Assigned::default();
        for scope in self.tables.instances() {
            let module = &self.file.modules[self.tables.scopes[scope].module];
            for item in &module.items {
                let Item::Assign(list) = item else { continue };
                for assignment in list {
                    self.assignment(scope, assignment, &mut assigned);
                }
            }
        }
        for (variable, guarded) in &assigned.guarded {
            self.next_of_processes(*variable, guarded);
        }
        if self.tables.recursive {
            self.complete(&assigned.places);
        }
    }

    fn assignment(&mut self, scope: ScopeId, assignment: &Assignment, assigned: &mut Assigned) {
        let operand = self.lower(scope, assignment.target);
        if let Operand::Array(Chosen { array, indices, .. }) = &operand
            && indices.is_empty()
        {
            return self.array_assignment(scope, assignment, *array, assigned);
        }
        let Some(variable) = self.target(&operand, assignment) else {
            // the value may be wrong, too
            self.lower(scope, assignment.value);
            return;
        };
        if !self.refused_now(scope, assignment, variable, &mut assigned.places) {
            let fresh = self.fresh(scope, assignment, variable, assigned);
            let value = self.lower_to(scope, assignment.value, variable);
            if fresh {
                self.assign(scope, assignment, (variable, value), assigned);
            }
        }
    }

    /// Whether the next values of variables are assigned by processes.
    fn by_process(&self, kind: AssignmentKind) -> bool {
        kind == AssignmentKind::Next && !self.tables.processes.is_empty()
    }

    /// Whether a variable may be assigned here; else reports it.
    fn fresh(
        &mut self,
        scope: ScopeId,
        assignment: &Assignment,
        variable: VariableId,
        assigned: &mut Assigned,
    ) -> bool {
        let (kind, span) = (assignment.kind, self.span(assignment.target));
        let process = self.tables.scopes[scope].process;
        // each process may have its own
        let is_other = |guarded: &Guarded| guarded.iter().all(|&(other, ..)| other != process);
        if self.by_process(kind) && assigned.guarded.get(&variable).is_some_and(is_other) {
            assigned.places.insert((variable, kind), (span, scope));
            return true;
        }
        self.once(scope, kind, variable, span, &mut assigned.places)
    }

    /// Assigns a whole array, element by element.
    fn array_assignment(
        &mut self,
        scope: ScopeId,
        assignment: &Assignment,
        array: ArrayId,
        assigned: &mut Assigned,
    ) {
        let (target, value) = (assignment.target, assignment.value);
        let operand = self.lower(scope, value);
        let Some(list) = self.list(&operand, value) else { return };
        let (variables, values) = (self.variables(array), self.values(&list, value));
        if variables.len() != values.len() || self.tables.arrays[array].low != list.low {
            let message = format!("`{}` and what it gets have different indices", self.source(target));
            self.problems.error(self.span(target), message);
            return;
        }
        for (variable, value) in variables.into_iter().zip(values) {
            let place = Typed { place: true, ..self.variable(variable, false, self.span(target)) };
            let Some(variable) = self.target(&Operand::Value(place), assignment) else { return };
            if self.refused_now(scope, assignment, variable, &mut assigned.places) {
                return;
            }
            let fresh = self.fresh(scope, assignment, variable, assigned);
            let value = self.fit(value, assignment.value, Wanted { variable, branch: false });
            if fresh {
                self.assign(scope, assignment, (variable, value), assigned);
            }
        }
    }

    /// Reports an assignment that does not go with `CALL` and `EXIT`.
    fn refused_now(
        &mut self,
        scope: ScopeId,
        assignment: &Assignment,
        variable: VariableId,
        places: &mut Places,
    ) -> bool {
        let refused = self.tables.recursive && assignment.kind == AssignmentKind::Current;
        if refused {
            let span = self.span(assignment.target);
            let text = self.source(assignment.target);
            let help = format!("assign `init({text})` and `next({text})`, or make it a DEFINE");
            let message =
                "assignments of the current value are not supported together with `CALL` and `EXIT`";
            self.problems.error_help(span, message, help);
            places.insert((variable, AssignmentKind::Init), (span, scope));
            places.insert((variable, AssignmentKind::Next), (span, scope));
        }
        refused
    }

    /// Gives a variable its value, if that is right.
    fn assign(
        &mut self,
        scope: ScopeId,
        assignment: &Assignment,
        (variable, value): (VariableId, Typed),
        assigned: &mut Assigned,
    ) {
        let kind = assignment.kind;
        if value.is_wrong() {
            return;
        }
        let name = self.tables.variables[variable].name.clone();
        if kind != AssignmentKind::Next
            && !self.about_states(value, assignment.value, &format!("`{}`", written(kind, &name)))
        {
            return;
        }
        let several = matches!(self.tables.build.get(value.expr), ir::Expr::Union(_) | ir::Expr::Range(..));
        if self.tables.recursive && kind == AssignmentKind::Init && several {
            let help = format!("give `{name}` a single value");
            let message = "several initial values, but a recursive module has one initial state";
            self.problems.error_help(self.span(assignment.value), message, help);
            return;
        }
        let span = self.span(assignment.value);
        if self.by_process(kind) {
            let process = self.tables.scopes[scope].process;
            assigned.guarded.entry(variable).or_default().push((process, value.expr, span));
            return;
        }
        let variable = &mut self.tables.variables[variable];
        variable.assigned.push((value.expr, span));
        match kind {
            AssignmentKind::Init => variable.init = Some(value.expr),
            AssignmentKind::Next => variable.next = Some(value.expr),
            AssignmentKind::Current => variable.current = Some(value.expr),
        }
    }

    /// The variable that is assigned.
    fn target(&mut self, operand: &Operand, assignment: &Assignment) -> Option<VariableId> {
        let target = assignment.target;
        let (span, text) = (self.span(target), self.source(target));
        let Operand::Value(typed) = operand else { return self.no_target(operand, target) };
        if typed.is_wrong() {
            return None;
        }
        let ir::Expr::Variable(variable) = *self.tables.build.get(typed.expr) else {
            let help = "only variables are assigned";
            self.problems.error_help(span, format!("`{text}` cannot be assigned"), help);
            return None;
        };
        if !typed.place {
            let message = format!("`{text}` is a definition and cannot be assigned");
            self.problems.error_help(span, message, "only variables are assigned");
            return None;
        }
        let kind = self.tables.variables[variable].kind;
        match (kind, assignment.kind) {
            (VariableKind::Input, _) => {
                self.problems.error(span, format!("`{text}` is an input and cannot be assigned"));
                None
            }
            (VariableKind::Frozen, AssignmentKind::Next | AssignmentKind::Current) => {
                let help = "a frozen variable has `init` only";
                self.problems.error_help(span, format!("`{text}` is frozen and cannot change"), help);
                None
            }
            _ => Some(variable),
        }
    }

    fn no_target(&mut self, operand: &Operand, target: ExprId) -> Option<VariableId> {
        let text = self.source(target);
        let message = match operand {
            Operand::Instance(_) => format!("`{text}` is an instance and cannot be assigned"),
            _ => format!("`{text}` cannot be assigned"),
        };
        self.problems.error(self.span(target), message);
        None
    }

    /// Whether this is the first assignment of that value.
    fn once(
        &mut self,
        scope: ScopeId,
        kind: AssignmentKind,
        variable: VariableId,
        span: Span,
        places: &mut Places,
    ) -> bool {
        let kinds: &[AssignmentKind] = match kind {
            AssignmentKind::Current => &[AssignmentKind::Current, AssignmentKind::Init, AssignmentKind::Next],
            AssignmentKind::Init => &[AssignmentKind::Init, AssignmentKind::Current],
            AssignmentKind::Next => &[AssignmentKind::Next, AssignmentKind::Current],
        };
        for &other in kinds {
            let Some(&(first, by)) = places.get(&(variable, other)) else { continue };
            let name = &self.tables.variables[variable].name;
            let message = if other == kind {
                format!("`{}` is assigned twice", written(kind, name))
            } else {
                format!("both `{}` and `{}` are assigned", written(other, name), written(kind, name))
            };
            let place = self.problems.place(first);
            let help = if by == scope {
                format!("the first is at {place}")
            } else {
                let (by, scope) = (self.instance_name(by), self.instance_name(scope));
                format!("the first is by {by} at {place}, this one is by {scope}")
            };
            self.problems.error_help(span, message, help);
            return false;
        }
        places.insert((variable, kind), (span, scope));
        true
    }

    fn instance_name(&self, scope: ScopeId) -> String {
        match self.tables.scopes[scope].path() {
            "" => "the module itself".to_owned(),
            name => format!("`{name}`"),
        }
    }

    /// In recursive files every variable has its first value and its next.
    fn complete(&mut self, places: &Places) {
        for id in self.tables.variables.ids() {
            for (word, kind) in [("init", AssignmentKind::Init), ("next", AssignmentKind::Next)] {
                let variable = &self.tables.variables[id];
                if variable.kind == VariableKind::State && !places.contains_key(&(id, kind)) {
                    let name = &variable.name;
                    let message = format!("variable `{name}` lacks `{word}`");
                    let help = format!("with `CALL` and `EXIT` it needs `{word}({name}) := …;`");
                    self.problems.error_help(variable.span, message, help);
                }
            }
        }
    }

    /// Whether an expression is about states alone, neither about the next nor about inputs; else
    /// complains.
    pub(super) fn about_states(&mut self, typed: Typed, expr: ExprId, what: &str) -> bool {
        let about = self.tables.build.about(typed.expr);
        if about.next {
            let span = self.next_within(expr);
            self.problems.error(span, format!("{what} cannot depend on `next`"));
        } else if about.input {
            let input = self.input_within(typed.expr);
            let message = format!("{what} cannot depend on the input `{input}`");
            self.problems.error_help(self.span(expr), message, "inputs belong to steps, not to states");
        }
        !about.next && !about.input
    }

    /// Where `next` is written in an expression, if it is.
    fn next_within(&self, expr: ExprId) -> Span {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            if let Expr::Next(_) = self.file.exprs.nodes[at] {
                return self.span(at);
            }
            self.file.exprs.nodes[at].operands(|operand| stack.push(operand));
        }
        self.span(expr)
    }

    fn input_within(&self, expr: ir::ExprId) -> &str {
        let mut at = expr;
        loop {
            if let ir::Expr::Variable(variable) = *self.tables.build.get(at) {
                return &self.tables.variables[variable].name;
            }
            let mut inner = None;
            self.tables.build.operands(at, |operand| {
                if self.tables.build.about(operand).input {
                    inner = inner.or(Some(operand));
                }
            });
            match inner {
                Some(inner) => at = inner,
                None => return "",
            }
        }
    }
}

/// How the value of a variable is written.
pub(super) fn written(kind: AssignmentKind, name: &str) -> String {
    match kind {
        AssignmentKind::Init => format!("init({name})"),
        AssignmentKind::Next => format!("next({name})"),
        AssignmentKind::Current => name.to_owned(),
    }
}
