//! The part of a system that its observed functions depend on: cone of influence, constant state
//! variables, and state variables that are always equal.
//!
//! A state variable is *constant* if its value in three-valued simulation from the initial states,
//! with all choices unknown, never changes. Two are *equal* if they start with the same constant
//! and their next-state functions are equal once equal variables are identified: the coarsest such
//! partition, by refinement. Each round is linear in the graph; where a hundred rounds do not
//! suffice, no variables are merged.

use crate::aig::{Aig, Gate};
use crate::lit::{Lit, Var};
use crate::system::{StateVar, TransitionSystem};
use crate::trace::{RunStep, SystemRun};
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// A reduced system, and how it relates to the one it was made of.
#[derive(Clone, Debug)]
pub struct Cone {
    /// The reduced system; its observed functions are those of the whole, in their order.
    pub system: TransitionSystem,
    /// For each state variable of the whole, the literal of the reduced system that equals it on
    /// all runs; none if nothing depends on it.
    pub states: Vec<Option<Lit>>,
    /// For each choice of the whole, the choice of the reduced system.
    pub choices: Vec<Option<usize>>,
    /// For each state variable of the whole, the state variable or the constant that it always
    /// equals: itself, if nothing else is known.
    pub classes: Vec<Lit>,
}

impl TransitionSystem {
    /// The part of the system that its observed functions depend on.
    ///
    /// ```
    /// use loris_base::Budget;
    /// use loris_circuit::{TransitionSystem, read_aiger};
    /// // two toggling latches, which are equal, and one that nothing asks for
    /// let text = "aag 3 0 3 0 0\n2 3\n4 5\n6 2\n";
    /// let (circuit, _) = read_aiger(text.as_bytes(), &mut Budget::unlimited()).unwrap();
    /// let both = [circuit.atom("l0").unwrap(), circuit.atom("l1").unwrap()];
    /// let cone = TransitionSystem::of_circuit(&circuit, &both).reduced();
    /// assert_eq!(cone.system.states.len(), 1);
    /// assert_eq!(cone.system.observed[0], cone.system.observed[1]);
    /// ```
    pub fn reduced(&self) -> Cone {
        self.reduced_within(&mut Budget::unlimited()).expect("there is no limit")
    }

    /// The same within a budget.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn reduced_within(&self, budget: &mut Budget) -> Result<Cone, Exhausted> {
        // some copies of the graph are made below
        let budget = &mut budget.holding(3 * self.bytes())?;
        let classes = representatives(self, budget)?;
        budget.spend(4 * self.aig.len())?;
        // a graph in which each variable is replaced by the one that stands for its class
        let mut merged = self.clone();
        let mut stands: Vec<Lit> = (0..self.aig.len()).map(|at| Var(at as u32).lit()).collect();
        for (state, &class) in self.states.iter().zip(&classes) {
            stands[state.now.var().index()] = class;
        }
        let all: Vec<Lit> = self.roots().chain(self.states.iter().map(|state| state.next)).collect();
        let images = merged.aig.substitute(&all, |var| stands[var.index()]);
        let (roots, nexts) = images.split_at(all.len() - self.states.len());
        let kept = reachable(&merged.aig, roots, &self.states, nexts, &classes);
        let cone = extract(self, &merged.aig, &kept, &classes, nexts, &stands);
        Ok(cone)
    }
}

/// A system whose partition is not found in this many rounds is left as it is.
const ROUNDS: usize = 100;

/// For each state variable, the state variable or the constant that stands for its class.
fn representatives(system: &TransitionSystem, budget: &mut Budget) -> Result<Vec<Lit>, Exhausted> {
    let constants = constants(system, budget)?;
    let reset = system.resets();
    let mut class: Vec<Lit> = Vec::with_capacity(system.states.len());
    // first, all that start alike are equal
    let mut first: [Option<Lit>; 2] = [None; 2];
    for (at, state) in system.states.iter().enumerate() {
        class.push(match (constants[at], reset[at]) {
            (Some(value), _) => Lit::constant(value),
            (None, None) => state.now,
            (None, Some(value)) => *first[usize::from(value)].get_or_insert(state.now),
        });
    }
    let of_var = system.state_of_var();
    for _ in 0..ROUNDS {
        budget.spend(system.aig.len())?;
        let images =
            numbered(&system.aig, |var| of_var[var.index()].map_or(var.lit(), |at| class[at as usize]));
        let image = |lit: Lit| images[lit.var().index()].negated_if(lit.is_negated());
        let mut groups: FxHashMap<(Lit, Lit), Lit> = FxHashMap::default();
        let mut changed = false;
        let mut refined = class.clone();
        for (at, state) in system.states.iter().enumerate() {
            if class[at].as_constant().is_some() || reset[at].is_none() {
                continue;
            }
            let stands = *groups.entry((class[at], image(state.next))).or_insert(state.now);
            changed |= stands != class[at];
            refined[at] = stands;
        }
        class = refined;
        if !changed {
            return Ok(class);
        }
    }
    let itself = |(state, constant): (&StateVar, Option<bool>)| constant.map_or(state.now, Lit::constant);
    Ok(system.states.iter().zip(constants).map(itself).collect())
}

/// A literal for each node, such that nodes with equal operands get equal literals once variables
/// are replaced.
fn numbered(aig: &Aig, variable: impl Fn(Var) -> Lit) -> Vec<Lit> {
    let mut known: FxHashMap<(Lit, Lit), Lit> = FxHashMap::default();
    let mut of: Vec<Lit> = Vec::with_capacity(aig.len());
    for (var, gate) in aig.gates() {
        let number = match gate {
            Gate::False => Lit::FALSE,
            Gate::Variable => variable(var),
            Gate::And(a, b) => {
                let to = |lit: Lit| of[lit.var().index()].negated_if(lit.is_negated());
                let (a, b) = (to(a).min(to(b)), to(a).max(to(b)));
                if a == Lit::FALSE || a == !b {
                    Lit::FALSE
                } else if a == Lit::TRUE || a == b {
                    b
                } else {
                    *known.entry((a, b)).or_insert(var.lit())
                }
            }
        };
        of.push(number);
    }
    of
}

/// Whether a variable is to start with both values.
fn contradicts(init: &[Lit]) -> bool {
    let mut sorted = init.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == !pair[1])
}

/// State variables that never change, by three-valued simulation: a pair of bits holds the possible
/// values of a node.
fn constants(system: &TransitionSystem, budget: &mut Budget) -> Result<Vec<Option<bool>>, Exhausted> {
    let mut values = system.resets();
    let of_var = system.state_of_var();
    for _ in 0..ROUNDS {
        budget.spend(system.aig.len())?;
        let mut known: Vec<Option<bool>> = Vec::with_capacity(system.aig.len());
        let of =
            |lit: Lit, known: &[Option<bool>]| known[lit.var().index()].map(|value| value ^ lit.is_negated());
        for (var, gate) in system.aig.gates() {
            let value = match gate {
                Gate::False => Some(false),
                Gate::Variable => of_var[var.index()].and_then(|at| values[at as usize]),
                Gate::And(a, b) => match (of(a, &known), of(b, &known)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
            };
            known.push(value);
        }
        let mut changed = false;
        for (at, state) in system.states.iter().enumerate() {
            if values[at].is_some() && of(state.next, &known) != values[at] {
                values[at] = None;
                changed = true;
            }
        }
        if !changed {
            return Ok(values);
        }
    }
    Ok(vec![None; system.states.len()])
}

/// The nodes that matter: those of the roots, and of the next-state functions of the state
/// variables among them.
fn reachable(aig: &Aig, roots: &[Lit], states: &[StateVar], nexts: &[Lit], classes: &[Lit]) -> Vec<bool> {
    let mut kept = vec![false; aig.len()];
    let mut next_of: FxHashMap<Var, Lit> = FxHashMap::default();
    for ((state, &class), &next) in states.iter().zip(classes).zip(nexts) {
        if class == state.now {
            next_of.insert(state.now.var(), next);
        }
    }
    let mut stack: Vec<Var> = roots.iter().map(|lit| lit.var()).collect();
    while let Some(var) = stack.pop() {
        if std::mem::replace(&mut kept[var.index()], true) {
            continue;
        }
        match aig.gate(var) {
            Gate::And(a, b) => stack.extend([a.var(), b.var()]),
            Gate::Variable => stack.extend(next_of.get(&var).map(|next| next.var())),
            Gate::False => {}
        }
    }
    kept
}

fn extract(
    whole: &TransitionSystem,
    merged: &Aig,
    kept: &[bool],
    classes: &[Lit],
    nexts: &[Lit],
    stands: &[Lit],
) -> Cone {
    let mut system = TransitionSystem::default();
    let image = system.aig.copy(merged, kept, |aig, _| aig.variable());
    let mut merged_again = merged.clone();
    let to = |lit: Lit| image[lit.var().index()].map(|image| image.negated_if(lit.is_negated()));
    let mut mapped = |lits: Vec<Lit>| -> Vec<Lit> {
        let merged =
            merged_again.substitute(&lits, |var| stands.get(var.index()).copied().unwrap_or(var.lit()));
        merged.into_iter().map(|lit| to(lit).expect("a root")).collect()
    };
    system.observed = mapped(whole.observed.clone());
    system.constraints = mapped(whole.constraints.clone());
    system.justice = mapped(whole.justice.clone());
    let (often, then): (Vec<Lit>, Vec<Lit>) = whole.compassion.iter().copied().unzip();
    system.compassion = mapped(often).into_iter().zip(mapped(then)).collect();
    let of_var = whole.state_of_var();
    let is_reset = |lit: &Lit| of_var[lit.var().index()].is_some();
    system.init = mapped(whole.init.iter().filter(|lit| !is_reset(lit)).copied().collect());
    system.init.retain(|&lit| lit != Lit::TRUE);
    for lit in whole.init.iter().filter(|lit| is_reset(lit)) {
        let at = of_var[lit.var().index()].expect("a state variable") as usize;
        if classes[at] == whole.states[at].now
            && let Some(kept) = to(*lit)
        {
            system.init.push(kept);
        }
    }
    if contradicts(&whole.init) {
        system.init = vec![Lit::FALSE];
    }
    // a constant is known, even if no function is left that has it
    let known = |&class: &Lit| class.as_constant().map(Lit::constant).or_else(|| to(class));
    let states = classes.iter().map(known).collect();
    for (at, (state, &class)) in whole.states.iter().zip(classes).enumerate() {
        if let (true, Some(now)) = (class == state.now, to(state.now)) {
            system.states.push(StateVar { now, next: to(nexts[at]).expect("kept with its variable") });
        }
    }
    let mut choices = Vec::with_capacity(whole.choices.len());
    for &choice in &whole.choices {
        choices.push(to(choice).map(|choice| {
            system.choices.push(choice);
            system.choices.len() - 1
        }));
    }
    system.constraints.retain(|&lit| lit != Lit::TRUE);
    Cone { system, states, choices, classes: classes.to_vec() }
}

impl Cone {
    /// A run of the whole system that looks like a run of the reduced one. What the reduced system
    /// leaves open is false; what it does not know follows from the whole. An endless run may not
    /// close in what it does not know ([`TransitionSystem::closed`]).
    pub fn extend(&self, whole: &TransitionSystem, trace: &SystemRun) -> SystemRun {
        let unknown: Vec<bool> = whole.resets().iter().map(|reset| reset.unwrap_or(false)).collect();
        self.extend_from(whole, trace, &unknown)
    }

    /// The same, from a state in which what the reduced system does not know has these values.
    pub fn extend_from(&self, whole: &TransitionSystem, trace: &SystemRun, unknown: &[bool]) -> SystemRun {
        let of_var = self.system.state_of_var();
        let first = |at: usize, step: &RunStep| match self.states[at] {
            Some(lit) => match lit.as_constant() {
                Some(value) => value,
                None => {
                    step.state[of_var[lit.var().index()].expect("a state variable") as usize]
                        ^ lit.is_negated()
                }
            },
            None => unknown[at],
        };
        let mut steps: Vec<RunStep> = Vec::with_capacity(trace.steps.len());
        let mut state: Option<Vec<bool>> = None;
        for step in &trace.steps {
            let now =
                state.take().unwrap_or_else(|| (0..whole.states.len()).map(|at| first(at, step)).collect());
            let choice: Vec<bool> = self
                .choices
                .iter()
                .map(|choice| choice.is_some_and(|at| step.choice.get(at).copied().unwrap_or(false)))
                .collect();
            state = Some(whole.step(&now, &choice));
            steps.push(RunStep { state: now, choice });
        }
        SystemRun { steps, back_to: trace.back_to }
    }
}
