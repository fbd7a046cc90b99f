//! A client that speaks with a server over pipes, in the framing of the protocol.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part of it")]

use loris_lsp::{Settings, serve};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::thread::JoinHandle;
use std::time::Duration;

pub(crate) struct Client {
    to: Option<PipeWriter>,
    from: BufReader<PipeReader>,
    server: Option<JoinHandle<std::io::Result<bool>>>,
    next: u64,
    /// all that came, in order
    pub(crate) received: Vec<Value>,
}

impl Client {
    /// A client of a server that analyses texts at once.
    pub(crate) fn start() -> Self {
        Self::with(Settings {
            debounce: Duration::ZERO,
            analysis: Duration::from_mins(1),
            ..Settings::default()
        })
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let (input, to) = pipe().unwrap();
        let (from, output) = pipe().unwrap();
        let server = std::thread::spawn(move || serve(BufReader::new(input), output, settings));
        Self { to: Some(to), from: BufReader::new(from), server: Some(server), next: 0, received: Vec::new() }
    }

    /// The same, after `initialize`.
    pub(crate) fn ready() -> Self {
        let mut client = Self::start();
        client.initialize();
        client
    }

    pub(crate) fn initialize(&mut self) -> Value {
        let capabilities = json!({"textDocument": {"publishDiagnostics": {"relatedInformation": true}}});
        let answer = self.request("initialize", &json!({"processId": null, "capabilities": capabilities}));
        self.notify("initialized", &json!({}));
        answer
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let to = self.to.as_mut().unwrap();
        to.write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let content = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{content}", content.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and does not wait; returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = json!(self.next);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.wait(|message| message["id"] == id)
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    pub(crate) fn change(&mut self, uri: &str, version: u64, text: &str) {
        let document = json!({"uri": uri, "version": version});
        self.notify(
            "textDocument/didChange",
            &json!({"textDocument": document, "contentChanges": [{"text": text}]}),
        );
    }

    /// The diagnostics that come next.
    pub(crate) fn diagnostics(&mut self) -> Value {
        self.wait(|message| message["method"] == "textDocument/publishDiagnostics")["params"].clone()
    }

    /// The next message, or nothing at the end.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                header => length = header.strip_prefix("Content-Length: ").unwrap().parse().unwrap(),
            }
        }
        let mut content = vec![0; length];
        self.from.read_exact(&mut content).unwrap();
        let message: Value = serde_json::from_slice(&content).unwrap();
        self.received.push(message.clone());
        Some(message)
    }

    /// Waits for a message.
    pub(crate) fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive().expect("the server is there");
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Waits for a message, unless it has come since this many had.
    pub(crate) fn wait_since(&mut self, mark: usize, is_it: impl Fn(&Value) -> bool) -> Value {
        match self.received[mark..].iter().find(|message| is_it(message)) {
            Some(message) => message.clone(),
            None => self.wait(is_it),
        }
    }

    /// Leaves as the protocol demands; returns whether the server found that right.
    pub(crate) fn leave(mut self) -> bool {
        self.request("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        self.end()
    }

    /// Closes the pipe; returns whether the server found that right.
    pub(crate) fn end(mut self) -> bool {
        self.to = None;
        while self.receive().is_some() {}
        self.server.take().unwrap().join().expect("the server does not panic").unwrap()
    }
}
