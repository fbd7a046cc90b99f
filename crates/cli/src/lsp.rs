//! `loris lsp`: a language server for editors.

use crate::control::Control;
use crate::limits::Limits;
use loris_lsp::{Settings, serve};
use std::io::{self, BufReader};
use std::process::ExitCode;

/// Serves an editor: a language server over standard input and output.
///
/// It speaks the Language Server Protocol about `.smv`, `.pds` and `.rsm` files, property files
/// (`.ctl`, `.ltl`, `.ctlstar`, `.mu`) and rules files. docs/editor.md shows how editors are set
/// up.
///
/// Exit status: 0 the editor has ended the session, 1 it has left without that.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    limits: Limits,
    /// Uses standard input and output, as always; many editors give this flag
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Pieces of work that may hold memory at the same time: two checks and an analysis.
const AT_ONCE: usize = 3;

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let default = Settings::default();
    let room = control.room(AT_ONCE).map_or(default.memory, |room| default.memory.min(room / AT_ONCE));
    let settings = Settings {
        timeout: args.limits.time().unwrap_or(default.timeout),
        memory: args.limits.memory().unwrap_or(room),
        ..default
    };
    let is_clean = serve(BufReader::new(io::stdin()), io::stdout(), settings)?;
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
