//! How certain findings are: methods of a small program are named after the confidence and the rule
//! of their findings. What is reported depends on the bar, and nothing else does.

use loris_base::Budget;
use loris_findings::{Confidence, Finding};
use loris_load::{Reading, Words};
use loris_rules::{JavaRequest, JudgeOptions, Judged, judge};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/confidence")
}

/// The classes of the program.
const NESTED: [&str; 19] = [
    "",
    "$Own",
    "$ModelXpp3Reader",
    "$Scanned",
    "$Either",
    "$Gathered",
    "$Source",
    "$Fresh",
    "$Kept",
    "$Native",
    "$Native$Code",
    "$Work",
    "$Messages",
    "$Grammar",
    "$Plain",
    "Plain",
    "Defaults",
    "Given",
    "Given$Here",
];

fn judged(strict: bool, rules: &[&str], configuration: Option<PathBuf>) -> Judged {
    let request = JavaRequest {
        program: NESTED.map(|nested| program().join(format!("Confidence{nested}.class"))).to_vec(),
        rules: rules.iter().map(|&rule| rule.to_owned()).collect(),
        configuration,
        options: JudgeOptions { strict, ..JudgeOptions::default() },
        ..JavaRequest::default()
    };
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    judge(request, 2, &mut reading).expect("a program that is judged")
}

/// The rules that methods are named after.
const RULES: [&str; 8] = [
    "leak",
    "leak-on-exception",
    "lock-not-released",
    "lock-not-released-on-exception",
    "dead-store",
    "infinite-loop",
    "infinite-recursion",
    "unused-method",
];

fn fingerprints(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(Finding::fingerprint).collect()
}

#[test]
fn methods_are_named_after_the_confidence() {
    let judged = judged(true, &RULES, None);
    let mut found: BTreeMap<(&str, &str), Confidence> = BTreeMap::new();
    for finding in &judged.report.findings {
        let confidence = finding.confidence.expect("each finding has one");
        found.insert((&finding.rule, finding.method().1), confidence);
    }
    let mut tested = [0; 3];
    for method in judged.program.methods() {
        let name = &judged.program.names[judged.program.method(method).name];
        let Some((word, rest)) = name.split_once("__") else { continue };
        let rule = rest.split("__").next().unwrap_or_default().replace('_', "-");
        let expected = Confidence::named(word).expect("a confidence");
        assert_eq!(found.get(&(&*rule, name)), Some(&expected), "{name}");
        tested[expected as usize] += 1;
    }
    assert!(tested.iter().all(|&tested| tested >= 3), "{tested:?}");
    // what `main` leaves open ends with the program
    assert_eq!(found.get(&("leak", "main")), Some(&Confidence::Possible));
}

#[test]
fn fields_that_native_code_may_use_are_only_possibly_unused() {
    let judged = judged(true, &["unused-field"], None);
    let confidence = |class: &str| {
        let mut found = judged.report.findings.iter().filter(|finding| finding.class() == class);
        found.next().expect("a field that nothing reads").confidence
    };
    assert_eq!(confidence("Confidence$Native"), Some(Confidence::Possible));
    assert_eq!(confidence("ConfidencePlain"), Some(Confidence::Certain));
}

#[test]
fn the_bar_leaves_findings_out_and_changes_nothing_else() {
    let (usual, strict) = (judged(false, &[], None), judged(true, &[], None));
    assert!(usual.report.below_bar >= 3);
    let likely = |finding: &&Finding| finding.confidence >= Some(Confidence::Likely);
    assert!(usual.report.findings.iter().all(|finding| likely(&finding)));
    // nothing escapes in this program, so that `--strict` adds nothing else
    let all = strict.report.findings.iter().filter(likely).cloned().collect::<Vec<_>>();
    assert_eq!(fingerprints(&usual.report.findings), fingerprints(&all));
    assert_eq!(usual.report.findings.len() + usual.report.below_bar, strict.report.findings.len());
    assert_eq!(usual.baseline(), strict.baseline());
}

#[test]
fn a_configuration_file_sets_the_bar_and_named_rules_are_reported() {
    let folder = std::env::temp_dir().join(format!("loris-confidence-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("loris.toml");
    std::fs::write(&file, "[java]\nconfidence = \"certain\"\n").expect("a file");
    let certain = judged(false, &[], Some(file.clone()));
    let is_certain = |finding: &Finding| finding.confidence == Some(Confidence::Certain);
    assert!(!certain.report.findings.is_empty() && certain.report.findings.iter().all(is_certain));
    // none of its findings can be more certain
    let named = judged(false, &["leak-on-exception"], Some(file));
    let confidences: Vec<_> = named.report.findings.iter().map(|finding| finding.confidence).collect();
    assert_eq!(confidences, [Some(Confidence::Likely); 6]);
    assert_eq!(named.report.below_bar, 7);
    std::fs::remove_dir_all(&folder).expect("a folder of ours");
}

#[test]
fn a_rule_of_ones_own_is_likely_unless_it_says_otherwise() {
    let rule = |line: &str| {
        let text = format!("[[rule]]\nid = \"own\"\nmessage = \"m\"\n{line}check = \"dead-store\"\n");
        let (rules, problems) = loris_rules::read_rules(&text);
        rules.first().map(|rule| rule.info.confidence).ok_or_else(|| problems.sorted()[0].message.clone())
    };
    assert_eq!(rule(""), Ok(Some(Confidence::Likely)));
    assert_eq!(rule("confidence = \"certain\"\n"), Ok(Some(Confidence::Certain)));
    let wrong = "a confidence is `certain`, `likely` or `possible`";
    assert_eq!(rule("confidence = \"sure\"\n"), Err(wrong.to_owned()));
}

#[test]
fn there_is_one_finding_per_cause() {
    let program = program().join("Causes.class");
    let request = JavaRequest {
        program: vec![program],
        rules: vec!["leak".to_owned(), "leak-on-exception".to_owned()],
        ..JavaRequest::default()
    };
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    let judged = judge(request, 2, &mut reading).expect("a program that is judged");
    let found = judged.report.findings.iter();
    let found: Vec<(&str, &str)> = found.map(|one| (one.method().1, &*one.message)).collect();
    assert_eq!(
        found,
        [
            ("allOpen", "The Connection that getConnection() returns is not closed on some path"),
            ("givenConnection", "The Statement that createStatement() returns is not closed on some path"),
            ("copied", "This FileInputStream is not closed on some path"),
            ("bothOnOneWay", "This FileInputStream is not closed on some path"),
            ("wrapped", "This FileInputStream is not closed on some path"),
        ]
    );
}

/// Rules of order point at the call that is wrong, and their stories start where the object comes
/// from.
#[test]
fn rules_of_order_point_at_the_call() {
    let program = program().join("../classes/Leaks.class");
    let request = JavaRequest {
        program: vec![program],
        rules: vec!["use-after-close".to_owned()],
        ..JavaRequest::default()
    };
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    let judged = judge(request, 2, &mut reading).expect("a program that is judged");
    let finding = judged.report.findings.iter().find(|one| one.method().1 == "bad__use_after_close__helper");
    let finding = finding.expect("a use after a close in a helper");
    let trace = &finding.traces[0];
    let lines: Vec<Option<u32>> = [trace.steps.first(), trace.steps.last()]
        .map(|step| step.and_then(|step| step.location.as_ref()?.line))
        .to_vec();
    assert!(lines[0] < finding.line() && lines[1] == finding.line(), "{lines:?}");
}
