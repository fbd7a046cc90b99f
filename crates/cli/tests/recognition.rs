//! Formats that are recognised by their content, byte-order marks, manual pages and completions.

#![allow(clippy::unwrap_used)]

mod common;

use common::{loris, scratch, text};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

fn read(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

const MODELS: [(&str, &str); 4] = [
    ("examples/dataflow.rsm", "rsm"),
    ("crates/cli/tests/models/lock.pds", "pds"),
    ("crates/cli/tests/models/lock.pdmu", "pdmu"),
    ("examples/smv/counter.smv", "smv"),
];

/// What `info` says of a model on standard input.
fn piped(model: &[u8], arguments: &[&str]) -> (String, String, Option<i32>) {
    let mut child = loris(&[&["info", "-", "--format", "json"], arguments].concat()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(model).unwrap();
    let output = child.wait_with_output().unwrap();
    (text(&output.stdout).to_owned(), text(&output.stderr).to_owned(), output.status.code())
}

#[test]
fn models_are_recognised() {
    let directory = scratch("recognised");
    for (path, format) in MODELS {
        let expected = format!("\"format\": \"{format}\"");
        let content = read(path);
        let marked = [b"\xef\xbb\xbf", &*content].concat();
        for bytes in [&content, &marked] {
            let (out, errors, status) = piped(bytes, &[]);
            assert_eq!(status, Some(0), "{path}: {errors}");
            assert!(out.contains(&expected), "{path}: {out}");
            for name in
                ["model".to_owned(), "model.txt".to_owned(), format!("model.{}", format.to_uppercase())]
            {
                let file = directory.join(name);
                std::fs::write(&file, bytes).unwrap();
                let output = loris(&["info", file.to_str().unwrap(), "--format", "json"]).output().unwrap();
                assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
                assert!(text(&output.stdout).contains(&expected));
            }
        }
    }
}

#[test]
fn what_is_not_recognised_is_asked_for() {
    for (content, complaint) in [
        (
            "p cnf 1 2\n",
            "name it with --model-format: rsm, pds, pdmu, smv, aiger, aut, kmts, par, pnml or java",
        ),
        ("", "the file is empty"),
        ("HOA: v1\n", "give it with --with FILE or --automaton FILE"),
    ] {
        let (_, errors, status) = piped(content.as_bytes(), &[]);
        assert_eq!(status, Some(2));
        assert!(errors.contains(complaint), "{errors}");
    }
    // what is said counts
    let (_, errors, _) = piped(b"MODULE main", &["--model-format", "pds"]);
    assert!(errors.contains("-:1:"), "{errors}");
}

#[test]
fn byte_order_marks_are_no_problem() {
    let directory = scratch("marked");
    let marked = |name: &str, content: &[u8]| {
        let file = directory.join(name);
        std::fs::write(&file, [b"\xef\xbb\xbf", content].concat()).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let model = "examples/dataflow.rsm";
    let properties = marked("p.ctl", b"A F use_i\n");
    let evidence = directory.join("evidence.json");
    let check = ["check", model, "-f", &properties, "--evidence-file", evidence.to_str().unwrap()];
    assert_eq!(loris(&check).output().unwrap().status.code(), Some(0));
    let evidence = marked("marked.json", &std::fs::read(&evidence).unwrap());
    let automaton = marked("a.hoa", &read("crates/cli/tests/models/often_gray.hoa"));
    let peer = marked("p.aut", &read("examples/file.aut"));
    let calls: [&[&str]; 3] = [
        &["replay", model, &evidence],
        &["check", "examples/fig3.rsm", "--automaton", &automaton],
        &["info", "examples/file.rsm", "--with", &peer],
    ];
    for call in calls {
        let output = loris(call).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{call:?}: {}", text(&output.stderr));
    }
}

#[test]
fn every_command_that_is_cited_has_a_page() {
    let directory = scratch("man");
    let output = loris(&["man", "--dir", directory.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut cited = BTreeSet::from(["loris".to_owned()]);
    let mut written = BTreeSet::new();
    for entry in std::fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        written.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
        let page = std::fs::read_to_string(&path).unwrap().replace('\\', "");
        let names = page.match_indices("(1)").map(|(end, _)| {
            let start = page[..end].rfind(|c: char| !c.is_alphanumeric() && c != '-').unwrap();
            page[start + 1..end].to_owned()
        });
        cited.extend(names);
    }
    assert!(cited.contains("loris-generate-pds") && cited.contains("loris-check"), "{cited:?}");
    assert_eq!(written, cited);
    for name in written {
        let words: Vec<&str> = name.splitn(3, '-').skip(1).collect();
        let output = loris(&[&["man"], &words[..]].concat()).output().unwrap();
        let page = std::fs::read(directory.join(format!("{name}.1"))).unwrap();
        assert_eq!(text(&output.stdout), text(&page), "{name}");
    }
    let output = loris(&["man", "chekc"]).output().unwrap();
    assert_eq!(text(&output.stderr), "error: there is no command \"chekc\"; did you mean \"check\"?\n");
    let output = loris(&["man", "--dir", "no/such/folder"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn engines_and_logics_are_completed() {
    // the scripts for other shells complete no values
    for shell in ["bash", "zsh", "fish"] {
        let output = loris(&["completions", shell]).output().unwrap();
        let script = text(&output.stdout);
        for word in ["summary", "rks-incremental", "ltl", "--engine", "--color"] {
            let plain = word.trim_start_matches('-');
            assert!(script.contains(word) || shell == "fish" && script.contains(plain), "{shell}: {word}");
        }
    }
}
