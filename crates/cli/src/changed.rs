//! Which files have changed: as they are named, listed in a file, or as Git knows.

use crate::errors::about;
use anyhow::{Context as _, bail};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which findings are reported.
#[derive(clap::Args)]
pub(crate) struct ChangedArgs {
    /// Reports only findings that are in, or lead through, what was compiled from source files that
    /// differ from this commit of Git, or that Git does not know yet
    #[arg(long, value_name = "GIT-REF", help_heading = "Findings", conflicts_with = "write_baseline")]
    changed_since: Option<String>,
    /// The same for a source file, by its path; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Findings", conflicts_with = "write_baseline")]
    changed: Vec<PathBuf>,
    /// The same for the source files that a file lists, a path per line; `-` is standard input
    #[arg(long, value_name = "LIST", help_heading = "Findings", conflicts_with = "write_baseline")]
    changed_files: Vec<PathBuf>,
}

impl ChangedArgs {
    /// The files that have changed, if it was asked for them.
    pub(crate) fn paths(&self) -> anyhow::Result<Option<Vec<PathBuf>>> {
        if self.changed_since.is_none() && self.changed.is_empty() && self.changed_files.is_empty() {
            return Ok(None);
        }
        let mut paths = self.changed.clone();
        for list in &self.changed_files {
            let text = listed(list)?;
            paths.extend(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(PathBuf::from));
        }
        if let Some(commit) = &self.changed_since {
            paths.extend(since(commit)?);
        }
        Ok(Some(paths))
    }
}

fn listed(path: &Path) -> anyhow::Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("standard input cannot be read")?;
        return Ok(text);
    }
    std::fs::read_to_string(path)
        .map_err(|error| about(path, format!("cannot be read: {}", loris_load::without_number(&error))))
}

/// Files that differ from a commit, and those that are new.
fn since(commit: &str) -> anyhow::Result<Vec<PathBuf>> {
    if commit.starts_with('-') || commit.is_empty() {
        bail!("--changed-since {commit}: this is not the name of a commit");
    }
    // relative to the root of the work tree, wherever in it we are
    let root = git(Path::new("."), &["rev-parse", "--show-toplevel"], commit)?;
    let root = PathBuf::from(root.trim_end_matches(['\n', '\r']));
    let differ = git(&root, &["diff", "--name-only", "-z", "--no-ext-diff", commit, "--"], commit)?;
    let new = git(&root, &["ls-files", "--others", "--exclude-standard", "-z"], commit)?;
    // class files in a folder that Git is not told to ignore are made anew by each build
    let is_source =
        |name: &&str| !name.is_empty() && Path::new(name).extension() != Some(OsStr::new("class"));
    let names = differ.split('\0').chain(new.split('\0')).filter(is_source);
    Ok(names.map(|name| root.join(name)).collect())
}

fn git(folder: &Path, arguments: &[&str], commit: &str) -> anyhow::Result<String> {
    let mut command = Command::new("git");
    // messages are quoted in ours
    command.env("LC_ALL", "C").arg("-C").arg(folder).args(arguments.iter().map(OsStr::new));
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!(
                "--changed-since {commit} needs git, which is not installed; --changed names files without it"
            );
        }
        Err(error) => bail!("git cannot be started: {}", loris_load::without_number(&error)),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
        bail!("--changed-since {commit}: git says: {said}");
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
