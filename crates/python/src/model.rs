//! Models that Python holds.

use crate::answer::checked;
use crate::failure::{Failure, settle};
use crate::report::NativeReport;
use crate::request::{ConvertRequest, LoadRequest, parsed};
use crate::search::found;
use crate::work::without_lock;
use loris_base::Interrupt;
use loris_check::ENGINES;
use loris_report::Report;
use loris_session::Loaded;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::sync::Arc;

/// A model that was read.
#[pyclass(frozen, module = "loris._native")]
pub(crate) struct NativeModel(Arc<Loaded>);

/// Reads a model. `data` stands for the content of the first path, if it is given.
#[pyfunction]
#[pyo3(signature = (request, data=None, cancel=None))]
pub(crate) fn load(
    py: Python<'_>,
    request: String,
    data: Option<Vec<u8>>,
    cancel: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Option<NativeModel>, String)> {
    let read = without_lock(py, cancel, move |interrupt| read(&request, data, interrupt))?;
    Ok(match read {
        Ok((model, warnings)) => {
            (Some(NativeModel(Arc::new(model))), json!({"warnings": warnings}).to_string())
        }
        Err(failure) => (None, failure.json().to_string()),
    })
}

fn read(
    request: &str,
    data: Option<Vec<u8>>,
    interrupt: &Interrupt,
) -> Result<(Loaded, Vec<Value>), Failure> {
    let request: LoadRequest = parsed(request)?;
    let (format, origin) = (request.format()?, request.origin()?);
    let mut reading = request.limits.reading(interrupt);
    if let (Some(data), Some(path)) = (data, request.paths.first()) {
        reading.provide(path.clone(), data);
    }
    let model = Loaded::read(&request.paths, format, origin, &mut reading);
    let warnings = settle(reading)?;
    Ok((model.ok_or_else(Failure::unread)?, warnings))
}

/// The engines, as a list of objects.
#[pyfunction]
pub(crate) fn engines() -> String {
    let row = |row: &loris_check::Engine| {
        let logics: Vec<&str> = row.logics.iter().map(|logic| logic.name()).collect();
        json!({"name": row.name, "about": row.about, "logics": logics, "is_random": row.is_random})
    };
    ENGINES.iter().map(row).collect::<Value>().to_string()
}

#[pymethods]
impl NativeModel {
    /// Checks properties: the report, unless there is an error, and the answer.
    #[pyo3(signature = (request, cancel=None))]
    fn check(
        &self,
        py: Python<'_>,
        request: String,
        cancel: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Option<NativeReport>, String)> {
        self.answer(py, cancel, move |model, interrupt| checked(model, &request, interrupt))
    }

    /// Looks for a path: the report, unless there is an error, and the answer.
    #[pyo3(signature = (request, cancel=None))]
    fn reach(
        &self,
        py: Python<'_>,
        request: String,
        cancel: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Option<NativeReport>, String)> {
        self.answer(py, cancel, move |model, interrupt| found(model, &request, interrupt))
    }

    /// Writes the model in another format: its bytes, and an object with notes.
    fn convert<'py>(&self, py: Python<'py>, request: String) -> PyResult<(Bound<'py, PyBytes>, String)> {
        let model = Arc::clone(&self.0);
        let written = without_lock(py, None, move |interrupt| converted(&model, &request, interrupt))?;
        let (bytes, answer) = written.unwrap_or_else(|failure| (Vec::new(), failure.json()));
        Ok((PyBytes::new(py, &bytes), answer.to_string()))
    }

    /// The format and the sizes, as an object.
    fn facts(&self) -> String {
        let mut facts = json!({"format": self.0.format().name()});
        for size in self.0.model().iter().flat_map(|model| model.checkable().sizes()) {
            facts[size.key] = size.count.into();
        }
        facts.to_string()
    }
}

impl NativeModel {
    fn answer(
        &self,
        py: Python<'_>,
        cancel: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&Loaded, &Interrupt) -> Result<(Report, String), Failure> + Send + 'static,
    ) -> PyResult<(Option<NativeReport>, String)> {
        let model = Arc::clone(&self.0);
        let answer = without_lock(py, cancel, move |interrupt| work(&model, interrupt))?;
        Ok(match answer {
            Ok((report, text)) => (Some(NativeReport::new(report, Arc::clone(&self.0))), text),
            Err(failure) => (None, failure.json().to_string()),
        })
    }
}

fn converted(model: &Loaded, request: &str, interrupt: &Interrupt) -> Result<(Vec<u8>, Value), Failure> {
    let request: ConvertRequest = parsed(request)?;
    let target = request.target()?;
    let mut reading = request.limits.reading(interrupt);
    let conversion = model.convert(target, &mut reading);
    settle(reading)?;
    let mut bytes = Vec::new();
    let notes = conversion.ok_or_else(Failure::unread)?.write(&mut bytes);
    // a list takes everything: an error is about the format, which cannot express the model
    let notes = notes.map_err(|error| Failure::Usage(error.to_string()))?;
    Ok((bytes, json!({"notes": notes})))
}
