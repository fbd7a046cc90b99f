//! `loris replay`: evidence, re-checked step by step with code that shares nothing with the engines.

use crate::input::{self, AT_EXIT, Problems, Readings, words};
use crate::output::{Output, about, say};
use anyhow::{Context, bail};
use loris_base::visible;
use loris_evidence::{AtExit, Found, Replayable, Replayed, covers_initial, read_results, relates, replay};
use loris_logic::{Core, parse};
use loris_report::counted;
use loris_rsm::{Rsm, Semantics};
use serde::Deserialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Re-checks evidence against a model, step by step.
///
/// That a path does not exist is a claim no path can show: such claims are taken on trust and listed
/// under the evidence that relies on them. Evidence that shows nothing else is refused.
///
/// Exit status: 0 all evidence shows what it says, 1 some does not, 2 the call or an input is wrong.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model the evidence is about
    model: PathBuf,
    /// What `loris check` wrote with --evidence or --evidence-file; `-` is standard input
    evidence: PathBuf,
    /// What an exit does when the stack is empty [default: as the evidence says, or loop]
    #[arg(long, value_name = "MODE", value_parser = words(&AT_EXIT), help_heading = "Semantics")]
    at_exit: Option<AtExit>,
    #[command(flatten)]
    readings: Readings,
    /// Lists all claims that are taken on trust, not only the first few
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
    let stated = evidence.as_ref().map(|evidence| stated(&evidence.content)).unwrap_or_default();
    let stated = Readings::by_words(stated.dead_ends.as_deref(), stated.empty_calls.as_deref());
    let semantics = args.readings.semantics(stated.semantics(Semantics::default()));
    let rsm = input::model(&args.model, semantics, &mut problems);
    let mut found = Found::default();
    match (&rsm, evidence) {
        (_, Some(evidence)) if !evidence.problems.is_empty() => {
            problems.add(evidence.input, evidence.problems);
        }
        (Some(rsm), Some(evidence)) => match read_results(&evidence.content, rsm) {
            Ok(read) => found = read,
            Err(errors) => problems.add(evidence.input, errors),
        },
        _ => {}
    }
    problems.settle(false)?;
    let rsm = rsm.context("the model cannot be read")?;
    if found.evidence.is_empty() {
        if found.without == 0 {
            let what = "there is no result and no evidence in it; `loris check --evidence` writes some";
            return Err(about(&args.evidence, what));
        }
        let results = counted(found.without, "result has", "results have");
        say(&format!("note: there is nothing to replay, {results} no evidence"));
        return Ok(ExitCode::SUCCESS);
    }

    let mut out = Output::stdout();
    let mut refused = false;
    for item in &found.evidence {
        match verify(&rsm, item, args.at_exit) {
            Ok(replayed) => {
                writeln!(out, "\x1b[1;32mok\x1b[0m: {}", told(item, &replayed))?;
                let most = if args.verbose { usize::MAX } else { LISTED };
                for claim in replayed.trusted_claims.iter().take(most) {
                    writeln!(out, "    on trust: {}", visible(claim))?;
                }
                if replayed.trusted_claims.len() > most {
                    writeln!(out, "    on trust: ... (-v lists more)")?;
                }
            }
            Err(why) => {
                refused = true;
                let why = format!("{why:#}");
                writeln!(out, "\x1b[1;31mrefused\x1b[0m: {}: {}", subject(item), visible(&why))?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(refused)))
}

/// Claims taken on trust that are listed for each evidence.
const LISTED: usize = 3;

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
            let known = AT_EXIT.iter().find(|(known, ..)| known == word);
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
            let formula = parse(property).and_then(|formula| Core::new(&formula)).map_err(wrong)?;
            if !relates(&formula, holds, &path.shows) {
                bail!("it is not about the property \"{property}\", which {verdict}");
            }
        }
    }
    Ok(replayed)
}

fn subject(item: &Replayable) -> String {
    /// Longer formulas are cut.
    const SHOWN: usize = 300;
    let path = item.evidence.paths.iter().next();
    let shows = path.map_or("nothing", |path| &path.shows);
    match shows.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("shows {}…", visible(&shows[..end])),
        None => format!("shows {}", visible(shows)),
    }
}

fn told(item: &Replayable, replayed: &Replayed) -> String {
    let mut did = vec![counted(replayed.steps, "step", "steps")];
    let nested = item.evidence.paths.len().saturating_sub(1 + item.evidence.also.len());
    if nested > 0 {
        did.push(counted(nested, "nested claim", "nested claims"));
    }
    let trusted = match replayed.trusted {
        0 => String::new(),
        trusted => format!("; {}", counted(trusted, "claim is taken on trust", "claims are taken on trust")),
    };
    format!("{} ({}{trusted})", subject(item), did.join(", "))
}
