//! Where the system bounds the address space, running out of it is an answer: `unknown` with status
//! 3, or a message, never an abort. Each format is read and each engine works under bounds from
//! hardly enough to start up to what is plenty.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

/// Bounds on the address space, in MiB; the program itself takes some 24 of them.
const BOUNDS: [u32; 6] = [32, 36, 48, 72, 110, 1500];

/// Runs a call under a bound.
fn bounded(directory: &Path, bound: u32, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {}; exec \"$0\" \"$@\"", bound << 10)]);
    command.arg(env!("CARGO_BIN_EXE_loris")).args(arguments).current_dir(directory).output().unwrap()
}

/// Runs a call under each bound; the last one is asked for only if the call is `decided` under it.
fn check(directory: &Path, arguments: &[&str], decided: bool) {
    for bound in BOUNDS.into_iter().filter(|&bound| decided || bound < 1000) {
        let output = bounded(directory, bound, arguments);
        let (told, said) = (text(&output.stdout), text(&output.stderr));
        let what = format!("{arguments:?} in {bound} MiB: {:?}\n{told}{said}", output.status);
        match output.status.code() {
            Some(0 | 1) => {}
            Some(3) => assert!(format!("{told}{said}").contains("the memory limit was reached"), "{what}"),
            _ => panic!("{what}"),
        }
        let is_decided = matches!(output.status.code(), Some(0 | 1));
        assert!(bound < 1000 || is_decided, "{what}");
    }
}

/// Writes a generated model.
fn generate(directory: &Path, file: &str, arguments: &[&str]) {
    let path = directory.join(file);
    let arguments: Vec<&str> = arguments.iter().copied().chain(["-o", path.to_str().unwrap()]).collect();
    let output = loris(&arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn write(directory: &Path, file: &str, content: String) {
    std::fs::write(directory.join(file), content).unwrap();
}

const PROPERTY: &str = "A G (p -> E F q)";

fn large(directory: &Path, file: &str, edges: &str, more: &[&str]) {
    let labels = ["--label", "p=0.3", "--label", "q=0.2"];
    let model = ["generate", "large", "--edges", edges];
    generate(directory, file, &[&model[..], &labels, more].concat());
}

#[test]
fn models() {
    let at = &scratch("address_space_models");
    large(at, "m.rsm", "100000", &[]);
    for arguments in [
        &["check", "m.rsm", "-p", PROPERTY][..],
        &["check", "m.rsm", "-p", PROPERTY, "--jobs", "8"],
        &["info", "m.rsm"],
        &["reach", "m.rsm", "--to", "goal"],
        &["convert", "m.rsm", "m.pds"],
    ] {
        check(at, arguments, true);
    }
    generate(at, "g.pds", &["generate", "pds", "--rules", "60000"]);
    check(at, &["check", "g.pds", "-p", "E F ERR", "--unknown-atoms", "false"], true);
    let mut rules = "Rules:\ncsinit s0 -> c0 s0;\n".to_owned();
    // procedures of fifty symbols, each of which calls later ones
    for i in 0..30_000 {
        match i % 50 {
            49 => writeln!(rules, "c0 s{i} -> c0 _;"),
            7 | 20 => writeln!(rules, "c0 s{i} -> c0 s{} s{};", (i / 50 + 1 + i % 7) * 50 % 30_000, i + 1),
            _ => writeln!(rules, "c0 s{i} -> c0 s{};\nc0 s{i} -> c0 s{};", i + 1, i / 50 * 50),
        }
        .unwrap();
    }
    write(at, "g.pdmu", rules + "Propositions:\nc0 s5 p q;\n");
    check(at, &["check", "g.pdmu", "-p", "E F p"], true);
    let mut module =
        "MODULE main\nVAR x : 0..20000;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 20001;\nDEFINE\n"
            .to_owned();
    for i in 0..15_000 {
        writeln!(module, "  d{i} := x = {i} | x > {};", i + 5).unwrap();
    }
    write(at, "g.smv", module + "SPEC AG (d5 -> EF d14000)\n");
    check(at, &["check", "g.smv"], true);
    generate(at, "c.smv", &["generate", "smv-counters", "--states", "300000"]);
    check(at, &["check", "c.smv"], true);
}

#[test]
fn automata_and_properties() {
    let at = &scratch("address_space_automata");
    large(at, "s.rsm", "100", &["--nodes", "20", "--boxes", "2", "--exits", "2"]);
    let states = 4000;
    let mut hoa = format!(
        "HOA: v1\nStates: {states}\nStart: 0\nAP: 2 \"p\" \"q\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n"
    );
    let mut aut = format!("des (0,{},{states})\n", 2 * states);
    for i in 0..states {
        let (next, other) = ((i + 1) % states, (7 * i + 3) % states);
        writeln!(hoa, "State: {i}\n[0&1] {next}\n[!0|1] {other}\n[!1] {i}").unwrap();
        writeln!(aut, "({i},\"p\",{next})\n({i},\"q\",{other})").unwrap();
    }
    write(at, "a.hoa", hoa + "--END--\n");
    write(at, "a.aut", aut);
    check(at, &["check", "s.rsm", "--automaton", "a.hoa"], false);
    check(at, &["check", "s.rsm", "--with", "a.hoa", "-p", "p & E X q"], true);
    check(at, &["check", "s.rsm", "--with", "a.aut", "-p", "p & E X q"], true);
    write(at, "many.ctl", format!("{}p\n", "E X p & ".repeat(4000)).repeat(40));
    check(at, &["check", "s.rsm", "-f", "many.ctl"], true);
}

#[test]
fn engines() {
    let at = &scratch("address_space_engines");
    large(at, "m.rsm", "60000", &[]);
    large(at, "one.rsm", "30000", &["--exits", "1"]);
    for engine in ["ternary", "lazy", "eager", "random", "summary"] {
        check(at, &["check", "m.rsm", "-p", PROPERTY, "--engine", engine], true);
    }
    for engine in ["cont", "rks-eager", "rks-incremental", "rks-summary"] {
        check(at, &["check", "one.rsm", "-p", PROPERTY, "--engine", engine], true);
    }
    check(at, &["check", "m.rsm", "-p", "G (p -> F q)", "--logic", "ltl", "--evidence"], true);
    check(at, &["check", "m.rsm", "-p", PROPERTY, "--evidence"], true);
    check(at, &["check", "one.rsm", "-p", "A (G F p -> G F q)", "--logic", "ctl*"], true);
}

/// Questions that run out of their share of the memory on several threads are asked again.
#[test]
fn verdicts_do_not_depend_on_the_number_of_threads() {
    let at = &scratch("address_space_threads");
    generate(at, "parts", &["generate", "parts", "philosophers", "--parts", "10"]);
    let call = ["check", "parts/composition.par", "--logic", "mu", "-f", "parts/properties.mu", "-q"];
    for jobs in ["1", "6"] {
        let output = bounded(at, 500, &[&call[..], &["--engine", "game", "--jobs", jobs]].concat());
        let verdicts: Vec<&str> =
            text(&output.stdout).lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(verdicts, ["holds", "holds", "fails"], "{jobs} threads: {}", text(&output.stderr));
    }
}
