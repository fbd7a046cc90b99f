//! Replays evidence, and decides whether it confirms the verdict it came with.

use super::confirmed::{Confirmed, Unverified};
use super::subject::{Automaton, Subject};
use loris_base::{Budget, Diagnostic};
use loris_check::{Goal, Logic, Options, Refusal, Runs, runs_word, semantics_refusal};
use loris_evidence::{
    AUTOMATON, About, AtExit, CallStrategy, Certificate, Evidence, Invariant, LabelledRun, MachineNames,
    MachineSpace, Paths, Reach, Replayed, Start, State, Stated, Target, covers_initial, relates_formula,
    replay_call_strategy, replay_formula, replay_invariant, replay_reach_within, replay_run_within,
    replay_within,
};
use loris_load::{Words, mu_formula};
use loris_logic::mu::{MuFormula, Syntax};
use loris_rsm::{LabelId, Rsm};

/// Data that all evidence of a call has in common.
pub(super) struct Replay<'a> {
    /// The model it is about.
    pub(super) subject: &'a Subject,
    /// How exits behave when the stack is empty; if absent, as the evidence states.
    pub(super) at_exit: Option<AtExit>,
    /// The automata at hand.
    pub(super) automata: &'a [Automaton],
    /// How refusals are worded.
    pub(super) words: Words,
}

fn refused<T>(why: impl Into<String>) -> Result<T, Unverified> {
    Err(Unverified::Refused(why.into()))
}

/// A result of `loris check`.
struct Checked<'a> {
    stated: &'a Stated,
    evidence: &'a Evidence,
    text: &'a str,
    logic: Logic,
    holds: bool,
    at_exit: AtExit,
    runs: Runs,
}

impl Replay<'_> {
    /// Replays evidence, and decides whether it is evidence for the verdict it came with.
    ///
    /// # Errors
    /// Why it is not, or which limit was reached before that was known.
    pub(super) fn verify(
        &self,
        stated: &Stated,
        evidence: &Certificate,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified> {
        if let Some(name) = self.subject.omitted(stated, self.automata) {
            return refused(format!("the model it was found in was made without the label \"{name}\""));
        }
        if self.subject.is_cut_otherwise(stated, self.automata) {
            return refused(
                "the model it was found in has labels of other properties, and this one counts steps",
            );
        }
        let rsm = &self.subject.rooted(stated);
        match evidence {
            Certificate::Paths(evidence) => self.paths(rsm, stated, evidence, budget),
            Certificate::Invariant(invariant) => self.invariant(rsm, stated, invariant, budget),
            Certificate::CallStrategy(strategy) => self.strategy(rsm, stated, strategy, budget),
            _ => refused("evidence of this kind is not known here"),
        }
    }

    fn at_exit(&self, stated: &Stated) -> AtExit {
        self.at_exit.or(stated.at_exit).unwrap_or_default()
    }

    /// Replays an invariant, which shows that a property holds.
    fn invariant(
        &self,
        rsm: &Rsm,
        stated: &Stated,
        invariant: &Invariant,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified> {
        let at_exit = self.at_exit(stated);
        let replayed =
            replay_invariant(&MachineSpace::new(rsm, at_exit), &MachineNames::new(rsm), invariant, budget)?;
        let About::Property { text, logic, holds, .. } = &stated.about else {
            return match stated.about {
                About::Reach { .. } => refused("an invariant does not show that something can be reached"),
                _ => Ok(Confirmed { replayed, verdict: false }),
            };
        };
        let logic = logic_of(logic);
        self.counted_paths(rsm, logic, at_exit, stated.runs.as_deref().map(runs_of).unwrap_or_default())?;
        let is_formula = logic != Logic::Automaton;
        let formulas = if is_formula { self.subject.formulas(stated, text, logic) } else { Vec::new() };
        // a condition that holds in all reachable states holds on all runs, whichever of them count
        let relates =
            |(formula, _): &(_, bool)| relates_formula(formula, true, &invariant.shows, Paths::Total);
        if *holds && formulas.iter().any(relates) {
            return Ok(Confirmed { replayed, verdict: true });
        }
        let verdict = if *holds { "holds" } else { "fails" };
        refused(format!("the formula it shows does not imply that the property {verdict}"))
    }

    /// Replays a strategy, which shows a formula of the mu-calculus.
    fn strategy(
        &self,
        rsm: &Rsm,
        stated: &Stated,
        strategy: &CallStrategy<State>,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified> {
        let About::Property { text, logic, holds, .. } = &stated.about else {
            return refused("a strategy is for the verdict of a property");
        };
        let at_exit = self.at_exit(stated);
        if logic_of(logic) != Logic::Mu {
            return refused("a strategy is for a property of the mu-calculus");
        }
        let runs = stated.runs.as_deref().map(runs_of).unwrap_or_default();
        self.counted_paths(rsm, Logic::Mu, at_exit, runs)?;
        // a property that a file of PDSolver carries is in its syntax
        let read = [Syntax::Native, Syntax::Pdmu].map(|syntax| mu_formula(text, syntax).ok());
        let mut read = read.into_iter().flatten();
        let shows = |formula: &MuFormula| {
            let shown = if *holds { formula.to_string() } else { formula.negated().to_string() };
            shown == strategy.shows
        };
        let Some(formula) = read.find(shows) else {
            let verdict = if *holds { "holds" } else { "fails" };
            return refused(format!("the formula it shows does not imply that the property {verdict}"));
        };
        let replayed = replay_call_strategy(rsm, &formula, *holds, at_exit, strategy, budget)?;
        Ok(Confirmed { replayed, verdict: true })
    }

    /// Replays paths.
    fn paths(
        &self,
        rsm: &Rsm,
        stated: &Stated,
        evidence: &Evidence,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified> {
        let at_exit = self.at_exit(stated);
        match &stated.about {
            About::Nothing => {
                let replayed = if shows(evidence) == AUTOMATON && !self.automata.is_empty() {
                    let run = replay_run_within(rsm, evidence, at_exit, budget)?;
                    all_accept(rsm, &run, self.automata.iter(), budget)?;
                    Replayed { steps: run.steps, claims: 1, ..Replayed::default() }
                } else {
                    replay_within(rsm, evidence, at_exit, budget)?
                };
                Ok(Confirmed { replayed, verdict: false })
            }
            About::Reach { target, from, steps } => {
                let (shown, replayed) = replay_reach_within(rsm, evidence, at_exit, budget)?;
                self.is_reached(rsm, stated, shown, (target, from.as_deref()), budget)?;
                if steps.is_some_and(|steps| steps != replayed.steps) {
                    return refused(format!(
                        "the path has {} steps, and \"steps\" is another number",
                        replayed.steps
                    ));
                }
                Ok(Confirmed { replayed, verdict: true })
            }
            About::Property { text, logic, holds, file } => {
                let runs = stated.runs.as_deref().map(runs_of).unwrap_or_default();
                let logic = logic_of(logic);
                let result = Checked { stated, evidence, text, logic, holds: *holds, at_exit, runs };
                if logic == Logic::Automaton {
                    self.automaton(rsm, &result, file.as_deref(), budget)
                } else {
                    self.formula(rsm, &result, budget)
                }
            }
        }
    }

    /// The paths that a logic is about in these readings, if they go together.
    fn counted_paths(
        &self,
        rsm: &Rsm,
        logic: Logic,
        at_exit: AtExit,
        runs: Runs,
    ) -> Result<Paths, Unverified> {
        if let Some(why) = semantics_refusal(logic, &Options { at_exit, runs, ..Options::default() }) {
            return refused((self.words.refusal)(&why));
        }
        let all = Paths::of(rsm, at_exit, logic == Logic::Ltl);
        if all == Paths::Ending && logic == Logic::Star {
            return refused((self.words.refusal)(&Refusal::Ends));
        }
        Ok(all)
    }

    /// A property that is a formula.
    fn formula(&self, rsm: &Rsm, result: &Checked<'_>, budget: &mut Budget) -> Result<Confirmed, Unverified> {
        let Checked { stated, evidence, text, logic, holds, at_exit, runs } = *result;
        let all = self.counted_paths(rsm, logic, at_exit, runs)?;
        // fair runs are infinite
        let counted = |fair: bool| if fair && all == Paths::Ending { Paths::Fair } else { all };
        let formulas = self.subject.formulas(stated, text, logic);
        let is_shown =
            |(formula, fair): &&(_, bool)| relates_formula(formula, holds, shows(evidence), counted(*fair));
        let shown = formulas.iter().find(is_shown).map(|(_, fair)| counted(*fair));
        let replayed = replay_formula(rsm, evidence, at_exit, shown.unwrap_or(all), budget)?;
        covers_initial(rsm, evidence, holds)?;
        if logic == Logic::Ltl {
            is_counted(rsm, result, budget)?;
        }
        if formulas.is_empty() {
            let name = logic.name();
            if self.subject.is_smv() {
                return refused(format!("the property means nothing in this model, or is not {name}"));
            }
            let article = if logic == Logic::Ltl { "an" } else { "a" };
            return refused(format!("the property is not {article} {} formula", name.to_uppercase()));
        }
        if shown.is_none() {
            let verdict = if holds { "holds" } else { "fails" };
            return refused(format!("the formula it shows does not imply that the property {verdict}"));
        }
        Ok(Confirmed { replayed, verdict: true })
    }

    /// Whether a path leads to the target that it was to get to, from where it was to start.
    fn is_reached(
        &self,
        rsm: &Rsm,
        stated: &Stated,
        Reach { target, start }: Reach,
        (name, from): (&str, Option<&str>),
        budget: &mut Budget,
    ) -> Result<(), Unverified> {
        let wrong = |problem: Diagnostic| Unverified::Refused(problem.message);
        let names = self.subject.names(rsm);
        let from = from.map(|from| names.nodes(from)).transpose().map_err(wrong)?;
        let is_goal = match (target, self.subject.goal(rsm, stated, name, budget)?) {
            (Target::Label(label), Goal::Label(goal)) => label == goal,
            (Target::Node(node), Goal::Nodes(nodes)) => nodes.contains(&node),
            _ => false,
        };
        let is_start = match (start, from) {
            (Start::Initial, None) => true,
            (Start::Node(node), Some(nodes)) => nodes.contains(&node),
            _ => false,
        };
        if !is_goal || !is_start {
            return refused("the path it shows is another");
        }
        Ok(())
    }

    /// Replays a run for an automaton, and asks the automaton, if that is at hand. Without it,
    /// nothing is known of the verdict.
    fn automaton(
        &self,
        rsm: &Rsm,
        result: &Checked<'_>,
        file: Option<&str>,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified> {
        let Checked { evidence, text, holds, at_exit, .. } = *result;
        if !holds {
            return refused("that an automaton accepts no run is shown by none");
        }
        if shows(evidence) != AUTOMATON {
            return refused("it shows a formula, and not a run for an automaton to accept");
        }
        is_counted(rsm, result, budget)?;
        let run = replay_run_within(rsm, evidence, at_exit, budget)?;
        if self.automata.is_empty() {
            let trusted_claims =
                vec![format!("the automaton \"{text}\" accepts this run; {}", self.words.ask_automaton)];
            let replayed = Replayed { steps: run.steps, trusted: 1, trusted_claims, ..Replayed::default() };
            return Ok(Confirmed { replayed, verdict: false });
        }
        let is_file =
            |automaton: &&&Automaton| file.is_some_and(|file| automaton.file.display().to_string() == file);
        let mut asked: Vec<&Automaton> = self.automata.iter().filter(|one| one.is_called(text)).collect();
        // of several with one name, it is the one from this file; if there is none, all have to
        // accept
        if let Some(&one) = asked.iter().find(is_file) {
            asked = vec![one];
        }
        if asked.is_empty() {
            return refused("no automaton that was given has this name");
        }
        all_accept(rsm, &run, asked.into_iter(), budget)?;
        Ok(Confirmed {
            replayed: Replayed { steps: run.steps, claims: 1, ..Replayed::default() },
            verdict: true,
        })
    }
}

/// Asks automata whether they accept a run.
fn all_accept<'b>(
    rsm: &Rsm,
    run: &LabelledRun,
    automata: impl Iterator<Item = &'b Automaton>,
    budget: &mut Budget,
) -> Result<(), Unverified> {
    for Automaton { name, file, hoa } in automata {
        let labels: Vec<Option<LabelId>> = hoa.propositions.iter().map(|name| rsm.label(name)).collect();
        if !run.is_accepted(&hoa.buchi, &labels, budget)? {
            let file = file.display().to_string();
            let which = if *name == file { String::new() } else { format!(" in {file}") };
            return refused(format!("the automaton \"{name}\"{which} does not accept this run"));
        }
    }
    Ok(())
}

impl Automaton {
    /// Whether results that call an automaton `text` mean this one. One without a name is called
    /// like its file, which may lie elsewhere now.
    pub(super) fn is_called(&self, text: &str) -> bool {
        let is_nameless = self.hoa.name.as_ref().is_none_or(String::is_empty);
        self.name == text
            || is_nameless
                && self
                    .file
                    .file_name()
                    .is_some_and(|name| std::path::Path::new(text).file_name() == Some(name))
    }
}

fn shows(evidence: &Evidence) -> &str {
    evidence.paths.iter().next().map_or("", |path| &path.shows)
}

/// Whether a run is one of those that count.
fn is_counted(rsm: &Rsm, result: &Checked<'_>, budget: &mut Budget) -> Result<(), Unverified> {
    if result.runs == Runs::All {
        return Ok(());
    }
    let deeper = replay_run_within(rsm, result.evidence, result.at_exit, budget)?.deeper;
    match result.runs {
        Runs::Bounded if deeper > 0 => refused("its stack grows for ever, and only bounded runs count"),
        Runs::Unbounded if deeper == 0 => refused("its stack is bounded, and only unbounded runs count"),
        _ => Ok(()),
    }
}

/// The logic that a word means.
pub(super) fn logic_of(word: &str) -> Logic {
    let logics = [Logic::Ctl, Logic::Ltl, Logic::Star, Logic::Mu];
    logics.into_iter().find(|known| known.name() == word).unwrap_or(Logic::Automaton)
}

/// Which runs a word means; an unknown one means all.
fn runs_of(word: &str) -> Runs {
    let all = [Runs::All, Runs::Bounded, Runs::Unbounded];
    all.into_iter().find(|&runs| runs_word(runs) == word).unwrap_or_default()
}
