//! How a model is read.

use loris_base::Explored;
#[cfg(feature = "java")]
use loris_java::{
    calls::Calls,
    extract::{Choice, Granularity},
};
use loris_rsm::Semantics;
use loris_smv::Limits;
use std::path::PathBuf;
use std::sync::Arc;

/// How a model is read.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The file of a finite-state peer that reads its labels: an automaton in HOA, or a labelled
    /// transition system in the Aldébaran format.
    pub with: Option<PathBuf>,
    /// How it is read where its format leaves it open.
    pub semantics: Semantics,
    /// Whether it was said that dead ends are errors, which is what they are in machines, anyway.
    pub refuses_dead_ends: bool,
    /// Where runs start, in an SMV model.
    pub module: Option<String>,
    /// Bounds the states that are made of an SMV model.
    pub max_states: Option<usize>,
    /// How a Java program is read.
    pub java: JavaOptions,
    /// How far the exploration of states has come.
    pub explored: Arc<Explored>,
}

impl Origin {
    /// The states that were explored, if there are any.
    pub fn states_explored(&self) -> Option<usize> {
        Some(self.explored.states()).filter(|&states| states > 0)
    }

    /// How states are made of an SMV model.
    pub fn limits(&self) -> Limits {
        let (states, dead_ends) = (self.max_states.unwrap_or(usize::MAX), self.semantics.dead_ends);
        Limits { states, dead_ends, explored: Arc::clone(&self.explored), ..Limits::default() }
    }
}

/// The machines that evidence is about: of a Java program, there may be several.
pub struct Programs {
    /// How each is made.
    pub origins: Vec<Origin>,
    /// For each statement of the results, which of them it is about.
    pub of: Vec<usize>,
}

/// How a Java program is read.
#[cfg(feature = "java")]
#[derive(Clone, Debug, Default)]
pub struct JavaOptions {
    /// More files of the program.
    pub also: Vec<PathBuf>,
    /// Files whose code is read, but not where runs start.
    pub library: Vec<PathBuf>,
    /// The methods where runs start: names, or patterns with `*` and `?`.
    pub entries: Vec<String>,
    /// How the targets of virtual calls are found.
    pub calls: Calls,
    /// What a node stands for.
    pub granularity: Granularity,
    /// Exceptions that the virtual machine throws on its own count.
    pub runtime: bool,
    /// The labels of nodes.
    pub labels: Choice,
    /// If no node has one of these labels, all are made, so that a similar one can be suggested.
    pub suggest: bool,
}

/// How a Java program would be read.
#[cfg(not(feature = "java"))]
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct JavaOptions {}
