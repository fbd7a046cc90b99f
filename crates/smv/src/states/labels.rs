//! Which states satisfy a condition.
//!
//! Conditions are taken apart at `&`, `|` and `!`, and the rest is looked up: states are indexed by
//! the value of each variable, so that `x = c` and `x in {c, d}` cost time linear in the result and
//! not a look at every state (thesis, section 5.2). A condition over one variable otherwise is
//! evaluated once for each of its values, one over several once for each state. Equal conditions
//! are decided once.
//!
//! Where a variable has left, a condition on its value is neither true nor false, and so on upwards
//! as in Kleene's logic; the label is absent then.
//!
//! Taken apart, a condition is evaluated in states where it would not be as a whole:
//! `z != 0 & 6 / z > 1` divides by zero. So a fault in a part decides nothing; the whole condition
//! is then evaluated state by state, from left to right, and only its own faults count.

use super::code::{Code, Compiler, constant_set, shared};
use super::layout::{Bits, Field, Layout};
use super::node_sets::Universe;
use super::step::Trouble;
use super::vm::{Fault, Machine};
use crate::ir::{Binary, Expr, ExprId, Structure};
use loris_base::{BitSet, Budget, Csr, Exhausted, Idx};
use loris_rsm::NodeSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Where a condition is true, and where it is false; without the latter, everywhere else.
#[derive(Clone)]
struct Where {
    yes: Rc<NodeSet>,
    no: Option<Rc<NodeSet>>,
}

/// Decides conditions on the states of a structure.
pub(super) struct Labeller<'a, B> {
    structure: &'a Structure,
    layout: &'a Layout,
    states: &'a [B],
    all: Universe,
    /// whether variables leave
    recursive: bool,
    known: FxHashMap<ExprId, Where>,
    /// by field, the states of each value
    index: Vec<Option<Rc<Csr>>>,
    shared: Rc<[bool]>,
}

/// A problem and its state.
pub(super) type Failed<B> = (Trouble, Option<B>);

/// Why a condition cannot be decided by its parts.
enum Stuck {
    Exhausted(Exhausted),
    /// a part has no value in some state
    Fault,
}

impl From<Exhausted> for Stuck {
    fn from(exhausted: Exhausted) -> Self {
        Stuck::Exhausted(exhausted)
    }
}

impl<'a, B: Bits> Labeller<'a, B> {
    pub(super) fn new(
        structure: &'a Structure,
        layout: &'a Layout,
        states: &'a [B],
        recursive: bool,
    ) -> Self {
        Self {
            structure,
            layout,
            states,
            all: Universe { states: states.len() },
            recursive,
            known: FxHashMap::default(),
            index: vec![None; layout.fields.len()],
            shared: shared(&structure.exprs),
        }
    }

    /// The states where a condition is true. That it has no value in some state is an error, unless
    /// that is because a variable has left.
    pub(super) fn set(&mut self, condition: ExprId, budget: &mut Budget) -> Result<Rc<NodeSet>, Failed<B>> {
        match self.some(condition, budget) {
            Ok((set, None)) => Ok(set),
            Ok((_, Some((fault, state)))) => Err((fault, Some(state))),
            Err(exhausted) => Err((exhausted.into(), None)),
        }
    }

    /// The states where a condition is true, and the first state where it has no value, with the
    /// reason.
    #[expect(clippy::type_complexity, reason = "a state with what is wrong there")]
    pub(super) fn some(
        &mut self,
        condition: ExprId,
        budget: &mut Budget,
    ) -> Result<(Rc<NodeSet>, Option<(Trouble, B)>), Exhausted> {
        match self.by_parts(condition, budget) {
            Ok(set) => Ok((set, None)),
            Err(Stuck::Exhausted(exhausted)) => Err(exhausted),
            Err(Stuck::Fault) => self.as_a_whole(condition, budget),
        }
    }

    fn by_parts(&mut self, condition: ExprId, budget: &mut Budget) -> Result<Rc<NodeSet>, Stuck> {
        let exprs = &self.structure.exprs;
        let mut left = vec![condition];
        while let Some(&expr) = left.last() {
            budget.spend(1)?;
            if self.known.contains_key(&expr) {
                left.pop();
                continue;
            }
            let before = left.len();
            if let Expr::And(_) | Expr::Or(_) | Expr::Not(_) = exprs.get(expr) {
                exprs.get(expr).operands(|child| {
                    if !self.known.contains_key(&child) {
                        left.push(child);
                    }
                });
                if left.len() > before {
                    continue;
                }
            }
            let found = match exprs.get(expr) {
                Expr::Not(of) => self.negation(*of, budget)?,
                Expr::And(all) => self.both_ways(all, true, budget)?,
                Expr::Or(all) => self.both_ways(all, false, budget)?,
                _ => self.leaf(expr, budget)?,
            };
            self.known.insert(expr, found);
            left.pop();
        }
        Ok(Rc::clone(&self.known[&condition].yes))
    }

    fn negation(&self, of: ExprId, budget: &mut Budget) -> Result<Where, Exhausted> {
        let Where { yes, no } = &self.known[&of];
        Ok(match no {
            Some(no) => Where { yes: Rc::clone(no), no: Some(Rc::clone(yes)) },
            None => Where { yes: Rc::new(self.all.complement(yes, budget)?), no: None },
        })
    }

    /// A conjunction or a disjunction.
    fn both_ways(&self, all: &[ExprId], and: bool, budget: &mut Budget) -> Result<Where, Exhausted> {
        let of: Vec<&Where> = all.iter().map(|expr| &self.known[expr]).collect();
        let positive: Vec<&NodeSet> = of.iter().map(|of| &*of.yes).collect();
        let negative: Option<Vec<&NodeSet>> = of.iter().map(|of| of.no.as_deref()).collect();
        let mut join = |sets: &[&NodeSet], and: bool| {
            if and { self.all.intersection(sets, budget) } else { self.all.union(sets, budget) }
        };
        let yes = Rc::new(join(&positive, and)?);
        // without variables that leave, it is false everywhere else
        let negative = negative.filter(|_| self.recursive);
        let no = negative.map(|negative| join(&negative, !and)).transpose()?.map(Rc::new);
        Ok(Where { yes, no })
    }

    /// A condition that is not taken apart.
    fn leaf(&mut self, expr: ExprId, budget: &mut Budget) -> Result<Where, Stuck> {
        let fields = self.fields(expr);
        if let &[field] = &fields[..]
            && self.layout.fields[field].codes.all() <= 8 * self.states.len() as u64 + 1024
        {
            return self.by_value(expr, field, budget);
        }
        let mut yes = self.all.empty(budget)?;
        let mut no = if self.recursive { self.all.empty(budget)? } else { BitSet::default() };
        let mut fault = false;
        self.each_state(expr, &fields, budget, |number, _, truth| {
            match truth {
                Ok(true) => _ = yes.insert(number as u32),
                Ok(false) if self.recursive => _ = no.insert(number as u32),
                Ok(false) | Err(Fault::Exit) => {}
                Err(_) => fault = true,
            }
            !fault
        })?;
        if fault {
            budget.release(yes.bytes() + no.bytes());
            return Err(Stuck::Fault);
        }
        let no = self.recursive.then(|| Rc::new(NodeSet::bits(no.into_words())));
        Ok(Where { yes: Rc::new(NodeSet::bits(yes.into_words())), no })
    }

    /// Evaluates a condition in all states, until that is enough.
    fn each_state(
        &self,
        expr: ExprId,
        fields: &[usize],
        budget: &mut Budget,
        mut each: impl FnMut(usize, &B, Result<bool, Fault>) -> bool,
    ) -> Result<(), Exhausted> {
        let (code, entry) = self.code(expr);
        let mut machine = Machine::new(&code);
        let mut slots = vec![0; self.structure.variables.len()];
        for (number, state) in self.states.iter().enumerate() {
            budget.spend(1 + fields.len() + machine.work())?;
            for &field in fields {
                let field = &self.layout.fields[field];
                slots[field.variable.index()] = field.value(state);
            }
            machine.forget();
            if !each(number, state, machine.truth(&code, entry, &slots, budget)) {
                break;
            }
        }
        Ok(())
    }

    /// Decides a condition with faults in its parts, state by state.
    #[expect(clippy::type_complexity, reason = "a state with what is wrong there")]
    fn as_a_whole(
        &mut self,
        condition: ExprId,
        budget: &mut Budget,
    ) -> Result<(Rc<NodeSet>, Option<(Trouble, B)>), Exhausted> {
        let fields = self.fields(condition);
        let mut yes = self.all.empty(budget)?;
        let mut first: Option<B> = None;
        self.each_state(condition, &fields, budget, |number, state, truth| {
            match truth {
                Ok(true) => _ = yes.insert(number as u32),
                Ok(false) | Err(Fault::Exit) => {}
                Err(_) if first.is_none() => first = Some(*state),
                Err(_) => {}
            }
            true
        })?;
        let fault = first.map(|state| (self.fault_in(condition, &state), state));
        Ok((Rc::new(NodeSet::bits(yes.into_words())), fault))
    }

    /// The problem of a condition in a state, in the smallest part that shows it.
    fn fault_in(&self, condition: ExprId, state: &B) -> Trouble {
        let exprs = &self.structure.exprs;
        let mut slots = vec![0; self.structure.variables.len()];
        self.layout.unpack(state, &mut slots);
        let fault_of = |expr: ExprId| {
            let (code, entry) = self.code(expr);
            let truth = Machine::new(&code).truth(&code, entry, &slots, &mut Budget::unlimited());
            truth.err().filter(|&fault| fault != Fault::Exit)
        };
        let (mut at, mut found) = (condition, fault_of(condition).unwrap_or(Fault::Exit));
        while let Expr::And(_) | Expr::Or(_) | Expr::Not(_) = exprs.get(at) {
            let mut parts = Vec::new();
            exprs.get(at).operands(|child| parts.push(child));
            let faulty = parts.into_iter().find_map(|part| Some((part, fault_of(part)?)));
            let Some(faulty) = faulty else { break };
            (at, found) = faulty;
        }
        Trouble::Fault(found, at)
    }

    fn code(&self, expr: ExprId) -> (Code, u32) {
        let (exprs, shared) = (&self.structure.exprs, Rc::clone(&self.shared));
        let mut compiler = Compiler::new(exprs, self.structure.variables.len(), shared, self.recursive);
        let entry = compiler.value(expr);
        (compiler.finish(), entry)
    }

    /// A condition on one variable, by its values.
    fn by_value(&mut self, expr: ExprId, number: usize, budget: &mut Budget) -> Result<Where, Stuck> {
        let layout = self.layout;
        let field = &layout.fields[number];
        let is_it = |id: ExprId| matches!(self.structure.exprs.get(id), Expr::Variable(_));
        let constants = match *self.structure.exprs.get(expr) {
            Expr::Binary(Binary::Equal, a, b) if is_it(a) => constant_set(&self.structure.exprs, b),
            Expr::Binary(Binary::Equal, a, b) if is_it(b) => constant_set(&self.structure.exprs, a),
            Expr::In(a, b) if is_it(a) => constant_set(&self.structure.exprs, b),
            _ => None,
        };
        let (mut yes, mut no) = (Vec::new(), None);
        match constants {
            Some(values) => yes.extend(values.iter().filter_map(|&value| field.codes.place(value))),
            None => no = Some(self.values_of(expr, field, &mut yes, budget)?),
        }
        yes.sort_unstable();
        let index = self.index(number, budget)?;
        let yes = self.all.rows(&index, &yes, budget)?;
        let no = match no {
            _ if !self.recursive => None,
            // a comparison with constants is false everywhere else
            None => Some(Rc::new(self.all.complement(&yes, budget)?)),
            Some(places) => Some(Rc::new(self.all.rows(&index, &places, budget)?)),
        };
        Ok(Where { yes: Rc::new(yes), no })
    }

    /// For which values of its variable a condition is true, and for which it is false.
    fn values_of(
        &mut self,
        expr: ExprId,
        field: &Field,
        yes: &mut Vec<u64>,
        budget: &mut Budget,
    ) -> Result<Vec<u64>, Stuck> {
        let (code, entry) = self.code(expr);
        let mut machine = Machine::new(&code);
        let mut slots = vec![0; self.structure.variables.len()];
        let mut no = Vec::new();
        for place in 0..field.codes.all() {
            budget.spend(1 + machine.work())?;
            slots[field.variable.index()] = field.codes.value(place);
            machine.forget();
            match machine.truth(&code, entry, &slots, budget) {
                Ok(true) => yes.push(place),
                Ok(false) => no.push(place),
                Err(Fault::Exit) => {}
                Err(_) => {
                    // it matters only if some state has this value
                    budget.spend(self.states.len())?;
                    if self.states.iter().any(|state| field.place(state) == place) {
                        return Err(Stuck::Fault);
                    }
                }
            }
        }
        Ok(no)
    }

    /// The states of each value of a variable.
    fn index(&mut self, number: usize, budget: &mut Budget) -> Result<Rc<Csr>, Exhausted> {
        if let Some(index) = &self.index[number] {
            return Ok(Rc::clone(index));
        }
        let (field, states) = (&self.layout.fields[number], self.states);
        let rows = field.codes.all() as usize;
        let places = states.iter().enumerate();
        let pairs = places.map(|(number, state)| (field.place(state) as u32, number as u32));
        let index = Rc::new(Csr::from_pairs_within(rows, pairs, budget)?);
        self.index[number] = Some(Rc::clone(&index));
        Ok(index)
    }

    /// The fields that an expression reads.
    fn fields(&self, expr: ExprId) -> Vec<usize> {
        let exprs = &self.structure.exprs;
        let (mut seen, mut fields) = (FxHashSet::default(), Vec::new());
        let mut left = vec![expr];
        while let Some(id) = left.pop() {
            if seen.insert(id) {
                if let Expr::Variable(variable) = exprs.get(id) {
                    fields.push(self.layout.field_of[variable.index()] as usize);
                }
                exprs.get(id).operands(|child| left.push(child));
            }
        }
        fields.sort_unstable();
        fields.dedup();
        fields
    }
}
