//! Why a question is not decided: reasons that are known before any work is done.

use crate::engines::engines_for;
use crate::{EngineName, Logic, ModelKind, Options, Unfit};
use loris_base::Diagnostics;
use loris_evidence::AtExit;
use loris_recursive::Runs;
use std::fmt;

/// Why a question is not planned. Its text names engines and logics, but no flag or argument: the
/// caller puts remedies into words.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The formula is not of its logic, or an atom is unknown; places count from where its text
    /// starts.
    Wrong(Diagnostics),
    /// In branching time every state needs a successor, and runs end at exits.
    StopsAtExits(Logic),
    /// Branching time is about all runs, and only some are to count.
    SomeRuns(Logic, Runs),
    /// Runs end after a call, which no label of nodes expresses: at the return port of this box and
    /// this exit.
    EndsAtPort(String, String),
    /// Runs end, and a quantifier of CTL* is about infinite ones.
    Ends,
    /// A number of steps is asked of a model with calls.
    StepsOfCalls,
    /// An automaton is asked of a model in which only fair runs count.
    FairAutomaton,
    /// The engine is for other logics.
    Logic(EngineName, Logic),
    /// The engine does not support fairness, and models of this kind have other engines that do.
    Fairness(EngineName, ModelKind),
    /// The engine decides LTL only on all runs, and only if none of them ends.
    EndingRuns(EngineName),
    /// The engine does not take this formula or this machine.
    Unfit(EngineName, Unfit),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Wrong(found) => {
                let first = found.sorted().first().map(|problem| problem.message.clone());
                f.write_str(&first.unwrap_or_default())
            }
            Refusal::StopsAtExits(logic) => {
                write!(f, "runs that end at exits are for linear time and mu: in {} every state needs a successor", logic.name())
            }
            Refusal::SomeRuns(logic, runs) => {
                let (logic, runs) = (logic.name(), runs_word(*runs));
                write!(f, "{runs} runs are for linear time only: {logic} is about all runs")
            }
            Refusal::EndsAtPort(site, node) => write!(
                f,
                "where runs end at dead ends, ctl is decided if they end at nodes, and here they also end at the \
                 return port (\"{site}\", \"{node}\")"
            ),
            Refusal::Ends => f.write_str(
                "runs that end at dead ends are not for ctl*: its quantifiers are about infinite runs, and `E X` \
                 of ctl is not",
            ),
            Refusal::StepsOfCalls => f.write_str("COMPUTE is for models without calls"),
            Refusal::FairAutomaton => {
                f.write_str("automata are about all runs, and this model has FAIRNESS")
            }
            Refusal::Logic(engine, logic) => {
                let what = if *logic == Logic::Automaton { "automata" } else { logic.name() };
                // engines for other kinds of models are refused as such
                let others = engines_for(engine.row().models, |row| row.logics.contains(logic), "or");
                write!(f, "engine {} is not for {what}; engine {others} is", engine.name())
            }
            Refusal::Fairness(engine, kind) => {
                let others = engines_for(*kind, |row| row.fairness, "and");
                let do_it = if others.contains(' ') { "do" } else { "does" };
                write!(f, "engine {} does not support fairness; {others} {do_it}", engine.name())
            }
            Refusal::EndingRuns(engine) => {
                let (engine, buchi) = (engine.name(), EngineName::Buchi.name());
                write!(f, "engine {engine} decides ltl on all runs that never stop only; engine {buchi} takes the rest")
            }
            Refusal::Unfit(engine, why) => write!(f, "{}", why.of(*engine)),
        }
    }
}

/// Why a logic does not go with a semantics, if it does not.
pub fn semantics_refusal(logic: Logic, options: &Options) -> Option<Refusal> {
    if matches!(logic, Logic::Ltl | Logic::Automaton) {
        return None;
    }
    // a state without a successor is an ordinary one to the mu-calculus
    if options.at_exit == AtExit::Stop && logic != Logic::Mu {
        return Some(Refusal::StopsAtExits(logic));
    }
    (options.runs != Runs::All).then_some(Refusal::SomeRuns(logic, options.runs))
}

/// The word for which runs count: `all`, `bounded` or `unbounded`.
pub fn runs_word(runs: Runs) -> &'static str {
    match runs {
        Runs::All => "all",
        Runs::Bounded => "bounded",
        Runs::Unbounded => "unbounded",
    }
}
