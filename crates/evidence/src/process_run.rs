//! Runs of processes that refute a formula of linear time, replayed.
//!
//! Nothing of the engine is used: steps are taken from the processes by their definition, and the
//! formula is evaluated along the run as it was written, operator by operator, in Kleene's logic.
//! Every step has to be there in all concretisations. Linear in the run times the formula, unless
//! unknown labels matter (`completions.rs`).

use crate::completions::{After, holds_somehow};
use crate::global_states::successors;
use crate::replayed::{Replayed, Unreplayed, error};
use crate::{Evidence, Loop, Path, Paths, relates_formula};
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::mu::DeadEnds;
use loris_logic::{Formula, FormulaId, Node};
use loris_lts::{Action, GlobalState, ProcessKind, StateId, System};

/// The paths that a formula of linear time about processes is about: those on which its negation
/// can be pushed inward.
pub fn paths_of_processes(formula: &Formula, dead_ends: DeadEnds) -> Paths {
    let has_next = formula.nodes().any(|(_, node)| matches!(node, Node::X(_)));
    match dead_ends {
        DeadEnds::Loop => Paths::Total,
        // nothing comes next where a run ends
        DeadEnds::Maximal if !has_next => Paths::Total,
        DeadEnds::Maximal | DeadEnds::Stop => Paths::Infinite,
    }
}

/// Replays a run of processes that is to show that a formula of linear time fails.
///
/// # Errors
/// Why it does not show that, or which limit was reached before that was known.
pub fn replay_process_run(
    system: &System,
    formula: &Formula,
    dead_ends: DeadEnds,
    evidence: &Evidence<GlobalState>,
    budget: &mut Budget,
) -> Result<Replayed, Unreplayed> {
    let (Some(path), 1, true) =
        (evidence.paths.iter().next(), evidence.paths.len(), evidence.also.is_empty())
    else {
        return Err(error(0, 0, "a run of processes is one path").into());
    };
    if !path.because.is_empty() {
        return Err(error(0, 0, "a run of processes relies on no other").into());
    }
    if !relates_formula(formula, false, &path.shows, paths_of_processes(formula, dead_ends)) {
        return Err(error(0, 0, format!("`{}` is not the negation of the property", path.shows)).into());
    }
    let run = Run { system, formula, dead_ends, path };
    let back = run.walk(budget)?;
    run.refutes(back, budget)
}

struct Run<'a> {
    system: &'a System,
    formula: &'a Formula,
    dead_ends: DeadEnds,
    path: &'a Path<GlobalState>,
}

impl Run<'_> {
    /// Checks the steps. Returns the place to which the run goes back after its last state; none if
    /// it ends there.
    fn walk(&self, budget: &mut Budget) -> Result<Option<usize>, Unreplayed> {
        let (system, states) = (self.system, &self.path.states);
        let wrong = |at: usize, why: &str| Unreplayed::from(error(0, at, why));
        let Some(first) = states.first() else { return Err(wrong(0, "a path has at least one state")) };
        if states.iter().any(|state| state.0.len() != first.0.len()) {
            return Err(wrong(0, "all states of a run have actions, or none of them has"));
        }
        if first.0.len() == system.len() && self.names_actions() {
            return Err(wrong(0, "the property is about actions, and the run does not have them"));
        }
        if !self.is_initial(first, budget)? {
            return Err(wrong(0, "does not start in an initial state"));
        }
        for (at, pair) in states.windows(2).enumerate() {
            let steps = successors(system, local(system, &pair[0]), budget)?;
            let left = left(system, &pair[0]);
            let is_step = |(taken, to, must): &(u32, Vec<u32>, bool)| {
                *must
                    && to.as_slice() == local(system, &pair[1])
                    && (left == Left::Somehow || left == Left::By(system.visible_name(*taken)))
            };
            let stays =
                self.dead_ends == DeadEnds::Loop && steps.is_empty() && pair[0] == pair[1] && left.may_stay();
            if !stays && !steps.iter().any(is_step) {
                return Err(wrong(at, "no certain step leads from here to the next state"));
            }
        }
        let end = states.len() - 1;
        if let Some(Loop { from, to }) = self.path.repeats {
            if from >= to || to != end {
                return Err(wrong(end, "the loop does not end in the last state of the path"));
            }
            if states[from] != states[to] {
                return Err(wrong(end, "the loop does not close"));
            }
            return Ok(Some(from));
        }
        let ends = self.dead_ends == DeadEnds::Maximal
            && successors(system, local(system, &states[end]), budget)?.is_empty()
            && left(system, &states[end]).may_stay();
        if ends { Ok(None) } else { Err(wrong(end, "the run neither ends here nor goes on")) }
    }

    /// Whether an atom of the formula is an action.
    fn names_actions(&self) -> bool {
        let system = self.system;
        let is_action = |name| system.atoms().find(name).is_none() && system.actions().find(name).is_some();
        system.kind() == ProcessKind::Lts && self.formula.atoms().iter().any(is_action)
    }

    fn is_initial(&self, state: &GlobalState, budget: &mut Budget) -> Result<bool, Exhausted> {
        let (system, state) = (self.system, local(self.system, state));
        let initial = system.initial();
        if !system.starts() {
            return Ok(state == initial);
        }
        let first = successors(system, &initial, budget)?;
        Ok(first.iter().any(|(_, to, must)| *must && to.as_slice() == state))
    }

    /// Decides whether the formula is false on the run.
    fn refutes(&self, back: Option<usize>, budget: &mut Budget) -> Result<Replayed, Unreplayed> {
        // the last state of a loop is its first
        let len = self.path.states.len() - usize::from(back.is_some());
        let letters: Vec<Vec<Truth>> = (0..len).map(|at| self.letter(at)).collect();
        let steps = self.path.states.len() - 1;
        let replayed = Replayed { steps, claims: 1, ..Replayed::default() };
        let why = "the property holds on this run";
        match self.value(&letters, back, budget)? {
            Truth::False => return Ok(replayed),
            Truth::True => return Err(error(0, 0, why).into()),
            Truth::Unknown => {}
        }
        let after = match back {
            None => After::End,
            Some(back) if self.stays(back, budget)? => After::Stay,
            Some(back) => After::Back(back),
        };
        match holds_somehow(self.formula, &letters, after, budget)? {
            Some(false) => Ok(replayed),
            Some(true) => Err(error(0, 0, "the property holds on this run for some values of labels").into()),
            None => {
                let claim = "the property fails on this run whatever the unknown labels are".to_owned();
                Ok(Replayed { trusted: 1, trusted_claims: vec![claim], ..replayed })
            }
        }
    }

    /// Whether the loop is a dead end in which the run stays.
    fn stays(&self, back: usize, budget: &mut Budget) -> Result<bool, Exhausted> {
        let states = &self.path.states;
        let is_one = back + 2 == states.len();
        Ok(is_one && successors(self.system, local(self.system, &states[back]), budget)?.is_empty())
    }

    /// The values of the atoms of the formula at a place of the run: a label, or else an action.
    fn letter(&self, at: usize) -> Vec<Truth> {
        let state = &self.path.states[at];
        let system = self.system;
        let of = |name: &str| match system.atoms().find(name) {
            Some(label) => {
                let (process, own) = system.owners(label)[0];
                system.process(process).label(StateId::new(state.0[process as usize] as usize), own)
            }
            None if system.kind() == ProcessKind::Kripke => Truth::False,
            None => (left(system, state) == Left::By(name)).into(),
        };
        self.formula.atoms().iter().map(of).collect()
    }

    /// The value of the formula on a word. After its last letter comes that of `back`, if it goes
    /// on.
    fn value(
        &self,
        letters: &[Vec<Truth>],
        back: Option<usize>,
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        let len = letters.len();
        let mut columns: Vec<Vec<Truth>> = Vec::with_capacity(self.formula.len());
        for (_, node) in self.formula.nodes() {
            budget.spend(len)?;
            budget.note(len)?;
            let of = |child: FormulaId, at: usize| columns[child.index()][at];
            let each = |value: &dyn Fn(usize) -> Truth| (0..len).map(value).collect::<Vec<Truth>>();
            let next = |at: usize| if at + 1 < len { Some(at + 1) } else { back };
            // from the back, twice: the second time the end of the loop knows its beginning
            let along = |last: Truth, step: &dyn Fn(usize, Truth) -> Truth| {
                let mut column = vec![last; len];
                for at in (0..len).rev().chain((0..len).rev()) {
                    column[at] = step(at, next(at).map_or(last, |next| column[next]));
                }
                column
            };
            let column = match node {
                Node::True => each(&|_| Truth::True),
                Node::False => each(&|_| Truth::False),
                Node::Atom(atom) => each(&|at| letters[at][atom.index()]),
                Node::Not(a) => each(&|at| !of(a, at)),
                Node::And(a, b) => each(&|at| of(a, at).min(of(b, at))),
                Node::Or(a, b) => each(&|at| of(a, at).max(of(b, at))),
                Node::Implies(a, b) => each(&|at| (!of(a, at)).max(of(b, at))),
                Node::Iff(a, b) => each(&|at| {
                    let both = of(a, at).min(of(b, at));
                    both.max((!of(a, at)).min(!of(b, at)))
                }),
                // where the run ends, nothing comes next
                Node::X(a) => each(&|at| next(at).map_or(Truth::False, |next| of(a, next))),
                Node::F(a) => along(Truth::False, &|at, next| of(a, at).max(next)),
                Node::G(a) => along(Truth::True, &|at, next| of(a, at).min(next)),
                Node::U(a, b) => along(Truth::False, &|at, next| of(b, at).max(of(a, at).min(next))),
                Node::R(a, b) => along(Truth::True, &|at, next| of(b, at).min(of(a, at).max(next))),
                Node::W(a, b) => along(Truth::True, &|at, next| of(b, at).max(of(a, at).min(next))),
                // no formula of linear time has one
                Node::E(_) | Node::A(_) => each(&|_| Truth::Unknown),
            };
            columns.push(column);
        }
        Ok(columns[self.formula.root().index()][0])
    }
}

/// The processes' states.
fn local<'s>(system: &System, state: &'s GlobalState) -> &'s [u32] {
    &state.0[..system.len()]
}

/// How a run leaves a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left<'s> {
    /// the run does not say
    Somehow,
    /// by the action of this name
    By(&'s str),
    /// not at all, or by staying at a dead end
    Never,
}

impl Left<'_> {
    /// Whether it may be without a step.
    fn may_stay(self) -> bool {
        !matches!(self, Left::By(_))
    }
}

fn left<'s>(system: &'s System, state: &GlobalState) -> Left<'s> {
    match state.0.get(system.len()) {
        None => Left::Somehow,
        Some(&action) if (action as usize) < system.actions().len() => {
            Left::By(system.visible_name(action as Action))
        }
        Some(_) => Left::Never,
    }
}
