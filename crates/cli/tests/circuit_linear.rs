//! Replay accepts the runs that refute LTL properties of a circuit, and no others.

#![allow(clippy::unwrap_used)]

mod common;

use common::scratch;
use common::smv::{path, run};

#[test]
fn lassos_of_circuits() {
    let folder = scratch("circuit_linear");
    let (file, forged) = (folder.join("evidence.json"), folder.join("forged.json"));
    let model = "examples/arbiter.aag";
    let properties = ["-p", "G F ack0", "-p", "F G (ack0 | req1)", "-p", "G !(ack0 & ack1)"];
    let written = ["check", model, "--logic", "ltl", "--evidence-file", path(&file)];
    let (out, errors, status) = run(&[&written[..], &properties].concat());
    assert_eq!(status, 1, "{out}{errors}");
    let text = std::fs::read_to_string(&file).unwrap();
    let check = |from: &str, to: &str, status: i32, expected: &str| {
        assert!(text.contains(from), "{from}: {text}");
        std::fs::write(&forged, text.replacen(from, to, 1)).unwrap();
        let (out, errors, found) = run(&["replay", model, path(&forged)]);
        assert_eq!(found, status, "{to}: {out}{errors}");
        assert!(format!("{out}{errors}").contains(expected), "{to}: {out}{errors}");
    };
    check("G F ack0", "G F ack0", 0, "ok: G F ack0 fails; shows E F G !ack0");
    check("G F ack0", "G F ack0", 0, "ok: F G (ack0 | req1) fails; shows");
    check("G F ack0", "G F ack0", 0, "ok: G !(ack0 & ack1) holds; shows A G !(ack0 & ack1) (an invariant");
    // a verdict that the run does not show, a claim that is false on it, and other steps
    check("\"property\": \"G F ack0\"", "\"property\": \"G F !ack0\"", 1, "refused");
    check("\"shows\":\"E F G !ack0\"", "\"shows\":\"E F G ack0\"", 1, "refused");
    check("\"verdict\": \"fails\"", "\"verdict\": \"holds\"", 2, "of the results, 2 have the verdict");
    check("\"ack0\":\"0\"", "\"ack0\":\"1\"", 1, "refused");
    check("\"req0\":\"0\"", "\"req0\":\"1\"", 1, "refused");
    check("\"loop\":{\"from\":1", "\"loop\":{\"from\":2", 1, "refused");
    check("\"!ack0 | !ack1\"", "\"!ack0 | !turn\"", 1, "refused");
}
