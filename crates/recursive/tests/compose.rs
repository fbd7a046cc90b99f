//! A machine with a peer against the two walked side by side, state by state.

use loris_base::{Budget, Diagnostics, Exhausted, Idx, Rng, Stopped};
use loris_evidence::AtExit;
use loris_logic::automaton::parse_hoa;
use loris_recursive::{Peer, compose};
use loris_rsm::generate::RandomRsm;
use loris_rsm::{BoxId, DeadEnds, Rsm, Semantics, Vertex};
use loris_testing::recursion::model::{Model, models};
use loris_testing::recursion::oracle::{Unfolding, step};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashSet};

/// Names of nodes met with a peer's state, in a non-recursive machine.
fn side_by_side(
    rsm: &Rsm,
    initial: u32,
    moves: impl Fn(u32, &[&str]) -> Vec<u32>,
) -> Option<BTreeSet<String>> {
    let mut met = BTreeSet::new();
    let mut seen: HashSet<(Vec<BoxId>, Option<Vertex>, u32)> = HashSet::new();
    let mut left: Vec<_> = rsm.initial().iter().map(|&node| (Vec::new(), Some(node), initial)).collect();
    while let Some((stack, node, state)) = left.pop() {
        if seen.len() > 3000 {
            return None;
        }
        if !seen.insert((stack.clone(), node, state)) {
            continue;
        }
        let here = node.expect("no sink");
        let component = rsm.component_name(rsm.component_of(here));
        met.insert(format!("{component}/{}@peer_{state}", rsm.vertex_name(here)));
        let labels: Vec<&str> = rsm.labels_of(here).map(|label| rsm.label_name(label)).collect();
        for (stack, node) in step(rsm, &stack, node, AtExit::Stop) {
            left.extend(moves(state, &labels).into_iter().map(|to| (stack.clone(), node, to)));
        }
    }
    Some(met)
}

fn met(rsm: &Rsm) -> Option<BTreeSet<String>> {
    let distances = Unfolding::new(rsm, AtExit::Stop, 3000)?.distances();
    let nodes =
        rsm.components().flat_map(|component| rsm.nodes(component).map(move |node| (component, node)));
    let met = nodes.filter(|(_, node)| distances[node.index()].is_some());
    Some(met.map(|(c, node)| format!("{}/{}", rsm.component_name(c), rsm.vertex_name(node))).collect())
}

fn check(model: &Model, edges: &[(u32, usize, u32)]) -> Result<(), TestCaseError> {
    const LABELS: [&str; 3] = ["a", "b", "c"];
    let rsm = model.build();
    let known = |label: &str| rsm.label(label).is_some();
    let edges: Vec<(u32, String, u32)> = edges
        .iter()
        .map(|&(from, label, to)| (from, LABELS[label].to_owned(), to))
        .filter(|(_, label, _)| known(label))
        .collect();
    let peer = Peer::from_lts(0, 3, &edges);
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let (both, _) = composed(&rsm, &peer, semantics).expect("a machine");
    let moves = |state: u32, labels: &[&str]| {
        let fits = edges.iter().filter(|(from, label, _)| *from == state && labels.contains(&&label[..]));
        let to: Vec<u32> = fits.map(|edge| edge.2).collect();
        if to.is_empty() { vec![state] } else { to }
    };
    if let (Some(expected), Some(found)) = (side_by_side(&rsm, 0, moves), met(&both)) {
        prop_assert_eq!(found, expected);
    }
    Ok(())
}

/// The composition without limits.
fn composed(rsm: &Rsm, peer: &Peer, semantics: Semantics) -> Result<(Rsm, Diagnostics), Diagnostics> {
    compose(rsm, peer, &semantics, &mut Budget::unlimited()).map_err(Stopped::into_problems)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn walks_side_by_side(
        model in models(false),
        edges in prop::collection::vec((0u32..3, 0usize..3, 0u32..3), 0..8),
    ) {
        check(&model, &edges)?;
    }
}

/// A typestate automaton: nobody reads before opening.
#[test]
fn an_automaton_with_named_states() {
    let rsm = loris_testing::recursion::text::build(
        "
        main: start -> o[file] -> r{read} -> r2{close} -> x!
        file: f{open} -> g!",
    );
    let text = "HOA: v1\nStates: 3\nStart: 0\nAP: 3 \"open\" \"read\" \"close\"\nAcceptance: 0 t\n--BODY--\n\
        State: 0 \"closed\"\n[0] 1\n[1] 2\n[!0&!1] 0\nState: 1 \"opened\"\n[2] 0\n[!2] 1\n\
        State: 2 \"wrong\"\n[t] 2\n--END--\n";
    let peer = Peer::from_hoa(&parse_hoa(text).expect("well-formed"));
    let (both, _) = composed(&rsm, &peer, Semantics::default()).expect("a machine");
    let found = met(&both).expect("small");
    assert!(found.contains("main/r@opened") && found.contains("main/x@closed"), "{found:?}");
    assert!(!found.iter().any(|name| name.ends_with("wrong")));
}

#[test]
fn a_peer_that_reads_what_is_not_there() {
    let rsm = loris_testing::recursion::text::build("main: start{open} -> x!");
    let peer = Peer::from_lts(0, 1, &[(0, "opne".into(), 0)]);
    let problems = composed(&rsm, &peer, Semantics::default()).expect_err("no such label");
    assert!(problems.sorted()[0].help.as_deref().is_some_and(|help| help.contains("open")));
}

/// That a state of the peer is never met is what is asked most.
#[test]
fn what_never_happens_has_a_name() {
    let rsm = loris_testing::recursion::text::build("main: start{open} -> x!; dead{close} -> x");
    let peer = Peer::from_lts(0, 2, &[(0, "close".into(), 1)]);
    let (both, _) = composed(&rsm, &peer, Semantics::default()).expect("a machine");
    for label in ["open", "close", "peer_0", "peer_1"] {
        assert!(both.label(label).is_some(), "{label}");
    }
    assert!(!met(&both).expect("small").iter().any(|name| name.ends_with("peer_1")));
}

/// A dead end is not a step, with or without a peer; its loop at a return port is not a call.
#[test]
fn dead_ends_do_not_move_the_peer() {
    let text = r#"{"initial_component": "m", "components": [
        {"name": "m", "nodes": [{"name": "s", "is_entry": true, "labels": ["p"]}],
         "boxes": [{"name": "b", "component": "f"}],
         "transitions": [{"source": {"type": "node", "name": "s"},
                          "targets": [{"type": "box_node", "box_name": "b", "node_name": "e"}]}]},
        {"name": "f", "nodes": [{"name": "e", "is_entry": true, "labels": ["q"]}, {"name": "x", "is_exit": true}],
         "boxes": [], "transitions": [{"source": {"type": "node", "name": "e"},
                                       "targets": [{"type": "node", "name": "x"}]}]}]}"#;
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    let (rsm, _) = loris_rsm::read_rsm_json(text.as_bytes(), &semantics).expect("a machine");
    let edges = vec![(0, "p".into(), 1), (1, "q".into(), 2), (2, "q".into(), 3)];
    let peer = Peer::from_lts(0, 4, &edges);
    let (both, _) = composed(&rsm, &peer, semantics).expect("a machine");
    let found = met(&both).expect("small");
    let expected = ["f/e@peer_1", "f/x@peer_2", "m/s@peer_0"].map(str::to_owned);
    assert_eq!(found, BTreeSet::from(expected));
}

#[test]
fn a_peer_that_cannot_go_on() {
    let rsm = loris_testing::recursion::text::build("main: start{open} -> next -> x!");
    let text = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"open\"\nAcceptance: 0 t\n--BODY--\nState: 0 \"s\"\n[0] 0\n--END--\n";
    let peer = Peer::from_hoa(&parse_hoa(text).expect("well-formed"));
    let problems = composed(&rsm, &peer, Semantics::default()).expect_err("stuck at next");
    assert!(problems.sorted().iter().any(|problem| problem.message.contains("no edge in state \"s\"")));
}

/// A peer that counts to `states` whenever it reads `p0`, by two ways.
fn counter(states: u32) -> Peer {
    let step = |state: u32, far: u32| (state, "p0".to_owned(), (state + far) % states);
    let edges: Vec<_> = (0..states).flat_map(|state| [step(state, 1), step(state, 2)]).collect();
    Peer::from_lts(0, states as usize, &edges)
}

fn many_states() -> Rsm {
    let labels = vec![("p0".to_owned(), 0.5)];
    let random = RandomRsm { labels, boxes: 3, ..RandomRsm::paper(8) };
    random.to_rsm(&mut Rng::new(3))
}

#[test]
fn what_a_composition_takes_is_declared() {
    let (rsm, peer) = (many_states(), counter(50));
    let mut budget = Budget::unlimited();
    let (both, _) = compose(&rsm, &peer, &Semantics::default(), &mut budget).expect("no limit");
    assert!(both.vertex_count() > 20 * rsm.vertex_count(), "{} vertices", both.vertex_count());
    assert!(budget.used() >= both.bytes(), "{} of {} bytes", budget.used(), both.bytes());
    assert!(budget.spent() >= both.edge_count() as u64);
    for part in [0usize, 1, 2, 4, 8, 15] {
        let mut small = Budget::new(None, Some(budget.peak() / 16 * part));
        let found = compose(&rsm, &peer, &Semantics::default(), &mut small);
        assert!(matches!(found, Err(Stopped::Exhausted(Exhausted::Memory))), "{part}/16 of the memory");
        let mut short = Budget::steps(budget.spent() / 16 * part as u64);
        let found = compose(&rsm, &peer, &Semantics::default(), &mut short);
        assert!(matches!(found, Err(Stopped::Exhausted(Exhausted::Time))), "{part}/16 of the time");
    }
}

#[test]
fn few_of_many_places_where_the_peer_is_stuck_are_reported() {
    let text = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"p0\"\nAcceptance: 0 t\n--BODY--\n\
        State: 0\n[0] 0\n--END--\n";
    let peer = Peer::from_hoa(&parse_hoa(text).expect("well-formed"));
    let problems = composed(&many_states(), &peer, Semantics::default()).expect_err("stuck");
    assert_eq!(problems.len(), 20);
}

/// Nodes and boxes of the composition come from where those of the machine come from.
#[test]
fn places_stay() {
    let text = r#"{"initial_component": "m", "components": [
        {"name": "m", "nodes": [{"name": "s", "is_entry": true, "source": {"file": "M.java", "line": 3, "column": 9}},
            {"name": "t", "is_exit": true}],
         "boxes": [{"name": "b", "component": "f", "source": {"file": "M.java", "line": 4}}],
         "transitions": [
            {"source": {"name": "s"}, "targets": [{"box_name": "b", "node_name": "e"}]},
            {"source": {"box_name": "b", "node_name": "e"}, "targets": [{"name": "t"}]}]},
        {"name": "f", "nodes": [{"name": "e", "is_entry": true, "is_exit": true, "labels": ["q"],
            "source": {"file": "F.java", "line": 1}}]}]}"#;
    let (rsm, _) = loris_rsm::read_rsm_json(text.as_bytes(), &Semantics::default()).expect("well-formed");
    let peer = Peer::from_lts(0, 2, &[(0, "q".into(), 1)]);
    let (both, _) = composed(&rsm, &peer, Semantics::default()).expect("a machine");
    let nodes = both.components().flat_map(|component| both.nodes(component));
    let nodes = nodes.filter_map(|node| Some(format!("{} {}", both.vertex_name(node), both.place(node)?)));
    assert_eq!(nodes.collect::<Vec<_>>(), ["s@peer_0 M.java:3:9", "e@peer_0 F.java:1"]);
    let boxes = both.boxes(both.initial_component()).filter_map(|site| both.box_place(site));
    assert_eq!(boxes.map(|place| place.to_string()).collect::<Vec<_>>(), ["M.java:4"]);
}
