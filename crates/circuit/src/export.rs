//! From a Boolean transition system back to a circuit, to be written as an AIGER file.

use crate::aig::Aig;
use crate::circuit::{Circuit, Latch, Port, Reset};
use crate::lit::{Lit, Var};
use crate::system::TransitionSystem;

/// The symbols of a circuit, and its observed values.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    /// A symbol for each state variable; none where the list ends.
    pub states: Vec<String>,
    /// A symbol for each choice; none where the list ends.
    pub choices: Vec<String>,
    /// Functions that become outputs, with their symbols.
    pub outputs: Vec<Port>,
    /// Functions that become bad-state properties, with their symbols.
    pub bad: Vec<Port>,
}

/// The symbol of the latch that is false at the start only.
const INITIALISED: &str = "initialised";

impl TransitionSystem {
    /// A circuit with the runs of this system: state variables are latches, choices are inputs,
    /// constraints and justice are constraints and fairness. AIGER has no place for compassion,
    /// which is left out.
    ///
    /// A condition on initial states that fixes one variable is a reset. If there are others, all
    /// other latches start with either value, and a latch that is false at the start only lets a
    /// constraint ask for these conditions.
    #[must_use]
    pub fn to_circuit(&self, ports: &Ports) -> Circuit {
        let state_of = self.state_of_var();
        let mut resets = vec![Reset::Free; self.states.len()];
        let mut conditions = Vec::new();
        for &lit in &self.init {
            match state_of[lit.var().index()] {
                Some(at) if resets[at as usize] == Reset::Free => {
                    resets[at as usize] = Reset::To(!lit.is_negated());
                }
                Some(at) if resets[at as usize] == Reset::To(!lit.is_negated()) => {}
                _ if lit == Lit::TRUE => {}
                _ => conditions.push(lit),
            }
        }
        let seen = ports.outputs.iter().chain(&ports.bad).map(|port| port.lit);
        let roots = self.states.iter().map(|state| state.next).chain(seen);
        let lists = [&self.constraints, &self.justice, &conditions];
        let roots = roots.chain(lists.into_iter().flatten().copied());
        let mut within = self.aig.cone(roots);
        let variables = self.states.iter().map(|state| state.now).chain(self.choices.iter().copied());
        let variables: Vec<Var> = variables.map(Lit::var).collect();
        within[0] = true;
        for var in &variables {
            within[var.index()] = true;
        }
        let mut aig = Aig::new();
        let image = aig.copy(&self.aig, &within, |aig, _| aig.variable());
        let to = |lit: Lit| {
            image[lit.var().index()].expect("roots are in their cone").negated_if(lit.is_negated())
        };
        let port = |port: &Port| Port { lit: to(port.lit), name: port.name.clone() };
        let unnamed = |lit: Lit| Port { lit, name: None };
        let mut circuit = Circuit {
            inputs: Vec::with_capacity(self.choices.len()),
            latches: Vec::with_capacity(self.states.len() + 1),
            outputs: ports.outputs.iter().map(port).collect(),
            bad: ports.bad.iter().map(port).collect(),
            constraints: self.constraints.iter().map(|&lit| unnamed(to(lit))).collect(),
            fairness: self.justice.iter().map(|&lit| unnamed(to(lit))).collect(),
            ..Circuit::default()
        };
        for (at, &choice) in self.choices.iter().enumerate() {
            circuit.inputs.push(Port { lit: to(choice), name: named(&ports.choices, at) });
        }
        for (at, (state, reset)) in self.states.iter().zip(resets).enumerate() {
            let name = named(&ports.states, at);
            circuit.latches.push(Latch { state: to(state.now), next: to(state.next), reset, name });
        }
        if !conditions.is_empty() {
            let state = aig.variable();
            let name = Some(INITIALISED.to_owned());
            circuit.latches.push(Latch { state, next: Lit::TRUE, reset: Reset::To(false), name });
            for &condition in &conditions {
                circuit.constraints.push(unnamed(aig.or(state, to(condition))));
            }
        }
        circuit.aig = aig;
        circuit
    }
}

/// A symbol, if there is one.
fn named(names: &[String], at: usize) -> Option<String> {
    names.get(at).filter(|name| !name.is_empty()).cloned()
}
