//! Answers to questions, printed as they come or when all are there.

use crate::errors::{ERROR, eprint_line};
use crate::flags::Format;
use crate::output::{NewFile, Output};
use crate::progress::Progress;
use crate::stream::Stream;
use loris_base::{shortened, visible};
use loris_check::{Answer, Heading, Options, Panicked};
use loris_evidence::Verdict;
use loris_load::{Case, Inquiry, Plans};
use loris_report::{
    Context, Detail, Report, Subject, Tally, check_report, json_report, json_result, text_result,
    text_summary,
};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How answers are printed.
#[derive(Clone, Copy)]
pub(crate) struct Rendering {
    pub(crate) format: Format,
    pub(crate) detail: Detail,
    /// whether evidence is printed, too
    pub(crate) evidence: bool,
}

/// All answers of a call, in the order they were asked.
pub(crate) struct Answers<'a> {
    answers: Vec<Answered<'a>>,
    is_one_of_many: bool,
}

/// An answer, and the question of a case that it is for.
struct Answered<'a> {
    case: &'a Case,
    index: usize,
    answer: Result<Answer, Panicked>,
}

/// Answers all questions, and prints each answer as soon as its format allows. If no model was
/// made, results take as long as reading it did.
pub(crate) fn answers<'a>(
    rendering: Rendering,
    options: &Options,
    context: &Context<'a>,
    (inquiry, read): (&'a Inquiry, Duration),
    progress: Progress,
) -> anyhow::Result<Answers<'a>> {
    let places = inquiry.cases.iter().flat_map(|case| &case.places);
    let mut ranks: Vec<usize> = places.map(|place| place.number).collect();
    ranks.sort_unstable();
    let stream = Mutex::new(Stream::new(rendering.format == Format::Text));
    progress.steps("checking", ranks.len());
    let mut all: Vec<Answered<'a>> = Vec::with_capacity(ranks.len());
    let is_one_of_many = inquiry.cases.len() > 1;
    for case in &inquiry.cases {
        let on_result = |index: usize, answer: &Answer| {
            let context = context_of(context, case, index, is_one_of_many);
            let text = rendering.result(&context, &case.questions[index], answer);
            progress.step();
            let rank = ranks.binary_search(&case.places[index].number).expect("every place has a rank");
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            progress.aside(|| stream.put(rank, text));
        };
        let answers = case.answers(options, (inquiry.stopped, read), on_result)?;
        all.extend((0..).zip(answers).map(|(index, answer)| Answered { case, index, answer }));
    }
    stream.into_inner().unwrap_or_else(PoisonError::into_inner).finish()?;
    drop(progress);
    all.sort_by_key(|one| one.case.places[one.index].number);
    Ok(Answers { answers: all, is_one_of_many })
}

/// The context of one question of a case.
fn context_of<'a>(context: &Context<'a>, case: &'a Case, index: usize, is_one_of_many: bool) -> Context<'a> {
    let (module, instance) = (case.module.as_deref(), &*case.places[index].instance);
    let subject = module.map(|module| Subject { module, instance, is_one_of_many });
    let valuations = match &case.plans {
        Plans::Symbolic(symbolic, _) => Some(symbolic.names()),
        _ => None,
    };
    let parallel = match &case.plans {
        Plans::Components(system, _) => context.parallel.map(|(_, dead_ends)| (&**system, dead_ends)),
        _ => context.parallel,
    };
    let program = case.program.as_deref();
    Context { rsm: case.rsm.as_ref(), parallel, program, valuations, subject, ..*context }
}

impl Rendering {
    /// One answer as text, or as a line of JSON.
    fn result(self, context: &Context<'_>, question: &Heading, answer: &Answer) -> String {
        let mut text = String::new();
        let rendered = match self.format {
            Format::Text => text_result(&mut text, context, (question, answer), self.detail, self.evidence),
            Format::Json => Ok(()),
            Format::Jsonl if self.evidence => json_result(&mut text, context, (question, answer)),
            Format::Jsonl => json_result(&mut text, context, (question, &without_evidence(answer))),
        };
        rendered.expect("a string takes everything");
        text
    }
}

impl Answers<'_> {
    /// Prints the summary or the document, and returns the exit status.
    pub(crate) fn finish(
        &self,
        rendering: Rendering,
        context: &Context<'_>,
        evidence_file: Option<NewFile>,
        start: Instant,
    ) -> anyhow::Result<ExitCode> {
        let seconds = start.elapsed().as_secs_f64();
        let mut text = String::new();
        if let Some(file) = evidence_file {
            self.document(&mut text, context, seconds, true)?;
            file.put(text.as_bytes())?;
            text.clear();
        }
        match rendering.format {
            Format::Text if rendering.detail > Detail::Quiet => {
                let good = self.answers.iter().filter_map(|one| Some((one.question(), one.good()?)));
                text_summary(&mut text, context, &good.collect::<Vec<_>>(), seconds)?;
            }
            Format::Json => self.document(&mut text, context, seconds, rendering.evidence)?,
            Format::Text | Format::Jsonl => {}
        }
        let out = if rendering.format == Format::Text { Output::text() } else { Output::document() };
        out.put(text.as_bytes())?;
        Ok(self.status())
    }

    fn document(
        &self,
        text: &mut String,
        context: &Context<'_>,
        seconds: f64,
        evidence: bool,
    ) -> std::fmt::Result {
        let bare = |one: &Answered<'_>| one.good().filter(|_| !evidence).map(without_evidence);
        let bare: Vec<Option<Answer>> = self.answers.iter().map(bare).collect();
        let mut results = self.results(context);
        for ((_, (_, answer)), bare) in results.iter_mut().zip(bare.iter().flatten()) {
            *answer = bare;
        }
        json_report(text, context, &results, seconds)
    }

    /// All questions with answers, each in its context.
    fn results<'r>(&'r self, context: &Context<'r>) -> Vec<(Context<'r>, (&'r Heading, &'r Answer))> {
        let results = self.answers.iter().filter_map(|one| {
            let context = context_of(context, one.case, one.index, self.is_one_of_many);
            Some((context, (one.question(), one.good()?)))
        });
        results.collect()
    }

    /// All results as a report.
    pub(crate) fn report(&self, context: &Context<'_>, start: Instant) -> Report {
        check_report(context, &self.results(context), start.elapsed().as_secs_f64())
    }

    /// Compares verdicts with what files expect, and reports those that differ; the exit status
    /// says whether any does.
    pub(crate) fn compared(&self) -> ExitCode {
        let (mut stated, mut differ, mut unknown) = (0, 0, 0);
        for told in &self.answers {
            let (Some(expected), Some(answer)) = (told.case.places[told.index].expected, told.good()) else {
                continue;
            };
            stated += 1;
            let word = if expected { "holds" } else { "fails" };
            match &answer.verdict {
                Verdict::Unknown(_) => unknown += 1,
                found if found.word() != word => {
                    differ += 1;
                    let text = shortened(&told.question().text);
                    eprint_line(&format!(
                        "{ERROR} expected {word}, found {}: {}",
                        found.word(),
                        visible(&text)
                    ));
                }
                _ => {}
            }
        }
        eprint_line(&format!(
            "{} of {stated} expected verdicts found, {differ} differ, {unknown} unknown",
            stated - differ - unknown
        ));
        ExitCode::from(match (differ, unknown) {
            (1.., _) => 1,
            (0, 1..) => 3,
            _ => 0,
        })
    }

    fn status(&self) -> ExitCode {
        let mut panicked = false;
        for one in &self.answers {
            if let Err(panic) = &one.answer {
                panicked = true;
                let (text, why) = (shortened(&one.question().text), shortened(&panic.0));
                eprint_line(&format!(
                    "{ERROR} the engine panicked on \"{}\": {}",
                    visible(&text),
                    visible(&why)
                ));
            }
        }
        if panicked {
            eprint_line("this is a defect of Loris; the other results stand");
            return ExitCode::from(101);
        }
        let tally: Tally = self.answers.iter().filter_map(|one| Some(&one.good()?.verdict)).collect();
        ExitCode::from(match tally {
            Tally { fails: 1.., .. } => 1,
            Tally { unknown: 1.., .. } => 3,
            _ => 0,
        })
    }
}

impl Answered<'_> {
    fn question(&self) -> &Heading {
        &self.case.questions[self.index]
    }

    /// The answer, if there is one.
    fn good(&self) -> Option<&Answer> {
        self.answer.as_ref().ok()
    }
}

fn without_evidence(answer: &Answer) -> Answer {
    Answer { evidence: None, certificate: None, strategy: None, evidence_note: None, ..answer.clone() }
}
