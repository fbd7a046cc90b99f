//! Evidence to text and back, and text that is none.

mod machine;

use loris_base::{Budget, Idx, IndexVec};
use loris_evidence::{
    About, AtExit, Claim, Evidence, Path, PathId, Results, Unreadable, read_json, replay, replay_within,
};
use loris_rsm::Rsm;
use machine::{CALLS, evidence, machine, state};
use proptest::prelude::*;

fn written(evidence: &Evidence, rsm: &Rsm) -> String {
    let mut out = String::new();
    evidence.write_json(rsm, &mut out).expect("a string takes all");
    out
}

/// What is wrong with a text, one line per problem: `offset: message (help)`.
fn problems(text: &str) -> String {
    let problems = read_json(text, &machine(CALLS)).expect_err(text);
    let line = |problem: &&loris_base::Diagnostic| {
        let help = problem.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
        format!("{}: {}{help}", problem.offset.unwrap_or_default(), problem.message)
    };
    problems.sorted().iter().map(line).collect::<Vec<_>>().join("\n")
}

const NESTED: &str = "E F q : s b.e b.m b.f t\n  @4 E G q : t x (sink) loop 1 2\n    @0 E X q : t t\n  @1 E X p : b.e b.m\nE F q : t";

#[test]
fn as_the_interface_says() {
    let rsm = machine(CALLS);
    assert_eq!(
        written(&evidence(&rsm, "E F \"q\\\"\" : s b.e\n  @1 E G p : b.e b.c.e loop 0 1"), &rsm),
        r#"{"shows":"E F \"q\\\"\"","states":[{"stack":[],"node":"s"},{"stack":["b"],"node":"e"}],"loop":null,"because":[{"state":1,"evidence":{"shows":"E G p","states":[{"stack":["b"],"node":"e"},{"stack":["b","c"],"node":"e"}],"loop":{"from":0,"to":1},"because":[]}}]}"#
    );
    let nested = written(&evidence(&rsm, NESTED), &rsm);
    assert!(nested.contains(r#"{"stack":[],"node":"(sink)"}"#));
    assert!(nested.ends_with(
        r#""also":[{"shows":"E F q","states":[{"stack":[],"node":"t"}],"loop":null,"because":[]}]}"#
    ));
}

#[test]
fn every_shape_of_file() {
    let rsm = machine(CALLS);
    let expected = evidence(&rsm, NESTED);
    let one = written(&expected, &rsm);
    let result = format!(
        r#"{{"property": "P", "logic": "ctl", "verdict": "holds", "evidence": {one}, "seconds": 1e-3}}"#
    );
    let check = |text: &str, expected_words: &[(&str, Option<AtExit>)]| {
        let found = read_json(text, &rsm).expect("well-formed");
        assert!(found.iter().all(|found| found.evidence == expected));
        let words = found.iter().map(|found| {
            let about = match &found.stated.about {
                About::Nothing => "",
                About::Property { text, holds: true, .. } => text,
                About::Property { .. } | About::Reach { .. } => "something else",
            };
            (about, found.stated.at_exit)
        });
        assert_eq!(words.collect::<Vec<_>>(), expected_words);
    };
    let bare = ("", None);
    check(&one, &[bare]);
    check(&format!("\u{feff} [ {one} ,\n{one} ]\n"), &[bare, bare]);
    check("[]", &[]);
    let whole = format!(
        r#"{{"loris":"0.1.0","at_exit":"sink","results":[{result},{{"verdict":"unknown"}},{{"verdict":"holds","evidence":null}}]}}"#
    );
    check(&whole, &[("P", Some(AtExit::Sink))]);
    check(&format!("{result}\n{{\"verdict\":\"unknown\"}}\n{result}\n"), &[("P", None); 2]);
}

#[test]
fn mistakes_are_located() {
    assert_eq!(problems(""), "0: the file is empty");
    assert_eq!(problems("{\"states\": [}"), "12: expected a JSON value");
    assert_eq!(problems("[1 2]"), "3: expected `,` or `]`");
    assert_eq!(problems("{\"a\" 1}"), "5: expected `:`");
    assert_eq!(problems("{a: 1}"), "1: expected a key in quotes");
    assert_eq!(problems("[\"a"), "1: the string that starts here has no end");
    assert_eq!(problems("[\"\\x\"]"), "1: this is not a JSON string");
    assert_eq!(problems("7"), "0: expected evidence: an object with \"shows\" and \"states\"");
    assert_eq!(problems("{\"results\": 7}"), "12: \"results\" should be an array");
    assert_eq!(
        problems("{\"results\": [7]}"),
        "13: expected a result: an object with \"property\" and \"verdict\""
    );
    assert_eq!(
        problems(
            r#"{"states": [{"stack": ["bb"], "node": "e"}, {"stack": [], "node": "ss"}, 3], "loop": 3, "because": [{}]}"#
        ),
        "0: evidence without \"shows\", the formula it shows\n\
         23: component \"main\" has no box \"bb\" (did you mean \"b\"?)\n\
         66: component \"main\" has no node \"ss\" (did you mean \"s\"?)\n\
         73: expected {\"stack\": [box, …], \"node\": name}\n\
         85: expected null or {\"from\": number, \"to\": number}\n\
         100: expected {\"state\": number, \"evidence\": {…}}"
    );
}

#[test]
fn as_deep_as_it_gets() {
    let rsm = machine(CALLS);
    // E X E X … q, each claim shown by a step of its own
    let depth = 1500;
    let mut paths: IndexVec<PathId, Path> = IndexVec::new();
    for level in 0..depth {
        let shows = format!("{}q", "E X ".repeat(depth - level));
        let from = if level == 0 { "s" } else { "t" };
        let claim = Claim { state: 1, evidence: PathId::new(level + 1) };
        let because = if level + 1 < depth { vec![claim] } else { Vec::new() };
        paths.push(Path { shows, states: vec![state(&rsm, from), state(&rsm, "t")], repeats: None, because });
    }
    let deep = Evidence { paths, also: Vec::new() };
    let report = replay(&rsm, &deep, AtExit::Loop).expect("valid");
    assert_eq!((report.steps, report.claims, report.trusted), (depth, depth, 0));
    let read = read_json(&written(&deep, &rsm), &rsm).expect("well-formed");
    assert!(read[0].evidence == deep);
    assert_eq!(deep.render(&rsm, 60).lines().count(), 3 * depth);
    assert_eq!(problems(&"[".repeat(16 << 20)), "100000: values are nested deeper than 100000 levels");
    assert_eq!(problems(&"{\"a\":".repeat(1 << 20)), "500000: values are nested deeper than 100000 levels");
}

#[test]
fn results_without_evidence_are_counted() {
    let rsm = machine(CALLS);
    let check = |text: &str, expected: (usize, usize)| {
        let found = Results::read(text, &mut Budget::unlimited()).unwrap_or_else(|_| panic!("{text}"));
        assert_eq!((found.stated.len(), found.without), expected, "{text}");
    };
    let one = written(&evidence(&rsm, "E F q : s t"), &rsm);
    check("[]", (0, 0));
    check(r#"{"results": []}"#, (0, 0));
    check(r#"{"results": [{"verdict": "holds"}, {"verdict": "fails", "evidence": null}]}"#, (0, 2));
    let with = format!(r#"{{"property": "p", "logic": "ltl", "verdict": "fails", "evidence": {one}}}"#);
    check(&format!(r#"{{"verdict": "holds"}} {with}"#), (1, 1));
    check(r#"{"target": null, "from": null, "verdict": null, "nodes": ["main/s"]}"#, (0, 1));
}

/// What is wrong with a result that has these keys and values.
fn result(keys: &str) -> String {
    let rsm = machine(CALLS);
    let one = written(&evidence(&rsm, "E F q : s t"), &rsm);
    problems(&keys.replace('@', &format!("\"evidence\": {one}")))
}

#[test]
fn results_state_what_their_evidence_is_for() {
    let check = |keys: &str, expected: &str| assert_eq!(result(keys), expected, "{keys}");
    check(r#"{"property": "p", "logic": "ctl", @}"#, "0: this result has no \"verdict\"");
    check(
        r#"{"property": "p", "logic": "ctl", "verdict": null, @}"#,
        "45: \"verdict\" should be one of holds, fails, unknown",
    );
    check(
        r#"{"property": "p", "logic": "ctl", "verdict": "reachable", @}"#,
        "45: \"verdict\" should be one of holds, fails, unknown",
    );
    check(
        r#"{"property": "p", "logic": "ctl", "verdict": "unknown", @}"#,
        "68: there is no evidence for a verdict that is unknown",
    );
    check(
        r#"{"property": null, "logic": "ctl", "verdict": "fails", @}"#,
        "13: \"property\" should be a string",
    );
    check(
        r#"{"logic": "ctl", "verdict": "fails", @}"#,
        "0: this result has evidence, but no \"property\" that it is for",
    );
    check(r#"{"property": "p", "verdict": "fails", @}"#, "0: this result has no \"logic\"");
    check(
        r#"{"property": "p", "logic": "pl", "verdict": "fails", @}"#,
        "27: \"logic\" should be one of ctl, ltl, ctl*, mu, automaton",
    );
    check("{@}", "0: this result has no \"verdict\"");
    check(
        r#"{"property": "p", "target": "q", "logic": "ctl", "verdict": "fails", @}"#,
        "0: a result has a \"property\" or a \"target\", not both",
    );
    check(
        r#"{"target": "q", "verdict": "unreachable", @}"#,
        "54: only a path to what is reachable can be evidence",
    );
    check(r#"{"target": null, "verdict": "reachable", @}"#, "11: \"target\" should be a string");
    check(
        r#"{"target": "q", "from": 3, "steps": "1", "verdict": "reachable", @}"#,
        "24: \"from\" should be a string\n36: \"steps\" should be a number",
    );
    check(
        r#"{"shows": "p", "states": [], "verdict": "fails"}"#,
        "0: this is a result and evidence at once; a result has it under \"evidence\"",
    );
    check(
        r#"{"property": "p", "logic": "ctl", "verdict": "fails", "at_exit": null, "runs": "most", "with": 1, @}"#,
        "65: \"at_exit\" should be one of loop, sink, stop\n\
         79: \"runs\" should be one of all, bounded, unbounded\n\
         95: \"with\" should be a string",
    );
    let around = r#"{"at_exit": "loop", "results": [{"property": "p", "logic": "ctl", "verdict": "fails", "at_exit": "sink", @}]}"#;
    check(around, "97: the document around this states another \"at_exit\"");
    let counted = r#"{"results": [{"property": "p", "logic": "ctl", "verdict": "fails", @}], "summary": {"holds": 1, "fails": 0, "unknown": 0}}"#;
    let counted = result(counted);
    assert!(counted.contains("0 have the verdict \"holds\""), "{counted}");
    assert!(counted.contains("1 have the verdict \"fails\""), "{counted}");
}

#[test]
fn keys_that_come_twice_are_refused() {
    let twice = |text: &str, offset: usize, key: &str| {
        let help = "readers of JSON disagree on which of the two counts";
        assert_eq!(problems(text), format!("{offset}: this object has the key {key:?} twice ({help})"));
    };
    twice(r#"{"a": 1, "b": 2, "a": 3}"#, 17, "a");
    twice(r#"{"a": 1, "\u0061": 3}"#, 9, "a");
    twice(r#"[{"x": [{"": 1, "": {}}]}]"#, 16, "");
    twice(r#"{"results": [{"verdict": "holds", "verdict": "fails"}]}"#, 34, "verdict");
    let many: Vec<String> = (0..5000).map(|i| format!("\"k{}\": 0", i % 4999)).collect();
    assert!(problems(&format!("{{{}}}", many.join(", "))).contains("has the key \"k0\" twice"));
}

#[test]
fn limits_hold_while_files_are_read() {
    let rsm = machine(CALLS);
    let long = format!("E F q : s {}b.e b.m b.f t", "b.e b.m b.g ".repeat(50_000));
    let long = evidence(&rsm, &long);
    let text = written(&long, &rsm);
    let read = |budget: &mut Budget| {
        let results = Results::read(&text, budget)?;
        results.evidence(&rsm, budget).map(|found| found.len())
    };
    assert_eq!(read(&mut Budget::unlimited()), Ok(1));
    let mut memory = Budget::new(None, Some(text.len() / 4));
    assert!(matches!(read(&mut memory), Err(Unreadable::Exhausted(loris_base::Exhausted::Memory))));
    let mut steps = Budget::steps(100_000);
    assert!(matches!(read(&mut steps), Err(Unreadable::Exhausted(loris_base::Exhausted::Time))));
    // deep in the text, and while it is replayed
    let mut steps = Budget::steps(1_200_000);
    assert!(matches!(read(&mut steps), Err(Unreadable::Exhausted(loris_base::Exhausted::Time))));
    let mut steps = Budget::steps(100_000);
    assert!(replay_within(&rsm, &long, AtExit::Loop, &mut steps).is_err());
    assert!(steps.spent() < 110_000);
    assert!(replay_within(&rsm, &long, AtExit::Loop, &mut Budget::unlimited()).is_ok());
}

#[test]
fn a_node_may_be_called_like_the_sink() {
    let check = |nodes: &str, sink: &str| {
        let rsm = machine(&format!("component main\n entry s p\n {nodes}\n exit x\n s -> x"));
        let falls = evidence(&rsm, "E F !p : s x (sink)");
        let text = written(&falls, &rsm);
        assert!(text.contains(&format!("{{\"stack\":[],\"node\":\"{sink}\"}}],\"loop\"")), "{text}");
        assert_eq!(read_json(&text, &rsm).expect("well-formed")[0].evidence, falls);
        assert!(falls.render(&rsm, 60).ends_with(&format!("{sink}\n")));
        assert!(replay(&rsm, &falls, AtExit::Sink).is_ok());
        // what is called like it is a node
        let named = text.replace("\"s\"", "\"(sink)\"");
        let read = read_json(&named, &rsm).expect("well-formed").remove(0).evidence;
        let first = read.paths.iter().next().expect("a path").states[0].node;
        assert_eq!(first.is_some(), sink != "(sink)");
    };
    check("node other\n other -> x", "(sink)");
    check("node (sink)\n (sink) -> x", "(sink')");
    check("node (sink')\n node (sink)\n (sink) -> x | (sink') -> x", "(sink'')");
}

#[test]
fn names_are_shown_with_escapes() {
    let mut builder = loris_rsm::RsmBuilder::default();
    let names = ["m\u{1b}[31m", "a\nb", "", "x\ty", "la\rbel"].map(|name| builder.symbol(name));
    let [main, start, end, site, label] = names;
    let mut draft = loris_rsm::Draft::new(main, 0);
    draft.node(start, 0).entry = true;
    draft.label(label);
    draft.node(end, 0).exit = true;
    draft.site(site, 0, main, 0);
    let (node, port) = (loris_rsm::Reference::node, loris_rsm::Reference::port);
    draft.edge(node(start, 0), port(site, start, 0));
    draft.edge(port(site, end, 0), node(end, 0));
    draft.edge(node(start, 0), node(end, 0));
    builder.component(draft);
    let rsm = builder.finish(&loris_rsm::Semantics::default()).expect("a valid machine").0;
    let (s, x) = (rsm.initial()[0], rsm.find_node(rsm.initial_component(), "").expect("it has no name"));
    let state = |stack: &[usize], node| loris_evidence::State {
        stack: stack.iter().map(|&site| Idx::new(site)).collect(),
        node: Some(node),
    };
    let states = vec![state(&[], s), state(&[0], s), state(&[0], x), state(&[], x)];
    let path = Path { shows: "E F !\"la\rbel\"".into(), states, repeats: None, because: Vec::new() };
    let evidence = Evidence { paths: vec![path].into(), also: Vec::new() };
    assert_eq!(
        evidence.render(&rsm, 60),
        r#"shows E F !"la\rbel"
  0  "a\nb" {"la\rbel"}  -> "m\u{1b}[31m" ("x\ty")
  1    "a\nb" {"la\rbel"}
  2    ""  <- "m\u{1b}[31m"
  3  ""
"#
    );
}

#[test]
fn for_people() {
    let rsm = machine(CALLS);
    let text = "E F q : s b.e b.c.e b.c.m b.c.g b.m b.g b.e b.m b.f t\n  @10 E G q : t t loop 0 1\nE G p : s b.e b.c.e loop 1 2";
    assert_eq!(
        evidence(&rsm, text).render(&rsm, 60),
        "\
shows E F q
   0  s {p}  -> a (b)
   1    e {p}  -> a (c)
   2      e {p}
   3      m {p}
   4      g  <- a
   5    m {p}
   6    g  <- main  -> a (b)
   7    e {p}
   8    m {p}
   9    f {r}  <- main
  10  t {q}
  because state 10: shows E G q
    loop:
    0  t {q}
    1  t {q}
    again from state 0, for ever
also shows E G p
  0  s {p}  -> a (b)
  loop:
  1    e {p}  -> a (c)
  2      e {p}
  again from state 1, for ever, 1 deeper each time
"
    );
    assert_eq!(
        evidence(&rsm, "E F q : s t t t t x\n  @3 E X q : t t").render(&rsm, 3),
        "\
shows E F q
  0  s {p}
  1  t {q}
  ... 3 states ...
  5  x {q}
  ... claims of states left out: 1 ...
"
    );
}

/// Random trees of paths through states of [`CALLS`]; they need not show anything.
fn any_evidence() -> impl Strategy<Value = Evidence> {
    const STATES: [&str; 8] = ["s", "t", "x", "(sink)", "b.e", "b.c.m", "b.c.c.f", "b.g"];
    let path = (".{0,8}", prop::collection::vec(0..STATES.len(), 0..5), any::<Option<(u8, u8)>>());
    let link = (any::<prop::sample::Index>(), 0..5usize);
    prop::collection::vec((path, link), 1..12).prop_map(|list| {
        let rsm = machine(CALLS);
        let mut paths: Vec<Path> = Vec::new();
        let mut parents = Vec::new();
        // the spine above the last path: linking only to it keeps the order a walk
        let mut spine: Vec<usize> = Vec::new();
        let mut also = Vec::new();
        for ((shows, states, repeats), (parent, at)) in list {
            let id = paths.len();
            let states = states.iter().map(|&i| state(&rsm, STATES[i])).collect();
            let repeats = repeats
                .map(|(from, to)| loris_evidence::Loop { from: usize::from(from), to: usize::from(to) });
            paths.push(Path { shows, states, repeats, because: Vec::new() });
            let level = if id == 0 { 0 } else { parent.index(spine.len() + 1) };
            spine.truncate(level);
            // once there is another root, the first takes no more claims
            match spine.last() {
                Some(&parent) => parents.push((parent, Claim { state: at, evidence: PathId::new(id) })),
                None if id > 0 => also.push(PathId::new(id)),
                None => {}
            }
            spine.push(id);
        }
        for (parent, claim) in parents {
            paths[parent].because.push(claim);
        }
        Evidence { paths: paths.into(), also }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(evidence in any_evidence()) {
        let rsm = machine(CALLS);
        let read = read_json(&written(&evidence, &rsm), &rsm).expect("well-formed");
        prop_assert_eq!(&read[0].evidence, &evidence);
        let _ = (replay(&rsm, &evidence, AtExit::Sink), evidence.render(&rsm, 2));
    }

    #[test]
    fn garbage_is_refused(evidence in any_evidence(), cut in any::<prop::sample::Index>(), junk in "[\\[\\]{}\",:0-9a-z\\\\é ]{0,6}") {
        let rsm = machine(CALLS);
        let text = written(&evidence, &rsm);
        let at = text.floor_char_boundary(cut.index(text.len()));
        let _ = read_json(&junk, &rsm);
        let _ = read_json(&format!("{}{junk}{}", &text[..at], &text[at..]), &rsm);
        prop_assert!(read_json(&text[..at], &rsm).is_err());
    }
}
