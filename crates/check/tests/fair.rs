//! Fair CTL two ways: by fixpoints that know fairness, and as CTL* with fairness said in each
//! quantifier.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{answers, fair};
use loris_base::Rng;
use loris_check::{Choice, Logic, Note, Options, Prepared, Question};
use loris_evidence::{AtExit, Verdict, replay};
use loris_logic::{Fairness, Formula, RandomCtl, RandomLtl, RandomStar, parse};
use loris_rsm::generate::RandomRsm;
use loris_rsm::{DeadEnds, Rsm, Semantics, read_rsm_json, write_rsm_json};

const LABELS: [&str; 4] = ["a", "b", "c", "d"];

/// A machine without calls; its exits loop.
fn machine(rng: &mut Rng) -> Rsm {
    let labels = LABELS.map(|label| (label.to_owned(), 0.4)).to_vec();
    let (nodes, density) = (3 + rng.below(6), [0.1, 0.2, 0.4][rng.below(3)]);
    let random = RandomRsm { components: 1, boxes: 0, nodes, entries: 0.3, exits: 0.1, labels, density };
    random.to_rsm(rng)
}

fn fairness(rng: &mut Rng) -> Fairness {
    let mut label = || LABELS[rng.below(4)].to_owned();
    let mut fairness = Fairness { justice: vec![label()], compassion: vec![(label(), label())] };
    match rng.below(3) {
        0 => fairness.justice.clear(),
        1 => fairness.compassion.clear(),
        _ => {}
    }
    fairness
}

#[test]
fn fixpoints_agree_with_ctl_star() {
    let cases = loris_testing::cases(3000);
    let mut rng = Rng::new(11);
    let (mut unfair, mut shown) = (0, 0);
    for case in 0..cases {
        let rsm = machine(&mut rng);
        let fairness = fairness(&mut rng);
        let atoms = LABELS[..3].iter().map(|&label| label.to_owned()).collect();
        let random = RandomCtl { depth: 1 + rng.below(2) as u32, branching: 2, negate: 0.4, atoms };
        let formula = random.generate(&mut rng);
        let ask = |formula: &Formula, engine: &str| {
            let text = formula.to_string();
            let question = fair(Logic::Ctl, text, formula, &fairness);
            let engine: Choice = engine.parse().unwrap();
            let options = Options { engine, evidence: case % 4 == 0, ..Options::default() };
            let mut answers = answers(&Prepared::new(&rsm), &[question], &options);
            answers.remove(0)
        };
        let (by_fixpoint, by_star) = (ask(&formula, "auto"), ask(&formula, "summary"));
        assert_eq!(by_fixpoint.engine, "fixpoint");
        assert_eq!(by_fixpoint.verdict, by_star.verdict, "case {case}: {formula} under {fairness:?}");
        if let Some(evidence) = by_fixpoint.machine_paths() {
            replay(&rsm, evidence, AtExit::Loop).unwrap();
            shown += 1;
        }
        // nothing is true of some path where none is fair
        let somewhere = ask(&parse("E F true").unwrap(), "auto").verdict == Verdict::Holds;
        assert_eq!(somewhere, ask(&parse("E G true").unwrap(), "summary").verdict == Verdict::Holds);
        unfair += usize::from(!somewhere);
    }
    assert!(unfair > cases / 50 && shown > cases / 40, "{unfair} without fair paths, {shown} with evidence");
}

#[test]
fn questions_about_all_runs_and_about_fair_ones_stand_side_by_side() {
    let mut rng = Rng::new(5);
    let mut differ = 0;
    for _ in 0..300 {
        let rsm = machine(&mut rng);
        let (some, none) = (fairness(&mut rng), Fairness::default());
        let formula = parse("A G a").unwrap();
        let ask = |fairness: &Fairness| fair(Logic::Ctl, "A G a", &formula, fairness);
        let verdicts = |questions: &[Question], engine: &str| -> Vec<Verdict> {
            let options = Options { engine: engine.parse().unwrap(), evidence: true, ..Options::default() };
            let answers = answers(&Prepared::new(&rsm), questions, &options);
            answers.into_iter().map(|answer| answer.verdict).collect()
        };
        let mixed = [ask(&some), ask(&none), ask(&some), ask(&none)];
        let found = verdicts(&mixed, "auto");
        assert_eq!(found, verdicts(&mixed, "summary"));
        assert_eq!(found[..2], found[2..]);
        differ += usize::from(found[0] != found[1]);
    }
    assert!(differ > 5, "{differ}");
}

/// The same machine, beside a component that calls: engines then take formulas whole, with all that
/// recurs in the automaton.
fn with_calls(rsm: &Rsm) -> Rsm {
    let mut text = Vec::new();
    write_rsm_json(rsm, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let other = r#", {"name": "other", "nodes": [{"name": "n", "is_entry": true}],
        "boxes": [{"name": "again", "component": "other"}],
        "transitions": [{"source": {"name": "n"}, "targets": [{"box_name": "again", "node_name": "n"}]}]}"#;
    let (end, _) = text.rmatch_indices(']').next().unwrap();
    let text = format!("{}{other}{}", &text[..end], &text[end..]);
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let (rsm, _) = read_rsm_json(text.as_bytes(), &semantics).unwrap();
    assert_eq!(rsm.box_count(), 1);
    rsm
}

#[test]
fn what_recurs_may_be_in_the_acceptance_or_in_the_automaton() {
    let cases = loris_testing::cases(1500);
    let mut rng = Rng::new(23);
    let (mut holds, mut shown) = (0, 0);
    for case in 0..cases {
        let (rsm, mut fairness) = (machine(&mut rng), fairness(&mut rng));
        if case % 3 == 0 {
            fairness.compassion.push((LABELS[rng.below(4)].into(), LABELS[rng.below(4)].into()));
        }
        let calling = with_calls(&rsm);
        let logic = [Logic::Ltl, Logic::Star][case % 2];
        let recurs = |rng: &mut Rng| {
            let mut label = || LABELS[rng.below(4)];
            let (p, q) = (label(), label());
            ["G F p", "F G p", "(G F p -> G F q)", "(F G p | G F (p & q))", "G (F p & F !q)"][case / 2 % 5]
                .replace('q', "@")
                .replace('p', p)
                .replace('@', q)
        };
        let size = 1 + rng.below(4) as u32;
        let text = if logic == Logic::Ltl {
            let rest = RandomLtl::new(size).generate(&mut rng);
            format!("{} -> ({rest}) | {}", recurs(&mut rng), recurs(&mut rng))
        } else {
            let rest = RandomStar::new(size).generate(&mut rng);
            format!("E ({} & ({rest}) & {})", recurs(&mut rng), recurs(&mut rng))
        };
        let formula = parse(&text).unwrap();
        let at_exit = [AtExit::Loop, AtExit::Sink][case / 3 % 2];
        let fairness = if case % 5 == 0 { Fairness::default() } else { fairness };
        let verdicts: Vec<Verdict> = [&rsm, &calling]
            .into_iter()
            .map(|rsm| {
                let question = fair(logic, text.as_str(), &formula, &fairness);
                let evidence = case % 4 == 1;
                let options = Options { at_exit, evidence, ..Options::default() };
                let mut answers = answers(&Prepared::new(rsm), &[question], &options);
                let answer = answers.remove(0);
                if let Some(evidence) = answer.machine_paths() {
                    replay(rsm, evidence, at_exit).unwrap();
                    shown += 1;
                }
                answer.verdict
            })
            .collect();
        assert_eq!(verdicts[0], verdicts[1], "case {case}: {text} under {fairness:?}");
        holds += usize::from(verdicts[0] == Verdict::Holds);
    }
    assert!(
        holds > cases / 10 && holds < 9 * cases / 10 && shown > cases / 20,
        "{holds} hold, {shown} shown"
    );
}

#[test]
fn a_hundred_conditions_are_no_more_than_a_hundred_sets() {
    // a ring in which one state after the other has a label of its own, and a way to stay in the
    // first
    let count = 100;
    let node =
        |i: usize| format!(r#"{{"name": "n{i}", "is_entry": {}, "labels": ["p{i}", "q{}"]}}"#, i == 0, i % 7);
    let edges = |i: usize| {
        let (next, stay) = ((i + 1) % count, if i == 0 { r#", {"name": "n0"}"# } else { "" });
        format!(r#"{{"source": {{"name": "n{i}"}}, "targets": [{{"name": "n{next}"}}{stay}]}}"#)
    };
    let list = |item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(", ");
    let text = format!(
        r#"{{"initial_component": "m", "components": [{{"name": "m", "boxes": [], "nodes": [{}], "transitions": [{}]}}]}}"#,
        list(&node),
        list(&edges)
    );
    let (rsm, _) = read_rsm_json(text.as_bytes(), &Semantics::default()).unwrap();
    let justice: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
    let compassion = (1..count).map(|i| (format!("p{}", i - 1), format!("p{i}"))).collect();
    for fairness in
        [Fairness { justice, ..Fairness::default() }, Fairness { compassion, ..Fairness::default() }]
    {
        for (logic, text, holds) in [
            (Logic::Ltl, "G (q3 -> F q4)", true),
            (Logic::Ltl, "F G !q3", false),
            (Logic::Star, "A G (q3 -> A F (q4 & E G F p7))", true),
            (Logic::Ctl, "A G A F p50", true),
        ] {
            let formula = parse(text).unwrap();
            let question = fair(logic, text, &formula, &fairness);
            // a counter of work instead of a clock: an automaton with a state for each set of
            // conditions takes far more
            let options = Options { evidence: true, memory: Some(64 << 20), ..Options::default() };
            let answers = answers(&Prepared::new(&rsm), &[question], &options);
            let answer = answers.into_iter().next().unwrap();
            assert_eq!(answer.verdict == Verdict::Holds, holds, "{text}: {:?}", answer.verdict);
            if let Some(evidence) = answer.machine_paths() {
                replay(&rsm, evidence, AtExit::Loop).unwrap();
            }
        }
    }
}

/// A run that ends at an exit is not fair, whatever holds there.
#[test]
fn runs_that_stop_at_exits_are_not_fair() {
    let text = r#"{"initial_component": "m", "components": [{"name": "m", "boxes": [], "nodes": [
        {"name": "s", "is_entry": true}, {"name": "x", "is_exit": true, "labels": ["a"]}],
        "transitions": [{"source": {"name": "s"}, "targets": [{"name": "s"}, {"name": "x"}]}]}]}"#;
    let (rsm, _) = read_rsm_json(text.as_bytes(), &Semantics::default()).unwrap();
    let fairness = Fairness { justice: vec!["a".to_owned()], compassion: Vec::new() };
    let question = fair(Logic::Ltl, "G b", &parse("G b").unwrap(), &fairness);
    for (at_exit, expected) in [
        (AtExit::Loop, (Verdict::Fails, None)),
        (AtExit::Sink, (Verdict::Holds, Some(Note::NoFairRun))),
        (AtExit::Stop, (Verdict::Holds, Some(Note::NoFairRun))),
    ] {
        let options = Options { at_exit, ..Options::default() };
        let answer = answers(&Prepared::new(&rsm), std::slice::from_ref(&question), &options).remove(0);
        assert_eq!((answer.verdict, answer.note), expected, "{at_exit:?}");
    }
}
