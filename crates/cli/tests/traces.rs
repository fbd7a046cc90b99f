//! Random sequences of calls, as a long-lived program makes them: a model is read once and asked
//! again and again, some questions at a time, on 1, 2 and 6 threads, and under limits.
//!
//! What is answered depends on the question, the model and the memory there is: not on threads, not
//! on what is asked besides, and not on what was asked before. The answer that everything is
//! compared with is that to the question alone, of a model just read, on one thread; a fresh
//! process finds the same verdicts. A sequence that fails is shrunk. `LORIS_CASES` is the number of
//! sequences for each kind of model.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{loris, scratch, text};
use loris_base::{Budget, Exhausted, Rng};
use loris_check::{Logic, Options};
use loris_load::{Origin, Reading, Words};
use loris_rsm::{DeadEnds, Semantics};
use loris_session::{Loaded, Request, Setting};
use loris_testing::formulas::{Atoms, formula};
use loris_testing::models;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// What may cut work off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Limit {
    Nothing,
    /// this many bytes for each question
    Memory(usize),
    /// this many bytes for all questions that are answered at the same time
    Shared(usize),
    /// no time at all
    NoTime,
    /// the user has interrupted before anything was asked
    Interrupted,
}

impl Limit {
    fn random(rng: &mut Rng) -> Self {
        // small models take from some hundred bytes to some hundred thousand
        let bytes = |rng: &mut Rng| (1 << (8 + rng.below(11))) + rng.below(1 << 8);
        match rng.below(8) {
            0..2 => Limit::Nothing,
            2 => Limit::Memory(bytes(rng)),
            3..6 => Limit::Shared(bytes(rng)),
            6 => Limit::NoTime,
            _ => Limit::Interrupted,
        }
    }

    /// Whether answers are the same each time.
    fn is_exact(self) -> bool {
        matches!(self, Limit::Nothing | Limit::Memory(_) | Limit::Shared(_))
    }
}

/// A call: some questions, in any order and perhaps twice, on this many threads.
#[derive(Clone, Debug)]
struct Call {
    questions: Vec<usize>,
    jobs: usize,
    limit: Limit,
    evidence: bool,
}

impl Call {
    fn random(rng: &mut Rng, questions: usize) -> Self {
        Self {
            questions: (0..=rng.below(6)).map(|_| rng.below(questions)).collect(),
            jobs: [1, 2, 6][rng.below(3)],
            limit: Limit::random(rng),
            evidence: rng.chance(0.5),
        }
    }
}

/// A model with questions, and how these are asked.
struct Subject {
    paths: Vec<PathBuf>,
    dead_ends: DeadEnds,
    logic: Logic,
    engine: &'static str,
    formulas: Vec<String>,
    /// Whether work is shared with other questions: the machine of a program and the equations of a
    /// module are those that all questions need, and engines for transition systems go on from what
    /// they found. Then another path may be shown, and another question may be too much for a
    /// limit.
    shares_work: bool,
    /// answers to single questions under a limit, with evidence or without
    alone: Mutex<BTreeMap<(usize, Limit, bool), Value>>,
}

impl Subject {
    fn load(&self) -> Loaded {
        let semantics = Semantics { dead_ends: self.dead_ends, ..Semantics::default() };
        let origin = Origin { semantics, ..Origin::default() };
        let mut reading = Reading::new(Budget::unlimited(), Words::default());
        let loaded = Loaded::read(&self.paths, None, origin, &mut reading);
        loaded.unwrap_or_else(|| panic!("{:?}: {:?}", self.paths, reading.found()))
    }

    /// The answers of a call in order, as far as they may not differ, or what is wrong with how
    /// they come.
    fn ask(&self, loaded: &Loaded, call: &Call) -> Result<Vec<Value>, String> {
        let mut options = Options {
            engine: self.engine.parse().unwrap(),
            jobs: call.jobs,
            evidence: call.evidence,
            ..Options::default()
        };
        match call.limit {
            Limit::Nothing => {}
            Limit::Memory(bytes) => options.memory = Some(bytes),
            Limit::Shared(bytes) => options.shared_memory = Some(bytes),
            Limit::NoTime => options.timeout = Some(Duration::ZERO),
            Limit::Interrupted => options.interrupt.raise(Exhausted::Interrupted),
        }
        let formulas: Vec<String> = call.questions.iter().map(|&i| self.formulas[i].clone()).collect();
        let request = Request { formulas: &formulas, logic: Some(self.logic), ..Request::new(&options) };
        let mut reading = Reading::new(Budget::unlimited(), Words::default());
        let origin = loaded.origin_of_call();
        let inquiry = loaded.inquire(&origin, &request, &mut reading);
        if reading.has_errors() {
            return Err(format!("{:?}", reading.found()));
        }
        let inquiry = inquiry.ok_or("nothing was asked")?;
        let setting = Setting::new(&self.paths, loaded.format(), &origin).asking(&options);
        let told = Mutex::new(vec![None; formulas.len()]);
        let answers = inquiry.answers(&setting, &options, Duration::ZERO, |rank, _, _, answer| {
            let before = told.lock().unwrap()[rank].replace(answer.verdict.clone());
            assert!(before.is_none(), "question {rank} is answered once");
        });
        let answers = answers.map_err(|error| error.to_string())?;
        for (told, one) in told.into_inner().unwrap().iter().zip(&answers.all) {
            let answer = one.answer.as_ref().map_err(ToString::to_string)?;
            if told.as_ref() != Some(&answer.verdict) {
                return Err(format!("{:?} was told, and the answer is {:?}", told, answer.verdict));
            }
        }
        let mut report = String::new();
        answers.write_json(&mut report, 0.0, call.evidence).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        let results: Vec<Value> = report["results"].as_array().unwrap().iter().map(essence).collect();
        let order: Vec<&str> = results.iter().filter_map(|result| result["property"].as_str()).collect();
        if order == formulas { Ok(results) } else { Err(format!("asked {formulas:?}, answered {order:?}")) }
    }

    /// The answer to one question of a model just read, on one thread.
    fn alone(&self, question: usize, limit: Limit, evidence: bool) -> Result<Value, String> {
        let key = (question, limit, evidence);
        if let Some(known) = self.alone.lock().unwrap().get(&key) {
            return Ok(known.clone());
        }
        let call = Call { questions: vec![question], jobs: 1, limit, evidence };
        let answer = self.ask(&self.load(), &call)?.remove(0);
        self.alone.lock().unwrap().insert(key, answer.clone());
        Ok(answer)
    }

    /// What is wrong with the answers of some calls, one after the other, of a model read once.
    fn check(&self, calls: &[Call], tally: &mut Tally) -> Result<(), String> {
        let loaded = self.load();
        for (number, call) in calls.iter().enumerate() {
            let all = self.ask(&loaded, call).map_err(|what| format!("call {number}: {what}"))?;
            for (&question, found) in call.questions.iter().zip(&all) {
                let plain = self.alone(question, Limit::Nothing, call.evidence)?;
                tally.asked += 1;
                tally.evidence += usize::from(!found["evidence"].is_null());
                // another verdict than without limits is that a limit was reached
                if found["verdict"] != plain["verdict"] || found["reason"] != plain["reason"] {
                    let reason = found["reason"].as_str().unwrap_or_default();
                    if !reason.contains(word(call.limit)) {
                        return Err(format!("call {number}: {found}\nwithout limits: {plain}"));
                    }
                    *tally.cut.entry(word(call.limit)).or_default() += 1;
                }
                if call.limit == Limit::Nothing || (call.limit.is_exact() && !self.shares_work) {
                    let expected = self.alone(question, call.limit, call.evidence)?;
                    if self.compared(found) != self.compared(&expected) {
                        return Err(format!("call {number}: {found}\nalone: {expected}"));
                    }
                }
            }
            if call.limit.is_exact() && call.jobs > 1 {
                let expected = self.ask(&self.load(), &Call { jobs: 1, ..call.clone() })?;
                if all != expected {
                    return Err(format!("call {number}: {all:?}\non one thread: {expected:?}"));
                }
            }
        }
        Ok(())
    }

    /// What other questions may not change of an answer.
    fn compared(&self, answer: &Value) -> Value {
        let mut answer = answer.clone();
        if self.shares_work && !answer["evidence"].is_null() {
            answer["evidence"] = true.into();
        }
        answer
    }

    /// A short sequence that fails like this one, and how.
    fn shrunk(&self, mut calls: Vec<Call>, mut what: String) -> (Vec<Call>, String) {
        // threads do not always meet in the same way
        let fails = |calls: &[Call]| (0..5).find_map(|_| self.check(calls, &mut Tally::default()).err());
        loop {
            let without_call = (0..calls.len()).map(|at| {
                let mut fewer = calls.clone();
                fewer.remove(at);
                fewer
            });
            let places = calls
                .iter()
                .enumerate()
                .flat_map(|(at, call)| (0..call.questions.len()).map(move |i| (at, i)));
            let without_question = places.map(|(at, i)| {
                let mut fewer = calls.clone();
                fewer[at].questions.remove(i);
                fewer
            });
            let simpler = without_call
                .chain(without_question)
                .filter(|calls| calls.iter().all(|call| !call.questions.is_empty()))
                .find_map(|calls| Some((fails(&calls)?, calls)));
            match simpler {
                Some((how, fewer)) => (calls, what) = (fewer, how),
                None => return (calls, what),
            }
        }
    }
}

/// How a limit is named in the reason for an answer.
fn word(limit: Limit) -> &'static str {
    match limit {
        Limit::Nothing => "nothing",
        Limit::Memory(_) | Limit::Shared(_) => "memory limit",
        Limit::NoTime => "time limit",
        Limit::Interrupted => "interrupted",
    }
}

/// What was tried.
#[derive(Debug, Default)]
struct Tally {
    asked: usize,
    evidence: usize,
    cut: BTreeMap<&'static str, usize>,
}

/// What may not differ of a result: engines may differ in their figures.
fn essence(result: &Value) -> Value {
    let kept = ["property", "verdict", "reason", "note", "vacuous", "value", "evidence", "evidence_note"];
    result
        .as_object()
        .unwrap()
        .iter()
        .filter(|(key, _)| kept.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The verdicts of a fresh process are those of questions alone.
fn check_process(subject: &Subject, rng: &mut Rng) {
    let logic = subject.logic.name();
    let dead_ends = ["error", "loop", "stop"][subject.dead_ends as usize];
    let jobs = ["1", "2", "6"][rng.below(3)];
    let mut arguments = vec!["check", "--format", "json", "--logic", logic, "--engine", subject.engine];
    arguments.extend(["--dead-ends", dead_ends, "--jobs", jobs]);
    arguments.extend(subject.paths.iter().map(|path| path.to_str().unwrap()));
    arguments.extend(subject.formulas.iter().flat_map(|formula| ["-p", formula]));
    let output = loris(&arguments).output().unwrap();
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    for (question, found) in report["results"].as_array().unwrap().iter().map(essence).enumerate() {
        assert_eq!(found, subject.alone(question, Limit::Nothing, false).unwrap(), "{arguments:?}");
    }
}

type Maker = fn(&Path, &mut Rng) -> (Vec<String>, Atoms);

/// Random sequences of calls on models of a kind, for each logic with some engines.
fn check(kind: &str, model: Maker, settings: &[(&str, &[&'static str])]) {
    let cases: u64 = loris_testing::cases(3);
    let mut tally = Tally::default();
    let settings =
        settings.iter().flat_map(|&(logic, engines)| engines.iter().map(move |&engine| (logic, engine)));
    for (number, (logic, engine)) in settings.enumerate() {
        for case in 0..cases {
            let mut rng = Rng::new(1000 * case + number as u64);
            let folder = scratch(&format!("traces_{kind}_{number}"));
            let (files, atoms) = model(&folder, &mut rng);
            let subject = Subject {
                paths: files.iter().map(PathBuf::from).collect(),
                // runs that end are not for all logics
                dead_ends: [DeadEnds::Loop, DeadEnds::Stop][rng.below(2) * usize::from(logic != "ctl*")],
                logic: match logic {
                    "ltl" => Logic::Ltl,
                    "ctl*" => Logic::Star,
                    "mu" => Logic::Mu,
                    _ => Logic::Ctl,
                },
                engine,
                formulas: (0..6).map(|_| formula(logic, &atoms, &mut rng)).collect(),
                shares_work: ["equations", "circuits", "programs"].contains(&kind),
                alone: Mutex::default(),
            };
            if case == 0 {
                check_process(&subject, &mut rng);
            }
            let calls: Vec<Call> = (0..6).map(|_| Call::random(&mut rng, subject.formulas.len())).collect();
            if let Err(what) = subject.check(&calls, &mut tally) {
                let (calls, what) = subject.shrunk(calls, what);
                let asked = (&subject.paths, &subject.formulas);
                panic!("{kind}, {logic} by {engine}, case {case}: {asked:#?}\n{calls:#?}\n{what}");
            }
        }
    }
    assert!(tally.asked > 20 && tally.evidence > 0 && tally.cut.contains_key("memory limit"), "{tally:?}");
}

#[test]
fn machines() {
    let settings: [(&str, &[&str]); 4] = [
        ("ctl", &["auto", "summary", "lazy", "ternary"]),
        ("ltl", &["auto"]),
        ("ctl*", &["auto"]),
        ("mu", &["auto"]),
    ];
    check("machines", models::machine, &settings);
    check("pushdown", models::pushdown, &settings);
}

/// A Java program; its machine is made anew for each call, of what is asked in it.
fn program(_: &Path, _: &mut Rng) -> (Vec<String>, Atoms) {
    let labels = ["enter Notes.title", "exit Notes.*", "call java.io.*", "exceptional"];
    let labels = labels.iter().map(|label| format!("\"{label}\"")).collect();
    let class = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/java/Notes.class");
    (vec![class.to_str().unwrap().to_owned()], Atoms { labels, actions: Vec::new(), is_smv: false })
}

#[test]
fn programs() {
    check("programs", program, &[("ctl", &["auto", "lazy"]), ("ltl", &["auto"])]);
}

#[test]
fn listed_modules() {
    let settings: [(&str, &[&str]); 3] =
        [("ctl", &["auto", "fixpoint"]), ("ltl", &["auto"]), ("ctl*", &["auto"])];
    check("listed", |folder, rng| models::smv(folder, rng, true), &settings);
}

#[test]
fn modules_by_their_equations() {
    let settings: [(&str, &[&str]); 3] =
        [("ctl", &["bdd", "omg"]), ("ltl", &["bdd"]), ("invariants", &["pdr"])];
    check("equations", |folder, rng| models::smv(folder, rng, false), &settings);
}

#[test]
fn circuits() {
    let settings: [(&str, &[&str]); 4] = [
        ("ctl", &["auto", "bdd", "omg"]),
        ("ltl", &["auto"]),
        ("invariants", &["auto", "pdr"]),
        ("mu", &["auto"]),
    ];
    check("circuits", |folder, rng| models::circuit(folder, rng, false), &settings);
}

#[test]
fn processes() {
    let settings: [(&str, &[&str]); 2] = [("mu", &["auto", "game", "compositional"]), ("ctl", &["auto"])];
    check("kripke", models::kripke_structures, &settings);
    check("lts", models::transition_systems, &[("mu", &["auto", "mdd", "game"])]);
}
