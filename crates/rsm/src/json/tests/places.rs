//! Places in sources: read, written, and malformed.

use super::super::CHUNK;
use super::errors::check;
use super::{LOOP, SMALL, describe, read, small, through_text, written};
use crate::{Rsm, Semantics};

const NODE: &str = r#""name": "m", "labels": [], "#;
const BOX: &str = r#""name": "c", "component": "nil""#;

/// `SMALL` with one place, of the node `m`.
fn with_place(place: &str) -> String {
    small(NODE, &format!(r#"{NODE}"source": {place}, "#))
}

/// `SMALL` with places of two nodes and a box.
pub(super) fn with_places() -> String {
    with_place(r#"{"column": 7, "file": "a dir/M\u00e4in.java", "line": 42, "kind": [1]}"#)
        .replacen(BOX, &format!(r#"{BOX}, "source": {{"line": 4294967295, "file": "C.java"}}"#), 1)
        .replacen(r#"{"name": "x","#, r#"{"source": {"line": 1, "file": "C.java"}, "name": "x","#, 1)
}

/// The places of all nodes and boxes, by name.
fn places(rsm: &Rsm) -> Vec<String> {
    let mut all = Vec::new();
    for component in rsm.components() {
        let nodes = rsm.nodes(component).map(|node| (rsm.vertex_name(node).into_owned(), rsm.place(node)));
        let boxes = rsm.boxes(component).map(|site| (rsm.box_name(site).to_owned(), rsm.box_place(site)));
        let placed = nodes.chain(boxes).filter_map(|(name, place)| Some(format!("{name} at {}", place?)));
        all.extend(placed);
    }
    all
}

#[test]
fn places_are_read_in_any_chunks_and_written_back() {
    let text = with_places();
    let expected = ["m at a dir/Mäin.java:42:7", "c at C.java:4294967295", "x at C.java:1"];
    for chunk in (1..=64).chain([CHUNK]) {
        let rsm = read(text.as_bytes(), Semantics::default(), chunk).unwrap();
        assert_eq!(places(&rsm), expected);
        // a place is nothing but a place
        assert_eq!(describe(&rsm), describe(&read(SMALL.as_bytes(), Semantics::default(), CHUNK).unwrap()));
        let back = through_text(&rsm, Semantics::default());
        assert_eq!(places(&back), expected);
    }
    let rsm = read(text.as_bytes(), LOOP, CHUNK).unwrap();
    let line = r#"{"name": "x", "is_entry": false, "is_exit": true, "labels": [], "source": {"file": "C.java", "line": 1}}"#;
    assert!(written(&rsm).contains(line), "{}", written(&rsm));
    assert_eq!(places(&rsm.rooted(rsm.initial_component())), expected);
}

#[test]
fn a_port_has_the_place_of_its_node() {
    let text = SMALL.replacen(r#"{"name": "x","#, r#"{"source": {"line": 3, "file": "f"}, "name": "x","#, 1);
    let rsm = read(text.as_bytes(), Semantics::default(), CHUNK).unwrap();
    let placed: Vec<String> = rsm
        .components()
        .flat_map(|component| rsm.vertices(component))
        .filter(|&vertex| rsm.place(vertex).is_some())
        .map(|vertex| {
            format!("{} {:?}", rsm.vertex_name(vertex), rsm.box_of(vertex).map(|b| rsm.box_name(b)))
        })
        .collect();
    assert_eq!(placed, [r#"x Some("b")"#, "x None"]);
}

#[test]
fn machines_without_places_hold_nothing_for_them() {
    let rsm = read(SMALL.as_bytes(), Semantics::default(), CHUNK).unwrap();
    assert_eq!((places(&rsm).len(), rsm.body.source_map.bytes_ahead(0)), (0, 0));
}

#[test]
fn wrong_places_are_located() {
    let number = "must be a whole number from 1 to 4294967295";
    let line = format!("the line of a source {number}");
    let column = format!("the column of a source {number}");
    let table: &[(&str, &str, &str)] = &[
        (r#""Main.java:42""#, "\"source\" must be an object, found a string", "\"Main.java:42\""),
        ("null", "\"source\" must be an object, found null", "null"),
        (r#"{"file": "f"}"#, "\"source\" has no \"line\"", "{\"file\": \"f\"}"),
        (r#"{"line": 3}"#, "\"source\" has no \"file\"", "{\"line\": 3}"),
        (r#"{"file": "", "line": 3}"#, "the file of a source must have a name", "\"\", \"line\""),
        (r#"{"file": 5, "line": 3}"#, "the file of a source must be a string, found a number", "5, "),
        (r#"{"file": "f", "line": "3"}"#, "the line of a source must be a number, found a string", "\"3\""),
        (r#"{"file": "f", "line": 0}"#, &line, "0}"),
        (r#"{"file": "f", "line": -3}"#, &line, "-3}"),
        (r#"{"file": "f", "line": 3.0}"#, &line, "3.0}"),
        (r#"{"file": "f", "line": 3e1}"#, &line, "3e1}"),
        (r#"{"file": "f", "line": 4294967296}"#, &line, "4294967296}"),
        (r#"{"file": "f", "line": 99999999999999999999999999}"#, &line, "999"),
        (r#"{"file": "f", "line": 3, "column": 0}"#, &column, "0}"),
        (
            r#"{"file": "f", "line": 3, "column": true}"#,
            "the column of a source must be a number, found a boolean",
            "true",
        ),
        (r#"{"file": "f", "line": 3, "line": 4}"#, "\"source\" has \"line\" twice", "\"line\": 4"),
        (r#"{"file": "f", "line": 3}, "source": {}"#, "a node has \"source\" twice", "\"source\": {}, "),
    ];
    for (place, message, at) in table {
        check(&with_place(place), &[(message, at)]);
    }
    let syntax = ("unexpected `3`, expected `,` or `}`", "3}");
    check(&with_place(r#"{"file": "f", "line": 03}"#), &[(&line, "03}"), syntax]);
    check(
        &small(BOX, &format!(r#"{BOX}, "source": 7"#)),
        &[("\"source\" must be an object, found a number", "7}")],
    );
}
