//! What is found for a rule does not depend on the rules beside it, on their order or on the number
//! of threads; and what a limit leaves undecided is named.

#![allow(clippy::unwrap_used)]

use loris_base::{Budget, Rng};
use loris_findings::{Finding, Undecided};
use loris_java::archive::{Given, class_files};
use loris_java::{ClassOrigin, LoadOptions, Program};
use loris_rules::{JudgeOptions, Judgement, ProgramContext, Rule, read_rules, run, shipped_rules};
use std::path::{Path, PathBuf};

/// The classes of the test programs, the ones about objects last.
fn program(folder: &str) -> Program {
    let (mut given, mut work) =
        (Vec::new(), vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(folder)]);
    while let Some(path) = work.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
            found.sort();
            work.extend(found);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            given.push(Given { path: path.display().to_string(), origin: ClassOrigin::Application, bytes });
        }
    }
    let files = class_files(given, &mut Budget::unlimited()).unwrap();
    Program::load(files.inputs, &LoadOptions::default()).program
}

fn outcome(program: &Program, rules: &[Rule], threads: usize, budget: &mut Budget) -> Judgement {
    let options = JudgeOptions::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| run(&ProgramContext::new(program, &options), rules, &[], budget))
}

fn findings(program: &Program, rules: &[Rule], threads: usize) -> Vec<Finding> {
    let outcome = outcome(program, rules, threads, &mut Budget::unlimited());
    assert_eq!(outcome.undecided, []);
    outcome.findings
}

/// Those of some rules.
fn of<'f>(findings: &'f [Finding], rules: &[Rule]) -> Vec<&'f Finding> {
    findings.iter().filter(|finding| rules.iter().any(|rule| rule.info.id == finding.rule)).collect()
}

fn check(folder: &str) {
    let program = program(folder);
    let mut rules = shipped_rules();
    let together = findings(&program, &rules, 2);
    assert!(!together.is_empty());
    for rule in &rules {
        let alone = findings(&program, std::slice::from_ref(rule), 1);
        let alone: Vec<&Finding> = alone.iter().collect();
        assert_eq!(alone, of(&together, std::slice::from_ref(rule)), "{folder}: {}", rule.info.id);
    }
    let mut rng = Rng::new(1);
    for round in 0..20 {
        for place in (1..rules.len()).rev() {
            rules.swap(place, rng.below(place + 1));
        }
        let some = if round == 0 { &rules[..] } else { &rules[..2 + rng.below(4)] };
        let found = findings(&program, some, 1 + round % 2);
        assert_eq!(found.iter().collect::<Vec<_>>(), of(&together, some), "{folder}, round {round}");
    }
}

#[test]
fn findings_of_a_rule_do_not_depend_on_other_rules() {
    for folder in ["classes", "javac", "ecj"] {
        check(folder);
    }
}

/// A rule that replaces a shipped one comes last, and suppresses findings nevertheless; so does one
/// that is not asked for, and one that waits for another in turn.
#[test]
fn rules_that_others_name_are_decided_first() {
    let program = program("classes");
    let shipped = shipped_rules();
    let text = |id: &str, unless: &str| {
        format!(
            "[[rule]]\nid = \"{id}\"\nmessage = \"{{what}}\"\n[rule.object]\nat = [\"resource\"]\n\
             property = \"A G !opened\"\nunless = \"{unless}\"\n"
        )
    };
    let (own, problems) = read_rules(&(text("third", "second") + &text("second", "leak")));
    assert!(!problems.has_errors(), "{problems:?}");
    let options = JudgeOptions::default();
    let found = |rules: &[Rule], known: &[Rule]| {
        let context = ProgramContext::new(&program, &options);
        run(&context, rules, known, &mut Budget::unlimited()).findings
    };
    let lines = |findings: &[Finding]| {
        findings.iter().map(|one| (one.method().1.to_owned(), one.line())).collect::<Vec<_>>()
    };
    let all: Vec<Rule> = own.iter().chain(&shipped).cloned().collect();
    let everything = found(&all, &[]);
    let [third, second] = &own[..] else { panic!("{own:?}") };
    let of_rule = |rule: &Rule| {
        let of: Vec<Finding> = of(&everything, std::slice::from_ref(rule)).into_iter().cloned().collect();
        lines(&of)
    };
    // every resource is reported once: as a leak, or by the rule that waits for that
    let leak = shipped.iter().find(|rule| rule.info.id == "leak").unwrap();
    assert!(!of_rule(second).is_empty() && !of_rule(leak).is_empty());
    assert!(of_rule(second).iter().all(|place| !of_rule(leak).contains(place)));
    for rule in [third, second] {
        let alone = found(std::slice::from_ref(rule), &own);
        assert_eq!(lines(&alone), of_rule(rule), "{}", rule.info.id);
    }
}

/// A finding has the same number whatever else is found, so that a baseline fits.
#[test]
fn numbers_of_findings_do_not_depend_on_other_rules() {
    let program = program("classes");
    let rules = shipped_rules();
    let all = findings(&program, &rules, 1);
    let marks = |findings: &[Finding]| findings.iter().map(Finding::fingerprint).collect::<Vec<_>>();
    for rule in &rules {
        let rule = std::slice::from_ref(rule);
        let of: Vec<Finding> = of(&all, rule).into_iter().cloned().collect();
        assert_eq!(marks(&findings(&program, rule, 2)), marks(&of));
    }
}

/// Under any bound on memory, a rule has for each method its findings, or is undecided there; and
/// that depends on no other method. With more threads the answer is the same.
#[test]
fn methods_that_memory_is_too_short_for_are_named() {
    let program = program("classes");
    let rules = shipped_rules();
    let all = findings(&program, &rules, 1);
    let mut partly = 0;
    for bytes in std::iter::successors(Some(20_000), |bytes| Some(bytes * 5 / 4)).take(28) {
        let of_threads = |threads| outcome(&program, &rules, threads, &mut Budget::new(None, Some(bytes)));
        let one = of_threads(1);
        for finding in &one.findings {
            assert!(all.iter().any(|other| other.rule == finding.rule && other.line() == finding.line()));
        }
        let missing = |finding: &&Finding| !one.findings.iter().any(|found| found == *finding);
        for finding in all.iter().filter(missing) {
            let (class, method, _) = finding.method();
            let name = format!("{class}.{method}");
            let is_named = |undecided: &Undecided| {
                let names = &undecided.methods;
                undecided.rule == finding.rule
                    && (names.is_empty() || undecided.more > 0 || names.contains(&name))
            };
            assert!(
                one.undecided.iter().any(is_named),
                "{bytes}: {name} {}: {:?}",
                finding.rule,
                one.undecided
            );
        }
        partly += usize::from(one.undecided.iter().any(|undecided| !undecided.methods.is_empty()));
        let two = of_threads(2);
        let short = |outcome: &Judgement| {
            let found = outcome.findings.iter().map(|one| format!("{} {:?}", one.fingerprint(), one.line()));
            found.collect::<Vec<_>>()
        };
        assert_eq!(short(&two), short(&one), "{bytes}");
        assert!(two.findings == one.findings && two.undecided == one.undecided, "{bytes}");
    }
    assert!(partly > 0, "no limit stops in the middle");
}
