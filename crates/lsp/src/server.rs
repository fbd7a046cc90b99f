//! The session: all documents, all requests in the order they come, and all that is sent.
//!
//! One loop owns everything. It waits for messages of the client, for results of the analysis and
//! for verdicts, and never works longer than it takes to scan a text. A text is analysed when it
//! has not changed for a moment; a change interrupts the analysis of the text before.

use crate::analysis::{Analysed, Job, Problem};
use crate::checks::Checks;
use crate::document::{Document, Shown};
use crate::event::Event;
use crate::features::{completion, definition, hover, lens, symbols};
use crate::frame::{Frame, read_frame, write_frame};
use crate::java::Builds;
use crate::kind::Kind;
use crate::position::Position;
use crate::rpc::{self, Message, Refused};
use crate::store::{Store, uri_in};
use crate::verdict::{CheckJob, Checked, modified};
use loris_base::{Exhausted, Interrupt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Limits of a session. A client can set the first two when it connects.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Time for reading a model and for the check of a property.
    pub timeout: Duration,
    /// Bytes for a model with the check of a property.
    pub memory: usize,
    /// Time for the analysis of a text, which is no more than `timeout`.
    pub analysis: Duration,
    /// How long a text has to stay unchanged before it is analysed.
    pub debounce: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
            memory: 2 << 30,
            analysis: Duration::from_secs(5),
            debounce: Duration::from_millis(150),
        }
    }
}

/// Messages that wait until the session comes to them.
const WAITING: usize = 256;

/// Speaks with a client until it leaves; returns whether it left as the protocol demands.
///
/// # Errors
/// The input cannot be read or the output cannot be written.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    settings: Settings,
) -> io::Result<bool> {
    let (sender, events) = sync_channel(WAITING);
    let from_client = sender.clone();
    // this thread waits for the client, so nobody waits for it
    thread::Builder::new().name("reader".to_owned()).spawn(move || receive(input, &from_client))?;
    let jobs = analyser(&sender)?;
    let session = Session {
        output,
        settings,
        store: Store::default(),
        classes: Vec::new(),
        state: State::Start,
        client: Client::default(),
        dirty: BTreeMap::new(),
        analysing: None,
        jobs,
        checks: Checks::new(sender),
    };
    session.run(&events)
}

fn receive(mut input: impl BufRead, to: &SyncSender<Event>) {
    loop {
        let (event, is_last) = match read_frame(&mut input) {
            Ok(frame) => {
                let is_last = matches!(frame, Frame::End | Frame::Broken(_));
                (Event::Frame(frame), is_last)
            }
            Err(error) => (Event::Unreadable(error), true),
        };
        if to.send(event).is_err() || is_last {
            return;
        }
    }
}

/// Starts the thread that analyses texts.
fn analyser(events: &SyncSender<Event>) -> io::Result<Sender<Job>> {
    let (sender, jobs) = channel::<Job>();
    let events = events.clone();
    let work = move || {
        let mut builds = Builds::default();
        for job in jobs {
            let (uri, generation) = (job.uri.clone(), job.generation);
            let done = catch_unwind(AssertUnwindSafe(|| job.run(&mut builds))).unwrap_or_else(|_| {
                let message = "the analysis panicked: this is a defect of Loris".to_owned();
                let problem = Problem {
                    span: (0, 0),
                    severity: 1,
                    message,
                    is_unsupported: false,
                    rule: None,
                    confidence: None,
                };
                Analysed { uri, generation, problems: vec![problem], facts: None, is_interrupted: false }
            });
            if events.send(Event::Analysed(Box::new(done))).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("analysis".to_owned()).spawn(work)?;
    Ok(sender)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Ready,
    ShutDown,
}

/// What the client can do.
#[derive(Default)]
struct Client {
    shows_related: bool,
    refreshes_lenses: bool,
    refreshed: u64,
}

/// When a text was changed first, and when it is to be analysed.
struct Due {
    first: Instant,
    at: Instant,
}

struct Session<W> {
    output: W,
    settings: Settings,
    store: Store,
    /// folders with class files, as the client set them
    classes: Vec<PathBuf>,
    state: State,
    client: Client,
    dirty: BTreeMap<String, Due>,
    /// the document that is analysed now
    analysing: Option<(String, Interrupt)>,
    jobs: Sender<Job>,
    checks: Checks,
}

type Answer = Result<Value, Refused>;

impl<W: Write> Session<W> {
    fn run(mut self, events: &Receiver<Event>) -> io::Result<bool> {
        loop {
            self.analyse_what_is_due();
            let next = self.dirty.values().map(|due| due.at).min().filter(|_| self.analysing.is_none());
            let event = match next {
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => events.recv_timeout(at.saturating_duration_since(Instant::now())),
            };
            match event {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) | Ok(Event::Frame(Frame::End)) => return Ok(self.leave()),
                Ok(Event::Unreadable(error)) => {
                    self.leave();
                    return Err(error);
                }
                Ok(Event::Frame(Frame::Content(content))) => {
                    if self.message(&content)? {
                        return Ok(self.leave());
                    }
                }
                Ok(Event::Frame(Frame::Skipped(why))) => {
                    self.send(&rpc::failure(&Value::Null, &Refused::new(rpc::INVALID_REQUEST, why)))?;
                }
                Ok(Event::Frame(Frame::Broken(why))) => {
                    self.send(&rpc::failure(&Value::Null, &Refused::new(rpc::INVALID_REQUEST, why)))?;
                    self.leave();
                    return Ok(false);
                }
                Ok(Event::Analysed(analysed)) => self.analysed(*analysed)?,
                Ok(Event::Checked(checked)) => self.checked(*checked)?,
            }
        }
    }

    /// Ends all work; returns whether the client has said that it leaves.
    fn leave(&mut self) -> bool {
        self.checks.stop();
        if let Some((_, interrupt)) = &self.analysing {
            interrupt.raise(Exhausted::Interrupted);
        }
        self.state == State::ShutDown
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        write_frame(&mut self.output, message.to_string().as_bytes())
    }

    /// Reacts to a message; returns whether it is the last one.
    fn message(&mut self, content: &[u8]) -> io::Result<bool> {
        match rpc::read(content) {
            Err(answer) => self.send(&answer)?,
            Ok(Message::Response) => {}
            Ok(Message::Notification { method, params }) => {
                if method == "exit" {
                    return Ok(true);
                }
                if self.state == State::Ready {
                    self.notification(&method, &params)?;
                }
            }
            Ok(Message::Request { id, method, params }) => {
                // a defect in the answer to one request must not end the session
                let answer = catch_unwind(AssertUnwindSafe(|| self.request(&id, &method, &params)));
                let answer = answer.unwrap_or_else(|_| {
                    Some(Err(Refused::new(rpc::INTERNAL_ERROR, format!("{method} panicked"))))
                });
                match answer {
                    Some(Ok(result)) => self.send(&rpc::success(&id, &result))?,
                    Some(Err(why)) => self.send(&rpc::failure(&id, &why))?,
                    // it is answered later
                    None => {}
                }
            }
        }
        Ok(false)
    }

    /// The answer to a request, unless that comes later.
    fn request(&mut self, id: &Value, method: &str, params: &Value) -> Option<Answer> {
        match (self.state, method) {
            (State::Start, "initialize") => return Some(Ok(self.initialize(params))),
            (State::Start, _) => {
                return Some(Err(Refused::new(rpc::NOT_INITIALIZED, "the first request is `initialize`")));
            }
            (State::Ready, "initialize") => {
                return Some(Err(Refused::new(rpc::INVALID_REQUEST, "`initialize` comes once")));
            }
            (State::ShutDown, _) => {
                return Some(Err(Refused::new(rpc::INVALID_REQUEST, "the server is shut down")));
            }
            (State::Ready, _) => {}
        }
        Some(match method {
            "shutdown" => {
                self.state = State::ShutDown;
                for (id, why) in self.checks.stop() {
                    // an output that is gone is noticed when this request is answered
                    let _ = self.send(&rpc::failure(&id, &why));
                }
                Ok(Value::Null)
            }
            "textDocument/hover" => self.at(params, hover::hover),
            "textDocument/definition" => self.at(params, definition::definition),
            "textDocument/completion" => self.at(params, completion::completion),
            "textDocument/documentSymbol" => self.about(params, symbols::symbols),
            "textDocument/codeLens" => self.about(params, lens::lenses),
            "workspace/executeCommand" => match self.command(id, params) {
                Ok(()) => return None,
                Err(why) => Err(why),
            },
            _ => Err(Refused::new(rpc::METHOD_NOT_FOUND, format!("there is no method {method}"))),
        })
    }

    /// Answers a request about a document. One that is not open has nothing.
    fn about(&mut self, params: &Value, answer: impl Fn(&Document) -> Value) -> Answer {
        let uri = uri_in(params).ok_or_else(no_document)?;
        Ok(self.store.get(uri).map_or(Value::Null, answer))
    }

    /// Answers a request about a position of a document.
    fn at(
        &mut self,
        params: &Value,
        answer: impl Fn(&crate::features::Subject<'_>, usize) -> Value,
    ) -> Answer {
        let uri = uri_in(params).ok_or_else(no_document)?;
        let position = params.get("position").and_then(Position::read);
        let position =
            position.ok_or_else(|| Refused::new(rpc::INVALID_PARAMS, "the request has no position"))?;
        let Some(subject) = self.store.subject(uri) else { return Ok(Value::Null) };
        let document = subject.document;
        let offset = document.lines().offset(&document.text, position);
        Ok(answer(&subject, offset))
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.state = State::Ready;
        let has = |pointer: &str| params.pointer(pointer).and_then(Value::as_bool).unwrap_or(false);
        self.client.shows_related = has("/capabilities/textDocument/publishDiagnostics/relatedInformation");
        self.client.refreshes_lenses = has("/capabilities/workspace/codeLens/refreshSupport");
        let option = |key: &str| params.pointer("/initializationOptions")?.get(key)?.as_f64();
        if let Some(seconds) = option("timeout").and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        {
            self.settings.timeout = seconds;
        }
        if let Some(size) = option("memory").filter(|size| *size >= 0.0) {
            self.settings.memory = mebibytes(size);
        }
        let classes = params.pointer("/initializationOptions/classes").and_then(Value::as_array);
        let classes = classes.into_iter().flatten().filter_map(Value::as_str);
        self.classes = classes.map(PathBuf::from).collect();
        json!({
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": {"openClose": true, "change": 2, "save": true},
                "hoverProvider": true,
                "definitionProvider": true,
                "completionProvider": {"triggerCharacters": [".", "\""]},
                "documentSymbolProvider": true,
                "codeLensProvider": {"resolveProvider": false},
                "executeCommandProvider": {"commands": [lens::CHECK]},
            },
            "serverInfo": {"name": "loris", "version": env!("CARGO_PKG_VERSION")},
        })
    }

    fn notification(&mut self, method: &str, params: &Value) -> io::Result<()> {
        // parameters that do not fit are dropped: a notification has no answer
        let affected = match method {
            "textDocument/didOpen" => self.store.open(params),
            "textDocument/didChange" => self.store.change(params),
            "textDocument/didClose" => {
                let Some(uri) = uri_in(params) else { return Ok(()) };
                self.dirty.remove(uri);
                self.interrupt(uri);
                let affected = self.store.close(uri);
                let params = json!({"uri": uri, "diagnostics": []});
                self.send(&rpc::notification("textDocument/publishDiagnostics", &params))?;
                Some(affected)
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => Some(self.store.files_changed()),
            "$/cancelRequest" => {
                if let Some(refused) = params.get("id").and_then(|id| self.checks.cancel(id)) {
                    let (id, why) = refused;
                    self.send(&rpc::failure(&id, &why))?;
                }
                None
            }
            _ => None,
        };
        let now = Instant::now();
        let debounce = self.settings.debounce;
        for uri in affected.into_iter().flatten() {
            self.interrupt(&uri);
            let due = self.dirty.entry(uri).or_insert(Due { first: now, at: now });
            // somebody who types without a pause sees problems, too
            due.at = (now + debounce).min(due.first + 10 * debounce);
        }
        Ok(())
    }

    /// Ends the analysis of a document whose text is out of date.
    fn interrupt(&self, uri: &str) {
        if let Some((_, interrupt)) = self.analysing.as_ref().filter(|(analysed, _)| analysed == uri) {
            interrupt.raise(Exhausted::Interrupted);
        }
    }

    /// Starts the analysis of the document that has waited longest, if one is due.
    fn analyse_what_is_due(&mut self) {
        if self.analysing.is_some() {
            return;
        }
        let now = Instant::now();
        let due = self.dirty.iter().filter(|(_, due)| due.at <= now).min_by_key(|(_, due)| due.at);
        let Some(uri) = due.map(|(uri, _)| uri.clone()) else { return };
        self.dirty.remove(&uri);
        let Some(document) = self.store.get(&uri) else { return };
        let interrupt = Interrupt::default();
        let model = self.store.model_path(document).filter(|_| matches!(document.kind, Kind::Properties(_)));
        let job = Job {
            uri: uri.clone(),
            generation: document.generation,
            kind: document.kind,
            path: document.path.clone(),
            text: document.text.clone(),
            model,
            classes: self.classes.clone(),
            open: self.store.texts(),
            time: self.settings.analysis.min(self.settings.timeout),
            memory: self.settings.memory,
            interrupt: interrupt.clone(),
        };
        if self.jobs.send(job).is_ok() {
            self.analysing = Some((uri, interrupt));
        }
    }

    fn analysed(&mut self, analysed: Analysed) -> io::Result<()> {
        self.analysing = None;
        let Analysed { uri, generation, problems, facts, is_interrupted } = analysed;
        let Some(document) = self.store.get_mut(&uri) else { return Ok(()) };
        if document.generation != generation || is_interrupted {
            return Ok(());
        }
        document.problems = problems
            .iter()
            .map(|problem| {
                let mut diagnostic = json!({
                    "range": document.range(problem.span),
                    "severity": problem.severity,
                    "source": "loris",
                    "message": problem.message,
                });
                if problem.is_unsupported {
                    diagnostic["code"] = json!("unsupported");
                }
                if let Some(rule) = &problem.rule {
                    diagnostic["source"] = json!("loris java");
                    diagnostic["code"] = json!(rule);
                }
                if let Some(confidence) = problem.confidence {
                    diagnostic["data"] = json!({"confidence": confidence.word()});
                }
                diagnostic
            })
            .collect();
        if let Some(facts) = facts {
            document.facts = Some(facts.into());
        }
        self.publish(&uri)
    }

    /// Sends the problems and verdicts of a document.
    fn publish(&mut self, uri: &str) -> io::Result<()> {
        let Some(document) = self.store.get(uri) else { return Ok(()) };
        let verdicts = document.verdicts.iter().map(|shown| &shown.diagnostic);
        let diagnostics: Vec<&Value> = document.problems.iter().chain(verdicts).collect();
        let mut params = json!({"uri": uri, "diagnostics": diagnostics});
        if let Some(version) = document.version {
            params["version"] = json!(version);
        }
        self.send(&rpc::notification("textDocument/publishDiagnostics", &params))
    }

    /// Starts the check of a property.
    fn command(&mut self, id: &Value, params: &Value) -> Result<(), Refused> {
        let wrong = |what: &str| Refused::new(rpc::INVALID_PARAMS, what);
        let command = params.get("command").and_then(Value::as_str).unwrap_or_default();
        if command != lens::CHECK {
            return Err(wrong("there is no such command"));
        }
        let argument = params.pointer("/arguments/0").ok_or_else(|| wrong("the command has no argument"))?;
        let uri = argument.get("uri").and_then(Value::as_str);
        let uri = uri.ok_or_else(|| wrong("the argument names no document"))?;
        let document = self.store.get(uri).ok_or_else(|| wrong("the document is not open"))?;
        let property = lens::asked(document, argument).ok_or_else(modified)?;
        let model = self.store.model_path(document);
        let model =
            model.ok_or_else(|| Refused::new(rpc::REQUEST_FAILED, "no model is known for this property"))?;
        self.checks.start(CheckJob {
            id: id.clone(),
            uri: uri.to_owned(),
            generation: document.generation,
            kind: document.kind,
            path: document.path.clone(),
            text: document.text.clone(),
            span: property.span,
            model,
            open: self.store.texts(),
            time: self.settings.timeout,
            memory: self.settings.memory,
            interrupt: Interrupt::default(),
        })
    }

    fn checked(&mut self, checked: Checked) -> io::Result<()> {
        let Checked { id, uri, generation, start, outcome } = checked;
        self.checks.done(&id);
        let is_new = self.store.get(&uri).is_some_and(|document| document.generation == generation);
        let outcomes = match outcome {
            Err(why) => return self.send(&rpc::failure(&id, &why)),
            // a verdict on another text than the one that is shown would be wrong
            Ok(_) if !is_new => return self.send(&rpc::failure(&id, &modified())),
            Ok(outcomes) => outcomes,
        };
        let mut results = Vec::new();
        if let Some(document) = self.store.get_mut(&uri) {
            document.verdicts.retain(|shown| shown.start != start);
            for outcome in outcomes {
                let mut diagnostic = outcome.diagnostic;
                if !self.client.shows_related {
                    into_message(&mut diagnostic);
                }
                document.verdicts.push(Shown { start, word: outcome.word, diagnostic });
                results.push(outcome.result);
            }
            document.verdicts.sort_by_key(|shown| shown.start);
        }
        self.send(&rpc::success(&id, &json!({"results": results})))?;
        self.publish(&uri)?;
        if self.client.refreshes_lenses {
            self.client.refreshed += 1;
            let id = format!("loris-{}", self.client.refreshed);
            let request = json!({"jsonrpc": "2.0", "id": id, "method": "workspace/codeLens/refresh"});
            self.send(&request)?;
        }
        Ok(())
    }
}

/// Puts the trace into the message, for clients that show nothing else.
fn into_message(diagnostic: &mut Value) {
    let Some(related) = diagnostic.as_object_mut().and_then(|object| object.remove("relatedInformation"))
    else {
        return;
    };
    let steps = related.as_array().into_iter().flatten().filter_map(|step| step.get("message")?.as_str());
    let mut message = diagnostic["message"].as_str().unwrap_or_default().to_owned();
    for step in steps {
        message.push('\n');
        message.push_str(step);
    }
    diagnostic["message"] = Value::String(message);
}

fn no_document() -> Refused {
    Refused::new(rpc::INVALID_PARAMS, "the request names no document")
}

#[expect(clippy::cast_sign_loss, reason = "it is not negative")]
fn mebibytes(size: f64) -> usize {
    (size * 1_048_576.0) as usize
}
