//! Reports of answers, in the formats of the command line.

use crate::trace::shown;
use loris_report::{Report, write_page, write_report_dot, write_sarif, write_vcd};
use loris_session::Loaded;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The answers of a call as a report, to be rendered when somebody asks.
#[pyclass(frozen, module = "loris._native")]
pub(crate) struct NativeReport {
    report: Report,
    model: Arc<Loaded>,
}

impl NativeReport {
    /// A report on answers about a model.
    pub(crate) fn new(mut report: Report, model: Arc<Loaded>) -> Self {
        let root = std::env::current_dir().ok();
        report.root = root.map(|root| root.display().to_string());
        Self { report, model }
    }

    /// The report, or only one of its findings, with sources where the format shows them.
    fn rendered(&self, format: &str, index: Option<usize>) -> io::Result<Vec<u8>> {
        let mut report = self.report.clone();
        if let Some(index) = index {
            report.findings = report.findings.into_iter().skip(index).take(1).collect();
        }
        let mut out = Vec::new();
        match format {
            "html" => {
                report.add_sources(|path| self.source(path));
                write_page(&report, &mut out)?;
            }
            "sarif" => write_sarif(&report, &mut out)?,
            "dot" => {
                write_report_dot(&report, &mut out)?;
            }
            "vcd" => {
                let mut text = String::new();
                write_vcd(&report, &mut text).map_err(io::Error::other)?;
                out = text.into_bytes();
            }
            _ => return Err(io::Error::other("expected one of \"html\", \"sarif\", \"dot\", \"vcd\"")),
        }
        Ok(out)
    }

    /// The text of a file: as the model has it in memory, or as it is now, unless it is too large.
    fn source(&self, path: &Path) -> Option<String> {
        if let Some(bytes) = self.model.bytes_of(path) {
            return Some(String::from_utf8_lossy(bytes).into_owned());
        }
        let about = std::fs::metadata(path).ok().filter(|about| about.is_file() && about.len() <= MOST_BYTES);
        about?;
        let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
        (!text.contains('\0')).then_some(text)
    }
}

/// Files beyond this size are not shown.
const MOST_BYTES: u64 = 8 << 20;

#[pymethods]
impl NativeReport {
    /// The traces and the proof of a finding, as an object.
    fn shown(&self, py: Python<'_>, index: usize) -> Option<String> {
        py.detach(|| Some(shown(self.report.findings.get(index)?).to_string()))
    }

    /// Renders the report, or only one of its findings.
    #[pyo3(signature = (format, index=None))]
    fn render(&self, py: Python<'_>, format: &str, index: Option<usize>) -> PyResult<String> {
        let bytes = py.detach(|| self.rendered(format, index));
        let bytes = bytes.map_err(|error| PyValueError::new_err(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}
