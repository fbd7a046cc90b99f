//! The native half of the Python module `loris`.
//!
//! Requests and answers cross the border as JSON texts; objects are made of them in Python, under
//! `python/loris`. So this half is small: it reads models (`model.rs`), answers questions about
//! them (`answer.rs`, `search.rs`), and keeps the interpreter responsive meanwhile (`work.rs`): the
//! work is done on a thread of its own, without the interpreter's lock, and ends when a signal
//! arrives.
//!
//! An answer is an object with the key `error` if there is none; Python raises the exception. No
//! panic gets that far: that of an engine, or of the thread, is an answer of this kind, too.
//!
//! `PyO3` expands to unsafe code in its own name only: the lint that forbids it here stays on.

mod answer;
mod failure;
mod java;
mod model;
mod phrasing;
mod report;
mod request;
mod search;
mod trace;
mod work;

use pyo3::prelude::*;

/// The functions and classes that `python/loris` is made of.
#[pymodule(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::NativeModel>()?;
    module.add_class::<report::NativeReport>()?;
    module.add_function(wrap_pyfunction!(model::load, module)?)?;
    module.add_function(wrap_pyfunction!(model::engines, module)?)?;
    module.add_function(wrap_pyfunction!(java::java, module)?)?;
    Ok(())
}
