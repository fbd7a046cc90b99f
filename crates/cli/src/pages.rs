//! `loris completions` and `loris man`: pages made from the flags themselves.

use crate::{Cli, output::Output};
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

/// Prints a script that completes the command line in a shell.
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell.
    shell: Shell,
}

pub(crate) fn completions(args: &Completions) -> anyhow::Result<ExitCode> {
    let mut page = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "loris", &mut page);
    print(&page)
}

/// Prints the manual page: the program, then each command.
pub(crate) fn man() -> anyhow::Result<ExitCode> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for part in command.get_subcommands().filter(|part| part.get_name() != "help") {
        let man = clap_mangen::Man::new(part.clone());
        writeln!(page, ".SH \"loris {}\"", part.get_name())?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    print(&page)
}

fn print(page: &[u8]) -> anyhow::Result<ExitCode> {
    let mut out = Output::stdout();
    out.write_all(page)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
