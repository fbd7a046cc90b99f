//! `loris replay`: evidence, re-checked step by step with code that shares nothing with the engines.

use crate::flags::Readings;
use crate::flags::{AT_EXIT, RUNS, by_word, words};
use crate::input::{self, Input, Problems};
use crate::model::{self, FORMATS, Format, Origin};
use crate::output::{Output, about, say};
use crate::questions::{automaton, automaton_name};
use anyhow::{Context, bail};
use loris_base::{Diagnostic, visible};
use loris_check::{Goal, Logic, Names, Runs, core};
use loris_evidence::{
    AtExit, Found, Reach, Replayable, Replayed, Start, Target, covers_initial, read_results, relates_formula,
    replay, replay_reach, replay_run,
};
use loris_logic::automaton::Hoa;
use loris_logic::parse;
use loris_report::counted;
use loris_rsm::{LabelId, Rsm, Semantics};
use serde::Deserialize;
use std::io::Write;
use std::path::PathBuf;
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
}

#[derive(Deserialize, Default)]
struct StatedModel {
    with: Option<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let inputs = args.automaton.iter().chain(&args.origin.with);
    input::only_one_from_stdin(inputs.chain([&args.model, &args.evidence]))?;
    let mut problems = Problems::default();
    let evidence = input::text(&args.evidence, &mut problems);
    let stated = evidence.as_ref().map(|evidence| stated(&evidence.content)).unwrap_or_default();
    let peer = stated.model.as_ref().map_or(&stated.with, |model| &model.with);
    let missing = peer.as_ref().filter(|_| args.origin.with.is_none());
    let readings = Readings::by_words(stated.dead_ends.as_deref(), stated.empty_calls.as_deref());
    let semantics = args.origin.readings.semantics(readings.semantics(Semantics::default()));
    let model = model::model(&args.model, args.model_format, &args.origin, semantics, &mut problems);
    let (rsm, states) = model.map(|model| (model.rsm, model.states)).unzip();
    let mut automata = Vec::new();
    for path in &args.automaton {
        automata.extend(automaton(path, &mut problems).map(|(hoa, _)| (automaton_name(path, &hoa), hoa)));
    }
    let mut found = Found::default();
    match (&rsm, evidence) {
        (_, Some(evidence)) if !evidence.problems.is_empty() => {
            problems.add(evidence.input, evidence.problems);
        }
        (Some(rsm), Some(evidence)) => match (read_results(&evidence.content, rsm), missing) {
            (Ok(read), _) if read.evidence.is_empty() => found = read,
            // its nodes are not those of the model, whatever they are called
            (_, Some(peer)) => {
                let problem = Diagnostic::global(format!("this evidence was made with --with {peer}"));
                let help = format!("replay it with --with {peer}, or where that file is now");
                problems.add(Input::named(&args.evidence.display().to_string()), problem.help(help).into());
            }
            (Ok(read), None) => found = read,
            (Err(errors), None) => problems.add(evidence.input, errors),
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

    let names = Names::new(&rsm, &states.unwrap_or_default());
    let replay = Replay { rsm: &rsm, names, at_exit: args.at_exit, stated: &stated, automata: &automata };
    let mut out = Output::stdout();
    let mut refused = false;
    for item in &found.evidence {
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

/// What all evidence of a call has in common.
struct Replay<'a> {
    rsm: &'a Rsm,
    names: Names<'a>,
    at_exit: Option<AtExit>,
    stated: &'a Stated,
    automata: &'a [(String, Hoa)],
}

impl Replay<'_> {
    /// Replays evidence, and asks whether it is evidence for the verdict it came with.
    fn verify(&self, item: &Replayable) -> anyhow::Result<Replayed> {
        let at_exit = self.at_exit(item)?;
        let Some(verdict) = &item.verdict else { return Ok(replay(self.rsm, &item.evidence, at_exit)?) };
        if verdict == "reachable" {
            return self.verify_reach(item, at_exit);
        }
        let holds = match verdict.as_str() {
            "holds" => true,
            "fails" => false,
            _ => bail!("evidence is for a property that holds or fails, not for \"{verdict}\""),
        };
        if item.logic.as_deref() == Some(Logic::Automaton.name()) {
            if !holds {
                bail!("that an automaton accepts no run is shown by none");
            }
            return self.verify_automaton(item, at_exit);
        }
        let replayed = replay(self.rsm, &item.evidence, at_exit)?;
        covers_initial(self.rsm, &item.evidence, holds)?;
        let linear = item.logic.as_deref() == Some(Logic::Ltl.name());
        if linear {
            self.is_counted(item, at_exit)?;
        }
        if let (Some(property), Some(path)) = (&item.property, item.evidence.paths.iter().next()) {
            let logics = [Logic::Ctl, Logic::Ltl, Logic::Star];
            let named = item.logic.as_deref().unwrap_or(Logic::Ctl.name());
            let logic = logics.into_iter().find(|logic| logic.name() == named);
            let logic = logic.with_context(|| format!("\"{named}\" is no logic"))?;
            let formula = parse(property).and_then(|formula| core(logic, &formula).map(|_| formula));
            let Ok(formula) = formula else {
                let article = if logic == Logic::Ltl { "an" } else { "a" };
                bail!("the property \"{property}\" is not {article} {} formula", named.to_uppercase());
            };
            if !relates_formula(&formula, holds, &path.shows, at_exit) {
                bail!("it is not about the property \"{property}\", which {verdict}");
            }
        }
        Ok(replayed)
    }

    fn at_exit(&self, item: &Replayable) -> anyhow::Result<AtExit> {
        let stated = item.at_exit.as_deref().map(|word| {
            by_word(&AT_EXIT, word).with_context(|| format!("\"{word}\" is no way to go on at an exit"))
        });
        Ok(self.at_exit.or(stated.transpose()?).unwrap_or_default())
    }

    /// Replays a path to a target, and asks whether it was the one to get to.
    fn verify_reach(&self, item: &Replayable, at_exit: AtExit) -> anyhow::Result<Replayed> {
        let (shown, replayed) = replay_reach(self.rsm, &item.evidence, at_exit)?;
        let Some(name) = &self.stated.target else { return Ok(replayed) };
        let wrong = |problem: Diagnostic| anyhow::anyhow!(problem.message);
        let from = self.stated.from.as_ref().map(|from| self.names.nodes(from)).transpose().map_err(wrong)?;
        let goal = self.names.goal(name).map_err(wrong)?;
        let Reach { target, start } = shown;
        let is_goal = match (target, goal) {
            (Target::Label(label), Goal::Label(goal)) => label == goal,
            (Target::Node(node), Goal::Nodes(nodes)) => nodes.contains(&node),
            _ => false,
        };
        let is_start = match (start, from) {
            (Start::Initial, None) => true,
            (Start::Node(node), Some(nodes)) => nodes.contains(&node),
            _ => false,
        };
        if !is_goal || !is_start {
            bail!("it is not about how to get to \"{name}\"");
        }
        Ok(replayed)
    }

    /// Replays a run, and asks its automaton, if that is at hand.
    fn verify_automaton(&self, item: &Replayable, at_exit: AtExit) -> anyhow::Result<Replayed> {
        self.is_counted(item, at_exit)?;
        // automata of the same name are told apart by what they accept
        let is_named = |(name, _): &&(String, Hoa)| Some(name) == item.property.as_ref();
        let mut asked: Vec<&(String, Hoa)> = self.automata.iter().filter(is_named).collect();
        if asked.is_empty() && self.automata.len() == 1 {
            asked.extend(self.automata.iter());
        }
        let Some((name, _)) = asked.first() else {
            return Ok(replay(self.rsm, &item.evidence, at_exit)?);
        };
        let run = replay_run(self.rsm, &item.evidence, at_exit)?;
        let accepts = |(_, hoa): &(String, Hoa)| {
            let labels: Vec<Option<LabelId>> =
                hoa.propositions.iter().map(|name| self.rsm.label(name)).collect();
            let letter = |state: &Vec<LabelId>| {
                labels.iter().map(|label| label.is_some_and(|label| state.contains(&label))).collect()
            };
            let word = |states: &[Vec<LabelId>]| states.iter().map(letter).collect::<Vec<Vec<bool>>>();
            hoa.buchi.accepts_lasso(&word(&run.prefix), &word(&run.cycle))
        };
        if !asked.into_iter().any(accepts) {
            bail!("the automaton \"{name}\" does not accept this run");
        }
        Ok(Replayed { steps: run.steps, claims: 1, ..Replayed::default() })
    }

    /// Whether a run is of those that count.
    fn is_counted(&self, item: &Replayable, at_exit: AtExit) -> anyhow::Result<()> {
        let runs = self.stated.runs.as_deref().and_then(|word| by_word(&RUNS, word)).unwrap_or_default();
        if runs == Runs::All {
            return Ok(());
        }
        let deeper = replay_run(self.rsm, &item.evidence, at_exit)?.deeper;
        match runs {
            Runs::Bounded if deeper > 0 => bail!("its stack grows for ever, and only bounded runs count"),
            Runs::Unbounded if deeper == 0 => bail!("its stack is bounded, and only unbounded runs count"),
            _ => Ok(()),
        }
    }
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
