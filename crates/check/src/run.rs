//! Carries out plans: the one runner for models of every kind.
//!
//! A plan that was made for another kind of models, or that no engine supports, is answered at
//! once; all others are carried out in [rounds](crate::Run). Answers are in the order of the plans.

use crate::Options;
use crate::answer::Answer;
use crate::model::Model;
use crate::plan::{Plan, Work};
use crate::rounds::{NoThreads, Panicked, in_rounds};
use loris_base::Exhausted;
use loris_evidence::Reason;
use std::sync::OnceLock;
use std::time::Duration;

/// Carries out all plans, which were made for this model and these options, in their order.
/// `on_result` is called with each answer as soon as it is known, from any thread and in any order.
///
/// A property that runs out of its budget is answered
/// [`Unknown`](loris_evidence::Verdict::Unknown); one whose engine panicked is not answered, the
/// others are.
///
/// # Errors
/// The operating system gave no threads.
pub fn check_all(
    model: &Model,
    plans: &[Plan],
    options: &Options,
    on_result: impl Fn(usize, &Answer) + Sync,
) -> Result<Vec<Result<Answer, Panicked>>, NoThreads> {
    let answers: Vec<OnceLock<Result<Answer, Panicked>>> = plans.iter().map(|_| OnceLock::new()).collect();
    let kind = model.checkable().kind();
    for (index, plan) in plans.iter().enumerate() {
        let reason = match &plan.work {
            Work::Unsupported(what) => Reason::Unsupported(what.clone()),
            Work::Unmade => Reason::Inapplicable("the model was not made when it was planned".to_owned()),
            _ if !plan.fits(kind) => {
                Reason::Inapplicable("it was planned for another kind of model".to_owned())
            }
            Work::Planned(_) => continue,
        };
        let answer = Answer::undecided(&reason);
        on_result(index, &answer);
        assert!(answers[index].set(Ok(answer)).is_ok(), "a question is answered once");
    }
    if plans.is_empty() {
        return Ok(Vec::new());
    }
    let mut done = Ok(());
    model.checkable().run(plans, options, &mut |run| done = in_rounds(run, options, &answers, &on_result));
    done?;
    let answered = |slot: OnceLock<_>| slot.into_inner().expect("every plan is in one batch");
    Ok(answers.into_iter().map(answered).collect())
}

/// The answers where no model was made: why, and after which time.
pub fn unanswered(
    plans: &[Plan],
    (why, spent): (Exhausted, Duration),
    on_result: impl Fn(usize, &Answer),
) -> Vec<Result<Answer, Panicked>> {
    let answer = |(index, plan): (usize, &Plan)| {
        let answer = match &plan.work {
            Work::Unsupported(what) => Answer::undecided(&Reason::Unsupported(what.clone())),
            Work::Unmade | Work::Planned(_) => {
                Answer { seconds: spent.as_secs_f64(), ..Answer::of(plan.engine(), why.into()) }
            }
        };
        on_result(index, &answer);
        Ok(answer)
    };
    plans.iter().enumerate().map(answer).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::check_all;
    use crate::rounds::{Panicked, Round, Run};
    use crate::{Answer, Checkable, EngineName, Model, ModelKind, Options, Plan, Planner, Size, Suggestions};
    use loris_base::Exhausted;
    use loris_evidence::Verdict;
    use std::sync::Arc;

    /// A kind of models of its own: questions that need some bytes each, and as many more as the
    /// one before has left behind.
    #[derive(Debug)]
    struct Hungry(Vec<usize>);

    impl Checkable for Hungry {
        fn kind(&self) -> Option<ModelKind> {
            None
        }

        fn bytes(&self) -> usize {
            0
        }

        fn sizes(&self) -> Vec<Size> {
            Vec::new()
        }

        fn planner<'a>(&'a self, _: &'a Options, _: &'a Suggestions) -> Planner<'a> {
            Box::new(|_| Ok(Plan::new(None, "hungry", ())))
        }

        fn run(&self, _: &[Plan], options: &Options, go: &mut dyn FnMut(&dyn Run)) {
            go(&Eating { needs: &self.0, jobs: options.jobs });
        }
    }

    struct Eating<'a> {
        needs: &'a [usize],
        jobs: usize,
    }

    impl Run for Eating<'_> {
        fn batches(&self) -> Vec<Vec<usize>> {
            let all: Vec<usize> = (0..self.needs.len()).collect();
            all.chunks(self.needs.len().div_ceil(self.jobs)).map(<[usize]>::to_vec).collect()
        }

        fn carry_out(&self, batch: &[usize], round: &Round<'_>) {
            let mut kept = 0;
            for &at in batch {
                let fits = round.memory().is_some_and(|bytes| self.needs[at] + kept <= bytes);
                let verdict = if fits { Verdict::Holds } else { Verdict::from(Exhausted::Memory) };
                round.put(at, Ok(Answer::new(EngineName::Game, verdict)), kept > 0);
                kept = self.needs[at];
            }
        }
    }

    /// Whether questions that need this many bytes are answered within 100.
    fn check(needs: &[usize], jobs: usize, expected: &[bool]) {
        let options = Options { jobs, shared_memory: Some(100), ..Options::default() };
        let model = Model::Other(Arc::new(Hungry(needs.to_vec())));
        let plans = vec![Plan::new(None, "hungry", ()); needs.len()];
        let answers = check_all(&model, &plans, &options, |_, _| ()).unwrap();
        let holds = |answer: Result<Answer, Panicked>| answer.unwrap().verdict == Verdict::Holds;
        let found: Vec<bool> = answers.into_iter().map(holds).collect();
        assert_eq!(found, expected, "{jobs} threads");
    }

    #[test]
    fn answers_depend_on_the_memory_alone() {
        for jobs in [1, 2, 3, 8, 64] {
            let expected = [true, true, true, false, true, true, true, false];
            check(&[10, 90, 100, 101, 30, 60, 5, 200], jobs, &expected);
        }
    }

    #[test]
    fn plans_of_another_kind_are_not_carried_out() {
        let model = Model::Other(Arc::new(Hungry(Vec::new())));
        let options = Options::default();
        let plans = [Plan::unmade(EngineName::Game), Plan::unsupported("dancing")];
        let reasons = |plan: &Plan| {
            let model = Model::Other(Arc::new(Hungry(vec![1])));
            let answers = check_all(&model, std::slice::from_ref(plan), &options, |_, _| ()).unwrap();
            answers[0].as_ref().unwrap().verdict.word()
        };
        assert_eq!(plans.iter().map(reasons).collect::<Vec<_>>(), ["unknown"; 2]);
        assert!(check_all(&model, &[], &options, |_, _| ()).unwrap().is_empty());
    }
}
