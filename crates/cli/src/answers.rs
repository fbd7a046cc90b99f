//! Answers to questions, printed as they come or when all are there.

use crate::flags::Format;
use crate::output::{ERROR, NewFile, Output, say};
use crate::progress::Progress;
use crate::stream::Stream;
use loris_base::{shortened, visible};
use loris_check::{Answer, Options, Panicked, Prepared, Question, check_all, unanswered};
use loris_load::{Case, Inquiry, Plans};
use loris_report::{Context, Detail, Subject, Tally, json_report, json_result, text_result, text_summary};
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
    answers: Vec<Told<'a>>,
}

struct Told<'a> {
    number: usize,
    context: Context<'a>,
    question: &'a Question,
    answer: Result<Answer, Panicked>,
}

/// Answers all questions, and tells each answer as soon as its format lets it. How long it took to
/// read the model is told if nothing came of it.
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
    let mut told: Vec<Told<'a>> = Vec::with_capacity(ranks.len());
    for case in &inquiry.cases {
        let contexts = contexts(context, case, inquiry.cases.len() > 1);
        let on_result = |index: usize, answer: &Answer| {
            let text = rendering.result(&contexts[index], &case.questions[index], answer);
            progress.step();
            let rank = ranks.binary_search(&case.places[index].number).expect("every place has a rank");
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            progress.aside(|| stream.put(rank, text));
        };
        let answers = match (&case.plans, &case.rsm, inquiry.stopped) {
            (Plans::Machine(plans), Some(rsm), _) => {
                check_all(&Prepared::new(rsm), plans, options, on_result)?
            }
            (Plans::NoMachine(engines), _, Some(why)) => unanswered(engines, (why, read), on_result),
            _ => Vec::new(),
        };
        let asked = case.places.iter().zip(&case.questions).zip(contexts).zip(answers);
        told.extend(asked.map(|(((place, question), context), answer)| Told {
            number: place.number,
            context,
            question,
            answer,
        }));
    }
    stream.into_inner().unwrap_or_else(PoisonError::into_inner).finish()?;
    drop(progress);
    told.sort_by_key(|told| told.number);
    Ok(Answers { answers: told })
}

/// What is told with each question of a machine.
fn contexts<'a>(context: &Context<'a>, case: &'a Case, is_one_of_many: bool) -> Vec<Context<'a>> {
    let context = |instance: &'a str| {
        let module = case.module.as_deref();
        let subject = module.map(|module| Subject { module, instance, is_one_of_many });
        Context { rsm: case.rsm.as_ref(), subject, ..*context }
    };
    case.places.iter().map(|place| context(&place.instance)).collect()
}

impl Rendering {
    /// What is said of one answer when it comes.
    fn result(self, context: &Context<'_>, question: &Question, answer: &Answer) -> String {
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
    /// Tells what is told at the end, and the exit status.
    pub(crate) fn tell(
        &self,
        rendering: Rendering,
        context: &Context<'_>,
        evidence_file: Option<NewFile>,
        start: Instant,
    ) -> anyhow::Result<ExitCode> {
        let seconds = start.elapsed().as_secs_f64();
        let mut text = String::new();
        if let Some(file) = evidence_file {
            self.report(&mut text, context, seconds, true)?;
            file.put(text.as_bytes())?;
            text.clear();
        }
        match rendering.format {
            Format::Text if rendering.detail > Detail::Quiet => {
                let good = self.answers.iter().filter_map(|told| Some((told.question, told.good()?)));
                text_summary(&mut text, context, &good.collect::<Vec<_>>(), seconds)?;
            }
            Format::Json => self.report(&mut text, context, seconds, rendering.evidence)?,
            Format::Text | Format::Jsonl => {}
        }
        let out = if rendering.format == Format::Text { Output::text() } else { Output::document() };
        out.put(text.as_bytes())?;
        Ok(self.status())
    }

    fn report(
        &self,
        text: &mut String,
        context: &Context<'_>,
        seconds: f64,
        evidence: bool,
    ) -> std::fmt::Result {
        let bare = |told: &Told<'_>| told.good().filter(|_| !evidence).map(without_evidence);
        let bare: Vec<Option<Answer>> = self.answers.iter().map(bare).collect();
        let results = self.answers.iter().zip(&bare).filter_map(|(told, bare)| {
            let answer = bare.as_ref().or(told.good())?;
            Some((told.context, (told.question, answer)))
        });
        json_report(text, context, &results.collect::<Vec<_>>(), seconds)
    }

    fn status(&self) -> ExitCode {
        let mut panicked = false;
        for told in &self.answers {
            if let Err(panic) = &told.answer {
                panicked = true;
                let (text, why) = (shortened(&told.question.text), shortened(&panic.0));
                say(&format!("{ERROR} the engine panicked on \"{}\": {}", visible(&text), visible(&why)));
            }
        }
        if panicked {
            say("this is a defect of Loris; the other results stand");
            return ExitCode::from(101);
        }
        let tally: Tally = self.answers.iter().filter_map(|told| Some(&told.good()?.verdict)).collect();
        ExitCode::from(match tally {
            Tally { fails: 1.., .. } => 1,
            Tally { unknown: 1.., .. } => 3,
            _ => 0,
        })
    }
}

impl Told<'_> {
    /// The answer, if there is one.
    fn good(&self) -> Option<&Answer> {
        self.answer.as_ref().ok()
    }
}

fn without_evidence(answer: &Answer) -> Answer {
    Answer { evidence: None, evidence_note: None, ..answer.clone() }
}
