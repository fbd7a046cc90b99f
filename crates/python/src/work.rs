//! Work on a thread of its own, while Python code goes on and signals are handled.

use crate::failure::Failure;
use loris_base::{Exhausted, Interrupt};
use pyo3::prelude::*;
use std::any::Any;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Time between two looks at signals: short for a person at a keyboard, long for a machine.
const PERIOD: Duration = Duration::from_millis(20);

/// The stack of the thread, the size that a main thread usually has.
const STACK: usize = 8 << 20;

/// Does some work without the lock of the interpreter, and returns its answer or its failure as
/// text.
///
/// A signal whose handler raises an exception, as Ctrl-C does, ends the call with it at once; the
/// thread ends by itself as soon as it sees the interrupt. When `cancel.is_set()` returns true, the
/// work is interrupted and its answer awaited: verdicts that are not decided by then are unknown.
pub(crate) fn without_lock<T: Send + 'static>(
    py: Python<'_>,
    cancel: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Interrupt) -> Result<T, Failure> + Send + 'static,
) -> PyResult<Result<T, Failure>> {
    let interrupt = Interrupt::default();
    let seen = interrupt.clone();
    let (sender, mut receiver) = sync_channel(1);
    let job = move || {
        // nobody listens any more after a signal
        let _ = sender.send(work(&seen));
    };
    let thread = match thread::Builder::new().name("loris".to_owned()).stack_size(STACK).spawn(job) {
        Ok(thread) => thread,
        Err(error) => return Ok(Err(Failure::Internal(format!("no thread can be started: {error}")))),
    };
    loop {
        let found;
        (receiver, found) = py.detach(move || {
            let found = receiver.recv_timeout(PERIOD);
            (receiver, found)
        });
        match found {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Disconnected) => {
                let panic = py.detach(|| thread.join()).err();
                let why = panic.as_deref().map_or("the thread ended without an answer", message);
                return Ok(Err(Failure::Internal(why.to_owned())));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let is_cancelled = match cancel {
            Some(cancel) => cancel.call_method0("is_set").and_then(|is_set| is_set.is_truthy()),
            None => Ok(false),
        };
        match py.check_signals().and(is_cancelled) {
            Ok(false) => {}
            Ok(true) => interrupt.raise(Exhausted::Interrupted),
            Err(exception) => {
                interrupt.raise(Exhausted::Interrupted);
                return Err(exception);
            }
        }
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}
