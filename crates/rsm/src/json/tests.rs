//! Tests of reading and writing RSM JSON, in chunks of many sizes.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod errors;
mod places;

use super::{CHUNK, ReadError, read_in_chunks, write_rsm_json};
use crate::generate::{ContextChain, LargeRsm, RandomRsm, exponential};
use crate::{BoxId, DeadEnds, EmptyCalls, Rsm, Semantics, Vertex};
use loris_base::{Budget, Diagnostics, Idx, Rng};
use proptest::prelude::{ProptestConfig, prop, proptest};
use std::io::Read;

const LOOP: Semantics = Semantics { dead_ends: DeadEnds::Loop, empty_calls: EmptyCalls::Pass };

/// A model with everything in it; `nil` is an empty procedure.
const SMALL: &str = r#"{"initial_component": "main", "initial_node": "s", "components": [
 {"name": "main", "nodes": [{"name": "s", "is_entry": true, "is_exit": false, "labels": ["p", "q"]},
   {"name": "m", "labels": [], "formulas": {"x": [1, -2.5e+3, null, {"y": {}}]}}, {"name": "t", "is_exit": true}],
  "boxes": [{"name": "b", "component": "sub", "call_nodes": ["e"], "return_nodes": ["x"]},
            {"name": "c", "component": "nil"}],
  "transitions": [
   {"source": {"type": "node", "name": "s"}, "targets": [{"type": "box_node", "box_name": "b", "node_name": "e"}]},
   {"source": {"type": "box_node", "box_name": "b", "node_name": "x"}, "targets": [{"type": "node", "name": "m"}]},
   {"source": {"node": "m"}, "targets": [{"box_name": "c", "node_name": "n"}, {"node": "m", "type": "node"}]},
   {"source": {"box_name": "c", "node_name": "n"}, "targets": [{"name": "t"}]}]},
 {"name": "sub", "nodes": [{"name": "e", "is_entry": true}, {"name": "x", "is_exit": true}],
  "transitions": [{"source": {"name": "e"}, "targets": [{"name": "x"}]}]},
 {"name": "nil", "nodes": [{"name": "n", "is_entry": true, "is_exit": true}]}]}"#;

fn read(text: &[u8], semantics: Semantics, chunk: usize) -> Result<Rsm, Diagnostics> {
    match read_in_chunks(text, semantics, chunk, &mut Budget::unlimited()) {
        Ok((rsm, _)) => Ok(rsm),
        Err(ReadError::Invalid(problems)) => Err(problems),
        Err(ReadError::Exhausted(why)) => panic!("{why}"),
        Err(ReadError::Io(error)) => panic!("reading memory failed: {error}"),
    }
}

/// The content of a machine, independent of the order in which it is written.
fn describe(rsm: &Rsm) -> Vec<String> {
    let mut lines = Vec::new();
    let name = |vertex| match rsm.box_of(vertex) {
        None => rsm.vertex_name(vertex).into_owned(),
        Some(site) => format!("({}, {})", rsm.box_name(site), rsm.vertex_name(vertex)),
    };
    for component in rsm.components() {
        let owner = rsm.component_name(component);
        for site in rsm.boxes(component) {
            lines.push(format!(
                "{owner}: {} calls {}",
                rsm.box_name(site),
                rsm.component_name(rsm.callee(site))
            ));
        }
        for vertex in rsm.vertices(component) {
            let mut labels: Vec<&str> = rsm.labels_of(vertex).map(|label| rsm.label_name(label)).collect();
            labels.sort_unstable();
            let (entry, exit) = (rsm.entry_index(vertex), rsm.exit_index(vertex));
            lines.push(format!("{owner}: {} {entry:?} {exit:?} {labels:?}", name(vertex)));
            lines.extend(
                rsm.successors(vertex).map(|next| format!("{owner}: {} -> {}", name(vertex), name(next))),
            );
        }
    }
    lines.extend(rsm.initial().iter().map(|&node| format!("initial {}", name(node))));
    lines.extend(rsm.looped_dead_ends().iter().map(|&node| format!("dead {}", name(node))));
    lines.push(format!("starts in {}", rsm.component_name(rsm.initial_component())));
    lines.sort_unstable();
    lines
}

/// `SMALL` with one text replaced by another.
fn small(from: &str, to: &str) -> String {
    assert_eq!(SMALL.matches(from).count(), 1, "{from}");
    SMALL.replacen(from, to, 1)
}

#[test]
fn small_models_are_read_in_any_chunks() {
    let whole = describe(&read(SMALL.as_bytes(), Semantics::default(), CHUNK).unwrap());
    for chunk in 1..=64 {
        assert_eq!(describe(&read(SMALL.as_bytes(), Semantics::default(), chunk).unwrap()), whole);
    }
    let marked = format!("\u{feff}  {SMALL} \n");
    assert_eq!(describe(&read(marked.as_bytes(), Semantics::default(), 1).unwrap()), whole);
}

#[test]
fn invalid_utf8_is_located() {
    for chunk in [1, 2, 7, CHUNK] {
        let problems = read(b"{\"a\": \"ok\xC3\x28\"}", LOOP, chunk).unwrap_err();
        assert_eq!(problems.sorted()[0].offset, Some(9));
        assert_eq!(problems.sorted()[0].message, "this is not valid UTF-8");
    }
}

#[test]
fn escapes_are_decoded_across_chunks() {
    let text = small(r#""p", "q""#, r#""\ud83d\ude00\u00e9é😀", "\"\\\/\b\f\n\r\t\u0001""#);
    for chunk in 1..=64 {
        let rsm = read(text.as_bytes(), LOOP, chunk).unwrap();
        let labels: Vec<&str> = rsm.labels().collect();
        assert_eq!(labels, ["😀éé😀", "\"\\/\u{8}\u{c}\n\r\t\u{1}"]);
        assert_eq!(describe(&through_text(&rsm, LOOP)), describe(&rsm));
    }
}

#[test]
fn keys_come_in_any_order() {
    let text = r#"{"components": [{"transitions": [{"targets": [{"name": "t", "type": "node"},
        {"node_name": "s", "box_name": "b", "type": "box_node"}], "source": {"node": "s", "type": "node"}},
        {"targets": [{"node": "t"}], "source": {"node_name": "t", "box_name": "b"}}],
        "boxes": [{"return_nodes": ["t"], "call_nodes": ["s"], "component": "m", "name": "b"}],
        "nodes": [{"labels": ["p"], "is_entry": true, "name": "s"}, {"is_exit": true, "labels": ["q"], "name": "t"}],
        "name": "m"}], "initial_nodes": ["s"], "initial_component": "m"}"#;
    let rsm = read(text.as_bytes(), Semantics::default(), 1).unwrap();
    let expected = "initial s|m: (b, s) Some(0) None [\"p\"]|m: (b, t) -> t|m: (b, t) None Some(0) [\"q\"]\
        |m: b calls m|m: s -> (b, s)|m: s -> t|m: s Some(0) None [\"p\"]|m: t None Some(0) [\"q\"]|starts in m";
    assert_eq!(describe(&rsm).join("|"), expected);
}

#[test]
fn every_prefix_is_an_error() {
    for end in 0..SMALL.len() {
        for chunk in [1, 5, 64, CHUNK] {
            let problems = read(&SMALL.as_bytes()[..end], LOOP, chunk).unwrap_err();
            assert_eq!(problems.len(), 1, "prefix of {end} bytes: {problems:?}");
        }
    }
}

#[test]
fn endless_inputs_fail_in_bounded_memory() {
    let endless = |start: &'static str, byte: u8| start.as_bytes().chain(std::io::repeat(byte));
    let table = [
        (endless("", b'['), "unexpected `[`, expected a JSON object", 0),
        (endless("{\"a\": ", b'['), "values are nested deeper than 1024 levels", 6 + 1024),
        (endless("{\"a\": \"", b'x'), "this string is longer than 1 MiB", 6),
        (endless("{\"", b'x'), "this string is longer than 1 MiB", 1),
        (endless("{\"name\": \"", b'\\'), "this string is longer than 1 MiB", 9),
    ];
    for (input, message, offset) in table {
        let Err(ReadError::Invalid(problems)) = read_in_chunks(input, LOOP, CHUNK, &mut Budget::unlimited())
        else {
            panic!("{message}")
        };
        let problem = problems.sorted()[0];
        assert_eq!((problem.message.as_str(), problem.offset), (message, Some(offset)));
    }
}

#[test]
fn failures_of_the_input_are_passed_on() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("unplugged"))
        }
    }
    let input = SMALL.as_bytes()[..100].chain(Broken);
    assert!(matches!(
        read_in_chunks(input, LOOP, 8, &mut Budget::unlimited()),
        Err(ReadError::Io(error)) if error.to_string() == "unplugged"
    ));
}

fn written(rsm: &Rsm) -> String {
    let mut text = Vec::new();
    write_rsm_json(rsm, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// Writes and reads; the machine that was read is written as the same text.
fn through_text(rsm: &Rsm, semantics: Semantics) -> Rsm {
    let text = written(rsm);
    let back =
        read(text.as_bytes(), semantics, CHUNK).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    assert_eq!(written(&back), text);
    back
}

#[test]
fn generated_machines_survive_a_round_trip() {
    let mut rng = Rng::new(7);
    let mut machines = vec![exponential(4), LargeRsm::with_edges(3000).to_rsm(&mut rng)];
    machines.extend((1..12).map(|i| RandomRsm::paper(i).to_rsm(&mut rng)));
    for exits in 1..4 {
        for recursive in [false, true] {
            machines.push(ContextChain { depth: 3, exits, recursive }.to_rsm(&mut rng));
        }
    }
    for rsm in &machines {
        let back = through_text(rsm, Semantics::default());
        assert_eq!(describe(&back), describe(rsm));
        assert_eq!(back.edge_count(), rsm.edge_count());
    }
}

#[test]
fn dead_ends_and_stuck_calls_survive_a_round_trip() {
    let lines: Vec<&str> =
        SMALL.lines().filter(|line| !line.contains(r#"{"source": {"box_name": "c""#)).collect();
    let dead = lines.join("\n").replace("\"type\": \"node\"}]},\n", "\"type\": \"node\"}]}]},\n");
    let rsm = read(dead.as_bytes(), LOOP, CHUNK).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(rsm.looped_dead_ends().len(), 1);
    let back = through_text(&rsm, LOOP);
    assert_eq!((describe(&back), back.edge_count()), (describe(&rsm), rsm.edge_count()));
    let stuck = Semantics { empty_calls: EmptyCalls::Stuck, ..Semantics::default() };
    let rsm = read(SMALL.as_bytes(), stuck, CHUNK).unwrap();
    assert_eq!(describe(&through_text(&rsm, stuck)), describe(&rsm));
    // the only call of `b` comes after a call that gets stuck
    let text =
        small(r#""targets": [{"name": "t"}]}]},"#, r#""targets": [{"box_name": "b", "node_name": "e"}]}]},"#);
    let text = text.replace(
        r#""targets": [{"type": "box_node", "box_name": "b", "node_name": "e"}]"#,
        r#""targets": [{"name": "m"}]"#,
    );
    let rsm = read(text.as_bytes(), stuck, CHUNK).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    assert!(written(&through_text(&rsm, stuck)).contains(r#""component": "sub", "call_nodes": [], "#));
}

/// `SMALL` with a callee of two entries and three exits, one of them both, whose ports the input
/// mentions in this order.
fn with_ports(order: [&str; 4]) -> String {
    let [a, b, c, d] = order;
    let edge = |node: &str| {
        match node {
        "in" => r#"{"source": {"name": "s"}, "targets": [{"box_name": "b", "node_name": "in"}, {"box_name": "b", "node_name": "both"}]}"#.to_owned(),
        node => format!(r#"{{"source": {{"box_name": "b", "node_name": "{node}"}}, "targets": [{{"name": "t"}}]}}"#),
    }
    };
    let listed = |entries: bool| {
        let wanted = |node: &&&str| matches!(**node, "in" | "both") == entries || **node == "both";
        let names: Vec<String> = order.iter().filter(wanted).map(|node| format!("\"{node}\"")).collect();
        names.join(", ")
    };
    format!(
        r#"{{"initial_component": "main", "components": [{{"name": "main",
        "nodes": [{{"name": "s", "is_entry": true}}, {{"name": "t", "is_exit": true}}],
        "boxes": [{{"name": "b", "component": "f", "return_nodes": [{}], "call_nodes": [{}]}}],
        "transitions": [{}, {}, {}, {}]}},
        {{"name": "f", "nodes": [{{"name": "x", "is_exit": true}}, {{"name": "in", "is_entry": true}},
          {{"name": "both", "is_entry": true, "is_exit": true}}, {{"name": "y", "is_exit": true}}],
         "transitions": [{{"source": {{"name": "in"}}, "targets": [{{"name": "x"}}, {{"name": "y"}}]}}]}}]}}"#,
        listed(false),
        listed(true),
        edge(a),
        edge(b),
        edge(c),
        edge(d),
    )
}

#[test]
fn ports_are_in_the_order_of_the_callee() {
    let read = |order| read(with_ports(order).as_bytes(), Semantics::default(), CHUNK).unwrap();
    let first = written(&read(["in", "both", "x", "y"]));
    assert!(first.contains(r#""call_nodes": ["in", "both"], "return_nodes": ["both", "x", "y"]"#), "{first}");
    for order in [["y", "x", "both", "in"], ["both", "y", "in", "x"], ["x", "in", "y", "both"]] {
        let rsm = read(order);
        assert_eq!(written(&through_text(&rsm, Semantics::default())), first);
        let names: Vec<_> = rsm.ports(BoxId::new(0)).map(|port| rsm.vertex_name(port)).collect();
        assert_eq!(names, ["in", "both", "x", "y"]);
    }
}

#[test]
fn ports_that_only_a_loop_needs_are_in_order_too() {
    let text = with_ports(["in", "both", "y", "x"]);
    let line = r#"{"source": {"box_name": "b", "node_name": "x"}, "targets": [{"name": "t"}]}"#;
    let text = text.replace(&format!(", {line}"), "").replace(r#""both", "y", "x""#, r#""both", "y""#);
    let rsm = read(text.as_bytes(), LOOP, CHUNK).unwrap();
    let names: Vec<_> = rsm.ports(BoxId::new(0)).map(|port| rsm.vertex_name(port)).collect();
    assert_eq!(names, ["in", "both", "x", "y"]);
    assert_eq!(rsm.looped_dead_ends().len(), 1);
    assert_eq!(describe(&through_text(&rsm, LOOP)), describe(&rsm));
}

/// Boxes that each call one of many entries of a component with as many exits, of which some are
/// reached.
fn wide(boxes: usize, wide: usize, reached: usize) -> String {
    let nodes = (0..wide)
        .map(|i| format!(r#"{{"name": "e{i}", "is_entry": true}}, {{"name": "x{i}", "is_exit": true}}"#));
    let edges = (0..wide).map(|i| {
        format!(r#"{{"source": {{"name": "e{i}"}}, "targets": [{{"name": "x{}"}}]}}"#, i.min(reached))
    });
    let sites = (0..boxes).map(|i| format!(r#"{{"name": "b{i}", "component": "f"}}"#));
    let calls = (0..boxes).map(|i| format!(r#"{{"box_name": "b{i}", "node_name": "e{}"}}"#, i % wide));
    let join = |parts: &mut dyn Iterator<Item = String>| parts.collect::<Vec<_>>().join(",\n");
    format!(
        r#"{{"initial_component": "main", "components": [{{"name": "main",
        "nodes": [{{"name": "s", "is_entry": true}}], "boxes": [{}],
        "transitions": [{{"source": {{"name": "s"}}, "targets": [{}]}}]}},
        {{"name": "f", "nodes": [{}], "transitions": [{}]}}]}}"#,
        join(&mut { sites }),
        join(&mut { calls }),
        join(&mut { nodes }),
        join(&mut { edges }),
    )
}

#[test]
fn few_ports_of_many_are_searched() {
    let rsm = read(wide(300, 200, 1).as_bytes(), LOOP, CHUNK).unwrap();
    let mut found = 0;
    for site in rsm.boxes(rsm.initial_component()) {
        let ports = |index: fn(&Rsm, Vertex) -> Option<usize>, i: usize| {
            rsm.ports(site).find(|&port| index(&rsm, port) == Some(i))
        };
        for i in 0..200 {
            assert_eq!(rsm.call_port(site, i), ports(Rsm::entry_index, i));
            assert_eq!(rsm.return_port(site, i), ports(Rsm::exit_index, i));
            found += usize::from(rsm.call_port(site, i).is_some() || rsm.return_port(site, i).is_some());
        }
    }
    assert!(found > 300 && rsm.body.port_slots.is_empty(), "{found}");
}

#[test]
fn small_files_do_not_make_large_machines() {
    // 3000 boxes, 3000 entries and exits: 18 million slots, and 9 million missing returns
    let rsm = read(wide(3000, 3000, 0).as_bytes(), LOOP, CHUNK).unwrap();
    assert!(rsm.body.port_slots.is_empty());
    let text = wide(3000, 3000, 3000);
    let problems = read(text.as_bytes(), LOOP, CHUNK).unwrap_err();
    assert!(problems.sorted()[0].message.contains("too large: its boxes lack"), "{problems:?}");
    let problems = read(text.as_bytes(), Semantics::default(), CHUNK).unwrap_err();
    assert!(problems.sorted()[0].message.contains("has no edge for a return"), "{problems:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Bytes overwritten, removed and doubled: an answer, never a panic, and the same in all
    /// chunks.
    #[test]
    fn mutations_never_panic(
        changes in prop::collection::vec((0..2 * SMALL.len(), 0u8..3, 0usize..40, prop::num::u8::ANY), 1..6),
        chunk in 1usize..80,
    ) {
        let mut text = places::with_places().into_bytes();
        for (at, change, other, byte) in changes {
            let at = at % text.len();
            match change {
                0 => text[at] = if byte < 128 { b"{}[],:\"\\ntf0-.e 1"[other % 17] } else { byte },
                1 => { text.drain(at..(at + other).min(text.len() - 1).max(at)); }
                _ => text.insert(at, text[(at + other) % text.len()]),
            }
        }
        for semantics in [Semantics::default(), LOOP] {
            let whole = read(&text, semantics, CHUNK);
            match (whole, read(&text, semantics, chunk)) {
                (Ok(whole), Ok(parts)) => assert_eq!(describe(&through_text(&whole, semantics)), describe(&parts)),
                (Err(whole), Err(parts)) => assert_eq!(whole, parts),
                _ => panic!("the answer depends on the chunk"),
            }
        }
    }
}
