//! SMV models that take long enough to list that `auto` asks other engines in turns: its answers
//! are those of each way by itself, and the same in every call.

#![allow(clippy::unwrap_used)] // helpers of tests

use loris_base::{Budget, Rng};
use loris_check::{Choice, EngineName, Options};
use loris_evidence::Verdict;
use loris_load::{Format, Origin, Reading, Words};
use loris_session::{Request, Setting, inquire};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Counters that read one another and inputs; the more of them are bits, the better for decision
/// diagrams.
fn random(rng: &mut Rng) -> String {
    let counters = 4;
    let top: Vec<usize> = (0..counters).map(|_| 7 + rng.below(6)).collect();
    let mut text = "MODULE main\nIVAR\n  go : 0..3;\nVAR\n".to_owned();
    for (at, top) in top.iter().enumerate() {
        writeln!(text, "  c{at} : 0..{top};").unwrap();
    }
    text.push_str("ASSIGN\n");
    for (at, top) in top.iter().enumerate() {
        let other = (at + 1 + rng.below(counters - 1)) % counters;
        let bound = rng.below(8);
        writeln!(
            text,
            "  init(c{at}) := 0;\n  next(c{at}) := case\n    go = {at} & c{at} < {top} : c{at} + 1;\n    \
             c{other} < {bound} : c{at};\n    TRUE : {{0, c{at}}};\n  esac;"
        )
        .unwrap();
    }
    for _ in 0..4 {
        let mut value = |at: usize| format!("c{at} = {}", rng.below(top[at] + 1));
        let (a, b) = (value(0), value(1));
        let (c, d) = (value(2), value(3));
        let property = match rng.below(5) {
            0 => format!("SPEC AG !({a} & {b} & {c})"),
            1 => format!("SPEC AG EF ({a} & {d})"),
            2 => format!("SPEC EF ({a} & EG ({b}))"),
            3 => format!("SPEC A [!({c}) U ({a})]"),
            _ => format!("LTLSPEC G (({a}) -> F ({b}))"),
        };
        writeln!(text, "{property}").unwrap();
    }
    text
}

/// Verdicts with the engines that found them, and whether states were listed.
fn answers(text: &str, options: &Options) -> (Vec<(Verdict, &'static str)>, bool) {
    let path = PathBuf::from("no such folder/m.smv");
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    reading.provide(path.clone(), text.as_bytes());
    let origin = Origin::default();
    let paths = std::slice::from_ref(&path);
    let inquiry = inquire(paths, Format::Smv, &origin, &Request::new(options), &mut reading).unwrap();
    let is_listed = inquiry.model.as_ref().is_some_and(|model| model.rsm().is_some());
    let setting = Setting::new(paths, Format::Smv, &origin);
    let answers = inquiry.answers(&setting, options, Duration::ZERO, |_, _, _, _| ()).unwrap();
    let good = answers.all.iter().map(|one| one.good().unwrap());
    (good.map(|answer| (answer.verdict.clone(), answer.engine)).collect(), is_listed)
}

#[test]
fn turns_decide_what_each_way_decides() {
    let (mut listed, mut not_listed) = (0, 0);
    for seed in 0..loris_testing::cases(6) {
        let text = random(&mut Rng::new(seed));
        let by =
            |engine: Choice, jobs: usize| answers(&text, &Options { engine, jobs, ..Options::default() });
        let verdicts = |found: &[(Verdict, &str)]| -> Vec<Verdict> {
            found.iter().map(|(verdict, _)| verdict.clone()).collect()
        };
        let auto = by(Choice::Auto, 1);
        let fixpoint = by(Choice::Named(EngineName::Fixpoint), 1);
        let bdd = by(Choice::Named(EngineName::Bdd), 1);
        assert_eq!(verdicts(&auto.0), verdicts(&fixpoint.0), "{text}");
        assert_eq!(verdicts(&auto.0), verdicts(&bdd.0), "{text}");
        assert_eq!(by(Choice::Auto, 2), auto, "{text}");
        *(if auto.1 { &mut listed } else { &mut not_listed }) += 1;
    }
    assert!(not_listed > 0, "{listed} were listed, {not_listed} were not");
}
