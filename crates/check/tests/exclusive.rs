//! `xor` and `xnor` between random formulas, against the same written with `<->`: verdicts are the
//! same, and evidence replays and is about the property.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{answers, ask};
use loris_base::{Budget, Rng};
use loris_check::{Logic, Options, Prepared};
use loris_evidence::{AtExit, Paths, Verdict, relates_formula, replay_formula};
use loris_logic::{RandomCtl, RandomLtl, RandomStar, parse};
use loris_rsm::generate::RandomRsm;

#[test]
fn as_written_with_equivalence() {
    let cases = loris_testing::cases(600);
    let mut rng = Rng::new(31);
    let (mut held, mut shown) = (0, 0);
    for case in 0..cases {
        let rsm = RandomRsm::paper(2 + rng.below(4)).to_rsm(&mut rng);
        let logic = [Logic::Ctl, Logic::Ltl, Logic::Star][case % 3];
        let mut formula = || {
            let size = 1 + rng.below(3) as u32;
            match logic {
                Logic::Ctl => RandomCtl::new(size.min(2)).generate(&mut rng).to_string(),
                Logic::Ltl => RandomLtl::new(size).generate(&mut rng).to_string(),
                _ => RandomStar::new(size).generate(&mut rng).to_string(),
            }
        };
        let (p, q, r) = (formula(), formula(), formula());
        let (written, meant) = match rng.below(4) {
            0 => (format!("({p}) xor ({q})"), format!("!(({p}) <-> ({q}))")),
            1 => (format!("({p}) ^ ({q}) | ({r})"), format!("!(({p}) <-> ({q})) | ({r})")),
            2 => (format!("({p}) & ({q}) xnor ({r})"), format!("(({p}) & ({q})) <-> ({r})")),
            _ => (format!("!(({p}) xor ({q}) xor ({r}))"), format!("(({p}) <-> ({q})) <-> !({r})")),
        };
        let options = Options { evidence: true, jobs: 1, ..Options::default() };
        let both = [&written, &meant].map(|text| ask(logic, text.as_str(), &parse(text).unwrap()));
        let prepared = Prepared::new(&rsm);
        let found = answers(&prepared, &both, &options);
        assert_eq!(found[0].verdict, found[1].verdict, "case {case}: {written}");
        let holds = found[0].verdict == Verdict::Holds;
        held += usize::from(holds);
        let Some(evidence) = found[0].machine_paths() else { continue };
        shown += 1;
        let paths = Paths::of(&rsm, AtExit::Loop, logic == Logic::Ltl);
        replay_formula(&rsm, evidence, AtExit::Loop, paths, &mut Budget::unlimited()).unwrap();
        let shows = &evidence.paths.iter().next().unwrap().shows;
        let formula = parse(&written).unwrap();
        assert!(relates_formula(&formula, holds, shows, paths), "case {case}: {written}: {shows}");
    }
    println!("{held} of {cases} hold, {shown} with evidence");
    assert!(held > cases / 10 && held < cases * 9 / 10 && shown > cases / 5, "{held} {shown}");
}
