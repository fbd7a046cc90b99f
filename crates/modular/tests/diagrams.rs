//! Random formulas on random parts: decision diagrams against the semantics, word by word, on the
//! listed states of the product.
//!
//! `LORIS_CASES=5000 cargo test -p loris-modular --test diagrams` tries more of them.

use loris_base::{Budget, Exhausted, Idx, Rng};
use loris_logic::mu::{ActionSet, Extremum, Mu, MuBuilder, MuFormula, MuId, VarId};
use loris_modular::diagrams::{Processes, Progress, Session};
use loris_solvers::mdd::{Event, Kronecker};
use loris_testing::cases;
use std::collections::{BTreeSet, HashMap};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "tau"];

fn random_parts(rng: &mut Rng) -> Processes {
    let count = 2 + rng.below(4);
    let sizes: Vec<u32> = (0..count).map(|_| 1 + rng.below(4) as u32).collect();
    let initial = sizes.iter().map(|&size| rng.below(size as usize) as u32).collect();
    let (mut events, mut names) = (Vec::new(), Vec::new());
    for _ in 0..=rng.below(7) {
        names.push(NAMES[rng.below(NAMES.len())].to_owned());
        let mut locals = Vec::new();
        for (level, &size) in (0..).zip(&sizes) {
            if rng.chance(0.4) {
                let some = || (rng.below(size as usize) as u32, rng.below(size as usize) as u32);
                let pairs: BTreeSet<(u32, u32)> = std::iter::repeat_with(some).take(3).collect();
                locals.push((level, pairs.into_iter().collect()));
            }
        }
        events.push(Event { locals });
    }
    let atoms = ["p", "q"].map(|name| {
        let process = rng.below(count);
        let states = (0..sizes[process]).filter(|_| rng.chance(0.5)).collect();
        (name.to_owned(), vec![(process as u32, states)])
    });
    Processes { system: Kronecker { sizes, initial, events }, names, atoms: atoms.into(), shared: Vec::new() }
}

fn random_set(rng: &mut Rng) -> ActionSet {
    if rng.chance(0.5) {
        return ActionSet::all();
    }
    let set = ActionSet::of(NAMES.into_iter().filter(|_| rng.chance(0.4)));
    if rng.chance(0.3) { set.complement() } else { set }
}

/// A formula of about this many operators, with the variables in scope.
fn random_formula(rng: &mut Rng, size: usize, scope: &[VarId], builder: &mut MuBuilder) -> MuId {
    if size <= 1 {
        return match rng.below(6) {
            0 | 1 if !scope.is_empty() => builder.add(Mu::Var(scope[rng.below(scope.len())])),
            0 => builder.add(Mu::True),
            1 => builder.add(Mu::False),
            2 => builder.atom("p", rng.chance(0.5)),
            3 => builder.atom("q", rng.chance(0.5)),
            _ => {
                let set = ActionSet::of([NAMES[rng.below(4)]]);
                let constant = rng.chance(0.5);
                let end = builder.add(if constant { Mu::True } else { Mu::False });
                if constant { builder.possibly(set, end) } else { builder.necessarily(set, end) }
            }
        };
    }
    match rng.below(10) {
        0..=3 => {
            let left = 1 + rng.below(size - 1);
            let f = random_formula(rng, left, scope, builder);
            let g = random_formula(rng, size - left, scope, builder);
            builder.add(if rng.chance(0.5) { Mu::And(f, g) } else { Mu::Or(f, g) })
        }
        4 | 5 => {
            let f = random_formula(rng, size - 1, scope, builder);
            let set = random_set(rng);
            if rng.chance(0.5) { builder.possibly(set, f) } else { builder.necessarily(set, f) }
        }
        6 | 7 => {
            let least = rng.chance(0.5);
            let variable = builder.variable("Z", if least { Extremum::Least } else { Extremum::Greatest });
            let scope = [scope, &[variable]].concat();
            let body = random_formula(rng, size - 1, &scope, builder);
            builder.bind(variable, body)
        }
        _ => random_shape(rng, size, scope, builder),
    }
}

/// A fixpoint of a shape that the engine knows.
fn random_shape(rng: &mut Rng, size: usize, scope: &[VarId], builder: &mut MuBuilder) -> MuId {
    let least = rng.chance(0.5);
    let variable = builder.variable("Z", if least { Extremum::Least } else { Extremum::Greatest });
    let outer = random_formula(rng, size / 2, scope, builder);
    let here = builder.add(Mu::Var(variable));
    let set = random_set(rng);
    let step = if rng.chance(0.5) { builder.possibly(set, here) } else { builder.necessarily(set, here) };
    let inner = match rng.below(3) {
        0 => step,
        1 => {
            let constant = builder.add(if least { Mu::True } else { Mu::False });
            let end = if least {
                builder.possibly(ActionSet::all(), constant)
            } else {
                builder.necessarily(ActionSet::all(), constant)
            };
            builder.add(if least { Mu::And(end, step) } else { Mu::Or(step, end) })
        }
        _ => {
            let f = random_formula(rng, size / 2, scope, builder);
            builder.add(if least { Mu::And(f, step) } else { Mu::Or(f, step) })
        }
    };
    let body = builder.add(if least { Mu::Or(outer, inner) } else { Mu::And(outer, inner) });
    builder.bind(variable, body)
}

/// The reachable states with their steps, and which events lead where.
struct Product<'a> {
    processes: &'a Processes,
    states: Vec<Vec<u32>>,
    steps: Vec<Vec<(usize, usize)>>,
}

fn product(processes: &Processes) -> Product<'_> {
    let mut product =
        Product { processes, states: vec![processes.system.initial.clone()], steps: Vec::new() };
    let mut numbers = HashMap::from([(processes.system.initial.clone(), 0)]);
    while product.steps.len() < product.states.len() {
        let state = product.states[product.steps.len()].clone();
        let mut steps = Vec::new();
        for (event, Event { locals }) in processes.system.events.iter().enumerate() {
            let mut after = vec![state.clone()];
            for (level, pairs) in locals {
                let level = *level as usize;
                let moves = pairs.iter().filter(|(from, _)| *from == state[level]);
                after = moves
                    .flat_map(|(_, to)| {
                        after.iter().map(|state| {
                            let mut state = state.clone();
                            state[level] = *to;
                            state
                        })
                    })
                    .collect();
            }
            for state in after {
                let next = *numbers.entry(state.clone()).or_insert_with(|| {
                    product.states.push(state);
                    product.states.len() - 1
                });
                steps.push((event, next));
            }
        }
        product.steps.push(steps);
    }
    product
}

impl Product<'_> {
    /// Where a formula holds, by the definition.
    fn holds(&self, formula: &MuFormula, id: MuId, values: &mut Vec<BTreeSet<usize>>) -> BTreeSet<usize> {
        let all = 0..self.states.len();
        let has = |atom: &str, state: usize| {
            self.processes.atoms.iter().any(|(name, owners)| {
                name == atom
                    && owners
                        .iter()
                        .any(|(process, states)| states.contains(&self.states[state][*process as usize]))
            })
        };
        match formula.node(id) {
            Mu::True => all.collect(),
            Mu::False => BTreeSet::new(),
            Mu::Atom(atom) => all.filter(|&state| has(&formula.atoms()[atom], state)).collect(),
            Mu::NotAtom(atom) => all.filter(|&state| !has(&formula.atoms()[atom], state)).collect(),
            Mu::And(f, g) => &self.holds(formula, f, values) & &self.holds(formula, g, values),
            Mu::Or(f, g) => &self.holds(formula, f, values) | &self.holds(formula, g, values),
            Mu::Diamond(set, f) | Mu::Box(set, f) => {
                let is_diamond = matches!(formula.node(id), Mu::Diamond(..));
                let below = self.holds(formula, f, values);
                let set = formula.actions(set);
                all.filter(|&state| {
                    let steps = self.steps[state].iter();
                    let mut steps = steps.filter(|(event, _)| set.contains(&self.processes.names[*event]));
                    if is_diamond {
                        steps.any(|(_, next)| below.contains(next))
                    } else {
                        steps.all(|(_, next)| below.contains(next))
                    }
                })
                .collect()
            }
            Mu::Var(variable) => values[variable.index()].clone(),
            Mu::Fix(extremum, variable, body) => {
                let start = if extremum == Extremum::Least { 0..0 } else { all };
                values[variable.index()] = start.collect();
                loop {
                    let next = self.holds(formula, body, values);
                    if next == values[variable.index()] {
                        return next;
                    }
                    values[variable.index()] = next;
                }
            }
        }
    }
}

impl Product<'_> {
    /// The number of pairs of a state and a subformula that the game leads to.
    fn game_size(&self, formula: &MuFormula) -> usize {
        let mut seen = BTreeSet::from([(0, formula.root())]);
        let mut open = vec![(0, formula.root())];
        while let Some((state, id)) = open.pop() {
            let next: Vec<(usize, MuId)> = match formula.node(id) {
                Mu::Diamond(set, f) | Mu::Box(set, f) => {
                    let steps = self.steps[state].iter();
                    let set = formula.actions(set);
                    let steps = steps.filter(|(event, _)| set.contains(&self.processes.names[*event]));
                    steps.map(|&(_, next)| (next, f)).collect()
                }
                Mu::Var(variable) => vec![(state, formula.body(variable))],
                Mu::Fix(_, variable, body) => {
                    let of = formula.nodes().find(|&(_, node)| node == Mu::Var(variable));
                    vec![(state, of.map_or(body, |(id, _)| id))]
                }
                node => node.children().map(|child| (state, child)).collect(),
            };
            open.extend(next.into_iter().filter(|&pair| seen.insert(pair)));
        }
        seen.len()
    }
}

fn random_case(rng: &mut Rng) -> MuFormula {
    let mut builder = MuBuilder::default();
    let size = 1 + rng.below(14);
    let root = random_formula(rng, size, &[], &mut builder);
    builder.finish(root)
}

/// The verdict of a session that a limit cuts off again and again, and that goes on from there.
fn by_turns(processes: &Processes, formula: &MuFormula, rng: &mut Rng) -> bool {
    let mut session = Session::new(processes);
    let mut progress = Progress::new(formula);
    for turn in 0.. {
        // limits are looked at every few thousand steps: what is spent before makes a turn shorter
        let mut budget = Budget::unlimited();
        budget.spend(rng.below(4096)).expect("no limit");
        let mut turn = budget.slice(1 << turn);
        match session.decide_on(formula, &mut progress, &mut turn) {
            Ok(verdict) => return verdict,
            Err(why) => assert_eq!(why, Exhausted::Time),
        }
    }
    unreachable!("turns get longer")
}

#[test]
fn diagrams_agree_with_the_semantics() {
    for seed in 0..cases(800) {
        let mut rng = Rng::new(seed);
        let processes = random_parts(&mut rng);
        let product = product(&processes);
        let mut session = Session::new(&processes);
        for _ in 0..4 {
            let formula = random_case(&mut rng);
            let mut values = vec![BTreeSet::new(); formula.variables()];
            let expected = product.holds(&formula, formula.root(), &mut values).contains(&0);
            // what was cut off before makes no difference
            let cut = session.decide(&formula, &mut Budget::new(None, Some(rng.below(60_000))));
            assert!(matches!(cut, Err(Exhausted::Memory)) || cut == Ok(expected), "seed {seed}: {formula}");
            let found = session.decide(&formula, &mut Budget::unlimited());
            assert_eq!(found, Ok(expected), "seed {seed}: {formula}");
            let found = by_turns(&processes, &formula, &mut rng);
            assert_eq!(found, expected, "seed {seed}: {formula}");
            let size = session.game_size(&formula, &mut Budget::unlimited()).expect("no limit");
            let expected = product.game_size(&formula) as f64;
            assert!((size - expected).abs() < 0.5, "seed {seed}: {formula}: {size}, not {expected}");
        }
        let counted = session.statistics().reachable;
        assert!(counted.is_none_or(|count| (count - product.states.len() as f64).abs() < 0.5));
    }
}

/// Token rings in a row: part i passes to part i + 1.
fn ring(count: u32) -> Processes {
    let events = (0..count).map(|process| {
        let next = (process + 1) % count;
        let mut locals = vec![(process, vec![(1, 2)]), (next, vec![(0, 1), (2, 1)])];
        locals.sort_unstable();
        Event { locals }
    });
    let mut initial = vec![0; count as usize];
    initial[0] = 1;
    Processes {
        system: Kronecker { sizes: vec![3; count as usize], initial, events: events.collect() },
        names: (0..count).map(|process| format!("pass{process}")).collect(),
        ..Processes::default()
    }
}

#[test]
fn limits_end_decisions_and_sessions_go_on() {
    let formula = loris_logic::mu::parse("nu X. (mu Y. <pass3>tt | <>Y) & []X").expect("well-formed");
    let mut session = Session::new(&ring(300));
    assert_eq!(session.decide(&formula, &mut Budget::steps(1000)), Err(Exhausted::Time));
    assert_eq!(session.decide(&formula, &mut Budget::new(None, Some(50_000))), Err(Exhausted::Memory));
    assert_eq!(session.decide(&formula, &mut Budget::unlimited()), Ok(true));
    assert!(session.statistics().peak_nodes > 300);
    let mut deep = Session::new(&ring(3001));
    assert_eq!(deep.decide(&formula, &mut Budget::unlimited()), Err(Exhausted::Memory));
}
