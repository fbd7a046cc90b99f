//! Circuits as models that evidence is about: a state is a valuation of latches and inputs, and the
//! questions about all states that an invariant raises go to a solver of their own.

use crate::invariant::{Inductive, ModelStep, StateSet};
use crate::names::StateNames;
use crate::proposition::Proposition;
use crate::space::{BitModel, Fairness, StateSpace};
use loris_base::{Budget, Exhausted};
use loris_circuit::{Aig, Circuit, Lit, Reset, StatePart, StateVar, TransitionSystem, Valuation};
use loris_solvers::sat::{Frame, Sat, SatLit};
use std::borrow::Cow;
use std::sync::Arc;

/// The states and steps of a circuit.
#[derive(Clone, Debug)]
pub struct CircuitStates<'c> {
    circuit: &'c Circuit,
    part: Arc<StatePart>,
    /// the conditions on a state alone that constraints make
    of_states: Vec<Lit>,
    /// whether only fair runs count
    are_fair: bool,
    system: TransitionSystem,
}

impl<'c> CircuitStates<'c> {
    /// Those of a circuit, for properties about these functions: the inputs that they depend on are
    /// a part of a state.
    pub fn new(circuit: &'c Circuit, functions: &[Lit]) -> Self {
        Self::of_part(circuit, circuit.part(functions), true)
    }

    /// The same where all runs count, whatever the fairness constraints of the circuit are.
    pub fn of_all_runs(circuit: &'c Circuit, functions: &[Lit]) -> Self {
        Self::of_part(circuit, circuit.part_of_all_runs(functions), false)
    }

    fn of_part(circuit: &'c Circuit, part: Arc<StatePart>, are_fair: bool) -> Self {
        let of_states = of_states(circuit, &part);
        let system = system(circuit, &part, &of_states);
        Self { circuit, part, of_states, are_fair, system }
    }

    /// Whether only some of the runs count.
    pub fn is_fair(&self) -> bool {
        self.are_fair && !self.circuit.fairness.is_empty()
    }

    /// What makes a state.
    pub fn part(&self) -> &Arc<StatePart> {
        &self.part
    }

    /// The state in which variables have these values; a variable that is not listed is false.
    ///
    /// # Errors
    /// A name that the circuit does not have, or a value that is neither `0` nor `1`.
    pub fn valuation<'v>(
        &self,
        values: impl Iterator<Item = (&'v str, &'v str)>,
    ) -> Result<Valuation, String> {
        let mut at = Valuation {
            latches: vec![false; self.circuit.latches.len()],
            inputs: vec![false; self.circuit.inputs.len()],
            part: Arc::clone(&self.part),
        };
        for (name, value) in values {
            let value = match value {
                "0" => false,
                "1" => true,
                _ => return Err(format!("the value of \"{name}\" is neither 0 nor 1")),
            };
            let latch = (0..at.latches.len()).find(|&latch| self.circuit.latch_name(latch) == name);
            let input = (0..at.inputs.len()).find(|&input| self.circuit.input_name(input) == name);
            match (latch, input) {
                (Some(latch), _) => at.latches[latch] = value,
                (_, Some(input)) => at.inputs[input] = value,
                _ => return Err(format!("the circuit has no latch and no input \"{name}\"")),
            }
        }
        Ok(at)
    }
}

impl StateSpace for CircuitStates<'_> {
    type State = Valuation;
    type Atom = Lit;

    fn is_initial(&self, state: &Valuation) -> bool {
        self.circuit.is_initial(state)
    }

    fn is_step(&self, from: &Valuation, to: &Valuation, _: &mut Budget) -> Result<bool, Exhausted> {
        let Some(latches) = self.circuit.next(from) else { return Ok(false) };
        let mut pairs = latches.iter().zip(&to.latches).zip(&self.part.latches);
        Ok(pairs.all(|((a, b), &matters)| !matters || a == b))
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
        if !fits {
            return Err("it lacks a latch or an input of the circuit".to_owned());
        }
        let values = self.circuit.values(state);
        let exists = self.of_states.iter().all(|&lit| Aig::value(&values, lit) & 1 == 1);
        if exists { Ok(()) } else { Err("a constraint of the circuit does not hold here".to_owned()) }
    }

    fn fairness(&self) -> Vec<Fairness<Lit>> {
        let ports = self.circuit.fairness.iter().filter(|_| self.are_fair);
        ports.map(|port| Fairness { often: None, then: port.lit }).collect()
    }

    fn bits(&self) -> Option<&dyn BitModel<Valuation, Lit>> {
        Some(self)
    }

    fn size(&self, _: &Valuation) -> usize {
        self.circuit.aig.len()
    }
}

impl BitModel<Valuation, Lit> for CircuitStates<'_> {
    fn transitions(&self) -> &TransitionSystem {
        &self.system
    }

    fn values(&self, state: &Valuation) -> Vec<bool> {
        let latches = state.latches.iter().zip(&self.part.latches);
        let inputs = state.inputs.iter().zip(&self.part.inputs);
        latches.chain(inputs).filter(|(_, matters)| **matters).map(|(&value, _)| value).collect()
    }

    fn state(&self, values: &[bool]) -> Valuation {
        let mut values = values.iter().copied();
        let mut of = |matters: &[bool]| -> Vec<bool> {
            matters.iter().map(|&matters| matters && values.next().unwrap_or(false)).collect()
        };
        let (latches, inputs) = (of(&self.part.latches), of(&self.part.inputs));
        Valuation { latches, inputs, part: Arc::clone(&self.part) }
    }

    fn function(&self, atom: Lit) -> Lit {
        atom
    }
}

/// The constraints that are about a state alone: those that depend on no input, and all of them if
/// their inputs are a part of the state.
fn of_states(circuit: &Circuit, part: &StatePart) -> Vec<Lit> {
    let is_free = |lit: Lit| {
        let cone = circuit.aig.cone([lit]);
        let mut inputs = circuit.inputs.iter().zip(&part.inputs);
        inputs.any(|(input, &of_state)| !of_state && cone[input.lit.var().index()])
    };
    circuit.constraints.iter().map(|port| port.lit).filter(|&lit| !is_free(lit)).collect()
}

/// The steps of a circuit as functions of the part that makes a state and of choices: the inputs
/// that are not part of a state, and the next values of those that are.
fn system(circuit: &Circuit, part: &StatePart, of_states: &[Lit]) -> TransitionSystem {
    let mut system = TransitionSystem { aig: circuit.aig.clone(), ..TransitionSystem::default() };
    for (latch, _) in circuit.latches.iter().zip(&part.latches).filter(|(_, matters)| **matters) {
        system.states.push(StateVar { now: latch.state, next: latch.next });
        if let Reset::To(value) = latch.reset {
            system.init.push(latch.state.negated_if(!value));
        }
    }
    for (input, &of_state) in circuit.inputs.iter().zip(&part.inputs) {
        if of_state {
            let next = system.aig.variable();
            system.states.push(StateVar { now: input.lit, next });
            system.choices.push(next);
        } else {
            system.choices.push(input.lit);
        }
    }
    let constraints = circuit.constraints.iter().map(|port| port.lit);
    system.constraints = constraints.filter(|lit| !of_states.contains(lit)).collect();
    // a state that violates a constraint does not exist
    system.restrict_states(of_states);
    system
}

impl StateNames<Valuation> for CircuitStates<'_> {
    fn values(&self, state: &Valuation) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        StateNames::values(self.circuit, state)
    }
}

impl StateNames<Valuation> for Circuit {
    fn values(&self, state: &Valuation) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        let latches = state.latches.iter().enumerate().filter(|&(at, _)| state.part.latches[at]);
        let latches = latches.map(|(at, &value)| (self.latch_name(at), value));
        let inputs = state.inputs.iter().enumerate().map(|(at, &value)| (self.input_name(at), value));
        let text = |value: bool| Cow::Borrowed(if value { "1" } else { "0" });
        latches.chain(inputs).map(|(name, value)| (name.into(), text(value))).collect()
    }
}

/// One or two steps of a circuit in a fresh solver.
struct Query<'c> {
    circuit: &'c Circuit,
    part: Arc<StatePart>,
    aig: Aig,
    sat: Sat,
    frames: Vec<Frame>,
}

impl<'c> Query<'c> {
    /// A state in which the constraints hold.
    fn new(states: &CircuitStates<'c>) -> Self {
        let (circuit, part) = (states.circuit, Arc::clone(&states.part));
        let mut query =
            Self { circuit, part, aig: circuit.aig.clone(), sat: Sat::new(), frames: vec![Frame::default()] };
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

    fn literal(&mut self, lit: Lit, frame: usize) -> SatLit {
        self.frames[frame].literal(lit, &self.aig, &mut self.sat)
    }

    fn valuation(&mut self, frame: usize) -> Valuation {
        let latches: Vec<Lit> = self.circuit.latches.iter().map(|latch| latch.state).collect();
        let inputs: Vec<Lit> = self.circuit.inputs.iter().map(|port| port.lit).collect();
        let known = |lit: &Lit| self.frames[frame].known(*lit).is_some_and(|lit| self.sat.value(lit));
        let (latches, inputs) = (latches.iter().map(known).collect(), inputs.iter().map(known).collect());
        Valuation { latches, inputs, part: Arc::clone(&self.part) }
    }
}

impl Inductive for CircuitStates<'_> {
    fn initial_outside(
        &self,
        set: &StateSet<Lit>,
        budget: &mut Budget,
    ) -> Result<Option<Valuation>, Exhausted> {
        let mut query = Query::new(self);
        let set = set.function(&mut query.aig);
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
        from: &StateSet<Lit>,
        set: &StateSet<Lit>,
        budget: &mut Budget,
    ) -> Result<Option<ModelStep<Valuation>>, Exhausted> {
        let mut query = Query::new(self);
        query.step();
        let (from, set) = (from.function(&mut query.aig), set.function(&mut query.aig));
        let assumed = [query.literal(from, 0), !query.literal(set, 1)];
        let found = query.sat.solve(&assumed, budget)?;
        Ok(found.then(|| ModelStep { from: query.valuation(0), to: query.valuation(1) }))
    }

    fn state_without(
        &self,
        set: &StateSet<Lit>,
        proposition: &Proposition<Lit>,
        budget: &mut Budget,
    ) -> Result<Option<Valuation>, Exhausted> {
        let mut query = Query::new(self);
        let (set, holds) = (set.function(&mut query.aig), proposition.function(&mut query.aig));
        let assumed = [query.literal(set, 0), !query.literal(holds, 0)];
        Ok(query.sat.solve(&assumed, budget)?.then(|| query.valuation(0)))
    }
}
