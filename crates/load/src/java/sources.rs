//! The sources of a Java program: folders and archives, of which only files that are needed are
//! read.

use crate::reading::{Input, Reading, without_number};
use loris_base::Diagnostic;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// Where the text of a source file is.
enum Place {
    File(PathBuf),
    /// The archive, and the entry in it.
    Entry(usize, usize),
}

/// Source files by the path of their package, such as `com/acme/Main.java`.
#[derive(Default)]
pub struct JavaSources {
    archives: Vec<zip::ZipArchive<Cursor<Vec<u8>>>>,
    /// Files by name; several packages may have files of one name.
    by_name: BTreeMap<String, Vec<(String, Place)>>,
    texts: BTreeMap<String, Option<String>>,
}

/// Source files beyond this size are not shown.
const LARGEST: u64 = 16 << 20;

impl JavaSources {
    /// Finds source files in folders and archives; nothing is read but lists of files. Problems are
    /// added to the reading.
    pub fn find(paths: &[PathBuf], reading: &mut Reading) -> Self {
        let mut sources = Self::default();
        for path in paths {
            let found = if path.is_dir() {
                sources.folder(path).map_err(|error| without_number(&error))
            } else {
                sources.file(path)
            };
            if let Err(error) = found {
                let problem = Diagnostic::global(format!("cannot be read: {error}"));
                reading.add(Input::named(&path.display().to_string()), problem.into());
            }
        }
        sources
    }

    fn file(&mut self, path: &Path) -> Result<(), String> {
        let bytes = fs::read(path).map_err(|error| without_number(&error))?;
        self.archive(zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?);
        Ok(())
    }

    fn folder(&mut self, folder: &Path) -> std::io::Result<()> {
        let mut work = vec![folder.to_owned()];
        while let Some(folder) = work.pop() {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    work.push(path);
                } else if let Some(name) = path.to_str().map(|path| path.replace('\\', "/")) {
                    self.add(name, Place::File(path));
                }
            }
        }
        Ok(())
    }

    fn archive(&mut self, archive: zip::ZipArchive<Cursor<Vec<u8>>>) {
        let number = self.archives.len();
        let names: Vec<String> =
            archive.file_names().filter_map(Result::ok).map(std::borrow::Cow::into_owned).collect();
        for name in names {
            if let Some(index) = archive.index_for_name(&name) {
                self.add(name, Place::Entry(number, index));
            }
        }
        self.archives.push(archive);
    }

    fn add(&mut self, path: String, place: Place) {
        // sources of other languages for the virtual machine are shown, too
        let known = ["java", "kt", "scala", "groovy"];
        if path.rsplit_once('.').is_none_or(|(_, extension)| !known.contains(&extension)) {
            return;
        }
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        self.by_name.entry(name).or_default().push((path, place));
    }

    /// The text of a source file.
    pub fn text(&mut self, file: &str) -> Option<&str> {
        if !self.texts.contains_key(file) {
            let text = self.read(file);
            self.texts.insert(file.to_owned(), text);
        }
        self.texts.get(file)?.as_deref()
    }

    /// A line of a source file that was asked for before.
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let text = self.texts.get(file)?.as_deref()?;
        text.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
    }

    /// The path of a source file, unless it is in an archive.
    pub fn path(&self, file: &str) -> Option<String> {
        match self.place(file)? {
            (path, Place::File(_)) => Some(path.clone()),
            (_, Place::Entry(..)) => None,
        }
    }

    /// The file that fits the path of a package.
    fn place(&self, file: &str) -> Option<&(String, Place)> {
        let candidates = self.by_name.get(file.rsplit('/').next()?)?;
        let fits = |path: &str| {
            let rest = path.strip_suffix(file);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        candidates.iter().filter(|(path, _)| fits(path)).min_by_key(|(path, _)| path.clone())
    }

    fn read(&mut self, file: &str) -> Option<String> {
        let mut bytes = Vec::new();
        match &self.place(file)?.1 {
            Place::File(path) => {
                fs::File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
            }
            &Place::Entry(archive, entry) => {
                let entry = self.archives[archive].by_index(entry).ok()?;
                entry.take(LARGEST).read_to_end(&mut bytes).ok()?;
            }
        }
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
