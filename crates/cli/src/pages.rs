//! `loris completions` and `loris man`: pages made from the flags themselves.

use crate::control::Control;
use crate::errors::about;
use crate::output::{Output, write_to};
use anyhow::bail;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use loris_base::nearest;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Prints a script that completes the command line in a shell.
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

/// Prints a manual page, or writes all of them.
#[derive(clap::Args)]
pub(crate) struct Manual {
    /// The command the page is about, as in `loris man generate pds` [default: the program]
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    command: Vec<String>,
    /// Writes the pages of all commands into a folder, as loris.1, loris-check.1, …
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

pub(crate) fn completions(args: &Completions, mut command: Command) -> anyhow::Result<ExitCode> {
    let mut page = Vec::new();
    clap_complete::generate(args.shell, &mut command, "loris", &mut page);
    Output::document().put(&page)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(args: &Manual, command: Command, control: &Control) -> anyhow::Result<ExitCode> {
    let mut command = command.disable_help_subcommand(true);
    // from here on a command knows its full name, under which other pages cite its page
    command.build();
    let mut pages: Vec<Command> = Vec::new();
    let mut left = vec![command];
    while let Some(command) = left.pop() {
        left.extend(command.get_subcommands().cloned());
        pages.push(command);
    }
    if let Some(folder) = &args.dir {
        if !folder.is_dir() {
            return Err(about(folder, "this is not a folder"));
        }
        for page in &pages {
            let text = rendered(page)?;
            write_to(&folder.join(format!("{}.1", name(page))), control, |out| out.write_all(&text))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let wanted: String = args.command.iter().fold("loris".to_owned(), |name, word| name + "-" + word);
    let Some(page) = pages.iter().find(|page| name(page) == wanted) else {
        let asked = args.command.join(" ");
        match nearest(&wanted, pages.iter().map(name)).and_then(|near| near.strip_prefix("loris-")) {
            Some(near) => {
                bail!("there is no command \"{asked}\"; did you mean \"{}\"?", near.replacen('-', " ", 1))
            }
            None => bail!("there is no command \"{asked}\"; `loris help` lists them"),
        }
    };
    Output::document().put(&rendered(page)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The full name of a command: `loris-generate-pds`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn rendered(page: &Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(page.clone()).render(&mut text)?;
    Ok(text)
}
