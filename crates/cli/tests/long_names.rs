//! Names of more than a mebibyte are in a file by mistake: every format refuses them where they
//! stand.
#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};

/// Checks a file against a small model, or as a model, and expects this place of the name.
fn check(file: &str, content: &str, arguments: &[&str], place: &str) {
    let path = scratch(&format!("long_names_{file}")).join(file);
    std::fs::write(&path, content.replace("NAME", &"x".repeat(2 << 20))).unwrap();
    let path = path.to_str().unwrap();
    let arguments: Vec<&str> =
        arguments.iter().map(|&argument| if argument == "FILE" { path } else { argument }).collect();
    let output = loris(&arguments).output().unwrap();
    let said = text(&output.stderr);
    let first = said.lines().next().unwrap_or_default();
    assert_eq!(output.status.code(), Some(2), "{first}");
    assert!(first.contains(&format!("{file}:{place}: error: this ")), "{first}");
    assert!(first.ends_with(" is longer than 1 MiB"), "{first}");
}

#[test]
fn long_names_are_refused() {
    let model = ["check", "FILE", "-p", "true"];
    check("a.rsm", "{\"initial_component\": \"NAME\"}", &model, "1:23");
    check("a.pds", "(p <a>)\np <a> --> p <NAME>\n", &model, "2:14");
    check("labels.pds", "(p <a>)\np <a> --> p <a>\nATOMS NAME p\n", &model, "3:7");
    check("a.pdmu", "Rules:\ncsinit a -> NAME a;\n", &model, "2:13");
    check("a.smv", "MODULE main\nVAR NAME : boolean;\n", &model, "2:5");
    check("quoted.smv", "MODULE main\nVAR \"NAME\" : boolean;\n", &model, "2:5");
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"NAME\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0\n--END--\n";
    check("a.hoa", hoa, &["check", "examples/fig3.rsm", "--automaton", "FILE"], "4:7");
    let aut = "des (0,1,1)\n(0,\"NAME\",0)\n";
    check("a.aut", aut, &["check", "examples/fig3.rsm", "--with", "FILE", "-p", "true"], "2:4");
    check("a.ctl", "true\nNAME\n", &["check", "examples/fig3.rsm", "-f", "FILE"], "2:1");
}
