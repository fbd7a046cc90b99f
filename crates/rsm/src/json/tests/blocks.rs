//! Several threads read the same as one: the same numbers, the same problems.

use super::{SMALL, written};
use crate::generate::{LargeRsm, RandomRsm};
use crate::json::blocks::last_end;
use crate::json::{ReadError, read_in_chunks};
use crate::{DeadEnds, Rsm, Semantics};
use loris_base::{Budget, Exhausted, Idx, Rng};
use proptest::prelude::{ProptestConfig, prop, proptest};
use std::fmt::Write;

/// All that is in a machine, in the order of its numbers.
fn all(rsm: &Rsm) -> String {
    let mut text = format!("{:?} {:?}\n", rsm.initial_component(), rsm.initial());
    for label in 0..rsm.label_count() {
        writeln!(text, "{}", rsm.label_name(crate::LabelId::new(label))).unwrap();
    }
    for component in rsm.components() {
        let (entries, exits) = (rsm.entries(component), rsm.exits(component));
        writeln!(text, "{} {entries:?} {exits:?}", rsm.component_name(component)).unwrap();
        for site in rsm.boxes(component) {
            let ports: Vec<_> = rsm.ports(site).collect();
            let (callee, place) = (rsm.callee(site), rsm.box_place(site));
            writeln!(text, "{} {callee:?} {ports:?} {place:?}", rsm.box_name(site)).unwrap();
        }
        for vertex in rsm.vertices(component) {
            let labels: Vec<_> = rsm.labels_of(vertex).collect();
            let successors = rsm.successor_rows().row(vertex.index());
            let (name, kind, place) = (rsm.vertex_name(vertex), rsm.kind(vertex), rsm.place(vertex));
            writeln!(text, "{vertex:?} {name} {kind:?} {labels:?} {successors:?} {place:?}").unwrap();
        }
    }
    text
}

/// The result of reading a text: the machine, or its problems; and the bytes that stay declared for
/// it.
fn seen(text: &[u8], chunk: usize, budget: Budget) -> (String, usize) {
    let mut budget = budget;
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    match read_in_chunks(text, semantics, chunk, &mut budget) {
        Ok((rsm, remarks)) => (format!("{}{remarks:?}", all(&rsm)), budget.used()),
        Err(ReadError::Invalid(problems)) => (format!("{problems:?}"), 0),
        Err(ReadError::Exhausted(why)) => (why.to_string(), 0),
        Err(ReadError::Io(error)) => panic!("reading memory failed: {error}"),
    }
}

/// The same with one thread and with several, in blocks of several sizes.
fn check(text: &[u8]) {
    let expected = seen(text, 64, Budget::unlimited());
    for (chunk, threads) in [(8, 2), (64, 2), (64, 4), (1 << 10, 3)] {
        let found = seen(text, chunk, Budget::unlimited().with_threads(threads));
        assert_eq!(found, expected, "{threads} threads, chunks of {chunk}");
    }
}

fn machines() -> Vec<String> {
    let large = LargeRsm {
        edges: 4000,
        nodes_per_component: 20,
        boxes_per_component: 3,
        exits_per_component: 2,
        ..LargeRsm::default()
    };
    let mut all = vec![SMALL.to_owned(), written(&large.to_rsm(&mut Rng::new(3)))];
    for seed in 0..8 {
        all.push(written(&RandomRsm::paper(6).to_rsm(&mut Rng::new(seed))));
    }
    all
}

/// Gives nodes and boxes places in three files.
fn sourced(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (number, line) in lines.iter_mut().enumerate() {
        let object = line.contains("\"is_entry\"") || line.contains("\"call_nodes\"");
        if let (true, Some(end)) = (object && number % 2 == 0, line.rfind('}')) {
            let (file, line_number) = (number % 3, number + 1);
            let place = format!(", \"source\": {{\"file\": \"f{file}.c\", \"line\": {line_number}}}");
            line.insert_str(end, &place);
        }
    }
    lines.join("\n")
}

#[test]
fn machines_are_the_same() {
    for text in machines() {
        check(text.as_bytes());
        // names with escapes and without spaces between
        check(text.replace("\"c1", "\"\\u0063\\n\\\"ä1").as_bytes());
        check(text.replace([' ', '\n'], "").as_bytes());
        // every other node and box comes from some line
        check(sourced(&text).as_bytes());
        // a string that looks like the end of a component
        let name = r#"}, {\"name\": \"x\", \"nodes\": ["#;
        let labelled = text.replace("\"labels\": []", "\"labels\": [\"none\"]");
        check(labelled.replace("\"labels\": [", &format!("\"labels\": [\"{name}\", ")).as_bytes());
        // labels with the names of nodes and boxes
        check(labelled.replace("\"labels\": [", "\"labels\": [\"c3_n1\", \"b1\", \"c2\", ").as_bytes());
        let other = r#"{"x": [{}, {"nodes": []}], "name""#;
        check(text.replace("{\"name\"", other).as_bytes());
    }
}

#[test]
fn problems_are_the_same() {
    for text in machines() {
        let length = text.len();
        for place in (1..32).map(|part| part * length / 32) {
            let Some((before, after)) = text.split_at_checked(place) else { continue };
            check(before.as_bytes());
            for between in ["}", "{", "]", ",", "\"", "\\", "\u{1}", "]}", "},{", "null", "},{\"nodes\":[]}"]
            {
                check(format!("{before}{between}{after}").as_bytes());
            }
        }
        // components that come twice, and names that are nowhere
        let start = text.find("\"components\": [").unwrap() + "\"components\": [".len();
        let end = text.rfind(']').unwrap();
        let list = &text[start..end];
        check(format!("{}{list},{list}{}", &text[..start], &text[end..]).as_bytes());
        check(text.replacen("\"c7", "\"nowhere", 1).as_bytes());
    }
}

/// Where a text can be cut.
fn check_end(text: &str, expected: Option<&str>) {
    let end = last_end(text.as_bytes());
    assert_eq!(end.map(|end| &text[..end]), expected, "{text}");
}

#[test]
fn blocks_end_between_components() {
    check_end(
        r#"{"name": "a", "nodes": []}, {"name": "b", "nodes": ["#,
        Some(r#"{"name": "a", "nodes": []}"#),
    );
    check_end(r#"{"nodes": []} ,{"boxes":"#, Some(r#"{"nodes": []}"#));
    check_end(
        r#", {"name":"a","transitions":[{}]},{"name":"b","nodes":[{"name":"c","labels":["#,
        Some(r#", {"name":"a","transitions":[{}]}"#),
    );
    check_end(r#"{"name": "a", "nodes": [{"name": "b"}, {"name": "c"}, "#, None);
    check_end(r#"{"name": "a", "nodes": []}, {"name": "b", "no"#, None);
    check_end("", None);
}

#[test]
fn limits_hold() {
    let text = &machines()[1];
    let mut whole = Budget::new(None, Some(usize::MAX)).with_threads(2);
    read_in_chunks(text.as_bytes(), Semantics::default(), 64, &mut whole).unwrap();
    for part in 0..16 {
        let bytes = whole.peak() / 16 * part;
        let alone = seen(text.as_bytes(), 64, Budget::new(None, Some(bytes)));
        let together = seen(text.as_bytes(), 64, Budget::new(None, Some(bytes)).with_threads(2));
        assert_eq!(together, alone, "{bytes} bytes");
    }
    let late = Budget::new(Some(std::time::Duration::ZERO), None).with_threads(2);
    assert_eq!(seen(text.as_bytes(), 64, late).0, Exhausted::Time.to_string());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn mutations(
        machine in 0..10_usize,
        places in prop::collection::vec((0..1_usize << 20, prop::sample::select(&b"{}[],:\"\\ nx1\x00\xff"[..])), 1..4),
    ) {
        let mut text = machines().swap_remove(machine).into_bytes();
        for (place, byte) in places {
            let place = place % text.len();
            text[place] = byte;
        }
        check(&text);
    }
}
