//! Looks ahead from one state of a Boolean transition system with a solver.
//!
//! `E X … E X p` is one call. `E [ p U q ]` is decided by *k*-induction: a path of length *k* from
//! the state to `q` shows it; if there is none up to *k*, and no *k* states with `p` and without
//! `q`, wherever they are, are followed by one with `q`, then there is no path at all. `E G p` is
//! false if no path of some length has `p` all along. Only conditions without temporal operators
//! are looked at. What these few steps do not decide stays unknown.

use crate::formulas::{Formulas, Lit, Op};
use loris_base::{Budget, Exhausted, Truth};
use loris_circuit as circuit;
use loris_circuit::{Aig, TransitionSystem};
use loris_solvers::sat::{Frame, Sat, SatLit};
use rustc_hash::FxHashMap;

/// This many steps are looked at.
const MOST_STEPS: usize = 24;

/// A system, with functions for conditions on its states.
pub(crate) struct Unrolled<'s> {
    system: &'s TransitionSystem,
    aig: Aig,
    functions: FxHashMap<Lit, circuit::Lit>,
}

impl<'s> Unrolled<'s> {
    pub(crate) fn new(system: &'s TransitionSystem) -> Self {
        Self { system, aig: system.aig.clone(), functions: FxHashMap::default() }
    }

    /// A formula without temporal operators as a function of states; nothing for others.
    pub(crate) fn function(
        &mut self,
        formulas: &Formulas<'_>,
        formula: Lit,
        atom: impl Fn(&str) -> circuit::Lit,
    ) -> Option<circuit::Lit> {
        for lit in formulas.parts(formula, |lit| self.functions.contains_key(&lit)) {
            if self.functions.contains_key(&lit) {
                continue;
            }
            let of = |lit: Lit| self.functions[&lit];
            let function = match formulas.op(lit) {
                Op::Constant(value) => circuit::Lit::constant(value),
                Op::Atom(name, _) if formulas.is_has_next(name) => return None,
                Op::Atom(name, positive) => atom(formulas.name(name)).negated_if(!positive),
                Op::And(a, b) => self.aig.and(of(a), of(b)),
                Op::Or(a, b) => self.aig.or(of(a), of(b)),
                Op::Next(_)
                | Op::Until(..)
                | Op::Release(..)
                | Op::Exists(_)
                | Op::Absent(_)
                | Op::Fair(_) => return None,
            };
            self.functions.insert(lit, function);
        }
        Some(self.functions[&formula])
    }

    /// Whether a path of this many steps from a state leads to one with `f`.
    pub(crate) fn after(
        &self,
        state: &[bool],
        steps: usize,
        f: circuit::Lit,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let mut run = Run::from_state(self, state);
        for _ in 0..steps {
            budget.spend(self.aig.len())?;
            run.step();
        }
        let f = run.literal(f);
        run.sat.solve(&[f], budget)
    }

    /// Whether a path from a state leads to one with `g` through states with `f`.
    pub(crate) fn until(
        &self,
        state: &[bool],
        f: circuit::Lit,
        g: circuit::Lit,
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        let mut from_state = Run::from_state(self, state);
        let mut from_any = Run::from_any(self);
        for _ in 0..=MOST_STEPS {
            let reached = from_state.literal(g);
            if from_state.sat.solve(&[reached], budget)? {
                return Ok(Truth::True);
            }
            let reached = from_any.literal(g);
            if !from_any.sat.solve(&[reached], budget)? {
                return Ok(Truth::False);
            }
            for run in [&mut from_state, &mut from_any] {
                let (f, g) = (run.literal(f), run.literal(g));
                run.sat.clause(&[f]);
                run.sat.clause(&[!g]);
                run.step();
            }
            if !from_state.sat.solve(&[], budget)? {
                return Ok(Truth::False);
            }
        }
        Ok(Truth::Unknown)
    }

    /// Whether `f` can hold for ever from a state: false if it cannot for some steps.
    pub(crate) fn always(
        &self,
        state: &[bool],
        f: circuit::Lit,
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        let mut run = Run::from_state(self, state);
        for _ in 0..=MOST_STEPS {
            let holds = run.literal(f);
            run.sat.clause(&[holds]);
            if !run.sat.solve(&[], budget)? {
                return Ok(Truth::False);
            }
            run.step();
        }
        Ok(Truth::Unknown)
    }
}

/// A path in a solver of its own.
struct Run<'u> {
    system: &'u TransitionSystem,
    aig: &'u Aig,
    sat: Sat,
    /// the last state
    last: Frame,
}

impl<'u> Run<'u> {
    /// A path from any state, reachable or not.
    fn from_any(unrolled: &'u Unrolled<'_>) -> Self {
        Self { system: unrolled.system, aig: &unrolled.aig, sat: Sat::new(), last: Frame::default() }
    }

    /// A path from one state.
    fn from_state(unrolled: &'u Unrolled<'_>, state: &[bool]) -> Self {
        let mut run = Self::from_any(unrolled);
        for (var, &value) in run.system.states.iter().zip(state) {
            run.last.bind(var.now, run.sat.constant(value));
        }
        run
    }

    fn literal(&mut self, lit: circuit::Lit) -> SatLit {
        self.last.literal(lit, self.aig, &mut self.sat)
    }

    /// Makes the path one step longer.
    fn step(&mut self) {
        for &lit in &self.system.constraints {
            let lit = self.literal(lit);
            self.sat.clause(&[lit]);
        }
        let mut next = Frame::default();
        for var in &self.system.states {
            let value = self.literal(var.next);
            next.bind(var.now, value);
        }
        self.last = next;
    }
}
