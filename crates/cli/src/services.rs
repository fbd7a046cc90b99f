//! Reports for services for continuous integration, on standard output and in files.

use loris_report::{Report, write_checkstyle, write_github, write_junit};

/// A format of services for continuous integration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Junit,
    Checkstyle,
    Github,
}

impl Service {
    /// A report in this format, with paths relative to the working directory.
    pub(crate) fn render(self, report: &mut Report) -> String {
        report.root = working_directory();
        let mut text = String::new();
        let written = match self {
            Service::Junit => write_junit(&mut text, report),
            Service::Checkstyle => write_checkstyle(&mut text, report),
            Service::Github => write_github(&mut text, report),
        };
        written.expect("a string takes everything");
        text
    }
}

/// The folder that relative paths start from.
pub(crate) fn working_directory() -> Option<String> {
    Some(std::env::current_dir().ok()?.display().to_string())
}
