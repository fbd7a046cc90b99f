//! Reads what the writer writes, and nothing else: one variable, its values, sets of them. For
//! tests only.

use std::collections::{BTreeMap, BTreeSet};

/// A module as a graph.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) values: BTreeSet<String>,
    pub(crate) init: Vec<String>,
    pub(crate) next: BTreeMap<String, Vec<String>>,
    /// per label, the states that have it
    pub(crate) labels: BTreeMap<String, BTreeSet<String>>,
    /// per call, the module
    pub(crate) calls: BTreeMap<String, String>,
    pub(crate) properties: Vec<String>,
}

/// A file: its modules by name, and their names in order.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) modules: BTreeMap<String, Module>,
    pub(crate) order: Vec<String>,
}

/// Reads a file and checks what the language asks for.
pub(crate) fn read(text: &str) -> File {
    let text: String =
        text.lines().map(|line| line.split("--").next().unwrap_or("").to_owned() + "\n").collect();
    let mut file = File::default();
    for part in text.split("MODULE ").skip(1) {
        let (name, rest) = part.split_once('\n').expect("a name");
        let Some((body, properties)) = rest.split_once("esac;\n") else { panic!("no next in {rest}") };
        let properties = properties.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let mut module = Module { properties, ..Module::default() };
        let mut section = "";
        for statement in body.split_inclusive([';']) {
            let mut statement = statement.trim().trim_end_matches(';').trim();
            for word in ["VAR", "DEFINE", "CALL", "ASSIGN"] {
                if let Some(rest) = statement.strip_prefix(word) {
                    (section, statement) = (word, rest.trim());
                }
            }
            let statement = statement.strip_prefix("next(state) := case").unwrap_or(statement).trim();
            read_statement(&mut module, section, statement);
        }
        check(&module);
        file.order.push(name.to_owned());
        assert!(file.modules.insert(name.to_owned(), module).is_none(), "two modules {name}");
    }
    for module in file.modules.values() {
        assert!(module.calls.values().all(|callee| file.modules.contains_key(callee)), "an unknown module");
    }
    file
}

fn read_statement(module: &mut Module, section: &str, statement: &str) {
    if statement.is_empty() {
        return;
    }
    let (left, right) = match section {
        "ASSIGN" if statement.starts_with("init(state)") => {
            module.init = set(statement.split_once(":=").expect("a value").1);
            return;
        }
        "VAR" | "ASSIGN" => statement.split_once(" : ").expect("a type or a branch"),
        _ => statement.split_once(" := ").expect("a condition"),
    };
    match section {
        "VAR" => {
            let values = set(right);
            module.values = values.iter().cloned().collect();
            assert_eq!(module.values.len(), values.len(), "a value twice in {right}");
        }
        "DEFINE" if right == "FALSE" => {
            assert!(module.labels.insert(left.to_owned(), BTreeSet::new()).is_none(), "{left} twice");
        }
        "DEFINE" => {
            let states = set(right.strip_prefix("state in ").expect("a condition")).into_iter().collect();
            assert!(module.labels.insert(left.to_owned(), states).is_none(), "{left} twice");
        }
        "CALL" => {
            for state in set(right.strip_prefix("state in ").expect("a condition")) {
                assert!(module.calls.insert(state, left.to_owned()).is_none(), "two calls in one state");
            }
        }
        "ASSIGN" => {
            let state = left.strip_prefix("state = ").expect("a guard");
            assert!(module.next.insert(state.to_owned(), set(right)).is_none(), "two branches for {state}");
        }
        _ => panic!("{statement} in no section"),
    }
}

fn set(text: &str) -> Vec<String> {
    let text = text.trim();
    match text.strip_prefix('{') {
        None => vec![text.to_owned()],
        Some(inner) => inner.trim_end_matches('}').split(',').map(|value| value.trim().to_owned()).collect(),
    }
}

/// What the language asks for.
fn check(module: &Module) {
    let word = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_$#".contains(c))
    };
    let known = |state: &String| state == "EXIT" || module.values.contains(state);
    assert!(!module.values.is_empty() && !module.init.is_empty() && !module.values.contains("EXIT"));
    assert!(module.values.iter().all(|value| word(value) && value != "state"), "{:?}", module.values);
    assert!(module.labels.keys().all(|label| word(label) && !module.values.contains(label)), "{module:?}");
    assert!(module.labels.values().flatten().all(known) && module.init.iter().all(known), "{module:?}");
    assert!(module.next.values().flatten().all(known) && module.calls.keys().all(known), "{module:?}");
    assert!(module.next.keys().eq(&module.values), "a branch for each value: {module:?}");
    let call = |state: &String| module.calls.contains_key(state);
    assert!(!module.init.iter().any(call) && !module.calls.contains_key("EXIT"), "entry or exit calls");
    for (state, next) in &module.next {
        assert!(!next.is_empty(), "{state} in {module:?}");
        assert!(!call(state) || !next.iter().any(call), "{state} in {module:?}");
    }
    assert!(!module.labels.values().flatten().any(call), "a call has a label");
    if !module.calls.is_empty() {
        assert_eq!(module.init.len(), 1, "several entries");
    }
}
