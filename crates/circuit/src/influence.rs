//! How much of a circuit each of many functions depends on.
//!
//! The circuit is reduced once, for all functions together. The sets of functions are then pushed
//! through its strongly connected components, those that depend on others first, 64 of them at a
//! time: with n nodes and f sets, O(n · ⌈f / 64⌉), and the reduction ([`Cone`](crate::Cone)).

use crate::aig::Gate;
use crate::circuit::{Circuit, Reset};
use crate::lit::{Lit, Var};
use crate::system::{StateVar, TransitionSystem};
use loris_base::{Budget, Csr, Exhausted, strong_components_within};

/// The size of the part of a circuit that functions depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Influence {
    /// Latches, those that never change left out, and one for those that are always equal.
    pub latches: usize,
    /// Inputs.
    pub inputs: usize,
    /// Gates.
    pub gates: usize,
}

impl Circuit {
    /// The size of the part of the circuit that each of these sets of functions depends on. With
    /// it count constraints and fairness constraints, which all properties depend on.
    ///
    /// # Errors
    /// The limit that was reached.
    ///
    /// ```
    /// use loris_base::Budget;
    /// use loris_circuit::{Influence, read_aiger};
    /// // two latches that toggle together, and a gate on one of them and an input
    /// let text = "aag 4 1 2 2 1\n2\n4 5\n6 7\n8\n6\n8 2 4\n";
    /// let (circuit, _) = read_aiger(text.as_bytes(), &mut Budget::unlimited()).unwrap();
    /// let outputs: Vec<_> = circuit.outputs.iter().map(|port| vec![port.lit]).collect();
    /// let sizes = circuit.influences(&outputs, &mut Budget::unlimited()).unwrap();
    /// let size = |inputs, gates| Influence { latches: 1, inputs, gates };
    /// assert_eq!(sizes, [size(1, 1), size(0, 0)]);
    /// ```
    pub fn influences(
        &self,
        functions: &[Vec<Lit>],
        budget: &mut Budget,
    ) -> Result<Vec<Influence>, Exhausted> {
        let whole = self.plain_system(functions.iter().flatten().copied().collect());
        let budget = &mut budget.holding(2 * whole.bytes())?;
        let reduced = whole.reduced_within(budget)?.system;
        let graph = Dependencies::new(&reduced, budget)?;
        let all: Vec<Lit> = reduced.constraints.iter().chain(&reduced.justice).copied().collect();
        let mut roots = reduced.observed.iter();
        let sets: Vec<Vec<Lit>> =
            functions.iter().map(|set| roots.by_ref().take(set.len()).copied().collect()).collect();
        let mut found = Vec::with_capacity(sets.len());
        for some in sets.chunks(64) {
            found.extend(graph.sizes(some, &all, budget)?);
        }
        Ok(found)
    }

    /// The latches and the inputs, where no input is a part of a state.
    fn plain_system(&self, observed: Vec<Lit>) -> TransitionSystem {
        let lits = |ports: &[crate::Port]| ports.iter().map(|port| port.lit).collect();
        let reset = |latch: &crate::Latch| match latch.reset {
            Reset::To(value) => Some(latch.state.negated_if(!value)),
            Reset::Free => None,
        };
        TransitionSystem {
            aig: self.aig.clone(),
            states: self
                .latches
                .iter()
                .map(|latch| StateVar { now: latch.state, next: latch.next })
                .collect(),
            choices: lits(&self.inputs),
            init: self.latches.iter().filter_map(reset).collect(),
            constraints: lits(&self.constraints),
            justice: lits(&self.fairness),
            observed,
            ..TransitionSystem::default()
        }
    }
}

/// What depends on what in a system: nodes in strongly connected components, each of which depends
/// on itself and on earlier ones.
struct Dependencies<'s> {
    system: &'s TransitionSystem,
    next_of: Vec<Option<Lit>>,
    components: Csr,
    component_of: Vec<u32>,
    sizes: Vec<Influence>,
}

impl<'s> Dependencies<'s> {
    fn new(system: &'s TransitionSystem, budget: &mut Budget) -> Result<Self, Exhausted> {
        let nodes = system.aig.len();
        let mut next_of = vec![None; nodes];
        let mut is_input = vec![false; nodes];
        system.states.iter().for_each(|state| next_of[state.now.var().index()] = Some(state.next));
        system.choices.iter().for_each(|choice| is_input[choice.var().index()] = true);
        let edge = |node: u32, done: usize| operands(system, &next_of, node)[done.min(2)];
        let components = strong_components_within(nodes, edge, budget)?;
        let component_of = components.row_of_each(nodes);
        let size = |row: usize| {
            let mut size = Influence::default();
            for &node in components.row(row) {
                match system.aig.gate(Var(node)) {
                    Gate::And(..) => size.gates += 1,
                    Gate::Variable if is_input[node as usize] => size.inputs += 1,
                    Gate::Variable if next_of[node as usize].is_some() => size.latches += 1,
                    Gate::Variable | Gate::False => {}
                }
            }
            size
        };
        let sizes = (0..components.rows()).map(size).collect();
        Ok(Self { system, next_of, components, component_of, sizes })
    }

    /// The sizes of what up to 64 sets depend on, each with `all`.
    fn sizes(
        &self,
        sets: &[Vec<Lit>],
        all: &[Lit],
        budget: &mut Budget,
    ) -> Result<Vec<Influence>, Exhausted> {
        let of = |var: u32| self.component_of[var as usize] as usize;
        let mut marks = vec![0u64; self.components.rows()];
        for lit in all {
            marks[of(lit.var().0)] = u64::MAX;
        }
        for (at, set) in sets.iter().enumerate() {
            for lit in set {
                marks[of(lit.var().0)] |= 1 << at;
            }
        }
        let mut found = vec![Influence::default(); sets.len()];
        for row in (0..marks.len()).rev() {
            let mark = marks[row];
            budget.spend(1 + self.components.row(row).len())?;
            if mark == 0 {
                continue;
            }
            for &node in self.components.row(row) {
                for to in operands(self.system, &self.next_of, node).into_iter().flatten() {
                    marks[of(to)] |= mark;
                }
            }
            let size = self.sizes[row];
            let marked = found.iter_mut().enumerate().filter(|(at, _)| mark >> at & 1 == 1);
            for (_, total) in marked {
                total.latches += size.latches;
                total.inputs += size.inputs;
                total.gates += size.gates;
            }
        }
        Ok(found)
    }
}

/// What a node depends on directly, and nothing after that.
fn operands(system: &TransitionSystem, next_of: &[Option<Lit>], node: u32) -> [Option<u32>; 3] {
    match system.aig.gate(Var(node)) {
        Gate::And(a, b) => [Some(a.var().0), Some(b.var().0), None],
        Gate::Variable => [next_of[node as usize].map(|next| next.var().0), None, None],
        Gate::False => [None; 3],
    }
}

#[cfg(test)]
mod tests {
    use super::Influence;
    use crate::{Aig, Circuit, Gate, Latch, Lit, Port, Reset, TransitionSystem};
    use loris_base::{Budget, Exhausted, Rng};

    fn random(rng: &mut Rng, latches: usize, gates: usize) -> Circuit {
        let mut circuit = Circuit { aig: Aig::new(), ..Circuit::default() };
        let inputs: Vec<Lit> = (0..rng.below(4)).map(|_| circuit.aig.variable()).collect();
        let states: Vec<Lit> = (0..latches).map(|_| circuit.aig.variable()).collect();
        let mut lits: Vec<Lit> =
            [Lit::FALSE].into_iter().chain(inputs.clone()).chain(states.clone()).collect();
        for _ in 0..gates {
            let mut pick = || lits[rng.below(lits.len())].negated_if(rng.chance(0.5));
            let gate = circuit.aig.and(pick(), pick());
            lits.push(gate);
        }
        circuit.inputs = inputs.into_iter().map(|lit| Port { lit, name: None }).collect();
        let pick = |rng: &mut Rng| lits[rng.below(lits.len())].negated_if(rng.chance(0.5));
        for state in states {
            let reset = if rng.chance(0.3) { Reset::Free } else { Reset::To(rng.chance(0.5)) };
            circuit.latches.push(Latch { state, next: pick(rng), reset, name: None });
        }
        let ports = |rng: &mut Rng, most: usize| {
            (0..rng.below(most)).map(|_| Port { lit: pick(rng), name: None }).collect::<Vec<_>>()
        };
        circuit.outputs = ports(rng, 70);
        circuit.constraints = ports(rng, 2);
        circuit.fairness = ports(rng, 2);
        circuit
    }

    /// The same, by reducing the circuit for one set of functions.
    fn alone(circuit: &Circuit, set: &[Lit]) -> Influence {
        let reduced: TransitionSystem = circuit.plain_system(set.to_vec()).reduced().system;
        Influence {
            latches: reduced.states.len(),
            inputs: reduced.choices.len(),
            gates: reduced.aig.gates().filter(|(_, gate)| matches!(gate, Gate::And(..))).count(),
        }
    }

    #[test]
    fn together_and_alone_agree() {
        let mut rng = Rng::new(7);
        for _ in 0..300 {
            let (latches, gates) = (rng.below(6), rng.below(25));
            let circuit = random(&mut rng, latches, gates);
            let sets: Vec<Vec<Lit>> = circuit
                .outputs
                .chunks(1 + rng.below(2))
                .map(|ports| ports.iter().map(|port| port.lit).collect())
                .collect();
            let expected: Vec<Influence> = sets.iter().map(|set| alone(&circuit, set)).collect();
            assert_eq!(circuit.influences(&sets, &mut Budget::unlimited()).unwrap(), expected);
        }
    }

    #[test]
    fn limits_hold() {
        let circuit = random(&mut Rng::new(1), 50, 40_000);
        let sets: Vec<Vec<Lit>> = circuit.latches.iter().map(|latch| vec![latch.next]).collect();
        let found = circuit.influences(&sets, &mut Budget::steps(30_000));
        assert_eq!(found, Err(Exhausted::Time));
    }
}
