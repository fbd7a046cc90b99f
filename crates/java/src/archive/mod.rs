//! Class files out of jars, jmods and folders.
//!
//! Nothing is opened here: bytes come from the caller, who has listed folders and read files. Names
//! of entries are only names; nothing is ever written. An entry that is damaged is a problem of its
//! own, and the others are read. What may be inflated is bounded by the size of what was given
//! before a byte is inflated, so that a small file cannot fill the memory.

mod entries;

use crate::program::{ClassInput, ClassOrigin, Problem};
use entries::{Entry, Wanted, entries};
use loris_base::{Budget, Exhausted};
use rayon::prelude::*;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// A file that was read: an archive or a class file, by its content.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its name, for messages.
    pub path: String,
    /// Application or library.
    pub origin: ClassOrigin,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Class files, and what could not be read.
#[derive(Debug, Default)]
pub struct Files {
    /// Class files, in the order of files and, in archives, of entries.
    pub inputs: Vec<ClassInput>,
    /// Files and entries that could not be read.
    pub problems: Vec<Problem>,
}

/// How deep archives in archives are read; an enterprise archive has web archives with jars.
const DEPTH: usize = 4;

/// Archives may inflate to this many times the size of what was given. Class files shrink to a half
/// or a third.
const RATIO: u64 = 64;

/// And to this many bytes more, so that small archives may hold what they like.
const ALLOWANCE: u64 = 64 << 20;

/// The extensions of archives in archives.
const ARCHIVES: [&str; 4] = ["jar", "war", "ear", "jmod"];

/// Bytes that are inflated between two looks at the budget.
const ROUND: u64 = 32 << 20;

/// Finds the class files in what was given.
///
/// Of the variants of a class for several versions of Java that an archive may have, the one for
/// the newest version that Loris reads is taken, if the manifest says that there are variants.
/// Archives in the library folders of application archives are libraries.
///
/// # Errors
/// The budget ended.
pub fn class_files(given: Vec<Given>, budget: &mut Budget) -> Result<Files, Exhausted> {
    let size: u64 = given.iter().map(|file| file.bytes.len() as u64).sum();
    let mut left = size.saturating_mul(RATIO).saturating_add(ALLOWANCE);
    let mut files = Files::default();
    // a stack, so that what an archive holds comes in its place
    let mut work: Vec<(Given, usize)> = given.into_iter().rev().map(|file| (file, 0)).collect();
    while let Some((file, depth)) = work.pop() {
        budget.spend(1)?;
        if file.bytes.starts_with(&[0xCA, 0xFE, 0xBA, 0xBE]) {
            let Given { path, origin, bytes } = file;
            files.inputs.push(ClassInput { path, origin, bytes: bytes.into() });
        } else {
            let found = archive(&file, depth, &mut left, &mut files, budget)?;
            work.extend(found.into_iter().rev().map(|found| (found, depth + 1)));
        }
    }
    Ok(files)
}

/// Inflates the class files of an archive, and the archives in it, which are returned.
fn archive(
    file: &Given,
    depth: usize,
    left: &mut u64,
    files: &mut Files,
    budget: &mut Budget,
) -> Result<Vec<Given>, Exhausted> {
    // a jmod is an archive behind four bytes
    let bytes = file.bytes.strip_prefix(b"JM\x01\0").unwrap_or(&file.bytes);
    let is_jmod = bytes.len() < file.bytes.len();
    if !bytes.starts_with(b"PK") {
        let message = "this is neither a class file nor an archive".to_owned();
        files.problems.push(Problem { path: file.path.clone(), error: message });
        return Ok(Vec::new());
    }
    let archive = match ZipArchive::new(Cursor::new(bytes)) {
        Ok(archive) => archive,
        Err(error) => {
            let message = format!("the archive cannot be read: {error}");
            files.problems.push(Problem { path: file.path.clone(), error: message });
            return Ok(Vec::new());
        }
    };
    let listed = entries(&archive, is_jmod);
    budget.spend(listed.len())?;
    let mut chosen = Vec::new();
    for entry in listed {
        let problem = match &entry.wanted {
            Wanted::Damaged(message) => Some(format!("cannot be read: {message}")),
            Wanted::Archive if depth + 1 >= DEPTH => {
                Some(format!("archives in archives are read to a depth of {DEPTH}"))
            }
            _ if entry.size > *left => {
                Some("it inflates to far more than the archives that were given: it is not read".to_owned())
            }
            _ => None,
        };
        if let Some(error) = problem {
            files.problems.push(Problem { path: inside(&file.path, &entry.name), error });
            continue;
        }
        *left -= entry.size;
        budget.charge(usize::try_from(entry.size).unwrap_or(usize::MAX))?;
        chosen.push(entry);
    }
    let mut found = Vec::new();
    for round in rounds(&chosen) {
        budget.look()?;
        let inflate = |entry: &Entry| inflated(&mut archive.clone(), entry);
        let several = budget.threads_for(usize::MAX) > 1;
        let inflated: Vec<Result<Vec<u8>, String>> = if several {
            round.par_iter().map(inflate).collect()
        } else {
            round.iter().map(inflate).collect()
        };
        for (entry, bytes) in round.iter().zip(inflated) {
            let path = inside(&file.path, &entry.name);
            match bytes {
                Err(error) => files.problems.push(Problem { path, error }),
                Ok(bytes) if entry.wanted == Wanted::Archive => {
                    found.push(Given { path, origin: nested_origin(file.origin, &entry.name), bytes });
                }
                Ok(bytes) => files.inputs.push(ClassInput { path, origin: file.origin, bytes: bytes.into() }),
            }
        }
    }
    Ok(found)
}

/// The name of an entry in messages.
fn inside(archive: &str, entry: &str) -> String {
    format!("{archive}!/{entry}")
}

/// Archives in the library folders of web and boot archives are not the application's code.
fn nested_origin(outer: ClassOrigin, name: &str) -> ClassOrigin {
    if name.starts_with("BOOT-INF/lib/") || name.starts_with("WEB-INF/lib/") {
        ClassOrigin::Library
    } else {
        outer
    }
}

/// The entries in pieces that inflate to a few megabytes each.
fn rounds(entries: &[Entry]) -> Vec<&[Entry]> {
    let (mut rounds, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (number, entry) in entries.iter().enumerate() {
        bytes += entry.size;
        if bytes >= ROUND {
            rounds.push(&entries[start..=number]);
            (start, bytes) = (number + 1, 0);
        }
    }
    rounds.push(&entries[start..]);
    rounds
}

fn inflated(archive: &mut ZipArchive<Cursor<&[u8]>>, entry: &Entry) -> Result<Vec<u8>, String> {
    let damaged = |error: String| format!("cannot be read: {error}");
    let file = archive.by_index(entry.index).map_err(|error| damaged(error.to_string()))?;
    // the size is what the archive claims: no memory is taken for it before the bytes are there
    let mut bytes = Vec::with_capacity(usize::try_from(entry.size.min(1 << 20)).unwrap_or(0));
    file.take(entry.size + 1).read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
    if bytes.len() as u64 == entry.size {
        Ok(bytes)
    } else {
        Err(damaged("it has another size than the archive says".to_owned()))
    }
}

#[cfg(test)]
mod tests;
