//! The files that a Java program consists of.

use crate::errors::about;
use loris_base::Budget;
use loris_java::Origin;
use loris_java::archive::Given;
use std::fs;
use std::path::{Path, PathBuf};

/// Reads archives and class files; of folders, all class files in them, in the order of names.
pub(super) fn read(paths: &[PathBuf], origin: Origin, budget: &mut Budget) -> anyhow::Result<Vec<Given>> {
    let mut given = Vec::new();
    for path in paths {
        let failed = |error: std::io::Error| {
            about(path, format!("cannot be read: {}", loris_load::without_number(&error)))
        };
        let files = if path.is_dir() { class_files(path).map_err(failed)? } else { vec![path.clone()] };
        for file in files {
            let bytes = fs::read(&file).map_err(|error| {
                about(&file, format!("cannot be read: {}", loris_load::without_number(&error)))
            })?;
            let charged = budget.charge(bytes.len());
            charged.map_err(|why| crate::errors::Stopped { input: Some(file.display().to_string()), why })?;
            given.push(Given { path: file.display().to_string(), origin, bytes });
        }
    }
    Ok(given)
}

/// All class files below a folder. Links to folders are not followed.
fn class_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut files, mut work) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = work.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|extension| extension == "class") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
