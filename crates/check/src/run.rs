//! Batches of properties, shared among threads.
//!
//! Properties of one shape are decided together, up to 64 at a time, in the order they were asked;
//! which ones form a batch depends on the questions alone, so that answers do not depend on the
//! number of threads. A batch that runs out of its budget is taken apart: budgets are per property.

use crate::{Choice, Options, Question};
use loris_base::{Budget, Exhausted};
use loris_evidence::{Evidence, Verdict};
use loris_logic::CoreNode;
use loris_recursive::{ENGINES, EngineName, Explanation, Outcome, Prepared, Property, Settings};
use loris_rsm::Rsm;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What was found out about a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Holds, fails, or unknown and why.
    pub verdict: Verdict,
    /// The engine that decided, or tried.
    pub engine: &'static str,
    /// How many contexts were made, if the engine came to an end.
    pub contexts: Option<usize>,
    /// How many times a component was checked for a subformula, if the engine came to an end.
    pub checks: Option<usize>,
    /// How long it took; the time of a batch is shared out evenly.
    pub seconds: f64,
    /// Why the verdict is what it is, if that was asked.
    pub evidence: Option<Evidence>,
    /// Why there is no evidence although it was asked.
    pub evidence_note: Option<String>,
}

/// An engine panicked, which is a defect of the engine and says nothing about the property.
#[derive(Clone, Debug)]
pub struct Panicked(pub String);

/// The operating system gave no threads.
#[derive(Debug)]
pub struct NoThreads(rayon::ThreadPoolBuildError);

impl fmt::Display for NoThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start threads: {}", self.0)
    }
}

impl std::error::Error for NoThreads {}

/// As many properties of one shape as are decided in one pass, a bit each.
const BATCH: usize = 64;

/// With so many existential subformulas, one three-valued look that often decides is cheap against
/// summaries for each of them (`docs/benchmarks.md`).
const WORTH_A_LOOK: usize = 3;

/// Answers all questions, in their order. `on_result` is told of each answer as soon as it is there,
/// from any thread and in any order.
///
/// A property that runs out of its budget is answered [`Verdict::Unknown`]; one whose engine
/// panicked is not answered, the others are.
pub fn check_all(
    rsm: &Rsm,
    questions: &[Question],
    options: &Options,
    on_result: impl Fn(usize, &Answer) + Sync,
) -> Result<Vec<Result<Answer, Panicked>>, NoThreads> {
    let engine = match options.engine {
        Choice::Auto => EngineName::Summary,
        Choice::Named(engine) => engine,
    };
    let run = Run {
        prepared: Prepared::new(rsm),
        questions,
        options,
        engine,
        settings: Settings { at_exit: options.at_exit, seed: options.seed },
        answers: questions.iter().map(|_| OnceLock::new()).collect(),
        on_result,
    };
    let batches = if engine == EngineName::Summary {
        batches(questions)
    } else {
        (0..questions.len()).map(|index| vec![index]).collect()
    };
    let threads = options.jobs.clamp(1, questions.len().max(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(NoThreads)?;
    pool.install(|| batches.par_iter().for_each(|batch| run.batch(batch)));
    let answered = |slot: OnceLock<_>| slot.into_inner().expect("every question is in one batch");
    Ok(run.answers.into_iter().map(answered).collect())
}

/// Questions of one shape together, in the order of the first of each shape.
fn batches(questions: &[Question]) -> Vec<Vec<usize>> {
    let mut open: BTreeMap<&[CoreNode], usize> = BTreeMap::new();
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for (index, question) in questions.iter().enumerate() {
        let next = batches.len();
        // the root is the last node: the nodes alone are the shape
        let batch = open.entry(question.formula().nodes()).or_insert(next);
        if *batch < next && batches[*batch].len() == BATCH {
            *batch = next;
        }
        if *batch == next {
            batches.push(Vec::new());
        }
        batches[*batch].push(index);
    }
    batches
}

struct Run<'a, F> {
    prepared: Prepared<'a>,
    questions: &'a [Question],
    options: &'a Options,
    engine: EngineName,
    settings: Settings,
    answers: Vec<OnceLock<Result<Answer, Panicked>>>,
    on_result: F,
}

impl<F: Fn(usize, &Answer) + Sync> Run<'_, F> {
    fn batch(&self, indices: &[usize]) {
        if let [index] = indices {
            return self.alone(*index);
        }
        let start = Instant::now();
        let properties: Vec<Property<'_>> = indices.iter().map(|&i| self.questions[i].property()).collect();
        let mut budget = self.budget(Duration::ZERO);
        // engines look at the clock now and then; a limit of nothing at all is passed at once
        let found = caught(|| {
            budget.spend(usize::MAX)?;
            self.prepared.check_batch(&properties, &self.settings, &mut budget)
        });
        let spent = start.elapsed();
        let share = spent / indices.len() as u32;
        match found {
            Ok(Ok(outcomes)) => indices
                .par_iter()
                .zip(outcomes)
                .for_each(|(&index, outcome)| self.finish(index, self.engine, Ok(outcome), spent, share)),
            Ok(Err(_)) => indices.par_iter().for_each(|&index| self.alone(index)),
            Err(panicked) => indices.iter().for_each(|&index| self.put(index, Err(panicked.clone()))),
        }
    }

    fn alone(&self, index: usize) {
        let start = Instant::now();
        let property = self.questions[index].property();
        let mut budget = self.budget(Duration::ZERO);
        let mut engine = self.engine;
        let check = || {
            budget.spend(usize::MAX)?;
            let looks = self.options.engine == Choice::Auto
                && property.formula.existentials().count() >= WORTH_A_LOOK;
            if looks
                && let Some(outcome) = self.prepared.glance(&property, &self.settings, &mut budget.clone())?
            {
                engine = EngineName::Lazy;
                return Ok(outcome);
            }
            self.prepared.check(self.engine, &property, &self.settings, &mut budget)
        };
        match caught(check) {
            Ok(found) => self.finish(index, engine, found, start.elapsed(), start.elapsed()),
            Err(panicked) => self.put(index, Err(panicked)),
        }
    }

    /// What is left to a property after `spent`.
    fn budget(&self, spent: Duration) -> Budget {
        Budget::new(self.options.timeout.map(|time| time.saturating_sub(spent)), self.options.memory)
    }

    /// Adds evidence to what an engine found.
    fn finish(
        &self,
        index: usize,
        engine: EngineName,
        found: Result<Outcome, Exhausted>,
        spent: Duration,
        share: Duration,
    ) {
        let verdict = match found {
            Ok(outcome) if outcome.holds => Verdict::Holds,
            Ok(_) => Verdict::Fails,
            Err(reason) => Verdict::Unknown(reason),
        };
        let mut answer = Answer {
            verdict,
            engine: name(engine),
            contexts: found.ok().map(|outcome| outcome.contexts),
            checks: found.ok().map(|outcome| outcome.checks),
            seconds: share.as_secs_f64(),
            evidence: None,
            evidence_note: None,
        };
        if let (true, Ok(outcome)) = (self.options.evidence, found) {
            let start = Instant::now();
            let property = self.questions[index].property();
            let mut budget = self.budget(spent);
            let explain = || self.prepared.explain(&property, outcome.holds, &self.settings, &mut budget);
            match caught(explain) {
                Ok(Ok(Explanation::Evidence(evidence))) => answer.evidence = Some(evidence),
                Ok(Ok(Explanation::Absence)) => {
                    answer.evidence_note =
                        Some("the claim is that no path exists, which no path shows".into());
                }
                Ok(Ok(Explanation::TooLong)) => {
                    answer.evidence_note = Some("the evidence is too long to be told".into());
                }
                Ok(Err(reason)) => answer.evidence_note = Some(reason.to_string()),
                Err(panicked) => return self.put(index, Err(panicked)),
            }
            answer.seconds += start.elapsed().as_secs_f64();
        }
        self.put(index, Ok(answer));
    }

    fn put(&self, index: usize, answer: Result<Answer, Panicked>) {
        if let Ok(answer) = &answer {
            (self.on_result)(index, answer);
        }
        assert!(self.answers[index].set(answer).is_ok(), "a question is answered once");
    }
}

fn name(engine: EngineName) -> &'static str {
    ENGINES.iter().find(|(known, ..)| *known == engine).expect("ENGINES lists every engine").1
}

/// The panic hook has spoken; what it said goes with the question.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        Panicked(text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default())
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{batches, caught};
    use crate::{Options, Question, UnknownAtoms, check_all};
    use loris_evidence::Verdict;
    use loris_logic::parse;
    use loris_rsm::{Rsm, Semantics, read_rsm_json};

    fn machine() -> Rsm {
        let text = r#"{"initial_component": "main", "components": [{"name": "main", "boxes": [],
            "nodes": [{"name": "start", "is_entry": true, "labels": ["p"]},
                      {"name": "end", "is_exit": true, "labels": ["q"]}],
            "transitions": [{"source": {"type": "node", "name": "start"},
                             "targets": [{"type": "node", "name": "end"}]}]}]}"#;
        read_rsm_json(text.as_bytes(), &Semantics::default()).unwrap().0
    }

    fn questions(rsm: &Rsm, texts: &[&str]) -> Vec<Question> {
        let ask =
            |text: &&str| Question::new(rsm, *text, &parse(text).unwrap(), UnknownAtoms::False).unwrap();
        texts.iter().map(ask).collect()
    }

    #[test]
    fn one_shape_one_batch() {
        let rsm = machine();
        let mixed = questions(&rsm, &["E F p", "E G p", "E F q", "p", "E G r", "q"]);
        assert_eq!(batches(&mixed), [vec![0, 2], vec![1, 4], vec![3, 5]]);
        let many = questions(&rsm, &["E F p"; 150]);
        assert_eq!(batches(&many).iter().map(Vec::len).collect::<Vec<_>>(), [64, 64, 22]);
        assert!(batches(&[]).is_empty());
    }

    #[test]
    fn answers_stand_in_the_order_of_the_questions() {
        let rsm = machine();
        let asked = questions(&rsm, &["E G p", "E F q", "E G q", "E F p", "A F q", "A X p"]);
        for jobs in [1, 3] {
            let options = Options { jobs, ..Options::default() };
            let answers = check_all(&rsm, &asked, &options, |_, _| ()).unwrap();
            let holds: Vec<bool> =
                answers.iter().map(|answer| answer.as_ref().unwrap().verdict == Verdict::Holds).collect();
            assert_eq!(holds, [false, true, false, true, true, false]);
        }
    }

    #[test]
    fn no_budget_is_unknown_for_each() {
        let rsm = machine();
        let asked = questions(&rsm, &["E F p", "E F q", "E G q"]);
        let options = Options { timeout: Some(std::time::Duration::ZERO), ..Options::default() };
        let answers = check_all(&rsm, &asked, &options, |_, _| ()).unwrap();
        let unknown = |verdict| matches!(verdict, Verdict::Unknown(_));
        assert!(answers.iter().all(|answer| unknown(answer.as_ref().unwrap().verdict)));
    }

    #[test]
    fn a_panic_is_told() {
        assert_eq!(
            caught(|| panic!("at {}", 7)).map_err(|panicked: super::Panicked| panicked.0),
            Err::<(), _>("at 7".into())
        );
    }
}
