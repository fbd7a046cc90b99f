//! Files beside the results: a page, SARIF, a drawing, waveforms. All render one report.

use crate::control::Control;
use crate::errors::eprint_line;
use crate::input;
use crate::output::NewFile;
use crate::services::{Service, working_directory};
use anyhow::bail;
use loris_report::{Report, write_page, write_report_dot, write_sarif, write_vcd};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Which reports are written beside the results of any command that has some.
#[derive(clap::Args)]
pub(crate) struct PageArgs {
    /// Writes the results with their evidence as one HTML page, which needs no network and no
    /// server
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,
    /// Writes the results with their traces as SARIF 2.1.0, for code-scanning services and editors
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    sarif: Option<PathBuf>,
    /// Writes the results in the XML of `JUnit`, a test each, for continuous integration
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    junit: Option<PathBuf>,
    /// Writes the results in the XML of Checkstyle, by file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    checkstyle: Option<PathBuf>,
    /// Draws the model, or the methods on the way, with the runs of the evidence in colour, for
    /// Graphviz
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    dot: Option<PathBuf>,
}

/// Which files are written beside results about models.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pages: PageArgs,
    /// Writes the runs that show verdicts on circuits and SMV models into a file, as waveforms (a
    /// Value Change Dump)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    vcd: Option<PathBuf>,
}

/// The files, open and empty.
pub(crate) struct ReportFiles {
    page: Option<NewFile>,
    sarif: Option<NewFile>,
    services: Vec<(Service, NewFile)>,
    dot: Option<NewFile>,
    vcd: Option<NewFile>,
}

/// A file that is written, and the flag that names it.
type Named<'a> = (&'static str, &'a PathBuf);

impl PageArgs {
    fn named(&self) -> impl Iterator<Item = Named<'_>> {
        let all = [
            ("--report", &self.report),
            ("--sarif", &self.sarif),
            ("--junit", &self.junit),
            ("--checkstyle", &self.checkstyle),
            ("--dot", &self.dot),
        ];
        all.into_iter().filter_map(|(flag, path)| Some((flag, path.as_ref()?)))
    }

    /// Refuses to write over an input, or two things into one file.
    pub(crate) fn spare<'a, I: Iterator<Item = &'a PathBuf>>(
        &self,
        inputs: impl Fn() -> I,
        other: Option<Named<'_>>,
    ) -> anyhow::Result<()> {
        spare(&self.named().chain(other).collect::<Vec<_>>(), inputs)
    }

    /// Opens the files: one that cannot be written should be known before hours of work, not after.
    pub(crate) fn create(&self, control: &Control) -> anyhow::Result<ReportFiles> {
        let (page, sarif) = (create(self.report.as_ref(), control)?, create(self.sarif.as_ref(), control)?);
        let services = [(Service::Junit, &self.junit), (Service::Checkstyle, &self.checkstyle)];
        let services = services.into_iter().filter_map(|(service, path)| {
            Some(NewFile::create(path.as_ref()?, control).map(|file| (service, file)))
        });
        let services = services.collect::<anyhow::Result<_>>()?;
        Ok(ReportFiles { page, sarif, services, dot: create(self.dot.as_ref(), control)?, vcd: None })
    }
}

impl ReportArgs {
    fn named(&self) -> impl Iterator<Item = Named<'_>> {
        self.pages.named().chain(self.vcd.as_ref().map(|path| ("--vcd", path)))
    }

    /// Whether any file is asked for, which needs evidence.
    pub(crate) fn is_any(&self) -> bool {
        self.named().next().is_some()
    }

    /// Whether waveforms are asked for, which not all models have.
    pub(crate) fn has_waves(&self) -> bool {
        self.vcd.is_some()
    }

    /// Refuses to write over an input, or two things into one file.
    pub(crate) fn spare<'a, I: Iterator<Item = &'a PathBuf>>(
        &self,
        inputs: impl Fn() -> I,
        evidence_file: Option<&PathBuf>,
    ) -> anyhow::Result<()> {
        let other = evidence_file.map(|path| ("--evidence-file", path));
        spare(&self.named().chain(other).collect::<Vec<_>>(), inputs)
    }

    /// Opens the files: one that cannot be written should be known before hours of work, not after.
    pub(crate) fn create(&self, control: &Control) -> anyhow::Result<ReportFiles> {
        let vcd = create(self.vcd.as_ref(), control)?;
        Ok(ReportFiles { vcd, ..self.pages.create(control)? })
    }
}

fn create(path: Option<&PathBuf>, control: &Control) -> anyhow::Result<Option<NewFile>> {
    path.map(|path| NewFile::create(path, control)).transpose()
}

fn spare<'a, I: Iterator<Item = &'a PathBuf>>(
    files: &[Named<'_>],
    inputs: impl Fn() -> I,
) -> anyhow::Result<()> {
    for (at, (flag, path)) in files.iter().enumerate() {
        input::spare(path, inputs())?;
        if let Some((other, _)) = files[at + 1..].iter().find(|(_, other)| other == path) {
            bail!("{flag} and {other} name the same file");
        }
    }
    Ok(())
}

impl ReportFiles {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        let files = [&self.page, &self.sarif, &self.dot, &self.vcd];
        files.into_iter().all(Option::is_none) && self.services.is_empty()
    }

    /// Writes a report into all files that were asked for.
    pub(crate) fn write(self, mut report: Report, quiet: bool) -> anyhow::Result<()> {
        report.root = working_directory();
        if let Some(mut file) = self.page {
            report.add_sources(text);
            write_page(&report, &mut file)?;
            file.finish()?;
        }
        if let Some(mut file) = self.sarif {
            write_sarif(&report, &mut file)?;
            file.finish()?;
        }
        for (service, file) in self.services {
            file.put(service.render(&mut report).as_bytes())?;
        }
        if let Some(mut file) = self.dot {
            let runs = write_report_dot(&report, &mut file)?;
            file.finish()?;
            if runs == 0 && !quiet {
                eprint_line("no verdict is shown by a run: the drawing is empty");
            }
        }
        if let Some(file) = self.vcd {
            let mut text = String::new();
            let runs = write_vcd(&report, &mut text)?;
            file.put(text.as_bytes())?;
            if runs == 0 && !quiet {
                eprint_line("no verdict is shown by a run: the waveforms are empty");
            }
        }
        Ok(())
    }
}

/// Files beyond this size are not shown.
const MOST_BYTES: u64 = 8 << 20;

/// The text of a regular file that is not too large.
fn text(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.contains('\0')).then_some(text)
}
