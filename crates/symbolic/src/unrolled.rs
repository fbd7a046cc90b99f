//! The transition relation, unrolled in a solver; and how many states are initial.

use loris_base::{Budget, Exhausted};
use loris_circuit::{RunStep, SystemRun, TransitionSystem};
use loris_solvers::sat::{Frame, Sat, SatLit};

/// Copies of the transition relation, one for each step.
pub(crate) struct Unrolled {
    pub(crate) sat: Sat,
    pub(crate) frames: Vec<Frame>,
    pub(crate) states: Vec<Vec<SatLit>>,
    choices: Vec<Vec<SatLit>>,
}

impl Unrolled {
    pub(crate) fn new() -> Self {
        Self { sat: Sat::new(), frames: Vec::new(), states: Vec::new(), choices: Vec::new() }
    }

    /// Adds the state after the last one, or the first.
    pub(crate) fn extend(&mut self, system: &TransitionSystem, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.spend(system.aig.len())?;
        // a place for each node in the frame; clauses are charged by the solver
        budget.charge(8 * system.aig.len() + 4 * (system.states.len() + system.choices.len()))?;
        let mut frame = Frame::default();
        let now: Vec<SatLit> = match self.frames.last_mut() {
            None => system.states.iter().map(|_| self.sat.variable()).collect(),
            Some(last) => {
                let next =
                    system.states.iter().map(|state| last.literal(state.next, &system.aig, &mut self.sat));
                let next = next.collect();
                for &constraint in &system.constraints {
                    let constraint = last.literal(constraint, &system.aig, &mut self.sat);
                    self.sat.clause(&[constraint]);
                }
                next
            }
        };
        for (state, &lit) in system.states.iter().zip(&now) {
            frame.bind(state.now, lit);
        }
        let choices =
            system.choices.iter().map(|&choice| frame.literal(choice, &system.aig, &mut self.sat)).collect();
        self.states.push(now);
        self.choices.push(choices);
        self.frames.push(frame);
        Ok(())
    }

    /// The first state is initial.
    pub(crate) fn start(&mut self, system: &TransitionSystem) {
        for &condition in &system.init {
            let condition = self.frames[0].literal(condition, &system.aig, &mut self.sat);
            self.sat.clause(&[condition]);
        }
    }

    /// The run of the last model.
    pub(crate) fn trace(&self) -> SystemRun {
        let values = |lits: &[SatLit]| lits.iter().map(|&lit| self.sat.value(lit)).collect();
        let steps = self.states.iter().zip(&self.choices);
        let steps =
            steps.map(|(state, choice)| RunStep { state: values(state), choice: values(choice) }).collect();
        SystemRun { steps, back_to: None }
    }
}

/// How many initial states there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// No state is initial: every property holds.
    None,
    /// There is exactly one.
    One,
    /// There are several.
    Several,
}

/// How many initial states a system has.
pub fn initial_states(system: &TransitionSystem, budget: &mut Budget) -> Result<Initial, Exhausted> {
    let mut unrolled = Unrolled::new();
    unrolled.extend(system, budget)?;
    unrolled.start(system);
    let Unrolled { mut sat, states, .. } = unrolled;
    if !sat.solve(&[], budget)? {
        return Ok(Initial::None);
    }
    let other: Vec<SatLit> = states[0].iter().map(|&lit| lit.negated_if(sat.value(lit))).collect();
    sat.clause(&other);
    Ok(if sat.solve(&[], budget)? { Initial::Several } else { Initial::One })
}
