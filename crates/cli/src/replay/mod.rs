//! `loris replay`: evidence, re-checked step by step with code that shares nothing with the
//! engines.

use crate::control::Control;
use crate::errors::{about, eprint_line};
use crate::flags::{AT_EXIT, words};
use crate::input;
use crate::limits::Limits;
use crate::origin::OriginArgs;
use crate::output::Output;
use crate::phrasing::WORDS;
use anyhow::Context;
use loris_base::{Budget, Diagnostic, Exhausted, visible};
use loris_evidence::{About, AtExit, Certificate, Replayed, Results, Stated, Unreadable};
use loris_load::{FORMATS, Format, Input, Kind, Reading, Text, parallel};
use loris_report::counted;
use loris_session::replay::{
    CircuitSubject, Confirmed, ProcessSubject, Programs, Replay, SmvSubject, Subject, Unverified,
    ValueSubject, automata, evidence, programs, semantics,
};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Re-checks evidence, and the verdicts it is for, step by step.
///
/// `ok` means that the verdict follows from what replay has checked, `refused` that the evidence
/// does not show it, and `not confirmed` that it depends on a claim that replay could not decide,
/// or that a limit was reached. That a path does not exist is a claim no path can show: replay
/// decides it by searches of its own, and lists it under the evidence that relies on it if these
/// give up. Evidence that shows nothing else is refused.
///
/// Exit status: 0 all is ok, 1 something is refused, 2 the call or an input is wrong,
/// 3 nothing is refused but something is not confirmed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model the evidence is about; several files if it is made of parallel components, or if
    /// it is a Java program
    #[arg(required = true, num_args = 1.., value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// Output of `loris check` with --evidence or --evidence-file, or of `loris reach`; `-` is
    /// standard input
    evidence: PathBuf,
    /// The format of the model [default: by its extension or its content]
    #[arg(long, visible_alias = "from", value_name = "FORMAT", value_parser = words(&FORMATS))]
    model_format: Option<Format>,
    /// An automaton that evidence is about, to check whether it accepts the run; repeatable
    #[arg(long, value_name = "FILE")]
    automaton: Vec<PathBuf>,
    /// What an exit does when the stack is empty [default: as stated by the evidence, or loop]
    #[arg(long, value_name = "MODE", value_parser = words(&AT_EXIT), help_heading = "Semantics")]
    at_exit: Option<AtExit>,
    /// A jar or folder of the libraries of a Java program, if they are no longer where the evidence
    /// states; repeatable
    #[arg(long, value_name = "PATH", help_heading = "Java programs")]
    library: Vec<PathBuf>,
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    limits: Limits,
    /// Takes claims that cannot be decided on trust: what depends on them is ok
    #[arg(long)]
    trust: bool,
    /// Lists all claims that cannot be decided, not only the first few
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let inputs = args.automaton.iter().chain(&args.origin.with).chain(&args.library);
    input::only_one_from_stdin(inputs.chain(&args.models).chain([&args.evidence]))?;
    // one budget for reading and replaying all
    let mut reading = Reading::new(args.limits.bounds(control, 1).budget(), WORDS);
    let text = reading.text(&args.evidence);
    let mut results = text.as_ref().and_then(|text| read(text, &mut reading));
    let mut automata = automata(&args.automaton, &mut reading);
    // what is wrong with the model is reported together with what is wrong with the evidence
    let nothing = Results::nothing();
    let stated = results.as_ref().unwrap_or(&nothing);
    let name = args.evidence.display().to_string();
    let mut origin = args.origin.origin(semantics(stated, &name, &mut reading));
    let model = args.models.first().context("the model is missing")?;
    let format = reading.format(model, args.model_format);
    let is_component = format.is_some_and(|format| match format.kind() {
        Kind::Components => true,
        // strategies are about models as components
        Kind::Modules | Kind::Circuit => stated.is_by_strategy(),
        Kind::Machine => false,
    });
    let is_java = format == Some(Format::Java);
    // it is read only in the way that the evidence states
    let as_stated = if is_java {
        origin.java.library.clone_from(&args.library);
        results.as_ref().zip(text.as_ref()).and_then(|(results, text)| {
            let stated = (results, text.content.as_str());
            programs(stated, &name, &args.models[1..], &origin, &mut reading)
        })
    } else {
        Some(Programs { origins: vec![origin.clone()], of: vec![0; stated.stated.len()] })
    };
    if args.models.len() > 1 && !is_java || is_component {
        let subject = if args.models.len() == 1 && format.is_some_and(|f| f.kind() == Kind::Circuit) {
            ProcessSubject::of_circuit(model, stated, &origin, &mut reading)
        } else {
            let subject = parallel(&args.models, args.model_format, &origin, &mut reading);
            subject.map(ProcessSubject::new)
        };
        return of_components(args, subject.as_ref(), results.as_ref().zip(text.as_ref()), reading, control);
    }
    if format.is_some_and(|format| format.kind() == Kind::Circuit) {
        let subject = CircuitSubject::read(model, &origin, &mut reading);
        let subject = subject.as_ref().map(|subject| subject as &dyn ValueSubject);
        return by_values(args, subject, results.as_ref().zip(text.as_ref()), reading, control);
    }
    if format.is_some_and(|format| format.kind() == Kind::Modules) && stated.is_by_values() {
        let subject = SmvSubject::read(model, &origin, stated, &mut reading);
        let subject = subject.as_ref().map(|subject| subject as &dyn ValueSubject);
        return by_values(args, subject, results.as_ref().zip(text.as_ref()), reading, control);
    }
    let subjects = format.zip(as_stated).and_then(|(format, Programs { origins, of })| {
        let read = |origin| Subject::read((model, format), origin, stated, &mut automata, &mut reading);
        let subjects: Option<Vec<Subject>> = origins.iter().map(read).collect();
        subjects.map(|subjects| (subjects, of))
    });
    let evidence = match (&subjects, &mut results, &text) {
        (Some(subjects), Some(results), Some(text)) => {
            found(args, subjects, results, &text.input, &mut reading)
        }
        _ => None,
    };
    let stated = results.as_ref().unwrap_or(&nothing);
    control.keep();
    // for replaying, there is what reading has left
    let budget = &mut reading.budget.clone();
    if let Some(stopped) = reading.take_stopped() {
        input::settle(reading, false)?;
        return unknown(&stated.stated, stopped.why);
    }
    input::settle(reading, false)?;
    let results = results.context("the evidence cannot be read")?;
    let (subjects, of) = subjects.context("the model cannot be read")?;
    let evidence = evidence.context("the evidence cannot be read")?;
    note_without(args, &results, evidence.is_empty())?;
    let verify = |place: usize, stated: &Stated, evidence: &Certificate, budget: &mut Budget| {
        let (subject, automata) = (&subjects[of[place]], &automata);
        Replay { subject, at_exit: args.at_exit, automata, words: WORDS }.verify(stated, evidence, budget)
    };
    replay_all(args, verify, results.stated.iter().zip(&evidence), budget)
}

/// Replays evidence about a model whose states are known by values, if there is one.
fn by_values<'s>(
    args: &Args,
    subject: Option<&'s dyn ValueSubject>,
    results: Option<(&Results<'_>, &Text)>,
    reading: Reading,
    control: &Control,
) -> anyhow::Result<ExitCode> {
    let find = |subject: &'s dyn ValueSubject, results: &Results<'_>, budget: &mut Budget| {
        subject.evidence(results, budget)
    };
    let verify = |subject: &'s dyn ValueSubject, stated: &Stated, evidence: &_, budget: &mut Budget| {
        subject.verify(stated, evidence, budget)
    };
    of_subject(args, subject, (find, verify), results, reading, control)
}

/// Replays strategies on parallel components, if there are some.
fn of_components<'s>(
    args: &Args,
    subject: Option<&'s ProcessSubject>,
    results: Option<(&Results<'_>, &Text)>,
    reading: Reading,
    control: &Control,
) -> anyhow::Result<ExitCode> {
    let find = |subject: &'s ProcessSubject, results: &Results<'_>, budget: &mut Budget| {
        results.evidence_by_values(|stated, values| subject.state(stated, values), budget)
    };
    let verify = |subject: &'s ProcessSubject, stated: &Stated, evidence: &_, budget: &mut Budget| {
        subject.verify(stated, evidence, budget)
    };
    of_subject(args, subject, (find, verify), results, reading, control)
}

/// Finds the evidence of a file in a model, if both could be read, and verifies it.
fn of_subject<M: Copy, S>(
    args: &Args,
    subject: Option<M>,
    (find, verify): (
        impl Fn(M, &Results<'_>, &mut Budget) -> Result<Vec<Certificate<S>>, Unreadable>,
        impl Fn(M, &Stated, &Certificate<S>, &mut Budget) -> Result<Confirmed, Unverified>,
    ),
    results: Option<(&Results<'_>, &Text)>,
    mut reading: Reading,
    control: &Control,
) -> anyhow::Result<ExitCode> {
    let evidence = subject.zip(results).and_then(|(subject, (results, text))| {
        let found = find(subject, results, &mut reading.budget);
        found.map_err(|unreadable| add(&mut reading, &text.input, unreadable)).ok()
    });
    control.keep();
    let budget = &mut reading.budget.clone();
    if let Some(stopped) = reading.take_stopped() {
        input::settle(reading, false)?;
        return unknown(results.map_or(&[], |(results, _)| &results.stated), stopped.why);
    }
    input::settle(reading, false)?;
    let (results, _) = results.context("the evidence cannot be read")?;
    let subject = subject.context("the model cannot be read")?;
    let evidence = evidence.context("the evidence cannot be read")?;
    note_without(args, results, evidence.is_empty())?;
    let verify = |_: usize, stated: &Stated, evidence: &_, budget: &mut Budget| {
        verify(subject, stated, evidence, budget)
    };
    replay_all(args, verify, results.stated.iter().zip(&evidence), budget)
}

/// Notes results that have no evidence; that nothing has any is an error.
fn note_without(args: &Args, results: &Results<'_>, is_empty: bool) -> anyhow::Result<()> {
    if is_empty && results.without == 0 {
        let what = "there is no result and no evidence in it; `loris check --evidence` writes some";
        return Err(about(&args.evidence, what));
    }
    if results.without > 0 {
        let without = counted(results.without, "result has", "results have");
        let what = if is_empty { "there is nothing to replay, " } else { "" };
        eprint_line(&format!("note: {what}{without} no evidence"));
    }
    Ok(())
}

/// Replays one after the other.
fn replay_all<'a, S: 'a>(
    args: &Args,
    verify: impl Fn(usize, &Stated, &Certificate<S>, &mut Budget) -> Result<Confirmed, Unverified>,
    pairs: impl Iterator<Item = (&'a Stated, &'a Certificate<S>)>,
    budget: &mut Budget,
) -> anyhow::Result<ExitCode> {
    let mut out = Output::text();
    let (mut refused, mut unconfirmed) = (false, false);
    for (place, (stated, evidence)) in pairs.enumerate() {
        match verify(place, stated, evidence, budget) {
            Ok(confirmed) => {
                let is_ok = args.trust || confirmed.is_certain();
                unconfirmed |= !is_ok;
                let word = if is_ok { "\x1b[1;32mok\x1b[0m" } else { NOT_CONFIRMED };
                writeln!(out, "{word}: {}", summary(stated, evidence, &confirmed, is_ok))?;
                let trusted = &confirmed.replayed.trusted_claims;
                let most = if args.verbose { usize::MAX } else { LISTED };
                let how = if is_ok { "on trust" } else { "not decided" };
                for claim in trusted.iter().take(most) {
                    writeln!(out, "    {how}: {}", visible(claim))?;
                }
                if trusted.len() > most {
                    writeln!(out, "    {how}: ... (-v lists more)")?;
                }
            }
            Err(why) => {
                let word = if matches!(why, Unverified::Exhausted(_)) {
                    unconfirmed = true;
                    NOT_CONFIRMED
                } else {
                    refused = true;
                    "\x1b[1;31mrefused\x1b[0m"
                };
                let (subject, why) = (subject_of(stated, evidence.shows(), true), why.to_string());
                writeln!(out, "{word}: {subject}: {}", visible(&why))?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::from(if refused { 1 } else { 3 * u8::from(unconfirmed) }))
}

/// The word for evidence that replay could neither confirm nor refute.
const NOT_CONFIRMED: &str = "\x1b[1;33mnot confirmed\x1b[0m";

/// Reports a limit that was reached before anything was replayed.
fn unknown(stated: &[Stated], exhausted: Exhausted) -> anyhow::Result<ExitCode> {
    let mut out = Output::text();
    if stated.is_empty() {
        writeln!(out, "{NOT_CONFIRMED}: {exhausted}")?;
    }
    for stated in stated {
        let subject = subject_of(stated, "", true);
        writeln!(out, "{NOT_CONFIRMED}: {subject}: {exhausted}")?;
    }
    out.flush()?;
    Ok(ExitCode::from(3))
}

/// The statements of an evidence file; problems of its text are added to the list.
fn read<'t>(text: &'t Text, reading: &mut Reading) -> Option<Results<'t>> {
    if !text.problems.is_empty() {
        reading.add(text.input.clone(), text.problems.clone());
        return None;
    }
    let read = Results::read(&text.content, &mut reading.budget);
    read.map_err(|unreadable| add(reading, &text.input, unreadable)).ok()
}

fn add(reading: &mut Reading, input: &Input, unreadable: Unreadable) {
    match unreadable {
        Unreadable::Wrong(found) => reading.add(input.clone(), found),
        Unreadable::Exhausted(why) => reading.stop(input, why),
    }
}

/// Finds the states of evidence in the model.
fn found(
    args: &Args,
    (subjects, of): &(Vec<Subject>, Vec<usize>),
    results: &mut Results<'_>,
    input: &Input,
    reading: &mut Reading,
) -> Option<Vec<Certificate>> {
    if results.stated.is_empty() {
        return Some(Vec::new());
    }
    // the nodes of a composition are not those of the model, whatever they are called
    let is_stated = |stated: &&Stated| stated.about != About::Nothing || stated.with.is_some();
    let given = args.origin.with.is_some();
    if let Some(stated) = results.stated.iter().filter(is_stated).find(|one| one.with.is_some() != given) {
        let problem = match &stated.with {
            Some(peer) => Diagnostic::global(format!("this evidence was made with --with {peer}"))
                .help(format!("replay it with --with {peer}, or where that file is now")),
            None => {
                Diagnostic::global("this evidence was made without a peer").help("replay it without --with")
            }
        };
        reading.add(input.clone(), problem.into());
        return None;
    }
    let found = evidence(results, subjects, of, &mut reading.budget);
    found.map_err(|unreadable| add(reading, input, unreadable)).ok()
}

/// Claims that are not decided and listed for each evidence.
const LISTED: usize = 3;

/// Longer formulas are cut.
const SHOWN: usize = 300;

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", visible(&text[..end])),
        None => visible(text).into_owned(),
    }
}

/// What evidence is for and what it shows; the verdict, where it is known or at issue.
fn subject_of(stated: &Stated, shows: &str, verdict: bool) -> String {
    let shows = (!shows.is_empty()).then(|| format!("shows {}", cut(shows)));
    let about = match &stated.about {
        About::Property { text, holds, .. } if verdict => {
            Some(format!("{} {}", cut(text), if *holds { "holds" } else { "fails" }))
        }
        About::Reach { target, from, .. } if verdict => {
            let from = from.as_ref().map(|from| format!(" from {}", cut(from))).unwrap_or_default();
            Some(format!("{} is reachable{from}", cut(target)))
        }
        _ => None,
    };
    let parts: Vec<String> = about.into_iter().chain(shows).collect();
    if parts.is_empty() { "evidence".to_owned() } else { parts.join("; ") }
}

/// What was replayed, as one line.
fn summary<S>(stated: &Stated, evidence: &Certificate<S>, confirmed: &Confirmed, is_ok: bool) -> String {
    let Replayed { steps, decided, trusted, .. } = confirmed.replayed;
    let mut did = Vec::new();
    match evidence {
        Certificate::Paths(evidence) => {
            did.push(counted(steps, "step", "steps"));
            let nested = evidence.paths.len().saturating_sub(1 + evidence.also.len());
            if nested > 0 {
                did.push(counted(nested, "nested claim", "nested claims"));
            }
        }
        Certificate::Invariant(invariant) => {
            did.push(format!("an invariant of {}", counted(invariant.clauses.len(), "clause", "clauses")));
        }
        Certificate::Strategy(strategy) => {
            let moves = counted(strategy.moves.len(), "move", "moves");
            did.push(format!("{moves}, {}", counted(steps, "position", "positions")));
        }
        _ => {}
    }
    if decided > 0 {
        did.push(counted(decided, "claim decided by search", "claims decided by search"));
    }
    let trusted = match trusted {
        0 => String::new(),
        trusted if is_ok => {
            format!("; {}", counted(trusted, "claim is taken on trust", "claims are taken on trust"))
        }
        trusted => format!("; {}", counted(trusted, "claim is not decided", "claims are not decided")),
    };
    // what is trusted to be an accepting run is not the verdict
    let verdict = confirmed.verdict || !is_ok;
    format!("{} ({}{trusted})", subject_of(stated, evidence.shows(), verdict), did.join(", "))
}
