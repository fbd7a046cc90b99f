//! Processes written into a folder: a file for each, and the composition that lists them.

use crate::control::Control;
use crate::errors::{about, unwritable};
use crate::output::write_to;
use loris_lts::{AutError, Description, Process, write_aut, write_composition};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The file that lists the parts.
const COMPOSITION: &str = "composition.par";

/// Writes an `.aut` file for each process, and their composition. Files that are there already
/// under these names are written over.
pub(crate) fn write_parts(folder: &Path, parts: &[Process], control: &Control) -> anyhow::Result<()> {
    if folder == Path::new("-") {
        return Err(about(folder, "processes go into a folder, not to standard output"));
    }
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let files = file_names(parts);
    for (part, file) in parts.iter().zip(&files) {
        write_to(&folder.join(file), control, |mut out| {
            write_aut(part, &mut out).map_err(|error| match error {
                AutError::Io(error) => error,
                AutError::Unwritable(why) => io::Error::other(why),
            })
        })?;
    }
    let description = Description::of(parts, |i| files[i].clone());
    write_to(&folder.join(COMPOSITION), control, |mut out| write_composition(&description, &mut out))
}

/// A file for each process: its name, if all file systems take it, else a number.
fn file_names(parts: &[Process]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::with_capacity(parts.len());
    for (i, part) in parts.iter().enumerate() {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let name = part.name();
        let is_usable =
            !name.is_empty() && name.len() <= 100 && !name.starts_with('-') && name.chars().all(is_plain);
        let mut file = if is_usable { name.to_owned() } else { format!("part{i}") };
        // some file systems do not distinguish capitals
        while !taken.insert(file.to_ascii_lowercase()) {
            file.push('_');
        }
        names.push(format!("{file}.aut"));
    }
    names
}
