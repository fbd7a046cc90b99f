//! Initial states and steps: equations and conditions put together.
//!
//! *Trouble.* An equation is in trouble where its value has a fault, or where its set has a value
//! that the variable cannot have; a condition, where it has a fault. The next value of a variable
//! in trouble counts as a fault for all that reads it. Trouble counts only where every condition
//! holds or has a fault itself: a valuation that some condition excludes is not a state of the
//! model, whatever other conditions would say of it. Bits that stand for no value have no trouble
//! either: no reachable state has them. So if no reachable state has trouble, then wherever some
//! function has a fault, a constraint without one is false, and what faults make of values is never
//! seen.

use super::code::Code;
use super::expressions::{Expressions, View};
use super::layout::{Field, StateLayout};
use super::order::groups;
use super::sets::Pool;
use super::{Encoded, FaultCause, Moment, Trouble};
use crate::ir::{Binary, Expr, ExprId, Program, Structure, StructureId, VariableId, VariableKind};
use crate::states::Layout;
use loris_base::{Budget, Exhausted, Idx};
use loris_circuit::{Gate, Lit, StateVar, TransitionSystem};
use rustc_hash::FxHashMap;

pub(super) fn encoded(
    program: &Program,
    structure: StructureId,
    atoms: &[Vec<ExprId>],
    budget: &mut Budget,
) -> Result<Encoded, Exhausted> {
    let structure = &program.structures[structure];
    let compassion = structure.compassion.iter().flat_map(|&(p, q)| [p, q]);
    let asked = atoms.iter().flatten().chain(&structure.justice).copied().chain(compassion);
    let layout = Layout::of(structure, asked, false);
    let variables: Vec<VariableId> = layout.fields.iter().map(|field| field.variable).collect();
    let groups = groups(structure, &variables, budget)?;
    let mut rules = Rules {
        structure,
        of: Expressions::new(structure, budget)?,
        fields: FxHashMap::default(),
        order: variables,
        choices: Vec::new(),
        next: FxHashMap::default(),
        trouble: Vec::new(),
        is_valid: Lit::TRUE,
        system: TransitionSystem::default(),
    };
    rules.declare(&groups)?;
    rules.start()?;
    let (conditions, definitions) = rules.definitions()?;
    let inputs = rules.inputs(&layout.inputs.iter().map(|&(id, _)| id).collect::<Vec<_>>(), &conditions)?;
    rules.steps(&conditions, &definitions)?;
    let atoms = rules.observe(atoms)?;
    rules.finish(program, layout, inputs, atoms)
}

/// A condition that is a part of what initial states or steps are.
struct Holds {
    lit: Lit,
    fault: Lit,
}

/// A condition with what its variables mean.
type Viewed = (ExprId, View);

struct Rules<'a> {
    structure: &'a Structure,
    of: Expressions<'a>,
    /// by variable, its code and its bits
    fields: FxHashMap<VariableId, (Code, Vec<Lit>, Vec<usize>)>,
    /// variables of states
    order: Vec<VariableId>,
    choices: Vec<Lit>,
    /// by variable, the bits of its next value
    next: FxHashMap<VariableId, Vec<Lit>>,
    trouble: Vec<Trouble>,
    /// whether all bits are those of values, as in every reachable state
    is_valid: Lit,
    system: TransitionSystem,
}

impl Rules<'_> {
    /// Makes the state variables.
    fn declare(&mut self, groups: &[Vec<VariableId>]) -> Result<(), Exhausted> {
        for &id in groups.iter().flatten() {
            let code = Code::of(&self.structure.variables[id].domain);
            let width = code.width();
            self.fields.insert(id, (code, vec![Lit::FALSE; width], vec![0; width]));
        }
        for group in groups {
            let width = group.iter().map(|id| self.fields[id].0.width()).max().unwrap_or(0);
            for bit in (0..width).rev() {
                for id in group {
                    let Some((_, lits, places)) = self.fields.get_mut(id) else { continue };
                    if bit < lits.len() {
                        let now = self.of.aig.variable();
                        (lits[bit], places[bit]) = (now, self.system.states.len());
                        self.system.states.push(StateVar { now, next: now });
                    }
                }
            }
        }
        for &id in groups.iter().flatten() {
            let (code, lits, _) = &self.fields[&id];
            let value = code.decoded(&mut self.of.aig, lits);
            self.of.set_variable(id, View::Step, value, Lit::FALSE);
            self.of.charge()?;
        }
        Ok(())
    }

    /// Initial states.
    fn start(&mut self) -> Result<(), Exhausted> {
        let structure = self.structure;
        let mut all = Vec::new();
        let mut suspects = Vec::new();
        for id in self.order.clone() {
            let (code, lits, _) = self.fields[&id].clone();
            let is_valid = code.is_valid(&mut self.of.aig, &lits);
            all.push(Holds { lit: is_valid, fault: Lit::FALSE });
            self.is_valid = self.of.aig.and(self.is_valid, is_valid);
            let variable = &structure.variables[id];
            if let Some(set) = variable.init.or(variable.current) {
                let value = code.decoded(&mut self.of.aig, &lits);
                let lit = self.of.member(set, &value, View::Step)?;
                let fault = self.trouble_of(set, &code, View::Step)?;
                all.push(Holds { lit, fault });
                suspects.push((fault, FaultCause::Assignment(id, set)));
            }
        }
        for &condition in structure.init.iter().chain(&structure.invar) {
            let (lit, fault) = self.of.condition(condition, View::Step)?;
            all.push(Holds { lit, fault });
            suspects.push((fault, FaultCause::Condition(condition)));
        }
        self.system.init = self.conjuncts(all.iter().map(|holds| holds.lit));
        self.suspect(&all, &suspects, Moment::Start);
        self.of.charge()
    }

    /// Where the value that is assigned has a fault, or the variable cannot have it.
    fn trouble_of(&mut self, set: ExprId, code: &Code, view: View) -> Result<Lit, Exhausted> {
        let (fault, outside) = (self.of.set_fault(set, view)?, self.of.outside(set, code, view)?);
        Ok(self.of.aig.or(fault, outside))
    }

    /// Keeps the trouble that may be.
    fn suspect(&mut self, all: &[Holds], suspects: &[(Lit, FaultCause)], moment: Moment) {
        if suspects.iter().all(|&(fault, _)| fault == Lit::FALSE) {
            return;
        }
        let each: Vec<Lit> = all.iter().map(|holds| self.of.aig.or(holds.lit, holds.fault)).collect();
        let all = self.of.aig.all(each);
        let all = self.of.aig.and(all, self.is_valid);
        for &(fault, what) in suspects {
            let when = self.of.aig.and(fault, all);
            if when != Lit::FALSE {
                self.trouble.push(Trouble { when, moment, what });
            }
        }
    }

    /// Conditions on steps, and those of them that say what the next value of a variable without
    /// assignment is, given the state at hand.
    fn definitions(&mut self) -> Result<(Vec<Viewed>, FxHashMap<VariableId, ExprId>), Exhausted> {
        let structure = self.structure;
        let mut found: FxHashMap<VariableId, ExprId> = FxHashMap::default();
        let is_free = |id: VariableId| {
            let variable = &structure.variables[id];
            variable.kind == VariableKind::State && variable.next.is_none() && variable.current.is_none()
        };
        let target = |expr: ExprId| match *structure.exprs.get(expr) {
            Expr::Next(id) if is_free(id) => Some(id),
            _ => None,
        };
        let mut conditions = Vec::new();
        for &condition in &structure.trans {
            let sides = match *structure.exprs.get(condition) {
                Expr::Binary(Binary::Equal | Binary::Same, a, b) => vec![(a, b), (b, a)],
                Expr::In(a, b) => vec![(a, b)],
                _ => Vec::new(),
            };
            let mut defines = None;
            for (of, value) in sides {
                if let Some(id) = target(of)
                    && !found.contains_key(&id)
                    && self.fields.contains_key(&id)
                    && self.reads(value, View::Step)?.1.is_empty()
                {
                    defines = Some((id, value));
                    break;
                }
            }
            match defines {
                Some((id, value)) => drop(found.insert(id, value)),
                None => conditions.push((condition, View::Step)),
            }
        }
        conditions.extend(structure.invar.iter().map(|&condition| (condition, View::Made)));
        Ok((conditions, found))
    }

    /// Which variables an expression reads: of the state or the step at hand, and of the next
    /// state.
    fn reads(&mut self, expr: ExprId, view: View) -> Result<(Vec<VariableId>, Vec<VariableId>), Exhausted> {
        let (mut now, mut next) = (Vec::new(), Vec::new());
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![expr];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            self.of.spend(1)?;
            match self.structure.exprs.get(id) {
                Expr::Variable(variable) if view == View::Step => now.push(*variable),
                Expr::Variable(variable) | Expr::Next(variable) => next.push(*variable),
                expr => expr.operands(|operand| stack.push(operand)),
            }
        }
        Ok((now, next))
    }

    /// What the next value of a variable is taken from.
    fn source(&self, id: VariableId, definitions: &FxHashMap<VariableId, ExprId>) -> Option<Source> {
        let variable = &self.structure.variables[id];
        match (variable.kind, variable.next, variable.current) {
            (VariableKind::Frozen, ..) => None,
            (_, Some(set), _) => Some(Source { set, view: View::Step, is_assigned: true }),
            (_, None, Some(set)) => Some(Source { set, view: View::Made, is_assigned: true }),
            (_, None, None) => {
                definitions.get(&id).map(|&set| Source { set, view: View::Step, is_assigned: false })
            }
        }
    }

    /// Makes choices of inputs that something reads.
    fn inputs(&mut self, inputs: &[VariableId], conditions: &[Viewed]) -> Result<Vec<Field>, Exhausted> {
        let structure = self.structure;
        let mut roots: Vec<ExprId> = conditions.iter().map(|&(condition, _)| condition).collect();
        roots.extend(&structure.trans);
        roots.extend(self.order.iter().filter_map(|&id| structure.variables[id].next));
        let mut is_read = vec![false; structure.variables.len()];
        let mut seen = vec![false; structure.exprs.len()];
        while let Some(id) = roots.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            self.of.spend(1)?;
            match structure.exprs.get(id) {
                Expr::Variable(variable) => is_read[variable.index()] = true,
                expr => expr.operands(|operand| roots.push(operand)),
            }
        }
        let mut fields = Vec::new();
        for &id in inputs.iter().filter(|id| is_read[id.index()]) {
            let variable = &structure.variables[id];
            let code = Code::of(&variable.domain);
            let mut pool = Pool::default();
            let chosen = pool.take(&mut self.of, 0, code.width());
            let bits = code.repaired(&mut self.of.aig, &chosen);
            let value = code.decoded(&mut self.of.aig, &bits);
            self.of.set_variable(id, View::Step, value, Lit::FALSE);
            let from = self.choices.len();
            self.choices.extend(pool.choices);
            fields.push(Field {
                variable: id,
                name: variable.name.clone(),
                domain: variable.domain.clone(),
                bits: (from..from + code.width()).collect(),
                code,
            });
        }
        Ok(fields)
    }

    /// Next values and constraints.
    fn steps(
        &mut self,
        conditions: &[Viewed],
        definitions: &FxHashMap<VariableId, ExprId>,
    ) -> Result<(), Exhausted> {
        let (mut all, mut suspects) = (Vec::new(), Vec::new());
        let mut is_bound = vec![false; self.structure.variables.len()];
        for &(condition, view) in conditions {
            let (_, next) = self.reads(condition, view)?;
            for id in next {
                is_bound[id.index()] = true;
            }
        }
        for id in self.in_order(definitions)? {
            match self.source(id, definitions) {
                Some(source) => self.next_from(id, source, &mut all, &mut suspects)?,
                None if self.structure.variables[id].kind == VariableKind::Frozen => {
                    let bits = self.fields[&id].1.clone();
                    self.set_next(id, bits, Lit::FALSE);
                }
                None => self.next_of_free(id, is_bound[id.index()], &mut all),
            }
            self.of.charge()?;
        }
        for &(condition, view) in conditions {
            let (lit, fault) = self.of.condition(condition, view)?;
            all.push(Holds { lit, fault });
            suspects.push((fault, FaultCause::Condition(condition)));
        }
        self.system.constraints = self.conjuncts(all.iter().map(|holds| holds.lit));
        self.suspect(&all, &suspects, Moment::Step);
        self.of.charge()
    }

    /// Any value as the next one of a variable. One that conditions are about takes what is chosen
    /// as it is, so that a choice is the next value, and not one more variable in the relation;
    /// that bits are those of a value is a constraint, too, then.
    fn next_of_free(&mut self, id: VariableId, is_bound: bool, all: &mut Vec<Holds>) {
        let code = self.fields[&id].0.clone();
        let mut pool = Pool::default();
        let chosen = pool.take(&mut self.of, 0, code.width());
        self.choices.extend(pool.choices);
        let bits = if is_bound {
            let lit = code.is_valid(&mut self.of.aig, &chosen);
            all.push(Holds { lit, fault: Lit::FALSE });
            chosen
        } else {
            code.repaired(&mut self.of.aig, &chosen)
        };
        self.set_next(id, bits, Lit::FALSE);
    }

    fn set_next(&mut self, id: VariableId, bits: Vec<Lit>, fault: Lit) {
        let value = self.fields[&id].0.decoded(&mut self.of.aig, &bits);
        self.of.set_variable(id, View::Made, value, fault);
        self.next.insert(id, bits);
    }

    fn next_from(
        &mut self,
        id: VariableId,
        source: Source,
        all: &mut Vec<Holds>,
        suspects: &mut Vec<(Lit, FaultCause)>,
    ) -> Result<(), Exhausted> {
        let Source { set, view, is_assigned } = source;
        let code = self.fields[&id].0.clone();
        let mut pool = Pool::default();
        let pick = self.of.pick(set, &code, &mut pool, view)?;
        self.choices.extend(pool.choices);
        let bits = code.encoded(&mut self.of.aig, &pick.value);
        let (fault, lit) = if is_assigned {
            let fault = self.trouble_of(set, &code, view)?;
            suspects.push((fault, FaultCause::Assignment(id, set)));
            (fault, !pick.absent)
        } else {
            // a condition that only fails with values that the variable cannot have
            let fault = self.of.set_fault(set, view)?;
            suspects.push((fault, FaultCause::Condition(set)));
            let is_one = match self.of.outside(set, &code, view)? {
                Lit::FALSE => Lit::TRUE,
                _ => code.has(&mut self.of.aig, &pick.value),
            };
            (fault, self.of.aig.and(is_one, !pick.absent))
        };
        all.push(Holds { lit, fault });
        self.set_next(id, bits, fault);
        Ok(())
    }

    /// Variables after those that their next values depend on.
    fn in_order(
        &mut self,
        definitions: &FxHashMap<VariableId, ExprId>,
    ) -> Result<Vec<VariableId>, Exhausted> {
        let mut order = Vec::with_capacity(self.order.len());
        let mut is_met = vec![false; self.structure.variables.len()];
        for root in self.order.clone() {
            // variables on the way, each with those that it waits for
            let mut stack = Vec::new();
            let mut next = Some(root);
            loop {
                if let Some(id) = next.take()
                    && !std::mem::replace(&mut is_met[id.index()], true)
                {
                    let before = match self.source(id, definitions) {
                        Some(source) => self.reads(source.set, source.view)?.1,
                        None => Vec::new(),
                    };
                    stack.push((id, before));
                }
                match stack.last_mut() {
                    None => break,
                    Some((_, before)) if !before.is_empty() => next = before.pop(),
                    Some(&mut (id, _)) => {
                        order.push(id);
                        stack.pop();
                    }
                }
            }
        }
        Ok(order)
    }

    /// Fairness and the atoms of properties.
    fn observe(&mut self, atoms: &[Vec<ExprId>]) -> Result<Vec<Vec<Lit>>, Exhausted> {
        let structure = self.structure;
        for &condition in &structure.justice {
            let lit = self.of_state(FaultCause::Condition(condition), condition)?;
            self.system.justice.push(lit);
        }
        for &(often, then) in &structure.compassion {
            let [often, then] = [often, then].map(|of| self.of_state(FaultCause::Condition(of), of));
            let pair = (often?, then?);
            self.system.compassion.push(pair);
        }
        let mut known: FxHashMap<ExprId, Lit> = FxHashMap::default();
        let mut found = Vec::with_capacity(atoms.len());
        for own in atoms {
            let mut lits = Vec::with_capacity(own.len());
            for &condition in own {
                if let Some(&lit) = known.get(&condition) {
                    lits.push(lit);
                    continue;
                }
                let lit = self.of_state(FaultCause::Atom(condition), condition)?;
                known.insert(condition, lit);
                self.system.observed.push(lit);
                lits.push(lit);
            }
            found.push(lits);
        }
        Ok(found)
    }

    /// A condition on states.
    fn of_state(&mut self, cause: FaultCause, condition: ExprId) -> Result<Lit, Exhausted> {
        let (lit, fault) = self.of.condition(condition, View::Step)?;
        self.suspect(&[], &[(fault, cause)], Moment::State);
        Ok(lit)
    }

    /// Conjunctions taken apart, each part once.
    fn conjuncts(&self, of: impl Iterator<Item = Lit>) -> Vec<Lit> {
        let (mut parts, mut seen) = (Vec::new(), rustc_hash::FxHashSet::default());
        let mut stack: Vec<Lit> = of.collect();
        stack.reverse();
        while let Some(lit) = stack.pop() {
            if lit == Lit::TRUE || !seen.insert(lit) {
                continue;
            }
            match self.of.aig.gate(lit.var()) {
                Gate::And(a, b) if !lit.is_negated() => stack.extend([b, a]),
                _ => parts.push(lit),
            }
        }
        parts
    }

    fn finish(
        mut self,
        program: &Program,
        explicit: Layout,
        inputs: Vec<Field>,
        atoms: Vec<Vec<Lit>>,
    ) -> Result<Encoded, Exhausted> {
        self.of.charge()?;
        let mut variables = Vec::with_capacity(self.order.len());
        for &id in &self.order {
            let variable = &self.structure.variables[id];
            let Some((code, _, places)) = self.fields.remove(&id) else { continue };
            for (bit, &place) in places.iter().enumerate() {
                self.system.states[place].next = self.next[&id][bit];
            }
            let (name, domain) = (variable.name.clone(), variable.domain.clone());
            variables.push(Field { variable: id, name, domain, code, bits: places });
        }
        let layout = StateLayout { variables, inputs, symbols: program.symbols.clone(), explicit };
        let mut system = self.system;
        system.choices = self.choices;
        system.aig = self.of.finish();
        let is_total = system.constraints.is_empty();
        Ok(Encoded { system, layout, atoms, trouble: self.trouble, is_total })
    }
}

/// What a next value is taken from.
#[derive(Clone, Copy)]
struct Source {
    set: ExprId,
    view: View,
    /// Whether the variable must have all of its values; else a condition fails with others.
    is_assigned: bool,
}
