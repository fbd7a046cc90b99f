//! `loris lsp` shows what `loris check` prints: the same verdicts, evidence and problems.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// All that the server sends in a session with these messages.
fn session(messages: &[Value]) -> Vec<Value> {
    let mut server = Command::new(env!("CARGO_BIN_EXE_loris"))
        .args(["lsp", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = server.stdin.take().unwrap();
    let mut from = BufReader::new(server.stdout.take().unwrap());
    let mut received = Vec::new();
    for message in messages {
        if let Some(method) = message.get("await") {
            while receive(&mut from, &mut received)["method"] != *method {}
            continue;
        }
        let content = message.to_string();
        write!(to, "Content-Length: {}\r\n\r\n{content}", content.len()).unwrap();
        if let Some(id) = message.get("id") {
            while receive(&mut from, &mut received)["id"] != *id {}
        }
    }
    drop(to);
    assert!(server.wait().unwrap().success());
    received
}

fn receive(from: &mut impl BufRead, received: &mut Vec<Value>) -> Value {
    let mut length = 0;
    loop {
        let mut line = String::new();
        assert!(from.read_line(&mut line).unwrap() > 0, "the server is there");
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().unwrap(),
            None => break,
        }
    }
    let mut content = vec![0; length];
    from.read_exact(&mut content).unwrap();
    let message: Value = serde_json::from_slice(&content).unwrap();
    received.push(message.clone());
    message
}

fn call(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn note(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// Opens a file and checks the properties on these lines, counted from 0.
fn serve(path: &Path, lines: &[u64]) -> Vec<Value> {
    let uri = format!("file://{}", path.display());
    let text = std::fs::read_to_string(path).unwrap();
    let document = json!({"uri": uri, "languageId": "", "version": 1, "text": text});
    let published = json!({"await": "textDocument/publishDiagnostics"});
    let mut messages = vec![
        call(1, "initialize", &json!({"capabilities": {}})),
        note("textDocument/didOpen", &json!({"textDocument": document})),
        published.clone(),
    ];
    for (id, line) in (2..).zip(lines) {
        let arguments = json!([{"uri": uri, "line": line}]);
        messages.push(call(
            id,
            "workspace/executeCommand",
            &json!({"command": "loris.check", "arguments": arguments}),
        ));
        messages.push(published.clone());
    }
    messages.extend([call(99, "shutdown", &Value::Null), note("exit", &Value::Null)]);
    session(&messages)
}

fn examples(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).canonicalize().unwrap()
}

#[test]
fn verdicts_and_evidence_are_those_of_check() {
    for name in ["lock.pds", "smv/ferry.smv", "smv/mutex.smv", "smv/listing5_1.smv"] {
        let path = examples(name);
        let out = Command::new(env!("CARGO_BIN_EXE_loris"))
            .args(["check", "--evidence", "--format", "jsonl", "-q"])
            .arg(&path)
            .output()
            .unwrap();
        let printed: Vec<Value> = String::from_utf8(out.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(!printed.is_empty(), "{name}");
        let mut lines: Vec<u64> = printed.iter().map(|one| one["line"].as_u64().unwrap() - 1).collect();
        lines.dedup();
        let received = serve(&path, &lines);
        let shown = received.iter().filter_map(|one| one["result"]["results"].as_array()).flatten();
        let settled = |one: &Value| {
            let mut one = one.clone();
            // what a batch shares differs from what a property takes alone
            for key in ["seconds", "checks", "contexts", "tuples", "positions", "functions", "model"] {
                one.as_object_mut().unwrap().remove(key);
            }
            one
        };
        let shown: Vec<Value> = shown.map(settled).collect();
        let printed: Vec<Value> = printed.iter().map(settled).collect();
        assert_eq!(shown, printed, "{name}");
    }
}

#[test]
fn problems_are_those_of_check() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../smv/tests/errors").canonicalize().unwrap();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "smv"));
    files.sort();
    assert!(files.len() > 20);
    for path in files.iter().step_by(files.len() / 20) {
        if std::fs::read_to_string(path).is_err() {
            // an editor has no text that is not UTF-8
            continue;
        }
        let check = |more: &[&str]| {
            let out = Command::new(env!("CARGO_BIN_EXE_loris")).arg("check").arg(path).args(more).output();
            String::from_utf8(out.unwrap().stderr).unwrap()
        };
        let mut printed = check(&[]);
        if printed.contains("there is no property to check") {
            printed = check(&["-p", "A G TRUE"]);
        }
        let received = serve(path, &[]);
        let shown = received.iter().find(|one| one["method"] == "textDocument/publishDiagnostics").unwrap();
        let shown = shown["params"]["diagnostics"].as_array().unwrap();
        let errors = shown.iter().filter(|one| one["severity"] == 1).count();
        let of_file =
            printed.lines().filter(|line| line.starts_with('/') && line.contains(": error: ")).count();
        assert_eq!(errors, of_file, "{}\n{printed}\n{shown:#?}", path.display());
        for one in shown.iter().filter(|one| one["severity"] == 1) {
            let message = one["message"].as_str().unwrap().split("\nhelp: ").next().unwrap();
            let line = one["range"]["start"]["line"].as_u64().unwrap() + 1;
            let place = format!(":{line}:");
            let is_it = |printed: &str| printed.contains(&place) && printed.contains(message);
            assert!(printed.lines().any(is_it), "{}: {message}\n{printed}", path.display());
        }
    }
}
