//! Is there a run that an automaton accepts? Büchi emptiness, and with it LTL, for all runs or
//! those with bounded or unbounded stacks (rsm-analysis, section 2.3).
//!
//! [`explore`] the product, then look for accepting [cycles](super::cycles); a run that stays at an
//! exit under the empty stack, or in the sink, accepts if the automaton accepts that letter
//! forever. O(|machine| · |automaton| · θ²), space O(|machine| · |automaton| · θ). Oracles: lassos
//! enumerated in `tests/`, the CTL* engine on A ρ, and the replay of evidence.

use super::arena::{Arena, Machine, PlaceId, Site};
use super::bundles::{BUNDLE, Bundles};
use super::cycles::{Heads, Runs, accepting};
use super::explore::{ExploreDirection, Explored, Start, explore};
use super::frame::Item;
use super::lasso::{Lasso, lasso};
use super::letters::{Letters, Steps};
use super::product::Product;
use super::sweep::{is_sweepable, sweep};
use crate::recorder::Unrecorded;
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::{AtExit, Loop, State};
use loris_logic::automaton::Buchi;
use loris_logic::{Predicate, Recurrence};
use loris_rsm::{LabelId, Rsm, Vertex};

/// How many facts are known when an accepted run is first looked for, where one is known to be.
const FIRST_FACTS: u64 = 1 << 10;

/// The run to look for.
#[derive(Clone, Copy, Debug)]
pub struct Acceptance<'q> {
    /// The automaton.
    pub buchi: &'q Buchi,
    /// The predicate each of its atoms stands for, over other atoms; if absent, the atom itself.
    pub predicates: Option<&'q [Predicate]>,
    /// For each atom, the label it means, if there is one.
    pub labels: &'q [Option<LabelId>],
    /// Recurrence conditions on the run, over the same atoms; only for machines without calls whose
    /// runs do not stop.
    pub recurrences: &'q [Recurrence],
    /// Which runs count.
    pub runs: Runs,
    /// How exits behave when the stack is empty.
    pub at_exit: AtExit,
    /// Whether the run is wanted.
    pub evidence: bool,
    /// From where components are looked at.
    pub direction: ExploreDirection,
}

impl Acceptance<'_> {
    /// The letters that the automaton reads on a machine.
    pub(crate) fn letters(&self, rsm: &Rsm, budget: &mut Budget) -> Result<Letters, Exhausted> {
        match self.predicates {
            Some(predicates) => Letters::of_predicates(rsm, predicates, self.labels, budget),
            None => Letters::new(rsm, self.labels, budget),
        }
    }
}

/// The result of the search.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// Whether some run from an initial state is accepted.
    pub is_accepted: bool,
    /// Such a run, if one was asked for and is not too long to be written down.
    pub run: Option<(Vec<State>, Loop)>,
    /// The limit that was reached while the run was recorded, if there is no run for that reason.
    pub cut_off: Option<Exhausted>,
    /// How many facts were derived.
    pub tuples: u64,
}

/// Looks for an accepted run, without recurrence conditions.
pub(crate) fn accepted(
    rsm: &Rsm,
    question: &Acceptance<'_>,
    budget: &mut Budget,
) -> Result<Accepted, Exhausted> {
    let letters = question.letters(rsm, budget)?;
    let steps = Steps::new(question.buchi, &letters, budget)?;
    let product = Product::new(Machine::new(rsm), &letters, &steps, budget)?;
    let Acceptance { runs, at_exit, evidence, direction, .. } = *question;
    RunSearch { runs, at_exit, evidence, direction }.run(&product, start(&product), budget)
}

/// Whether there is an infinite run of a kind at all.
pub(crate) fn has_infinite_run(
    rsm: &Rsm,
    runs: Runs,
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    let letters = Letters::constant(rsm.vertex_count(), budget)?;
    let steps = Steps::all(budget)?;
    let product = Product::new(Machine::new(rsm), &letters, &steps, budget)?;
    let search = RunSearch { runs, at_exit, evidence: false, direction: ExploreDirection::Fewer };
    Ok(search.run(&product, start(&product), budget)?.is_accepted)
}

/// All initial nodes, in all initial states.
fn start(product: &Product<'_>) -> Start {
    let rsm = product.machine.rsm;
    let site = product.machine.site(rsm.initial_component().index() as u32);
    let initial = &product.steps.initial;
    let at = |vertex: &Vertex| {
        let local = site.place(*vertex);
        initial.iter().map(move |&state| product.place(local, state))
    };
    Start { below: Vec::new(), site, places: rsm.initial().iter().flat_map(at).collect() }
}

/// How to search.
pub(crate) struct RunSearch {
    pub(crate) runs: Runs,
    pub(crate) at_exit: AtExit,
    pub(crate) evidence: bool,
    pub(crate) direction: ExploreDirection,
}

impl RunSearch {
    /// Looks for an accepted run from given places.
    pub(crate) fn run(
        &self,
        product: &Product<'_>,
        start: Start,
        budget: &mut Budget,
    ) -> Result<Accepted, Exhausted> {
        let RunSearch { runs, at_exit, evidence, direction } = *self;
        // a run that gets to a state which accepts whatever comes need not be followed, if it can
        // go on
        let universal = universal(product.steps);
        let goes_on = at_exit != AtExit::Stop && product.machine.rsm.stops().is_empty();
        let shortcut = runs == Runs::All && goes_on && universal.contains(&true);
        let is_universal = |place: PlaceId| shortcut && universal[product.state(place) as usize];
        let pays = direction == ExploreDirection::Fewer && product.machine.has_few_entries(BUNDLE);
        if product.is_sparse() && start.below.is_empty() && pays {
            let decided = self.decide(product, &start, budget, is_universal)?;
            return if decided.is_accepted && evidence {
                self.show(product, start, budget)
            } else {
                Ok(decided)
            };
        }
        let enough = |_: Site, place: PlaceId| !evidence && is_universal(place);
        let found = if start.below.is_empty() && is_sweepable(product, direction) {
            let mut found = sweep(product, start, budget, enough)?;
            if evidence {
                found.since_start(budget)?;
            }
            found
        } else {
            explore(product, start, direction, budget, enough)?
        };
        let judged = self.judge(&found, budget);
        found.release(budget);
        judged
    }

    /// Whether a run is accepted; none is shown.
    fn decide(
        &self,
        product: &Product<'_>,
        start: &Start,
        budget: &mut Budget,
        is_universal: impl Fn(PlaceId) -> bool,
    ) -> Result<Accepted, Exhausted> {
        let RunSearch { runs, at_exit, .. } = *self;
        let found = Bundles::follow(product, start.site, &start.places, budget, is_universal)?;
        let rests = resting(product, start.site, at_exit);
        let is_resting = runs != Runs::Unbounded && found.bottom.iter().any(|&exit| rests(exit));
        let mut is_accepted = found.is_enough || is_resting;
        if !is_accepted {
            is_accepted = accepting(&found, runs, true, budget)?.is_some();
            budget.release(4 * found.slots());
        }
        let tuples = found.facts;
        found.release(budget);
        Ok(Accepted { is_accepted, run: None, cut_off: None, tuples })
    }

    /// Shows a run that is accepted, given that there is one: near places are searched first, then
    /// farther ones, so that most of the product need not be visited.
    fn show(&self, product: &Product<'_>, start: Start, budget: &mut Budget) -> Result<Accepted, Exhausted> {
        let mut found = Explored::begin(product, start, budget)?;
        let mut most = FIRST_FACTS;
        loop {
            let is_cut = found.advance(most, self.direction, budget, |_, _| false)?;
            let judged = self.judge(&found, budget)?;
            if judged.is_accepted || !is_cut {
                found.release(budget);
                return Ok(judged);
            }
            most = 2 * found.facts;
        }
    }

    /// Whether a run is accepted, given all that runs get to or a state that accepts whatever
    /// comes.
    fn judge(&self, found: &Explored<'_, Product<'_>>, budget: &mut Budget) -> Result<Accepted, Exhausted> {
        let RunSearch { runs, at_exit, evidence, .. } = *self;
        let decided = |is_accepted| Accepted { is_accepted, run: None, cut_off: None, tuples: found.facts };
        if found.hit.is_some() {
            return Ok(decided(true));
        }
        let resting = if runs == Runs::Unbounded { None } else { nearest_rest(found, at_exit) };
        if resting.is_some() && !evidence {
            return Ok(decided(true));
        }
        let part = accepting(found, runs, !evidence, budget)?;
        let is_accepted = resting.is_some() || part.is_some();
        let written = match (evidence, resting, &part) {
            (true, Some(rest), part)
                if part.as_ref().is_none_or(|part| found.time(part.nearest) >= found.time(rest)) =>
            {
                Some(rest_for_ever(found, rest, at_exit, budget))
            }
            (true, _, Some(part)) => Some(lasso(found, part, runs, budget)),
            _ => None,
        };
        budget.release(4 * found.times.len());
        let (run, cut_off) = written.map_or((None, None), Unrecorded::apart);
        Ok(Accepted { run, cut_off, ..decided(is_accepted) })
    }
}

/// Per state, whether it accepts whatever comes: it stays, accepting, under every letter.
fn universal(steps: &Steps) -> Vec<bool> {
    (0..steps.states)
        .map(|state| {
            let stays = |row: usize| steps.next.row(row).contains(&(state as u32));
            steps.accepting[state] && (state..steps.next.rows()).step_by(steps.states).all(stays)
        })
        .collect()
}

/// The first exit under the empty stack where staying accepts, or going to the sink.
fn nearest_rest(found: &Explored<'_, Product<'_>>, at_exit: AtExit) -> Option<Item> {
    let rests = resting(found.arena, found.frames.first()?.site, at_exit);
    let all = found.bottom.iter().filter(|item| rests(item.place));
    all.min_by_key(|&&item| (found.time(item), item)).copied()
}

/// Whether staying accepts at an exit of the site where runs start, or going to the sink.
fn resting(product: &Product<'_>, site: Site, at_exit: AtExit) -> impl Fn(PlaceId) -> bool {
    let for_ever = if at_exit == AtExit::Stop { Vec::new() } else { product.steps.for_ever() };
    move |place| {
        let row = product.step_row(site, place);
        match at_exit {
            AtExit::Stop => false,
            AtExit::Sink => {
                let sink = product.letters.sink as usize * product.steps.states;
                product.steps.next.row(row).iter().any(|&state| for_ever[sink + state as usize])
            }
            AtExit::Loop => for_ever[row],
        }
    }
}

fn rest_for_ever(
    found: &Explored<'_, Product<'_>>,
    rest: Item,
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<Lasso, Unrecorded> {
    let mut recorder = found.recorder(budget);
    found.record_run(rest, &mut recorder)?;
    let mut last = recorder.states.len() - 1;
    let end = if at_exit == AtExit::Sink {
        last += 1;
        recorder.emit(None)?;
        None
    } else {
        recorder.states[last].node
    };
    recorder.emit(end)?;
    Ok((recorder.states, Loop { from: last, to: last + 1 }))
}
