//! `loris minimize`: a process modulo bisimulation.

use crate::control::Control;
use crate::errors::{Stopped, about, eprint_line};
use crate::flags::{Word, words};
use crate::input;
use crate::limits::Limits;
use crate::output::{Output, write_to};
use crate::phrasing::WORDS;
use anyhow::{Context, bail};
use loris_base::{Diagnostics, nearest, visible, visible_name};
use loris_load::{Format, Reading, single_process};
use loris_lts::{ActionId, AutError, Equivalence, Hiding, Process, reduce, write_aut, write_kmts};
use loris_report::counted;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Reduces a process modulo bisimulation: a labelled transition system (.aut) or a Kripke
/// structure (.kmts).
///
/// Labels of states are preserved. A process with may steps that are not must is reduced modulo
/// strong bisimulation only. States that cannot be reached are dropped. The states of the result
/// are numbered in the order in which they are reached breadth first. The sizes before and after
/// are printed on standard output, or on standard error if the result goes to standard output.
///
/// Exit status: 0 the result is written, 2 the call or the input is wrong, 3 a limit was reached.
#[derive(clap::Args)]
#[command(after_long_help = "Examples:\n  \
        loris minimize part.aut -o small.aut\n  \
        loris minimize part.aut --modulo branching --hide-all-but 'send(0),send(2)'\n  \
        loris minimize part.kmts --modulo divergence-branching -o small.kmts")]
pub(crate) struct Args {
    /// The process; `-` is standard input, a labelled transition system
    input: PathBuf,
    /// Where the result goes, in the format that the extension names, .aut or .kmts, or else in
    /// that of the input [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The equivalence
    #[arg(long, value_name = "EQUIVALENCE", default_value = "strong", value_parser = words(&EQUIVALENCES))]
    modulo: Equivalence,
    /// Makes these actions silent first: labels, separated by commas that are not within
    /// parentheses
    #[arg(long, value_name = "ACTIONS", conflicts_with = "hide_all_but")]
    hide: Vec<String>,
    /// Makes all actions but these silent first
    #[arg(long, value_name = "ACTIONS")]
    hide_all_but: Vec<String>,
    #[command(flatten)]
    limits: Limits,
}

const EQUIVALENCES: [Word<Equivalence>; 3] = [
    ("strong", Equivalence::Strong, "Strong bisimulation: silent steps are steps like all others"),
    (
        "branching",
        Equivalence::Branching,
        "Branching bisimulation: silent steps between equivalent states are left out, and so is divergence",
    ),
    (
        "divergence-branching",
        Equivalence::DivergenceBranching,
        "The same, except that endless silent steps between equivalent states stay, as a loop",
    ),
];

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    input::spare(output, std::iter::once(&args.input))?;
    let bounds = args.limits.bounds(control, 1);
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let format = Format::of(&args.input).unwrap_or(Format::Aut);
    let process = single_process(&args.input, format, &mut reading);
    input::settle(reading, false)?;
    let process = process.context("the process cannot be read")?;
    control.keep();
    let hiding = match (args.hide.as_slice(), args.hide_all_but.as_slice()) {
        ([], []) => Hiding::Nothing,
        (hidden, []) => Hiding::Only(actions(hidden, &process, &args.input)?),
        (_, visible) => Hiding::AllBut(actions(visible, &process, &args.input)?),
    };
    let mut budget = bounds.budget();
    let path = args.input.display().to_string();
    let stopped = |why| Stopped { input: Some(path.clone()), why };
    budget.note(process.bytes()).map_err(stopped)?;
    let reduced = match reduce(&process, args.modulo, &hiding, &mut budget) {
        Ok(reduced) => reduced.process,
        Err(loris_base::Stopped::Exhausted(why)) => return Err(stopped(why).into()),
        Err(loris_base::Stopped::Wrong(problems)) => return Err(about(&args.input, summary(&problems))),
    };
    let written_as = Format::of(output).filter(|format| matches!(format, Format::Aut | Format::Kmts));
    let mut unwritable = None;
    write_to(output, control, |mut out| match written_as.unwrap_or(format) {
        Format::Kmts => write_kmts(&reduced, &mut out),
        _ => write_aut(&reduced, &mut out).map_err(|error| match error {
            AutError::Io(error) => error,
            AutError::Unwritable(why) => {
                unwritable = Some(why.clone());
                io::Error::other(why)
            }
        }),
    })
    .map_err(|error| match unwritable {
        Some(why) => about(&args.input, why),
        None => error,
    })?;
    let modulo = EQUIVALENCES.iter().find(|(_, equivalence, _)| *equivalence == args.modulo);
    let lines = [
        format!("{}: {}", visible(&path), sizes(&process)),
        format!("modulo {} bisimulation: {}", modulo.map_or("", |(word, ..)| word), sizes(&reduced)),
    ];
    if output == Path::new("-") {
        for line in &lines {
            eprint_line(line);
        }
    } else {
        let mut out = Output::text();
        lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn sizes(process: &Process) -> String {
    let states = counted(process.state_count(), "state", "states");
    format!("{states}, {}", counted(process.step_count(), "transition", "transitions"))
}

fn summary(problems: &Diagnostics) -> String {
    problems.sorted().iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// The actions with these labels.
fn actions(lists: &[String], process: &Process, path: &Path) -> anyhow::Result<Vec<ActionId>> {
    let mut actions = Vec::new();
    for label in lists.iter().flat_map(|list| labels(list)) {
        if label.is_empty() {
            bail!("a label is missing between commas");
        }
        let name = if label == "i" { "tau" } else { label };
        let Some(action) = process.find_action(name) else {
            let near = nearest(label, process.actions().iter());
            let hint = near.map_or(String::new(), |near| format!("; did you mean {}?", visible_name(near)));
            return Err(about(path, format!("there is no action {}{hint}", visible_name(label))));
        };
        actions.push(action);
    }
    Ok(actions)
}

/// The parts of a list between commas that are not within parentheses.
fn labels(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0i64, 0, Vec::new());
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth <= 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::labels;

    fn check(list: &str, expected: &[&str]) {
        assert_eq!(labels(list), expected);
    }

    #[test]
    fn lists_of_labels() {
        check("a", &["a"]);
        check("a, b(1,2),c", &["a", "b(1,2)", "c"]);
        check("f(g(1,2),3),x y", &["f(g(1,2),3)", "x y"]);
        check("a)),b", &["a))", "b"]);
        check("a,,b", &["a", "", "b"]);
    }
}
