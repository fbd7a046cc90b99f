//! Findings of rules over Java programs, as the document of `loris java --format json` and with
//! traces.

use crate::failure::{Failure, settle};
use crate::phrasing::WORDS;
use crate::request::{LimitsRequest, parsed};
use crate::trace::shown;
use crate::work::without_lock;
use loris_base::Interrupt;
use loris_load::Stopped;
use loris_report::json_findings;
use loris_rules::{Changed, JavaRequest, JudgeOptions, Refused, judge};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A Java program to judge.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgeRequest {
    program: Vec<PathBuf>,
    library: Vec<PathBuf>,
    sources: Vec<PathBuf>,
    rules: Vec<String>,
    rules_files: Vec<PathBuf>,
    properties: Vec<String>,
    logic: Option<String>,
    configuration: Option<PathBuf>,
    suppress: Vec<PathBuf>,
    baseline: Option<PathBuf>,
    changed: Option<Vec<PathBuf>>,
    entries: Vec<String>,
    strict: bool,
    runtime_exceptions: bool,
    limits: LimitsRequest,
}

/// Decides rules on a Java program: the findings, or an error.
#[pyfunction]
#[pyo3(signature = (request, cancel=None))]
pub(crate) fn java(py: Python<'_>, request: String, cancel: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let judged = without_lock(py, cancel, move |interrupt| judged(&request, interrupt))?;
    Ok(judged.unwrap_or_else(Failure::json).to_string())
}

fn judged(request: &str, interrupt: &Interrupt) -> Result<Value, Failure> {
    let request: JudgeRequest = parsed(request)?;
    let limits = request.limits.limits(interrupt);
    let (mut reading, threads) = (limits.reading(WORDS), limits.jobs());
    let options = JudgeOptions {
        strict: request.strict,
        runtime_exceptions: request.runtime_exceptions,
        entries: request.entries,
        ..JudgeOptions::default()
    };
    let asked = JavaRequest {
        program: request.program,
        library: request.library,
        sources: request.sources,
        rules: request.rules,
        rules_files: request.rules_files,
        properties: request.properties,
        logic: request.logic,
        configuration: request.configuration,
        suppress: request.suppress,
        baseline: request.baseline,
        changed: request.changed.map(Changed::new),
        options,
        ..JavaRequest::default()
    };
    let judged = judge(asked, threads, &mut reading);
    let warnings = settle(reading)?;
    let mut judged = judged.map_err(|why| match why {
        Refused::Wrong(what) => Failure::Usage(what),
        Refused::Stopped(why) => Failure::Limit(Stopped { input: None, why }),
        Refused::Problems => Failure::Internal(why.to_string()),
    })?;
    let mut document = String::new();
    let written = json_findings(&mut document, &judged.report);
    debug_assert!(written.is_ok(), "a string takes everything");
    let document: Value = parsed(&document)?;
    judged.locate();
    let shown: Vec<Value> = judged.report.findings.iter().map(shown).collect();
    let paths: Vec<Option<&str>> = judged.report.findings.iter().map(|finding| finding.file()).collect();
    Ok(json!({"document": document, "shown": shown, "paths": paths, "warnings": warnings}))
}
