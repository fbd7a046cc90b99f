//! Property-directed reachability where an abstract proof does not close.
//!
//! `A [p V q]` fails in a state if a path through states without `p` leads to one without `q`.
//! Which states have `p` and `q` may itself be open, where they are temporal: the search takes
//! every state that is not labelled, and asks for the value of those that its runs meet. Labels
//! only make the target and the steps fewer, so that the search goes on with what it found.

use super::Omg;
use super::abstraction::Cubes;
use super::ahead::Ahead;
use super::formulas::{Formula, Op};
use crate::pdr::{Found, Memory, Pdr, Question, Start};
use crate::relation::Relation;
use crate::target::step_to;
use loris_base::Exhausted;
use loris_circuit::Lit;
use loris_solvers::sat::SatLit;

/// At most this many steps ahead are functions; further ones are a matter of labels.
const LOOK_AHEAD: usize = 8;

/// How much work a search for reachability may take for each round before it.
const SEARCH_STEPS: u64 = 40_000;

/// A search for reachability, which can be resumed.
#[derive(Default)]
pub(super) struct Search {
    memory: Memory,
    /// a solver of its own, where the question does not depend on labels: there, queries are not
    /// burdened with the definitions of abstract states
    own: Option<Relation>,
    /// whether it relies on states that are proved otherwise
    relies: bool,
}

impl Search {
    /// The search is over.
    pub(super) fn release(&self, relation: &mut Relation) {
        if self.own.is_none() {
            self.memory.release(relation);
        }
    }
}

impl Omg {
    /// Goes on with a search that decides `A [p V q]` in a state, for a time that depends on the
    /// rounds without a proof. An answer labels the invariant or the refutation.
    pub(super) fn reach(
        &mut self,
        state: usize,
        (formula, p, q): (Formula, Formula, Formula),
        search: &mut Search,
        rounds: u64,
    ) -> Result<Option<bool>, Exhausted> {
        let mut left = SEARCH_STEPS * rounds;
        loop {
            let mut question = self.question(state, (formula, p, q), search);
            let start = self.budget.spent();
            question.until = start + left;
            let relation = search.own.as_mut().unwrap_or(&mut self.relation);
            let mut pdr = Pdr::new(&mut question, relation, &mut search.memory, &mut self.budget);
            let found = match pdr.at_start()? {
                Some(found) => found,
                None => pdr.run()?,
            };
            left = left.saturating_sub(self.budget.spent() - start);
            match found {
                Found::Paused => return Ok(None),
                Found::Closed(cubes) => {
                    self.learn(Cubes { cubes, complement: true }, formula, !search.relies)?;
                    self.known(state, formula)?;
                    return Ok(Some(true));
                }
                Found::Run(_, choices) => {
                    if self.refutes(state, &choices, (formula, p, q))? {
                        return Ok(Some(false));
                    }
                }
            }
        }
    }

    /// Whether a run refutes the formula; then its states are labelled. If it does not, a state of
    /// it has a new label that says so.
    fn refutes(
        &mut self,
        state: usize,
        choices: &[Vec<bool>],
        (formula, p, q): (Formula, Formula, Formula),
    ) -> Result<bool, Exhausted> {
        self.budget.spend(choices.len())?;
        let mut states = vec![state];
        for choice in choices {
            let next = self.successor(states[states.len() - 1], choice)?;
            states.push(next);
        }
        self.examined += states.len() as u64;
        let (last, before) = states.split_last().expect("not empty");
        if self.known(*last, formula)? != Some(false) {
            if self.holds(*last, q)? {
                return Ok(false);
            }
            let leaf = self.leaf(*last);
            self.label(leaf, formula, false, None);
        }
        for &state in before {
            if self.holds(state, p)? {
                return Ok(false);
            }
        }
        for (at, choice) in choices.iter().enumerate().rev() {
            self.refuted_by_step(states[at], choice, states[at + 1], formula)?;
        }
        Ok(true)
    }

    /// The reachability question for what is labelled by now.
    fn question(
        &mut self,
        state: usize,
        (formula, p, q): (Formula, Formula, Formula),
        search: &mut Search,
    ) -> Question {
        // sets that were found before help a search from another state
        let is_first = !self.sets.iter().any(|set| set.formula == formula.index())
            && !self.inherited.contains_key(&formula.index());
        if let (true, Some(violates), Some(goes_on)) =
            (is_first || search.own.is_some(), self.function(!q), self.function(!p))
        {
            let own = search.own.get_or_insert_with(|| Relation::new(&mut self.system));
            let goal = own.literal(violates, &self.system);
            let stops = !own.literal(goes_on, &self.system);
            return self.question_in(state, goal, stops, search);
        }
        let proved = self.labelled(formula, true).now;
        search.relies |= proved != self.relation.sat.constant(false);
        let violates = self.maybe(!q);
        let goal = self.relation.all(&[violates, !proved]);
        let goes_on = self.maybe(!p);
        let stops = self.relation.any(&[!goes_on, proved]);
        self.question_in(state, goal, stops, search)
    }

    fn question_in(&mut self, state: usize, goal: SatLit, stops: SatLit, search: &mut Search) -> Question {
        let relation = search.own.as_mut().unwrap_or(&mut self.relation);
        let ahead = self.ahead.steps.iter().flatten().map(|&lit| relation.literal(lit, &self.system));
        let ahead: Vec<SatLit> = ahead.collect();
        let allowed = relation.allowed(&self.system);
        let values = self.states[state].values.iter();
        Question {
            step: vec![relation.step, !stops],
            no_step: vec![!allowed, stops],
            initial: Start::Cube(values.map(|&value| Some(value)).collect()),
            goal,
            ahead,
            until: u64::MAX,
        }
    }

    /// States that may satisfy a formula: all others are known not to.
    fn maybe(&mut self, formula: Formula) -> SatLit {
        let unlabelled = !self.labelled(formula, false).now;
        let by_parts = match (self.function(formula), self.formulas.op(formula)) {
            (Some(lit), _) => Some(self.relation.literal(lit, &self.system)),
            (None, Op::And(a, b)) if formula.is_negated() => {
                let parts = [self.maybe(!a), self.maybe(!b)];
                Some(self.relation.any(&parts))
            }
            (None, Op::And(a, b)) => {
                let parts = [self.maybe(a), self.maybe(b)];
                Some(self.relation.all(&parts))
            }
            (None, _) => None,
        };
        match by_parts {
            Some(lit) => self.relation.all(&[lit, unlabelled]),
            None => unlabelled,
        }
    }

    /// A formula as a function of the state and of what steps from there choose: it holds if the
    /// function does for some choice.
    fn function(&mut self, formula: Formula) -> Option<Lit> {
        if let Some(&known) = self.ahead.functions.get(&formula) {
            return known;
        }
        let lit = match self.formulas.op(formula) {
            Op::Predicate(lit) => Some(lit.negated_if(formula.is_negated())),
            Op::And(a, b) if formula.is_negated() => match (self.function(!a), self.function(!b)) {
                (Some(a), Some(b)) => Some(self.system.aig.or(a, b)),
                _ => None,
            },
            Op::And(a, b) => match (self.function(a), self.function(b)) {
                (Some(a), Some(b)) => Some(self.system.aig.and(a, b)),
                _ => None,
            },
            Op::Ex(of) if !formula.is_negated() => match self.function(of) {
                Some(lit) if self.ahead.steps.len() < LOOK_AHEAD => {
                    let Ahead { steps, pool, .. } = &mut self.ahead;
                    Some(step_to(&mut self.system, steps, pool, lit))
                }
                _ => None,
            },
            Op::Ex(_) | Op::Av(..) | Op::Ev(..) => None,
        };
        self.ahead.functions.insert(formula, lit);
        lit
    }
}
