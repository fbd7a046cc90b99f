//! Boolean transition systems of SMV models, tried valuation by valuation, against the explicit states of the
//! same models: initial states, steps, conditions of properties and fairness, and what is wrong with a model.

#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "common/models.rs"]
mod models;

use loris_base::{Budget, Idx, Rng};
use loris_circuit::{Aig, Lit};
use loris_rsm::DeadEnds;
use loris_smv::{Encoded, Labels, Limits, Moment, Smv, Stopped, build, encode, read_smv};
use models::model;
use std::collections::{BTreeMap, BTreeSet};

/// Values of the variables, as text.
type State = Vec<(String, String)>;

/// States with their successors and the conditions that hold there.
#[derive(Debug, Default, PartialEq, Eq)]
struct Graph {
    initial: BTreeSet<State>,
    steps: BTreeMap<State, BTreeSet<State>>,
    holds: BTreeMap<State, Vec<bool>>,
}

/// What is found of a model.
#[derive(Debug)]
enum Found {
    Graph(Graph),
    Wrong(#[expect(dead_code, reason = "shown where a test fails")] String),
    /// too much to be tried
    TooLarge,
}

/// The names of the conditions of all properties and of fairness are lost in encoding, their order is not.
fn explicit(smv: &Smv) -> Found {
    let program = smv.program();
    let properties: Vec<_> = program.properties.iter().collect();
    let limits = Limits { dead_ends: DeadEnds::Loop, states: 1 << 12, ..Limits::default() };
    let built = match build(program, &properties, Labels::Needed, &limits, &mut Budget::unlimited()) {
        Ok(built) => built,
        Err(Stopped::Wrong(problems)) => return Found::Wrong(problems.sorted()[0].message.clone()),
        Err(Stopped::Exhausted(_)) => return Found::TooLarge,
    };
    let rsm = &built.rsm;
    let state = |node| -> State {
        rsm.values(node).into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    };
    let mut labels: Vec<&String> = built.atoms.iter().flatten().collect();
    let first = smv.first();
    labels.extend(&built.justice[first]);
    labels.extend(built.compassion[first].iter().flat_map(|(often, then)| [often, then]));
    let sets: Vec<Vec<u64>> = labels
        .iter()
        .map(|label| {
            let mut words = vec![0; rsm.node_count().div_ceil(64)];
            rsm.mark(rsm.label(label).unwrap(), &mut words);
            words
        })
        .collect();
    let mut graph =
        Graph { initial: rsm.initial().iter().map(|&node| state(node)).collect(), ..Graph::default() };
    for node in rsm.nodes(rsm.initial_component()) {
        graph.steps.insert(state(node), rsm.successors(node).map(state).collect());
        let at = node.index();
        graph.holds.insert(state(node), sets.iter().map(|set| set[at / 64] >> (at % 64) & 1 != 0).collect());
    }
    Found::Graph(graph)
}

/// Values of functions under all valuations of some variables, with those of others fixed.
fn for_each_valuation(
    aig: &Aig,
    fixed: &[(Lit, bool)],
    free: &[Lit],
    mut each: impl FnMut(&dyn Fn(Lit) -> bool),
) {
    const LANES: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    let lanes = 1 << free.len().min(6);
    for high in 0..1_u64 << free.len().saturating_sub(6) {
        let mut of: Vec<u64> = vec![0; aig.len()];
        for &(lit, value) in fixed {
            of[lit.var().index()] = u64::from(value).wrapping_neg();
        }
        for (at, lit) in free.iter().enumerate() {
            of[lit.var().index()] = match at {
                0..6 => LANES[at],
                _ => (high >> (at - 6) & 1).wrapping_neg(),
            };
        }
        let values = aig.simulate(|var| of[var.index()]);
        for lane in 0..lanes {
            each(&|lit| Aig::value(&values, lit) >> lane & 1 != 0);
        }
    }
}

fn encoded(smv: &Smv) -> Encoded {
    let properties: Vec<_> = smv.program().properties.iter().collect();
    encode(smv.program(), smv.first(), &properties, &mut Budget::unlimited()).unwrap()
}

/// The same by the system.
fn symbolic(encoded: &Encoded) -> Found {
    let Encoded { system, layout, atoms, trouble, .. } = encoded;
    let nows: Vec<Lit> = system.states.iter().map(|state| state.now).collect();
    if nows.len() > 13 || system.choices.len() > 11 {
        return Found::TooLarge;
    }
    let name = |bits: &[bool]| -> State {
        layout.values(bits).into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    };
    let mut conditions: Vec<Lit> = atoms.iter().flatten().copied().collect();
    conditions.extend(&system.justice);
    conditions.extend(system.compassion.iter().flat_map(|&(often, then)| [often, then]));
    let mut left: BTreeSet<Vec<bool>> = BTreeSet::new();
    let mut wrong = None;
    let trouble_at = |moment: Moment| trouble.iter().filter(move |trouble| trouble.moment == moment);
    for_each_valuation(&system.aig, &[], &nows, |value| {
        for trouble in trouble_at(Moment::Start).filter(|trouble| value(trouble.when)) {
            wrong = Some(format!("{:?} in an initial state", trouble.what));
        }
        if system.init.iter().all(|&lit| value(lit)) {
            left.insert(nows.iter().map(|&now| value(now)).collect());
        }
    });
    let mut graph = Graph { initial: left.iter().map(|bits| name(bits)).collect(), ..Graph::default() };
    if graph.initial.is_empty() && wrong.is_none() {
        wrong = Some("no state is initial".to_owned());
    }
    while let Some(state) = left.pop_first() {
        let fixed: Vec<(Lit, bool)> = nows.iter().copied().zip(state.iter().copied()).collect();
        let (mut to, mut holds) = (BTreeSet::new(), Vec::new());
        for_each_valuation(&system.aig, &fixed, &system.choices, |value| {
            for moment in [Moment::Step, Moment::State] {
                for trouble in trouble_at(moment).filter(|trouble| value(trouble.when)) {
                    wrong = Some(format!("{:?} in {:?}", trouble.what, name(&state)));
                }
            }
            holds = conditions.iter().map(|&lit| value(lit)).collect();
            if system.constraints.iter().all(|&lit| value(lit)) {
                to.insert(system.states.iter().map(|state| value(state.next)).collect::<Vec<bool>>());
            }
        });
        assert!(!to.is_empty() || !encoded.is_total, "a dead end of a total system");
        if to.is_empty() {
            to.insert(state.clone());
        }
        let named = name(&state);
        graph.holds.insert(named.clone(), holds);
        graph.steps.insert(named, to.iter().map(|bits| name(bits)).collect());
        left.extend(to.into_iter().filter(|bits| !graph.steps.contains_key(&name(bits))));
    }
    match wrong {
        Some(wrong) => Found::Wrong(wrong),
        None => Found::Graph(graph),
    }
}

/// What came of comparisons.
#[derive(Debug, Default)]
struct Tally {
    unreadable: usize,
    large: usize,
    same: usize,
    wrong: usize,
    excluded: usize,
    states: usize,
}

fn check(text: &str, tally: &mut Tally) {
    let Ok((smv, _)) = read_smv(text) else {
        tally.unreadable += 1;
        return;
    };
    let structure = &smv.program().structures[smv.first()];
    let is_conditional =
        !(structure.init.is_empty() && structure.invar.is_empty() && structure.trans.is_empty());
    match (explicit(&smv), symbolic(&encoded(&smv))) {
        (Found::TooLarge, _) | (_, Found::TooLarge) => tally.large += 1,
        (Found::Graph(expected), Found::Graph(found)) => {
            assert_eq!(found, expected, "{text}");
            tally.same += 1;
            tally.states += found.steps.len();
        }
        (Found::Wrong(_), Found::Wrong(_)) => tally.wrong += 1,
        // explicit states meet faults of conditions before other conditions that exclude the same valuation
        (Found::Wrong(_), Found::Graph(_)) if is_conditional => tally.excluded += 1,
        (expected, found) => panic!("{text}\nexpected {expected:?}\nfound {found:?}"),
    }
}

#[test]
fn systems_of_random_models_have_their_states() {
    let cases: usize = std::env::var("LORIS_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1000);
    let mut tally = Tally::default();
    for seed in 0..cases {
        check(&model(&mut Rng::new(seed as u64)), &mut tally);
    }
    println!("{tally:?}");
    assert!(
        2 * tally.same > cases
            && 20 * tally.wrong > cases
            && 50 * tally.excluded < cases
            && 10 * tally.unreadable < cases
            && 20 * tally.large < cases,
        "{tally:?}"
    );
}
