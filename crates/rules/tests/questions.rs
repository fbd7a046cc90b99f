//! Properties of whole programs: the verdicts of the papers' example from its class file.

use loris_base::Budget;
use loris_java::{Input, LoadOptions, Origin, Program};
use loris_rules::{Context, Options, read_rules, run};

fn check(property: &str, logic: &str, expected: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/classes/Dataflow.class");
    let bytes = std::fs::read(path).expect("a class file").into_boxed_slice();
    let input = Input { path: path.to_owned(), origin: Origin::Application, bytes };
    let program = Program::load(vec![input], &LoadOptions::default()).program;
    let text = format!(
        "[[rule]]\nid = \"asked\"\nmessage = \"it fails\"\nlogic = \"{logic}\"\nproperty = '{property}'\n"
    );
    let (rules, problems) = read_rules(&text);
    assert!(!problems.has_errors(), "{problems:?}");
    let options = Options::default();
    let outcome = run(&Context::new(&program, &options), &rules, &mut Budget::unlimited());
    let verdict = match (&outcome.findings[..], &outcome.undecided[..]) {
        ([], []) => "holds".to_owned(),
        ([finding], []) => format!("fails at {}", finding.line.unwrap_or(0)),
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
