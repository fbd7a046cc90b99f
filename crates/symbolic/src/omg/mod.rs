//! On-the-fly CTL with guided abstraction (OMG).
//!
//! Source: the thesis `omg`, chapters 3 to 5, in the reading of its specification (sections 1, 2
//! and 7). A concrete unwinding finds short witnesses and refutations; abstract states, which are
//! sets of concrete ones, close the proofs; they are split only where an attempt at a proof needs
//! it. The label of an abstract state is true for all its states, so that an answer about one state
//! answers for all of them.
//!
//! What differs from the thesis, for the same answers: successors of a state are never listed. A
//! step that leaves what is proved so far is a model of a SAT query, and the absence of one is an
//! unsatisfiable core, around which the abstract state is split. So the cost does not depend on the
//! number of inputs. Proofs that do not close ask property-directed reachability for an invariant
//! (`reach.rs`), and each property has abstract states of its own, which inherit the labels of
//! earlier properties (`knowledge.rs`).
//!
//! Invariant: every label on every abstract state is true (checked in the tests, for all states).
//! On finite systems every round of a goal examines a new state, labels an abstract one, or splits
//! one into two parts that are not empty: the worst case is full reachability plus one split a
//! state. Its oracle is explicit CTL on small random systems.

mod abstraction;
mod ahead;
mod av;
mod ev;
mod ex;
mod facts;
mod formulas;
mod invariant;
mod knowledge;
mod reach;
mod sets;
mod split;
mod state_sets;
#[cfg(test)]
mod tests;
mod witness;

use crate::query::{Query, SystemOutcome};
use crate::relation::Relation;
use abstraction::{Abstraction, Cubes, Label, Member, Predicate, Region};
use ahead::Ahead;
use facts::Facts;
use formulas::{Formula, Formulas, Op};
use knowledge::{Knowledge, KnownSet};
use loris_base::{Budget, Exhausted, Idx};
use loris_circuit::{Lit, TransitionSystem};
use loris_logic::CoreId;
use loris_solvers::sat::SatLit;
use rustc_hash::FxHashMap;
use state_sets::Sets;
use std::sync::Arc;

/// How abstract states are split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Splitting {
    /// Around a state, by a cube: the other part may contain states of the same kind.
    #[default]
    Cubes,
    /// By all states of a kind, as a union of cubes.
    Exact,
}

/// What the nodes of an unwinding are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unwinding {
    /// States.
    #[default]
    States,
    /// Sets of states.
    Sets,
}

/// The switches of the engine; verdicts do not depend on them.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "switches are independent of each other")]
pub struct OmgOptions {
    /// How abstract states are split.
    pub splitting: Splitting,
    /// What is unwound.
    pub unwinding: Unwinding,
    /// Splits with an empty part are left out.
    pub trivial: bool,
    /// A state is classified again only from where it was, not from all states on.
    pub lazy: bool,
    /// States that are examined already are not examined again, in the same goal.
    pub trimming: bool,
    /// Boolean combinations of atoms are predicates; else abstract states are distinguished by all
    /// atoms.
    pub predicates: bool,
    /// Where both parts of a split are targets, what was split is (brother unification).
    pub unification: bool,
    /// Steps between abstract states that are known are not asked for again.
    pub facts: bool,
    /// Where an abstract proof does not close, property-directed reachability is asked.
    pub reachability: bool,
    /// After this many rounds without a proof, and whenever they have doubled.
    pub patience: u64,
    /// What was found for one property is kept for the next.
    pub shared: bool,
    /// Verdicts come with runs that show why.
    pub witness: bool,
}

/// An optimization that can be turned off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmgSwitch {
    /// [`OmgOptions::trivial`]
    Trivial,
    /// [`OmgOptions::lazy`]
    Lazy,
    /// [`OmgOptions::trimming`]
    Trimming,
    /// [`OmgOptions::predicates`]
    Predicates,
    /// [`OmgOptions::unification`]
    Unification,
    /// [`OmgOptions::facts`]
    Facts,
    /// [`OmgOptions::reachability`]
    Reachability,
    /// [`OmgOptions::shared`]
    Sharing,
}

impl OmgOptions {
    /// Does without an optimization.
    pub fn turn_off(&mut self, switch: OmgSwitch) {
        *match switch {
            OmgSwitch::Trivial => &mut self.trivial,
            OmgSwitch::Lazy => &mut self.lazy,
            OmgSwitch::Trimming => &mut self.trimming,
            OmgSwitch::Predicates => &mut self.predicates,
            OmgSwitch::Unification => &mut self.unification,
            OmgSwitch::Facts => &mut self.facts,
            OmgSwitch::Reachability => &mut self.reachability,
            OmgSwitch::Sharing => &mut self.shared,
        } = false;
    }
}

impl Default for OmgOptions {
    fn default() -> Self {
        let splitting = Splitting::default();
        Self {
            splitting,
            unwinding: Unwinding::default(),
            trivial: true,
            lazy: true,
            trimming: true,
            predicates: true,
            unification: true,
            facts: true,
            reachability: true,
            patience: 24,
            shared: true,
            witness: true,
        }
    }
}

/// A state that was met.
struct Concrete {
    values: Vec<bool>,
    /// a region that it is in
    below: Region,
}

/// The engine, with what it found out about a system.
pub struct Omg {
    system: TransitionSystem,
    options: OmgOptions,
    relation: Relation,
    allowed: SatLit,
    abstraction: Abstraction,
    facts: Facts,
    diagrams: Option<Box<Sets>>,
    sets: Vec<KnownSet>,
    knowledge: Knowledge,
    /// what earlier properties found out about formulas of this one
    inherited: FxHashMap<usize, [Option<(Lit, Member)>; 2]>,
    /// the property that was not decided by the last call
    undecided: Option<Formula>,
    ahead: Ahead,
    formulas: Formulas,
    states: Vec<Concrete>,
    numbers: FxHashMap<Vec<bool>, usize>,
    /// predicates that distinguish abstract states from the start
    atoms: Vec<Formula>,
    budget: Budget,
    examined: u64,
    proof_splits: u64,
    reused: u64,
}

/// Temporal operators may be nested so deep; the search is recursive in them.
const MAX_DEPTH: u32 = 200;

impl Omg {
    /// The engine for a system.
    pub fn new(system: &TransitionSystem, options: OmgOptions) -> Self {
        let mut system = system.clone();
        let mut relation = Relation::new(&mut system);
        let allowed = relation.allowed(&system);
        let abstraction = Abstraction::new(&relation);
        let knowledge = Knowledge::new(&system);
        Self {
            system,
            options,
            relation,
            allowed,
            abstraction,
            facts: Facts::default(),
            diagrams: None,
            sets: Vec::new(),
            knowledge,
            inherited: FxHashMap::default(),
            undecided: None,
            ahead: Ahead::default(),
            formulas: Formulas::new(),
            states: Vec::new(),
            numbers: FxHashMap::default(),
            atoms: Vec::new(),
            budget: Budget::unlimited(),
            examined: 0,
            proof_splits: 0,
            reused: 0,
        }
    }

    /// Decides a property; `None` if its temporal operators are nested too deep. Paths are not
    /// restricted to fair ones: a system with fairness is refused by the caller.
    pub fn check(
        &mut self,
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Result<Option<SystemOutcome>, Exhausted> {
        if !self.options.shared {
            *self = Self::new(&self.system, self.options);
        }
        std::mem::swap(&mut self.budget, budget);
        let outcome = self.decide(query);
        std::mem::swap(&mut self.budget, budget);
        outcome
    }

    fn decide(&mut self, query: &Query<'_>) -> Result<Option<SystemOutcome>, Exhausted> {
        let (examined, splits, reused) = (self.examined, self.proof_splits, self.reused);
        let formulas = self.formulas.of_query(query, &mut self.system.aig, self.options.predicates);
        let root = formulas[query.core.root().index()];
        if self.formulas.depth(root) > MAX_DEPTH {
            return Ok(None);
        }
        self.begin(root, &formulas);
        let queries = self.relation.sat.calls();
        if !self.options.predicates {
            self.atoms = query.atoms.iter().map(|&atom| self.formulas.predicate(atom)).collect();
        }
        let refuted = match self.options.unwinding {
            Unwinding::States => self.refuted_by_states(root)?,
            Unwinding::Sets => self.refuted_initial(root)?,
        };
        let (mut witness, mut invariant) = (None, None);
        if self.options.witness {
            witness = self.witness(query, &formulas, refuted)?;
            if refuted.is_none() {
                invariant = self.invariant(root)?;
            }
        }
        self.undecided = None;
        let counters = vec![
            ("nodes", self.examined - examined),
            ("splits", self.proof_splits - splits),
            ("abstract states", self.abstraction.splits + 1),
            ("reused", self.reused - reused),
            ("queries", self.relation.sat.calls() - queries),
        ];
        Ok(Some(SystemOutcome {
            holds: refuted.is_none(),
            witness,
            invariant,
            counters,
            ..SystemOutcome::default()
        }))
    }

    /// An initial state that violates a formula, if there is one: every initial state is decided,
    /// unless an abstract state that contains it is labelled.
    fn refuted_by_states(&mut self, root: Formula) -> Result<Option<usize>, Exhausted> {
        loop {
            let proved = self.labelled(root, true).now;
            if !self.relation.solve(&[self.relation.initial, !proved], &mut self.budget)? {
                return Ok(None);
            }
            let values = self.relation.state();
            let state = self.intern(values);
            if !self.holds(state, root)? {
                return Ok(Some(state));
            }
        }
    }

    /// Puts the abstract states of the last property aside, unless this is the same one, which was
    /// not decided.
    fn begin(&mut self, root: Formula, formulas: &[Formula]) {
        if self.undecided.replace(root) == Some(root) {
            return;
        }
        let tree = std::mem::replace(&mut self.abstraction, Abstraction::new(&self.relation));
        self.knowledge.keep(tree, std::mem::take(&mut self.sets));
        let held = self.knowledge.bytes();
        if self.budget.charge(held).is_err() {
            self.budget.release(held);
            self.knowledge = Knowledge::new(&self.system);
        }
        self.ahead.reset();
        self.facts = Facts::default();
        if let Some(diagrams) = &mut self.diagrams {
            diagrams.reset();
        }
        self.relation = Relation::new(&mut self.system);
        self.allowed = self.relation.allowed(&self.system);
        self.knowledge.bind(&self.relation);
        self.states.clear();
        self.numbers.clear();
        self.inherited.clear();
        for &formula in formulas {
            let index = formula.index();
            let existential = match self.formulas.op(formula) {
                Op::Predicate(_) | Op::And(..) => continue,
                Op::Ex(_) | Op::Ev(..) => true,
                Op::Av(..) => false,
            };
            let sets = self.knowledge.labelled(index, &self.system);
            let inherited = [false, true].map(|value| {
                let set = sets[usize::from(value)];
                // runs are read off the labels of existential claims, and need the tree
                let is_lost = self.options.witness && value == existential;
                (set != Lit::FALSE && !is_lost).then(|| (set, self.knowledge.member(set, &mut self.relation)))
            });
            if inherited.iter().any(Option::is_some) && self.inherited.insert(index, inherited).is_none() {
                for (value, set) in [false, true].into_iter().zip(inherited) {
                    let Some((_, member)) = set else { continue };
                    self.reused += 1;
                    self.abstraction.add(index, value, member, &mut self.relation);
                }
            }
        }
    }

    /// The number of a state.
    fn intern(&mut self, values: Vec<bool>) -> usize {
        if let Some(&known) = self.numbers.get(&values) {
            return known;
        }
        self.numbers.insert(values.clone(), self.states.len());
        self.states.push(Concrete { values, below: Abstraction::ALL });
        self.states.len() - 1
    }

    /// The abstract state of a state.
    fn leaf(&mut self, state: usize) -> Region {
        let Concrete { values, below } = &mut self.states[state];
        let from = if self.options.lazy { *below } else { Abstraction::ALL };
        *below = self.abstraction.leaf(from, values, &self.system, |lit| self.knowledge.holds(lit, values));
        *below
    }

    /// The state that a choice leads to.
    fn successor(&mut self, state: usize, choice: &[bool]) -> Result<usize, Exhausted> {
        self.budget.charge(2 * self.system.states.len() + 64)?;
        let values = self.system.step(&self.states[state].values, choice);
        Ok(self.intern(values))
    }

    /// The states that are labelled with a formula and this value.
    fn labelled(&self, formula: Formula, value: bool) -> Member {
        if formula.index() == 0 {
            // the constant needs no label
            let every = self.relation.sat.constant(value == formula.is_negated());
            return Member { now: every, next: every };
        }
        self.abstraction.labelled(formula.index(), value != formula.is_negated(), &self.relation)
    }

    fn label(&mut self, leaf: Region, formula: Formula, value: bool, by: Option<SatLit>) {
        let label = Label { formula: formula.index() as u32, value: value != formula.is_negated(), by };
        self.abstraction.set_label(leaf, label, &mut self.relation);
    }

    /// What is known about a state: the label of its abstract state, or that of a set that it is
    /// in, by which the abstract state is split.
    fn known(&mut self, state: usize, formula: Formula) -> Result<Option<bool>, Exhausted> {
        let leaf = self.leaf(state);
        if let Some(label) = self.abstraction.label(leaf, formula.index()) {
            return Ok(Some(label.value != formula.is_negated()));
        }
        let values = &self.states[state].values;
        let of = |set: &&KnownSet| set.formula == formula.index() && set.cubes.contains(values);
        let (predicate, member, value) = if let Some(set) = self.sets.iter().find(of) {
            (Predicate::Cubes(Arc::clone(&set.cubes)), set.member, set.value)
        } else if let Some(known) = self.inherited(state, formula.index()) {
            self.reused += 1;
            known
        } else {
            return Ok(None);
        };
        let part = self.split_on(leaf, predicate, member)?;
        let label = Label { formula: formula.index() as u32, value, by: None };
        self.abstraction.set_label(part, label, &mut self.relation);
        Ok(Some(value != formula.is_negated()))
    }

    /// What earlier properties found out about a state.
    fn inherited(&self, state: usize, formula: usize) -> Option<(Predicate, Member, bool)> {
        let sets = self.inherited.get(&formula)?;
        let values = &self.states[state].values;
        [false, true].into_iter().zip(sets).find_map(|(value, set)| {
            let (lit, member) = (*set)?;
            self.knowledge.holds(lit, values).then_some((Predicate::Known(lit), member, value))
        })
    }

    /// No step from a set leaves it, where the search made steps, and so all of its states satisfy
    /// a formula. `is_closed` says that the search made all steps that matter.
    fn learn(&mut self, cubes: Cubes, formula: Formula, is_closed: bool) -> Result<(), Exhausted> {
        let literals = cubes.cubes.iter().map(Vec::len).sum();
        self.budget.charge(Abstraction::bytes_of_split(literals, 0))?;
        let member = cubes.member(&mut self.relation);
        let (formula, value) = (formula.index(), !formula.is_negated());
        self.abstraction.add(formula, value, member, &mut self.relation);
        self.sets.push(KnownSet { formula, value, cubes: Arc::new(cubes), member, is_closed });
        Ok(())
    }

    /// Whether a state satisfies a formula (`RecurCTL`); then its abstract state is labelled with
    /// the answer.
    fn holds(&mut self, state: usize, formula: Formula) -> Result<bool, Exhausted> {
        self.budget.spend(1)?;
        if formula.index() == 0 {
            return Ok(formula.is_negated());
        }
        if let Some(known) = self.known(state, formula)? {
            self.reused += 1;
            return Ok(known);
        }
        let positive = if formula.is_negated() { !formula } else { formula };
        let value = match self.formulas.op(formula) {
            Op::Predicate(lit) => self.decide_predicate(state, positive, lit)?,
            Op::And(a, b) => {
                let value = self.holds(state, a)? && self.holds(state, b)?;
                let leaf = self.leaf(state);
                self.label(leaf, positive, value, None);
                value
            }
            Op::Ex(of) => self.decide_ex(state, positive, of)?,
            Op::Av(p, q) => self.decide_av(state, positive, p, q)?,
            Op::Ev(p, q) => self.decide_ev(state, positive, p, q)?,
        };
        debug_assert_eq!(self.known(state, positive)?, Some(value), "the abstract state is labelled");
        Ok(value != formula.is_negated())
    }

    /// The value of a function of states, by which the abstract state is split.
    fn decide_predicate(&mut self, state: usize, formula: Formula, lit: Lit) -> Result<bool, Exhausted> {
        let leaf = self.leaf(state);
        let value = self.system.holds(lit, &self.states[state].values, &[]);
        let now = self.relation.literal(lit, &self.system);
        let member = self.abstraction.member(leaf).now;
        if !self.relation.solve(&[member, now.negated_if(value)], &mut self.budget)? {
            self.label(leaf, formula, value, None);
            return Ok(value);
        }
        let after = self.system.next_of(&[lit])[0];
        let next = self.relation.literal(after, &self.system);
        self.budget.charge(Abstraction::bytes_of_split(0, self.formulas.len()))?;
        let (yes, no) =
            self.abstraction.split(leaf, Predicate::Function(lit), Member { now, next }, &mut self.relation);
        self.label(yes, formula, true, None);
        self.label(no, formula, false, None);
        Ok(value)
    }

    /// Distinguishes the abstract state of a state by all atoms, where that is asked for.
    fn classify(&mut self, state: usize) -> Result<(), Exhausted> {
        for at in 0..self.atoms.len() {
            let atom = self.atoms[at];
            self.holds(state, atom)?;
        }
        Ok(())
    }

    /// For tests: every label, as the states it is on, its formula and its value, checked
    /// by the caller.
    #[doc(hidden)]
    pub fn labels_of(&mut self, values: &[bool], query: &Query<'_>) -> Vec<(CoreId, bool)> {
        let formulas = self.formulas.of_query(query, &mut self.system.aig, self.options.predicates);
        let leaf = self
            .abstraction
            .leaf(Abstraction::ALL, values, &self.system, |lit| self.knowledge.holds(lit, values));
        let value = |(at, formula): (usize, &Formula)| {
            let label = self.abstraction.label(leaf, formula.index())?;
            Some((CoreId::new(at), label.value != formula.is_negated()))
        };
        formulas.iter().enumerate().filter_map(value).collect()
    }
}
