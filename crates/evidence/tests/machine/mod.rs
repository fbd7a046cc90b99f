//! Machines and evidence from a few words, for tests only.

#![allow(dead_code, reason = "not every test needs all of it")]

pub(crate) mod oracle;

use loris_base::{Idx, IndexVec};
use loris_evidence::{AtExit, Claim, Evidence, Loop, Path, PathId, State, replay};
use loris_rsm::{Draft, Reference, Rsm, RsmBuilder, Semantics};

/// `main` calls `a` through `b`; `a` calls itself through `c` and has two exits.
pub(crate) const CALLS: &str = "
    component main
      entry s p
      node t q
      exit x q
      box b a
      s -> b.e | s -> t | b.f -> t | b.g -> b.e | t -> t | t -> x
    component a
      entry e p
      node m p
      exit f r
      exit g
      box c a
      e -> m | e -> c.e | m -> f | m -> g | c.f -> m | c.g -> m
    ";

/// Reads a machine: `component`, `entry`, `node`, `exit` with labels, `box name callee`, edges.
pub(crate) fn machine(text: &str) -> Rsm {
    let mut builder = RsmBuilder::default();
    let mut draft: Option<Draft> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "component" => {
                draft.take().into_iter().for_each(|draft| builder.component(draft));
                draft = Some(Draft::new(builder.symbol(words[1]), 0));
            }
            kind @ ("entry" | "node" | "exit" | "stub") => {
                let draft = draft.as_mut().expect("a component came before");
                let node = draft.node(builder.symbol(words[1]), 0);
                (node.entry, node.exit) = (matches!(kind, "entry" | "stub"), matches!(kind, "exit" | "stub"));
                words[2..].iter().for_each(|label| draft.label(builder.symbol(label)));
            }
            "box" => {
                let (name, callee) = (builder.symbol(words[1]), builder.symbol(words[2]));
                draft.as_mut().expect("a component came before").site(name, 0, callee, 0);
            }
            _ => {
                for edge in line.split('|') {
                    let (source, target) = edge.split_once("->").expect("an edge");
                    let mut end = |text: &str| match text.trim().split_once('.') {
                        Some((site, node)) => Reference::port(builder.symbol(site), builder.symbol(node), 0),
                        None => Reference::node(builder.symbol(text.trim()), 0),
                    };
                    let (source, target) = (end(source), end(target));
                    draft.as_mut().expect("a component came before").edge(source, target);
                }
            }
        }
    }
    if let Some(draft) = draft {
        builder.component(draft);
    }
    builder.finish(&Semantics::default()).expect("a valid machine").0
}

/// Reads evidence: a path a line, `[@STATE] FORMULA : STATE … [loop FROM TO]`, claims indented by
/// two.
pub(crate) fn evidence(rsm: &Rsm, text: &str) -> Evidence {
    let mut paths: IndexVec<PathId, Path> = IndexVec::new();
    let mut also = Vec::new();
    let mut above: Vec<PathId> = Vec::new();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let margin = lines.clone().next().map_or(0, indent);
    for line in lines {
        let (claim, path) = line.split_once(" : ").expect("a colon after the formula");
        let (states, repeats) = match path.split_once("loop") {
            None => (path, None),
            Some((states, ends)) => {
                let ends: Vec<usize> = ends.split_whitespace().filter_map(|end| end.parse().ok()).collect();
                (states, Some(Loop { from: ends[0], to: ends[1] }))
            }
        };
        let states = states.split_whitespace().map(|name| state(rsm, name)).collect();
        let level = (indent(line) - margin) / 2;
        let (at, shows) = match claim.trim().strip_prefix('@') {
            None => (None, claim.trim()),
            Some(claim) => {
                let (at, shows) = claim.split_once(' ').expect("a formula after the state");
                (Some(at.parse().expect("a number of a state")), shows)
            }
        };
        let path = paths.push(Path { shows: shows.to_owned(), states, repeats, because: Vec::new() });
        match at {
            Some(state) => paths[above[level - 1]].because.push(Claim { state, evidence: path }),
            None if path.index() > 0 => also.push(path),
            None => {}
        }
        above.truncate(level);
        above.push(path);
    }
    Evidence { paths, also }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Reads `box.box.node`, or `(sink)`.
pub(crate) fn state(rsm: &Rsm, text: &str) -> State {
    if text == "(sink)" {
        return State { stack: Vec::new(), node: None };
    }
    let mut component = rsm.initial_component();
    let mut stack = Vec::new();
    let (boxes, node) = text.rsplit_once('.').unwrap_or(("", text));
    for name in boxes.split('.').filter(|name| !name.is_empty()) {
        let site = rsm.find_box(component, name).expect("a box of the machine");
        component = rsm.callee(site);
        stack.push(site);
    }
    // a node of any component, so that wrong states can be written
    let node = rsm
        .find_node(component, node)
        .or_else(|| rsm.components().find_map(|component| rsm.find_node(component, node)));
    State { stack, node: Some(node.expect("a node of the machine")) }
}

/// Replays evidence on [`CALLS`]: `Ok("steps claims trusted")`, or a part of what is said against
/// it.
pub(crate) fn check_at(at_exit: AtExit, text: &str, expected: Result<&str, &str>) {
    let rsm = machine(CALLS);
    let found = replay(&rsm, &evidence(&rsm, text), at_exit);
    match (&found, expected) {
        (Ok(report), Ok(counts)) => {
            assert_eq!(format!("{} {} {}", report.steps, report.claims, report.trusted), counts, "{text}");
        }
        (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{text}\n{error}"),
        _ => panic!("{text}\nexpected {expected:?}, got {found:?}"),
    }
}

pub(crate) fn takes(text: &str, counts: &str) {
    check_at(AtExit::Loop, text, Ok(counts));
}

pub(crate) fn refuses(text: &str, part: &str) {
    check_at(AtExit::Loop, text, Err(part));
}
