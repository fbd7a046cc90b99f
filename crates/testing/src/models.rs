//! Random models as files: small, and with all that may let answers differ, such as several initial
//! states, runs that end, fairness, and inputs that some properties mention and others do not.

use crate::formulas::Atoms;
use loris_base::Rng;
use loris_rsm::generate::RandomRsm;
use loris_rsm::write_rsm_json;
use std::fmt::Write;
use std::path::Path;

/// Writes a file of a folder, and returns its path.
fn written(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn labels(names: &[&str]) -> Atoms {
    Atoms { labels: names.iter().map(|&name| name.to_owned()).collect(), actions: Vec::new(), is_smv: false }
}

/// A recursive state machine.
pub fn machine(folder: &Path, rng: &mut Rng) -> (Vec<String>, Atoms) {
    let names = ["p", "q", "r"];
    let rates = names.map(|name| (name.to_owned(), 0.4)).to_vec();
    let shape = RandomRsm {
        components: 4,
        boxes: 2,
        nodes: 7,
        entries: 0.3,
        exits: 0.3,
        labels: rates,
        density: 0.3,
    };
    let mut text = Vec::new();
    write_rsm_json(&shape.to_rsm(rng), &mut text).unwrap();
    (vec![written(folder, "m.rsm", &String::from_utf8(text).unwrap())], labels(&names))
}

/// A pushdown system; every symbol is rewritten in some way.
pub fn pushdown(folder: &Path, rng: &mut Rng) -> (Vec<String>, Atoms) {
    let symbols = 4 + rng.below(5);
    let mut rules = String::from("(q <s0>)\n");
    for atom in ["p", "q", "r"] {
        let carriers: Vec<String> =
            (0..symbols).filter(|_| rng.chance(0.4)).map(|symbol| format!("<s{symbol}>")).collect();
        // an atom that nothing carries is a slip
        let carriers = if carriers.is_empty() { "<s0>".to_owned() } else { carriers.join(", ") };
        writeln!(rules, "ATOMS {atom} {carriers}").unwrap();
    }
    for symbol in 0..symbols {
        for _ in 0..=rng.below(3) {
            let (a, b) = (rng.below(symbols), rng.below(symbols));
            let to = match rng.below(5) {
                0 => String::new(),
                1 => format!("s{a} s{b}"),
                _ => format!("s{a}"),
            };
            writeln!(rules, "q <s{symbol}> --> q <{to}>").unwrap();
        }
    }
    (vec![written(folder, "m.pds", &rules)], labels(&["p", "q", "r"]))
}

/// An SMV model of four Booleans and a number; if `ends`, runs may end and fairness may restrict
/// them, which not all engines take.
pub fn smv(folder: &Path, rng: &mut Rng, ends: bool) -> (Vec<String>, Atoms) {
    let names = ["a", "b", "c", "d"];
    let mut text = String::from(
        "MODULE main\nVAR a : boolean; b : boolean; c : boolean; d : boolean; x : 0..3;\nASSIGN\n",
    );
    let literal = |rng: &mut Rng| format!("{}{}", ["", "!"][rng.below(2)], names[rng.below(4)]);
    let operation = |rng: &mut Rng| ["&", "|", "xor", "<->"][rng.below(4)];
    for name in names {
        if rng.chance(0.7) {
            writeln!(text, "init({name}) := {};", ["TRUE", "FALSE"][rng.below(2)]).unwrap();
        }
        let value = match rng.below(4) {
            0 => "{TRUE, FALSE}".to_owned(),
            1 => literal(rng),
            2 => format!("{} {} {}", literal(rng), operation(rng), literal(rng)),
            _ => continue,
        };
        writeln!(text, "next({name}) := {value};").unwrap();
    }
    writeln!(text, "init(x) := {};", rng.below(3)).unwrap();
    let condition = literal(rng);
    writeln!(text, "next(x) := case {condition} & x < 3 : x + 1; TRUE : {{x, 0}}; esac;").unwrap();
    if ends {
        if rng.chance(0.5) {
            writeln!(text, "TRANS x != 3 | {};", literal(rng)).unwrap();
        }
        for _ in 0..rng.below(3) {
            let (often, then) = (literal(rng), literal(rng));
            let line = if rng.chance(0.7) {
                format!("FAIRNESS {often} | x = {};", rng.below(4))
            } else {
                format!("COMPASSION ({often}, {then});")
            };
            writeln!(text, "{line}").unwrap();
        }
    }
    let atoms = ["a", "b", "c", "d", "x = 1", "x > 1", "x = 3"];
    (vec![written(folder, "m.smv", &text)], Atoms { is_smv: true, ..labels(&atoms) })
}

/// A circuit with gates over inputs and latches, outputs, bad states and constraints; if `fair`,
/// also with fairness, which not all engines take.
pub fn circuit(folder: &Path, rng: &mut Rng, fair: bool) -> (Vec<String>, Atoms) {
    let (inputs, latches, gates) = (1 + rng.below(3), 1 + rng.below(4), rng.below(7));
    let constraints = if rng.chance(0.4) { 1 + rng.below(2) } else { 0 };
    let fairness = usize::from(fair && rng.chance(0.3));
    let (outputs, bad) = (rng.below(3), 1);
    let known = inputs + latches + gates;
    let any = |rng: &mut Rng, known: usize| 2 * (1 + rng.below(known)) + rng.below(2);
    let mut text =
        format!("aag {known} {inputs} {latches} {outputs} {gates} {bad} {constraints} 0 {fairness}\n");
    for input in 1..=inputs {
        writeln!(text, "{}", 2 * input).unwrap();
    }
    for latch in inputs + 1..=inputs + latches {
        let reset = ["0".to_owned(), "0".to_owned(), "1".to_owned(), (2 * latch).to_string()];
        writeln!(text, "{} {} {}", 2 * latch, any(rng, known), reset[rng.below(4)]).unwrap();
    }
    for _ in 0..outputs + bad {
        writeln!(text, "{}", any(rng, known)).unwrap();
    }
    for _ in 0..constraints {
        // one that holds often, so that runs go on: an operand of a gate may be a constant
        writeln!(text, "{}", any(rng, known) | 1).unwrap();
    }
    for _ in 0..fairness {
        writeln!(text, "{}", any(rng, known)).unwrap();
    }
    for gate in inputs + latches + 1..=known {
        writeln!(text, "{} {} {}", 2 * gate, any(rng, gate - 1), any(rng, gate - 1)).unwrap();
    }
    let mut names: Vec<String> = (0..inputs).map(|at| format!("i{at}")).collect();
    names.extend((0..latches).map(|at| format!("l{at}")));
    names.extend((0..outputs).map(|at| format!("o{at}")));
    names.extend((0..constraints).map(|at| format!("c{at}")));
    names.push("b0".to_owned());
    (vec![written(folder, "m.aag", &text)], Atoms { labels: names, actions: Vec::new(), is_smv: false })
}

/// Kripke structures that run in parallel, with labels that two of them share.
pub fn kripke_structures(folder: &Path, rng: &mut Rng) -> (Vec<String>, Atoms) {
    let parts = 2 + rng.below(2);
    let mut files = Vec::new();
    for part in 0..parts {
        let states = 2 + rng.below(3);
        let mut names = String::new();
        let mut steps = Vec::new();
        for state in 0..states {
            let own = rng.chance(0.5);
            let shared = rng.chance(0.5) || state == 0;
            write!(
                names,
                "{}{{\"name\": \"{state}\", \"labels\": {{\"a{part}\": {own}, \"shared\": {shared}}}}}",
                if state == 0 { "" } else { ", " }
            )
            .unwrap();
            for _ in 0..=rng.below(3) {
                steps.push(format!("[\"{state}\", \"{}\"]", rng.below(states)));
            }
        }
        steps.sort();
        steps.dedup();
        let text = format!(
            "{{\"kind\": \"kripke\", \"name\": \"k{part}\", \"initial\": \"0\", \"states\": [{names}], \"steps\": [{}]}}",
            steps.join(", ")
        );
        files.push(written(folder, &format!("k{part}.kmts"), &text));
    }
    let mut names: Vec<String> = (0..parts).map(|part| format!("a{part}")).collect();
    names.push("shared".to_owned());
    (files, Atoms { labels: names, actions: Vec::new(), is_smv: false })
}

/// Labelled transition systems that synchronise on common actions.
pub fn transition_systems(folder: &Path, rng: &mut Rng) -> (Vec<String>, Atoms) {
    let parts = 2 + rng.below(2);
    let mut files = Vec::new();
    let mut all = std::collections::BTreeSet::new();
    for part in 0..parts {
        let states = 2 + rng.below(4);
        let mut steps = Vec::new();
        for from in 0..states {
            for _ in 0..=rng.below(3) {
                let action = match rng.below(3) {
                    0 => "both".to_owned(),
                    1 => format!("own{part}"),
                    _ => format!("other{}", rng.below(2)),
                };
                steps.push(format!("({from}, \"{action}\", {})", rng.below(states)));
                all.insert(action);
            }
        }
        let text = format!("des (0, {}, {states})\n{}\n", steps.len(), steps.join("\n"));
        files.push(written(folder, &format!("t{part}.aut"), &text));
    }
    (files, Atoms { labels: Vec::new(), actions: all.into_iter().collect(), is_smv: false })
}
