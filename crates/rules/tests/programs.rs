//! Small Java programs for each rule. A class is named after its rule; methods and fields whose
//! names start with `bad` break it, those that start with `good` do not. The classes in the
//! repository are from javac and ECJ; where a javac is installed, the sources are compiled anew,
//! too.

#![allow(clippy::unwrap_used)]

use loris_base::Budget;
use loris_findings::Finding;
use loris_java::archive::{Given, class_files};
use loris_java::{ClassOrigin, LoadOptions, Program};
use loris_rules::{JudgeOptions, Phase, ProgramContext, Rule, run, shipped_rules};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// All files below a folder with an extension, in order.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut work) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = work.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn load(folder: &Path) -> Program {
    let mut budget = Budget::unlimited();
    let given = files(folder, "class").into_iter().map(|path| Given {
        bytes: std::fs::read(&path).unwrap(),
        origin: ClassOrigin::Application,
        path: path.display().to_string(),
    });
    let files = class_files(given.collect(), &mut budget).unwrap();
    assert!(files.problems.is_empty(), "{:?}", files.problems);
    let loaded = Program::load(files.inputs, &LoadOptions::default());
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    loaded.program
}

/// The rule that a class, or one it is nested in, is named after: `programs.DeadStore` is about
/// `dead-store`.
fn rule_of(class: &str, rules: &[Rule]) -> Option<String> {
    let name = class.strip_prefix("programs.")?.rsplit('.').next()?;
    let id = |name: &str| {
        let mut id = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() && !id.is_empty() {
                id.push('-');
            }
            id.extend(letter.to_lowercase());
        }
        id
    };
    name.rsplit('$').map(id).find(|id| rules.iter().any(|rule| rule.info.id == *id))
}

/// The member that a finding is about; the code of a lambda is its method's.
fn member(finding: &Finding) -> &str {
    let (_, method, _) = finding.method();
    match (
        &finding.declaration.as_ref().unwrap().field,
        method.strip_prefix("lambda$").and_then(|rest| rest.split_once('$')),
    ) {
        (Some(field), _) => field,
        (None, Some((around, _))) => around,
        (None, None) => method,
    }
}

/// Members that differ in the code of ECJ: it drops variables that are never read, does not name
/// the code of lambdas after their methods, and makes `x += 1` of `x = x + 1`.
const NOT_BY_ECJ: [&str; 5] =
    ["badCounter", "badNeverRead", "badInBlock", "badInLambda", "goodReadToBeWritten"];

fn check(folder: &Path, except: &[&str]) {
    let program = load(folder);
    let options = JudgeOptions::default();
    let context = ProgramContext::new(&program, &options);
    let rules: Vec<Rule> = shipped_rules();
    let outcome = run(&context, &rules, &[], &mut Budget::unlimited());
    assert!(outcome.undecided.is_empty(), "{:?}", outcome.undecided);
    let found: BTreeSet<(String, String, String)> = outcome
        .findings
        .iter()
        .map(|finding| (finding.rule.clone(), finding.class().to_owned(), member(finding).to_owned()))
        .collect();
    let (mut wrong, mut tested) = (Vec::new(), BTreeSet::new());
    for class in program.classes().filter(|&class| context.is_reported(class)) {
        let name = program.class_name(class);
        let Some(rule) = rule_of(&name, &rules) else { continue };
        let fields = program.class(class).fields.iter().map(|field| field.name);
        let methods = program.class(class).methods.iter().map(|method| method.name);
        let members = if rule == "unused-field" { fields.collect::<Vec<_>>() } else { methods.collect() };
        for member in members.into_iter().map(|member| program.names[member].to_owned()) {
            if except.contains(&&*member) {
                continue;
            }
            let expected = match &member {
                bad if bad.starts_with("bad") => true,
                good if good.to_lowercase().starts_with("good") => false,
                _ => continue,
            };
            tested.insert((rule.clone(), expected));
            if found.contains(&(rule.clone(), name.clone(), member.clone())) != expected {
                wrong.push(format!("{name}.{member}: {rule} expected {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", folder.display(), wrong.join("\n"));
    // each rule that has a program has both kinds
    for (rule, _) in &tested {
        assert!(tested.contains(&(rule.clone(), true)) && tested.contains(&(rule.clone(), false)), "{rule}");
    }
    assert!(tested.len() >= 14, "{tested:?}");
}

#[test]
fn classes_of_javac() {
    check(&here().join("javac"), &[]);
}

#[test]
fn classes_of_ecj() {
    check(&here().join("ecj"), &NOT_BY_ECJ);
}

#[test]
fn classes_of_the_javac_that_is_installed() {
    let target = std::env::temp_dir().join(format!("loris-programs-{}", std::process::id()));
    let sources = files(&here().join("src"), "java");
    let compiled = Command::new("javac").args(["-g", "-nowarn", "-d"]).arg(&target).args(&sources).output();
    match compiled {
        Ok(output) if output.status.success() => check(&target, &[]),
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        // a machine without a compiler has the classes of the repository
        Err(_) => return,
    }
    std::fs::remove_dir_all(&target).unwrap();
}

/// What checks find in the programs, by rule.
fn found_with(options: &JudgeOptions, budget: &mut Budget) -> loris_rules::Judgement {
    let program = load(&here().join("javac"));
    let mut rules = shipped_rules();
    rules.retain(|rule| matches!(rule.body, loris_rules::RuleBody::Check(_)));
    run(&ProgramContext::new(&program, options), &rules, &[], budget)
}

#[test]
fn entries_bound_what_is_judged() {
    let entries = vec!["programs.InfiniteRecursion.badPing".to_owned()];
    let options = JudgeOptions { entries, ..JudgeOptions::default() };
    let outcome = found_with(&options, &mut Budget::unlimited());
    let methods: Vec<&str> = outcome.findings.iter().map(member).collect();
    assert_eq!(methods, ["badPing", "badPong"]);
    // fields and methods of classes that are reached are judged, of others not
    let entries = vec!["programs.UnusedMethod.use".to_owned()];
    let outcome = found_with(&JudgeOptions { entries, ..JudgeOptions::default() }, &mut Budget::unlimited());
    let classes: BTreeSet<&str> = outcome.findings.iter().map(Finding::class).collect();
    assert!(classes.contains("programs.UnusedMethod"), "{classes:?}");
    assert!(!classes.contains("programs.UnusedField"), "{classes:?}");
}

#[test]
fn limits_leave_checks_undecided() {
    let ends = |mut budget: Budget| {
        let outcome = found_with(&JudgeOptions::default(), &mut budget);
        outcome.undecided.into_iter().map(|rule| rule.reason).collect::<BTreeSet<_>>()
    };
    assert_eq!(ends(Budget::unlimited()).len(), 0);
    assert_eq!(ends(Budget::steps(1)).len(), 1);
    assert_eq!(ends(Budget::new(None, Some(1000))).len(), 1);
    // what was found until then counts
    let all = found_with(&JudgeOptions::default(), &mut Budget::unlimited()).findings.len();
    let some = |steps| found_with(&JudgeOptions::default(), &mut Budget::steps(steps));
    let stopped =
        (1..60).map(|thousands| some(thousands * 1000)).find(|outcome| !outcome.findings.is_empty());
    let stopped = stopped.expect("findings of some checks");
    assert!(!stopped.undecided.is_empty() && stopped.findings.len() < all, "{:?}", stopped.undecided);
}

#[test]
fn progress_comes_to_its_end() {
    let program = load(&here().join("javac"));
    let options = JudgeOptions::default();
    let told = std::sync::Mutex::new(Vec::new());
    let tell = |phase: Phase| told.lock().unwrap().push(phase);
    let progress = loris_rules::Progress::new(&tell);
    let context = ProgramContext::new(&program, &options).with_progress(&progress);
    run(&context, &shipped_rules(), &[], &mut Budget::unlimited());
    let told = told.into_inner().unwrap();
    let last = |what: &str| *told.iter().rfind(|phase| phase.what == what).unwrap();
    assert!(told.is_sorted_by_key(|phase| (phase.what == "objects", phase.done)), "{told:?}");
    assert_eq!(last("objects").done, last("objects").total);
    let with_code = program.methods().filter(|&method| program.method(method).code.is_some());
    // once for what methods do with their parameters, once for all else
    let methods = 2 * with_code.count();
    assert_eq!((last("methods").done, last("methods").total), (methods, methods));
}
