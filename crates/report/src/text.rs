//! Results as text: one line per property, a summary, evidence if it was asked for.

use crate::evidence::text_evidence;
use crate::{Context, Result, Tally, counted, distance, runs_at_dead_ends, style};
use loris_base::visible;
use loris_check::{Runs, counters, runs_word};
use loris_evidence::{Reason, SHOWN_STATES, Verdict};
use loris_rsm::DeadEnds;
use std::fmt::{self, Write};

/// How much is printed of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// The verdict and the property.
    Quiet,
    /// Also the engine that decided it and the cost.
    Normal,
    /// Also how much was checked, and evidence at any length.
    Verbose,
}

/// The counters that are printed: the words for one and for many, and the least detail.
const COUNTERS: [(&str, (&str, &str), Detail); 7] = [
    (counters::CONTEXTS, ("context", "contexts"), Detail::Normal),
    (counters::POSITIONS, ("position", "positions"), Detail::Normal),
    (counters::FUNCTIONS, ("function", "functions"), Detail::Verbose),
    (counters::AUTOMATON_STATES, ("automaton state", "automaton states"), Detail::Normal),
    (counters::COMPONENTS, ("component looked at", "components looked at"), Detail::Verbose),
    (counters::CHECKS, ("local check", "local checks"), Detail::Verbose),
    (counters::TUPLES, ("tuple", "tuples"), Detail::Verbose),
];

/// How many processes that decided are named.
const SHOWN_PARTS: usize = 4;

/// One result: the verdict, the property, its cost, and its evidence beneath.
pub fn text_result(
    out: &mut impl Write,
    context: &Context<'_>,
    (question, answer): Result<'_>,
    detail: Detail,
    evidence: bool,
) -> fmt::Result {
    let color = match answer.verdict {
        Verdict::Holds => style::GREEN,
        Verdict::Fails => style::RED,
        Verdict::Unknown(_) => style::YELLOW,
    };
    let (dim, reset) = (style::DIM, style::RESET);
    write!(out, "{color}{:<7}{reset}  ", answer.verdict.word())?;
    if let Some(place) = context.subject.and_then(|subject| subject.place()) {
        write!(out, "{dim}{}:{reset} ", visible(&place))?;
    }
    if let Some(name) = &question.name {
        write!(out, "{dim}{} :={reset} ", visible(name))?;
    }
    out.write_str(&visible(&question.text))?;
    if let Some(value) = answer.value {
        write!(out, " = {}", distance(value))?;
    }
    if let (true, Verdict::Unknown(Reason::Unsupported(what))) = (detail > Detail::Quiet, &answer.verdict) {
        write!(out, "  {dim}[not supported: {}]{reset}", visible(what))?;
    } else if detail > Detail::Quiet {
        write!(out, "  {dim}[{}", answer.engine)?;
        if let Verdict::Unknown(reason) = &answer.verdict {
            write!(out, ": {}", visible(&reason.to_string()))?;
            if let Some(states) = context.explored {
                write!(out, ", {}", counted(states, "state explored", "states explored"))?;
            }
        }
        for (name, (one, many), least) in COUNTERS {
            if let Some(number) = answer.counter(name).filter(|_| detail >= least) {
                write!(out, ", {}", counted(number as usize, one, many))?;
            }
        }
        if let (Some(nodes), Some(full)) =
            (answer.counter("product_nodes"), answer.counter("full_game_nodes"))
        {
            let full = if full == u64::MAX { "more than 2^64".to_owned() } else { full.to_string() };
            write!(out, ", {nodes} of {full} game nodes")?;
        } else if let Some(nodes) = answer.counter("product_nodes") {
            write!(out, ", {}", counted(nodes as usize, "product node", "product nodes"))?;
        }
        if let Some(states) = answer.counter("global_states").filter(|_| detail == Detail::Verbose) {
            match states {
                u64::MAX => out.write_str(", more than 2^64 global states")?,
                states => write!(out, ", {}", counted(states as usize, "global state", "global states"))?,
            }
        }
        if !answer.decided_by.is_empty() {
            let most = if detail == Detail::Verbose { usize::MAX } else { SHOWN_PARTS };
            let names: Vec<&str> = answer.decided_by.iter().take(most).map(String::as_str).collect();
            let more = answer.decided_by.len().saturating_sub(most);
            write!(out, ", by {}", visible(&names.join(", ")))?;
            if more > 0 {
                write!(out, " and {more} more")?;
            }
        }
        write!(out, ", {:.3} s]{reset}", answer.seconds)?;
    }
    if let Some(note) = &answer.note {
        // never silently: such a verdict means less than it seems to
        write!(out, "  {}({}: {}){reset}", style::YELLOW, visible(&note.text()), note.detail())?;
    }
    out.write_char('\n')?;
    for line in answer.trace.iter().filter(|_| detail == Detail::Verbose).flat_map(|trace| trace.lines()) {
        writeln!(out, "         {}", visible(line))?;
    }
    for line in answer.knowledge.iter().flat_map(|knowledge| knowledge.lines()) {
        writeln!(out, "{}", format!("         {line}").trim_end())?;
    }
    if !evidence {
        return Ok(());
    }
    if let (Some(evidence), Some(model)) = (&answer.evidence, context.model) {
        let is_verbose = detail == Detail::Verbose;
        let most = if is_verbose { usize::MAX } else { SHOWN_STATES };
        for line in text_evidence(evidence, model, most, is_verbose).unwrap_or_default().lines() {
            writeln!(out, "         {line}")?;
        }
    }
    match &answer.evidence_note {
        Some(note) => writeln!(out, "         no evidence: {note}"),
        None => Ok(()),
    }
}

/// The last line of a run.
pub fn text_summary(
    out: &mut impl Write,
    context: &Context<'_>,
    results: &[Result<'_>],
    seconds: f64,
) -> fmt::Result {
    let Tally { holds, fails, unknown } = results.iter().map(|(_, answer)| &answer.verdict).collect();
    let (bold, dim, reset) = (style::BOLD, style::DIM, style::RESET);
    write!(out, "{bold}{}{reset}: ", counted(results.len(), "property", "properties"))?;
    write!(out, "{holds} hold{}, {fails} fail{}, ", s(holds), s(fails))?;
    write!(out, "{unknown} unknown  {dim}[")?;
    if let Some(processes) = context.processes() {
        write!(out, "dead ends: {}, ", runs_at_dead_ends(processes.dead_ends))?;
    } else if !context.is_circuit() {
        write!(out, "at exit: {}, ", context.at_exit.word())?;
    }
    if context.runs != Runs::All {
        write!(out, "runs: {}, ", runs_word(context.runs))?;
    }
    if context.semantics.dead_ends == DeadEnds::Stop {
        out.write_str("dead ends: stop, ")?;
    }
    writeln!(out, "{seconds:.3} s]{reset}")
}

fn s(number: usize) -> &'static str {
    if number == 1 { "s" } else { "" }
}
