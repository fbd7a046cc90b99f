//! Random sequences of calls of the libraries, as a long-lived program makes them: load, ask,
//! limit, cancel, ask again. What a used session answers is what a fresh process answers.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{loris, scratch, text};
use loris_base::{Budget, Exhausted, Interrupt, Rng};
use loris_check::{Answer, Logic, Model, Options, Prepared, Question, UnknownAtoms, check_all};
use loris_evidence::Verdict;
use loris_load::{Format, Origin, Reading, Words, machine};
use loris_logic::{RandomCtl, RandomLtl};
use loris_rsm::generate::RandomRsm;
use loris_rsm::{Pds, write_pds, write_rsm_json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A model in a file.
fn model_file(rng: &mut Rng, folder: &Path, number: usize) -> (PathBuf, Format) {
    let rsm = RandomRsm { exits: 0.1, ..RandomRsm::paper(3 + rng.below(4)) }.to_rsm(rng);
    let mut bytes = Vec::new();
    let (extension, format) = if rng.chance(0.5) { ("rsm", Format::Rsm) } else { ("pds", Format::Pds) };
    match format {
        Format::Pds => write_pds(&Pds::from_rsm(&rsm), &mut bytes).unwrap(),
        _ => write_rsm_json(&rsm, &mut bytes).unwrap(),
    }
    let path = folder.join(format!("{number}.{extension}"));
    std::fs::write(&path, bytes).unwrap();
    (path, format)
}

fn question(rng: &mut Rng) -> Question {
    let (logic, formula) = if rng.chance(0.3) {
        (Logic::Ltl, RandomLtl::new(1 + rng.below(4) as u32).generate(rng))
    } else {
        (Logic::Ctl, RandomCtl::new(1 + rng.below(3) as u32).generate(rng))
    };
    Question::new(logic, formula.to_string(), formula).with_unknown_atoms(UnknownAtoms::False)
}

/// The engines that are asked for CTL.
const ENGINES: [&str; 5] = ["auto", "summary", "lazy", "eager", "ternary"];

fn ask(prepared: &Prepared<'_>, questions: &[Question], options: &Options) -> Vec<Answer> {
    let model = Model::machine(prepared.rsm().clone());
    let plans = model.plan_all(questions, options).unwrap();
    let answers = check_all(&model, &plans, options, |_, _| ()).unwrap();
    answers.into_iter().map(Result::unwrap).collect()
}

/// The verdict of a fresh process.
fn fresh(path: &Path, question: &Question, engine: &str) -> String {
    let engine = if question.logic() == Logic::Ltl { "auto" } else { engine };
    let logic = question.logic().name();
    let mut arguments = vec!["check", path.to_str().unwrap(), "-p", &question.text, "--logic", logic];
    arguments.extend(["--engine", engine, "--unknown-atoms", "false", "--format", "json", "-j", "1"]);
    let output = loris(&arguments).output().unwrap();
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    report["results"][0]["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn a_used_session_answers_as_a_fresh_process() {
    let cases: u64 = loris_testing::cases(25);
    let folder = scratch("traces");
    let (mut asked, mut limited, mut cancelled) = (0, 0, 0);
    for case in 0..cases {
        let mut rng = Rng::new(case);
        let (path, format) = model_file(&mut rng, &folder, case as usize);
        let mut reading = Reading::new(Budget::unlimited(), Words::default());
        let model = machine(&path, format, &Origin::default(), &mut reading).unwrap();
        let prepared = Prepared::new(&model.rsm);
        let questions: Vec<Question> = (0..=rng.below(4)).map(|_| question(&mut rng)).collect();
        let is_linear = questions.iter().any(|question| question.logic() == Logic::Ltl);
        let engine = if is_linear { "auto" } else { ENGINES[rng.below(ENGINES.len())] };
        let expected: Vec<String> = questions.iter().map(|question| fresh(&path, question, engine)).collect();
        for step in 0..6 {
            let interrupt = Interrupt::default();
            let mut options = Options {
                engine: engine.parse().unwrap(),
                interrupt: interrupt.clone(),
                jobs: 1 + rng.below(3),
                evidence: rng.chance(0.3),
                ..Options::default()
            };
            let (mut may_be_short, mut canceller) = (false, None);
            match rng.below(4) {
                // all at once, again
                0 => {}
                1 => {
                    may_be_short = true;
                    options.memory = Some(rng.below(1 << 18));
                }
                2 => {
                    may_be_short = true;
                    options.timeout = Some(Duration::from_micros(rng.below(300) as u64));
                }
                _ => {
                    may_be_short = true;
                    let after = Duration::from_micros(rng.below(500) as u64);
                    // some are cancelled for sure, however fast the machine is
                    if after < Duration::from_micros(100) {
                        interrupt.raise(Exhausted::Interrupted);
                    }
                    canceller = Some(std::thread::spawn(move || {
                        std::thread::sleep(after);
                        interrupt.raise(Exhausted::Interrupted);
                    }));
                }
            }
            // some of them, in an order of their own
            let first = rng.below(questions.len());
            let some: Vec<usize> =
                (0..questions.len()).map(|i| (first + i) % questions.len()).take(1 + rng.below(4)).collect();
            let list: Vec<Question> = some.iter().map(|&i| questions[i].clone()).collect();
            let answers = ask(&prepared, &list, &options);
            if let Some(canceller) = canceller {
                canceller.join().unwrap();
            }
            for (&i, answer) in some.iter().zip(&answers) {
                let what = format!("case {case}, step {step}: {} by {engine}", questions[i].text);
                asked += 1;
                match &answer.verdict {
                    Verdict::Unknown(_) if may_be_short => match answer.verdict.limit() {
                        Some(Exhausted::Interrupted) => cancelled += 1,
                        _ => limited += 1,
                    },
                    verdict => assert_eq!(verdict.word(), expected[i], "{what}"),
                }
            }
        }
    }
    assert!(asked > 5 * cases as usize && limited > 0 && cancelled > 0, "{asked} {limited} {cancelled}");
}
