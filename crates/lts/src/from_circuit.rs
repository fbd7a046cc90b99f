//! Circuits as processes: Kripke structures, whose states are the valuations of latches
//! and named inputs that can be reached, labelled with the names that hold.
//!
//! All states and steps are listed, so that this is for small circuits.

use crate::start::Started;
use crate::{Modality, ProcessBuilder, ProcessKind, StateId, TAU};
use loris_base::{Budget, Diagnostic, Idx, Stopped, Truth, VALUES_IN_64};
use loris_circuit::{Aig, Circuit, Gate, Lit, Observed, TransitionSystem, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// States and steps that a circuit may have as a process.
const MOST_STATES: usize = 1 << 16;
const MOST_STEPS: usize = 1 << 22;
/// Variables that are chosen at once.
const MOST_FREE: usize = 16;

/// Which inputs of a circuit are part of its states.
#[derive(Clone, Copy, Debug)]
pub enum StateInputs<'a> {
    /// Those with a symbol: others may know it, too.
    Named,
    /// These, as they are for a formula in other logics.
    These(&'a [bool]),
}

/// A circuit as a process; constraints may leave it without an initial state.
///
/// # Errors
/// Why it is none, or which limit was reached.
pub fn circuit_process(
    circuit: &Circuit,
    name: &str,
    inputs: StateInputs<'_>,
    budget: &mut Budget,
) -> Result<Started, Stopped> {
    let labels = labels(circuit, inputs)?;
    process(circuit, name, &labels, budget)
}

/// The labels: names with their functions.
fn labels(circuit: &Circuit, inputs: StateInputs<'_>) -> Result<Vec<(String, Lit)>, Stopped> {
    if !circuit.fairness.is_empty() {
        return Err(Diagnostic::global("a circuit with fairness constraints cannot be a process").into());
    }
    let inside = match inputs {
        StateInputs::Named => {
            let ports = [&circuit.outputs, &circuit.inputs, &circuit.bad, &circuit.constraints];
            let latches = circuit.latches.iter().map(|latch| &latch.name);
            let symbols = latches.chain(ports.into_iter().flatten().map(|port| &port.name));
            return Ok(named(circuit, symbols.flatten().cloned()));
        }
        StateInputs::These(inside) => inside,
    };
    // all names that depend on no other input
    let is_seen = |lit: Lit| {
        let cone = circuit.aig.cone([lit]);
        let inputs = circuit.inputs.iter().map(|port| cone[port.lit.var().index()]);
        inputs.zip(inside).all(|(depends, &seen)| !depends || seen)
    };
    let mut labels = named(circuit, circuit.names());
    labels.retain(|&(_, lit)| is_seen(lit));
    Ok(labels)
}

fn named(circuit: &Circuit, names: impl Iterator<Item = String>) -> Vec<(String, Lit)> {
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let fresh = names.filter(|name| seen.insert(name.clone()));
    fresh.filter_map(|name| circuit.atom(&name).map(|lit| (name, lit))).collect()
}

fn too_large() -> Stopped {
    let problem = Diagnostic::global(format!(
        "the circuit has more than {MOST_STATES} states or {MOST_STEPS} steps: as a process, it is too large"
    ));
    problem.help("CTL and LTL are decided on large circuits, one at a time").into()
}

fn process(
    circuit: &Circuit,
    name: &str,
    labels: &[(String, Lit)],
    budget: &mut Budget,
) -> Result<Started, Stopped> {
    let observed: Vec<Lit> = labels.iter().map(|(_, lit)| *lit).collect();
    let system = TransitionSystem::of_circuit(circuit, &observed);
    let mut numbers: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
    let mut states = initial(&system, budget)?;
    let initial_count = states.len();
    for (number, state) in states.iter().enumerate() {
        numbers.insert(state.clone(), number);
    }
    let mut builder = ProcessBuilder::new(name, ProcessKind::Kripke);
    builder.unlabelled(Truth::False);
    let atoms: Vec<_> = labels.iter().map(|(name, _)| builder.atom(name)).collect();
    let namer = Namer::new(circuit, &system);
    if states.is_empty() {
        // a process has states, even if no run visits them
        let place = namer.state(&mut builder, &vec![false; system.states.len()]);
        builder.initial(place);
        return Ok(Started { process: builder.finish(budget)?, initial: Vec::new() });
    }
    let variables: Vec<Var> = system.choices.iter().map(|choice| choice.var()).collect();
    let place_of = system.state_of_var();
    let mut steps: Vec<(usize, usize)> = Vec::new();
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        let place = namer.state(&mut builder, &state);
        let mut values: Option<Vec<u64>> = None;
        let known = |var: Var| place_of[var.index()].map(|at| state[at as usize]);
        let mut targets: FxHashSet<Vec<bool>> = FxHashSet::default();
        let mut order: Vec<Vec<bool>> = Vec::new();
        each(&system.aig, &variables, &known, budget, &mut |words, lane| {
            values.get_or_insert_with(|| words.to_vec());
            if system.constraints.iter().all(|&lit| bit(words, lit, lane)) {
                let target: Vec<bool> = system.states.iter().map(|s| bit(words, s.next, lane)).collect();
                if targets.insert(target.clone()) {
                    order.push(target);
                }
            }
        })?;
        for target in order {
            let fresh = states.len();
            let number = *numbers.entry(target.clone()).or_insert(fresh);
            if number == fresh {
                budget.charge(2 * target.len() + STATE_BYTES)?;
                states.push(target);
            }
            budget.reserve(&mut steps, 1)?;
            steps.push((next, number));
        }
        if states.len() > MOST_STATES || steps.len() > MOST_STEPS {
            return Err(too_large());
        }
        // what is observed depends on the state alone
        let values = values.unwrap_or_default();
        for (&atom, &lit) in atoms.iter().zip(&observed) {
            if bit(&values, lit, 0) {
                builder.make_room(budget)?;
                builder.label(place, atom, true);
            }
        }
        next += 1;
    }
    builder.initial(StateId::new(0));
    for (from, to) in steps {
        builder.make_room(budget)?;
        builder.step(StateId::new(from), TAU, StateId::new(to), Modality::Both);
    }
    let process = builder.finish(budget)?;
    Ok(Started { process, initial: (0..initial_count).map(StateId::new).collect() })
}

/// The initial states.
fn initial(system: &TransitionSystem, budget: &mut Budget) -> Result<Vec<Vec<bool>>, Stopped> {
    // most variables start with one value
    let mut fixed: FxHashMap<Var, bool> = FxHashMap::default();
    for lit in &system.init {
        if matches!(system.aig.gate(lit.var()), Gate::Variable) {
            fixed.insert(lit.var(), !lit.is_negated());
        }
    }
    let now = system.states.iter().map(|state| state.now.var());
    let free: Vec<Var> = now.filter(|var| !fixed.contains_key(var)).collect();
    let mut states = Vec::new();
    each(&system.aig, &free, &|var| fixed.get(&var).copied(), budget, &mut |words, lane| {
        if system.init.iter().all(|&lit| bit(words, lit, lane)) {
            states.push(system.states.iter().map(|state| bit(words, state.now, lane)).collect());
        }
    })?;
    Ok(states)
}

/// The values of all functions for each valuation of the free variables, 64 at a time; variables
/// that are neither free nor known are 0.
fn each(
    aig: &Aig,
    free: &[Var],
    known: &dyn Fn(Var) -> Option<bool>,
    budget: &mut Budget,
    visit: &mut dyn FnMut(&[u64], u32),
) -> Result<(), Stopped> {
    if free.len() > MOST_FREE {
        return Err(too_large());
    }
    let place: FxHashMap<Var, usize> = free.iter().enumerate().map(|(at, &var)| (var, at)).collect();
    let lanes = 1u32 << free.len().min(LANES);
    for block in 0..1u64 << free.len().saturating_sub(LANES) {
        budget.spend(aig.len() + lanes as usize)?;
        let words = aig.simulate(|var| match place.get(&var) {
            Some(&at) if at < LANES => VALUES_IN_64[at],
            Some(&at) => (block >> (at - LANES) & 1).wrapping_neg(),
            None => u64::from(known(var).unwrap_or(false)).wrapping_neg(),
        });
        (0..lanes).for_each(|lane| visit(&words, lane));
    }
    Ok(())
}

/// Variables whose valuations fill a word.
const LANES: usize = VALUES_IN_64.len();

/// What a state takes in the tables, about.
const STATE_BYTES: usize = 96;

fn bit(words: &[u64], lit: Lit, lane: u32) -> bool {
    Aig::value(words, lit) >> lane & 1 == 1
}

/// The name of the state in which no variable is true.
const NOTHING: &str = "-";

/// Names of states: those of the variables that are true.
struct Namer {
    /// none if two variables have the same name
    names: Option<Vec<String>>,
}

impl Namer {
    fn new(circuit: &Circuit, system: &TransitionSystem) -> Self {
        let (states, _) = system.origins(circuit);
        let name = |origin: &Observed| match *origin {
            Observed::Latch(at) => circuit.latch_name(at),
            Observed::Input(at) => circuit.input_name(at),
        };
        let names: Vec<String> = states.iter().map(name).collect();
        let distinct: FxHashSet<&String> = names.iter().collect();
        let is_clear = distinct.len() == names.len()
            && names.iter().all(|name| !name.contains(' ') && !name.is_empty() && name != NOTHING);
        Self { names: is_clear.then_some(names) }
    }

    fn state(&self, builder: &mut ProcessBuilder, state: &[bool]) -> StateId {
        let Some(names) = &self.names else { return builder.state() };
        let held: Vec<&str> =
            names.iter().zip(state).filter(|(_, holds)| **holds).map(|(name, _)| name.as_str()).collect();
        let name = if held.is_empty() { NOTHING.to_owned() } else { held.join(" ") };
        builder.named_state(&name)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{StateInputs, labels, process};
    use loris_base::{Budget, Idx};
    use loris_circuit::read_aiger;

    /// States, initial ones, and steps with the names of their states.
    fn check(text: &str, initial: usize, steps: &[(&str, &str)]) {
        let budget = &mut Budget::unlimited();
        let (circuit, _) = read_aiger(text.as_bytes(), budget).unwrap();
        let labels = labels(&circuit, StateInputs::Named).unwrap();
        let made = process(&circuit, "c", &labels, budget).unwrap();
        let process = &made.process;
        let name = |state| process.state_name(state).unwrap();
        let mut found: Vec<(&str, &str)> = process
            .states()
            .flat_map(|from| process.steps(from).map(move |step| (from, step.target)))
            .map(|(from, to)| (name(from), name(to)))
            .collect();
        found.sort_unstable();
        assert_eq!(
            made.initial.iter().map(|state| state.index()).collect::<Vec<_>>(),
            (0..initial).collect::<Vec<_>>()
        );
        assert_eq!(found, steps, "{text}");
    }

    #[test]
    fn latches_and_inputs() {
        // a latch that toggles, and one that may start with either value
        check("aag 1 0 1 0 0\n2 3\nl0 x\n", 1, &[("-", "x"), ("x", "-")]);
        check("aag 1 0 1 0 0\n2 2 2\nl0 x\n", 2, &[("-", "-"), ("x", "x")]);
        // a latch that holds the input of the step before
        let both = [
            ("-", "-"),
            ("-", "i"),
            ("i", "x"),
            ("i", "x i"),
            ("x", "-"),
            ("x", "i"),
            ("x i", "x"),
            ("x i", "x i"),
        ];
        check("aag 2 1 1 0 0\n2\n4 2\ni0 i\nl0 x\n", 2, &both);
        // without a symbol, an input is chosen by the step
        check("aag 2 1 1 0 0\n2\n4 2\nl0 x\n", 1, &[("-", "-"), ("-", "x"), ("x", "-"), ("x", "x")]);
    }

    #[test]
    fn constraints() {
        // the input holds in every state
        check("aag 2 1 1 0 0 0 1\n2\n4 2\n2\ni0 i\nl0 x\n", 1, &[("i", "x i"), ("x i", "x i")]);
    }
}
