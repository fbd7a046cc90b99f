//! Which entries of an archive are read.

use super::ARCHIVES;
use rustc_hash::FxHashMap;
use std::io::{Cursor, Read};
use std::path::Path;
use zip::ZipArchive;

/// The newest version of Java whose variants of classes are read.
const NEWEST: u32 = 25;

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Class,
    Archive,
    /// Why it cannot even be looked at.
    Damaged(String),
}

/// An entry that is to be read.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) index: usize,
    pub(super) name: String,
    /// Its size, as the archive claims.
    pub(super) size: u64,
    pub(super) wanted: Wanted,
}

/// The class files and archives in an archive, in its order, each class once.
pub(super) fn entries(archive: &ZipArchive<Cursor<&[u8]>>, is_jmod: bool) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    // where the variant of each class that is taken so far is, and its version
    let mut classes: FxHashMap<String, (usize, u32)> = FxHashMap::default();
    let has_variants = has_variants(archive);
    let mut archive = archive.clone();
    for index in 0..archive.len() {
        let name = match archive.name_for_index(index) {
            Some(Ok(name)) => name.into_owned(),
            _ => format!("entry {index}"),
        };
        let has = |extension: &&str| {
            Path::new(&name).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
        };
        let (is_class, is_archive) = (has(&"class"), ARCHIVES.iter().any(has));
        if !is_class && !is_archive {
            continue;
        }
        let (size, wanted) = match archive.by_index(index) {
            Ok(file) => (file.size(), if is_class { Wanted::Class } else { Wanted::Archive }),
            Err(error) => (0, Wanted::Damaged(error.to_string())),
        };
        let entry = Entry { index, name, size, wanted };
        if !is_class {
            found.push(entry);
            continue;
        }
        let (version, class) = match variant(&entry.name) {
            Some((version, class)) if has_variants && version <= NEWEST => (version, class),
            Some(_) => continue,
            None if is_jmod => match entry.name.strip_prefix("classes/") {
                Some(class) => (0, class),
                None => continue,
            },
            None => (0, &*entry.name),
        };
        match classes.get_mut(class) {
            None => {
                classes.insert(class.to_owned(), (found.len(), version));
                found.push(entry);
            }
            Some((place, taken)) if *taken < version => {
                *taken = version;
                found[*place] = entry;
            }
            Some(_) => {}
        }
    }
    found
}

/// The version and the class of a variant for some version of Java.
fn variant(name: &str) -> Option<(u32, &str)> {
    let (version, class) = name.strip_prefix("META-INF/versions/")?.split_once('/')?;
    Some((version.parse().unwrap_or(u32::MAX), class))
}

/// Whether the manifest says that there are variants.
fn has_variants(archive: &ZipArchive<Cursor<&[u8]>>) -> bool {
    let mut archive = archive.clone();
    let Ok(file) = archive.by_name("META-INF/MANIFEST.MF") else { return false };
    let mut text = Vec::new();
    // the attribute is in the main section, which comes first
    if file.take(1 << 16).read_to_end(&mut text).is_err() {
        return false;
    }
    let text = String::from_utf8_lossy(&text);
    text.lines().take_while(|line| !line.is_empty()).any(|line| {
        line.split_once(':').is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("Multi-Release") && value.trim().eq_ignore_ascii_case("true")
        })
    })
}
