//! What the tests of the facade share.
#![allow(clippy::unwrap_used, dead_code)]

use loris_check::{Answer, Logic, Model, Options, Prepared, Question, Refusal, UnknownAtoms, check_all};
use loris_logic::{Fairness, Formula};

/// A question, in which atoms that no node carries are false.
pub(crate) fn ask(logic: Logic, text: impl Into<String>, formula: &Formula) -> Question {
    fair(logic, text, formula, &Fairness::default())
}

/// The same about fair runs.
pub(crate) fn fair(
    logic: Logic,
    text: impl Into<String>,
    formula: &Formula,
    fairness: &Fairness,
) -> Question {
    Question::fair(logic, text, formula.clone(), fairness.clone()).with_unknown_atoms(UnknownAtoms::False)
}

/// All answers, unless a question is refused.
pub(crate) fn try_answers(
    prepared: &Prepared<'_>,
    questions: &[Question],
    options: &Options,
) -> Result<Vec<Answer>, Refusal> {
    let model = Model::machine(prepared.rsm().clone());
    let plans = model.plan_all(questions, options)?;
    let answers = check_all(&model, &plans, options, |_, _| ()).unwrap();
    Ok(answers.into_iter().map(Result::unwrap).collect())
}

/// All answers to questions that no engine refuses.
pub(crate) fn answers(prepared: &Prepared<'_>, questions: &[Question], options: &Options) -> Vec<Answer> {
    try_answers(prepared, questions, options).unwrap_or_else(|refused| panic!("{refused}"))
}
