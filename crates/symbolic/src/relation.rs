//! The transition relation as clauses, asserted once: states and targets come as assumptions.

use loris_base::{Budget, Exhausted};
use loris_circuit::{Aig, Lit, TransitionSystem};
use loris_solvers::sat::{Frame, Sat, SatLit};

/// A set of states: a conjunction of state variables and their negations, by number, in increasing
/// order.
pub type Cube = Vec<(u32, bool)>;

/// One step of a system in a solver.
pub struct Relation {
    /// The solver.
    pub sat: Sat,
    frame: Frame,
    /// The state variables before the step; none if they are asserted as they are asked for.
    pub now: Vec<SatLit>,
    /// The state variables after the step, likewise.
    pub next: Vec<SatLit>,
    /// What the step chooses, likewise.
    pub choices: Vec<SatLit>,
    open: Option<Open>,
    /// Assumed where a step is to be taken: then the constraints hold.
    pub step: SatLit,
    /// Assumed where the state is to be initial.
    pub initial: SatLit,
    /// The constraints, all of which hold.
    allowed: Lit,
}

/// The functions of a relation whose parts are asserted as they are asked for.
struct Open {
    aig: Aig,
    now: Vec<Lit>,
    next: Vec<Lit>,
    choices: Vec<Lit>,
}

impl Relation {
    /// The relation of a system, of which the solver has what was asked for and nothing else, and
    /// decides on variables that matter to that. `aig` is that of the system, with all constraints
    /// as one function.
    pub(crate) fn in_parts(system: &mut TransitionSystem) -> Self {
        let solver = (Sat::new(), Frame::of_variables());
        let open = Open {
            aig: system.aig.clone(),
            now: system.states.iter().map(|state| state.now).collect(),
            next: system.states.iter().map(|state| state.next).collect(),
            choices: system.choices.clone(),
        };
        Self { open: Some(open), ..Self::of(system, solver, Vec::new(), Vec::new()) }
    }

    /// The relation of a system. `aig` is that of the system, with all constraints as one function.
    pub fn new(system: &mut TransitionSystem) -> Self {
        let (mut sat, mut frame) = (Sat::new(), Frame::of_variables());
        let now = system.states.iter().map(|state| frame.literal(state.now, &system.aig, &mut sat)).collect();
        let choices =
            system.choices.iter().map(|&choice| frame.literal(choice, &system.aig, &mut sat)).collect();
        let next =
            system.states.iter().map(|state| frame.literal(state.next, &system.aig, &mut sat)).collect();
        Self { next, ..Self::of(system, (sat, frame), now, choices) }
    }

    fn of(
        system: &mut TransitionSystem,
        (mut sat, mut frame): (Sat, Frame),
        now: Vec<SatLit>,
        choices: Vec<SatLit>,
    ) -> Self {
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
        Self { sat, frame, now, next: Vec::new(), open: None, choices, step, initial, allowed }
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

    /// A literal of a state before the step, which may be asked for now.
    pub(crate) fn here(&mut self, (var, value): (u32, bool)) -> SatLit {
        let now = match &self.open {
            Some(open) => self.frame.literal(open.now[var as usize], &open.aig, &mut self.sat),
            None => self.now[var as usize],
        };
        now.negated_if(!value)
    }

    /// A literal of a state after the step, likewise.
    pub(crate) fn there(&mut self, (var, value): (u32, bool)) -> SatLit {
        let next = match &self.open {
            Some(open) => self.frame.literal(open.next[var as usize], &open.aig, &mut self.sat),
            None => self.next[var as usize],
        };
        next.negated_if(!value)
    }

    /// The state variables before the step that were asked for, with their numbers.
    pub(crate) fn known_now(&self) -> Vec<(usize, SatLit)> {
        match &self.open {
            Some(open) => self.known(&open.now),
            None => self.now.iter().copied().enumerate().collect(),
        }
    }

    /// What the step chooses, as far as it matters to what was asked for.
    pub(crate) fn known_choices(&self) -> Vec<(usize, SatLit)> {
        match &self.open {
            Some(open) => self.known(&open.choices),
            None => self.choices.iter().copied().enumerate().collect(),
        }
    }

    fn known(&self, literals: &[Lit]) -> Vec<(usize, SatLit)> {
        let known = literals.iter().enumerate();
        known.filter_map(|(at, &lit)| Some((at, self.frame.known(lit)?))).collect()
    }

    /// The state before the step, in the last model.
    pub fn state(&self) -> Vec<bool> {
        let count = self.open.as_ref().map_or(self.now.len(), |open| open.now.len());
        self.values(count, &self.known_now())
    }

    /// The choices in the last model.
    pub fn choice(&self) -> Vec<bool> {
        let count = self.open.as_ref().map_or(self.choices.len(), |open| open.choices.len());
        self.values(count, &self.known_choices())
    }

    fn values(&self, count: usize, literals: &[(usize, SatLit)]) -> Vec<bool> {
        let mut values = vec![false; count];
        for &(at, lit) in literals {
            values[at] = self.sat.value(lit);
        }
        values
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
