//! The analysis of a text: all problems that `loris check` and `loris info` report for it, and
//! facts about its model.

use crate::facts::Facts;
use crate::java::Builds;
use crate::kind::Kind;
use crate::phrasing::words;
use crate::position::Span;
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Interrupt, Severity};
use loris_check::{Logic, Model, Options};
use loris_findings::Confidence;
use loris_load::{Format, Origin, Reading, machine};
use loris_rsm::{DeadEnds, Semantics};
use loris_rules::read_rules;
use loris_session::{Request, inquire};
use loris_smv::read_smv_within;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A text to be analysed.
pub(crate) struct Job {
    pub(crate) uri: String,
    pub(crate) generation: u64,
    pub(crate) kind: Kind,
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<str>,
    /// The model of a property file.
    pub(crate) model: Option<PathBuf>,
    /// Folders with class files, beside those where they usually are.
    pub(crate) classes: Vec<PathBuf>,
    /// The texts of all open documents, which need not be saved.
    pub(crate) open: Vec<(PathBuf, Arc<str>)>,
    pub(crate) time: Duration,
    pub(crate) memory: usize,
    pub(crate) interrupt: Interrupt,
}

/// A problem at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) span: Span,
    /// In the numbers of the protocol: 1 error, 2 warning, 3 information.
    pub(crate) severity: u32,
    pub(crate) message: String,
    /// Whether something is understood but not supported.
    pub(crate) is_unsupported: bool,
    /// The rule that it breaks, if it is a finding about a Java program.
    pub(crate) rule: Option<String>,
    /// How certain such a finding is.
    pub(crate) confidence: Option<Confidence>,
}

/// What an analysis has found.
pub(crate) struct Analysed {
    pub(crate) uri: String,
    pub(crate) generation: u64,
    pub(crate) problems: Vec<Problem>,
    /// Facts about the model, if it could be read.
    pub(crate) facts: Option<Facts>,
    /// Whether it was interrupted, so that all else is incomplete.
    pub(crate) is_interrupted: bool,
}

impl Job {
    /// Reading within the limits of the job, with the texts of open documents.
    pub(crate) fn reading(&self) -> Reading {
        reading(&self.open, Budget::new(Some(self.time), Some(self.memory)).interruptible(&self.interrupt))
    }

    /// Analyses the text.
    pub(crate) fn run(self, builds: &mut Builds) -> Analysed {
        let mut analysis = Analysis { problems: Vec::new(), facts: None, stopped: None };
        match self.kind {
            Kind::Smv | Kind::Pds | Kind::Rsm | Kind::OtherModel => analysis.model(&self),
            Kind::Properties(logic) => analysis.properties(&self, logic),
            Kind::Rules => analysis.add(&self.text, &read_rules(&self.text).1),
            Kind::Java => analysis.java(&self, builds),
            Kind::Unknown => {}
        }
        let is_interrupted = analysis.stopped == Some(Exhausted::Interrupted);
        if let Some(why) = analysis.stopped {
            let message = format!("the analysis stopped early: {why}");
            analysis.note((0, 0), 3, message);
        }
        let Analysis { problems, facts, .. } = analysis;
        Analysed { uri: self.uri, generation: self.generation, problems, facts, is_interrupted }
    }
}

/// Reading with the texts of open documents.
pub(crate) fn reading(open: &[(PathBuf, Arc<str>)], budget: Budget) -> Reading {
    let mut reading = Reading::new(budget, words());
    for (path, text) in open {
        reading.provide(path.clone(), Arc::clone(text));
    }
    reading
}

struct Analysis {
    problems: Vec<Problem>,
    facts: Option<Facts>,
    stopped: Option<Exhausted>,
}

impl Analysis {
    fn note(&mut self, span: Span, severity: u32, message: String) {
        let problem =
            Problem { span, severity, message, is_unsupported: false, rule: None, confidence: None };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Adds the problems of a text.
    fn add(&mut self, text: &str, problems: &Diagnostics) {
        for problem in problems.sorted() {
            let problem = located(text, problem);
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        if problems.dropped() > 0 {
            self.note((0, 0), 1, format!("... and {} more", problems.dropped()));
        }
    }

    /// Adds the problems of a file that was read; returns whether another one has errors.
    fn take(&mut self, path: &Path, text: &str, reading: &mut Reading) -> bool {
        let name = path.display().to_string();
        let mut has_others = false;
        for (input, problems) in reading.found() {
            if input.name() == name {
                self.add(text, &problems);
            } else if !input.name().is_empty() {
                has_others |= problems.has_errors();
            }
        }
        if let Some(stopped) = reading.take_stopped() {
            self.stopped.get_or_insert(stopped.why);
        }
        has_others
    }

    /// Adds findings about the class files of a Java source.
    fn java(&mut self, job: &Job, builds: &mut Builds) {
        let budget = Budget::new(Some(job.time), Some(job.memory)).interruptible(&job.interrupt);
        match builds.findings((&job.path, &job.text), &job.classes, budget) {
            Ok(found) => self.problems.extend(found.into_iter().map(|one| Problem {
                span: (one.span.start, one.span.end),
                severity: one.severity,
                message: one.message,
                is_unsupported: false,
                rule: Some(one.rule),
                confidence: one.confidence,
            })),
            Err(Ok(why)) => self.stopped = Some(why),
            Err(Err(what)) => self.note((0, 0), 3, what),
        }
    }

    fn model(&mut self, job: &Job) {
        let Some(format) = job.kind.format(&job.path) else { return };
        let mut reading = job.reading();
        let (origin, options) = (Origin::default(), options(job));
        let request = Request::new(&options);
        let inquiry = inquire(std::slice::from_ref(&job.path), format, &origin, &request, &mut reading);
        self.take(&job.path, &job.text, &mut reading);
        let mut facts = Facts::default();
        match inquiry {
            Some(inquiry) => {
                self.stopped = self.stopped.or(inquiry.stopped);
                match (format, inquiry.model.as_ref().and_then(Model::rsm)) {
                    (Format::Smv, _) | (_, None) => {}
                    (_, Some(rsm)) => facts.add_machine(rsm),
                }
            }
            None if self.problems.iter().all(|problem| problem.severity > 1) => {}
            // nothing more can be found in a file that is wrong
            None => return,
        }
        if format.kind().has_modules() {
            self.modules(job, &job.path, &job.text, &mut facts);
        }
        self.facts = Some(facts);
    }

    /// What states show of an SMV file: remarks that only `loris info` makes, and facts.
    fn modules(&mut self, job: &Job, path: &Path, text: &str, facts: &mut Facts) {
        let mut reading = job.reading();
        let Ok((smv, _)) = read_smv_within(text, &mut reading.budget) else { return };
        facts.add_variables(&smv);
        let structures = smv.program().structures.iter();
        let labels: Vec<&str> =
            structures.flat_map(|structure| structure.labels.iter().map(|label| &*label.name)).collect();
        // as `loris info` reads it
        let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
        let origin = Origin { semantics, ..Origin::default() };
        let mut reading = job.reading();
        if let Some(model) = machine(path, Format::Smv, &origin, &mut reading) {
            facts.add_model(&model, |name| labels.contains(&name));
        } else {
            // too many states to be counted are not a problem of the text
            reading.take_stopped();
        }
        if *path == *job.path {
            self.take(path, text, &mut reading);
        }
    }

    fn properties(&mut self, job: &Job, logic: Logic) {
        let Some(model) = &job.model else {
            let message = "no model is known for these properties".to_owned()
                + "\nhelp: name it in the first line, as in `# model: m.smv`, or put it beside this file under the same name";
            return self.note(first_line(&job.text), 2, message);
        };
        let mut reading = job.reading();
        let Some(format) = reading.format(model, None) else {
            let found = reading.found();
            let problem =
                found.iter().flat_map(|(_, problems)| problems.sorted()).map(|one| one.message.clone());
            let why = problem.collect::<Vec<_>>().join("; ");
            return self.note(first_line(&job.text), 1, format!("the model {}: {why}", model.display()));
        };
        let (origin, options) = (Origin::default(), options(job));
        let files = [job.path.clone()];
        let request = Request { files: &files, logic: Some(logic), ..Request::new(&options) };
        let inquiry = inquire(std::slice::from_ref(model), format, &origin, &request, &mut reading);
        if self.take(&job.path, &job.text, &mut reading) {
            let message = format!("the model {} has errors", model.display());
            self.note(first_line(&job.text), 2, message);
        }
        let mut facts = Facts::default();
        if let Some(inquiry) = inquiry {
            self.stopped = self.stopped.or(inquiry.stopped);
            if let (Some(rsm), true) =
                (inquiry.model.as_ref().and_then(Model::rsm), !format.kind().has_modules())
            {
                facts.add_machine(rsm);
            }
        }
        if format.kind().has_modules()
            && let Some(text) = job.reading().text(model)
        {
            self.modules(job, model, &text.content, &mut facts);
        }
        self.facts = Some(facts);
    }
}

/// How questions are planned; none is answered.
fn options(job: &Job) -> Options {
    Options { interrupt: job.interrupt.clone(), ..Options::default() }
}

/// The first line of a text.
fn first_line(text: &str) -> Span {
    (0, text.find(['\r', '\n']).unwrap_or(text.len()))
}

/// A problem of a text at its place, with its help.
fn located(text: &str, problem: &Diagnostic) -> Problem {
    let span = match problem.offset {
        None => (0, 0),
        Some(offset) => {
            let start = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
            (start, start + length_at(text, start, problem.length as usize))
        }
    };
    let message = match &problem.help {
        Some(help) => format!("{}\nhelp: {help}", problem.message),
        None => problem.message.clone(),
    };
    let severity = match problem.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
    };
    Problem {
        span,
        severity,
        message,
        is_unsupported: problem.unsupported.is_some(),
        rule: None,
        confidence: None,
    }
}

/// How many bytes a problem underlines. Without a length, the string in quotes that starts there,
/// or one character.
fn length_at(text: &str, start: usize, length: usize) -> usize {
    let Some(rest) = text.get(start..) else { return 0 };
    if length > 0 {
        return length.min(rest.len());
    }
    let line = rest.split(['\r', '\n']).next().unwrap_or_default();
    let Some(inside) = line.strip_prefix('"') else { return line.chars().next().map_or(0, char::len_utf8) };
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        end
    });
    end.map_or(line.len(), |end| end + 2)
}
