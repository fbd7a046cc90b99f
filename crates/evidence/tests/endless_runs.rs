//! Endless runs: path formulas against an oracle that unrolls, evidence that was tampered with,
//! growing loops, runs for automata and paths to targets.

mod machine;

use loris_base::{IndexVec, Rng};
use loris_evidence::{
    AUTOMATON, AtExit, Claim, Evidence, Loop, Path, Reach, Start, State, Target, read_json, relates,
    relates_formula, replay, replay_reach, replay_run,
};
use loris_logic::{Core, Formula, FormulaBuilder, Node, parse};
use loris_rsm::Rsm;
use machine::oracle::{any_node, carries, evaluate, path_id, random_machine, random_path, successors};
use machine::{CALLS, check_at, evidence, machine, refuses, state, takes};
use std::fmt::Write;

const ATOMS: [&str; 3] = ["a", "b", "c"];

/// `E ρ` for a random ρ, and ρ.
fn claim(rng: &mut Rng, size: usize) -> (Formula, Formula) {
    let mut build = FormulaBuilder::default();
    let path = random_path(rng, &mut build, &ATOMS, size);
    let along = build.clone().finish(path);
    let exists = build.add(Node::E(path));
    (build.finish(exists), along)
}

fn alone(shows: String, states: Vec<State>, repeats: Option<Loop>) -> Evidence {
    let mut paths = IndexVec::new();
    paths.push(Path { shows, states, repeats, because: Vec::new() });
    Evidence { paths, also: Vec::new() }
}

/// Whether a path formula holds on the labels of states `0..len`, the last followed by `back`.
fn holds(rsm: &Rsm, along: &Formula, states: &[State], word: (usize, usize)) -> bool {
    let leaf = |id, at: usize| match along.node(id) {
        Node::Atom(atom) => Some(carries(rsm, &states[at], &along.atoms()[atom])),
        _ => unreachable!("there are no quantifiers"),
    };
    evaluate(along, along.root(), word, 0, &leaf) == Some(true)
}

/// Whether states are a run with a loop, by the letter.
fn is_lasso(rsm: &Rsm, states: &[State], Loop { from, to }: Loop) -> bool {
    let start = states.first().is_some_and(|state| {
        state.stack.is_empty() && state.node.is_some_and(|node| rsm.initial().contains(&node))
    });
    let steps = |states: &[State]| states.windows(2).all(|pair| successors(rsm, &pair[0]).contains(&pair[1]));
    if !start || from >= to || to + 1 != states.len() || !steps(states) {
        return false;
    }
    let (first, last) = (&states[from], &states[to]);
    if first.node != last.node || !last.stack.starts_with(&first.stack) {
        return false;
    }
    let height = first.stack.len();
    let round = &states[from..to];
    if round.iter().any(|state| state.stack.len() < height) {
        return false;
    }
    if first.stack == last.stack {
        return true;
    }
    let leaves = |state: &State| {
        state.stack.len() == height && state.node.is_some_and(|node| rsm.exit_index(node).is_some())
    };
    // the replay wants it so, though the run may be able to go on even then
    let other = first.stack.last() != last.stack.last() && round.iter().any(leaves);
    if other {
        return false;
    }
    // another five rounds, taken literally, each with what the last left in place of the stack
    // below
    let mut more = states.to_vec();
    for _ in 0..5 {
        let top = more[more.len() - 1].stack.clone();
        // the frame it starts in may be left for another, if it has the same box in every round
        let changes = usize::from(height > 0 && first.stack.last() == last.stack.last());
        for state in &states[from + 1..=to] {
            let kept = &top[..top.len() - changes];
            let stack = kept.iter().chain(&state.stack[height - changes..]).copied().collect();
            more.push(State { stack, node: state.node });
        }
    }
    assert!(steps(&more), "a round cannot be run again: {states:?} from {from}");
    true
}

/// A random run with a loop, if one is met.
fn lasso(rsm: &Rsm, rng: &mut Rng) -> Option<(Vec<State>, Loop)> {
    let mut states = vec![State { stack: Vec::new(), node: Some(rsm.initial()[0]) }];
    for _ in 0..30 {
        let next = successors(rsm, states.last()?);
        states.push(next[rng.below(next.len())].clone());
        let to = states.len() - 1;
        let closes: Vec<usize> = (0..to).filter(|&from| is_lasso(rsm, &states, Loop { from, to })).collect();
        if !closes.is_empty() && rng.chance(0.4) {
            return Some((states, Loop { from: closes[rng.below(closes.len())], to }));
        }
    }
    None
}

#[test]
fn runs_of_random_machines() {
    let (mut grew, mut held, mut ended) = (0, 0, 0);
    for seed in 0..3000 {
        let rng = &mut Rng::new(seed);
        let rsm = random_machine(rng);
        let Some((states, repeats)) = lasso(&rsm, rng) else { continue };
        grew += usize::from(states[repeats.to].stack.len() > states[repeats.from].stack.len());
        let size = rng.below(9);
        let (claim, along) = claim(rng, size);
        let expected = holds(&rsm, &along, &states, (repeats.to, repeats.from));
        held += usize::from(expected);
        let found = replay(&rsm, &alone(claim.to_string(), states.clone(), Some(repeats)), AtExit::Loop);
        assert_eq!(found.is_ok(), expected, "seed {seed}: {claim}, {found:?}");
        let negated = format!("E (!({along}))");
        let found = replay(&rsm, &alone(negated.clone(), states.clone(), Some(repeats)), AtExit::Loop);
        assert_eq!(found.is_ok(), !expected, "seed {seed}: {negated}, {found:?}");
        if let Ok(report) = found {
            assert_eq!((report.claims, report.trusted), (1, 0));
        }
        // a run that stays in the last exit needs no loop
        if states[repeats.to].stack.is_empty() && states[repeats.to - 1] == states[repeats.to] {
            ended += 1;
            let short = states[..repeats.to].to_vec();
            let word = (short.len(), short.len() - 1);
            let expected = holds(&rsm, &along, &short, word);
            // operators of CTL have paths of their own shape
            let shows = format!("E ({along} & (G F true | X X a | b U X c))");
            let found = replay(&rsm, &alone(shows.clone(), short.clone(), None), AtExit::Loop);
            assert!(expected || found.is_err(), "seed {seed}: {shows}, {found:?}");
            assert!(replay(&rsm, &alone(shows, short, None), AtExit::Stop).is_err());
        }
    }
    assert!(grew > 100 && held > 500 && ended > 100, "{grew} {held} {ended}");
}

#[test]
fn tampered_evidence() {
    let (mut refused, mut taken) = (0, 0);
    for seed in 0..6000 {
        let rng = &mut Rng::new(seed);
        let rsm = random_machine(rng);
        let Some((mut states, mut repeats)) = lasso(&rsm, rng) else { continue };
        let size = 1 + rng.below(6);
        let (claim, along) = claim(rng, size);
        if !holds(&rsm, &along, &states, (repeats.to, repeats.from)) {
            continue;
        }
        let i = rng.below(states.len());
        match rng.below(4) {
            0 => states[i].node = Some(any_node(&rsm, rng)),
            1 => {
                states.remove(i);
                repeats.to -= 1;
                repeats.from -= usize::from(repeats.from > i);
            }
            2 => repeats.from = i,
            _ => {
                // the loop starts a state later, and closes there
                let next = successors(&rsm, &states[repeats.to]);
                states.push(next[rng.below(next.len())].clone());
                repeats = Loop { from: repeats.from + 1, to: repeats.to + 1 };
            }
        }
        let expected =
            is_lasso(&rsm, &states, repeats) && holds(&rsm, &along, &states, (repeats.to, repeats.from));
        let found = replay(&rsm, &alone(claim.to_string(), states.clone(), Some(repeats)), AtExit::Loop);
        assert_eq!(found.is_ok(), expected, "seed {seed}: {claim}, {states:?} {repeats:?} {found:?}");
        *(if expected { &mut taken } else { &mut refused }) += 1;
    }
    assert!(refused > 500 && taken > 100, "{refused} {taken}");
}

/// The labels of a word from `0` to the letter before `back`, and round again, as a machine.
fn chain(labels: &[Vec<&str>], back: usize) -> (Rsm, Vec<State>, Loop) {
    let mut text = String::from("component main\n");
    for (i, labels) in labels.iter().enumerate() {
        _ = writeln!(text, "{} n{i} {}", if i == 0 { "entry" } else { "node" }, labels.join(" "));
    }
    for i in 0..labels.len() {
        _ = writeln!(text, "n{i} -> n{}", if i + 1 == labels.len() { back } else { i + 1 });
    }
    let rsm = machine(&text);
    let mut states: Vec<State> = (0..labels.len()).map(|i| state(&rsm, &format!("n{i}"))).collect();
    states.push(states[back].clone());
    (rsm, states, Loop { from: back, to: labels.len() })
}

/// Nested claims `E X p` on a word, of which a random part is shown. The others are false, or true
/// but not shown, and then neither they nor their absence counts for anything.
#[test]
fn claims_along_a_run() {
    let (mut taken, mut decided, mut refused) = (0, 0, 0);
    for seed in 0..4000 {
        let rng = &mut Rng::new(seed);
        let len = 1 + rng.below(5);
        let back = rng.below(len);
        let labels: Vec<Vec<&str>> =
            (0..len).map(|_| ATOMS.into_iter().filter(|_| rng.chance(0.5)).collect()).collect();
        let (rsm, states, repeats) = chain(&labels, back);
        let next = |i: usize| if i + 1 == len { back } else { i + 1 };
        let mut build = FormulaBuilder::default();
        let size = 1 + rng.below(6);
        let path = random_path(rng, &mut build, &["a", "EXa", "EXb"], size);
        let along = build.finish(path);
        let is_shown: Vec<[bool; 2]> = (0..len)
            .map(|i| ["a", "b"].map(|label| labels[next(i)].contains(&label) && rng.chance(0.6)))
            .collect();
        let value = |unshown: &dyn Fn(usize, usize) -> Option<bool>| {
            let leaf = |id, at: usize| match along.node(id) {
                Node::Atom(atom) => match &along.atoms()[atom] {
                    "EXa" if is_shown[at][0] => Some(true),
                    "EXb" if is_shown[at][1] => Some(true),
                    "EXa" => unshown(at, 0),
                    "EXb" => unshown(at, 1),
                    label => Some(labels[at].contains(&label)),
                },
                _ => unreachable!("there are no quantifiers"),
            };
            evaluate(&along, along.root(), (len, back), 0, &leaf)
        };
        let mut shows = alone(String::new(), states.clone(), Some(repeats));
        for (i, shown) in is_shown.iter().enumerate() {
            for label in
                ["a", "b"].into_iter().zip(shown).filter_map(|(label, &shown)| shown.then_some(label))
            {
                let states = vec![states[i].clone(), states[next(i)].clone()];
                let shows_next = format!("E X {label}");
                let path =
                    shows.paths.push(Path { shows: shows_next, states, repeats: None, because: vec![] });
                shows.paths[path_id(0)].because.push(Claim { state: i, evidence: path });
            }
        }
        let text = format!("E ({along})").replace("EXa", "(E X a)").replace("EXb", "(E X b)");
        shows.paths[path_id(0)].shows.clone_from(&text);
        let found = replay(&rsm, &shows, AtExit::Loop);
        let is_true = |at: usize, claim: usize| labels[next(at)].contains(&["a", "b"][claim]);
        let known = |at, claim| if is_true(at, claim) { None } else { Some(false) };
        // formulas such as `x -> x` are seen through
        let holds = value(&|at, claim| Some(is_true(at, claim))) == Some(true);
        match found {
            Ok(report) => {
                assert!(holds && report.trusted == 0, "seed {seed}: {text} {report:?}");
                taken += 1;
                decided += usize::from(report.decided > 0);
            }
            Err(error) => {
                assert_ne!(value(&known), Some(true), "seed {seed}: {text} {error}");
                refused += 1;
            }
        }
    }
    assert!(taken > 500 && decided > 200 && refused > 500, "{taken} {decided} {refused}");
}

#[test]
fn runs_that_show_it() {
    takes("E F q : s t t loop 1 2", "2 1 0");
    takes("E X q : s t t loop 1 2", "2 1 0");
    takes("E F G q : s t t loop 1 2", "2 1 0");
    takes("!A G F !q : s t t loop 1 2", "2 1 0");
    takes("E (p & X q & G (p | q)) : s t t loop 1 2", "2 1 0");
    takes("E (G F r & G F q | G F p) : s b.e b.c.e loop 1 2", "2 1 0");
    takes("E [ p W q ] : s t t loop 1 2", "2 1 0");
    takes("E [ q R (p | q) ] : s b.e b.c.e loop 1 2", "2 1 0");
    takes("E p : s t t loop 1 2", "2 1 0");
    takes("E p : s", "0 0 0");
    // where runs can only stay
    takes("E F G q : s t x", "2 1 0");
    takes("E G (p | q) : s t x", "2 1 0");
    check_at(AtExit::Sink, "E F (q & X G (!p & !q)) : s t x", Ok("2 1 0"));
    check_at(AtExit::Sink, "E F (q & X G (!p & !q)) : s t x (sink)", Ok("3 1 0"));
    check_at(AtExit::Sink, "E F G (!p & !q) : s t x (sink) (sink) loop 3 4", Ok("4 1 0"));
    check_at(AtExit::Stop, "E F G q : s t t loop 1 2", Ok("2 1 0"));
    check_at(AtExit::Stop, "E p : s t t loop 1 2", Ok("2 1 0"));
    takes("A G F q | E F G q : s\n  @0 E F G q : s t t loop 1 2", "2 1 0");
}

#[test]
fn runs_that_do_not() {
    refuses("E G F p : s t t loop 1 2", "state 1: `F p` does not hold from here on");
    refuses("E G (p | X p) : s t t loop 1 2", "state 1: `p | X p` does not hold from here on");
    refuses("E X X !q : s t t loop 1 2", "state 1: `!q` does not hold here");
    refuses("E (F q & G p) : s t t loop 1 2", "state 1: `p` does not hold here");
    refuses("E F G q : s t", "state 1: this is shown by a loop, and there is none");
    refuses("E F G q : s t t", "and there is none");
    refuses("E F G q : s b.e b.m b.f", "and there is none");
    refuses("A F q : s t t loop 1 2", "a loop shows formulas that start with E only");
    refuses("E F G q : s t x loop 1 2", "does not close");
    check_at(AtExit::Sink, "E F G q : s t x", Err("`F G q` does not hold from here on"));
    for text in ["E F q : s t", "E X q : s t", "E p : s", "E F G q : s t x"] {
        check_at(AtExit::Stop, text, Err("and there is none"));
    }
    check_at(AtExit::Stop, "E F G q : s t x x loop 2 3", Err("state 2: no step"));
}

#[test]
fn claims_in_runs() {
    takes("E G F E X q : s t t loop 1 2\n  @1 E X q : t x", "3 2 0");
    takes("E F G !E X p : s t t loop 1 2", "2 1 0");
    takes("E X G !E X p : s t t loop 1 2", "2 1 0");
    takes("E (F G !E X p | G (p | q)) : s t t loop 1 2", "2 1 0");
    takes("E (G F A X q & F q) : s t t loop 1 2", "2 1 0");
    refuses("E F G !E X q : s t t loop 1 2", "`F G !E X q` does not hold from here on");
    refuses(
        "E G F E X q : s t t loop 1 2",
        "state 0: `F E X q` is not shown from here on: nothing shows `E X q` in state 0, for one",
    );
    refuses("E (G p | X E X q) : s t t loop 1 2", "nothing shows `E X q` in state 1, for one");
    refuses("E X (p | E X q) : s t t loop 1 2", "state 1: `p | E X q` is not shown here");
    refuses("E (F q & X !E X q) : s t t loop 1 2\n  @1 E X q : t x", "does not hold here: there is `E X q`");
    // weak until is two claims at once here, and may be shown as one
    takes("E (G q | X E [ q W r ]) : s t t loop 1 2\n  @1 E [ q W r ] : t t loop 0 1", "3 2 0");
    takes("E X E F G q : s t\n  @1 E F G q : t t loop 0 1", "2 2 0");
    // what looks below the stack of a growing loop is shown for one stack only
    let inside = "E (F r | G F E F r) : s b.e b.c.e loop 1 2\n  @1 E F r : b.e b.m b.f";
    takes(inside, "4 2 0");
    let below = "E (F q | G F E F q) : s b.e b.c.e loop 1 2\n  @1 E F q : b.e b.m b.f t";
    takes(below, "5 2 1");
    let rsm = machine(CALLS);
    let claims = |text| replay(&rsm, &evidence(&rsm, text), AtExit::Loop).expect("valid").trusted_claims;
    assert_eq!(claims(below), ["E F q, again in every round of a growing loop"]);
    assert_eq!(claims("E F G !E (F G p) : s t t loop 1 2"), Vec::<String>::new());
    assert_eq!(claims("E F G !E (F G z) : s b.e b.c.e loop 1 2"), ["!E F G z"]);
}

/// From `x` in `b`, the run goes to another box of `main` and comes back, then calls on: in the
/// next round it would return elsewhere.
#[test]
fn a_growing_loop_stays_in_its_call() {
    let rsm = machine(
        "component main\n entry s\n box b f\n box c f\n s -> b.e | b.x -> c.e | c.x -> b.e
         component f\n entry e\n exit x\n node m r\n box d f\n e -> x | e -> d.e | d.x -> m | m -> m",
    );
    let leaves = "E G !r : s b.e b.x c.e c.x b.e b.d.e b.d.x loop 2 7";
    let error = replay(&rsm, &evidence(&rsm, leaves), AtExit::Loop).expect_err("the next step leads to m");
    assert!(error.message.contains("state 2 returns from the call the loop starts in"), "{error}");
    assert!(replay(&rsm, &evidence(&rsm, "E G !r : s b.e b.d.e loop 1 2"), AtExit::Loop).is_ok());
}

#[test]
fn runs_for_automata() {
    let rsm = machine(CALLS);
    let run = |text: &str, at_exit| replay_run(&rsm, &evidence(&rsm, text), at_exit);
    let words = |run: loris_evidence::LabelledRun| {
        let text = |part: Vec<Vec<_>>| {
            let letters = part.into_iter().map(|labels| {
                labels.into_iter().map(|label| rsm.label_name(label)).collect::<Vec<_>>().join("&")
            });
            letters.collect::<Vec<_>>().join(" ")
        };
        format!("{} ({}) {}", text(run.prefix), text(run.cycle), run.deeper)
    };
    let shows = |text: &str, at_exit| words(run(text, at_exit).expect("a run"));
    assert_eq!(shows("automaton : s t t loop 1 2", AtExit::Loop), "p (q) 0");
    assert_eq!(shows("automaton : s b.e b.c.e b.c.c.e loop 1 3", AtExit::Stop), "p (p p) 2");
    assert_eq!(shows("automaton : s t x", AtExit::Loop), "p q (q) 0");
    assert_eq!(shows("automaton : s t x", AtExit::Sink), "p q q () 0");
    assert!(run("automaton : s t x", AtExit::Stop).is_err());
    assert!(run("automaton : t t loop 0 1", AtExit::Loop).is_err());
    assert!(run("automaton : s x x loop 1 2", AtExit::Loop).is_err());
    assert!(replay_run(&rsm, &Evidence::default(), AtExit::Loop).is_err());
    let report = replay(&rsm, &evidence(&rsm, "automaton : s t t loop 1 2"), AtExit::Loop).expect("a run");
    assert_eq!((report.steps, report.trusted), (2, 1));
    refuses("automaton : s t t loop 0 2", "does not close");
    assert_eq!(AUTOMATON, "automaton");
}

#[test]
fn paths_to_targets() {
    takes("reach q : s t", "1 1 0");
    takes("reach main/t : s b.e b.m b.f t", "4 1 0");
    takes("reach a/f : s b.e b.c.e b.c.m b.c.f", "4 1 0");
    takes("reach a/f from main/s : s b.e b.m b.f", "3 1 0");
    takes("reach main/t from any a/m : b.c.m b.c.f b.m b.f t", "4 1 0");
    refuses("reach r : s t", "state 1: the path does not end in its target");
    refuses("reach q : t", "does not start in an initial state");
    refuses("reach q : s x", "no step");
    refuses("reach q : s t t loop 1 2", "has no loop");
    refuses("reach q : s t\n  @1 E X q : t t", "relies on no other");
    refuses("reach nothing : s t", "names no node");
    refuses("reach main/e : s t", "names no node");
    refuses("reach q from a/m : b.m b.f t", "with the empty stack");
    refuses("reach q from any a/m : b.e b.m", "does not start in the node that it names");

    // below the start there is nothing, and the JSON says where stacks start
    let rsm = machine(CALLS);
    let node = |name: &str| state(&rsm, name).node.expect("a node");
    let (m, f) = (node("b.m"), node("b.f"));
    let reach = Reach { target: Target::Node(f), start: Start::Node(m) };
    assert_eq!(reach.shows(&rsm), "reach a/f from a/m");
    let site = state(&rsm, "b.c.e").stack[1];
    let bare = |node| State { stack: Vec::new(), node: Some(node) };
    let inside = |node| State { stack: vec![site], node: Some(node) };
    let direct = alone(reach.shows(&rsm), vec![bare(m), bare(f)], None);
    let called = Reach { target: Target::Node(m), start: Start::AnyStack(f) };
    let above = alone(called.shows(&rsm), vec![inside(f), bare(m)], None);
    for (evidence, expected) in [(direct, reach), (above, called)] {
        let (found, report) = replay_reach(&rsm, &evidence, AtExit::Loop).expect("a path");
        assert_eq!((found, report.steps), (expected, 1));
        let mut json = String::new();
        evidence.write_json(&rsm, &mut json).expect("a string takes all");
        assert!(json.contains(r#","component":"a","because":[]"#), "{json}");
        assert_eq!(read_json(&json, &rsm).expect("as written")[0].evidence, evidence);
        assert!(read_json(&json.replace(r#""component":"a""#, r#""component":"z""#), &rsm).is_err());
    }
}

/// Names that hold what separates them.
#[test]
fn targets_of_any_name() {
    let rsm = machine(
        "component a/b\n entry c l from/x\n node b/c\n c -> b/c | b/c -> c
         component a\n entry b/c\n exit z\n b/c -> z",
    );
    let find = |component: usize, name: &str| {
        rsm.find_node(rsm.components().nth(component).expect("it exists"), name).expect("a node")
    };
    let targets = [find(0, "c"), find(0, "b/c"), find(1, "b/c"), find(1, "z")].map(Target::Node);
    let labels = ["l", "from/x"].map(|name| Target::Label(rsm.label(name).expect("a label")));
    let starts = [Start::Initial, Start::Node(find(0, "b/c")), Start::AnyStack(find(1, "z"))];
    for (i, target) in targets.into_iter().chain(labels).enumerate() {
        for start in starts {
            let reach = Reach { target, start };
            let read = Reach::read(&rsm, &reach.shows(&rsm));
            // `a/b/c` is a node of either component
            let ambiguous = [0, 2].contains(&i);
            assert_eq!(read.is_err(), ambiguous, "{read:?}");
            assert!(read.is_err() || read == Ok(reach));
        }
    }
}

#[test]
fn what_runs_have_to_show() {
    let related = |property: &str, holds, shows: &str| {
        relates_formula(&parse(property).expect("well-formed"), holds, shows, AtExit::Loop)
    };
    assert!(related("G (p -> F q)", false, "E F (p & G !q)"));
    assert!(related("G (p -> F q)", false, "E (!G (p -> F q))"));
    assert!(related("G (p -> F q)", false, "!A G (p -> F q)"));
    assert!(!related("G (p -> F q)", true, "E F (p & G !q)"));
    assert!(!related("G (p -> F q)", false, "E F (p & F !q)"));
    assert!(!related("G (p -> F q)", false, "F (p & G !q)"));
    assert!(related("p W q", false, "E [ !q U (!p & !q) ]"));
    assert!(related("p U q", false, "E [ !p R !q ]"));
    assert!(related("p U q", false, "E [ !q U (!p & !q) ] | E G !q"));
    assert!(related("p", false, "!p"));
    assert!(related("E (G F p & F E G q)", true, "E (G F p & F E G q)"));
    assert!(related("A (G F p -> F A X q)", false, "E (G F p & G E X !q)"));
    assert!(related("E [ p W q ]", true, "E [ p U q ] | E G p"));
    assert!(related("A G (p -> E F q)", false, "E F (p & !E F q)"));
    assert!(!related("F p", false, "reach p"));
    // where runs may stop, there has to be a run
    let stops = |shows| relates_formula(&parse("p").expect("well-formed"), false, shows, AtExit::Stop);
    assert!(stops("E !p") && !stops("!p"));
    for seed in 0..500 {
        let rng = &mut Rng::new(seed);
        let (exists, along) = claim(rng, 1 + seed as usize % 12);
        let negated = format!("E (!({along}))");
        assert!(related(&exists.to_string(), true, &exists.to_string()));
        assert!(related(&along.to_string(), false, &negated), "{along}");
        let core = Core::linear(&along).expect("LTL");
        let negated = core.negated();
        let shows = negated.print(negated.root());
        assert!(relates(&core, false, &shows), "{along}: {shows}");
        assert!(related(&along.to_string(), false, &shows), "{along}: {shows}");
        assert!(!related(&along.to_string(), true, &shows), "{along}: {shows}");
        let star = Core::star(&exists).expect("CTL*");
        let shows = star.print(star.root());
        assert!(relates(&star, true, &shows) && related(&exists.to_string(), true, &shows), "{shows}");
    }
}

#[test]
fn runs_as_text() {
    let rsm = machine(CALLS);
    let text = |text: &str, most| evidence(&rsm, text).render(&rsm, most);
    assert_eq!(
        text("E G F p : s b.e b.c.e loop 1 2", 60),
        "shows E G F p
  0  s {p}  -> a (b)
  loop:
  1    e {p}  -> a (c)
  2      e {p}
  again from state 1, for ever, 1 deeper each time
"
    );
    assert_eq!(
        text("E F G q : s b.e b.m b.f t t t t t loop 4 8", 4),
        "shows E F G q
  0  s {p}  -> a (b)
  1    e {p}
  ... 5 states, the loop starts with state 4 ...
  7  t {q}
  8  t {q}
  again from state 4, for ever
"
    );
    assert_eq!(text("reach a/m : s b.e b.m", 60).lines().next(), Some("shows reach a/m"));
}
