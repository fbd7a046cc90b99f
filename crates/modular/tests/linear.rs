//! Linear time against a tableau of sets of subformulas on the explicit product, which shares
//! nothing with automata, and against random concretisations.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use common::{Explicit, Shape, cases, explicit, system};
use loris_base::{Budget, Csr, Idx, IndexVec, Rng, Symbol, Truth, strong_components};
use loris_evidence::{Evidence, Loop, Path, leaving, paths_of_processes, replay_process_run};
use loris_logic::automaton::translate;
use loris_logic::mu::{DeadEnds, Reading, parse_with};
use loris_logic::random::RandomLtl;
use loris_logic::{Formula, FormulaId, NO_NEXT, Node, ends_in_linear, negated_ltl, parse};
use loris_lts::{Modality, ProcessBuilder, ProcessKind, StateId, System};
use loris_modular::linear::{LinearAtom, LinearOutcome, SoughtRun, accepted_run};
use loris_modular::{SystemQuestion, play};
use rustc_hash::FxHashMap;
use std::sync::Arc;

const READINGS: [DeadEnds; 3] = [DeadEnds::Maximal, DeadEnds::Loop, DeadEnds::Stop];

/// The answer of the engine to the question for a run that refutes a formula.
fn refuted(system: &System, formula: &Formula, dead_ends: DeadEnds) -> LinearOutcome {
    let read = if dead_ends == DeadEnds::Maximal { ends_in_linear(formula) } else { formula.clone() };
    let (negation, names) = negated_ltl(&read).unwrap();
    let budget = &mut Budget::unlimited();
    let buchi = translate(&negation, budget).unwrap();
    let of = |name: &String| match name.as_str() {
        NO_NEXT => LinearAtom::End,
        name => LinearAtom::named(system, name).unwrap_or(LinearAtom::Never),
    };
    let atoms: Vec<LinearAtom> = names.iter().map(of).collect();
    let outcome =
        accepted_run(&SoughtRun { system, buchi: &buchi, atoms: &atoms, dead_ends }, budget).unwrap();
    replayed(system, formula, dead_ends, &outcome);
    outcome
}

/// A run that was found is replayed.
fn replayed(system: &System, formula: &Formula, dead_ends: DeadEnds, outcome: &LinearOutcome) {
    assert!(outcome.run.is_none() || outcome.accepted == Truth::True);
    assert!(outcome.run.is_some() || outcome.accepted != Truth::True || !system.is_concrete());
    assert_eq!(outcome.doubt.is_some(), outcome.accepted == Truth::Unknown);
    let Some(run) = &outcome.run else { return };
    let seen = |action: u32| if system.visible_name(action) == "tau" { 0 } else { action };
    let left = run.states.iter().zip(&run.actions);
    let states = left.map(|(state, &action)| leaving(state.clone(), action.map(seen))).collect::<Vec<_>>();
    let repeats = run.back.map(|from| Loop { from, to: states.len() - 1 });
    let shows = format!("E !({formula})");
    assert!(paths_of_processes(formula, dead_ends) != loris_evidence::Paths::Fair);
    let mut paths = IndexVec::default();
    paths.push(Path { shows, states, repeats, because: Vec::new() });
    let evidence = Evidence { paths, also: Vec::new() };
    let replayed = replay_process_run(system, formula, dead_ends, &evidence, &mut Budget::unlimited());
    assert_eq!(replayed.unwrap_or_else(|why| panic!("{formula}: {why}")).trusted, 0, "{formula}");
}

/// A position of the tableau: a state, how it is left, the values of its labels, and of all
/// subformulas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Position {
    state: usize,
    leaves: Leaves,
    labels: Vec<bool>,
    values: Vec<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Leaves {
    By(usize),
    Ends,
    Stays,
}

struct Tableau<'a> {
    system: &'a System,
    product: Explicit,
    formula: &'a Formula,
    dead_ends: DeadEnds,
}

impl Tableau<'_> {
    /// Whether a run of some concretisation makes the formula false.
    fn is_refutable(&self) -> bool {
        let mut positions: Vec<Position> = Vec::new();
        let mut numbers: FxHashMap<Position, u32> = FxHashMap::default();
        let mut rows = Csr::default();
        let root = self.formula.root().index();
        let mut ends = false;
        let first = self.positions(0, None).into_iter().filter(|position| !position.values[root]);
        for position in first {
            numbers.insert(position.clone(), positions.len() as u32);
            positions.push(position);
        }
        while rows.rows() < positions.len() {
            let position = positions[rows.rows()].clone();
            let next = match position.leaves {
                Leaves::Ends => {
                    ends |= self.follows(&position, None);
                    Vec::new()
                }
                Leaves::Stays => vec![position.clone()],
                Leaves::By(step) => self.positions(self.product.steps[position.state][step].1, None),
            };
            let next: Vec<Position> =
                next.into_iter().filter(|next| self.follows(&position, Some(next))).collect();
            let mut row = Vec::new();
            for next in next {
                row.push(*numbers.entry(next.clone()).or_insert_with(|| {
                    positions.push(next);
                    positions.len() as u32 - 1
                }));
            }
            rows.push_row(row);
        }
        ends || (0..strong_components(&rows).rows()).any(|component| {
            let components = strong_components(&rows);
            let members = components.row(component);
            let cyclic =
                members.iter().any(|&node| rows.row(node as usize).iter().any(|next| members.contains(next)));
            {
                let members: Vec<&Position> = members.iter().map(|&node| &positions[node as usize]).collect();
                cyclic && self.is_fulfilled(&members)
            }
        })
    }

    /// Whether nothing is put off for ever on a cycle through these positions.
    fn is_fulfilled(&self, positions: &[&Position]) -> bool {
        self.formula.nodes().all(|(id, node)| {
            positions.iter().any(|position| {
                let of = |child: FormulaId| position.values[child.index()];
                match node {
                    Node::F(a) => !of(id) || of(a),
                    Node::U(_, b) => !of(id) || of(b),
                    Node::G(a) => of(id) || !of(a),
                    Node::R(_, b) => of(id) || !of(b),
                    Node::W(a, b) => of(id) || !of(a) && !of(b),
                    _ => true,
                }
            })
        })
    }

    /// All positions in a state.
    fn positions(&self, state: usize, _: Option<()>) -> Vec<Position> {
        let steps = &self.product.steps[state];
        let mut leaves: Vec<Leaves> = (0..steps.len()).map(Leaves::By).collect();
        if steps.iter().all(|&(_, _, must)| !must) {
            match self.dead_ends {
                DeadEnds::Maximal => leaves.push(Leaves::Ends),
                DeadEnds::Loop => leaves.push(Leaves::Stays),
                DeadEnds::Stop => {}
            }
        }
        let labels: Vec<Truth> = self.formula.atoms().iter().map(|name| self.label(state, name)).collect();
        let mut found = Vec::new();
        for leaves in leaves {
            for choice in 0..1_u32 << labels.len() {
                let labels: Vec<bool> = (0..labels.len()).map(|atom| choice >> atom & 1 == 1).collect();
                let fits = |(atom, &value): (usize, &bool)| {
                    let name = &self.formula.atoms()[Symbol::new(atom)];
                    match self.system.atoms().find(name) {
                        Some(_) => {
                            let known = self.label(state, name);
                            !known.is_known() || known == value.into()
                        }
                        None => value == self.takes(state, leaves, name),
                    }
                };
                if labels.iter().enumerate().all(fits) {
                    self.guess(state, leaves, &labels, &mut found);
                }
            }
        }
        found
    }

    fn label(&self, state: usize, name: &str) -> Truth {
        let Some(label) = self.system.atoms().find(name) else { return Truth::Unknown };
        let (process, own) = self.system.owners(label)[0];
        let local = self.product.states[state][process as usize];
        self.system.process(process).label(StateId::new(local as usize), own)
    }

    fn takes(&self, state: usize, leaves: Leaves, name: &str) -> bool {
        let Leaves::By(step) = leaves else { return false };
        self.system.kind() == ProcessKind::Lts
            && self.system.visible_name(self.product.steps[state][step].0) == name
    }

    /// Adds the positions with all values of temporal subformulas.
    fn guess(&self, state: usize, leaves: Leaves, labels: &[bool], found: &mut Vec<Position>) {
        let is_temporal = |node: Node| {
            matches!(node, Node::X(_) | Node::F(_) | Node::G(_) | Node::U(..) | Node::W(..) | Node::R(..))
        };
        let count = self.formula.nodes().filter(|&(_, node)| is_temporal(node)).count();
        for guess in 0..1_u32 << count {
            let mut place = 0;
            let mut values: Vec<bool> = Vec::new();
            for (_, node) in self.formula.nodes() {
                let of = |child: FormulaId| values[child.index()];
                let value = match node {
                    Node::True => true,
                    Node::False => false,
                    Node::Atom(atom) => labels[atom.index()],
                    Node::Not(a) => !of(a),
                    Node::And(a, b) => of(a) && of(b),
                    Node::Or(a, b) => of(a) || of(b),
                    Node::Implies(a, b) => !of(a) || of(b),
                    Node::Iff(a, b) => of(a) == of(b),
                    _ => {
                        place += 1;
                        guess >> (place - 1) & 1 == 1
                    }
                };
                values.push(value);
            }
            found.push(Position { state, leaves, labels: labels.to_vec(), values });
        }
    }

    /// Whether one position may follow another, or nothing may.
    fn follows(&self, position: &Position, next: Option<&Position>) -> bool {
        self.formula.nodes().all(|(id, node)| {
            let of = |child: FormulaId| position.values[child.index()];
            let later = |default: bool| next.map_or(default, |next| next.values[id.index()]);
            let expected = match node {
                Node::X(a) => next.is_some_and(|next| next.values[a.index()]),
                Node::F(a) => of(a) || later(false),
                Node::G(a) => of(a) && later(true),
                Node::U(a, b) => of(b) || of(a) && later(false),
                Node::W(a, b) => of(b) || of(a) && later(true),
                Node::R(a, b) => of(b) && (of(a) || later(true)),
                _ => return true,
            };
            of(id) == expected
        })
    }
}

fn formula(rng: &mut Rng, system: &System) -> Formula {
    let mut names: Vec<String> = system.atoms().iter().map(str::to_owned).collect();
    if system.kind() == ProcessKind::Lts {
        names.extend(system.actions().iter().map(str::to_owned));
    }
    let count = 1 + rng.below(5) as u32;
    let atoms = (0..2).map(|_| names.get(rng.below(names.len().max(1))).cloned().unwrap_or("no".into()));
    let config = RandomLtl { atoms: atoms.collect(), ..RandomLtl::new(count) };
    config.generate(rng)
}

fn shape(rng: &mut Rng, partial: bool) -> Shape {
    let kind = if rng.chance(0.5) { ProcessKind::Kripke } else { ProcessKind::Lts };
    Shape { kind, processes: 1 + rng.below(3), states: 1 + rng.below(3), partial }
}

#[test]
fn as_the_tableau() {
    let mut seen = [0; 3];
    let mut ended = 0;
    for seed in 0..cases(1200) {
        let rng = &mut Rng::new(seed);
        let partial = rng.chance(0.6);
        let shape = shape(rng, partial);
        let system = system(rng, shape);
        let formula = formula(rng, &system);
        for dead_ends in READINGS {
            let tableau =
                Tableau { system: &system, product: explicit(&system), formula: &formula, dead_ends };
            let expected = tableau.is_refutable();
            let found = refuted(&system, &formula, dead_ends);
            assert_eq!(found.accepted != Truth::False, expected, "seed {seed}, {dead_ends:?}: {formula}");
            if system.is_concrete() {
                assert!(found.accepted.is_known(), "seed {seed}");
            }
            seen[found.accepted as usize] += 1;
            ended += usize::from(found.run.is_some_and(|run| run.back.is_none()));
        }
    }
    assert!(seen.iter().all(|&count| count > 100) && ended > 50, "{seen:?}, {ended}");
}

/// A concretisation of a system, with two copies of each state that need not agree.
fn concretised(rng: &mut Rng, system: &System) -> System {
    let product = explicit(system);
    let copies = 2;
    let mut build = ProcessBuilder::new("all", system.kind());
    build.add_states(copies * product.states.len());
    build.initial(StateId::new(0));
    let labels: Vec<_> = system.atoms().iter().map(|name| build.atom(name)).collect();
    let actions: Vec<_> =
        (0..system.actions().len()).map(|action| build.action(system.visible_name(action as u32))).collect();
    for (state, local) in product.states.iter().enumerate() {
        for copy in 0..copies {
            let own = StateId::new(copies * state + copy);
            for (atom, &label) in labels.iter().enumerate() {
                let (process, known) = system.owners(Symbol::new(atom))[0];
                let value =
                    system.process(process).label(StateId::new(local[process as usize] as usize), known);
                let value = if value.is_known() { value == Truth::True } else { rng.chance(0.5) };
                build.label(own, label, value);
            }
            for &(action, target, must) in &product.steps[state] {
                if must || rng.chance(0.5) {
                    let to = StateId::new(copies * target + rng.below(copies));
                    build.step(own, actions[action as usize], to, Modality::Both);
                }
            }
        }
    }
    let process = build.finish(&mut Budget::unlimited()).unwrap();
    System::new(vec![Arc::new(process)], &[]).unwrap()
}

#[test]
fn verdicts_are_those_of_all_concretisations() {
    let (mut definite, mut open, mut explained, mut without_run) = (0, 0, 0, 0);
    for seed in 0..cases(400) {
        let rng = &mut Rng::new(1_000_000 + seed);
        let shape = shape(rng, true);
        let system = system(rng, shape);
        let formula = formula(rng, &system);
        let dead_ends = READINGS[rng.below(3)];
        let outcome = refuted(&system, &formula, dead_ends);
        let found = outcome.accepted;
        without_run += usize::from(found == Truth::True && outcome.run.is_none());
        let mut values = [false; 2];
        for _ in 0..24 {
            let concrete = concretised(rng, &system);
            let is_refuted = refuted(&concrete, &formula, dead_ends).accepted;
            assert!(is_refuted.is_known());
            assert!(!found.is_known() || found == is_refuted, "seed {seed}, {dead_ends:?}: {formula}");
            values[usize::from(is_refuted == Truth::True)] = true;
        }
        if found.is_known() {
            definite += 1;
        } else {
            open += 1;
            explained += usize::from(values == [true, true]);
        }
    }
    assert!(definite > 100 && open > 30 && without_run > 5, "{definite}, {open}, {without_run}");
    // most of what is open has concretisations of both kinds among a few at random
    assert!(2 * explained > open, "{explained} of {open}");
}

/// Formulas of CTL on all runs mean the same in linear time, where finite runs count or none ends:
/// what the game decides has that verdict.
#[test]
fn as_the_game_of_ctl() {
    let pairs = [("A G P", "G P"), ("A F P", "F P"), ("A [P U Q]", "P U Q"), ("A G A F P", "G F P")];
    let mut seen = [0; 3];
    for seed in 0..cases(600) {
        let rng = &mut Rng::new(2_000_000 + seed);
        let partial = rng.chance(0.6);
        let shape = shape(rng, partial);
        let system = system(rng, shape);
        let names: Vec<&str> = system.atoms().iter().collect();
        if names.is_empty() {
            continue;
        }
        let (p, q) = (names[rng.below(names.len())], names[rng.below(names.len())]);
        let (branching, linear) = pairs[rng.below(pairs.len())];
        let with = |text: &str| text.replace('P', p).replace('Q', q);
        for dead_ends in [DeadEnds::Maximal, DeadEnds::Loop] {
            let reading = Reading { dead_ends, ..Reading::default() };
            let formula = parse_with(&with(branching), &reading).unwrap();
            let question = SystemQuestion::new(&system, &formula, false).unwrap();
            let value = play(&question, &mut Budget::unlimited()).unwrap().value;
            let found = refuted(&system, &parse(&with(linear)).unwrap(), dead_ends).accepted;
            assert!(!value.is_known() || found == !value, "seed {seed}, {dead_ends:?}: {}", with(linear));
            seen[value as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 30), "{seen:?}");
}

fn kripke(steps: &[(usize, usize, bool)], labels: &[&[(&str, bool)]]) -> System {
    let mut build = ProcessBuilder::new("one", ProcessKind::Kripke);
    build.add_states(labels.len());
    build.initial(StateId::new(0));
    let tau = build.action("tau");
    for (state, labels) in labels.iter().enumerate() {
        for (name, value) in *labels {
            let atom = build.atom(name);
            build.label(StateId::new(state), atom, *value);
        }
    }
    for &(from, to, must) in steps {
        let modality = if must { Modality::Both } else { Modality::May };
        build.step(StateId::new(from), tau, StateId::new(to), modality);
    }
    System::new(vec![Arc::new(build.finish(&mut Budget::unlimited()).unwrap())], &[]).unwrap()
}

#[test]
fn readings_of_dead_ends() {
    let check = |system: &System, text: &str, expected: [&str; 3]| {
        let formula = parse(text).unwrap();
        let word = |dead_ends| match refuted(system, &formula, dead_ends).accepted {
            Truth::False => "holds",
            Truth::True => "fails",
            Truth::Unknown => "unknown",
        };
        assert_eq!(READINGS.map(word), expected, "{text}");
    };
    // p, then q, and no more
    let ends = kripke(&[(0, 1, true)], &[&[("p", true), ("q", false)], &[("p", false), ("q", true)]]);
    check(&ends, "F q", ["holds", "holds", "holds"]);
    check(&ends, "G F q", ["holds", "holds", "holds"]);
    check(&ends, "G !q", ["fails", "fails", "holds"]);
    check(&ends, "X X q", ["fails", "holds", "holds"]);
    check(&ends, "G X true", ["fails", "holds", "holds"]);
    check(&ends, "F !X true", ["holds", "fails", "holds"]);
    // the step is uncertain, and so is p after it
    let perhaps = kripke(&[(0, 1, false), (1, 1, true)], &[&[("p", true)], &[]]);
    check(&perhaps, "p", ["holds", "holds", "holds"]);
    check(&perhaps, "G p", ["unknown", "unknown", "unknown"]);
    check(&perhaps, "X true", ["unknown", "holds", "holds"]);
    check(&perhaps, "G (p | !p)", ["holds", "holds", "holds"]);
    // without the step, there is no infinite run
    check(&perhaps, "!p", ["fails", "fails", "unknown"]);
}
