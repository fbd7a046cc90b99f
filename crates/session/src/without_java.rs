//! Questions about Java programs where their front end is left out: they are refused.

use crate::{Inquiry, Request};
use loris_load::{Format, Origin, Reading, machine};
use std::path::PathBuf;

/// The program is refused; the problem is added to the reading.
pub(crate) fn inquire(
    paths: &[PathBuf],
    origin: &Origin,
    _: &Request<'_>,
    reading: &mut Reading,
) -> Option<Inquiry> {
    machine(paths.first()?, Format::Java, origin, reading);
    None
}

pub(crate) fn sought(origin: &Origin, _: Option<&str>, _: Option<&str>) -> Origin {
    origin.clone()
}

/// Labels of a Java program, of which there is none.
pub(crate) enum Labels {}

impl Labels {
    pub(crate) fn of(_: Format, _: &Origin) -> Option<Self> {
        None
    }

    pub(crate) fn lack(&self, _: &str) -> bool {
        match *self {}
    }

    pub(crate) fn cut_nodes(&self) -> bool {
        match *self {}
    }

    pub(crate) fn differ_from(&self, _: &[String], _: bool, _: bool) -> bool {
        match *self {}
    }
}
