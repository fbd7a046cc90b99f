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
use loris_base::{Budget, Exhausted, visible};
use loris_check::{AnyCertificate, Extent};
use loris_evidence::{About, AtExit, Replayed, Stated};
use loris_load::{FORMATS, Format, Reading};
use loris_report::counted;
use loris_rsm::Semantics;
use loris_session::replay::{Confirmed, EvidenceFile, ReplayRequest, Unverified};
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
    /// The model the evidence is about; several files if it is made of parallel processes, or if
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
    let origin = |as_stated: Semantics| {
        let mut origin = args.origin.origin(as_stated);
        origin.java.library.clone_from(&args.library);
        origin
    };
    let request = ReplayRequest {
        models: &args.models,
        format: args.model_format,
        automata: &args.automaton,
        at_exit: args.at_exit,
        origin: &origin,
    };
    let file = EvidenceFile::read(text.as_ref(), &request, &mut reading);
    control.keep();
    // for replaying, there is what reading has left
    let budget = &mut reading.budget.clone();
    if let Some(stopped) = reading.take_stopped() {
        input::settle(reading, false)?;
        return unknown(file.stated(), stopped.why);
    }
    input::settle(reading, false)?;
    let evidence = file.evidence().context("the evidence cannot be read")?;
    note_without(args, file.without(), evidence.is_empty())?;
    replay_all(args, &file, evidence, budget)
}

/// Notes results that have no evidence; that nothing has any is an error.
fn note_without(args: &Args, without: usize, is_empty: bool) -> anyhow::Result<()> {
    if is_empty && without == 0 {
        let what = "there is no result and no evidence in it; `loris check --evidence` writes some";
        return Err(about(&args.evidence, what));
    }
    if without > 0 {
        let without = counted(without, "result has", "results have");
        let what = if is_empty { "there is nothing to replay, " } else { "" };
        eprint_line(&format!("note: {what}{without} no evidence"));
    }
    Ok(())
}

/// Replays one after the other.
fn replay_all(
    args: &Args,
    file: &EvidenceFile<'_>,
    evidence: &[AnyCertificate],
    budget: &mut Budget,
) -> anyhow::Result<ExitCode> {
    let mut out = Output::text();
    let (mut refused, mut unconfirmed) = (false, false);
    for (place, (stated, evidence)) in file.stated().iter().zip(evidence).enumerate() {
        match file.verify(place, budget) {
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
fn summary(stated: &Stated, evidence: &AnyCertificate, confirmed: &Confirmed, is_ok: bool) -> String {
    let Replayed { steps, decided, trusted, .. } = confirmed.replayed;
    let mut did = Vec::new();
    match evidence.extent() {
        Some(Extent::Paths(nested)) => {
            did.push(counted(steps, "step", "steps"));
            if nested > 0 {
                did.push(counted(nested, "nested claim", "nested claims"));
            }
        }
        Some(Extent::Clauses(clauses)) => {
            did.push(format!("an invariant of {}", counted(clauses, "clause", "clauses")));
        }
        Some(Extent::Moves(moves)) => {
            let moves = counted(moves, "move", "moves");
            did.push(format!("{moves}, {}", counted(steps, "position", "positions")));
        }
        None => {}
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
