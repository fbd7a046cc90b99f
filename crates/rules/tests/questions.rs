//! Properties of whole programs: the verdicts of the papers' example from its class file.

use loris_base::Budget;
use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program};
use loris_rules::{JudgeOptions, ProgramContext, read_rules, run};

fn check(property: &str, logic: &str, expected: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/classes/Dataflow.class");
    let bytes = std::fs::read(path).expect("a class file").into_boxed_slice();
    let input = ClassInput { path: path.to_owned(), origin: ClassOrigin::Application, bytes };
    let program = Program::load(vec![input], &LoadOptions::default()).program;
    let text = format!(
        "[[rule]]\nid = \"asked\"\nmessage = \"it fails\"\nlogic = \"{logic}\"\nproperty = '{property}'\n"
    );
    let (rules, problems) = read_rules(&text);
    assert!(!problems.has_errors(), "{problems:?}");
    let options = JudgeOptions::default();
    let outcome = run(&ProgramContext::new(&program, &options), &rules, &[], &mut Budget::unlimited());
    let verdict = match (&outcome.findings[..], &outcome.undecided[..]) {
        ([], []) => "holds".to_owned(),
        ([finding], []) => format!("fails at {}", finding.line().unwrap_or(0)),
        ([], [undecided]) => undecided.reason.clone(),
        other => format!("{other:?}"),
    };
    assert_eq!(verdict, expected, "{property}");
}

#[test]
fn whenever_it_is_defined_it_may_be_used() {
    // as from the published model: the square of i is not used; that of j is
    check(r#"A G ("def Dataflow.i" -> E F "use Dataflow.i")"#, "ctl", "fails at 18");
    check(r#"A G ("def Dataflow.j" -> E F "use Dataflow.j")"#, "ctl", "holds");
    check(r#"F "call java.io.PrintStream.println""#, "ltl", "holds");
    check(r#"A G !"call *.println""#, "ctl", "fails at 14");
    check(
        r#"A G !"call *.printn""#,
        "ctl",
        "no node has the label \"call *.printn\"; `loris labels` lists them",
    );
}

/// What is found for each of some properties that are asked together.
fn found(properties: &[&str]) -> Vec<(String, bool)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/classes/Dataflow.class");
    let bytes = std::fs::read(path).expect("a class file").into_boxed_slice();
    let input = ClassInput { path: path.to_owned(), origin: ClassOrigin::Application, bytes };
    let program = Program::load(vec![input], &LoadOptions::default()).program;
    let rule = |(number, property): (usize, &&str)| {
        format!("[[rule]]\nid = \"asked-{number}\"\nmessage = \"it fails\"\nproperty = '{property}'\n")
    };
    let text: String = properties.iter().enumerate().map(rule).collect();
    let (rules, problems) = read_rules(&text);
    assert!(!problems.has_errors(), "{problems:?}");
    let options = JudgeOptions::default();
    let outcome = run(&ProgramContext::new(&program, &options), &rules, &[], &mut Budget::unlimited());
    assert_eq!(outcome.undecided, []);
    let fails = |number: usize| outcome.findings.iter().any(|one| one.rule == format!("asked-{number}"));
    (0..).zip(properties).map(|(number, &property)| (property.to_owned(), !fails(number))).collect()
}

#[test]
fn a_property_that_counts_steps_has_its_own_labels() {
    let properties = [
        r#"E F ("def Dataflow.i" & E X E X "call *.println")"#,
        r#"E F ("def Dataflow.i" & E X "call *.println")"#,
        r#"E F ("def Dataflow.j" & E X E X "call *")"#,
        r#"E F ("enter Dataflow.main" & E X E X "call *")"#,
        r#"A G ("use Dataflow.i" -> E X "call *")"#,
        r#"A G ("line *" -> E F "exit *")"#,
        r#"E F "use *""#,
    ];
    let alone: Vec<(String, bool)> = properties.iter().flat_map(|&property| found(&[property])).collect();
    assert_eq!(found(&properties), alone);
    assert!(alone.iter().any(|(_, holds)| *holds) && alone.iter().any(|(_, holds)| !holds), "{alone:?}");
}

#[test]
fn labels_that_no_node_has_are_named_with_their_places() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/classes/Dataflow.class");
    let bytes = std::fs::read(path).expect("a class file").into_boxed_slice();
    let input = ClassInput { path: path.to_owned(), origin: ClassOrigin::Application, bytes };
    let program = Program::load(vec![input], &LoadOptions::default()).program;
    let property = r#"A G ("def Dataflow.k" -> E X "use Dataflow.jj")"#;
    let text = format!("[[rule]]\nid = \"asked\"\nmessage = \"it fails\"\nproperty = '{property}'\n");
    let options = JudgeOptions::default();
    let outcome =
        run(&ProgramContext::new(&program, &options), &read_rules(&text).0, &[], &mut Budget::unlimited());
    let unknown: Vec<(&str, &str, Option<&str>)> = outcome
        .unknown
        .iter()
        .map(|one| (&property[one.span.0 as usize..one.span.1 as usize], &*one.label, one.nearest.as_deref()))
        .collect();
    let expected = [
        ("\"def Dataflow.k\"", "def Dataflow.k", Some("def Dataflow.i")),
        ("\"use Dataflow.jj\"", "use Dataflow.jj", Some("use Dataflow.j")),
    ];
    assert_eq!(unknown, expected);
}
