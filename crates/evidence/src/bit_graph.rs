//! The states around those of evidence in a Boolean transition system, explored breadth first up to
//! a limit.
//!
//! The successors of a state are the models of one step in a solver of its own: each that is found
//! is excluded by a clause until none is left. Time and memory are those of the states and steps
//! explored, with one call of the solver for each step and each state.

use crate::space::{BitModel, Neighbourhood};
use loris_base::{Budget, Csr, Exhausted};
use loris_circuit::{Aig, Lit, TransitionSystem};
use loris_solvers::sat::{Frame, Sat, SatLit};
use rustc_hash::FxHashMap;

/// This many states are explored beyond those of the evidence.
const MOST_STATES: usize = 1 << 14;

/// This many steps are explored, and of one state.
const MOST_STEPS: usize = 1 << 17;
const MOST_OF_STATE: usize = 1 << 10;

/// Steps of work after which no more states are explored: a few seconds.
const MOST_WORK: u64 = 1 << 28;

/// The bits of a state.
type Key = Box<[u64]>;

/// States by their bits, and the steps from those that were explored.
pub(crate) struct BitGraph<'m, S, A> {
    model: &'m dyn BitModel<S, A>,
    states: Vec<Key>,
    numbers: FxHashMap<Key, u32>,
    successors: Csr,
}

impl<'m, S, A> BitGraph<'m, S, A> {
    /// Explores from these states until all are explored, or a limit on their number is reached.
    /// Nothing, if a state without a successor is found.
    pub(crate) fn explore(
        model: &'m dyn BitModel<S, A>,
        seeds: &mut dyn Iterator<Item = &S>,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Option<Self>, Exhausted> {
        let mut graph =
            Self { model, states: Vec::new(), numbers: FxHashMap::default(), successors: Csr::default() };
        for seed in seeds {
            let seed = model.values(seed);
            graph.number(&seed, budget)?;
        }
        let most = graph.states.len() + limit.min(MOST_STATES);
        let mut steps = Steps::new(model.transitions());
        let mut slice = budget.slice(MOST_WORK);
        while graph.successors.rows() < graph.states.len() && graph.states.len() < most {
            let from = graph.unpacked(graph.successors.rows());
            let left = MOST_STEPS.saturating_sub(graph.successors.len()).min(MOST_OF_STATE);
            // a state with too many successors is left unexplored, and so are those after it
            let found = match steps.after(&from, left, &mut slice) {
                Err(Exhausted::Time) => {
                    budget.join(&slice)?;
                    budget.look()?;
                    break;
                }
                found => found?,
            };
            let Some(found) = found else { break };
            if found.is_empty() {
                return Ok(None);
            }
            let mut row = Vec::with_capacity(found.len());
            for state in found {
                row.push(graph.number(&state, budget)?);
            }
            budget.charge(4 * (1 + row.len()))?;
            graph.successors.push_row(row);
        }
        budget.join(&slice)?;
        Ok(Some(graph))
    }

    fn number(&mut self, bits: &[bool], budget: &mut Budget) -> Result<u32, Exhausted> {
        let key = packed(bits);
        if let Some(&number) = self.numbers.get(&key) {
            return Ok(number);
        }
        budget.spend(1 + bits.len())?;
        // it is stored twice
        budget.charge(2 * (size_of::<Key>() + 8 * key.len()) + 16)?;
        let number = self.states.len() as u32;
        self.states.push(key.clone());
        self.numbers.insert(key, number);
        Ok(number)
    }

    fn unpacked(&self, number: usize) -> Vec<bool> {
        let key = &self.states[number];
        (0..self.model.transitions().states.len()).map(|bit| key[bit / 64] >> (bit % 64) & 1 == 1).collect()
    }
}

fn packed(bits: &[bool]) -> Key {
    let word = |bits: &[bool]| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
    bits.chunks(64).map(word).collect()
}

impl<S, A: Copy> Neighbourhood<S, A> for BitGraph<'_, S, A> {
    fn count(&self) -> usize {
        self.states.len()
    }

    fn successors(&self) -> &Csr {
        &self.successors
    }

    fn find(&self, state: &S) -> Option<usize> {
        self.numbers.get(&packed(&self.model.values(state))).map(|&number| number as usize)
    }

    fn holds(&self, number: usize, atom: A) -> bool {
        self.model.transitions().holds(self.model.function(atom), &self.unpacked(number), &[])
    }

    /// 64 states at a time.
    fn column(&self, atom: A) -> Vec<bool> {
        let (system, function) = (self.model.transitions(), self.model.function(atom));
        let of_var = system.state_of_var();
        let mut column = Vec::with_capacity(self.states.len());
        for states in self.states.chunks(64) {
            let values = system.aig.simulate(|var| {
                let Some(bit) = of_var[var.index()].map(|bit| bit as usize) else { return 0 };
                let of = |state: &Key| state[bit / 64] >> (bit % 64) & 1;
                states.iter().rev().fold(0, |word, state| word << 1 | of(state))
            });
            let value = Aig::value(&values, function);
            column.extend((0..states.len()).map(|at| value >> at & 1 == 1));
        }
        column
    }

    /// Every state that was explored has one.
    fn has_next(&self, _: usize) -> bool {
        true
    }
}

/// The initial states of a system; nothing if there are more than `most`.
pub(crate) fn initial_states(
    system: &TransitionSystem,
    most: usize,
    budget: &mut Budget,
) -> Result<Option<Vec<Vec<bool>>>, Exhausted> {
    let (mut sat, mut frame) = (Sat::new(), Frame::default());
    for &lit in &system.init {
        let lit = frame.literal(lit, &system.aig, &mut sat);
        sat.clause(&[lit]);
    }
    let bits: Vec<SatLit> =
        system.states.iter().map(|state| frame.literal(state.now, &system.aig, &mut sat)).collect();
    models(&mut sat, &[], &bits, most, budget)
}

/// One step of a system in a solver.
struct Steps {
    sat: Sat,
    now: Vec<SatLit>,
    next: Vec<SatLit>,
}

impl Steps {
    fn new(system: &TransitionSystem) -> Self {
        let (mut sat, mut frame) = (Sat::new(), Frame::default());
        for &lit in &system.constraints {
            let lit = frame.literal(lit, &system.aig, &mut sat);
            sat.clause(&[lit]);
        }
        let mut literals = |lits: &mut dyn Iterator<Item = Lit>| -> Vec<SatLit> {
            lits.map(|lit| frame.literal(lit, &system.aig, &mut sat)).collect()
        };
        let now = literals(&mut system.states.iter().map(|state| state.now));
        let next = literals(&mut system.states.iter().map(|state| state.next));
        Self { sat, now, next }
    }

    /// All states after one; nothing if there are more than `most`.
    fn after(
        &mut self,
        from: &[bool],
        most: usize,
        budget: &mut Budget,
    ) -> Result<Option<Vec<Vec<bool>>>, Exhausted> {
        let assumed: Vec<SatLit> =
            self.now.iter().zip(from).map(|(lit, &value)| lit.negated_if(!value)).collect();
        models(&mut self.sat, &assumed, &self.next, most, budget)
    }
}

/// The values of some literals in all models under assumptions; nothing if there are more than
/// `most`.
fn models(
    sat: &mut Sat,
    assumed: &[SatLit],
    of: &[SatLit],
    most: usize,
    budget: &mut Budget,
) -> Result<Option<Vec<Vec<bool>>>, Exhausted> {
    // the clauses that exclude models hold while this one is assumed
    let excluding = sat.variable();
    let mut assumed = assumed.to_vec();
    assumed.push(excluding);
    let mut found = Vec::new();
    while sat.solve(&assumed, budget)? {
        if found.len() == most {
            sat.release(!excluding);
            return Ok(None);
        }
        let values: Vec<bool> = of.iter().map(|&lit| sat.value(lit)).collect();
        let mut clause: Vec<SatLit> =
            of.iter().zip(&values).map(|(lit, &value)| lit.negated_if(value)).collect();
        clause.push(!excluding);
        sat.clause(&clause);
        found.push(values);
    }
    sat.release(!excluding);
    Ok(Some(found))
}
