//! Random structures and formulas: the engine against the naive evaluator.
//!
//! `LORIS_CASES=100000 cargo test --release -p loris-finite` tries more of them.

mod distance;
mod naive;

use crate::schedule::{Limits, decide};
use crate::{Fairness, Kripke, LabelledFormula, check, states};
use loris_base::{BitSet, Budget, Csr, Exhausted, Rng};
use loris_logic::{Core, CtlCore, RandomCtl, parse};
use naive::Naive;
use proptest::prelude::*;
use std::time::Duration;

const LABELS: u32 = 6;

/// The size of a random instance.
#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    states: usize,
    /// Edges for each state, on average, in tenths.
    degree: usize,
    /// How far an edge leads, at most; makes long ways.
    reach: usize,
    properties: usize,
    depth: u32,
    justice: usize,
    compassion: usize,
    /// How many tenths of the states have a label.
    density: usize,
    window: usize,
    alone: usize,
}

struct World {
    successors: Csr,
    predecessors: Csr,
    initial: Vec<u32>,
    labels: Vec<BitSet>,
    formulas: Vec<CtlCore>,
    atoms: Vec<Vec<Option<u32>>>,
    fairness: Fairness,
}

fn subset(rng: &mut Rng, states: usize, share: f64) -> BitSet {
    BitSet::of(states, (0..states as u32).filter(|_| rng.chance(share)))
}

fn world(case: &Case) -> World {
    let rng = &mut Rng::new(case.seed);
    let n = case.states;
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for _ in 0..n * case.degree / 10 {
        let from = rng.below(n);
        let to = match rng.below(10) {
            0 => from,
            1 => rng.below(n),
            _ => (from + n - case.reach.min(n) / 2 + rng.below(case.reach)) % n,
        };
        edges.push((from as u32, to as u32));
    }
    let successors = Csr::from_pairs(n, edges.into_iter());
    let share = case.density as f64 / 10.0;
    let formulas: Vec<CtlCore> = (0..case.properties)
        .map(|_| {
            let random = RandomCtl {
                atoms: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
                ..RandomCtl::new(rng.below(case.depth as usize + 1) as u32)
            };
            Core::new(&random.generate(rng)).expect("CTL")
        })
        .collect();
    let atoms = formulas.iter().map(|formula| {
        let label = |_| rng.chance(0.95).then(|| rng.below(LABELS as usize) as u32);
        formula.atoms().iter().map(label).collect()
    });
    let atoms = atoms.collect();
    World {
        predecessors: successors.transposed(n),
        successors,
        initial: (0..=rng.below(3)).map(|_| rng.below(n) as u32).collect(),
        labels: (0..LABELS).map(|_| subset(rng, n, share)).collect(),
        formulas,
        atoms,
        fairness: Fairness {
            justice: (0..case.justice).map(|_| subset(rng, n, share)).collect(),
            compassion: (0..case.compassion).map(|_| (subset(rng, n, 0.4), subset(rng, n, 0.2))).collect(),
        },
    }
}

fn agree(case: &Case) -> Result<(), TestCaseError> {
    let world = world(case);
    let kripke =
        Kripke { successors: &world.successors, predecessors: &world.predecessors, initial: &world.initial };
    let n = case.states as u32;
    // bits past the last state must not matter
    let labels = |label: u32, column: &mut BitSet| {
        column.words_mut().copy_from_slice(world.labels[label as usize].words());
        if let Some(last) = column.words_mut().last_mut().filter(|_| !n.is_multiple_of(64)) {
            *last |= u64::MAX << (n % 64);
        }
    };
    let properties: Vec<LabelledFormula> = world
        .formulas
        .iter()
        .zip(&world.atoms)
        .map(|(formula, atoms)| LabelledFormula { formula, atoms })
        .collect();
    let limits = Limits {
        columns: case.window * crate::column::bytes(case.states),
        alone: case.alone,
        ..Limits::default()
    };
    let budget = &mut Budget::unlimited();
    let mut sets = vec![Vec::new(); properties.len()];
    decide(&kripke, &labels, &properties, &world.fairness, limits, budget, |property, value| {
        sets[property] = (0..n).map(|state| value.column.contains(state) != value.negated).collect();
    })
    .expect("no limit");
    let holds = check(&kripke, &labels, &properties, &world.fairness, budget).expect("no limit");
    let naive = Naive { kripke: &kripke, fairness: &world.fairness };
    for (i, property) in properties.iter().enumerate() {
        let expected = naive.states(property.formula, |atom| {
            let label = property.atoms[atom as usize];
            (0..n).map(|s| label.is_some_and(|label| world.labels[label as usize].contains(s))).collect()
        });
        let text = property.formula.print(property.formula.root());
        prop_assert_eq!(&sets[i], &expected, "property {}: {}", i, text);
        prop_assert_eq!(holds[i], world.initial.iter().all(|&s| expected[s as usize]), "{}", text);
        if i == 0 {
            let alone = states(&kripke, &labels, *property, &world.fairness, budget).expect("no limit");
            prop_assert_eq!(alone, BitSet::of(case.states, (0..n).filter(|&s| expected[s as usize])));
        }
    }
    Ok(())
}

fn cases(states: std::ops::Range<usize>, properties: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    let shape = (any::<u64>(), states, 0usize..35, 1usize..40, 1usize..10);
    let asked =
        (properties, 1u32..5, 0usize..4, 0usize..4, prop_oneof![Just(1 << 30), 1usize..200], 0usize..8);
    (shape, asked, 0usize..3).prop_map(|(shape, asked, kind)| {
        let (seed, states, degree, reach, density) = shape;
        let (properties, depth, justice, compassion, window, alone) = asked;
        // a third without fairness, a third with justice alone
        let (justice, compassion) = ([0, justice, justice][kind], [0, 0, compassion][kind]);
        Case { seed, states, degree, reach, properties, depth, justice, compassion, density, window, alone }
    })
}

fn config(share: u32) -> ProptestConfig {
    let cases: u32 = loris_testing::cases(2_000);
    ProptestConfig {
        cases: cases.div_ceil(share),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(1))]

    #[test]
    fn small_structures(case in cases(1..12, 1..20)) {
        agree(&case)?;
    }
}

proptest! {
    #![proptest_config(config(20))]

    #[test]
    fn many_properties(case in cases(1..30, 1..200)) {
        agree(&case)?;
    }

    #[test]
    fn larger_structures(case in cases(50..300, 1..12)) {
        agree(&case)?;
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn wide_lanes(case in cases(1..150, 400..1500)) {
        agree(&case)?;
    }
}

/// A structure on which every fixpoint takes as many steps as there are states, in either
/// direction.
fn path(states: usize, back: bool) -> Csr {
    let last = states as u32 - 1;
    let edges = (0..last).map(move |s| if back { (last - s, last - s - 1) } else { (s, s + 1) });
    Csr::from_pairs(states, edges)
}

fn ctl(text: &str) -> CtlCore {
    Core::new(&parse(text).expect("well-formed")).expect("CTL")
}

#[test]
fn long_paths_take_linear_time() {
    let n = 200_000;
    for back in [false, true] {
        let successors = path(n, back);
        let predecessors = successors.transposed(n);
        let (start, end) = if back { (n as u32 - 1, 0) } else { (0, n as u32 - 1) };
        let kripke = Kripke { successors: &successors, predecessors: &predecessors, initial: &[start] };
        let labels = |_: u32, column: &mut BitSet| _ = column.insert(end);
        let text = [
            "E F p",
            "E G !p",
            "A F p",
            "E X p",
            "E [ E X true U p ]",
            "A G E F p",
            "A G A F p",
            "A F A G p",
        ];
        let formulas = text.map(ctl);
        let properties = formulas.each_ref().map(|formula| LabelledFormula { formula, atoms: &[Some(0)] });
        let decide = |fairness: &Fairness| {
            check(&kripke, &labels, &properties, fairness, &mut Budget::unlimited()).expect("no limit")
        };
        let expected = [true, false, true, false, true, true, true, true];
        assert_eq!(decide(&Fairness::default()), expected);
        let fairness = Fairness { justice: vec![BitSet::of(n, [end])], compassion: Vec::new() };
        assert_eq!(decide(&fairness), expected);
    }
}

#[test]
fn limits_are_kept() {
    let n = 100_000;
    let successors = path(n, false);
    let predecessors = successors.transposed(n);
    let kripke = Kripke { successors: &successors, predecessors: &predecessors, initial: &[0] };
    let labels = |_: u32, column: &mut BitSet| _ = column.insert(7);
    let formula = ctl("A G (p -> A F E X p)");
    let property = LabelledFormula { formula: &formula, atoms: &[Some(0)] };
    let run = |budget: &mut Budget| check(&kripke, &labels, &[property], &Fairness::default(), budget);
    assert_eq!(run(&mut Budget::new(None, Some(100_000))), Err(Exhausted::Memory));
    assert_eq!(run(&mut Budget::new(Some(Duration::ZERO), None)), Err(Exhausted::Time));
    let mut enough = Budget::new(None, Some(1_000_000));
    assert_eq!(run(&mut enough), Ok(vec![false]));
    assert_eq!(enough.charge(1_000_000), Ok(()), "all is given back");
    // no room for rows: one by one
    let formulas: Vec<CtlCore> = (0..10).map(|i| ctl(&format!("{}E F p", "A X ".repeat(i)))).collect();
    let properties: Vec<LabelledFormula> =
        formulas.iter().map(|formula| LabelledFormula { formula, atoms: &[Some(0)] }).collect();
    let budget = &mut Budget::new(None, Some(1_000_000));
    assert_eq!(
        check(&kripke, &labels, &properties, &Fairness::default(), budget),
        Ok(vec![true; 8].into_iter().chain([false; 2]).collect())
    );
}

/// More successors than a byte can count, some or all of which are lost one after the other.
#[test]
fn many_successors() {
    let (hub, width) = (400, 300);
    for (lost, expected) in [(100, true), (width, false)] {
        let mut edges: Vec<(u32, u32)> = (0..width).map(|leaf| (hub, leaf)).collect();
        // against the order of sweeps
        edges.extend((1..lost).map(|leaf| (leaf, leaf - 1)));
        edges.extend([(0, 399), (399, 398), (398, 399)]);
        let successors = Csr::from_pairs(401, edges.into_iter());
        let predecessors = successors.transposed(401);
        let kripke = Kripke { successors: &successors, predecessors: &predecessors, initial: &[hub] };
        let labels = |_: u32, column: &mut BitSet| _ = column.insert(398);
        let formula = ctl("E G !p");
        let property = LabelledFormula { formula: &formula, atoms: &[Some(0)] };
        let verdict = check(&kripke, &labels, &[property], &Fairness::default(), &mut Budget::unlimited());
        assert_eq!(verdict, Ok(vec![expected]));
    }
}

#[test]
fn nothing_to_decide() {
    let successors = Csr::default();
    let kripke = Kripke { successors: &successors, predecessors: &successors, initial: &[] };
    let formula = ctl("A G p");
    let property = LabelledFormula { formula: &formula, atoms: &[Some(0)] };
    let run = |properties: &[LabelledFormula]| {
        check(&kripke, &|_, _| {}, properties, &Fairness::default(), &mut Budget::unlimited())
    };
    assert_eq!(run(&[]), Ok(vec![]));
    assert_eq!(run(&[property]), Ok(vec![true]), "in all initial states, of which there are none");
}
