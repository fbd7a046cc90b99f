//! From a plan to states: all ways to choose values that pass the checks.
//!
//! Where nothing is checked and no choice depends on another, the states are the cross product of
//! the sets of values (thesis, section 5.2). Otherwise they are found by backtracking, with a stack
//! of open choices.

use super::layout::{Bits, Codes, Layout};
use super::plan::{Item, Plan, Plans, Values};
use super::solver::Solver;
use super::view::View;
use super::vm::{Fault, Machine};
use crate::ir::{EXIT, ExprId, VariableId};
use loris_base::{Budget, Exhausted, Idx};
use rustc_hash::FxHashSet;

/// More successors of one state are more states than can be kept.
const MOST: usize = 1 << 28;
/// A buffer of this many elements is given back when it is no longer needed.
const LARGE: usize = 1 << 16;

/// Why a state has no successors, or why they cannot be determined.
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
    /// bytes declared for it
    seen_bytes: usize,
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
            seen_bytes: 0,
        }
    }

    /// Gives back large buffers: initial states may be many more than the successors of a state.
    pub(super) fn shrink(&mut self, budget: &mut Budget) {
        if self.row.capacity() > LARGE {
            budget.free(std::mem::take(&mut self.row));
        }
        if self.wider.capacity() > LARGE {
            budget.free(std::mem::take(&mut self.wider));
        }
        if self.seen.capacity() > LARGE {
            self.seen = FxHashSet::default();
            budget.release(std::mem::take(&mut self.seen_bytes));
        }
    }

    /// Gives back all.
    pub(super) fn close(self, budget: &mut Budget) {
        budget.release(self.seen_bytes);
        budget.free(self.row);
        budget.free(self.wider);
        budget.free(self.values);
        budget.free(self.places);
    }

    /// The steps of work since this was last asked, and one.
    fn work(&mut self) -> usize {
        1 + self.step.work() + self.made.work()
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
        budget.spend(self.work())?;
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
                budget.reserve(&mut self.places, 1)?;
                self.places.push(field.codes.size);
            } else {
                self.values.clear();
                self.step
                    .set(&self.plans.step_code, fixed.entry, &self.slots, &mut self.values, budget)
                    .map_err(|fault| Trouble::Fault(fault, fixed.expr))?;
                self.add_places(&field.codes, field.variable, (fixed.expr, fixed.assigned), budget)?;
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
        (expr, assigned): (ExprId, bool),
        budget: &mut Budget,
    ) -> Result<(), Trouble> {
        let start = self.places.len();
        budget.reserve(&mut self.places, self.values.len())?;
        let mut ascends = true;
        for chunk in self.values.chunks(LARGE) {
            budget.spend(chunk.len())?;
            for &value in chunk {
                match codes.place(value) {
                    Some(place) => {
                        let last = self.places[start..].last();
                        ascends &= last.is_none_or(|&last| last < place);
                        self.places.push(place);
                    }
                    None if assigned => return Err(Trouble::Outside(variable, value, expr)),
                    None => {}
                }
            }
        }
        if !ascends {
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
        budget.reserve(&mut self.row, 1)?;
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
            self.wider.clear();
            budget.reserve(&mut self.wider, wider)?;
            for state in &self.row {
                budget.spend(size)?;
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
        self.forget_chosen(budget);
        self.open.clear();
        loop {
            budget.spend(self.work())?;
            let goes_on = match plan.items.get(item) {
                None => {
                    self.keep(bits, inputs, budget)?;
                    false
                }
                Some(&Item::Check(entry, view, expr)) => {
                    let passes =
                        self.truth(entry, view, budget).map_err(|fault| Trouble::Fault(fault, expr))?;
                    item += usize::from(passes);
                    passes
                }
                Some(&Item::Input(number)) => {
                    let end = self.layout.inputs[number as usize].1.size;
                    self.open(item, 0, end, false, bits);
                    false
                }
                Some(&Item::Choose(field, values)) => {
                    self.choose(item, field, values, (from, bits), budget)?;
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

    /// Adds a state; once, where inputs may lead to it again.
    fn keep(&mut self, state: B, inputs: bool, budget: &mut Budget) -> Result<(), Exhausted> {
        if inputs {
            self.room_to_see(budget)?;
            if !self.seen.insert(state) {
                return Ok(());
            }
        }
        if self.row.len() == self.most {
            return Err(Exhausted::States);
        }
        budget.reserve(&mut self.row, 1)?;
        self.row.push(state);
        Ok(())
    }

    /// Accounts for a table that is about to grow: it holds both places of its elements then.
    fn room_to_see(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        if self.seen.len() == self.seen.capacity() {
            // twice as many slots as there were, an eighth of them free, a byte more for each
            let slots = (2 * self.seen.len() + 4) * 8 / 7;
            let bytes = slots.next_power_of_two() * (size_of::<B>() + 1);
            budget.charge(bytes)?;
            budget.spend(self.seen.len())?;
            budget.release(std::mem::replace(&mut self.seen_bytes, bytes));
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
        (from, bits): (Option<&B>, B),
        budget: &mut Budget,
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
                let result = self.evaluate_set(entry, view, &mut values, budget);
                self.values = values;
                result.map_err(|fault| Trouble::Fault(fault, expr))?;
                let start = self.places.len();
                let field = &self.layout.fields[number as usize];
                self.add_places(&field.codes, field.variable, (expr, assigned), budget)?;
                self.open(item, start as u64, self.places.len() as u64, true, bits);
            }
        }
        Ok(())
    }

    pub(super) fn truth(&mut self, entry: u32, view: View, budget: &mut Budget) -> Result<bool, Fault> {
        match view {
            View::Step => self.step.truth(&self.plans.step_code, entry, &self.slots, budget),
            View::Made => self.made.truth(&self.plans.made_code, entry, &self.slots[self.count..], budget),
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

/// The interface for the search by obligations (`solve`).
impl<B: Bits> Maker<'_, B> {
    /// Starts over with nothing chosen.
    pub(super) fn forget_chosen(&mut self, budget: &mut Budget) {
        if self.seen.capacity() > LARGE {
            // clearing costs time linear in the capacity
            self.seen = FxHashSet::default();
            budget.release(std::mem::take(&mut self.seen_bytes));
        }
        self.seen.clear();
        self.made.forget();
    }

    pub(super) fn evaluate(&mut self, entry: u32, view: View, budget: &mut Budget) -> Result<i64, Fault> {
        match view {
            View::Step => self.step.value(&self.plans.step_code, entry, &self.slots, budget),
            View::Made => self.made.value(&self.plans.made_code, entry, &self.slots[self.count..], budget),
        }
    }

    pub(super) fn evaluate_set(
        &mut self,
        entry: u32,
        view: View,
        set: &mut Vec<i64>,
        budget: &mut Budget,
    ) -> Result<(), Fault> {
        match view {
            View::Step => self.step.set(&self.plans.step_code, entry, &self.slots, set, budget),
            View::Made => self.made.set(&self.plans.made_code, entry, &self.slots[self.count..], set, budget),
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

    /// Adds states: these bits, with all values of the free fields; each once, where inputs may
    /// lead to it again.
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
            self.keep(state, inputs, budget)?;
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
