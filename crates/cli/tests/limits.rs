//! Limits hold in every engine and every reader: each works on an input that is far too large for
//! its time or its memory, or gets a signal, and ends soon, with status 3 and the reason.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long after its limit or a signal the program may go on. Tests run beside others.
const LATE: Duration = Duration::from_secs(3);

/// Calls with a limit on the time, which applies to reading and to work each.
const CALLS: [(&str, &[&str]); 33] = [
    (ENGINE, &["check", "chain.rsm", "-f", "nested.ctl", "--engine", "eager"]),
    (ENGINE, &["check", "chain.rsm", "-f", "nested.ctl", "--engine", "ternary"]),
    (ENGINE, &["check", "chain.rsm", "-f", "nested.ctl", "--engine", "random"]),
    (ENGINE, &["check", "one.rsm", "-f", "global.ctl", "--engine", "lazy"]),
    (ENGINE, &["check", "one.rsm", "-f", "global.ctl", "--engine", "summary"]),
    (ENGINE, &["check", "one.rsm", "-f", "global.ctl", "--engine", "pushdown"]),
    (ENGINE, &["check", "one.rsm", "-f", "global.ctl", "--engine", "cont"]),
    (ENGINE, &["check", "one.rsm", "-f", "global.ctl", "--engine", "rks-eager"]),
    (ENGINE, &["check", "one.rsm", "-f", "global.ctl", "--engine", "rks-incremental"]),
    (ENGINE, &["check", "one.rsm", "-f", "global.ctl", "--engine", "rks-summary"]),
    (ENGINE, &["check", "flat.rsm", "-f", "deep.ctl", "--engine", "fixpoint"]),
    // the translation of a formula to an automaton
    (ENGINE, &["check", "flat.rsm", "-f", "often.ltl", "--logic", "ltl", "--engine", "buchi"]),
    (ENGINE, &["check", "hash.aag", "-p", "A G !o0", "--engine", "omg"]),
    (ENGINE, &["check", "hash.aag", "-p", "A G !o0", "--engine", "pdr"]),
    (ENGINE, &["check", "hash.aag", "-p", "A G !o0", "--engine", "bmc"]),
    (ENGINE, &["check", "hash.aag", "-p", "A G !o0", "--engine", "bdd"]),
    (ENGINE, &["check", "hash.aag", "-p", "A G !o0"]),
    (ENGINE, &["check", "parts/composition.par", "-p", ENDLESS, "--logic", "mu", "--engine", "game"]),
    (ENGINE, &["check", "parts/composition.par", "-p", ENDLESS, "--logic", "mu", "--engine", "mdd"]),
    (ENGINE, &["check", "phil/composition.par", "-p", ENDLESS, "--logic", "mu", "--engine", "compositional"]),
    (ENGINE, &["check", "parts/composition.par", "-p", ENDLESS, "--logic", "mu", "--engine", "relevant"]),
    (ENGINE, &["check", "phil/composition.par", "-p", "G X true", "--logic", "ltl", "--engine", "lasso"]),
    (ENGINE, &["check", "counters.smv", "--engine", "fixpoint"]),
    // readers
    (OTHERS, &["info", "one.rsm"]),
    (OTHERS, &["info", "rules.pds"]),
    (OTHERS, &["info", "rules.pdmu"]),
    (OTHERS, &["check", "terms.smv"]),
    (OTHERS, &["info", "gates.aag"]),
    (OTHERS, &["info", "net.pnml"]),
    (OTHERS, &["check", "flat.rsm", "--automaton", "large.hoa"]),
    // other work
    (OTHERS, &["minimize", "ring.aut"]),
    (OTHERS, &["solve", "large.pg"]),
    (OTHERS, &["replay", "one.rsm", "evidence.json"]),
];

/// The time for the work of an engine on a small model, and for all else, in seconds.
const ENGINE: &str = "0.3";
const OTHERS: &str = "0.001";

/// After every step there is another one: a formula that sees silent steps.
const ENDLESS: &str = "nu X. (<><>true & []X)";

/// A folder with all inputs, made once.
fn inputs() -> &'static Path {
    static INPUTS: OnceLock<PathBuf> = OnceLock::new();
    INPUTS.get_or_init(|| {
        let at = scratch("limits");
        for (file, arguments) in [
            ("chain.rsm", &["chain", "--depth", "60", "--exits", "40"][..]),
            (
                "one.rsm",
                &["large", "--edges", "60000", "--label", "p=0.3", "--label", "q=0.2", "--exits", "1"],
            ),
            (
                "flat.rsm",
                &["large", "--edges", "60000", "--label", "p=0.3", "--label", "q=0.2", "--boxes", "0"],
            ),
            (
                "parts",
                &["parts", "random", "--parts", "40", "--states", "30", "--shared", "60", "--degree", "4"],
            ),
            ("phil", &["parts", "philosophers", "--parts", "24"]),
            ("counters.smv", &["smv-counters", "--states", "30000000"]),
            ("rules.pds", &["pds", "--rules", "200000"]),
            ("large.pg", &["game", "--nodes", "200000", "--priorities", "20"]),
        ] {
            let made = run(&at, &[&["generate"], arguments, &["-o", file]].concat());
            assert!(made.status.success(), "{}", text(&made.stderr));
        }
        let nested = |count, inner: String, around: fn(&str) -> String| {
            (0..count).fold(inner, |inner, _| around(&inner))
        };
        let write = |file: &str, content: String| std::fs::write(at.join(file), content).unwrap();
        write("nested.ctl", "E G (work -> E F (x0 & E F x1))\n".to_owned());
        let global = |inner: &str| format!("A G (p -> E F (q & E G (p | q | {inner})))");
        write("global.ctl", nested(400, "q".to_owned(), global) + "\n");
        let deep = |inner: &str| format!("E F (p & E X (q | E G (q | A X ({inner}))))");
        let deep = (0..12).map(|steps| nested(290, "A X ".repeat(steps) + "q", deep));
        write("deep.ctl", deep.collect::<Vec<_>>().join(" & ") + "\n");
        let often: Vec<String> = (0..16).map(|at| format!("G F (p & {}q)", "X ".repeat(at))).collect();
        write("often.ltl", format!("!({})\n", often.join(" & ")));
        write("hash.aag", hash(24));
        write("gates.aag", gates(200_000));
        write("rules.pdmu", rules(100_000));
        let terms = (0..100_000).fold(String::new(), |mut terms, i| {
            writeln!(terms, "  d{i} := x = {} | x > {};", i % 20_000, i % 20_000 + 5).unwrap();
            terms
        });
        write(
            "terms.smv",
            format!("MODULE main\nVAR x : 0..20000;\nDEFINE\n{terms}SPEC AG (d5 -> EF d14000)\n"),
        );
        write("net.pnml", net(20_000));
        write("large.hoa", automaton(100_000));
        let ring = (0..200_000).map(|i| format!("({i},\"{}\",{})\n", i % 7 / 6, (i + 1) % 200_000));
        write("ring.aut", "des (0,200000,200000)\n".to_owned() + &ring.collect::<String>());
        write("many.ctl", "E F (p & E X (q & E X p))\n".repeat(50));
        let made = run(&at, &["check", "one.rsm", "-f", "many.ctl", "--evidence-file", "evidence.json"]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
        at
    })
}

/// A circuit that multiplies two registers, which inputs change, and adds the product to a third:
/// no engine finds out within any time to speak of whether that is ever one certain number.
fn hash(bits: usize) -> String {
    let mut gates: Vec<[usize; 3]> = Vec::new();
    let first = 6 * bits + 1;
    let and = |a: usize, b: usize, gates: &mut Vec<[usize; 3]>| {
        gates.push([2 * (first + gates.len()), a, b]);
        gates[gates.len() - 1][0]
    };
    let or = |a: usize, b: usize, gates: &mut Vec<[usize; 3]>| and(a ^ 1, b ^ 1, gates) ^ 1;
    let xor = |a: usize, b: usize, gates: &mut Vec<[usize; 3]>| {
        let (only_a, only_b) = (and(a, b ^ 1, gates), and(a ^ 1, b, gates));
        or(only_a, only_b, gates)
    };
    let variables = |from: usize, count: usize| (from + 1..=from + count).map(|var| 2 * var);
    let inputs: Vec<usize> = variables(0, 2 * bits).collect();
    let factors: Vec<usize> = variables(2 * bits, 2 * bits).collect();
    let sum: Vec<usize> = variables(4 * bits, 2 * bits).collect();
    let mut next = sum.clone();
    for (row, &a) in factors[..bits].iter().enumerate() {
        let mut carry = 0;
        for (at, sum) in next[row..].iter_mut().enumerate() {
            let b = factors[bits..].get(at).map_or(0, |&b| and(a, b, &mut gates));
            let half = xor(*sum, b, &mut gates);
            let (both, passed) = (and(*sum, b, &mut gates), and(half, carry, &mut gates));
            *sum = xor(half, carry, &mut gates);
            carry = or(both, passed, &mut gates);
        }
    }
    let changed: Vec<usize> = factors.iter().zip(&inputs).map(|(&of, &by)| xor(of, by, &mut gates)).collect();
    let target =
        sum.iter().enumerate().fold(1, |all, (at, &bit)| and(all, bit ^ (at * at / 3 % 2), &mut gates));
    let (latches, count) = (4 * bits, gates.len());
    let mut file = format!("aag {} {} {latches} 1 {count}\n", first - 1 + count, inputs.len());
    for input in &inputs {
        writeln!(file, "{input}").unwrap();
    }
    for (now, next) in factors.iter().chain(&sum).zip(changed.iter().chain(&next)) {
        writeln!(file, "{now} {next}").unwrap();
    }
    writeln!(file, "{target}").unwrap();
    for [to, a, b] in &gates {
        writeln!(file, "{to} {a} {b}").unwrap();
    }
    file
}

/// A circuit of this many gates.
fn gates(count: usize) -> String {
    let mut file = format!("aag {} 1 1 1 {count}\n2\n4 {}\n{}\n", count + 2, 2 * count, 2 * count + 4);
    for i in 0..count {
        writeln!(file, "{} {} {}", 2 * (i + 3), 2 * (i + 2), (7 * i) % (2 * i + 4) + 2).unwrap();
    }
    file
}

/// A pushdown system with procedures of fifty symbols each.
fn rules(count: usize) -> String {
    let mut rules = "Rules:\ncsinit s0 -> c0 s0;\n".to_owned();
    for i in 0..count {
        match i % 50 {
            49 => writeln!(rules, "c0 s{i} -> c0 _;"),
            7 | 20 => writeln!(rules, "c0 s{i} -> c0 s{} s{};", (i / 50 + 1 + i % 7) * 50 % count, i + 1),
            _ => writeln!(rules, "c0 s{i} -> c0 s{};", i + 1),
        }
        .unwrap();
    }
    rules + "Propositions:\nc0 s5 p q;\n"
}

/// A net in which tokens go round.
fn net(places: usize) -> String {
    let mut file = "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" \
                    type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"p\">"
        .to_owned();
    for i in 0..places {
        let token = u8::from(i % 10 == 0);
        write!(file, "<place id=\"p{i}\"><initialMarking><text>{token}</text></initialMarking></place>")
            .unwrap();
        write!(file, "<transition id=\"t{i}\"/><arc id=\"a{i}\" source=\"p{i}\" target=\"t{i}\"/>").unwrap();
        write!(file, "<arc id=\"b{i}\" source=\"t{i}\" target=\"p{}\"/>", (i + 1) % places).unwrap();
    }
    file + "</page></net></pnml>"
}

/// An automaton with this many states.
fn automaton(states: usize) -> String {
    let mut file = format!(
        "HOA: v1\nStates: {states}\nStart: 0\nAP: 2 \"p\" \"q\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n"
    );
    for i in 0..states {
        writeln!(file, "State: {i}\n[0&1] {}\n[!0|1] {}", (i + 1) % states, (7 * i + 3) % states).unwrap();
    }
    file + "--END--\n"
}

fn run(directory: &Path, arguments: &[&str]) -> Output {
    loris(arguments).current_dir(directory).output().unwrap()
}

/// Whether a call ended because of a limit.
fn is_cut(call: &[&str], ended: &Output, reason: &str) {
    let told = text(&ended.stdout).to_owned() + text(&ended.stderr);
    let start: String = told.chars().take(300).collect();
    assert_eq!(ended.status.code(), Some(3), "{call:?}: {start}");
    assert!(told.contains(reason), "{call:?}: {start}");
    // a model that cannot be read in time is an error where there is no property yet
    assert!(call[0] != "check" || told.contains("unknown") || told.contains("error"), "{call:?}: {start}");
}

#[test]
fn all_engines_are_asked() {
    for engine in loris_check::ENGINES {
        let is_asked = |(_, call): &(&str, &[&str])| call.ends_with(&["--engine", engine.name]);
        assert!(CALLS.iter().any(is_asked), "{}", engine.name);
    }
}

#[test]
fn time_limits() {
    for (limit, call) in CALLS {
        let (start, seconds) = (Instant::now(), limit.parse::<f64>().unwrap());
        let ended = run(inputs(), &[call, &["--timeout", limit]].concat());
        let late = start.elapsed().saturating_sub(Duration::from_secs_f64(2.0 * seconds));
        is_cut(call, &ended, "the time limit was reached");
        assert!(late < LATE, "{call:?}: {late:?}");
    }
}

fn terminate(child: &Child) {
    let sent = Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn signals() {
    // reading is ended by other means (`signals.rs`)
    for (limit, call) in CALLS.into_iter().filter(|(limit, _)| *limit == ENGINE) {
        let child = loris(call).current_dir(inputs()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs_f64(2.0 * limit.parse::<f64>().unwrap()));
        terminate(&child);
        let start = Instant::now();
        let ended = child.wait_with_output().unwrap();
        let late = start.elapsed();
        is_cut(call, &ended, "interrupted");
        assert!(late < LATE, "{call:?}: {late:?}");
    }
}

/// Limits on the memory, in MiB, and calls that need far more.
const LARGE: [(u64, &[&str]); 7] = [
    (100, &["check", "chain.rsm", "-f", "nested.ctl", "--engine", "eager"]),
    (40, &["check", "counters.smv", "--engine", "fixpoint"]),
    (100, &["check", "parts/composition.par", "-p", ENDLESS, "--logic", "mu", "--engine", "mdd"]),
    (100, &["check", "phil/composition.par", "-p", ENDLESS, "--logic", "mu", "--engine", "compositional"]),
    (100, &["check", "parts/composition.par", "-p", ENDLESS, "--logic", "mu", "--engine", "relevant"]),
    (40, &["check", "parts/composition.par", "-p", ENDLESS, "--logic", "mu", "--engine", "game"]),
    (60, &["check", "phil/composition.par", "-p", "G X true", "--logic", "ltl", "--engine", "lasso"]),
];

/// What a process with hardly anything to do has in memory, in MiB: most of it is code.
const CODE: u64 = 24;

/// The most that a process has had in memory so far, in MiB.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? >> 10)
}

#[test]
fn memory_limits() {
    for (limit, call) in LARGE {
        let size = limit.to_string();
        let arguments = [call, &["--memory", &size]].concat();
        let mut child = loris(&arguments).current_dir(inputs()).spawn().unwrap();
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            most = peak(&child).unwrap_or(0).max(most);
            std::thread::sleep(Duration::from_millis(1));
        }
        is_cut(call, &child.wait_with_output().unwrap(), "the memory limit was reached");
        // a table that doubles may not fit while it would be moved, and on a busy machine the last
        // moments of a process are missed
        assert!(3 * most >= 2 * limit && 5 * most <= 6 * limit + 5 * CODE, "{arguments:?}: {most} MiB");
    }
}

/// The verdicts of a call with this many threads, after a command of the shell.
fn verdicts(shell: &str, call: &[&str], jobs: &str) -> Vec<String> {
    let output = Command::new("sh")
        .args(["-c", &format!("{shell} exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_loris")])
        .args(call)
        .args(["--jobs", jobs])
        .current_dir(inputs())
        .output()
        .unwrap();
    let words = text(&output.stdout).lines().filter_map(|line| line.split_whitespace().next());
    let is_verdict = |word: &&str| ["holds", "fails", "unknown"].contains(word);
    words.filter(is_verdict).map(str::to_owned).collect()
}

/// Questions that run out of memory beside others are asked again alone.
#[test]
fn verdicts_do_not_depend_on_threads() {
    for count in ["9", "10"] {
        let made = run(inputs(), &["generate", "parts", "philosophers", "--parts", count, "-o", count]);
        assert!(made.status.success(), "{}", text(&made.stderr));
    }
    let ten = ["check", "10/composition.par", "-f", "10/properties.mu", "--logic", "mu", "--engine", "game"];
    assert_eq!(verdicts("ulimit -v 500000;", &ten, "6"), ["holds", "holds", "fails"]);
    let nine = ["check", "9/composition.par", "-f", "9/properties.mu", "--logic", "mu", "--engine", "game"];
    let nine = [&nine[..], &["--memory", "30"]].concat();
    let alone = verdicts("", &nine, "1");
    assert_eq!((alone.len(), alone[0].as_str()), (3, "unknown"));
    for jobs in ["2", "6"] {
        assert_eq!(verdicts("", &nine, jobs), alone, "{jobs} threads");
    }
}

/// How much of the code of the program is in memory when somebody looks is a matter of chance; what
/// is allocated for these properties is not, and fits in.
/// Needs: ../shared/benchmarks/iimc-ctl
#[test]
fn small_limits_are_about_what_is_allocated() {
    let Some(folder) = loris_testing::benchmarks("iimc-ctl") else { return };
    let file = |name: &str| folder.join(name).display().to_string();
    let (circuit, properties) = (file("syncarb.aig"), file("syncarb.ctl"));
    let call = ["check", &circuit, "-f", &properties, "--engine", "bdd"];
    let expected = verdicts("", &call, "1");
    assert!(expected.len() == 96 && !expected.contains(&"unknown".to_owned()), "{expected:?}");
    let small = [&call[..], &["--memory", "6M"]].concat();
    for jobs in ["1", "1", "2", "6"] {
        assert_eq!(verdicts("", &small, jobs), expected, "{jobs} threads");
    }
}
