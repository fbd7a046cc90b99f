//! Linear time: a formula of LTL holds if no run is accepted by the automaton of its negation; an
//! automaton given as such is asked whether it accepts some run (rsm-analysis, section 2.3).
//!
//! Where there is no infinite run of the kind asked for, every formula of LTL holds vacuously
//! (erratum R16). Whether there is one is found out once for all questions, when the first asks.

use super::resolved::Resolved;
use crate::EngineName;
use crate::Options;
use crate::answer::counters::{AUTOMATON_STATES, TUPLES};
use crate::answer::{Answer, NO_PATH, Note, TOO_LONG};
use loris_base::{Budget, Exhausted, IndexVec};
use loris_evidence::{AUTOMATON, AtExit, Evidence, Path, Paths, Verdict};
use loris_logic::automaton::{Buchi, translate};
use loris_logic::{Core, Formula, FormulaBuilder, FormulaId, Ltl, Node, Predicate, Recurrence};
use loris_recursive::{Acceptance, ExploreDirection, Prepared, Runs, without_stutters};
use loris_rsm::LabelId;
use std::sync::{Mutex, PoisonError};

/// A formula of LTL.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub(crate) formula: Formula,
    pub(crate) negation: Resolved<Ltl>,
}

impl Linear {
    /// The claim of a run that refutes the formula: the negation with its operators pushed inward
    /// if that is one path's, else as it was written. Where runs may stop, `E p` is more than `p`,
    /// which the normal form of a total machine does not express.
    fn shows(&self, paths: impl Into<Paths>) -> String {
        shown_by_refuting_run(&self.formula, paths)
    }
}

/// What a run that refutes a formula shows; see [`Linear::shows`].
pub(crate) fn shown_by_refuting_run(formula: &Formula, paths: impl Into<Paths>) -> String {
    let on_all_paths = Core::linear(formula).ok().filter(|_| paths.into() != Paths::Infinite);
    let pushed = on_all_paths.and_then(|core| {
        let negated = core.negated();
        let is_path = negated.nodes().last().is_some_and(|node| node.is_existential());
        if is_path { negated.print_within(negated.root(), PUSHED) } else { None }
    });
    pushed.unwrap_or_else(|| refuted(formula).to_string())
}

/// A negation that gets longer than this when pushed inward stays outside.
const PUSHED: usize = 1000;

/// `E !φ`.
fn refuted(formula: &Formula) -> Formula {
    let mut build = FormulaBuilder::default();
    let mut ids: Vec<FormulaId> = Vec::with_capacity(formula.len());
    for (_, node) in formula.nodes() {
        let id = match node {
            Node::Atom(atom) => build.atom(&formula.atoms()[atom]),
            node => build.add(node.map(|child| ids[loris_base::Idx::index(child)])),
        };
        ids.push(id);
    }
    let not = build.add(Node::Not(ids[loris_base::Idx::index(formula.root())]));
    let root = build.add(Node::E(not));
    build.finish(root)
}

/// The runs that are looked for.
struct Sought<'s> {
    buchi: &'s Buchi,
    /// the predicate of each atom of the automaton, over other atoms; if absent, the atom itself
    predicates: Option<&'s [Predicate]>,
    labels: &'s [Option<LabelId>],
    recurrences: &'s [Recurrence],
    /// whether steps from a state to itself make no difference
    is_stutter_invariant: bool,
}

/// Data that questions of linear time share.
pub(crate) struct Searches<'a> {
    prepared: &'a Prepared<'a>,
    options: &'a Options,
    has_infinite_run: Mutex<Option<bool>>,
}

impl<'a> Searches<'a> {
    pub(crate) fn new(prepared: &'a Prepared<'a>, options: &'a Options) -> Self {
        Self { prepared, options, has_infinite_run: Mutex::new(None) }
    }

    /// Looks for a run that refutes a formula.
    pub(crate) fn refuted(&self, linear: &Linear, budget: &mut Budget) -> Result<Answer, Exhausted> {
        let negation = &linear.negation.of;
        // on finite structures recurrence conditions go into the search, not into the automaton
        let is_total = self.prepared.is_finite() && self.prepared.rsm().stops().is_empty();
        let (rest, recurrences) = match self.options.at_exit {
            AtExit::Loop | AtExit::Sink if is_total => negation.recurrences(),
            _ => (negation.clone(), Vec::new()),
        };
        let (rest, predicates) = rest.abstracted();
        let refuting = Sought {
            buchi: &translate(&rest, budget)?,
            predicates: Some(&predicates),
            labels: &linear.negation.atoms,
            recurrences: &recurrences,
            is_stutter_invariant: negation.is_stutter_invariant(),
        };
        let mut answer = self.search(&refuting, budget, || {
            linear.shows(Paths::of(self.prepared.rsm(), self.options.at_exit, true))
        })?;
        answer.verdict = match answer.verdict {
            Verdict::Holds => Verdict::Fails,
            _ => Verdict::Holds,
        };
        self.unless_vacuous(answer, &Verdict::Holds, budget)
    }

    /// Looks for a run that an automaton accepts.
    pub(crate) fn accepted(
        &self,
        automaton: &Resolved<Buchi>,
        budget: &mut Budget,
    ) -> Result<Answer, Exhausted> {
        // with as much again that the allocator keeps of what reading it took
        budget.charge(2 * automaton.of.bytes())?;
        let accepting = Sought {
            buchi: &automaton.of,
            predicates: None,
            labels: &automaton.atoms,
            recurrences: &[],
            is_stutter_invariant: false,
        };
        let answer = self.search(&accepting, budget, || AUTOMATON.to_owned())?;
        self.unless_vacuous(answer, &Verdict::Fails, budget)
    }

    /// Looks for an accepted run: [`Verdict::Holds`] if there is one.
    fn search(
        &self,
        sought: &Sought<'_>,
        budget: &mut Budget,
        shows: impl FnOnce() -> String,
    ) -> Result<Answer, Exhausted> {
        let Options { at_exit, runs, evidence, .. } = *self.options;
        let acceptance = Acceptance {
            buchi: sought.buchi,
            predicates: sought.predicates,
            labels: sought.labels,
            recurrences: if runs == Runs::Unbounded { &[] } else { sought.recurrences },
            runs,
            at_exit,
            evidence,
            direction: ExploreDirection::default(),
        };
        let found = self.prepared.accepted(&acceptance, budget)?;
        let mut answer = Answer::new(EngineName::Buchi, found.is_accepted);
        answer.counters.push((TUPLES, found.tuples));
        answer.counters.push((AUTOMATON_STATES, sought.buchi.states() as u64));
        match found.run {
            _ if !evidence => {}
            Some(run) => {
                let (states, repeats) = if sought.is_stutter_invariant { without_stutters(run) } else { run };
                let path = Path { shows: shows(), states, repeats: Some(repeats), because: Vec::new() };
                let mut paths = IndexVec::default();
                paths.push(path);
                answer.evidence = Some(Evidence { paths, also: Vec::new() }.into());
            }
            None => {
                answer.evidence_note = Some(match found.cut_off {
                    Some(reason) => reason.to_string(),
                    None if found.is_accepted => TOO_LONG.to_owned(),
                    None => NO_PATH.to_owned(),
                });
            }
        }
        Ok(answer)
    }

    /// Adds a note if a verdict that there is no run of a kind holds vacuously, because there are
    /// no runs at all. If that cannot be found out within the budget, there is no verdict.
    fn unless_vacuous(
        &self,
        mut answer: Answer,
        no_run: &Verdict,
        budget: &mut Budget,
    ) -> Result<Answer, Exhausted> {
        let Options { at_exit, runs, .. } = *self.options;
        let ends = at_exit == AtExit::Stop || !self.prepared.rsm().stops().is_empty();
        let may_be = ends || runs != Runs::All;
        if may_be && answer.verdict == *no_run && !self.has_infinite_run(budget)? {
            answer.note = Some(Note::NoInfiniteRun(runs));
        }
        Ok(answer)
    }

    /// Charged to who asks first; the others wait for it.
    fn has_infinite_run(&self, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut known = self.has_infinite_run.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = *known {
            return Ok(known);
        }
        let Options { at_exit, runs, .. } = *self.options;
        let found = self.prepared.has_infinite_run(runs, at_exit, budget)?;
        *known = Some(found);
        Ok(found)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Linear, refuted};
    use crate::machine::resolved::Resolved;
    use loris_evidence::{AtExit, relates_formula};
    use loris_logic::{Formula, RandomLtl, negated_ltl, parse};
    use loris_rsm::{Rsm, Semantics, read_rsm_json};

    fn machine() -> Rsm {
        let model = r#"{"initial_component": "m", "components": [{"name": "m", "boxes": [],
            "nodes": [{"name": "n", "is_entry": true, "is_exit": true}], "transitions": []}]}"#;
        read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap().0
    }

    fn linear(formula: &Formula) -> Linear {
        let (negation, names) = negated_ltl(formula).unwrap();
        Linear { formula: formula.clone(), negation: Resolved::new(&machine(), negation, &names) }
    }

    fn check(text: &str, at_exit: AtExit, expected: &str) {
        let formula = parse(text).unwrap();
        assert_eq!(linear(&formula).shows(at_exit), expected, "{text}");
    }

    #[test]
    fn negations_are_pushed_inward_where_that_is_said_of_one_path() {
        check("G (p -> F q)", AtExit::Loop, "E F (p & G !q)");
        check("G p", AtExit::Sink, "E F !p");
        check("G F p & G F q", AtExit::Loop, "E (F G !p | F G !q)");
        check("G p", AtExit::Stop, "E !G p");
        check("p", AtExit::Stop, "E !p");
    }

    #[test]
    fn what_is_shown_relates_to_the_property() {
        let mut rng = loris_base::Rng::new(7);
        for _ in 0..2000 {
            let formula = RandomLtl::new(6).generate(&mut rng);
            for at_exit in [AtExit::Loop, AtExit::Stop] {
                let shows = linear(&formula).shows(at_exit);
                assert!(relates_formula(&formula, false, &shows, at_exit), "{formula}: {shows}");
            }
            let shows = refuted(&formula).to_string();
            assert!(relates_formula(&formula, false, &shows, AtExit::Loop), "{formula}: {shows}");
        }
    }
}
