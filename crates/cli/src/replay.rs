//! `loris replay`: evidence, re-checked step by step with code that shares nothing with the engines.

use crate::input::{self, AT_EXIT, Problems, Readings, words};
use crate::output::{Output, about};
use anyhow::{Context, bail};
use loris_evidence::{AtExit, Replayable, Replayed, covers_initial, read_json, relates, replay};
use loris_logic::{Ctl, parse};
use loris_report::counted;
use loris_rsm::{Rsm, Semantics};
use serde::Deserialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Re-checks evidence against a model.
///
/// Exit status: 0 all evidence shows what it says, 1 some does not, 2 the call or an input is wrong.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model the evidence is about
    model: PathBuf,
    /// What `loris check` wrote with --evidence or --evidence-file; `-` is standard input
    evidence: PathBuf,
    /// What an exit does when the stack is empty [default: as the evidence says, or loop]
    #[arg(long, value_name = "MODE", value_parser = words(&AT_EXIT))]
    at_exit: Option<AtExit>,
    #[command(flatten)]
    readings: Readings,
    /// Lists the claims that no path can show
    #[arg(short, long)]
    verbose: bool,
}

/// The readings under which evidence was made, as its document names them.
#[derive(Deserialize, Default)]
struct Stated {
    dead_ends: Option<String>,
    empty_calls: Option<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.model == Path::new("-") && args.evidence == Path::new("-") {
        bail!("only one of the model and the evidence can come from standard input");
    }
    let mut problems = Problems::default();
    let evidence = input::text(&args.evidence, &mut problems);
    let stated = evidence.as_ref().map(|(_, text)| stated(text)).unwrap_or_default();
    let stated = Readings::by_words(stated.dead_ends.as_deref(), stated.empty_calls.as_deref());
    let semantics = args.readings.semantics(stated.semantics(Semantics::default()));
    let rsm = input::model(&args.model, semantics, &mut problems);
    let mut found = Vec::new();
    if let (Some(rsm), Some((input, text))) = (&rsm, evidence) {
        match read_json(&text, rsm) {
            Ok(read) => found = read,
            Err(errors) => problems.add(input, errors),
        }
    }
    problems.settle(false)?;
    let rsm = rsm.context("the model cannot be read")?;
    if found.is_empty() {
        return Err(about(
            &args.evidence,
            "there is no evidence in it; `loris check --evidence` writes some",
        ));
    }

    let mut out = Output::stdout();
    let mut refused = false;
    for item in &found {
        match verify(&rsm, item, args.at_exit) {
            Ok(replayed) => {
                writeln!(out, "\x1b[1;32mok\x1b[0m: {}", told(item, &replayed))?;
                for claim in replayed.trusted_claims.iter().filter(|_| args.verbose) {
                    writeln!(out, "    trusted: {claim}")?;
                }
            }
            Err(why) => {
                refused = true;
                writeln!(out, "\x1b[1;31mrefused\x1b[0m: {}: {why:#}", subject(item))?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(refused)))
}

/// What the first document says of its readings; evidence alone says nothing.
fn stated(text: &str) -> Stated {
    let mut documents = serde_json::Deserializer::from_str(text).into_iter();
    documents.next().and_then(Result::ok).unwrap_or_default()
}

/// Replays evidence, and asks whether it is evidence for the verdict it came with.
fn verify(rsm: &Rsm, item: &Replayable, at_exit: Option<AtExit>) -> anyhow::Result<Replayed> {
    let stated = match &item.at_exit {
        None => AtExit::Loop,
        Some(word) => {
            let known = AT_EXIT.iter().find(|(known, _)| known == word);
            known.with_context(|| format!("\"{word}\" is no way to go on at an exit"))?.1
        }
    };
    let replayed = replay(rsm, &item.evidence, at_exit.unwrap_or(stated))?;
    if let Some(verdict) = &item.verdict {
        let holds = match verdict.as_str() {
            "holds" => true,
            "fails" => false,
            _ => bail!("evidence is for a property that holds or fails, not for \"{verdict}\""),
        };
        covers_initial(rsm, &item.evidence, holds)?;
        if let (Some(property), Some(path)) = (&item.property, item.evidence.paths.iter().next()) {
            let wrong = |_| anyhow::anyhow!("the property \"{property}\" is no CTL formula");
            let formula = parse(property).and_then(|formula| Ctl::new(&formula)).map_err(wrong)?;
            if !relates(&formula, holds, &path.shows) {
                bail!("it is not about the property \"{property}\", which {verdict}");
            }
        }
    }
    Ok(replayed)
}

fn subject(item: &Replayable) -> String {
    let path = item.evidence.paths.iter().next();
    format!("shows {}", path.map_or("nothing", |path| &path.shows))
}

fn told(item: &Replayable, replayed: &Replayed) -> String {
    let mut did = vec![counted(replayed.steps, "step", "steps")];
    let nested = item.evidence.paths.len().saturating_sub(1 + item.evidence.also.len());
    if nested > 0 {
        did.push(counted(nested, "nested claim", "nested claims"));
    }
    if replayed.trusted > 0 {
        did.push(format!(
            "{} taken on trust",
            counted(replayed.trusted, "claim of absence", "claims of absence")
        ));
    }
    format!("{} ({})", subject(item), did.join(", "))
}
