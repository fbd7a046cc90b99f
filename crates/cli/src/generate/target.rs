//! Flags that all generators have, and where their output goes.

use crate::control::Control;
use crate::output::write_to;
use clap::Args;
use loris_base::Rng;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
pub(super) struct Target {
    /// Chooses among all models or formulas of these parameters
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// Where it goes; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
}

/// Where something goes that no seed chooses.
#[derive(Args)]
pub(super) struct File {
    /// Where it goes; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
}

/// Reads a number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number.filter(|share| (0.0..=1.0).contains(share)).ok_or("expected a number from 0 to 1".to_owned())
}

/// Reads an average number of successors.
pub(super) fn degree(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number.filter(|degree| (0.1..=1e6).contains(degree)).ok_or("expected a number from 0.1".to_owned())
}

/// Writes text that a seed chooses.
pub(super) fn write_text(
    target: &Target,
    control: &Control,
    write: impl FnOnce(&mut Rng, &mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<ExitCode> {
    let mut rng = Rng::new(target.seed);
    write_to(&target.output, control, |out| {
        let mut out = BufWriter::new(out);
        write(&mut rng, &mut out).and_then(|()| out.flush())
    })?;
    Ok(ExitCode::SUCCESS)
}
