//! Decides whether evidence shows its formula, by the semantics alone (`docs/semantics.md`); it
//! shares no code with any engine.
//!
//! First every path is walked step by step. A path comes before those it relies on, so that a
//! second loop, from the last path to the first, meets every path after its claims were checked
//! (`shape.rs`), and no recursion is needed. Linear in the size of the evidence times the size of
//! the formulas, and in the states explored for claims that no path can show (`judge.rs`).
//!
//! Three kinds of claims have no finite evidence: that *no* path of some kind exists, that a claim
//! which looks below the stack where a growing loop starts holds again in later rounds, where the
//! stack below is another, and that what is shown of one initial state holds in all others. Where
//! the outcome depends on them, they are decided by searches: by exploring the states around, as
//! far as few states decide them, then by a solver (`unrolled.rs`) and by decision diagrams
//! (`diagrams.rs`), if states are valuations. Evidence with a refuted claim is refused; claims that
//! no search decides are listed as trusted.

use crate::bit_graph::initial_states;
use crate::formulas::{Formulas, Lit, Op};
use crate::judge::Judge;
use crate::machine::MachineSpace;
use crate::replayed::{ReplayError, Replayed, Unreplayed, error};
use crate::run::{is_reach, is_run, replay_reach_within, replay_run_within};
use crate::search::Search;
use crate::space::{Reaching, StateSpace};
use crate::steps::{Endless, walk};
use crate::{AUTOMATON, AtExit, Evidence, PathId, Paths};
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::{Core, Formula, ends_in_ctl, without_ends};
use loris_rsm::{Rsm, Vertex};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks every path, every step and every claim, without limits.
///
/// Where the first path shows `reach …`, this is [`replay_reach`](crate::replay_reach). Where it
/// shows [`AUTOMATON`](crate::AUTOMATON) and goes on forever, the run is checked and that the
/// automaton accepts it is trusted; [`replay_run`](crate::replay_run) gives the labels to ask one.
///
/// # Errors
/// The first thing found that is not so.
pub fn replay(rsm: &Rsm, evidence: &Evidence, at_exit: AtExit) -> Result<Replayed, ReplayError> {
    replay_within(rsm, evidence, at_exit, &mut Budget::unlimited()).map_err(Unreplayed::refused)
}

/// [`replay`] within limits.
///
/// # Errors
/// The first thing found that is not so, or the limit that was reached.
pub fn replay_within(
    rsm: &Rsm,
    evidence: &Evidence,
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<Replayed, Unreplayed> {
    match evidence.paths.iter().next() {
        Some(path) if is_reach(path) => {
            replay_reach_within(rsm, evidence, at_exit, budget).map(|(_, replayed)| replayed)
        }
        Some(path) if path.shows == AUTOMATON && is_run(path) => {
            let steps = replay_run_within(rsm, evidence, at_exit, budget)?.steps;
            let trusted_claims = vec!["the automaton accepts this run".to_owned()];
            Ok(Replayed { steps, trusted: 1, trusted_claims, ..Replayed::default() })
        }
        _ => replay_formula(rsm, evidence, at_exit, Paths::of(rsm, at_exit, false), budget),
    }
}

/// [`replay_within`] of evidence that has to show a formula, whatever the text looks like: there
/// may be a label `automaton`. Its quantifiers are about these paths.
///
/// # Errors
/// The first thing found that is not so, or the limit that was reached.
pub fn replay_formula(
    rsm: &Rsm,
    evidence: &Evidence,
    at_exit: AtExit,
    paths: Paths,
    budget: &mut Budget,
) -> Result<Replayed, Unreplayed> {
    replay_paths(&MachineSpace::new(rsm, at_exit), evidence, paths, budget)
}

/// Replays evidence in a model of any kind: each path step by step, then each formula that a path
/// has to show. `paths` are those that quantifiers are about; [`Paths::Total`] if every state of
/// the model has a successor. In a model with [`fairness`](StateSpace::fairness), they are the fair
/// ones.
///
/// # Errors
/// The first thing found that is not so, or the limit that was reached.
pub fn replay_paths<M: StateSpace>(
    model: &M,
    evidence: &Evidence<M::State>,
    paths: Paths,
    budget: &mut Budget,
) -> Result<Replayed, Unreplayed> {
    replayed(model, evidence, paths, false, budget)
}

/// The same for evidence that something holds in every initial state. Of those that no path starts
/// in it is decided by searches.
///
/// # Errors
/// The first thing found that is not so, or the limit that was reached.
pub fn replay_everywhere<M: StateSpace>(
    model: &M,
    evidence: &Evidence<M::State>,
    paths: Paths,
    budget: &mut Budget,
) -> Result<Replayed, Unreplayed> {
    replayed(model, evidence, paths, true, budget)
}

fn replayed<M: StateSpace>(
    model: &M,
    evidence: &Evidence<M::State>,
    paths: Paths,
    everywhere: bool,
    budget: &mut Budget,
) -> Result<Replayed, Unreplayed> {
    let are_fair = !model.fairness().is_empty();
    let paths = if are_fair { Paths::Fair } else { paths };
    for (id, path) in evidence.paths.iter_enumerated() {
        let at = &mut 0;
        walk(model, &path.states, at, budget).map_err(|fault| Unreplayed::at(id.index(), *at, fault))?;
    }
    let count = evidence.paths.len();
    let mut replay = Replay {
        model,
        evidence,
        root: roots(evidence).collect(),
        paths,
        formulas: Formulas::new(paths).of_fair_runs(are_fair),
        shown: vec![Shown { formula: Lit::TRUE, lowest: usize::MAX }; count],
        judge: None,
        explored: false,
        search: None,
        reached: FxHashMap::default(),
        listed: FxHashSet::default(),
        report: Replayed::default(),
        budget,
    };
    for path in evidence.paths.ids().rev() {
        let at = &mut 0;
        replay.path(path, at).map_err(|fault| Unreplayed::at(path.index(), *at, fault))?;
    }
    replay.roots()?;
    if everywhere {
        replay.everywhere()?;
    }
    Ok(replay.report)
}

/// Whether a model whose states are valuations has an initial state; true of others.
///
/// # Errors
/// The limit that was reached.
pub fn has_initial_state<M: StateSpace>(model: &M, budget: &mut Budget) -> Result<bool, Exhausted> {
    let Some(bits) = model.bits() else { return Ok(true) };
    Ok(initial_states(bits.transitions(), 0, budget)?.is_none())
}

/// Checks that evidence that a property holds starts in every initial node; where it fails, one is
/// enough.
///
/// # Errors
/// Names an initial node that is missing.
pub fn covers_initial(rsm: &Rsm, evidence: &Evidence, holds: bool) -> Result<(), ReplayError> {
    let starts: FxHashSet<Vertex> = roots(evidence)
        .filter_map(|root| evidence.paths.as_slice().get(root.index())?.states.first()?.node)
        .collect();
    match rsm.initial().iter().find(|node| !starts.contains(node)) {
        Some(&node) if holds || starts.is_empty() => {
            let message = format!("nothing is shown of the initial node \"{}\"", rsm.vertex_name(node));
            Err(error(0, 0, message))
        }
        _ => Ok(()),
    }
}

/// Whether a formula is what evidence has to show: the property where it holds, its negation where
/// it fails.
pub fn relates(property: &Core, verdict_holds: bool, shows: &str) -> bool {
    same_claim(&property.to_formula(property.root()), verdict_holds, shows, Formulas::new(Paths::Total))
}

/// The same for any property of LTL, which is about all paths, of CTL or of CTL*: formulas are
/// compared with negations pushed inward and `F`, `G`, `W` and implications spelled out, but not
/// reordered. What evidence shows may come from the property as it is written or from its [`Core`],
/// which simplifies.
///
/// Where only infinite runs count, `E p` is more than `p`.
pub fn relates_formula(
    property: &Formula,
    verdict_holds: bool,
    shows: &str,
    paths: impl Into<Paths>,
) -> bool {
    let paths = paths.into();
    let related = |property: &Formula| same_claim(property, verdict_holds, shows, Formulas::new(paths));
    if related(property) {
        return true;
    }
    let core = match paths {
        Paths::Ending => Core::new(property).and_then(|_| Core::new(&ends_in_ctl(property))).map(Core::from),
        Paths::Total | Paths::Infinite => Core::linear(property).or_else(|_| Core::star(property)),
        // in branching time, a property of states is not about the runs from there
        Paths::Fair => Core::star(property),
    };
    core.is_ok_and(|core| related(&without_ends(&core.to_formula(core.root()))))
}

/// The same in a model in which only fair runs count, though neither formula says so: in linear
/// time, or in branching time.
pub fn relates_to_fair_runs(property: &Formula, verdict_holds: bool, shows: &str, linear: bool) -> bool {
    let paths = if linear { Paths::Infinite } else { Paths::Fair };
    let formulas = || Formulas::new(paths).of_fair_runs(true);
    let of_core = |core: &Formula| same_claim(core, verdict_holds, shows, formulas());
    if same_claim(property, verdict_holds, shows, formulas()) {
        return true;
    }
    if !linear {
        return Core::fair(property).is_ok_and(|core| of_core(&core.to_formula(core.root())));
    }
    // the core takes every run for one that counts: it may only simplify what is said of one run
    let core = Core::linear(property).map(|core| core.to_formula(core.root()));
    core.is_ok_and(|core| {
        let mut formulas = formulas();
        let lits = formulas.add(&core);
        let claim = lits[core.root().index()];
        let shown = formulas.read(shows).map(|shown| shown.claim);
        matches!(formulas.op(claim), Op::Absent(_)) && shown == Ok(if verdict_holds { claim } else { !claim })
    })
}

fn same_claim<'s>(property: &Formula, holds: bool, shows: &'s str, mut formulas: Formulas<'s>) -> bool {
    let claim = formulas.on_all_paths(property);
    formulas.read(shows).is_ok_and(|shown| shown.claim == if holds { claim } else { !claim })
}

fn roots<S>(evidence: &Evidence<S>) -> impl Iterator<Item = PathId> + '_ {
    std::iter::once(PathId::new(0)).chain(evidence.also.iter().copied())
}

/// Facts about a checked path.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    pub(crate) formula: Lit,
    /// the lowest stack height at which it, or a path it relies on, leaves an exit: frames further
    /// down do not matter
    pub(crate) lowest: usize,
}

/// A replay under way; all paths were walked.
pub(crate) struct Replay<'a, 'b, M: StateSpace> {
    pub(crate) model: &'a M,
    pub(crate) evidence: &'a Evidence<M::State>,
    pub(crate) root: FxHashSet<PathId>,
    pub(crate) paths: Paths,
    pub(crate) formulas: Formulas<'a>,
    pub(crate) shown: Vec<Shown>,
    /// the states around, once a claim was met that no path can show, if the model can be explored
    pub(crate) judge: Option<Judge<'a, M>>,
    explored: bool,
    /// the other searches, once a claim was met that the states around do not decide
    pub(crate) search: Option<Search<'a, M>>,
    /// where claims `E [ p U q ]` hold that were decided for all states at once
    pub(crate) reached: FxHashMap<Lit, Option<Box<dyn Reaching<M::State> + 'a>>>,
    pub(crate) listed: FxHashSet<(Lit, bool)>,
    pub(crate) report: Replayed,
    pub(crate) budget: &'b mut Budget,
}

/// Later rounds of a growing loop in which claims are looked at.
pub(crate) const ROUNDS: std::ops::RangeInclusive<usize> = 1..=2;

/// In this many initial states a claim is decided one by one.
const MOST_INITIAL: usize = 1 << 10;

impl<M: StateSpace> Replay<'_, '_, M> {
    /// Explores the states around all paths, if that was not done.
    pub(crate) fn explore(&mut self) -> Result<(), Exhausted> {
        if !self.explored {
            self.explored = true;
            let model = self.model;
            let paths = self.evidence.paths.iter();
            let mut later: Vec<M::State> = Vec::new();
            for path in paths.clone().filter(|path| path.repeats.is_some()) {
                let Ok(run) = Endless::new(model, path) else { continue };
                let Some(round) = run.round else { continue };
                for number in ROUNDS {
                    for index in round.from..round.to {
                        let state = model.later(&path.states, &round, index, number);
                        let size = model.size(&state);
                        self.budget.spend(size)?;
                        self.budget.charge(size_of::<M::State>() + 4 * size)?;
                        later.push(state);
                    }
                }
            }
            let seeds = &mut paths.flat_map(|path| &path.states).chain(&later);
            let parts = self.formulas.len();
            self.judge = Judge::new(model, self.paths, seeds, parts, self.budget)?;
        }
        Ok(())
    }

    /// Decides whether what the first path shows holds in all initial states.
    fn everywhere(&mut self) -> Result<(), Unreplayed> {
        let (model, claim) = (self.model, self.shown[0].formula);
        let Some(bits) = model.bits() else { return Ok(()) };
        let starts: FxHashSet<&M::State> =
            roots(self.evidence).map(|root| &self.evidence.paths[root].states[0]).collect();
        let mut value = Truth::Unknown;
        if let Some(initial) = initial_states(bits.transitions(), MOST_INITIAL, self.budget)? {
            let initial: Vec<M::State> = initial.iter().map(|values| bits.state(values)).collect();
            let others = || initial.iter().filter(|state| !starts.contains(state));
            if others().next().is_none() {
                return Ok(());
            }
            let parts = self.formulas.len();
            if let Some(mut judge) = Judge::new(model, self.paths, &mut others(), parts, self.budget)? {
                value = Truth::True;
                for state in others() {
                    value = value.min(judge.value(&self.formulas, claim, state, self.budget)?);
                }
            }
        }
        if value == Truth::Unknown {
            let search = self.search.get_or_insert_with(|| Search::new(model, bits));
            value = search.everywhere(&self.formulas, claim, self.budget)?;
        }
        let claim = self.formulas.print(claim);
        match value {
            Truth::True => self.report.decided += 1,
            Truth::False => {
                return Err(
                    error(0, 0, format!("`{claim}` does not hold in some other initial state")).into()
                );
            }
            Truth::Unknown => {
                self.report.trusted += 1;
                self.report.trusted_claims.push(format!("{claim}, in all other initial states"));
            }
        }
        Ok(())
    }

    /// Checks that the outermost paths show one formula and start in initial states, each in
    /// another.
    fn roots(&self) -> Result<(), ReplayError> {
        let mut known = FxHashSet::default();
        for root in roots(self.evidence) {
            let wrong = |message: &str| Err(error(root.index(), 0, message));
            let Some(path) = self.evidence.paths.as_slice().get(root.index()) else {
                return wrong("there is no such path");
            };
            let start = &path.states[0];
            if !self.model.is_initial(start) {
                return wrong("does not start in an initial state");
            }
            if !known.insert(start) {
                return wrong("starts in the same initial state as another path");
            }
            if self.shown[root.index()].formula != self.shown[0].formula {
                return wrong("shows another formula than the first path");
            }
        }
        Ok(())
    }
}
