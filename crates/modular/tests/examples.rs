//! The worked examples of compositional-3valued, section 6: node counts, colours and causes.

use loris_base::{Budget, Idx, Truth};
use loris_logic::mu::parse;
use loris_lts::{Modality, Process, ProcessBuilder, ProcessKind, StateId, System};
use loris_modular::{
    Abstract, ColouredGame, Composing, Doubt, Portfolio, Refined, SystemQuestion, UndecidedCause,
    check_compositional, check_refining, play, whole_game,
};
use std::sync::Arc;

/// A Kripke structure: states with the labels that are known (`!p` for false), and steps (`?` marks
/// those that only may be there).
fn kripke(
    name: &str,
    atoms: &[&str],
    states: &[(&str, &[&str])],
    steps: &[(usize, usize, bool)],
) -> Arc<Process> {
    let mut build = ProcessBuilder::new(name, ProcessKind::Kripke);
    for (state, _) in states {
        build.named_state(state);
    }
    for atom in atoms {
        build.atom(atom);
    }
    for (i, (_, labels)) in states.iter().enumerate() {
        for label in *labels {
            let (name, value) = label.strip_prefix('!').map_or((*label, true), |name| (name, false));
            let atom = build.atom(name);
            build.label(StateId::new(i), atom, value);
        }
    }
    let tau = build.action("tau");
    for &(source, target, must) in steps {
        let modality = if must { Modality::Both } else { Modality::May };
        build.step(StateId::new(source), tau, StateId::new(target), modality);
    }
    build.initial(StateId::new(0));
    Arc::new(build.finish(&mut Budget::unlimited()).expect("well-formed"))
}

fn lts(name: &str, alphabet: &[&str], states: usize, steps: &[(usize, &str, usize)]) -> Arc<Process> {
    let mut build = ProcessBuilder::new(name, ProcessKind::Lts);
    build.add_states(states);
    for action in alphabet {
        build.action(action);
    }
    for &(source, action, target) in steps {
        let action = build.action(action);
        build.step(StateId::new(source), action, StateId::new(target), Modality::Both);
    }
    build.initial(StateId::new(0));
    Arc::new(build.finish(&mut Budget::unlimited()).expect("well-formed"))
}

fn value(processes: &[Arc<Process>], text: &str) -> Truth {
    let system = System::new(processes.to_vec(), &[]).expect("the parts fit");
    let formula = parse(text).expect("well-formed");
    let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
    play(&question, &mut Budget::unlimited()).expect("no limit").value
}

#[test]
fn e1_thirteen_nodes_seven_undecided() {
    let model =
        kripke("M", &["p", "q"], &[("s0", &["p"]), ("s1", &["!p", "!q"])], &[(0, 1, false), (1, 1, true)]);
    let system = System::new(vec![model], &[]).expect("one part");
    let formula = parse("mu Z. (q | (p & []Z))").expect("well-formed");
    let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
    let mut budget = Budget::unlimited();
    let game = ColouredGame::new(&question, &mut budget).expect("no limit");
    assert_eq!(game.nodes.len(), 13);
    let colour = |value: Truth| {
        let nodes = game.game.nodes().filter(|&node| game.colouring.colour(node) == value);
        let mut names: Vec<String> = nodes.map(|node| game.name(&question, node)).collect();
        names.sort();
        names
    };
    assert_eq!(colour(Truth::True), ["s0 |- p"]);
    assert_eq!(colour(Truth::False).len(), 6);
    assert!(colour(Truth::False).iter().all(|name| name.starts_with("s1")));
    assert_eq!(colour(Truth::Unknown).len(), 6);
    let undecided =
        loris_games::ternary::undecided(&game.game, &game.colouring, 0, &mut budget).expect("no limit");
    assert_eq!(undecided.game.len(), 7);
    let answer = play(&question, &mut budget).expect("no limit");
    assert_eq!(answer.value, Truth::Unknown);
    assert!(matches!(answer.doubt, Some(Doubt::Label { state, .. }) if state == [0]));
}

fn e2() -> [Arc<Process>; 2] {
    [
        kripke(
            "M1",
            &[],
            &[("s0", &["!r", "!o"]), ("s1", &["r", "!o"]), ("s2", &["r", "o"])],
            &[(0, 0, true), (0, 1, true), (1, 2, true), (2, 0, true)],
        ),
        kripke(
            "M2",
            &[],
            &[("t0", &["!r", "!i"]), ("t1", &["r", "i"]), ("t2", &["r", "!i"])],
            &[(0, 0, true), (0, 1, true), (1, 2, true), (2, 1, true)],
        ),
    ]
}

#[test]
fn e2_four_product_nodes_instead_of_ten() {
    let system = System::new(e2().to_vec(), &[]).expect("the parts fit");
    let formula = parse("[](!i | <>o)").expect("well-formed");
    let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
    let mut budget = Budget::unlimited();
    let composing = Composing { reduce: false, ..Composing::default() };
    let composed = check_compositional(&question, &composing, &mut budget).expect("no limit");
    assert_eq!(composed.value, Truth::True);
    let undecided: Vec<usize> = composed.alone.iter().map(|stage| stage.undecided).collect();
    assert_eq!(undecided, [7, 4]);
    assert_eq!(composed.product_nodes(), 4);
    assert_eq!(whole_game(&question, &mut budget), Ok(10));
}

#[test]
fn e2_one_part_alone() {
    let system = System::new(e2().to_vec(), &[]).expect("the parts fit");
    for (text, expected, products) in [("[]!o", Truth::True, 0), ("<>!o", Truth::True, 1)] {
        let formula = parse(text).expect("well-formed");
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let composed = check_compositional(&question, &Composing::default(), &mut Budget::unlimited())
            .expect("no limit");
        assert_eq!((composed.value, composed.products.len()), (expected, products), "{text}");
    }
}

#[test]
fn e3_three_rounds() {
    let system = System::new(e2().to_vec(), &[]).expect("the parts fit");
    let formula = parse("[](!i | <>o)").expect("well-formed");
    for prune in [false, true] {
        let refinement = check_refining(&system, &formula, Abstract::One, prune, &mut Budget::unlimited())
            .expect("no limit");
        assert_eq!((refinement.value, refinement.rounds.len()), (Truth::True, 3), "prune: {prune}");
        let [first, second, third] = &refinement.rounds[..] else { unreachable!("three rounds") };
        assert_eq!((first.blocks[1], first.steps[1]), (2, (4, 0)));
        assert_eq!((&first.undecided[..], first.product), (&[7, 9][..], Some(7)));
        let step = UndecidedCause::Step {
            processes: vec![1],
            from: vec!["s1".to_owned(), "{t1, t2}".to_owned()],
            to: vec!["s2".to_owned(), "{t1, t2}".to_owned()],
        };
        assert_eq!((first.cause.as_ref(), &first.refined[..]), (Some(&step), &[(1, Refined::Known)][..]));
        assert_eq!(second.steps[1], (4, 1));
        let label = UndecidedCause::Label { process: 1, block: "{t0}".to_owned(), label: "i".to_owned() };
        assert_eq!((second.cause.as_ref(), &second.refined[..]), (Some(&label), &[(1, Refined::Known)][..]));
        // with pruning, the process alone decides in the third round
        assert_eq!(third.product.is_none(), prune);
        assert_eq!(refinement.decided_by.as_slice(), prune.then_some(1).as_slice());
        if !prune {
            assert_eq!(third.undecided[1], 6);
        }
    }
}

#[test]
fn e4_laws() {
    let dead = [kripke("dead", &["p"], &[("s", &["p"])], &[])];
    let may = [kripke("may", &["p"], &[("s", &["p"])], &[(0, 0, false)])];
    let open = [kripke("open", &["p"], &[("s", &[])], &[])];
    let check = |processes: &[Arc<Process>], text: &str, expected: Truth| {
        assert_eq!(value(processes, text), expected, "{text}");
    };
    check(&dead, "[]ff", Truth::True);
    check(&dead, "<>tt", Truth::False);
    check(&may, "<>p", Truth::Unknown);
    check(&may, "[]p", Truth::True);
    check(&may, "[]!p", Truth::Unknown);
    check(&open, "p | !p", Truth::Unknown);
    check(&open, "tt", Truth::True);
    for processes in [&dead, &may, &open] {
        check(processes, "mu Z. Z", Truth::False);
        check(processes, "nu Z. Z", Truth::True);
    }
}

#[test]
fn e5_labelled_transition_systems() {
    let processes = [lts("M1", &["x", "a"], 2, &[(0, "x", 1)]), lts("M2", &["y", "a"], 2, &[(0, "y", 1)])];
    let system = System::new(processes.to_vec(), &[]).expect("the parts fit");
    for (text, expected, looked_at) in
        [("<x>tt", Truth::True, 1), ("[y]ff", Truth::False, 1), ("<a>tt", Truth::False, 1)]
    {
        let formula = parse(text).expect("well-formed");
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let composed = check_compositional(&question, &Composing::default(), &mut Budget::unlimited())
            .expect("no limit");
        assert_eq!(
            (composed.value, composed.products.len(), composed.alone.len()),
            (expected, 0, looked_at),
            "{text}"
        );
    }
}

/// Products and the game on the fly of a system and a formula, and its whole game.
fn nodes(processes: &[Arc<Process>], text: &str) -> (Truth, usize, usize) {
    let budget = &mut Budget::unlimited();
    let system = System::new(processes.to_vec(), &[]).expect("the parts fit");
    let formula = parse(text).expect("well-formed");
    let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
    let (composed, _) = Portfolio::new(&system).process_by_process(&question, budget).expect("no limit");
    let whole = whole_game(&question, budget).expect("no limit");
    (composed.value, composed.product_nodes(), whole)
}

#[test]
fn structures_whose_products_are_larger_than_their_composition() {
    // cells in a row that share their borders: few states are reached, of very many that agree
    for n in [4, 7, 10] {
        let cells: Vec<Arc<Process>> = (1..=n)
            .map(|i| {
                let (left, right) = (format!("x{}", i - 1), format!("x{i}"));
                let no = |name: &str| format!("!{name}");
                let (not_left, not_right) = (no(&left), no(&right));
                let mut states: Vec<(&str, Vec<&str>)> = vec![
                    ("00", vec![&not_left, &not_right]),
                    ("01", vec![&not_left, &right]),
                    ("10", vec![&left, &not_right]),
                ];
                // only the first border is up at first
                if i == 1 {
                    states.swap(0, 2);
                }
                let states: Vec<(&str, &[&str])> =
                    states.iter().map(|(name, labels)| (*name, labels.as_slice())).collect();
                let is = |state: usize, name: &str| states[state].0 == name;
                let steps: Vec<(usize, usize, bool)> = (0..9)
                    .map(|pair| (pair / 3, pair % 3, true))
                    .filter(|&(from, to, _)| !(is(from, "00") && is(to, "01")))
                    .collect();
                kripke(&format!("cell{i}"), &[&left, &right], &states, &steps)
            })
            .collect();
        let (value, made, whole) = nodes(&cells, "A G !(x0 & x3)");
        assert!(value.is_known());
        assert!(2 * made <= 3 * whole, "{made} nodes beside {whole} for {n} cells");
    }
}

#[test]
fn structures_whose_composition_is_larger_than_their_products() {
    // cells that share nothing: two of them decide what is about two
    let cells: Vec<Arc<Process>> = (0..8)
        .map(|i| {
            let (on, off) = (format!("a{i}"), format!("!a{i}"));
            let states: [(&str, &[&str]); 3] = [("0", &[&off]), ("1", &[&on]), ("2", &[&off])];
            let steps = [(0, 0), (0, 1), (1, 2), (2, 0), (1, 1)].map(|(from, to)| (from, to, true));
            kripke(&format!("c{i}"), &[&on], &states, &steps)
        })
        .collect();
    let (value, made, whole) = nodes(&cells, "A G E F (a0 & a1)");
    assert_eq!(value, Truth::True);
    assert!(5 * made < whole, "{made} nodes beside {whole}");
}

/// Every variable again at every level: the innermost fixpoints begin again once for each step of
/// those around them, and not once for each way to them.
#[test]
fn deep_alternation() {
    let depth = 400;
    let binders: Vec<String> =
        (0..depth).map(|i| format!("{} X{i}.", if i % 2 == 0 { "nu" } else { "mu" })).collect();
    let binders = binders.join(" ");
    let some: Vec<String> = (0..depth).map(|i| format!("(<a>X{i})")).collect();
    let every: Vec<String> = (0..depth).map(|i| format!("(<a>X{i} | [b]X{})", depth - 1 - i)).collect();
    let two = lts("two", &[], 2, &[(0, "a", 1), (1, "a", 0), (0, "b", 0), (1, "b", 1)]);
    let system = System::new(vec![two], &[]).expect("one process");
    for (body, expected) in [(some.join(" | "), Truth::True), (every.join(" & "), Truth::True)] {
        let formula = parse(&format!("{binders} ({body})")).expect("well-formed");
        let question = SystemQuestion::new(&system, &formula, false).expect("names are known");
        let decision = Portfolio::new(&system).decide(&question, &mut Budget::steps(50_000_000));
        assert_eq!(decision.expect("it is quick").value, expected);
        // diagrams take long, and notice it
        let budget = &mut Budget::steps(1_000_000);
        if let Ok(decision) = Portfolio::new(&system).by_diagrams(&question, budget) {
            assert_eq!(decision.expect("they are for it").value, expected);
        }
        assert!(budget.spent() < 10_000_000, "limits hold");
    }
}
