//! The transition relation as clauses, asserted once: states and targets come as assumptions.

use loris_base::{Budget, Exhausted};
use loris_circuit::{Lit, TransitionSystem};
use loris_solvers::sat::{Frame, Sat, SatLit};

/// A set of states: a conjunction of state variables and their negations, by number, in increasing
/// order.
pub type Cube = Vec<(u32, bool)>;

/// One step of a system in a solver.
pub struct Relation {
    /// The solver.
    pub sat: Sat,
    frame: Frame,
    /// The state variables before the step.
    pub now: Vec<SatLit>,
    /// The state variables after the step.
    pub next: Vec<SatLit>,
    /// What the step chooses.
    pub choices: Vec<SatLit>,
    /// Assumed where a step is to be taken: then the constraints hold.
    pub step: SatLit,
    /// Assumed where the state is to be initial.
    pub initial: SatLit,
    /// The constraints, all of which hold.
    allowed: Lit,
}

impl Relation {
    /// The relation of a system. `aig` is that of the system, with all constraints as one function.
    pub fn new(system: &mut TransitionSystem) -> Self {
        let (mut sat, mut frame) = (Sat::new(), Frame::of_variables());
        let now = system.states.iter().map(|state| frame.literal(state.now, &system.aig, &mut sat)).collect();
        let choices =
            system.choices.iter().map(|&choice| frame.literal(choice, &system.aig, &mut sat)).collect();
        let next =
            system.states.iter().map(|state| frame.literal(state.next, &system.aig, &mut sat)).collect();
        let allowed = system.aig.all(system.constraints.clone());
        let (step, initial) = (sat.variable(), sat.variable());
        for &constraint in &system.constraints {
            let constraint = frame.literal(constraint, &system.aig, &mut sat);
            sat.clause(&[!step, constraint]);
        }
        for &condition in &system.init {
            let condition = frame.literal(condition, &system.aig, &mut sat);
            sat.clause(&[!initial, condition]);
        }
        Self { sat, frame, now, next, choices, step, initial, allowed }
    }

    /// The literal of a function of the state and the choices.
    pub fn literal(&mut self, lit: Lit, system: &TransitionSystem) -> SatLit {
        self.frame.literal(lit, &system.aig, &mut self.sat)
    }

    /// Whether a step satisfies all constraints, as a literal.
    pub fn allowed(&mut self, system: &TransitionSystem) -> SatLit {
        self.literal(self.allowed, system)
    }

    /// A literal of a state before the step.
    pub fn before(&self, (var, value): (u32, bool)) -> SatLit {
        self.now[var as usize].negated_if(!value)
    }

    /// A literal of a state after the step.
    pub fn after(&self, (var, value): (u32, bool)) -> SatLit {
        self.next[var as usize].negated_if(!value)
    }

    /// The state before the step, in the last model.
    pub fn state(&self) -> Vec<bool> {
        self.now.iter().map(|&lit| self.sat.value(lit)).collect()
    }

    /// The choices in the last model.
    pub fn choice(&self) -> Vec<bool> {
        self.choices.iter().map(|&lit| self.sat.value(lit)).collect()
    }

    /// Whether there is a model under the assumptions.
    pub fn solve(&mut self, assumed: &[SatLit], budget: &mut Budget) -> Result<bool, Exhausted> {
        self.sat.solve(assumed, budget)
    }

    /// A literal that is equivalent to the conjunction of all.
    pub fn all(&mut self, literals: &[SatLit]) -> SatLit {
        match literals {
            [] => return self.sat.constant_true(),
            [only] => return *only,
            _ => {}
        }
        let every = self.sat.defined();
        let mut clause = vec![every];
        for &lit in literals {
            self.sat.clause(&[!every, lit]);
            clause.push(!lit);
        }
        self.sat.clause(&clause);
        every
    }

    /// A literal under which one of these holds; to be released.
    pub fn one_of(&mut self, literals: &[SatLit]) -> SatLit {
        let active = self.sat.variable();
        let mut clause = literals.to_vec();
        clause.push(!active);
        self.sat.clause(&clause);
        active
    }

    /// A literal under which none of these holds; to be released.
    pub fn none_of(&mut self, literals: &[SatLit]) -> SatLit {
        let active = self.sat.variable();
        for &lit in literals {
            self.sat.clause(&[!active, !lit]);
        }
        active
    }

    /// A literal that is equivalent to the disjunction of all.
    pub fn any(&mut self, literals: &[SatLit]) -> SatLit {
        let negated: Vec<SatLit> = literals.iter().map(|&lit| !lit).collect();
        !self.all(&negated)
    }
}
