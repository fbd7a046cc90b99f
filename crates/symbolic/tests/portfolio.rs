//! All engines in turns against the oracle: constraints, dead ends, fairness.

mod oracle;

use loris_base::{Budget, Rng};
use loris_symbolic::{Portfolio, PortfolioOptions, Query, SymbolicEngine, Undecided};
use oracle::{Oracle, Shape, random_query, random_system};

#[test]
fn engines_agree_with_the_oracle_or_refuse() {
    let cases: u64 = loris_testing::cases(2000);
    let mut dead_ends = 0;
    for case in 0..cases {
        let mut rng = Rng::new(case);
        let shape = Shape { constraints: true, fairness: rng.chance(0.3), dead_ends: rng.chance(0.3) };
        let system = random_system(&mut rng, shape);
        let oracle = Oracle::new(&system);
        let mut portfolio = Portfolio::new(&system, PortfolioOptions::default());
        for _ in 0..3 {
            let (core, atoms) = random_query(&mut rng, &system);
            let query = Query { core: &core, atoms: &atoms };
            let budget = &mut Budget::unlimited();
            let found = match rng.below(4) {
                0 => portfolio.by(SymbolicEngine::Omg, &query, budget),
                1 => portfolio.by(SymbolicEngine::Bdd, &query, budget),
                2 => portfolio.by(SymbolicEngine::Pdr, &query, budget),
                _ => portfolio.decide(&query, budget).map(|(_, outcome)| outcome),
            };
            match found {
                Ok(outcome) if oracle.is_total() => oracle.check(&system, &core, &atoms, &outcome),
                Ok(_) => panic!("case {case}: a run ends"),
                Err(Undecided::DeadEnd(trace)) => {
                    assert!(!oracle.is_total() && system.is_run(&trace, true), "case {case}");
                    dead_ends += 1;
                }
                Err(Undecided::Unfit(_)) => {}
                Err(Undecided::Exhausted(why)) => panic!("case {case}: {why}"),
            }
        }
    }
    assert!(dead_ends > 0);
}
