//! Boolean transition systems, which the symbolic engines check.

use crate::aig::{Aig, Gate};
use crate::circuit::{Circuit, Reset};
use crate::lit::{Lit, Var};

/// A state variable with the function that yields its next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateVar {
    /// The variable, not negated.
    pub now: Lit,
    /// Its value after a step: a function of states and choices.
    pub next: Lit,
}

/// The meaning of a state variable or a choice of a circuit's system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// A latch, by its number.
    Latch(usize),
    /// An input, by its number; as a choice of a system whose states hold the input, its next
    /// value.
    Input(usize),
}

/// A Boolean transition system.
///
/// A state is a valuation of the state variables. It is initial if all of `init` hold, and has a
/// successor for each valuation of the choices under which all of `constraints` hold.
#[derive(Clone, Debug, Default)]
pub struct TransitionSystem {
    /// All functions.
    pub aig: Aig,
    /// The state variables.
    pub states: Vec<StateVar>,
    /// The choices of a step.
    pub choices: Vec<Lit>,
    /// Initial states: functions of states, all of which hold.
    pub init: Vec<Lit>,
    /// Steps: functions of states and choices, all of which hold.
    pub constraints: Vec<Lit>,
    /// Fair paths: functions of states, each of which holds infinitely often.
    pub justice: Vec<Lit>,
    /// Fair paths: where the first holds infinitely often, so does the second.
    pub compassion: Vec<(Lit, Lit)>,
    /// Functions of states that properties are about.
    pub observed: Vec<Lit>,
}

impl TransitionSystem {
    /// The system of a circuit for properties about the functions `observed`.
    ///
    /// A state is a valuation of the latches alone. Inputs that an observed function or a fairness
    /// constraint depends on become a part of the state: a latch whose next value is free. If a
    /// constraint depends on one of these, the inputs of all constraints move, and the constraints
    /// become a condition on states. So does a constraint that depends on no input: no run has a
    /// state that violates it.
    pub fn of_circuit(circuit: &Circuit, observed: &[Lit]) -> TransitionSystem {
        let mut aig = circuit.aig.clone();
        let constraints: Vec<Lit> = circuit.constraints.iter().map(|port| port.lit).collect();
        let moved = circuit.observed(observed);
        let constrained = aig.cone(constraints.iter().copied());
        let inputs: Vec<Var> = circuit.inputs.iter().map(|port| port.lit.var()).collect();
        let states_are_constrained =
            inputs.iter().zip(moved.iter()).any(|(input, &moved)| moved && constrained[input.index()]);
        let mut system = TransitionSystem::default();
        for latch in &circuit.latches {
            system.states.push(StateVar { now: latch.state, next: latch.next });
            if let Reset::To(value) = latch.reset {
                system.init.push(latch.state.negated_if(!value));
            }
        }
        for (&input, &moved) in inputs.iter().zip(moved.iter()) {
            if moved {
                let next = aig.variable();
                system.states.push(StateVar { now: input.lit(), next });
                system.choices.push(next);
            } else {
                system.choices.push(input.lit());
            }
        }
        system.aig = aig;
        system.justice = circuit.fairness.iter().map(|port| port.lit).collect();
        system.observed = observed.to_vec();
        let of_inputs = dependent(&system.aig, &inputs);
        let (of_states, of_steps): (Vec<Lit>, Vec<Lit>) =
            constraints.into_iter().partition(|lit| states_are_constrained || !of_inputs[lit.var().index()]);
        system.constraints = of_steps;
        system.restrict_states(&of_states);
        system
    }

    /// The meanings of the state variables and the choices of [`TransitionSystem::of_circuit`].
    pub fn origins(&self, circuit: &Circuit) -> (Vec<Observed>, Vec<Observed>) {
        let input = |var: Var| circuit.inputs.iter().position(|port| port.lit.var() == var);
        let mut states: Vec<Observed> = (0..circuit.latches.len()).map(Observed::Latch).collect();
        let moved = self.states[circuit.latches.len()..].iter().filter_map(|state| input(state.now.var()));
        states.extend(moved.map(Observed::Input));
        (states, (0..circuit.inputs.len()).map(Observed::Input).collect())
    }

    /// States that violate a function of states are taken away: they are neither initial nor a
    /// successor.
    pub fn restrict_states(&mut self, invariants: &[Lit]) {
        let next = self.next_of(invariants);
        self.init.extend(invariants);
        self.constraints.extend(next);
    }

    /// Functions of states, of the state after a step.
    pub fn next_of(&mut self, roots: &[Lit]) -> Vec<Lit> {
        let mut next: Vec<Lit> = (0..self.aig.len()).map(|at| Var(at as u32).lit()).collect();
        for state in &self.states {
            next[state.now.var().index()] = state.next;
        }
        self.aig.substitute(roots, |var| next[var.index()])
    }

    /// For each state variable, whether a function of [`roots`](Self::roots) depends on it, now or
    /// after some steps.
    pub fn influences(&self) -> Vec<bool> {
        let of_var = self.state_of_var();
        let mut seen = vec![false; self.aig.len()];
        let mut stack: Vec<Var> = self.roots().map(Lit::var).collect();
        while let Some(var) = stack.pop() {
            if std::mem::replace(&mut seen[var.index()], true) {
                continue;
            }
            match (self.aig.gate(var), of_var[var.index()]) {
                (Gate::And(a, b), _) => stack.extend([a.var(), b.var()]),
                (_, Some(state)) => stack.push(self.states[state as usize].next.var()),
                _ => {}
            }
        }
        self.states.iter().map(|state| seen[state.now.var().index()]).collect()
    }

    /// The value each state variable starts with, where a condition of `init` is that variable or
    /// its negation.
    pub fn resets(&self) -> Vec<Option<bool>> {
        let mut reset = vec![None; self.states.len()];
        let of_var = self.state_of_var();
        for lit in &self.init {
            if let Some(at) = of_var[lit.var().index()] {
                reset[at as usize] = Some(!lit.is_negated());
            }
        }
        reset
    }

    /// For each node of the graph, the state variable that it is.
    pub fn state_of_var(&self) -> Vec<Option<u32>> {
        let mut of = vec![None; self.aig.len()];
        for (at, state) in self.states.iter().enumerate() {
            of[state.now.var().index()] = Some(at as u32);
        }
        of
    }

    /// All functions that fix what properties mean, next-state functions excepted.
    pub fn roots(&self) -> impl Iterator<Item = Lit> + '_ {
        let compassion = self.compassion.iter().flat_map(|&(often, then)| [often, then]);
        let lists = [&self.observed, &self.constraints, &self.justice];
        let init = self
            .init
            .iter()
            .filter(|lit| matches!(self.aig.gate(lit.var()), Gate::And(..)) || lit.as_constant().is_some());
        lists.into_iter().flatten().chain(init).copied().chain(compassion)
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> usize {
        self.aig.bytes()
            + 8 * self.states.len()
            + 4 * (self.choices.len() + self.init.len() + self.constraints.len())
    }
}

/// For each node of a graph, whether it depends on one of these variables.
fn dependent(aig: &Aig, variables: &[Var]) -> Vec<bool> {
    let mut depends = vec![false; aig.len()];
    for var in variables {
        depends[var.index()] = true;
    }
    for (var, gate) in aig.gates() {
        if let Gate::And(a, b) = gate {
            depends[var.index()] = depends[a.var().index()] || depends[b.var().index()];
        }
    }
    depends
}
