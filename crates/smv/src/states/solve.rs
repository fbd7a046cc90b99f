//! Successors that satisfy conditions: forced values are set, open ones are tried.
//!
//! A search by backtracking over *obligations*: a part of a condition and the truth value it must
//! have. An obligation that the choices so far decide is dropped, or ends the branch; `next(x) = e`
//! with a known `e` sets `x`; a conjunction that must be true passes on to its parts, a disjunction
//! with one part left open to that part. When nothing is forced any more, the search branches: over
//! a set that `x` must be in, over the open parts of a disjunction (each with those before it
//! false, so that no state is found twice), over a guard, and last over the values of something
//! that an obligation still reads. Choices that no obligation reads are multiplied at the end.
//!
//! Invariant: the states below a branch are those of its choices that satisfy the obligations
//! waiting there. For conditions whose guards read the present state only, time is proportional to
//! the size of the conditions for each state and to its successors. A part that has no value (a
//! division by zero) decides nothing until all that its condition reads is chosen; then the
//! condition as a whole is evaluated as it is written. Oracle: `tests/states_naive.rs`.

use super::conditions::{Chosen, Conditions, Evaluated, RuleValues, Shape};
use super::layout::{Bits, Codes};
use super::solver::{Branch, OPEN, Obligation, Rest, Solver};
use super::step::{Maker, Trouble};
use super::vm::Fault;
use loris_base::{Budget, Exhausted, Idx};

/// A choice with more values than this for each guard that reads it is not tried value by value.
const VALUES_PER_GUARD: u64 = 4;

impl<B: Bits> Maker<'_, B> {
    /// Makes all states that satisfy the conditions.
    pub(super) fn solve(
        &mut self,
        conditions: &Conditions,
        from: Option<&B>,
        budget: &mut Budget,
    ) -> Result<(), Trouble> {
        let mut solver = std::mem::take(&mut self.solver);
        solver.places.clear();
        solver.places.resize(conditions.choices.len(), OPEN);
        solver.trail.clear();
        solver.waiting.clear();
        solver.branches.clear();
        solver.todo.clear();
        let whole = |&root: &u32| Obligation { node: root, want: true, root, whole: false };
        solver.todo.extend(conditions.roots.iter().rev().map(whole));
        self.forget_chosen(budget);
        let found = Solving { maker: self, conditions, solver: &mut solver, from, budget }.run();
        self.solver = solver;
        found
    }
}

struct Solving<'s, 'a, B> {
    maker: &'s mut Maker<'a, B>,
    conditions: &'s Conditions,
    solver: &'s mut Solver,
    from: Option<&'s B>,
    budget: &'s mut Budget,
}

impl<B: Bits> Solving<'_, '_, B> {
    fn run(&mut self) -> Result<(), Trouble> {
        let inputs = self.conditions.choices.iter().any(|chosen| matches!(chosen, Chosen::Input(_)));
        loop {
            if self.settle()? && !self.branch()? {
                self.emit(inputs)?;
            }
            if !self.next() {
                return Ok(());
            }
        }
    }

    /// Looks at obligations until nothing is forced any more; false if one cannot be met.
    fn settle(&mut self) -> Result<bool, Trouble> {
        loop {
            let before = self.solver.trail.len();
            while let Some(obligation) = self.solver.todo.pop() {
                self.budget.spend(1)?;
                if !self.look(obligation)? {
                    self.solver.todo.clear();
                    return Ok(false);
                }
            }
            if !self.rules()? {
                return Ok(false);
            }
            if self.solver.trail.len() == before {
                return Ok(true);
            }
            // in the order in which they were written
            let waiting = std::mem::take(&mut self.solver.waiting);
            self.solver.todo.extend(waiting.into_iter().rev());
        }
    }

    /// Sets variables whose equations leave no choice; false if one has no value.
    fn rules(&mut self) -> Result<bool, Trouble> {
        for number in 0..self.conditions.rules.len() {
            let rule = &self.conditions.rules[number];
            if self.is_open(rule.choice) && self.is_ready(rule) {
                let places = self.rule_places(number)?;
                match places[..] {
                    [] => return Ok(false),
                    [place] => self.set(self.conditions.rules[number].choice, place),
                    _ => {}
                }
            }
        }
        Ok(true)
    }

    fn is_ready(&self, rule: &super::conditions::Rule) -> bool {
        match &rule.values {
            RuleValues::Same => true,
            RuleValues::Set { reads, .. } => self.all_chosen(reads),
        }
    }

    /// The places an equation allows.
    fn rule_places(&mut self, number: usize) -> Result<Vec<u64>, Trouble> {
        let rule = &self.conditions.rules[number];
        match rule.values {
            RuleValues::Same => {
                let Chosen::Field(field) = self.conditions.choices[rule.choice as usize] else {
                    return Ok(Vec::new());
                };
                let field = &self.maker.layout.fields[field as usize];
                Ok(vec![self.from.map_or(0, |state| field.place(state))])
            }
            RuleValues::Set { entry, view, expr, assigned, .. } => {
                let set = Evaluated { entry, view, expr };
                self.set_places(rule.choice, set, assigned)
            }
        }
    }

    /// The places of the values of a set, each once.
    fn set_places(&mut self, choice: u32, set: Evaluated, assigned: bool) -> Result<Vec<u64>, Trouble> {
        let mut values = Vec::new();
        self.maker
            .evaluate_set(set.entry, set.view, &mut values, self.budget)
            .map_err(|fault| Trouble::Fault(fault, set.expr))?;
        // the places are as many, and held as long as the branch is
        let bytes = values.len() * size_of::<u64>();
        self.budget.charge(bytes)?;
        self.budget.release(bytes);
        self.budget.spend(values.len())?;
        let codes = self.codes(choice);
        let mut places = Vec::with_capacity(values.len());
        for &value in &values {
            match codes.place(value) {
                Some(place) => places.push(place),
                None if assigned => {
                    let Chosen::Field(field) = self.conditions.choices[choice as usize] else { continue };
                    let variable = self.maker.layout.fields[field as usize].variable;
                    return Err(Trouble::Outside(variable, value, set.expr));
                }
                None => {}
            }
        }
        self.budget.free(values);
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    fn codes(&self, choice: u32) -> &Codes {
        match self.conditions.choices[choice as usize] {
            Chosen::Field(field) => &self.maker.layout.fields[field as usize].codes,
            Chosen::Input(input) => &self.maker.layout.inputs[input as usize].1,
        }
    }

    fn is_open(&self, choice: u32) -> bool {
        self.solver.places[choice as usize] == OPEN
    }

    fn all_chosen(&self, reads: &[u32]) -> bool {
        !reads.iter().any(|&choice| self.is_open(choice))
    }

    /// Makes a choice.
    fn set(&mut self, choice: u32, place: u64) {
        self.solver.places[choice as usize] = place;
        self.solver.trail.push(choice);
        let value = self.codes(choice).value(place);
        match self.conditions.choices[choice as usize] {
            Chosen::Field(field) => {
                let variable = self.maker.layout.fields[field as usize].variable;
                self.maker.set_next(variable.index(), value);
            }
            Chosen::Input(input) => {
                let variable = self.maker.layout.inputs[input as usize].0;
                self.maker.set_input(variable.index(), value);
            }
        }
    }

    fn part(&mut self, of: Obligation, node: u32, want: bool) {
        self.solver.todo.push(Obligation { node, want, ..of });
    }

    /// Acts on an obligation as far as that is possible now; false if it cannot be met.
    fn look(&mut self, obligation: Obligation) -> Result<bool, Trouble> {
        let Obligation { node, want, root, whole } = obligation;
        let conditions = self.conditions;
        let data = &conditions.nodes[node as usize];
        if self.all_chosen(&data.reads) {
            return match self.value(node) {
                Ok(value) => Ok(value == want),
                Err((fault, expr)) if whole => Err(Trouble::Fault(fault, expr)),
                Err(_) => {
                    self.solver.todo.push(Obligation { node: root, want: true, root, whole: true });
                    Ok(true)
                }
            };
        }
        if whole {
            self.solver.waiting.push(obligation);
            return Ok(true);
        }
        match &data.shape {
            &Shape::Not(of) => self.part(obligation, of, !want),
            Shape::All(all) if want => all.iter().rev().for_each(|&of| self.part(obligation, of, true)),
            Shape::Any(all) if !want => all.iter().rev().for_each(|&of| self.part(obligation, of, false)),
            Shape::All(all) | Shape::Any(all) => {
                // one of these must be as wanted
                self.budget.spend(all.len())?;
                let (mut open, mut count) = (0, 0);
                for &of in all {
                    match self.decided(of) {
                        Some(value) if value == want => return Ok(true),
                        Some(_) => {}
                        None => (open, count) = (of, count + 1),
                    }
                }
                match count {
                    0 => return Ok(false),
                    1 => self.part(obligation, open, want),
                    _ => self.solver.waiting.push(obligation),
                }
            }
            &Shape::Same(a, b) => match (self.decided(a), self.decided(b)) {
                (Some(value), _) => self.part(obligation, b, value == want),
                (_, Some(value)) => self.part(obligation, a, value == want),
                _ => self.solver.waiting.push(obligation),
            },
            Shape::If(..) => {
                let (open, steps) = self.without_decided_guards(node);
                self.budget.spend(steps)?;
                match conditions.nodes[open as usize].shape {
                    Shape::If(..) => self.solver.waiting.push(Obligation { node: open, ..obligation }),
                    _ => self.part(obligation, open, want),
                }
            }
            &Shape::Is(choice, _) if self.conditions.is_ruled(choice) => self.solver.waiting.push(obligation),
            &Shape::Is(choice, _) => {
                let Some(place) = self.codes(choice).place(i64::from(want)) else { return Ok(false) };
                self.set(choice, place);
            }
            Shape::Equal(sides, _) if want => {
                for (one, other) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])] {
                    let is_free = |choice: &u32| self.is_open(*choice) && !conditions.is_ruled(*choice);
                    let Some(choice) = one.choice.filter(is_free) else { continue };
                    if self.all_chosen(&other.reads)
                        && let Ok(value) =
                            self.maker.evaluate(other.value.entry, other.value.view, self.budget)
                    {
                        return Ok(match self.codes(choice).place(value) {
                            Some(place) => {
                                self.set(choice, place);
                                true
                            }
                            None => false,
                        });
                    }
                }
                self.solver.waiting.push(obligation);
            }
            Shape::Leaf(_) | Shape::Equal(..) | Shape::Among { .. } => self.solver.waiting.push(obligation),
        }
        Ok(true)
    }

    /// The truth value of a part that reads nothing open.
    fn value(&mut self, node: u32) -> Result<bool, (Fault, crate::ir::ExprId)> {
        let conditions = self.conditions;
        let data = &conditions.nodes[node as usize];
        if let Some(Evaluated { entry, view, expr }) = data.whole {
            return self.maker.truth(entry, view, self.budget).map_err(|fault| (fault, expr));
        }
        match &data.shape {
            Shape::Leaf(code)
            | Shape::Equal(_, code)
            | Shape::Among { whole: code, .. }
            | Shape::Is(_, code) => {
                let Evaluated { entry, view, expr } = *code;
                self.maker.truth(entry, view, self.budget).map_err(|fault| (fault, expr))
            }
            &Shape::Not(of) => Ok(!self.value(of)?),
            Shape::All(all) => {
                for &of in all {
                    if !self.value(of)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Shape::Any(all) => {
                for &of in all {
                    if self.value(of)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            &Shape::Same(a, b) => Ok(self.value(a)? == self.value(b)?),
            Shape::If(..) => {
                let mut at = node;
                while let Shape::If(guard, then, otherwise) = conditions.nodes[at as usize].shape {
                    if self.value(guard)? {
                        return self.value(then);
                    }
                    at = otherwise;
                }
                self.value(at)
            }
        }
    }

    /// The truth value of a part, if the choices so far decide it.
    fn decided(&mut self, node: u32) -> Option<bool> {
        let conditions = self.conditions;
        let data = &conditions.nodes[node as usize];
        if self.all_chosen(&data.reads) {
            return self.value(node).ok();
        }
        match &data.shape {
            &Shape::Not(of) => self.decided(of).map(|value| !value),
            Shape::All(all) => all.iter().any(|&of| self.decided(of) == Some(false)).then_some(false),
            Shape::Any(all) => all.iter().any(|&of| self.decided(of) == Some(true)).then_some(true),
            Shape::If(..) => {
                let (open, _) = self.without_decided_guards(node);
                match conditions.nodes[open as usize].shape {
                    Shape::If(..) => None,
                    _ => self.decided(open),
                }
            }
            _ => None,
        }
    }

    /// The rest of a chain of guards: from the first that is not decided on, or the value the
    /// guards lead to; and how many guards were visited.
    fn without_decided_guards(&mut self, node: u32) -> (u32, usize) {
        let conditions = self.conditions;
        let (mut at, mut steps) = (node, 0);
        while let Shape::If(guard, then, otherwise) = conditions.nodes[at as usize].shape {
            steps += 1;
            at = match self.decided(guard) {
                Some(true) => then,
                Some(false) => otherwise,
                None => break,
            };
        }
        (at, steps)
    }

    /// Opens a branch; false if nothing is left to be decided.
    fn branch(&mut self) -> Result<bool, Trouble> {
        let conditions = self.conditions;
        let rest = if let Some(rest) = self.equation()? {
            rest
        } else if let Some(rest) = self.alternatives() {
            rest
        } else {
            let waiting = self
                .solver
                .waiting
                .iter()
                .map(|obligation| &conditions.nodes[obligation.node as usize].reads);
            let rules = conditions.rules.iter().filter(|rule| self.is_open(rule.choice));
            let rules = rules.filter_map(|rule| match &rule.values {
                RuleValues::Set { reads, .. } => Some(reads),
                RuleValues::Same => None,
            });
            let read = waiting.chain(rules).find_map(|reads| {
                let open = reads.iter().copied().filter(|&choice| self.is_open(choice));
                // a variable with an equation is not chosen freely
                let free = open.filter(|&choice| !conditions.is_ruled(choice));
                free.min_by_key(|&choice| self.codes(choice).size)
            });
            match read {
                Some(choice) => Rest::Domain(choice, 0),
                None => return Ok(false),
            }
        };
        let waiting = std::mem::take(&mut self.solver.waiting);
        self.solver.branches.push(Branch { trail: self.solver.trail.len(), waiting, rest });
        Ok(true)
    }

    /// A set that something must be in, by an equation or a condition.
    fn equation(&mut self) -> Result<Option<Rest>, Trouble> {
        let conditions = self.conditions;
        for number in 0..conditions.rules.len() {
            let rule = &conditions.rules[number];
            if self.is_open(rule.choice) && self.is_ready(rule) {
                let places = self.rule_places(number)?;
                return Ok(Some(Rest::Places(rule.choice, places, 0)));
            }
        }
        for i in 0..self.solver.waiting.len() {
            let Obligation { node, want, whole, .. } = self.solver.waiting[i];
            if let Shape::Among { choice, set, reads, .. } = &conditions.nodes[node as usize].shape
                && want
                && !whole
                && self.is_open(*choice)
                && !conditions.is_ruled(*choice)
                && self.all_chosen(reads)
                && let Ok(places) = self.set_places(*choice, *set, false)
            {
                // met by every one of these
                self.solver.waiting.remove(i);
                return Ok(Some(Rest::Places(*choice, places, 0)));
            }
        }
        Ok(None)
    }

    /// A disjunction or a guard that is open.
    fn alternatives(&mut self) -> Option<Rest> {
        let conditions = self.conditions;
        for i in 0..self.solver.waiting.len() {
            let obligation = self.solver.waiting[i];
            let with = |node: u32, want: bool| Obligation { node, want, ..obligation };
            let cases = match &conditions.nodes[obligation.node as usize].shape {
                _ if obligation.whole => continue,
                Shape::All(all) | Shape::Any(all) => {
                    let want = obligation.want;
                    let open: Vec<u32> =
                        all.iter().copied().filter(|&of| self.decided(of).is_none()).collect();
                    // the last is looked at first, so that the part comes before the negations of
                    // others
                    let case = |(i, &of): (usize, &u32)| {
                        let before = open[..i].iter().map(|&of| with(of, !want));
                        before.chain([with(of, want)]).collect::<Vec<_>>()
                    };
                    open.iter().enumerate().map(case).collect()
                }
                &Shape::If(guard, then, otherwise) => {
                    if let Some(choice) = self.choice_of_guards(obligation.node) {
                        return Some(Rest::Domain(choice, 0));
                    }
                    vec![
                        vec![with(then, obligation.want), with(guard, true)],
                        vec![with(otherwise, obligation.want), with(guard, false)],
                    ]
                }
                &Shape::Same(a, b) => {
                    let want = obligation.want;
                    vec![vec![with(b, want), with(a, true)], vec![with(b, !want), with(a, false)]]
                }
                _ => continue,
            };
            self.solver.waiting.remove(i);
            return Some(Rest::Cases(cases, 0));
        }
        None
    }

    /// The one open choice that the guards of a chain read, if it has not many more values than
    /// there are guards: each value decides them all.
    fn choice_of_guards(&self, node: u32) -> Option<u32> {
        let conditions = self.conditions;
        let (mut at, mut guards, mut only) = (node, 0, None);
        while let Shape::If(guard, _, otherwise) = conditions.nodes[at as usize].shape {
            for &choice in
                conditions.nodes[guard as usize].reads.iter().filter(|&&choice| self.is_open(choice))
            {
                if *only.get_or_insert(choice) != choice {
                    return None;
                }
            }
            guards += 1;
            at = otherwise;
        }
        only.filter(|&choice| {
            !conditions.is_ruled(choice) && self.codes(choice).size <= VALUES_PER_GUARD * guards
        })
    }

    /// Goes on with the next alternative of the last branch that has one; false if none has.
    fn next(&mut self) -> bool {
        while let Some(branch) = self.solver.branches.last_mut() {
            for choice in self.solver.trail.drain(branch.trail..) {
                self.solver.places[choice as usize] = OPEN;
            }
            self.solver.todo.clear();
            let mut chosen = None;
            let is_left = match &mut branch.rest {
                Rest::Places(choice, places, next) => {
                    chosen = places.get(*next).map(|&place| (*choice, place));
                    *next += 1;
                    chosen.is_some()
                }
                Rest::Domain(choice, next) => {
                    let (choice, place) = (*choice, *next);
                    *next += 1;
                    let size = match self.conditions.choices[choice as usize] {
                        Chosen::Field(field) => self.maker.layout.fields[field as usize].codes.size,
                        Chosen::Input(input) => self.maker.layout.inputs[input as usize].1.size,
                    };
                    chosen = (place < size).then_some((choice, place));
                    chosen.is_some()
                }
                Rest::Cases(cases, next) => {
                    let case = cases.get(*next).cloned();
                    *next += 1;
                    let is_left = case.is_some();
                    self.solver.todo.extend(case.into_iter().flatten());
                    is_left
                }
            };
            if !is_left {
                self.solver.branches.pop();
                continue;
            }
            self.solver.waiting.clear();
            let waiting = &branch.waiting;
            if chosen.is_some() {
                // obligations that waited may be decided now
                self.solver.todo.extend(waiting.iter().rev().copied());
            } else {
                self.solver.waiting.extend_from_slice(waiting);
            }
            if let Some((choice, place)) = chosen {
                self.set(choice, place);
            }
            return true;
        }
        false
    }

    /// Adds the states whose choices were made, with all values of choices that nothing reads.
    fn emit(&mut self, inputs: bool) -> Result<(), Exhausted> {
        let mut bits = B::none();
        let mut free = std::mem::take(&mut self.solver.free);
        free.clear();
        for (choice, &place) in self.conditions.choices.iter().zip(&self.solver.places) {
            let Chosen::Field(field) = *choice else { continue };
            let data = &self.maker.layout.fields[field as usize];
            if place == OPEN {
                free.push(field);
            } else {
                bits.add(data.word, place << data.shift);
            }
        }
        let emitted = self.maker.emit(bits, &free, inputs, self.budget);
        self.solver.free = free;
        emitted
    }
}
