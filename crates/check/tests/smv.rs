//! SMV programs whose modules call each other: all engines agree, from every module, and so does
//! the program written anew.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{ask, try_answers};
use loris_base::{Budget, Idx, Rng};
use loris_check::{Choice, ENGINES, Logic, Options, Prepared, Question};
use loris_evidence::{AtExit, Verdict, replay};
use loris_rsm::{ComponentId, Rsm};
use loris_smv::generate::RandomRecursive;
use loris_smv::write::write_smv;
use loris_smv::{Labels, Limits, build, read_smv};

fn machine(text: &str) -> Rsm {
    let (smv, _) = read_smv(text).unwrap_or_else(|problems| panic!("{text}\n{:?}", problems.sorted()));
    let properties: Vec<_> = smv.program().properties.iter().collect();
    let limits = Limits::default();
    let made = build(smv.program(), &properties, Labels::All, &limits, &mut Budget::unlimited());
    made.unwrap_or_else(|stopped| panic!("{text}\n{stopped:?}")).rsm
}

/// The verdicts of an engine, with evidence replayed.
fn verdicts(rsm: &Rsm, questions: &[Question], engine: &str, at_exit: AtExit) -> Option<Vec<bool>> {
    let options = Options {
        engine: engine.parse::<Choice>().unwrap(),
        at_exit,
        evidence: engine == "auto",
        ..Options::default()
    };
    let prepared = Prepared::new(rsm);
    let answers = try_answers(&prepared, questions, &options).ok()?;
    let holds = |answer: loris_check::Answer| {
        if let Some(evidence) = answer.machine_paths() {
            replay(rsm, evidence, at_exit).unwrap();
        }
        answer.verdict == Verdict::Holds
    };
    Some(answers.into_iter().map(holds).collect())
}

#[test]
fn engines_agree_on_recursive_programs() {
    let cases: u64 = loris_testing::cases(150);
    let mut rng = Rng::new(23);
    let (mut held, mut all, mut compared) = (0, 0, 0u64);
    for case in 0..cases {
        let random = RandomRecursive {
            modules: 1 + rng.below(4),
            locations: 2 + rng.below(5),
            calls: rng.below(4),
            recursion: [0.0, 0.3, 1.0][rng.below(3)],
            degree: 1.5,
            labels: 3,
            share: 0.3,
            properties: 6,
            depth: 2,
        };
        let mut text = Vec::new();
        random.write(&mut rng, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let (smv, _) = read_smv(&text).unwrap();
        let rsm = machine(&text);
        let mut written = Vec::new();
        write_smv(&rsm, &[], &mut written).unwrap();
        let again = machine(&String::from_utf8(written).unwrap());
        for at_exit in [AtExit::Loop, AtExit::Sink] {
            for module in 0..rsm.component_count() {
                let rooted = rsm.rooted(ComponentId::new(module));
                let properties = smv.program().properties.iter();
                let asked: Vec<Question> = properties
                    .map(|property| ask(Logic::Ctl, property.text.clone(), &property.formula))
                    .collect();
                let expected = verdicts(&rooted, &asked, "auto", at_exit).unwrap();
                for engine in ENGINES.iter().filter(|row| row.logics.contains(&Logic::Ctl)) {
                    if let Some(found) = verdicts(&rooted, &asked, engine.name, at_exit) {
                        assert_eq!(
                            found, expected,
                            "case {case}, {} from module {module}\n{text}",
                            engine.name
                        );
                        compared += 1;
                    }
                }
                if module == 0 {
                    let found = verdicts(&again, &asked, "auto", at_exit).unwrap();
                    assert_eq!(found, expected, "case {case}, written anew\n{text}");
                }
                held += expected.iter().filter(|&&holds| holds).count();
                all += expected.len();
            }
        }
    }
    // eager, ternary, random, lazy, summary, cont and three of recursive-kripke, in two ways to end
    assert!(compared > 2 * 8 * cases && held > all / 5 && held < all * 4 / 5, "{compared} {held}/{all}");
}
