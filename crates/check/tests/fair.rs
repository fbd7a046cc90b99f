//! Fair CTL two ways: by fixpoints that know fairness, and as CTL* with fairness said in each quantifier.
#![allow(clippy::unwrap_used, missing_docs)]

use loris_base::Rng;
use loris_check::{Choice, Logic, Options, Prepared, Question, UnknownAtoms, check_all};
use loris_evidence::{AtExit, Verdict, replay};
use loris_logic::{Fairness, Formula, RandomCtl, parse};
use loris_rsm::Rsm;
use loris_rsm::generate::RandomRsm;

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
    let cases = std::env::var("LORIS_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3000);
    let mut rng = Rng::new(11);
    let (mut unfair, mut shown) = (0, 0);
    for case in 0..cases {
        let rsm = machine(&mut rng);
        let fairness = fairness(&mut rng);
        let atoms = LABELS[..3].iter().map(|&label| label.to_owned()).collect();
        let random = RandomCtl { depth: 1 + rng.below(2) as u32, branching: 2, negate: 0.4, atoms };
        let formula = random.generate(&mut rng);
        let ask = |formula: &Formula, engine: &str| {
            let (text, unknown) = (formula.to_string(), UnknownAtoms::False);
            let question = Question::fair(&rsm, Logic::Ctl, text, formula, &fairness, unknown).unwrap();
            let engine: Choice = engine.parse().unwrap();
            let options = Options { engine, evidence: case % 4 == 0, ..Options::default() };
            let mut answers = check_all(&Prepared::new(&rsm), &[question], &options, |_, _| ()).unwrap();
            answers.remove(0).unwrap()
        };
        let (by_fixpoint, by_star) = (ask(&formula, "auto"), ask(&formula, "summary"));
        assert_eq!(by_fixpoint.engine, "fixpoint");
        assert_eq!(by_fixpoint.verdict, by_star.verdict, "case {case}: {formula} under {fairness:?}");
        if let Some(evidence) = &by_fixpoint.evidence {
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
        let (fair, none) = (fairness(&mut rng), Fairness::default());
        let formula = parse("A G a").unwrap();
        let ask = |fairness: &Fairness| {
            Question::fair(&rsm, Logic::Ctl, "A G a", &formula, fairness, UnknownAtoms::False).unwrap()
        };
        let verdicts = |questions: &[Question], engine: &str| -> Vec<Verdict> {
            let options = Options { engine: engine.parse().unwrap(), evidence: true, ..Options::default() };
            let answers = check_all(&Prepared::new(&rsm), questions, &options, |_, _| ()).unwrap();
            answers.into_iter().map(|answer| answer.unwrap().verdict).collect()
        };
        let mixed = [ask(&fair), ask(&none), ask(&fair), ask(&none)];
        let found = verdicts(&mixed, "auto");
        assert_eq!(found, verdicts(&mixed, "summary"));
        assert_eq!(found[..2], found[2..]);
        differ += usize::from(found[0] != found[1]);
    }
    assert!(differ > 5, "{differ}");
}
