//! Boolean transition systems of SMV models, tried valuation by valuation, against the explicit
//! states of the same models: initial states, steps, conditions of properties and fairness, and
//! what is wrong with a model.

#![allow(clippy::unwrap_used, clippy::format_push_string)] // helpers of tests

use loris_base::{Budget, Idx, Rng, VALUES_IN_64};
use loris_circuit::{Aig, Lit, TransitionSystem, read_aiger, write_aiger_binary};
use loris_rsm::DeadEnds;
use loris_smv::{Encoded, Labels, Limits, Moment, Smv, Stopped, build, encode, read_smv};
use loris_testing::smv::model;
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
    /// with a problem, or all that there are
    Wrong(BTreeSet<String>),
    /// too much to be tried
    TooLarge,
}

/// The names of the conditions of all properties and of fairness are lost in encoding, their order
/// is not.
fn explicit(smv: &Smv) -> Found {
    let program = smv.program();
    let properties: Vec<_> = program.properties.iter().collect();
    let limits = Limits { dead_ends: DeadEnds::Loop, states: 1 << 12, ..Limits::default() };
    let built = match build(program, &properties, Labels::Needed, &limits, &mut Budget::unlimited()) {
        Ok(built) => built,
        Err(Stopped::Wrong(problems)) => return Found::Wrong([problems.sorted()[0].message.clone()].into()),
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
    let lanes = 1 << free.len().min(6);
    for high in 0..1_u64 << free.len().saturating_sub(6) {
        let mut of: Vec<u64> = vec![0; aig.len()];
        for &(lit, value) in fixed {
            of[lit.var().index()] = u64::from(value).wrapping_neg();
        }
        for (at, lit) in free.iter().enumerate() {
            of[lit.var().index()] = match at {
                0..6 => VALUES_IN_64[at],
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
fn symbolic(smv: &Smv, encoded: &Encoded) -> Found {
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
    let mut wrong = BTreeSet::new();
    let mut look = |moment: Moment, value: &dyn Fn(Lit) -> bool| {
        if trouble.iter().any(|trouble| trouble.moment == moment && value(trouble.when)) {
            let bits = |lits: &[Lit]| -> Vec<bool> { lits.iter().map(|&lit| value(lit)).collect() };
            let (state, choices) = (bits(&nows), bits(&system.choices));
            let problem =
                encoded.problem((smv.program(), smv.first()), &encoded.trouble, moment, &state, &choices);
            wrong.insert(problem.expect("there is a problem").message);
        }
    };
    for_each_valuation(&system.aig, &[], &nows, |value| {
        look(Moment::Start, value);
        if system.init.iter().all(|&lit| value(lit)) {
            left.insert(nows.iter().map(|&now| value(now)).collect());
        }
    });
    let mut graph = Graph { initial: left.iter().map(|bits| name(bits)).collect(), ..Graph::default() };
    while let Some(state) = left.pop_first() {
        let fixed: Vec<(Lit, bool)> = nows.iter().copied().zip(state.iter().copied()).collect();
        let (mut to, mut holds) = (BTreeSet::new(), Vec::new());
        for_each_valuation(&system.aig, &fixed, &system.choices, |value| {
            look(Moment::Step, value);
            look(Moment::State, value);
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
    if graph.initial.is_empty() && wrong.is_empty() {
        wrong.insert(encoded.no_start(smv.program(), smv.first()).message);
    }
    if wrong.is_empty() { Found::Graph(graph) } else { Found::Wrong(wrong) }
}

/// Whether some reachable state of a system has what it observes; nothing if there is too much to
/// be tried.
fn reaches(system: &TransitionSystem) -> Option<bool> {
    let nows: Vec<Lit> = system.states.iter().map(|state| state.now).collect();
    if nows.len() > 10 || system.choices.len() > 9 {
        return None;
    }
    let (mut left, mut known) = (Vec::new(), BTreeSet::new());
    for_each_valuation(&system.aig, &[], &nows, |value| {
        if system.init.iter().all(|&lit| value(lit)) {
            left.push(nows.iter().map(|&now| value(now)).collect::<Vec<bool>>());
        }
    });
    let mut found = false;
    while let Some(state) = left.pop() {
        if !known.insert(state.clone()) {
            continue;
        }
        let fixed: Vec<(Lit, bool)> = nows.iter().copied().zip(state).collect();
        for_each_valuation(&system.aig, &fixed, &system.choices, |value| {
            found |= system.observed.iter().any(|&lit| value(lit));
            if system.constraints.iter().all(|&lit| value(lit)) {
                left.push(system.states.iter().map(|state| value(state.next)).collect());
            }
        });
    }
    Some(found)
}

/// Initial states and steps of a system, by the values of its first state variables.
type Bits = (BTreeSet<Vec<bool>>, BTreeMap<Vec<bool>, BTreeSet<Vec<bool>>>);

fn bits(system: &TransitionSystem, count: usize) -> Option<Bits> {
    let nows: Vec<Lit> = system.states.iter().map(|state| state.now).collect();
    if nows.len() > 11 || system.choices.len() > 9 {
        return None;
    }
    let mut left = Vec::new();
    for_each_valuation(&system.aig, &[], &nows, |value| {
        if system.init.iter().all(|&lit| value(lit)) {
            left.push(nows.iter().map(|&now| value(now)).collect::<Vec<bool>>());
        }
    });
    let initial = left.iter().map(|state| state[..count].to_vec()).collect();
    let (mut known, mut steps) = (BTreeSet::new(), BTreeMap::<_, BTreeSet<_>>::new());
    while let Some(state) = left.pop() {
        if !known.insert(state.clone()) {
            continue;
        }
        let to = steps.entry(state[..count].to_vec()).or_default();
        let fixed: Vec<(Lit, bool)> = nows.iter().copied().zip(state).collect();
        for_each_valuation(&system.aig, &fixed, &system.choices, |value| {
            if system.constraints.iter().all(|&lit| value(lit)) {
                let next: Vec<bool> = system.states.iter().map(|state| value(state.next)).collect();
                to.insert(next[..count].to_vec());
                left.push(next);
            }
        });
    }
    Some((initial, steps))
}

/// A system, and the system of its circuit, which is written and read.
fn check_circuit(smv: &Smv, mut encoded: Encoded, text: &str) -> bool {
    let properties: Vec<_> = smv.program().properties.iter().collect();
    let circuit = encoded.to_circuit(&properties);
    let mut file = Vec::new();
    write_aiger_binary(&circuit, &mut file).unwrap();
    let (read, warnings) = read_aiger(&file, &mut Budget::unlimited()).unwrap();
    assert!(warnings.is_empty(), "{text}\n{warnings:?}");
    let count = encoded.system.states.len();
    assert_eq!(read.fairness.len(), encoded.system.justice.len(), "{text}");
    assert_eq!(read.latch_name(0), encoded.layout.bit_names()[0], "{text}");
    // with trouble, steps differ where it is
    if !encoded.trouble.is_empty() {
        return false;
    }
    match (bits(&encoded.system, count), bits(&TransitionSystem::of_circuit(&read, &[]), count)) {
        // runs of circuits do not end
        (Some((_, steps)), _) if steps.values().any(BTreeSet::is_empty) => false,
        (Some(expected), Some(found)) => {
            assert_eq!(found, expected, "{text}");
            true
        }
        _ => false,
    }
}

/// What came of comparisons.
#[derive(Debug, Default)]
struct Tally {
    unreadable: usize,
    large: usize,
    same: usize,
    wrong: usize,
    /// of these, with the problem that explicit states report among those found
    named: usize,
    /// systems that ask for trouble
    systems: usize,
    /// circuits with the steps of their systems
    circuits: usize,
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
    let encoded = encoded(&smv);
    let found = symbolic(&smv, &encoded);
    let no_start = encoded.no_start(smv.program(), smv.first()).message;
    if let Some(system) = encoded.trouble_system(&encoded.trouble)
        && let Some(has_trouble) = reaches(&system)
    {
        match &found {
            Found::Graph(_) => assert!(!has_trouble, "{text}"),
            Found::Wrong(all) => assert_eq!(has_trouble, !all.contains(&no_start), "{text}"),
            Found::TooLarge => {}
        }
        tally.systems += 1;
    }
    if !encoded.system.states.is_empty() {
        tally.circuits += usize::from(check_circuit(&smv, encoded, text));
    }
    match (explicit(&smv), found) {
        (Found::TooLarge, _) | (_, Found::TooLarge) => tally.large += 1,
        (Found::Graph(expected), Found::Graph(found)) => {
            assert_eq!(found, expected, "{text}");
            tally.same += 1;
            tally.states += found.steps.len();
        }
        (Found::Wrong(one), Found::Wrong(all)) => {
            // where conditions exclude some of what is wrong, explicit states may meet it, or not
            assert!(one.is_subset(&all) || is_conditional, "{text}\n{one:?}\n{all:?}");
            tally.wrong += 1;
            tally.named += usize::from(one.is_subset(&all));
        }
        // explicit states meet faults of conditions before other conditions that exclude the same
        // valuation
        (Found::Wrong(_), Found::Graph(_)) if is_conditional => tally.excluded += 1,
        (expected, found) => panic!("{text}\nexpected {expected:?}\nfound {found:?}"),
    }
}

#[test]
fn systems_of_random_models_have_their_states() {
    let cases: usize = loris_testing::cases(1000);
    let mut tally = Tally::default();
    for seed in 0..cases {
        check(&model(&mut Rng::new(seed as u64)), &mut tally);
    }
    println!("{tally:?}");
    assert!(
        2 * tally.same > cases
            && 20 * tally.wrong > cases
            && 10 * tally.named > 9 * tally.wrong
            && 40 * tally.systems > cases
            && 4 * tally.circuits > cases
            && 50 * tally.excluded < cases
            && 10 * tally.unreadable < cases
            && 20 * tally.large < cases,
        "{tally:?}"
    );
}

/// A model of one run, of twenty steps with an operation on wide words, against explicit states.
fn check_run(operation: &str) {
    let text = format!(
        "MODULE main VAR n : 0..20; x : unsigned word[62]; y : signed word[61]; z : boolean;
         ASSIGN init(n) := 0; next(n) := case n < 20 : n + 1; TRUE : n; esac;
         init(x) := 0ud62_2718281828459045235; init(y) := 0sd61_314159265358979323; init(z) := FALSE;
         next(x) := case n < 20 : {operation}; TRUE : x; esac;
         next(y) := case n < 20 : y * 0sd61_3 - 0sd61_271828182845904; TRUE : y; esac;
         next(z) := y < 0sd61_77 xor x > 0ud62_1000000000000000000;
         SPEC EF x = 0ud62_0"
    );
    let (smv, _) = read_smv(&text).unwrap_or_else(|found| panic!("{text}\n{:?}", found.sorted()));
    let Found::Graph(expected) = explicit(&smv) else { panic!("{text}") };
    let Encoded { system, layout, is_total, .. } = encoded(&smv);
    assert!(is_total && system.choices.is_empty(), "{text}");
    let start = |now: Lit| system.init.contains(&now) || !system.init.contains(&!now) && panic!("{text}");
    let mut state: Vec<bool> = system.states.iter().map(|state| start(state.now)).collect();
    for _ in 0..expected.steps.len() {
        let mut bits = vec![0; system.aig.len()];
        for (of, &value) in system.states.iter().zip(&state) {
            bits[of.now.var().index()] = u64::from(value);
        }
        let values = system.aig.simulate(|var| bits[var.index()]);
        let next: Vec<bool> =
            system.states.iter().map(|state| Aig::value(&values, state.next) & 1 != 0).collect();
        let name = |bits: &[bool]| -> State {
            layout.values(bits).into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
        };
        assert_eq!(expected.steps[&name(&state)], [name(&next)].into(), "{text}");
        state = next;
    }
}

#[test]
fn wide_words_are_computed_bit_by_bit() {
    for operation in [
        "x + 0ud62_4000000000000000001",
        "x - 0ud62_4000000000000000001",
        "x * x",
        "x * 0ud62_3 + 0ud62_1",
        "(x << 7) | (x >> 55)",
        "(x << 1) xor (x / 0ud62_977)",
        "0ud62_4611686018427387903 mod ((x >> 30) | 0ud62_1)",
        "!x & extend(toint(n) = 3 ? x[30:0] : x[61:31], 31)",
        "unsigned(resize(y, 62)) + x",
    ] {
        check_run(operation);
    }
}

/// Many variables take little work; and what takes more than there is ends.
#[test]
fn work_is_bounded() {
    let mut text =
        String::from("MODULE main VAR c : array 0..39 of 0..1000; w : array 0..39 of unsigned word[32];\n");
    text += "ASSIGN\n";
    for i in 0..40 {
        let before = (i + 39) % 40;
        text += &format!(
            "next(c[{i}]) := case c[{before}] > c[{i}] : (c[{i}] + 1) mod 1001; TRUE : 0..7; esac;\n"
        );
        text += &format!("next(w[{i}]) := w[{i}] + w[{before}];\n");
    }
    let (smv, _) = read_smv(&text).unwrap();
    let mut budget = Budget::steps(400_000);
    let encoded = encode(smv.program(), smv.first(), &[], &mut budget).unwrap();
    assert_eq!(encoded.system.states.len(), 40 * 42);
    assert!(encoded.is_total);
    assert!(encode(smv.program(), smv.first(), &[], &mut Budget::steps(10_000)).is_err());
    let mut little = Budget::new(None, Some(1 << 20));
    assert!(encode(smv.program(), smv.first(), &[], &mut little).is_err());
}

/// The text of all SMV files of a folder, in the order of their names.
fn texts(folder: &str) -> Vec<(String, String)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "smv"));
    files.sort();
    let text = |file: &std::path::PathBuf| String::from_utf8(std::fs::read(file).unwrap()).ok();
    files.iter().filter_map(|file| Some((file.display().to_string(), text(file)?))).collect()
}

/// The examples; and files of the folder that `LORIS_SMV_FILES` names, with a line for each.
#[test]
fn systems_of_examples_have_their_states() {
    let mut tally = Tally::default();
    for (_, text) in texts(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/smv")) {
        if read_smv(&text).is_ok_and(|(smv, _)| !smv.program().recursive) {
            check(&text, &mut tally);
        }
    }
    assert!(tally.same > 10 && tally.unreadable == 0, "{tally:?}");
    for (name, text) in std::env::var("LORIS_SMV_FILES").iter().flat_map(|folder| texts(folder)) {
        let Ok((smv, _)) = read_smv(&text) else {
            println!("unreadable {name}");
            continue;
        };
        let properties: Vec<_> = smv.program().properties.iter().collect();
        let start = std::time::Instant::now();
        let mut budget = Budget::new(Some(std::time::Duration::from_secs(20)), Some(2 << 30));
        match encode(smv.program(), smv.first(), &properties, &mut budget) {
            Err(stopped) => println!("refused {name}: {stopped:?}"),
            Ok(encoded) => {
                let (states, gates) = (encoded.system.states.len(), encoded.system.aig.ands());
                println!(
                    "encoded {name}: {states} bits, {} choices, {gates} gates, {} constraints, {} troubles, {:?}",
                    encoded.system.choices.len(),
                    encoded.system.constraints.len(),
                    encoded.trouble.len(),
                    start.elapsed(),
                );
                if states < 14 && gates < 10_000 {
                    check(&text, &mut tally);
                }
            }
        }
    }
    println!("{tally:?}");
}
