//! From a plan to states: all ways to choose values that pass the checks.
//!
//! Where nothing is checked and no choice depends on another, the states are the cross product of the sets of values (thesis, section 5.2).
//! Otherwise they are found by backtracking, with a stack of open choices.

use super::layout::{Bits, Codes, Layout};
use super::plan::{Item, Plan, Plans, Values, View};
use super::solve::Solver;
use super::vm::{Fault, Machine};
use crate::ir::{EXIT, ExprId, VariableId};
use loris_base::{Budget, Exhausted, Idx};
use rustc_hash::FxHashSet;

/// More successors of one state are more states than can be kept.
const MOST: usize = 1 << 28;
/// So many are counted.
const LARGE: usize = 1 << 16;

/// Whether there is memory for a row of states that is about to double, besides all that is kept.
fn has_room(states: usize, bytes: usize, budget: &mut Budget) -> Result<(), Exhausted> {
    let wanted = 2 * states * bytes;
    budget.charge(wanted)?;
    budget.release(wanted);
    Ok(())
}

/// Why a state has no successors, or there is no telling which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// an expression has no value
    Fault(Fault, ExprId),
    /// a value that the variable cannot have
    Outside(VariableId, i64, ExprId),
    /// a limit was reached
    Exhausted(Exhausted),
}

impl From<Exhausted> for Trouble {
    fn from(exhausted: Exhausted) -> Self {
        Trouble::Exhausted(exhausted)
    }
}

/// Makes states.
pub(super) struct Maker<'a, B> {
    pub(super) layout: &'a Layout,
    plans: &'a Plans,
    recursive: bool,
    count: usize,
    /// current values, then next values
    slots: Vec<i64>,
    step: Machine,
    made: Machine,
    /// places of values that may be chosen
    places: Vec<u64>,
    values: Vec<i64>,
    /// for each fixed set, where its places are
    ranges: Vec<(usize, usize)>,
    open: Vec<Choice<B>>,
    /// how many states may be made at once
    most: usize,
    /// the states that were made
    pub(super) row: Vec<B>,
    wider: Vec<B>,
    /// the same, where inputs lead to a state in several ways
    seen: FxHashSet<B>,
    pub(super) solver: Solver,
}

/// A choice with more values to come.
struct Choice<B> {
    item: usize,
    next: u64,
    end: u64,
    /// where its places are kept, if they are listed
    listed: bool,
    /// how many places were kept before
    before: usize,
    bits: B,
}

impl<'a, B: Bits> Maker<'a, B> {
    pub(super) fn new(
        layout: &'a Layout,
        plans: &'a Plans,
        count: usize,
        recursive: bool,
        most: usize,
    ) -> Self {
        Self {
            layout,
            plans,
            recursive,
            count,
            slots: vec![0; 2 * count],
            step: Machine::new(&plans.step_code),
            made: Machine::new(&plans.made_code),
            places: Vec::new(),
            values: Vec::new(),
            ranges: Vec::new(),
            open: Vec::new(),
            most: most.min(MOST),
            row: Vec::new(),
            wider: Vec::new(),
            seen: FxHashSet::default(),
            solver: Solver::default(),
        }
    }

    /// The initial states.
    pub(super) fn start(&mut self, budget: &mut Budget) -> Result<(), Trouble> {
        self.slots.fill(0);
        self.make(&self.plans.start, None, budget)
    }

    /// The successors of a state, each once.
    pub(super) fn successors(&mut self, state: &B, budget: &mut Budget) -> Result<(), Trouble> {
        self.layout.unpack(state, &mut self.slots);
        self.make(&self.plans.step, Some(state), budget)
    }

    fn make(&mut self, plan: &'a Plan, from: Option<&B>, budget: &mut Budget) -> Result<(), Trouble> {
        self.row.clear();
        self.places.clear();
        self.ranges.clear();
        self.step.forget();
        if let Some(conditions) = &plan.conditions {
            return self.solve(conditions, from, budget);
        }
        for fixed in &plan.fixed {
            let field = &self.layout.fields[fixed.field as usize];
            let start = self.places.len();
            // a variable that has left stays away (section 3)
            if self.recursive && from.is_some() && self.slots[field.variable.index()] == EXIT {
                self.places.push(field.codes.size);
            } else {
                self.values.clear();
                self.step
                    .set(&self.plans.step_code, fixed.entry, &self.slots, &mut self.values)
                    .map_err(|fault| Trouble::Fault(fault, fixed.expr))?;
                self.add_places(&field.codes, field.variable, fixed.expr, fixed.assigned)?;
            }
            self.ranges.push((start, self.places.len()));
        }
        if plan.simple {
            return Ok(self.product(plan, from, budget)?);
        }
        self.search(plan, from, budget)
    }

    /// Keeps the places of the values at hand, each once.
    fn add_places(
        &mut self,
        codes: &Codes,
        variable: VariableId,
        expr: ExprId,
        assigned: bool,
    ) -> Result<(), Trouble> {
        let start = self.places.len();
        for &value in &self.values {
            match codes.place(value) {
                Some(place) => self.places.push(place),
                None if assigned => return Err(Trouble::Outside(variable, value, expr)),
                None => {}
            }
        }
        if self.places.len() > start + 1 {
            // in place: this is done for every state
            self.places[start..].sort_unstable();
            let mut kept = start + 1;
            for i in start + 1..self.places.len() {
                if self.places[i] != self.places[kept - 1] {
                    self.places[kept] = self.places[i];
                    kept += 1;
                }
            }
            self.places.truncate(kept);
        }
        Ok(())
    }

    /// The cross product.
    fn product(&mut self, plan: &Plan, from: Option<&B>, budget: &mut Budget) -> Result<(), Exhausted> {
        self.row.push(B::none());
        for item in &plan.items {
            let Item::Choose(field, values) = *item else { continue };
            let field = &self.layout.fields[field as usize];
            let (places, size) = match values {
                Values::Fixed(number) => {
                    let (start, end) = self.ranges[number as usize];
                    (&self.places[start..end], end - start)
                }
                Values::Same => (&[][..], 1),
                Values::Any | Values::Set(..) => (&[][..], field.codes.size as usize),
            };
            let place = |i: usize| match values {
                Values::Fixed(_) => places[i],
                Values::Same => from.map_or(0, |state| field.place(state)),
                Values::Any | Values::Set(..) => i as u64,
            };
            if size == 1 {
                let bits = place(0) << field.shift;
                self.row.iter_mut().for_each(|state| state.add(field.word, bits));
                continue;
            }
            // all of these are different states
            let wider = self.row.len().saturating_mul(size);
            if wider > self.most {
                return Err(Exhausted::States);
            }
            if wider > LARGE {
                has_room(wider, size_of::<B>(), budget)?;
                budget.spend(wider)?;
            }
            self.wider.clear();
            for state in &self.row {
                for i in 0..size {
                    let mut wider = *state;
                    wider.add(field.word, place(i) << field.shift);
                    self.wider.push(wider);
                }
            }
            std::mem::swap(&mut self.row, &mut self.wider);
        }
        Ok(())
    }

    fn search(&mut self, plan: &'a Plan, from: Option<&B>, budget: &mut Budget) -> Result<(), Trouble> {
        let mut item = 0;
        let mut bits = B::none();
        let inputs = plan.items.iter().any(|item| matches!(item, Item::Input(_)));
        if self.seen.capacity() > LARGE {
            // clearing costs what it could hold
            self.seen = FxHashSet::default();
        }
        self.seen.clear();
        self.made.forget();
        self.open.clear();
        loop {
            budget.spend(1)?;
            let goes_on = match plan.items.get(item) {
                None => {
                    if !inputs || self.seen.insert(bits) {
                        self.room(budget)?;
                        self.row.push(bits);
                    }
                    false
                }
                Some(&Item::Check(entry, view, expr)) => {
                    let passes = self.truth(entry, view).map_err(|fault| Trouble::Fault(fault, expr))?;
                    item += usize::from(passes);
                    passes
                }
                Some(&Item::Input(number)) => {
                    let end = self.layout.inputs[number as usize].1.size;
                    self.open(item, 0, end, false, bits);
                    false
                }
                Some(&Item::Choose(field, values)) => {
                    self.choose(item, field, values, from, bits)?;
                    false
                }
            };
            if !goes_on {
                match self.advance(plan) {
                    Some(next) => (item, bits) = next,
                    None => return Ok(()),
                }
            }
        }
    }

    /// Whether there may be one more state.
    fn room(&self, budget: &mut Budget) -> Result<(), Exhausted> {
        let states = self.row.len();
        if states == self.most {
            return Err(Exhausted::States);
        }
        if states >= LARGE && states.is_power_of_two() {
            has_room(states, size_of::<B>(), budget)?;
        }
        Ok(())
    }

    fn open(&mut self, item: usize, next: u64, end: u64, listed: bool, bits: B) {
        let before = if listed { next as usize } else { self.places.len() };
        self.open.push(Choice { item, next, end, listed, before, bits });
    }

    fn choose(
        &mut self,
        item: usize,
        number: u32,
        values: Values,
        from: Option<&B>,
        bits: B,
    ) -> Result<(), Trouble> {
        let field = &self.layout.fields[number as usize];
        let has_left = self.recursive && from.is_some() && self.slots[field.variable.index()] == EXIT;
        match values {
            Values::Fixed(number) => {
                let (start, end) = self.ranges[number as usize];
                let before = self.places.len();
                let (next, end) = (start as u64, end as u64);
                self.open.push(Choice { item, next, end, listed: true, before, bits });
            }
            Values::Same => {
                let place = from.map_or(0, |state| field.place(state));
                self.open(item, place, place + 1, false, bits);
            }
            Values::Any | Values::Set(..) if has_left => {
                let place = field.codes.size;
                self.open(item, place, place + 1, false, bits);
            }
            Values::Any => self.open(item, 0, field.codes.size, false, bits),
            Values::Set(entry, view, expr, assigned) => {
                let mut values = std::mem::take(&mut self.values);
                values.clear();
                let result = match view {
                    View::Step => self.step.set(&self.plans.step_code, entry, &self.slots, &mut values),
                    View::Made => {
                        self.made.set(&self.plans.made_code, entry, &self.slots[self.count..], &mut values)
                    }
                };
                self.values = values;
                result.map_err(|fault| Trouble::Fault(fault, expr))?;
                let start = self.places.len();
                let field = &self.layout.fields[number as usize];
                self.add_places(&field.codes, field.variable, expr, assigned)?;
                self.open(item, start as u64, self.places.len() as u64, true, bits);
            }
        }
        Ok(())
    }

    fn truth(&mut self, entry: u32, view: View) -> Result<bool, Fault> {
        match view {
            View::Step => self.step.truth(&self.plans.step_code, entry, &self.slots),
            View::Made => self.made.truth(&self.plans.made_code, entry, &self.slots[self.count..]),
        }
    }

    /// The next value of the last choice that has one; where to go on from there.
    fn advance(&mut self, plan: &Plan) -> Option<(usize, B)> {
        loop {
            let choice = self.open.last_mut()?;
            if choice.next == choice.end {
                self.places.truncate(choice.before);
                self.open.pop();
                continue;
            }
            let place = if choice.listed { self.places[choice.next as usize] } else { choice.next };
            choice.next += 1;
            let (item, mut bits) = (choice.item, choice.bits);
            match plan.items[item] {
                Item::Input(number) => {
                    let (variable, codes) = &self.layout.inputs[number as usize];
                    self.slots[variable.index()] = codes.value(place);
                }
                Item::Choose(field, _) => {
                    let field = &self.layout.fields[field as usize];
                    self.slots[self.count + field.variable.index()] = field.codes.value(place);
                    bits.add(field.word, place << field.shift);
                }
                Item::Check(..) => {}
            }
            self.step.forget();
            self.made.forget();
            return Some((item + 1, bits));
        }
    }
}

/// What the search by obligations asks for (`solve`).
impl<B: Bits> Maker<'_, B> {
    /// Starts over with nothing chosen.
    pub(super) fn forget_chosen(&mut self) {
        if self.seen.capacity() > LARGE {
            // clearing costs what it could hold
            self.seen = FxHashSet::default();
        }
        self.seen.clear();
        self.made.forget();
    }

    pub(super) fn evaluate(&mut self, entry: u32, view: View) -> Result<i64, Fault> {
        match view {
            View::Step => self.step.value(&self.plans.step_code, entry, &self.slots),
            View::Made => self.made.value(&self.plans.made_code, entry, &self.slots[self.count..]),
        }
    }

    pub(super) fn evaluate_truth(&mut self, entry: u32, view: View) -> Result<bool, Fault> {
        self.truth(entry, view)
    }

    pub(super) fn evaluate_set(&mut self, entry: u32, view: View, set: &mut Vec<i64>) -> Result<(), Fault> {
        match view {
            View::Step => self.step.set(&self.plans.step_code, entry, &self.slots, set),
            View::Made => self.made.set(&self.plans.made_code, entry, &self.slots[self.count..], set),
        }
    }

    /// Sets the value of a variable in the state that is made.
    pub(super) fn set_next(&mut self, variable: usize, value: i64) {
        self.slots[self.count + variable] = value;
        self.step.forget();
        self.made.forget();
    }

    /// Sets the value of an input.
    pub(super) fn set_input(&mut self, variable: usize, value: i64) {
        self.slots[variable] = value;
        self.step.forget();
    }

    /// Adds states: these bits, with all values of the free fields; each once, where inputs may lead to it again.
    pub(super) fn emit(
        &mut self,
        bits: B,
        free: &[u32],
        inputs: bool,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let sizes = free.iter().map(|&field| self.layout.fields[field as usize].codes.size);
        self.places.clear();
        self.places.resize(free.len(), 0);
        let mut places = std::mem::take(&mut self.places);
        let total = sizes.fold(1u64, u64::saturating_mul);
        if total > self.most as u64 {
            return Err(Exhausted::States);
        }
        loop {
            let mut state = bits;
            for (&field, &place) in free.iter().zip(&places) {
                let field = &self.layout.fields[field as usize];
                state.add(field.word, place << field.shift);
            }
            budget.spend(1 + free.len())?;
            if !inputs || self.seen.insert(state) {
                self.room(budget)?;
                self.row.push(state);
            }
            // the next combination
            let step = places.iter_mut().zip(free).find_map(|(place, &field)| {
                *place += 1;
                let is_done = *place == self.layout.fields[field as usize].codes.size;
                if is_done {
                    *place = 0;
                }
                (!is_done).then_some(())
            });
            if step.is_none() {
                self.places = places;
                return Ok(());
            }
        }
    }
}
