//! Classes of other languages than Java: what their compilers make is not reported. The class file
//! is one of javac whose variables are named as compilers of Kotlin and Scala name them; with the
//! name of another source file, it is one of another language.

#![allow(clippy::unwrap_used)]

use loris_base::Budget;
use loris_java::archive::{Given, class_files};
use loris_java::{ClassOrigin, LoadOptions, Program};
use loris_rules::{JudgeOptions, ProgramContext, run, shipped_rules};

const CLASS: &[u8] = include_bytes!("programs/other/Made.class");

/// The class with another source file. Nothing in a class file depends on where its constants are.
fn compiled_from(source: &str) -> Vec<u8> {
    let constant = |text: &str| [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat();
    let written = constant("Made.java");
    let at = CLASS.windows(written.len()).position(|bytes| bytes == written).unwrap();
    [&CLASS[..at], &constant(source), &CLASS[at + written.len()..]].concat()
}

fn check(source: &str, expected: &[&str]) {
    let path = "Made.class".to_owned();
    let given = vec![Given { bytes: compiled_from(source), origin: ClassOrigin::Application, path }];
    let files = class_files(given, &mut Budget::unlimited()).unwrap();
    let loaded = Program::load(files.inputs, &LoadOptions::default());
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let rules = shipped_rules();
    let (options, mut budget) = (JudgeOptions::default(), Budget::unlimited());
    let judgement = run(&ProgramContext::new(&loaded.program, &options), &rules, &[], &mut budget);
    let found: Vec<String> = judgement
        .findings
        .iter()
        .map(|finding| {
            let field = finding.declaration.as_ref().unwrap().field.as_deref();
            format!("{} {}", finding.rule, field.unwrap_or(finding.method().1))
        })
        .collect();
    assert_eq!(found, expected, "{source}");
}

#[test]
fn what_compilers_make_is_not_reported() {
    check(
        "Made.java",
        &[
            "unused-field limit",
            "unused-method limit",
            "unused-method computed",
            "dead-store lambda",
            "dead-store named",
            "dead-store nameless",
            "dead-store invokeSuspend",
        ],
    );
    for source in ["Made.kt", "Made.scala", "Made.groovy"] {
        check(source, &["unused-method computed", "dead-store named"]);
    }
}
