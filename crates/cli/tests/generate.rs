//! What `loris generate` writes, `loris check` reads, whatever the seed and the size.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};

/// Generates with each seed, and reads the result in a call that ends with it.
fn check(kind: &[&str], ending: &str, seeds: std::ops::Range<u64>, read: &[&str]) {
    let file = scratch(&format!("generate_{}", kind.join("_"))).join(format!("made.{ending}"));
    let file = file.to_str().unwrap();
    for seed in seeds {
        let seed = seed.to_string();
        let made = loris(&[&["generate"], kind, &["--seed", &seed, "-o", file]].concat()).output().unwrap();
        assert_eq!(made.status.code(), Some(0), "{kind:?} --seed {seed}: {}", text(&made.stderr));
        let used = loris(&[read, &[file]].concat()).output().unwrap();
        let (out, errors) = (text(&used.stdout), text(&used.stderr));
        assert!(matches!(used.status.code(), Some(0 | 1)), "{kind:?} --seed {seed}: {out}{errors}");
    }
}

#[test]
fn pushdown_systems() {
    for rules in ["1", "2", "10", "27", "50", "100", "200", "201", "500", "1000", "3000"] {
        for more in [&[][..], &["--exits", "3"], &["--least", "1", "--most", "1"], &["--calls", "1"]] {
            let kind = [&["pds", "--rules", rules], more].concat();
            check(&kind, "pds", 0..6, &["check", "-q", "-p", "E F goal"]);
        }
    }
    check(&["pds", "--rules", "200"], "pds", 0..40, &["check", "-q", "-p", "E F goal"]);
    check(&["pds", "--rules", "300", "--exits", "20", "--calls", "0"], "pds", 0..5, &["info"]);
}

#[test]
fn machines() {
    let ask = &["check", "-q", "--unknown-atoms", "false", "-p", "E F a"];
    for paper in ["1", "2", "3", "7"] {
        check(&["rsm", "--paper", paper], "rsm", 0..5, ask);
    }
    check(&["rsm", "--components", "1", "--boxes", "0", "--nodes", "1"], "rsm", 0..3, ask);
    check(&["rsm", "--components", "0", "--nodes", "0", "--density", "0"], "rsm", 0..3, ask);
    check(&["rsm", "--entries", "1", "--exits", "1"], "rsm", 0..3, ask);
    for edges in ["0", "1", "100", "5000"] {
        check(&["large", "--edges", edges], "rsm", 0..4, ask);
        check(&["large", "--edges", edges, "--nodes", "1", "--exits", "0"], "rsm", 0..4, ask);
    }
    for size in ["0", "1", "2", "9"] {
        check(&["staggered", "--exits", size], "rsm", 0..1, ask);
        check(&["staggered", "--exits", size, "--entries"], "rsm", 0..1, ask);
        check(&["ladder", "--components", size], "rsm", 0..1, ask);
        check(&["choices", "--depth", size], "rsm", 0..1, ask);
        check(&["sequence", "--calls", size, "--callees", "3"], "rsm", 0..1, ask);
    }
    for depth in ["0", "1", "6"] {
        for exits in ["0", "1", "5"] {
            check(&["chain", "--depth", depth, "--exits", exits], "rsm", 0..3, ask);
            check(&["chain", "--depth", depth, "--exits", exits, "--recursive"], "rsm", 0..3, ask);
        }
    }
}

#[test]
fn formulas() {
    let model = "examples/dataflow.rsm";
    for (kind, logic) in [("ctl", "ctl"), ("ltl", "ltl"), ("ctlstar", "ctl*")] {
        let ask = &["check", model, "-q", "--unknown-atoms", "false", "--logic", logic, "-f"];
        check(&[kind, "--count", "20"], "properties", 0..5, ask);
        check(
            &[kind, "--count", "5", "--atom", "", "--atom", "ag", "--atom", "a \"b\\"],
            "properties",
            0..5,
            ask,
        );
    }
    let ask = &["check", model, "-q", "--unknown-atoms", "false", "-f"];
    check(&["ctl", "--count", "5", "--depth", "0", "--branching", "1"], "ctl", 0..3, ask);
}

#[test]
fn modules() {
    let ask = &["check", "-q"];
    for states in ["1", "2", "40"] {
        check(&["smv", "--states", states, "--properties", "5", "--labels", "3"], "smv", 0..4, ask);
    }
    for modules in ["1", "3"] {
        let kind =
            ["smv-recursive", "--modules", modules, "--locations", "4", "--calls", "2", "--labels", "2"];
        check(&kind, "smv", 0..6, ask);
    }
}

/// Families that no seed chooses, with the verdicts of their properties.
#[test]
fn families() {
    let file = scratch("generate_families").join("made.smv");
    let file = file.to_str().unwrap();
    let check = |kind: &str, expected: &str| {
        let words: Vec<&str> = kind.split(' ').chain(["-o", file]).collect();
        let made = loris(&[&["generate"], &words[..]].concat()).output().unwrap();
        assert_eq!(made.status.code(), Some(0), "{kind}: {}", text(&made.stderr));
        let used = loris(&["check", file]).output().unwrap();
        let words = text(&used.stdout);
        let verdicts: Vec<&str> = words.lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(verdicts[..verdicts.len() - 1].join(" "), expected, "{kind}: {}", text(&used.stderr));
    };
    for states in ["1", "2", "30"] {
        check(&format!("smv-counters --states {states}"), "holds holds holds fails");
    }
    for spelling in ["assign", "or", "implies", "case"] {
        for variables in ["1", "2", "9"] {
            check(&format!("smv-guards --variables {variables} --spelling {spelling}"), "holds holds");
        }
    }
    check("smv-fair --conditions 1", "holds holds holds");
    check("smv-fair --conditions 1 --compassion", "holds holds holds");
    check("smv-fair --conditions 7", "holds holds fails");
    check("smv-fair --conditions 7 --compassion", "holds holds fails");
    check("smv-free --variables 1 --values 2", "holds fails");
    check("smv-free --variables 3 --values 4", "holds fails");
}

#[test]
fn automata() {
    let ask = &["check", "examples/dataflow.rsm", "-q", "--unknown-atoms", "false", "--automaton"];
    for states in ["1", "2", "70"] {
        for density in ["0", "0.1", "1"] {
            check(&["automaton", "--states", states, "--density", density], "hoa", 0..3, ask);
        }
    }
    check(&["automaton", "--states", "3", "--atom", "a \"b\\ c"], "hoa", 0..3, ask);
}
