//! The Java programs of lazy-rsm's Table 1 that were published.

use crate::lab::Lab;
use anyhow::{Context, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program, what the article prints of it, and what is true.
pub(super) struct Program {
    /// The name of its files.
    pub(super) name: &'static str,
    /// Its name in the article, where that differs.
    pub(super) printed: &'static str,
    /// The verdict printed.
    pub(super) paper: &'static str,
    /// The contexts printed, for `eager`, `ternary`, `lazy`.
    pub(super) contexts: [u64; 3],
    /// The verdict of the pushdown system itself.
    pub(super) truth: &'static str,
}

/// `avroraMedTest` and `dom2pdf` are not public.
pub(super) const PROGRAMS: [Program; 4] = [
    Program { name: "dataflow", printed: "Dataflow", paper: "fails", contexts: [6, 1, 1], truth: "fails" },
    Program {
        name: "avroraELF",
        printed: "avroraELF",
        paper: "holds",
        contexts: [614, 1, 1],
        truth: "fails",
    },
    Program {
        name: "avroraReg",
        printed: "avroraReg",
        paper: "holds",
        contexts: [477, 27, 2],
        truth: "fails",
    },
    Program { name: "fop2pdf", printed: "fo2pdf", paper: "holds", contexts: [2029, 60, 6], truth: "fails" },
];

/// Unpacks the programs, unless there are none.
pub(super) fn unpack(lab: &Lab) -> anyhow::Result<bool> {
    let Some(published) = &lab.published else { return Ok(false) };
    for program in &PROGRAMS {
        let archive = published.join(format!("java-usedef/{}.zip", program.name));
        unzip(&archive, &lab.file(""))?;
    }
    Ok(true)
}

/// Unpacks an archive into a folder.
pub(super) fn unzip(archive: &Path, target: &Path) -> anyhow::Result<()> {
    let unzip = Command::new("unzip").arg("-qo").arg(archive).arg("-d").arg(target).status();
    let unpacked = unzip.or_else(|_| {
        let python = ["-m", "zipfile", "-e"];
        Command::new("python3").args(python).arg(archive).arg(target).stdin(Stdio::null()).status()
    });
    let status = unpacked.context("neither unzip nor python3 is there to unpack archives")?;
    if !status.success() {
        bail!("{} cannot be unpacked", archive.display());
    }
    Ok(())
}

impl Program {
    pub(super) fn model(&self, lab: &Lab) -> PathBuf {
        lab.file(&format!("{}.rsm", self.name))
    }

    /// The same as a pushdown system.
    pub(super) fn pushdown(&self, lab: &Lab) -> PathBuf {
        lab.file(&format!("{}.pds", self.name))
    }

    /// The properties, and how the model is to be read: `fop2pdf` has 13 real dead ends, and the
    /// programs do not have every label that their properties name.
    pub(super) fn options(&self, lab: &Lab, which: &str) -> Vec<OsString> {
        let properties = lab.file(&format!("{}_{which}.ctl", self.name));
        let mut options: Vec<OsString> = vec!["-f".into(), properties.into()];
        options.extend(["--unknown-atoms", "false", "--dead-ends", "loop"].map(OsString::from));
        options
    }

    /// The whole command line of a check.
    pub(super) fn check(&self, lab: &Lab, which: &str) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["check".into(), self.model(lab).into()];
        arguments.extend(self.options(lab, which));
        arguments
    }

    /// The command line that only reads.
    pub(super) fn info(&self, lab: &Lab) -> Vec<OsString> {
        vec!["info".into(), "--jobs".into(), "1".into(), self.model(lab).into()]
    }
}
