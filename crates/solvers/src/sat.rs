//! Satisfiability of clauses, incrementally and under assumptions.
//!
//! The backend is `batsat`, a solver in the tradition of `MiniSat`, in Rust. It is deterministic.
//! Clauses are never taken back; those that hold for a while only carry a literal of their own that
//! is assumed while they do ([`Sat::variable`], then [`Sat::release`]).

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use loris_base::{Budget, Exhausted, StepMark};
use loris_circuit as circuit;
use loris_circuit::{Aig, Gate};
use std::cell::{Cell, RefCell};

/// A literal of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SatLit(u32);

impl SatLit {
    fn backend(self) -> Lit {
        Lit::new(Var::unsafe_from_idx(self.0 >> 1), self.0 & 1 == 0)
    }

    /// Twice the number of its variable, plus one if it is negated.
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// Negated if `flip`.
    #[must_use]
    pub fn negated_if(self, flip: bool) -> Self {
        SatLit(self.0 ^ u32::from(flip))
    }
}

impl std::ops::Not for SatLit {
    type Output = SatLit;

    fn not(self) -> SatLit {
        SatLit(self.0 ^ 1)
    }
}

/// The callbacks of the solver: they spend a budget and count bytes.
struct Limits {
    budget: RefCell<Budget>,
    /// bytes of clauses, and how many of them are charged
    bytes: Cell<usize>,
    charged: Cell<usize>,
    exhausted: Cell<Option<Exhausted>>,
    /// looks at the limits in this call, one for each decision and assumption
    looks: Cell<usize>,
    /// what a look is charged for until the call is over
    steps_per_look: usize,
}

/// Steps of a [`Budget`] per call of the solver; a decision and an assumption count as one.
const STEPS_PER_CALL: usize = 32;

/// Steps per literal that is propagated, which is where the time goes: a walk through the clauses
/// that watch it (measured on 40 circuits, in units of what decision diagrams count as steps).
const STEPS_PER_PROPAGATION: usize = 1;

/// Bytes of new clauses and variables per step: what is made between two calls is work, too.
const BYTES_PER_STEP: usize = 64;

/// With clauses of more bytes, the clock is looked at before each decision.
const MANY_BYTES: usize = 1 << 24;

/// Bytes of a clause besides its literals: its header and two watches, in lists that have twice the
/// room and are copied as they grow (measured on unrolled models).
const CLAUSE_BYTES: usize = 96;

/// Bytes of a variable in all tables of the solver.
const VARIABLE_BYTES: usize = 250;

impl Limits {
    fn spend(&self, steps: usize) -> Result<(), Exhausted> {
        let mut budget = self.budget.borrow_mut();
        budget.spend(steps)?;
        // a decision may propagate through all clauses
        if self.bytes.get() > MANY_BYTES {
            budget.look()?;
        }
        let mut charged = self.charged.get();
        let grown = budget.grown(&mut charged, self.bytes.get());
        self.charged.set(charged);
        grown
    }
}

impl Limits {
    /// Counts a call as what it turned out to be, and the looks of the next call by what they cost
    /// lately.
    fn recount(&mut self, mark: StepMark, propagated: usize, budget: &mut Budget) {
        let looks = self.looks.get();
        let steps = looks + STEPS_PER_PROPAGATION.saturating_mul(propagated);
        self.steps_per_look = (7 * self.steps_per_look + steps / looks.max(1)).div_ceil(8);
        let counted = budget.recount(mark, steps);
        match (self.exhausted.get(), counted) {
            (None, Err(why)) => self.exhausted.set(Some(why)),
            // looks were charged for more than they cost: there is time left
            (Some(Exhausted::Time), Ok(())) if budget.look().is_ok() => {
                self.steps_per_look = (steps / looks.max(1)).max(1);
                self.exhausted.set(None);
            }
            _ => {}
        }
    }
}

impl Callbacks for Limits {
    fn on_new_clause(&mut self, clause: &[Lit], _: batsat::ClauseKind) {
        self.bytes.set(self.bytes.get() + CLAUSE_BYTES + 4 * clause.len());
    }

    fn on_delete_clause(&mut self, clause: &[Lit]) {
        self.bytes.set(self.bytes.get().saturating_sub(CLAUSE_BYTES + 4 * clause.len()));
    }

    fn stop(&self) -> bool {
        self.looks.set(self.looks.get() + 1);
        if self.exhausted.get().is_none()
            && let Err(why) = self.spend(self.steps_per_look)
        {
            self.exhausted.set(Some(why));
        }
        self.exhausted.get().is_some()
    }
}

/// A solver with its clauses.
pub struct Sat {
    solver: Solver<Limits>,
    variables: u32,
    calls: u64,
    /// the assumptions that the last call without a model needed, in order
    core: Vec<u32>,
}

impl Default for Sat {
    fn default() -> Self {
        Self::new()
    }
}

impl Sat {
    /// A solver without clauses.
    pub fn new() -> Self {
        let limits = Limits {
            budget: RefCell::new(Budget::unlimited()),
            bytes: Cell::new(0),
            charged: Cell::new(0),
            exhausted: Cell::new(None),
            looks: Cell::new(0),
            steps_per_look: STEPS_PER_CALL,
        };
        let mut solver = Solver::new(SolverOpts::default(), limits);
        // the first variable is the constant true
        let first = solver.new_var_default();
        solver.add_clause_reuse(&mut vec![Lit::new(first, true)]);
        Self { solver, variables: 1, calls: 0, core: Vec::new() }
    }

    /// The literal that always holds.
    pub fn constant_true(&self) -> SatLit {
        SatLit(0)
    }

    /// A literal that always or never holds.
    pub fn constant(&self, value: bool) -> SatLit {
        SatLit(u32::from(!value))
    }

    /// A fresh variable.
    pub fn variable(&mut self) -> SatLit {
        self.new_variable(true)
    }

    /// A fresh variable whose value follows from those of others, since clauses define it: the
    /// solver does not decide on it.
    pub fn defined(&mut self) -> SatLit {
        self.new_variable(false)
    }

    fn new_variable(&mut self, is_decided: bool) -> SatLit {
        let lit = SatLit(2 * self.variables);
        self.variables += 1;
        self.solver.new_var(lbool::UNDEF, is_decided);
        let limits = self.solver.cb_mut();
        limits.bytes.set(limits.bytes.get() + VARIABLE_BYTES);
        lit
    }

    /// One of the literals holds.
    pub fn clause(&mut self, literals: &[SatLit]) {
        let mut literals: Vec<Lit> = literals.iter().map(|lit| lit.backend()).collect();
        self.solver.add_clause_reuse(&mut literals);
    }

    /// Clauses with this literal are no longer needed.
    pub fn release(&mut self, lit: SatLit) {
        self.clause(&[lit]);
    }

    /// Whether there is a model under the assumptions. Then [`Sat::value`] reads it; if there is
    /// none, [`Sat::needed`] returns the assumptions that exclude it.
    pub fn solve(&mut self, assumptions: &[SatLit], budget: &mut Budget) -> Result<bool, Exhausted> {
        self.calls += 1;
        let assumed: Vec<Lit> = assumptions.iter().map(|lit| lit.backend()).collect();
        let limits = self.solver.cb_mut();
        let made = limits.bytes.get().saturating_sub(limits.charged.get()) / BYTES_PER_STEP;
        limits.exhausted.set(None);
        std::mem::swap(limits.budget.get_mut(), budget);
        let may_start = limits.spend(STEPS_PER_CALL + made);
        std::mem::swap(limits.budget.get_mut(), budget);
        may_start?;
        let found = loop {
            let found = self.attempt(&assumed, budget);
            if found != lbool::UNDEF || self.solver.cb().exhausted.get().is_some() {
                break found;
            }
        };
        let limits = self.solver.cb_mut();
        // the solver looks once more after it has its answer: what was seen then is not to be lost,
        // since the next look may be long after this one, or in the same place
        if let Some(why) = limits.exhausted.get() {
            return Err(why);
        }
        if found == lbool::TRUE {
            return Ok(true);
        }
        if found == lbool::FALSE {
            // the core is a clause over negated assumptions
            let codes = self.solver.unsat_core().iter();
            self.core.clear();
            self.core.extend(codes.map(|lit| 2 * lit.var().idx() + u32::from(lit.sign())));
            self.core.sort_unstable();
            return Ok(false);
        }
        Err(Exhausted::Time)
    }

    /// Looks for a model, until the steps are spent as far as they are known.
    fn attempt(&mut self, assumed: &[Lit], budget: &mut Budget) -> lbool {
        let before = self.solver.num_propagations();
        let limits = self.solver.cb_mut();
        limits.looks.set(0);
        std::mem::swap(limits.budget.get_mut(), budget);
        let mark = limits.budget.get_mut().mark();
        let found = self.solver.solve_limited(assumed);
        let propagated = self.solver.num_propagations() - before;
        let limits = self.solver.cb_mut();
        std::mem::swap(limits.budget.get_mut(), budget);
        limits.recount(mark, usize::try_from(propagated).unwrap_or(usize::MAX), budget);
        found
    }

    /// The value of a literal in the last model.
    pub fn value(&self, lit: SatLit) -> bool {
        self.solver.value_lit(lit.backend()) == lbool::TRUE
    }

    /// Whether the last call needed this assumption to find that there is no model.
    pub fn needed(&self, assumption: SatLit) -> bool {
        self.core.binary_search(&assumption.0).is_ok()
    }

    /// How often [`Sat::solve`] was called.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// The bytes it holds, about.
    pub fn bytes(&self) -> usize {
        self.solver.cb().bytes.get()
    }

    /// The bytes that budgets were charged for it.
    pub fn charged(&self) -> usize {
        self.solver.cb().charged.get()
    }
}

/// A copy of an and-inverter graph in a solver: each gate that is asked for becomes three clauses,
/// once.
///
/// ```
/// use loris_base::Budget;
/// use loris_circuit::Aig;
/// use loris_solvers::sat::{Frame, Sat};
/// let mut aig = Aig::new();
/// let (a, b) = (aig.variable(), aig.variable());
/// let both = aig.and(a, b);
/// let (mut sat, mut frame) = (Sat::new(), Frame::default());
/// let (a, both) = (frame.literal(a, &aig, &mut sat), frame.literal(both, &aig, &mut sat));
/// assert_eq!(sat.solve(&[!a, both], &mut Budget::unlimited()), Ok(false));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// the literal of each node
    of: Vec<Option<SatLit>>,
    gates_follow: bool,
}

impl Frame {
    /// A copy in which the solver decides on variables only: gates follow from them by propagation.
    /// Decisions are cheaper, as few variables are in question, and proofs may be longer, as they
    /// cannot branch on gates. That is for many small queries about one copy of a graph.
    pub fn of_variables() -> Self {
        Self { of: Vec::new(), gates_follow: true }
    }

    /// Defines a variable of the graph, before it is used.
    pub fn bind(&mut self, variable: circuit::Lit, to: SatLit) {
        self.grow(variable.var().index() + 1);
        self.of[variable.var().index()] = Some(to.negated_if(variable.is_negated()));
    }

    fn grow(&mut self, nodes: usize) {
        if self.of.len() < nodes {
            self.of.resize(nodes, None);
        }
    }

    /// The literal of a function, if it was asked for before.
    pub fn known(&self, lit: circuit::Lit) -> Option<SatLit> {
        self.of.get(lit.var().index()).copied().flatten().map(|of| of.negated_if(lit.is_negated()))
    }

    /// The literal of a function; variables that are not bound become fresh ones.
    pub fn literal(&mut self, lit: circuit::Lit, aig: &Aig, sat: &mut Sat) -> SatLit {
        if let Some(known) = self.known(lit) {
            return known;
        }
        self.grow(aig.len());
        let mut stack = vec![lit.var()];
        while let Some(&var) = stack.last() {
            if self.of[var.index()].is_some() {
                stack.pop();
                continue;
            }
            let made = match aig.gate(var) {
                Gate::False => sat.constant(false),
                Gate::Variable => sat.variable(),
                Gate::And(a, b) => match (self.known(a), self.known(b)) {
                    (Some(a), Some(b)) => {
                        let gate = if self.gates_follow { sat.defined() } else { sat.variable() };
                        sat.clause(&[!gate, a]);
                        sat.clause(&[!gate, b]);
                        sat.clause(&[gate, !a, !b]);
                        gate
                    }
                    (known_a, known_b) => {
                        stack.extend(
                            [(a, known_a), (b, known_b)]
                                .iter()
                                .filter(|(_, known)| known.is_none())
                                .map(|(lit, _)| lit.var()),
                        );
                        continue;
                    }
                },
            };
            self.of[var.index()] = Some(made);
            stack.pop();
        }
        self.known(lit).expect("made just now")
    }
}
