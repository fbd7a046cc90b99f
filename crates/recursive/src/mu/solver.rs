//! The solution of the equations, part by part.
//!
//! Strongly connected parts are solved in the order of their dependencies. A part belongs to one
//! class of the formula. If its priorities are all even, its solution is the greatest one, if all
//! are odd the least one, either by a worklist. Otherwise fixpoints are nested: the equations of
//! the lowest priority are solved for fixed values of the others; then those of the next priority
//! are evaluated, and where one changes, all lower ones start again.
//!
//! Invariant of the nested iteration: while equations of a priority are evaluated, those of lower
//! priorities have their extremal solution for the present values of the others. Each part takes at
//! most as many evaluations as the lengths of the chains of its functions allow, to the power of
//! its number of priorities.

use super::MuOutcome;
use super::functions::{FALSE, Function, Functions, TRUE};
use super::system::{Equation, NEUTRAL, System};
use loris_base::{Budget, Csr, Exhausted, strong_components};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The solution: a function for each equation.
pub(super) struct Solved {
    pub(super) functions: Functions,
    pub(super) values: Vec<Function>,
    /// of entries of calls, if that was asked for: the values on the way, in their order
    pub(super) history: FxHashMap<u32, Vec<Function>>,
}

impl Solved {
    /// Which initial nodes satisfy the formula, in their order.
    pub(super) fn initial<'s>(&'s self, system: &'s System) -> impl Iterator<Item = bool> + 's {
        system.initial.iter().map(|&equation| self.values[equation as usize] == TRUE)
    }

    pub(super) fn outcome(&self, system: &System) -> MuOutcome {
        MuOutcome {
            holds: self.initial(system).all(|holds| holds),
            positions: self.values.len(),
            functions: self.functions.len(),
        }
    }
}

/// Solves the equations; with `remember`, the values that entries had on the way are kept.
pub(super) fn solve(system: &System, remember: bool, budget: &mut Budget) -> Result<Solved, Exhausted> {
    let count = system.equations.len();
    // the search for parts, then what the solver has per equation
    budget.charge(33 * count)?;
    budget.spend(count + system.operands.len())?;
    let parts = strong_components(&system.operands);
    let dependents = system.operands.transposed_within(count, budget)?;
    let mut solver = Solver {
        system,
        dependents,
        functions: Functions::new(),
        values: vec![FALSE; count],
        part: vec![u32::MAX; count],
        level: vec![0; count],
        queued: vec![false; count],
        queue: VecDeque::new(),
        history: FxHashMap::default(),
    };
    if remember {
        budget.charge(64 * system.calls.len())?;
        solver.history = system.calls.iter().map(|call| (call.entry, Vec::new())).collect();
    }
    for part in 0..parts.rows() {
        solver.part(part as u32, parts.row(part), budget)?;
    }
    Ok(Solved { functions: solver.functions, values: solver.values, history: solver.history })
}

struct Solver<'s> {
    system: &'s System,
    /// per equation, those that depend on it
    dependents: Csr,
    functions: Functions,
    values: Vec<Function>,
    /// per equation, its part, once that is looked at, and the place of its priority there
    part: Vec<u32>,
    level: Vec<u32>,
    queued: Vec<bool>,
    queue: VecDeque<u32>,
    /// see [`Solved::history`]
    history: FxHashMap<u32, Vec<Function>>,
}

impl Solver<'_> {
    fn part(&mut self, part: u32, members: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        if let &[one] = members
            && !self.system.operands.row(one as usize).contains(&one)
        {
            self.values[one as usize] = self.value(one, budget)?;
            return Ok(());
        }
        let mut priorities: Vec<u32> = members.iter().filter_map(|&one| self.priority(one)).collect();
        priorities.sort_unstable();
        priorities.dedup();
        if priorities.iter().all(|priority| priority % 2 == priorities[0] % 2) {
            priorities.truncate(1);
        }
        for &one in members {
            // equations of combinations have no priority: the lowest changes nothing
            let priority = self.priority(one).unwrap_or(0);
            let level = priorities.iter().rposition(|&least| least <= priority).unwrap_or(0);
            self.part[one as usize] = part;
            self.level[one as usize] = level as u32;
        }
        let mut levels: Vec<Vec<u32>> = vec![Vec::new(); priorities.len()];
        for &one in members {
            levels[self.level[one as usize] as usize].push(one);
        }
        self.nested(part, &levels, &priorities, budget)
    }

    /// Solves a part whose equations are sorted by priority, the lowest first.
    fn nested(
        &mut self,
        part: u32,
        levels: &[Vec<u32>],
        priorities: &[u32],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        self.reset(levels, priorities);
        self.stabilize(part, &levels[0], budget)?;
        let mut level = 1;
        while level < levels.len() {
            let mut changed: Vec<(u32, Function)> = Vec::new();
            for &one in &levels[level] {
                let value = self.value(one, budget)?;
                if value != self.values[one as usize] {
                    changed.push((one, value));
                }
            }
            if changed.is_empty() {
                level += 1;
                continue;
            }
            for (one, value) in changed {
                self.values[one as usize] = value;
                self.remember(one, value, budget)?;
            }
            self.reset(&levels[..level], priorities);
            self.stabilize(part, &levels[0], budget)?;
            level = 1;
        }
        Ok(())
    }

    /// Keeps a value of an equation, if that is asked for.
    fn remember(&mut self, equation: u32, value: Function, budget: &mut Budget) -> Result<(), Exhausted> {
        if let Some(values) = self.history.get_mut(&equation)
            && !values.contains(&value)
        {
            budget.spend(values.len())?;
            budget.charge(size_of::<Function>())?;
            values.push(value);
        }
        Ok(())
    }

    /// Lets equations start from below or above, by the parity of their priority.
    fn reset(&mut self, levels: &[Vec<u32>], priorities: &[u32]) {
        for (members, priority) in levels.iter().zip(priorities) {
            let start = if priority % 2 == 0 { TRUE } else { FALSE };
            for &one in members {
                self.values[one as usize] = start;
            }
        }
    }

    /// Evaluates equations of one level until none changes.
    fn stabilize(&mut self, part: u32, members: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        self.queue.extend(members);
        for &one in members {
            self.queued[one as usize] = true;
        }
        while let Some(one) = self.queue.pop_front() {
            self.queued[one as usize] = false;
            let value = self.value(one, budget)?;
            if value == self.values[one as usize] {
                continue;
            }
            self.values[one as usize] = value;
            self.remember(one, value, budget)?;
            for &dependent in self.dependents.row(one as usize) {
                let i = dependent as usize;
                let is_of_level = self.part[i] == part && self.level[i] == self.level[one as usize];
                if is_of_level && !self.queued[i] {
                    self.queued[i] = true;
                    self.queue.push_back(dependent);
                }
            }
        }
        Ok(())
    }

    fn priority(&self, equation: u32) -> Option<u32> {
        let leaf = self.system.leaf[equation as usize];
        (leaf != NEUTRAL).then(|| self.system.expansion.leaves[leaf as usize].priority)
    }

    /// The right-hand side of an equation for the present values.
    fn value(&mut self, equation: u32, budget: &mut Budget) -> Result<Function, Exhausted> {
        let system = self.system;
        let value = match system.equations[equation as usize] {
            Equation::Variable(variable) => return self.functions.variable(variable, budget),
            Equation::Join { and } => {
                let (mut value, zero) = if and { (TRUE, FALSE) } else { (FALSE, TRUE) };
                for &operand in system.operands.row(equation as usize) {
                    budget.spend(1)?;
                    value = self.functions.join(and, value, self.values[operand as usize], budget)?;
                    if value == zero {
                        break;
                    }
                }
                value
            }
            Equation::Call(call) => {
                let call = &system.calls[call as usize];
                let values = &self.values;
                let back = |_: &mut Functions, variable: u32, budget: &mut Budget| {
                    budget.spend(1)?;
                    let place = call.returns.binary_search_by_key(&variable, |&(known, _)| known);
                    let place = place.expect("every exit that was met is a return of the call");
                    Ok(values[call.returns[place].1 as usize])
                };
                self.functions.compose(values[call.entry as usize], back, budget)?
            }
        };
        self.passed(equation, value, budget)
    }

    /// Lets the priority of an equation count for what comes after it in its class.
    fn passed(&mut self, equation: u32, value: Function, budget: &mut Budget) -> Result<Function, Exhausted> {
        let system = self.system;
        let leaf = system.leaf[equation as usize];
        if leaf == NEUTRAL {
            return Ok(value);
        }
        let expansion = &system.expansion;
        let passed = expansion.leaves[leaf as usize];
        if passed.rank == 0 {
            return Ok(value);
        }
        let class = expansion.modalities[passed.modality as usize].class;
        let shifted = |functions: &mut Functions, variable: u32, budget: &mut Budget| {
            let leaf = expansion.leaves[system.leaf_of(variable) as usize];
            let modality = expansion.modalities[leaf.modality as usize];
            if modality.class != class || leaf.rank >= passed.rank {
                return functions.variable(variable, budget);
            }
            functions.variable(system.with_leaf(variable, modality.first_leaf + passed.rank), budget)
        };
        self.functions.compose(value, shifted, budget)
    }
}
