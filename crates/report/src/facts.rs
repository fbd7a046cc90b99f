//! What a model is: sizes, recursion, labels, dead ends.

use crate::json::quoted;
use crate::style;
use loris_rsm::{ComponentId, Kind, Rsm, Vertex};
use std::fmt::{self, Write};

/// Names listed of each kind; more are counted.
const LISTED: usize = 10;

/// The facts of a model.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    path: &'a str,
    counts: Vec<(&'static str, usize)>,
    recursive: Vec<String>,
    unreached: usize,
    labels: Vec<String>,
    dead_ends: Vec<String>,
    initial: Vec<String>,
}

impl<'a> Facts<'a> {
    /// Counts and lists, in linear time.
    pub fn new(path: &'a str, rsm: &Rsm) -> Self {
        let stats = rsm.stats();
        let _ = stats;
        todo!()
    }
}
