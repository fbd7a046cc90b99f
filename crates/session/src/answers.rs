//! Answers to all questions of a call, each in its context.

use crate::inquiry::{Case, Inquiry, QuestionPlace};
use loris_check::{Answer, Heading, Model, NoThreads, Options, Panicked, Runs};
use loris_evidence::AtExit;
use loris_load::{Format, Origin};
use loris_report::{Context, Report, Subject, check_report, json_report};
use loris_rsm::Semantics;
use std::fmt::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// What all results of a call have in common, besides the model.
#[derive(Clone, Debug)]
pub struct Setting {
    path: String,
    format: Format,
    with: Option<String>,
    /// In which reading the model was made.
    pub semantics: Semantics,
    at_exit: AtExit,
    runs: Runs,
    explored: Option<usize>,
}

impl Setting {
    /// Of a model in these files, wherever its runs end.
    pub fn new(paths: &[PathBuf], format: Format, origin: &Origin) -> Self {
        Self {
            path: paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" "),
            format,
            with: origin.with.as_ref().map(|with| with.display().to_string()),
            semantics: origin.semantics,
            at_exit: AtExit::Loop,
            runs: Runs::All,
            explored: None,
        }
    }

    /// With the states that were explored of a model that was not made, if it has any.
    #[must_use]
    pub fn exploring(self, origin: &Origin, is_stopped: bool) -> Self {
        Self { explored: origin.states_explored().filter(|_| is_stopped), ..self }
    }

    /// With the semantics of the questions.
    #[must_use]
    pub fn asking(self, options: &Options) -> Self {
        Self { at_exit: options.at_exit, runs: options.runs, ..self }
    }

    /// The context of results about a model.
    pub fn context<'a>(&'a self, model: Option<&'a Model>, module: Option<&'a str>) -> Context<'a> {
        Context {
            path: &self.path,
            format: self.format.name(),
            with: self.with.as_deref(),
            model,
            explored: self.explored,
            subject: module.map(|module| Subject { module, instance: "", is_one_of_many: false }),
            semantics: self.semantics,
            at_exit: self.at_exit,
            runs: self.runs,
        }
    }
}

/// All answers of a call, in the order they were asked.
#[derive(Clone)]
pub struct Answers<'a> {
    /// The context of the whole.
    pub context: Context<'a>,
    /// The answers.
    pub all: Vec<Answered<'a>>,
}

/// An answer, and the question it is for.
#[derive(Clone)]
pub struct Answered<'a> {
    /// The context of the question.
    pub context: Context<'a>,
    /// The question.
    pub question: &'a Heading,
    /// Which it is.
    pub place: &'a QuestionPlace,
    /// The answer, unless the engine panicked.
    pub answer: Result<Answer, Panicked>,
}

impl Answered<'_> {
    /// The answer, if there is one.
    pub fn good(&self) -> Option<&Answer> {
        self.answer.as_ref().ok()
    }
}

impl Inquiry {
    /// Answers all questions. `on_answer` is called with each answer as soon as it is there, in its
    /// context, from any thread and in any order, and with the rank of its question among all. If
    /// no model was made, results take the time that reading took.
    ///
    /// # Errors
    /// The system has no threads to give.
    pub fn answers<'a>(
        &'a self,
        setting: &'a Setting,
        options: &Options,
        read: Duration,
        on_answer: impl Fn(usize, &Context<'a>, &'a Heading, &Answer) + Sync,
    ) -> Result<Answers<'a>, NoThreads> {
        let places = self.cases.iter().flat_map(|case| &case.places);
        let mut ranks: Vec<usize> = places.map(|place| place.number).collect();
        ranks.sort_unstable();
        let mut all: Vec<Answered<'a>> = Vec::with_capacity(ranks.len());
        for case in &self.cases {
            let on_result = |index: usize, answer: &Answer| {
                let rank = ranks.binary_search(&case.places[index].number).expect("every place has a rank");
                on_answer(rank, &self.context_of(setting, case, index), &case.questions[index], answer);
            };
            let answers = case.answers(options, (self.stopped, read), on_result)?;
            all.extend(answers.into_iter().enumerate().map(|(index, answer)| Answered {
                context: self.context_of(setting, case, index),
                question: &case.questions[index],
                place: &case.places[index],
                answer,
            }));
        }
        all.sort_by_key(|one| one.place.number);
        Ok(Answers { context: setting.context(self.model.as_ref(), None), all })
    }

    /// The context of one question of a case.
    fn context_of<'a>(&self, setting: &'a Setting, case: &'a Case, index: usize) -> Context<'a> {
        let (instance, is_one_of_many) = (&*case.places[index].instance, self.cases.len() > 1);
        let subject = case.module.as_deref().map(|module| Subject { module, instance, is_one_of_many });
        Context { subject, ..setting.context(case.model.as_ref(), None) }
    }
}

impl<'a> Answers<'a> {
    /// All questions with answers, each in its context.
    pub fn results(&self) -> Vec<(Context<'a>, (&Heading, &Answer))> {
        self.all.iter().filter_map(|one| Some((one.context, (one.question, one.good()?)))).collect()
    }

    /// As a report, after this many seconds.
    pub fn report(&self, seconds: f64) -> Report {
        check_report(&self.context, &self.results(), seconds)
    }

    /// Writes them as one JSON document, with evidence or without, after this many seconds.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_json(&self, out: &mut impl Write, seconds: f64, evidence: bool) -> fmt::Result {
        if evidence {
            return json_report(out, &self.context, &self.results(), seconds);
        }
        let bare: Vec<Answer> =
            self.all.iter().filter_map(|one| Some(one.good()?.without_evidence())).collect();
        let mut results = self.results();
        results.iter_mut().zip(&bare).for_each(|((_, (_, answer)), bare)| *answer = bare);
        json_report(out, &self.context, &results, seconds)
    }
}
