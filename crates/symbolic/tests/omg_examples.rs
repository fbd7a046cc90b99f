//! Examples E2 to E4 of the specification of `omg`, on the circuits they come from. They are not
//! ours to copy: without them beside the workspace these tests are skipped.

use loris_base::Budget;
use loris_circuit::{Lit, TransitionSystem, read_aiger};
use loris_logic::{Core, parse_iimc};
use loris_symbolic::Query;
use loris_symbolic::omg::{Omg, OmgOptions, Splitting, Unwinding};

/// Checks formulas of `IImc`, which hold or fail as their comments say, with each variant of the
/// engine.
fn check(name: &str, formulas: &str) {
    let Some(folder) = loris_testing::benchmarks("iimc-ctl") else { return };
    let bytes = std::fs::read(folder.join(name)).expect("a circuit");
    let (circuit, _) = read_aiger(&bytes, &mut Budget::unlimited()).expect("well-formed");
    let (properties, problems) = parse_iimc(formulas);
    assert!(problems.is_empty(), "{problems:?}");
    assert!(!properties.is_empty());
    for property in properties {
        let core = Core::new(&property.formula).expect("CTL");
        let atoms: Vec<Lit> =
            core.atoms().iter().map(|name| circuit.atom(name).expect("a name of the circuit")).collect();
        let system = TransitionSystem::of_circuit(&circuit, &atoms).reduced().system;
        let query = Query { core: &core, atoms: &system.observed };
        for splitting in [Splitting::Cubes, Splitting::Exact] {
            for unwinding in [Unwinding::States, Unwinding::Sets] {
                let options = OmgOptions { splitting, unwinding, ..OmgOptions::default() };
                let outcome = Omg::new(&system, options).check(&query, &mut Budget::unlimited());
                let holds = outcome.expect("no limit").expect("not deep").holds;
                assert_eq!(Some(holds), property.expected, "{name}: {}", property.formula);
            }
        }
    }
}

/// Needs: ../shared/benchmarks/iimc-ctl
#[test]
fn e2_two_latches() {
    check(
        "af_ag.aig",
        "#PASS: (0-6)
        p
        AX ~state<1>
        EX EX (~state<0> & state<1>)
        EG (~state<0> & ~state<1>)
        EX EG (state<0> ^ state<1>)
        EF EG (~state<0> & state<1>)
        AG (~state<0> | ~state<1>)
        #FAIL: (7-11)
        AF AG p
        AX p
        EX state<1>
        AG ~state<0>
        AX EG ~state<1>",
    );
}

/// Needs: ../shared/benchmarks/iimc-ctl
#[test]
fn e3_a_path_a_clock_and_a_cycle() {
    check("debug.aig", "#PASS: (0)\nAF AG ~a\n#FAIL: (1)\nAF AG a");
    check("gatedClock.aig", "#PASS: (0)\nAG (r0 -> AX r1)");
    check("tstrst.aig", "#PASS: (0)\nAG (o | ~t | s)");
}

/// Needs: ../shared/benchmarks/iimc-ctl
#[test]
fn e4_every_state_is_initial() {
    check(
        "gray.aig",
        "#PASS: (0-1)
        AG EX p
        (~q & ~r) -> ~E ~p U r
        #FAIL: (2)
        AG ~(~p & ~q & r)",
    );
}
