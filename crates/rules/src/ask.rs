//! The door to the engines: all questions of rules go through `check`.

pub(crate) use loris_check::{Prepared, holds_in_graph, holds_in_machine, refutation};

use loris_base::{Budget, Diagnostics, Exhausted};
use loris_check::{Choice, EngineName, Logic, Options, Question, UnknownAtoms};
use loris_evidence::Evidence;
use loris_logic::Formula;

/// The answer to a question about a program.
pub(crate) enum Reply {
    Holds,
    /// With a run that shows it, if there is one.
    Fails(Option<Evidence>),
    /// Why there is none, in words.
    None(String),
}

/// A question whether a formula of CTL, LTL or CTL* holds. Labels that it names and no node has
/// have been reported before it is asked.
pub(crate) fn question(logic: &str, text: &str, formula: Formula) -> Result<Question, Diagnostics> {
    let logic = match logic {
        "ltl" => Logic::Ltl,
        "ctl*" => Logic::Star,
        _ => Logic::Ctl,
    };
    loris_check::core(logic, &formula)?;
    let mut question = Question::new(logic, text, formula);
    question.unknown_atoms = UnknownAtoms::False;
    Ok(question)
}

/// Plans a question and answers it.
pub(crate) fn ask(
    machine: &Prepared<'_>,
    question: &Question,
    budget: &mut Budget,
) -> Result<Reply, Exhausted> {
    // the engine that takes all three logics, and has runs to show in each
    let engine = Choice::Named(EngineName::Summary);
    let options = Options { engine, evidence: true, ..Options::default() };
    let plan = match loris_check::plan_one(machine, question, &options) {
        Ok(plan) => plan,
        Err(why) => return Ok(Reply::None(why.to_string())),
    };
    Ok(match loris_check::check_one(machine, &plan, budget)? {
        Some((true, _)) => Reply::Holds,
        Some((false, shown)) => Reply::Fails(shown),
        None => Reply::None(format!("the engine {} does not take it", plan.engine())),
    })
}
