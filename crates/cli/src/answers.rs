//! Answers to questions, printed as they come or when all are there.

use crate::errors::{ERROR, eprint_line};
use crate::flags::Format;
use crate::output::{NewFile, Output};
use crate::progress::Progress;
use crate::stream::Stream;
use loris_base::{shortened, visible};
use loris_check::{Answer, Heading, Options};
use loris_evidence::Verdict;
use loris_report::{Context, Detail, Tally, json_result, text_result, text_summary};
use loris_session::{Answers, Inquiry, Setting};
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

/// Answers all questions, and prints each answer as soon as its format allows. If no model was
/// made, results take as long as reading it did.
pub(crate) fn answers<'a>(
    rendering: Rendering,
    options: &Options,
    setting: &'a Setting,
    (inquiry, read): (&'a Inquiry, Duration),
    progress: Progress,
) -> anyhow::Result<Answers<'a>> {
    let count: usize = inquiry.cases.iter().map(|case| case.questions.len()).sum();
    let stream = Mutex::new(Stream::new(rendering.format == Format::Text));
    progress.steps("checking", count);
    let on_answer = |rank: usize, context: &Context<'_>, question: &Heading, answer: &Answer| {
        let text = rendering.result(context, question, answer);
        progress.step();
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        progress.aside(|| stream.put(rank, text));
    };
    let answers = inquiry.answers(setting, options, read, on_answer)?;
    stream.into_inner().unwrap_or_else(PoisonError::into_inner).finish()?;
    drop(progress);
    Ok(answers)
}

impl Rendering {
    /// One answer as text, or as a line of JSON.
    fn result(self, context: &Context<'_>, question: &Heading, answer: &Answer) -> String {
        let mut text = String::new();
        let rendered = match self.format {
            Format::Text => text_result(&mut text, context, (question, answer), self.detail, self.evidence),
            Format::Json | Format::Service(_) => Ok(()),
            Format::Jsonl if self.evidence => json_result(&mut text, context, (question, answer)),
            Format::Jsonl => json_result(&mut text, context, (question, &answer.without_evidence())),
        };
        rendered.expect("a string takes everything");
        text
    }
}

/// Prints the summary or the document, and returns the exit status.
pub(crate) fn finish(
    answers: &Answers<'_>,
    rendering: Rendering,
    evidence_file: Option<NewFile>,
    start: Instant,
) -> anyhow::Result<ExitCode> {
    let seconds = start.elapsed().as_secs_f64();
    let mut text = String::new();
    if let Some(file) = evidence_file {
        answers.write_json(&mut text, seconds, true)?;
        file.put(text.as_bytes())?;
        text.clear();
    }
    match rendering.format {
        Format::Text if rendering.detail > Detail::Quiet => {
            let good = answers.all.iter().filter_map(|one| Some((one.question, one.good()?)));
            text_summary(&mut text, &answers.context, &good.collect::<Vec<_>>(), seconds)?;
        }
        Format::Json => answers.write_json(&mut text, seconds, rendering.evidence)?,
        Format::Service(service) => text = service.render(&mut answers.report(seconds)),
        Format::Text | Format::Jsonl => {}
    }
    let out = if rendering.format == Format::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())?;
    Ok(status(answers))
}

/// Compares verdicts with what files expect, and reports those that differ; the exit status says
/// whether any does.
pub(crate) fn compared(answers: &Answers<'_>) -> ExitCode {
    let (mut stated, mut differ, mut unknown) = (0, 0, 0);
    for one in &answers.all {
        let (Some(expected), Some(answer)) = (one.place.expected, one.good()) else { continue };
        stated += 1;
        let word = if expected { "holds" } else { "fails" };
        match &answer.verdict {
            Verdict::Unknown(_) => unknown += 1,
            found if found.word() != word => {
                differ += 1;
                let text = shortened(&one.question.text);
                eprint_line(&format!("{ERROR} expected {word}, found {}: {}", found.word(), visible(&text)));
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

fn status(answers: &Answers<'_>) -> ExitCode {
    let mut panicked = false;
    for one in &answers.all {
        if let Err(panic) = &one.answer {
            panicked = true;
            let (text, why) = (shortened(&one.question.text), shortened(&panic.0));
            eprint_line(&format!("{ERROR} the engine panicked on \"{}\": {}", visible(&text), visible(&why)));
        }
    }
    if panicked {
        eprint_line("this is a defect of Loris; the other results stand");
        return ExitCode::from(101);
    }
    let tally: Tally = answers.all.iter().filter_map(|one| Some(&one.good()?.verdict)).collect();
    ExitCode::from(match tally {
        Tally { fails: 1.., .. } => 1,
        Tally { unknown: 1.., .. } => 3,
        _ => 0,
    })
}
