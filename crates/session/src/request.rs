//! The questions about a model, as they were given.

use loris_check::{Logic, Options, Shard, UnknownAtoms};
use std::path::PathBuf;

/// Where properties come from, and how they are read.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Formulas.
    pub formulas: &'a [String],
    /// Files of formulas, one per line.
    pub files: &'a [PathBuf],
    /// Files of automata.
    pub automata: &'a [PathBuf],
    /// The logic of formulas; without it, CTL, or the logic of a property that the model carries.
    pub logic: Option<Logic>,
    /// The meaning of atoms that no node carries; without it, an error, or as the format has it.
    pub unknown_atoms: Option<UnknownAtoms>,
    /// The share of the properties that is asked.
    pub shard: Option<Shard>,
    /// How questions are to be answered.
    pub options: &'a Options,
}

impl<'a> Request<'a> {
    /// The properties that the model carries.
    pub fn new(options: &'a Options) -> Self {
        Self {
            formulas: &[],
            files: &[],
            automata: &[],
            logic: None,
            unknown_atoms: None,
            shard: None,
            options,
        }
    }
}
