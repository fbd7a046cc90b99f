//! Linear time about parallel processes: a formula holds if the automaton of its negation accepts
//! no run.

use super::{Processes, misfit};
use crate::answer::counters::AUTOMATON_STATES;
use crate::answer::{Answer, AnyCertificate, NO_PATH, Note, TOO_LONG};
use crate::machine::shown_by_refuting_run;
use crate::{Choice, EngineName, ModelKind, Options, Question, Refusal, Unfit, UnknownAtoms};
use loris_base::{Budget, Diagnostics, Exhausted, IndexVec, Truth, nearest};
use loris_evidence::{Certificate, Evidence, Loop, Path, Reason, Verdict, leaving, paths_of_processes};
use loris_logic::automaton::translate;
use loris_logic::mu::DeadEnds;
use loris_logic::{BRANCHING, Formula, Ltl, NO_NEXT, QUANTIFIERS, ends_in_linear, negated_ltl};
use loris_lts::{GlobalState, System};
use loris_modular::linear::{GlobalRun, LinearAtom, SoughtRun, accepted_run, may_run_for_ever};
use loris_recursive::Runs;
use std::time::Instant;

/// Longer runs are not shown: this many states of processes.
const MOST_LISTED: usize = 1 << 22;

/// Why there is no evidence although each concretisation of uncertain processes has some.
const DIFFERENT_RUNS: &str = "every concretisation has a run that shows it, and none is one of all of them";

/// How a question for a formula of linear time is answered.
#[derive(Clone, Debug)]
pub(crate) struct LinearPlan {
    formula: Formula,
    negation: Ltl,
    atoms: Vec<LinearAtom>,
    dead_ends: DeadEnds,
}

impl LinearPlan {
    /// Decides how a question is answered.
    ///
    /// # Errors
    /// Why it is not.
    pub(super) fn new(
        processes: &Processes,
        question: &Question,
        formula: &Formula,
        options: &Options,
    ) -> Result<Self, Refusal> {
        let (system, dead_ends) = (&*processes.system, processes.dead_ends);
        match options.engine {
            Choice::Auto | Choice::Named(EngineName::Lasso) => {}
            Choice::Named(other) => {
                return Err(match other.unfit(ModelKind::Processes) {
                    Some(unfit) => Refusal::Unfit(other, unfit),
                    None => Refusal::Logic(other, question.logic()),
                });
            }
        }
        if options.abstraction.is_some() {
            return Err(Refusal::Unfit(EngineName::Compositional, Unfit::Abstraction));
        }
        // processes are not checked for ctl*
        let wrong = |found: Diagnostics| Refusal::Wrong(found.instead_of(QUANTIFIERS, BRANCHING));
        let (mut negation, mut names) = negated_ltl(formula).map_err(wrong)?;
        let is_lenient = question.unknown_atoms == UnknownAtoms::False;
        let unknown = formula.atoms().iter().filter(|name| LinearAtom::named(system, name).is_none());
        let unknown: Vec<&str> = unknown.filter(|_| !is_lenient).collect();
        if !unknown.is_empty() {
            let mut found = Diagnostics::default();
            for name in unknown {
                let near = nearest(name, system.atoms().iter().chain(system.actions().iter()));
                let message = format!("no process has the label or the action `{name}`");
                found.push(misfit(name, near, message, &question.text));
            }
            return Err(Refusal::Wrong(found));
        }
        if dead_ends == DeadEnds::Maximal {
            (negation, names) = negated_ltl(&ends_in_linear(formula)).map_err(Refusal::Wrong)?;
        }
        let meaning = |name: &String| match name.as_str() {
            NO_NEXT => LinearAtom::End,
            name => LinearAtom::named(system, name).unwrap_or(LinearAtom::Never),
        };
        let atoms = names.iter().map(meaning).collect();
        Ok(Self { formula: formula.clone(), negation, atoms, dead_ends })
    }

    /// Whether the formula is about actions.
    fn names_actions(&self, system: &System) -> bool {
        let is_action = |name| matches!(LinearAtom::named(system, name), Some(LinearAtom::Action(_)));
        self.formula.atoms().iter().any(is_action)
    }

    /// The answer to the question.
    pub(super) fn answer(&self, system: &System, options: &Options, mut budget: Budget) -> Answer {
        let start = Instant::now();
        let mut answer = self
            .decided(system, options, &mut budget)
            .unwrap_or_else(|why| Answer::new(EngineName::Lasso, Verdict::from(why)));
        answer.seconds = start.elapsed().as_secs_f64();
        answer
    }

    fn decided(&self, system: &System, options: &Options, budget: &mut Budget) -> Result<Answer, Exhausted> {
        let engine = EngineName::Lasso;
        if options.runs == Runs::Unbounded {
            // processes have no stack
            let mut answer = Answer::new(engine, Verdict::Holds);
            answer.note = Some(Note::NoInfiniteRun(Runs::Unbounded));
            return Ok(answer);
        }
        let buchi = translate(&self.negation, budget)?;
        let sought = SoughtRun { system, buchi: &buchi, atoms: &self.atoms, dead_ends: self.dead_ends };
        let found = accepted_run(&sought, budget)?;
        let verdict = match (found.accepted, &found.doubt) {
            (Truth::False, _) => Verdict::Holds,
            (Truth::True, _) => Verdict::Fails,
            (Truth::Unknown, doubt) => {
                let why = doubt.as_ref().map(|doubt| doubt.describe(system));
                Verdict::Unknown(Reason::Inconclusive(why.unwrap_or_default()))
            }
        };
        let holds = verdict == Verdict::Holds;
        let mut answer = Answer::new(engine, verdict);
        answer.counters = vec![
            (AUTOMATON_STATES, buchi.states() as u64),
            ("pairs", found.pairs as u64),
            ("global_states", found.states as u64),
        ];
        if options.evidence && holds {
            answer.evidence_note = Some(NO_PATH.to_owned());
        }
        match found.run.filter(|_| options.evidence) {
            Some(run) if run.states.len() > MOST_LISTED / (system.len() + 1) => {
                answer.evidence_note = Some(TOO_LONG.to_owned());
            }
            Some(run) => answer.evidence = Some(self.shown(system, run)),
            None if options.evidence && answer.verdict == Verdict::Fails => {
                answer.evidence_note = Some(DIFFERENT_RUNS.to_owned());
            }
            None => {}
        }
        if !system.has_runs() {
            answer.note = Some(Note::NoInitialState);
        } else if holds && self.dead_ends == DeadEnds::Stop && !may_run_for_ever(system, budget)? {
            answer.note = Some(Note::NoInfiniteRun(Runs::All));
        }
        Ok(answer)
    }

    /// A run as evidence.
    fn shown(&self, system: &System, run: GlobalRun) -> AnyCertificate {
        let paths = paths_of_processes(&self.formula, self.dead_ends);
        let GlobalRun { mut states, actions, back } = run;
        if self.names_actions(system) {
            let seen = |action| if system.visible_name(action) == "tau" { 0 } else { action };
            let left = states.into_iter().zip(actions);
            states = left.map(|(state, action)| leaving(state, action.map(seen))).collect();
        }
        let repeats = back.map(|from| Loop { from, to: states.len() - 1 });
        let shows = shown_by_refuting_run(&self.formula, paths);
        let mut paths: IndexVec<_, Path<GlobalState>> = IndexVec::default();
        paths.push(Path { shows, states, repeats, because: Vec::new() });
        AnyCertificate::Processes(Certificate::Paths(Evidence { paths, also: Vec::new() }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Processes, plan};
    use crate::{Logic, Options, Question, Refusal};
    use loris_base::Budget;
    use loris_logic::mu::DeadEnds;
    use loris_logic::{BRANCHING, parse};
    use loris_lts::{System, read_aut};
    use std::sync::Arc;

    #[test]
    fn a_quantifier_is_not_said_to_be_one_of_ctl_star() {
        let (process, _) = read_aut(b"des (0,1,1)\n(0,\"a\",0)\n", "p", &mut Budget::unlimited()).unwrap();
        let system = Arc::new(System::new(vec![Arc::new(process)], &[]).unwrap());
        let processes = Processes { system, dead_ends: DeadEnds::Maximal };
        let text = "A (G F a)";
        let question = Question::new(Logic::Ltl, text, parse(text).unwrap());
        let Err(Refusal::Wrong(found)) = plan(&processes, &question, &Options::default()) else {
            panic!("a quantifier in linear time");
        };
        let remedies: Vec<_> = found.sorted().iter().map(|problem| problem.remedy).collect();
        assert_eq!(remedies, [Some(BRANCHING)]);
    }
}
