//! A kind of models that only this file defines goes the whole way: words with a loop, which are
//! asked LTL. It is planned, runs in batches on threads, keeps within limits, is answered in order
//! and reported, without a line about it in the runner, in `session` or in `report`.

#![allow(clippy::unwrap_used)] // helpers of tests

use loris_base::{Budget, Diagnostic, Exhausted, Idx, Interrupt, Rng};
use loris_check::{
    Answer, Checkable, Logic, Model, ModelKind, Options, Plan, Planner, Question, Refusal, Round, Run, Size,
    Suggestions,
};
use loris_evidence::Verdict;
use loris_load::{Format, Origin};
use loris_logic::{Formula, Node, RandomLtl, parse};
use loris_session::{Case, Inquiry, QuestionPlace, Setting};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// A word of which the last letter is followed by one before.
#[derive(Clone, Debug)]
struct Word {
    /// the atoms that hold at each position
    letters: Vec<Vec<&'static str>>,
    /// which position comes after the last
    back: usize,
}

const ATOMS: [&str; 3] = ["a", "b", "c"];

impl Word {
    fn random(rng: &mut Rng) -> Self {
        let length = 1 + rng.below(6);
        let letter = |rng: &mut Rng| ATOMS.into_iter().filter(|_| rng.chance(0.5)).collect();
        Self { letters: (0..length).map(|_| letter(rng)).collect(), back: rng.below(length) }
    }

    /// Where each subformula holds, operands before operators, within limits.
    fn columns(&self, formula: &Formula, budget: &mut Budget) -> Result<Vec<Vec<bool>>, Exhausted> {
        let positions = self.letters.len();
        let next = |at: usize| if at + 1 < positions { at + 1 } else { self.back };
        let mut columns: Vec<Vec<bool>> = Vec::new();
        for (_, node) in formula.nodes() {
            budget.charge(positions)?;
            budget.look()?;
            let value = |id: loris_logic::FormulaId, at: usize| columns[id.index()][at];
            let everywhere = |of: &dyn Fn(usize) -> bool| (0..positions).map(of).collect::<Vec<bool>>();
            // what holds now, or goes on with what holds next, from a first guess
            let unrolled = |guess: bool, now: &dyn Fn(usize) -> bool, on: &dyn Fn(usize) -> bool| {
                let mut column = vec![guess; positions];
                for _ in 0..positions {
                    column = (0..positions).map(|at| now(at) || (on(at) && column[next(at)])).collect();
                }
                column
            };
            let column = match node {
                Node::True => everywhere(&|_| true),
                Node::False => everywhere(&|_| false),
                Node::Atom(atom) => everywhere(&|at| self.letters[at].contains(&&formula.atoms()[atom])),
                Node::Not(a) => everywhere(&|at| !value(a, at)),
                Node::And(a, b) => everywhere(&|at| value(a, at) && value(b, at)),
                Node::Or(a, b) => everywhere(&|at| value(a, at) || value(b, at)),
                Node::Implies(a, b) => everywhere(&|at| !value(a, at) || value(b, at)),
                Node::Iff(a, b) => everywhere(&|at| value(a, at) == value(b, at)),
                // there is one path
                Node::E(a) | Node::A(a) => columns[a.index()].clone(),
                Node::X(a) => everywhere(&|at| value(a, next(at))),
                Node::F(a) => unrolled(false, &|at| value(a, at), &|_| true),
                Node::G(a) => unrolled(true, &|_| false, &|at| value(a, at)),
                Node::U(a, b) => unrolled(false, &|at| value(b, at), &|at| value(a, at)),
                Node::W(a, b) => unrolled(true, &|at| value(b, at), &|at| value(a, at)),
                Node::R(a, b) => unrolled(true, &|at| value(a, at) && value(b, at), &|at| value(b, at)),
            };
            columns.push(column);
        }
        Ok(columns)
    }
}

impl Checkable for Word {
    fn kind(&self) -> Option<ModelKind> {
        None
    }

    fn bytes(&self) -> usize {
        self.letters.len()
    }

    fn sizes(&self) -> Vec<Size> {
        vec![Size { key: "letters", count: self.letters.len(), noun: Some(("letter", "letters")) }]
    }

    fn planner<'a>(&'a self, _: &'a Options, _: &'a Suggestions) -> Planner<'a> {
        Box::new(|question| match (question.logic(), question.formula()) {
            (Logic::Ltl, Some(formula)) => {
                let unknown = formula.atoms().iter().find(|atom| !ATOMS.contains(atom));
                match unknown {
                    Some(atom) => {
                        Err(Refusal::Wrong(Diagnostic::global(format!("no letter has {atom}")).into()))
                    }
                    None => Ok(Plan::new(None, "words", formula.clone())),
                }
            }
            (logic, _) => Ok(Plan::unsupported(format!("{} of words", logic.name()))),
        })
    }

    fn run(&self, plans: &[Plan], _: &Options, go: &mut dyn FnMut(&dyn Run)) {
        let formulas = plans.iter().map(Plan::work).collect();
        go(&Reading { word: self, formulas });
    }
}

/// Two questions at a time go together: the first leaves its columns behind, as engines do.
struct Reading<'a> {
    word: &'a Word,
    formulas: Vec<Option<&'a Formula>>,
}

impl Run for Reading<'_> {
    fn batches(&self) -> Vec<Vec<usize>> {
        let own: Vec<usize> = (0..self.formulas.len()).filter(|&at| self.formulas[at].is_some()).collect();
        own.chunks(2).map(<[usize]>::to_vec).collect()
    }

    fn carry_out(&self, batch: &[usize], round: &Round<'_>) {
        let mut left_behind = 0;
        for &index in batch {
            let formula = self.formulas[index].expect("batches are made of own plans");
            let mut budget = round.budget(index);
            let columns = budget.hold(left_behind).and_then(|()| self.word.columns(formula, &mut budget));
            let verdict = match &columns {
                Ok(columns) if columns.last().unwrap()[0] => Verdict::Holds,
                Ok(_) => Verdict::Fails,
                Err(why) => Verdict::from(*why),
            };
            round.put(index, Ok(Answer::of("words", verdict)), left_behind > 0);
            left_behind = columns.map_or(0, |columns| columns.len() * self.word.letters.len());
        }
    }
}

/// Formulas that are asked of a word in one call.
fn inquiry(word: &Word, formulas: &[String], options: &Options) -> Inquiry {
    let model = Model::Other(Arc::new(word.clone()));
    let question = |text: &String| Question::new(Logic::Ltl, text, parse(text).unwrap());
    let questions: Vec<Question> = formulas.iter().map(question).collect();
    let plans = model.plan_all(&questions, options).unwrap();
    let place = |number| QuestionPlace { number, instance: String::new(), expected: None, span: (0, 0) };
    let case = Case {
        model: Some(model.clone()),
        module: None,
        places: (0..formulas.len()).map(place).collect(),
        questions: questions.into_iter().map(Into::into).collect(),
        plans,
        given: Vec::new(),
    };
    Inquiry { model: Some(model), cases: vec![case], stopped: None }
}

/// The report on some formulas in JSON.
fn report(word: &Word, formulas: &[String], options: &Options) -> Value {
    let inquiry = inquiry(word, formulas, options);
    let setting = Setting::new(&["a.word".into()], Format::Aut, &Origin::default()).asking(options);
    let answers = inquiry.answers(&setting, options, Duration::ZERO, |_, _, _, _| ()).unwrap();
    let mut text = String::new();
    answers.write_json(&mut text, 0.0, options.evidence).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Property, verdict and reason of each result.
fn results(report: &Value) -> Vec<[String; 3]> {
    let word = |result: &Value, key: &str| result[key].as_str().unwrap_or_default().to_owned();
    let results = report["results"].as_array().unwrap().iter();
    results.map(|result| ["property", "verdict", "reason"].map(|key| word(result, key))).collect()
}

fn texts(formulas: &[&str]) -> Vec<String> {
    formulas.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn a_report_shows_it() {
    let word = Word { letters: vec![vec!["a"], vec!["a", "b"], vec!["c"]], back: 1 };
    let found = report(&word, &texts(&["a U c", "G F b", "F G b", "X (b W c)"]), &Options::default());
    assert_eq!((&found["model"]["letters"], &found["model"]["path"]), (&3.into(), &"a.word".into()));
    let verdicts: Vec<String> = results(&found).into_iter().map(|[_, verdict, _]| verdict).collect();
    assert_eq!(verdicts, ["holds", "holds", "fails", "holds"]);
    assert_eq!(found["summary"]["holds"], 3);
    assert_eq!(found["results"][0]["engine"], "words");
}

#[test]
fn what_it_does_not_take_is_refused_or_unknown() {
    let model = Model::Other(Arc::new(Word { letters: vec![vec!["a"]], back: 0 }));
    let (options, suggestions) = (Options::default(), Suggestions::default());
    let planner = model.planner(&options, &suggestions);
    let plan = |logic, text: &str| planner(&Question::new(logic, text, parse(text).unwrap()));
    assert_eq!(plan(Logic::Ltl, "G d").unwrap_err().to_string(), "no letter has d");
    assert_eq!(plan(Logic::Ctl, "E F a").unwrap().engine(), "none");
    assert_eq!(plan(Logic::Ltl, "F a").unwrap().engine(), "words");
}

#[test]
fn answers_depend_on_the_question_and_the_memory_alone() {
    let mut undecided = 0;
    for seed in 0..loris_testing::cases(200) {
        let rng = &mut Rng::new(seed);
        let word = Word::random(rng);
        let formulas: Vec<String> = (0..=rng.below(7))
            .map(|_| RandomLtl::new(1 + rng.below(5) as u32).generate(rng).to_string())
            .collect();
        let shared_memory = [None, Some(1 + rng.below(100))][rng.below(2)];
        let with = |jobs| Options { jobs, shared_memory, ..Options::default() };
        let alone: Vec<[String; 3]> = formulas
            .iter()
            .flat_map(|one| results(&report(&word, std::slice::from_ref(one), &with(1))))
            .collect();
        undecided += alone.iter().filter(|[_, verdict, _]| verdict == "unknown").count();
        for jobs in [1, 2, 6] {
            assert_eq!(
                results(&report(&word, &formulas, &with(jobs))),
                alone,
                "{word:?} with {:?}",
                with(jobs)
            );
        }
        let backwards: Vec<String> = formulas.iter().rev().cloned().collect();
        let mut found = results(&report(&word, &backwards, &with(2)));
        found.reverse();
        assert_eq!(found, alone, "{word:?}");
    }
    assert!(undecided > 0);
}

#[test]
fn limits_give_reasons() {
    let word = Word { letters: vec![vec!["a"], vec![]], back: 0 };
    let interrupt = Interrupt::default();
    interrupt.raise(Exhausted::Interrupted);
    let options = Options::default();
    for (options, reason) in [
        (Options { memory: Some(1), ..options.clone() }, Exhausted::Memory),
        (Options { timeout: Some(Duration::ZERO), ..options.clone() }, Exhausted::Time),
        (Options { interrupt, ..options.clone() }, Exhausted::Interrupted),
    ] {
        let found = results(&report(&word, &texts(&["G F a", "a"]), &options));
        for [property, verdict, why] in found {
            assert_eq!((&*verdict, why), ("unknown", reason.to_string()), "{property}");
        }
    }
}
