//! Engines within budgets: whatever the limit, they end with what ran out, and with less of it than
//! the whole takes.
#![allow(clippy::unwrap_used)]

use loris_base::{Budget, Exhausted, Rng};
use loris_evidence::AtExit;
use loris_logic::automaton::{Buchi, Edge, Guard, translate};
use loris_logic::{Core, negated_ltl, parse};
use loris_recursive::{
    Acceptance, EngineSettings, Explanation, ExploreDirection, MuProperty, Prepared, Property, Reachability,
    Runs,
};
use loris_rsm::generate::RandomRsm;
use loris_rsm::{LabelId, Rsm};
use loris_testing::recursion::engines::ENGINES;

fn machine(boxes: usize, exits: f64, entries: f64) -> Rsm {
    let labels = ["p", "q", "r"].map(|label| (label.to_owned(), 0.3)).to_vec();
    let random = RandomRsm { components: 9, boxes, nodes: 40, entries, exits, labels, density: 0.05 };
    random.to_rsm(&mut Rng::new(2))
}

/// Machines for all engines: with several entries and exits, with one of each, and without calls.
fn machines() -> [Rsm; 3] {
    [machine(3, 0.1, 0.05), machine(3, 0.01, 0.01), machine(0, 0.01, 0.01)]
}

/// Does a piece of work without limits, then with parts of the memory and of the time it took.
fn check<T>(what: &str, work: impl Fn(&mut Budget) -> Result<T, Exhausted>) {
    let mut budget = Budget::unlimited();
    assert!(work(&mut budget).is_ok());
    let (peak, spent) = (budget.peak(), budget.spent());
    assert!(peak > 0 && spent > 0, "{what}: {peak} bytes, {spent} steps");
    for part in 0..8 {
        let bytes = peak / 8 * part;
        let found = work(&mut Budget::new(None, Some(bytes))).err();
        assert_eq!(found, Some(Exhausted::Memory), "{what}: {bytes} of {peak} bytes");
        // time is looked at every few thousand steps
        let steps = (spent / 8 * part as u64).saturating_sub(5000);
        if steps > 0 {
            let found = work(&mut Budget::steps(steps)).err();
            assert_eq!(found, Some(Exhausted::Time), "{what}: {steps} of {spent} steps");
        }
    }
}

fn property<'a>(rsm: &Rsm, formula: &'a Core) -> Property<'a> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}

#[test]
fn engines_for_states() {
    let mut asked = Vec::new();
    for rsm in machines() {
        for text in ["A G (p -> E F (q & E X r))", "E [ p U (q & E G !r) ]", "E F (p & X q) | A F G r"] {
            let formula = Core::star(&parse(text).unwrap()).unwrap();
            let property = property(&rsm, &formula);
            for engine in ENGINES {
                if !engine.takes(&Prepared::new(&rsm), &property) {
                    continue;
                }
                asked.push(engine);
                check(&format!("{engine:?} on {text}"), |budget| {
                    engine.check(&Prepared::new(&rsm), &property, &EngineSettings::default(), budget)
                });
            }
        }
    }
    assert_eq!(ENGINES.iter().find(|engine| !asked.contains(engine)), None, "every engine is asked");
}

#[test]
fn mu_calculus() {
    for rsm in machines() {
        for text in ["nu X. mu Y. <>((p & X) | Y)", "nu X. [](X & mu Y. q | []Y | <><>(r & X))"] {
            let formula = loris_logic::mu::parse(text).unwrap();
            let property =
                MuProperty::new(&formula, formula.atoms().iter().map(|atom| rsm.label(atom)).collect())
                    .unwrap();
            check(text, |budget| Prepared::new(&rsm).mu(&property, &EngineSettings::default(), budget));
        }
    }
}

#[test]
fn evidence() {
    for rsm in machines() {
        for text in ["A G (p -> E F (q & E X r))", "E G (p | E F q)", "E F (p & X q) & E G F r"] {
            let formula = Core::star(&parse(text).unwrap()).unwrap();
            let property = property(&rsm, &formula);
            let prepared = Prepared::new(&rsm);
            let settings = EngineSettings::default();
            let holds = prepared.summary(&property, &settings, &mut Budget::unlimited()).unwrap().holds;
            let explain = |budget: &mut Budget| prepared.explain(&property, holds, &settings, budget);
            if matches!(explain(&mut Budget::unlimited()), Ok(Explanation::Evidence(_))) {
                check(&format!("evidence of {text}"), explain);
            }
        }
    }
}

/// The automaton of a formula's negation, with the labels of its atoms.
fn refuting(rsm: &Rsm, text: &str) -> (Buchi, Vec<Option<LabelId>>) {
    let (ltl, atoms) = negated_ltl(&parse(text).unwrap()).unwrap();
    let buchi = translate(&ltl, &mut Budget::unlimited()).unwrap();
    (buchi, atoms.iter().map(|atom| rsm.label(atom)).collect())
}

fn accepted(
    rsm: &Rsm,
    automaton: &(Buchi, Vec<Option<LabelId>>),
    direction: ExploreDirection,
    evidence: bool,
) {
    let (buchi, labels) = automaton;
    let (runs, at_exit) = (Runs::All, AtExit::Loop);
    let question =
        Acceptance { buchi, labels, predicates: None, recurrences: &[], runs, at_exit, evidence, direction };
    check(&format!("a run, {direction:?}"), |budget| {
        let found = Prepared::new(rsm).accepted(&question, budget)?;
        // a verdict without its run is one, too
        found.cut_off.map_or(Ok(()), Err)
    });
}

#[test]
fn runs_of_automata() {
    for rsm in machines() {
        for text in ["G (p -> F q)", "F (p & G F r)"] {
            for direction in [ExploreDirection::Entries, ExploreDirection::Exits] {
                for evidence in [false, true] {
                    accepted(&rsm, &refuting(&rsm, text), direction, evidence);
                }
            }
        }
    }
}

/// Frames of a product with a large automaton are large: each is declared before it is made.
#[test]
fn a_small_machine_and_a_large_automaton() {
    let states = 3000;
    let ring = |state: u32| vec![Edge { guard: Guard::True, to: (state + 1) % states }];
    let accepting = (0..states).map(|state| state == 0).collect();
    let edges = (0..states).map(ring).collect();
    let buchi = Buchi::new(0, vec![0], accepting, edges).unwrap();
    let rsm = machine(2, 0.05, 0.03);
    let question = Acceptance {
        buchi: &buchi,
        labels: &[],
        predicates: None,
        recurrences: &[],
        runs: Runs::All,
        at_exit: AtExit::Loop,
        evidence: false,
        direction: ExploreDirection::default(),
    };
    let limit = 50 << 20;
    let mut budget = Budget::new(None, Some(limit));
    let found = Prepared::new(&rsm).accepted(&question, &mut budget);
    assert_eq!(found.err(), Some(Exhausted::Memory));
    // the charge that is refused is that of one frame
    assert!(budget.peak() < limit + (2 << 20), "{} bytes", budget.peak());
}

#[test]
fn reachability() {
    for rsm in machines() {
        let targets = vec![false; rsm.vertex_count()];
        for direction in [ExploreDirection::Entries, ExploreDirection::Exits] {
            for patience in [usize::MAX, 10] {
                let search =
                    Reachability { from: rsm.initial(), targets: Some(&targets), direction, patience };
                let mut budget = Budget::unlimited();
                assert!(Prepared::new(&rsm).reach(&search, &mut budget).is_ok());
                let mut small = Budget::new(None, Some(budget.peak() - 1));
                let found = Prepared::new(&rsm).reach(&search, &mut small).err();
                assert_eq!(found, Some(Exhausted::Memory), "{direction:?}");
            }
        }
    }
}
