//! `loris replay`: evidence, re-checked step by step with code that shares nothing with the engines.

mod verify;

use crate::control::{Control, Stopped};
use crate::flags::{AT_EXIT, Readings, words};
use crate::input::{self, Input, Problems, Text};
use crate::limits::Limits;
use crate::model::{self, FORMATS, Format, Origin};
use crate::output::{Output, about, say};
use crate::questions::{automaton, automaton_name};
use crate::smv::{self, Claims, SmvFile};
use anyhow::Context;
use loris_base::{Diagnostic, visible};
use loris_evidence::{AtExit, Found, Replayable, Replayed, read_results};
use loris_logic::automaton::Hoa;
use loris_report::counted;
use loris_rsm::{Rsm, Semantics};
use serde::Deserialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use verify::{Replay, Subject};

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
    /// What `loris check` wrote with --evidence or --evidence-file, or `loris reach`; `-` is standard input
    evidence: PathBuf,
    /// The format of the model [default: by its extension, or rsm]
    #[arg(long, visible_alias = "from", value_name = "FORMAT", value_parser = words(&FORMATS))]
    model_format: Option<Format>,
    /// An automaton that evidence is about: asked whether it accepts the run; repeatable
    #[arg(long, value_name = "FILE")]
    automaton: Vec<PathBuf>,
    /// What an exit does when the stack is empty [default: as the evidence says, or loop]
    #[arg(long, value_name = "MODE", value_parser = words(&AT_EXIT), help_heading = "Semantics")]
    at_exit: Option<AtExit>,
    #[command(flatten)]
    origin: Origin,
    #[command(flatten)]
    limits: Limits,
    /// Lists all claims that are taken on trust, not only the first few
    #[arg(short, long)]
    verbose: bool,
}

/// What the document says of how its evidence was made.
#[derive(Deserialize, Default)]
struct Stated {
    dead_ends: Option<String>,
    empty_calls: Option<String>,
    runs: Option<String>,
    model: Option<StatedModel>,
    /// of a line of `jsonl`, which says nothing else of the model
    with: Option<String>,
    /// of `loris reach`
    target: Option<String>,
    from: Option<String>,
    module: Option<String>,
}

#[derive(Deserialize, Default)]
struct StatedModel {
    with: Option<String>,
}

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let inputs = args.automaton.iter().chain(&args.origin.with);
    input::only_one_from_stdin(inputs.chain([&args.model, &args.evidence]))?;
    let bounds = args.limits.bounds(control, 1);
    let mut problems = Problems::new(bounds.budget());
    let evidence = input::text(&args.evidence, &mut problems);
    let stated = evidence.as_ref().map(|evidence| stated(&evidence.content)).unwrap_or_default();
    let text = evidence.as_ref().map(|evidence| evidence.content.as_str()).unwrap_or_default();
    let mut automata = Vec::new();
    let subject = subject(args, &stated, text, &mut automata, &mut problems);
    let mut found = Found::default();
    match (&subject, evidence) {
        (_, Some(evidence)) if !evidence.problems.is_empty() => {
            problems.add(evidence.input, evidence.problems);
        }
        (Some(subject), Some(evidence)) => {
            found = read(args, subject.rsm(), &stated, evidence, &mut problems);
        }
        _ => {}
    }
    problems.settle(false)?;
    let subject = subject.context("the model cannot be read")?;
    if found.evidence.is_empty() {
        if found.without == 0 {
            let what = "there is no result and no evidence in it; `loris check --evidence` writes some";
            return Err(about(&args.evidence, what));
        }
        let results = counted(found.without, "result has", "results have");
        say(&format!("note: there is nothing to replay, {results} no evidence"));
        return Ok(ExitCode::SUCCESS);
    }

    let replay = Replay { subject: &subject, at_exit: args.at_exit, stated: &stated, automata: &automata };
    let mut out = Output::stdout();
    let mut refused = false;
    for item in &found.evidence {
        // what was replayed so far stands
        out.flush()?;
        if let Some(why) = bounds.interrupt.raised() {
            return Err(Stopped { input: None, why }.into());
        }
        match replay.verify(item) {
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
                writeln!(out, "\x1b[1;31mrefused\x1b[0m: {}: {}", about_what(item), visible(&why))?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(refused)))
}

/// Reads the model, and makes it what the evidence is about.
fn subject(
    args: &Args,
    stated: &Stated,
    evidence: &str,
    automata: &mut Vec<(String, Hoa)>,
    problems: &mut Problems,
) -> Option<Subject> {
    let readings = Readings::by_words(stated.dead_ends.as_deref(), stated.empty_calls.as_deref());
    let semantics = args.origin.readings.semantics(readings.semantics(Semantics::default()));
    let format = args.model_format.unwrap_or_else(|| Format::of(&args.model));
    if format != Format::Smv {
        let model = model::model(&args.model, args.model_format, &args.origin, semantics, problems);
        automata.extend(read_automata(args, problems));
        return model.map(|model| Subject::Machine(Box::new(model.rsm), model.states));
    }
    let file = SmvFile::read(&args.model, args.origin.module.as_deref(), problems);
    let peer = model::peer(&args.origin, problems);
    automata.extend(read_automata(args, problems));
    let said =
        smv::Stated { text: evidence, target: stated.target.as_deref(), module: stated.module.as_deref() };
    let how = (&args.origin, semantics);
    let claims = Claims::new(file?, &said, automata, peer.as_ref(), how, problems)?;
    let states = peer.map(|peer| peer.states().to_vec()).unwrap_or_default();
    Some(Subject::Smv(Box::new(claims), states))
}

fn read_automata(args: &Args, problems: &mut Problems) -> Vec<(String, Hoa)> {
    let read = |path: &PathBuf| automaton(path, problems).map(|(hoa, _)| (automaton_name(path, &hoa), hoa));
    args.automaton.iter().filter_map(read).collect()
}

/// Reads evidence about a machine.
fn read(args: &Args, rsm: &Rsm, stated: &Stated, evidence: Text, problems: &mut Problems) -> Found {
    let peer = stated.model.as_ref().map_or(&stated.with, |model| &model.with);
    let missing = peer.as_ref().filter(|_| args.origin.with.is_none());
    match (read_results(&evidence.content, rsm), missing) {
        (Ok(read), _) if read.evidence.is_empty() => return read,
        // its nodes are not those of the model, whatever they are called
        (_, Some(peer)) => {
            let problem = Diagnostic::global(format!("this evidence was made with --with {peer}"));
            let help = format!("replay it with --with {peer}, or where that file is now");
            problems.add(Input::named(&args.evidence.display().to_string()), problem.help(help).into());
        }
        (Ok(read), None) => return read,
        (Err(errors), None) => problems.add(evidence.input, errors),
    }
    Found::default()
}

/// Claims taken on trust that are listed for each evidence.
const LISTED: usize = 3;

/// What the first document says of its readings; evidence alone says nothing.
fn stated(text: &str) -> Stated {
    let mut documents = serde_json::Deserializer::from_str(text).into_iter();
    documents.next().and_then(Result::ok).unwrap_or_default()
}

fn about_what(item: &Replayable) -> String {
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
    format!("{} ({}{trusted})", about_what(item), did.join(", "))
}
