//! Claims that no path can show, as far as exploring states decides them, against an oracle:
//! fixpoints from the definition, and products with the automata of `loris-logic`.

mod machine;

use loris_base::{Budget, IndexVec, Rng};
use loris_evidence::{AtExit, Evidence, Path, State, replay};
use loris_logic::automaton::translate;
use loris_logic::{Formula, FormulaBuilder, FormulaId, Node, ltl, parse};
use loris_rsm::Rsm;
use machine::machine;
use machine::oracle::{carries, random_path, successors};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A random machine with few states: `main` may call `f`, which calls nothing.
fn small_machine(rng: &mut Rng) -> Rsm {
    let mut text = String::new();
    for component in ["main", "f"] {
        _ = writeln!(text, "component {component}");
        for node in ["entry e", "node m", "node n", "exit x"] {
            text += node;
            for label in ["a", "b", "c"] {
                text += if rng.chance(0.4) { " " } else { continue };
                text += label;
            }
            text += "\n";
        }
        let is_main = component == "main";
        text += if is_main { "box r f\n" } else { "" };
        for source in ["e", "m", "n", "r.x"].into_iter().take(if is_main { 4 } else { 3 }) {
            for _ in 0..=rng.below(3) {
                let target = ["e", "m", "n", "x", "r.e"][rng.below(if is_main { 5 } else { 4 })];
                _ = writeln!(text, "{source} -> {target}");
            }
        }
    }
    machine(&text)
}

/// A random path formula in which quantified formulas stand for some atoms.
fn nested(rng: &mut Rng, depth: usize) -> String {
    let mut build = FormulaBuilder::default();
    let size = rng.below(4);
    let root = random_path(rng, &mut build, &["a", "b", "c", "d"], size);
    let text = build.finish(root).to_string();
    if depth == 0 {
        return text.replace('d', "a");
    }
    let quantifier = ["E", "A"][rng.below(2)];
    let inner = format!("({quantifier} ({}))", nested(rng, depth - 1));
    text.replace('d', &inner)
}

/// All states, and their steps.
struct Unfolding<'m> {
    rsm: &'m Rsm,
    states: Vec<State>,
    rows: Vec<Vec<usize>>,
}

impl<'m> Unfolding<'m> {
    fn new(rsm: &'m Rsm) -> Self {
        let mut unfolding = Self {
            rsm,
            states: vec![State { stack: Vec::new(), node: Some(rsm.initial()[0]) }],
            rows: Vec::new(),
        };
        while let Some(state) = unfolding.states.get(unfolding.rows.len()).cloned() {
            let row = successors(rsm, &state).into_iter().map(|next| {
                let known = unfolding.states.iter().position(|state| *state == next);
                known.unwrap_or_else(|| {
                    unfolding.states.push(next);
                    unfolding.states.len() - 1
                })
            });
            let row = row.collect();
            unfolding.rows.push(row);
        }
        unfolding
    }

    /// Where a state formula holds.
    fn holds(
        &self,
        formula: &Formula,
        id: FormulaId,
        known: &mut FxHashMap<FormulaId, Vec<bool>>,
    ) -> Vec<bool> {
        if let Some(known) = known.get(&id) {
            return known.clone();
        }
        let states = 0..self.states.len();
        let found: Vec<bool> = match formula.node(id) {
            Node::True => states.map(|_| true).collect(),
            Node::False => states.map(|_| false).collect(),
            Node::Atom(atom) => {
                states.map(|state| carries(self.rsm, &self.states[state], &formula.atoms()[atom])).collect()
            }
            Node::Not(a) => self.holds(formula, a, known).into_iter().map(|holds| !holds).collect(),
            Node::And(a, b) | Node::Or(a, b) | Node::Implies(a, b) | Node::Iff(a, b) => {
                let pairs = self.holds(formula, a, known).into_iter().zip(self.holds(formula, b, known));
                let holds = |(a, b)| match formula.node(id) {
                    Node::And(..) => a && b,
                    Node::Or(..) => a || b,
                    Node::Implies(..) => !a || b,
                    _ => a == b,
                };
                pairs.map(holds).collect()
            }
            Node::E(path) => self.exists(formula, path, false, known),
            Node::A(path) => self.exists(formula, path, true, known).into_iter().map(|some| !some).collect(),
            other => panic!("{other:?} is not a state formula"),
        };
        known.insert(id, found.clone());
        found
    }

    /// Where some path satisfies a path formula, or its negation.
    fn exists(
        &self,
        formula: &Formula,
        path: FormulaId,
        negated: bool,
        known: &mut FxHashMap<FormulaId, Vec<bool>>,
    ) -> Vec<bool> {
        // quantified formulas become atoms, named by their ids
        let mut build = FormulaBuilder::default();
        let mut atoms: FxHashMap<String, Vec<bool>> = FxHashMap::default();
        let root = self.linear(formula, path, &mut build, &mut atoms, known);
        let root = if negated { build.add(Node::Not(root)) } else { root };
        let (ltl, names) = ltl(&build.finish(root)).expect("LTL");
        let buchi = translate(&ltl, &mut Budget::unlimited()).expect("no limit");
        let letter = |state: usize, atom: u32| atoms[&names[atom as usize]][state];
        let steps = |&(state, at): &(usize, u32)| {
            let edges =
                buchi.edges(at).iter().filter(|edge| edge.guard.holds(&mut |atom| letter(state, atom)));
            let targets: Vec<u32> = edges.map(|edge| edge.to).collect();
            let rows = &self.rows[state];
            rows.iter().flat_map(|&next| targets.iter().map(move |&to| (next, to))).collect::<Vec<_>>()
        };
        let reach = |start: Vec<(usize, u32)>| {
            let mut seen: Vec<(usize, u32)> = Vec::new();
            let mut work = start;
            while let Some(place) = work.pop() {
                if !seen.contains(&place) {
                    work.extend(steps(&place));
                    seen.push(place);
                }
            }
            seen
        };
        let accepts = |state: usize| {
            let starts = buchi.initial().iter().map(|&at| (state, at)).collect();
            let mut reached = reach(starts).into_iter().filter(|&(_, at)| buchi.is_accepting(at));
            reached.any(|place| reach(steps(&place)).contains(&place))
        };
        (0..self.states.len()).map(accepts).collect()
    }

    fn linear(
        &self,
        formula: &Formula,
        id: FormulaId,
        build: &mut FormulaBuilder,
        atoms: &mut FxHashMap<String, Vec<bool>>,
        known: &mut FxHashMap<FormulaId, Vec<bool>>,
    ) -> FormulaId {
        let mut of = |id| self.linear(formula, id, build, atoms, known);
        let node = match formula.node(id) {
            Node::True => Node::True,
            Node::False => Node::False,
            Node::Atom(_) | Node::E(_) | Node::A(_) => {
                let holds = self.holds(formula, id, known);
                let name = format!("s{id:?}");
                atoms.insert(name.clone(), holds);
                return build.atom(&name);
            }
            Node::Not(a) => Node::Not(of(a)),
            Node::And(a, b) => Node::And(of(a), of(b)),
            Node::Or(a, b) => Node::Or(of(a), of(b)),
            Node::Implies(a, b) => Node::Implies(of(a), of(b)),
            Node::Iff(a, b) => Node::Iff(of(a), of(b)),
            Node::X(a) => Node::X(of(a)),
            Node::F(a) => Node::F(of(a)),
            Node::G(a) => Node::G(of(a)),
            Node::U(a, b) => Node::U(of(a), of(b)),
            Node::W(a, b) => Node::W(of(a), of(b)),
            Node::R(a, b) => Node::R(of(a), of(b)),
        };
        build.add(node)
    }
}

fn alone(shows: String, state: State) -> Evidence {
    let mut paths = IndexVec::new();
    paths.push(Path { shows, states: vec![state], repeats: None, because: Vec::new() });
    Evidence { paths, also: Vec::new() }
}

#[test]
fn few_states_decide_everything() {
    let (mut taken, mut refused) = (0, 0);
    for seed in 0..4000 {
        let rng = &mut Rng::new(seed);
        let rsm = small_machine(rng);
        let unfolding = Unfolding::new(&rsm);
        let depth = rng.below(3);
        let path = nested(rng, depth);
        let shows = format!("A ({path})");
        let formula = parse(&shows).expect("well-formed");
        let expected = unfolding.holds(&formula, formula.root(), &mut FxHashMap::default())[0];
        let found = replay(&rsm, &alone(shows.clone(), unfolding.states[0].clone()), AtExit::Loop);
        // claims that have to be shown are not, whether they are true or not
        match &found {
            Ok(report) => {
                assert!(expected, "seed {seed}: {shows}");
                assert_eq!(report.trusted, 0, "seed {seed}: {shows}");
                taken += 1;
            }
            Err(error) if error.message.contains("there is `") => {
                assert!(!expected, "seed {seed}: {shows}: {found:?}");
                refused += 1;
            }
            Err(_) => {}
        }
    }
    assert!(taken > 500 && refused > 500, "{taken} {refused}");
}

#[test]
fn limits_hold_while_states_are_explored() {
    // a counter of twelve bits
    let mut text = String::from("component main\n entry s\n");
    let states: usize = 1 << 12;
    for state in 0..states {
        _ = writeln!(text, "node n{state}");
    }
    text += "s -> n0";
    for state in 0..states {
        _ = write!(text, " | n{state} -> n{}", (state + 1) % states);
    }
    let rsm = machine(&text);
    let start = State { stack: Vec::new(), node: Some(rsm.initial()[0]) };
    let claim = alone("!E F p".to_owned(), start);
    let spent = |mut budget: Budget| {
        let found = loris_evidence::replay_within(&rsm, &claim, AtExit::Loop, &mut budget);
        (found.is_ok(), budget.spent())
    };
    let (ok, all) = spent(Budget::unlimited());
    assert!(ok && all > 8000, "{all}");
    assert!(!spent(Budget::steps(all / 2)).0);
    assert!(!spent(Budget::new(None, Some(states * 20))).0);
}
