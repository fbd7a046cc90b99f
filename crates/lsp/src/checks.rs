//! Checks that run, each on a thread of its own, and those that wait for one.

use crate::event::Event;
use crate::rpc::{INTERNAL_ERROR, REQUEST_FAILED, Refused};
use crate::verdict::{CheckJob, Checked, cancelled};
use loris_base::{Exhausted, Interrupt};
use serde_json::Value;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SyncSender;
use std::thread;

/// How many checks run at the same time.
const RUNNING: usize = 2;
/// How many may wait.
const WAITING: usize = 1000;

/// All checks of a session.
pub(crate) struct Checks {
    events: SyncSender<Event>,
    running: Vec<(Value, Interrupt)>,
    waiting: VecDeque<CheckJob>,
}

impl Checks {
    pub(crate) fn new(events: SyncSender<Event>) -> Self {
        Self { events, running: Vec::new(), waiting: VecDeque::new() }
    }

    /// Starts a check, now or when others are done.
    pub(crate) fn start(&mut self, job: CheckJob) -> Result<(), Refused> {
        if self.waiting.len() >= WAITING {
            return Err(Refused::new(REQUEST_FAILED, "too many checks are waiting"));
        }
        self.waiting.push_back(job);
        self.go_on();
        Ok(())
    }

    /// A check has ended.
    pub(crate) fn done(&mut self, id: &Value) {
        if let Some(at) = self.running.iter().position(|(running, _)| running == id) {
            self.running.remove(at);
        }
        self.go_on();
    }

    /// Ends a check. One that runs is answered when it has ended; the answer of one that waits is
    /// returned.
    pub(crate) fn cancel(&mut self, id: &Value) -> Option<(Value, Refused)> {
        if let Some((_, interrupt)) = self.running.iter().find(|(running, _)| running == id) {
            interrupt.raise(Exhausted::Interrupted);
            return None;
        }
        let at = self.waiting.iter().position(|job| job.id == *id)?;
        let job = self.waiting.remove(at)?;
        Some((job.id, cancelled()))
    }

    /// Ends all checks; returns the answers of those that wait.
    pub(crate) fn stop(&mut self) -> Vec<(Value, Refused)> {
        self.running.iter().for_each(|(_, interrupt)| interrupt.raise(Exhausted::Interrupted));
        self.waiting.drain(..).map(|job| (job.id, cancelled())).collect()
    }

    fn go_on(&mut self) {
        while self.running.len() < RUNNING
            && let Some(job) = self.waiting.pop_front()
        {
            self.run(job);
        }
    }

    fn run(&mut self, job: CheckJob) {
        self.running.push((job.id.clone(), job.interrupt.clone()));
        let events = self.events.clone();
        let (id, uri, generation, start) = (job.id.clone(), job.uri.clone(), job.generation, job.span.0);
        let failed = move |message: String| {
            let outcome = Err(Refused::new(INTERNAL_ERROR, message));
            Event::Checked(Box::new(Checked { id, uri, generation, start, outcome }))
        };
        let otherwise = failed.clone();
        let work = move || {
            let done = catch_unwind(AssertUnwindSafe(|| job.run()));
            let event = match done {
                Ok(checked) => Event::Checked(Box::new(checked)),
                Err(_) => failed("the check panicked: this is a defect of Loris".to_owned()),
            };
            // a session that has ended needs no answer
            let _ = events.send(event);
        };
        if let Err(error) = thread::Builder::new().name("check".to_owned()).spawn(work) {
            let events = self.events.clone();
            // the session itself empties the queue, so it must not wait for a place in it
            let _ = events.try_send(otherwise(format!("no thread can be started: {error}")));
        }
    }
}
