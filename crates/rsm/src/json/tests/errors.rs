//! The problems of a text: the message of each, and the text at its offset.

use super::super::CHUNK;
use super::{LOOP, SMALL, read, small};
use crate::Semantics;
use loris_base::Diagnostics;

/// Problems in order: the message of each, and the text at its place.
pub(super) type Problems<'a> = &'a [(&'a str, &'a str)];

/// Reads `text` in chunks of several sizes and compares the problems.
pub(super) fn check(text: &str, expected: Problems<'_>) {
    check_as(text, Semantics::default(), expected);
}

fn check_as(text: &str, semantics: Semantics, expected: Problems<'_>) {
    for chunk in [1, 2, 3, 5, 8, 13, 64, CHUNK] {
        let problems = read(text.as_bytes(), semantics, chunk).err().unwrap_or_default();
        let found: Vec<(&str, &str)> = located(&problems, text);
        let same = |(found, expected): (&(&str, &str), &(&str, &str))| {
            found.0 == expected.0 && found.1.starts_with(expected.1)
        };
        let all = found.len() == expected.len() && found.iter().zip(expected).all(same);
        assert!(all, "in chunks of {chunk}\nfound {found:#?}\nexpected {expected:#?}\nin {text}");
    }
}

fn located<'a>(problems: &'a Diagnostics, text: &'a str) -> Vec<(&'a str, &'a str)> {
    let at = |offset: Option<u64>| offset.map_or("", |offset| &text[offset as usize..]);
    problems.sorted().into_iter().map(|problem| (problem.message.as_str(), at(problem.offset))).collect()
}

/// The engines disagreed about machines in which an empty list of edges was the only mention of a
/// return port.
#[test]
fn a_return_port_with_an_empty_list_of_edges() {
    let unlisted = SMALL.replace(r#", "return_nodes": ["x"]"#, "");
    let text = unlisted.replace(r#""targets": [{"type": "node", "name": "m"}]"#, r#""targets": []"#);
    check(&text, &[(r#"return port ("b", "x") has no successor"#, r#""x"}, "targets": []"#)]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn validation_errors() {
    let table: &[(&str, &str, Problems<'_>)] = &[
        (
            r#""initial_component": "main""#,
            r#""initial_component": "mian""#,
            &[(r#"the initial component "mian" does not exist"#, r#""mian""#)],
        ),
        (
            r#""initial_node": "s""#,
            r#""initial_node": "u""#,
            &[(r#"the initial node "u" is not a node of component "main""#, r#""u""#)],
        ),
        (
            r#""initial_node": "s""#,
            r#""initial_nodes": ["s", "u", "v"]"#,
            &[
                (r#"the initial node "u" is not a node of component "main""#, r#""u""#),
                (r#"the initial node "v" is not a node of component "main""#, r#""v""#),
            ],
        ),
        (
            r#""main", "initial_node": "s""#,
            r#""nine""#,
            &[(r#"the initial component "nine" does not exist"#, r#""nine""#)],
        ),
        (
            r#"{"name": "sub", "#,
            r#"{"name": "main", "#,
            &[
                (r#"box "b" calls component "sub", which does not exist"#, r#""sub""#),
                (r#"component "main" is defined twice"#, r#""main", "nodes": [{"name": "e""#),
            ],
        ),
        (
            r#"{"name": "m", "#,
            r#"{"name": "s", "#,
            &[
                (r#"node "s" is defined twice in this component"#, r#""s", "labels": [],"#),
                (r#"component "main" has no node "m""#, r#""m"}]},"#),
                (r#"component "main" has no node "m""#, r#""m"}, "targets""#),
                (r#"component "main" has no node "m""#, r#""m", "type""#),
            ],
        ),
        (
            r#"{"name": "c", "#,
            r#"{"name": "b", "#,
            &[
                (r#"box "b" is defined twice in this component"#, r#""b", "component": "nil""#),
                (r#"component "main" has no box "c""#, r#""c", "node"#),
                (r#"component "main" has no box "c""#, r#""c", "node"#),
            ],
        ),
        (
            r#""component": "nil""#,
            r#""component": "nix""#,
            &[(r#"box "c" calls component "nix", which does not exist"#, r#""nix""#)],
        ),
        (
            r#"{"source": {"node": "m"}"#,
            r#"{"source": {"node": "mm"}"#,
            &[(r#"component "main" has no node "mm""#, r#""mm""#)],
        ),
        (
            r#""box_name": "b", "node_name": "e""#,
            r#""box_name": "b", "node_name": "f""#,
            &[(r#"component "sub" has no node "f""#, r#""f""#)],
        ),
        (
            r#""box_name": "b", "node_name": "e""#,
            r#""box_name": "bb", "node_name": "e""#,
            &[(r#"component "main" has no box "bb""#, r#""bb""#)],
        ),
        (
            r#""box_name": "b", "node_name": "e""#,
            r#""box_name": "b", "node_name": "x""#,
            &[(r#"an edge calls "x", which is not an entry of component "sub""#, r#""x""#)],
        ),
        (
            r#""box_name": "b", "node_name": "x""#,
            r#""box_name": "b", "node_name": "e""#,
            &[(r#"an edge returns from "e", which is not an exit of component "sub""#, r#""e""#)],
        ),
        (
            r#""call_nodes": ["e"]"#,
            r#""call_nodes": ["x", "e"]"#,
            &[(r#"call node "x" is not an entry of component "sub""#, r#""x""#)],
        ),
        (
            r#""return_nodes": ["x"]"#,
            r#""return_nodes": ["x", "e"]"#,
            &[(r#"return node "e" is not an exit of component "sub""#, r#""e""#)],
        ),
        (
            r#"{"name": "m", "#,
            r#"{"name": "m", "is_exit": true, "#,
            &[(r#"exit "m" has an edge of its own"#, r#""m", "is_exit""#)],
        ),
        (
            r#"{"source": {"name": "e"}, "targets": [{"name": "x"}]}"#,
            "",
            &[(r#"node "e" is not an exit and has no successor"#, r#""e", "is_entry""#)],
        ),
        (
            r#", "targets": [{"name": "t"}]"#,
            r#", "targets": []"#,
            &[(r#"return port ("c", "n") has no successor"#, r#""n"}, "targets": []"#)],
        ),
        (
            r#"{"type": "box_node", "box_name": "b", "node_name": "x"}"#,
            r#"{"node": "m"}"#,
            &[(r#"return port ("b", "x") has no successor"#, r#""x"]"#)],
        ),
        (
            r#"{"name": "x", "is_exit": true}"#,
            r#"{"name": "x", "is_exit": true}, {"name": "y", "is_exit": true}"#,
            &[],
        ),
        (r#", "targets": [{"name": "x"}]"#, r#", "targets": [{"name": "x"}, {"name": "x"}]"#, &[]),
    ];
    for (from, to, expected) in table {
        check(&small(from, to), expected);
    }
    let two_exits = small(
        r#"{"name": "x", "is_exit": true}"#,
        r#"{"name": "x", "is_exit": true}, {"name": "y", "is_exit": true}"#,
    )
    .replace(r#""targets": [{"name": "x"}]"#, r#""targets": [{"name": "x"}, {"name": "y"}]"#);
    check(
        &two_exits,
        &[(r#"box "b" has no edge for a return through exit "y" of its callee"#, r#""b", "component""#)],
    );
    check_as(&two_exits, LOOP, &[]);
    let no_entry = small(r#""initial_node": "s", "#, "")
        .replace(r#""s", "is_entry": true"#, r#""s", "is_entry": false"#);
    check(&no_entry, &[(r#"the initial component "main" has no entry"#, r#""main", "nodes""#)]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn wrong_kinds_of_values() {
    let table: &[(&str, &str, Problems<'_>)] = &[
        (
            r#""initial_component": "main", "#,
            "",
            &[(r#"the model has no "initial_component""#, r#"{"initial_node""#)],
        ),
        (
            r#""initial_component": "main""#,
            r#""initial_component": 3"#,
            &[(r#""initial_component" must be a string, found a number"#, "3,")],
        ),
        (
            r#""initial_node": "s""#,
            r#""initial_node": null"#,
            &[(r#""initial_node" must be a string, found null"#, "null")],
        ),
        (r#"{"name": "main", "#, "{", &[(r#"a component has no "name""#, r#"{"nodes": [{"name": "s""#)]),
        (
            r#"{"name": "main", "#,
            r#"{"name": ["main"], "#,
            &[("the name of a component must be a string, found an array", r#"["main"]"#)],
        ),
        (
            r#", "nodes": [{"name": "n", "is_entry": true, "is_exit": true}]"#,
            "",
            &[(r#"a component has no "nodes""#, r#"{"name": "nil""#)],
        ),
        (r#"{"name": "m", "#, "{", &[(r#"a node has no "name""#, r#"{"labels": []"#)]),
        (
            r#""is_entry": true, "is_exit": false"#,
            r#""is_entry": "yes", "is_exit": 0"#,
            &[
                (r#""is_entry" must be true or false, found a string"#, r#""yes""#),
                (r#""is_exit" must be true or false, found a number"#, "0,"),
            ],
        ),
        (
            r#"["p", "q"]"#,
            r#"["p", 7, {}]"#,
            &[
                ("a label must be a string, found a number", "7,"),
                ("a label must be a string, found an object", "{}"),
            ],
        ),
        (r#"["p", "q"]"#, r#""p""#, &[(r#""labels" must be an array, found a string"#, r#""p""#)]),
        (r#""component": "sub", "#, "", &[(r#"a box has no "component""#, r#"{"name": "b", "call_nodes""#)]),
        (
            r#"{"name": "b", "component""#,
            r#"{"component""#,
            &[(r#"a box has no "name""#, r#"{"component": "sub""#)],
        ),
        (
            r#"{"source": {"node": "m"}, "#,
            "{",
            &[(r#"a transition has no "source""#, r#"{"targets": [{"box_name": "c""#)],
        ),
        (
            r#""targets": [{"name": "x"}]"#,
            r#""goals": 1"#,
            &[(r#"a transition has no "targets""#, r#"{"source""#)],
        ),
        (
            r#"{"source": {"node": "m"}"#,
            r#"{"source": "m""#,
            &[("a source must be an object, found a string", r#""m""#)],
        ),
        (
            r#""targets": [{"name": "t"}]"#,
            r#""targets": [{}, true]"#,
            &[(r#"a target has no "name""#, "{}"), ("a target must be an object, found a boolean", "true")],
        ),
        (
            r#"{"type": "box_node", "box_name": "b", "node_name": "e"}"#,
            r#"{"type": "box_node", "box_name": "b"}"#,
            &[(r#"a target has no "node_name""#, r#"{"type""#)],
        ),
        (
            r#"{"type": "box_node", "box_name": "b", "node_name": "e"}"#,
            r#"{"type": "port", "box_name": "b"}"#,
            &[(r#"unknown type "port" of a reference"#, r#""port""#)],
        ),
        (
            r#"{"source": {"node": "m"}"#,
            r#"{"source": {"node": "m", "name": "m"}"#,
            &[(r#"a source has both "name" and "node""#, r#"{"node": "m", "n"#)],
        ),
        (
            r#"{"source": {"node": "m"}"#,
            r#"{"source": {"node": "m", "node": "s"}"#,
            &[(r#"a source has "node" twice"#, r#""node": "s""#)],
        ),
        (
            r#""initial_node": "s""#,
            r#""initial_component": 1"#,
            &[(r#"the model has "initial_component" twice"#, r#""initial_component": 1"#)],
        ),
    ];
    for (from, to, expected) in table {
        check(&small(from, to), expected);
    }
    check(r#"{"initial_component": "c", "components": []}"#, &[("the model has no component", "[]")]);
    check(r#"{"initial_component": "c"}"#, &[(r#"the model has no "components""#, "{")]);
    check(
        "{}",
        &[(r#"the model has no "initial_component""#, "{"), (r#"the model has no "components""#, "{")],
    );
    check(
        r#"{"components": 1, "initial_component": "a"}"#,
        &[(r#""components" must be an array, found a number"#, "1")],
    );
}

#[test]
fn syntax_errors_stop_reading() {
    let many =
        small(r#"["p", "q"]"#, r#"["p", 7]"#).replace(r#", "node_name": "x"}, "#, r#", "node_name": "x"} "#);
    check(
        &many,
        &[
            ("a label must be a string, found a number", "7]"),
            ("unexpected `\"`, expected `,` or `}`", "\"targets\""),
        ],
    );
    let table: &[(&str, Problems<'_>)] = &[
        ("", &[("the file is empty, expected a JSON object", "")]),
        (" \n\t ", &[("the file is empty, expected a JSON object", " ")]),
        ("[]", &[("unexpected `[`, expected a JSON object", "[")]),
        ("{", &[("the file ends here, expected a key in quotes", "")]),
        ("{1: 2}", &[("unexpected `1`, expected a key in quotes", "1")]),
        (r#"{"a" 1}"#, &[("unexpected `1`, expected `:` after a key", "1")]),
        (r#"{"a": }"#, &[("unexpected `}`, expected a value", "}")]),
        (r#"{"a": 1 "b": 2}"#, &[("unexpected `\"`, expected `,` or `}`", "\"b\"")]),
        (r#"{"a": [1 2]}"#, &[("unexpected `2`, expected `,` or `]`", "2")]),
        (r#"{"a": [1,]}"#, &[("unexpected `]`, expected something after the comma", "]")]),
        (r#"{"a": 1,}"#, &[("unexpected `}`, expected something after the comma", "}")]),
        (r#"{"a": [}"#, &[("unexpected `}`, expected a value", "}")]),
        (r#"{"a": nul}"#, &[("this is not a JSON value", "nul}")]),
        (r#"{"a": tru"#, &[("the file ends here, expected the rest of a value", "")]),
        (r#"{"a": 01}"#, &[("unexpected `1`, expected `,` or `}`", "1}")]),
        (r#"{"a": 1.}"#, &[("unexpected `}`, expected a digit", "}")]),
        (r#"{"a": -}"#, &[("unexpected `}`, expected a digit", "}")]),
        (r#"{"a": 1e+}"#, &[("unexpected `}`, expected a digit", "}")]),
        (r#"{"a": "x"#, &[("the file ends within this string", "\"x")]),
        (r#"{"a": "x\"#, &[("the file ends within this string", "\"x")]),
        (r#"{"a": "x\q"}"#, &[("there is no such escape", "\\q")]),
        (r#"{"a": "\u12g4"}"#, &[("\\u needs four hexadecimal digits", "\\u12g4")]),
        (r#"{"a": "\u+123"}"#, &[("\\u needs four hexadecimal digits", "\\u+123")]),
        (r#"{"a": "\ud83d"}"#, &[("half of a surrogate pair", "\\ud83d")]),
        (r#"{"a": "\ude00"}"#, &[("half of a surrogate pair", "\\ude00")]),
        (r#"{"a": "\ud83d\u0041"}"#, &[("half of a surrogate pair", "\\ud83d")]),
        ("{\"a\": \"x\ny\"}", &[("a line ends within a string", "\ny")]),
        ("{\u{e9}}", &[("unexpected byte 0xC3, expected a key in quotes", "\u{e9}")]),
    ];
    for (text, expected) in table {
        check(text, expected);
    }
    check(&format!("{SMALL} {{"), &[("the model has ended, but the file goes on", "{")]);
}
