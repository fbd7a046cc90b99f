//! Recorded editor sessions: each line of `sessions/*.jsonl` is a message of the client, or waits
//! for a notification (`{"await": method}`); `sessions/*.golden` has what the server sends.
//! `LORIS_BLESS=1` writes the latter anew.
#![allow(clippy::unwrap_used)]

mod client;

use client::Client;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let address = format!("file://{}", folder.display());
    let session = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    let session = session.replace("$FOLDER", &address);
    let mut client = Client::start();
    let mut is_refused = false;
    for line in session.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//")) {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if let Some(method) = message.get("await") {
            assert!(!is_refused, "nothing follows {:?}", client.received.last());
            client.wait(|received| received["method"] == *method);
            continue;
        }
        client.send(&message);
        let answer = message.get("id").map(|id| client.wait(|received| received["id"] == *id));
        is_refused = answer.is_some_and(|answer| answer.get("error").is_some());
    }
    let mut found = String::new();
    for message in &client.received {
        let mut message = message.clone();
        settle(&mut message);
        writeln!(found, "{message}").unwrap();
    }
    let found = found.replace(&address, "$FOLDER").replace(&*folder.to_string_lossy(), "$FOLDER");
    assert!(client.end(), "the session ends as the protocol demands");
    loris_testing::golden([(folder.join(format!("{name}.golden")), found)]);
}

/// Takes out what differs from run to run.
fn settle(value: &mut Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values),
            Value::Object(object) => {
                if object.contains_key("seconds") {
                    object.insert("seconds".to_owned(), Value::from(0));
                }
                if object.get("name").is_some_and(|name| name == "loris") {
                    object.remove("version");
                }
                open.extend(object.values_mut());
            }
            _ => {}
        }
    }
}

#[test]
fn modules() {
    check("modules");
}

/// Findings of class files that lie where build tools put them, and where the client says.
#[test]
fn java() {
    check("java");
}

#[test]
fn machines() {
    check("machines");
}

#[test]
fn systems() {
    check("systems");
}

#[test]
fn rules() {
    check("rules");
}
