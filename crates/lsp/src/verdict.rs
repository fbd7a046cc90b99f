//! The check of one property, as `loris check --evidence` does it, and its verdict with the trace.

use crate::analysis::reading;
use crate::kind::Kind;
use crate::outline::{Outline, SymbolKind, pds};
use crate::position::{Lines, Span};
use crate::rpc::{CONTENT_MODIFIED, INTERNAL_ERROR, REQUEST_CANCELLED, REQUEST_FAILED, Refused};
use crate::uri::{path_of, uri_of};
use loris_base::{Budget, Exhausted, Interrupt};
use loris_check::{Answer, Heading, Options};
use loris_evidence::Verdict;
use loris_load::Origin;
use loris_report::{
    Context, Finding, Location, Trace, TraceStep, check_report, counted, distance, json_result,
};
use loris_session::{Request, Setting, inquire};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A property to be checked.
pub(crate) struct CheckJob {
    pub(crate) id: Value,
    pub(crate) uri: String,
    pub(crate) generation: u64,
    pub(crate) kind: Kind,
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<str>,
    /// Where the property is written.
    pub(crate) span: Span,
    /// The model: the document itself, or that of a property file.
    pub(crate) model: PathBuf,
    pub(crate) open: Vec<(PathBuf, Arc<str>)>,
    pub(crate) time: Duration,
    pub(crate) memory: usize,
    pub(crate) interrupt: Interrupt,
}

/// What became of a check.
pub(crate) struct Checked {
    pub(crate) id: Value,
    pub(crate) uri: String,
    pub(crate) generation: u64,
    /// Where the property starts.
    pub(crate) start: usize,
    pub(crate) outcome: Result<Vec<Outcome>, Refused>,
}

/// A verdict. A property of a module that has several instances has one for each.
pub(crate) struct Outcome {
    /// The result as `loris check --format json` writes it.
    pub(crate) result: Value,
    /// `holds`, `fails` or `unknown`.
    pub(crate) word: &'static str,
    /// As the client gets it.
    pub(crate) diagnostic: Value,
}

/// Steps of a trace that are shown; of longer ones, those in the middle are left out.
const STEPS: usize = 60;

impl CheckJob {
    /// Checks the property.
    pub(crate) fn run(self) -> Checked {
        let outcome = match self.outcomes() {
            _ if self.interrupt.raised() == Some(Exhausted::Interrupted) => Err(cancelled()),
            outcome => outcome,
        };
        let Self { id, uri, generation, span, .. } = self;
        Checked { id, uri, generation, start: span.0, outcome }
    }

    fn outcomes(&self) -> Result<Vec<Outcome>, Refused> {
        let failed = |message: String| Refused::new(REQUEST_FAILED, message);
        let start = Instant::now();
        let budget = Budget::new(Some(self.time), Some(self.memory)).interruptible(&self.interrupt);
        let mut reading = reading(&self.open, budget);
        let mut options = Options {
            timeout: Some(self.time),
            memory: Some(self.memory),
            interrupt: self.interrupt.clone(),
            evidence: true,
            ..Options::default()
        };
        let asked = [self.path.clone()];
        let (files, logic, format) = match self.kind {
            Kind::Properties(logic) => (&asked[..], Some(logic), reading.format(&self.model, None)),
            kind => (&[][..], None, kind.format(&self.model)),
        };
        let format = format.ok_or_else(|| failed("the model cannot be read".to_owned()))?;
        let origin = Origin::default();
        let planned = options.clone();
        let request = Request { files, logic, ..Request::new(&planned) };
        let inquiry = inquire(std::slice::from_ref(&self.model), format, &origin, &request, &mut reading);
        let read = start.elapsed();
        let Some(mut inquiry) = inquiry else {
            return Err(match reading.take_stopped() {
                Some(stopped) => failed(format!("the model was not read: {}", stopped.why)),
                None => failed("the model or the property has errors".to_owned()),
            });
        };
        options.memory = Some(self.memory.saturating_sub(inquiry.bytes()));
        let (start, end) = self.span;
        inquiry.retain(|place| {
            let at = usize::try_from(place.span.0).unwrap_or(usize::MAX);
            start <= at && at < end
        });
        let setting = Setting::new(std::slice::from_ref(&self.model), format, &origin).asking(&options);
        let setting = setting.exploring(&origin, inquiry.stopped.is_some());
        let internal = |message: String| Refused::new(INTERNAL_ERROR, message);
        let answers = inquiry.answers(&setting, &options, read, |_, _, _, _| ());
        let places = TracePlaces::new(self);
        let mut outcomes = Vec::new();
        for one in answers.map_err(|error| internal(error.to_string()))?.all {
            let answer = one.answer.map_err(|panic| internal(format!("the engine panicked: {}", panic.0)))?;
            outcomes.push(self.outcome(&one.context, (one.question, &answer), &one.place.instance, &places));
        }
        if outcomes.is_empty() { Err(failed("the property has errors".to_owned())) } else { Ok(outcomes) }
    }

    fn outcome(
        &self,
        context: &Context<'_>,
        (question, answer): (&Heading, &Answer),
        instance: &str,
        places: &TracePlaces<'_>,
    ) -> Outcome {
        let mut line = String::new();
        let written = json_result(&mut line, context, (question, answer));
        debug_assert!(written.is_ok(), "a string takes everything");
        let result = serde_json::from_str(&line).unwrap_or(Value::Null);
        let report = check_report(context, &[(*context, (question, answer))], answer.seconds);
        let word = answer.verdict.word();
        let severity = match answer.verdict {
            Verdict::Fails => 1,
            Verdict::Unknown(_) => 2,
            Verdict::Holds => 3,
        };
        let mut message = match &answer.verdict {
            Verdict::Unknown(why) => format!("unknown ({why}): {}", question.text),
            _ => format!("{word}: {}", question.text),
        };
        if !instance.is_empty() {
            _ = write!(message, " (of {instance})");
        }
        if let Some(value) = answer.value {
            _ = write!(message, " = {}", distance(value));
        }
        if let Some(note) = &answer.note {
            _ = write!(message, "\n{}: {}", note.text(), note.detail());
        }
        let related: Vec<Value> =
            report.findings.iter().flat_map(|finding| places.related(finding)).collect();
        if let (Some(note), true) = (&answer.evidence_note, related.is_empty()) {
            _ = write!(message, "\nno trace: {note}");
        }
        let lines = Lines::new(&self.text);
        let mut diagnostic = json!({
            "range": lines.range(&self.text, self.span),
            "severity": severity,
            "source": "loris check",
            "code": word,
            "message": message,
        });
        if !related.is_empty() {
            diagnostic["relatedInformation"] = Value::Array(related);
        }
        Outcome { result, word, diagnostic }
    }
}

/// The answer to a check that was cancelled.
pub(crate) fn cancelled() -> Refused {
    Refused::new(REQUEST_CANCELLED, "the check was cancelled")
}

/// The answer to a check of a text that has changed meanwhile.
pub(crate) fn modified() -> Refused {
    Refused::new(CONTENT_MODIFIED, "the text or its model has changed")
}

/// Where the steps of a trace are in the text of the model.
struct TracePlaces<'j> {
    job: &'j CheckJob,
    kind: Kind,
    text: Arc<str>,
    lines: Lines,
    outline: Outline,
    uri: String,
}

impl<'j> TracePlaces<'j> {
    fn new(job: &'j CheckJob) -> Self {
        let open = job.open.iter().find(|(path, _)| *path == job.model).map(|(_, text)| Arc::clone(text));
        let text = open.unwrap_or_else(|| {
            let read = std::fs::read_to_string(&job.model);
            read.unwrap_or_default().into()
        });
        let kind = Kind::of(&job.model, "", &text);
        let kind = if job.model == job.path { job.kind } else { kind };
        let uri = if job.model == path_of(&job.uri) { job.uri.clone() } else { uri_of(&job.model) };
        Self { job, kind, lines: Lines::new(&text), outline: Outline::new(kind, &text), text, uri }
    }

    /// The traces of a finding as related information.
    fn related(&self, finding: &Finding) -> Vec<Value> {
        let mut related = Vec::new();
        let mut left = STEPS;
        for (number, trace) in finding.traces.iter().enumerate() {
            if number > 0 || trace.shows != finding.property.as_ref().map_or("", |property| &property.text) {
                related.push(self.at_property(&format!("a run that shows {}", trace.shows)));
            }
            let gap = trace.gap(left.max(4));
            for (at, step) in trace.steps.iter().enumerate() {
                match gap {
                    Some(gap) if at == gap.from => {
                        related.push(
                            self.at_property(&format!("… {} left out", counted(gap.count, "step", "steps"))),
                        );
                        continue;
                    }
                    Some(gap) if (gap.from..gap.from + gap.count).contains(&at) => continue,
                    _ => {}
                }
                related.push(self.step(trace, at, step));
            }
            left = left.saturating_sub(trace.steps.len());
        }
        related
    }

    fn step(&self, trace: &Trace, at: usize, step: &TraceStep) -> Value {
        let mut message = format!("{}. {}", at + 1, step.text);
        let calls: Vec<&str> = trace.stack(at).iter().map(|call| &*call.site).collect();
        if !calls.is_empty() {
            _ = write!(message, " [in {}]", calls.join(" > "));
        }
        if self.kind != Kind::Smv && !step.labels.is_empty() {
            _ = write!(message, " {{{}}}", step.labels.join(", "));
        }
        if let Some(note) = &step.note {
            _ = write!(message, " ({note})");
        }
        match trace.repeats {
            Some(repeats) if repeats.from == at => message.push_str(" (from here on it repeats)"),
            Some(repeats) if repeats.to == at => {
                _ = write!(message, " (and again from {})", repeats.from + 1);
            }
            _ => {}
        }
        match step.location.as_ref().and_then(|location| self.span(location)) {
            Some(span) => {
                json!({"location": {"uri": self.uri, "range": self.lines.range(&self.text, span)}, "message": message})
            }
            None => self.at_property(&message),
        }
    }

    /// Where a step is in the text of the model.
    fn span(&self, location: &Location) -> Option<Span> {
        if let Some(logical) = &location.logical
            && logical.kind == "element"
        {
            let (component, node) = logical.name.split_once('/')?;
            let symbol = if self.kind == Kind::Pds {
                pds::symbol_of_node(&self.outline, node)
            } else {
                let is_component = |symbol: &crate::outline::Symbol| {
                    symbol.kind == SymbolKind::Component && symbol.name == component
                };
                let component = self.outline.symbols.iter().position(is_component)?;
                self.outline.find_in(component, node, &[SymbolKind::Node])
            };
            return symbol.map(|symbol| symbol.name_span);
        }
        let is_model = location.file.as_ref().is_some_and(|file| Path::new(&**file) == self.job.model);
        let line = location.line.filter(|_| is_model)?;
        let start = self.lines.offset_of_character(&self.text, line, location.column.unwrap_or(1));
        let rest = &self.text[start..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some((start, start + length))
    }

    fn at_property(&self, message: &str) -> Value {
        let range = Lines::new(&self.job.text).range(&self.job.text, self.job.span);
        json!({"location": {"uri": self.job.uri, "range": range}, "message": message})
    }
}
