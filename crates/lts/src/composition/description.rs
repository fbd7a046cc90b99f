//! A composition as its file states it: names only, with their places.

use crate::{Process, TAU};
use loris_base::Idx;

/// A word of a file, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedWord {
    /// The word.
    pub text: String,
    /// Where it starts in the file, in bytes.
    pub offset: u64,
    /// How many bytes of the file it takes.
    pub length: usize,
}

impl LocatedWord {
    /// A word that comes from no file.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), offset: 0, length: 0 }
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> loris_base::Diagnostic {
        loris_base::Diagnostic::error(self.offset, self.length, message)
    }
}

/// A `part` of a file: a process that runs with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name, which no other part has.
    pub name: LocatedWord,
    /// The file it is read from, relative to the file of the composition.
    pub path: LocatedWord,
    /// Actions with their new names.
    pub renamed: Vec<(LocatedWord, LocatedWord)>,
    /// Labels with their new names.
    pub relabelled: Vec<(LocatedWord, LocatedWord)>,
    /// Actions that the part knows and never takes: nobody who shares them can.
    pub extra: Vec<LocatedWord>,
}

impl Part {
    /// A part as it is in its file.
    pub fn new(name: LocatedWord, path: LocatedWord) -> Self {
        Self { name, path, renamed: Vec::new(), relabelled: Vec::new(), extra: Vec::new() }
    }
}

/// A rule of synchronisation: these parts take these actions together, and all of it is one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncRule {
    /// Parts and their actions, after renaming.
    pub members: Vec<(LocatedWord, LocatedWord)>,
    /// The action that they take together; `tau` if it is silent.
    pub result: LocatedWord,
}

/// What a file states about a composition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The parts, in the order of the file.
    pub parts: Vec<Part>,
    /// Rules of synchronisation.
    pub rules: Vec<SyncRule>,
    /// Actions that are silent to properties.
    pub hidden: Vec<LocatedWord>,
}

impl Description {
    /// A description of processes in files of their own. `.aut` files do not list actions that are
    /// never taken; these are listed here.
    pub fn of(processes: &[Process], path: impl Fn(usize) -> String) -> Self {
        let described = processes.iter().enumerate().map(|(i, process)| {
            let mut is_taken = vec![false; process.actions().len()];
            is_taken[TAU.index()] = true;
            for state in process.states() {
                process.steps(state).for_each(|step| is_taken[step.action.index()] = true);
            }
            let extra = process.action_ids().filter(|action| !is_taken[action.index()]);
            let extra = extra.map(|action| LocatedWord::new(process.action_name(action))).collect();
            Part { extra, ..Part::new(LocatedWord::new(process.name()), LocatedWord::new(path(i))) }
        });
        Self { parts: described.collect(), ..Self::default() }
    }
}
