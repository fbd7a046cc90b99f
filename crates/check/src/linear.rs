//! Linear time: a formula of LTL holds if no run is accepted by the automaton of its negation; an
//! automaton given as such is asked whether it accepts some run (rsm-analysis, section 2.3).
//!
//! Where there is no infinite run of the kind asked for, every formula of LTL holds and says nothing
//! (erratum R16). Whether there is one is found out once for all questions, when the first asks.

use crate::answer::{Answer, NO_PATH, Note, TOO_LONG};
use crate::question::{Resolved, Subject};
use crate::{Options, Question};
use loris_base::{Budget, Diagnostics, Exhausted, IndexVec};
use loris_evidence::{AUTOMATON, AtExit, Evidence, Loop, Path, State, Verdict};
use loris_logic::automaton::{Buchi, translate};
use loris_logic::{Core, Formula, FormulaBuilder, FormulaId, Ltl, Node, negated_ltl};
use loris_recursive::{Acceptance, Direction, EngineName, Prepared, Runs};
use loris_rsm::Rsm;
use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

/// A formula of LTL.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    formula: Formula,
    /// A φ, for engines of branching time
    pub(crate) on_all_paths: Resolved<Core>,
    negation: Resolved<Ltl>,
}

impl Linear {
    pub(crate) fn new(rsm: &Rsm, formula: &Formula) -> Result<Self, Diagnostics> {
        let (negation, names) = negated_ltl(formula)?;
        let core = Core::linear(formula)?;
        let atoms = core.atoms().to_vec();
        Ok(Self {
            formula: formula.clone(),
            on_all_paths: Resolved::new(rsm, core, &atoms),
            negation: Resolved::new(rsm, negation, &names),
        })
    }

    /// What a run that refutes the formula shows: the negation with its operators pushed inward if that
    /// is one path's, else as it was written. Where runs may stop, `E p` is more than `p`, and the normal
    /// form of a total machine does not say it.
    fn shows(&self, at_exit: AtExit) -> String {
        let negated = self.on_all_paths.of.negated();
        let is_path = negated.nodes().last().is_some_and(|node| node.is_existential());
        let pushed = if is_path && at_exit != AtExit::Stop {
            negated.print_within(negated.root(), PUSHED)
        } else {
            None
        };
        pushed.unwrap_or_else(|| refuted(&self.formula).to_string())
    }
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

/// The same endless run without turns of its loop right before it: as long as the step before the loop is
/// also its last, the loop may as well start with it. It starts where the stack is lowest, as loops of
/// evidence do.
fn without_turns(mut states: Vec<State>, repeats: Loop) -> (Vec<State>, Loop) {
    let Loop { from, to } = repeats;
    let height = |state: usize| states[state].stack.len();
    if from == to || height(to) < height(from) {
        return (states, repeats);
    }
    let grown = height(to) - height(from);
    let is_same = |&back: &usize| {
        let (before, last) = (from - back, to - back);
        if grown == 0 {
            return states[before] == states[last];
        }
        states[before].node == states[last].node
            && height(before) + grown == height(last)
            && is_same_step((&states[before], &states[before + 1]), (&states[last], &states[last + 1]))
    };
    let mut lowest = (from..=to).map(height).min().unwrap_or(0);
    let mut best = 0;
    for back in (1..=from).take_while(is_same) {
        lowest = lowest.min(height(from - back));
        if height(from - back) == lowest && (grown > 0 || lowest == height(from)) {
            best = back;
        }
    }
    states.truncate(to - best + 1);
    (states, Loop { from: from - best, to: to - best })
}

/// Whether two steps between the same nodes do the same to the stack: whatever lies below.
fn is_same_step(one: (&State, &State), other: (&State, &State)) -> bool {
    let kind = |(before, after): (&State, &State)| {
        let (before, after) = (&before.stack, &after.stack);
        let (popped, pushed) = match after.len().cmp(&before.len()) {
            Ordering::Less => (before.last().copied(), None),
            Ordering::Greater => (None, after.last().copied()),
            Ordering::Equal if before == after => (None, None),
            Ordering::Equal => (before.last().copied(), after.last().copied()),
        };
        (popped, pushed)
    };
    kind(one) == kind(other)
}

/// What questions of linear time share.
pub(crate) struct Searches<'a> {
    prepared: &'a Prepared<'a>,
    options: &'a Options,
    has_infinite_run: Mutex<Option<bool>>,
}

impl<'a> Searches<'a> {
    pub(crate) fn new(prepared: &'a Prepared<'a>, options: &'a Options) -> Self {
        Self { prepared, options, has_infinite_run: Mutex::new(None) }
    }

    /// Answers a question that engine `buchi` decides.
    pub(crate) fn answer(&self, question: &Question, budget: &mut Budget) -> Result<Answer, Exhausted> {
        match question.subject() {
            Subject::Linear(linear) => {
                let buchi = translate(&linear.negation.of, budget)?;
                let refuting = Resolved { of: buchi, atoms: linear.negation.atoms.clone() };
                let mut answer = self.search(&refuting, budget, || linear.shows(self.options.at_exit))?;
                answer.verdict = match answer.verdict {
                    Verdict::Holds => Verdict::Fails,
                    _ => Verdict::Holds,
                };
                self.unless_vacuous(answer, Verdict::Holds, budget)
            }
            Subject::Automaton(automaton) => {
                let answer = self.search(automaton, budget, || AUTOMATON.to_owned())?;
                self.unless_vacuous(answer, Verdict::Fails, budget)
            }
            Subject::State(_) => unreachable!("engine buchi refuses formulas of states"),
        }
    }

    /// Looks for an accepted run: [`Verdict::Holds`] if there is one.
    fn search(
        &self,
        automaton: &Resolved<Buchi>,
        budget: &mut Budget,
        shows: impl FnOnce() -> String,
    ) -> Result<Answer, Exhausted> {
        let Options { at_exit, runs, evidence, .. } = *self.options;
        let acceptance = Acceptance {
            buchi: &automaton.of,
            labels: &automaton.atoms,
            runs,
            at_exit,
            evidence,
            direction: Direction::default(),
        };
        let found = self.prepared.accepted(&acceptance, budget)?;
        let verdict = if found.is_accepted { Verdict::Holds } else { Verdict::Fails };
        let mut answer = Answer::new(EngineName::Buchi, verdict);
        answer.tuples = Some(found.tuples);
        answer.automaton_states = Some(automaton.of.states());
        match found.run {
            _ if !evidence => {}
            Some((states, repeats)) => {
                let (states, repeats) = without_turns(states, repeats);
                let path = Path { shows: shows(), states, repeats: Some(repeats), because: Vec::new() };
                let mut paths = IndexVec::default();
                paths.push(path);
                answer.evidence = Some(Evidence { paths, also: Vec::new() });
            }
            None => {
                let why = if found.is_accepted { TOO_LONG } else { NO_PATH };
                answer.evidence_note = Some(why.to_owned());
            }
        }
        Ok(answer)
    }

    /// Notes it if a verdict that says there is no run is no wonder, because there are none at all. If
    /// that cannot be found out within the budget, there is no verdict.
    fn unless_vacuous(
        &self,
        mut answer: Answer,
        no_run: Verdict,
        budget: &mut Budget,
    ) -> Result<Answer, Exhausted> {
        let Options { at_exit, runs, .. } = *self.options;
        let may_be = at_exit == AtExit::Stop || runs != Runs::All;
        if may_be && answer.verdict == no_run && !self.has_infinite_run(budget)? {
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
    use super::{Linear, refuted, without_turns};
    use loris_base::Idx;
    use loris_evidence::{AtExit, Loop, State, relates_formula};
    use loris_logic::{RandomLtl, parse};
    use loris_rsm::{BoxId, Rsm, Semantics, Vertex, read_rsm_json};

    fn machine() -> Rsm {
        let model = r#"{"initial_component": "m", "components": [{"name": "m", "boxes": [],
            "nodes": [{"name": "n", "is_entry": true, "is_exit": true}], "transitions": []}]}"#;
        read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap().0
    }

    fn check(text: &str, at_exit: AtExit, expected: &str) {
        let formula = parse(text).unwrap();
        assert_eq!(Linear::new(&machine(), &formula).unwrap().shows(at_exit), expected, "{text}");
    }

    #[test]
    fn negations_are_pushed_inward_where_that_is_said_of_one_path() {
        check("G (p -> F q)", AtExit::Loop, "E F (p & G !q)");
        check("G p", AtExit::Sink, "E [ true U !p ]");
        check("G F p & G F q", AtExit::Loop, "E (F G !p | F G !q)");
        check("G p", AtExit::Stop, "E !G p");
        check("p", AtExit::Stop, "E !p");
    }

    #[test]
    fn what_is_shown_relates_to_the_property() {
        let mut rng = loris_base::Rng::new(7);
        let rsm = machine();
        for _ in 0..2000 {
            let formula = RandomLtl::new(6).generate(&mut rng);
            for at_exit in [AtExit::Loop, AtExit::Stop] {
                let shows = Linear::new(&rsm, &formula).unwrap().shows(at_exit);
                assert!(relates_formula(&formula, false, &shows, at_exit), "{formula}: {shows}");
            }
            let shows = refuted(&formula).to_string();
            assert!(relates_formula(&formula, false, &shows, AtExit::Loop), "{formula}: {shows}");
        }
    }

    /// A run with a letter a node, a capital under one more box for each time it is repeated.
    fn check_turns(run: &str, (from, to): (usize, usize), expected: &str, at: (usize, usize)) {
        let states = |run: &str| -> Vec<State> {
            let states = run.split_whitespace().map(|word| {
                let letter = word.as_bytes()[0];
                let deep = if letter.is_ascii_uppercase() { word.len() } else { 0 };
                State { stack: vec![BoxId::new(0); deep], node: Some(Vertex::new(letter as usize)) }
            });
            states.collect()
        };
        let found = without_turns(states(run), Loop { from, to });
        assert_eq!(found, (states(expected), Loop { from: at.0, to: at.1 }), "{run}");
    }

    #[test]
    fn a_loop_starts_as_early_as_it_can() {
        check_turns("a b c b c b", (3, 5), "a b c b", (1, 3));
        check_turns("a b c d b", (1, 4), "a b c d b", (1, 4));
        check_turns("b b b", (1, 2), "b b", (0, 1));
        check_turns("a b a b a b a", (4, 6), "a b a", (0, 2));
        // half a turn
        check_turns("a c b c b", (2, 4), "a c b c", (1, 3));
        // what goes on after the loop was never told
        check_turns("a b b c", (1, 2), "a b b", (1, 2));
        // a loop starts under the lowest stack of its states
        check_turns("x A b c A b", (2, 5), "x A b c A b", (2, 5));
        check_turns("x c A b c A b", (3, 6), "x c A b c", (1, 4));
        // a stack that grows: by the same steps, or others
        check_turns("A AA AAA", (1, 2), "A AA", (0, 1));
        check_turns("x A BB AA BBB AAA", (3, 5), "x A BB AA", (1, 3));
        check_turns("A A AA AAA", (1, 2), "A A AA", (1, 2));
        check_turns("A B AA BB", (1, 3), "A B AA", (0, 2));
    }
}
