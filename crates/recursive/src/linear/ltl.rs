//! Is there a run that an automaton accepts? Büchi emptiness, and with it LTL, for all runs or those with
//! bounded or unbounded stacks (rsm-analysis, section 2.3).
//!
//! [`explore`] the product, then look for accepting [cycles](super::cycles); a run that stays at an exit
//! under the empty stack, or in the sink, accepts if the automaton accepts that letter for ever.
//! O(|machine| · |automaton| · θ²), space O(|machine| · |automaton| · θ). Oracles: lassos
//! enumerated in `tests/`, the CTL* engine on A ρ, and the replay of evidence.

use super::arena::{Machine, Site};
use super::cycles::{Runs, accepting};
use super::explore::{Direction, Explored, Item, Start, explore};
use super::lasso::{Lasso, lasso};
use super::letters::{Letters, Steps};
use super::product::Product;
use super::sweep::{is_sweepable, sweep};
use super::unwound::unwound;
use crate::recurrent;
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::{AtExit, Loop, State};
use loris_logic::automaton::Buchi;
use loris_logic::{Predicate, Recurrence};
use loris_rsm::{LabelId, Rsm, Vertex};

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Acceptance<'q> {
    /// The automaton.
    pub buchi: &'q Buchi,
    /// What each of its atoms stands for, over other atoms; without, itself.
    pub predicates: Option<&'q [Predicate]>,
    /// For each atom, the label it means, if there is one.
    pub labels: &'q [Option<LabelId>],
    /// What recurs on the run besides, over the same atoms; only of a machine without calls whose runs do not stop.
    pub recurrences: &'q [Recurrence],
    /// Which runs count.
    pub runs: Runs,
    /// What an exit does when the stack is empty.
    pub at_exit: AtExit,
    /// Whether the run is wanted.
    pub evidence: bool,
    /// From where components are looked at.
    pub direction: Direction,
}

impl Acceptance<'_> {
    /// The letters that the automaton reads on a machine.
    pub(crate) fn letters(&self, rsm: &Rsm) -> Letters {
        match self.predicates {
            Some(predicates) => Letters::of_predicates(rsm, predicates, self.labels),
            None => Letters::new(rsm, self.labels),
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// Whether some run from an initial state is accepted.
    pub is_accepted: bool,
    /// Such a run, if one was asked for and is not too long to be told.
    pub run: Option<(Vec<State>, Loop)>,
    /// How many facts were derived.
    pub tuples: u64,
}

/// Looks for an accepted run.
pub(crate) fn accepted(
    rsm: &Rsm,
    question: &Acceptance<'_>,
    budget: &mut Budget,
) -> Result<Accepted, Exhausted> {
    let mut found = if question.recurrences.is_empty() {
        budget.charge(4 * rsm.vertex_count())?;
        let letters = question.letters(rsm);
        let steps = Steps::new(question.buchi, &letters);
        let product = Product::new(Machine::new(rsm), &letters, &steps, budget)?;
        let Acceptance { runs, at_exit, evidence, direction, .. } = *question;
        Search { runs, at_exit, evidence, direction }.run(&product, start(&product), budget)?
    } else {
        recurrent::accepted(rsm, question, budget)?
    };
    found.run = found.run.map(|(states, repeats)| unwound(states, repeats, |node| rsm.is_exit(node)));
    Ok(found)
}

/// Whether there is an infinite run of a kind at all.
pub(crate) fn has_infinite_run(
    rsm: &Rsm,
    runs: Runs,
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    let letters = Letters::constant(rsm);
    let steps = Steps::all();
    let product = Product::new(Machine::new(rsm), &letters, &steps, budget)?;
    let search = Search { runs, at_exit, evidence: false, direction: Direction::Fewer };
    Ok(search.run(&product, start(&product), budget)?.is_accepted)
}

/// All initial nodes, in all initial states.
fn start(product: &Product<'_>) -> Start {
    let rsm = product.machine.rsm;
    let site = product.machine.site(rsm.initial_component().index() as u32);
    let initial = &product.steps.initial;
    let at = |vertex: &Vertex| {
        let local = vertex.index() as u32 - site.first;
        initial.iter().map(move |&state| product.place(local, state))
    };
    Start { below: Vec::new(), site, places: rsm.initial().iter().flat_map(at).collect() }
}

/// How to search.
pub(crate) struct Search {
    pub(crate) runs: Runs,
    pub(crate) at_exit: AtExit,
    pub(crate) evidence: bool,
    pub(crate) direction: Direction,
}

impl Search {
    /// Looks for an accepted run from given places.
    pub(crate) fn run(
        &self,
        product: &Product<'_>,
        start: Start,
        budget: &mut Budget,
    ) -> Result<Accepted, Exhausted> {
        let Search { runs, at_exit, evidence, direction } = *self;
        let steps = product.steps;
        // a run that gets to a state which accepts whatever comes need not be followed, if it can go on
        let universal = universal(steps);
        let shortcut = runs == Runs::All && at_exit != AtExit::Stop && !evidence && universal.contains(&true);
        let enough = |_: Site, place: u32| shortcut && universal[product.state(place) as usize];
        let found = if start.below.is_empty() && is_sweepable(product, direction) {
            let mut found = sweep(product, start, budget, enough)?;
            if evidence {
                found.since_start();
            }
            found
        } else {
            explore(product, start, direction, budget, enough)?
        };
        let tuples = found.facts;
        if found.hit.is_some() {
            return Ok(Accepted { is_accepted: true, run: None, tuples });
        }
        let resting = if runs == Runs::Unbounded { None } else { resting(&found, at_exit) };
        if resting.is_some() && !evidence {
            return Ok(Accepted { is_accepted: true, run: None, tuples });
        }
        let part = accepting(&found, runs, !evidence, budget)?;
        let is_accepted = resting.is_some() || part.is_some();
        let run = match (evidence, resting, part) {
            (true, Some(rest), part)
                if part.as_ref().is_none_or(|part| found.time(part.nearest) >= found.time(rest)) =>
            {
                rest_for_ever(&found, rest, at_exit)
            }
            (true, _, Some(part)) => lasso(&found, &part, runs, budget)?,
            _ => None,
        };
        Ok(Accepted { is_accepted, run, tuples })
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
fn resting(found: &Explored<'_, Product<'_>>, at_exit: AtExit) -> Option<Item> {
    if at_exit == AtExit::Stop {
        return None;
    }
    let product = found.arena;
    let for_ever = product.steps.for_ever();
    let site = found.frames.first()?.site;
    let rests = |item: &&Item| {
        let row = product.step_row(site, item.place);
        match at_exit {
            AtExit::Sink => {
                let sink = product.letters.sink as usize * product.steps.states;
                product.steps.next.row(row).iter().any(|&state| for_ever[sink + state as usize])
            }
            _ => for_ever[row],
        }
    };
    found.bottom.iter().filter(rests).min_by_key(|&&item| (found.time(item), item)).copied()
}

fn rest_for_ever(found: &Explored<'_, Product<'_>>, rest: Item, at_exit: AtExit) -> Option<Lasso> {
    let mut story = found.story();
    found.tell_run(rest, &mut story).ok()?;
    let mut last = story.states.len() - 1;
    let end = if at_exit == AtExit::Sink {
        last += 1;
        story.emit(None).ok()?;
        None
    } else {
        story.states[last].node
    };
    story.emit(end).ok()?;
    Some((story.states, Loop { from: last, to: last + 1 }))
}
