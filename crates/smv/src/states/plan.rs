//! In which order the values of a state are chosen, and when conditions on it can be checked.
//!
//! A plan is a list of choices and checks. A variable is chosen after those its equation reads, a
//! condition is checked as soon as all it reads is chosen, so that a search by backtracking is cut
//! as early as the text allows. A variable without equation takes its values from a condition
//! `x = e` or `x in e` if there is one, else from its whole domain.

use super::code::{Code, Compiler, Entry, Slot, shared};
use super::conditions::{Anatomy, Chosen, Conditions};
use super::layout::Layout;
use super::view::{Assigned, View};
use crate::ir::{Binary, Expr, ExprId, Structure, VariableId, VariableKind};
use loris_base::{Budget, Exhausted, Idx};
use std::rc::Rc;

/// How initial states, or the successors of a state, are found.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    /// sets that depend on the state alone, evaluated once for all its successors: the field, and
    /// its item
    pub(super) fixed: Vec<Fixed>,
    /// whether there are nothing but choices from fixed sets
    pub(super) simple: bool,
    /// conditions that a search takes apart; then the items are not used
    pub(super) conditions: Option<Conditions>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    pub(super) field: u32,
    pub(super) entry: Entry,
    pub(super) expr: ExprId,
    pub(super) assigned: Assigned,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// any value of an input
    Input(u32),
    /// the value of a field
    Choose(u32, Values),
    /// a condition
    Check(Entry, View, ExprId),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Values {
    /// from a fixed set
    Fixed(u32),
    /// from a set that depends on earlier choices
    Set(Entry, View, ExprId, Assigned),
    /// from the whole domain
    Any,
    /// as it is
    Same,
}

/// All plans of a structure and their code.
pub(super) struct Plans {
    pub(super) start: Plan,
    pub(super) step: Plan,
    /// of expressions that are evaluated in a step
    pub(super) step_code: Code,
    /// of expressions that are evaluated on the state that is made
    pub(super) made_code: Code,
}

/// One equation or condition, before it has a place.
struct Equation {
    field: u32,
    values: Source,
}

enum Source {
    Set(ExprId, View, Assigned),
    Any,
    Same,
}

impl Plans {
    pub(super) fn of(
        structure: &Structure,
        layout: &Layout,
        exits: bool,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let variables = structure.variables.len();
        let shared = shared(&structure.exprs);
        let step = Compiler::new(&structure.exprs, variables, Rc::clone(&shared), exits);
        let made = Compiler::new(&structure.exprs, variables, shared, exits);
        let mut planner = Planner { structure, layout, step, made, exits, budget };
        let start = planner.start()?;
        let step = planner.step()?;
        Ok(Self { start, step, step_code: planner.step.finish(), made_code: planner.made.finish() })
    }
}

struct Planner<'a> {
    structure: &'a Structure,
    layout: &'a Layout,
    step: Compiler<'a>,
    made: Compiler<'a>,
    /// whether variables may leave
    exits: bool,
    budget: &'a mut Budget,
}

impl Planner<'_> {
    fn start(&mut self) -> Result<Plan, Exhausted> {
        let structure = self.structure;
        let mut conditions: Vec<(ExprId, View)> =
            structure.init.iter().chain(&structure.invar).map(|&expr| (expr, View::Made)).collect();
        let mut equations = Vec::new();
        for (number, field) in self.layout.fields.iter().enumerate() {
            let variable = &structure.variables[field.variable];
            let values = match variable.init.or(variable.current) {
                Some(expr) => Source::Set(expr, View::Made, true),
                None => self.definition(field.variable, &mut conditions)?,
            };
            equations.push(Equation { field: number as u32, values });
        }
        self.order(equations, conditions, &[])
    }

    fn step(&mut self) -> Result<Plan, Exhausted> {
        let structure = self.structure;
        let trans = structure.trans.iter().map(|&expr| (expr, View::Step));
        let invar = structure.invar.iter().map(|&expr| (expr, View::Made));
        let mut conditions: Vec<(ExprId, View)> = trans.chain(invar).collect();
        let mut equations = Vec::new();
        for (number, field) in self.layout.fields.iter().enumerate() {
            let variable = &structure.variables[field.variable];
            let values = match (variable.kind, variable.next, variable.current) {
                (VariableKind::Frozen, ..) => Source::Same,
                (_, Some(next), _) => Source::Set(next, View::Step, true),
                (_, None, Some(current)) => Source::Set(current, View::Made, true),
                (_, None, None) => self.definition(field.variable, &mut conditions)?,
            };
            equations.push(Equation { field: number as u32, values });
        }
        // an input that nothing reads changes nothing
        let mut read = vec![false; structure.variables.len()];
        let sets = equations.iter().filter_map(|equation| match equation.values {
            Source::Set(expr, view, _) => Some((expr, view)),
            Source::Any | Source::Same => None,
        });
        for (expr, view) in sets.chain(conditions.iter().copied()) {
            let count = self.count();
            for slot in self.reads(expr, view)?.into_iter().filter(|&slot| slot < count) {
                read[slot as usize] = true;
            }
        }
        let inputs = self.layout.inputs.iter().enumerate();
        let inputs: Vec<u32> =
            inputs.filter(|(_, (id, _))| read[id.index()]).map(|(i, _)| i as u32).collect();
        self.order(equations, conditions, &inputs)
    }

    fn count(&self) -> Slot {
        self.structure.variables.len() as Slot
    }

    /// The values that a condition gives to a variable, which is taken out of the others; its whole
    /// domain if none does. Only values that the present state decides are taken, so that no two
    /// conditions wait for each other.
    fn definition(
        &mut self,
        variable: VariableId,
        conditions: &mut Vec<(ExprId, View)>,
    ) -> Result<Source, Exhausted> {
        self.budget.spend(conditions.len())?;
        for place in 0..conditions.len() {
            let (condition, view) = conditions[place];
            let is_it = |expr: ExprId| match self.structure.exprs.get(expr) {
                Expr::Variable(other) => *other == variable && view == View::Made,
                Expr::Next(other) => *other == variable && view == View::Step,
                _ => false,
            };
            let Some(of) = self.defined_by(condition, is_it) else { continue };
            let count = self.count();
            if self.reads(of, view)?.iter().all(|&slot| slot < count) {
                conditions.remove(place);
                return Ok(Source::Set(of, View::Step, false));
            }
        }
        Ok(Source::Any)
    }

    fn defined_by(&self, condition: ExprId, is_it: impl Fn(ExprId) -> bool) -> Option<ExprId> {
        match *self.structure.exprs.get(condition) {
            Expr::Binary(Binary::Equal, a, b) if is_it(a) => Some(b),
            Expr::Binary(Binary::Equal, a, b) if is_it(b) => Some(a),
            Expr::In(a, b) if is_it(a) => Some(b),
            _ => None,
        }
    }

    /// The slots an expression reads, as it is evaluated.
    fn reads(&mut self, expr: ExprId, view: View) -> Result<Vec<Slot>, Exhausted> {
        let count = self.count();
        let base = if view == View::Made { count } else { 0 };
        let mut slots = Vec::new();
        let exprs = &self.structure.exprs;
        let mut seen = rustc_hash::FxHashSet::default();
        let mut left = vec![expr];
        while let Some(id) = left.pop() {
            self.budget.spend(1)?;
            if !seen.insert(id) {
                continue;
            }
            match exprs.get(id) {
                Expr::Variable(variable) => slots.push(base + variable.index() as Slot),
                Expr::Next(variable) => slots.push(count + variable.index() as Slot),
                expr => expr.operands(|child| left.push(child)),
            }
        }
        slots.sort_unstable();
        slots.dedup();
        Ok(slots)
    }

    /// Conditions taken apart, with all that is chosen; nothing where that makes no difference, or
    /// where variables may leave.
    fn anatomy(
        &mut self,
        equations: &[Equation],
        conditions: &[(ExprId, View)],
        inputs: &[u32],
    ) -> Option<Conditions> {
        if self.exits || conditions.is_empty() {
            return None;
        }
        let count = self.structure.variables.len();
        let layout = self.layout;
        let next = |field: u32| count + layout.fields[field as usize].variable.index();
        let fields = (0..layout.fields.len() as u32).map(|field| (Chosen::Field(field), next(field)));
        let inputs =
            inputs.iter().map(|&input| (Chosen::Input(input), layout.inputs[input as usize].0.index()));
        let choices = fields.chain(inputs);
        let mut anatomy = Anatomy::new(self.structure, &mut self.step, &mut self.made, choices);
        for &(expr, view) in conditions {
            anatomy.condition(expr, view);
        }
        for equation in equations {
            match equation.values {
                Source::Set(expr, view, assigned) => {
                    anatomy.rule(next(equation.field), Some((expr, view, assigned)));
                }
                Source::Same => anatomy.rule(next(equation.field), None),
                Source::Any => {}
            }
        }
        anatomy.finish()
    }

    /// Equations after those they read, conditions as soon as can be.
    fn order(
        &mut self,
        equations: Vec<Equation>,
        conditions: Vec<(ExprId, View)>,
        inputs: &[u32],
    ) -> Result<Plan, Exhausted> {
        if let Some(conditions) = self.anatomy(&equations, &conditions, inputs) {
            return Ok(Plan { conditions: Some(conditions), ..Plan::default() });
        }
        let count = self.structure.variables.len();
        let mut plan = Plan { simple: inputs.is_empty() && conditions.is_empty(), ..Plan::default() };
        let mut checks: Vec<(ExprId, View, Vec<Slot>)> = Vec::with_capacity(conditions.len());
        for (expr, view) in conditions {
            checks.push((expr, view, self.reads(expr, view)?));
        }
        // variables that are not chosen yet
        let mut unknown = vec![false; 2 * count];
        for field in &self.layout.fields {
            unknown[count + field.variable.index()] = true;
        }
        for &input in inputs {
            unknown[self.layout.inputs[input as usize].0.index()] = true;
        }
        // sets that depend on the state alone are evaluated before any choice
        let mut waiting = Vec::new();
        for equation in equations {
            let reads = match equation.values {
                Source::Set(expr, view, _) => self.reads(expr, view)?,
                Source::Any | Source::Same => Vec::new(),
            };
            let of_state = reads.iter().all(|&slot| (slot as usize) < count && !unknown[slot as usize]);
            waiting.push((equation, reads, of_state));
        }
        self.place_checks(&mut plan, &mut checks, &unknown)?;
        for &input in inputs {
            plan.items.push(Item::Input(input));
            unknown[self.layout.inputs[input as usize].0.index()] = false;
            self.place_checks(&mut plan, &mut checks, &unknown)?;
        }
        while !waiting.is_empty() {
            self.budget.spend(waiting.len())?;
            // equations before free choices, in the order of the text; cycles were refused before
            let ready = |reads: &[Slot]| !reads.iter().any(|&slot| unknown[slot as usize]);
            let is_free = |equation: &Equation| matches!(equation.values, Source::Any);
            let place = waiting.iter().position(|(equation, reads, _)| ready(reads) && !is_free(equation));
            let place = place.or_else(|| waiting.iter().position(|(_, reads, _)| ready(reads)));
            let (Equation { field, values }, _, of_state) = waiting.remove(place.unwrap_or(0));
            let values = match values {
                Source::Set(expr, _, assigned) if of_state => {
                    plan.fixed.push(Fixed { field, entry: self.step.set(expr), expr, assigned });
                    Values::Fixed(plan.fixed.len() as u32 - 1)
                }
                Source::Set(expr, view, assigned) => {
                    plan.simple = false;
                    Values::Set(self.set(expr, view), view, expr, assigned)
                }
                Source::Any => Values::Any,
                Source::Same => Values::Same,
            };
            plan.items.push(Item::Choose(field, values));
            unknown[count + self.layout.fields[field as usize].variable.index()] = false;
            self.place_checks(&mut plan, &mut checks, &unknown)?;
        }
        Ok(plan)
    }

    fn set(&mut self, expr: ExprId, view: View) -> Entry {
        match view {
            View::Step => self.step.set(expr),
            View::Made => self.made.set(expr),
        }
    }

    fn place_checks(
        &mut self,
        plan: &mut Plan,
        checks: &mut Vec<(ExprId, View, Vec<Slot>)>,
        unknown: &[bool],
    ) -> Result<(), Exhausted> {
        self.budget.spend(checks.len())?;
        let mut i = 0;
        while i < checks.len() {
            if checks[i].2.iter().any(|&slot| unknown[slot as usize]) {
                i += 1;
                continue;
            }
            let (expr, view, _) = checks.remove(i);
            let entry = match view {
                View::Step => self.step.value(expr),
                View::Made => self.made.value(expr),
            };
            plan.items.push(Item::Check(entry, view, expr));
        }
        Ok(())
    }
}
