//! Circuits as models that evidence is about: a state is a valuation of latches and inputs, and the questions about
//! all states that an invariant raises go to a solver of their own.

use crate::invariant::{Gate, Inductive, Proposition, StateSet, Step};
use crate::names::StateNames;
use crate::space::StateSpace;
use loris_base::{Budget, Exhausted};
use loris_circuit::{Aig, Circuit, Lit, Reset, Valuation};
use loris_solvers::sat::{Frame, Sat, SatLit};
use std::borrow::Cow;

/// The states and steps of a circuit.
#[derive(Clone, Copy, Debug)]
pub struct CircuitStates<'c> {
    circuit: &'c Circuit,
}

impl<'c> CircuitStates<'c> {
    /// Those of a circuit.
    pub fn new(circuit: &'c Circuit) -> Self {
        Self { circuit }
    }
}

impl StateSpace for CircuitStates<'_> {
    type State = Valuation;
    type Atom = Lit;

    fn is_initial(&self, state: &Valuation) -> bool {
        self.circuit.is_initial(state)
    }

    fn is_step(&self, from: &Valuation, to: &Valuation) -> bool {
        self.circuit.next(from).is_some_and(|latches| latches == to.latches)
    }

    fn has_next(&self, state: &Valuation) -> bool {
        self.circuit.next(state).is_some()
    }

    fn atom(&self, name: &str) -> Option<Lit> {
        self.circuit.atom(name)
    }

    fn holds(&self, state: &Valuation, atom: Lit) -> bool {
        self.circuit.holds(atom, state)
    }

    fn check_state(&self, state: &Valuation) -> Result<(), String> {
        let fits = state.latches.len() == self.circuit.latches.len()
            && state.inputs.len() == self.circuit.inputs.len();
        if fits { Ok(()) } else { Err("it lacks a latch or an input of the circuit".to_owned()) }
    }

    fn size(&self, _: &Valuation) -> usize {
        self.circuit.aig.len()
    }
}

impl StateNames<Valuation> for CircuitStates<'_> {
    fn values(&self, state: &Valuation) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        let latches =
            state.latches.iter().enumerate().map(|(at, &value)| (self.circuit.latch_name(at), value));
        let inputs = state.inputs.iter().enumerate().map(|(at, &value)| (self.circuit.input_name(at), value));
        let text = |value: bool| Cow::Borrowed(if value { "1" } else { "0" });
        latches.chain(inputs).map(|(name, value)| (name.into(), text(value))).collect()
    }
}

/// One or two steps of a circuit in a fresh solver.
struct Query<'c> {
    circuit: &'c Circuit,
    aig: Aig,
    sat: Sat,
    frames: Vec<Frame>,
}

impl<'c> Query<'c> {
    /// A state in which the constraints hold.
    fn new(circuit: &'c Circuit) -> Self {
        let mut query =
            Self { circuit, aig: circuit.aig.clone(), sat: Sat::new(), frames: vec![Frame::default()] };
        query.constrain(0);
        query
    }

    fn constrain(&mut self, frame: usize) {
        for port in &self.circuit.constraints {
            let lit = self.frames[frame].literal(port.lit, &self.aig, &mut self.sat);
            self.sat.clause(&[lit]);
        }
    }

    /// The state after a step, in which the constraints hold, too.
    fn step(&mut self) {
        let mut next = Frame::default();
        for latch in &self.circuit.latches {
            let value = self.frames[0].literal(latch.next, &self.aig, &mut self.sat);
            next.bind(latch.state, value);
        }
        self.frames.push(next);
        self.constrain(1);
    }

    /// A proposition as a function of the circuit.
    fn function(&mut self, proposition: &Proposition<Lit>) -> Lit {
        let mut of: Vec<Lit> = Vec::with_capacity(proposition.gates().len());
        for gate in proposition.gates() {
            of.push(match *gate {
                Gate::Constant(value) => Lit::constant(value),
                Gate::Literal(lit, positive) => lit.negated_if(!positive),
                Gate::And(a, b) => self.aig.and(of[a], of[b]),
                Gate::Or(a, b) => self.aig.or(of[a], of[b]),
            });
        }
        of.last().copied().unwrap_or(Lit::TRUE)
    }

    fn set(&mut self, set: &StateSet<Lit>) -> Lit {
        let clauses: Vec<Lit> = set.clauses.iter().map(|clause| self.function(clause)).collect();
        self.aig.all(clauses)
    }

    fn literal(&mut self, lit: Lit, frame: usize) -> SatLit {
        self.frames[frame].literal(lit, &self.aig, &mut self.sat)
    }

    fn valuation(&mut self, frame: usize) -> Valuation {
        let latches: Vec<Lit> = self.circuit.latches.iter().map(|latch| latch.state).collect();
        let inputs: Vec<Lit> = self.circuit.inputs.iter().map(|port| port.lit).collect();
        let known = |lit: &Lit| self.frames[frame].known(*lit).is_some_and(|lit| self.sat.value(lit));
        Valuation { latches: latches.iter().map(known).collect(), inputs: inputs.iter().map(known).collect() }
    }
}

impl Inductive for CircuitStates<'_> {
    fn initial_outside(
        &self,
        set: &StateSet<Lit>,
        budget: &mut Budget,
    ) -> Result<Option<Valuation>, Exhausted> {
        let mut query = Query::new(self.circuit);
        let set = query.set(set);
        let mut assumed = vec![!query.literal(set, 0)];
        for latch in &self.circuit.latches {
            if let Reset::To(value) = latch.reset {
                assumed.push(query.literal(latch.state, 0).negated_if(!value));
            }
        }
        Ok(query.sat.solve(&assumed, budget)?.then(|| query.valuation(0)))
    }

    fn step_out_of(
        &self,
        set: &StateSet<Lit>,
        budget: &mut Budget,
    ) -> Result<Option<Step<Valuation>>, Exhausted> {
        let mut query = Query::new(self.circuit);
        query.step();
        let set = query.set(set);
        let assumed = [query.literal(set, 0), !query.literal(set, 1)];
        let found = query.sat.solve(&assumed, budget)?;
        Ok(found.then(|| Step { from: query.valuation(0), to: query.valuation(1) }))
    }

    fn state_without(
        &self,
        set: &StateSet<Lit>,
        proposition: &Proposition<Lit>,
        budget: &mut Budget,
    ) -> Result<Option<Valuation>, Exhausted> {
        let mut query = Query::new(self.circuit);
        let (set, holds) = (query.set(set), query.function(proposition));
        let assumed = [query.literal(set, 0), !query.literal(holds, 0)];
        Ok(query.sat.solve(&assumed, budget)?.then(|| query.valuation(0)))
    }
}
