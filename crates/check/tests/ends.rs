//! `--dead-ends stop`: runs that end, against fixpoints from the definition on relations that are
//! not total.

#![allow(clippy::unwrap_used)]

mod common;

use common::{answers, ask, fair, try_answers};
use loris_base::Rng;
use loris_check::{Logic, Note, Options, Prepared, Question, UnknownAtoms};
use loris_evidence::{AtExit, Paths, Verdict, covers_initial, relates_formula, replay_formula};
use loris_logic::mu;
use loris_logic::{Fairness, Formula, FormulaId, Node, RandomCtl, RandomLtl, parse};
use loris_rsm::{DeadEnds, Rsm, Semantics, Vertex, read_rsm_json};
use loris_testing::cases;
use std::fmt::Write;

/// A random machine as text: some nodes lead nowhere. With calls, `main` calls `f`, which calls
/// nothing.
fn model(rng: &mut Rng, calls: bool) -> String {
    let mut components = Vec::new();
    for (name, prefix) in [("main", "m"), ("f", "f")].into_iter().take(1 + usize::from(calls)) {
        let count = 2 + rng.below(4);
        let exit = (name == "f" || rng.chance(0.5)).then_some(count - 1);
        let mut nodes = Vec::new();
        for node in 0..count {
            let labels: Vec<&str> =
                ["\"a\"", "\"b\"", "\"c\""].into_iter().filter(|_| rng.chance(0.5)).collect();
            nodes.push(format!(
                r#"{{"name": "{prefix}{node}", "is_entry": {}, "is_exit": {}, "labels": [{}]}}"#,
                node == 0 || name == "main" && node == 1 && count > 3,
                exit == Some(node),
                labels.join(", ")
            ));
        }
        let calls = calls && name == "main";
        let target = |rng: &mut Rng| match rng.below(count + usize::from(calls)) {
            node if node < count => format!(r#"{{"name": "{prefix}{node}"}}"#),
            _ => r#"{"box_name": "k", "node_name": "f0"}"#.to_owned(),
        };
        let mut edges = Vec::new();
        for node in (0..count).filter(|&node| exit != Some(node)) {
            let targets: Vec<String> = (0..rng.below(4)).map(|_| target(rng)).collect();
            let source = format!(r#"{{"name": "{prefix}{node}"}}"#);
            if !targets.is_empty() {
                edges.push((source, targets));
            }
        }
        let mut boxes = "";
        if calls {
            boxes = r#"{"name": "k", "component": "f"}"#;
            // what is returned to goes on
            let targets = (0..=rng.below(2)).map(|_| target(rng)).collect();
            edges.push((r#"{"box_name": "k", "node_name": "@exit"}"#.to_owned(), targets));
        }
        let edges = edges.into_iter().map(|(source, targets)| {
            format!(r#"{{"source": {source}, "targets": [{}]}}"#, targets.join(", "))
        });
        components.push(format!(
            r#"{{"name": "{name}", "nodes": [{}], "boxes": [{boxes}], "transitions": [{}]}}"#,
            nodes.join(", "),
            edges.collect::<Vec<_>>().join(", ")
        ));
        if name == "f" {
            let exit = format!("f{}", count - 1);
            components[0] = components[0].replace("@exit", &exit);
        }
    }
    format!(r#"{{"initial_component": "main", "components": [{}]}}"#, components.join(", "))
}

fn read(text: &str, dead_ends: DeadEnds) -> Rsm {
    let semantics = Semantics { dead_ends, ..Semantics::default() };
    read_rsm_json(text.as_bytes(), &semantics).unwrap_or_else(|problems| panic!("{text}: {problems:?}")).0
}

/// All states with their successors, by the semantics: a state is a stack of boxes and a node, or
/// the sink.
struct Unfolding<'m> {
    rsm: &'m Rsm,
    states: Vec<(Vec<usize>, Option<Vertex>)>,
    rows: Vec<Vec<usize>>,
    initial: usize,
}

impl<'m> Unfolding<'m> {
    fn new(rsm: &'m Rsm, at_exit: AtExit) -> Self {
        let states: Vec<_> = rsm.initial().iter().map(|&node| (Vec::new(), Some(node))).collect();
        let mut all = Self { rsm, initial: states.len(), states, rows: Vec::new() };
        while let Some((stack, node)) = all.states.get(all.rows.len()).cloned() {
            let mut next = Vec::new();
            match node {
                None => next.push((stack, None)),
                Some(node) => match (rsm.exit_index(node), stack.split_last()) {
                    (Some(_), None) if at_exit == AtExit::Loop => next.push((stack.clone(), Some(node))),
                    (Some(_), None) => next.push((Vec::new(), None)),
                    (Some(exit), Some((&site, below))) => {
                        let site = loris_base::Idx::new(site);
                        let port = rsm.return_port(site, exit);
                        for target in port.into_iter().flat_map(|port| rsm.successors(port)) {
                            next.push(landed(rsm, below, target));
                        }
                    }
                    (None, _) => {
                        next.extend(rsm.successors(node).map(|target| landed(rsm, &stack, target)));
                    }
                },
            }
            let row = next.into_iter().map(|state| {
                all.states.iter().position(|other| *other == state).unwrap_or_else(|| {
                    all.states.push(state);
                    all.states.len() - 1
                })
            });
            let row = row.collect();
            all.rows.push(row);
        }
        all
    }

    fn next(&self, set: &[bool]) -> Vec<bool> {
        self.rows.iter().map(|row| row.iter().any(|&next| set[next])).collect()
    }

    /// `E G`: the greatest set of states with a successor in it.
    fn always(&self, set: &[bool]) -> Vec<bool> {
        let mut found = set.to_vec();
        loop {
            let shrunk = both(&found, &self.next(&found));
            if shrunk == found {
                return found;
            }
            found = shrunk;
        }
    }

    /// `E [ U ]`: the least set.
    fn until(&self, first: &[bool], then: &[bool]) -> Vec<bool> {
        let mut found = then.to_vec();
        loop {
            let grown = either(then, &both(first, &self.next(&found)));
            if grown == found {
                return found;
            }
            found = grown;
        }
    }

    fn release(&self, first: &[bool], second: &[bool]) -> Vec<bool> {
        either(&self.until(second, &both(first, second)), &self.always(second))
    }

    fn some(&self, path: Node, of: &[Vec<bool>]) -> Vec<bool> {
        let anywhere = vec![true; self.states.len()];
        match path {
            Node::X(_) => self.next(&of[0]),
            Node::F(_) => self.until(&anywhere, &of[0]),
            Node::G(_) => self.always(&of[0]),
            Node::U(..) => self.until(&of[0], &of[1]),
            Node::W(..) => either(&self.until(&of[0], &of[1]), &self.always(&of[0])),
            Node::R(..) => self.release(&of[0], &of[1]),
            _ => panic!("not of CTL"),
        }
    }

    /// By the dual of each operator.
    fn all(&self, path: Node, of: &[Vec<bool>]) -> Vec<bool> {
        let anywhere = vec![true; self.states.len()];
        let of: Vec<Vec<bool>> = of.iter().map(|set| not(set)).collect();
        not(&match path {
            Node::X(_) => self.next(&of[0]),
            Node::F(_) => self.always(&of[0]),
            Node::G(_) => self.until(&anywhere, &of[0]),
            Node::U(..) => self.release(&of[0], &of[1]),
            Node::W(..) => self.until(&of[1], &both(&of[0], &of[1])),
            Node::R(..) => self.until(&of[0], &of[1]),
            _ => panic!("not of CTL"),
        })
    }

    fn holds(&self, formula: &Formula) -> bool {
        let mut sets: Vec<Vec<bool>> = Vec::new();
        for (_, node) in formula.nodes() {
            let of = |id: FormulaId| &sets[loris_base::Idx::index(id)];
            let set = match node {
                Node::True => vec![true; self.states.len()],
                Node::False => vec![false; self.states.len()],
                Node::Atom(atom) => {
                    let label = self.rsm.label(&formula.atoms()[atom]);
                    let has = |node: Vertex| self.rsm.labels_of(node).any(|other| Some(other) == label);
                    self.states.iter().map(|(_, node)| node.is_some_and(has)).collect()
                }
                Node::Not(a) => not(of(a)),
                Node::And(a, b) => both(of(a), of(b)),
                Node::Or(a, b) => either(of(a), of(b)),
                Node::Implies(a, b) => either(&not(of(a)), of(b)),
                Node::Iff(a, b) => of(a).iter().zip(of(b)).map(|(a, b)| a == b).collect(),
                Node::E(path) | Node::A(path) => {
                    let path = formula.node(path);
                    let operands: Vec<Vec<bool>> = path.children().map(|id| of(id).clone()).collect();
                    if matches!(node, Node::E(_)) {
                        self.some(path, &operands)
                    } else {
                        self.all(path, &operands)
                    }
                }
                // decided with its quantifier
                _ => Vec::new(),
            };
            sets.push(set);
        }
        sets[loris_base::Idx::index(formula.root())][..self.initial].iter().all(|&holds| holds)
    }
}

fn landed(rsm: &Rsm, stack: &[usize], target: Vertex) -> (Vec<usize>, Option<Vertex>) {
    let site = rsm.box_of(target).map(loris_base::Idx::index);
    (stack.iter().copied().chain(site).collect(), Some(rsm.node_of(target)))
}

fn not(set: &[bool]) -> Vec<bool> {
    set.iter().map(|holds| !holds).collect()
}

fn both(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a && *b).collect()
}

fn either(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a || *b).collect()
}

/// Constants among the atoms: where runs end, `E X true` says something.
fn with_constants(text: &str) -> String {
    text.replace('c', "true")
}

const ENGINES: [&str; 9] =
    ["auto", "fixpoint", "summary", "lazy", "eager", "ternary", "cont", "rks-eager", "pushdown"];

/// Asks all engines that take it; evidence replays and shows what it should.
fn check(rsm: &Rsm, text: &str, expected: bool, at_exit: AtExit, seed: u64) -> usize {
    let formula = parse(text).unwrap();
    let question = ask(Logic::Ctl, text, &formula);
    let prepared = Prepared::new(rsm);
    // the same fixpoints on the machine as it is
    let reading = mu::Reading { dead_ends: mu::DeadEnds::Stop, ..mu::Reading::default() };
    let fixpoints = Question::mu(Logic::Mu, text, mu::parse_with(text, &reading).unwrap());
    let fixpoints = fixpoints.with_unknown_atoms(UnknownAtoms::False);
    let options = Options { at_exit, jobs: 1, ..Options::default() };
    let answer = &answers(&prepared, &[fixpoints], &options)[0];
    assert_eq!(answer.verdict == Verdict::Holds, expected, "seed {seed}: {text} as fixpoints");
    let mut shown = 0;
    for engine in ENGINES {
        let engine = engine.parse().unwrap();
        let options = Options { engine, at_exit, evidence: true, jobs: 1, ..Options::default() };
        let Ok(answers) = try_answers(&prepared, std::slice::from_ref(&question), &options) else { continue };
        let answer = &answers[0];
        let holds = answer.verdict == Verdict::Holds;
        assert_eq!(holds, expected, "seed {seed}: {text} by {}", answer.engine);
        let Some(evidence) = answer.machine_paths() else { continue };
        shown += 1;
        let paths = Paths::of(rsm, at_exit, false);
        let first = &evidence.paths.iter().next().unwrap().shows;
        let mut json = String::new();
        evidence.write_json(rsm, &mut json).unwrap();
        let replayed = replay_formula(rsm, evidence, at_exit, paths, &mut loris_base::Budget::unlimited());
        assert!(replayed.is_ok(), "seed {seed}: {text}: {replayed:?} {json}");
        assert!(relates_formula(&formula, holds, first, paths), "seed {seed}: {text}: {first}");
        covers_initial(rsm, evidence, holds).unwrap();
        let read = loris_evidence::read_json(&json, rsm).unwrap();
        let again =
            replay_formula(rsm, &read[0].evidence, at_exit, paths, &mut loris_base::Budget::unlimited());
        assert!(again.is_ok(), "seed {seed}: {text}: {again:?} {json}");
    }
    shown
}

#[test]
fn ctl_on_relations_that_are_not_total() {
    let (mut ends, mut shown, mut held) = (0, 0, 0);
    for seed in 0..cases(1500) {
        let rng = &mut Rng::new(seed);
        let text = model(rng, rng.clone().chance(0.4));
        let rsm = read(&text, DeadEnds::Stop);
        let at_exit = if rng.chance(0.5) { AtExit::Loop } else { AtExit::Sink };
        let formula = RandomCtl::new(rng.below(4) as u32).generate(rng).to_string();
        let formula = if rng.chance(0.5) { with_constants(&formula) } else { formula };
        let expected = Unfolding::new(&rsm, at_exit).holds(&parse(&formula).unwrap());
        ends += usize::from(!rsm.stops().is_empty());
        held += usize::from(expected);
        shown += check(&rsm, &formula, expected, at_exit, seed);
    }
    let enough = cases::<usize>(1500) / 5;
    assert!(ends > enough && held > enough && shown > enough, "{ends} {held} {shown}");
}

#[test]
fn the_idiom_for_deadlocks() {
    let text = r#"{"initial_component": "main", "components": [{"name": "main", "nodes": [
        {"name": "s", "is_entry": true, "labels": ["a"]}, {"name": "t", "labels": ["b"]}, {"name": "u", "labels": ["c"]}],
        "boxes": [], "transitions": [{"source": {"name": "s"}, "targets": [{"name": "s"}, {"name": "t"}, {"name": "u"}]},
        {"source": {"name": "t"}, "targets": [{"name": "s"}]}]}]}"#;
    let rsm = read(text, DeadEnds::Stop);
    let expected = [
        ("A G E X true", false),
        ("E F A X false", true),
        ("A G (c -> A X false)", true),
        ("A G (!c -> E X true)", true),
        ("E X true", true),
        ("E G true", true),
        ("A F false", false),
        ("E F (c & A F false)", true),
        ("E F (c & A [c U false])", true),
        ("E F (c & A [b U false])", false),
        ("E F (c & A [a U b])", false),
        ("A F (b | c)", false),
        ("E F c", true),
        ("E X (c & !E X c)", true),
        ("A G (c -> !E G c)", true),
    ];
    for (formula, holds) in expected {
        check(&rsm, formula, holds, AtExit::Loop, 0);
        assert_eq!(Unfolding::new(&rsm, AtExit::Loop).holds(&parse(formula).unwrap()), holds, "{formula}");
    }
}

/// Only infinite runs count: as on the machine that loops, of runs that never get to a dead end.
#[test]
fn linear_time() {
    let (mut vacuous, mut failed) = (0, 0);
    for seed in 0..cases(800) {
        let rng = &mut Rng::new(seed);
        let mut text = model(rng, rng.clone().chance(0.5));
        let rsm = read(&text, DeadEnds::Stop);
        if rsm.stops().is_empty() {
            continue;
        }
        for &node in rsm.stops() {
            let name = rsm.vertex_name(node);
            let from = text.find(&format!("{{\"name\": \"{name}\", \"is_entry\"")).unwrap();
            let at = from + text[from..].find('[').unwrap() + 1;
            let comma = if text[at..].starts_with(']') { "" } else { ", " };
            text.insert_str(at, &format!("\"end\"{comma}"));
        }
        let looped = read(&text, DeadEnds::Loop);
        let formula = RandomLtl::new(rng.below(4) as u32).generate(rng);
        let on_looped = format!("(G !end) -> ({formula})");
        let asked = |rsm: &Rsm, text: &str, evidence: bool| {
            let formula = parse(text).unwrap();
            let question = ask(Logic::Ltl, text, &formula);
            let options = Options { evidence, jobs: 1, ..Options::default() };
            let mut answers = answers(&Prepared::new(rsm), &[question], &options);
            answers.remove(0)
        };
        let ask = |rsm: &Rsm, text: &str| asked(rsm, text, true);
        let (stop, total) = (ask(&rsm, &formula.to_string()), ask(&looped, &on_looped));
        assert_eq!(stop.verdict, total.verdict, "seed {seed}: {formula}\n{text}");
        let plain = asked(&rsm, &formula.to_string(), false);
        assert_eq!(
            (&plain.verdict, &plain.note),
            (&stop.verdict, &stop.note),
            "seed {seed}: {formula}\n{text}"
        );
        let is_vacuous = matches!(stop.note, Some(Note::NoInfiniteRun(_)));
        vacuous += usize::from(is_vacuous);
        let never = ask(&looped, "!(G !end)").verdict == Verdict::Holds;
        assert_eq!(is_vacuous, never && stop.verdict == Verdict::Holds, "seed {seed}: {formula}\n{text}");
        if let Some(evidence) = stop.machine_paths() {
            failed += 1;
            let budget = &mut loris_base::Budget::unlimited();
            let shows = &evidence.paths.iter().next().unwrap().shows;
            replay_formula(&rsm, evidence, AtExit::Loop, Paths::Infinite, budget).unwrap();
            assert!(
                relates_formula(&formula, false, shows, Paths::Infinite),
                "seed {seed}: {formula}: {shows}"
            );
        }
    }
    let enough = cases::<usize>(800) / 20;
    assert!(vacuous > enough && failed > enough, "{vacuous} {failed}");
}

/// Fair runs are infinite: states that have none are not seen, as if they were not there.
#[test]
fn fair_runs_never_end() {
    let mut asked = 0;
    for seed in 0..cases(800) {
        let rng = &mut Rng::new(seed);
        let text = model(rng, false);
        let rsm = read(&text, DeadEnds::Stop);
        let unfolding = Unfolding::new(&rsm, AtExit::Loop);
        let lasts = unfolding.always(&vec![true; unfolding.states.len()]);
        if rsm.stops().is_empty() || !lasts[..unfolding.initial].iter().all(|&lasts| lasts) {
            continue;
        }
        // edges to states without an infinite run are left out
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut pruned = value.clone();
        let is_kept = |reference: &serde_json::Value| {
            let name = reference["name"].as_str().unwrap();
            let mut states = unfolding.states.iter().zip(&lasts);
            states.any(|((_, node), &lasts)| lasts && node.is_some_and(|node| rsm.vertex_name(node) == name))
        };
        let transitions = pruned["components"][0]["transitions"].as_array_mut().unwrap();
        transitions.retain(|transition| is_kept(&transition["source"]));
        for transition in transitions.iter_mut() {
            transition["targets"].as_array_mut().unwrap().retain(is_kept);
        }
        let pruned = read(&pruned.to_string(), DeadEnds::Loop);
        let fairness = Fairness { justice: vec!["a".to_owned()], compassion: Vec::new() };
        let formula = RandomCtl::new(rng.below(4) as u32).generate(rng);
        let ask = |rsm: &Rsm, engine: &str, replayed: bool| {
            let text = formula.to_string();
            let question = fair(Logic::Ctl, &text, &formula, &fairness);
            let options =
                Options { engine: engine.parse().unwrap(), evidence: true, jobs: 1, ..Options::default() };
            let mut answers = answers(&Prepared::new(rsm), &[question], &options);
            let answer = answers.remove(0);
            if let (Some(evidence), true) = (answer.machine_paths(), replayed) {
                let shows = &evidence.paths.iter().next().unwrap().shows;
                let budget = &mut loris_base::Budget::unlimited();
                let replayed = replay_formula(rsm, evidence, AtExit::Loop, Paths::Fair, budget);
                assert!(replayed.is_ok(), "seed {seed}: {formula}: {shows}: {replayed:?}");
                let said = fairness.of_states(&formula);
                let holds = answer.verdict == Verdict::Holds;
                assert!(relates_formula(&said, holds, shows, Paths::Fair), "seed {seed}: {formula}: {shows}");
            }
            (answer.verdict, answer.note)
        };
        let expected = ask(&pruned, "fixpoint", false);
        assert_eq!(ask(&rsm, "fixpoint", true), expected, "seed {seed}: {formula}\n{text}");
        assert_eq!(ask(&rsm, "summary", true), expected, "seed {seed}: {formula}\n{text}");
        asked += 1;
    }
    assert!(asked > cases(800) / 20, "{asked}");
}

#[test]
fn what_is_not_decided_is_refused() {
    let mut text = String::new();
    _ = write!(
        text,
        r#"{{"initial_component": "main", "components": [{{"name": "main", "nodes": [{{"name": "s", "is_entry": true}}],
        "boxes": [{{"name": "k", "component": "f", "return_nodes": ["x"]}}],
        "transitions": [{{"source": {{"name": "s"}}, "targets": [{{"box_name": "k", "node_name": "e"}}]}}]}},
        {{"name": "f", "nodes": [{{"name": "e", "is_entry": true}}, {{"name": "x", "is_exit": true}}], "boxes": [],
        "transitions": [{{"source": {{"name": "e"}}, "targets": [{{"name": "x"}}]}}]}}]}}"#
    );
    let rsm = read(&text, DeadEnds::Stop);
    let why = |logic: Logic, text: &str, engine: &str| {
        let formula = parse(text).unwrap();
        let question = ask(logic, text, &formula);
        let options = Options { engine: engine.parse().unwrap(), ..Options::default() };
        try_answers(&Prepared::new(&rsm), &[question], &options)
            .map_or_else(|why| why.to_string(), |_| String::new())
    };
    assert!(why(Logic::Ctl, "A G E X true", "auto").contains("the return port (\"k\", \"x\")"));
    assert!(why(Logic::Star, "A G F a", "auto").contains("runs that end at dead ends are not for ctl*"));
    assert!(why(Logic::Ltl, "G F a", "summary").contains("engine buchi takes the rest"));
    assert_eq!(why(Logic::Ltl, "G F a", "auto"), "");
}

/// The least memory with which a property is decided.
fn least_memory(rsm: &Rsm, text: &str) -> usize {
    let formula = parse(text).unwrap();
    let question = ask(Logic::Ctl, text, &formula);
    let prepared = Prepared::new(rsm);
    let decides = |memory| {
        let options = Options { memory: Some(memory), jobs: 1, ..Options::default() };
        let answers = answers(&prepared, std::slice::from_ref(&question), &options);
        let verdict = &answers[0].verdict;
        let memory = Some(loris_base::Exhausted::Memory);
        assert!(*verdict == Verdict::Holds || verdict.limit() == memory);
        *verdict == Verdict::Holds
    };
    let (mut less, mut enough) = (0, 1 << 24);
    assert!(decides(enough) && !decides(less));
    while less + 1 < enough {
        let middle = less.midpoint(enough);
        *(if decides(middle) { &mut enough } else { &mut less }) = middle;
    }
    enough
}

#[test]
fn the_machine_with_loops_counts() {
    let nodes: Vec<String> = (0..2000).map(|i| format!(r#"{{"name": "n{i}", "labels": ["a"]}}"#)).collect();
    let edges: Vec<String> = (0..2000)
        .map(|i| {
            let source = if i == 0 { "s".to_owned() } else { format!("n{}", i - 1) };
            format!(r#"{{"source": {{"name": "{source}"}}, "targets": [{{"name": "n{i}"}}]}}"#)
        })
        .collect();
    let text = format!(
        r#"{{"initial_component": "main", "components": [{{"name": "main", "nodes": [{{"name": "s", "is_entry": true}},
        {}], "boxes": [], "transitions": [{}]}}]}}"#,
        nodes.join(", "),
        edges.join(", ")
    );
    let [stop, total] = [DeadEnds::Stop, DeadEnds::Loop].map(|dead_ends| {
        let rsm = read(&text, dead_ends);
        (least_memory(&rsm, "E F a"), rsm.bytes())
    });
    assert!(stop.0 >= total.0 + stop.1, "{stop:?} {total:?}");
}
