//! Decides formulas of CTL in all states of a Boolean transition system at once, by fixpoints on
//! decision diagrams.
//!
//! `E X f` replaces each state variable of `f` by its next-state function, then lets the choices be
//! any that the constraints allow. `E U` is a least fixpoint of it and `E G` a greatest one; on
//! fair runs, `E G f` is the greatest set from whose states a path through `f` leads to each
//! fairness condition and on into the set (Emerson and Lei). There is nothing in it of the engine
//! `bdd`, which goes forward, splits relations and keeps to reachable states: this is the
//! definition. The oracle is in `crates/cli/tests/replayed.rs`.

use crate::formulas::{Formulas, Lit, Op};
use loris_base::{Budget, Exhausted, Truth};
use loris_circuit as circuit;
use loris_circuit::{Gate, TransitionSystem};
use loris_solvers::bdd::{Bdd, Policy, Store, Substitution};
use rustc_hash::FxHashMap;

/// Sets of states of a system.
pub(crate) struct Diagrams<'s> {
    system: &'s TransitionSystem,
    justice: Vec<circuit::Lit>,
    store: Store,
    /// the number of the diagram variable of each variable of the graph
    variables: Vec<Option<u32>>,
    relation: Option<Relation>,
    values: FxHashMap<Lit, Bdd>,
}

/// The steps of the system.
struct Relation {
    next: Substitution,
    allowed: Bdd,
    choices: Bdd,
    /// the states from which some run ends
    ending: Bdd,
    justice: Vec<Bdd>,
    /// the states from which some run is fair
    fair: Bdd,
}

impl<'s> Diagrams<'s> {
    /// No sets yet. On fair runs, each of `justice` holds infinitely often.
    pub(crate) fn new(system: &'s TransitionSystem, justice: Vec<circuit::Lit>) -> Self {
        let mut store = Store::new(Policy::default());
        let mut variables = vec![None; system.aig.len()];
        for state in &system.states {
            variables[state.now.var().index()] = Some(store.variable());
        }
        for (var, gate) in system.aig.gates() {
            if gate == Gate::Variable && variables[var.index()].is_none() {
                variables[var.index()] = Some(store.variable());
            }
        }
        Self { system, justice, store, variables, relation: None, values: FxHashMap::default() }
    }

    /// The bytes it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes()
    }

    /// The value of a state formula in a state; unknown where runs end, and for formulas that are
    /// not of CTL.
    pub(crate) fn value(
        &mut self,
        formulas: &Formulas<'_>,
        formula: Lit,
        state: &[bool],
        atom: &dyn Fn(&str) -> circuit::Lit,
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        let Some(set) = self.set(formulas, formula, atom, budget)? else { return Ok(Truth::Unknown) };
        let ending = self.relation(budget)?.ending.clone();
        // the variables of states were made first, in their order
        let holds =
            |set: &Bdd| self.store.evaluate(set, |var| state.get(var as usize).copied() == Some(true));
        Ok(if holds(&ending) { Truth::Unknown } else { holds(&set).into() })
    }

    /// Whether a state formula holds in all initial states.
    pub(crate) fn everywhere(
        &mut self,
        formulas: &Formulas<'_>,
        formula: Lit,
        atom: &dyn Fn(&str) -> circuit::Lit,
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        let Some(set) = self.set(formulas, formula, atom, budget)? else { return Ok(Truth::Unknown) };
        let ending = self.relation(budget)?.ending.clone();
        let mut initial = self.store.constant(true);
        for lit in self.functions(&self.system.init, budget)? {
            initial = self.store.and(&initial, &lit, budget)?;
        }
        if !self.store.and(&initial, &ending, budget)?.is_false() {
            return Ok(Truth::Unknown);
        }
        Ok(self.store.and(&initial, &!&set, budget)?.is_false().into())
    }

    /// The states in which a formula holds, after those of its parts.
    fn set(
        &mut self,
        formulas: &Formulas<'_>,
        formula: Lit,
        atom: &dyn Fn(&str) -> circuit::Lit,
        budget: &mut Budget,
    ) -> Result<Option<Bdd>, Exhausted> {
        for lit in formulas.parts(formula, |lit| self.values.contains_key(&lit)) {
            if self.values.contains_key(&lit) || !formulas.is_state(lit) {
                continue;
            }
            let set = match formulas.op(lit) {
                Op::Constant(value) => self.store.constant(value),
                Op::Atom(name, _) if formulas.is_has_next(name) => return Ok(None),
                Op::Atom(name, positive) => {
                    let function = atom(formulas.name(name)).negated_if(!positive);
                    self.functions(&[function], budget)?.remove(0)
                }
                Op::And(a, b) => {
                    let (a, b) = (self.values[&a].clone(), self.values[&b].clone());
                    self.store.and(&a, &b, budget)?
                }
                Op::Or(a, b) => {
                    let (a, b) = (self.values[&a].clone(), self.values[&b].clone());
                    self.store.or(&a, &b, budget)?
                }
                op @ (Op::Exists(path) | Op::Absent(path)) => {
                    let Some(set) = self.exists(formulas, path, budget)? else { return Ok(None) };
                    set.negated_if(matches!(op, Op::Absent(_)))
                }
                Op::Next(_) | Op::Until(..) | Op::Release(..) | Op::Fair(_) => {
                    unreachable!("these are about a path")
                }
            };
            self.values.insert(lit, set);
        }
        Ok(Some(self.values[&formula].clone()))
    }

    /// The states from which some run satisfies a path formula.
    fn exists(
        &mut self,
        formulas: &Formulas<'_>,
        path: Lit,
        budget: &mut Budget,
    ) -> Result<Option<Bdd>, Exhausted> {
        let (path, is_fair) = formulas.without_fairness(path);
        let operands: Vec<Lit> = match formulas.op(path) {
            Op::Next(f) | Op::Release(Lit::FALSE, f) => vec![f],
            Op::Until(f, g) => vec![f, g],
            _ => vec![path],
        };
        let mut sets = Vec::new();
        for lit in operands {
            match (formulas.op(lit), self.values.get(&lit)) {
                (Op::Constant(value), _) => sets.push(self.store.constant(value)),
                (_, Some(set)) => sets.push(set.clone()),
                _ => return Ok(None),
            }
        }
        let fair = if is_fair { self.relation(budget)?.fair.clone() } else { self.store.constant(true) };
        let last = sets.pop().expect("there is an operand");
        Ok(Some(match formulas.op(path) {
            Op::Next(_) => {
                let last = self.store.and(&last, &fair, budget)?;
                self.before(&last, budget)?
            }
            Op::Until(..) => {
                let last = self.store.and(&last, &fair, budget)?;
                self.until(&sets[0], &last, budget)?
            }
            Op::Release(..) if is_fair => {
                let justice = self.relation(budget)?.justice.clone();
                self.always(&last, &justice, budget)?
            }
            Op::Release(..) => self.always(&last, &[], budget)?,
            _ => self.store.and(&last, &fair, budget)?,
        }))
    }

    /// `E X`.
    fn before(&mut self, set: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.relation(budget)?;
        let relation = self.relation.as_ref().expect("made just now");
        step_back(&mut self.store, relation, set, budget)
    }

    /// `E U`.
    fn until(&mut self, through: &Bdd, to: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        let mut set = to.clone();
        loop {
            let before = self.before(&set, budget)?;
            let before = self.store.and(through, &before, budget)?;
            let larger = self.store.or(&set, &before, budget)?;
            if larger == set {
                return Ok(set);
            }
            set = larger;
        }
    }

    /// `E G`, on runs on which each of `justice` holds infinitely often.
    fn always(&mut self, inside: &Bdd, justice: &[Bdd], budget: &mut Budget) -> Result<Bdd, Exhausted> {
        let mut set = inside.clone();
        loop {
            let mut smaller = self.before(&set, budget)?;
            smaller = self.store.and(inside, &smaller, budget)?;
            for condition in justice {
                let goal = self.store.and(&set, condition, budget)?;
                let lead = self.until(inside, &goal, budget)?;
                let lead = self.before(&lead, budget)?;
                smaller = self.store.and(&smaller, &lead, budget)?;
            }
            if smaller == set {
                return Ok(set);
            }
            set = smaller;
        }
    }

    /// The steps, made once.
    fn relation(&mut self, budget: &mut Budget) -> Result<&Relation, Exhausted> {
        if self.relation.is_none() {
            let nexts: Vec<circuit::Lit> = self.system.states.iter().map(|state| state.next).collect();
            let nexts = self.functions(&nexts, budget)?;
            let next = self.store.substitution((0..).zip(nexts));
            let mut allowed = self.store.constant(true);
            for lit in self.functions(&self.system.constraints, budget)? {
                allowed = self.store.and(&allowed, &lit, budget)?;
            }
            let states = self.system.states.len() as u32;
            let all = self.store.variables() as u32;
            let choices = self.store.cube((states..all).map(|var| (var, true)), budget)?;
            let justice = self.justice.clone();
            let justice = self.functions(&justice, budget)?;
            let (none, all) = (self.store.constant(false), self.store.constant(true));
            self.relation = Some(Relation {
                next,
                allowed,
                choices,
                ending: none,
                justice: justice.clone(),
                fair: all.clone(),
            });
            let ends = !&self.before(&all, budget)?;
            let ending = self.until(&all, &ends, budget)?;
            let fair = if justice.is_empty() { all } else { self.always(&all, &justice, budget)? };
            if let Some(relation) = &mut self.relation {
                (relation.ending, relation.fair) = (ending, fair);
            }
        }
        Ok(self.relation.as_ref().expect("made just now"))
    }

    /// Functions of the graph as diagrams.
    fn functions(&mut self, lits: &[circuit::Lit], budget: &mut Budget) -> Result<Vec<Bdd>, Exhausted> {
        let aig = &self.system.aig;
        let cone = aig.cone(lits.iter().copied());
        let mut of: Vec<Option<Bdd>> = vec![None; aig.len()];
        let get = |of: &[Option<Bdd>], lit: circuit::Lit| {
            of[lit.var().index()].as_ref().expect("operands come first").negated_if(lit.is_negated())
        };
        for (var, gate) in aig.gates().filter(|(var, _)| cone[var.index()]) {
            of[var.index()] = Some(match gate {
                Gate::False => self.store.constant(false),
                Gate::Variable => {
                    let number = self.variables[var.index()].expect("every variable has a number");
                    self.store.literal(number, true)
                }
                Gate::And(a, b) => {
                    let (a, b) = (get(&of, a), get(&of, b));
                    self.store.and(&a, &b, budget)?
                }
            });
        }
        Ok(lits.iter().map(|&lit| get(&of, lit)).collect())
    }
}

/// The states from which some step leads into a set.
fn step_back(
    store: &mut Store,
    relation: &Relation,
    set: &Bdd,
    budget: &mut Budget,
) -> Result<Bdd, Exhausted> {
    let after = store.substitute(set, &relation.next, budget)?;
    store.and_exists(&after, &relation.allowed, &relation.choices, budget)
}
