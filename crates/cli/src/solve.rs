//! `loris solve`: parity games.

use crate::control::Control;
use crate::errors::{Stopped, about};
use crate::flags::{DOCUMENTS, Document, Word, words};
use crate::input;
use crate::limits::Limits;
use crate::output::{Output, write_to};
use crate::phrasing::WORDS;
use anyhow::{Context, bail};
use loris_base::Budget;
use loris_games::pgsolver::{GameFile, write_solution};
use loris_games::{Flaw, Solution, Solver, solve, verify};
use loris_load::{Reading, parity_game, parity_solution};
use loris_report::{SolvedGame, counted, json_solved, text_solved};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Solves a parity game: who wins each node, and how.
///
/// The game is in the format of PGSolver: the largest priority that is seen infinitely often
/// decides, and even ones are good for player 0. Whoever cannot move loses. Every solution is
/// verified before it is reported, with code that no solver uses.
///
/// Exit status: 0 the game is solved, or the solution of --verify is right, 1 that solution is
/// wrong, 2 the call or an input is wrong, 3 a limit was reached.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game; `-` is standard input
    game: PathBuf,
    /// The algorithm
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = words(&SOLVERS))]
    solver: Solver,
    /// Prints the winner of this node, and the winner's move; repeatable [default: the start of
    /// the game, if the file names one]
    #[arg(long, value_name = "NUMBER")]
    node: Vec<u32>,
    /// Writes winners and moves of all nodes in PGSolver's format; `-` is standard output, instead
    /// of the summary
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    solution: Option<PathBuf>,
    /// Solves nothing, but verifies this solution in PGSolver's format
    #[arg(long, value_name = "FILE", conflicts_with_all = ["solver", "solution", "node", "format"])]
    verify: Option<PathBuf>,
    /// How the summary is written
    #[arg(long, default_value = "text", value_parser = words(&DOCUMENTS), help_heading = "Output")]
    format: Document,
    #[command(flatten)]
    limits: Limits,
}

const SOLVERS: [Word<Solver>; 5] = [
    ("auto", Solver::Auto, "Priority promotion and tangle learning in turn, with ever more time"),
    ("zielonka", Solver::Zielonka, "Zielonka's recursive algorithm"),
    ("priority-promotion", Solver::PriorityPromotion, "Priority promotion"),
    ("tangle-learning", Solver::TangleLearning, "Tangle learning"),
    ("progress-measures", Solver::ProgressMeasures, "Small progress measures, for small games"),
];

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    input::only_one_from_stdin(args.verify.iter().chain([&args.game]))?;
    if let Some(target) = &args.solution {
        input::spare(target, std::iter::once(&args.game))?;
    }
    let bounds = args.limits.bounds(control, 1);
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let file = parity_game(&args.game, &mut reading);
    let stated = match (&args.verify, &file) {
        (Some(path), Some(file)) => parity_solution(path, file, &mut reading),
        _ => None,
    };
    input::settle(reading, false)?;
    let file = file.context("the game cannot be read")?;
    control.keep();
    let mut budget = bounds.budget();
    let solution_bytes = stated.as_ref().map_or(0, Solution::bytes);
    budget.hold(file.game.bytes() + solution_bytes).map_err(stopped)?;
    if let (Some(path), Some(stated)) = (&args.verify, &stated) {
        return judge(path, &file, stated, &mut budget);
    }
    let nodes = wanted(args, &file)?;
    let start = Instant::now();
    let solution = solve(&file.game, args.solver, &mut budget).map_err(stopped)?;
    let (seconds, bytes) = (start.elapsed().as_secs_f64(), budget.peak());
    if let Err(flaw) = verify(&file.game, &solution, &mut budget).map_err(stopped)? {
        bail!("the solver is wrong, please report this: {}", named(flaw, &file));
    }
    if let Some(target) = &args.solution {
        write_to(target, control, |out| {
            let mut out = BufWriter::new(out);
            write_solution(&mut out, &file, &solution)?;
            out.flush()
        })?;
        if target == Path::new("-") {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let path = args.game.display().to_string();
    let solved = SolvedGame {
        path: &path,
        file: &file,
        solution: &solution,
        solver: args.solver.name(),
        nodes: &nodes,
        seconds,
        bytes,
    };
    let mut text = String::new();
    match args.format {
        Document::Text => text_solved(&mut text, &solved),
        Document::Json => json_solved(&mut text, &solved),
    }?;
    let out = if args.format == Document::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The nodes whose winners are asked for.
fn wanted(args: &Args, file: &GameFile) -> anyhow::Result<Vec<u32>> {
    if args.node.is_empty() {
        return Ok(file.start.into_iter().collect());
    }
    let find = |&number: &u32| {
        file.node(number).ok_or_else(|| about(&args.game, format!("there is no node {number}")))
    };
    args.node.iter().map(find).collect()
}

/// Reports whether a solution is right.
fn judge(path: &Path, file: &GameFile, stated: &Solution, budget: &mut Budget) -> anyhow::Result<ExitCode> {
    let size = counted(file.game.len(), "node", "nodes");
    let shown = path.display().to_string();
    let shown = loris_base::visible(&shown);
    let (line, status) = match verify(&file.game, stated, budget).map_err(stopped)? {
        Ok(()) => (format!("{shown}: right, {size}\n"), 0),
        Err(flaw) => (format!("{shown}: wrong: {}\n", named(flaw, file)), 1),
    };
    Output::text().put(line.as_bytes())?;
    Ok(ExitCode::from(status))
}

/// A flaw with the numbers of the file.
fn named(flaw: Flaw, file: &GameFile) -> Flaw {
    flaw.renumbered(|node| file.number(node))
}

fn stopped(why: loris_base::Exhausted) -> Stopped {
    Stopped { input: None, why }
}
