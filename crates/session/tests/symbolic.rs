//! Random SMV models: engines that do not list states against those that do, with errors, fairness
//! and linear time; and their evidence, replayed.
//!
//! `LORIS_CASES=5000 cargo test -p loris-session --test symbolic` tries more models.

#![allow(clippy::unwrap_used, clippy::format_push_string)] // helpers of tests

use loris_base::{Budget, Rng};
use loris_check::{Answer, AnyCertificate, Choice, EngineName, Model, Note, Options};
use loris_evidence::{Results, Verdict};
use loris_load::{Format, Origin, Reading, Words};
use loris_session::replay::{SmvSubject, ValueSubject};
use loris_session::{Inquiry, Request, inquire};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A random formula over conditions.
fn formula(rng: &mut Rng, conditions: &[String], depth: usize, quantified: bool) -> String {
    if depth == 0 || rng.chance(0.2) {
        return format!("({})", conditions[rng.below(conditions.len())]);
    }
    let mut of = || formula(rng, conditions, depth - 1, quantified);
    let (a, b) = (of(), of());
    let quantifier = if quantified { ["E", "A"][rng.below(2)] } else { "" };
    match rng.below(9) {
        0 => format!("!{a}"),
        1 => format!("({a} & {b})"),
        2 => format!("({a} -> {b})"),
        3 => format!("({quantifier}X {a})"),
        4 | 5 => format!("({quantifier}F {a})"),
        6 | 7 => format!("({quantifier}G {a})"),
        _ if quantified => format!("{quantifier}[{a} U {b}]"),
        _ => format!("({a} U {b})"),
    }
}

/// A model with random properties instead of its own.
fn model(rng: &mut Rng) -> String {
    let text = loris_testing::smv::model(rng);
    let mut conditions = vec!["TRUE".to_owned()];
    let mut kept = String::new();
    for line in text.lines() {
        match line.strip_prefix("SPEC AG ((").and_then(|rest| rest.strip_suffix("))")) {
            Some(both) => conditions.extend(both.split(") -> EF (").map(str::to_owned)),
            None => kept += &format!("{line}\n"),
        }
    }
    for _ in 0..3 {
        kept += &format!("SPEC {}\n", formula(rng, &conditions, 3, true));
        kept += &format!("LTLSPEC {}\n", formula(rng, &conditions, 3, false));
    }
    kept + &format!("INVARSPEC {}\n", conditions[rng.below(conditions.len())])
}

fn options(engine: EngineName) -> Options {
    Options { engine: Choice::Named(engine), evidence: true, ..Options::default() }
}

/// The answers of an engine, in the order of the properties; nothing if something is wrong with the
/// model.
fn answers(path: &Path, engine: EngineName) -> Option<(Inquiry, Vec<Answer>)> {
    let options = options(engine);
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    let origin = Origin { max_states: Some(1 << 14), ..Origin::default() };
    let inquiry = inquire(&[path.to_owned()], Format::Smv, &origin, &Request::new(&options), &mut reading);
    let inquiry = inquiry.filter(|_| !reading.has_errors())?;
    assert_eq!(inquiry.stopped, None);
    let mut found: Vec<(usize, Answer)> = Vec::new();
    for case in &inquiry.cases {
        assert!(case.model.is_some(), "there is no limit");
        let answers = case.answers(&options, (None, Duration::ZERO), |_, _| ()).unwrap();
        for (place, answer) in case.places.iter().zip(answers) {
            found.push((place.number, answer.unwrap()));
        }
    }
    found.sort_by_key(|&(number, _)| number);
    Some((inquiry, found.into_iter().map(|(_, answer)| answer).collect()))
}

/// Replays the evidence of all answers; how many verdicts it confirms, and how many have some.
fn replayed(path: &Path, inquiry: &Inquiry, answers: &[Answer], text: &str) -> (usize, usize) {
    let mut results = String::new();
    for case in &inquiry.cases {
        let Some(Model::Symbolic(symbolic)) = &case.model else { continue };
        for (heading, place) in case.questions.iter().zip(&case.places) {
            let answer = &answers[place.number];
            let Some(AnyCertificate::Values(certificate)) = &answer.evidence else { continue };
            let mut json = String::new();
            certificate.write_json_with(&**symbolic, &mut json).unwrap();
            results += &format!(
                "{{\"property\": {:?}, \"logic\": \"{}\", \"verdict\": \"{}\", \"module\": \"main\", \
                 \"evidence\": {json}}}\n",
                heading.text,
                heading.logic.name(),
                answer.verdict.word(),
            );
        }
    }
    if results.is_empty() {
        return (0, 0);
    }
    let budget = &mut Budget::unlimited();
    let results = Results::read(&results, budget).unwrap();
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    let subject = SmvSubject::read(path, &Origin::default(), &results, &mut reading).unwrap();
    let evidence = subject.evidence(&results, budget).unwrap();
    let mut confirmed = 0;
    for (stated, evidence) in results.stated.iter().zip(&evidence) {
        match subject.verify(stated, evidence, budget) {
            Ok(found) => confirmed += usize::from(found.verdict),
            Err(why) => panic!("{text}\n{stated:?}\n{evidence:?}\n{why}"),
        }
    }
    (confirmed, evidence.len())
}

fn scratch() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("loris-symbolic-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn engines_agree() {
    let cases = loris_testing::cases(1500);
    let folder = scratch();
    let path = folder.join("model.smv");
    let (mut wrong, mut right, mut confirmed, mut shown) = (0, 0, 0, 0);
    for seed in 0..cases {
        let rng = &mut Rng::new(seed);
        let text = model(rng);
        std::fs::write(&path, &text).unwrap();
        let expected = answers(&path, EngineName::Fixpoint);
        for engine in [EngineName::Bdd, EngineName::Omg, EngineName::Pdr] {
            let found = answers(&path, engine);
            let verdicts = |found: &Option<(Inquiry, Vec<Answer>)>| {
                let verdict = |answer: &Answer| answer.verdict.clone();
                found.as_ref().map(|(_, answers)| answers.iter().map(verdict).collect::<Vec<Verdict>>())
            };
            assert_eq!(verdicts(&found), verdicts(&expected), "seed {seed}, {engine:?}:\n{text}");
            let Some((inquiry, answers)) = found else {
                wrong += 1;
                continue;
            };
            right += 1;
            // that a premise never holds is found out as far as that is cheap
            let note = |answer: &Answer| answer.note.clone().filter(Note::is_of_model);
            let notes = |answers: &[Answer]| answers.iter().map(note).collect::<Vec<_>>();
            assert_eq!(
                notes(&answers),
                notes(&expected.as_ref().unwrap().1),
                "seed {seed}, {engine:?}:\n{text}"
            );
            let of = replayed(&path, &inquiry, &answers, &text);
            confirmed += of.0;
            shown += of.1;
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("{right} models, {wrong} wrong ones, {confirmed} of {shown} confirmed");
    assert!(right > 100 && wrong > 50 && confirmed > 300, "{right} {wrong} {confirmed} {shown}");
}
