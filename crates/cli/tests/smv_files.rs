//! Files that say the same after a conversion, from SMV and to it, and files that are generated.

#![allow(clippy::unwrap_used)]

mod common;

use common::scratch;
use common::smv::{MODES, examples, json, path, printed, run, word};

#[test]
fn verdicts_survive_conversions() {
    let folder = scratch("smv_round_trips");
    let there = folder.join("there.smv");
    for model in examples() {
        let mut modules: Vec<String> = Vec::new();
        let report = json(&["check", &model, "--format", "json"]);
        for result in report["results"].as_array().unwrap() {
            modules.push(word(result, "module").to_owned());
        }
        modules.dedup();
        for module in &modules {
            printed(&["convert", &model, path(&there), "--module", module]);
            for mode in MODES {
                let verdicts = |model: &str, more: &[&str]| -> Vec<String> {
                    let check = ["check", model, "--at-exit", mode, "-q"];
                    let out = printed(&[&check[..], more].concat());
                    out.lines().map(|line| line[..7].to_owned()).collect()
                };
                let expected = verdicts(&model, &["--module", module]);
                assert_eq!(verdicts(path(&there), &[]), expected, "{model} {module} {mode}");
            }
        }
    }
}

#[test]
fn properties_go_along_into_pushdown_systems() {
    let folder = scratch("smv_as_pds");
    let there = folder.join("there.pds");
    for model in examples().iter().filter(|model| !model.ends_with("/listing5_2.smv")) {
        printed(&["convert", model, path(&there)]);
        let verdicts = |model: &str| -> Vec<String> {
            let out = printed(&["check", model, "-q", "--unknown-atoms", "false"]);
            out.lines().map(|line| line[..7].to_owned()).collect()
        };
        assert_eq!(verdicts(path(&there)), verdicts(model), "{model}");
    }
}

#[test]
fn machines_become_smv() {
    let folder = scratch("machines_as_smv");
    let (there, formulas) = (folder.join("there.smv"), folder.join("formulas.ctl"));
    let mut converted = 0;
    let mut check = |model: &str, labels: [&str; 2]| {
        let (_, errors, status) = run(&["convert", model, path(&there)]);
        if status != 0 {
            assert!(errors.contains("error: cannot be written: component \""), "{errors}");
            assert!(!there.exists());
            return;
        }
        let seed = ["--count", "30", "--seed", "7", "-o", path(&formulas)];
        printed(&[&["generate", "ctl", "--atom", labels[0], "--atom", labels[1]], &seed[..]].concat());
        // several exits where runs start are loops there
        let modes = if errors.contains("written as loops") { &MODES[..1] } else { &MODES[..] };
        for mode in modes {
            let verdicts = |model: &str| {
                let how = ["-f", path(&formulas), "--at-exit", mode, "-q"];
                printed(&[&["check", model], &how[..]].concat())
            };
            assert_eq!(verdicts(path(&there)), verdicts(model), "{model} {mode}");
        }
        converted += 1;
        std::fs::remove_file(&there).unwrap();
    };
    check("examples/dataflow.rsm", ["def_i", "use_i"]);
    check("examples/file.rsm", ["open", "close"]);
    check("examples/fig3.rsm", ["gray", "white"]);
    check("examples/lock.pds", ["acquire", "release"]);
    check("crates/cli/tests/models/lock.pds", ["locked", "done"]);
    for seed in 1..=10 {
        let model = folder.join("random.rsm");
        let boxes = ["--boxes", "1", "--exits", "0.05", "--density", "0.1"];
        let target = ["--paper", "4", "--seed", &seed.to_string(), "-o", path(&model)];
        printed(&[&["generate", "rsm"][..], &boxes, &target].concat());
        check(path(&model), ["a", "b"]);
    }
    assert!(converted > 6, "only {converted}");
}

#[test]
fn carried_properties_go_along() {
    let folder = scratch("smv_carried");
    let there = folder.join("there.smv");
    for model in
        ["crates/cli/tests/models/lock.pds", "crates/cli/tests/models/lock.pdmu", "examples/lock.pds"]
    {
        printed(&["convert", model, path(&there)]);
        let verdicts = |model: &str| -> Vec<String> {
            let out = printed(&["check", model, "-q"]);
            out.lines().map(|line| line[..7].to_owned()).collect()
        };
        assert_eq!(verdicts(path(&there)), verdicts(model), "{model}");
    }
    // what has no place is told
    let (_, errors, _) = run(&["convert", "examples/smv/listing5_2.smv", path(&there)]);
    assert!(errors.starts_with("note: 2 properties are left out"), "{errors}");
    let (_, errors, _) = run(&["convert", "examples/smv/mutex.smv", path(&folder.join("there.rsm"))]);
    assert!(errors.contains("FAIRNESS is left out"), "{errors}");
}

#[test]
fn generated_files_are_read() {
    let folder = scratch("smv_generated");
    let file = folder.join("model.smv");
    let kinds: [&[&str]; 3] = [
        &["smv", "--states", "300", "--properties", "200", "--labels", "20"],
        &["smv-recursive", "--modules", "5", "--locations", "8", "--properties", "30"],
        &["smv-counters", "--states", "2000"],
    ];
    for kind in kinds {
        let target = ["-o", path(&file)];
        printed(&[&["generate"], kind, &target].concat());
        let once = std::fs::read(&file).unwrap();
        let report = json(&["check", path(&file), "--format", "json"]);
        assert_eq!(report["summary"]["unknown"], 0);
        printed(&[&["generate"], kind, &target].concat());
        assert_eq!(std::fs::read(&file).unwrap(), once, "{kind:?}");
        if kind[0] != "smv-counters" {
            printed(&[&["generate"], kind, &target, &["--seed", "1"]].concat());
            assert_ne!(std::fs::read(&file).unwrap(), once, "{kind:?}");
        }
    }
}
